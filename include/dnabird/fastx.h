/**
 * FASTA as a stream: contigs in pieces, in the memory of one piece and of the
 * records' names.
 *
 * Reads plain, gzip and bgzip files and standard input. Lines may have any
 * length and end in LF, CRLF or CR; blank lines and blanks within a line are
 * passed over; a record may be empty. The name of a record is the first word
 * after '>'; no two records may have one name. Letters are IUPAC's nucleotide
 * codes, X, and the gaps '-', '.' and '*', of either case; of these A, C, G, T
 * and U are known bases, the others unknown ones. Coordinates are 0-based
 * half-open in base pairs. htslib's own messages are switched off for the
 * process.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_FASTX_H
#define DNABIRD_FASTX_H

#include <stdint.h>

#include "dnabird/error.h"

/** Most letters a piece has. */
#define BIRD_PIECE_MAX 1048576

typedef struct bird_fastx bird_fastx;

/** What to do besides, as a sum. */
enum bird_fastx_flag {
    BIRD_FASTX_MASK = 1, /* tell which letters are lower case */
    BIRD_FASTX_RAW = 2,  /* letters as they stand: case and U are kept, and
                            other letters than nucleotide codes pass */
    BIRD_FASTX_ANY = 4   /* other letters than nucleotide codes pass, in upper
                            case: for tokenizers, which know what to do */
};

/** A stretch of one contig. Pointers live until the next call. */
typedef struct bird_piece {
    int64_t contig;            /* index of the record, from 0 */
    const char *name;          /* of the contig */
    int64_t start;             /* position of seq[0] in the contig, bp */
    int64_t n;                 /* letters; 0 for an empty record alone */
    const char *seq;           /* (n) upper case, U as T; no NUL at the end */
    const unsigned char *mask; /* (n) 1 = lower case in the file; or NULL */
    int last;                  /* 1: the contig ends here, at start + n */
} bird_piece;

/**
 * Open a FASTA file; "-" is standard input.
 *
 * Owner   *out is the caller's, bird_fastx_free(); untouched on failure
 * Errors  BIRD_EIO missing, unreadable or a folder; BIRD_ENOMEM
 *
 * @param flags sum of bird_fastx_flag
 */
BIRD_API BIRD_MUST_CHECK int bird_fastx_open(bird_fastx **out, const char *path,
                                             int flags);

/**
 * The same over n bytes in memory (plain or compressed), which are copied;
 * `name` stands for them in sentences.
 */
BIRD_API BIRD_MUST_CHECK int bird_fastx_open_memory(bird_fastx **out,
                                                    const char *name,
                                                    const void *data, int64_t n,
                                                    int flags);
BIRD_API void bird_fastx_free(bird_fastx *r);

/**
 * The next piece. Pieces come in file order and follow each other without a
 * gap; each contig has at least one, and its last one is marked.
 *
 * Errors  BIRD_EFORMAT sequence before the first '>', a letter that is no
 *         nucleotide code (with its position), other bytes that are no
 *         sequence, a record without a name, two of one name, no record at
 *         all, compressed data cut short; the sentence names file, line and
 *         record.
 *         After an error every call gives an error.
 *
 * @return 1 with *out filled, 0 at the end, or a negative bird_status
 */
BIRD_API BIRD_MUST_CHECK int bird_fastx_next(bird_fastx *r, bird_piece *out);

/**
 * How far the reader is: bytes of the (compressed) file taken and in all;
 * *total is 0 when it is not known (a pipe).
 */
BIRD_API void bird_fastx_progress(const bird_fastx *r, int64_t *done,
                                  int64_t *total);

#endif
