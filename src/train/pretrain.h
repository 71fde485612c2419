/**
 * A pretraining run: its rows, its trainer, and its state.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRAIN_PRETRAIN_H
#define BIRD_TRAIN_PRETRAIN_H

#include "data/sampler.h"
#include "train/comm.h"
#include "train/run.h"

/** Rows of a step, sampled in parallel, and packs of them as batches. Start with
 *  {0}. */
struct bird_row_set {
    struct bird_sample_row *row; /* (n) */
    int *rc;                     /* (n) */
    int32_t *block;              /* the rows' ids, types and labels */
    float *weights;              /* weights of the rows' tokens */
    int64_t n, cap_row, cap_rc, cap_block, cap_weights;
    /* a pack: rows end to end */
    int32_t *ids, *type, *label, *next;
    float *weight;
    int64_t *offset, *token; /* of rows of the encoder; of tokens */
    struct bird_head_tokens tokens;
    int64_t cap_ids, cap_type, cap_label, cap_next, cap_weight, cap_offset,
        cap_token;
};

void bird_row_set_free(struct bird_row_set *r);

struct bird_pretraining {
    bird_pretrain_options o;
    struct bird_train_run run;
    struct bird_comm *comm;
    int32_t mask_id;
    struct bird_sampler *train, *valid; /* valid NULL: no held-out rows */
    json_t *split;          /* regions of each part, for dnabird.json */
    int64_t n_row, n_valid; /* rows of a step, of a validation; all ranks */
    int64_t pack_rows;      /* rows of a pack */
    int64_t warmup_steps, validate_every;
    struct bird_row_set rows;
    double *nll;
    int32_t *best;
    int64_t cap_nll, cap_best;
    int trouble; /* status of this process since the last common sum */
    int stop;    /* 1: this process got a signal to stop */
    int stopped; /* 1: all processes know that one of them was */
    double valid_loss, valid_bits, valid_accuracy;
    int64_t valid_step; /* step of these; 0: none yet */
    double saved;       /* seconds: when the last checkpoint was written */
};

/** One update; none, and f->stopped = 1, when a process got a signal to stop.
 *  */
BIRD_MUST_CHECK int bird_pretrain_step(struct bird_pretraining *f,
                                       bird_pretrain_state *s);

/** Metrics of the held-out rows, all chosen tokens [MASK], into f->valid_*. */
BIRD_MUST_CHECK int bird_pretrain_validate(struct bird_pretraining *f);

/** Report progress to the caller. @return 1: the run must stop */
int bird_pretrain_report(const struct bird_pretraining *f,
                         const bird_pretrain_state *s);

#endif
