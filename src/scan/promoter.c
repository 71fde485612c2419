/* Promoters: one probability for each strand of each window or bin, to calls,
 * values along the genome, or rows.
 *
 * A column of the output is a strand. A model with one answer a window gives
 * the other strand by a second pass, over the reverse complement; a model with
 * a label for each strand gives both by one pass. From there on both are the
 * same. SPDX-License-Identifier: MIT */
#include "dnabird/promoter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/order.h"
#include "scan/tracks.h"

struct promoter {
    const bird_promoter_scan_options *o;
    const struct bird_format *format;
    bird_model *model;
    struct bird_layout layout;
    enum bird_strand strand; /* of the session */
    struct bird_probability map;
    struct bird_scan_column column[2];
    int n_column;
    int64_t merge_bp; /* of the user, else of the model */
    int64_t site_bp;  /* how far from a bin a start site may be that it answers
                         for; 0: within it */
    int own; /* 1: windows and passes are those of the model's thresholds */
    bird_promoter_summary sum;
};

void bird_promoter_scan_options_default(bird_promoter_scan_options *o)
{
    *o = (bird_promoter_scan_options){.fp_per_mb = (double)NAN,
                                      .threshold = -1,
                                      .merge_bp = -1,
                                      .max_unknown = 0.05};
    bird_model_run_default(&o->run);
    bird_track_options_default(&o->track);
}

static int choose_format(const struct bird_format **out,
                         const bird_promoter_scan_options *o)
{
    return bird_format_choose(out, BIRD_TRACK_PROMOTER, o->track.format,
                              o->track.path);
}

/* Options that are of calls. */
static int check_calls(const bird_promoter_scan_options *o,
                       const struct bird_format *f)
{
    const char *option = o->top    ? "--top"
                         : o->sort ? "--sort probability"
                                   : NULL;

    if (o->top < 0)
        return bird_fail(BIRD_EINVAL, "--top must be 0 or more, got %lld",
                         (long long)o->top);
    if (option && f->content != BIRD_CONTENT_CALLS)
        return bird_fail(BIRD_EINVAL, "%s is of calls, not of -O %s", option,
                         f->name);
    if (option && o->shard)
        return bird_fail(BIRD_EINVAL,
                         "%s needs the calls of the whole input: leave out "
                         "--shard",
                         option);
    if (o->sort && o->track.index)
        return bird_fail(BIRD_EINVAL, "an index needs calls in the order of "
                                      "their positions: leave out --sort");
    if (o->genes && strcmp(f->name, "tsv") != 0)
        return bird_fail(BIRD_EINVAL,
                         "--genes adds columns to -O tsv, not to -O %s",
                         f->name);
    return 0;
}

int bird_promoter_check(const bird_promoter_scan_options *o)
{
    const struct bird_format *f;
    int rc = bird_scan_check(o->fasta, o->threshold, o->max_unknown);

    if (rc)
        return rc;
    if (o->fp_per_mb <= 0 || isinf(o->fp_per_mb))
        return bird_fail(BIRD_EINVAL, "--fp-per-mb %g: give a number above 0",
                         o->fp_per_mb);
    if (o->threshold >= 0 && o->fp_per_mb > 0)
        return bird_fail(BIRD_EINVAL,
                         "--threshold %g and --fp-per-mb %g: give "
                         "one of them",
                         o->threshold, o->fp_per_mb);
    if (o->strand > BIRD_STRAND_MINUS || o->sort < 0 || o->sort > 1)
        return bird_fail(BIRD_EINVAL, "strand %d or order %d is not known",
                         (int)o->strand, o->sort);
    if (o->window_bp < 0 || o->stride_bp < 0)
        return bird_fail(BIRD_EINVAL, "window or stride is negative");
    if (o->min_length < 0)
        return bird_fail(BIRD_EINVAL, "the minimum length is negative");
    if (o->merge_bp < -1)
        return bird_fail(BIRD_EINVAL, "the gap within a call is negative");
    rc = choose_format(&f, o);
    if (!rc)
        rc = bird_scan_check_format(f, o->fasta, o->shard);
    if (!rc)
        rc = check_calls(o, f);
    return rc ? rc : bird_format_check(f, o->track.path, o->track.index);
}

/* --- columns ------------------------------------------------------------- */

static int fail_labels(const bird_model *m, int64_t n)
{
    return bird_fail(BIRD_EINVAL,
                     "%s has %lld labels for promoters: this command takes a "
                     "model of one label or two classes, or of a label for "
                     "each strand; 'commands' in dnabird.json names them",
                     bird_model_path(m), (long long)n);
}

static void add_column(struct promoter *s, char strand, int64_t value,
                       int64_t label)
{
    s->column[s->n_column++] = (struct bird_scan_column){
        .name = "promoter", .strand = strand, .value = value, .label = label};
}

/* A strand is a pass over its bases. */
static int choose_passes(struct promoter *s)
{
    const bird_model *m = s->model;

    if (s->o->one_pass)
        return bird_fail(BIRD_EINVAL,
                         "%s answers for one strand: --one-pass is for models "
                         "that predict bins",
                         bird_model_path(m));
    if (s->layout.n_label > 1)
        return fail_labels(m, bird_model_config(m)->n_label);
    s->strand =
        s->o->strand == BIRD_STRAND_BOTH ? BIRD_STRAND_EACH : s->o->strand;
    if (s->o->strand != BIRD_STRAND_MINUS)
        add_column(s, '+', 0, 0);
    if (s->o->strand != BIRD_STRAND_PLUS)
        add_column(s, '-', s->n_column, 0);
    return 0;
}

/* A strand is a label; one label is for both strands. */
static int choose_labels(struct promoter *s)
{
    const bird_model *m = s->model;
    const int32_t *pair = s->layout.strand_pair;
    bird_features all = {0};
    int64_t *column = NULL, n = 0;
    int rc = bird_model_features(&all, m);

    if (!rc)
        rc = bird_array_new(&column, all.n, sizeof(*column));
    if (!rc)
        n = bird_model_features_command(column, &all, m, "promoter");
    bird_features_free(&all);
    if (!rc && n == 2 && pair && pair[column[0]] == column[1]) {
        if (s->o->strand != BIRD_STRAND_MINUS)
            add_column(s, '+', column[0], column[0]);
        if (s->o->strand != BIRD_STRAND_PLUS)
            add_column(s, '-', column[1], column[1]);
    } else if (!rc && n == 1) {
        add_column(s, '.', column[0], column[0]);
        if (s->o->strand != BIRD_STRAND_BOTH)
            rc = bird_fail(BIRD_EINVAL,
                           "%s has one label for both strands: leave out "
                           "--strand",
                           bird_model_path(m));
    } else if (!rc) {
        rc = fail_labels(m, n);
    }
    free(column);
    s->strand = s->o->one_pass ? BIRD_STRAND_PLUS
                               : bird_model_strand(m, BIRD_STRAND_MODEL);
    return rc;
}

/* --- thresholds ---------------------------------------------------------- */

/* Is one pass run of a model whose answers are the mean of two? */
static int is_half(const struct promoter *s)
{
    return s->o->one_pass &&
           bird_model_strand(s->model, BIRD_STRAND_MODEL) == BIRD_STRAND_BOTH;
}

/* Note windows other than the model's own, for which its table of false
 * positives does not hold. */
static int check_own(struct promoter *s)
{
    const struct bird_layout *l = &s->layout;
    const struct bird_scan_width own[] = {
        {"--window", l->context_bp, l->own_context_bp},
        {"--stride", l->stride_bp, l->own_stride_bp}};
    int calls = s->format->content == BIRD_CONTENT_CALLS;
    int other = bird_scan_differs(s->sum.notice, sizeof(s->sum.notice), own, 2);

    s->own = !other && !is_half(s);
    return s->own ? 0
                  : bird_threshold_elsewhere(
                        s->model, calls ? s->o->threshold : 1, s->o->fp_per_mb);
}

/* The threshold of a column, and the level that a call is extended at: the
 * model's default threshold, if the column's is stricter. */
static int choose_threshold(struct promoter *s, struct bird_scan_column *x)
{
    const json_t *meta = bird_model_meta(s->model);
    const char *path = bird_model_path(s->model);
    int rc = bird_threshold_probability(&x->threshold, &s->map, x->label, meta,
                                        s->o->threshold, s->o->fp_per_mb, path);

    x->level = x->threshold;
    if (!rc && s->own)
        rc = bird_threshold_probability(&x->level, &s->map, x->label, meta, -1,
                                        0, path);
    if (x->level > x->threshold)
        x->level = x->threshold;
    return rc;
}

/* Open the map to probabilities, and choose the threshold of each column. */
static int choose_map(struct promoter *s)
{
    const bird_model *m = s->model;
    struct bird_probability_settings way = {.window_bp = s->layout.context_bp,
                                            .both_strands =
                                                s->strand == BIRD_STRAND_BOTH};
    int rc =
        bird_probability_open(&s->map, m, &way, s->o->raw, s->sum.uncalibrated,
                              sizeof(s->sum.uncalibrated));

    s->sum.calibrated = bird_probability_applies(&s->map);
    for (int i = 0; !rc && i < s->n_column; i++) {
        struct bird_scan_column *x = &s->column[i];

        rc = choose_threshold(s, x);
        if (!rc && (!i || x->threshold < s->sum.threshold))
            s->sum.threshold = x->threshold;
    }
    return rc;
}

/* The distance within which windows are one call. A shard scans two windows in
 * front of its first base: calls further apart than a window would not be the
 * same in shards. */
static int choose_merge(struct promoter *s)
{
    s->merge_bp = bird_larger(s->o->merge_bp, 0);
    if (s->o->merge_bp < 0)
        return bird_json_int(&s->merge_bp, bird_model_meta(s->model),
                             "merge_bp", 0, s->layout.context_bp,
                             bird_model_path(s->model));
    if (s->merge_bp <= s->layout.context_bp)
        return 0;
    return bird_fail(BIRD_EINVAL,
                     "--merge %lld is longer than the model's window of %lld "
                     "bp: give a smaller distance",
                     (long long)s->merge_bp, (long long)s->layout.context_bp);
}

static int choose_site(struct promoter *s)
{
    return s->layout.on_grid
               ? bird_json_int(&s->site_bp, bird_model_meta(s->model),
                               "site_bp", 0, s->layout.context_bp,
                               bird_model_path(s->model))
               : 0;
}

/* --- the scan ------------------------------------------------------------ */

static int open_model(struct promoter *s)
{
    const bird_promoter_scan_options *o = s->o;
    char *found = NULL;
    int rc = o->model ? 0 : bird_default_model(&found, BIRD_MODEL_OF_STARTS);

    if (!rc)
        rc = bird_model_open(&s->model, found ? found : o->model, &o->run);
    free(found);
    if (rc)
        return rc;
    memcpy(s->sum.digest, bird_model_digest(s->model), sizeof(s->sum.digest));
    bird_path_base(s->sum.model, sizeof(s->sum.model),
                   bird_model_path(s->model));
    rc = bird_model_check_scores(s->model);
    if (!rc)
        rc = bird_layout_of(
            &s->layout, s->model,
            &(struct bird_layout_request){.context_bp = o->window_bp,
                                          .stride_bp = o->stride_bp,
                                          .option = "--window"});
    if (!rc)
        rc = s->layout.on_grid ? choose_labels(s) : choose_passes(s);
    if (!rc)
        rc = choose_merge(s);
    if (!rc)
        rc = choose_site(s);
    if (!rc)
        rc = check_own(s);
    return rc ? rc : choose_map(s);
}

static int scan(struct promoter *s, struct bird_scan_counts *n,
                struct bird_scan_written *written)
{
    const bird_promoter_scan_options *o = s->o;
    const struct bird_scan_input input = {.fasta = o->fasta,
                                          .region = o->region,
                                          .regions = o->regions,
                                          .shard = o->shard,
                                          .max_unknown = o->max_unknown,
                                          .score_short = o->score_short,
                                          .min_length = o->min_length,
                                          .progress = o->progress,
                                          .progress_context =
                                              o->progress_context};
    const struct bird_scan_plan plan = {
        .model = s->model, .layout = s->layout, .strand = s->strand};
    struct bird_scan_tracks tracks = {.format = s->format,
                                      .track = o->track,
                                      .map = &s->map,
                                      .column = s->column,
                                      .n_column = s->n_column,
                                      .merge_bp = s->merge_bp,
                                      .site_bp = s->site_bp,
                                      .top = o->top,
                                      .by_probability = o->sort,
                                      .genes = o->genes};
    char title[BIRD_MODEL_TITLE];

    bird_model_title(title, s->model);
    tracks.track.model = title;
    return bird_scan_write(n, written, &input, &plan, &tracks);
}

static void sum_up(struct promoter *s, const struct bird_scan_counts *n)
{
    s->sum.window_bp = s->layout.context_bp;
    s->sum.stride_bp = s->layout.stride_bp;
    s->sum.bin_bp = s->layout.on_grid ? s->layout.bin_bp : 0;
    s->sum.n_strand = s->n_column;
    s->sum.n_contig = n->n_contig;
    s->sum.n_empty = n->n_empty;
    s->sum.n_bp = n->n_bp;
    s->sum.n_window = n->n_row;
    s->sum.n_scored = n->n_scored * s->n_column;
    s->sum.n_unknown = n->n_unknown;
    s->sum.n_short = n->n_short;
    s->sum.n_trimmed = n->n_trimmed;
    s->sum.n_repeated = n->n_cached;
    memcpy(s->sum.build, n->build, sizeof(s->sum.build));
    bird_scan_note(s->sum.notice, sizeof(s->sum.notice), n->notice);
}

int bird_promoter_scan(bird_promoter_summary *out,
                       const bird_promoter_scan_options *o)
{
    struct promoter s = {.o = o};
    struct bird_scan_counts counts;
    struct bird_scan_written written;
    int rc = bird_promoter_check(o);

    if (!rc)
        rc = choose_format(&s.format, o);
    if (!rc)
        rc = open_model(&s);
    if (!rc)
        rc = scan(&s, &counts, &written);
    if (!rc) {
        sum_up(&s, &counts);
        bird_scan_note(s.sum.notice, sizeof(s.sum.notice), written.notice);
        s.sum.n_row = written.n_row;
        if (out)
            *out = s.sum;
    }
    bird_probability_free(&s.map);
    bird_model_close(s.model);
    return rc;
}
