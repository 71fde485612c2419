/* From the records of a VCF to changes.
 * SPDX-License-Identifier: MIT */
#include "variant/variant_site.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/rng.h"
#include "variant/allele.h"
#include "variant/snv_table.h"

enum { BEHIND = 8192, SHOWN = 20 };

static const char *const names[BIRD_VARIANT_STATUSES] = {
    "OK",       "SWAPPED",   "REF_MISMATCH", "NO_CHANGE", "AMBIGUOUS",
    "SYMBOLIC", "SPANNED",   "MALFORMED",    "TOO_LONG",  "MANY_N",
    "OFF_END",  "NO_CONTIG", "NO_ALT",       "NO_TOKEN"};

const char *bird_variant_status_name(int status)
{
    return status >= 0 && status < BIRD_VARIANT_STATUSES ? names[status] : NULL;
}

void bird_sites_free(struct bird_sites *s)
{
    bird_change_free(&s->change);
    bird_text_free(&s->upper);
    bird_text_free(&s->warning);
}

int bird_sites_inside(struct bird_sites *s, const struct bird_vcf_record *r)
{
    int64_t contig;
    int rc;

    if (!s->in)
        return 1;
    if ((rc = bird_contig_map_find(s->map, &contig, r->contig)))
        return rc;
    return contig >= 0 && bird_intervals_overlap(s->in, contig, r->pos, r->end);
}

/* Read n bases of the reference from pos on into s->upper. Some bases before
 * them are read as well, so that the cache also serves their windows. */
static int look(struct bird_sites *s, int64_t contig, int64_t pos, int64_t n)
{
    int64_t from = pos > BEHIND ? pos - BEHIND : 0;
    const char *bases;
    int rc =
        bird_contig_cache_get(&bases, bird_effect_cache(s->context->effect),
                              s->context->genome, contig, from, pos + n);

    bird_text_clear(&s->upper);
    return rc ? rc : bird_text_put(&s->upper, bases + (pos - from), n);
}

static int mismatch(struct bird_sites *s, const struct bird_vcf_record *r)
{
    struct bird_text t = {0};
    char where[BIRD_VCF_WHERE];
    int n = (int)strlen(r->ref), rc;

    rc = bird_text_printf(
        &t, "%s: %s: REF is %.*s%s, but %s has %.*s%s there", s->file,
        bird_vcf_where(where, r), n < SHOWN ? n : SHOWN, r->ref,
        n > SHOWN ? "..." : "", bird_genome_path(s->context->genome),
        n < SHOWN ? n : SHOWN, s->upper.s, n > SHOWN ? "..." : "");
    if (!rc && s->policy == BIRD_REF_ERROR)
        rc = bird_fail(BIRD_EFORMAT,
                       "%s: different genome build? Use --check-ref warn, "
                       "skip or swap to continue",
                       t.s);
    if (!rc && s->policy == BIRD_REF_WARN && !s->warning.n)
        rc = bird_text_put(&s->warning, t.s, t.n);
    bird_text_free(&t);
    return rc;
}

/* Submit the change from the reference's bases `is` at pos to `alt`. */
static int ask(struct bird_sites *s, struct bird_allele_request *a,
               int64_t contig, int64_t pos, const char *is, const char *alt)
{
    int rc;

    s->change.contig = contig;
    s->change.start = pos;
    rc = bird_change_normal(&s->change, bird_effect_cache(s->context->effect),
                            s->context->genome, is, alt);
    if (rc < 0)
        return rc;
    if (!rc) {
        a->status = BIRD_VARIANT_NO_CHANGE;
        return 0;
    }
    rc = s->table ? bird_snv_lookup_find(s->table, a, &s->change) : 0;
    s->n_table += rc > 0;
    if (!rc && s->context->model)
        rc = bird_effect_submit(s->context->effect, &a->request, &a->status,
                                &s->change);
    else if (!rc)
        a->status = BIRD_VARIANT_OK;
    if (rc >= 0 && s->motifs && a->status == BIRD_VARIANT_OK)
        rc = bird_motif_scan_change(s->motifs, &a->motif, s->context->genome,
                                    bird_effect_cache(s->context->effect),
                                    &s->change);
    if (rc < 0 || !s->zero_shot)
        return rc < 0 ? rc : 0;
    return bird_zero_shot_submit(s->zero_shot, &a->zero_shot, &s->change);
}

/* Find the ALT that the reference has when REF differs from it: the longest.
 * An ALT shorter than REF does not count: it ends before the bases that would
 * distinguish it, and one base agrees by chance one time in four. */
static int find_swapped(struct bird_sites *s, int64_t *found, int64_t contig,
                        const struct bird_vcf_record *r)
{
    int64_t length = bird_genome_length(s->context->genome, contig);
    size_t longest = 0, n_ref = strlen(r->ref);
    int rc = 0;

    *found = -1;
    if (bird_allele_kind(r->ref) != BIRD_VARIANT_OK)
        return 0;
    for (int64_t i = 0; i < r->n_alt && !rc; i++) {
        size_t n = strlen(r->alt[i]);

        if (bird_allele_kind(r->alt[i]) != BIRD_VARIANT_OK || n < n_ref ||
            r->pos + (int64_t)n > length || n <= longest)
            continue;
        rc = look(s, contig, r->pos, (int64_t)n);
        if (!rc &&
            bird_allele_check(r->alt[i], s->upper.s) == BIRD_VARIANT_OK) {
            *found = i;
            longest = n;
        }
    }
    return rc;
}

/* Handle a REF that differs from the reference by the policy. */
static int submit_mismatch(struct bird_sites *s, struct bird_allele_request *a,
                           int64_t contig, const struct bird_vcf_record *r)
{
    int64_t k = -1;
    int rc = mismatch(s, r);

    for (int64_t i = 0; i < r->n_alt; i++)
        a[i].status = BIRD_VARIANT_REF_MISMATCH;
    if (!rc && s->policy == BIRD_REF_SWAP)
        rc = find_swapped(s, &k, contig, r);
    if (rc || k < 0)
        return rc;
    rc = ask(s, &a[k], contig, r->pos, r->alt[k], r->ref);
    if (!rc && a[k].status == BIRD_VARIANT_OK) {
        /* the record's REF is the ALT of this change */
        int64_t alt = a[k].request.alt;

        a[k].status = BIRD_VARIANT_SWAPPED;
        a[k].request.alt = a[k].request.ref;
        a[k].request.ref = alt;
        a[k].motif.sum = -a[k].motif.sum;
        a[k].motif.change = -a[k].motif.change;
        rc = bird_change_class_back(&a[k].request.change_class, &s->change,
                                    bird_effect_cache(s->context->effect),
                                    s->context->genome);
        a[k].zero_shot.request.change_class = a[k].request.change_class;
    }
    return rc;
}

static void fill(struct bird_allele_request *a, const struct bird_vcf_record *r,
                 enum bird_variant_status status)
{
    for (int64_t i = 0; i < r->n_alt; i++)
        a[i] = (struct bird_allele_request){.status = status};
}

/* Does REF lie within the contig? */
static int is_within(const struct bird_sites *s, int64_t contig,
                     const struct bird_vcf_record *r)
{
    int64_t n = (int64_t)strlen(r->ref);
    int64_t length = bird_genome_length(s->context->genome, contig);

    return r->pos >= 0 && n <= length && r->pos <= length - n;
}

int bird_sites_check(struct bird_sites *s, const struct bird_vcf_record *r)
{
    int64_t contig;
    int rc = bird_contig_map_find(s->map, &contig, r->contig);

    if (rc || contig < 0 || !is_within(s, contig, r))
        return rc;
    rc = look(s, contig, r->pos, (int64_t)strlen(r->ref));
    if (rc ||
        bird_allele_check(r->ref, s->upper.s) != BIRD_VARIANT_REF_MISMATCH)
        return rc;
    return mismatch(s, r);
}

int bird_sites_submit(struct bird_sites *s, struct bird_allele_request *a,
                      const struct bird_vcf_record *r)
{
    int64_t n = (int64_t)strlen(r->ref), contig;
    enum bird_variant_status is;
    int rc = bird_contig_map_find(s->map, &contig, r->contig);

    if (rc)
        return rc;
    fill(a, r, BIRD_VARIANT_NO_CONTIG);
    if (contig < 0)
        return 0;
    fill(a, r, BIRD_VARIANT_OFF_END);
    if (!is_within(s, contig, r))
        return 0;
    if ((rc = look(s, contig, r->pos, n)))
        return rc;
    is = bird_allele_check(r->ref, s->upper.s);
    if (is == BIRD_VARIANT_REF_MISMATCH)
        return submit_mismatch(s, a, contig, r);
    for (int64_t i = 0; i < r->n_alt && !rc; i++) {
        a[i].status = bird_allele_kind(r->alt[i]);
        if (a[i].status == BIRD_VARIANT_OK)
            a[i].status = is;
        if (a[i].status == BIRD_VARIANT_OK)
            rc = ask(s, &a[i], contig, r->pos, r->ref, r->alt[i]);
    }
    return rc;
}

int bird_sites_mix(struct bird_sites *s, uint64_t *a,
                   const struct bird_vcf_record *r)
{
    int64_t n = (int64_t)strlen(r->ref), contig, from, to, reach;
    const char *bases;
    int rc = bird_contig_map_find(s->map, &contig, r->contig);

    if (rc || contig < 0)
        return rc;
    reach = bird_effect_reach(s->context->effect);
    if (s->zero_shot) {
        int64_t own = bird_effect_reach(s->zero_shot->context.effect);

        reach = own > reach ? own : reach;
    }
    if (s->motifs && reach < bird_motif_scan_reach())
        reach = bird_motif_scan_reach();
    reach = reach > BEHIND ? reach : BEHIND;
    to = bird_genome_length(s->context->genome, contig);
    if (r->pos < 0 || r->pos >= to)
        return 0;
    from = r->pos > reach ? r->pos - reach : 0;
    to = to - r->pos > n + reach ? r->pos + n + reach : to;
    rc = bird_contig_cache_get(&bases, bird_effect_cache(s->context->effect),
                               s->context->genome, contig, from, to);
    if (!rc)
        *a = bird_mix_bytes(*a, bases, to - from);
    return rc;
}

void bird_sites_result(struct bird_allele_result *o, const struct bird_sites *s,
                       const struct bird_allele_request *a)
{
    *o = (struct bird_allele_result){.status = a->status};
    if (a->status != BIRD_VARIANT_OK && a->status != BIRD_VARIANT_SWAPPED)
        return;
    o->has_motif = s->motifs != NULL;
    o->motif = a->motif;
    if (!s->context->model)
        return;
    if (a->request.ref < 0)
        bird_snv_lookup_take(o, s->table, &a->request);
    else
        bird_allele_result_fill(o, s->context->effect, &a->request);
    o->has_zero_shot = s->zero_shot != NULL;
    if (s->zero_shot)
        bird_zero_shot_e_values(o->zero_shot, s->zero_shot, &a->zero_shot);
}
