/* One update, and the metrics of the held-out rows.
 *
 * The rows of a step are numbered over all processes, and row numbers alone
 * decide which rows form a pack. Dropout is a function of (seed, step, pack),
 * so dropout and losses are the same as with one process. Each process computes
 * consecutive packs.
 * SPDX-License-Identifier: MIT */
#include "train/pretrain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "model/stem.h"

/* --- rows ----------------------------------------------------------------- */

void bird_row_set_free(struct bird_row_set *r)
{
    free(r->row);
    free(r->rc);
    free(r->block);
    free(r->weights);
    free(r->weight);
    free(r->ids);
    free(r->type);
    free(r->label);
    free(r->next);
    free(r->offset);
    free(r->token);
    bird_head_tokens_free(&r->tokens);
    *r = (struct bird_row_set){0};
}

struct sampling {
    struct bird_row_set *r;
    struct bird_sampler *s;
    int64_t step, first;
};

static void sample_task(void *context, int64_t task, int worker)
{
    const struct sampling *d = context;

    (void)worker;
    d->r->rc[task] =
        bird_sampler_row(d->s, d->step, d->first + task, &d->r->row[task]);
}

/* Rows first .. first + n of a step, of at most length_tok tokens each. */
static int sample_rows(struct bird_row_set *r, struct bird_sampler *s,
                       int64_t step, int64_t first, int64_t n,
                       int64_t length_tok)
{
    struct sampling d = {r, s, step, first};
    int rc = bird_array_grow(&r->row, &r->cap_row, n, sizeof(*r->row));

    if (rc || (rc = bird_array_grow(&r->rc, &r->cap_rc, n, sizeof(*r->rc))) ||
        (rc = bird_array_grow(&r->block, &r->cap_block, 3 * n * length_tok,
                              sizeof(*r->block))) ||
        (rc = bird_array_grow(&r->weights, &r->cap_weights, n * length_tok,
                              sizeof(*r->weights))))
        return rc;
    r->n = n;
    for (int64_t i = 0; i < n; i++) {
        int32_t *at = r->block + 3 * i * length_tok;

        r->row[i] =
            (struct bird_sample_row){.ids = at,
                                     .type = at + length_tok,
                                     .label = at + 2 * length_tok,
                                     .weight = r->weights + i * length_tok};
    }
    bird_parallel(n, sample_task, &d);
    /* The message is stored by the thread that failed: fail again in this
     * thread. */
    for (int64_t i = 0; i < n; i++)
        if (r->rc[i] && (rc = bird_sampler_row(s, step, first + i, &r->row[i])))
            return rc;
    return 0;
}

static int reserve(struct bird_row_set *r, int64_t n_seq, int64_t n_tok)
{
    int rc;

    if ((rc = bird_array_grow(&r->ids, &r->cap_ids, n_tok, sizeof(*r->ids))) ||
        (rc = bird_array_grow(&r->type, &r->cap_type, n_tok,
                              sizeof(*r->type))) ||
        (rc = bird_array_grow(&r->label, &r->cap_label, n_tok,
                              sizeof(*r->label))) ||
        (rc = bird_array_grow(&r->weight, &r->cap_weight, n_tok,
                              sizeof(*r->weight))) ||
        (rc = bird_array_grow(&r->next, &r->cap_next, n_seq, sizeof(*r->next))))
        return rc;
    rc = bird_array_grow(&r->offset, &r->cap_offset, n_seq + 1,
                         sizeof(*r->offset));
    return rc ? rc
              : bird_array_grow(&r->token, &r->cap_token, n_seq + 1,
                                sizeof(*r->token));
}

/* Rows i0 .. i1 of the set as a batch with its labels; borrowed. */
static int pack_rows(struct bird_batch *b, struct bird_labels *labels,
                     struct bird_pretraining *f, int64_t i0, int64_t i1)
{
    struct bird_row_set *r = &f->rows;
    const struct bird_config *c = &f->run.l->c;
    int stem = c->n_stem > 0, typed = !stem || f->o.data.genome_types;
    int64_t n = 0;
    int rc;

    for (int64_t i = i0; i < i1; i++)
        n += r->row[i].n_token;
    rc = reserve(r, i1 - i0, n);
    if (rc)
        return rc;
    n = 0;
    r->offset[0] = r->token[0] = 0;
    for (int64_t i = i0; i < i1; i++) {
        const struct bird_sample_row *row = &r->row[i];
        size_t size = (size_t)row->n_token * sizeof(int32_t);

        memcpy(r->ids + n, row->ids, size);
        if (!stem)
            memcpy(r->type + n, row->type, size);
        memcpy(r->label + n, row->label, size);
        memcpy(r->weight + n, row->weight,
               (size_t)row->n_token * sizeof(*r->weight));
        r->next[i - i0] = row->next;
        n += row->n_token;
        r->token[i - i0 + 1] = n;
        r->offset[i - i0 + 1] =
            r->offset[i - i0] + bird_stem_rows(c, row->ids, row->n_token);
        for (int64_t k = r->offset[i - i0]; stem && k < r->offset[i - i0 + 1];
             k++)
            r->type[k] = row->type[0]; /* one for all tokens of the row */
    }
    *b = (struct bird_batch){.n_seq = i1 - i0,
                             .offset = r->offset,
                             .token = stem ? r->token : NULL,
                             .ids = r->ids,
                             .type = typed ? r->type : NULL};
    *labels = (struct bird_labels){
        .token = r->label, .token_weight = r->weight, .next = r->next};
    return 0;
}

/* --- a step --------------------------------------------------------------- */

/* A stream of random numbers of its own; the sampler has others. */
enum { STREAM_NOISE = 3 };

/* Sums of a step or a validation over all packs and processes: first those that
 * are known before the packs are computed, then those that follow from them. */
enum {
    TROUBLE,   /* processes that failed so far */
    TOKENS,    /* in all rows */
    BP,        /* under them */
    MASKED,    /* weights of the tokens to predict: their number, if nothing
                  counts less */
    MASKED_BP, /* bases under them, weighted */
    PAIRS,     /* rows with a B */
    RICH,      /* positions replaced for too many N */
    STOP,      /* number of processes that got a signal to stop */
    N_BEFORE,
    TROUBLE_AFTER = N_BEFORE,
    NLL,   /* weighted sum over the masked tokens, nats */
    NEXT,  /* sum over the pairs, nats */
    RIGHT, /* masked tokens predicted as they are */
    N_SUM
};

/* The rows first .. last of this process, of n rows in packs. */
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
        t[MASKED] += r->row[i].masked_weight;
        t[MASKED_BP] += r->row[i].masked_weight_bp;
        t[PAIRS] += r->row[i].next >= 0;
        t[RICH] += (double)r->row[i].n_rich;
    }
}

/* Sample the rows of this process and count those of all processes. */
static int sample_own_rows(struct bird_pretraining *f, double t[N_SUM],
                           struct bird_sampler *from, int64_t step,
                           const struct share *s)
{
    int rc = f->trouble;

    if (!rc)
        rc = sample_rows(&f->rows, from, step, s->first, s->last - s->first,
                         f->o.data.length_tok);
    count_rows(t, &f->rows);
    t[STOP] = f->stop;
    return bird_comm_sum_or_fail(f->comm, rc, t, N_BEFORE);
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
    struct bird_dropout_rates dropout = f->run.dropout;
    struct bird_labels labels;
    struct bird_batch b;
    struct bird_loss loss;
    double masked = 0, pairs = 0;
    int rc = pack_rows(&b, &labels, f, i0, i1);

    if (rc)
        return rc;
    for (int64_t i = i0; i < i1; i++) {
        masked += f->rows.row[i].masked_weight;
        pairs += f->rows.row[i].next >= 0;
    }
    dropout.key =
        bird_mix(bird_mix(key, (uint64_t)f->run.progress.step), (uint64_t)pack);
    labels.next_scale = t[PAIRS] > 0 ? (float)(pairs / t[PAIRS]) : 0;
    rc = bird_trainer_add(f->run.l, &loss, &b, &labels, &dropout,
                          t[MASKED] > 0 ? (float)(masked / t[MASKED]) : 0);
    if (rc)
        return rc;
    t[NLL] += loss.mlm * masked;
    t[NEXT] += pairs > 0 ? loss.next * pairs : 0;
    return 0;
}

/* Where the run is, without the numbers of a step. */
static void describe(const struct bird_pretraining *f, bird_pretrain_state *s)
{
    int64_t done = f->run.progress.step - f->run.started_step;
    double spent = bird_run_clock() - f->run.started;
    struct share own = share_of(f, f->n_row);

    *s = (bird_pretrain_state){
        .step = f->run.progress.step,
        .steps = f->run.o->steps,
        .packs = own.pack1 - own.pack0,
        .next_loss = (double)NAN,
        .valid_loss = (double)NAN,
        .valid_bits = (double)NAN,
        .valid_accuracy = (double)NAN,
        .left_s = done > 0
                      ? spent / (double)done *
                            (double)(f->run.o->steps - f->run.progress.step)
                      : (double)NAN,
        .rank = f->comm->rank,
        .ranks = f->comm->size};
}

int bird_pretrain_report(const struct bird_pretraining *f,
                         const bird_pretrain_state *s)
{
    bird_progress p = {"training", "steps", s->step, s->steps, NULL, s, 0};

    return f->run.o->progress &&
           f->run.o->progress(f->run.o->progress_context, &p);
}

/* Ask the caller whether to go on. A single process stops at once; several finish
 * the step, so that all of them stop after the same one. */
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

    describe(f, s);
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
    int rc = bird_comm_sum_floats(f->comm, f->run.l->grad, f->run.l->total);

    if (rc)
        return rc;
    *lr = bird_schedule(f->run.o->lr, f->run.progress.step, f->warmup_steps,
                        f->run.o->steps, f->run.o->constant);
    *norm = bird_trainer_update(f->run.l, *lr);
    if (!isfinite(*norm) || !isfinite(t[NLL]) || !isfinite(t[NEXT]))
        return bird_fail(BIRD_ERANGE,
                         "the loss is not a number at step %lld: use a "
                         "smaller --lr or a longer --warmup",
                         (long long)f->run.progress.step + 1);
    f->run.progress.step++;
    if (f->run.progress.bp >= 0) {
        f->run.progress.bp += (int64_t)t[BP];
        f->run.progress.n_rich += (int64_t)t[RICH];
    }
    return 0;
}

int bird_pretrain_step(struct bird_pretraining *f, bird_pretrain_state *s)
{
    struct share own = share_of(f, f->n_row);
    double began = bird_run_clock(), lr = 0, norm = 0;
    double t[N_SUM];
    int rc = sample_own_rows(f, t, f->train, f->run.progress.step, &own);

    if (rc)
        return rc;
    if (t[STOP] > 0) {
        f->stopped = 1;
        return 0;
    }
    describe(f, s);
    for (int64_t pack = own.pack0; !rc && pack < own.pack1; pack++) {
        if (asked_to_stop(f, s, pack - own.pack0)) {
            f->stopped = 1;
            return 0;
        }
        rc = learn_pack(f, t, &own, pack);
    }
    rc = bird_comm_sum_or_fail(f->comm, rc, t + TROUBLE_AFTER,
                               N_SUM - TROUBLE_AFTER);
    if (!rc)
        rc = update(f, t, &lr, &norm);
    if (rc)
        return rc;
    fill_state(s, f, t, began);
    s->lr = lr;
    s->norm = norm;
    return 0;
}

/* Replace every token to be predicted by [MASK]: a token that stays visible
 * would make the metric too good. */
static void hide(struct bird_row_set *r, int32_t mask)
{
    for (int64_t i = 0; i < r->n; i++)
        for (int64_t j = 0; j < r->row[i].n_token; j++)
            if (r->row[i].label[j] >= 0)
                r->row[i].ids[j] = mask;
}

/* Losses of a pack, without dropout and without backward. */
static int measure_pack(struct bird_pretraining *f, double t[N_SUM], int64_t i0,
                        int64_t i1)
{
    struct bird_trainer *l = f->run.l;
    struct bird_labels labels;
    struct bird_batch b;
    const float *x;
    int64_t n = 0, k = 0;
    int rc = pack_rows(&b, &labels, f, i0, i1);

    for (int64_t i = i0; i < i1; i++)
        n += f->rows.row[i].n_masked;
    if (rc ||
        (rc = bird_array_grow(&f->nll, &f->cap_nll, n, sizeof(*f->nll))) ||
        (rc = bird_array_grow(&f->best, &f->cap_best, n, sizeof(*f->best))) ||
        (rc = bird_head_want(&f->rows.tokens, &b, &l->c, labels.token, 0)) ||
        (rc = bird_encoder_train_forward(l->e, l->tape, &x, &b, NULL)) ||
        (rc =
             bird_head_nll(f->nll, f->best, &l->c, &l->w, x, &b, labels.token)))
        return rc;
    for (int64_t i = 0; i < f->rows.token[b.n_seq]; i++) {
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
    int rc = sample_own_rows(f, t, f->valid, 0, &own);

    if (rc)
        return rc;
    hide(&f->rows, f->mask_id);
    for (int64_t pack = own.pack0; !rc && pack < own.pack1; pack++)
        rc = measure_pack(f, t, (pack - own.pack0) * f->pack_rows,
                          pack_end(f, &own, pack));
    rc = bird_comm_sum_or_fail(f->comm, rc, t + TROUBLE_AFTER,
                               N_SUM - TROUBLE_AFTER);
    if (rc)
        return rc;
    f->valid_step = f->run.progress.step;
    f->valid_loss = t[NLL] / t[MASKED];
    f->valid_bits = t[NLL] / log(2.0) / t[MASKED_BP];
    f->valid_accuracy = t[RIGHT] / t[MASKED];
    return 0;
}
