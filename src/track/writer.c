/* The table of forms, and what all of them share. SPDX-License-Identifier: MIT
 */
#include "track/writer.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/fail.h"
#include "base/timer.h"
#include "dnabird/dnabird.h"

static const struct bird_writer *const writers[] = {
    [BIRD_TRACK_BED] = &bird_writer_bed,
    [BIRD_TRACK_BEDGRAPH] = &bird_writer_bedgraph,
    [BIRD_TRACK_TSV] = &bird_writer_tsv,
    [BIRD_TRACK_WINDOWS] = &bird_writer_windows,
};
enum { N_WRITER = sizeof(writers) / sizeof(writers[0]) };

const char *bird_track_format_name(int format)
{
    return format >= 0 && format < N_WRITER ? writers[format]->name : NULL;
}

int bird_track_format_find(const char *name)
{
    for (int i = 0; i < N_WRITER; i++)
        if (!strcmp(writers[i]->name, name))
            return i;
    return -1;
}

/* Is this word (of n letters) one of the blank-separated ones of the list? */
static int is_listed(const char *word, size_t n, const char *list)
{
    for (; *list; list += strspn(list, " ")) {
        size_t m = strcspn(list, " ");

        if (m == n && !strncasecmp(list, word, n))
            return 1;
        list += m;
    }
    return 0;
}

int bird_track_format_guess(const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    size_t n = strlen(base), dot;

    if (bird_path_is_gz(path))
        n = (size_t)(strrchr(base, '.') - base);
    for (dot = n; dot > 0 && base[dot - 1] != '.'; dot--)
        ;
    if (!dot)
        return -1;
    dot--;
    for (int i = 0; i < N_WRITER; i++)
        if (is_listed(base + dot, n - dot, writers[i]->extensions))
            return i;
    return -1;
}

void bird_track_options_default(bird_track_options *o)
{
    *o = (bird_track_options){.format = BIRD_TRACK_BED};
}

int bird_track_open(bird_track **out, const bird_track_options *o)
{
    bird_track *t;
    int rc;

    if (o->format < 0 || o->format >= N_WRITER)
        return bird_fail(BIRD_EINVAL, "there is no track form %d", o->format);
    t = calloc(1, sizeof(*t));
    if (!t)
        return bird_fail_memory(sizeof(*t));
    t->options = *o;
    t->writer = writers[o->format];
    t->largest_bp = o->longest_bp;
    rc = bird_text_put(&t->contig, "", 0);
    if (!rc)
        rc = t->writer->open(t);
    if (!rc)
        rc = t->writer->header(t);
    if (rc)
        bird_track_free(t);
    else
        *out = t;
    return rc;
}

/* A word that can stand in a column. */
static int is_word(const char *s)
{
    if (!*s)
        return 0;
    for (; *s; s++)
        if ((unsigned char)*s < ' ' || *s == 127)
            return 0;
    return 1;
}

static int check_row(const bird_track *t, const bird_track_row *r)
{
    if (!r->contig || !is_word(r->contig) || r->contig[0] == '#')
        return bird_fail(BIRD_EINVAL,
                         "track: a contig's name is missing, begins with '#' "
                         "or holds control characters");
    if (r->start < 0 || r->end <= r->start)
        return bird_fail(BIRD_EINVAL, "track: %s: %lld-%lld is no interval",
                         r->contig, (long long)r->start, (long long)r->end);
    if (r->strand != '+' && r->strand != '-' && r->strand != '.')
        return bird_fail(BIRD_EINVAL, "track: %s:%lld: no such strand",
                         r->contig, (long long)r->start);
    if (isinf(r->value))
        return bird_fail(BIRD_EINVAL, "track: %s:%lld: an infinite value",
                         r->contig, (long long)r->start);
    if ((r->name && !is_word(r->name)) || (r->status && !is_word(r->status)))
        return bird_fail(BIRD_EINVAL,
                         "track: %s:%lld: a name with control characters",
                         r->contig, (long long)r->start);
    if (!t->n_row || strcmp(t->contig.s, r->contig) != 0)
        return 0;
    if (r->record != t->record && t->options.index)
        return bird_fail(BIRD_EFORMAT,
                         "track: two records are named '%s': an index cannot "
                         "tell them apart",
                         r->contig);
    if (r->record == t->record && r->start < t->start)
        return bird_fail(BIRD_EINVAL,
                         "track: %s:%lld comes after %lld: rows must be sorted",
                         r->contig, (long long)r->start, (long long)t->start);
    return 0;
}

int bird_track_put(bird_track *t, const bird_track_row *row)
{
    enum bird_phase before;
    int rc = check_row(t, row);

    if (rc)
        return rc;
    if (!t->n_row || strcmp(t->contig.s, row->contig) != 0) {
        bird_text_clear(&t->contig);
        rc = bird_text_put(&t->contig, row->contig,
                           (int64_t)strlen(row->contig));
        if (rc)
            return rc;
    }
    bird_text_clear(&t->line);
    before = bird_timer_enter(BIRD_PHASE_WRITE);
    rc = t->writer->put(t, row);
    bird_timer_leave(before);
    if (rc)
        return rc;
    t->start = row->start;
    t->record = row->record;
    if (row->end > t->largest_bp)
        t->largest_bp = row->end;
    t->n_row++;
    return 0;
}

int64_t bird_track_count(const bird_track *t)
{
    return t->n_row;
}

int bird_track_close(bird_track *t)
{
    enum bird_phase before = bird_timer_enter(BIRD_PHASE_WRITE);
    int rc = t->writer->close(t);

    bird_timer_leave(before);
    bird_track_free(t);
    return rc;
}

void bird_track_free(bird_track *t)
{
    if (!t)
        return;
    bird_output_free(t->sink);
    bird_text_free(&t->line);
    bird_text_free(&t->contig);
    free(t);
}

int bird_text_track_open(struct bird_track *t)
{
    const struct bird_output_options with = {
        .index = t->options.index ? BIRD_INDEX_BED : BIRD_INDEX_NONE};

    return bird_output_open(&t->sink, t->options.path, &with);
}

int bird_text_track_close(struct bird_track *t)
{
    struct bird_output *s = t->sink;

    t->sink = NULL;
    return bird_output_close(s, t->largest_bp);
}

int bird_text_track_send(struct bird_track *t)
{
    return bird_output_put(t->sink, t->line.s, t->line.n);
}

/* "# label: text", on one line whatever the text holds. */
static int put_provenance(struct bird_track *t, const char *label,
                          const char *text)
{
    int64_t from = t->line.n;
    int rc;

    if (!text)
        return 0;
    rc = bird_text_printf(&t->line, "# %s: %s", label, text);
    for (int64_t i = from; !rc && i < t->line.n; i++)
        if (iscntrl((unsigned char)t->line.s[i]))
            t->line.s[i] = ' ';
    return rc ? rc : bird_text_put(&t->line, "\n", 1);
}

int bird_text_track_header(struct bird_track *t, const char *columns)
{
    const bird_track_options *o = &t->options;
    int rc = 0;

    bird_text_clear(&t->line);
    if (!o->no_version &&
        ((rc = bird_text_printf(&t->line, "# dnabird %s\n", bird_version())) ||
         (rc = put_provenance(t, "command", o->command)) ||
         (rc = put_provenance(t, "model", o->model)) ||
         (rc = put_provenance(t, "reference", o->reference))))
        return rc;
    rc = bird_text_printf(&t->line, "#%s\n", columns);
    return rc ? rc : bird_text_track_send(t);
}

int bird_track_check_call(const bird_track_row *r)
{
    if (!(r->value >= 0 && r->value <= 1))
        return bird_fail(BIRD_EINVAL, "track: %s:%lld: %g is no probability",
                         r->contig, (long long)r->start, r->value);
    if (r->summit < r->start || r->summit >= r->end)
        return bird_fail(BIRD_EINVAL,
                         "track: %s:%lld: the summit %lld lies outside",
                         r->contig, (long long)r->start, (long long)r->summit);
    return 0;
}

int bird_track_score(double probability)
{
    double score = round(1000 * probability);

    return score > 0 ? (score < 1000 ? (int)score : 1000) : 0;
}
