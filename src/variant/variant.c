/* dnabird variant: the run over a VCF. Blocks of records are read, submitted,
 * computed and written in their order. The records alone decide where a block
 * ends, and so do the bytes of the output; every few seconds a mark is written
 * after a block. The first block is written in parts that begin with one
 * record, so that there is a mark soon, however slow the model is.
 * SPDX-License-Identifier: MIT */
#include "dnabird/variant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/shard.h"
#include "scan/source.h"
#include "variant/snv_table.h"
#include "variant/variant_contigs.h"
#include "variant/variant_motif.h"
#include "variant/variant_out.h"
#include "variant/variant_resume.h"
#include "variant/variant_site.h"

enum { BLOCK_RECORDS = 256, BLOCK_BYTES = 8 << 20, MARK_S = 2 };

/* What was read up to and including a record. */
struct reached {
    int64_t n_record, n_outside, bytes;
    uint64_t read;
};

struct input {
    struct bird_vcf *vcf;
    struct bird_contig_map *map;
    struct bird_intervals regions;
    struct bird_shard shard;
    int64_t skip, most; /* records before the shard, and in it */
    int64_t total;      /* records, when the input was read in advance; or 0 */
    char *first_contig; /* of the first record */
    char *example_contig; /* of the first record on a contig of the reference */
};

struct block { /* of records that are read and computed together */
    struct bird_vcf_record record[BLOCK_RECORDS]; /* (n) */
    struct reached reached[BLOCK_RECORDS];        /* (n) */
    int64_t n, at[BLOCK_RECORDS + 1]; /* at: first allele of each record */
    int64_t before; /* records of this block that an earlier run wrote */
    int first;      /* 1: the first block of the input */
    struct bird_allele_request *request; /* (alleles) */
    struct bird_allele_result *result;   /* (alleles) */
    int64_t cap_request, cap_result;
};

struct run {
    /* options and models */
    const bird_variant_options *o;
    const struct bird_format *format;
    struct bird_variant_context context;
    struct bird_zero_shot *zero_shot; /* NULL: not used */
    struct bird_selected_scores selected;
    /* running */
    struct input in;
    struct bird_sites sites;
    struct block block;
    struct bird_variant_out out;
    struct bird_order order;
    json_t *identity;
    int64_t from_bytes; /* size of an output that is resumed; 0: begun */
    time_t marked;
    bird_variant_summary sum;
};

/* ------------------------------------------------------------------------- */

static int is_bcf(const struct run *r)
{
    return r->format->index == BIRD_INDEX_BCF;
}

/* Tell a sentence at once: it may explain an error that ends the run later. */
static void tell(const struct run *r, const char *fmt, const char *text)
{
    struct bird_text t = {0};

    if (r->o->params.tell && *text && !bird_text_printf(&t, fmt, text))
        r->o->params.tell(r->o->params.tell_context, t.s);
    bird_text_free(&t);
}

/* Remember the contig names of the first record, and of the first one that the
 * reference has. */
static int meet_contig(struct run *r, const char *name)
{
    int64_t contig;
    int rc = bird_contig_map_find(r->in.map, &contig, name);

    if (rc || (r->in.first_contig && (contig < 0 || r->in.example_contig)))
        return rc;
    if (!r->in.first_contig && !(r->in.first_contig = strdup(name)))
        return bird_fail_memory(strlen(name));
    if (contig >= 0 && !r->in.example_contig &&
        !(r->in.example_contig = strdup(name)))
        return bird_fail_memory(strlen(name));
    return 0;
}

/* After the first block: a header without contigs gets those of the reference,
 * named like those of the records. BCF and indexes also need the contigs that
 * a header lacks. */
static int declare_contigs(struct run *r)
{
    int none = !bird_vcf_contig_count(r->in.vcf), rc = 0;
    const char *name;

    /* an index lists the contigs of all records */
    for (int64_t i = 0;
         !rc && none && (name = bird_vcf_indexed_contig(r->in.vcf, i)); i++)
        rc = meet_contig(r, name);
    if (rc)
        return rc;
    if (none && !r->in.example_contig && r->in.first_contig)
        return bird_contigs_fail(&r->context, r->in.vcf, r->sum.n_record,
                                 r->in.first_contig);
    tell(r, "contig names: %s in the reference",
         bird_contig_map_told(r->in.map));
    if (!none && !is_bcf(r) && !r->o->index)
        return 0;
    return bird_contigs_declare(&r->context, r->in.vcf, r->in.map,
                                none ? r->in.example_contig : NULL);
}

/* Restrict a reader of the input to the regions, by the input's index. */
static int limit(struct run *r, struct bird_vcf *v, struct bird_text *why)
{
    int rc = r->sites.in ? bird_vcf_limit(v, why, r->sites.in, r->in.map) : 0;

    return rc < 0 ? rc : 0;
}

static int read_regions(struct run *r)
{
    const bird_variant_options *o = r->o;
    bird_regions list = {0};
    struct bird_text why = {0};
    int rc;

    if (!o->region && !o->regions)
        return 0;
    rc = bird_regions_read(&list, o->region, o->regions, r->context.genome,
                           BIRD_POINT_BASE);
    if (!rc)
        rc = bird_intervals_new(&r->in.regions, &list);
    bird_regions_free(&list);
    r->sites.in = &r->in.regions;
    if (!rc)
        rc = limit(r, r->in.vcf, &why);
    if (!rc && why.n)
        tell(r, "%s", why.s);
    r->sum.by_index = bird_vcf_is_limited(r->in.vcf);
    bird_text_free(&why);
    return rc;
}

static int open_table(struct run *r)
{
    enum bird_content c = r->format->content;
    int summed = c == BIRD_CONTENT_LARGEST || c == BIRD_CONTENT_FIELDS ||
                 (c == BIRD_CONTENT_ALLELES && !r->o->long_rows);

    return bird_snv_lookup_open(&r->sites.table, r->o->table, &r->context,
                                &r->selected, summed);
}

static int open_zero_shot(struct run *r)
{
    const struct bird_text *notice;
    int rc;

    if (bird_effect_is_likelihood(r->context.model))
        return bird_fail(BIRD_EINVAL,
                         "--zero-shot: %s is a masked-language model itself: "
                         "give a model of labels with -m",
                         bird_model_path(r->context.model));
    if (!r->context.calibrated)
        return bird_fail(BIRD_EINVAL,
                         "--zero-shot: %s has no background that fits, and "
                         "'combined' compares with both: make one with "
                         "`dnabird variant background -m %s`",
                         bird_model_path(r->context.model),
                         bird_model_path(r->context.model));
    rc = bird_zero_shot_open(&r->zero_shot, r->o->zero_shot, &r->o->params);
    r->sites.zero_shot = r->zero_shot;
    if (rc)
        return rc;
    notice = &r->zero_shot->context.notice;
    return notice->n ? bird_context_note(&r->context.notice, "%s", notice->s)
                     : 0;
}

/* Read the whole input once in advance: see() gets each record and its number,
 * from 0. */
static int read_ahead(struct run *r,
                      int (*see)(struct run *r, const struct bird_vcf_record *x,
                                 int64_t number))
{
    struct bird_vcf_record x = {0};
    struct bird_text why = {0};
    struct bird_vcf *v = NULL;
    int rc = bird_vcf_open(&v, r->o->variants);

    if (!rc)
        rc = limit(r, v, &why);
    for (int64_t n = 0; !rc && (rc = bird_vcf_next(v, &x)) > 0; n++)
        rc = see(r, &x, n);
    bird_text_free(&why);
    bird_vcf_record_free(&x);
    bird_vcf_free(v);
    return rc;
}

static int count_record(struct run *r, const struct bird_vcf_record *x,
                        int64_t number)
{
    r->in.total = number + 1;
    return meet_contig(r, x->contig);
}

/* Count the records of the whole input and note their contigs, so that all
 * shards declare the same ones. */
static int count_shard(struct run *r)
{
    int rc;

    r->in.most = INT64_MAX;
    if (!r->o->shard)
        return 0;
    if (!bird_vcf_is_file(r->in.vcf))
        return bird_fail(BIRD_EINVAL,
                         "%s: --shard counts the records first: name a file",
                         bird_vcf_name(r->in.vcf));
    if ((rc = read_ahead(r, count_record)))
        return rc;
    bird_shard_range(&r->in.skip, &r->in.most, &r->in.shard, r->in.total);
    r->in.most -= r->in.skip;
    return 0;
}

/* The score `motif` alone needs no model. */
static int open_scorers(struct run *r)
{
    const bird_variant_options *o = r->o;
    int rc = bird_motif_is_only_score(o)
                 ? bird_context_open_reference(&r->context, &o->params)
                 : bird_context_open(&r->context, &o->params);

    if (!rc && bird_motif_is_only_score(o) && o->params.model)
        rc = bird_context_note(&r->context.notice,
                               "the model %s is not used: --scores has motif "
                               "alone",
                               o->params.model);
    return rc;
}

static int select_scores(struct run *r)
{
    int rc = 0;

    if (!r->context.model)
        r->selected.motif = r->selected.scans_motifs = 1;
    else
        rc = bird_selected_scores_new(
            &r->selected, r->context.model,
            bird_effect_features(r->context.effect), r->o, r->format->content,
            r->context.calibrated ? &r->context.calibration : NULL,
            bird_effect_replicates(r->context.effect));
    if (!rc && r->context.model)
        bird_effect_set_distance(
            r->context.effect,
            bird_selected_scores_have_distance(&r->selected));
    /* a row of this format has one feature: that of the largest difference */
    if (!rc && r->format->content == BIRD_CONTENT_LARGEST && r->o->features &&
        r->selected.features.n > 1)
        rc = bird_context_note(
            &r->context.notice,
            "-O %s has the largest difference of all features: -F or --cell "
            "has no effect (-O tsv has the chosen ones)",
            r->format->name);
    if (!rc && r->selected.scans_motifs)
        rc = bird_motif_scan_open(&r->sites.motifs,
                                  r->o->motifs ? r->o->motifs : "jaspar");
    return rc;
}

static int open_input(struct run *r)
{
    const bird_variant_options *o = r->o;
    int rc = bird_shard_parse(&r->in.shard, o->shard);

    if (!rc)
        rc = open_scorers(r);
    if (!rc && o->zero_shot)
        rc = open_zero_shot(r);
    if (rc || (rc = bird_vcf_open(&r->in.vcf, o->variants)) ||
        (rc = bird_contig_map_new(&r->in.map, r->context.genome,
                                  o->contig_map)) ||
        (rc = bird_contigs_check(&r->context, r->in.vcf, r->in.map)))
        return rc;
    if (r->context.build.n)
        tell(r, "warning: %s", r->context.build.s);
    if ((rc = read_regions(r)) || (rc = count_shard(r)))
        return rc;
    r->sites.context = &r->context;
    r->sites.map = r->in.map;
    r->sites.policy = o->check_ref;
    r->sites.file = bird_vcf_name(r->in.vcf);
    rc = select_scores(r);
    return rc || !o->table ? rc : open_table(r);
}

/* Read the next block: 1, 0 at the end of the input, or an error. */
static int read_block(struct run *r)
{
    int64_t bytes = r->order.block_bytes;
    int got = 1;

    r->block.n = 0;
    r->block.before = r->order.block_n;
    r->block.first = r->block.before || !r->sum.n_record;
    r->order.block_n = r->order.block_bytes = 0;
    while (r->block.before + r->block.n < BLOCK_RECORDS &&
           bytes < BLOCK_BYTES) {
        struct bird_vcf_record *x = &r->block.record[r->block.n];

        if (r->sum.n_record == r->in.most) {
            got = 0;
            break;
        }
        if ((got = bird_vcf_next(r->in.vcf, x)) <= 0)
            break;
        r->sum.n_record++;
        r->order.read = bird_vcf_mix(r->order.read, r->in.vcf, x);
        got = meet_contig(r, x->contig);
        if (!got)
            got = bird_sites_inside(&r->sites, x);
        if (got < 0)
            break;
        if (!got) {
            r->sum.n_outside++;
            /* so that a block ends even if the regions leave all records out */
            bytes += 256;
            continue;
        }
        bytes += x->line.n + (x->hts ? 4096 : 0);
        r->block.reached[r->block.n++] = (struct reached){
            r->sum.n_record, r->sum.n_outside, bytes, r->order.read};
    }
    return got < 0 ? got : r->block.n > 0 || got;
}

/* Skip the records before the shard. */
static int seek_shard(struct run *r)
{
    struct bird_vcf_record x = {0};
    int got = 1;

    for (int64_t i = 0; i < r->in.skip && got > 0; i++)
        got = bird_vcf_next(r->in.vcf, &x);
    bird_vcf_record_free(&x);
    return got < 0 ? got
           : got   ? 0
                   : bird_fail(BIRD_EIO,
                               "%s: the file became shorter while it "
                                 "was read",
                               bird_vcf_name(r->in.vcf));
}

/* Skip a record and add it to the hashes: 1, 0 at the end, or an error. */
static int skip_record(struct run *r, struct bird_vcf_record *x, uint64_t *read,
                       uint64_t *bases)
{
    int got = bird_vcf_next(r->in.vcf, x), inside, rc;

    if (got <= 0)
        return got;
    *read = bird_vcf_mix(*read, r->in.vcf, x);
    if ((rc = meet_contig(r, x->contig)))
        return rc;
    if ((inside = bird_sites_inside(&r->sites, x)) <= 0)
        return inside < 0 ? inside : 1;
    rc = bird_sites_mix(&r->sites, bases, x);
    return rc ? rc : 1;
}

/* Skip the records that the resumed run wrote; they and the bases around them
 * must be the same. */
static int skip_records(struct run *r)
{
    struct bird_vcf_record x = {0};
    uint64_t read = 0, bases = 0;
    int got = 1;

    for (int64_t i = 0; i < r->sum.n_resumed && got > 0; i++)
        got = skip_record(r, &x, &read, &bases);
    bird_vcf_record_free(&x);
    if (got < 0)
        return got;
    if (!got || read != r->order.read)
        return bird_fail(BIRD_EFORMAT,
                         "%s: %s %lld records from which %s.partial was "
                         "made: give that file, or --force in place of "
                         "--resume to start over",
                         bird_vcf_name(r->in.vcf),
                         got ? "its first records are not the"
                             : "it has fewer than the",
                         (long long)r->sum.n_resumed, r->o->output);
    if (bases != r->order.bases)
        return bird_fail(BIRD_EFORMAT,
                         "%s: its bases are not those from which "
                         "%s.partial was made: give that reference, or leave "
                         "out --resume to start over",
                         r->o->params.fasta, r->o->output);
    return 0;
}

static int find_mark(struct run *r)
{
    json_t *state = NULL;
    int rc = bird_resume_identity(
        &r->identity, r->o, r->format->name, &r->context,
        r->zero_shot ? &r->zero_shot->context : NULL, &r->selected, r->in.vcf);

    if (rc || !r->o->resume)
        return rc;
    rc = bird_output_find_mark(&state, r->o->output);
    if (rc > 0) {
        rc = bird_resume_take(&r->sum, &r->order, &r->from_bytes, state,
                              r->identity, r->o->output);
        json_decref(state);
    } else if (!rc) {
        rc = bird_context_note(&r->context.notice,
                               "%s: nothing to resume: started over",
                               r->o->output);
    }
    return rc;
}

/* The header of BCF declares all that its records use. */
static int needs_ready(const struct run *r)
{
    return is_bcf(r) && !bird_vcf_is_bcf(r->in.vcf);
}

static int check_record(struct run *r, const struct bird_vcf_record *x,
                        int64_t number)
{
    const char *prefix = r->o->prefix ? r->o->prefix : BIRD_VCF_PREFIX;
    int inside = bird_sites_inside(&r->sites, x), rc = 0;

    r->in.total = number + 1;
    if (inside <= 0)
        return inside;
    if (needs_ready(r))
        rc = bird_vcf_ready_bcf(r->in.vcf, x, prefix);
    if (!rc && r->o->check_ref == BIRD_REF_ERROR && number >= r->in.skip &&
        number - r->in.skip < r->in.most)
        rc = bird_sites_check(&r->sites, x);
    return rc;
}

/* Read a file once in advance, so that what would end the run ends it before
 * hours of scoring. Records from standard input may fail later. */
static int check_records(struct run *r)
{
    return bird_vcf_is_file(r->in.vcf) &&
                   (needs_ready(r) || r->o->check_ref == BIRD_REF_ERROR)
               ? read_ahead(r, check_record)
               : 0;
}

/* Append a model and its background for the provenance lines. */
static int name_model(struct bird_text *model, struct bird_text *background,
                      const char *before, const struct bird_variant_context *c)
{
    char title[BIRD_MODEL_TITLE];
    int rc;

    if (!c->model)
        return 0;
    bird_model_title(title, c->model);
    rc = bird_text_printf(model, "%s%s", before, title);
    if (!rc && c->calibrated)
        rc = bird_text_printf(background, "%s", background->n ? before : "");
    return rc ? rc : bird_context_background(background, c);
}

static int open_output(struct run *r)
{
    const bird_variant_options *o = r->o;
    struct bird_text reference = {0}, background = {0}, model = {0};
    struct bird_provenance p = {0};
    int rc = bird_context_reference(&reference, &r->context);

    if (!rc)
        rc = name_model(&model, &background, "", &r->context);
    if (!rc && r->zero_shot)
        rc = name_model(&model, &background,
                        "; zero-shot: ", &r->zero_shot->context);
    if (!rc && r->sites.motifs)
        rc = bird_text_printf(
            &model, "%s%lld motifs of %s", model.n ? "; " : "",
            (long long)bird_motif_scan_motifs(r->sites.motifs)->n,
            bird_motif_scan_motifs(r->sites.motifs)->name);
    p.model = model.s;
    p.reference = reference.s;
    p.background = background.s;
    r->out.headless = r->in.shard.i > 1;
    r->out.map = r->in.map;
    r->out.genome = r->context.genome;
    if (!rc)
        rc = bird_variant_out_open(&r->out, o, &r->selected, &p, r->in.vcf,
                                   r->context.name, r->from_bytes);
    bird_text_free(&reference);
    bird_text_free(&background);
    bird_text_free(&model);
    return rc;
}

/* Report that n records of the block are computed. */
static int report(struct run *r, int64_t n)
{
    int64_t read, n_read, n_record = r->sum.n_record; /* bytes, or bases */
    bird_progress p = {
        "scoring", "records", n_record - (r->block.n - n), -1, NULL, NULL, 0};

    if (!r->o->progress)
        return 0;
    bird_vcf_progress(r->in.vcf, &read, &n_read);
    if (r->o->shard)
        p.total = r->in.most;
    else if (r->in.total)
        p.total = r->in.total;
    else
        p.share = bird_progress_share(p.done, n_record, read, n_read);
    return r->o->progress(r->o->progress_context, &p)
               ? bird_fail(BIRD_ECANCELED, "stopped")
               : 0;
}

/* Submit records from .. to-1 and compute them. Most are computed while they
 * are submitted, so progress is reported here. */
static int submit_part(struct run *r, int64_t from, int64_t to)
{
    int64_t n = 0;
    int rc = 0;

    for (int64_t i = from; i < to && !rc; i++) {
        r->block.at[i] = n;
        rc = bird_array_grow(&r->block.request, &r->block.cap_request,
                             n + r->block.record[i].n_alt + 1,
                             sizeof(*r->block.request));
        if (!rc && bird_output_resumes(r->out.track->output))
            rc =
                bird_sites_mix(&r->sites, &r->order.bases, &r->block.record[i]);
        if (!rc && !(rc = bird_sites_submit(&r->sites, r->block.request + n,
                                            &r->block.record[i])))
            rc = report(r, i + 1);
        n += r->block.record[i].n_alt;
    }
    r->block.at[to] = n;
    if (!rc)
        rc = bird_array_grow(&r->block.result, &r->block.cap_result, n + 1,
                             sizeof(*r->block.result));
    if (!rc && r->zero_shot)
        rc = bird_effect_flush(r->zero_shot->context.effect);
    return rc ? rc : bird_effect_flush(r->context.effect);
}

static int write_part(struct run *r, int64_t from, int64_t to)
{
    int rc = 0;

    for (int64_t i = from; i < to && !rc; i++) {
        struct bird_allele_result *o = r->block.result + r->block.at[i];
        int64_t n = r->block.record[i].n_alt;

        for (int64_t k = 0; k < n; k++) {
            bird_sites_result(&o[k], &r->sites,
                              r->block.request + r->block.at[i] + k);
            r->sum.status[o[k].status]++;
            r->sum.n_free +=
                o[k].request.tokenized_alone && r->context.anchored;
            r->sum.n_moved += o[k].request.moved;
            r->sum.n_cut += o[k].request.cut;
        }
        r->sum.n_allele += n;
        r->sum.status[BIRD_VARIANT_NO_ALT] += !n;
        rc = bird_order_put(&r->order, &r->block.record[i]);
        if (!rc)
            rc = bird_variant_out_put(&r->out, &r->block.record[i], o);
    }
    return rc;
}

/* The state of the run after record `to` of the block. */
static int make_state(json_t **out, const struct run *r, int64_t to)
{
    bird_variant_summary sum = r->sum;
    struct bird_order order = r->order;

    sum.n_table += r->sites.n_table;
    if (to < r->block.n) {
        const struct reached *at = &r->block.reached[to - 1];

        sum.n_record = at->n_record;
        sum.n_outside = at->n_outside;
        order.read = at->read;
        order.block_n = r->block.before + to;
        order.block_bytes = at->bytes;
    }
    return bird_resume_state(out, r->identity, &sum, &order);
}

/* End a part, and a compressed block; write a mark every MARK_S seconds. */
static int mark(struct run *r, int64_t to)
{
    json_t *state = NULL;
    time_t now = time(NULL);
    int rc = 0;

    /* plain text to a pipe needs neither; the block is flushed as a whole */
    if (to < r->block.n && !bird_output_resumes(r->out.track->output) &&
        bird_container_of(r->o->output, r->format->container) == BIRD_PLAIN)
        return 0;
    if (bird_output_resumes(r->out.track->output) &&
        now - r->marked >= MARK_S) {
        rc = make_state(&state, r, to);
        r->marked = now;
    }
    if (!rc)
        rc = bird_output_mark(r->out.track->output, state);
    json_decref(state);
    return rc;
}

/* Score the block; the first one in parts of 1, 1, 2, 4, ... records. */
static int score_block(struct run *r)
{
    int64_t from = 0;
    int rc = 0;

    do {
        int64_t done = r->block.before + from, to = r->block.n;

        if (r->block.first &&
            done + (done ? done : 1) < r->block.before + r->block.n)
            to = from + (done ? done : 1);
        if (!(rc = submit_part(r, from, to)) &&
            !(rc = write_part(r, from, to)) && !(rc = mark(r, to)))
            rc = report(r, to);
        from = to;
    } while (!rc && from < r->block.n);
    return rc;
}

static int run(struct run *r)
{
    int more = 1, rc;

    if ((rc = seek_shard(r)) || (r->sum.n_resumed && (rc = skip_records(r))))
        return rc;
    more = read_block(
        r); /* the block may be empty: the regions may leave all records out */
    rc = more < 0 ? more : declare_contigs(r);
    if (!rc)
        rc = check_records(r);
    if (!rc)
        rc = open_output(r);
    if (!rc)
        bird_context_begin(&r->context, &r->o->params);
    while (!rc && more > 0) {
        if ((rc = score_block(r)))
            break;
        bird_effect_evict(r->context.effect);
        if (r->zero_shot)
            bird_effect_evict(r->zero_shot->context.effect);
        bird_snv_lookup_evict(r->sites.table);
        if ((more = read_block(r)) < 0)
            rc = more;
    }
    return rc;
}

static int close_output(struct run *r)
{
    bird_track *t = r->out.track;
    int rc;

    r->out.track = NULL;
    r->sum.indexed = r->o->index && !r->order.unsorted;
    if (!r->sum.indexed)
        bird_output_skip_index(t->output);
    bird_track_reach(t, r->order.largest);
    rc = bird_track_close(t);
    if (rc || !r->o->index || r->sum.indexed)
        return rc;
    rc = bird_fail(BIRD_EFORMAT,
                   "record %lld of %s is out of order; sort the output (%s), "
                   "or sort the input (bcftools sort) and rerun",
                   (long long)r->order.unsorted, bird_vcf_name(r->in.vcf),
                   bird_index_sort(r->format->index));
    return bird_index_lost(r->o->output, rc);
}

static void count(struct run *r, const struct bird_variant_context *context)
{
    bird_session_counts t;

    bird_effect_count(context->effect, &t);
    r->sum.n_sequence += t.n_evaluated;
    r->sum.n_cached += t.n_cached;
    r->sum.n_trimmed += t.n_trimmed;
}

static int sum_up(struct run *r)
{
    int rc = 0;

    count(r, &r->context);
    if (r->zero_shot)
        count(r, &r->zero_shot->context);
    r->sum.n_table += r->sites.n_table;
    r->sum.window_bp = r->context.settings.window_bp;
    r->sum.n_feature = bird_effect_features(r->context.effect);
    r->sum.n_replicate = bird_effect_replicates(r->context.effect);
    snprintf(r->sum.shifts, sizeof(r->sum.shifts), "%s",
             r->context.settings.shifts);
    snprintf(r->sum.tokens, sizeof(r->sum.tokens), "%s",
             bird_tokens_name(r->context.settings.tokens));
    if (r->sites.motifs)
        r->sum.n_motif = bird_motif_scan_motifs(r->sites.motifs)->n;
    r->sum.calibrated = r->context.calibrated;
    r->sum.likelihood = r->selected.likelihood;
    if (r->sites.warning.n)
        rc = bird_context_note(
            &r->context.notice, "warning: %s (%lld allele%s in all)",
            r->sites.warning.s,
            (long long)r->sum.status[BIRD_VARIANT_REF_MISMATCH],
            r->sum.status[BIRD_VARIANT_REF_MISMATCH] == 1 ? "" : "s");
    if (!rc)
        rc = bird_variant_out_note(&r->out, &r->context.notice);
    bird_context_summarize(&r->context, r->sum.model, r->sum.digest,
                           r->sum.build, r->sum.notice);
    snprintf(r->sum.contigs, sizeof(r->sum.contigs), "%s",
             bird_contig_map_told(r->in.map));
    return rc;
}

static void clean_up(struct run *r)
{
    bird_variant_out_free(&r->out);
    bird_selected_scores_free(&r->selected);
    bird_snv_lookup_free(r->sites.table);
    bird_motif_scan_free(r->sites.motifs);
    bird_sites_free(&r->sites);
    bird_order_free(&r->order);
    bird_intervals_free(&r->in.regions);
    bird_contig_map_free(r->in.map);
    for (int64_t i = 0; i < BLOCK_RECORDS; i++)
        bird_vcf_record_free(&r->block.record[i]);
    bird_vcf_free(r->in.vcf);
    bird_zero_shot_free(r->zero_shot);
    bird_context_close(&r->context);
    json_decref(r->identity);
    free(r->in.first_contig);
    free(r->in.example_contig);
    free(r->block.request);
    free(r->block.result);
    free(r);
}

int bird_variant_run(bird_variant_summary *out, const bird_variant_options *o)
{
    struct run *r;
    int rc = bird_variant_check(o);

    if (rc)
        return rc;
    r = calloc(1, sizeof(*r));
    if (!r)
        return bird_fail_memory(sizeof(*r));
    r->o = o;
    if (!(rc = bird_variant_format(&r->format, o)) && !(rc = open_input(r)) &&
        !(rc = find_mark(r)) && !(rc = run(r)) && !(rc = close_output(r)) &&
        !(rc = sum_up(r)) && out)
        *out = r->sum;
    clean_up(r);
    return rc;
}
