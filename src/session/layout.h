/**
 * How a model answers: which bases one pass reads, and which bins it reports.
 * Computed once from the model folder and the user's options; `promoter`,
 * `chromatin`, `variant`, `evaluate` and training read the layout and not the
 * kind of the model.
 *
 * A model with one answer a window is a model with one bin:
 *
 *     |<----------------------- context_bp ------------------------>|
 *     |<- margin_bp ->|<------------ core_bp ------->|<- margin_bp ->|
 *                     |< bin_bp >|< bin_bp >|  ...
 *
 * The margins are context alone: no bin is reported for them.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_SESSION_LAYOUT_H
#define BIRD_SESSION_LAYOUT_H

#include <stdint.h>

#include "dnabird/error.h"
#include "dnabird/session.h"
#include "model/config.h"

/** Which bases must be known (A, C, G or T) for a bin to be scored. */
enum bird_unknown_rule {
    BIRD_UNKNOWN_OF_CONTEXT, /* those of the whole context */
    BIRD_UNKNOWN_OF_BIN      /* those of the bin: the model was trained with
                                unknown bases in its context */
};

struct bird_layout {
    int64_t context_bp;         /* bases that one pass reads */
    int64_t margin_bp, core_bp; /* context_bp = core_bp + 2 margin_bp */
    int64_t bin_bp, bins;       /* core_bp = bins * bin_bp */
    int64_t stride_bp; /* from one reported bin to the next; on a grid it
                          divides bin_bp */
    int64_t n_label;   /* columns of an answer */
    const int32_t *strand_pair; /* (n_label) bird_model_strand_pair() */
    enum bird_unknown_rule unknown;
    int on_grid; /* 1: bins begin at multiples of bin_bp on the contig, and
                    contexts go on as N beyond its ends; 0: contexts lie
                    anywhere on the contig */
    /* what the model folder says of these; 0: nothing */
    int64_t own_context_bp, own_bin_bp, own_stride_bp;
};

/** What a model returns for a sequence. */
enum bird_answers {
    BIRD_ANSWERS_NONE,   /* no values of sequences: the bare encoder, or a head
                            that classifies each token */
    BIRD_ANSWERS_LABELS, /* a value of each label, for each bin or window */
    BIRD_ANSWERS_TOKENS  /* probabilities of masked tokens: a masked-language
                            model */
};
enum bird_answers bird_config_answers(const struct bird_config *c);

/** Number of answers to a sequence of len bases: its bins, the last of which
 *  may be short; 1 for a model with one answer a window. */
int64_t bird_config_bins(const struct bird_config *c, int64_t len);

/** 1: the model answers for each bin of a window (the layout is on_grid); 0:
 *  one answer a window, or none. */
int bird_config_on_grid(const struct bird_config *c);

/** 1: the answers are measured quantities in the unit of the assay; 0: they are
 *  probabilities, or there are none. */
int bird_config_measures(const struct bird_config *c);

/** What the user asks for; 0: as the model says. */
struct bird_layout_request {
    int64_t context_bp, stride_bp;
    const char *option; /* that gives context_bp ("--window"), for messages */
    /** 1: a profile of bins side by side (stride_bp is not read). A model with
     *  one answer a window then has a grid of bins too: each context is read for
     *  one bin of bin_bp bases in its middle. */
    int profile;
    int64_t bin_bp; /* of a profile ("--bin") */
};

/**
 * The layout of a model that scores sequences.
 * Errors: BIRD_EINVAL neither folder nor user gives a context or bin, or
 * context, margins, bins and stride do not fit; BIRD_EFORMAT a wrong margin_bp or
 * bin_bp in dnabird.json
 */
BIRD_MUST_CHECK int bird_layout_of(struct bird_layout *out, const bird_model *m,
                                   const struct bird_layout_request *r);

#endif
