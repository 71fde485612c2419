/**
 * The parts of a bird_genome: contig table, index, contigs in memory, and a
 * cache of the bases around a position.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_SEQ_REFERENCE_H
#define BIRD_SEQ_REFERENCE_H

#include <stdint.h>

#include "base/text.h"
#include "dnabird/error.h"
#include "dnabird/reference.h"
#include "seq/contigs.h"
#include "seq/fastx.h"
#include "seq/gzi.h"

struct bird_contig {
    const char *name; /* of the genome's names */
    struct bird_fai_layout layout;
    char *held; /* (layout.length) bases as in the file, or NULL */
};

struct bird_genome {
    char *path;
    struct bird_contig *contigs; /* (n) in file order */
    int64_t n, cap;
    struct bird_contigs names;
    void *fai;           /* faidx_t *, or NULL: contigs are held in memory */
    struct bird_gzi gzi; /* of a bgzip file whose index was there */
    int any;             /* 1: bases that are no nucleotide codes pass */
    struct bird_text notice;
};

/** Append a contig. The name is copied. Errors: BIRD_EFORMAT it is there. */
BIRD_MUST_CHECK int bird_contig_add(bird_genome *g, const char *name,
                                    const struct bird_fai_layout *layout);

/**
 * A genome of one contig with these bases, which are copied.
 * Owner: *out is the caller's. Errors: BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_genome_of_bases(bird_genome **out, const char *name,
                                         const char *bases, int64_t n);

/** Forget all contigs. */
void bird_contigs_clear(bird_genome *g);

/** Add a sentence to the notice. */
BIRD_MUST_CHECK int bird_genome_note(bird_genome *g, const char *fmt, ...)
    BIRD_PRINTF(2, 3);

/* faindex.c */

/**
 * Open through an index: the one beside the file, one in the cache, or one
 * made now. Leaves g->fai NULL, with the contig table filled, when the file
 * cannot have one.
 */
BIRD_MUST_CHECK int bird_faindex_open(bird_genome *g);
void bird_faindex_close(bird_genome *g);

/** Bases as in the file through the index; the range has been checked. */
BIRD_MUST_CHECK int bird_faindex_fetch(bird_genome *g, int64_t contig,
                                       int64_t start, int64_t end, char *out);

/** Start with {0}. */
struct bird_contig_cache {
    const bird_genome *genome; /* of the bases kept; NULL: none */
    int64_t contig, start, end, cap;
    char *bases;
};

void bird_contig_cache_free(struct bird_contig_cache *s);

/**
 * Bases start .. end (start may be negative, end behind the contig's);
 * borrowed until the next call. Memory: the longest asked for and 1 MiB.
 * Errors: those of bird_genome_fetch(); BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_contig_cache_get(const char **out,
                                          struct bird_contig_cache *s,
                                          bird_genome *g, int64_t contig,
                                          int64_t start, int64_t end);

#endif
