/* The copying task: its rows, what counting says of it, and an encoder that
 * learns it.
 *
 * Source: Yun et al. 2020, arXiv:2006.04862, section 5. A query t of the second
 * half answers with the token after it, which stood `length` tokens before t.
 * Rows and their order are functions of (seed, row) and (seed, step), as in
 * pretrain.c, so that a run goes on where it stopped.
 * SPDX-License-Identifier: MIT */
#include "lab/copying.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/text.h"
#include "head/head.h"
#include "train/run.h"

/* As many tokens as a graph has blocks. */
enum { MOST_SYMBOLS = 65536, MOST_LENGTH = BIRD_GRAPH_MOST / 2 - 1 };

/* Streams of random numbers: what rows hold, which rows a step takes. */
enum { STREAM_ROW = 1, STREAM_STEP };

void bird_copying_task_default(bird_copying_task *t)
{
    *t = (bird_copying_task){.symbols = 128, .length = 127, .seed = 1};
}

int bird_copying_tokens(int64_t *n, const bird_copying_task *t)
{
    if (t->symbols < 2 || t->symbols > MOST_SYMBOLS)
        return bird_fail(BIRD_EINVAL, "--symbols %lld is not from 2 to %d",
                         (long long)t->symbols, MOST_SYMBOLS);
    if (t->length < 1 || t->length > MOST_LENGTH)
        return bird_fail(BIRD_EINVAL, "--length %lld is not from 1 to %d",
                         (long long)t->length, MOST_LENGTH);
    *n = 2 * (t->length + 1);
    return 0;
}

void bird_copying_row(int32_t *ids, const bird_copying_task *t, int64_t row)
{
    int64_t half = t->length + 1;
    struct bird_rng rng;

    bird_rng_init(&rng, t->seed, STREAM_ROW, (uint64_t)row);
    ids[0] = 0;
    for (int64_t i = 1; i < half; i++)
        ids[i] = (int32_t)bird_rng_below(&rng, (uint64_t)t->symbols);
    memcpy(ids + half, ids, (size_t)half * sizeof(*ids));
}

/* --- by counting ---------------------------------------------------------- */

static int check_causal(const struct bird_graph *g)
{
    for (int64_t l = 0; l < g->n_layer; l++)
        for (int64_t i = 0; i < g->n; i++)
            for (int64_t j = i + 1; j < g->n; j++)
                if (bird_bit(bird_graph_row(g, l, i), j))
                    return bird_fail(BIRD_EINVAL,
                                     "pattern: token %lld sees token %lld, "
                                     "which it is to predict: add "
                                     "causal=yes",
                                     (long long)i, (long long)j);
    return 0;
}

int bird_copying_reach(double *percent, const struct bird_graph *g,
                       const bird_copying_task *t, int64_t layers)
{
    int64_t half = t->length + 1, n = 0;
    uint64_t *seen = NULL;
    int rc = check_causal(g);

    if (!rc && g->n != 2 * half)
        rc = bird_fail(BIRD_EINVAL, "pattern: the copying task needs blocks of "
                                    "one token: add block=1");
    if (!rc)
        rc = bird_array_new(&seen, g->n * g->n_word, sizeof(*seen));
    if (!rc)
        rc = bird_graph_reach(seen, g, layers);
    for (int64_t i = half; !rc && i < 2 * half - 1; i++)
        n += bird_bit(seen + i * g->n_word, i - t->length);
    free(seen);
    *percent = 100 * (double)n / (double)t->length;
    return rc;
}

double bird_copying_counted(double reach, const bird_copying_task *t)
{
    return reach + (100 - reach) / (double)t->symbols;
}

/* --- a run ---------------------------------------------------------------- */

#define LOG_HEADER                                                             \
    "step\tloss\tvalid_percent_right\tlearning_rate\tgradient_norm\tseconds\n"

/* Seconds between checkpoints when their number of steps is not given. */
#define SAVE_EVERY 600

struct learning {
    bird_pattern_learn_options o;
    struct bird_train_run run;
    int64_t n_token, pack_rows; /* of a row; rows of a forward pass */
    int64_t warmup_steps, every;
    int32_t *ids, *label, *best; /* of a pack; best of its answers alone */
    int64_t *offset;
    float *hidden;
    double *nll;
    double valid; /* per cent right, of the last validation */
    double saved;
};

void bird_pattern_learn_default(bird_pattern_learn_options *o)
{
    *o = (bird_pattern_learn_options){.layers = 1,
                                      .heads = 4,
                                      .hidden = 256,
                                      .intermediate = 512,
                                      .batch = 1024,
                                      .train_rows = 100000,
                                      .valid_rows = 1000,
                                      .test_rows = 10000,
                                      .enough = 100,
                                      .run = {.pack_tokens = 4096,
                                              .steps = 500000,
                                              .lr = 1e-4,
                                              .warmup = 3000,
                                              .weight_decay = 0.01,
                                              .clip = 1}};
    bird_copying_task_default(&o->task);
}

/* Rows of all parts: their numbers, times a row's answers, are exact. */
#define MOST_ROWS (INT64_C(1) << 36)

static int check_options(const bird_pattern_learn_options *o)
{
    const int64_t rows[] = {o->batch, o->train_rows, o->valid_rows,
                            o->test_rows};

    if (!o->run.out)
        return bird_fail(BIRD_EINVAL, "no folder for the run: give -o");
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        if (rows[i] < 1 || rows[i] > MOST_ROWS)
            return bird_fail(BIRD_EINVAL,
                             "%lld rows: a batch and each part have from 1 to "
                             "%lld",
                             (long long)rows[i], (long long)MOST_ROWS);
    if (o->run.steps < 1 || o->layers < 1 || o->heads < 1)
        return bird_fail(BIRD_EINVAL,
                         "steps, layers and heads must be at least 1");
    if (!(o->enough > 0 && o->enough <= 100))
        return bird_fail(BIRD_EINVAL, "enough is above 0 and at most 100");
    if (bird_run_check_updates(&o->run))
        return BIRD_EINVAL;
    return bird_run_check_folder(&o->run);
}

static int make_config(struct bird_config *c, const struct learning *f)
{
    const bird_pattern_learn_options *o = &f->o;
    int rc;

    bird_config_default(c);
    c->vocab_size = o->task.symbols;
    c->hidden_size = o->hidden;
    c->n_layer = o->layers;
    c->n_head = o->heads;
    c->intermediate_size = o->intermediate;
    c->max_positions = f->n_token;
    c->type_vocab_size = 1;
    c->pad_id = c->bos_id = c->eos_id = c->sep_id = c->cls_id = -1;
    c->hidden_dropout = c->attention_dropout = 0;
    c->head = bird_head_masked(0);
    rc = bird_config_attention(c, o->pattern, NULL, NULL, 0, o->map);
    if (!rc && c->pattern.block != 1)
        rc = bird_fail(BIRD_EINVAL,
                       "pattern: predicting the next token takes blocks of "
                       "one: strided, fixed, star or random with "
                       "block=1,causal=yes");
    return rc ? rc : bird_config_check(c, "pattern learn");
}

/* What counting says, in *out. */
static int count(bird_pattern_learned *out, const struct bird_config *c,
                 const struct learning *f)
{
    struct bird_pattern p = bird_pattern_of(c);
    struct bird_graph *g = NULL;
    int rc = bird_graph_new(&g, &p, f->n_token, c->n_layer);

    if (!rc)
        rc = bird_copying_reach(&out->reach, g, &f->o.task, c->n_layer);
    if (!rc) {
        out->counted = bird_copying_counted(out->reach, &f->o.task);
        out->sparsity = 100 * g->sparsity;
    }
    bird_graph_free(g);
    return rc;
}

/* Everything that decides the result: a checkpoint of another one is refused. */
static int identify(struct learning *f)
{
    const bird_pattern_learn_options *o = &f->o;
    const struct bird_config *c = &f->run.l->c;
    struct bird_pattern p = bird_pattern_of(c);
    struct bird_text name = {0};
    int rc = bird_pattern_text(&name, &p);

    if (!rc)
        rc = bird_text_printf(
            &f->run.identity,
            "copying pattern=%s map=%s symbols=%lld length=%lld layers=%lld "
            "heads=%lld hidden=%lld intermediate=%lld batch=%lld train=%lld "
            "valid=%lld pack_rows=%lld every=%lld optimizer=%d precision=%s "
            "steps=%lld seed=%llu lr=%.17g warmup=%lld decay=%.17g "
            "clip=%.17g constant=%d enough=%.17g",
            name.s, o->map ? o->map : "softmax", (long long)o->task.symbols,
            (long long)o->task.length, (long long)o->layers,
            (long long)o->heads, (long long)o->hidden,
            (long long)o->intermediate, (long long)o->batch,
            (long long)o->train_rows, (long long)o->valid_rows,
            (long long)f->pack_rows, (long long)f->every, (int)o->run.optimizer,
            bird_precision_name(o->run.model.precision),
            (long long)o->run.steps, (unsigned long long)o->task.seed,
            o->run.lr, (long long)f->warmup_steps, o->run.weight_decay,
            o->run.clip, o->run.constant, o->enough);
    bird_text_free(&name);
    return rc;
}

static int reserve(struct learning *f)
{
    int64_t n = f->pack_rows * f->n_token, m = f->pack_rows * f->o.task.length;
    int rc;

    if ((rc = bird_array_new(&f->ids, n, sizeof(*f->ids))) ||
        (rc = bird_array_new(&f->label, n, sizeof(*f->label))) ||
        (rc = bird_array_new(&f->best, m, sizeof(*f->best))) ||
        (rc = bird_array_new(&f->nll, m, sizeof(*f->nll))) ||
        (rc = bird_array_new(&f->offset, f->pack_rows + 1, sizeof(*f->offset))))
        return rc;
    return bird_array_new(&f->hidden, n * f->o.hidden, sizeof(*f->hidden));
}

static int setup(struct learning *f, bird_pattern_learned *out)
{
    const bird_pattern_learn_options *o = &f->o;
    struct bird_config c;
    int rc = bird_copying_tokens(&f->n_token, &o->task);

    if (rc || (rc = check_options(o)) || (rc = make_config(&c, f)) ||
        (rc = count(out, &c, f)))
        return rc;
    f->pack_rows = o->run.pack_tokens / f->n_token;
    if (f->pack_rows > o->batch)
        f->pack_rows = o->batch;
    if (f->pack_rows < 1)
        f->pack_rows = 1;
    f->warmup_steps = (int64_t)llround(
        o->run.warmup < 1 ? o->run.warmup * (double)o->run.steps
                          : o->run.warmup);
    f->every =
        o->validate_every > 0 ? o->validate_every : (o->run.steps + 19) / 20;
    rc = bird_run_learner(&f->run, &c, 0, o->task.seed);
    if (rc || (rc = reserve(f)) || (rc = identify(f)))
        return rc;
    if ((rc = bird_run_begin(&f->run)) || (rc = bird_run_resume(&f->run)))
        return rc;
    return bird_run_log_start(&f->run, LOG_HEADER);
}

static void teardown(struct learning *f)
{
    bird_run_close(&f->run);
    free(f->ids);
    free(f->label);
    free(f->best);
    free(f->offset);
    free(f->hidden);
    free(f->nll);
}

/* Row k of a pack: this row of the data, with its answers as labels. */
static void put_row(struct learning *f, int64_t k, int64_t row)
{
    int64_t n = f->n_token, half = n / 2;
    int32_t *ids = f->ids + k * n, *label = f->label + k * n;

    bird_copying_row(ids, &f->o.task, row);
    for (int64_t i = 0; i < n; i++)
        label[i] = i >= half && i + 1 < n ? ids[i + 1] : -100;
    f->offset[k + 1] = (k + 1) * n;
}

static struct bird_batch pack(const struct learning *f, int64_t n)
{
    return (struct bird_batch){.n_seq = n, .offset = f->offset, .ids = f->ids};
}

/* One update: rows drawn evenly of the training's. */
static int step(struct learning *f, double *loss, double *lr, double *norm)
{
    struct bird_train_run *r = &f->run;
    const bird_pattern_learn_options *o = &f->o;
    struct bird_rng rng;

    bird_rng_init(&rng, o->task.seed, STREAM_STEP, (uint64_t)r->progress.step);
    *loss = 0;
    for (int64_t at = 0, m; at < o->batch; at += m) {
        struct bird_labels labels = {.token = f->label};
        double share;
        struct bird_loss part;
        struct bird_batch b;
        int rc;

        m = o->batch - at < f->pack_rows ? o->batch - at : f->pack_rows;
        for (int64_t k = 0; k < m; k++)
            put_row(f, k,
                    (int64_t)bird_rng_below(&rng, (uint64_t)o->train_rows));
        b = pack(f, m);
        share = (double)m / (double)o->batch;
        rc = bird_trainer_add(r->l, &part, &b, &labels, &r->dropout,
                              (float)share);
        if (rc)
            return rc;
        *loss += part.mlm * share;
    }
    *lr = bird_schedule(o->run.lr, r->progress.step, f->warmup_steps,
                        o->run.steps, o->run.constant);
    *norm = bird_trainer_update(r->l, *lr);
    if (!isfinite(*norm) || !isfinite(*loss))
        return bird_fail(BIRD_ERANGE,
                         "the loss is not a number at step %lld: use a "
                         "smaller --lr or a longer --warmup",
                         (long long)r->progress.step + 1);
    r->progress.step++;
    return 0;
}

static int report(const struct learning *f)
{
    bird_progress p = {.what = "training",
                       .unit = "steps",
                       .done = f->run.progress.step,
                       .total = f->o.run.steps};

    return f->o.run.progress &&
           f->o.run.progress(f->o.run.progress_context, &p);
}

static int save(struct learning *f)
{
    f->saved = bird_run_clock();
    return bird_run_save(&f->run);
}

static int log_step(struct learning *f, double loss, double lr, double norm)
{
    struct bird_text t = {0};
    int rc = bird_text_printf(&t, "%lld\t%.8g\t%.4f\t%.8g\t%.8g\t%.1f\n",
                              (long long)f->run.progress.step, loss, f->valid,
                              lr, norm, bird_run_clock() - f->run.started);

    if (!rc)
        rc = bird_run_log_add(&f->run, t.s);
    bird_text_free(&t);
    return rc;
}

static int is_due(const struct learning *f)
{
    int64_t every = f->o.run.checkpoint_every;

    return every > 0 ? f->run.progress.step % every == 0
                     : bird_run_clock() - f->saved >= SAVE_EVERY;
}

/* After this step the run has learned enough, or has had its steps. The
 * checkpoint remembers the validation, by which a finished run is known. */
static int is_done(const struct learning *f)
{
    const struct bird_train_progress *p = &f->run.progress;

    return p->step >= f->o.run.steps ||
           (p->best_step > 0 && p->best >= f->o.enough);
}

static int stopped(struct learning *f)
{
    int rc = save(f);

    return rc ? rc
              : bird_fail(BIRD_ECANCELED,
                          "stopped at step %lld of %lld; a checkpoint is in "
                          "%s: go on with --resume",
                          (long long)f->run.progress.step,
                          (long long)f->o.run.steps, f->o.run.out);
}

/* Per cent of the answers of n rows from `first` on that are right. At the end
 * of a run, whose checkpoint is written, it may be stopped. */
static int measure(double *right, struct learning *f, int64_t first, int64_t n,
                   int at_end)
{
    const struct bird_trainer *l = f->run.l;
    int64_t length = f->o.task.length, good = 0;

    for (int64_t at = 0, m; at < n; at += m) {
        struct bird_batch b;
        int rc;

        m = n - at < f->pack_rows ? n - at : f->pack_rows;
        for (int64_t k = 0; k < m; k++)
            put_row(f, k, first + at + k);
        b = pack(f, m);
        rc = bird_encoder_forward(l->e, f->hidden, NULL, &b);
        if (!rc)
            rc = bird_head_nll(f->nll, f->best, &l->c, &l->w, f->hidden, &b,
                               f->label);
        if (rc)
            return rc;
        if (at_end && report(f))
            return stopped(f);
        for (int64_t k = 0; k < m; k++)
            for (int64_t i = 0; i < length; i++)
                good +=
                    f->best[k * length + i] == f->ids[k * f->n_token + 1 + i];
    }
    *right = 100 * (double)good / (double)(n * length);
    return 0;
}

static int loop(struct learning *f)
{
    struct bird_train_progress *p = &f->run.progress;
    double loss, lr, norm;
    int rc = 0;

    f->saved = f->run.started = bird_run_clock();
    while (!rc && !is_done(f)) {
        rc = step(f, &loss, &lr, &norm);
        if (!rc && (p->step % f->every == 0 || p->step == f->o.run.steps)) {
            rc = measure(&f->valid, f, f->o.train_rows, f->o.valid_rows, 0);
            if (!rc && (!p->best_step || f->valid > p->best)) {
                p->best = f->valid;
                p->best_step = p->step;
            }
            if (!rc)
                rc = log_step(f, loss, lr, norm);
        }
        if (!rc && (is_due(f) || is_done(f)))
            rc = save(f);
        if (!rc && report(f) && !is_done(f))
            return stopped(f);
    }
    return rc;
}

int bird_pattern_learn(bird_pattern_learned *out,
                       const bird_pattern_learn_options *options)
{
    struct learning f = {.o = *options};
    int rc;

    *out = (bird_pattern_learned){0};
    f.run.o = &f.o.run;
    rc = setup(&f, out);
    if (!rc)
        rc = loop(&f);
    if (!rc)
        rc = measure(&out->valid, &f, f.o.train_rows, f.o.valid_rows, 1);
    if (!rc)
        rc = measure(&out->right, &f, f.o.train_rows + f.o.valid_rows,
                     f.o.test_rows, 1);
    out->steps = f.run.progress.step;
    teardown(&f);
    return rc;
}
