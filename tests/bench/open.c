/*
 * How long a model folder takes to open, how long its weights take to be
 * rounded and reordered for a lower precision (seconds of the processor, of all
 * threads: no less than those of the clock on an idle machine), and the memory that scoring one
 * sequence takes besides the weights; fails above the bounds promised for a
 * model of base size: 0.3 s, 1 s, 200 MiB. The digest of the files, which
 * outputs carry, is not part of opening.
 *
 *   open FOLDER TOKENS [PRECISION]
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "dnabird/dnabird.h"
#include "model/encoder.h"
#include "session/model_parts.h"

enum { MIB = 1 << 20, MOST_MIB = 200 };

static const double most_s = 0.3, most_lower_s = 1;

static double seconds(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Resident memory at most so far. */
static double peak_mib(void)
{
    struct rusage r;

    getrusage(RUSAGE_SELF, &r);
    return (double)r.ru_maxrss / 1024;
}

static int score(const bird_model *m, int64_t n)
{
    struct bird_encoder *e = NULL;
    int64_t d = bird_model_config(m)->hidden_size, offset[] = {0, n};
    int32_t *ids = calloc((size_t)n, sizeof(*ids));
    float *y = calloc((size_t)(n * d), sizeof(*y));
    struct bird_batch b = {.n_seq = 1, .offset = offset, .ids = ids};
    int rc = ids && y ? bird_encoder_new(&e, bird_model_config(m),
                                         bird_model_weights(m))
                      : -1;

    for (int64_t i = 0; !rc && i < n; i++)
        ids[i] = (int32_t)(i * 7919 % bird_model_config(m)->vocab_size);
    if (!rc)
        rc = bird_encoder_forward(e, y, NULL, &b);
    bird_encoder_free(e);
    free(ids);
    free(y);
    return rc;
}

/* What a folder took to open, and to be made ready for its precision. */
struct times {
    double open_s, lower_s, lower_cpu_s;
};

/* The folder as it is, and again with the weights made ready: the difference is
 * what making them ready takes. */
static int open_ready(struct times *t, bird_model **m, const char *path,
                      const bird_model_run *how)
{
    struct bird_model_use use = {0};
    double start = seconds(CLOCK_MONOTONIC);
    double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    int rc = bird_model_open_for(m, path, &use);

    t->open_s = seconds(CLOCK_MONOTONIC) - start;
    t->lower_cpu_s = cpu - seconds(CLOCK_PROCESS_CPUTIME_ID);
    if (rc)
        return rc;
    bird_model_close(*m);
    *m = NULL;
    use.run = how;
    start = seconds(CLOCK_MONOTONIC);
    cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    rc = bird_model_open_for(m, path, &use);
    t->lower_s = seconds(CLOCK_MONOTONIC) - start - t->open_s;
    t->lower_cpu_s += seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    return rc;
}

static int say_why(void)
{
    fprintf(stderr, "%s\n", bird_last_error());
    return 1;
}

static int read_precision(bird_model_run *how, const char *name)
{
    static const enum bird_precision all[] = {BIRD_FLOAT32, BIRD_BFLOAT16,
                                              BIRD_INT8};

    bird_model_run_default(how);
    for (int i = 0; name && i < 3; i++)
        if (!strcmp(name, bird_precision_name(all[i]))) {
            how->precision = all[i];
            return 0;
        }
    return name != NULL;
}

int main(int argc, char **argv)
{
    bird_model *m = NULL;
    struct times first = {0}, last;
    double before, score_s, weights, peak;
    bird_model_run how;
    int64_t n = argc == 3 || argc == 4 ? atoll(argv[2]) : 0;

    if (n < 1 || read_precision(&how, argc == 4 ? argv[3] : NULL))
        return 2;
    /* of opening the last counts: files are in memory; of reordering the
       first, since a program does it once */
    for (int i = 0; i < 3; i++) {
        bird_model_close(m);
        if (open_ready(&last, &m, argv[1], &how))
            return say_why();
        if (!i)
            first = last;
    }
    before = seconds(CLOCK_MONOTONIC);
    if (score(m, n))
        return say_why();
    score_s = seconds(CLOCK_MONOTONIC) - before;
    weights = (double)(bird_params_count(m->list, m->n_param) * 4 +
                       bird_weights_low_bytes(&m->w)) /
              MIB;
    peak = peak_mib();
    printf("mapped\tprecision\topen_s\tlower_s\tlower_cpu_s\tagain_s\tscore_s\t"
           "tokens\tweights_mib\tpeak_mib\tbesides\n"
           "%s\t%s\t%.4f\t%.3f\t%.3f\t%.3f\t%.2f\t%lld\t%.1f\t%.1f\t%.1f\n",
           m->own ? "no" : "yes", bird_precision_name(how.precision),
           last.open_s, first.lower_s, first.lower_cpu_s, last.lower_s, score_s,
           (long long)n, weights, peak, peak - weights);
    bird_model_close(m);
    return last.open_s < most_s && first.lower_cpu_s < most_lower_s &&
                   peak - weights < MOST_MIB
               ? 0
               : 1;
}
