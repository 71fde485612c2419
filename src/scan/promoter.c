/* Promoters: windows of each strand to probabilities to calls, values along
 * the genome or rows of windows. scan.c brings the windows in order. A model
 * that answers in bins has a label of each strand: its bins are the windows.
 * SPDX-License-Identifier: MIT */
#include "dnabird/promoter.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/mem.h"
#include "model/feature.h"
#include "scan/scan.h"
#include "session/probability.h"
#include "track/calls.h"
#include "track/writer.h"

struct contig_name {
    int64_t contig;
    char *name;
};

/* What a strand is answered by. */
struct lane {
    char strand;
    int64_t label;
    double threshold; /* of its probability */
};

struct promoter {
    const bird_promoter_scan_options *o;
    struct lane lane[2]; /* (n_lane) of a model that answers in bins */
    int n_lane;
    struct bird_scan scan;
    struct bird_probability map;
    const struct bird_format *format;
    bird_track *track;
    struct bird_calls *calls;
    struct bird_stitch *stitch;
    int64_t written;          /* cursor of the regions of its segments */
    struct contig_name *name; /* name_at .. n_name-1 may still be written */
    int64_t name_at, n_name, cap_name;
    bird_promoter_summary sum;
};

void bird_promoter_scan_options_default(bird_promoter_scan_options *o)
{
    *o = (bird_promoter_scan_options){.threshold = -1, .max_unknown = 0.05};
    bird_model_run_default(&o->run);
    bird_track_options_default(&o->track);
}

static int choose_format(const struct bird_format **out,
                         const bird_promoter_scan_options *o)
{
    return bird_format_choose(out, BIRD_TRACK_PROMOTER, o->track.format,
                              o->track.path);
}

int bird_promoter_check(const bird_promoter_scan_options *o)
{
    const struct bird_format *f;
    int rc = bird_scan_check(o->fasta, o->threshold, o->max_unknown);

    if (rc)
        return rc;
    if (!(o->fp_per_mb >= 0) || isinf(o->fp_per_mb))
        return bird_fail(BIRD_EINVAL, "--fp-per-mb must be positive, got %g",
                         o->fp_per_mb);
    if (o->threshold >= 0 && o->fp_per_mb > 0)
        return bird_fail(BIRD_EINVAL, "give a threshold or a rate of false "
                                      "positives, not both");
    if (o->window_bp < 0 || o->stride_bp < 0)
        return bird_fail(BIRD_EINVAL, "window or stride is negative");
    rc = choose_format(&f, o);
    if (!rc)
        rc = bird_format_check_shard(f, o->shard);
    return rc ? rc : bird_format_check(f, o->track.path, o->track.index);
}

/* Contigs come out in the order in which they came in. */
static const char *name_of(const struct promoter *s, int64_t contig)
{
    int64_t i = s->name_at;

    while (s->name[i].contig != contig)
        i++;
    return s->name[i].name;
}

/* Rows of contigs before this one are all written. */
static void forget_names(struct promoter *s, int64_t contig)
{
    while (s->name_at < s->n_name && s->name[s->name_at].contig < contig)
        free(s->name[s->name_at++].name);
}

static int write_row(struct promoter *s, const bird_track_row *row)
{
    if (!bird_scan_owns(&s->scan, row->record, row->start))
        return 0;
    s->sum.n_row++;
    return bird_track_put(s->track, row);
}

static int drain_calls(struct promoter *s)
{
    struct bird_call c;
    int rc = 0;

    while (!rc && bird_calls_next(s->calls, &c)) {
        bird_track_row row = {.contig = name_of(s, c.contig),
                              .record = c.contig,
                              .start = c.start,
                              .end = c.end,
                              .strand = c.strand,
                              .value = c.probability,
                              .raw = c.raw,
                              .summit = c.summit,
                              .n_window = c.n_window,
                              .name = "promoter"};

        rc = write_row(s, &row);
    }
    return rc;
}

/* Outside the regions not all windows over a base were scored. */
static int drain_segments(struct promoter *s)
{
    struct bird_segment g;
    int rc = 0;

    while (!rc && bird_stitch_next(s->stitch, &g)) {
        int64_t at = g.start, end;

        for (; !rc && bird_source_clip(&s->scan.source, &s->written, g.contig,
                                       &at, &end, g.end);
             at = end) {
            bird_track_row row = {.contig = name_of(s, g.contig),
                                  .record = g.contig,
                                  .start = at,
                                  .end = end,
                                  .strand = '.',
                                  .value = g.value};

            rc = write_row(s, &row);
        }
    }
    return rc;
}

static int remember_name(struct promoter *s, const struct bird_scan_row *w)
{
    int rc;

    if (s->n_name > s->name_at && s->name[s->n_name - 1].contig == w->contig)
        return 0;
    if (s->name_at > s->n_name / 2) {
        s->n_name -= s->name_at;
        memmove(s->name, s->name + s->name_at,
                (size_t)s->n_name * sizeof(*s->name));
        s->name_at = 0;
    }
    rc = bird_array_grow(&s->name, &s->cap_name, s->n_name + 1,
                         sizeof(*s->name));
    if (rc)
        return rc;
    s->name[s->n_name] = (struct contig_name){w->contig, strdup(w->name)};
    if (!s->name[s->n_name].name)
        return bird_fail_memory(strlen(w->name));
    s->n_name++;
    return 0;
}

/* One window of a strand, scored or skipped, goes on to what the format needs.
 * raw: NULL where it is skipped. */
static int put_window(struct promoter *s, const struct bird_scan_row *w,
                      const struct lane *lane, const float *raw)
{
    struct bird_scored scored = {.contig = w->contig,
                                 .start = w->start,
                                 .end = w->end,
                                 .strand = lane->strand};
    int rc;

    if (raw) {
        scored.raw = (double)*raw;
        scored.probability =
            bird_probability_of(&s->map, lane->label, scored.raw);
    }
    if (s->format->content == BIRD_CONTENT_WINDOWS) {
        bird_track_row row = {.contig = name_of(s, w->contig),
                              .record = w->contig,
                              .start = w->start,
                              .end = w->end,
                              .strand = lane->strand,
                              .value = raw ? scored.probability : (double)NAN,
                              .raw = scored.raw,
                              .status = w->status};

        return write_row(s, &row);
    }
    if (!raw)
        return 0;
    if (s->stitch) {
        rc = bird_stitch_put(s->stitch, &scored);
        return rc ? rc : drain_segments(s);
    }
    rc = bird_calls_put(s->calls, &scored);
    return rc ? rc : drain_calls(s);
}

static int put(void *context, const struct bird_scan_row *w)
{
    struct promoter *s = context;
    const struct lane own = {.strand = w->strand};
    int rc = remember_name(s, w);

    if (!rc && !s->n_lane)
        rc = put_window(s, w, &own, w->value);
    for (int i = 0; !rc && i < s->n_lane; i++)
        rc = put_window(s, w, &s->lane[i],
                        w->value ? w->value + s->lane[i].label : NULL);
    /* a window that is skipped leaves calls of the contig before undrained */
    if (!rc && (w->value || s->format->content == BIRD_CONTENT_WINDOWS))
        forget_names(s, w->contig);
    return rc;
}

/* A call or segment of a shard that the row is behind. */
static int is_open(void *context, const struct bird_scan_row *row,
                   int64_t before)
{
    const struct promoter *s = context;

    if (s->stitch)
        return bird_stitch_reaches(s->stitch, row->contig, before, row->start);
    return s->calls &&
           bird_calls_reach(s->calls, row->contig, before, row->start);
}

static int run(struct promoter *s)
{
    int rc = bird_scan_run(&s->scan);

    if (!rc && s->calls && (rc = bird_calls_finish(s->calls)) == 0)
        rc = drain_calls(s);
    if (!rc && s->stitch && (rc = bird_stitch_finish(s->stitch)) == 0)
        rc = drain_segments(s);
    return rc;
}

/* One pass of a model whose answers are the mean of two. */
static int is_half(const struct promoter *s)
{
    return s->o->one_pass &&
           bird_model_strand(s->scan.model, BIRD_STRAND_MODEL) ==
               BIRD_STRAND_BOTH;
}

/* Windows other than the model's own are said. */
static int check_own(struct promoter *s)
{
    const bird_model *m = s->scan.model;
    int64_t stride =
        bird_model_stride(m) > 0 ? bird_model_stride(m) : s->scan.bin_bp;
    const struct bird_scan_width own[] = {
        {"--window", s->sum.window_bp, bird_model_window(m)},
        {"--stride", s->sum.stride_bp, stride}};
    int calls = s->format->content == BIRD_CONTENT_CALLS;
    int other =
        bird_scan_differs(s->scan.notice, sizeof(s->scan.notice), own, 2);

    return other || is_half(s)
               ? bird_threshold_elsewhere(m, calls ? s->o->threshold : 1,
                                          s->o->fp_per_mb)
               : 0;
}

/* What makes probabilities of this run's outputs, and which are called. */
static int choose_map(struct promoter *s)
{
    const bird_model *m = s->scan.model;
    const bird_promoter_scan_options *o = s->o;
    struct bird_probability_way way = {.window_bp = s->sum.window_bp,
                                       .both_strands = s->scan.o.strand ==
                                                       BIRD_STRAND_BOTH};
    int rc =
        bird_probability_open(&s->map, m, &way, o->raw, s->sum.uncalibrated,
                              sizeof(s->sum.uncalibrated));

    s->sum.calibrated = bird_probability_applies(&s->map);
    if (!rc && !s->n_lane)
        rc = bird_threshold_probability(&s->sum.threshold, &s->map, 0,
                                        bird_model_meta(m), o->threshold,
                                        o->fp_per_mb, bird_model_path(m));
    for (int i = 0; !rc && i < s->n_lane; i++) {
        struct lane *lane = &s->lane[i];

        rc = bird_threshold_probability(&lane->threshold, &s->map, lane->label,
                                        bird_model_meta(m), o->threshold,
                                        o->fp_per_mb, bird_model_path(m));
        if (!rc && (!i || lane->threshold < s->sum.threshold))
            s->sum.threshold = lane->threshold;
    }
    return rc;
}

static int fail_labels(const bird_model *m, int64_t n)
{
    return bird_fail(BIRD_EINVAL,
                     "%s has %lld labels for promoters: this command takes a "
                     "model of one label or two classes, or of a label for "
                     "each strand; 'commands' in dnabird.json names them",
                     bird_model_path(m), (long long)n);
}

/* The labels of a model that answers in bins: one, or a pair of strands. */
static int choose_lanes(struct promoter *s)
{
    const bird_model *m = s->scan.model;
    bird_features all = {0};
    int64_t *column = NULL, n = 0;
    int rc = bird_model_features(&all, m);

    if (!rc)
        rc = bird_array_new(&column, all.n, sizeof(*column));
    if (!rc)
        n = bird_model_features_command(column, &all, m, "promoter");
    bird_features_free(&all);
    if (!rc && n == 2 && bird_model_strand_pair(m) &&
        bird_model_strand_pair(m)[column[0]] == column[1]) {
        s->lane[0] = (struct lane){.strand = '+', .label = column[0]};
        s->lane[1] = (struct lane){.strand = '-', .label = column[1]};
        s->n_lane = 2;
        if (s->o->strand == BIRD_STRAND_MINUS)
            s->lane[0] = s->lane[1];
        if (s->o->strand != BIRD_STRAND_BOTH)
            s->n_lane = 1;
    } else if (!rc && n == 1) {
        s->lane[0] = (struct lane){.strand = '.', .label = column[0]};
        s->n_lane = 1;
        if (s->o->strand != BIRD_STRAND_BOTH)
            rc = bird_fail(BIRD_EINVAL,
                           "%s has one label for both strands: leave out "
                           "--strand",
                           bird_model_path(m));
    } else if (!rc) {
        rc = fail_labels(m, n);
    }
    free(column);
    return rc;
}

static int choose_bins(struct promoter *s)
{
    const bird_model *m = s->scan.model;
    int rc = bird_model_check_scores(m);

    if (!rc)
        rc = bird_scan_choose_bins(&s->scan, "--window", s->o->window_bp,
                                   s->o->stride_bp);
    if (!rc)
        rc = choose_lanes(s);
    if (rc)
        return rc;
    s->sum.window_bp = s->scan.width_bp;
    s->sum.stride_bp = s->scan.stride_bp;
    s->sum.bin_bp = s->scan.bin_bp;
    s->sum.n_strand = s->n_lane;
    s->scan.o.strand = s->o->one_pass ? BIRD_STRAND_PLUS
                                      : bird_model_strand(m, BIRD_STRAND_MODEL);
    return check_own(s) ? BIRD_EINVAL : choose_map(s);
}

static int choose_windows(struct promoter *s)
{
    const bird_model *m = s->scan.model;
    const struct bird_config *c = bird_model_config(m);
    int classes = c->head->exclusive && c->problem != BIRD_PROBLEM_MULTI_LABEL;

    bird_path_base(s->sum.model, sizeof(s->sum.model), bird_model_path(m));
    if (c->head->n_bin)
        return choose_bins(s);
    if (s->o->one_pass)
        return bird_fail(BIRD_EINVAL,
                         "%s answers for one strand: --one-pass is for models "
                         "that answer in bins",
                         bird_model_path(m));
    s->sum.window_bp =
        s->o->window_bp > 0 ? s->o->window_bp : bird_model_window(m);
    s->sum.stride_bp =
        s->o->stride_bp > 0 ? s->o->stride_bp : bird_model_stride(m);
    s->sum.n_strand = 1 + (s->o->strand == BIRD_STRAND_BOTH);
    if (s->sum.window_bp < 1)
        return bird_model_fail_window(m, "--window BP");
    if (s->sum.stride_bp < 1)
        s->sum.stride_bp = s->sum.window_bp / 4 > 0 ? s->sum.window_bp / 4 : 1;
    if (check_own(s) || bird_model_check_scores(s->scan.model))
        return BIRD_EINVAL;
    if (c->n_label > (classes ? 2 : 1))
        return fail_labels(m, c->n_label);
    s->scan.width_bp = s->sum.window_bp;
    s->scan.step_bp = s->sum.stride_bp;
    s->scan.o.strand =
        s->o->strand == BIRD_STRAND_BOTH ? BIRD_STRAND_EACH : s->o->strand;
    return choose_map(s);
}

/* The strands of calls, in their order, each with its own threshold. */
static int new_calls(struct promoter *s)
{
    double threshold[3];
    int rc = bird_calls_new(&s->calls, s->sum.threshold, 0);

    for (int k = 0; k < 3; k++)
        threshold[k] = s->sum.threshold;
    for (int i = 0; i < s->n_lane; i++)
        threshold[s->lane[i].strand == '+'   ? 0
                  : s->lane[i].strand == '-' ? 1
                                             : 2] = s->lane[i].threshold;
    if (!rc && s->scan.stride_bp < s->scan.bin_bp)
        rc = bird_calls_overlap(s->calls, s->scan.bin_bp, s->scan.stride_bp);
    return rc ? rc : bird_calls_set_thresholds(s->calls, threshold);
}

static int open_track(struct promoter *s)
{
    bird_track_options t = s->o->track;
    char title[BIRD_MODEL_TITLE];
    int rc = 0;

    if (s->format->content == BIRD_CONTENT_SEGMENTS)
        rc = bird_stitch_new(&s->stitch);
    else if (s->format->content == BIRD_CONTENT_CALLS)
        rc = new_calls(s);
    if (rc)
        return rc;
    bird_model_title(title, s->scan.model);
    t.model = title;
    return bird_track_begin(
        &s->track, s->format, &t,
        &(struct bird_track_extra){.headless = bird_scan_headless(&s->scan)});
}

static void clean_up(struct promoter *s)
{
    bird_track_free(s->track);
    bird_calls_free(s->calls);
    bird_stitch_free(s->stitch);
    bird_scan_close(&s->scan);
    bird_probability_free(&s->map);
    forget_names(s, INT64_MAX);
    free(s->name);
}

/* How the windows are cut and scored. */
static void set_scan(struct promoter *s)
{
    const bird_promoter_scan_options *o = s->o;

    s->scan.o =
        (struct bird_scan_options){.fasta = o->fasta,
                                   .region = o->region,
                                   .regions = o->regions,
                                   .shard = o->shard,
                                   .open = is_open,
                                   .max_unknown = o->max_unknown,
                                   .score_short = o->score_short,
                                   .bins = s->scan.bin_bp > 0,
                                   .strand = s->scan.o.strand,
                                   .put = put,
                                   .context = s,
                                   .progress = o->progress,
                                   .progress_context = o->progress_context};
}

static void sum_up(struct promoter *s)
{
    const struct bird_scan *scan = &s->scan;
    bird_session_counts t;

    bird_session_count(scan->session, &t);
    bird_scan_count(scan, &s->sum.n_contig, &s->sum.n_empty, &s->sum.n_bp);
    s->sum.n_window = scan->n_tile;
    s->sum.n_scored = scan->n_scored * (s->n_lane ? s->n_lane : 1);
    s->sum.n_unknown = scan->n_unknown;
    s->sum.n_short = scan->n_short;
    s->sum.n_trimmed = t.n_trimmed;
    s->sum.n_repeated = t.n_cached;
    snprintf(s->sum.build, sizeof(s->sum.build), "%s", scan->build);
    snprintf(s->sum.notice, sizeof(s->sum.notice), "%s", scan->notice);
}

int bird_promoter_scan(bird_promoter_summary *out,
                       const bird_promoter_scan_options *o)
{
    struct promoter s = {.o = o};
    int rc = bird_promoter_check(o);

    if (rc)
        return rc;
    rc = choose_format(&s.format, o);
    if (!rc)
        rc = bird_model_open(&s.scan.model, o->model, &o->run);
    if (rc)
        goto done;
    memcpy(s.sum.digest, bird_model_digest(s.scan.model), sizeof(s.sum.digest));
    if ((rc = choose_windows(&s)))
        goto done;
    set_scan(&s);
    if ((rc = bird_scan_prepare(&s.scan)) || (rc = open_track(&s)) ||
        (rc = run(&s)))
        goto done;
    rc = bird_track_close(s.track);
    s.track = NULL;
    sum_up(&s);
    if (!rc)
        *out = s.sum;
done:
    clean_up(&s);
    return rc;
}
