/**
 * How many variants a second this machine scores, and what each way of saving
 * work is worth.
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_BENCH_VARIANT_H
#define DNABIRD_BENCH_VARIANT_H

#include "dnabird/bench.h"
#include "dnabird/variant.h"

/** Rows: as `dnabird variant` does it, without each saving, without all. */
enum { BIRD_BENCH_WAYS = 5 };

typedef struct bird_bench_variant_options {
    bird_variant_way way;
    const char *variants;     /* VCF or BCF */
    const char *region;       /* as bird_variant_options has; NULL: all */
    bird_bench_options bench; /* repeats, seconds, cpu_time are read */
} bird_bench_variant_options;

BIRD_API void bird_bench_variant_options_default(bird_bench_variant_options *o);

typedef struct bird_bench_variant_row {
    const char *name; /* what is left out: "nothing", "sharing" ... */
    char model[80];
    int threads;
    int64_t n_allele;   /* scored in a run */
    int64_t n_sequence; /* computed for them, a strand each */
    int64_t repeats;
    double best_s, median_s;
    double per_s;    /* alleles a second, by the best run */
    double slower;   /* best_s / that of the first row */
    double largest;  /* |p_alt - p_ref| less that of the first row, at most */
    double peak_mib; /* resident at most, weights included */
} bird_bench_variant_row;

/**
 * Read, ask, compute: all of a run but opening the model and writing. out
 * (BIRD_BENCH_WAYS).
 * Errors: those of bird_variant_run(); BIRD_EINVAL no allele has a score
 */
BIRD_API BIRD_MUST_CHECK int
bird_bench_variant(bird_bench_variant_row *out,
                   const bird_bench_variant_options *o);

/** Rows as a JSON array. Owner: *out is the caller's, free(). Errors:
 *  BIRD_ENOMEM */
BIRD_API BIRD_MUST_CHECK int
bird_bench_variant_json(char **out, const bird_bench_variant_row *row,
                        int64_t n);

#endif
