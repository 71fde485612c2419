/* Several FASTA files as one genome. SPDX-License-Identifier: MIT */
#include "data/reference.h"

#include <stdlib.h>

#include "base/fail.h"
#include "base/mem.h"

static int add_contigs(struct bird_reference *r, int64_t g, const char *path)
{
    int64_t i, n = bird_genome_count(r->genome[g]);
    const char *name;
    int32_t at;
    int rc;

    for (i = 0; i < n; i++) {
        name = bird_genome_name(r->genome[g], i);
        if (bird_contigs_find(&r->contigs, name) >= 0)
            return bird_fail(BIRD_EINVAL,
                             "%s: contig %s is there twice: give each "
                             "contig once",
                             path, name);
        rc = bird_array_grow(&r->contig, &r->cap, r->n + 1, sizeof(*r->contig));
        if (!rc)
            rc = bird_contigs_add(&at, &r->contigs, name);
        if (rc)
            return rc;
        r->contig[r->n++] = (struct bird_reference_contig){
            g, i, bird_genome_length(r->genome[g], i), NULL};
    }
    return 0;
}

int bird_reference_open(struct bird_reference *r, const char *const *path,
                        int64_t n)
{
    struct bird_reference new = {0};
    int64_t i;
    int rc;

    if (n < 1)
        return bird_fail(BIRD_EINVAL, "no reference FASTA file is given");
    rc = bird_array_new(&new.genome, n, sizeof(bird_genome *));
    for (i = 0; !rc && i < n; i++) {
        rc = bird_genome_open(&new.genome[i], path[i]);
        if (!rc) {
            new.n_genome = i + 1;
            rc = add_contigs(&new, i, path[i]);
        }
    }
    if (rc)
        bird_reference_free(&new);
    else
        *r = new;
    return rc;
}

void bird_reference_free(struct bird_reference *r)
{
    int64_t i;

    if (!r)
        return;
    for (i = 0; i < r->n; i++)
        free(r->contig[i].bases);
    for (i = 0; i < r->n_genome; i++)
        bird_genome_free(r->genome[i]);
    free(r->genome);
    free(r->contig);
    bird_contigs_free(&r->contigs);
    *r = (struct bird_reference){0};
}

int bird_reference_bases(const char **out, struct bird_reference *r, int32_t i)
{
    struct bird_reference_contig *c = r->contig + i;
    char *bases;
    int rc;

    if (!c->bases) {
        rc = bird_array_new(&bases, c->length, 1);
        if (rc)
            return rc;
        rc = bird_genome_fetch(r->genome[c->genome], c->index, 0, c->length,
                               bases);
        if (rc) {
            free(bases);
            return rc;
        }
        c->bases = bases;
    }
    *out = c->bases;
    return 0;
}
