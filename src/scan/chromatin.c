/* The scan of bins: blocks of them to probabilities to rows.
 *
 * A block of bins is gathered with its letters' probabilities in a matrix,
 * scored to the end, and written: so that nothing has to wait in order beside
 * the scorer. Blocks depend on the input alone.
 * SPDX-License-Identifier: MIT */
#include "dnabird/chromatin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"
#include "dnabird/tiles.h"
#include "model/feature.h"
#include "scan/build.h"
#include "scan/profile_out.h"
#include "scan/source.h"
#include "seq/intervals.h"
#include "seq/tiles.h"
#include "session/opened.h"
#include "session/probability.h"
#include "session/score.h"
#include "session/threshold.h"
#include "track/sink.h"

enum { BLOCK = 1024 /* bins */ };

struct block_row {
    int64_t contig, start, end;
    int64_t name;       /* of the contig, where it stands in names */
    int64_t regions;    /* names of the regions, there; -1: none */
    const char *status; /* why it is not scored; NULL: scored */
};

struct scan {
    const bird_chromatin_options *o;
    struct bird_opened model;
    struct bird_probability map;
    double *threshold; /* (features.n) */
    struct bird_scorer *scorer;
    struct bird_source source;
    struct bird_intervals named; /* regions before they were joined */
    struct bird_bins *bins;
    struct bird_profile_out *out;
    bird_features features; /* the chosen ones */
    int64_t *column;        /* (features.n) their columns */
    int64_t n_column;       /* of the model */
    struct block_row *row;  /* (BLOCK) */
    float *p;               /* (BLOCK, features.n) */
    int64_t n;
    struct bird_text names;
    int64_t name; /* the last contig's, in names; -1: none in this block */
    int64_t name_contig;
    int32_t *order; /* (2 BLOCK) rows in the order given to the scorer */
    int64_t n_order, taken;
    char *flipped;   /* (context) */
    char label[160]; /* name and digest of the model */
    bird_chromatin_summary sum;
};

void bird_chromatin_options_default(bird_chromatin_options *o)
{
    *o = (bird_chromatin_options){.threshold = -1, .max_unknown = 0.05};
    bird_model_run_default(&o->run);
}

int bird_chromatin_check(const bird_chromatin_options *o)
{
    int plain = bird_out_is_stdout(o->output);

    if (!o->fasta)
        return bird_fail(BIRD_EINVAL, "no FASTA file");
    if (isnan(o->threshold) || o->threshold > 1)
        return bird_fail(BIRD_EINVAL,
                         "threshold %g: a probability lies between 0 and 1",
                         o->threshold);
    if (!(o->max_unknown >= 0 && o->max_unknown <= 1))
        return bird_fail(BIRD_EINVAL,
                         "largest share of N %g: it lies between 0 and 1",
                         o->max_unknown);
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
        (plain || !bird_sink_is_gz(o->output)))
        return bird_fail(BIRD_EINVAL,
                         "%s: only a bgzipped file takes an index; give it a "
                         "name that ends in .gz",
                         plain ? "standard output" : o->output);
    if (o->index && o->format == BIRD_CHROMATIN_BIGWIG)
        return bird_fail(BIRD_EINVAL, "a bigWig holds its index already");
    return 0;
}

/* From the means of the strands to probabilities. */
static void calibrate_block(struct scan *s)
{
    int64_t n = s->features.n;

    for (int64_t i = 0; s->sum.calibrated && i < s->n; i++)
        for (int64_t k = 0; !s->row[i].status && k < n; k++)
            s->p[i * n + k] = (float)bird_probability_of(
                &s->map, s->column[k], (double)s->p[i * n + k]);
}

/* --- writing ------------------------------------------------------------- */

static int write_block(struct scan *s)
{
    int rc = 0;

    for (int64_t i = 0; !rc && i < s->n; i++) {
        const struct block_row *r = &s->row[i];
        struct bird_profile_row row = {
            .contig = s->names.s + r->name,
            .record = r->contig,
            .start = r->start,
            .end = r->end,
            .name = r->regions < 0 ? NULL : s->names.s + r->regions,
            .status = r->status,
            .p = s->p + i * s->features.n};

        rc = bird_profile_out_put(s->out, &row);
    }
    s->n = s->n_order = s->taken = 0;
    bird_text_clear(&s->names);
    s->name = -1;
    return rc;
}

/* --- scoring ------------------------------------------------------------- */

static int take(void *context, int64_t index, const float *p)
{
    struct scan *s = context;
    int64_t row = s->order[s->taken], n = s->features.n;
    int second = s->taken > 0 && s->order[s->taken - 1] == row;
    float *to = s->p + row * n;

    (void)index;
    s->taken++;
    for (int64_t i = 0; i < n; i++) {
        float x = p[s->column[i]];

        if (!isfinite((double)x))
            return bird_fail(
                BIRD_EFORMAT,
                "%s: what it says of %s:%lld-%lld is no number: "
                "damaged weights?",
                s->model.folder.path, s->names.s + s->row[row].name,
                (long long)s->row[row].start + 1, (long long)s->row[row].end);
        to[i] = second ? (to[i] + x) / 2 : x;
    }
    return 0;
}

static int add_strand(struct scan *s, const char *seq)
{
    s->order[s->n_order++] = (int32_t)(s->n - 1);
    return bird_scorer_add(s->scorer, seq, s->sum.context_bp);
}

/* The contig's name, once a block. */
static int keep_name(struct scan *s, const struct bird_bin *x)
{
    if (s->name >= 0 && s->name_contig == x->contig)
        return 0;
    s->name = s->names.n;
    s->name_contig = x->contig;
    return bird_text_put(&s->names, x->name, (int64_t)strlen(x->name) + 1);
}

/* Names of the regions that the bin is for, to where *at says. */
static int keep_regions(struct scan *s, int64_t *at, const struct bird_bin *x)
{
    int64_t from = s->names.n;
    const char *name;
    int rc = 0;

    *at = -1;
    if (x->region < 0)
        return 0;
    name = s->source.regions.at[x->region].name;
    if (!s->o->centre) /* a bin serves all the regions that it overlaps */
        rc = bird_intervals_names(&s->names, &s->named, x->contig, x->start,
                                  x->end);
    else if (name)
        rc = bird_text_put(&s->names, name, (int64_t)strlen(name));
    if (rc || s->names.n == from)
        return rc;
    *at = from;
    return bird_text_put(&s->names, "", 1);
}

static int flush_block(struct scan *s)
{
    int rc = bird_scorer_flush(s->scorer);

    if (!rc)
        calibrate_block(s);
    return rc ? rc : write_block(s);
}

/* Why a bin is not scored, counted; NULL: it is. What lies beyond the contig
 * is to blame where the letters that are there would do. */
static const char *why_not(struct scan *s, const struct bird_bin *x)
{
    double most = s->o->max_unknown * (double)s->sum.context_bp;
    int is_short = x->length > 0 && x->length < s->sum.context_bp;

    if (is_short && !s->o->score_short) {
        s->sum.n_short++;
        return BIRD_STATUS_SHORT;
    }
    if (is_short) { /* the share is of the letters that are there */
        double there = (double)(s->sum.context_bp - x->n_beyond);

        if ((double)(x->n_unknown - x->n_beyond) <= s->o->max_unknown * there)
            return NULL;
        s->sum.n_unknown++;
        return "too_many_N";
    }
    if (x->end > x->start && (double)x->n_unknown <= most)
        return NULL;
    s->sum.n_unknown++;
    if (x->end > x->start && (double)(x->n_unknown - x->n_beyond) > most)
        return "too_many_N";
    s->sum.n_beyond++;
    return "beyond_end";
}

static int add_bin(struct scan *s, const struct bird_bin *x)
{
    int64_t n = s->sum.context_bp, regions;
    const char *status = why_not(s, x);
    int rc = keep_name(s, x), scored = !status;

    if (rc || (rc = keep_regions(s, &regions, x)))
        return rc;
    s->sum.n_bin++;
    s->row[s->n++] = (struct block_row){.contig = x->contig,
                                        .start = x->start,
                                        .end = x->end,
                                        .name = s->name,
                                        .regions = regions,
                                        .status = status};
    if (x->last && x->length > 0)
        bird_build_check(s->sum.build, sizeof(s->sum.build),
                         s->model.folder.meta, x->name, x->length);
    if (scored)
        rc = add_strand(s, x->seq);
    if (!rc && scored && s->sum.both_strands) {
        bird_reverse_complement(s->flipped, x->seq, n);
        rc = add_strand(s, s->flipped);
    }
    return rc || s->n < BLOCK ? rc : flush_block(s);
}

static int report(struct scan *s, const struct bird_bin *x, int64_t before)
{
    struct bird_source_place at = {before, x->region, x->end};
    int64_t contig, empty, bp;

    bird_bins_count(s->bins, &contig, &empty, &bp);
    return bird_source_report(&s->source, &at, bp);
}

static int run(struct scan *s)
{
    struct bird_bin x;
    int64_t before = 0; /* bases of the sequences done */
    int rc = 0, more;

    while (!rc && (more = bird_bins_next(s->bins, &x)) != 0) {
        if (more < 0)
            return more;
        rc = add_bin(s, &x);
        if (!rc && s->sum.n_bin % 64 == 0)
            rc = report(s, &x, before);
        before += x.last ? x.end : 0;
    }
    return rc ? rc : flush_block(s);
}

/* Bins of the stream, or of regions of an indexed genome. */
static int open_input(struct scan *s)
{
    const bird_chromatin_options *o = s->o;
    struct bird_source *from = &s->source;
    enum bird_bins_how how = o->centre ? BIRD_BINS_CENTRE : BIRD_BINS_TILE;
    int rc = bird_source_open(from, o->fasta, o->region, o->regions);

    from->progress = o->progress;
    from->progress_context = o->progress_context;
    if (!rc && !from->genome && o->format == BIRD_CHROMATIN_BIGWIG)
        rc = bird_genome_open(&from->genome, o->fasta);
    if (rc)
        return rc;
    if (from->stream)
        return bird_bins_stream(&s->bins, from->stream, s->sum.bin_bp,
                                s->sum.context_bp, how);
    if ((rc = bird_intervals_new(&s->named, &from->regions)))
        return rc;
    if (!o->centre)
        bird_regions_merge(&from->regions);
    else if (o->index)
        bird_regions_sort(&from->regions);
    bird_source_count(from);
    bird_scan_note(s->sum.notice, sizeof(s->sum.notice),
                   bird_source_notice(from));
    return bird_bins_regions(&s->bins, from->genome, &from->regions,
                             s->sum.bin_bp, s->sum.context_bp, how);
}

static int choose_features(struct scan *s)
{
    bird_features all = {0};
    uint8_t *mark = NULL;
    int rc = bird_features_read(&all, &s->model.folder);

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

static int check_model(const struct bird_folder *f)
{
    const struct bird_config *c = &f->config;

    if (bird_config_is_choice(c))
        return bird_fail(BIRD_EINVAL,
                         "%s tells classes apart, not profiles: "
                         "'dnabird promoter' scans with it",
                         f->path);
    return bird_source_check_model(c, f->path);
}

static int choose_bins(struct scan *s)
{
    const struct bird_folder *f = &s->model.folder;
    const char *strand = json_string_value(json_object_get(f->meta, "strand"));
    int64_t bin = 0;
    int rc = check_model(f);

    if (!rc)
        rc = bird_json_int(&bin, f->meta, "bin_bp", 1, INT32_MAX, f->path);
    if (rc)
        return rc;
    if (!bin)
        bin = f->stride_bp;
    s->sum.context_bp = s->o->context_bp > 0 ? s->o->context_bp : f->window_bp;
    s->sum.bin_bp = s->o->bin_bp > 0 ? s->o->bin_bp : bin;
    s->sum.both_strands = s->o->strand == BIRD_CHROMATIN_BOTH ||
                          (s->o->strand == BIRD_CHROMATIN_AS_MODEL && strand &&
                           !strcmp(strand, "both"));
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
    bird_scan_differs(s->sum.notice, sizeof(s->sum.notice),
                      (struct bird_scan_width[]){
                          {"--context", s->sum.context_bp, f->window_bp},
                          {"--bin", s->sum.bin_bp, bin}},
                      2);
    return 0;
}

/* What makes probabilities of this run's outputs, and which are called. */
static int choose_map(struct scan *s)
{
    const struct bird_folder *f = &s->model.folder;
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

static int open_model(struct scan *s)
{
    int rc = bird_opened_open(&s->model, s->o->model, "chromatin", 1);

    if (!rc)
        rc = bird_opened_run(&s->model, &s->o->run);
    if (!rc)
        rc = bird_folder_identify(&s->model.folder);
    if (rc)
        return rc;
    memcpy(s->sum.digest, s->model.folder.digest, sizeof(s->sum.digest));
    bird_path_base(s->sum.model, sizeof(s->sum.model), s->model.folder.path);
    rc = choose_bins(s);
    if (!rc)
        rc = choose_features(s);
    if (!rc)
        rc = choose_map(s);
    if (!rc)
        rc = bird_scorer_new(&s->scorer, &s->model.folder.config, &s->model.w,
                             s->model.tokenizer, take, s);
    if (!rc)
        bird_scorer_pad(s->scorer, s->o->run.pad_to);
    if (!rc && bird_scorer_columns(s->scorer) != s->n_column)
        rc = bird_fail(BIRD_EFORMAT, "%s: labels and head disagree",
                       s->model.folder.path);
    return rc;
}

static int open_output(struct scan *s)
{
    struct bird_profile_out_options o = {.scan = s->o,
                                         .features = &s->features,
                                         .model = s->label,
                                         .threshold = s->threshold,
                                         .genome = s->source.genome};

    snprintf(s->label, sizeof(s->label), "%s %s", s->sum.model, s->sum.digest);
    return bird_profile_out_open(&s->out, &o);
}

static int make_room(struct scan *s)
{
    s->name = -1;
    if (bird_array_new(&s->row, BLOCK, sizeof(*s->row)) ||
        bird_array_new(&s->p, BLOCK * s->features.n, sizeof(*s->p)) ||
        bird_array_new(&s->order, INT64_C(2) * BLOCK, sizeof(*s->order)) ||
        bird_array_new(&s->flipped, s->sum.context_bp, 1))
        return BIRD_ENOMEM;
    return bird_text_put(&s->names, "", 0);
}

static void clean_up(struct scan *s)
{
    bird_profile_out_free(s->out);
    bird_bins_free(s->bins);
    bird_intervals_free(&s->named);
    bird_source_close(&s->source);
    bird_scorer_free(s->scorer);
    bird_opened_close(&s->model);
    bird_features_free(&s->features);
    bird_text_free(&s->names);
    bird_probability_free(&s->map);
    free(s->threshold);
    free(s->column);
    free(s->row);
    free(s->p);
    free(s->order);
    free(s->flipped);
}

int bird_chromatin_scan(bird_chromatin_summary *out,
                        const bird_chromatin_options *o)
{
    struct scan s = {.o = o};
    int rc = bird_chromatin_check(o);

    if (rc)
        return rc;
    if ((rc = open_model(&s)) || (rc = open_input(&s)) ||
        (rc = make_room(&s)) || (rc = open_output(&s)) || (rc = run(&s)))
        goto done;
    rc = bird_profile_out_close(s.out, &s.sum.n_row, &s.sum.n_file);
    s.out = NULL;
    bird_bins_count(s.bins, &s.sum.n_contig, &s.sum.n_empty, &s.sum.n_bp);
    s.sum.n_trimmed = bird_scorer_trimmed(s.scorer);
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
