/**
 * One row per head: everything that the program asks about what stands on the
 * encoder. A configuration points at its row, so nothing else needs a list of
 * heads or a switch over them.
 *
 * Rows are defined in src/head, each beside its functions, and listed in
 * src/head/head.c. A new head is a file there, its declaration below and its
 * line in the list. A test may point a configuration at a row of its own.
 *
 * A head over bins has needs = BIRD_NEEDS_BINS and an n_bin(): its forward
 * pass gets all hidden states and writes (n_bin, n_label) logits a sequence,
 * one sequence after the other; the batch says in `bin` how many.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_MODEL_HEADS_H
#define BIRD_MODEL_HEADS_H

#include <stdint.h>

struct bird_batch;
struct bird_config;
struct bird_head_pass;
struct bird_loss;
struct bird_param_list;
struct bird_weights;

/** Which hidden states a head reads, and how many answers come of them. */
enum bird_head_needs {
    BIRD_NEEDS_FIRST, /* token 0 alone: one answer a sequence */
    BIRD_NEEDS_MEAN,  /* all tokens: one answer a sequence */
    BIRD_NEEDS_BINS,  /* all tokens: n_bin() answers a sequence */
    BIRD_NEEDS_ALL    /* all tokens: one answer a token */
};

struct bird_head_row {
    const char *name;   /* in dnabird.json */
    const char *option; /* of --head; NULL: it cannot be chosen there */
    /* In config.json; NULL: transformers has no class of it, and the file
     * says BigBirdModel, the bare encoder. */
    const char *architecture;
    const char *alias; /* how other architectures of it begin, or NULL */
    const char *about; /* in words, for `info` */
    enum bird_head_needs needs;
    int masked;    /* answers are words of the vocabulary, not labels */
    int next;      /* with the next-sentence head beside it */
    int exclusive; /* may learn classes that exclude each other */
    int pooler;    /* its loss reaches the encoder's pooler */
    int wide;      /* its classifier reads so many vectors of the hidden size
                      end to end; 0: one */
    /* A tensor that only this head has, by which weights tell it when
     * config.json does not; and the head of weights without it. NULL: none. */
    const char *marker;
    const struct bird_head_row *without;
    /** Append the head's tensors to the table of parameters. */
    void (*tensors)(struct bird_param_list *l, const struct bird_config *c);
    /** Answers to a sequence of len bases; NULL: one. */
    int64_t (*n_bin)(const struct bird_config *c, int64_t len);
    /** As bird_head_forward(), with next NULL where it is not wanted. */
    int (*forward)(float *logits, float *next, const struct bird_config *c,
                   const struct bird_weights *w, const float *x,
                   const struct bird_batch *b);
    /** As bird_head_backward(). */
    int (*backward)(struct bird_loss *out, float *dx, float *logits,
                    const struct bird_head_pass *p);
};

extern const struct bird_head_row bird_head_none; /* the bare encoder */
extern const struct bird_head_row bird_head_mlm, bird_head_pretrain;
extern const struct bird_head_row bird_head_token, bird_head_sequence;
extern const struct bird_head_row bird_head_linear_pooled, bird_head_linear_cls;
extern const struct bird_head_row bird_head_mean_pooled, bird_head_maxmean;
extern const struct bird_head_row bird_head_bins, bird_head_bins_maxmean;

/** Row i of the table, from 0; NULL past the last. */
const struct bird_head_row *bird_head_at(int i);

/** The head of this name in dnabird.json; NULL: none has it. */
const struct bird_head_row *bird_head_by_name(const char *name);

/** The head of this name of --head; NULL: none has it. */
const struct bird_head_row *bird_head_by_option(const char *option);

/** The head that learns from masked tokens, and next sentences if asked. */
const struct bird_head_row *bird_head_masked(int next);

#endif
