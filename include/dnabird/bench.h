/**
 * How fast this machine runs a model, against what its matrix product could
 * give at best.
 *
 * Every measurement takes turns with its own reference: cblas_sgemm over the
 * shapes of the encoder's linear layers, on as many threads, each thread
 * calling it by itself for its share of the rows. The work is counted from
 * the configuration: two operations for each useful multiplication, that is
 * the linear layers, and in attention the products of a query with the keys
 * that its plan lists (each once; global rows see all). What is computed
 * besides (softmax, normalisation, activation, padding of a tile) is not
 * counted, so it lowers the rate.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_BENCH_H
#define DNABIRD_BENCH_H

#include <stdint.h>

#include "dnabird/error.h"
#include "dnabird/model.h"

/** Fill with bird_bench_options_default(). */
typedef struct bird_bench_options {
    const char *model;  /* folder, or NULL */
    const char *preset; /* random weights of this shape, when model is NULL:
                           "tiny", "small", "base" */
    int64_t tokens;     /* of a sequence; 4096. Tokenizing: bp read at most */
    int64_t sequences;  /* that are packed together; 1 */
    int64_t repeats;    /* at most; 5 */
    double seconds;     /* after which no repeat is begun; 30 */
    const char *fasta;  /* tokenizing: sequence, N left out; NULL: random */
    /** Training: tokenizer.json whose bases a token are measured, on `fasta`,
     * and whose vocabulary the model has; NULL: the preset's vocabulary. */
    const char *tokenizer;
    int recompute; /* training: layers run again on the way back */
    enum bird_precision precision; /* forward, linear, train (not int8);
                                      float32 */
    int cpu_time; /* seconds of the processor, not of the clock: what a busy
                      machine takes from a run of one thread does not count */
} bird_bench_options;

BIRD_API void bird_bench_options_default(bird_bench_options *o);

/** Parts of a training step, as shares of its time. */
enum bird_bench_part {
    BIRD_PART_FORWARD,
    BIRD_PART_HEAD, /* output layer and loss, both ways */
    BIRD_PART_BACKWARD,
    BIRD_PART_AGAIN, /* layers run again for the way back */
    BIRD_PART_UPDATE,
    BIRD_PART_REST,
    BIRD_N_PART
};

/** What a row of training has besides; NaN or 0 where not measured. */
typedef struct bird_bench_training {
    double executed;        /* 1e9 operations, with those done again */
    double executed_share;  /* of the reference's rate */
    double bases_per_token; /* of the tokenizer given */
    double bp_per_s;        /* tokens/s times that */
    double part[BIRD_N_PART];
    int64_t labelled; /* tokens with a loss */
    int64_t vocabulary;
} bird_bench_training;

/** What a row in lower precision has besides. */
typedef struct bird_bench_low {
    enum bird_precision precision; /* float32: nothing of this */
    char product[48];              /* oneDNN's name of what multiplies */
    double float32_s; /* best time of the same in float32, taken in turns */
    double speedup;   /* float32_s / best_s */
    /** Last hidden states less those of float32: their root mean square as a
     * share of float32's, and the largest. */
    double error_rms, error_max;
    double weights_mib; /* of the reordered weights, beside float32's */
    /** Of training, at the first weights: the loss and the gradient's norm, in
     * float32 and in this precision; the gradients' difference is error_rms,
     * and error_max a value's largest. */
    double loss[2], norm[2];
} bird_bench_low;

/** One line of the table. Times are in seconds; rates use the best. */
typedef struct bird_bench_row {
    char name[16];  /* forward, linear, attention, train, tokenize */
    char model[48]; /* preset, or name of the folder */
    int64_t n_layer, n_feature, block;
    int64_t tokens, sequences;
    int threads;
    int64_t repeats; /* done */
    double best_s, median_s;
    double gflop;           /* useful work, 1e9 operations; 0: not counted */
    double gflops;          /* 1e9 operations a second */
    double sgemm;           /* the reference's */
    double share;           /* gflops / sgemm */
    double per_s;           /* tokens a second; tokenize: bp */
    double linear_share;    /* of the time: parts run by themselves, best */
    double attention_share; /* times; NaN where not measured */
    double rest_share;
    double peak_mib; /* resident at most during the row, weights included */
    bird_bench_training train; /* labelled 0: another row */
    bird_bench_low low;
} bird_bench_row;

/**
 * The encoder on packed sequences of random tokens, and its parts.
 *
 * Errors  BIRD_EINVAL options; BIRD_ERANGE more tokens than the model folder
 *         reads (a preset is given the positions); those of opening a model;
 *         BIRD_ENOMEM
 */
BIRD_API BIRD_MUST_CHECK int bird_bench_forward(bird_bench_row *out,
                                                const bird_bench_options *o);

/** The same of its linear layers alone. */
BIRD_API BIRD_MUST_CHECK int bird_bench_linear(bird_bench_row *out,
                                               const bird_bench_options *o);

/** The same of its attention alone. */
BIRD_API BIRD_MUST_CHECK int bird_bench_attention(bird_bench_row *out,
                                                  const bird_bench_options *o);

/** The tokenizer of a model folder (NULL: of the shipped one), one thread. */
BIRD_API BIRD_MUST_CHECK int bird_bench_tokenize(bird_bench_row *out,
                                                 const bird_bench_options *o);

/**
 * A row as a JSON object.
 * Owner   *out is the caller's, free()
 * Errors  BIRD_ENOMEM
 */
BIRD_API BIRD_MUST_CHECK int bird_bench_json(char **out,
                                             const bird_bench_row *row);

#endif
