/**
 * The parts of a bird_genome: contig table, index, and contigs in memory.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_SEQ_GENOME_H
#define BIRD_SEQ_GENOME_H

#include "base/text.h"
#include "dnabird/genome.h"
#include "seq/fastx.h"
#include "seq/gzi.h"

struct bird_contig {
    char *name;
    struct bird_layout layout;
    char *held; /* (layout.length) letters as in the file, or NULL */
};

struct bird_genome {
    char *path;
    struct bird_contig *contigs; /* (n) in file order */
    int64_t n, cap;
    int64_t *by_name;    /* (n) indices in the order of names */
    void *fai;           /* faidx_t *, or NULL: contigs are held in memory */
    struct bird_gzi gzi; /* of a bgzip file whose index was there */
    int any;             /* 1: letters that are no nucleotide codes pass */
    struct bird_text notice;
};

/** What of a name custom does not vary: without "chr" in front, MT for M. */
const char *bird_contig_core(const char *name);

/** Append a contig. The name is copied. */
BIRD_MUST_CHECK int bird_contig_add(bird_genome *g, const char *name,
                                    const struct bird_layout *layout);

/** Forget all contigs. */
void bird_contigs_clear(bird_genome *g);

/** Fill by_name. Errors: BIRD_EFORMAT two contigs of one name. */
BIRD_MUST_CHECK int bird_contigs_sort(bird_genome *g);

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

/** Letters as in the file through the index; the range has been checked. */
BIRD_MUST_CHECK int bird_faindex_fetch(bird_genome *g, int64_t contig,
                                       int64_t start, int64_t end, char *out);

/* hold.c */

/** Read these contigs (wanted[i] != 0) into memory, in one pass. */
BIRD_MUST_CHECK int bird_hold_read(bird_genome *g, const char *wanted);

/** Contig table and letters of all contigs of what can be read but once. */
BIRD_MUST_CHECK int bird_hold_all(bird_genome *g);

/** Hold this contig, and with it others as far as they fit. */
BIRD_MUST_CHECK int bird_hold_contig(bird_genome *g, int64_t contig);

#endif
