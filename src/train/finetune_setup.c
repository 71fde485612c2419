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

void bird_finetune_options_default(bird_finetune_options *o)
{
    *o = (bird_finetune_options){.valid_fraction = 0.1,
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
    if (!(o->lr > 0) || o->warmup < 0 || o->warmup > 1 || o->average < 0 ||
        o->average >= 1 || o->dropout >= 1)
        return bird_fail(BIRD_EINVAL,
                         "learning rate > 0, warm-up 0 to 1, average and "
                         "dropout below 1");
    return 0;
}

/* Words in the validation file mean the classes of the training rows. */
static int open_valid(struct bird_finetuning *f)
{
    bird_dataset_options o = f->o.data;

    if (f->train.kind == BIRD_LABEL_CLASS && f->train.label_name) {
        o.class_name = (const char *const *)f->train.label_name;
        o.n_class = f->train.n_label;
    }
    return bird_dataset_open(&f->valid, f->o.valid, &o);
}

/* Validation rows: their own file, or held out by a hash of the letters. */
static int split(struct bird_finetuning *f)
{
    bird_dataset all = f->train;
    uint8_t *mark = NULL;
    int rc;

    if (f->o.valid)
        return open_valid(f);
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
    if (f->valid.kind != f->train.kind || f->valid.n_label > f->train.n_label)
        return bird_fail(BIRD_EINVAL,
                         "%s: labels of another kind than those of %s",
                         f->o.valid, f->o.train);
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
    return 0;
}

static void special(int64_t *id, const bird_tokenizer *t, const char *token)
{
    int32_t k = bird_tokenizer_id(t, token);

    if (k >= 0)
        *id = k;
}

/* The tokenizer decides the vocabulary and the special ids. */
static void fit_to_tokenizer(struct bird_config *c, const bird_tokenizer *t)
{
    c->vocab_size = bird_tokenizer_count(t);
    special(&c->pad_id, t, "[PAD]");
    special(&c->cls_id, t, "[CLS]");
    special(&c->bos_id, t, "[CLS]");
    special(&c->sep_id, t, "[SEP]");
    special(&c->eos_id, t, "[SEP]");
}

static int read_config(struct bird_config *c, const char *path)
{
    json_t *j;
    int rc = bird_json_open(&j, path);

    if (rc)
        return rc;
    rc = bird_config_read(c, j, path);
    json_decref(j);
    return rc;
}

static const enum bird_head heads[] = {
    [BIRD_FINETUNE_SEQUENCE] = BIRD_HEAD_SEQUENCE,
    [BIRD_FINETUNE_POOLED] = BIRD_HEAD_LINEAR_POOLED,
    [BIRD_FINETUNE_CLS] = BIRD_HEAD_LINEAR_CLS};

/* Configuration of the model to be: from a folder, a file or a preset. */
static int choose_config(struct bird_config *c, struct bird_finetuning *f,
                         const struct bird_folder *init)
{
    const bird_finetune_options *o = &f->o;
    int rc = 0;

    if (init)
        *c = init->config;
    else if (o->config)
        rc = read_config(c, o->config);
    else
        rc = bird_config_preset(c, o->preset);
    if (rc)
        return rc;
    if (!init)
        fit_to_tokenizer(c, f->tokenizer);
    else if (bird_tokenizer_count(f->tokenizer) > c->vocab_size)
        return bird_fail(BIRD_EINVAL,
                         "the tokenizer has %lld tokens, the model in %s %lld",
                         (long long)bird_tokenizer_count(f->tokenizer), o->init,
                         (long long)c->vocab_size);
    c->head = heads[o->head];
    c->n_label = f->train.n_label;
    c->problem = f->train.kind == BIRD_LABEL_MULTI ? BIRD_PROBLEM_MULTI_LABEL
                                                   : BIRD_PROBLEM_SINGLE_LABEL;
    if (c->problem == BIRD_PROBLEM_SINGLE_LABEL && c->n_label < 2)
        return bird_fail(BIRD_EINVAL,
                         "%s: all rows have one label; nothing "
                         "can be learned from that",
                         o->train);
    if (o->head != BIRD_FINETUNE_SEQUENCE &&
        c->problem == BIRD_PROBLEM_SINGLE_LABEL)
        return bird_fail(BIRD_EINVAL, "the linear heads learn several labels a "
                                      "row; one class a row needs --head "
                                      "sequence");
    if (o->dropout >= 0)
        c->hidden_dropout = c->attention_dropout = o->dropout;
    return bird_config_check(c, o->config ? o->config : "configuration");
}

static int start_weights(struct bird_finetuning *f,
                         const struct bird_folder *init)
{
    struct bird_trainer *l = f->l;
    unsigned char *fresh = NULL;
    int rc = 0;

    bird_params_init(l->theta, l->list, l->n_param, &l->c, f->o.seed, NULL);
    if (init) {
        rc = bird_array_new(&fresh, l->n_param, 1);
        if (!rc)
            rc = bird_params_load(l->theta, l->list, l->n_param, init->tensors,
                                  fresh, f->o.init);
        free(fresh);
    }
    bird_trainer_start_shadow(l);
    return rc;
}

static int make_learner(struct bird_finetuning *f,
                        const struct bird_folder *init)
{
    static const enum bird_adam_kind kinds[] = {
        [BIRD_FINETUNE_ADAMW] = BIRD_ADAMW_TORCH,
        [BIRD_FINETUNE_ADAMW_HF] = BIRD_ADAMW_HF,
        [BIRD_FINETUNE_BERTADAM] = BIRD_ADAM_GOOGLE};
    const bird_finetune_options *o = &f->o;
    struct bird_config c;
    int rc = choose_config(&c, f, init);

    if (rc || (rc = bird_trainer_new(&f->l, &c, o->recompute, o->average)))
        return rc;
    f->l->clip = o->clip;
    f->l->adam = (struct bird_adam){
        .kind = kinds[o->optimizer],
        .beta1 = 0.9,
        .beta2 = 0.999,
        .eps = o->optimizer == BIRD_FINETUNE_ADAMW ? 1e-8 : 1e-6,
        .weight_decay = o->weight_decay};
    f->noise = (struct bird_noise){
        .hidden = (float)c.hidden_dropout,
        .attention = (float)c.attention_dropout,
        .classifier = (float)(c.classifier_dropout < 0 ? c.hidden_dropout
                                                       : c.classifier_dropout)};
    rc = start_weights(f, init);
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

/* SHA-256 of the configuration as it will be written. */
static int config_digest(char hex[65], const struct bird_config *c)
{
    json_t *j;
    char *text;
    int rc = bird_config_write(&j, c);

    if (rc)
        return rc;
    text = json_dumps(j, JSON_SORT_KEYS);
    json_decref(j);
    if (!text)
        return bird_fail_memory(0);
    bird_sha256(hex, text, strlen(text));
    free(text);
    return 0;
}

static int file_digest(char hex[65], const char *path)
{
    struct bird_text t = {0};
    int rc = bird_file_read(&t, path);

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
    int rc = config_digest(config, &f->l->c);

    if (rc || (rc = file_digest(tokens, f->tokenizer_path)))
        return rc;
    bird_sha256(train, f->train.bases, (size_t)f->train.n_base);
    bird_sha256(valid, f->valid.bases, (size_t)f->valid.n_base);
    return bird_text_printf(
        &f->identity,
        "train=%.16s/%lld valid=%.16s/%lld config=%.16s tokenizer=%.16s "
        "optimizer=%d select=%d steps=%lld batch=%lld pack=%lld every=%lld "
        "patience=%lld seed=%llu lr=%.17g warmup=%lld decay=%.17g clip=%.17g "
        "average=%.17g pos_weight=%.17g constant=%d strand=%d",
        train, (long long)f->train.n, valid, (long long)f->valid.n, config,
        tokens, (int)o->optimizer, (int)o->select, (long long)f->steps,
        (long long)o->batch, (long long)o->pack_tokens,
        (long long)f->evaluate_every, (long long)o->patience,
        (unsigned long long)o->seed, o->lr, (long long)f->warmup_steps,
        o->weight_decay, o->clip, o->average, o->pos_weight, o->constant,
        o->reverse_complement);
}

static int setup(struct bird_finetuning *f)
{
    struct bird_folder init = {0};
    int rc = check_options(&f->o);

    if (rc)
        return rc;
    if (f->o.init && (rc = bird_folder_open(&init, f->o.init)))
        return rc;
    if (f->o.tokenizer)
        f->tokenizer_path = strdup(f->o.tokenizer);
    else
        rc = bird_path_join(&f->tokenizer_path, f->o.init, "tokenizer.json");
    if (!rc && !f->tokenizer_path)
        rc = bird_fail_memory(0);
    if (!rc)
        rc = bird_tokenizer_open(&f->tokenizer, f->tokenizer_path);
    if (!rc)
        rc = open_data(f);
    if (!rc)
        rc = make_learner(f, f->o.init ? &init : NULL);
    if (!rc) {
        plan_steps(f);
        rc = identify(f);
    }
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
    free(f->tokenizer_path);
    free(f->order);
    free(f->picked);
    free(f->class_id);
    free(f->value);
    free(f->flipped);
    free(f->probability);
    free(f->valid_class);
}

int bird_finetune(const bird_finetune_options *o)
{
    struct bird_finetuning f = {.o = *o};
    int rc = setup(&f);

    if (!rc)
        rc = bird_folder_make(o->out);
    if (!rc && (rc = bird_finetune_resume(&f)) == 0)
        rc = bird_finetune_log_start(&f);
    if (!rc)
        rc = bird_finetune_loop(&f);
    if (!rc)
        rc = bird_finetune_finish(&f);
    teardown(&f);
    return rc;
}
