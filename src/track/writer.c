/* The table of output formats, and tracks of all of them. A track checks each
 * row, lets the format write it as one line of text, and sends the line to an
 * output object; a format that another library writes keeps its handle in
 * `own`. SPDX-License-Identifier: MIT */
#include "track/writer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/fail.h"
#include "base/order.h"
#include "base/shard.h"
#include "base/text.h"
#include "base/timer.h"
#include "dnabird/dnabird.h"
#include "seq/vcf_in.h"

#define ROW(name) &bird_format_##name,
static const struct bird_format *const formats[] = {BIRD_FORMATS(ROW)};
enum { N_FORMAT = sizeof(formats) / sizeof(formats[0]), N_COMMAND = 5 };

/* --- the table ----------------------------------------------------------- */

const struct bird_format *bird_format_at(int i)
{
    return i >= 0 && i < N_FORMAT ? formats[i] : NULL;
}

/* Does the command write the format? */
static int serves(const struct bird_format *f, enum bird_track_command command)
{
    return (f->commands & BIRD_WRITES(command)) != 0;
}

const char *bird_track_format_name(enum bird_track_command command, int i)
{
    for (int k = 0; k < N_FORMAT && i >= 0; k++)
        if (serves(formats[k], command) && !i--)
            return formats[k]->name;
    return NULL;
}

/* Static texts, made once for each thread and command. */
const char *bird_track_formats(enum bird_track_command command)
{
    static _Thread_local char text[N_COMMAND][128];
    size_t n = 0, size = sizeof(*text);
    char *s = text[command];

    for (int i = 0; i < N_FORMAT; i++)
        if (serves(formats[i], command) && n < size)
            n += (size_t)snprintf(s + n, size - n, "%s%s", n ? "|" : "",
                                  formats[i]->name);
    return s;
}

const char *bird_track_formats_about(enum bird_track_command command)
{
    static _Thread_local char text[N_COMMAND][1024];
    size_t n = 0, size = sizeof(*text);
    char *s = text[command];

    for (int i = 0; i < N_FORMAT; i++)
        if (serves(formats[i], command) && n < size)
            n += (size_t)snprintf(s + n, size - n, "%s%s: %s.", n ? " " : "",
                                  formats[i]->name, formats[i]->about);
    return s;
}

/* Is this word of n characters in the list, whose words have blanks between? */
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

/* The ending of a path that names its format, without the ending of its
 * compression: the n characters from the last dot of the file's name on. NULL:
 * no dot, or only the one that begins a hidden file's name. */
static const char *ending(const char *path, size_t *n, enum bird_container as)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    size_t end = strlen(base), dot;

    if (as != BIRD_PLAIN)
        end = (size_t)(strrchr(base, '.') - base);
    for (dot = end; dot > 1 && base[dot - 1] != '.'; dot--)
        ;
    *n = dot > 1 ? end - dot + 1 : 0;
    return *n ? base + dot - 1 : NULL;
}

/* Can a file of this format be compressed as the path's ending says? */
static int takes(const struct bird_format *f, enum bird_container as)
{
    return f->container == BIRD_BY_NAME ||
           (as == BIRD_PLAIN ? f->container != BIRD_BGZIP : f->container == as);
}

int bird_format_ends(const struct bird_format *f, const char *path)
{
    size_t n;
    const char *word = ending(path, &n, bird_container_of(path, BIRD_BY_NAME));

    return word && is_listed(word, n, f->suffixes);
}

/* The format that a path names; without an ending the one that is always
 * compressed in this way, else the default. NULL: the ending is unknown. */
static const struct bird_format *guess(enum bird_track_command command,
                                       const struct bird_format *by_default,
                                       const char *path)
{
    enum bird_container as = bird_container_of(path, BIRD_BY_NAME);
    size_t n;
    const char *word = ending(path, &n, as);

    for (int i = 0; i < N_FORMAT; i++)
        if (serves(formats[i], command) &&
            (word ? takes(formats[i], as) &&
                        is_listed(word, n, formats[i]->suffixes)
                  : as != BIRD_PLAIN && formats[i]->container == as))
            return formats[i];
    return !word && (as == BIRD_PLAIN || takes(by_default, as)) ? by_default
                                                                : NULL;
}

/* The names of a command's formats as "x, y or z". */
static void list_names(char *out, size_t size, enum bird_track_command command)
{
    const char *name;
    size_t n = 0;

    for (int i = 0; n < size && (name = bird_track_format_name(command, i));
         i++)
        n += (size_t)snprintf(out + n, size - n, "%s%s",
                              !i                                       ? ""
                              : bird_track_format_name(command, i + 1) ? ", "
                                                                       : " or ",
                              name);
}

/* The ending that names no format, with that of the compression: .csv.gz */
static const char *unknown_ending(const char *path)
{
    size_t n;
    const char *word = ending(path, &n, bird_container_of(path, BIRD_BY_NAME));

    return word ? word : strrchr(path, '.');
}

int bird_format_choose(const struct bird_format **out,
                       enum bird_track_command command, const char *name,
                       const char *path)
{
    const struct bird_format *f = NULL, *first = NULL;
    char names[256];

    for (int i = N_FORMAT - 1; i >= 0; i--)
        if (serves(formats[i], command)) {
            first = formats[i];
            if (name && !strcmp(first->name, name))
                f = first;
        }
    if (name && !f) {
        list_names(names, sizeof(names), command);
        return bird_fail(BIRD_EINVAL, "unknown output format '%.40s': use %s",
                         name, names);
    }
    if (!name && !bird_out_is_stdout(path) &&
        !(f = guess(command, first, path))) {
        list_names(names, sizeof(names), command);
        return bird_fail(BIRD_EINVAL,
                         "%s: cannot infer the output format from '%s'; use "
                         "-O %s",
                         path, unknown_ending(path), names);
    }
    *out = f ? f : first;
    return 0;
}

const struct bird_format *bird_format_of(enum bird_track_command command,
                                         enum bird_content content)
{
    for (int i = 0; i < N_FORMAT; i++)
        if (serves(formats[i], command) && formats[i]->content == content)
            return formats[i];
    return NULL;
}

int bird_format_check(const struct bird_format *f, const char *path, int index)
{
    const struct bird_output_options with = {
        .container = f->container, .index = index ? f->index : BIRD_INDEX_NONE};

    int rc = f->available ? f->available() : 0;

    if (rc)
        return rc;
    if (f->container == BIRD_FOREIGN && bird_out_is_stdout(path))
        return bird_fail(BIRD_EINVAL,
                         "%s cannot be written to standard output: name a "
                         "file (-o)",
                         f->name);
    if (index && !f->index)
        return bird_fail(BIRD_EINVAL,
                         "%s files hold their index, if any: "
                         "leave out -W",
                         f->name);
    return bird_output_check(path, &with);
}

int bird_format_check_shard(const struct bird_format *f, const char *shard)
{
    struct bird_shard s;
    int rc = bird_shard_parse(&s, shard);

    if (!rc && shard && f->join == BIRD_JOIN_NONE)
        rc = bird_fail(BIRD_EINVAL,
                       "parts of %s cannot be joined: give --shard with "
                       "another format",
                       f->name);
    return rc;
}

/* --- a track ------------------------------------------------------------- */

void bird_track_options_default(bird_track_options *o)
{
    *o = (bird_track_options){0};
}

static int send(struct bird_track *t)
{
    int rc = t->line.n ? bird_output_put(t->output, t->line.s, t->line.n) : 0;

    bird_text_clear(&t->line);
    return rc;
}

static int begin(struct bird_track *t)
{
    const struct bird_output_options with = {
        .container = t->format->container,
        .index = t->options.index ? t->format->index : BIRD_INDEX_NONE,
        .resumable = t->extra.resumable,
        .restart = t->extra.restart,
        .from_bytes = t->extra.from_bytes};
    int rc = bird_output_open(&t->output, t->options.path, &with);

    if (!rc && t->format->begin)
        rc = t->format->begin(t);
    if (!rc && (t->extra.from_bytes ||
                (t->extra.headless && t->format->join == BIRD_JOIN_CAT)))
        bird_text_clear(&t->line);
    return rc ? rc : send(t);
}

int bird_track_begin(bird_track **out, const struct bird_format *f,
                     const bird_track_options *o,
                     const struct bird_track_extra *x)
{
    bird_track *t;
    int rc;

    if (f->needs_contigs && (!x || !x->genome))
        return bird_fail(BIRD_EINVAL,
                         "%s begins with the lengths of all contigs, which a "
                         "track alone does not have: use another format",
                         f->name);
    t = calloc(1, sizeof(*t));
    if (!t)
        return bird_fail_memory(sizeof(*t));
    t->options = *o;
    if (x)
        t->extra = *x;
    t->format = f;
    t->largest_bp = o->longest_bp;
    rc = bird_text_put(&t->contig, "", 0);
    if (!rc)
        rc = begin(t);
    if (rc)
        bird_track_free(t);
    else
        *out = t;
    return rc;
}

int bird_track_open(bird_track **out, const bird_track_options *o)
{
    const struct bird_format *f;
    int rc = bird_format_choose(&f, BIRD_TRACK_PROMOTER, o->format, o->path);

    return rc ? rc : bird_track_begin(out, f, o, NULL);
}

/* Can a column contain it: no blanks, tabs or newlines? */
static int is_word(const char *s)
{
    if (!*s)
        return 0;
    for (; *s; s++)
        if (bird_is_control(*s))
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
        return bird_fail(BIRD_EINVAL, "track: %s: %lld-%lld is not an interval",
                         r->contig, (long long)r->start, (long long)r->end);
    if (r->strand != '+' && r->strand != '-' && r->strand != '.')
        return bird_fail(BIRD_EINVAL,
                         "track: %s:%lld: unknown strand: use +, - or .",
                         r->contig, (long long)r->start);
    if (isinf(r->value))
        return bird_fail(BIRD_EINVAL, "track: %s:%lld: an infinite value",
                         r->contig, (long long)r->start);
    if ((r->name && !is_word(r->name)) || (r->status && !is_word(r->status)))
        return bird_fail(BIRD_EINVAL,
                         "track: %s:%lld: a name with control characters",
                         r->contig, (long long)r->start);
    if (!t->n_row || t->extra.any_order || strcmp(t->contig.s, r->contig) != 0)
        return 0;
    if (r->record != t->record && t->options.index)
        return bird_fail(BIRD_EFORMAT,
                         "track: two records are named '%s': an index cannot "
                         "distinguish them",
                         r->contig);
    if (r->record == t->record && r->start < t->start)
        return bird_fail(BIRD_EINVAL,
                         "track: %s:%lld comes after %lld: rows must be sorted",
                         r->contig, (long long)r->start, (long long)t->start);
    return 0;
}

/* Keep the row, to check the order of the next one. */
static int keep_row(bird_track *t, const bird_track_row *row)
{
    int rc = 0;

    if (!t->n_row || strcmp(t->contig.s, row->contig) != 0) {
        bird_text_clear(&t->contig);
        rc = bird_text_put(&t->contig, row->contig,
                           (int64_t)strlen(row->contig));
    }
    t->start = row->start;
    t->record = row->record;
    return rc;
}

int bird_track_put(bird_track *t, const bird_track_row *row)
{
    return bird_track_put_with(t, row, NULL);
}

int bird_track_put_with(bird_track *t, const bird_track_row *row,
                        const struct bird_cell *cell)
{
    enum bird_phase before;
    int rc = check_row(t, row);

    before = bird_timer_enter(BIRD_PHASE_WRITE);
    if (!rc)
        rc = t->format->put(t, row, cell);
    if (!rc)
        rc = send(t);
    bird_timer_leave(before);
    if (!rc)
        rc = keep_row(t, row);
    bird_text_clear(&t->line);
    if (rc)
        return rc;
    bird_track_reach(t, row->end);
    t->n_row++;
    return 0;
}

int bird_track_put_cells(bird_track *t, const bird_track_row *row,
                         const struct bird_cell *cell)
{
    int rc = t->format->put(t, row, cell);

    bird_track_reach(t, row->end);
    t->n_row++;
    return rc ? rc : send(t);
}

int bird_track_put_record(bird_track *t, struct bird_vcf_record *r, int64_t n,
                          const char *const *alt, const struct bird_cell *cell)
{
    int rc = t->format->record(t, r, n, alt, cell);

    bird_track_reach(t, bird_larger(r->end, r->pos + (int64_t)strlen(r->ref)));
    t->n_row += n;
    return rc ? rc : send(t);
}

int bird_track_put_text(bird_track *t, const char *text, int64_t n)
{
    return bird_output_put(t->output, text, n);
}

void bird_track_reach(bird_track *t, int64_t end)
{
    if (end > t->largest_bp)
        t->largest_bp = end;
}

int64_t bird_track_count(const bird_track *t)
{
    return t->n_row;
}

int bird_track_close(bird_track *t)
{
    enum bird_phase before;
    int rc;

    if (!t)
        return 0;
    before = bird_timer_enter(BIRD_PHASE_WRITE);
    rc = t->format->end ? t->format->end(t) : 0;

    if (!rc) {
        rc = bird_output_close(t->output, t->largest_bp);
        t->output = NULL;
    }
    bird_timer_leave(before);
    bird_track_free(t);
    return rc;
}

void bird_track_free(bird_track *t)
{
    if (!t)
        return;
    if (t->own)
        t->format->free(t);
    bird_output_free(t->output);
    bird_text_free(&t->line);
    bird_text_free(&t->contig);
    free(t);
}

/* --- for writers --------------------------------------------------------- */

/* Put "# label: text" on one line, even if the text has newlines. */
static int put_provenance(struct bird_track *t, const char *label,
                          const char *text)
{
    int64_t from = t->line.n;
    int rc;

    if (!text)
        return 0;
    rc = bird_text_printf(&t->line, "# %s: %s", label, text);
    if (rc)
        return rc;
    bird_replace_control(t->line.s + from, ' ');
    return bird_text_put(&t->line, "\n", 1);
}

int bird_track_header(struct bird_track *t, const char *fixed)
{
    const bird_track_options *o = &t->options;
    int rc = 0;

    if (!o->no_version &&
        ((rc = bird_text_printf(&t->line, "# dnabird %s\n", bird_version())) ||
         (rc = put_provenance(t, "command", o->command)) ||
         (rc = put_provenance(t, "model", o->model)) ||
         (rc = put_provenance(t, "reference", o->reference)) ||
         (rc = put_provenance(t, "background", t->extra.background))))
        return rc;
    if ((rc = put_provenance(t, "settings", t->extra.settings)))
        return rc;
    rc = bird_text_printf(&t->line, "#%s", fixed);
    for (int64_t k = 0; k < t->extra.n_column && !rc; k++)
        rc = bird_text_printf(&t->line, "\t%s", t->extra.column[k].name);
    return rc ? rc : bird_text_put(&t->line, "\n", 1);
}

int bird_track_cell(struct bird_track *t, enum bird_cell_type type,
                    const struct bird_cell *cell, const char *missing)
{
    if (type == BIRD_CELL_REAL && !isnan(cell->real))
        return bird_text_printf(&t->line, "\t%.6g", cell->real);
    if (type == BIRD_CELL_FLOAT && !isnan(cell->real))
        return bird_text_printf(&t->line, "\t%.9g", cell->real);
    if (type == BIRD_CELL_DOUBLE && !isnan(cell->real))
        return bird_text_printf(&t->line, "\t%.17g", cell->real);
    if (type == BIRD_CELL_TEXT && cell->text)
        return bird_text_printf(&t->line, "\t%s", cell->text);
    if ((type == BIRD_CELL_INTEGER && cell->integer >= 0) ||
        (type == BIRD_CELL_SIGNED && cell->integer != INT64_MIN))
        return bird_text_printf(&t->line, "\t%lld", (long long)cell->integer);
    return bird_text_printf(&t->line, "\t%s", missing);
}

int bird_track_check_call(const bird_track_row *r)
{
    if (!(r->value >= 0 && r->value <= 1))
        return bird_fail(BIRD_EINVAL, "track: %s:%lld: %g is not a probability",
                         r->contig, (long long)r->start, r->value);
    if (r->summit < r->start || r->summit >= r->end)
        return bird_fail(BIRD_EINVAL,
                         "track: %s:%lld: the summit %lld is outside the call",
                         r->contig, (long long)r->start, (long long)r->summit);
    return 0;
}

int bird_track_score(double probability)
{
    double score = round(1000 * probability);

    return score > 0 ? (score < 1000 ? (int)score : 1000) : 0;
}
