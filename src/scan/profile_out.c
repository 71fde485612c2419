/* Where profiles go. What the format has to be fed decides: a matrix takes bins
 * as they are; segments join neighbouring bins that are written alike, in a
 * file a feature; calls join neighbouring bins at or above a threshold.
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
#include "track/calls.h"

/* A run of equal values of one feature, not yet written. */
struct segment {
    int64_t start, end; /* end 0: nothing waits */
    char text[32];      /* the value as it is written */
    float value;
};

struct bird_profile_out {
    struct bird_profile_out_options o;
    const struct bird_format *format;
    int64_t n; /* features */
    int64_t n_row;
    struct bird_text contig; /* of the last row */
    int64_t record;
    int begun;
    bird_track **track; /* (n_track) segments: one a feature; else one */
    int64_t n_track;
    struct bird_column *column; /* (2 + n) of cells: name, status, features */
    struct bird_cell *cell;     /* the same */
    struct segment *waiting;    /* (n) of segments */
    struct bird_calls *calls;
};

int bird_profile_format(const struct bird_format **out,
                        const bird_chromatin_options *o)
{
    return bird_format_choose(out, BIRD_TRACK_CHROMATIN, o->format, o->output);
}

/* A track at that path; label is the model's. */
static int open_track(struct bird_profile_out *t, int64_t i, const char *path,
                      const char *label)
{
    const bird_chromatin_options *s = t->o.scan;
    const bird_track_options o = {.path = path,
                                  .index = s->index,
                                  .no_version = s->no_version,
                                  .command = s->command,
                                  .model = label,
                                  .reference = s->fasta};
    const struct bird_track_extra x = {.genome = t->o.genome,
                                       .column = t->column,
                                       .n_column = t->column ? t->n + 2 : 0};

    return bird_track_begin(&t->track[i], t->format, &o, &x);
}

static int close_tracks(struct bird_profile_out *t)
{
    int rc = 0;

    for (int64_t i = 0; !rc && i < t->n_track; i++) {
        bird_track *track = t->track[i];

        t->track[i] = NULL;
        rc = bird_track_close(track);
    }
    return rc;
}

/* The only track of cells or calls. */
static int open_one(struct bird_profile_out *t)
{
    int rc = bird_array_new(&t->track, 1, sizeof(*t->track));

    t->n_track = 1;
    return rc ? rc : open_track(t, 0, t->o.scan->output, t->o.model);
}

/* --- a matrix ------------------------------------------------------------ */

static int open_cells(struct bird_profile_out *t)
{
    int rc = bird_array_new(&t->column, t->n + 2, sizeof(*t->column));

    if (!rc)
        rc = bird_array_new(&t->cell, t->n + 2, sizeof(*t->cell));
    if (rc)
        return rc;
    t->column[0].name = "name";
    t->column[1].name = "status";
    for (int64_t i = 0; i < t->n; i++)
        t->column[2 + i] = (struct bird_column){
            .name = t->o.features->at[i].name, .type = BIRD_CELL_REAL};
    return open_one(t);
}

static int put_cells(struct bird_profile_out *t,
                     const struct bird_profile_row *row)
{
    const bird_track_row at = {
        .contig = row->contig, .start = row->start, .end = row->end};

    t->cell[0].text = row->name && *row->name ? row->name : NULL;
    t->cell[1].text = row->status ? row->status : "ok";
    for (int64_t i = 0; i < t->n; i++)
        t->cell[2 + i].real = row->status ? (double)NAN : (double)row->p[i];
    t->n_row++;
    return bird_track_put_cells(t->track[0], &at, t->cell);
}

/* --- a file a feature ---------------------------------------------------- */

/* Of characters that are safe in any file system and shell. */
static int file_name(struct bird_text *out, const struct bird_profile_out *t,
                     int64_t i)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTU"
                               "VWXYZ0123456789.+-";
    const bird_chromatin_options *s = t->o.scan;
    const char *suffix = t->format->suffixes;
    int64_t at;
    int rc;

    bird_text_clear(out);
    rc = bird_text_printf(out, "%s/", s->output);
    at = out->n;
    if (!rc)
        rc = bird_text_printf(out, "%s", t->o.features->at[i].name);
    for (; !rc && at < out->n; at++)
        if (!strchr(safe, out->s[at]))
            out->s[at] = '_';
    return rc ? rc
              : bird_text_printf(
                    out, "%.*s%s", (int)strcspn(suffix, " "), suffix,
                    s->gz && t->format->container == BIRD_BY_NAME ? ".gz" : "");
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

static int open_segments(struct bird_profile_out *t)
{
    struct bird_text label = {0};
    char **path = NULL;
    int rc = allow_files(t->n + 64);

    if (!rc)
        rc = bird_array_new(&t->waiting, t->n, sizeof(*t->waiting));
    if (!rc)
        rc = bird_array_new(&t->track, t->n, sizeof(*t->track));
    if (!rc)
        rc = name_files(&path, t);
    t->n_track = rc ? 0 : t->n;
    for (int64_t i = 0; !rc && i < t->n; i++) {
        bird_text_clear(&label);
        rc = bird_text_printf(&label, "%s, feature %s", t->o.model,
                              t->o.features->at[i].name);
        if (!rc)
            rc = open_track(t, i, path[i], label.s);
    }
    for (int64_t i = 0; path && i < t->n; i++)
        free(path[i]);
    free(path);
    bird_text_free(&label);
    return rc;
}

/* The segment that waits goes out. */
static int put_segment(struct bird_profile_out *t, int64_t i)
{
    struct segment *w = &t->waiting[i];
    bird_track_row row = {.contig = t->contig.s,
                          .record = t->record,
                          .start = w->start,
                          .end = w->end,
                          .strand = '.',
                          .value = (double)w->value};

    if (!w->end)
        return 0;
    w->end = 0;
    t->n_row++;
    return bird_track_put(t->track[i], &row);
}

static int put_waiting(struct bird_profile_out *t)
{
    int rc = 0;

    for (int64_t i = 0; !rc && i < t->n; i++)
        rc = put_segment(t, i);
    return rc;
}

/* Neighbouring bins whose value is written alike are one row. */
static int put_segments(struct bird_profile_out *t,
                        const struct bird_profile_row *row)
{
    int rc = 0;

    for (int64_t i = 0; !rc && !row->status && i < t->n; i++) {
        struct segment *w = &t->waiting[i];
        char text[32];

        snprintf(text, sizeof(text), "%.6f", (double)row->p[i]);
        if (w->end == row->start && !strcmp(w->text, text)) {
            w->end = row->end;
            continue;
        }
        rc = put_segment(t, i);
        *w = (struct segment){.start = row->start, .end = row->end};
        memcpy(w->text, text, sizeof(w->text));
        w->value = (float)atof(text);
    }
    return rc;
}

/* --- calls --------------------------------------------------------------- */

static int new_calls(struct bird_profile_out *t)
{
    int rc = bird_calls_new_lanes(&t->calls, 0.5, 0, t->n);

    return rc ? rc : bird_calls_set_thresholds(t->calls, t->o.threshold);
}

static int open_calls(struct bird_profile_out *t)
{
    int rc = open_one(t);

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

static int put_calls(struct bird_profile_out *t,
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

/* ------------------------------------------------------------------------- */

static int open_output(struct bird_profile_out *t)
{
    switch (t->format->content) {
    case BIRD_CONTENT_CALLS:
        return open_calls(t);
    case BIRD_CONTENT_SEGMENTS:
        return open_segments(t);
    default:
        return open_cells(t);
    }
}

int bird_profile_out_open(struct bird_profile_out **out,
                          const struct bird_profile_out_options *o)
{
    struct bird_profile_out *t;
    int rc = bird_array_new(&t, 1, sizeof(*t));

    if (rc)
        return rc;
    t->o = *o;
    t->n = o->features->n;
    rc = bird_profile_format(&t->format, o->scan);
    if (!rc)
        rc = bird_text_put(&t->contig, "", 0);
    if (!rc)
        rc = open_output(t);
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
        rc = put_waiting(t);
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
    if (rc)
        return rc;
    return t->waiting ? put_segments(t, row)
           : t->calls ? put_calls(t, row)
                      : put_cells(t, row);
}

int bird_profile_out_close(struct bird_profile_out *t, int64_t *n_row,
                           int64_t *n_file)
{
    int rc = t->waiting ? put_waiting(t) : t->calls ? flush_calls(t) : 0;

    if (!rc)
        rc = close_tracks(t);
    *n_row = t->n_row;
    *n_file = t->n_track;
    bird_profile_out_free(t);
    return rc;
}

void bird_profile_out_free(struct bird_profile_out *t)
{
    if (!t)
        return;
    for (int64_t i = 0; i < t->n_track; i++)
        bird_track_free(t->track[i]);
    bird_calls_free(t->calls);
    free(t->track);
    free(t->waiting);
    free(t->column);
    free(t->cell);
    bird_text_free(&t->contig);
    free(t);
}
