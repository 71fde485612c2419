/**
 * Probabilities of a window without and with a change in it, each computed
 * once, in packs, on the strands asked for (their mean).
 *
 * The window of a change is W bp around its first base, moved inward at the
 * ends of the contig, the whole of a contig that is shorter; around the middle
 * of what is replaced where that is over W/2. The changed window covers the
 * same interval of the reference. Models that answer in bins have windows and
 * readings of their own: variant/effect_bins.h.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_VARIANT_EFFECT_H
#define BIRD_VARIANT_EFFECT_H

#include "session/model.h"
#include "variant/allele.h"

struct bird_effect;

struct bird_effect_options {
    int64_t window_bp;  /* W */
    int64_t shift_bp;   /* the window is moved by so much to the right */
    double max_unknown; /* share of N above which a window is not scored */
    int plus, minus;    /* strands */
    int anchored;       /* ALT on REF's tokens; 0: tokenized by itself */
    int64_t span_bp;    /* of models that answer in bins: how far to either
                           side of what is replaced they are read */
};

/**
 * Model and genome must outlive it. Owner: *out is the caller's.
 * Errors: BIRD_EINVAL the model does not score sequences, or a quantity;
 * BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_effect_new(struct bird_effect **out,
                                    const struct bird_model *m, bird_genome *g,
                                    const struct bird_effect_options *o);
void bird_effect_free(struct bird_effect *e);

/** From now on every change is looked at in the window start .. end of its
 *  contig; one that is not inside is TOO_LONG. */
void bird_effect_fix(struct bird_effect *e, int64_t start, int64_t end);

/** The same, with the window that lies around a region of a contig. */
void bird_effect_fix_around(struct bird_effect *e, int64_t contig,
                            int64_t start, int64_t end);

/** Bases of a region that one window holds for certain. */
int64_t bird_effect_room(const struct bird_effect *e);

/** Probabilities of a window: labels of the session's answers. */
int64_t bird_effect_features(const struct bird_effect *e);

/** The bases that changes are made normal against; borrowed. */
struct bird_contig_cache *bird_effect_bases(struct bird_effect *e);

/** Where a change's probabilities will be, and how it was tokenized. */
struct bird_request {
    int64_t ref, alt;  /* places, until bird_effect_evict() */
    int64_t n_changed; /* tokens, of the strand with more; of models that
                          answer in bins bases */
    int free;          /* 1: ALT tokenized by itself on some strand */
    int moved;         /* 1: the contig's end moved the window */
    int cut;           /* 1: the contig is shorter than the window */
};

/**
 * Ask for a change in its normal form. *status is BIRD_VARIANT_OK, TOO_LONG
 * (what is replaced or put in is longer than the window, or too many tokens)
 * or MANY_N; *out is filled when it is OK.
 * Errors: those of reading the genome and of scoring
 */
BIRD_MUST_CHECK int bird_effect_submit(struct bird_effect *e,
                                       struct bird_request *out,
                                       enum bird_variant_status *status,
                                       const struct bird_change *c);

/** Compute what was asked for. */
BIRD_MUST_CHECK int bird_effect_flush(struct bird_effect *e);

/** (features) of a place, after bird_effect_flush(); until the next request. */
const float *bird_effect_values(const struct bird_effect *e, int64_t place);

/** Places are no longer asked for. */
void bird_effect_evict(struct bird_effect *e);

/** What its session did. */
void bird_effect_count(const struct bird_effect *e, bird_session_counts *out);

#endif
