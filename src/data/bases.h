/**
 * The letters of references in memory: two bits a base, and what is no A, C,
 * G or T as runs of one letter. A human genome is some 0.8 GB, and any
 * number of threads read it without a lock.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRAIN_BASES_H
#define BIRD_TRAIN_BASES_H

#include <stdint.h>

#include "data/place.h"
#include "dnabird/error.h"

/** n times a letter other than A, C, G, T from `start` on. */
struct bird_base_run {
    int64_t start;
    int64_t before; /* such letters before it */
    int32_t n;
    char letter;
};

struct bird_base_contig {
    int64_t length;            /* 0 where the contig is not held */
    uint8_t *code;             /* four bases a byte, the first lowest */
    struct bird_base_run *run; /* (n_run) in order */
    int64_t n_code, cap_code, n_run, cap_run;
    char digest[65]; /* of its letters; "" where it is not held */
};

/** Start with {0}. Names and contigs are in the order of the files. */
struct bird_bases {
    struct bird_contigs contigs;
    struct bird_base_contig *contig; /* (n) */
    int64_t n, cap;
};

/**
 * Read FASTA files, each once and as a stream; letters as bird_fastx has them
 * (upper case, U as T).
 * Errors: those of bird_fastx; BIRD_EINVAL a contig that is there twice;
 * BIRD_ENOMEM. *b is then empty.
 *
 * @param wanted contigs to hold; NULL: all
 */
BIRD_MUST_CHECK int bird_bases_read(struct bird_bases *b,
                                    const char *const *path, int64_t n,
                                    const struct bird_contigs *wanted);
/** Where to read letters, and which of them. */
struct bird_bases_source {
    const char *const *fasta; /* (n_fasta) */
    int64_t n_fasta;
    const char *include; /* as bird_places_areas() */
    const char *exclude;
};

/** Read the contigs that `include` names, and the areas on them. Errors: as
 *  bird_bases_read() and bird_places_areas(); *b is then empty. */
BIRD_MUST_CHECK int bird_bases_open(struct bird_bases *b,
                                    struct bird_places *areas,
                                    const struct bird_bases_source *s);
void bird_bases_free(struct bird_bases *b);

/** Letters start .. end of contig i, which is held. */
void bird_bases_get(char *out, const struct bird_bases *b, int32_t i,
                    int64_t start, int64_t end);

/** How many of them are other than A, C, G, T. */
int64_t bird_bases_unknown(const struct bird_bases *b, int32_t i, int64_t start,
                           int64_t end);

#endif
