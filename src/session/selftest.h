/**
 * Golden answers of a model folder: selftest.tsv, which `export --selftest`
 * writes and bird_model_selftest() recomputes (dnabird/model.h).
 *
 * What is compared are the outputs before softmax or sigmoid of the strand
 * given: logits of a sequence, of each bin, of each token's classes; of a
 * masked-language model the log probability of every token as it was read
 * (nothing masked); of a bare encoder its hidden states. A sequence keeps 16
 * of its answers, spread over all and moved from sequence to sequence, so that
 * the file stays small whatever the number of labels.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_SESSION_SELFTEST_H
#define BIRD_SESSION_SELFTEST_H

#include "base/text.h"
#include "dnabird/model.h"
#include "dnabird/reference.h"

/**
 * Write selftest.tsv into a model folder: 100 pieces of a FASTA file, evenly
 * spread, with the model's answers in float32.
 * Errors: those of opening both; BIRD_EINVAL the model has no tokenizer;
 * BIRD_EFORMAT the FASTA file has not enough known bases, or the model returns
 * NaN or infinity
 */
BIRD_MUST_CHECK int bird_selftest_write(const char *folder, const char *fasta);

/* What variant/golden.c, which keeps answers of changes, has in common. */

/** Pieces of a FASTA file, evenly spread. Start with {0}. */
struct bird_golden_pieces {
    bird_genome *genome;
    int64_t n_piece;
    char *bases; /* (n) of the piece at hand, upper case */
    int64_t n;
};

/** Of n_piece pieces of `most` bases or fewer.
 *  Errors: those of bird_genome_open() */
BIRD_MUST_CHECK int bird_golden_pieces_open(struct bird_golden_pieces *p,
                                            const char *fasta, int64_t n_piece,
                                            int64_t most);
void bird_golden_pieces_close(struct bird_golden_pieces *p);

/** Piece i, at i / n_piece of all bases or where they are known: n bases, fewer
 *  of a contig that has no more. Errors: BIRD_EFORMAT too few known bases */
BIRD_MUST_CHECK int bird_golden_piece(struct bird_golden_pieces *p, int64_t i,
                                      int64_t n);

/** Append a tab, 16 at most of n answers, spread over all from number i on, as
 *  NUMBER:VALUE, and a newline. Errors: BIRD_EFORMAT one is no number */
BIRD_MUST_CHECK int bird_golden_put(struct bird_text *out, const double *value,
                                    int64_t n, int64_t i, const char *folder);

/** Compare n answers with those kept, and count. The list is cut up.
 *  Errors: BIRD_EFORMAT it is no list, or has a number that is none of theirs */
BIRD_MUST_CHECK int bird_golden_compare(bird_selftest *out, const double *value,
                                        int64_t n, char *list);

/** A row of the file: change is NULL for a sequence's own answers, else
 *  "PLACE:REF>ALT", and the sequence "." that of the row before. */
typedef int bird_golden_row(bird_selftest *out, void *context, char *sequence,
                            char *change, char *answers);

/** Call for every row. Errors: BIRD_EINVAL the folder has no such file,
 *  BIRD_EFORMAT, which names the line; what `row` returns */
BIRD_MUST_CHECK int bird_golden_read(bird_selftest *out, const char *folder,
                                     bird_golden_row *row, void *context);

#endif
