/**
 * How one kind of model computes the effect of a change: the contract between
 * variant/effect.h, which looks at a change in several windows, on both strands
 * and in both directions, and the kinds of models:
 *
 *     variant/effect_sequence.c  models of labels: probabilities of a window
 *                                or of the bins around the change
 *     variant/effect_masked.c    masked-language models: log-likelihoods, and
 *                                the distance of hidden states
 *
 * One object scores the windows of all shifts, so that windows which overlap
 * are computed together (model/stem.h). A new score of a change, such as one
 * that recomputes only the tokens that changed, is a new row here.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_VARIANT_EFFECT_KIND_H
#define BIRD_VARIANT_EFFECT_KIND_H

#include "dnabird/variant.h"
#include "session/model.h"
#include "variant/effect_window.h"

/** What stays the same for all changes that an object scores. */
struct bird_effect_plan {
    const bird_model *m; /* which must outlive the object */
    struct bird_window_rule rule[BIRD_SHIFTS]; /* (n_shift) */
    int64_t n_shift;
    int used[2];             /* 1: this strand is scored; plus, minus */
    enum bird_strand strand; /* the same for a session; EACH: a slot has values
                                of both strands, else one row of values */
    int64_t n_strand;        /* 2 for EACH, else 1 */
    int anchored; /* 1: ALT keeps the tokens of REF outside of the change */
    int unshared; /* 1: alleles share no passes of a masked-language model, and
                     no windows or rows of a stem; the values are the same */
};

/** A change on one strand of a window: bases from .. to become alt. */
struct bird_strand_change {
    int64_t from, to;
    struct bird_text alt; /* borrowed */
};

/** A change in one direction: haplotype `from` becomes haplotype `to`. */
struct bird_effect_input {
    const struct bird_haplotype *from, *to;
    const struct bird_change *change; /* in coordinates of `from`; alt are the
                                         bases of `to` */
    const struct bird_effect_window
        *window;                         /* of `from`; it holds the change */
    struct bird_strand_change strand[2]; /* the change on its bases */
    int backward;  /* 1: `from` has ALT, and the previous input was the same
                     change forward. 0: `from` is the reference */
    int distance;  /* 1: distances are wanted, of a kind that has them */
    int64_t shift; /* number of the window's shift */
    int64_t slot;  /* number of the values of `from`; those of `to` have the
                      next one. Each is used once for a shift until evict() */
};

/** What became of an input. The rest is set when status is OK. */
struct bird_effect_submitted {
    enum bird_variant_status status; /* OK, TOO_LONG or NO_TOKEN */
    int64_t n_changed;   /* tokens of the strand with more; on a grid bases */
    int tokenized_alone; /* 1: `to` was tokenized by itself on some strand */
};

/** A kind of model. All functions but make() take the object of make(). */
struct bird_effect_kind {
    int likelihood;       /* 1: the values of a slot are those of enum
                       bird_likelihood_value; 0: probabilities of the labels */
    int64_t window_steps; /* windows begin at multiples of 1/window_steps of
                             their length, so that neighbouring changes share
                             one; 0: at any base, or on the grid */
    /** Bases of a window if the user does not say; 0: unknown. */
    int64_t (*window_bp)(const bird_model *m);
    /** Errors: BIRD_EINVAL the model cannot score changes; BIRD_ENOMEM */
    int (*make)(void **out, const struct bird_effect_plan *plan);
    void (*free)(void *e);
    /** Errors: those of reading the genome and of running the model */
    int (*submit)(void *e, struct bird_effect_submitted *out,
                  const struct bird_effect_input *in);
    /** Compute all that was submitted. Errors: of running the model */
    int (*flush)(void *e);
    /** (n_strand, values) of a slot in the windows of a shift, after flush(). */
    void (*values)(float *out, const void *e, int64_t shift, int64_t slot);
    /** Forget all slots: their numbers begin at 0 again. */
    void (*evict)(void *e);
    void (*count)(bird_session_counts *out, const void *e);
};

extern const struct bird_effect_kind bird_effect_sequence, bird_effect_masked;

/** Values of a slot of a masked-language model. */
enum bird_likelihood_value {
    BIRD_LOG_LIKELIHOOD,
    BIRD_STATE_DISTANCE, /* between both haplotypes, whose slots both have it;
                            0 when it is not wanted */
    BIRD_LIKELIHOOD_VALUES
};

#endif
