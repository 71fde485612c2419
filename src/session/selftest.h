/**
 * Golden answers of a model folder: selftest.tsv, which `export --selftest`
 * writes and bird_model_selftest() recomputes (dnabird/model.h).
 *
 * The answers are outputs before softmax or sigmoid on the given strand: logits
 * of a sequence, of each bin, or of each token's classes; for a masked-language
 * model the log probability of every token as read (nothing masked); for a bare
 * encoder the hidden states. Each sequence keeps 16 answers, spread over all of
 * them and starting at another index in each sequence, so that the file stays
 * small for any number of labels.
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

/* Shared with variant/golden.c, which keeps answers to changes. */

/** Pieces of a FASTA file, evenly spread. Start with {0}. */
struct bird_golden_pieces {
    bird_genome *genome;
    int64_t n_piece;
    char *bases; /* (n) of the current piece, upper case */
    int64_t n;
};

/** Open a FASTA file for n_piece pieces of at most `most` bases.
 *  Errors: those of bird_genome_open() */
BIRD_MUST_CHECK int bird_golden_pieces_open(struct bird_golden_pieces *p,
                                            const char *fasta, int64_t n_piece,
                                            int64_t most);
void bird_golden_pieces_close(struct bird_golden_pieces *p);

/** Read piece i, from i / n_piece of all bases or the next known bases: n bases,
 *  fewer at the end of a contig. Errors: BIRD_EFORMAT too few known bases */
BIRD_MUST_CHECK int bird_golden_piece(struct bird_golden_pieces *p, int64_t i,
                                      int64_t n);

/** Append a tab, at most 16 of n answers as NUMBER:VALUE, spread over all from
 *  number i on, and a newline. Errors: BIRD_EFORMAT an answer is NaN or
 *  infinite */
BIRD_MUST_CHECK int bird_golden_put(struct bird_text *out, const double *value,
                                    int64_t n, int64_t i, const char *folder);

/** Compare n answers with the kept list, and count. The call modifies the list.
 *  Errors: BIRD_EFORMAT the list is invalid, or has a NUMBER of n or more */
BIRD_MUST_CHECK int bird_golden_compare(bird_selftest *out, const double *value,
                                        int64_t n, char *list);

/** Takes a row of the file. `change` is NULL for the answers to the sequence,
 *  else "POSITION:REF>ALT"; the sequence "." repeats the row before. */
typedef int bird_golden_row(bird_selftest *out, void *context, char *sequence,
                            char *change, char *answers);

/** Call `row` for every row. Errors: BIRD_EINVAL the folder has no such file,
 *  BIRD_EFORMAT, which names the line; what `row` returns */
BIRD_MUST_CHECK int bird_golden_read(bird_selftest *out, const char *folder,
                                     bird_golden_row *row, void *context);

#endif
