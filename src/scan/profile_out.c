/* Where profiles go: a row of a table for each form.
 * SPDX-License-Identifier: MIT */
#include "scan/profile_out.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "dnabird/dnabird.h"
#include "track/bigwig.h"
#include "track/calls.h"
#include "track/output.h"

/* A stretch of equal values of one feature, not yet written. */
struct stretch {
    int64_t start, end; /* end 0: nothing waits */
    char text[32];      /* the value as it is written */
    float value;
};

struct form {
    int (*open)(struct bird_profile_out *t);
    int (*put)(struct bird_profile_out *t, const struct bird_profile_row *row);
    int (*finish)(struct bird_profile_out *t);
};

struct bird_profile_out {
    struct bird_profile_out_options o;
    const struct form *form;
    int64_t n; /* features */
    int64_t n_row, n_file;
    struct bird_text line;
    struct bird_text contig; /* of the last row */
    int64_t record;
    int begun;
    struct bird_output *sink; /* TSV */
    int64_t largest_bp;
    bird_track **track;       /* (n) bedGraph; (1) BED */
    struct bird_bigwig **wig; /* (n) */
    struct stretch *waiting;  /* (n) */
    struct bird_calls *calls;
};

int bird_chromatin_has_bigwig(void)
{
    return bird_bigwig_available();
}

int bird_profile_is_track(enum bird_chromatin_format format)
{
    return format == BIRD_CHROMATIN_BEDGRAPH || format == BIRD_CHROMATIN_BIGWIG;
}

/* --- TSV ----------------------------------------------------------------- */

static int put_comment(struct bird_text *t, const char *label, const char *text)
{
    return text ? bird_text_printf(t, "# %s: %s\n", label, text) : 0;
}

static int tsv_open(struct bird_profile_out *t)
{
    const bird_chromatin_options *s = t->o.scan;
    const struct bird_output_options with = {
        .index = s->index ? BIRD_INDEX_BED : BIRD_INDEX_NONE};
    int rc = bird_output_open(&t->sink, s->output, &with);

    if (rc)
        return rc;
    if (!s->no_version &&
        ((rc = bird_text_printf(&t->line, "# dnabird %s\n", bird_version())) ||
         (rc = put_comment(&t->line, "command", s->command)) ||
         (rc = put_comment(&t->line, "model", t->o.model)) ||
         (rc = put_comment(&t->line, "reference", s->fasta))))
        return rc;
    rc = bird_text_printf(&t->line, "#chrom\tstart\tend\tname\tstatus");
    for (int64_t i = 0; !rc && i < t->n; i++)
        rc = bird_text_printf(&t->line, "\t%s", t->o.features->at[i].name);
    if (!rc)
        rc = bird_text_put(&t->line, "\n", 1);
    t->n_file = 1;
    return rc ? rc : bird_output_put(t->sink, t->line.s, t->line.n);
}

static int tsv_put(struct bird_profile_out *t,
                   const struct bird_profile_row *row)
{
    int rc;

    bird_text_clear(&t->line);
    rc = bird_text_printf(&t->line, "%s\t%lld\t%lld\t%s\t%s", row->contig,
                          (long long)row->start, (long long)row->end,
                          row->name && *row->name ? row->name : ".",
                          row->status ? row->status : "ok");
    for (int64_t i = 0; !rc && i < t->n; i++)
        rc = row->status
                 ? bird_text_put(&t->line, "\t.", 2)
                 : bird_text_printf(&t->line, "\t%.6g", (double)row->p[i]);
    if (!rc)
        rc = bird_text_put(&t->line, "\n", 1);
    if (row->end > t->largest_bp)
        t->largest_bp = row->end;
    t->n_row++;
    return rc ? rc : bird_output_put(t->sink, t->line.s, t->line.n);
}

static int tsv_finish(struct bird_profile_out *t)
{
    struct bird_output *s = t->sink;

    t->sink = NULL;
    return bird_output_close(s, t->largest_bp);
}

/* --- a file a feature ---------------------------------------------------- */

/* Letters that are safe in any file system and shell. */
static int file_name(struct bird_text *out, const struct bird_profile_out *t,
                     int64_t i)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTU"
                               "VWXYZ0123456789.+-";
    const bird_chromatin_options *s = t->o.scan;
    int bigwig = s->format == BIRD_CHROMATIN_BIGWIG, rc;
    int64_t at;

    bird_text_clear(out);
    rc = bird_text_printf(out, "%s/", s->output);
    at = out->n;
    if (!rc)
        rc = bird_text_printf(out, "%s", t->o.features->at[i].name);
    for (; !rc && at < out->n; at++)
        if (!strchr(safe, out->s[at]))
            out->s[at] = '_';
    return rc ? rc
              : bird_text_printf(out, bigwig  ? ".bw"
                                      : s->gz ? ".bedgraph.gz"
                                              : ".bedgraph");
}

/* Every feature is an open file. */
static int allow_files(int64_t n)
{
    struct rlimit r;

    if (getrlimit(RLIMIT_NOFILE, &r) || r.rlim_cur == RLIM_INFINITY ||
        (int64_t)r.rlim_cur >= n)
        return 0;
    r.rlim_cur = r.rlim_max == RLIM_INFINITY || (int64_t)r.rlim_max >= n
                     ? (rlim_t)n
                     : r.rlim_max;
    if ((int64_t)r.rlim_cur >= n && !setrlimit(RLIMIT_NOFILE, &r))
        return 0;
    return bird_fail(BIRD_EINVAL,
                     "%lld files are to be written at once, but the system "
                     "allows fewer (ulimit -n): choose fewer features",
                     (long long)n);
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* No two features may go into one file. */
static int check_names(char *const *path, int64_t n)
{
    const char **sorted;
    int rc = bird_array_new(&sorted, n, sizeof(*sorted));

    if (rc)
        return rc;
    memcpy((void *)sorted, path, (size_t)n * sizeof(*sorted));
    qsort((void *)sorted, (size_t)n, sizeof(*sorted), compare_texts);
    for (int64_t i = 1; !rc && i < n; i++)
        if (!strcmp(sorted[i - 1], sorted[i]))
            rc = bird_fail(BIRD_EINVAL,
                           "%s: two features would be written there: choose "
                           "one of them",
                           sorted[i]);
    free((void *)sorted);
    return rc;
}

/* The files of all features: the one named, or those of the folder. */
static int name_files(char ***out, const struct bird_profile_out *t)
{
    const char *output = t->o.scan->output;
    struct bird_text name = {0};
    char **path;
    int rc = bird_array_new(&path, t->n, sizeof(*path));

    if (rc)
        return rc;
    *out = path;
    if (t->n > 1 && bird_out_is_stdout(output))
        return bird_fail(BIRD_EINVAL,
                         "tracks of %lld features need a folder "
                         "to be written to (-o)",
                         (long long)t->n);
    if (t->n > 1)
        rc = bird_folder_make(output);
    for (int64_t i = 0; !rc && i < t->n; i++) {
        if (t->n > 1)
            rc = file_name(&name, t, i);
        path[i] = rc ? NULL : strdup(t->n > 1 ? name.s : output ? output : "-");
        if (!rc && !path[i])
            rc = bird_fail_memory(0);
    }
    bird_text_free(&name);
    return rc ? rc : check_names(path, t->n);
}

static int open_bedgraph(struct bird_profile_out *t, int64_t i,
                         const char *path)
{
    const bird_chromatin_options *s = t->o.scan;
    bird_track_options o;
    struct bird_text label = {0};
    int rc = bird_text_printf(&label, "%s, feature %s", t->o.model,
                              t->o.features->at[i].name);

    bird_track_options_default(&o);
    o.path = path;
    o.format = BIRD_TRACK_BEDGRAPH;
    o.index = s->index;
    o.no_version = s->no_version;
    o.command = s->command;
    o.model = label.s;
    o.reference = s->fasta;
    if (!rc)
        rc = bird_track_open(&t->track[i], &o);
    bird_text_free(&label);
    return rc;
}

/* All contigs of the genome, as a bigWig wants them first. */
static int open_bigwigs(struct bird_profile_out *t, char *const *path)
{
    const bird_genome *g = t->o.genome;
    int64_t n = bird_genome_count(g), *length = NULL;
    const char **name;
    int rc = bird_array_new(&name, n, sizeof(*name));

    if (!rc)
        rc = bird_array_new(&length, n, sizeof(*length));
    for (int64_t i = 0; !rc && i < n; i++) {
        name[i] = bird_genome_name(g, i);
        length[i] = bird_genome_length(g, i);
    }
    for (int64_t i = 0; !rc && i < t->n; i++)
        rc = bird_bigwig_open(&t->wig[i], path[i], name, length, n);
    free((void *)name);
    free(length);
    return rc;
}

static int tracks_open(struct bird_profile_out *t)
{
    int bigwig = t->o.scan->format == BIRD_CHROMATIN_BIGWIG;
    char **path = NULL;
    int rc = allow_files(t->n + 64);

    if (!rc && bigwig && bird_out_is_stdout(t->o.scan->output))
        rc = bird_fail(BIRD_EINVAL, "bigWig cannot be written to standard "
                                    "output: name a file (-o)");
    if (!rc)
        rc = bird_array_new(&t->waiting, t->n, sizeof(*t->waiting));
    if (!rc)
        rc = bigwig ? bird_array_new(&t->wig, t->n, sizeof(*t->wig))
                    : bird_array_new(&t->track, t->n, sizeof(*t->track));
    if (!rc)
        rc = name_files(&path, t);
    if (!rc && bigwig)
        rc = open_bigwigs(t, path);
    for (int64_t i = 0; !rc && !bigwig && i < t->n; i++)
        rc = open_bedgraph(t, i, path[i]);
    for (int64_t i = 0; path && i < t->n; i++)
        free(path[i]);
    free(path);
    t->n_file = t->n;
    return rc;
}

/* The stretch that waits goes out. */
static int put_stretch(struct bird_profile_out *t, int64_t i)
{
    struct stretch *w = &t->waiting[i];
    bird_track_row row = {.contig = t->contig.s,
                          .record = t->record,
                          .start = w->start,
                          .end = w->end,
                          .strand = '.',
                          .value = (double)w->value};
    int rc = 0;

    if (!w->end)
        return 0;
    w->end = 0;
    t->n_row++;
    if (t->wig)
        rc = bird_bigwig_put(t->wig[i], row.contig, row.start, row.end,
                             w->value);
    else
        rc = bird_track_put(t->track[i], &row);
    return rc;
}

static int put_stretches(struct bird_profile_out *t)
{
    int rc = 0;

    for (int64_t i = 0; !rc && i < t->n; i++)
        rc = put_stretch(t, i);
    return rc;
}

/* Neighbouring bins whose value is written alike are one row. */
static int tracks_put(struct bird_profile_out *t,
                      const struct bird_profile_row *row)
{
    int rc = 0;

    for (int64_t i = 0; !rc && !row->status && i < t->n; i++) {
        struct stretch *w = &t->waiting[i];
        char text[32];

        snprintf(text, sizeof(text), "%.6f", (double)row->p[i]);
        if (w->end == row->start && !strcmp(w->text, text)) {
            w->end = row->end;
            continue;
        }
        rc = put_stretch(t, i);
        *w = (struct stretch){.start = row->start, .end = row->end};
        memcpy(w->text, text, sizeof(w->text));
        w->value = (float)atof(text);
    }
    return rc;
}

static int tracks_finish(struct bird_profile_out *t)
{
    int rc = put_stretches(t);

    for (int64_t i = 0; !rc && i < t->n; i++) {
        if (t->wig) {
            rc = bird_bigwig_close(t->wig[i]);
            t->wig[i] = NULL;
        } else {
            rc = bird_track_close(t->track[i]);
            t->track[i] = NULL;
        }
    }
    return rc;
}

/* --- calls --------------------------------------------------------------- */

static int new_calls(struct bird_profile_out *t)
{
    int rc = bird_calls_new_lanes(&t->calls, 0.5, 0, t->n);

    return rc ? rc : bird_calls_set_thresholds(t->calls, t->o.threshold);
}

static int bed_open(struct bird_profile_out *t)
{
    const bird_chromatin_options *s = t->o.scan;
    bird_track_options o;
    int rc = bird_array_new(&t->track, 1, sizeof(*t->track));

    bird_track_options_default(&o);
    o.path = s->output;
    o.index = s->index;
    o.no_version = s->no_version;
    o.command = s->command;
    o.model = t->o.model;
    o.reference = s->fasta;
    if (!rc)
        rc = bird_track_open(&t->track[0], &o);
    t->n_file = 1;
    return rc ? rc : new_calls(t);
}

static int drain_calls(struct bird_profile_out *t)
{
    struct bird_call c;
    int rc = 0;

    while (!rc && bird_calls_next(t->calls, &c)) {
        bird_track_row row = {.contig = t->contig.s,
                              .record = c.contig,
                              .start = c.start,
                              .end = c.end,
                              .strand = '.',
                              .value = c.probability,
                              .summit = c.summit,
                              .n_window = c.n_window,
                              .name = t->o.features->at[c.lane].name};

        t->n_row++;
        rc = bird_track_put(t->track[0], &row);
    }
    return rc;
}

static int bed_put(struct bird_profile_out *t,
                   const struct bird_profile_row *row)
{
    struct bird_scored w = {.contig = t->record,
                            .start = row->start,
                            .end = row->end,
                            .strand = '.'};
    int rc;

    if (row->status)
        return 0;
    rc = bird_calls_put_bin(t->calls, &w, row->p);
    return rc ? rc : drain_calls(t);
}

/* The last calls of a contig, before its name changes. */
static int flush_calls(struct bird_profile_out *t)
{
    int rc = bird_calls_finish(t->calls);

    if (!rc)
        rc = drain_calls(t);
    bird_calls_free(t->calls);
    t->calls = NULL;
    return rc;
}

static int bed_finish(struct bird_profile_out *t)
{
    int rc = flush_calls(t);

    if (rc)
        return rc;
    rc = bird_track_close(t->track[0]);
    t->track[0] = NULL;
    return rc;
}

/* ------------------------------------------------------------------------- */

static const struct form forms[] = {
    [BIRD_CHROMATIN_TSV] = {tsv_open, tsv_put, tsv_finish},
    [BIRD_CHROMATIN_BEDGRAPH] = {tracks_open, tracks_put, tracks_finish},
    [BIRD_CHROMATIN_BIGWIG] = {tracks_open, tracks_put, tracks_finish},
    [BIRD_CHROMATIN_BED] = {bed_open, bed_put, bed_finish},
};

int bird_profile_out_open(struct bird_profile_out **out,
                          const struct bird_profile_out_options *o)
{
    struct bird_profile_out *t;
    int rc = bird_array_new(&t, 1, sizeof(*t));

    if (rc)
        return rc;
    t->o = *o;
    t->n = o->features->n;
    t->form = &forms[o->scan->format];
    rc = bird_text_put(&t->contig, "", 0);
    if (!rc)
        rc = t->form->open(t);
    if (rc)
        bird_profile_out_free(t);
    else
        *out = t;
    return rc;
}

/* What waits belongs to the contig before. */
static int next_contig(struct bird_profile_out *t,
                       const struct bird_profile_row *row)
{
    int rc = 0;

    if (t->waiting)
        rc = put_stretches(t);
    if (!rc && t->calls && t->begun) {
        rc = flush_calls(t);
        if (!rc)
            rc = new_calls(t);
    }
    if (rc)
        return rc;
    bird_text_clear(&t->contig);
    t->record = row->record;
    t->begun = 1;
    return bird_text_printf(&t->contig, "%s", row->contig);
}

int bird_profile_out_put(struct bird_profile_out *t,
                         const struct bird_profile_row *row)
{
    int rc = 0;

    if (!t->begun || row->record != t->record ||
        strcmp(row->contig, t->contig.s) != 0)
        rc = next_contig(t, row);
    return rc ? rc : t->form->put(t, row);
}

int bird_profile_out_close(struct bird_profile_out *t, int64_t *n_row,
                           int64_t *n_file)
{
    int rc = t->form->finish(t);

    *n_row = t->n_row;
    *n_file = t->n_file;
    bird_profile_out_free(t);
    return rc;
}

void bird_profile_out_free(struct bird_profile_out *t)
{
    int64_t n_track;

    if (!t)
        return;
    n_track = t->o.scan->format == BIRD_CHROMATIN_BED ? 1 : t->n;
    bird_output_free(t->sink);
    for (int64_t i = 0; t->track && i < n_track; i++)
        bird_track_free(t->track[i]);
    for (int64_t i = 0; t->wig && i < t->n; i++)
        bird_bigwig_free(t->wig[i]);
    bird_calls_free(t->calls);
    free(t->track);
    free(t->wig);
    free(t->waiting);
    bird_text_free(&t->line);
    bird_text_free(&t->contig);
    free(t);
}
