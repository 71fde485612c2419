/**
 * Reference sequence: random access, and FASTA as a stream.
 *
 * Coordinates are 0-based half-open in base pairs. Bases are returned in upper
 * case with U as T: IUPAC's nucleotide codes, X, and the gaps '-', '.' and '*',
 * in either case in the file. Any other character is an error when it is read.
 * htslib's own messages are switched off for the process.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_REFERENCE_H
#define DNABIRD_REFERENCE_H

#include <stdint.h>

#include "dnabird/error.h"

BIRD_BEGIN_C

/** A FASTA file with random access. */
typedef struct bird_genome bird_genome;

/**
 * Open a FASTA file for random access.
 *
 * A plain or bgzip file is read through its .fai (and .gzi) index. An index
 * that is missing or does not fit the file is made in one pass and written
 * beside the file, else to $XDG_CACHE_HOME/dnabird or ~/.cache/dnabird, else
 * kept in memory. A file that cannot be indexed (plain gzip, standard input
 * "-", lines of uneven length) is read once for names and lengths; its contigs
 * are then held in memory, one byte per base, once they are requested ("-": all
 * of them, at once). bird_genome_notice() reports it.
 *
 * Owner   *out is the caller's, bird_genome_free(); untouched on failure
 * Errors  BIRD_EIO missing or unreadable; BIRD_EFORMAT not FASTA, truncated,
 *         or two contigs of one name
 */
BIRD_API BIRD_MUST_CHECK int bird_genome_open(bird_genome **out,
                                              const char *path);
BIRD_API void bird_genome_free(bird_genome *g);

/**
 * A notice for the user that names the file, or NULL; borrowed from g.
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
/** Index of the contig of this exact name; -1: none. */
BIRD_API int64_t bird_genome_find(const bird_genome *g, const char *name);

/**
 * The same or, if no contig has this exact name, the index of an alias: "chr7"
 * for "7" and vice versa, "chrM" for "MT".
 */
BIRD_API int64_t bird_genome_find_alias(const bird_genome *g, const char *name);

/**
 * Compare two contig names, aliases being equal ("chr" in front, M for MT). 0:
 * they mean the same contig.
 */
BIRD_API int bird_contig_compare(const char *a, const char *b);

/**
 * Copy bases start .. end of a contig to out (end - start bases, no NUL). A
 * bird_genome must not be used by two threads at once.
 *
 * Errors  BIRD_ERANGE outside the contig; BIRD_EFORMAT a character that is not
 *         a nucleotide code, with record and position; BIRD_EIO, BIRD_EFORMAT
 *         on reading
 */
BIRD_API BIRD_MUST_CHECK int bird_genome_fetch(bird_genome *g, int64_t contig,
                                               int64_t start, int64_t end,
                                               char *out);

/** The same with the bases as in the file: lower case (soft mask) and U. */
BIRD_API BIRD_MUST_CHECK int bird_genome_fetch_raw(bird_genome *g,
                                                   int64_t contig,
                                                   int64_t start, int64_t end,
                                                   char *out);

/** From now on characters other than nucleotide codes are allowed, for
 *  tokenizers. */
BIRD_API void bird_genome_any_characters(bird_genome *g);

/**
 * Announce the n contigs that will be requested, so that a file without an
 * index is read once for all of them; does nothing if there is an index.
 * Optional: otherwise a fetch reads its contig and others that fit into memory.
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
 * skipped; a record may be empty. The name of a record is the first word after
 * '>'; names must be unique. A, C, G, T and U are known bases, others unknown.
 */

/** Most bases a piece has. */
#define BIRD_PIECE_MAX 1048576

typedef struct bird_fastx bird_fastx;

/** Options, to be added. */
enum bird_fastx_flag {
    BIRD_FASTX_MASK = 1, /* report which bases are lower case */
    BIRD_FASTX_RAW = 2,  /* bases as in the file: case and U are kept, and
                            characters other than nucleotide codes are
                            allowed */
    BIRD_FASTX_ANY = 4   /* characters other than nucleotide codes are allowed,
                          in upper case: for tokenizers */
};

/** An interval of one contig. Pointers live until the next call. */
typedef struct bird_piece {
    int64_t contig;            /* index of the record, from 0 */
    const char *name;          /* of the contig */
    int64_t start;             /* position of seq[0] in the contig, bp */
    int64_t n;                 /* bases; 0 only for an empty record */
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
 * The same for n bytes in memory (plain or compressed), which are copied;
 * messages call them `name`.
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
 * Errors  BIRD_EFORMAT sequence before the first '>', a character that is not a
 *         nucleotide code (with its position), other bytes that are not
 *         sequence, a record without a name, two records of one name, no
 *         record, compressed data cut short; the message names file, line and
 *         record. After an error every call fails.
 *
 * @return 1 with *out filled, 0 at the end, or a negative bird_status
 */
BIRD_API BIRD_MUST_CHECK int bird_fastx_next(bird_fastx *r, bird_piece *out);

/**
 * Progress: bytes of the (compressed) file that were read, and its size; *total
 * is 0 if unknown (a pipe).
 */
BIRD_API void bird_fastx_progress(const bird_fastx *r, int64_t *done,
                                  int64_t *total);

BIRD_END_C

#endif
