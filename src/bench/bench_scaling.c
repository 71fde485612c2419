/* One pack task by task, then many cores in a simulation.
 * SPDX-License-Identifier: MIT */
#include "dnabird/bench_scaling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "bench/bench.h"
#include "bench/scaling.h"
#include "dnabird/dnabird.h"

/* Loops of a layer, after the one of the embeddings. */
enum { QKV, ATTENTION, OUTPUT, N_LOOP };

void bird_bench_scaling_default(bird_bench_scaling_options *o)
{
    *o = (bird_bench_scaling_options){.packs = 10000,
                                      .group = 8,
                                      .node = 64,
                                      .memory_gb = 200,
                                      .link_gb = 50,
                                      .cache_mib = 32,
                                      .barrier_us = 5,
                                      .clock = 1,
                                      .bases_per_token = 4};
    bird_bench_options_default(&o->bench);
    o->bench.tokens = 512;
    o->bench.sequences = 8;
}

const char *bird_scaling_bound_name(enum bird_scaling_bound b)
{
    static const char *const name[BIRD_BOUNDS] = {"cores", "tasks", "memory",
                                                  "feeding"};

    return name[b];
}

/* ---- measuring ----------------------------------------------------------- */

/* Every task of a pass, in the order in which one thread runs them. */
struct trace {
    struct bird_bench_model m;
    double *task_s; /* (n_task) the shortest of all passes */
    int64_t *loop;  /* (n_loop + 1) where the tasks of a loop begin */
    int64_t n_task, n_loop, cap_task, cap_loop;
    double sum_s, serial_s; /* of this pass; shortest */
    int first, rc;
};

static void note(struct trace *t, int64_t i, double seconds)
{
    int64_t k = t->n_task++;

    t->sum_s += seconds;
    if (t->first && !t->rc) {
        t->rc = bird_array_grow(&t->task_s, &t->cap_task, k + 1,
                                sizeof(*t->task_s));
        if (!t->rc && !i) {
            t->rc = bird_array_grow(&t->loop, &t->cap_loop, t->n_loop + 2,
                                    sizeof(*t->loop));
            if (!t->rc)
                t->loop[t->n_loop++] = k;
        }
        if (!t->rc)
            t->task_s[k] = seconds;
    }
    if (!t->rc && k < t->cap_task && seconds < t->task_s[k])
        t->task_s[k] = seconds;
}

static void watch(void *context, const struct bird_loop *l, int64_t i,
                  int worker)
{
    double start = bird_bench_now();

    l->task(l->context, i, worker);
    note(context, i, bird_bench_now() - start);
}

/* As scoring does: the last layer for token 0 of each sequence. */
static int pass(struct trace *t)
{
    double start = bird_bench_now(), serial;
    int rc;

    t->n_task = 0;
    t->sum_s = 0;
    rc = bird_encoder_forward_first(t->m.e, t->m.x, &t->m.batch.b);
    serial = bird_bench_now() - start - t->sum_s;
    if (t->first || serial < t->serial_s)
        t->serial_s = serial > 0 ? serial : 0;
    return rc ? rc : t->rc;
}

static int measure(struct trace *t, const bird_bench_options *o)
{
    int rc = bird_bench_open(&t->m, o);

    bird_bench_clock(o);
    if (!rc)
        rc = bird_encoder_forward_first(t->m.e, t->m.x, &t->m.batch.b);
    if (!rc)
        bird_parallel_watch(watch, t);
    for (int64_t i = 0; !rc && i < o->repeats; i++) {
        t->first = !i;
        rc = pass(t);
    }
    bird_parallel_watch(NULL, NULL);
    if (rc)
        return rc;
    t->loop[t->n_loop] = t->n_task;
    if (t->n_loop != 1 + N_LOOP * t->m.c.n_layer)
        return bird_fail(BIRD_EUNSUPPORTED,
                         "%s: a pass of %lld loops, where embeddings and "
                         "layers have %lld",
                         t->m.name, (long long)t->n_loop,
                         (long long)(1 + N_LOOP * t->m.c.n_layer));
    return 0;
}

static void trace_free(struct trace *t)
{
    bird_bench_close(&t->m);
    free(t->task_s);
    free(t->loop);
}

/* Tasks and bytes of each loop: what linear layers read of weights, and rows
 * of float32 read and written. */
static void describe(struct bird_scaling_loop *out, const struct trace *t,
                     enum bird_precision p)
{
    const struct bird_config *c = &t->m.c;
    double d = (double)c->hidden_size, f = (double)c->intermediate_size;
    double n = (double)t->m.batch.b.offset[t->m.batch.b.n_seq];
    double each = p == BIRD_INT8 ? 1 : p == BIRD_BFLOAT16 ? 2 : 4;
    const double weights[N_LOOP] = {3 * d * d, 0, d * d + 2 * d * f};
    const double rows[N_LOOP] = {4 * d, 4 * d, 3 * d}; /* x and qkv; qkv and
                                                          context; it, x, y */

    for (int64_t i = 0; i < t->n_loop; i++) {
        int64_t kind = (i - 1) % N_LOOP;

        out[i] = (struct bird_scaling_loop){
            .task_s = t->task_s + t->loop[i],
            .n_task = t->loop[i + 1] - t->loop[i],
            .weight_bytes = i ? each * weights[kind] : 0,
            .row_bytes = sizeof(float) * n * (i ? rows[kind] : d)};
    }
}

/* ---- simulating ---------------------------------------------------------- */

struct scene {
    const bird_bench_scaling_options *o;
    struct bird_scaling_pack pack;
    double tokens, feed_s, alone_s; /* alone: packs on one core */
};

/* What a pack of `group` cores has when all cores work. */
static struct bird_scaling_share share_of(const struct scene *s, int64_t cores,
                                          int64_t group)
{
    const bird_bench_scaling_options *o = s->o;
    int64_t node = cores < o->node ? cores : o->node;
    int64_t cached = cores < o->group ? cores : o->group;
    int64_t packs = node / group;

    return (struct bird_scaling_share){
        .cores = group,
        .clock = cores > 1 ? o->clock : 1,
        .barrier_s = 1e-6 * o->barrier_us,
        .cache_bytes =
            o->cache_mib * (1 << 20) * (double)group / (double)cached,
        .memory_rate = 1e9 * o->memory_gb / (double)packs,
        .link_rate = 1e9 * o->link_gb / (double)packs,
        .nodes = cores / node};
}

static enum bird_scaling_bound bound_of(const struct scene *s,
                                        struct bird_scaling_share h,
                                        const bird_bench_scaling_row *r,
                                        double all_s)
{
    double ideal;

    if ((double)s->o->packs * s->feed_s > 0.9 * all_s)
        return BIRD_BOUND_FEEDING;
    h.memory_rate = h.link_rate = (double)INFINITY;
    ideal = bird_scaling_pack_s(&s->pack, &h);
    if (ideal < 0.95 * r->pack_s)
        return BIRD_BOUND_MEMORY;
    h.cores = 1;
    return bird_scaling_pack_s(&s->pack, &h) / (double)r->group < 0.95 * ideal
               ? BIRD_BOUND_TASKS
               : BIRD_BOUND_CORES;
}

static void simulate(bird_bench_scaling_row *r, const struct scene *s,
                     int64_t cores, int64_t group)
{
    const bird_bench_scaling_options *o = s->o;
    struct bird_scaling_share h = share_of(s, cores, group);
    double pack_s = bird_scaling_pack_s(&s->pack, &h), all_s;
    int rounds = group == 1; /* otherwise feeding takes a part of all cores */

    *r = (bird_bench_scaling_row){
        .cores = cores, .nodes = h.nodes, .group = group, .pack_s = pack_s};
    all_s =
        bird_scaling_queue(pack_s + (rounds ? 0 : s->feed_s / (double)group),
                           s->feed_s, o->packs, cores / group, rounds);
    r->per_s = s->tokens * (double)o->packs / all_s;
    r->faster = s->alone_s / all_s;
    r->share = r->faster / (double)cores;
    r->bound = bound_of(s, h, r, all_s);
}

static int check(const int64_t *cores, int64_t n,
                 const bird_bench_scaling_options *o)
{
    const double rate[] = {o->memory_gb, o->link_gb, o->clock,
                           o->bases_per_token};

    for (size_t i = 0; i < sizeof(rate) / sizeof(*rate); i++)
        if (!(rate[i] > 0) || isinf(rate[i]))
            return bird_fail(BIRD_EINVAL, "scaling: rates are above 0");
    if (!(o->cache_mib >= 0) || !(o->barrier_us >= 0) || isinf(o->barrier_us) ||
        !(o->bases_per_s >= 0))
        return bird_fail(BIRD_EINVAL, "scaling: cache, barrier and bases a "
                                      "second are not negative");
    if (o->packs < 1 || o->packs > 1000000)
        return bird_fail(BIRD_EINVAL, "scaling: packs: 1 to 1000000");
    if (o->group < 1 || o->node < o->group || o->node % o->group)
        return bird_fail(BIRD_EINVAL,
                         "scaling: a NUMA node is some whole groups of cores, "
                         "not %lld of %lld",
                         (long long)o->node, (long long)o->group);
    for (int64_t i = 0; i < n; i++)
        if (cores[i] < 1 || cores[i] > BIRD_SCALING_CORES ||
            (cores[i] > o->group && cores[i] % o->group) ||
            (cores[i] > o->node && cores[i] % o->node))
            return bird_fail(BIRD_EINVAL,
                             "scaling: %lld cores: 1 to %d, in whole groups of "
                             "%lld and nodes of %lld",
                             (long long)cores[i], BIRD_SCALING_CORES,
                             (long long)o->group, (long long)o->node);
    return 0;
}

/* Seconds to tokenize a pack. */
static int feeding(struct scene *s)
{
    bird_bench_options o = s->o->bench;
    double rate = s->o->bases_per_s;
    bird_bench_row row;
    int rc = 0;

    o.tokens = 2000000;
    o.precision = BIRD_FLOAT32;
    if (rate == 0) {
        rc = bird_bench_tokenize(&row, &o);
        rate = rc ? 1 : row.per_s;
    }
    s->feed_s = s->tokens * s->o->bases_per_token / rate;
    return rc;
}

int bird_bench_scaling(bird_bench_scaling_row *out, const int64_t *cores,
                       int64_t n, const bird_bench_scaling_options *o)
{
    struct trace t = {0};
    struct scene s = {.o = o};
    struct bird_scaling_loop *loop = NULL;
    bird_bench_scaling_row one;
    int threads = bird_threads(), rc = check(cores, n, o);

    bird_threads_set(1);
    if (rc || (rc = measure(&t, &o->bench)) ||
        (rc = bird_array_new(&loop, t.n_loop, sizeof(*loop))))
        goto done;
    describe(loop, &t, o->bench.precision);
    s.pack = (struct bird_scaling_pack){loop, t.n_loop, t.serial_s};
    s.tokens = (double)t.m.batch.b.offset[t.m.batch.b.n_seq];
    if ((rc = feeding(&s)))
        goto done;
    s.alone_s = 1;
    simulate(&one, &s, 1, 1);
    s.alone_s = s.tokens * (double)o->packs / one.per_s;
    for (int64_t i = 0; i < n; i++) {
        simulate(out + 2 * i, &s, cores[i], 1);
        simulate(out + 2 * i + 1, &s, cores[i],
                 cores[i] < o->group ? cores[i] : o->group);
    }
done:
    bird_threads_set(threads);
    trace_free(&t);
    free(loop);
    return rc;
}

int bird_bench_scaling_json(char **out, const bird_bench_scaling_row *row,
                            int64_t n)
{
    json_t *all = json_array();
    char *s;

    for (int64_t i = 0; i < n; i++) {
        const bird_bench_scaling_row *r = row + i;

        json_array_append_new(
            all, json_pack("{s:I, s:I, s:I, s:f, s:f, s:f, s:f, s:s}", "cores",
                           (json_int_t)r->cores, "nodes", (json_int_t)r->nodes,
                           "cores_of_a_pack", (json_int_t)r->group, "pack_s",
                           r->pack_s, "tokens_per_s", r->per_s,
                           "times_one_core", r->faster, "share", r->share,
                           "bound", bird_scaling_bound_name(r->bound)));
    }
    s = json_array_size(all) == (size_t)n
            ? json_dumps(all, JSON_REAL_PRECISION(6) | JSON_INDENT(1))
            : NULL;
    json_decref(all);
    if (!s)
        return bird_fail_memory(0);
    *out = s;
    return 0;
}
