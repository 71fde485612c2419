/**
 * How a run begins and ends, and the form of its log.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRAIN_PRETRAIN_RUN_H
#define BIRD_TRAIN_PRETRAIN_RUN_H

#include "train/pretrain.h"

/** Columns of training.tsv; the last three are times. */
#define BIRD_PRETRAIN_LOG                                                      \
    "step\tloss\tnext_loss\tbits_per_base\tlearning_rate\tgradient_norm\t"     \
    "valid_loss\tvalid_bits_per_base\tvalid_accuracy\t"                        \
    "seconds\ttokens_per_second\tbp_per_second\n"

/** Check the options, open everything that is read, make the learner. */
BIRD_MUST_CHECK int bird_pretrain_setup(struct bird_pretraining *f);
void bird_pretrain_teardown(struct bird_pretraining *f);

/** Which regions are for what, read while the files are there.
 *  Owner: *out is the caller's, json_decref(). */
BIRD_MUST_CHECK int bird_pretrain_split(json_t **out,
                                        const bird_pretrain_options *o);

#endif
