/* Chromatin profiles: bins in their context to a probability of each feature
 * to rows or tracks. scan.c brings the bins in order.
 * SPDX-License-Identifier: MIT */
#include "dnabird/chromatin.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/json.h"
#include "base/mem.h"
#include "model/feature.h"
#include "scan/scan.h"
#include "session/probability.h"
#include "track/calls.h"
#include "track/files.h"
#include "track/writer.h"

/* --- rows of probabilities to a matrix, tracks or calls ------------------ *
 * What the format has to be fed decides: a matrix takes bins as they are;
 * segments join neighbouring bins that are written alike, in a file a feature;
 * calls join neighbouring bins at or above a threshold. */

struct profile_row {
    const char *contig;
    int64_t record; /* number of the contig, to tell equal names apart */
    int64_t start, end;
    const char *name;   /* of the region or sequence, or NULL */
    const char *status; /* why not scored; NULL: scored */
    const float *p;     /* (n) of the chosen features */
};

struct profile_options {
    const bird_chromatin_options *scan;
    const bird_features *features; /* (n) the chosen ones */
    const char *model;             /* name and digest */
    const double *threshold;       /* (n) of the calls of each */
    const bird_genome
        *genome; /* formats that begin with all contigs; else NULL */
    const struct bird_scan *owner; /* of the rows that are written */
};

/* A run of equal values of one feature, not yet written. */
struct segment {
    int64_t start, end; /* end 0: nothing waits */
    char text[32];      /* the value as it is written */
    float value;
};

struct profiles {
    struct profile_options o;
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

static int choose_format(const struct bird_format **out,
                         const bird_chromatin_options *o)
{
    return bird_format_choose(out, BIRD_TRACK_CHROMATIN, o->format, o->output);
}

/* A track at that path; label is the model's. */
static int open_track(struct profiles *t, int64_t i, const char *path,
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
                                       .n_column = t->column ? t->n + 2 : 0,
                                       .headless =
                                           bird_scan_headless(t->o.owner)};

    return bird_track_begin(&t->track[i], t->format, &o, &x);
}

static int close_tracks(struct profiles *t)
{
    int rc = 0;

    for (int64_t i = 0; !rc && i < t->n_track; i++) {
        bird_track *track = t->track[i];

        t->track[i] = NULL;
        rc = bird_track_close(track);
    }
    return rc;
}

/* Is what begins here to be written? */
static int is_own(const struct profiles *t, int64_t start)
{
    return bird_scan_owns(t->o.owner, t->record, start);
}

/* The only track of cells or calls. */
static int open_one(struct profiles *t)
{
    int rc = bird_array_new(&t->track, 1, sizeof(*t->track));

    t->n_track = !rc;
    return rc ? rc : open_track(t, 0, t->o.scan->output, t->o.model);
}

/* --- a matrix ------------------------------------------------------------ */

static int open_cells(struct profiles *t)
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

static int put_cells(struct profiles *t, const struct profile_row *row)
{
    const bird_track_row at = {
        .contig = row->contig, .start = row->start, .end = row->end};

    if (!is_own(t, row->start))
        return 0;
    t->cell[0].text = row->name && *row->name ? row->name : NULL;
    t->cell[1].text = row->status ? row->status : "ok";
    for (int64_t i = 0; i < t->n; i++)
        t->cell[2 + i].real = row->status ? (double)NAN : (double)row->p[i];
    t->n_row++;
    return bird_track_put_cells(t->track[0], &at, t->cell);
}

/* --- a file a feature ---------------------------------------------------- */

static int name_files(char ***out, const struct profiles *t)
{
    const char **name;
    int rc = bird_array_new(&name, t->n, sizeof(*name));

    for (int64_t i = 0; !rc && i < t->n; i++)
        name[i] = t->o.features->at[i].name;
    if (!rc)
        rc = bird_track_paths(out, t->format, t->o.scan->output, t->o.scan->gz,
                              name, t->n);
    free((void *)name);
    return rc;
}

static int open_segments(struct profiles *t)
{
    struct bird_text label = {0};
    char **path = NULL;
    int rc = bird_array_new(&t->waiting, t->n, sizeof(*t->waiting));

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
    bird_track_paths_free(path, t->n);
    bird_text_free(&label);
    return rc;
}

/* The segment that waits goes out. */
static int put_segment(struct profiles *t, int64_t i)
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
    if (!is_own(t, w->start))
        return 0;
    t->n_row++;
    return bird_track_put(t->track[i], &row);
}

static int put_waiting(struct profiles *t)
{
    int rc = 0;

    for (int64_t i = 0; !rc && i < t->n; i++)
        rc = put_segment(t, i);
    return rc;
}

/* Neighbouring bins whose value is written alike are one row. */
static int put_segments(struct profiles *t, const struct profile_row *row)
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

static int new_calls(struct profiles *t)
{
    int rc = bird_calls_new_lanes(&t->calls, 0.5, 0, t->n);

    return rc ? rc : bird_calls_set_thresholds(t->calls, t->o.threshold);
}

static int open_calls(struct profiles *t)
{
    int rc = open_one(t);

    return rc ? rc : new_calls(t);
}

static int drain_calls(struct profiles *t)
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

        if (!is_own(t, c.start))
            continue;
        t->n_row++;
        rc = bird_track_put(t->track[0], &row);
    }
    return rc;
}

static int put_calls(struct profiles *t, const struct profile_row *row)
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
static int flush_calls(struct profiles *t)
{
    int rc = bird_calls_finish(t->calls);

    if (!rc)
        rc = drain_calls(t);
    bird_calls_free(t->calls);
    t->calls = NULL;
    return rc;
}

/* ------------------------------------------------------------------------- */

static int open_content(struct profiles *t)
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

static void free_profiles(struct profiles *t)
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

static int open_profiles(struct profiles **out, const struct profile_options *o)
{
    struct profiles *t;
    int rc = bird_array_new(&t, 1, sizeof(*t));

    if (rc)
        return rc;
    t->o = *o;
    t->n = o->features->n;
    rc = choose_format(&t->format, o->scan);
    if (!rc)
        rc = bird_text_put(&t->contig, "", 0);
    if (!rc)
        rc = open_content(t);
    if (rc)
        free_profiles(t);
    else
        *out = t;
    return rc;
}

/* What waits belongs to the contig before. */
static int next_contig(struct profiles *t, const struct profile_row *row)
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

static int put_profile(struct profiles *t, const struct profile_row *row)
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

/* Does something that began before a place reach beyond the row's start? */
static int has_open(const struct profiles *t, int64_t before, int64_t start)
{
    if (t->calls)
        return bird_calls_reach(t->calls, t->record, before, start);
    for (int64_t i = 0; t->waiting && i < t->n; i++)
        if (t->waiting[i].end > start && t->waiting[i].start < before)
            return 1;
    return 0;
}

static int close_profiles(struct profiles *t, int64_t *n_row, int64_t *n_file)
{
    int rc = t->waiting ? put_waiting(t) : t->calls ? flush_calls(t) : 0;

    if (!rc)
        rc = close_tracks(t);
    *n_row = t->n_row;
    *n_file = t->n_track;
    free_profiles(t);
    return rc;
}

/* --- the scan ------------------------------------------------------------ */

struct chromatin {
    const bird_chromatin_options *o;
    struct bird_scan scan;
    struct bird_probability map;
    double *threshold; /* (features.n) */
    const struct bird_format *format;
    struct profiles *out;
    bird_features features;       /* the chosen ones */
    int64_t *column;              /* (features.n) their columns */
    int64_t n_column;             /* of the model */
    float *p;                     /* (features.n) of the bin at hand */
    char title[BIRD_MODEL_TITLE]; /* of the model */
    bird_chromatin_summary sum;
};

void bird_chromatin_options_default(bird_chromatin_options *o)
{
    *o = (bird_chromatin_options){
        .threshold = -1, .max_unknown = 0.05, .strand = BIRD_STRAND_MODEL};
    bird_model_run_default(&o->run);
}

int bird_chromatin_check(const bird_chromatin_options *o)
{
    const struct bird_format *f;
    int rc = bird_scan_check(o->fasta, o->threshold, o->max_unknown);

    if (rc)
        return rc;
    if (o->context_bp < 0 || o->bin_bp < 0)
        return bird_fail(BIRD_EINVAL, "context or bin is negative");
    if ((rc = choose_format(&f, o)) ||
        (rc = bird_format_check_shard(f, o->shard)))
        return rc;
    if (o->centre && f->content != BIRD_CONTENT_CELLS)
        return bird_fail(BIRD_EINVAL, "one bin a sequence or region is a row "
                                      "of a table: -O tsv");
    if (f->needs_contigs && !strcmp(o->fasta, "-"))
        return bird_fail(BIRD_EINVAL,
                         "%s needs the lengths of all contigs first: name a "
                         "FASTA file",
                         f->name);
    /* files of a folder are checked when they are opened */
    return bird_format_check(
        f, o->output,
        f->content == BIRD_CONTENT_SEGMENTS && f->index ? 0 : o->index);
}

static int put(void *context, const struct bird_scan_row *bin)
{
    struct chromatin *s = context;
    struct profile_row row = {.contig = bin->name,
                              .record = bin->contig,
                              .start = bin->start,
                              .end = bin->end,
                              .name = bin->regions,
                              .status = bin->status,
                              .p = s->p};

    for (int64_t k = 0; bin->value && k < s->features.n; k++) {
        s->p[k] = bin->value[s->column[k]];
        if (s->sum.calibrated)
            s->p[k] = (float)bird_probability_of(&s->map, s->column[k],
                                                 (double)s->p[k]);
    }
    return put_profile(s->out, &row);
}

static int is_open(void *context, const struct bird_scan_row *row,
                   int64_t before)
{
    const struct chromatin *s = context;

    return has_open(s->out, before, row->start);
}

static int choose_features(struct chromatin *s)
{
    bird_features all = {0};
    uint8_t *mark = NULL;
    int rc = bird_model_features(&all, s->scan.model);

    if (!rc)
        rc = bird_array_new(&mark, all.n, 1);
    if (!rc)
        rc = bird_array_new(&s->column, all.n, sizeof(*s->column));
    if (!rc)
        rc = bird_model_features_choose(mark, &all, s->scan.model, "chromatin",
                                        s->o->features);
    for (int64_t i = 0; !rc && i < all.n; i++)
        if (mark[i]) {
            s->column[s->features.n] = i;
            rc = bird_features_put(&s->features, &all.at[i]);
        }
    s->n_column = all.n;
    s->sum.n_feature = s->features.n;
    free(mark);
    bird_features_free(&all);
    return rc;
}

static int check_model(const bird_model *m)
{
    if (bird_config_is_choice(bird_model_config(m)))
        return bird_fail(BIRD_EINVAL,
                         "%s is a two-class model, not a chromatin-profile "
                         "model; use it with 'dnabird promoter'",
                         bird_model_path(m));
    return bird_model_check_scores(m);
}

/* A model that answers in bins has its own. */
static int choose_core(struct chromatin *s)
{
    const bird_model *m = s->scan.model;
    int64_t bin = bird_model_config(m)->bin_bp;
    int rc;

    if (s->o->bin_bp > 0 && s->o->bin_bp != bin)
        return bird_fail(BIRD_EINVAL,
                         "%s answers in bins of %lld bp: --bin cannot change "
                         "them",
                         bird_model_path(m), (long long)bin);
    if (s->o->centre)
        return bird_fail(BIRD_EUNSUPPORTED,
                         "%s answers in bins that lie on the contig: one bin "
                         "around a middle is for models of one answer",
                         bird_model_path(m));
    rc = bird_scan_choose_bins(&s->scan, "--context", s->o->context_bp, bin);
    s->sum.bin_bp = bin;
    s->sum.context_bp = s->scan.width_bp;
    s->sum.both_strands =
        bird_model_strand(s->scan.model, s->o->strand) == BIRD_STRAND_BOTH;
    s->sum.own_bins = 1;
    if (!rc)
        bird_scan_differs(s->scan.notice, sizeof(s->scan.notice),
                          &(struct bird_scan_width){"--context",
                                                    s->sum.context_bp,
                                                    bird_model_window(m)},
                          1);
    return rc;
}

static int choose_bins(struct chromatin *s)
{
    const bird_model *m = s->scan.model;
    int64_t bin = 0;
    int rc = check_model(s->scan.model);

    if (!rc)
        rc = bird_json_int(&bin, bird_model_meta(m), "bin_bp", 1, INT32_MAX,
                           bird_model_path(m));
    if (rc)
        return rc;
    if (bird_model_config(m)->head->n_bin)
        return choose_core(s);
    if (!bin)
        bin = bird_model_stride(m);
    s->sum.context_bp =
        s->o->context_bp > 0 ? s->o->context_bp : bird_model_window(m);
    s->sum.bin_bp = s->o->bin_bp > 0 ? s->o->bin_bp : bin;
    s->sum.both_strands =
        bird_model_strand(s->scan.model, s->o->strand) == BIRD_STRAND_BOTH;
    if (s->sum.bin_bp < 1 || s->sum.context_bp < 1)
        return bird_model_fail_window(m, "--context BP and --bin BP");
    if (s->sum.context_bp < s->sum.bin_bp ||
        (s->sum.context_bp - s->sum.bin_bp) % 2)
        return bird_fail(BIRD_EINVAL,
                         "%s: bins of %lld bp in a context of %lld bp: give "
                         "--bin and --context, as much of it on either side "
                         "of the bin",
                         bird_model_path(m), (long long)s->sum.bin_bp,
                         (long long)s->sum.context_bp);
    bird_scan_differs(
        s->scan.notice, sizeof(s->scan.notice),
        (struct bird_scan_width[]){
            {"--context", s->sum.context_bp, bird_model_window(m)},
            {"--bin", s->sum.bin_bp, bin}},
        2);
    return 0;
}

/* What makes probabilities of this run's outputs, and which are called. */
static int choose_map(struct chromatin *s)
{
    const bird_model *m = s->scan.model;
    /* those of dnabird.json are of promoters where a model answers both */
    const json_t *meta = s->scan.bin_bp ? NULL : bird_model_meta(m);
    struct bird_probability_way way = {.window_bp = s->sum.context_bp,
                                       .both_strands = s->sum.both_strands};
    int64_t n = s->features.n;
    int rc =
        bird_probability_open(&s->map, m, &way, s->o->raw, s->sum.uncalibrated,
                              sizeof(s->sum.uncalibrated));

    s->sum.calibrated = bird_probability_applies(&s->map);
    if (!rc)
        rc = bird_array_new(&s->threshold, n, sizeof(*s->threshold));
    if (!rc)
        rc = bird_threshold_features(s->threshold, &s->map, meta,
                                     s->o->threshold, s->column, n,
                                     bird_model_path(m));
    s->sum.threshold = 1;
    for (int64_t k = 0; !rc && k < n; k++) {
        if (s->o->threshold < 0) /* as the probabilities are kept */
            s->threshold[k] = (double)(float)s->threshold[k];
        if (s->threshold[k] < s->sum.threshold)
            s->sum.threshold = s->threshold[k];
    }
    return rc;
}

static int open_model(struct chromatin *s)
{
    const bird_model *m;
    int rc = bird_model_open(&s->scan.model, s->o->model, &s->o->run);

    if (rc)
        return rc;
    m = s->scan.model;
    memcpy(s->sum.digest, bird_model_digest(m), sizeof(s->sum.digest));
    bird_path_base(s->sum.model, sizeof(s->sum.model), bird_model_path(m));
    rc = choose_bins(s);
    if (!rc)
        rc = choose_features(s);
    if (!rc)
        rc = choose_map(s);
    if (!rc)
        rc = bird_array_new(&s->p, s->features.n, sizeof(*s->p));
    if (!rc && bird_model_labels(bird_model_config(m)) != s->n_column)
        rc = bird_fail(BIRD_EFORMAT, "%s: labels and head disagree",
                       bird_model_path(m));
    return rc;
}

/* How the bins are cut and scored. */
static void set_scan(struct chromatin *s)
{
    const bird_chromatin_options *o = s->o;

    s->scan.width_bp = s->sum.context_bp;
    if (!s->scan.bin_bp)
        s->scan.step_bp = s->sum.bin_bp;
    s->scan.o = (struct bird_scan_options){
        .fasta = o->fasta,
        .region = o->region,
        .regions = o->regions,
        .shard = o->shard,
        .open = is_open,
        .max_unknown = o->max_unknown,
        .score_short = o->score_short,
        .bins = 1,
        .centre = o->centre,
        .index = o->index,
        .genome = s->format->needs_contigs,
        .strand = s->sum.both_strands ? BIRD_STRAND_BOTH : BIRD_STRAND_PLUS,
        .put = put,
        .context = s,
        .progress = o->progress,
        .progress_context = o->progress_context};
}

static int open_output(struct chromatin *s)
{
    struct profile_options o = {.scan = s->o,
                                .features = &s->features,
                                .model = s->title,
                                .threshold = s->threshold,
                                .owner = &s->scan,
                                .genome = s->scan.source.genome};

    bird_model_title(s->title, s->scan.model);
    return open_profiles(&s->out, &o);
}

static void clean_up(struct chromatin *s)
{
    free_profiles(s->out);
    bird_scan_close(&s->scan);
    bird_features_free(&s->features);
    bird_probability_free(&s->map);
    free(s->threshold);
    free(s->column);
    free(s->p);
}

static void sum_up(struct chromatin *s)
{
    const struct bird_scan *scan = &s->scan;
    bird_session_counts t;

    bird_session_count(scan->session, &t);
    bird_scan_count(scan, &s->sum.n_contig, &s->sum.n_empty, &s->sum.n_bp);
    s->sum.n_bin = scan->n_tile;
    s->sum.n_unknown = scan->n_unknown;
    s->sum.n_short = scan->n_short;
    s->sum.n_beyond = scan->n_beyond;
    s->sum.n_trimmed = t.n_trimmed;
    snprintf(s->sum.build, sizeof(s->sum.build), "%s", scan->build);
    snprintf(s->sum.notice, sizeof(s->sum.notice), "%s", scan->notice);
}

int bird_chromatin_scan(bird_chromatin_summary *out,
                        const bird_chromatin_options *o)
{
    struct chromatin s = {.o = o};
    int rc = bird_chromatin_check(o);

    if (rc)
        return rc;
    if ((rc = choose_format(&s.format, o)) || (rc = open_model(&s)))
        goto done;
    set_scan(&s);
    if ((rc = bird_scan_prepare(&s.scan)) || (rc = open_output(&s)) ||
        (rc = bird_scan_run(&s.scan)))
        goto done;
    rc = close_profiles(s.out, &s.sum.n_row, &s.sum.n_file);
    s.out = NULL;
    sum_up(&s);
    if (!rc)
        *out = s.sum;
done:
    clean_up(&s);
    return rc;
}
