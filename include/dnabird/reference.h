/**
 * Reference sequence: by random access, and FASTA as a stream.
 *
 * Coordinates are 0-based half-open in base pairs. Bases come out upper case
 * with U as T: IUPAC's nucleotide codes, X, and the gaps '-', '.' and '*', of
 * either case in the file. Any other character is an error where it is read.
 * htslib's own messages are switched off for the process.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_REFERENCE_H
#define DNABIRD_REFERENCE_H

#include <stdint.h>

#include "dnabird/error.h"

/** A FASTA file with random access. */
typedef struct bird_genome bird_genome;

/**
 * Open a FASTA file for random access.
 *
 * A plain or bgzip file is read through its .fai (and .gzi) index. An index
 * that is missing or does not fit the file is made in one pass and written
 * beside the file, else in $XDG_CACHE_HOME/dnabird or ~/.cache/dnabird, else
 * kept in memory. A file that cannot be indexed (plain gzip, standard input
 * "-", lines of uneven length) is read once for names and lengths; its
 * contigs are then held in memory, one byte a base, from when they are first
 * asked for ("-": all of them, at once). bird_genome_notice() tells.
 *
 * Owner   *out is the caller's, bird_genome_free(); untouched on failure
 * Errors  BIRD_EIO missing or unreadable; BIRD_EFORMAT not FASTA, truncated,
 *         or two contigs of one name
 */
BIRD_API BIRD_MUST_CHECK int bird_genome_open(bird_genome **out,
                                              const char *path);
BIRD_API void bird_genome_free(bird_genome *g);

/**
 * What the user of this file should know, as one sentence that names it, or
 * NULL; borrowed from g.
 */
BIRD_API const char *bird_genome_notice(const bird_genome *g);

/** The path it was opened with; borrowed from g. */
BIRD_API const char *bird_genome_path(const bird_genome *g);

/** Number of contigs, in file order. */
BIRD_API int64_t bird_genome_count(const bird_genome *g);
/** Name of contig i; borrowed from g. */
BIRD_API const char *bird_genome_name(const bird_genome *g, int64_t i);
/** Length of contig i in bp. */
BIRD_API int64_t bird_genome_length(const bird_genome *g, int64_t i);
/** Index of the contig of this exact name; -1 if there is none. */
BIRD_API int64_t bird_genome_find(const bird_genome *g, const char *name);

/**
 * The same, and where no contig has this exact name the one of the other
 * customary name: "chr7" for "7" and back, "chrM" for "MT".
 */
BIRD_API int64_t bird_genome_find_alias(const bird_genome *g, const char *name);

/**
 * Order of two contig names without what custom varies: "chr" in front, M for
 * MT. 0: they mean the same contig.
 */
BIRD_API int bird_contig_compare(const char *a, const char *b);

/**
 * Bases start .. end of a contig into out (end - start bases, no NUL).
 * Not for two threads at once on one bird_genome.
 *
 * Errors  BIRD_ERANGE outside the contig; BIRD_EFORMAT a character that is no
 *         nucleotide code, with record and position; BIRD_EIO, BIRD_EFORMAT
 *         on reading
 */
BIRD_API BIRD_MUST_CHECK int bird_genome_fetch(bird_genome *g, int64_t contig,
                                               int64_t start, int64_t end,
                                               char *out);

/** The same with the bases as they stand: lower case (soft mask) and U. */
BIRD_API BIRD_MUST_CHECK int bird_genome_fetch_raw(bird_genome *g,
                                                   int64_t contig,
                                                   int64_t start, int64_t end,
                                                   char *out);

/** From now on other characters than nucleotide codes are passed on: for
 *  tokenizers, which know what to do with them. */
BIRD_API void bird_genome_any_characters(bird_genome *g);

/**
 * Say which n contigs will be asked for, so that a file without an index is
 * read once for all of them; does nothing where there is an index. Never
 * needed: without it a fetch reads its contig and those that fit beside it.
 *
 * Errors  BIRD_ERANGE, BIRD_EIO, BIRD_EFORMAT, BIRD_ENOMEM
 */
BIRD_API BIRD_MUST_CHECK int
bird_genome_hold(bird_genome *g, const int64_t *contigs, int64_t n);

/* ---- a stream ----------------------------------------------------------
 *
 * Contigs in pieces, in the memory of one piece and of the records' names.
 * Reads plain, gzip and bgzip files and standard input. Lines may have any
 * length and end in LF, CRLF or CR; blank lines and blanks within a line are
 * passed over; a record may be empty. The name of a record is the first word
 * after '>'; no two records may have one name. A, C, G, T and U are known
 * bases, others unknown.
 */

/** Most bases a piece has. */
#define BIRD_PIECE_MAX 1048576

typedef struct bird_fastx bird_fastx;

/** What to do in addition, as a sum. */
enum bird_fastx_flag {
    BIRD_FASTX_MASK = 1, /* tell which bases are lower case */
    BIRD_FASTX_RAW = 2,  /* bases as they stand: case and U are kept, and
                            other characters than nucleotide codes pass */
    BIRD_FASTX_ANY = 4 /* other characters than nucleotide codes pass, in upper
                            case: for tokenizers, which know what to do */
};

/** An interval of one contig. Pointers live until the next call. */
typedef struct bird_piece {
    int64_t contig;            /* index of the record, from 0 */
    const char *name;          /* of the contig */
    int64_t start;             /* position of seq[0] in the contig, bp */
    int64_t n;                 /* bases; 0 for an empty record alone */
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
 * `name` is what messages call them.
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
 * Errors  BIRD_EFORMAT sequence before the first '>', a character that is no
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
