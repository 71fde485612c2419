/* Chromatin profiles: bins in their context to a probability of each feature
 * to rows or tracks. scan.c brings the bins in order.
 * SPDX-License-Identifier: MIT */
#include "dnabird/chromatin.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "model/feature.h"
#include "scan/profile_out.h"
#include "scan/scan.h"
#include "session/threshold.h"
#include "track/output.h"

struct chromatin {
    const bird_chromatin_options *o;
    struct bird_scan scan;
    struct bird_probability map;
    double *threshold; /* (features.n) */
    struct bird_profile_out *out;
    bird_features features; /* the chosen ones */
    int64_t *column;        /* (features.n) their columns */
    int64_t n_column;       /* of the model */
    float *p;               /* (features.n) of the bin at hand */
    char label[160];        /* name and digest of the model */
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
    int plain = bird_out_is_stdout(o->output);
    int rc = bird_scan_check(o->fasta, o->threshold, o->max_unknown);

    if (rc)
        return rc;
    if (o->context_bp < 0 || o->bin_bp < 0)
        return bird_fail(BIRD_EINVAL, "context or bin is negative");
    if (o->centre && o->format != BIRD_CHROMATIN_TSV)
        return bird_fail(BIRD_EINVAL, "one bin a sequence or region is a row "
                                      "of a table: -O tsv");
    if (o->format == BIRD_CHROMATIN_BIGWIG && !bird_chromatin_has_bigwig())
        return bird_fail(BIRD_EUNSUPPORTED,
                         "this build has no bigWig: write bedGraph and use "
                         "bedGraphToBigWig, or build with libBigWig");
    if (o->format == BIRD_CHROMATIN_BIGWIG && !strcmp(o->fasta, "-"))
        return bird_fail(BIRD_EINVAL, "bigWig needs the lengths of all "
                                      "contigs first: name a FASTA file");
    if (o->index && !bird_profile_is_track(o->format) &&
        (plain || !bird_path_is_gz(o->output)))
        return bird_fail(BIRD_EINVAL,
                         "%s: only a bgzipped file takes an index; give it a "
                         "name that ends in .gz",
                         plain ? "standard output" : o->output);
    if (o->index && o->format == BIRD_CHROMATIN_BIGWIG)
        return bird_fail(BIRD_EINVAL, "a bigWig holds its index already");
    return 0;
}

static int put(void *context, const struct bird_scan_row *bin)
{
    struct chromatin *s = context;
    struct bird_profile_row row = {.contig = bin->name,
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
    return bird_profile_out_put(s->out, &row);
}

static int choose_features(struct chromatin *s)
{
    bird_features all = {0};
    uint8_t *mark = NULL;
    int rc = bird_features_read(&all, &s->scan.model.folder);

    if (!rc)
        rc = bird_array_new(&mark, all.n, 1);
    if (!rc)
        rc = bird_array_new(&s->column, all.n, sizeof(*s->column));
    if (!rc)
        rc = bird_features_select(mark, &all, s->o->features);
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

static int check_model(const struct bird_model *m)
{
    if (bird_config_is_choice(&m->folder.config))
        return bird_fail(BIRD_EINVAL,
                         "%s is a two-class model, not a chromatin-profile "
                         "model; use it with 'dnabird promoter'",
                         m->folder.path);
    return bird_model_check_scores(m);
}

static int choose_bins(struct chromatin *s)
{
    const struct bird_folder *f = &s->scan.model.folder;
    int64_t bin = 0;
    int rc = check_model(&s->scan.model);

    if (!rc)
        rc = bird_json_int(&bin, f->meta, "bin_bp", 1, INT32_MAX, f->path);
    if (rc)
        return rc;
    if (!bin)
        bin = f->stride_bp;
    s->sum.context_bp = s->o->context_bp > 0 ? s->o->context_bp : f->window_bp;
    s->sum.bin_bp = s->o->bin_bp > 0 ? s->o->bin_bp : bin;
    s->sum.both_strands =
        bird_model_strand(&s->scan.model, s->o->strand) == BIRD_STRAND_BOTH;
    if (s->sum.bin_bp < 1 || s->sum.context_bp < 1)
        return bird_folder_fail_window(f, "--context BP and --bin BP");
    if (s->sum.context_bp < s->sum.bin_bp ||
        (s->sum.context_bp - s->sum.bin_bp) % 2)
        return bird_fail(BIRD_EINVAL,
                         "%s: bins of %lld bp in a context of %lld bp: give "
                         "--bin and --context, as much of it on either side "
                         "of the bin",
                         f->path, (long long)s->sum.bin_bp,
                         (long long)s->sum.context_bp);
    bird_scan_differs(s->scan.notice, sizeof(s->scan.notice),
                      (struct bird_scan_width[]){
                          {"--context", s->sum.context_bp, f->window_bp},
                          {"--bin", s->sum.bin_bp, bin}},
                      2);
    return 0;
}

/* What makes probabilities of this run's outputs, and which are called. */
static int choose_map(struct chromatin *s)
{
    const struct bird_folder *f = &s->scan.model.folder;
    struct bird_probability_way way = {.window_bp = s->sum.context_bp,
                                       .both_strands = s->sum.both_strands};
    int64_t n = s->features.n;
    int rc =
        bird_probability_open(&s->map, f, &way, s->o->raw, s->sum.uncalibrated,
                              sizeof(s->sum.uncalibrated));

    s->sum.calibrated = bird_probability_applies(&s->map);
    if (!rc)
        rc = bird_array_new(&s->threshold, n, sizeof(*s->threshold));
    if (!rc)
        rc = bird_threshold_features(s->threshold, &s->map, f->meta,
                                     s->o->threshold, s->column, n, f->path);
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
    const struct bird_folder *f = &s->scan.model.folder;
    int rc =
        bird_model_load(&s->scan.model, s->o->model, "chromatin", &s->o->run);

    if (rc)
        return rc;
    memcpy(s->sum.digest, f->digest, sizeof(s->sum.digest));
    bird_path_base(s->sum.model, sizeof(s->sum.model), f->path);
    rc = choose_bins(s);
    if (!rc)
        rc = choose_features(s);
    if (!rc)
        rc = choose_map(s);
    if (!rc)
        rc = bird_array_new(&s->p, s->features.n, sizeof(*s->p));
    if (!rc && bird_model_labels(&f->config) != s->n_column)
        rc = bird_fail(BIRD_EFORMAT, "%s: labels and head disagree", f->path);
    return rc;
}

/* How the bins are cut and scored. */
static void set_scan(struct chromatin *s)
{
    const bird_chromatin_options *o = s->o;

    s->scan.width_bp = s->sum.context_bp;
    s->scan.step_bp = s->sum.bin_bp;
    s->scan.o = (struct bird_scan_options){
        .fasta = o->fasta,
        .region = o->region,
        .regions = o->regions,
        .max_unknown = o->max_unknown,
        .score_short = o->score_short,
        .bins = 1,
        .centre = o->centre,
        .index = o->index,
        .genome = o->format == BIRD_CHROMATIN_BIGWIG,
        .strand = s->sum.both_strands ? BIRD_STRAND_BOTH : BIRD_STRAND_PLUS,
        .put = put,
        .context = s,
        .progress = o->progress,
        .progress_context = o->progress_context};
}

static int open_output(struct chromatin *s)
{
    struct bird_profile_out_options o = {.scan = s->o,
                                         .features = &s->features,
                                         .model = s->label,
                                         .threshold = s->threshold,
                                         .genome = s->scan.source.genome};

    snprintf(s->label, sizeof(s->label), "%s %s", s->sum.model, s->sum.digest);
    return bird_profile_out_open(&s->out, &o);
}

static void clean_up(struct chromatin *s)
{
    bird_profile_out_free(s->out);
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
    memcpy(s->sum.build, scan->build, sizeof(s->sum.build));
    memcpy(s->sum.notice, scan->notice, sizeof(s->sum.notice));
}

int bird_chromatin_scan(bird_chromatin_summary *out,
                        const bird_chromatin_options *o)
{
    struct chromatin s = {.o = o};
    int rc = bird_chromatin_check(o);

    if (rc)
        return rc;
    if ((rc = open_model(&s)))
        goto done;
    set_scan(&s);
    if ((rc = bird_scan_prepare(&s.scan)) || (rc = open_output(&s)) ||
        (rc = bird_scan_run(&s.scan)))
        goto done;
    rc = bird_profile_out_close(s.out, &s.sum.n_row, &s.sum.n_file);
    s.out = NULL;
    sum_up(&s);
    if (!rc)
        *out = s.sum;
done:
    clean_up(&s);
    return rc;
}

int bird_chromatin_summary_write(const char *path,
                                 const bird_chromatin_summary *s,
                                 double seconds)
{
    const struct bird_scan_facts facts = {.model = s->model,
                                          .digest = s->digest,
                                          .warning = s->build,
                                          .notice = s->notice,
                                          .n_contig = s->n_contig,
                                          .n_empty = s->n_empty,
                                          .n_bp = s->n_bp,
                                          .n_unknown = s->n_unknown,
                                          .n_short = s->n_short,
                                          .n_trimmed = s->n_trimmed,
                                          .n_row = s->n_row,
                                          .threshold = s->threshold,
                                          .seconds = seconds};
    json_t *j = json_pack(
        "{s:I, s:I, s:I, s:I, s:I, s:I, s:i, s:b}", "bins",
        (json_int_t)s->n_bin, "files", (json_int_t)s->n_file, "features",
        (json_int_t)s->n_feature, "bin_bp", (json_int_t)s->bin_bp, "context_bp",
        (json_int_t)s->context_bp, "beyond_end", (json_int_t)s->n_beyond,
        "strands", 1 + s->both_strands, "calibrated", s->calibrated);
    int rc = j ? bird_scan_describe(j, &facts) : bird_fail_memory(0);

    if (!rc)
        rc = bird_json_write(j, path);
    json_decref(j);
    return rc;
}
