/**
 * Attention patterns: which keys a query sees, shown and checked.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_PATTERN_H
#define DNABIRD_PATTERN_H

#include <stdint.h>

#include "dnabird/error.h"
#include "dnabird/progress.h"
#include "dnabird/train.h"

/** Which pattern, for which sequence. */
typedef struct bird_pattern_query {
    const char *model;   /* a model folder, for its pattern; or NULL */
    const char *pattern; /* as of bird_model_init(); over a model's, what it
                            does not say stays; NULL: the model's, or bigbird */
    int64_t length;      /* tokens; 0: as many as the model reads, else 512 */
    int64_t layers;      /* of lists that are drawn for each layer, so many are
                            looked at; 0: the model's, else 1 */
    int64_t heads;       /* without a model; 1 */
    int64_t layer;       /* that is shown; 0 */
    int64_t head;        /* that is shown; -1: what any head sees */
} bird_pattern_query;

BIRD_API void bird_pattern_query_default(bird_pattern_query *o);

/** What a pattern is shown as. */
enum bird_pattern_format {
    BIRD_PATTERN_TEXT, /* a line for each block of queries */
    BIRD_PATTERN_TSV,  /* runs of blocks of keys */
    BIRD_PATTERN_SVG   /* a picture, as figure 1 of the papers */
};

/**
 * Who sees whom in one layer. Blocks that are listed k times, which count k
 * times in the softmax, show that number.
 *
 * Owner   *out is the caller's, free()
 * Errors  BIRD_EINVAL no such pattern, length, layer or head, more than 4,096
 *         blocks; those of opening a model; BIRD_ENOMEM
 */
BIRD_API BIRD_MUST_CHECK int bird_pattern_show(char **out,
                                               const bird_pattern_query *o,
                                               enum bird_pattern_format format);

/** What bird_pattern_assess() finds. */
typedef struct bird_pattern_assessment {
    int holds;  /* assumption 1, all three parts */
    char *text; /* lines of a name, blanks and a value */
    char *json; /* the same as an object */
} bird_pattern_assessment;

/**
 * Check assumption 1 of Yun et al. 2020 (arXiv:2006.04862), under which sparse
 * transformers approximate every function that full ones do: each block sees
 * itself (1.1), there is an order in which each sees the one before (1.2), and
 * after s layers each sees all (1.3). And sparsity, hops, clustering, spectral
 * gap; after how many layers token 0 sees every token.
 *
 * Owner   both texts are the caller's, free()
 * Errors  as of bird_pattern_show(), with up to 8,192 blocks
 */
BIRD_API BIRD_MUST_CHECK int bird_pattern_assess(bird_pattern_assessment *out,
                                                 const bird_pattern_query *o);

/* --- the copying task ------------------------------------------------------- */

/**
 * Rows "0 s 0 s" of 2 (length + 1) tokens, s being `length` symbols drawn evenly
 * from 0 .. symbols - 1: a model that predicts the next token has to find s
 * again, `length` tokens before. Source: Yun et al. 2020, arXiv:2006.04862,
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

/** Row number `row`, from 0: ids (tokens of a row), the caller's. The task is
 *  one that bird_copying_tokens() takes. */
BIRD_API void bird_copying_row(int32_t *ids, const bird_copying_task *t,
                               int64_t row);

/** How a model learns the task, and what of. */
typedef struct bird_pattern_learn_options {
    const char *pattern; /* as of bird_model_init(); it must not see ahead */
    const char *map;     /* probability map; NULL: softmax */
    bird_copying_task task;
    int64_t layers, heads, hidden, intermediate; /* 1, 4, 256, 512 */
    int64_t batch;                               /* rows of an update: 1,024 */
    int64_t train_rows;            /* these come again and again: 100,000 */
    int64_t valid_rows, test_rows; /* of their own: 1,000 and 10,000 */
    int64_t validate_every;        /* updates; 0: a twentieth of the steps */
    double enough; /* per cent right of the validation rows at which it stops
                      early; 100: only when all are right */
    bird_train_options run; /* steps, lr, warmup, optimizer, precision, out,
                               resume, checkpoint_every, progress; not the model
                               to start from */
} bird_pattern_learn_options;

/** As Yun et al. 2020, section 5 and its appendix have it: 500,000 updates, a
 *  learning rate of 1e-4 after 3,000 updates of warm-up, no dropout. */
BIRD_API void bird_pattern_learn_default(bird_pattern_learn_options *o);

/** What was learned, beside what can be. */
typedef struct bird_pattern_learned {
    int64_t steps;   /* updates done */
    double right;    /* per cent of the test rows' answers that are right */
    double valid;    /* the same of the validation rows, at the end */
    double reach;    /* per cent of answers that the query reaches through the
                      layers, by any head */
    double counted;  /* per cent right when these are, and others guessed */
    double sparsity; /* per cent of pairs of tokens left out, mean of heads */
} bird_pattern_learned;

/**
 * Train an encoder with this pattern to copy, from random weights of the task's
 * seed, in the folder o->run.out, which holds a checkpoint and training.tsv.
 * Rows 0 .. train_rows - 1 are for training, the following for validation and
 * then for the test, which is computed once, at the end. A layer is attention
 * and two linear layers, where the paper's has one of these for all.
 *
 * Errors  BIRD_EINVAL a pattern that sees what it is to answer, sizes, a run in
 *         the folder without o->run.resume; BIRD_EFORMAT with it, but another
 *         run; BIRD_EUNSUPPORTED a map without gradient; BIRD_ECANCELED the
 *         progress call asked for it; BIRD_ERANGE the loss is not a number;
 *         BIRD_EIO, BIRD_ENOMEM
 */
BIRD_API BIRD_MUST_CHECK int
bird_pattern_learn(bird_pattern_learned *out,
                   const bird_pattern_learn_options *o);

#endif
