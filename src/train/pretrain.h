/**
 * A pretraining run: its rows, its learner, where it is.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRAIN_PRETRAIN_H
#define BIRD_TRAIN_PRETRAIN_H

#include <jansson.h>
#include <stdint.h>

#include "base/text.h"
#include "dnabird/pretrain.h"
#include "train/checkpoint.h"
#include "train/comm.h"
#include "train/rows.h"
#include "train/trainer.h"

struct bird_pretraining {
    bird_pretrain_options o;
    struct bird_comm *comm;
    bird_tokenizer *tokenizer;
    char *tokenizer_path; /* where it was read from */
    int32_t mask_id;
    struct bird_sampler *train, *valid; /* valid NULL: none held out */
    struct bird_trainer *l;
    struct bird_noise noise; /* rates; the key is the pack's */
    struct bird_train_progress progress;
    struct bird_text identity;
    json_t *split;          /* which regions are for what, for dnabird.json */
    int64_t n_row, n_valid; /* rows of a step, of a validation; all ranks */
    int64_t pack_rows;      /* rows of a pack */
    int64_t warmup_steps, validate_every;
    struct bird_row_set rows;
    double *nll;
    int32_t *best;
    int64_t cap_nll, cap_best;
    int trouble; /* what went wrong since all met last */
    int stop;    /* this process was asked to */
    int stopped; /* and all have heard of it */
    double valid_loss, valid_bits, valid_accuracy;
    int64_t valid_step;    /* step of these figures; 0: none yet */
    double started, saved; /* seconds: the run; its checkpoint */
    int64_t started_step;
};

/** Train, validate and keep checkpoints until the end or a stop. */
BIRD_MUST_CHECK int bird_pretrain_loop(struct bird_pretraining *f);

/** One update, or, when a process was asked to stop, none and f->stopped. */
BIRD_MUST_CHECK int bird_pretrain_step(struct bird_pretraining *f,
                                       bird_pretrain_state *s);

/** Figures of the held-out rows, all chosen tokens [MASK], into f->valid_*. */
BIRD_MUST_CHECK int bird_pretrain_validate(struct bird_pretraining *f);

/** Where the run is, without figures of a step. */
void bird_pretrain_describe(const struct bird_pretraining *f,
                            bird_pretrain_state *s);

/** Tell the caller; 1 when the run is to stop. */
int bird_pretrain_report(const struct bird_pretraining *f,
                         const bird_pretrain_state *s);

/** The model folder that a finished run leaves. */
BIRD_MUST_CHECK int bird_pretrain_finish(struct bird_pretraining *f);

#endif
