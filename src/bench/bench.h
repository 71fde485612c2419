/**
 * Inside bench: a batch of random tokens, the work in it, and the stopwatch.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_PREDICT_BENCH_H
#define BIRD_PREDICT_BENCH_H

#include <time.h>

#include "base/text.h"
#include "dnabird/bench.h"
#include "model/encoder.h"
#include "model/layer.h"
#include "session/model.h"

/** Check the options that all rows share. Errors: BIRD_EINVAL */
BIRD_MUST_CHECK int bird_bench_check(const bird_bench_options *o);

/** The preset's configuration with enough positions. */
BIRD_MUST_CHECK int bird_bench_preset(struct bird_config *c,
                                      const bird_bench_options *o);

/** sequences x tokens random ids; start with {0}. */
struct bird_bench_batch {
    struct bird_batch b;
    int64_t *offset;
    int32_t *ids;
};
BIRD_MUST_CHECK int bird_bench_batch_new(struct bird_bench_batch *out,
                                         const struct bird_config *c,
                                         const bird_bench_options *o);
void bird_bench_batch_free(struct bird_bench_batch *b);

/** Useful operations of a forward pass, in 1e9. */
struct bird_bench_work {
    double linear, attention;
};
BIRD_MUST_CHECK int bird_bench_count(struct bird_bench_work *out,
                                     const struct bird_config *c,
                                     const bird_bench_options *o);

/** A model of a folder or a preset, and all that a row runs on; start with
 *  {0}. */
struct bird_bench_model {
    struct bird_model opened;
    struct bird_config c;
    struct bird_weights made; /* of a preset */
    const struct bird_weights *w;
    struct bird_param *list;
    float *block, *x, *rows;
    struct bird_encoder *e;
    struct bird_weights low; /* in lower precision: then w is this, */
    const struct bird_weights *plain_w; /* this float32's, */
    struct bird_encoder *plain;         /* and this its encoder */
    struct bird_bench_batch batch;
    struct bird_bench_work work;
    struct bird_saved s;
    int64_t n_param;
    int64_t layer; /* the linear layers of this one are run */
    const char *name;
};

/** Errors: as bird_bench_forward(); to be closed in any case. */
BIRD_MUST_CHECK int bird_bench_open(struct bird_bench_model *m,
                                    const bird_bench_options *o);
void bird_bench_close(struct bird_bench_model *m);

/** One forward pass of a bird_bench_model: its last hidden states into x. */
int bird_bench_run(void *model);

/** At most n bases from the start of a file, N left out; path NULL: drawn at
 *  random. */
BIRD_MUST_CHECK int bird_bench_letters(struct bird_text *out, const char *path,
                                       int64_t n);

/** What is measured, and parts of it run by themselves or NULL. */
struct bird_bench_body {
    void *context;
    int (*run)(void *context);
    int (*linear)(void *context);
    int (*attention)(void *context);
    int (*plain)(void *context); /* the same in float32, or NULL */
};

/** From now on the clock is that of these options. */
void bird_bench_clock(const bird_bench_options *o);

/** And that clock. */
clockid_t bird_bench_clock_id(void);

/** Resident memory at most since bird_bench_measure() began the run. */
double bird_bench_peak_mib(void);

/** Seconds since some moment, by that clock. */
double bird_bench_now(void);

/**
 * Run the body in turns with the reference and fill row from gflop on; c
 * NULL: no reference. The first run warms up and does not count, unless it
 * took all of the time.
 */
BIRD_MUST_CHECK int bird_bench_measure(bird_bench_row *row,
                                       const struct bird_bench_body *body,
                                       const struct bird_config *c,
                                       const bird_bench_options *o);

/** Name, shape and numbers of the row before it is measured. */
void bird_bench_describe(bird_bench_row *row, const char *name,
                         const char *model, const struct bird_config *c,
                         const bird_bench_options *o);

#endif
