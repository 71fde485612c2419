/**
 * Pretrain an encoder on reference genomes: masked-language training.
 *
 * Belongs to libdnabird_train.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_PRETRAIN_H
#define DNABIRD_PRETRAIN_H

#include <stdint.h>

#include "dnabird/error.h"
#include "dnabird/model.h"
#include "dnabird/optimizer.h"
#include "dnabird/progress.h"
#include "dnabird/sample.h"

/** Where a run is, as bird_progress.pretrain. */
typedef struct bird_pretrain_state {
    int64_t step, steps; /* updates done, updates in all */
    int64_t pack, packs; /* of the step under way, of this process */
    int updated;         /* 1: a step was just done, and the figures are its */
    double loss;         /* mean over the masked tokens, nats */
    double next_loss;    /* mean over the pairs, nats; NaN without --nsp */
    double bits;         /* bits per base under the masked tokens */
    double lr, norm;     /* learning rate; gradient before clipping */
    double tokens_per_s, bp_per_s; /* of the step, of all processes */
    double left_s;                 /* seconds left at the rate so far */
    int validated;                 /* 1 when the following are new */
    double valid_loss, valid_bits, valid_accuracy;
    int rank, ranks; /* of this process, among those that train together */
} bird_pretrain_state;

typedef struct bird_pretrain_options {
    bird_sample_options data; /* references, sampling, masking; seed too */
    const char *valid;        /* held out for validation: a BED file, or
                                 regions and contigs between commas; NULL */
    const char *test;         /* held out and never read; NULL */
    const char *init;         /* model folder to go on from, or NULL */
    const char *preset;       /* tiny, small, base; without init */
    const char *config;       /* config.json; without init and preset */
    const char *tokenizer;    /* tokenizer.json; NULL: of init */
    const char *out;          /* the run's folder, then the model */
    const char *note;         /* kept in the model: what it is for */
    const char *command;      /* kept in the model */
    enum bird_optimizer optimizer;
    int64_t steps;            /* updates; must be given */
    int64_t batch;            /* tokens an update, of all processes; 32768 */
    int64_t pack_tokens;      /* tokens of one forward pass; 4096 */
    int64_t validate_every;   /* updates; 0: a twentieth of the steps */
    int64_t valid_tokens;     /* tokens of a validation; 65536 */
    int64_t checkpoint_every; /* updates; 0: every ten minutes */
    double lr;                /* largest learning rate; 1e-4 */
    double warmup; /* share of the steps, or, from 1 on, steps; 0.1 */
    double weight_decay, clip;     /* 0.01, 1.0 */
    double dropout;                /* < 0: the configuration's */
    int constant;                  /* no decay after the warm-up */
    int recompute;                 /* keep layer inputs only */
    int resume;                    /* go on from the run's checkpoint */
    enum bird_precision precision; /* what linear layers multiply in; float32
                                      or bfloat16 */
    bird_progress_call *progress;  /* of steps, told between packs and after
                                      every step; or NULL */
    void *progress_context;
} bird_pretrain_options;

/** data.length_tok is 0: the longest the model reads. */
BIRD_API void bird_pretrain_options_default(bird_pretrain_options *o);

/**
 * Train and leave a model folder at o->out: a masked-language head, or with
 * data.next_sentence the pretraining head.
 *
 * Every choice is a function of (seed, step, row): a run stopped at any
 * moment and resumed ends with the same bytes in model.safetensors,
 * config.json and tokenizer.json as one never stopped, for any number of
 * threads. checkpoint.safetensors and training.tsv lie in the folder while
 * and after it runs. Started by mpirun, in a build that has MPI, the rows of
 * a step are shared out to the processes; the first one writes.
 *
 * Source   Zaheer et al. 2020, arXiv:2007.14062, appendix F.1, for the
 *          objective; docs/math/distributed.md for several processes
 * Errors   BIRD_EINVAL options; BIRD_EIO, BIRD_EFORMAT files; BIRD_ERANGE the
 *          loss is no number; BIRD_ECANCELED stopped by progress, a checkpoint
 *          was written. Of several processes one has the sentence, the
 *          others an empty one
 */
BIRD_API BIRD_MUST_CHECK int bird_pretrain(const bird_pretrain_options *o);

#endif
