/* Backgrounds for e-values and z: the scores of random changes, or of the
 * alleles of a VCF.
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/guard.h"
#include "base/mem.h"
#include "base/rng.h"
#include "variant/variant_site.h"

enum {
    BLOCK = 4096,
    MAX_ROUNDS = 100,
    MAX_TRIES = 1 << 20, /* positions of one round */
    TRIES_FOR_ONE = 4 * MAX_TRIES,
    FEW = 1000,
    LONGEST = 64
};

struct sample { /* a random change */
    int64_t contig, pos, number;
};

/* Numbers of samples: class c begins at c << CLASS_BIT; the positions that
 * inserted bases are copied from have SOURCE_BIT set. */
enum { CLASS_BIT = 40, SOURCE_BIT = 39 };

struct statistics {    /* of all changes that were computed */
    float *diff;       /* (n, n_feature) */
    float *ref;        /* (n, n_feature) values of REF, or NULL */
    uint8_t *class_of; /* (n) bird_change_class() */
    int64_t n, n_feature, cap_diff, cap_ref, cap_class;
};

struct making {
    /* options */
    const bird_background_options *o;
    struct bird_variant_context context;
    bird_regions regions;
    int64_t *before;        /* (regions.n + 1) bases before each region */
    int64_t block;          /* changes that are computed together */
    int has_ref;            /* 1: strata by REF's value */
    int64_t n_other, n_all; /* samples of a class of several bases; of all */
    /* running */
    struct sample *sample; /* tried positions of a class */
    int64_t n_sample, cap_sample;
    struct bird_text ref, alt;
    struct bird_change change;
    struct bird_request *request; /* (n_request) submitted, not computed yet */
    int64_t n_request, cap_request;
    struct statistics kept;
    int64_t left[BIRD_VARIANT_STATUSES]; /* alleles of a VCF that were left
                                            out; OK: on short contigs */
    bird_background_summary sum;
};

void bird_background_options_default(bird_background_options *o)
{
    *o = (bird_background_options){.n = 100000, .n_other = -1, .seed = 1};
    o->params.max_unknown = 0.05;
    o->params.span_bp = -1;
}

static int check(const bird_background_options *o)
{
    int rc = bird_params_check(&o->params);

    if (!rc && (o->n < 1 || o->n > INT32_MAX))
        rc = bird_fail(BIRD_EINVAL, "a background of %lld variants",
                       (long long)o->n);
    if (!rc && (o->n_other < -1 || o->n_other > INT32_MAX))
        rc = bird_fail(BIRD_EINVAL,
                       "a background of %lld changes of every other class",
                       (long long)o->n_other);
    return rc;
}

/* Keep the statistics of a computed request. */
static int keep_statistics(struct making *m, const struct bird_request *r)
{
    struct statistics *k = &m->kept;
    const struct bird_effect *e = m->context.effect;
    int64_t n = k->n_feature;
    int rc =
        bird_array_grow(&k->diff, &k->cap_diff, (k->n + 1) * n, sizeof(float));

    if (!rc && m->has_ref)
        rc = bird_array_grow(&k->ref, &k->cap_ref, (k->n + 1) * n,
                             sizeof(float));
    if (!rc)
        rc = bird_array_grow(&k->class_of, &k->cap_class, k->n + 1, 1);
    if (rc)
        return rc;
    bird_effect_statistics(k->diff + k->n * n, e, r);
    if (m->has_ref)
        memcpy(k->ref + k->n * n, bird_effect_values(e, r->ref),
               (size_t)n * sizeof(float));
    k->class_of[k->n++] = (uint8_t)r->change_class;
    return 0;
}

/* Compute what was submitted and keep its statistics. */
static int compute(struct making *m)
{
    bird_progress p = {"scoring", "variants", 0, m->o->variants ? -1 : m->n_all,
                       NULL,      NULL,       0};
    int rc = bird_effect_flush(m->context.effect);

    for (int64_t i = 0; i < m->n_request && !rc; i++)
        rc = keep_statistics(m, &m->request[i]);
    m->n_request = 0;
    bird_effect_evict(m->context.effect);
    p.done = m->kept.n;
    if (!rc && m->o->progress && m->o->progress(m->o->progress_context, &p))
        rc = bird_fail(BIRD_ECANCELED, "stopped");
    return rc;
}

static int keep(struct making *m, const struct bird_request *a)
{
    int rc = bird_array_grow(&m->request, &m->cap_request, m->n_request + 1,
                             sizeof(*m->request));

    if (!rc)
        m->request[m->n_request++] = *a;
    return rc;
}

static int by_number(const void *a, const void *b)
{
    const struct sample *x = a, *y = b;

    return (x->number > y->number) - (x->number < y->number);
}

static int by_position(const void *a, const void *b)
{
    const struct sample *x = a, *y = b;

    if (x->contig != y->contig)
        return (x->contig > y->contig) - (x->contig < y->contig);
    if (x->pos != y->pos)
        return (x->pos > y->pos) - (x->pos < y->pos);
    return by_number(a, b);
}

static int make_regions(struct making *m)
{
    bird_genome *g = m->context.genome;
    int64_t total = 0;
    int rc = 0;

    if (m->o->regions)
        rc = bird_regions_read_bed(&m->regions, m->o->regions);
    for (int64_t i = 0; !m->o->regions && i < bird_genome_count(g) && !rc; i++)
        if (bird_genome_length(g, i) > 0)
            rc = bird_region_parse(&m->regions, bird_genome_name(g, i), g);
    if (!rc)
        rc = bird_regions_resolve(&m->regions, g);
    if (rc)
        return rc;
    bird_regions_merge(&m->regions);
    rc = bird_array_new(&m->before, m->regions.n + 1, sizeof(*m->before));
    for (int64_t i = 0; i < m->regions.n && !rc; i++) {
        total += m->regions.at[i].end - m->regions.at[i].start;
        m->before[i + 1] = total;
    }
    if (!rc && !total)
        rc = bird_fail(BIRD_EINVAL, "no bases to sample changes from");
    return rc;
}

/* The position of a sample: every base of the regions is equally likely. */
static struct sample sample_position(const struct making *m, int64_t number)
{
    struct sample d = {.number = number};
    struct bird_rng r;
    int64_t at, low = 0, high = m->regions.n;

    bird_rng_init(&r, m->o->seed, 1, (uint64_t)number);
    at = (int64_t)bird_rng_below(&r, (uint64_t)m->before[m->regions.n]);
    while (high - low > 1) {
        int64_t mid = (low + high) / 2;

        if (m->before[mid] <= at)
            low = mid;
        else
            high = mid;
    }
    d.contig = m->regions.at[low].index;
    d.pos = m->regions.at[low].start + (at - m->before[low]);
    return d;
}

/* A base that another base becomes in a change of this kind: by a transition,
 * by one of two transversions, or any of three. */
static char random_base(enum bird_change_kind kind, struct bird_rng *r, char is)
{
    static const char bases[] = "AGCT"; /* a transition flips the last bit */
    int i = (int)(strchr(bases, is) - bases);

    if (kind == BIRD_REPLACED)
        return bases[i ^ (1 + (int)bird_rng_below(r, 3))];
    if (kind != BIRD_TRANSVERSION)
        return bases[i ^ 1];
    return bases[(i ^ 2) ^ (int)bird_rng_below(r, 2)];
}

/* Read n bases; *got 0: they reach beyond the contig, or not all are A, C, G,
 * T. */
static int fetch(struct making *m, struct bird_text *out, int *got,
                 const struct sample *d, int64_t n)
{
    const char *letter;
    int rc = 0;

    bird_text_clear(out);
    *got = d->pos + n <= bird_genome_length(m->context.genome, d->contig);
    if (*got)
        rc = bird_contig_cache_get(
            &letter, bird_effect_cache(m->context.effect), m->context.genome,
            d->contig, d->pos, d->pos + n);
    if (*got && !rc)
        rc = bird_text_put(out, letter, n);
    for (int64_t i = 0; *got && !rc && i < n; i++)
        *got = strchr("ACGT", out->s[i]) != NULL;
    return rc;
}

/* Length of the longest sample of a class without an upper limit. */
static int64_t longest_sample(const struct making *m)
{
    int64_t n = m->context.settings.window_bp / 4;

    return n < LONGEST ? n : LONGEST;
}

/* REF and ALT of a sample of this kind and n bases, into m->ref and m->alt. */
static int make_alleles(struct making *m, int *got, const struct sample *d,
                        enum bird_change_kind kind, int64_t n)
{
    struct sample from = *d;
    struct bird_rng r;
    int rc;

    bird_text_clear(&m->ref);
    bird_text_clear(&m->alt);
    /* copy inserted bases from another position, so that they look like genomic
       sequence, or those that follow, to lengthen a repeat */
    if (kind == BIRD_INSERTION)
        from = sample_position(m, d->number | INT64_C(1) << SOURCE_BIT);
    if (kind == BIRD_INSERTION || kind == BIRD_INSERTION_REPEAT)
        return fetch(m, &m->alt, got, &from, n);
    rc = fetch(m, &m->ref, got, d, n);
    bird_rng_init(&r, m->o->seed, 3, (uint64_t)d->number);
    for (int64_t i = 0; *got && !rc && kind <= BIRD_REPLACED && i < n; i++) {
        char base = random_base(kind, &r, m->ref.s[i]);

        rc = bird_text_put(&m->alt, &base, 1);
    }
    return rc;
}

/* Make m->change of a sample; *made 0: it lies on N, or is of another class. */
static int make_change(struct making *m, int *made, const struct sample *d)
{
    int change_class = (int)(d->number >> CLASS_BIT);
    struct bird_change_range range = bird_change_range(change_class);
    int64_t most =
        range.most < longest_sample(m) ? range.most : longest_sample(m);
    int64_t n = range.least;
    struct bird_rng r;
    int is = -1, rc;

    bird_rng_init(&r, m->o->seed, 2, (uint64_t)d->number);
    if (most > n) /* a single base has a fixed length */
        n += (int64_t)bird_rng_below(&r, (uint64_t)(most - n + 1));
    rc = make_alleles(m, made, d, range.kind, n);
    if (rc || !*made)
        return rc;
    m->change.contig = d->contig;
    m->change.start = d->pos;
    if ((rc = bird_text_put(&m->ref, "", 0)) ||
        (rc = bird_text_put(&m->alt, "", 0)))
        return rc;
    rc = bird_change_normal(&m->change, bird_effect_cache(m->context.effect),
                            m->context.genome, m->ref.s, m->alt.s);
    if (rc > 0)
        rc = bird_change_class(&is, &m->change,
                               bird_effect_cache(m->context.effect),
                               m->context.genome);
    *made = is == change_class;
    return rc;
}

/* Submit a sample; *kept 0: it has too many N around it, is too long, or lies
 * on a contig shorter than the window. */
static int submit_sample(struct making *m, const struct sample *d, int *kept)
{
    enum bird_variant_status status = BIRD_VARIANT_NO_CHANGE;
    struct bird_request a;
    int made, rc = make_change(m, &made, d);

    *kept = 0;
    if (!rc && made)
        rc = bird_effect_submit(m->context.effect, &a, &status, &m->change);
    if (rc || status != BIRD_VARIANT_OK || a.cut)
        return rc;
    *kept = 1;
    return keep(m, &a);
}

/* Try positions from *number on, in the order of the genome, and put up to
 * `want` of those with a change of the class into m->sample. The first numbers
 * are taken, so that every such position is equally likely. */
static int try_positions(struct making *m, int64_t *number, int64_t n_try,
                         int64_t want)
{
    int64_t n = 0;
    int rc =
        bird_array_grow(&m->sample, &m->cap_sample, n_try, sizeof(*m->sample));

    if (rc)
        return rc;
    for (int64_t i = 0; i < n_try; i++)
        m->sample[i] = sample_position(m, (*number)++);
    qsort(m->sample, (size_t)n_try, sizeof(*m->sample), by_position);
    for (int64_t i = 0; i < n_try && !rc; i++) {
        int made;

        rc = make_change(m, &made, &m->sample[i]);
        if (!rc && made)
            m->sample[n++] = m->sample[i];
    }
    qsort(m->sample, (size_t)n, sizeof(*m->sample), by_number);
    m->n_sample = n < want ? n : want;
    qsort(m->sample, (size_t)m->n_sample, sizeof(*m->sample), by_position);
    return rc;
}

/* "insertions of 2 to 4 bases" */
static void name_class(char out[80], int change_class)
{
    static const char *const kind[] = {
        [BIRD_CPG_TRANSITION] = "CpG transitions",
        [BIRD_OTHER_TRANSITION] = "other transitions",
        [BIRD_TRANSVERSION] = "transversions",
        [BIRD_REPLACED] = "replacements",
        [BIRD_INSERTION] = "insertions",
        [BIRD_INSERTION_REPEAT] = "insertions into a repeat",
        [BIRD_DELETION] = "deletions",
        [BIRD_DELETION_REPEAT] = "deletions from a repeat"};
    struct bird_change_range r = bird_change_range(change_class);

    if (change_class < BIRD_SINGLE_CLASSES)
        snprintf(out, 80, "%s", kind[r.kind]);
    else if (r.most == r.least)
        snprintf(out, 80, "%s of %lld base%s", kind[r.kind], (long long)r.least,
                 r.least == 1 ? "" : "s");
    else if (r.most == INT64_MAX)
        snprintf(out, 80, "%s of %lld bases or more", kind[r.kind],
                 (long long)r.least);
    else
        snprintf(out, 80, "%s of %lld to %lld bases", kind[r.kind],
                 (long long)r.least, (long long)r.most);
}

/* Submit `want` samples of a class. Positions without such a change, and
 * changes with too many N around, are replaced by further ones. */
static int sample_class(struct making *m, int change_class, int64_t want)
{
    int64_t number = (int64_t)change_class << CLASS_BIT, all = want;
    int64_t n_try = want, tried = 0, found = 0;
    int rc = 0;

    for (int round = 0; want > 0 && !rc; round++) {
        int64_t got = 0;

        if (round == MAX_ROUNDS || (!found && tried > TRIES_FOR_ONE)) {
            char name[80];

            name_class(name, change_class);
            return bird_fail(BIRD_EINVAL,
                             "the regions have too few positions for %s: %lld "
                             "of %lld were found: give other regions (N, or "
                             "no such bases?) or fewer changes",
                             name, (long long)(all - want), (long long)all);
        }
        rc = try_positions(m, &number, n_try, want);
        for (int64_t i = 0; i < m->n_sample && !rc; i++) {
            int kept = 0;

            rc = submit_sample(m, &m->sample[i], &kept);
            got += kept;
            if (!rc && m->n_request >= m->block)
                rc = compute(m);
        }
        m->sum.n_left += m->n_sample - got;
        want -= got;
        tried += n_try;
        found += m->n_sample;
        n_try = got < want && n_try < MAX_TRIES / 4 ? 4 * n_try : n_try;
    }
    return rc;
}

/* Samples of a class: a third of -n for each class of single bases; none of a
 * class that does not fit into a window. */
static int64_t class_size(const struct making *m, int change_class)
{
    if (change_class < BIRD_SINGLE_CLASSES)
        return (m->o->n + BIRD_SINGLE_CLASSES - 1 - change_class) /
               BIRD_SINGLE_CLASSES;
    return bird_change_range(change_class).least <= longest_sample(m)
               ? m->n_other
               : 0;
}

static int sample_all(struct making *m)
{
    int rc = make_regions(m);

    m->n_all = 0;
    for (int c = 0; c < BIRD_CHANGE_CLASSES; c++)
        m->n_all += class_size(m, c);
    for (int c = 0; c < BIRD_CHANGE_CLASSES && !rc; c++)
        rc = sample_class(m, c, class_size(m, c));
    return rc;
}

/* Submit the alleles of a VCF. */
static int read_all(struct making *m)
{
    struct bird_vcf *v = NULL;
    struct bird_contig_map *map = NULL;
    struct bird_vcf_record r = {0};
    struct bird_allele_request *a = NULL;
    struct bird_sites s = {.context = &m->context, .policy = BIRD_REF_SKIP};
    int64_t cap = 0;
    int rc = bird_vcf_open(&v, m->o->variants), got = 0;

    if (!rc)
        rc = bird_contig_map_new(&map, m->context.genome, NULL);
    s.map = map;
    s.file = m->o->variants;
    while (!rc && (got = bird_vcf_next(v, &r)) > 0) {
        rc = bird_array_grow(&a, &cap, r.n_alt + 1, sizeof(*a));
        if (!rc)
            rc = bird_sites_submit(&s, a, &r);
        for (int64_t i = 0; i < r.n_alt && !rc; i++)
            if (a[i].status == BIRD_VARIANT_OK && !a[i].request.cut)
                rc = keep(m, &a[i].request);
            else {
                m->sum.n_left++;
                m->left[a[i].status]++;
            }
        if (!rc && m->n_request >= m->block)
            rc = compute(m);
    }
    bird_vcf_record_free(&r);
    bird_sites_free(&s);
    bird_contig_map_free(map);
    bird_vcf_free(v);
    free(a);
    return rc ? rc : got;
}

/* None of the alleles of a VCF was scored: say why. */
static int fail_all(const struct making *m)
{
    struct bird_text why = {0};
    int rc = 0;

    for (int i = 0; i < BIRD_VARIANT_STATUSES && !rc; i++)
        if (m->left[i])
            rc = bird_text_printf(&why, "%s%s %lld", why.n ? ", " : "",
                                  i == BIRD_VARIANT_OK
                                      ? "on contigs shorter than the window"
                                      : bird_variant_status_name(i),
                                  (long long)m->left[i]);
    if (!rc && why.n)
        rc = bird_fail(BIRD_EINVAL,
                       "%s: none of the alleles could be scored: %s ('dnabird "
                       "help status' explains the reasons)",
                       m->o->variants, why.s);
    else if (!rc)
        rc = bird_fail(BIRD_EINVAL, "%s: no record has an ALT to score",
                       m->o->variants);
    bird_text_free(&why);
    return rc;
}

static int describe(struct making *m)
{
    const bird_background_options *o = m->o;
    char fasta[80], from[80] = "";
    struct bird_text t = {0};
    int rc;

    bird_path_base(fasta, sizeof(fasta), o->params.fasta);
    if (o->variants || o->regions)
        bird_path_base(from, sizeof(from),
                       o->variants ? o->variants : o->regions);
    if (o->variants)
        rc = bird_text_printf(&t, "the alleles of %s on %s", from, fasta);
    else
        rc = bird_text_printf(
            &t,
            "random changes, every A, C, G, T of %s%s%s equally likely: CpG "
            "transitions, other transitions and transversions in equal "
            "numbers%s, seed %llu",
            fasta, *from ? " in " : "", from,
            m->n_other ? "; changes of several bases, insertions and deletions "
                         "by length"
                       : "",
            (unsigned long long)o->seed);
    if (!rc)
        snprintf(m->sum.about, sizeof(m->sum.about), "%s", t.s);
    bird_text_free(&t);
    return rc;
}

/* Warn about a small background, and about one that replaces a larger one. */
static int note(struct making *m, const char *path)
{
    struct bird_calibration old = {0};
    int rc = 0;

    if (m->kept.n < FEW)
        rc = bird_context_note(&m->context.notice,
                               "warning: %lld variants are few: no e-value of "
                               "this background is below %.2g; give -n 100000",
                               (long long)m->kept.n,
                               1 / ((double)m->kept.n + 1));
    /* an invalid file, or another model's, may be replaced */
    if (!rc && bird_calibration_read(&old, path, m->kept.n_feature) > 0 &&
        old.n > m->kept.n &&
        !strcmp(old.settings.digest, m->context.settings.digest))
        rc = bird_context_note(&m->context.notice,
                               "warning: %s was a background of %lld variants: "
                               "replaced by one of %lld",
                               path, (long long)old.n, (long long)m->kept.n);
    bird_calibration_free(&old);
    return rc;
}

static int write_file(struct making *m)
{
    struct bird_calibration c = {0};
    const char *place = m->o->output;
    char *path = NULL;
    const struct bird_calibration_changes changes = {
        .n = m->kept.n,
        .n_feature = m->kept.n_feature,
        .diff = m->kept.diff,
        .ref = m->kept.ref,
        .class_of = m->kept.class_of,
        .n_class = BIRD_CHANGE_CLASSES};
    int rc;

    if (!m->kept.n)
        return fail_all(m);
    rc = bird_calibration_make(&c, &changes);
    if (rc)
        return rc;
    c.settings = m->context.settings;
    if (!(c.about = strdup(m->sum.about)))
        rc = bird_fail_memory(0);
    if (!rc && !place) {
        rc = bird_context_calibration(&path, &m->context);
        place = path;
    }
    if (!rc) { /* the path was read as the model's background and may be
                  overwritten */
        bird_guard_own(place);
        rc = note(m, place);
    }
    if (!rc)
        rc = bird_calibration_write(&c, place);
    if (!rc)
        snprintf(m->sum.path, sizeof(m->sum.path), "%s", place);
    bird_calibration_free(&c);
    free(path);
    return rc;
}

int bird_variant_background(bird_background_summary *out,
                            const bird_background_options *o)
{
    bird_session_counts t;
    struct making *m;
    int rc = check(o);

    if (rc)
        return rc;
    m = calloc(1, sizeof(*m));
    if (!m)
        return bird_fail_memory(sizeof(*m));
    m->o = o;
    m->context.fresh = m->context.renews = 1;
    if ((rc = bird_context_open(&m->context, &o->params)))
        goto done;
    m->block = BLOCK / (1 + bird_effect_replicates(m->context.effect));
    m->kept.n_feature = bird_effect_n_statistic(m->context.effect);
    m->has_ref = !bird_effect_is_likelihood(m->context.model);
    m->n_other = o->n_other >= 0 ? o->n_other : o->n / 10;
    if (o->output) { /* fail now, not after hours of computing */
        bird_guard_own(o->output);
        if ((rc = bird_guard_output(o->output)))
            goto done;
    }
    bird_context_begin(&m->context, &o->params);
    if ((rc = describe(m)) ||
        (rc = o->variants ? read_all(m) : sample_all(m)) || (rc = compute(m)) ||
        (rc = write_file(m)))
        goto done;
    bird_effect_count(m->context.effect, &t);
    m->sum.n = m->kept.n;
    m->sum.n_feature = bird_effect_features(m->context.effect);
    m->sum.n_sequence = t.n_evaluated;
    m->sum.window_bp = m->context.settings.window_bp;
    bird_context_summarize(&m->context, m->sum.model, m->sum.digest,
                           m->sum.build, m->sum.notice);
    *out = m->sum;
done:
    bird_context_close(&m->context);
    bird_regions_free(&m->regions);
    bird_change_free(&m->change);
    free(m->before);
    free(m->request);
    free(m->kept.diff);
    free(m->kept.ref);
    free(m->kept.class_of);
    free(m->sample);
    bird_text_free(&m->ref);
    bird_text_free(&m->alt);
    free(m);
    return rc;
}
