/* Baselines of an allele: distance from the ends of its element, change of G+C
 * and of CpG, transition or transversion, change of motif matches, and change of
 * the k-mer baseline.
 * SPDX-License-Identifier: MIT */
#include "eval/allele_set.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/mem.h"
#include "dnabird/features.h"
#include "dnabird/metrics.h"
#include "dnabird/model.h"
#include "eval/allele_table.h"
#include "peers/baseline.h"
#include "seq/reference.h"
#include "variant/allele.h"
#include "variant/motif_change.h"

enum { MIDDLE, GC, CPG, TRANSVERSION, N_PLAIN };

#define PREFIX "baseline:"

static const char *const plain_name[N_PLAIN] = {
    PREFIX "middle", PREFIX "gc", PREFIX "cpg", PREFIX "transversion"};

enum {
    AROUND = 600
}; /* bp around the allele for k-mer baselines that were
                          not fitted on bins */

struct bird_allele_baselines {
    bird_genome *g;
    struct bird_contig_cache cache;
    struct bird_motif_scan *motifs; /* or NULL */
    bird_baseline *kmers;           /* or NULL */
    double *answer;                 /* (columns) */
    uint8_t *chosen; /* (columns) 1: the label is a score of its own; or NULL */
    struct bird_text alt; /* sequence around the allele, with ALT */
};

/* --- making --------------------------------------------------------------- */

static int open_kmers(struct bird_allele_baselines *b, const char *model)
{
    char *path = NULL;
    int rc = bird_path_join(&path, model, "baseline.safetensors");

    if (!rc && !bird_file_exists(path))
        rc = bird_fail(BIRD_EINVAL,
                       "%s: no k-mer baseline (baseline.safetensors)", model);
    if (!rc)
        rc = bird_baseline_open(&b->kmers, path);
    if (!rc && !bird_baseline_has(b->kmers, BIRD_BASELINE_KMER))
        rc = bird_fail(BIRD_EINVAL, "%s: no k-mer baseline in this file", path);
    if (!rc)
        rc = bird_array_new(&b->answer, bird_baseline_columns(b->kmers),
                            sizeof(*b->answer));
    free(path);
    return rc;
}

/* Choose the labels that are scores of their own. */
static int choose_labels(struct bird_allele_baselines *b,
                         struct bird_allele_set *s,
                         const bird_variants_options *o)
{
    bird_features list = {0};
    int rc = bird_features_open(&list, o->model);

    if (!rc && list.n != bird_baseline_columns(b->kmers))
        rc = bird_fail(BIRD_EFORMAT,
                       "%s: the model has %lld labels, its k-mer baseline %lld",
                       o->model, (long long)list.n,
                       (long long)bird_baseline_columns(b->kmers));
    if (!rc)
        rc = bird_array_new(&b->chosen, list.n, 1);
    if (!rc)
        rc = bird_features_select(b->chosen, &list, o->features);
    for (int64_t k = 0; !rc && k < list.n; k++) {
        struct bird_text name = {0};

        if (!b->chosen[k])
            continue;
        rc = bird_text_printf(&name, PREFIX "kmer:%s", list.at[k].name);
        if (!rc)
            rc = bird_allele_set_name_score(s, name.s);
        bird_text_free(&name);
    }
    bird_features_free(&list);
    return rc;
}

int bird_allele_baselines_new(struct bird_allele_baselines **out,
                              struct bird_allele_set *s,
                              const bird_variants_options *o)
{
    struct bird_allele_baselines *b;
    int rc;

    if (!o->fasta)
        return 0;
    rc = bird_array_new(&b, 1, sizeof(*b));
    if (rc)
        return rc;
    rc = bird_genome_open(&b->g, o->fasta);
    if (!rc && bird_genome_notice(b->g))
        rc = bird_allele_set_note(s, "%s", bird_genome_notice(b->g));
    for (int k = 0; !rc && k < N_PLAIN; k++)
        rc = bird_allele_set_name_score(s, plain_name[k]);
    if (!rc && o->motifs && strcmp(o->motifs, "none") != 0) {
        rc = bird_motif_scan_open(&b->motifs, o->motifs);
        if (!rc)
            rc = bird_allele_set_name_score(s, PREFIX "motif");
    }
    if (!rc && o->model)
        rc = open_kmers(b, o->model);
    if (!rc && o->model)
        rc = bird_allele_set_name_score(s, PREFIX "kmer");
    if (!rc && o->model && o->features)
        rc = choose_labels(b, s, o);
    if (rc)
        bird_allele_baselines_free(b);
    else
        *out = b;
    return rc;
}

void bird_allele_baselines_free(struct bird_allele_baselines *b)
{
    if (!b)
        return;
    bird_contig_cache_free(&b->cache);
    bird_genome_free(b->g);
    bird_motif_scan_free(b->motifs);
    bird_baseline_free(b->kmers);
    free(b->answer);
    free(b->chosen);
    bird_text_free(&b->alt);
    free(b);
}

int64_t bird_allele_baselines_contig(const struct bird_allele_baselines *b,
                                     const char *name)
{
    int64_t i = bird_genome_find_alias(b->g, name);

    return i < 0 ? -1 : bird_genome_length(b->g, i);
}

/* --- scores --------------------------------------------------------------- */

static double count_gc(const char *s, int64_t n)
{
    double sum = 0;

    for (int64_t i = 0; i < n; i++)
        sum += s[i] == 'G' || s[i] == 'C';
    return sum;
}

static double count_cpg(const char *s, int64_t n)
{
    double sum = 0;

    for (int64_t i = 0; i + 1 < n; i++)
        sum += s[i] == 'C' && s[i + 1] == 'G';
    return sum;
}

/* A <-> G and C <-> T are transitions; NaN unless one base replaces one
 * base. */
static double transversion(const struct bird_allele_row *r)
{
    struct bird_difference d = bird_allele_difference(r->ref, r->alt);
    char a = r->ref[d.at], b = r->alt[d.at];

    if (d.n_ref != 1 || d.n_alt != 1)
        return (double)NAN;
    return !((a == 'A' && b == 'G') || (a == 'G' && b == 'A') ||
             (a == 'C' && b == 'T') || (a == 'T' && b == 'C'));
}

/* Bases around[0] .. around[1] of the contig; b->alt: the same with ALT in
 * place of REF. */
static int with_alt(struct bird_allele_baselines *b, const char **bases,
                    int64_t contig, const struct bird_allele_row *r,
                    const int64_t around[2])
{
    int64_t n = (int64_t)strlen(r->ref), behind = r->pos + n;
    int rc = bird_contig_cache_get(bases, &b->cache, b->g, contig, around[0],
                                   around[1]);

    bird_text_clear(&b->alt);
    if (!rc)
        rc = bird_text_put(&b->alt, *bases, r->pos - around[0]);
    if (!rc)
        rc = bird_text_put(&b->alt, r->alt, (int64_t)strlen(r->alt));
    if (!rc)
        rc = bird_text_put(&b->alt, *bases + (behind - around[0]),
                           around[1] - behind);
    return rc;
}

static int check_ref(struct bird_allele_baselines *b, int64_t *contig,
                     const struct bird_allele_row *r, const char *where)
{
    int64_t i = bird_genome_find_alias(b->g, r->contig);
    int64_t n = (int64_t)strlen(r->ref);
    struct bird_text have = {0};
    const char *bases;
    int rc;

    if (i < 0)
        return bird_fail(BIRD_ERANGE, "%s: no contig of %s has this name",
                         where, bird_genome_path(b->g));
    if (r->pos < 0 || r->pos + n > bird_genome_length(b->g, i))
        return bird_fail(BIRD_ERANGE, "%s: beyond the end of %s in %s", where,
                         r->contig, bird_genome_path(b->g));
    rc = bird_contig_cache_get(&bases, &b->cache, b->g, i, r->pos, r->pos + n);
    if (!rc)
        rc = bird_text_put(&have, bases, n);
    if (!rc && bird_allele_check(r->ref, have.s) == BIRD_VARIANT_REF_MISMATCH)
        rc = bird_fail(BIRD_ERANGE, "%s: %s has %.40s there, not REF", where,
                       bird_genome_path(b->g), have.s);
    bird_text_free(&have);
    *contig = i;
    return rc;
}

/* Set around[] to lo .. hi, cut at the ends of the contig. */
static void set_around(int64_t around[2], int64_t lo, int64_t hi,
                       int64_t length)
{
    around[0] = lo > 0 ? lo : 0;
    around[1] = hi < length ? hi : length;
}

static int score_kmers(struct bird_allele_baselines *b, double *out,
                       int64_t contig, const struct bird_allele_row *r)
{
    int64_t n = bird_baseline_context(b->kmers), around[2];
    int64_t end = r->pos + (int64_t)strlen(r->ref);
    const char *bases;
    double most = 0;
    int rc;

    n = n ? n : AROUND;
    set_around(around, r->pos - n / 2,
               end > r->pos + n / 2 ? end : r->pos + n / 2,
               bird_genome_length(b->g, contig));
    rc = with_alt(b, &bases, contig, r, around);
    if (rc)
        return rc;
    bird_baseline_difference(b->kmers, b->answer, bases, around[1] - around[0],
                             b->alt.s, b->alt.n);
    for (int64_t k = 0, at = 1; k < bird_baseline_columns(b->kmers); k++) {
        most = fabs(b->answer[k]) > fabs(most) ? b->answer[k] : most;
        if (b->chosen && b->chosen[k])
            out[at++] = b->answer[k];
    }
    out[0] = most;
    return 0;
}

/* The score `motif` of `dnabird variant`, in bits. */
static int score_motifs(struct bird_allele_baselines *b, double *out,
                        int64_t contig, const struct bird_allele_row *r)
{
    struct bird_difference d = bird_allele_difference(r->ref, r->alt);
    struct bird_change c = {.contig = contig,
                            .start = r->pos + d.at,
                            .end = r->pos + d.at + d.n_ref};
    struct bird_motif_change change;
    int rc = bird_text_put(&c.alt, r->alt + d.at, d.n_alt);

    if (!rc)
        rc = bird_motif_scan_change(b->motifs, &change, b->g, &b->cache, &c);
    if (!rc)
        *out = (double)change.sum / BIRD_MOTIF_UNIT;
    bird_change_free(&c);
    return rc;
}

int bird_allele_baselines_score(struct bird_allele_baselines *b, double *out,
                                const struct bird_allele_row *r,
                                const char *where)
{
    int64_t contig = 0, n = (int64_t)strlen(r->ref), around[2];
    const char *bases;
    int rc = check_ref(b, &contig, r, where);

    if (rc)
        return rc;
    set_around(around, r->pos - 1, r->pos + n + 1,
               bird_genome_length(b->g, contig));
    rc = with_alt(b, &bases, contig, r, around);
    if (rc)
        return rc;
    out[MIDDLE] = 0;
    out[GC] = count_gc(r->alt, (int64_t)strlen(r->alt)) - count_gc(r->ref, n);
    out[CPG] =
        count_cpg(b->alt.s, b->alt.n) - count_cpg(bases, around[1] - around[0]);
    out[TRANSVERSION] = transversion(r);
    if (b->motifs && (rc = score_motifs(b, out + N_PLAIN, contig, r)))
        return rc;
    return b->kmers
               ? score_kmers(b, out + N_PLAIN + (b->motifs != NULL), contig, r)
               : 0;
}

void bird_allele_baselines_middle(struct bird_allele_set *s)
{
    for (int64_t i = 0; i < s->n; i++) {
        const struct bird_allele *a = &s->at[i];
        const struct bird_element *e = &s->element[a->element];
        double middle = (double)(e->start + e->end) / 2;
        double at = (double)(a->start + a->end) / 2;

        s->score[i * s->n_score + s->n_column + MIDDLE] =
            e->contig < 0 ? (double)NAN
                          : (double)(e->end - e->start) / 2 - fabs(at - middle);
    }
}
