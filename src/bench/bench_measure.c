/* The stopwatch: a body and the best matrix product take turns, so that both
 * meet the machine in the same state. SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "bench/bench.h"
#include "dnabird/dnabird.h"
#include "kernel/gemm.h"

/* Rows of the reference's product, all threads together, and its rounds. */
enum { ROWS = 4096, ROUNDS = 3, REPEATS_MAX = 1000 };

static clockid_t clock_id = CLOCK_MONOTONIC;

void bird_bench_clock(const bird_bench_options *o)
{
    clock_id = o->cpu_time ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
}

clockid_t bird_bench_clock_id(void)
{
    return clock_id;
}

double bird_bench_now(void)
{
    struct timespec t;

    clock_gettime(clock_id, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* One product, cut by rows. */
struct product {
    float *c, *a, *b; /* c and a: a stretch a thread */
    int64_t m, n, k;
};

static void product_task(void *context, int64_t task, int worker)
{
    const struct product *p = context;

    (void)worker;
    bird_gemm_nt(p->c + task * p->m * p->n, p->n,
                 (struct bird_matrix){p->a + task * p->m * p->k, p->k},
                 (struct bird_matrix){p->b, p->k}, p->m, p->n, p->k, 1, 0);
}

static void fill(float *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        x[i] = (float)(i * 7919 % 1001 - 500) * 1e-3f;
}

/* The best rate over the encoder's four shapes, in 1e9 operations a second. */
static int reference(double *best, const struct bird_config *c)
{
    int64_t d = c->hidden_size, f = c->intermediate_size;
    int64_t wide = 3 * d > f ? 3 * d : f, threads = bird_threads();
    const int64_t shape[][2] = {{3 * d, d}, {d, d}, {f, d}, {d, f}};
    struct product p = {.m = ROWS / threads};
    int rc = bird_array_new(&p.a, ROWS * wide, sizeof(float));

    if (rc ||
        (rc = bird_array_new(&p.b, wide * (d > f ? d : f), sizeof(float))) ||
        (rc = bird_array_new(&p.c, ROWS * wide, sizeof(float))))
        goto done;
    fill(p.a, ROWS * wide);
    fill(p.b, wide * (d > f ? d : f));
    for (size_t i = 0; i < sizeof(shape) / sizeof(*shape); i++)
        for (int round = 0; round < ROUNDS; round++) {
            double start, rate;

            p.n = shape[i][0];
            p.k = shape[i][1];
            start = bird_bench_now();
            bird_parallel(threads, product_task, &p);
            rate = 2e-9 * (double)(p.m * threads) * (double)p.n * (double)p.k /
                   (bird_bench_now() - start);
            *best = rate > *best ? rate : *best;
        }
done:
    free(p.a);
    free(p.b);
    free(p.c);
    return rc;
}

/* From here on the peak counts anew, where the system can do that. */
static void reset_peak(void)
{
    FILE *f = fopen("/proc/self/clear_refs", "w");

    if (!f)
        return;
    fputs("5", f);
    fclose(f);
}

double bird_bench_peak_mib(void)
{
    FILE *f = fopen("/proc/self/status", "r");
    struct rusage u;
    char line[256];
    long long kib = -1;

    while (f && fgets(line, sizeof(line), f))
        if (!strncmp(line, "VmHWM:", 6))
            kib = strtoll(line + 6, NULL, 10);
    if (f)
        fclose(f);
    if (kib < 0)
        kib = getrusage(RUSAGE_SELF, &u) ? 0 : u.ru_maxrss;
    return (double)kib / 1024;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static int timed(double *seconds, int (*run)(void *), void *context)
{
    double start = bird_bench_now();
    int rc = run(context);

    *seconds = bird_bench_now() - start;
    return rc;
}

/* The best time of a part, and of the other one. */
static int part(double *best, int (*run)(void *), void *context)
{
    double s = 0;
    int rc = run ? timed(&s, run, context) : 0;

    if (run && !rc && s < *best)
        *best = s;
    return rc;
}

static void finish(bird_bench_row *row, double linear, double attention,
                   double plain)
{
    row->low.float32_s = isinf(plain) ? (double)NAN : plain;
    row->low.speedup = row->low.float32_s / row->best_s;
    row->gflops = row->gflop / row->best_s;
    row->share = row->sgemm > 0 ? row->gflops / row->sgemm : (double)NAN;
    row->per_s = (double)row->tokens * (double)row->sequences / row->best_s;
    row->linear_share = row->attention_share = row->rest_share = (double)NAN;
    if (isinf(linear) || isinf(attention))
        return;
    row->linear_share = linear / row->best_s;
    row->attention_share = attention / row->best_s;
    row->rest_share = 1 - row->linear_share - row->attention_share;
}

int bird_bench_measure(bird_bench_row *row, const struct bird_bench_body *body,
                       const struct bird_config *c, const bird_bench_options *o)
{
    double time[REPEATS_MAX], start;
    double linear = (double)INFINITY, attention = (double)INFINITY;
    double plain = (double)INFINITY, first;
    int64_t n = 0;
    int rc = 0;

    bird_bench_clock(o);
    start = bird_bench_now();
    bird_gemm_init();
    row->sgemm = row->peak_mib = 0;
    reset_peak();
    rc = timed(&first, body->run, body->context);
    row->peak_mib = bird_bench_peak_mib();
    if (!rc && first > o->seconds) /* no other round follows */
        rc = part(&plain, body->plain, body->context);
    if (first > o->seconds)
        time[n++] = first;
    if (!rc && c)
        rc = reference(&row->sgemm, c);
    while (!rc && n < o->repeats &&
           (!n || bird_bench_now() - start < o->seconds)) {
        double peak;

        reset_peak();
        rc = timed(&time[n++], body->run, body->context);
        peak = bird_bench_peak_mib();
        row->peak_mib = peak > row->peak_mib ? peak : row->peak_mib;
        if (!rc)
            rc = part(&linear, body->linear, body->context);
        if (!rc)
            rc = part(&attention, body->attention, body->context);
        if (!rc)
            rc = part(&plain, body->plain, body->context);
        if (!rc && c)
            rc = reference(&row->sgemm, c);
    }
    if (rc)
        return rc;
    qsort(time, (size_t)n, sizeof(*time), by_value);
    row->repeats = n;
    row->best_s = time[0];
    row->median_s = n % 2 ? time[n / 2] : (time[n / 2 - 1] + time[n / 2]) / 2;
    finish(row, linear, attention, plain);
    return 0;
}

int bird_bench_check(const bird_bench_options *o)
{
    if (o->tokens < 1 || o->tokens > (int64_t)1 << 30 || o->sequences < 1 ||
        o->sequences > ((int64_t)1 << 30) / o->tokens)
        return bird_fail(BIRD_EINVAL,
                         "bench: %lld sequences of %lld tokens: from 1 to 2^30 "
                         "tokens in all",
                         (long long)o->sequences, (long long)o->tokens);
    if (o->repeats < 1 || o->repeats > REPEATS_MAX || !(o->seconds >= 0))
        return bird_fail(BIRD_EINVAL,
                         "bench: 1 to %d repeats in 0 or more seconds",
                         REPEATS_MAX);
    if (o->cpu_time && bird_threads() != 1)
        return bird_fail(BIRD_EINVAL, "bench: the processor's time is measured "
                                      "with one thread: give -t 1");
    return 0;
}

void bird_bench_describe(bird_bench_row *row, const char *name,
                         const char *model, const struct bird_config *c,
                         const bird_bench_options *o)
{
    const char *slash = strrchr(model, '/');

    *row = (bird_bench_row){.n_layer = c->n_layer,
                            .n_feature = c->hidden_size,
                            .block = c->block_size,
                            .tokens = o->tokens,
                            .sequences = o->sequences,
                            .threads = bird_threads()};
    snprintf(row->name, sizeof(row->name), "%s", name);
    snprintf(row->model, sizeof(row->model), "%.40s",
             slash && slash[1] ? slash + 1 : model);
}
