/* Fine-tuning: from options to a run, and its loop of updates and validations.
 *
 * A stream of training rows is epoch after epoch, each in a random order that
 * (seed, epoch) decides; update s takes rows s*B .. s*B+B-1 of the stream, so a
 * resumed run needs its step and nothing else. Of several streams the step
 * decides which one an update takes (finetune_stream.c).
 * SPDX-License-Identifier: MIT */
#include "train/finetune.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/rng.h"
#include "folder/params_file.h"
#include "model/params.h"
#include "session/model.h"

/* --- from options to a run ------------------------------------------------ */

void bird_finetune_options_default(bird_finetune_options *o)
{
    *o = (bird_finetune_options){.run = {.pack_tokens = 8192,
                                         .lr = 3e-4,
                                         .warmup = 0.1,
                                         .weight_decay = 0.01,
                                         .clip = 1,
                                         .dropout = -1},
                                 .head = "sequence",
                                 .valid_fraction = 0.1,
                                 .split_seed = 1,
                                 .epochs = 10,
                                 .batch = 64,
                                 .seed = 1,
                                 .pos_weight = 1,
                                 .min_positives = 1,
                                 .baselines = 1};
    bird_model_run_default(&o->run.model);
}

static int check_options(const bird_finetune_options *o)
{
    if (!o->train)
        return bird_fail(BIRD_EINVAL, "no training data: give --train");
    if (!o->head)
        return bird_fail(BIRD_EINVAL, "no head");
    if (o->batch < 1)
        return bird_fail(BIRD_EINVAL, "--batch must be 1 or more, got %lld",
                         (long long)o->batch);
    if (o->epochs < 1 && o->run.steps < 1)
        return bird_fail(BIRD_EINVAL,
                         "--epochs must be 1 or more, got %lld (or give "
                         "--steps)",
                         (long long)o->epochs);
    if (!(o->pos_weight >= 0) || isinf(o->pos_weight))
        return bird_fail(BIRD_EINVAL,
                         "--pos-weight must be a number above 0, got %g",
                         o->pos_weight);
    if (o->run.warmup > 1)
        return bird_fail(BIRD_EINVAL,
                         "--warmup must lie between 0 and 1, got %g",
                         o->run.warmup);
    if (!(o->average >= 0 && o->average < 1))
        return bird_fail(BIRD_EINVAL,
                         "--average must be 0 or more and below 1, got %g",
                         o->average);
    if (!o->valid && !(o->valid_fraction >= 0 && o->valid_fraction < 1))
        return bird_fail(BIRD_EINVAL,
                         "--valid-fraction must be 0 or more and below 1, got "
                         "%g",
                         o->valid_fraction);
    if (o->shift_bp < 0 || o->shift_bp > INT32_MAX)
        return bird_fail(BIRD_EINVAL, "--shift must be 0 to %d, got %lld",
                         INT32_MAX, (long long)o->shift_bp);
    if (o->window_bp > INT32_MAX || o->stride_bp > INT32_MAX)
        return bird_fail(BIRD_EINVAL, "windows of at most %d bp can be stored",
                         INT32_MAX);
    if (!(o->mutate >= 0 && o->mutate <= 0.75))
        return bird_fail(BIRD_EINVAL,
                         "--mutate must lie between 0 and 0.75, got %g",
                         o->mutate);
    if (o->freeze && (!o->run.init || o->run.optimizer == BIRD_OPTIMIZER_MUON))
        return bird_fail(BIRD_EINVAL,
                         "--freeze learns a head on the encoder of --init, and "
                         "not with Muon, which learns the encoder");
    if (o->data.weight && o->data.error)
        return bird_fail(BIRD_EINVAL,
                         "--weight-column and --error-column exclude each "
                         "other");
    if (o->min_positives < 1)
        return bird_fail(BIRD_EINVAL, "medians are over labels with 1 positive "
                                      "or more");
    return bird_run_check(&o->run);
}

static int choose_task(struct bird_finetuning *f)
{
    int gaussian = f->o.loss == BIRD_VALUE_GAUSSIAN;
    enum bird_label_kind kind = f->data.train.kind;

    f->data.task = kind == BIRD_LABEL_VALUE ? gaussian ? &bird_finetune_gaussian
                                                       : &bird_finetune_values
                   : kind == BIRD_LABEL_MULTI ? &bird_finetune_labels
                                              : &bird_finetune_classes;
    if (!gaussian || kind == BIRD_LABEL_VALUE)
        return 0;
    return bird_fail(BIRD_EINVAL, "--loss gaussian is for measured values: "
                                  "name their columns with --values");
}

/* Options that the rows have no use for are refused. */
static int check_task(const struct bird_finetuning *f)
{
    const struct bird_finetune_task *t = f->data.task;
    const bird_finetune_options *o = &f->o;
    const bird_dataset *d = &f->data.train;
    const char *option =
        t->problem == BIRD_PROBLEM_MULTI_LABEL ? NULL
        : o->label_weight_of                   ? "--label-weight"
        : o->min_positives > 1                 ? "--min-positives"
        : !d->base_class && (o->pos_weight != 1 || o->pos_weight_of)
            ? "--pos-weight"
            : NULL;
    int usual = o->select == BIRD_SELECT_AUROC;

    if (option)
        return bird_fail(BIRD_EINVAL,
                         "%s is for rows with several labels of 0 and 1: leave "
                         "it out",
                         option);
    if (!o->bins && !d->hit_at && (o->data.context_bp || o->data.features))
        return bird_fail(BIRD_EINVAL,
                         "%s is for labelled bins, of 'dnabird dataset "
                         "chromatin': leave it out",
                         o->data.context_bp ? "--context" : "--features");
    return usual || o->select == BIRD_SELECT_LOSS ||
                   o->select == t->select[0] || o->select == t->select[1]
               ? 0
               : bird_fail(BIRD_EINVAL,
                           "--select: these rows have %s, %s and loss",
                           t->metric[0], t->metric[1]);
}

/* Read and check the data, by the options. Errors: those of reading;
 * BIRD_EINVAL nothing can be learned from it */
static int open_data(struct bird_finetuning *f)
{
    struct bird_finetune_data *d = &f->data;
    int rc;

    d->source = f->o.bins            ? &bird_finetune_from_windows
                : f->o.data.per_base ? &bird_finetune_from_bases
                                     : &bird_finetune_from_rows;
    rc = d->source->open(f);
    if (rc)
        return rc;
    rc = choose_task(f);
    if (rc)
        return rc;
    if ((rc = check_task(f)))
        return rc;
    f->valid.n = d->valid.n;
    rc = d->task->open(f);
    return rc ? rc
              : bird_array_new(&f->valid.probability,
                               f->valid.n * d->train.n_label * d->task->answers,
                               sizeof(*f->valid.probability));
}

/* Configuration of the model to be, with the head of the options. */
static int choose_config(struct bird_config *c, const struct bird_finetuning *f)
{
    const bird_train_options *o = f->run.o;
    const struct bird_head_task task = {.n_label = f->data.train.n_label,
                                        .bin_bp = f->data.bin_bp,
                                        .per_base = f->o.data.per_base,
                                        .problem = f->data.task->problem};
    bird_model_run run = o->model;
    int rc = bird_run_config(c, &f->run);

    run.pad_to = 0;
    if (!rc)
        rc = bird_config_run(c, &run,
                             o->init     ? o->init
                             : o->config ? o->config
                                         : o->preset);
    if (!rc)
        rc = bird_head_choose(c, f->o.head, &task);
    return rc ? rc
              : bird_config_check(c, o->config ? o->config : "configuration");
}

/* Passes of stream 0 over the training rows in so many updates. */
static double passes(const struct bird_finetuning *f, int64_t updates)
{
    return (double)(updates * f->o.batch) * bird_finetune_own_share(f) /
           (double)f->data.train.n;
}

/* Updates in so many passes. */
static int64_t updates_of(const struct bird_finetuning *f, int64_t epochs)
{
    return (int64_t)ceil((double)(epochs * f->data.train.n) /
                         ((double)f->o.batch * bird_finetune_own_share(f)));
}

/* Rows of an update or an epoch, times updates or epochs, are counted in
 * 64 bits, with an eighth to spare for shares. */
static int check_counts(const struct bird_finetuning *f)
{
    const bird_finetune_options *o = &f->o;
    int64_t most = INT64_MAX / 8;

    if (o->run.steps < 1 && o->epochs > most / f->data.train.n)
        return bird_fail(BIRD_EINVAL,
                         "--epochs must be %lld or less for these rows, got "
                         "%lld",
                         (long long)(most / f->data.train.n),
                         (long long)o->epochs);
    if (o->batch > INT32_MAX)
        return bird_fail(BIRD_EINVAL, "--batch must be %d or less, got %lld",
                         INT32_MAX, (long long)o->batch);
    if (o->run.steps > most / o->batch)
        return bird_fail(BIRD_EINVAL,
                         "--steps must be %lld or less with --batch %lld, got "
                         "%lld",
                         (long long)(most / o->batch), (long long)o->batch,
                         (long long)o->run.steps);
    return 0;
}

static void plan_steps(struct bird_finetuning *f)
{
    f->steps =
        f->run.o->steps > 0 ? f->run.o->steps : updates_of(f, f->o.epochs);
    f->warmup_steps = (int64_t)llround(f->run.o->warmup * (double)f->steps);
    f->evaluate_every =
        f->o.evaluate_every > 0 ? f->o.evaluate_every : updates_of(f, 1);
}

/* All that decides the result, as text: a checkpoint with another text is
 * refused. */
static int identify(struct bird_finetuning *f)
{
    const bird_finetune_options *o = &f->o;
    char train[65], valid[65], config[65], tokens[65];
    int rc = bird_run_digests(config, tokens, &f->run);

    if (!rc)
        rc = f->data.source->digest(train, valid, f);
    if (rc)
        return rc;
    rc = bird_text_printf(
        &f->run.identity,
        "train=%.16s/%lld valid=%.16s/%lld config=%.16s tokenizer=%.16s "
        "optimizer=%d select=%d steps=%lld batch=%lld pack=%lld every=%lld "
        "patience=%lld seed=%llu lr=%.17g warmup=%lld decay=%.17g clip=%.17g "
        "average=%.17g pos_weight=%.17g constant=%d strand=%d kmer_stride=%lld",
        train, (long long)f->data.train.n, valid, (long long)f->data.valid.n,
        config, tokens, (int)o->run.optimizer, (int)o->select,
        (long long)f->steps, (long long)o->batch, (long long)o->run.pack_tokens,
        (long long)f->evaluate_every, (long long)o->patience,
        (unsigned long long)o->seed, o->run.lr, (long long)f->warmup_steps,
        o->run.weight_decay, o->run.clip, o->average, o->pos_weight,
        o->run.constant, o->reverse_complement,
        (long long)bird_tokenizer_stride(f->run.tokenizer));
    /* the digest of config.json does not cover fields of dnabird.json; of the
     * linear heads of one size, cls is the one without a name here */
    if (!rc && (f->run.l->c.pattern.random != BIRD_RANDOM_PLAN ||
                f->run.l->c.token_type))
        rc = bird_text_printf(&f->run.identity, " random=%s type=%lld",
                              bird_random_name(f->run.l->c.pattern.random),
                              (long long)f->run.l->c.token_type);
    if (!rc && o->run.model.precision != BIRD_FLOAT32)
        rc = bird_text_printf(&f->run.identity, " precision=%s",
                              bird_precision_name(o->run.model.precision));
    if (!rc && (!strcmp(o->head, "mean") || !strcmp(o->head, "pooled")))
        rc = bird_text_printf(&f->run.identity, " head=%s", o->head);
    if (!rc && o->freeze)
        rc = bird_text_printf(&f->run.identity, " freeze");
    if (!rc && (o->shift_bp || o->mutate > 0))
        rc = bird_text_printf(&f->run.identity, " shift=%lld mutate=%.17g",
                              (long long)o->shift_bp, o->mutate);
    if (!rc && o->loss == BIRD_VALUE_GAUSSIAN)
        rc = bird_text_printf(&f->run.identity, " loss=gaussian");
    if (!rc && o->pos_weight_of)
        rc = bird_text_printf(&f->run.identity, " pos_weight_of=%s",
                              o->pos_weight_of);
    if (!rc && o->label_weight_of)
        rc = bird_text_printf(&f->run.identity, " label_weight_of=%s",
                              o->label_weight_of);
    if (!rc && o->min_positives > 1)
        rc = bird_text_printf(&f->run.identity, " min_positives=%lld",
                              (long long)o->min_positives);
    return rc ? rc : f->data.source->identify(f);
}

/* --- updates -------------------------------------------------------------- */

/* The stream of random numbers of dropout; rows have others. */
enum { STREAM_NOISE = 3 };

/* What the parts of an update amount to. */
struct update_sum {
    double loss;   /* of parts that have labels, by their share of the batch */
    int64_t known; /* sequences of those parts */
    int64_t part;  /* parts so far */
    int64_t batch; /* sequences in all */
    double weight; /* of the gradient */
};

/* Forward and backward of the pack; its share of the batch's mean. A pack
 * without a label is passed over. */
static int run_pack(struct bird_finetuning *f, struct update_sum *u)
{
    struct bird_batch b = bird_pack_batch(&f->stream.pack);
    struct bird_labels labels = {.pos_weight = (float)f->o.pos_weight,
                                 .pos_weights = f->data.pos_weights,
                                 .label_weights = f->data.label_weights};
    struct bird_dropout_rates dropout = f->run.dropout;
    struct bird_loss out;
    double share = (double)b.n_seq / (double)u->batch;
    int known = f->data.task->labels(&labels, f), rc = 0;

    dropout.key =
        bird_mix(bird_mix(f->o.seed, STREAM_NOISE),
                 (uint64_t)f->run.progress.step * 4096 + (uint64_t)u->part++);
    if (known) {
        rc = bird_trainer_add(f->run.l, &out, &b, &labels, &dropout,
                              (float)(share * u->weight));
        u->loss += rc ? 0 : out.loss * share;
        u->known += b.n_seq;
    }
    bird_finetune_clear_pack(f);
    return rc;
}

static int one_update(struct bird_finetuning *f)
{
    struct bird_train_progress *p = &f->run.progress;
    struct bird_row_stream *s = bird_finetune_stream_of(f, p->step);
    struct update_sum u = {.batch = s->batch, .weight = s->weight};
    int64_t first = s->n_update * u.batch;
    double norm;
    int rc = 0;

    for (int64_t i = 0; !rc && i < u.batch; i++) {
        rc = bird_finetune_add_row(f, s, first + i);
        if (!rc &&
            (f->stream.pack.n_tok >= f->run.o->pack_tokens || i + 1 == u.batch))
            rc = run_pack(f, &u);
    }
    if (rc)
        return rc;
    norm = bird_trainer_update(
        f->run.l, bird_schedule(f->run.o->lr, p->step, f->warmup_steps,
                                f->steps, f->run.o->constant));
    if (!isfinite(norm) || !isfinite(u.loss))
        return bird_fail(BIRD_ERANGE,
                         "the loss is not a number at step %lld: use a "
                         "smaller --lr or a longer --warmup",
                         (long long)p->step + 1);
    p->step++;
    if (u.known > 0) {
        p->loss_sum += u.loss * ((double)u.batch / (double)u.known);
        p->loss_count++;
    }
    return 0;
}

/* --- validation ----------------------------------------------------------- */

/* Sequences a second since the run (or its resumption) began. */
static double sequence_rate(const struct bird_finetuning *f)
{
    double s = bird_run_clock() - f->run.started;
    int64_t n = (f->run.progress.step - f->run.started_step) * f->o.batch;

    return s > 0 ? (double)n / s : 0;
}

/* The averaged (or plain) weights as best.safetensors. */
static int keep_best(const struct bird_finetuning *f)
{
    const struct bird_trainer *l = f->run.l;
    const float *theta = l->shadow ? l->shadow : l->theta;
    char *path;
    int rc = bird_path_join(&path, f->run.o->out, "best.safetensors");

    if (rc)
        return rc;
    rc = bird_params_save(path, theta, l->list, l->n_param, BIRD_F32);
    free(path);
    return rc;
}

int bird_finetune_put_metric(struct bird_text *t, const char *before, double x)
{
    return isnan(x) ? bird_text_printf(t, "%sNA", before)
                    : bird_text_printf(t, "%s%.6f", before, x);
}

/* The header of training.tsv. */
static int start_log(struct bird_finetuning *f)
{
    const char *const *metric = f->data.task->metric;
    char header[200];
    int n = snprintf(header, sizeof(header),
                     "step\tepoch\tloss\tvalid_loss\tvalid_%s\tvalid_%s\t"
                     "best\tseconds\tsequences_per_second\n",
                     metric[0], metric[1]);

    for (int i = 0; i < n; i++)
        header[i] = (char)tolower((unsigned char)header[i]);
    return bird_run_log_start(&f->run, header);
}

/* One line of training.tsv. */
static int log_line(const struct bird_finetuning *f,
                    const bird_finetune_state *s)
{
    const double metric[] = {s->loss, s->valid_loss, s->valid_metric[0],
                             s->valid_metric[1]};
    struct bird_text line = {0};
    int rc =
        bird_text_printf(&line, "%lld\t%.4f", (long long)s->step, s->epoch);

    for (int i = 0; !rc && i < 4; i++)
        rc = bird_finetune_put_metric(&line, "\t", metric[i]);
    if (!rc)
        rc = bird_text_printf(&line, "\t%d\t%.1f\t%.1f\n", s->best,
                              bird_run_clock() - f->run.started, s->rate);
    if (!rc)
        rc = bird_run_log_add(&f->run, line.s);
    bird_text_free(&line);
    return rc;
}

struct validation {
    const struct bird_finetuning *f;
    bird_progress at;
};

/* The callback's request to stop is ignored here: the run calls it again when
 * it can write a checkpoint. */
static int report_row(void *context)
{
    struct validation *v = context;

    v->at.done++;
    if (v->f->run.o->progress)
        v->f->run.o->progress(v->f->run.o->progress_context, &v->at);
    return 0;
}

int bird_finetune_predict(struct bird_finetuning *f,
                          const struct bird_weights *w)
{
    const struct bird_finetune_source *from = f->data.source;
    struct validation v = {
        f, {"validating", from->unit, 0, f->data.n_valid, NULL, NULL, 0}};
    bird_model *m = NULL;
    int rc = bird_model_borrow(&m, &f->run.l->c, w, f->run.tokenizer);

    if (!rc)
        rc = from->predict(f->valid.probability, f, m, report_row, &v);
    bird_model_close(m);
    return rc;
}

/* Validate; keep the weights if they are the best so far. */
static int validate(struct bird_finetuning *f, bird_finetune_state *s)
{
    const struct bird_finetune_task *task = f->data.task;
    struct bird_train_progress *p = &f->run.progress;
    double value;
    int rc = bird_finetune_predict(f, &f->run.l->slow);

    if (!rc)
        rc = task->measure(f, s);
    if (rc)
        return rc;
    s->validated = 1;
    value = f->o.select == task->select[0]   ? s->valid_metric[0]
            : f->o.select == task->select[1] ? s->valid_metric[1]
                                             : -s->valid_loss;
    if (isnan(value))
        return bird_fail(BIRD_EINVAL,
                         "the validation metric that --select names is not "
                         "defined for these rows (one class only, or fewer "
                         "positives than --min-positives?): use --select loss");
    p->stale++;
    if (!p->best_step || value > p->best) {
        p->best = value;
        p->best_step = p->step;
        p->stale = 0;
        s->best = 1;
        rc = keep_best(f);
        if (!rc)
            rc = f->data.task->log(f);
    }
    if (!rc)
        rc = log_line(f, s);
    p->loss_sum = 0;
    p->loss_count = 0;
    return rc;
}

static void describe(const struct bird_finetuning *f, bird_finetune_state *s)
{
    const struct bird_train_progress *p = &f->run.progress;

    *s = (bird_finetune_state){
        .step = p->step,
        .steps = f->steps,
        .epoch = passes(f, p->step),
        .loss = p->loss_count ? p->loss_sum / (double)p->loss_count : 0,
        .rate = sequence_rate(f),
        .train_trimmed = f->data.train_trimmed,
        .valid_trimmed = f->data.valid_trimmed,
        .max_tokens = f->run.l->c.max_positions,
        .valid_windows = f->data.windows.valid.n,
        .valid_windows_all = f->data.windows.valid_all,
        .left_out = f->data.left_out.s,
        .never_positive = f->data.never.s,
        .medians = f->valid.medians.s,
        .metric = {f->data.task->metric[0], f->data.task->metric[1]}};
}

static int is_over(const struct bird_finetuning *f)
{
    const struct bird_train_progress *p = &f->run.progress;

    return p->step >= f->steps ||
           (f->o.patience > 0 && p->stale >= f->o.patience);
}

static int loop(struct bird_finetuning *f)
{
    struct bird_train_progress *p = &f->run.progress;
    int rc = 0;

    while (!rc && !is_over(f)) {
        bird_finetune_state s;
        bird_progress at = {"training", "steps", 0, f->steps, &s, NULL, 0};
        int stop, check;

        if ((rc = one_update(f)))
            break;
        describe(f, &s);
        check = p->step % f->evaluate_every == 0 || p->step == f->steps;
        if (check && (rc = validate(f, &s)))
            break;
        at.done = p->step;
        stop = f->run.o->progress &&
               f->run.o->progress(f->run.o->progress_context, &at);
        if (check || stop ||
            (f->run.o->checkpoint_every > 0 &&
             p->step % f->run.o->checkpoint_every == 0))
            rc = bird_run_save(&f->run);
        if (!rc && stop && !is_over(f))
            rc = bird_fail(BIRD_ECANCELED,
                           "stopped at step %lld of %lld; a checkpoint is in "
                           "%s: go on with --resume",
                           (long long)p->step, (long long)f->steps,
                           f->run.o->out);
    }
    return rc;
}

/* --- all of it ------------------------------------------------------------ */

static int open_run(struct bird_finetuning *f)
{
    struct bird_config c;
    int rc;

    if ((rc = check_options(&f->o)) || (rc = bird_run_check_folder(f->run.o)) ||
        (rc = bird_run_open(&f->run)) || (rc = open_data(f)) ||
        (rc = bird_finetune_open_stream(f)) || (rc = choose_config(&c, f)) ||
        (rc = bird_run_learner(&f->run, &c, f->o.average, f->o.seed)) ||
        (rc = bird_finetune_start_bias(f)) || (rc = f->data.source->check(f)))
        return rc;
    if ((rc = check_counts(f)))
        return rc;
    if (f->o.freeze)
        bird_trainer_freeze(f->run.l);
    plan_steps(f);
    rc = identify(f);
    return rc ? rc : bird_run_begin(&f->run);
}

static void free_data(struct bird_finetune_data *d)
{
    struct bird_finetune_windows *w = &d->windows;

    bird_dataset_free(&d->train);
    bird_dataset_free(&d->valid);
    bird_text_free(&d->left_out);
    bird_text_free(&d->never);
    free(d->pos_weights);
    free(d->label_weights);
    free(d->class_count);
    free(d->quantity);
    for (int i = 0; i < BIRD_MAX_ALSO; i++)
        bird_dataset_free(&w->also[i]);
    bird_finetune_free_teachers(w);
    bird_bin_sample_free(&w->sample);
    bird_bin_rows_free(&w->valid_rows);
    bird_bin_windows_free(&w->train);
    bird_bin_windows_free(&w->valid);
    bird_bin_labels_free(&w->labels);
}

static void free_validation(struct bird_finetune_validation *v)
{
    free(v->probability);
    free(v->class_id);
    free(v->metrics);
    free((void *)v->group);
    free(v->group_of);
    bird_text_free(&v->medians);
}

int bird_finetune(const bird_finetune_options *o)
{
    struct bird_finetuning f = {.o = *o};
    const struct bird_head_row *head = bird_head_by_option(o->head);
    int rc;

    f.run.o = &f.o.run;
    f.o.data.per_base = !o->bins && head && bird_head_classifies_tokens(head);
    rc = open_run(&f);
    if (!rc && (rc = bird_run_resume(&f.run)) == 0)
        rc = start_log(&f);
    f.run.started = bird_run_clock();
    f.run.started_step = f.run.progress.step;
    if (!rc)
        rc = loop(&f);
    if (!rc)
        rc = bird_finetune_finish(&f);
    bird_run_close(&f.run);
    free_data(&f.data);
    bird_finetune_free_stream(&f.stream);
    free_validation(&f.valid);
    return rc;
}
