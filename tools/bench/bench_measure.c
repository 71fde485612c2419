/*
 * The stopwatch and the rows of `dnabird bench`. A body and the best matrix
 * product take turns, so that both meet the machine in the same state; rates
 * use the best time, since what disturbs a run only makes it longer.
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/order.h"
#include "base/parallel.h"
#include "base/timer.h"
#include "bench/bench.h"
#include "dnabird/dnabird.h"
#include "kernel/gemm.h"

/* Rows of the reference's product, all threads together, and its rounds. */
enum { ROWS = 4096, ROUNDS = 3, REPEATS_MAX = 1000 };

const char *const bench_presets[] = {"base", "small", "tiny"};

static clockid_t clock_id = CLOCK_MONOTONIC;

void bench_options_default(struct bench_options *o)
{
    *o = (struct bench_options){
        .tokens = 4096, .sequences = 1, .repeats = 5, .seconds = 30};
}

int bench_check(const struct bench_options *o)
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
        return bird_fail(BIRD_EINVAL, "bench: processor time is measured with "
                                      "one thread: give -t 1");
    return 0;
}

/* ---- rows --------------------------------------------------------------- */

double bench_number(const json_t *row, const char *key)
{
    const json_t *x = json_object_get(row, key);

    return json_is_number(x) ? json_number_value(x) : (double)NAN;
}

void bench_put(json_t *row, const char *key, double x)
{
    json_object_set_new(row, key, isfinite(x) ? json_real(x) : json_null());
}

static void print_value(const struct bench_column *c, const json_t *x)
{
    if (json_is_string(x))
        printf("%*s", c->width, json_string_value(x));
    else if (json_is_integer(x))
        printf("%*lld", c->width, (long long)json_integer_value(x));
    else if (!json_is_real(x))
        printf("%*s", c->width, "-");
    else if (c->unit == '%')
        printf("%*.*f%%", c->width - 1, c->digits, 100 * json_real_value(x));
    else
        printf("%*.*f", c->width, c->digits,
               (c->unit == 'm' ? 1000 : 1) * json_real_value(x));
}

/* What the row has after the last column; objects hold shares. */
static void print_others(const char *last, json_t *row)
{
    int behind = !last, at = 0;
    const char *key;
    json_t *x;

    json_object_foreach(row, key, x)
    {
        if (behind && json_is_object(x)) {
            if (at)
                putchar('\n');
            at = 0;
            print_others(NULL, x);
        } else if (behind && !json_is_null(x)) {
            printf("%s%s ", at++ ? ", " : "  ", key);
            if (!last)
                printf("%.2f%%", 100 * json_number_value(x));
            else if (json_is_string(x))
                printf("%s", json_string_value(x));
            else
                printf("%.6g", json_number_value(x));
        }
        /* behind from the start without `last` */
        /* cppcheck-suppress nullPointer */
        behind = behind || !strcmp(last, key);
    }
    if (at)
        putchar('\n');
}

void bench_print(const struct bench_column *c, int n, json_t *row, int heading)
{
    for (int i = 0; heading && i < n; i++)
        printf("%*s%s", c[i].width, c[i].title, i + 1 < n ? " " : "\n");
    for (int i = 0; i < n; i++) {
        print_value(c + i, json_object_get(row, c[i].key));
        putchar(i + 1 < n ? ' ' : '\n');
    }
    print_others(c[n - 1].key, row);
    fflush(stdout);
}

int bench_print_json(json_t *j)
{
    char *s = j ? json_dumps(j, JSON_INDENT(2) | JSON_REAL_PRECISION(6)) : NULL;

    json_decref(j);
    if (!s)
        return bird_fail_memory(0);
    puts(s);
    free(s);
    return 0;
}

/* ---- clock and memory ---------------------------------------------------- */

double bench_now(void)
{
    struct timespec t;

    clock_gettime(clock_id, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void bench_phases(void)
{
    bird_timer_start(clock_id);
}

void bench_peak_reset(void)
{
    FILE *f = fopen("/proc/self/clear_refs", "w");

    if (!f)
        return;
    fputs("5", f);
    fclose(f);
}

double bench_peak_mib(void)
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

/* ---- the reference ------------------------------------------------------- */

/* One product, cut by rows. */
struct product {
    float *c, *a, *b; /* c and a: rows of each thread */
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
            start = bench_now();
            bird_parallel(threads, product_task, &p);
            rate = 2e-9 * (double)(p.m * threads) * (double)p.n * (double)p.k /
                   (bench_now() - start);
            *best = rate > *best ? rate : *best;
        }
done:
    free(p.a);
    free(p.b);
    free(p.c);
    return rc;
}

/* ---- measuring ----------------------------------------------------------- */

static int timed(double *seconds, int (*run)(void *), void *context)
{
    double start = bench_now();
    int rc = run(context);

    *seconds = bench_now() - start;
    return rc;
}

/* Parts of the body and the reference. */
static int beside(struct bench_times *t, const struct bench_body *body,
                  const struct bird_config *c, int precision)
{
    int rc = 0;

    for (int i = 0; !rc && i < BENCH_PARTS; i++) {
        double s;

        if (!body->part[i])
            continue;
        rc = timed(&s, body->part[i], body->context);
        t->part_s[i] = fmin(t->part_s[i], s); /* which takes over NaN's */
    }
    if (rc || !c)
        return rc;
    bench_peak(&t->peak, precision);
    return reference(&t->sgemm, c);
}

int bench_measure(struct bench_times *out, const struct bench_body *body,
                  const struct bird_config *c, const struct bench_options *o)
{
    struct bench_body plain = {body->context, body->run, {NULL}};
    struct bench_times t = {.part_s = {(double)NAN, (double)NAN, (double)NAN},
                            .peak = (double)NAN};
    double time[REPEATS_MAX], first, start;
    int64_t n = 0;
    int rc;

    clock_id = o->cpu_time ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
    start = bench_now();
    bird_gemm_init();
    bench_peak_reset();
    rc = timed(&first, body->run, body->context);
    t.peak_mib = bench_peak_mib();
    if (first > o->seconds) { /* no other round follows */
        time[n++] = first;
        plain.part[BENCH_PLAIN] = body->part[BENCH_PLAIN];
    }
    if (!rc)
        rc = beside(&t, &plain, c, o->precision);
    while (!rc && n < o->repeats && (!n || bench_now() - start < o->seconds)) {
        bench_peak_reset();
        rc = timed(&time[n++], body->run, body->context);
        t.peak_mib = fmax(t.peak_mib, bench_peak_mib());
        if (!rc)
            rc = beside(&t, body, c, o->precision);
    }
    if (rc)
        return rc;
    qsort(time, (size_t)n, sizeof(*time), bird_by_double);
    t.repeats = n;
    t.best_s = time[0];
    t.median_s = (time[n / 2] + time[(n - 1) / 2]) / 2;
    *out = t;
    return 0;
}

void bench_put_rate(json_t *row, double gflop, const struct bench_times *t)
{
    double rate = gflop / t->best_s;

    bench_put(row, "gflop", gflop);
    bench_put(row, "gflop_per_s", rate);
    bench_put(row, "sgemm_gflop_per_s", t->sgemm);
    bench_put(row, "share_of_sgemm", rate / t->sgemm);
    bench_put(row, "peak_gflop_per_s", t->peak);
    bench_put(row, "share_of_peak", rate / t->peak);
}

json_t *bench_row(const char *name, const struct bird_config *c,
                  const struct bench_options *o, const struct bench_times *t,
                  double gflop)
{
    const char *model = o->model ? o->model : bench_presets[o->preset];
    double linear = t->part_s[BENCH_LINEAR] / t->best_s;
    double attention = t->part_s[BENCH_ATTENTION] / t->best_s;
    const char *slash = strrchr(model, '/');
    json_t *row = json_pack(
        "{s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:i, s:I}", "name", name, "model",
        slash && slash[1] ? slash + 1 : model, "layers", (json_int_t)c->n_layer,
        "features", (json_int_t)c->hidden_size, "block",
        (json_int_t)c->pattern.block, "tokens", (json_int_t)o->tokens,
        "sequences", (json_int_t)o->sequences, "threads", bird_threads(),
        "repeats", (json_int_t)t->repeats);

    bench_put(row, "best_s", t->best_s);
    bench_put(row, "median_s", t->median_s);
    bench_put_rate(row, gflop, t);
    bench_put(row, "per_s", (double)(o->tokens * o->sequences) / t->best_s);
    bench_put(row, "linear_share", linear);
    bench_put(row, "attention_share", attention);
    bench_put(row, "rest_share", 1 - linear - attention);
    bench_put(row, "peak_mib", t->peak_mib);
    return row;
}
