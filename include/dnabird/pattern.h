/**
 * Attention patterns: which keys a query attends to, displayed and checked.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_PATTERN_H
#define DNABIRD_PATTERN_H

#include <stdint.h>

#include "dnabird/error.h"
#include "dnabird/progress.h"
#include "dnabird/train.h"

BIRD_BEGIN_C

/** A pattern and a sequence. */
typedef struct bird_pattern_query {
    const char *model;   /* a model folder with the pattern; or NULL */
    const char *pattern; /* as for bird_model_init(); with a model it changes
                            the model's pattern; NULL: the model's, or
                            bigbird */
    int64_t length;      /* tokens; 0: the model's maximum, else 512 */
    int64_t layers;      /* number of layers to examine if lists are random
                            in each; 0: the model's, else 1 */
    int64_t heads;       /* without a model; 1 */
    int64_t layer;       /* layer to show; 0 */
    int64_t head;        /* head to show; -1: union of all heads */
} bird_pattern_query;

BIRD_API void bird_pattern_query_default(bird_pattern_query *o);

/** Formats of a shown pattern. */
enum bird_pattern_format {
    BIRD_PATTERN_TEXT, /* a line for each block of queries */
    BIRD_PATTERN_TSV,  /* runs of blocks of keys */
    BIRD_PATTERN_SVG   /* a picture as figure 1 of Zaheer et al. 2020 */
};

/**
 * The attention matrix of one layer. A block that is listed k times counts k
 * times in the softmax and is shown with that number.
 *
 * Owner   *out is the caller's, free()
 * Errors  BIRD_EINVAL an invalid pattern, length, layer or head, more than
 *         4,096 blocks; those of opening a model; BIRD_ENOMEM
 */
BIRD_API BIRD_MUST_CHECK int bird_pattern_show(char **out,
                                               const bird_pattern_query *o,
                                               enum bird_pattern_format format);

/** Result of bird_pattern_assess(). */
typedef struct bird_pattern_assessment {
    int holds;  /* assumption 1: 1 all three parts, 0 not, -1 not decided */
    char *text; /* lines with a name, blanks and a value */
    char *json; /* the same as an object */
} bird_pattern_assessment;

/**
 * Check assumption 1 of Yun et al. 2020 (arXiv:2006.04862), under which sparse
 * transformers approximate every function that full ones do: each block attends
 * to itself (1.1), in some order each attends to the previous one (1.2), and
 * after s layers each reaches all (1.3). Also computes sparsity, hops,
 * clustering, spectral gap, and the number of layers after which token 0
 * reaches every token.
 *
 * Owner   both texts are the caller's, free()
 * Errors  as of bird_pattern_show(), with up to 8,192 blocks
 */
BIRD_API BIRD_MUST_CHECK int bird_pattern_assess(bird_pattern_assessment *out,
                                                 const bird_pattern_query *o);

/* --- the copying task ------------------------------------------------------ */

/**
 * Rows "0 s 0 s" of 2 (length + 1) tokens, where s is `length` random symbols,
 * uniform in 0 .. symbols - 1: a model that predicts the next token has to find
 * s, `length` tokens before. Source: Yun et al. 2020, arXiv:2006.04862,
 * section 5 and table 1; docs/math/pattern.md.
 */
typedef struct bird_copying_task {
    int64_t symbols; /* 128; 2 to 65,536 */
    int64_t length;  /* 127; 1 to 4,095 */
    uint64_t seed;   /* 1 */
} bird_copying_task;

BIRD_API void bird_copying_task_default(bird_copying_task *t);

/** Tokens of a row. Errors: BIRD_EINVAL sizes out of range */
BIRD_API BIRD_MUST_CHECK int bird_copying_tokens(int64_t *n,
                                                 const bird_copying_task *t);

/** Row number `row`, from 0: ids (tokens of a row), the caller's.
 *  bird_copying_tokens() must accept the task. */
BIRD_API void bird_copying_row(int32_t *ids, const bird_copying_task *t,
                               int64_t row);

/** Model, data and training of the task. */
typedef struct bird_pattern_learn_options {
    const char *pattern; /* as for bird_model_init(); it must be causal */
    const char *map;     /* probability map; NULL: softmax */
    bird_copying_task task;
    int64_t layers, heads, hidden, intermediate; /* 1, 4, 256, 512 */
    int64_t batch;                               /* rows of an update: 1,024 */
    int64_t train_rows;            /* rows of the training set: 100,000 */
    int64_t valid_rows, test_rows; /* rows of validation and test set: 1,000
                                      and 10,000 */
    int64_t validate_every;        /* updates between validations; 0: a
                                      twentieth of the steps */
    double enough; /* per cent of right validation answers that stop the
                      training early; 100: only if all are right */
    bird_train_options run; /* steps, lr, warmup, optimizer, precision, out,
                               resume, checkpoint_every, progress; not the
                               initial model */
} bird_pattern_learn_options;

/** Defaults of Yun et al. 2020, section 5 and appendix: 500,000 updates, a
 *  learning rate of 1e-4 after 3,000 updates of warm-up, no dropout. */
BIRD_API void bird_pattern_learn_default(bird_pattern_learn_options *o);

/** The result, and the best possible one. */
typedef struct bird_pattern_learned {
    int64_t steps;   /* updates done */
    double right;    /* per cent of right answers in the test rows */
    double valid;    /* the same for the validation rows, at the end */
    double reach;    /* per cent of answers that the query can reach through
                        the layers */
    double counted;  /* per cent right if these are, and the others are
                        guessed */
    double sparsity; /* per cent of token pairs that are left out, mean of
                        heads */
} bird_pattern_learned;

/**
 * Train an encoder with this pattern on the copying task, from random weights
 * of the task's seed, in the folder o->run.out, which holds a checkpoint and
 * training.tsv. Rows 0 .. train_rows - 1 are for training, the following ones
 * for validation and then for the test, which is computed once, at the end. A
 * layer has attention and two linear layers; in the paper all layers share one
 * such pair.
 *
 * Errors  BIRD_EINVAL a pattern that attends to the answer, sizes, a run in the
 *         folder without o->run.resume; BIRD_EFORMAT a checkpoint of another
 *         run; BIRD_EUNSUPPORTED a map without gradient; BIRD_ECANCELED the
 *         progress call requested it; BIRD_ERANGE the loss is not a number;
 *         BIRD_EIO, BIRD_ENOMEM
 */
BIRD_API BIRD_MUST_CHECK int
bird_pattern_learn(bird_pattern_learned *out,
                   const bird_pattern_learn_options *o);

BIRD_END_C

#endif
