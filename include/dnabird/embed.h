/**
 * What the encoder makes of sequences: hidden states, pooled vectors, logits,
 * as tensors in a file.
 *
 * Rows of all sequences lie end to end in the order of the input (special
 * tokens included, padding not); `offset` says where each begins. Names and shapes, with N
 * tokens, D features, L layers:
 *
 *   offset                  [n_seq + 1] int64; rows offset[i] .. offset[i+1]
 *   inputs_embeds           [N, D] what position and type are added to: word
 *                           embeddings, or the rows of a stem; transformers
 *                           takes them under this name
 *   last_hidden_state       [N, D] float32, the last layer's output
 *   hidden_states.K         [N, D]; K = 0 the embeddings, K = 1 .. L a layer's
 *   mean_hidden_state       [n_seq, D] mean of a sequence's rows of the last
 *                           layer's output
 *   pooler_output           [n_seq, D] tanh(W h + b), h the first token's row
 *   logits                  [N, vocabulary] of a masked-language head, [N,
 *                           labels] of a token head, else [n_seq, labels]
 *   seq_relationship_logits [n_seq, 2] of a pretraining head
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_EMBED_H
#define DNABIRD_EMBED_H

#include <stdint.h>

#include "dnabird/error.h"
#include "dnabird/model.h"
#include "dnabird/progress.h"

/** Which hidden states, other than a number 0 .. L. */
enum bird_embed_layer {
    BIRD_EMBED_DEFAULT = -1, /* the last, unless a .npy holds another tensor */
    BIRD_EMBED_LAST = -2,
    BIRD_EMBED_ALL = -3, /* hidden_states.0 to .L, and the last by its name */
    BIRD_EMBED_NONE = -4,
    BIRD_EMBED_INPUTS = -5 /* what the embeddings are made of */
};

/** Fill with bird_embed_options_default(). One of fasta, regions, ids. */
typedef struct bird_embed_options {
    const char *model;     /* folder; NULL: the shipped one */
    const char *fasta;     /* a record a sequence; "-" is standard input */
    const char *regions;   /* BED, an interval a sequence, of `reference`; the
                              reverse complement for strand '-' */
    const char *reference; /* FASTA */
    const char *ids;       /* text, a line of token ids a sequence, taken as
                              they are; "-" is standard input */
    int64_t layer;         /* a number or enum bird_embed_layer */
    int mean;              /* 1: mean_hidden_state is wanted */
    int pooled, logits;    /* 1: wanted */
    bird_model_run run;
    const char *output; /* *.safetensors; *.npy for exactly one tensor, without
                           offset; *.tsv for one with a row a sequence (the
                           mean, when nothing is asked for), each behind its
                           name: of the record, of the interval or the
                           interval itself, or "line N" of the ids */
    bird_progress_call *progress; /* of tokens; or NULL */
    void *progress_context;
} bird_embed_options;

BIRD_API void bird_embed_options_default(bird_embed_options *o);

/** What was written. */
typedef struct bird_embed_summary {
    int64_t n_seq, n_tok;
    int64_t n_tensor;  /* offset with them */
    int64_t n_layer;   /* of the model */
    int64_t n_feature; /* D */
    int64_t n_byte;    /* of the file */
} bird_embed_summary;

/**
 * Embed all sequences and write the file, atomically.
 *
 * Sequences are packed in input order until some 4,096 tokens are full and
 * the results put in their places, so memory is the weights, one pack, and 4
 * bytes a token of the input. The result does not depend on the threads.
 *
 * Errors  BIRD_EINVAL options, a model without the head or tokenizer that is
 *         needed; BIRD_ERANGE a sequence longer than the model's positions
 *         (named), an id outside the vocabulary; BIRD_EIO, BIRD_EFORMAT
 * Source  huggingface/transformers models/big_bird/modeling_big_bird.py,
 *         whose outputs have these names
 */
BIRD_API BIRD_MUST_CHECK int bird_embed_write(bird_embed_summary *out,
                                              const bird_embed_options *o);

#endif
