/* The loop: batches, updates, validations, checkpoints.
 *
 * The stream of training rows is epoch after epoch, each in an order drawn
 * from (seed, epoch); update s takes rows s*B .. s*B+B-1 of the stream, so a
 * resumed run needs to know its step and nothing else.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/rng.h"
#include "data/augment.h"
#include "dnabird/metrics.h"
#include "eval/predict_rows.h"
#include "train/finetune.h"

/* Streams of random numbers that a run draws from. */
enum { STREAM_ORDER = 1, STREAM_LETTERS, STREAM_NOISE };

static int order_epoch(struct bird_finetuning *f, int64_t epoch)
{
    struct bird_rng r;

    if (f->epoch == epoch)
        return 0;
    for (int64_t i = 0; i < f->train.n; i++)
        f->order[i] = i;
    bird_rng_init(&r, f->o.seed, STREAM_ORDER, (uint64_t)epoch);
    for (int64_t i = f->train.n - 1; i > 0; i--) {
        int64_t j = (int64_t)bird_rng_below(&r, (uint64_t)i + 1);
        int64_t t = f->order[i];

        f->order[i] = f->order[j];
        f->order[j] = t;
    }
    f->epoch = epoch;
    return 0;
}

/* The row of the stream, changed as drawn for it, into the pack. */
static int add_row(struct bird_finetuning *f, int64_t k)
{
    const struct bird_augment how = {f->o.reverse_complement, f->o.shift_bp,
                                     f->o.mutate};
    const bird_row *row;
    struct bird_rng r;
    const char *seq;
    int64_t i;
    int rc;

    order_epoch(f, k / f->train.n);
    i = f->order[k % f->train.n];
    row = &f->train.row[i];
    seq = bird_dataset_seq(&f->train, i);
    if (bird_augments(&how)) {
        rc = bird_array_grow(&f->changed, &f->cap_changed, row->len, 1);
        if (rc)
            return rc;
        bird_rng_init(&r, f->o.seed, STREAM_LETTERS, (uint64_t)k);
        bird_augment(f->changed, seq, row->len, &how, &r);
        seq = f->changed;
    }
    rc = bird_pack_add(&f->pack, f->tokenizer, seq, row->len,
                       f->l->c.max_positions);
    if (rc || (rc = bird_array_grow(&f->picked, &f->cap_picked, f->pack.n_seq,
                                    sizeof(*f->picked))))
        return rc;
    f->picked[f->pack.n_seq - 1] = i;
    return 0;
}

/* What the parts of an update amount to. */
struct update_sum {
    double loss;   /* of parts that have labels, by their share of the batch */
    int64_t known; /* sequences of those parts */
    int64_t part;  /* parts so far */
};

/* Labels of the rows in the pack; *known = 0 when there is none to learn. */
static int pack_labels(struct bird_finetuning *f, struct bird_labels *labels,
                       int *known)
{
    const bird_dataset *d = &f->train;
    int64_t n = f->pack.n_seq, k = d->n_label;
    int rc =
        bird_array_grow(&f->class_id, &f->cap_class, n, sizeof(*f->class_id));

    if (!rc && d->kind == BIRD_LABEL_MULTI)
        rc =
            bird_array_grow(&f->value, &f->cap_value, n * k, sizeof(*f->value));
    if (rc)
        return rc;
    *known = d->kind != BIRD_LABEL_MULTI;
    for (int64_t s = 0; s < n; s++) {
        f->class_id[s] = d->row[f->picked[s]].label;
        if (d->kind == BIRD_LABEL_MULTI)
            bird_dataset_labels(f->value + s * k, d, f->picked[s]);
    }
    for (int64_t i = 0; !*known && i < n * k; i++)
        *known = !isnan(f->value[i]);
    if (d->kind == BIRD_LABEL_MULTI)
        labels->value = f->value;
    else
        labels->class_id = f->class_id;
    return 0;
}

/* Forward and backward of the pack; its share of the batch's mean. A pack
 * without a label is passed over. */
static int run_pack(struct bird_finetuning *f, struct update_sum *u)
{
    struct bird_batch b = bird_pack_batch(&f->pack);
    struct bird_labels labels = {.pos_weight = (float)f->o.pos_weight,
                                 .pos_weights = f->pos_weights};
    struct bird_noise noise = f->noise;
    struct bird_loss out;
    double share = (double)b.n_seq / (double)f->o.batch;
    int known = 0, rc = pack_labels(f, &labels, &known);

    noise.key =
        bird_mix(bird_mix(f->o.seed, STREAM_NOISE),
                 (uint64_t)f->progress.step * 4096 + (uint64_t)u->part++);
    if (!rc && known) {
        rc = bird_trainer_add(f->l, &out, &b, &labels, &noise, (float)share);
        u->loss += rc ? 0 : out.loss * share;
        u->known += b.n_seq;
    }
    bird_pack_clear(&f->pack);
    return rc;
}

static int one_update(struct bird_finetuning *f)
{
    struct bird_train_progress *p = &f->progress;
    struct update_sum u = {0};
    double norm;
    int64_t first = p->step * f->o.batch;
    int rc = 0;

    for (int64_t i = 0; !rc && i < f->o.batch; i++) {
        rc = add_row(f, first + i);
        if (!rc && (f->pack.n_tok >= f->o.pack_tokens || i + 1 == f->o.batch))
            rc = run_pack(f, &u);
    }
    if (rc)
        return rc;
    norm = bird_trainer_update(f->l,
                               bird_schedule(f->o.lr, p->step, f->warmup_steps,
                                             f->steps, f->o.constant));
    if (!isfinite(norm) || !isfinite(u.loss))
        return bird_fail(BIRD_ERANGE,
                         "the loss is no longer a number at step %lld: use a "
                         "smaller --lr or a longer --warmup",
                         (long long)p->step + 1);
    p->step++;
    if (u.known > 0) {
        p->loss_sum += u.loss * ((double)f->o.batch / (double)u.known);
        p->loss_count++;
    }
    return 0;
}

struct validation {
    const struct bird_finetuning *f;
    bird_progress at;
};

/* Only told: a stop is asked for again once a checkpoint can be written. */
static int report_row(void *context)
{
    struct validation *v = context;

    v->at.done++;
    if (v->f->o.progress)
        v->f->o.progress(v->f->o.progress_context, &v->at);
    return 0;
}

int bird_finetune_predict(struct bird_finetuning *f,
                          const struct bird_weights *w)
{
    struct validation v = {f,
                           {"validating", "rows", 0, f->valid.n, NULL, NULL}};
    struct bird_model m;
    struct bird_row_scoring s = {.m = &m,
                                 .strand = BIRD_STRAND_PLUS,
                                 .after_row = report_row,
                                 .context = &v};

    bird_model_view(&m, &f->l->c, w, f->tokenizer);
    return bird_rows_score(f->probability, &s, &f->valid);
}

static int measure(struct bird_finetuning *f, bird_finetune_state *s)
{
    const bird_dataset *d = &f->valid;
    bird_metrics_options o;
    bird_metrics m;
    int rc = bird_finetune_predict(f, &f->l->slow);

    if (rc)
        return rc;
    s->validated = 1;
    if (d->kind == BIRD_LABEL_MULTI)
        return bird_finetune_measure_labels(f, s);
    bird_metrics_options_default(&o);
    o.n_boot = 0;
    rc = bird_metrics_measure(&m, f->probability, f->valid_class, d->n,
                              d->n_label, &o);
    if (rc)
        return rc;
    s->valid_auroc = m.value[BIRD_AUROC];
    s->valid_mcc = m.value[BIRD_MCC];
    s->valid_loss = m.value[BIRD_LOG_LOSS];
    return 0;
}

/* Validate; keep the weights if they are the best so far. */
static int validate(struct bird_finetuning *f, bird_finetune_state *s)
{
    struct bird_train_progress *p = &f->progress;
    double value;
    int rc = measure(f, s);

    if (rc)
        return rc;
    value = f->o.select == BIRD_SELECT_AUROC ? s->valid_auroc
            : f->o.select == BIRD_SELECT_MCC ? s->valid_mcc
                                             : -s->valid_loss;
    if (isnan(value))
        return bird_fail(BIRD_EINVAL,
                         "the validation figure that --select names is not "
                         "defined for these rows (one class only?): use "
                         "--select loss");
    p->stale++;
    if (!p->best_step || value > p->best) {
        p->best = value;
        p->best_step = p->step;
        p->stale = 0;
        s->best = 1;
        rc = bird_finetune_keep_best(f);
        if (!rc && f->figures)
            rc = bird_finetune_log_labels(f);
    }
    if (!rc)
        rc = bird_finetune_log(f, s);
    p->loss_sum = 0;
    p->loss_count = 0;
    return rc;
}

static void describe(const struct bird_finetuning *f, bird_finetune_state *s)
{
    const struct bird_train_progress *p = &f->progress;

    *s = (bird_finetune_state){
        .step = p->step,
        .steps = f->steps,
        .epoch = (double)(p->step * f->o.batch) / (double)f->train.n,
        .loss = p->loss_count ? p->loss_sum / (double)p->loss_count : 0,
        .rate = bird_finetune_rate(f),
        .train_trimmed = f->train_trimmed,
        .valid_trimmed = f->valid_trimmed,
        .max_tokens = f->l->c.max_positions,
        .left_out = f->left_out.s,
        .never_positive = f->never.s};
}

static int is_over(const struct bird_finetuning *f)
{
    const struct bird_train_progress *p = &f->progress;

    return p->step >= f->steps ||
           (f->o.patience > 0 && p->stale >= f->o.patience);
}

int bird_finetune_loop(struct bird_finetuning *f)
{
    struct bird_train_progress *p = &f->progress;
    int rc = 0;

    while (!rc && !is_over(f)) {
        bird_finetune_state s;
        bird_progress at = {"training", "steps", 0, f->steps, &s, NULL};
        int stop, check;

        if ((rc = one_update(f)))
            break;
        describe(f, &s);
        check = p->step % f->evaluate_every == 0 || p->step == f->steps;
        if (check && (rc = validate(f, &s)))
            break;
        at.done = p->step;
        stop = f->o.progress && f->o.progress(f->o.progress_context, &at);
        if (check || stop ||
            (f->o.checkpoint_every > 0 && p->step % f->o.checkpoint_every == 0))
            rc = bird_finetune_checkpoint(f);
        if (!rc && stop && !is_over(f))
            rc = bird_fail(BIRD_ECANCELED,
                           "stopped at step %lld of %lld; a checkpoint is in "
                           "%s: go on with --resume",
                           (long long)p->step, (long long)f->steps, f->o.out);
    }
    return rc;
}
