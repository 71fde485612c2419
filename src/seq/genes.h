/**
 * The start sites of genes in memory, and the nearest one to a position.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_SEQ_GENES_H
#define BIRD_SEQ_GENES_H

#include <stddef.h>
#include <stdint.h>

#include "dnabird/error.h"

struct bird_genes;

/** What is nearest; the name lives as long as the genes. */
struct bird_nearest_gene {
    const char *name; /* NULL: none on the contig */
    int64_t distance; /* bp from the start site, in the direction of the gene:
                         negative is upstream, 0 is the start site */
};

/**
 * Read the start sites of BED, GTF or GFF3. In GTF and GFF3 each transcript has
 * one, with the name of its gene, and so has a gene without a transcript. In BED each line is a gene; one without a strand starts at its first
 * base. A record without a name has its identifier, or "." . Characters of a
 * name that INFO of VCF does not allow become '_'.
 * Owner: *out is the caller's, bird_genes_free()
 * Errors: BIRD_EIO; BIRD_EFORMAT a line, or a file without a gene; BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_genes_read(struct bird_genes **out, const char *path);
void bird_genes_free(struct bird_genes *g);

/** The start site nearest to the interval [start, end), whose distance is 0 if
 *  it is inside; the first in the order of position and name of equal ones. The
 *  contig may be an alias ("chr20", "20"). */
void bird_genes_nearest(struct bird_nearest_gene *out, struct bird_genes *g,
                        const char *contig, int64_t start, int64_t end);

/** A sentence for the user when no contig that was asked for has a gene: the
 *  file is of another genome. *out stays empty otherwise. */
void bird_genes_notice(char *out, size_t size, const struct bird_genes *g);

#endif
