/* From options to a run: its rows and learner. SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/mem.h"
#include "train/pretrain_run.h"
#include "train/run_folder.h"
#include "train/start.h"

void bird_pretrain_options_default(bird_pretrain_options *o)
{
    *o = (bird_pretrain_options){.batch = 32768,
                                 .pack_tokens = 4096,
                                 .valid_tokens = 65536,
                                 .lr = 1e-4,
                                 .warmup = 0.1,
                                 .weight_decay = 0.01,
                                 .clip = 1,
                                 .dropout = -1};
    bird_sample_options_default(&o->data);
    o->data.length_tok = 0;
}

static int check_options(const bird_pretrain_options *o)
{
    if (!o->out)
        return bird_fail(BIRD_EINVAL, "no folder for the model: give -o");
    if (!o->data.n_fasta && !o->data.shards)
        return bird_fail(BIRD_EINVAL, "no sequence to learn from: name FASTA "
                                      "files");
    if (!o->data.n_fasta &&
        (o->valid || o->test || o->data.include || o->data.exclude))
        return bird_fail(BIRD_EINVAL, "regions of which sequence: name the "
                                      "FASTA files, also with --shards");
    if (!o->init && !o->preset && !o->config)
        return bird_fail(BIRD_EINVAL, "what to train: give --preset, --config "
                                      "or --init MODEL");
    if (!o->init && !o->tokenizer)
        return bird_fail(BIRD_EINVAL, "no tokenizer: give --tokenizer");
    if (o->steps < 1)
        return bird_fail(BIRD_EINVAL, "how long to train: give --steps, at "
                                      "least 1");
    if (o->batch < 1 || o->pack_tokens < 1 || o->valid_tokens < 1)
        return bird_fail(BIRD_EINVAL, "tokens of a batch, of a pack and of "
                                      "the validation must be at least 1");
    if (!(o->lr > 0) || !(o->warmup >= 0) || o->dropout >= 1 || o->clip < 0)
        return bird_fail(BIRD_EINVAL, "learning rate > 0, warm-up and clip not "
                                      "negative, dropout below 1");
    return 0;
}

/* Configuration of the model to be, with the head that NSP asks for. */
static int choose_config(struct bird_config *c, struct bird_pretraining *f,
                         const struct bird_start *s)
{
    const bird_pretrain_options *o = &f->o;
    int rc = bird_start_config(c, s, f->tokenizer);

    if (rc)
        return rc;
    c->head = bird_head_masked(o->data.next_sentence);
    c->n_label = 2;
    c->problem = BIRD_PROBLEM_UNSET;
    rc = bird_config_check(c, o->config ? o->config : "configuration");
    if (rc)
        return rc;
    if (o->data.next_sentence && c->type_vocab_size < 2)
        return bird_fail(BIRD_EINVAL,
                         "--nsp needs two token types, the model has %lld",
                         (long long)c->type_vocab_size);
    if (o->data.length_tok > c->max_positions)
        return bird_fail(
            BIRD_EINVAL, "--length %lld: the model reads %lld tokens at most",
            (long long)o->data.length_tok, (long long)c->max_positions);
    return 0;
}

static int make_learner(struct bird_pretraining *f,
                        const struct bird_folder *init)
{
    const bird_pretrain_options *o = &f->o;
    struct bird_start s = {init, o->config, o->preset, o->dropout};
    struct bird_config c;
    int rc = choose_config(&c, f, &s);

    if (rc || (rc = bird_trainer_new(&f->l, &c, o->recompute, 0)))
        return rc;
    if ((rc = bird_trainer_lower(f->l, o->precision)))
        return rc;
    f->l->clip = o->clip;
    f->l->adam = bird_start_adam(o->optimizer, o->weight_decay);
    f->noise = bird_start_noise(&c);
    if (!f->o.data.length_tok)
        f->o.data.length_tok = c.max_positions;
    return bird_start_weights(f->l, &s, o->data.seed);
}

static int plan_steps(struct bird_pretraining *f)
{
    const bird_pretrain_options *o = &f->o;
    int64_t length = o->data.length_tok, packs;

    if (o->batch < length)
        return bird_fail(BIRD_EINVAL,
                         "--batch %lld does not hold a row of %lld tokens "
                         "(--length)",
                         (long long)o->batch, (long long)length);
    f->n_row = bird_sample_rows(o->batch, length);
    f->n_valid = bird_sample_rows(o->valid_tokens, length);
    f->pack_rows = bird_sample_rows(o->pack_tokens, length);
    packs = (f->n_row + f->pack_rows - 1) / f->pack_rows;
    if (packs < f->comm->size)
        return bird_fail(BIRD_EINVAL,
                         "%lld packs of %lld rows are too few for %d "
                         "processes: use a larger --batch or a smaller "
                         "--pack-tokens",
                         (long long)packs, (long long)f->pack_rows,
                         f->comm->size);
    f->warmup_steps = (int64_t)llround(
        o->warmup < 1 ? o->warmup * (double)o->steps : o->warmup);
    f->validate_every =
        o->validate_every > 0 ? o->validate_every : (o->steps + 19) / 20;
    return 0;
}

/* Training never touches what is held out; nobody touches the test part. The
 * validation's rows are the same for every run on this data, whatever its
 * seed and sampling, so that runs can be compared. */
static void plan_rows(bird_sample_options *train, bird_sample_options *valid,
                      const bird_pretrain_options *o)
{
    *train = *valid = o->data;
    train->shards = valid->shards = NULL;
    train->held_out[0] = o->valid;
    train->held_out[1] = o->test;
    valid->include = o->valid;
    valid->held_out[0] = o->test;
    valid->kind = BIRD_SAMPLE_WINDOWS;
    valid->seed = 1;
}

/* Shards in place of the references; with these given as well, both must
 * give the same rows. */
static int open_shards(struct bird_pretraining *f,
                       const bird_sample_options *train)
{
    bird_sample_options o = *train;
    struct bird_sampler *shards = NULL;
    int rc;

    o.fasta = NULL;
    o.n_fasta = 0;
    o.include = o.exclude = o.held_out[0] = o.held_out[1] = NULL;
    o.shards = f->o.data.shards;
    rc = bird_sampler_open(&shards, &o, f->tokenizer);
    if (rc)
        return rc;
    if (f->train && strcmp(bird_sampler_identity(f->train),
                           bird_sampler_identity(shards)) != 0)
        rc = bird_fail(BIRD_EINVAL,
                       "%s: made from other sequence or other regions than "
                       "those given",
                       o.shards);
    else if (bird_sampler_steps(shards) < f->o.steps)
        rc = bird_fail(BIRD_EINVAL, "%s: holds %lld steps, %lld are asked for",
                       o.shards, (long long)bird_sampler_steps(shards),
                       (long long)f->o.steps);
    bird_sampler_free(f->train);
    f->train = shards;
    return rc;
}

static int open_rows(struct bird_pretraining *f)
{
    bird_sample_options train, valid;
    int rc = 0;

    plan_rows(&train, &valid, &f->o);
    if (f->o.data.n_fasta)
        rc = bird_sampler_open(&f->train, &train, f->tokenizer);
    if (!rc && f->o.data.shards)
        rc = open_shards(f, &train);
    if (!rc && f->o.valid)
        rc = bird_sampler_open(&f->valid, &valid, f->tokenizer);
    f->mask_id = bird_tokenizer_id(f->tokenizer, "[MASK]");
    if (f->mask_id < 0) /* one of the two is there, or no sampler opens */
        f->mask_id = bird_tokenizer_id(f->tokenizer, "<mask>");
    return rc;
}

/* Everything that decides the result, as text: a checkpoint of another one
 * is refused. */
static int identify(struct bird_pretraining *f)
{
    const bird_pretrain_options *o = &f->o;
    const char *rows = bird_sampler_identity(f->train);
    const char *held = f->valid ? bird_sampler_identity(f->valid) : "";
    char train[65], valid[65], config[65], tokens[65];
    int rc = bird_config_digest(config, &f->l->c);

    if (rc || (rc = bird_file_sha256(tokens, f->tokenizer_path)))
        return rc;
    bird_sha256(train, rows, strlen(rows));
    bird_sha256(valid, held, strlen(held));
    rc = bird_text_printf(
        &f->identity,
        "train=%.16s valid=%.16s config=%.16s tokenizer=%.16s optimizer=%d "
        "steps=%lld rows=%lld length=%lld pack_rows=%lld valid_rows=%lld "
        "every=%lld seed=%llu lr=%.17g warmup=%lld decay=%.17g clip=%.17g "
        "constant=%d",
        train, valid, config, tokens, (int)o->optimizer, (long long)o->steps,
        (long long)f->n_row, (long long)o->data.length_tok,
        (long long)f->pack_rows, (long long)(f->valid ? f->n_valid : 0),
        (long long)(f->valid ? f->validate_every : 0),
        (unsigned long long)o->data.seed, o->lr, (long long)f->warmup_steps,
        o->weight_decay, o->clip, o->constant);
    if (!rc && o->precision != BIRD_FLOAT32)
        rc = bird_text_printf(&f->identity, " precision=%s",
                              bird_precision_name(o->precision));
    return rc;
}

static int open_all(struct bird_pretraining *f)
{
    struct bird_folder init = {0};
    int rc = 0;

    if (f->o.init && (rc = bird_folder_open_intact(&init, f->o.init)))
        return rc;
    rc = bird_start_tokenizer(&f->tokenizer_path, f->o.tokenizer, f->o.init);
    if (!rc)
        rc = bird_tokenizer_open(&f->tokenizer, f->tokenizer_path);
    if (!rc)
        rc = make_learner(f, f->o.init ? &init : NULL);
    bird_folder_free(&init);
    if (!rc)
        rc = plan_steps(f);
    if (!rc)
        rc = bird_pretrain_split(&f->split, &f->o);
    if (!rc)
        rc = open_rows(f);
    return rc ? rc : identify(f);
}

/* Were all processes given the same data and options? */
static int compare_ranks(struct bird_pretraining *f)
{
    char mine[65], first[65];
    int rc;

    bird_sha256(mine, f->identity.s, (size_t)f->identity.n);
    memcpy(first, mine, sizeof(first));
    rc = bird_comm_broadcast(f->comm, first, sizeof(first));
    if (!rc && strcmp(mine, first) != 0)
        rc = bird_fail(BIRD_EINVAL,
                       "process %d has other data, configuration or options "
                       "than process 0",
                       f->comm->rank);
    return bird_comm_agree(f->comm, rc);
}

int bird_pretrain_setup(struct bird_pretraining *f)
{
    int rc = bird_comm_open(&f->comm);

    if (rc)
        return rc;
    rc = check_options(&f->o);
    if (!rc && !f->comm->rank)
        rc = bird_run_check(f->o.out, f->o.resume);
    rc = bird_comm_agree(f->comm, rc);
    if (!rc)
        rc = bird_comm_agree(f->comm, open_all(f));
    return rc ? rc : compare_ranks(f);
}

void bird_pretrain_teardown(struct bird_pretraining *f)
{
    bird_trainer_free(f->l);
    bird_sampler_free(f->train);
    bird_sampler_free(f->valid);
    bird_tokenizer_free(f->tokenizer);
    bird_row_set_free(&f->rows);
    bird_text_free(&f->identity);
    json_decref(f->split);
    bird_comm_close(f->comm);
    free(f->tokenizer_path);
    free(f->nll);
    free(f->best);
}
