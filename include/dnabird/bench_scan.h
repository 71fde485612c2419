/**
 * How fast this machine scans a genome with `dnabird promoter`, and where the
 * time goes.
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_BENCH_SCAN_H
#define DNABIRD_BENCH_SCAN_H

#include "dnabird/bench.h"
#include "dnabird/promoter.h"

/** What the time of a scan goes to; each moment of it to one part alone. Of
 *  parallel parts, seconds of all threads over their number. */
enum bird_scan_part {
    BIRD_SCAN_ENCODER,
    BIRD_SCAN_HEAD,
    BIRD_SCAN_IDLE,     /* threads that wait for the slowest */
    BIRD_SCAN_READ,     /* bytes of the file to bases */
    BIRD_SCAN_TOKENIZE, /* bases to tokens */
    BIRD_SCAN_WRITE,    /* rows to the track */
    BIRD_SCAN_OPEN,     /* model, digest included */
    BIRD_SCAN_REST,     /* windows, packs, calls */
    BIRD_SCAN_PARTS
};
BIRD_API const char *bird_scan_part_name(enum bird_scan_part p);

typedef struct bird_bench_scan_options {
    bird_promoter_scan_options scan; /* without an output's path its bytes go
                                        to the null device */
    bird_bench_options bench;        /* repeats, seconds, cpu_time are read */
    int64_t max_bp; /* of a whole file: windows that overlap its first max_bp
                       bases; 0: all of it */
} bird_bench_scan_options;

BIRD_API void bird_bench_scan_options_default(bird_bench_scan_options *o);

/** Times are in seconds, a whole scan each; rates and shares are those of the
 *  best. */
typedef struct bird_bench_scan_row {
    char model[80];
    enum bird_precision precision;
    int threads;
    int64_t n_bp;        /* bases gone through */
    int64_t n_scored_bp; /* bases of the windows scored, a strand each */
    int64_t n_scored;    /* windows scored, a strand each */
    int64_t n_unknown;   /* windows skipped: too many N */
    int64_t n_computed;  /* windows whose tokens were not those of one before */
    int64_t n_token;     /* of the windows computed, by a sample */
    int64_t n_row;       /* written */
    int64_t repeats;
    double best_s, median_s;
    double bp_per_s, scored_bp_per_s, windows_per_s; /* of windows scored */
    int timed; /* 1: the build has timers, and part is known */
    double part[BIRD_SCAN_PARTS]; /* shares of the time */
    double gflop; /* useful work, 1e9 operations: that of token 0 alone in the
                     last layer, but for keys and values */
    double gflops, sgemm; /* rate, and the reference's */
    double share;         /* gflops / sgemm */
    double encoder_share; /* gflop over the encoder's time / sgemm; NaN
                             when it is not timed */
    double peak_mib;      /* resident at most in the first run, with weights */
    double weights_mib;   /* copies in lower precision included */
} bird_bench_scan_row;

/**
 * The scan itself, from opening the model to the last row written, in turns
 * with the reference (bench.h).
 * Errors: those of bird_promoter_scan() and bird_bench_forward(); BIRD_EINVAL
 * max_bp is negative or beside regions, or no window was scored
 */
BIRD_API BIRD_MUST_CHECK int bird_bench_scan(bird_bench_scan_row *out,
                                             const bird_bench_scan_options *o);

/** A row as a JSON object. Owner: *out is the caller's, free(). Errors:
 *  BIRD_ENOMEM */
BIRD_API BIRD_MUST_CHECK int
bird_bench_scan_json(char **out, const bird_bench_scan_row *row);

#endif
