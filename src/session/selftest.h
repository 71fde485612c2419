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

#include "dnabird/error.h"

/**
 * Write selftest.tsv into a model folder: 100 pieces of a FASTA file, evenly
 * spread, with the model's answers in float32.
 * Errors: those of opening both; BIRD_EINVAL the model has no tokenizer;
 * BIRD_EFORMAT the FASTA file has not enough known bases, or the model returns
 * NaN or infinity
 */
BIRD_MUST_CHECK int bird_selftest_write(const char *folder, const char *fasta);

#endif
