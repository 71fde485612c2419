/*
 * How long a model folder takes to open, and the memory that scoring one
 * sequence takes besides the weights; fails above the bounds promised for a
 * model of base size: 0.3 s, 200 MiB. The digest of the files, which outputs
 * carry, is not part of opening.
 *
 *   open FOLDER TOKENS
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "dnabird/dnabird.h"
#include "model/encoder.h"
#include "predict/opened.h"

enum { MIB = 1 << 20, MOST_MIB = 200 };

static const double most_s = 0.3;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Resident memory at most so far. */
static double peak_mib(void)
{
    struct rusage r;

    getrusage(RUSAGE_SELF, &r);
    return (double)r.ru_maxrss / 1024;
}

static int score(const struct bird_opened *m, int64_t n)
{
    struct bird_encoder *e = NULL;
    int64_t d = m->folder.config.hidden_size, offset[] = {0, n};
    int32_t *ids = calloc((size_t)n, sizeof(*ids));
    float *y = calloc((size_t)(n * d), sizeof(*y));
    struct bird_batch b = {.n_seq = 1, .offset = offset, .ids = ids};
    int rc = ids && y ? bird_encoder_new(&e, &m->folder.config, &m->w) : -1;

    for (int64_t i = 0; !rc && i < n; i++)
        ids[i] = (int32_t)(i * 7919 % m->folder.config.vocab_size);
    if (!rc)
        rc = bird_encoder_forward(e, y, NULL, &b);
    bird_encoder_free(e);
    free(ids);
    free(y);
    return rc;
}

int main(int argc, char **argv)
{
    struct bird_opened m = {0};
    double before, open_s = 0, score_s, weights, peak;
    int64_t n = argc == 3 ? atoll(argv[2]) : 0;

    if (n < 1)
        return 2;
    for (int i = 0; i < 3; i++) { /* the last counts: files are in memory */
        bird_opened_close(&m);
        before = now();
        if (bird_opened_open(&m, argv[1], NULL, 0)) {
            fprintf(stderr, "%s\n", bird_last_error());
            return 1;
        }
        open_s = now() - before;
    }
    before = now();
    if (score(&m, n)) {
        fprintf(stderr, "%s\n", bird_last_error());
        return 1;
    }
    score_s = now() - before;
    weights = (double)bird_params_count(m.list, m.n_param) * 4 / MIB;
    peak = peak_mib();
    printf("mapped\topen_s\tscore_s\ttokens\tweights_mib\tpeak_mib\tbesides\n"
           "%s\t%.4f\t%.2f\t%lld\t%.1f\t%.1f\t%.1f\n",
           m.own ? "no" : "yes", open_s, score_s, (long long)n, weights, peak,
           peak - weights);
    bird_opened_close(&m);
    return open_s < most_s && peak - weights < MOST_MIB ? 0 : 1;
}
