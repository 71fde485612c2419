/* The scan: windows to probabilities to calls or values to a track.
 *
 * Windows wait in a queue between being given to the scorer and coming back
 * scored, in order; skipped ones pass through the same queue, so that every
 * window comes out once.
 * SPDX-License-Identifier: MIT */
#include "dnabird/promoter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "dnabird/tiles.h"
#include "scan/build.h"
#include "scan/source.h"
#include "session/opened.h"
#include "session/probability.h"
#include "session/score.h"
#include "session/threshold.h"
#include "track/calls.h"
#include "track/sink.h"
#include "track/stitch.h"

/* Skipped windows that wait behind one given to the scorer; more of them, as
 * in a centromere, and it is asked for what it has. */
enum { MAX_SKIPPED = 8192 };

struct waiting {
    struct bird_scored w;
    const char *skipped; /* why; NULL: it is scored */
};

struct contig_name {
    int64_t contig;
    char *name;
};

struct scan {
    const bird_promoter_scan_options *o;
    struct bird_opened model;
    struct bird_probability map;
    struct bird_scorer *scorer;
    struct bird_source source;
    bird_windows *windows;
    bird_track *track;
    struct bird_calls *calls;
    struct bird_stitch *stitch;
    struct waiting *queue; /* at .. n-1 are waiting */
    int64_t at, n, cap;
    int64_t n_skipped;        /* since the last one given to the scorer */
    struct contig_name *name; /* name_at .. n_name-1 may still be written */
    int64_t name_at, n_name, cap_name;
    char *flipped;
    int64_t cap_flipped;
    bird_promoter_summary sum;
};

void bird_promoter_scan_options_default(bird_promoter_scan_options *o)
{
    *o = (bird_promoter_scan_options){.threshold = -1, .max_unknown = 0.05};
    bird_model_run_default(&o->run);
    bird_track_options_default(&o->track);
}

int bird_promoter_check(const bird_promoter_scan_options *o)
{
    const char *path = o->track.path;
    int plain = bird_out_is_stdout(path);

    if (!o->fasta)
        return bird_fail(BIRD_EINVAL, "no FASTA file");
    if (isnan(o->threshold) || o->threshold > 1)
        return bird_fail(BIRD_EINVAL,
                         "threshold %g: a probability lies between 0 and 1",
                         o->threshold);
    if (!(o->fp_per_mb >= 0) || isinf(o->fp_per_mb))
        return bird_fail(BIRD_EINVAL, "%g false positives per Mb: no such rate",
                         o->fp_per_mb);
    if (o->threshold >= 0 && o->fp_per_mb > 0)
        return bird_fail(BIRD_EINVAL, "give a threshold or a rate of false "
                                      "positives, not both");
    if (!(o->max_unknown >= 0 && o->max_unknown <= 1))
        return bird_fail(BIRD_EINVAL,
                         "largest share of N %g: it lies between 0 and 1",
                         o->max_unknown);
    if (o->window_bp < 0 || o->stride_bp < 0)
        return bird_fail(BIRD_EINVAL, "window or stride is negative");
    if (o->track.index && (plain || !bird_sink_is_gz(path)))
        return bird_fail(BIRD_EINVAL,
                         "%s: only a bgzipped file takes an index; give it a "
                         "name that ends in .gz",
                         plain ? "standard output" : path);
    return 0;
}

/* Contigs come out in the order in which they came in. */
static const char *name_of(const struct scan *s, int64_t contig)
{
    int64_t i = s->name_at;

    while (s->name[i].contig != contig)
        i++;
    return s->name[i].name;
}

/* Rows of contigs before this one are all written. */
static void forget_names(struct scan *s, int64_t contig)
{
    while (s->name_at < s->n_name && s->name[s->name_at].contig < contig)
        free(s->name[s->name_at++].name);
}

static int write_row(struct scan *s, const bird_track_row *row)
{
    s->sum.n_row++;
    return bird_track_put(s->track, row);
}

static int drain_calls(struct scan *s)
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
static int drain_segments(struct scan *s)
{
    struct bird_segment g;
    int rc = 0;

    while (!rc && bird_stitch_next(s->stitch, &g)) {
        int64_t at = g.start, end;

        for (; !rc && bird_source_clip(&s->source, g.contig, &at, &end, g.end);
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

/* One window, scored or skipped, goes on to what the format needs. */
static int emit(struct scan *s, const struct waiting *q)
{
    int rc = 0;

    if (s->o->track.format == BIRD_TRACK_WINDOWS) {
        bird_track_row row = {.contig = name_of(s, q->w.contig),
                              .record = q->w.contig,
                              .start = q->w.start,
                              .end = q->w.end,
                              .strand = q->w.strand,
                              .value =
                                  q->skipped ? (double)NAN : q->w.probability,
                              .raw = q->w.raw,
                              .status = q->skipped};

        rc = write_row(s, &row);
    } else if (q->skipped) {
        return 0;
    } else if (s->stitch) {
        rc = bird_stitch_put(s->stitch, &q->w);
        rc = rc ? rc : drain_segments(s);
    } else {
        rc = bird_calls_put(s->calls, &q->w);
        rc = rc ? rc : drain_calls(s);
    }
    if (!rc)
        forget_names(s, q->w.contig);
    return rc;
}

static int emit_skipped(struct scan *s)
{
    int rc = 0;

    while (!rc && s->at < s->n && s->queue[s->at].skipped)
        rc = emit(s, &s->queue[s->at++]);
    return rc;
}

static int take(void *context, int64_t index, const float *p)
{
    struct scan *s = context;
    struct waiting *q;
    int rc = emit_skipped(s);

    (void)index;
    if (rc)
        return rc;
    q = &s->queue[s->at++];
    q->w.raw = (double)p[bird_scorer_columns(s->scorer) == 2];
    if (!isfinite(q->w.raw))
        return bird_fail(BIRD_EFORMAT,
                         "%s: what it says of %s:%lld-%lld is no number: "
                         "damaged weights?",
                         s->model.folder.path, name_of(s, q->w.contig),
                         (long long)q->w.start + 1, (long long)q->w.end);
    q->w.probability = bird_probability_of(&s->map, 0, q->w.raw);
    s->sum.n_scored++;
    return emit(s, q);
}

static int enqueue(struct scan *s, const bird_window *w, char strand,
                   const char *skipped)
{
    int rc;

    if (s->at == s->n)
        s->at = s->n = 0;
    rc = bird_array_grow(&s->queue, &s->cap, s->n + 1, sizeof(*s->queue));
    if (rc)
        return rc;
    s->queue[s->n++] = (struct waiting){{.contig = w->contig,
                                         .start = w->start,
                                         .end = w->end,
                                         .strand = strand},
                                        skipped};
    return 0;
}

static int remember_name(struct scan *s, const bird_window *w)
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

static int add_strand(struct scan *s, const bird_window *w, char strand)
{
    const char *seq = w->seq;
    int64_t n = w->end - w->start;
    int rc = enqueue(s, w, strand, NULL);

    if (!rc && strand == '-') {
        rc = bird_array_grow(&s->flipped, &s->cap_flipped, n, 1);
        if (rc)
            return rc;
        bird_reverse_complement(s->flipped, seq, n);
        seq = s->flipped;
    }
    s->n_skipped = 0;
    return rc ? rc : bird_scorer_add(s->scorer, seq, n);
}

static int skip_window(struct scan *s, const bird_window *w, const char *why)
{
    int rc = 0;

    if (s->o->strand != BIRD_STRAND_MINUS)
        rc = enqueue(s, w, '+', why);
    if (!rc && s->o->strand != BIRD_STRAND_PLUS)
        rc = enqueue(s, w, '-', why);
    if (rc || ++s->n_skipped % MAX_SKIPPED)
        return rc;
    rc = bird_scorer_flush(s->scorer);
    return rc ? rc : emit_skipped(s);
}

/* Why a window is not scored, counted; NULL: it is. */
static const char *why_not(struct scan *s, const bird_window *w)
{
    int64_t n = w->end - w->start;

    if (n < s->sum.window_bp && !s->o->score_short) {
        s->sum.n_short++;
        return BIRD_STATUS_SHORT;
    }
    if ((double)w->n_unknown > s->o->max_unknown * (double)n) {
        s->sum.n_unknown++;
        return "too_many_N";
    }
    return NULL;
}

static int add_window(struct scan *s, const bird_window *w)
{
    const bird_promoter_scan_options *o = s->o;
    const char *why;
    int rc = remember_name(s, w);

    if (rc)
        return rc;
    s->sum.n_window++;
    if (w->last)
        bird_build_check(
            s->sum.build, sizeof(s->sum.build), s->model.folder.meta, w->name,
            s->source.genome ? bird_genome_length(s->source.genome, w->contig)
                             : w->end);
    if ((why = why_not(s, w)))
        return skip_window(s, w, why);
    if (o->strand != BIRD_STRAND_MINUS)
        rc = add_strand(s, w, '+');
    if (!rc && o->strand != BIRD_STRAND_PLUS)
        rc = add_strand(s, w, '-');
    return rc;
}

static int report(struct scan *s, const bird_window *w, int64_t before)
{
    struct bird_source_place at = {before, w->region, w->end};
    bird_window_tally t;

    bird_windows_count(s->windows, &t);
    return bird_source_report(&s->source, &at, t.n_bp);
}

static int run(struct scan *s)
{
    bird_window w;
    int64_t before = 0; /* bases of the sequences done */
    int rc = 0, more;

    while (!rc && (more = bird_windows_next(s->windows, &w)) != 0) {
        if (more < 0)
            return more;
        rc = add_window(s, &w);
        if (!rc && s->sum.n_window % 64 == 0)
            rc = report(s, &w, before);
        before += w.last ? w.end : 0;
    }
    if (!rc)
        rc = bird_scorer_flush(s->scorer);
    if (!rc)
        rc = emit_skipped(s);
    if (!rc && s->calls && (rc = bird_calls_finish(s->calls)) == 0)
        rc = drain_calls(s);
    if (!rc && s->stitch && (rc = bird_stitch_finish(s->stitch)) == 0)
        rc = drain_segments(s);
    return rc;
}

/* Windows of the stream, or of regions of an indexed genome. */
static int open_input(struct scan *s)
{
    const bird_promoter_scan_options *o = s->o;
    int rc = bird_source_open(&s->source, o->fasta, o->region, o->regions);

    s->source.progress = o->progress;
    s->source.progress_context = o->progress_context;
    if (rc)
        return rc;
    if (s->source.stream)
        return bird_windows_stream(&s->windows, s->source.stream,
                                   s->sum.window_bp, s->sum.stride_bp);
    bird_regions_merge(&s->source.regions);
    bird_source_count(&s->source);
    bird_scan_note(s->sum.notice, sizeof(s->sum.notice),
                   bird_source_notice(&s->source));
    return bird_windows_regions(&s->windows, s->source.genome,
                                &s->source.regions, s->sum.window_bp,
                                s->sum.stride_bp, BIRD_WINDOWS_GRID);
}

/* Windows other than the model's own are said. */
static int check_own(struct scan *s)
{
    const struct bird_folder *f = &s->model.folder;
    const struct bird_scan_width own[] = {
        {"--window", s->sum.window_bp, f->window_bp},
        {"--stride", s->sum.stride_bp, f->stride_bp}};
    int calls = s->o->track.format != BIRD_TRACK_WINDOWS &&
                s->o->track.format != BIRD_TRACK_BEDGRAPH;

    return bird_scan_differs(s->sum.notice, sizeof(s->sum.notice), own, 2)
               ? bird_threshold_elsewhere(f, calls ? s->o->threshold : 1,
                                          s->o->fp_per_mb)
               : 0;
}

/* What makes probabilities of this run's outputs, and which are called. */
static int choose_map(struct scan *s)
{
    const struct bird_folder *f = &s->model.folder;
    struct bird_probability_way way = {.window_bp = s->sum.window_bp};
    int rc =
        bird_probability_open(&s->map, f, &way, s->o->raw, s->sum.uncalibrated,
                              sizeof(s->sum.uncalibrated));

    s->sum.calibrated = bird_probability_applies(&s->map);
    return rc ? rc
              : bird_threshold_probability(&s->sum.threshold, &s->map, f->meta,
                                           s->o->threshold, s->o->fp_per_mb,
                                           f->path);
}

static int choose_windows(struct scan *s)
{
    const struct bird_folder *f = &s->model.folder;
    const struct bird_config *c = &f->config;
    int classes =
        c->head == BIRD_HEAD_SEQUENCE && c->problem != BIRD_PROBLEM_MULTI_LABEL;

    s->sum.window_bp = s->o->window_bp > 0 ? s->o->window_bp : f->window_bp;
    s->sum.stride_bp = s->o->stride_bp > 0 ? s->o->stride_bp : f->stride_bp;
    s->sum.n_strand = 1 + (s->o->strand == BIRD_STRAND_BOTH);
    bird_path_base(s->sum.model, sizeof(s->sum.model), f->path);
    if (s->sum.window_bp < 1)
        return bird_folder_fail_window(f, "--window BP");
    if (s->sum.stride_bp < 1)
        s->sum.stride_bp = s->sum.window_bp / 4 > 0 ? s->sum.window_bp / 4 : 1;
    if (check_own(s) || bird_source_check_model(c, f->path))
        return BIRD_EINVAL;
    if (c->n_label > (classes ? 2 : 1))
        return bird_fail(BIRD_EINVAL,
                         "%s has %lld labels: this command takes "
                         "a model of one label or two classes",
                         f->path, (long long)c->n_label);
    return choose_map(s);
}

static int open_track(struct scan *s)
{
    bird_track_options t = s->o->track;
    char label[160];
    int rc = 0;

    if (t.format == BIRD_TRACK_BEDGRAPH)
        rc = bird_stitch_new(&s->stitch);
    else if (t.format != BIRD_TRACK_WINDOWS)
        rc = bird_calls_new(&s->calls, s->sum.threshold, 0);
    if (rc)
        return rc;
    snprintf(label, sizeof(label), "%s %s", s->sum.model, s->sum.digest);
    t.model = label;
    return bird_track_open(&s->track, &t);
}

static void clean_up(struct scan *s)
{
    bird_track_free(s->track);
    bird_calls_free(s->calls);
    bird_stitch_free(s->stitch);
    bird_windows_free(s->windows);
    bird_source_close(&s->source);
    bird_scorer_free(s->scorer);
    bird_probability_free(&s->map);
    bird_opened_close(&s->model);
    forget_names(s, INT64_MAX);
    free(s->name);
    free(s->queue);
    free(s->flipped);
}

int bird_promoter_scan(bird_promoter_summary *out,
                       const bird_promoter_scan_options *o)
{
    struct scan s = {.o = o};
    bird_window_tally t;
    int rc = bird_promoter_check(o);

    if (rc)
        return rc;
    rc = bird_opened_open(&s.model, o->model, "promoter", 1);
    if (rc || (rc = bird_opened_run(&s.model, &o->run)) ||
        (rc = bird_folder_identify(&s.model.folder)))
        goto done;
    memcpy(s.sum.digest, s.model.folder.digest, sizeof(s.sum.digest));
    if ((rc = choose_windows(&s)) || (rc = open_input(&s)) ||
        (rc = bird_scorer_new(&s.scorer, &s.model.folder.config, &s.model.w,
                              s.model.tokenizer, take, &s)) ||
        (rc = open_track(&s)))
        goto done;
    bird_scorer_pad(s.scorer, o->run.pad_to);
    if ((rc = run(&s)))
        goto done;
    rc = bird_track_close(s.track);
    s.track = NULL;
    bird_windows_count(s.windows, &t);
    s.sum.n_contig = t.n_contig;
    s.sum.n_empty = t.n_empty;
    s.sum.n_bp = t.n_bp;
    s.sum.n_trimmed = bird_scorer_trimmed(s.scorer);
    s.sum.n_repeated = bird_scorer_repeated(s.scorer);
    if (!rc)
        *out = s.sum;
done:
    clean_up(&s);
    return rc;
}
