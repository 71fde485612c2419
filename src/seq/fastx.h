/**
 * Internals of the FASTA stream: the line layout of a contig in the file, from
 * which faindex.c makes an index.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_SEQ_FASTX_H
#define BIRD_SEQ_FASTX_H

#include "dnabird/reference.h"
#include "seq/input.h"

/** The fields of a .fai line except the name, and whether they are valid. */
struct bird_fai_layout {
    int64_t length;     /* bp */
    int64_t offset;     /* offset of the first base in the uncompressed file */
    int64_t line_bases; /* bases a line */
    int64_t line_bytes; /* bytes a line, its end included */
    int uneven;         /* 1: no index can describe these lines */
    int64_t record;     /* line of the header, from 1 */
};

/** Layout of the contig whose last piece the last call returned. */
void bird_fastx_layout(const bird_fastx *r, struct bird_fai_layout *out);

/**
 * Set the largest number of bases of a piece, 1 .. BIRD_PIECE_MAX: for tests.
 */
void bird_fastx_piece_max(bird_fastx *r, int64_t n);

/** The underlying input. */
struct bird_input *bird_fastx_input(bird_fastx *r);

#endif
