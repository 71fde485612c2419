/* Pretraining: from options to a run, its loop, and the model folder it writes.
 *
 * Rows, masks and dropout are functions of (seed, step, row), so a resumed
 * run needs its step, the weights and Adam's moments, and nothing else. The
 * first process writes; the others learn of its failures at the next step. SPDX-License-Identifier: MIT */
#include "train/pretrain.h"

#include <jansson.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/mem.h"
#include "dnabird/dnabird.h"
#include "dnabird/intervals.h"
#include "head/head.h"
#include "model/stem.h"
#include "seq/intervals.h"
#include "session/masked.h"

/* --- from options to a run ------------------------------------------------ */

void bird_pretrain_options_default(bird_pretrain_options *o)
{
    *o = (bird_pretrain_options){.run = {.pack_tokens = 4096,
                                         .lr = 1e-4,
                                         .warmup = 0.1,
                                         .weight_decay = 0.01,
                                         .clip = 1,
                                         .dropout = -1},
                                 .batch = 32768,
                                 .valid_tokens = 65536};
    bird_sample_options_default(&o->data);
    o->data.length_tok = 0;
}

/* The rows of validation are drawn from the files again. */
static int check_twice(const bird_pretrain_options *o)
{
    for (int64_t i = 0; o->valid && i < o->data.n_fasta; i++)
        if (bird_file_is_stream(o->data.fasta[i]))
            return bird_fail(BIRD_EINVAL,
                             "%s: with --valid-include FASTA files are read "
                             "twice: name a file, not a pipe",
                             o->data.fasta[i]);
    return 0;
}

static int check_options(const bird_pretrain_options *o)
{
    if (!o->data.n_fasta && !o->data.shards)
        return bird_fail(BIRD_EINVAL, "no sequence to learn from: name FASTA "
                                      "files");
    if (!o->data.n_fasta &&
        (o->valid || o->test || o->data.include || o->data.exclude))
        return bird_fail(BIRD_EINVAL, "regions need their FASTA files, also "
                                      "with --shards");
    if (o->run.steps < 1)
        return bird_fail(BIRD_EINVAL, "give --steps, at least 1");
    if (o->batch < 1 || o->valid_tokens < 1)
        return bird_fail(BIRD_EINVAL, "tokens of a batch and of the validation "
                                      "must be at least 1");
    if (o->run.clip < 0)
        return bird_fail(BIRD_EINVAL, "clip is not negative");
    return check_twice(o) ? BIRD_EINVAL : bird_run_check(&o->run);
}

/* Configuration of the model to be, with the head that NSP asks for. */
static int choose_config(struct bird_config *c,
                         const struct bird_pretraining *f)
{
    const bird_pretrain_options *o = &f->o;
    int rc = bird_run_config(c, &f->run);

    if (rc)
        return rc;
    c->head = bird_head_masked(o->data.next_sentence);
    c->n_label = 2;
    c->problem = BIRD_PROBLEM_UNSET;
    rc = bird_config_check(c, o->run.config ? o->run.config : "configuration");
    if (rc)
        return rc;
    if (o->data.next_sentence && c->type_vocab_size < 2)
        return bird_fail(BIRD_EINVAL,
                         "--nsp needs two token types, the model has %lld",
                         (long long)c->type_vocab_size);
    if (o->data.next_sentence && c->n_stem)
        return bird_fail(BIRD_EUNSUPPORTED,
                         "--nsp marks pairs by token types, which a model with "
                         "a stem does not read");
    if (o->data.genome_types && o->data.n_fasta > c->type_vocab_size)
        return bird_fail(BIRD_EINVAL,
                         "--genome-types: %lld FASTA files need as many token "
                         "types, the model has %lld: set type_vocab_size in "
                         "--config",
                         (long long)o->data.n_fasta,
                         (long long)c->type_vocab_size);
    if (o->data.length_tok > bird_stem_tokens(c, c->max_positions))
        return bird_fail(BIRD_EINVAL,
                         "--length %lld: the model reads %lld tokens at most",
                         (long long)o->data.length_tok,
                         (long long)bird_stem_tokens(c, c->max_positions));
    return 0;
}

static int make_learner(struct bird_pretraining *f)
{
    struct bird_config c;
    int rc = choose_config(&c, f);

    if (!rc && !f->o.data.length_tok) {
        f->o.data.length_tok = bird_stem_tokens(&c, c.max_positions);
        if (bird_stem_pool(&c) > 1 && f->o.data.length_tok > f->o.batch)
            f->o.data.length_tok = f->o.batch;
    }
    return rc ? rc : bird_run_learner(&f->run, &c, 0, f->o.data.seed);
}

/* Most regions that dnabird.json lists one by one. */
#define MAX_REGIONS 1000

/* The sampler's lines "name value". */
static json_t *row_facts(const struct bird_sampler *s)
{
    const char *line = bird_sampler_identity(s), *end, *blank;
    json_t *j = json_object();

    for (; (end = strchr(line, '\n')); line = end + 1) {
        char name[64];

        blank = memchr(line, ' ', (size_t)(end - line));
        if (!blank || blank - line >= (ptrdiff_t)sizeof(name))
            continue;
        memcpy(name, line, (size_t)(blank - line));
        name[blank - line] = '\0';
        json_object_set_new(j, name,
                            json_stringn(blank + 1, (size_t)(end - blank - 1)));
    }
    return j;
}

static json_t *references(const bird_sample_options *o)
{
    json_t *list = json_array();

    for (int64_t i = 0; i < o->n_fasta; i++)
        json_array_append_new(list, bird_run_base_name(o->fasta[i]));
    return list;
}

/* A region as text, counting from 1: "chr20:1-5000", or the whole contig. */
static json_t *region(const struct bird_interval *p,
                      const struct bird_contigs *c)
{
    const char *name = c->name[p->contig];

    if (p->end < BIRD_REGION_END)
        return json_sprintf("%s:%lld-%lld", name, (long long)p->start + 1,
                            (long long)p->end);
    return p->start ? json_sprintf("%s:%lld-", name, (long long)p->start + 1)
                    : json_string(name);
}

/* {"file": ..., "regions": [...]}: joined regions, all of them up to a limit;
 * beyond it their number and the file's checksum. */
static int put_part(json_t *split, const char *name, const char *text)
{
    struct bird_intervals p = {0};
    struct bird_contigs c = {0};
    json_t *part, *list;
    char hex[65];
    int rc;

    if (!text)
        return 0;
    part = json_object();
    list = json_array();
    rc = bird_intervals_read_named(&p, &c, text);
    bird_intervals_merge(&p);
    if (!rc && bird_file_exists(text)) {
        rc = bird_file_sha256(hex, text);
        json_object_set_new(part, "file", bird_run_base_name(text));
        json_object_set_new(part, "sha256", json_string(hex));
    }
    for (int64_t i = 0; i < p.n && p.n <= MAX_REGIONS; i++)
        json_array_append_new(list, region(&p.at[i], &c));
    json_object_set_new(part, "count", json_integer(p.n));
    json_object_set_new(part, "regions", list);
    if (!rc)
        json_object_set(split, name, part);
    json_decref(part);
    bird_intervals_free(&p);
    bird_contigs_free(&c);
    return rc;
}

/* The regions of each part, read while the files are open. */
static int describe_split(json_t **out, const bird_pretrain_options *o)
{
    json_t *j = json_object();
    int rc = put_part(j, "train_include", o->data.include);

    if (!rc)
        rc = put_part(j, "exclude", o->data.exclude);
    if (!rc)
        rc = put_part(j, "validation", o->valid);
    if (!rc)
        rc = put_part(j, "test", o->test);
    if (rc)
        json_decref(j);
    else
        *out = j;
    return rc;
}

static int plan_steps(struct bird_pretraining *f)
{
    const bird_pretrain_options *o = &f->o;
    int64_t length = o->data.length_tok, packs;

    if (o->batch < length)
        return bird_fail(
            BIRD_EINVAL,
            "--batch %lld is smaller than a row of %lld tokens (--length)",
            (long long)o->batch, (long long)length);
    f->n_row = bird_sample_rows(o->batch, length);
    f->n_valid = bird_sample_rows(o->valid_tokens, length);
    f->pack_rows = bird_sample_rows(o->run.pack_tokens, length);
    packs = (f->n_row + f->pack_rows - 1) / f->pack_rows;
    if (packs < f->comm->size)
        return bird_fail(BIRD_EINVAL,
                         "%lld packs of %lld rows are too few for %d "
                         "processes: use a larger --batch or a smaller "
                         "--pack-tokens",
                         (long long)packs, (long long)f->pack_rows,
                         f->comm->size);
    f->warmup_steps = (int64_t)llround(
        o->run.warmup < 1 ? o->run.warmup * (double)o->run.steps
                          : o->run.warmup);
    f->validate_every =
        o->validate_every > 0 ? o->validate_every : (o->run.steps + 19) / 20;
    return 0;
}

/* Training reads neither the validation nor the test regions; validation does
 * not read the test regions. The validation rows are the same for every run on
 * this data, whatever its seed and sampling, so that runs can be compared. */
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
    valid->repeats = NULL; /* all tokens count 1 */
    valid->seed = 1;
}

/* Open shards instead of the references. If references are given too, both must
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
    rc = bird_sampler_open(&shards, &o, f->run.tokenizer);
    if (rc)
        return rc;
    if (f->train && strcmp(bird_sampler_identity(f->train),
                           bird_sampler_identity(shards)) != 0)
        rc = bird_fail(BIRD_EINVAL,
                       "%s: made from other sequence or other regions than "
                       "those given",
                       o.shards);
    else if (bird_sampler_steps(shards) < f->run.o->steps)
        rc = bird_fail(BIRD_EINVAL,
                       "%s: holds rows for %lld steps, but --steps is %lld",
                       o.shards, (long long)bird_sampler_steps(shards),
                       (long long)f->run.o->steps);
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
        rc = bird_sampler_open(&f->train, &train, f->run.tokenizer);
    if (!rc && f->o.data.shards)
        rc = open_shards(f, &train);
    if (!rc && f->o.valid)
        rc = bird_sampler_open(&f->valid, &valid, f->run.tokenizer);
    /* there is one, or no sampler opens */
    f->mask_id = bird_mask_token(f->run.tokenizer);
    return rc;
}

/* All that decides the result, as text: a checkpoint with another text is
 * refused. */
static int identify(struct bird_pretraining *f)
{
    const bird_pretrain_options *o = &f->o;
    const char *rows = bird_sampler_identity(f->train);
    const char *held = f->valid ? bird_sampler_identity(f->valid) : "";
    char train[65], valid[65], config[65], tokens[65];
    int rc = bird_run_digests(config, tokens, &f->run);

    if (rc)
        return rc;
    bird_sha256(train, rows, strlen(rows));
    bird_sha256(valid, held, strlen(held));
    rc = bird_text_printf(
        &f->run.identity,
        "train=%.16s valid=%.16s config=%.16s tokenizer=%.16s optimizer=%d "
        "steps=%lld rows=%lld length=%lld pack_rows=%lld valid_rows=%lld "
        "every=%lld seed=%llu lr=%.17g warmup=%lld decay=%.17g clip=%.17g "
        "constant=%d",
        train, valid, config, tokens, (int)o->run.optimizer,
        (long long)o->run.steps, (long long)f->n_row,
        (long long)o->data.length_tok, (long long)f->pack_rows,
        (long long)(f->valid ? f->n_valid : 0),
        (long long)(f->valid ? f->validate_every : 0),
        (unsigned long long)o->data.seed, o->run.lr, (long long)f->warmup_steps,
        o->run.weight_decay, o->run.clip, o->run.constant);
    if (!rc && o->run.model.precision != BIRD_FLOAT32)
        rc = bird_text_printf(&f->run.identity, " precision=%s",
                              bird_precision_name(o->run.model.precision));
    return rc;
}

static int open_all(struct bird_pretraining *f)
{
    int rc;

    if ((rc = bird_run_open(&f->run)) || (rc = make_learner(f)) ||
        (rc = plan_steps(f)) || (rc = describe_split(&f->split, &f->o)) ||
        (rc = open_rows(f)))
        return rc;
    return identify(f);
}

/* Do all processes have the same data and options? */
static int compare_ranks(struct bird_pretraining *f)
{
    char mine[2][65], first[2][65];
    int rc;

    bird_sha256(mine[0], f->run.identity.s, (size_t)f->run.identity.n);
    bird_sha256(mine[1], f->run.attention.s, (size_t)f->run.attention.n);
    memcpy(first, mine, sizeof(first));
    rc = bird_comm_broadcast(f->comm, first, sizeof(first));
    if (!rc && memcmp(mine, first, sizeof(first)) != 0)
        rc = bird_fail(BIRD_EINVAL,
                       "process %d has other data, configuration or options "
                       "than process 0",
                       f->comm->rank);
    return bird_comm_agree(f->comm, rc);
}

/* Check the options, open everything that is read, make the learner. */
static int setup(struct bird_pretraining *f)
{
    int rc = bird_comm_open(&f->comm);

    if (rc)
        return rc;
    rc = check_options(&f->o);
    if (!rc && !f->comm->rank)
        rc = bird_run_check_folder(f->run.o);
    rc = bird_comm_agree(f->comm, rc);
    if (!rc)
        rc = bird_comm_agree(f->comm, open_all(f));
    return rc ? rc : compare_ranks(f);
}

static void teardown(struct bird_pretraining *f)
{
    bird_run_close(&f->run);
    bird_sampler_free(f->train);
    bird_sampler_free(f->valid);
    bird_row_set_free(&f->rows);
    json_decref(f->split);
    bird_comm_close(f->comm);
    free(f->nll);
    free(f->best);
}

/* --- the loop ------------------------------------------------------------- */

/* Columns of training.tsv; the last three are times. */
#define LOG_HEADER                                                             \
    "step\tloss\tnext_loss\tbits_per_base\tlearning_rate\tgradient_norm\t"     \
    "valid_loss\tvalid_bits_per_base\tvalid_accuracy\t"                        \
    "seconds\ttokens_per_second\tbp_per_second\n"

/* Seconds between checkpoints when their number of steps is not given. */
#define SAVE_EVERY 600

/* A number, or NA where there is none. */
static int put_number(struct bird_text *t, const char *fmt, double x)
{
    int rc = bird_text_put(t, "\t", 1);

    if (rc)
        return rc;
    return isnan(x) ? bird_text_put(t, "NA", 2) : bird_text_printf(t, fmt, x);
}

static int log_step(const struct bird_pretraining *f,
                    const bird_pretrain_state *s)
{
    const double x[] = {s->loss,       s->next_loss,     s->bits,
                        s->lr,         s->norm,          s->valid_loss,
                        s->valid_bits, s->valid_accuracy};
    struct bird_text t = {0};
    int rc = bird_text_printf(&t, "%lld", (long long)s->step);

    for (size_t i = 0; !rc && i < sizeof(x) / sizeof(*x); i++)
        rc = put_number(&t, "%.8g", x[i]);
    if (!rc)
        rc = bird_text_printf(&t, "\t%.1f\t%.1f\t%.1f\n",
                              bird_run_clock() - f->run.started,
                              s->tokens_per_s, s->bp_per_s);
    if (!rc)
        rc = bird_run_log_add(&f->run, t.s);
    bird_text_free(&t);
    return rc;
}

static int save(struct bird_pretraining *f)
{
    int rc = bird_run_save(&f->run);

    f->saved = bird_run_clock();
    return rc;
}

static int is_due(const struct bird_pretraining *f)
{
    int64_t step = f->run.progress.step, every = f->run.o->checkpoint_every;

    if (step == f->run.o->steps)
        return 1;
    return every > 0 ? step % every == 0
                     : bird_run_clock() - f->saved >= SAVE_EVERY;
}

/* What follows an update, on the first process: log and checkpoint. */
static int record(struct bird_pretraining *f, const bird_pretrain_state *s)
{
    int rc;

    if (f->comm->rank)
        return 0;
    rc = log_step(f, s);
    return rc || !is_due(f) ? rc : save(f);
}

static int validate(struct bird_pretraining *f, bird_pretrain_state *s)
{
    int64_t step = f->run.progress.step;
    int rc;

    if (!f->valid || (step % f->validate_every && step != f->run.o->steps))
        return 0;
    rc = bird_pretrain_validate(f);
    if (rc)
        return rc;
    s->validated = 1;
    s->valid_loss = f->valid_loss;
    s->valid_bits = f->valid_bits;
    s->valid_accuracy = f->valid_accuracy;
    return 0;
}

static int loop(struct bird_pretraining *f)
{
    int rc = 0;

    f->saved = bird_run_clock();
    while (f->run.progress.step < f->run.o->steps) {
        bird_pretrain_state s;

        rc = bird_pretrain_step(f, &s);
        if (rc || f->stopped)
            break;
        rc = validate(f, &s);
        if (rc)
            break;
        f->trouble = record(f, &s);
        if (!f->trouble && bird_pretrain_report(f, &s))
            f->stop = 1;
    }
    if (rc || !f->stopped)
        return rc ? rc : bird_comm_agree(f->comm, f->trouble);
    rc = bird_comm_agree(f->comm, f->comm->rank ? 0 : save(f));
    if (rc || f->comm->rank)
        return rc ? rc : bird_fail(BIRD_ECANCELED, "%s", "");
    return bird_fail(BIRD_ECANCELED,
                     "stopped at step %lld of %lld; a checkpoint is in %s: go "
                     "on with --resume",
                     (long long)f->run.progress.step,
                     (long long)f->run.o->steps, f->run.o->out);
}

/* Send the checkpoint's state to all processes. */
static int spread(struct bird_pretraining *f)
{
    size_t size = (size_t)f->run.l->total * sizeof(float);
    int rc =
        bird_comm_broadcast(f->comm, &f->run.progress, sizeof(f->run.progress));

    f->run.l->adam.t = f->run.progress.step;
    if (!rc)
        rc = bird_comm_broadcast(f->comm, f->run.l->theta, size);
    if (!rc)
        rc = bird_comm_broadcast(f->comm, f->run.l->m, size);
    return rc ? rc : bird_comm_broadcast(f->comm, f->run.l->v, size);
}

/* --- the model ------------------------------------------------------------ */

static json_t *training_facts(const struct bird_pretraining *f)
{
    const bird_pretrain_options *o = &f->o;
    json_t *j = json_object();

    json_object_set_new(j, "references", references(&o->data));
    json_object_set(j, "split", f->split);
    json_object_set_new(j, "rows", row_facts(f->train));
    json_object_set_new(j, "init", bird_run_base_name(o->run.init));
    json_object_set_new(j, "seed", json_integer((json_int_t)o->data.seed));
    json_object_set_new(j, "steps", json_integer(o->run.steps));
    json_object_set_new(j, "rows_a_step", json_integer(f->n_row));
    json_object_set_new(j, "tokens_a_row", json_integer(o->data.length_tok));
    json_object_set_new(j, "options", json_string(f->run.identity.s));
    return j;
}

static json_t *validation_metrics(const struct bird_pretraining *f)
{
    return json_pack("{s:{s:I, s:f, s:f, s:f}}", "validation", "rows",
                     (json_int_t)f->n_valid, "mlm_loss", f->valid_loss,
                     "bits_per_base", f->valid_bits, "mlm_accuracy",
                     f->valid_accuracy);
}

/* A number, or null if it is not known. */
static json_t *known(int64_t n)
{
    return n < 0 ? json_null() : json_integer((json_int_t)n);
}

/* Rows of all steps, also of those before the run was resumed. */
static json_t *run_facts(const struct bird_pretraining *f)
{
    const struct bird_train_progress *p = &f->run.progress;

    return json_pack(
        "{s:s, s:s, s:i, s:I, s:o, s:o, s:s?}", "dnabird", bird_version(),
        "precision", bird_precision_name(f->run.o->model.precision),
        "processes", f->comm->size, "rows", (json_int_t)(p->step * f->n_row),
        "bp", known(p->bp), "stretches_rich_in_n", known(p->n_rich), "command",
        f->run.o->command);
}

static json_t *describe(const struct bird_pretraining *f)
{
    json_t *j = json_object();

    if (f->run.o->note)
        json_object_set_new(j, "note", json_string(f->run.o->note));
    json_object_set_new(j, "provenance", training_facts(f));
    if (f->valid)
        json_object_set_new(j, "measured", validation_metrics(f));
    json_object_set_new(j, "run", run_facts(f));
    return j;
}

static int finish(struct bird_pretraining *f)
{
    int rc = 0;

    /* A run that was over when it was resumed has no metrics yet. */
    if (f->valid && f->valid_step != f->run.o->steps)
        rc = bird_pretrain_validate(f);
    if (!rc && !f->comm->rank)
        rc = bird_run_write_model(&f->run, describe(f));
    return bird_comm_agree(f->comm, rc);
}

static int begin(struct bird_pretraining *f)
{
    int rc;

    if (f->comm->rank)
        return 0;
    rc = bird_run_begin(&f->run);
    if (!rc)
        rc = bird_run_resume(&f->run);
    return rc ? rc : bird_run_log_start(&f->run, LOG_HEADER);
}

int bird_pretrain(const bird_pretrain_options *o)
{
    struct bird_pretraining f = {.o = *o};
    int rc;

    f.run.o = &f.o.run;
    rc = setup(&f);
    if (!rc && (rc = bird_comm_agree(f.comm, begin(&f))) == 0)
        rc = spread(&f);
    f.run.started = bird_run_clock();
    f.run.started_step = f.run.progress.step;
    if (!rc)
        rc = loop(&f);
    if (!rc)
        rc = finish(&f);
    teardown(&f);
    return rc;
}
