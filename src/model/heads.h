/**
 * What a head is: the layers on top of the encoder that make answers. A
 * configuration points at the row of its head and calls its functions, so nothing
 * else needs a list of heads or a switch over them.
 *
 * Rows are defined in src/head, each beside its functions; head/head.h has the
 * list and the look-ups by name. A test may point a configuration at a row of
 * its own.
 *
 * A head over bins has needs = BIRD_NEEDS_BINS and an n_bin(): its forward
 * pass gets all hidden states and writes (n_bin, n_label) logits a sequence,
 * one sequence after the other; the batch says in `bin` how many.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_MODEL_HEADS_H
#define BIRD_MODEL_HEADS_H

#include <jansson.h>
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
    int masked;     /* answers are words of the vocabulary, not labels */
    int next;       /* it has the next-sentence head too */
    int exclusive;  /* may learn classes that exclude each other */
    int pooler;     /* its loss reaches the encoder's pooler */
    int no_pooler;  /* its model has none in transformers */
    int64_t labels; /* it has always so many; 0: as the configuration says */
    int wide;       /* its classifier reads so many vectors of the hidden size
                      end to end; 0: one */
    int as_encoder; /* transformers has no class of it, but opens its model as a
                       bare encoder */
    /* A tensor that only this head has: weights with it have this head when
     * config.json names none. And the head of weights without the tensor.
     * NULL: none. */
    const char *marker;
    const struct bird_head_row *without;
    /** Check the head against the rest of the model; NULL: nothing to check.
     *  Errors: BIRD_EINVAL, BIRD_EUNSUPPORTED; path names the file. */
    int (*check)(const struct bird_config *c, const char *path);
    /** Fields of dnabird.json that only this head has, and back; NULL: none.
     *  Errors: BIRD_EFORMAT; BIRD_ENOMEM */
    int (*read)(struct bird_config *c, const json_t *meta, const char *path);
    int (*write)(json_t *meta, const struct bird_config *c);
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

/** The bare encoder, without a head. */
extern const struct bird_head_row bird_head_none;

#endif
