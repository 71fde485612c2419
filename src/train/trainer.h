/**
 * The trainer: parameters, gradients and the optimiser's moments as four equal
 * blocks, and one update of them.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRAIN_TRAINER_H
#define BIRD_TRAIN_TRAINER_H

#include <stdint.h>

#include "head/head.h"
#include "model/params.h"
#include "train/muon.h"

struct bird_trainer {
    struct bird_config c;
    struct bird_param *list;
    int64_t n_param, total;         /* total floats of a block */
    float *theta, *grad, *m, *v;    /* (total) */
    float *shadow;                  /* (total) moving average, or NULL */
    double shadow_decay;            /* 0 = no moving average */
    struct bird_weights w, g, slow; /* slow points into shadow or theta */
    struct bird_encoder *e;         /* over w, in float32 */
    enum bird_precision precision;  /* of bird_trainer_add(); float32, or
                                       bfloat16 after bird_trainer_lower() */
    struct bird_weights low;        /* theta with its rounded weights; and */
    struct bird_encoder *e_low;     /* an encoder over it, or NULL */
    int stale; /* 1: theta has changed since it was rounded */
    struct bird_tape *tape;
    float *dx;
    int64_t cap_dx;
    struct bird_head_tokens tokens; /* that the head reads of the batch */
    struct bird_adam adam;          /* adam.t counts updates done */
    int centre; /* 1: gradients of filters and of a linear head are centred: from
                   those of each output their mean over the inputs is
                   subtracted; set by bird_trainer_centre() */
    int frozen;  /* 1: encoder and stem stay as they are; set by
                   bird_trainer_freeze() */
    double clip; /* largest norm of the gradient; 0 = none */
    struct bird_muon_matrix *matrix; /* (n_matrix) that Muon updates: */
    int64_t n_matrix;                /* m is its momentum, v its direction */
    struct bird_muon_scratch *scratch;
    struct bird_update *update;
    int64_t n_update;
    double *partial; /* (n_update) */
};

/** A trainer with zeroed blocks; the caller fills theta. */
BIRD_MUST_CHECK int bird_trainer_new(struct bird_trainer **out,
                                     const struct bird_config *c, int recompute,
                                     double shadow_decay);
void bird_trainer_free(struct bird_trainer *l);

/**
 * From now on bird_trainer_add() multiplies linear layers in precision p.
 * Parameters, gradients, moments, l->e and l->w stay float32. Weights are rounded
 * at the first batch after an update; code that writes theta otherwise must set
 * l->stale.
 *
 * Errors: BIRD_EUNSUPPORTED as bird_low_check(); BIRD_EINVAL int8; BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_trainer_lower(struct bird_trainer *l,
                                       enum bird_precision p);

/**
 * From now on updates centre the gradients of the stem's filters and of the
 * head's last layer. At first the mean over the inputs is most of a gradient:
 * BatchNorm would remove it, LayerNorm does not.
 * Source: Yong et al. 2020, arXiv:2004.01461, eq. 1
 */
void bird_trainer_centre(struct bird_trainer *l);

/**
 * From now on Muon (muon.h) updates filters of the stem and linear layers of the
 * encoder; l->adam updates all else. To be called once, before the first update;
 * the number of threads must not change afterwards. Errors: BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_trainer_muon(struct bird_trainer *l);

/** From now on only the head and the pooler learn; the encoder has no dropout. To be
 *  called once, before the first update, and not with Muon. */
void bird_trainer_freeze(struct bird_trainer *l);

/** Forward and backward of a batch: adds scale x its gradient to grad. */
BIRD_MUST_CHECK int
bird_trainer_add(struct bird_trainer *l, struct bird_loss *loss,
                 const struct bird_batch *b, const struct bird_labels *labels,
                 const struct bird_dropout_rates *dropout, float scale);

/**
 * Clip, update with this learning rate, zero the gradient.
 * @return the gradient's norm before clipping; NaN or infinite: no update
 */
double bird_trainer_update(struct bird_trainer *l, double lr);

/** Copy theta into the moving average (at the start). */
void bird_trainer_start_shadow(struct bird_trainer *l);

/**
 * Learning rate of update number `step` (from 0) of `total`: linear warm-up
 * over `warmup` steps, then linear to 0 at `total`, or constant.
 * transformers get_linear_schedule_with_warmup.
 */
double bird_schedule(double lr, int64_t step, int64_t warmup, int64_t total,
                     int constant);

#endif
