/**
 * Outputs of the encoder for sequences: hidden states, pooled vectors, logits,
 * as tensors in a file.
 *
 * The rows of all sequences lie end to end in the order of the input, special
 * tokens included, without padding; `offset` holds the first row of each
 * sequence. Names and shapes, with N rows, one for each token, or fewer
 * where a stem pools tokens, D features, L layers:
 *
 *   offset                  [n_seq + 1] int64; rows offset[i] .. offset[i+1]
 *   inputs_embeds           [N, D] word embeddings, or the rows of a stem,
 *                           before position and type embeddings are added;
 *                           transformers takes them under this name
 *   last_hidden_state       [N, D] float32, the last layer's output
 *   hidden_states.K         [N, D]; K = 0 the embeddings, K = 1 .. L the
 *                           output of layer K
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

BIRD_BEGIN_C

/** Which hidden states to write, besides a number 0 .. L. */
enum bird_embed_layer {
    BIRD_EMBED_DEFAULT =
        -1, /* the last layer, unless a .npy holds another tensor */
    BIRD_EMBED_LAST = -2,
    BIRD_EMBED_ALL = -3, /* hidden_states.0 to .L, and last_hidden_state */
    BIRD_EMBED_NONE = -4,
    BIRD_EMBED_INPUTS = -5 /* inputs_embeds */
};

/** Fill with bird_embed_options_default(). One of fasta, regions, ids. */
typedef struct bird_embed_options {
    const char *model;     /* folder; NULL: the shipped one */
    const char *fasta;     /* one sequence a record; "-" is standard input */
    const char *regions;   /* BED, one sequence an interval of `reference`; the
                              reverse complement for strand '-' */
    const char *reference; /* FASTA */
    const char *ids;       /* text, one line of token ids a sequence, used
                              unchanged; "-" is standard input */
    int64_t layer;         /* a number or enum bird_embed_layer */
    int mean;              /* 1: write mean_hidden_state */
    int pooled, logits;    /* 1: write pooler_output, logits */
    bird_model_run run;
    const char *output; /* *.safetensors; *.npy for exactly one tensor, without
                           offset; *.tsv for one tensor with a row for each
                           sequence (by default the mean). A row begins with
                           the name of the record, the name of the interval or
                           the interval itself, or "line N" for ids. Logits
                           of a head with labels of each token have a row
                           for each token, whose name ends in ":FIRST-LAST",
                           its bases from 1, or in the special token */
    bird_progress_call *progress; /* of tokens; or NULL */
    void *progress_context;
} bird_embed_options;

BIRD_API void bird_embed_options_default(bird_embed_options *o);

/** Summary of the file. */
typedef struct bird_embed_summary {
    int64_t n_seq, n_tok; /* tokens of the input, special ones included */
    int64_t n_row;        /* N above; n_tok unless a stem pools tokens */
    int64_t n_tensor;     /* offset included */
    int64_t n_layer;      /* of the model */
    int64_t n_feature;    /* D */
    int64_t n_byte;       /* of the file */
} bird_embed_summary;

/**
 * Embed all sequences and write the file, atomically.
 *
 * Sequences are packed in input order, about 4,096 tokens a pack, and the
 * results of each pack are written to their rows of the tensors. So memory holds
 * the weights, one pack, and 4 bytes a token of the input. The number of threads
 * does not change the result.
 *
 * Errors  BIRD_EINVAL options, a model without the head or tokenizer that is
 *         needed; BIRD_ERANGE a sequence longer than the model's positions
 *         (named), an id outside the vocabulary; BIRD_EIO, BIRD_EFORMAT;
 *         BIRD_ECANCELED by progress
 * Source  huggingface/transformers models/big_bird/modeling_big_bird.py,
 *         whose outputs have these names
 */
BIRD_API BIRD_MUST_CHECK int bird_embed_write(bird_embed_summary *out,
                                              const bird_embed_options *o);

BIRD_END_C

#endif
