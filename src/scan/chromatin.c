/* Chromatin profiles: a probability of each feature for each bin, to a matrix,
 * tracks or calls.
 *
 * A column of the output is a feature. A model with one answer a window reads
 * the context of each bin; a model that predicts bins reads many bins at
 * once. SPDX-License-Identifier: MIT */
#include "dnabird/chromatin.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/mem.h"
#include "scan/tracks.h"
#include "session/session.h"

struct chromatin {
    const bird_chromatin_options *o;
    const struct bird_format *format;
    bird_model *model;
    struct bird_layout layout;
    struct bird_probability map;
    bird_features features;          /* the chosen ones */
    struct bird_scan_column *column; /* (features.n) */
    bird_chromatin_summary sum;
};

void bird_chromatin_options_default(bird_chromatin_options *o)
{
    *o = (bird_chromatin_options){
        .threshold = -1, .max_unknown = 0.05, .strand = BIRD_STRAND_MODEL};
    bird_model_run_default(&o->run);
}

static int choose_format(const struct bird_format **out,
                         const bird_chromatin_options *o)
{
    return bird_format_choose(out, BIRD_TRACK_CHROMATIN, o->format, o->output);
}

int bird_chromatin_check(const bird_chromatin_options *o)
{
    const struct bird_format *f;
    int rc = bird_scan_check(o->fasta, o->threshold, o->max_unknown);

    if (!rc)
        rc = bird_model_strand_check(o->strand);
    if (rc)
        return rc;
    if (o->context_bp < 0 || o->bin_bp < 0)
        return bird_fail(BIRD_EINVAL, "context or bin is negative");
    if (o->min_length < 0)
        return bird_fail(BIRD_EINVAL, "the minimum length is negative");
    if ((rc = choose_format(&f, o)) ||
        (rc = bird_scan_check_format(f, o->fasta, o->shard)))
        return rc;
    if (o->centre && f->content != BIRD_CONTENT_CELLS)
        return bird_fail(BIRD_EINVAL, "one bin a sequence or region is a row "
                                      "of a table: -O tsv");
    /* files of a folder are checked when they are opened */
    return bird_format_check(
        f, o->output,
        f->content == BIRD_CONTENT_SEGMENTS && f->index ? 0 : o->index);
}

static int check_model(const bird_model *m)
{
    int rc = bird_model_check_scores(m);

    if (!rc && bird_config_is_choice(bird_model_config(m)))
        return bird_fail(BIRD_EINVAL,
                         "%s is a two-class model, not a chromatin-profile "
                         "model; use it with 'dnabird promoter'",
                         bird_model_path(m));
    return rc;
}

static int choose_layout(struct chromatin *s)
{
    struct bird_layout *l = &s->layout;
    struct bird_scan_width own[2];
    int rc = bird_layout_of(
        l, s->model,
        &(struct bird_layout_request){.context_bp = s->o->context_bp,
                                      .option = "--context",
                                      .profile = 1,
                                      .bin_bp = s->o->bin_bp});

    if (rc)
        return rc;
    if (s->o->centre && l->unknown == BIRD_UNKNOWN_OF_BIN)
        return bird_fail(BIRD_EUNSUPPORTED,
                         "%s predicts bins on a grid of the contig: --centre "
                         "needs a model with one prediction for a window",
                         bird_model_path(s->model));
    own[0] =
        (struct bird_scan_width){"--context", l->context_bp, l->own_context_bp};
    own[1] = (struct bird_scan_width){"--bin", l->bin_bp, l->own_bin_bp};
    bird_scan_differs(s->sum.notice, sizeof(s->sum.notice), own, 2);
    return 0;
}

static int choose_features(struct chromatin *s)
{
    bird_features all = {0};
    uint8_t *mark = NULL;
    int rc = bird_model_features(&all, s->model);

    if (!rc)
        rc = bird_array_new(&mark, all.n, 1);
    if (!rc)
        rc = bird_array_new(&s->column, all.n, sizeof(*s->column));
    if (!rc)
        rc = bird_model_features_choose(mark, &all, s->model, "chromatin",
                                        s->o->features);
    for (int64_t i = 0; !rc && i < all.n; i++)
        if (mark[i]) {
            s->column[s->features.n] = (struct bird_scan_column){
                .value = i, .label = i, .strand = '.'};
            rc = bird_features_put(&s->features, &all.at[i]);
        }
    for (int64_t k = 0; !rc && k < s->features.n; k++)
        s->column[k].name = s->features.at[k].name;
    if (!rc && all.n != s->layout.n_label)
        rc = bird_fail(BIRD_EFORMAT, "%s: labels and head disagree",
                       bird_model_path(s->model));
    free(mark);
    bird_features_free(&all);
    return rc;
}

static int choose_thresholds(struct chromatin *s)
{
    const bird_model *m = s->model;
    /* the thresholds in dnabird.json are of promoters where a model has labels
       for both commands */
    const json_t *meta =
        s->layout.unknown == BIRD_UNKNOWN_OF_BIN ? NULL : bird_model_meta(m);
    int64_t n = s->features.n, *label = NULL;
    double *threshold = NULL;
    int rc = bird_array_new(&threshold, n, sizeof(*threshold));

    if (!rc)
        rc = bird_array_new(&label, n, sizeof(*label));
    for (int64_t k = 0; !rc && k < n; k++)
        label[k] = s->column[k].label;
    if (!rc)
        rc = bird_threshold_features(threshold, &s->map, meta, s->o->threshold,
                                     label, n, bird_model_path(m));
    s->sum.threshold = 1;
    for (int64_t k = 0; !rc && k < n; k++) {
        if (s->o->threshold < 0) /* as the probabilities are rounded */
            threshold[k] = (double)(float)threshold[k];
        if (threshold[k] < s->sum.threshold)
            s->sum.threshold = threshold[k];
        s->column[k].threshold = s->column[k].level = threshold[k];
    }
    free(threshold);
    free(label);
    return rc;
}

/* Open the map to probabilities, and choose the thresholds. */
static int choose_map(struct chromatin *s)
{
    struct bird_probability_settings way = {
        .window_bp = s->layout.context_bp, .both_strands = s->sum.both_strands};
    int rc =
        bird_probability_open(&s->map, s->model, &way, s->o->raw,
                              s->sum.uncalibrated, sizeof(s->sum.uncalibrated));

    s->sum.calibrated = bird_probability_applies(&s->map);
    return rc ? rc : choose_thresholds(s);
}

static int open_model(struct chromatin *s)
{
    int rc = bird_model_open(&s->model, s->o->model, &s->o->run);

    if (rc)
        return rc;
    memcpy(s->sum.digest, bird_model_digest(s->model), sizeof(s->sum.digest));
    bird_path_base(s->sum.model, sizeof(s->sum.model),
                   bird_model_path(s->model));
    s->sum.both_strands =
        bird_model_strand(s->model, s->o->strand) == BIRD_STRAND_BOTH;
    rc = check_model(s->model);
    if (!rc)
        rc = choose_layout(s);
    if (!rc)
        rc = choose_features(s);
    return rc ? rc : choose_map(s);
}

static int scan(struct chromatin *s, struct bird_scan_counts *n,
                struct bird_scan_written *written)
{
    const bird_chromatin_options *o = s->o;
    const struct bird_scan_input input = {.fasta = o->fasta,
                                          .region = o->region,
                                          .regions = o->regions,
                                          .shard = o->shard,
                                          .max_unknown = o->max_unknown,
                                          .score_short = o->score_short,
                                          .min_length = o->min_length,
                                          .centre = o->centre,
                                          .sorted = o->index,
                                          .progress = o->progress,
                                          .progress_context =
                                              o->progress_context};
    const struct bird_scan_plan plan = {
        .model = s->model,
        .layout = s->layout,
        .strand = s->sum.both_strands ? BIRD_STRAND_BOTH : BIRD_STRAND_PLUS};
    char title[BIRD_MODEL_TITLE];
    const struct bird_scan_tracks tracks = {
        .format = s->format,
        .track = {.path = o->output,
                  .index = o->index,
                  .no_version = o->no_version,
                  .command = o->command,
                  .model = title,
                  .reference = o->fasta},
        .map = &s->map,
        .column = s->column,
        .n_column = s->features.n,
        .features = 1,
        .gz = o->gz};

    if (o->gz &&
        (s->format->content != BIRD_CONTENT_SEGMENTS || s->features.n < 2))
        return bird_fail(BIRD_EINVAL,
                         "--compress is of the files of a folder: one file is "
                         "bgzipped when its name ends in .gz");
    if (o->index && !o->gz && s->features.n > 1 && s->format->index &&
        s->format->content == BIRD_CONTENT_SEGMENTS)
        return bird_fail(BIRD_EINVAL,
                         "-W needs bgzipped files: add --compress for those of "
                         "a folder");
    bird_model_title(title, s->model);
    return bird_scan_write(n, written, &input, &plan, &tracks);
}

static void sum_up(struct chromatin *s, const struct bird_scan_counts *n)
{
    s->sum.context_bp = s->layout.context_bp;
    s->sum.bin_bp = s->layout.bin_bp;
    s->sum.own_bins = s->layout.unknown == BIRD_UNKNOWN_OF_BIN;
    s->sum.n_feature = s->features.n;
    s->sum.n_contig = n->n_contig;
    s->sum.n_empty = n->n_empty;
    s->sum.n_bp = n->n_bp;
    s->sum.n_bins = n->n_row;
    s->sum.n_unknown = n->n_unknown;
    s->sum.n_short = n->n_short;
    s->sum.n_beyond = n->n_beyond;
    s->sum.n_trimmed = n->n_trimmed;
    memcpy(s->sum.build, n->build, sizeof(s->sum.build));
    bird_scan_note(s->sum.notice, sizeof(s->sum.notice), n->notice);
}

int bird_chromatin_scan(bird_chromatin_summary *out,
                        const bird_chromatin_options *o)
{
    struct chromatin s = {.o = o};
    struct bird_scan_counts counts;
    struct bird_scan_written written;
    int rc = bird_chromatin_check(o);

    if (!rc)
        rc = choose_format(&s.format, o);
    if (!rc)
        rc = open_model(&s);
    if (!rc)
        rc = scan(&s, &counts, &written);
    if (!rc) {
        sum_up(&s, &counts);
        s.sum.n_row = written.n_row;
        s.sum.n_file = written.n_file;
        if (out)
            *out = s.sum;
    }
    bird_features_free(&s.features);
    bird_probability_free(&s.map);
    bird_model_close(s.model);
    free(s.column);
    return rc;
}
