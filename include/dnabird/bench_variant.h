/**
 * How many variants a second this machine scores.
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_BENCH_VARIANT_H
#define DNABIRD_BENCH_VARIANT_H

#include "dnabird/bench.h"
#include "dnabird/variant.h"

typedef struct bird_bench_variant_options {
    bird_variant_way way;
    const char *variants;     /* VCF or BCF */
    const char *region;       /* as bird_variant_options has; NULL: all */
    bird_bench_options bench; /* repeats, seconds, cpu_time are read */
} bird_bench_variant_options;

BIRD_API void bird_bench_variant_options_default(bird_bench_variant_options *o);

typedef struct bird_bench_variant_row {
    char model[80];
    int threads;
    int64_t n_allele;   /* scored in a run */
    int64_t n_sequence; /* computed for them, a strand each */
    int64_t repeats;
    double best_s, median_s;
    double per_s;    /* alleles a second, by the best run */
    double peak_mib; /* resident at most, weights included */
} bird_bench_variant_row;

/**
 * Runs of `dnabird variant` as they are, opening the model included; the output
 * goes to the null device.
 * Errors: those of bird_variant_run(); BIRD_EINVAL no allele has a score
 */
BIRD_API BIRD_MUST_CHECK int
bird_bench_variant(bird_bench_variant_row *out,
                   const bird_bench_variant_options *o);

/** The row as a JSON array of one. Owner: *out is the caller's, free(). Errors:
 *  BIRD_ENOMEM */
BIRD_API BIRD_MUST_CHECK int
bird_bench_variant_json(char **out, const bird_bench_variant_row *row);

#endif
