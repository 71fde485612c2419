/* From options to a run: its data and learner. SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "model/folder.h"
#include "train/finetune.h"
#include "train/finetune_model.h"
#include "train/run_folder.h"
#include "train/start.h"

void bird_finetune_options_default(bird_finetune_options *o)
{
    *o = (bird_finetune_options){.valid_fraction = 0.1,
                                 .head = "sequence",
                                 .split_seed = 1,
                                 .epochs = 10,
                                 .batch = 64,
                                 .pack_tokens = 8192,
                                 .seed = 1,
                                 .lr = 3e-4,
                                 .warmup = 0.1,
                                 .weight_decay = 0.01,
                                 .clip = 1,
                                 .dropout = -1,
                                 .pos_weight = 1,
                                 .baselines = 1};
    bird_model_run_default(&o->run);
}

static int check_options(const bird_finetune_options *o)
{
    if (!o->train)
        return bird_fail(BIRD_EINVAL, "no training data: give --train");
    if (!o->out)
        return bird_fail(BIRD_EINVAL, "no folder for the model: give -o");
    if (!o->init && !o->preset && !o->config)
        return bird_fail(BIRD_EINVAL, "what to train: give --init MODEL, "
                                      "--preset or --config");
    if (!o->init && !o->tokenizer)
        return bird_fail(BIRD_EINVAL, "no tokenizer: give --tokenizer");
    if (o->batch < 1 || o->pack_tokens < 1 || (o->epochs < 1 && o->steps < 1))
        return bird_fail(BIRD_EINVAL, "batch, tokens of a pack and epochs "
                                      "must be at least 1");
    if (!(o->pos_weight >= 0) || isinf(o->pos_weight))
        return bird_fail(BIRD_EINVAL, "the weight of positives is a number "
                                      "above 0, or comes from the data");
    if (!(o->lr > 0) || o->warmup < 0 || o->warmup > 1 || o->average < 0 ||
        o->average >= 1 || o->dropout >= 1)
        return bird_fail(BIRD_EINVAL,
                         "learning rate > 0, warm-up 0 to 1, average and "
                         "dropout below 1");
    if (o->shift_bp < 0 || !(o->mutate >= 0 && o->mutate <= 0.75))
        return bird_fail(BIRD_EINVAL, "a row is shifted by 0 bp or more, and a "
                                      "base mutated with a probability of 0 to "
                                      "0.75");
    return 0;
}

/* Validation rows: their own file, or held out by a hash of the letters. */
static int split(struct bird_finetuning *f)
{
    bird_dataset all = f->train;
    uint8_t *mark = NULL;
    int rc;

    if (f->o.valid) {
        bird_dataset_options o = f->o.data;

        if (all.kind == BIRD_LABEL_CLASS) { /* numbered as in train */
            o.class_name = (const char *const *)all.label_name;
            o.n_class = all.n_label;
        }
        if (all.hit_at) { /* the same labels in the same order */
            o.label_name = (const char *const *)all.label_name;
            o.n_label_name = all.n_label;
            o.context_bp = all.row[0].len;
        }
        return bird_dataset_open(&f->valid, f->o.valid, &o);
    }
    rc = bird_array_new(&mark, all.n, 1);
    if (rc)
        return rc;
    rc = bird_dataset_mark_fraction(mark, &all, f->o.valid_fraction,
                                    f->o.split_seed);
    if (!rc)
        rc = bird_dataset_cut(&f->valid, &all, mark, 1);
    if (!rc)
        rc = bird_dataset_cut(&f->train, &all, mark, 0);
    if (!rc)
        bird_dataset_free(&all);
    free(mark);
    return rc;
}

/* Do all rows have the same class? */
static int is_one_class(const bird_dataset *d)
{
    for (int64_t i = 1; i < d->n; i++)
        if (d->row[i].label != d->row[0].label)
            return 0;
    return d->kind == BIRD_LABEL_CLASS;
}

static int check_classes(const struct bird_finetuning *f)
{
    const char *valid = f->o.valid ? f->o.valid : f->o.train;

    if (is_one_class(&f->train))
        return bird_fail(BIRD_EINVAL,
                         "%s: all rows have one label; nothing can be learned "
                         "from that",
                         f->o.train);
    if (is_one_class(&f->valid) && f->o.select != BIRD_SELECT_LOSS)
        return bird_fail(BIRD_EINVAL,
                         "%s: the validation rows have one label, so that "
                         "AUROC and MCC are not defined: use --select loss or "
                         "more rows",
                         valid);
    return 0;
}

static int same_labels(const bird_dataset *valid, const bird_dataset *train)
{
    if (valid->kind != train->kind || valid->n_label > train->n_label ||
        !valid->label_name != !train->label_name)
        return 0;
    if (valid->kind != BIRD_LABEL_MULTI)
        return 1;
    for (int64_t i = 0; i < valid->n_label && valid->label_name; i++)
        if (strcmp(valid->label_name[i], train->label_name[i]) != 0)
            return 0;
    return valid->n_label == train->n_label;
}

static int open_data(struct bird_finetuning *f)
{
    int rc = bird_dataset_open(&f->train, f->o.train, &f->o.data);

    if (rc || (rc = split(f)))
        return rc;
    if (f->train.kind == BIRD_LABEL_NONE)
        return bird_fail(BIRD_EINVAL, "%s: no labels to learn from",
                         f->o.train);
    if (f->valid.n < 1 || f->train.n < 1)
        return bird_fail(BIRD_EINVAL, "%s: %s rows are left after the split",
                         f->o.train,
                         f->valid.n < 1 ? "no validation" : "no training");
    if (!same_labels(&f->valid, &f->train))
        return bird_fail(BIRD_EINVAL, "%s: its labels are not those of %s",
                         f->o.valid, f->o.train);
    if ((rc = check_classes(f)))
        return rc;
    if (f->train.kind == BIRD_LABEL_MULTI && (rc = bird_finetune_leave_out(f)))
        return rc;
    if ((rc = bird_array_new(&f->order, f->train.n, sizeof(*f->order))) ||
        (rc = bird_array_new(&f->valid_class, f->valid.n,
                             sizeof(*f->valid_class))) ||
        (rc = bird_array_new(&f->probability, f->valid.n * f->train.n_label,
                             sizeof(*f->probability))))
        return rc;
    for (int64_t i = 0; i < f->valid.n; i++)
        f->valid_class[i] = f->valid.row[i].label;
    f->valid.n_label = f->train.n_label;
    f->epoch = -1;
    return f->train.kind == BIRD_LABEL_MULTI ? bird_finetune_prepare_labels(f)
                                             : 0;
}

/* Configuration of the model to be, with the head asked for. */
static int choose_config(struct bird_config *c, struct bird_finetuning *f,
                         const struct bird_start *s)
{
    const bird_finetune_options *o = &f->o;
    bird_model_run run = o->run;
    int rc = bird_start_config(c, s, f->tokenizer);

    run.pad_to = 0;
    if (rc || (rc = bird_config_run(c, &run,
                                    o->init     ? o->init
                                    : o->config ? o->config
                                                : o->preset)))
        return rc;
    c->head = bird_head_by_option(o->head);
    if (!c->head)
        return bird_fail(BIRD_EINVAL, "unknown head '%.40s'", o->head);
    c->n_label = f->train.n_label;
    c->problem = f->train.kind == BIRD_LABEL_MULTI ? BIRD_PROBLEM_MULTI_LABEL
                                                   : BIRD_PROBLEM_SINGLE_LABEL;
    if (!c->head->exclusive && c->problem == BIRD_PROBLEM_SINGLE_LABEL)
        return bird_fail(BIRD_EINVAL,
                         "--head %s learns several labels a row; one class a "
                         "row needs --head sequence",
                         o->head);
    return bird_config_check(c, o->config ? o->config : "configuration");
}

static int make_learner(struct bird_finetuning *f,
                        const struct bird_folder *init)
{
    const bird_finetune_options *o = &f->o;
    struct bird_start s = {init, o->config, o->preset, o->dropout};
    struct bird_config c;
    int rc = choose_config(&c, f, &s);

    if (rc || (rc = bird_trainer_new(&f->l, &c, o->recompute, o->average)))
        return rc;
    if ((rc = bird_trainer_lower(f->l, o->run.precision)))
        return rc;
    f->l->clip = o->clip;
    f->l->adam = bird_start_adam(o->optimizer, o->weight_decay);
    f->noise = bird_start_noise(&c);
    return bird_start_weights(f->l, &s, o->seed);
}

/* Rows with more tokens than the model reads. A base gives one token at most,
 * so short rows need no look. */
static int count_trimmed(int64_t *out, struct bird_finetuning *f,
                         const bird_dataset *d)
{
    enum { AROUND = 64 }; /* more than the special tokens are */
    int64_t max = f->l->c.max_positions, before = f->pack.n_trimmed;
    int rc = 0;

    for (int64_t i = 0; !rc && i < d->n; i++)
        if (d->row[i].len + AROUND > max)
            rc = bird_pack_encode(&f->pack, f->tokenizer,
                                  bird_dataset_seq(d, i), d->row[i].len, max);
    *out = f->pack.n_trimmed - before;
    return rc;
}

static void plan_steps(struct bird_finetuning *f)
{
    int64_t epoch = (f->train.n + f->o.batch - 1) / f->o.batch;

    f->steps = f->o.steps > 0
                   ? f->o.steps
                   : (f->o.epochs * f->train.n + f->o.batch - 1) / f->o.batch;
    f->warmup_steps = (int64_t)llround(f->o.warmup * (double)f->steps);
    f->evaluate_every = f->o.evaluate_every > 0 ? f->o.evaluate_every : epoch;
}

/* Of labelled bins: where their letters stand, their labels, what is known. */
static int bins_digest(struct bird_text *t, const bird_dataset *d)
{
    int64_t size = (int64_t)sizeof(*d->hit_at);
    int rc = bird_text_put(t, d->hit_at, (d->n + 1) * size);

    for (int64_t i = 0; !rc && i < d->n; i++)
        rc = bird_text_put(t, &d->row[i].at, size);
    if (!rc)
        rc = bird_text_put(t, d->hit,
                           d->hit_at[d->n] * (int64_t)sizeof(*d->hit));
    return rc ? rc : bird_text_put(t, d->masked, d->n_contig * d->n_label);
}

/* SHA-256 of letters, their borders and labels. */
static int data_digest(char hex[65], const bird_dataset *d)
{
    struct bird_text t = {0};
    int rc;

    bird_sha256(hex, d->bases, (size_t)d->n_base);
    rc = bird_text_put(&t, hex, 64);
    for (int64_t i = 0; !rc && i < d->n; i++)
        rc = bird_text_printf(&t, " %lld:%d", (long long)d->row[i].len,
                              (int)d->row[i].label);
    if (!rc && d->target)
        rc = bird_text_put(&t, d->target,
                           d->n * d->n_label * (int64_t)sizeof(*d->target));
    if (!rc && d->hit_at)
        rc = bins_digest(&t, d);
    if (!rc)
        bird_sha256(hex, t.s, (size_t)t.n);
    bird_text_free(&t);
    return rc;
}

/* Everything that decides the result, as text: a checkpoint of another one
 * is refused. */
static int identify(struct bird_finetuning *f)
{
    const bird_finetune_options *o = &f->o;
    char train[65], valid[65], config[65], tokens[65];
    int rc = bird_config_digest(config, &f->l->c);

    if (rc || (rc = bird_file_sha256(tokens, f->tokenizer_path)) ||
        (rc = data_digest(train, &f->train)) ||
        (rc = data_digest(valid, &f->valid)))
        return rc;
    rc = bird_text_printf(
        &f->identity,
        "train=%.16s/%lld valid=%.16s/%lld config=%.16s tokenizer=%.16s "
        "optimizer=%d select=%d steps=%lld batch=%lld pack=%lld every=%lld "
        "patience=%lld seed=%llu lr=%.17g warmup=%lld decay=%.17g clip=%.17g "
        "average=%.17g pos_weight=%.17g constant=%d strand=%d kmer_stride=%lld",
        train, (long long)f->train.n, valid, (long long)f->valid.n, config,
        tokens, (int)o->optimizer, (int)o->select, (long long)f->steps,
        (long long)o->batch, (long long)o->pack_tokens,
        (long long)f->evaluate_every, (long long)o->patience,
        (unsigned long long)o->seed, o->lr, (long long)f->warmup_steps,
        o->weight_decay, o->clip, o->average, o->pos_weight, o->constant,
        o->reverse_complement, (long long)bird_tokenizer_stride(f->tokenizer));
    /* what dnabird.json says of the run is not in the configuration's digest */
    if (!rc && (f->l->c.random != BIRD_RANDOM_PLAN || f->l->c.token_type))
        rc = bird_text_printf(&f->identity, " random=%s type=%lld",
                              bird_random_name(f->l->c.random),
                              (long long)f->l->c.token_type);
    if (!rc && o->run.precision != BIRD_FLOAT32)
        rc = bird_text_printf(&f->identity, " precision=%s",
                              bird_precision_name(o->run.precision));
    if (!rc && (o->shift_bp || o->mutate > 0))
        rc = bird_text_printf(&f->identity, " shift=%lld mutate=%.17g",
                              (long long)o->shift_bp, o->mutate);
    return rc;
}

static int setup(struct bird_finetuning *f)
{
    struct bird_folder init = {0};
    int rc = check_options(&f->o);

    if (rc || (rc = bird_run_check(f->o.out, f->o.resume)))
        return rc;
    if (f->o.init && (rc = bird_folder_open_intact(&init, f->o.init)))
        return rc;
    rc = bird_start_tokenizer(&f->tokenizer_path, f->o.tokenizer, f->o.init);
    if (!rc)
        rc = bird_tokenizer_open(&f->tokenizer, f->tokenizer_path);
    if (!rc)
        rc = open_data(f);
    if (!rc)
        rc = make_learner(f, f->o.init ? &init : NULL);
    if (!rc)
        rc = count_trimmed(&f->train_trimmed, f, &f->train);
    if (!rc)
        rc = count_trimmed(&f->valid_trimmed, f, &f->valid);
    if (!rc) {
        plan_steps(f);
        rc = identify(f);
    }
    if (!rc)
        rc = bird_run_begin(f->o.out);
    bird_folder_free(&init);
    return rc;
}

static void teardown(struct bird_finetuning *f)
{
    bird_trainer_free(f->l);
    bird_tokenizer_free(f->tokenizer);
    bird_dataset_free(&f->train);
    bird_dataset_free(&f->valid);
    bird_pack_free(&f->pack);
    bird_text_free(&f->identity);
    bird_text_free(&f->left_out);
    bird_text_free(&f->never);
    free(f->tokenizer_path);
    free(f->order);
    free(f->picked);
    free(f->class_id);
    free(f->value);
    free(f->changed);
    free(f->probability);
    free(f->valid_class);
    free(f->pos_weights);
    free(f->valid_group);
    free((void *)f->group);
    free(f->figures);
}

int bird_finetune(const bird_finetune_options *o)
{
    struct bird_finetuning f = {.o = *o};
    int rc = setup(&f);

    if (!rc && (rc = bird_finetune_resume(&f)) == 0)
        rc = bird_finetune_log_start(&f);
    if (!rc)
        rc = bird_finetune_loop(&f);
    if (!rc)
        rc = bird_finetune_finish(&f);
    teardown(&f);
    return rc;
}
