/* One update, and the figures of the held-out rows.
 *
 * A step's rows are numbered over all processes; packs of them are cut by
 * number alone, so that dropout, which is a function of (seed, step, pack),
 * and the losses are those of one process. Each process takes a run of packs.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/rng.h"
#include "train/pretrain.h"
#include "train/run_folder.h"

/* A stream of random numbers of its own; the sampler has others. */
enum { STREAM_NOISE = 3 };

/* What a step or a validation adds up over all packs and processes: first
 * what is known before the packs are computed, then what comes of them. */
enum {
    TROUBLE,   /* processes that failed so far */
    TOKENS,    /* in all rows */
    BP,        /* under them */
    MASKED,    /* tokens to predict */
    MASKED_BP, /* under them */
    PAIRS,     /* rows with a B */
    STOP,      /* processes that were asked to stop */
    N_BEFORE,
    TROUBLE_AFTER = N_BEFORE,
    NLL,   /* sum over the masked tokens, nats */
    NEXT,  /* sum over the pairs, nats */
    RIGHT, /* masked tokens predicted as they are */
    N_SUM
};

/* The packs of n rows that are this process's: rows first .. last. */
struct share {
    int64_t pack0, pack1, first, last;
};

static struct share share_of(const struct bird_pretraining *f, int64_t n)
{
    int64_t packs = (n + f->pack_rows - 1) / f->pack_rows;
    int64_t rank = f->comm->rank, size = f->comm->size;
    struct share s = {packs * rank / size, packs * (rank + 1) / size, 0, 0};

    s.first = s.pack0 * f->pack_rows;
    s.last = s.pack1 * f->pack_rows < n ? s.pack1 * f->pack_rows : n;
    if (s.last < s.first)
        s.last = s.first;
    return s;
}

static void count_rows(double t[N_SUM], const struct bird_row_set *r)
{
    memset(t, 0, N_SUM * sizeof(*t));
    for (int64_t i = 0; i < r->n; i++) {
        t[TOKENS] += (double)r->row[i].n_token;
        t[BP] += (double)r->row[i].bp;
        t[MASKED] += (double)r->row[i].n_masked;
        t[MASKED_BP] += (double)r->row[i].masked_bp;
        t[PAIRS] += r->row[i].next >= 0;
    }
}

/* Draw this process's rows and count those of all. */
static int draw(struct bird_pretraining *f, double t[N_SUM],
                struct bird_sampler *from, int64_t step, const struct share *s)
{
    int rc = f->trouble;

    if (!rc)
        rc = bird_row_set_draw(&f->rows, from, step, s->first,
                               s->last - s->first, f->o.data.length_tok);
    count_rows(t, &f->rows);
    t[STOP] = f->stop;
    return bird_comm_meet(f->comm, rc, t, N_BEFORE);
}

static int64_t pack_end(const struct bird_pretraining *f, const struct share *s,
                        int64_t pack)
{
    int64_t i = (pack + 1 - s->pack0) * f->pack_rows;

    return i < s->last - s->first ? i : s->last - s->first;
}

/* Forward and backward of a pack: its part of the step's means. */
static int learn_pack(struct bird_pretraining *f, double t[N_SUM],
                      const struct share *s, int64_t pack)
{
    uint64_t key = bird_mix(f->o.data.seed, STREAM_NOISE);
    int64_t i0 = (pack - s->pack0) * f->pack_rows, i1 = pack_end(f, s, pack);
    struct bird_noise noise = f->noise;
    struct bird_labels labels;
    struct bird_batch b;
    struct bird_loss loss;
    double masked = 0, pairs = 0;
    int rc = bird_row_set_pack(&b, &labels, &f->rows, i0, i1);

    if (rc)
        return rc;
    for (int64_t i = i0; i < i1; i++) {
        masked += (double)f->rows.row[i].n_masked;
        pairs += f->rows.row[i].next >= 0;
    }
    noise.key =
        bird_mix(bird_mix(key, (uint64_t)f->progress.step), (uint64_t)pack);
    labels.next_scale = t[PAIRS] > 0 ? (float)(pairs / t[PAIRS]) : 0;
    rc = bird_trainer_add(f->l, &loss, &b, &labels, &noise,
                          (float)(masked / t[MASKED]));
    if (rc)
        return rc;
    t[NLL] += loss.mlm * masked;
    t[NEXT] += pairs > 0 ? loss.next * pairs : 0;
    return 0;
}

void bird_pretrain_describe(const struct bird_pretraining *f,
                            bird_pretrain_state *s)
{
    int64_t done = f->progress.step - f->started_step;
    double spent = bird_run_clock() - f->started;
    struct share own = share_of(f, f->n_row);

    *s = (bird_pretrain_state){
        .step = f->progress.step,
        .steps = f->o.steps,
        .packs = own.pack1 - own.pack0,
        .next_loss = (double)NAN,
        .valid_loss = (double)NAN,
        .valid_bits = (double)NAN,
        .valid_accuracy = (double)NAN,
        .left_s = done > 0 ? spent / (double)done *
                                 (double)(f->o.steps - f->progress.step)
                           : (double)NAN,
        .rank = f->comm->rank,
        .ranks = f->comm->size};
}

int bird_pretrain_report(const struct bird_pretraining *f,
                         const bird_pretrain_state *s)
{
    bird_progress p = {"training", "steps", s->step, s->steps, NULL, s};

    return f->o.progress && f->o.progress(f->o.progress_context, &p);
}

/* Ask the caller whether to go on. A process alone stops at once; several
 * finish the step, so that all hear of it at the same place. */
static int asked_to_stop(struct bird_pretraining *f, bird_pretrain_state *s,
                         int64_t pack)
{
    s->pack = pack;
    if (bird_pretrain_report(f, s))
        f->stop = 1;
    return f->stop && f->comm->size == 1;
}

static void fill_state(bird_pretrain_state *s, const struct bird_pretraining *f,
                       const double t[N_SUM], double began)
{
    double took = bird_run_clock() - began;

    bird_pretrain_describe(f, s);
    s->updated = 1;
    s->loss = t[NLL] / t[MASKED];
    s->bits = t[NLL] / log(2.0) / t[MASKED_BP];
    if (t[PAIRS] > 0)
        s->next_loss = t[NEXT] / t[PAIRS];
    s->tokens_per_s = took > 0 ? t[TOKENS] / took : 0;
    s->bp_per_s = took > 0 ? t[BP] / took : 0;
}

/* Add up the gradients of all processes, then update. */
static int update(struct bird_pretraining *f, double t[N_SUM], double *lr,
                  double *norm)
{
    int rc = bird_comm_sum_floats(f->comm, f->l->grad, f->l->total);

    if (rc)
        return rc;
    *lr = bird_schedule(f->o.lr, f->progress.step, f->warmup_steps, f->o.steps,
                        f->o.constant);
    *norm = bird_trainer_update(f->l, *lr);
    if (!isfinite(*norm) || !isfinite(t[NLL]) || !isfinite(t[NEXT]))
        return bird_fail(BIRD_ERANGE,
                         "the loss is no longer a number at step %lld: use a "
                         "smaller --lr or a longer --warmup",
                         (long long)f->progress.step + 1);
    f->progress.step++;
    return 0;
}

int bird_pretrain_step(struct bird_pretraining *f, bird_pretrain_state *s)
{
    struct share own = share_of(f, f->n_row);
    double began = bird_run_clock(), lr = 0, norm = 0;
    double t[N_SUM];
    int rc = draw(f, t, f->train, f->progress.step, &own);

    if (rc)
        return rc;
    if (t[STOP] > 0) {
        f->stopped = 1;
        return 0;
    }
    bird_pretrain_describe(f, s);
    for (int64_t pack = own.pack0; !rc && pack < own.pack1; pack++) {
        if (asked_to_stop(f, s, pack - own.pack0)) {
            f->stopped = 1;
            return 0;
        }
        rc = learn_pack(f, t, &own, pack);
    }
    rc = bird_comm_meet(f->comm, rc, t + TROUBLE_AFTER, N_SUM - TROUBLE_AFTER);
    if (!rc)
        rc = update(f, t, &lr, &norm);
    if (rc)
        return rc;
    fill_state(s, f, t, began);
    s->lr = lr;
    s->norm = norm;
    return 0;
}

/* Show every token to be predicted as [MASK]: one that stands as it was would
 * give itself away, and the figure would not be that of hidden sequence. */
static void hide(struct bird_row_set *r, int32_t mask)
{
    for (int64_t i = 0; i < r->n; i++)
        for (int64_t j = 0; j < r->row[i].n_token; j++)
            if (r->row[i].label[j] >= 0)
                r->row[i].ids[j] = mask;
}

/* Losses of a pack, without dropout and without a way back. */
static int measure_pack(struct bird_pretraining *f, double t[N_SUM], int64_t i0,
                        int64_t i1)
{
    struct bird_trainer *l = f->l;
    struct bird_labels labels;
    struct bird_batch b;
    const float *x;
    int64_t n = 0, k = 0;
    int rc = bird_row_set_pack(&b, &labels, &f->rows, i0, i1);

    for (int64_t i = i0; i < i1; i++)
        n += f->rows.row[i].n_masked;
    if (rc ||
        (rc = bird_array_grow(&f->nll, &f->cap_nll, n, sizeof(*f->nll))) ||
        (rc = bird_array_grow(&f->best, &f->cap_best, n, sizeof(*f->best))) ||
        (rc = bird_encoder_train_forward(l->e, l->tape, &x, &b, NULL)) ||
        (rc =
             bird_head_nll(f->nll, f->best, &l->c, &l->w, x, &b, labels.token)))
        return rc;
    for (int64_t i = 0; i < b.offset[b.n_seq]; i++) {
        if (labels.token[i] < 0)
            continue;
        t[NLL] += f->nll[k];
        t[RIGHT] += f->best[k++] == labels.token[i];
    }
    return 0;
}

int bird_pretrain_validate(struct bird_pretraining *f)
{
    struct share own = share_of(f, f->n_valid);
    double t[N_SUM];
    int rc = draw(f, t, f->valid, 0, &own);

    if (rc)
        return rc;
    hide(&f->rows, f->mask_id);
    for (int64_t pack = own.pack0; !rc && pack < own.pack1; pack++)
        rc = measure_pack(f, t, (pack - own.pack0) * f->pack_rows,
                          pack_end(f, &own, pack));
    rc = bird_comm_meet(f->comm, rc, t + TROUBLE_AFTER, N_SUM - TROUBLE_AFTER);
    if (rc)
        return rc;
    f->valid_step = f->progress.step;
    f->valid_loss = t[NLL] / t[MASKED];
    f->valid_bits = t[NLL] / log(2.0) / t[MASKED_BP];
    f->valid_accuracy = t[RIGHT] / t[MASKED];
    return 0;
}
