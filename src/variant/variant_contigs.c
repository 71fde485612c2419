/* The contigs of a VCF's header against those of the reference.
 * SPDX-License-Identifier: MIT */
#include "variant/variant_contigs.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/mem.h"

static const char *first_name(const struct bird_variant_context *s)
{
    return bird_genome_count(s->genome) ? bird_genome_name(s->genome, 0) : "";
}

int bird_contigs_check(struct bird_variant_context *context,
                       const struct bird_vcf *v, struct bird_contig_map *m)
{
    int64_t n = bird_vcf_contig_count(v), n_met = 0, n_wrong = 0, contig;
    const char *fasta = bird_genome_path(context->genome);
    int64_t length;
    int rc = 0;

    for (int64_t i = 0; i < n && !rc; i++) {
        int64_t is;
        const char *name = bird_vcf_contig(v, i, &length);

        rc = name ? bird_contig_map_find(m, &contig, name) : 0;
        if (rc || !name || contig < 0)
            continue;
        n_met++;
        is = bird_genome_length(context->genome, contig);
        if (length > 0 && length != is && !n_wrong++)
            rc = bird_context_note(
                &context->build,
                "%s: contig %s has %lld bp by its header, %lld in %s: is this "
                "a different genome build?",
                bird_vcf_name(v), name, (long long)length, (long long)is,
                fasta);
    }
    if (!rc && n_wrong > 1)
        rc = bird_context_note(&context->build, "so have %lld more contigs",
                               (long long)n_wrong - 1);
    if (!rc && n && !n_met) {
        const char *name = bird_vcf_contig(v, 0, &length);

        rc = bird_fail(BIRD_ERANGE,
                       "%s: none of its contigs ('%s' ...) is in %s ('%s' "
                       "...): use the genome of the VCF, or --contig-map",
                       bird_vcf_name(v), name ? name : "", fasta,
                       first_name(context));
    }
    return rc;
}

int bird_contigs_fail(const struct bird_variant_context *context,
                      const struct bird_vcf *v, int64_t n, const char *name)
{
    char of[64] = "";

    if (!bird_vcf_is_limited(v))
        snprintf(of, sizeof(of), " of its first %lld records", (long long)n);
    return bird_fail(BIRD_ERANGE,
                     "%s: none of the contigs%s "
                     "('%s' ...) is in %s ('%s' ...): another genome, or "
                     "names for --contig-map",
                     bird_vcf_name(v), of, name,
                     bird_genome_path(context->genome), first_name(context));
}

/* Mark the contigs of the reference that the header has. Without an example,
 * the first of them becomes the example. */
static int mark_declared(char *declared, const char **example,
                         const struct bird_vcf *v, struct bird_contig_map *m)
{
    int64_t length, contig;
    int rc = 0;

    for (int64_t i = 0; i < bird_vcf_contig_count(v) && !rc; i++) {
        const char *name = bird_vcf_contig(v, i, &length);

        if (!name || (rc = bird_contig_map_find(m, &contig, name)) ||
            contig < 0)
            continue;
        declared[contig] = 1;
        if (!*example)
            *example = name;
    }
    return rc;
}

int bird_contigs_declare(const struct bird_variant_context *context,
                         struct bird_vcf *v, struct bird_contig_map *m,
                         const char *example)
{
    int64_t n = bird_genome_count(context->genome), like = -1;
    struct bird_text name = {0};
    char *declared = NULL;
    int rc = bird_array_new(&declared, n + 1, 1);

    if (!rc)
        rc = mark_declared(declared, &example, v, m);
    if (!rc && example)
        rc = bird_contig_map_find(m, &like, example);
    for (int64_t i = 0; like >= 0 && i < n && !rc; i++) {
        if (declared[i])
            continue;
        rc = bird_contig_map_name(&name, m, i, example, like);
        if (!rc)
            rc = bird_vcf_declare(v, name.s,
                                  bird_genome_length(context->genome, i));
    }
    bird_text_free(&name);
    free(declared);
    return rc;
}
