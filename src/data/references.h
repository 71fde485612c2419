/**
 * Several FASTA files as one reference: contigs are read into memory at first
 * use, or all of them are packed at two bits a base.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_DATA_REFERENCES_H
#define BIRD_DATA_REFERENCES_H

#include <stdint.h>

#include "dnabird/error.h"
#include "dnabird/reference.h"
#include "seq/intervals.h"

struct bird_reference_contig {
    int64_t genome, index, length;
    char *bases; /* (length) NULL before the first use */
};

/**
 * Start with {0}. Contig i < n of `contigs` is contig[i]; names that are added
 * to `contigs` later are not in the files.
 */
struct bird_reference {
    struct bird_contigs contigs;
    struct bird_reference_contig *contig; /* (n) */
    int64_t n;
    bird_genome **genome; /* (n_genome) */
    int64_t n_genome, cap;
};

/**
 * Open the files.
 * Errors: of bird_genome_open(); BIRD_EINVAL a contig in two files.
 */
BIRD_MUST_CHECK int bird_reference_open(struct bird_reference *r,
                                        const char *const *path, int64_t n);
/** The same of a list with commas between the files. */
BIRD_MUST_CHECK int bird_reference_open_list(struct bird_reference *r,
                                             const char *list);
void bird_reference_free(struct bird_reference *r);

/** Bases of contig i; borrowed from r. */
BIRD_MUST_CHECK int bird_reference_bases(const char **out,
                                         struct bird_reference *r, int32_t i);

static inline int bird_is_acgt(char c)
{
    return c == 'A' || c == 'C' || c == 'G' || c == 'T';
}

/** n times one character other than A, C, G, T from `start` on. */
struct bird_packed_run {
    int64_t start;
    int64_t before; /* other bases before the run */
    int32_t n;
    char letter;
};

struct bird_packed_contig {
    int64_t length;              /* 0: the contig is not in memory */
    int64_t file;                /* of the paths, from 0 */
    uint8_t *code;               /* four bases a byte, the first lowest */
    struct bird_packed_run *run; /* (n_run) in order */
    int64_t n_code, cap_code, n_run, cap_run;
    char digest[65]; /* of its bases; "" where they are not in memory */
};

/** Start with {0}. Names and contigs are in the order of the files. */
struct bird_packed_reference {
    struct bird_contigs contigs;
    struct bird_packed_contig *contig; /* (n) */
    int64_t n, cap;
};

/**
 * Read FASTA files, each once and as a stream; bases as bird_fastx has them
 * (upper case, U as T).
 * Errors: those of bird_fastx; BIRD_EINVAL a contig is in the files twice;
 * BIRD_ENOMEM. *b is then empty.
 *
 * @param wanted contigs to read; NULL: all
 */
BIRD_MUST_CHECK int bird_packed_read(struct bird_packed_reference *b,
                                     const char *const *path, int64_t n,
                                     const struct bird_contigs *wanted);
/** Files and intervals to read bases from. */
struct bird_packed_source {
    const char *const *fasta; /* (n_fasta) */
    int64_t n_fasta;
    const char *include; /* as bird_intervals_allowed() */
    const char *exclude;
};

/** Read the contigs that `include` names, and the allowed intervals on them. Errors: as
 *  bird_packed_read() and bird_intervals_allowed(); *b is then empty. */
BIRD_MUST_CHECK int bird_packed_open(struct bird_packed_reference *b,
                                     struct bird_intervals *allowed,
                                     const struct bird_packed_source *s);
void bird_packed_free(struct bird_packed_reference *b);

/** Bases start .. end of contig i, which must be in memory. */
void bird_packed_get(char *out, const struct bird_packed_reference *b,
                     int32_t i, int64_t start, int64_t end);

/** How many of these are other than A, C, G, T. */
int64_t bird_packed_unknown(const struct bird_packed_reference *b, int32_t i,
                            int64_t start, int64_t end);

#endif
