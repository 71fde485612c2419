/* The start of a run, its folder, its checkpoints and its model.
 *
 * A checkpoint is a safetensors file of four blocks and a few numbers, written
 * under a temporary name. Its identity is a text of all that decides the result:
 * a run with another one is refused. SPDX-License-Identifier: MIT */
#include "train/run.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/guard.h"
#include "base/json.h"
#include "base/mem.h"
#include "folder/config_file.h"
#include "folder/params_file.h"
#include "folder/safetensors.h"

/* --- where it starts ------------------------------------------------------ */

int bird_run_check_updates(const bird_train_options *o)
{
    if (o->pack_tokens < 1)
        return bird_fail(BIRD_EINVAL,
                         "--pack-tokens must be 1 or more, got %lld",
                         (long long)o->pack_tokens);
    if (!(o->lr > 0))
        return bird_fail(BIRD_EINVAL, "--lr must be above 0, got %g", o->lr);
    if (!(o->warmup >= 0))
        return bird_fail(BIRD_EINVAL, "--warmup must be 0 or more, got %g",
                         o->warmup);
    if (!(o->dropout < 1) || (o->dropout < 0 && o->dropout != -1))
        return bird_fail(BIRD_EINVAL,
                         "--dropout must be 0 or more and below 1, got %g",
                         o->dropout);
    if (!(o->weight_decay >= 0))
        return bird_fail(BIRD_EINVAL,
                         "--weight-decay must be 0 or more, got %g",
                         o->weight_decay);
    if (!(o->clip >= 0))
        return bird_fail(BIRD_EINVAL,
                         "the setting clip must be 0 or more, got %g", o->clip);
    if ((int)o->optimizer < 0 || o->optimizer > BIRD_OPTIMIZER_MUON)
        return bird_fail(BIRD_EINVAL, "unknown optimizer %d",
                         (int)o->optimizer);
    return 0;
}

int bird_run_check(const bird_train_options *o)
{
    if (!o->out)
        return bird_fail(BIRD_EINVAL, "no folder for the model: give -o");
    if (!o->init && !o->preset && !o->config)
        return bird_fail(BIRD_EINVAL, "no model to train: give --preset, "
                                      "--config or --init MODEL");
    if (!!o->init + !!o->preset + !!o->config > 1)
        return bird_fail(BIRD_EINVAL,
                         "--init, --preset and --config each choose the model "
                         "to start from: give one of them");
    if (!o->init && !o->tokenizer)
        return bird_fail(BIRD_EINVAL, "no tokenizer: give --tokenizer");
    if (o->init && (o->pattern || o->map))
        return bird_fail(BIRD_EINVAL,
                         "--pattern and --attention-map are of a model from "
                         "scratch; %s has its own, which 'dnabird init --from' "
                         "replaces",
                         o->init);
    return bird_run_check_updates(o);
}

/* Is the path the folder, or a file in it? */
static int is_in(const char *path, const char *folder)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    struct stat a, b, parent = {0};
    char *up = NULL;
    int in = 0;

    if (!path || stat(path, &a) || stat(folder, &b))
        return 0;
    if (S_ISDIR(a.st_mode))
        return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
    up = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    if (up && !stat(up, &parent))
        in = parent.st_dev == b.st_dev && parent.st_ino == b.st_ino;
    free(up);
    return in;
}

int bird_run_check_folder(const bird_train_options *o)
{
    int run = bird_file_is_in(o->out, BIRD_RUN_CHECKPOINT);

    if (o->resume && o->force)
        return bird_fail(BIRD_EINVAL, "--resume continues a run, --force "
                                      "starts it again: give one of them");
    if (run && o->force &&
        (is_in(o->init, o->out) || is_in(o->config, o->out) ||
         is_in(o->tokenizer, o->out)))
        return bird_fail(BIRD_EINVAL,
                         "%s: --force would remove what the run starts from: "
                         "use another folder",
                         o->out);
    if (run && !o->resume && !o->force)
        return bird_fail(BIRD_EINVAL,
                         "%s: holds a run already: add --resume to continue "
                         "it, --force to start again, or use another folder",
                         o->out);
    if (!run && bird_folder_holds_model(o->out))
        return bird_fail(BIRD_EINVAL,
                         "%s: holds a model already, but no run to resume: use "
                         "another folder",
                         o->out);
    return 0;
}

/* Rows of the embedding belong to ids: a token with another id than in the model
 * would get another token's row. */
static int check_same_ids(const bird_tokenizer *t, const char *model,
                          const char *path)
{
    bird_tokenizer *own = NULL;
    int rc = bird_tokenizer_open(&own, model);

    for (int64_t i = 0; !rc && i < bird_tokenizer_count(t); i++) {
        const char *token = bird_tokenizer_token(t, (int32_t)i);
        const char *was = bird_tokenizer_token(own, (int32_t)i);

        if (token && was && strcmp(token, was) != 0)
            rc = bird_fail(BIRD_EINVAL,
                           "%s: token %lld is '%.40s', but '%.40s' in %s: "
                           "leave --tokenizer out, or train from --preset",
                           path, (long long)i, token, was, model);
    }
    bird_tokenizer_free(own);
    return rc;
}

int bird_run_open(struct bird_train_run *r)
{
    const bird_train_options *o = r->o;
    int rc = o->init ? bird_folder_open_intact(&r->init, o->init) : 0;

    if (rc)
        return rc;
    if (!o->tokenizer)
        rc = bird_path_join(&r->tokenizer_path, o->init, "tokenizer.json");
    else if (!(r->tokenizer_path = strdup(o->tokenizer)))
        rc = bird_fail_memory(strlen(o->tokenizer));
    if (!rc)
        rc = bird_tokenizer_open(&r->tokenizer, r->tokenizer_path);
    if (!rc && o->tokenizer && o->init && r->init.tokenizer)
        rc = check_same_ids(r->tokenizer, r->init.tokenizer, r->tokenizer_path);
    return rc;
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

/* Read a config.json alone. That of a model that only dnabird has lacks most of
 * the model, which must not be left out silently. */
static int read_config(struct bird_config *c, const char *path)
{
    json_t *j;
    int rc = bird_json_open(&j, path);

    if (rc)
        return rc;
    rc = bird_config_read(c, j, path);
    json_decref(j);
    if (!rc && c->own)
        rc = bird_fail(BIRD_EUNSUPPORTED,
                       "%s: model_type is dnabird, and what makes it so (a "
                       "stem, an attention map) is in dnabird.json: use --init "
                       "with the folder of both",
                       path);
    return rc;
}

int bird_run_config(struct bird_config *c, const struct bird_train_run *r)
{
    const bird_train_options *o = r->o;
    int rc = 0;

    if (o->init)
        *c = r->init.config;
    else if (o->config)
        rc = read_config(c, o->config);
    else
        rc = bird_config_preset(c, o->preset);
    if (!rc && !o->init)
        rc = bird_config_attention(c, o->pattern, NULL, NULL, 0, o->map);
    if (rc)
        return rc;
    if (!o->init)
        fit_to_tokenizer(c, r->tokenizer);
    rc = bird_config_check_tokenizer(c, r->tokenizer,
                                     o->init     ? r->init.path
                                     : o->config ? o->config
                                                 : o->preset);
    if (rc)
        return rc;
    if (o->dropout >= 0)
        c->hidden_dropout = c->attention_dropout = o->dropout;
    return 0;
}

/* The defaults of Adam in each of the programs. */
static struct bird_adam adam_of(enum bird_optimizer kind, double weight_decay)
{
    static const enum bird_adam_kind kinds[] = {
        [BIRD_OPTIMIZER_ADAMW] = BIRD_ADAMW_TORCH,
        [BIRD_OPTIMIZER_ADAMW_HF] = BIRD_ADAMW_HF,
        [BIRD_OPTIMIZER_BERTADAM] = BIRD_ADAM_GOOGLE,
        [BIRD_OPTIMIZER_MUON] = BIRD_ADAMW_TORCH};

    return (struct bird_adam){.kind = kinds[kind],
                              .beta1 = 0.9,
                              .beta2 = 0.999,
                              .eps =
                                  kinds[kind] == BIRD_ADAMW_TORCH ? 1e-8 : 1e-6,
                              .weight_decay = weight_decay};
}

/* Dropout rates of a configuration. */
static struct bird_dropout_rates dropout_of(const struct bird_config *c)
{
    return (struct bird_dropout_rates){
        .hidden = (float)c->hidden_dropout,
        .attention = (float)c->attention_dropout,
        .classifier =
            (float)(c->classifier_dropout < 0 ? c->hidden_dropout
                                              : c->classifier_dropout)};
}

static int is_head_bias(const struct bird_param *p)
{
    return !strcmp(p->name, "classifier.bias") ||
           !strcmp(p->name, "classifier.out_proj.bias");
}

const struct bird_param *bird_run_new_bias(const struct bird_train_run *r)
{
    for (int64_t i = 0; r->new_head && i < r->l->n_param; i++)
        if (is_head_bias(r->l->list + i))
            return r->l->list + i;
    return NULL;
}

/* Digest of the weights that are those of the model to start from: `fresh` marks the
 * others, which the seed decides. */
static int digest_start(struct bird_train_run *r, const unsigned char *fresh)
{
    const struct bird_trainer *l = r->l;
    struct bird_text all = {0};
    char hex[65];
    int rc = 0;

    for (int64_t i = 0; !rc && i < l->n_param; i++) {
        const struct bird_param *p = l->list + i;

        if (fresh[i])
            continue;
        bird_sha256(hex, l->theta + p->offset,
                    (size_t)p->count * sizeof(*l->theta));
        rc = bird_text_printf(&all, "%s %s\n", p->name, hex);
    }
    if (!rc && all.n)
        bird_sha256(r->start, all.s, (size_t)all.n);
    bird_text_free(&all);
    return rc;
}

/* First weights. */
static int init_weights(struct bird_train_run *r, uint64_t seed)
{
    struct bird_trainer *l = r->l;
    unsigned char *fresh = NULL;
    int rc = 0;

    bird_params_init(l->theta, l->list, l->n_param, &l->c, seed, NULL);
    r->new_head = !r->o->init;
    if (r->o->init) {
        rc = bird_array_new(&fresh, l->n_param, 1);
        if (!rc)
            rc = bird_params_load(l->theta, l->list, l->n_param,
                                  r->init.tensors, fresh, r->init.path);
        for (int64_t i = 0; !rc && i < l->n_param; i++)
            r->new_head |= is_head_bias(l->list + i) && fresh[i];
        if (!rc)
            rc = digest_start(r, fresh);
        free(fresh);
    }
    bird_trainer_start_shadow(l);
    return rc;
}

/* The attention in full, as the options of `init` take it. */
static int put_attention(struct bird_text *t, const struct bird_config *c)
{
    int rc = bird_pattern_text(t, &c->pattern);

    if (!rc)
        rc = bird_text_put(t, " with ", 6);
    return rc ? rc : bird_prob_map_text(t, &c->map);
}

int bird_run_learner(struct bird_train_run *r, const struct bird_config *c,
                     double average, uint64_t seed)
{
    const bird_train_options *o = r->o;
    int rc = bird_trainer_new(&r->l, c, o->recompute, average);

    if (rc || (rc = put_attention(&r->attention, c)) ||
        (rc = bird_trainer_lower(r->l, o->model.precision)))
        return rc;
    if (o->centre)
        bird_trainer_centre(r->l);
    if (o->optimizer == BIRD_OPTIMIZER_MUON && (rc = bird_trainer_muon(r->l)))
        return rc;
    r->l->clip = o->clip;
    r->l->adam = adam_of(o->optimizer, o->weight_decay);
    r->dropout = dropout_of(c);
    rc = init_weights(r, seed);
    bird_folder_free(&r->init);
    return rc;
}

int bird_run_digests(char config[65], char tokenizer[65],
                     const struct bird_train_run *r)
{
    json_t *j;
    char *text;
    int rc = bird_config_write(&j, &r->l->c, NULL);

    if (rc)
        return rc;
    /* what a plain BigBird does not have is not in config.json */
    if (bird_config_is_own(&r->l->c) || r->o->centre) {
        rc = bird_folder_describe(j, &r->l->c);
        if (!rc && json_object_set_new(j, "centre", json_boolean(r->o->centre)))
            rc = bird_fail_memory(0);
    }
    if (rc) {
        json_decref(j);
        return rc;
    }
    text = bird_json_dump(j, JSON_SORT_KEYS);
    json_decref(j);
    if (!text)
        return bird_fail_memory(0);
    bird_sha256(config, text, strlen(text));
    free(text);
    return bird_file_sha256(tokenizer, r->tokenizer_path);
}

/* Files of a run; the last is what makes a folder hold one. */
static const char *const ours[] = {
    "best.safetensors", "validation.tsv",       "model.safetensors",
    "config.json",      "baseline.safetensors", "tokenizer.json",
    "dnabird.json",     BIRD_RUN_LOG,           BIRD_RUN_CHECKPOINT};
enum { N_OURS = sizeof(ours) / sizeof(*ours) };

/* Is it a temporary file (NAME.tmp and a number) of one of them? */
static int is_temporary(const char *name)
{
    for (int i = 0; i < N_OURS; i++) {
        size_t n = strlen(ours[i]);

        if (!strncmp(name, ours[i], n) && !strncmp(name + n, ".tmp", 4) &&
            name[n + 4 + strspn(name + n + 4, "0123456789")] == '\0')
            return 1;
    }
    return 0;
}

/* Remove temporary files that a killed run left. */
static void sweep(const char *folder)
{
    DIR *d = opendir(folder);
    struct dirent *e;

    while (d && (e = readdir(d)))
        if (is_temporary(e->d_name))
            unlinkat(dirfd(d), e->d_name, 0);
    if (d)
        closedir(d);
}

/* Remove the run and its model. Killed meanwhile, the folder still holds a run. */
static int remove_run(const char *folder)
{
    int rc = 0;

    sweep(folder);
    for (int i = 0; !rc && i < N_OURS; i++) {
        char *path = NULL;

        rc = bird_path_join(&path, folder, ours[i]);
        if (!rc && unlink(path) && errno != ENOENT)
            rc = bird_fail(BIRD_EIO, "%s: %s", path, strerror(errno));
        free(path);
    }
    return rc;
}

int bird_run_begin(struct bird_train_run *r)
{
    int fd = -1, rc = bird_folder_make(r->o->out);

    if (!rc)
        rc = bird_folder_lock(&fd, r->o->out);
    r->lock = fd + 1;
    if (!rc) /* another run may have ended meanwhile */
        rc = bird_run_check_folder(r->o);
    if (!rc && r->o->force && bird_file_is_in(r->o->out, BIRD_RUN_CHECKPOINT))
        rc = remove_run(r->o->out);
    if (!rc)
        bird_guard_own(r->o->out);
    return rc;
}

/* --- checkpoints ---------------------------------------------------------- */

#define FORMAT "dnabird checkpoint"
static const char format[] = FORMAT " 1";

static struct bird_tensor whole(const char *name, const void *data, int64_t n,
                                enum bird_dtype dtype, size_t size)
{
    return (struct bird_tensor){.name = name,
                                .dtype = dtype,
                                .n_dim = 1,
                                .shape = {n},
                                .data = data,
                                .size = (size_t)n * size};
}

int bird_run_save(const struct bird_train_run *r)
{
    const struct bird_train_progress *p = &r->progress;
    const struct bird_trainer *l = r->l;
    int64_t counts[] = {p->step, p->best_step, p->stale, p->loss_count,
                        l->adam.t};
    double figures[] = {p->best, p->loss_sum};
    int64_t rows[] = {p->bp, p->n_rich};
    struct bird_tensor t[7] = {
        whole("progress", counts, 5, BIRD_I64, 8),
        whole("figures", figures, 2, BIRD_F64, 8),
        whole("parameters", l->theta, l->total, BIRD_F32, 4),
        whole("adam.m", l->m, l->total, BIRD_F32, 4),
        whole("adam.v", l->v, l->total, BIRD_F32, 4),
    };
    const char *meta[] = {"format",       format,     "attention",
                          r->attention.s, "identity", r->identity.s,
                          "start",        r->start};
    int64_t n = 5;
    char *path;
    int rc = bird_path_join(&path, r->o->out, BIRD_RUN_CHECKPOINT);

    if (rc)
        return rc;
    if (l->shadow)
        t[n++] = whole("average", l->shadow, l->total, BIRD_F32, 4);
    if (p->bp > 0) /* finetune counts none */
        t[n++] = whole("rows", rows, 2, BIRD_I64, 8);
    rc = bird_tensors_write(path, t, n, meta, 4);
    free(path);
    return rc;
}

static int fill(void *out, const bird_tensors *t, const char *name, int64_t n,
                enum bird_dtype dtype, const char *path)
{
    const struct bird_tensor *x = bird_tensors_find(t, name);

    if (!x || x->dtype != dtype || bird_tensor_count(x) != n)
        return bird_fail(BIRD_EFORMAT,
                         "%s: '%s' is missing or of another size: this is not "
                         "a checkpoint of this configuration",
                         path, name);
    memcpy(out, x->data, x->size);
    bird_tensor_forget(t, x); /* so that memory has one copy of the weights */
    return 0;
}

static int check_format(const bird_tensors *t, const char *path)
{
    const char *was = bird_tensors_metadata(t, "format");

    if (was && !strcmp(was, format))
        return 0;
    if (!was || strncmp(was, FORMAT " ", sizeof FORMAT) != 0)
        return bird_fail(BIRD_EFORMAT, "%s: not a checkpoint of a training run",
                         path);
    return bird_fail(BIRD_EUNSUPPORTED,
                     "%s: its format '%.40s' is not known, this program reads "
                     "'%s': use a newer dnabird",
                     path, was, format);
}

/* Is the checkpoint this run's? Old checkpoints lack "attention" and "start". */
static int check_identity(const struct bird_train_run *r, const bird_tensors *t,
                          const char *path)
{
    const char *attention = bird_tensors_metadata(t, "attention");
    const char *was = bird_tensors_metadata(t, "identity");
    const char *start = bird_tensors_metadata(t, "start");

    if (attention && strcmp(attention, r->attention.s) != 0)
        return bird_fail(BIRD_EFORMAT,
                         "%s: a checkpoint of attention '%.150s', but the "
                         "model's is '%s': use another folder, or the model "
                         "and options that run was given",
                         path, attention, r->attention.s);
    if (!was || strcmp(was, r->identity.s) != 0)
        return bird_fail(BIRD_EFORMAT,
                         "%s: a checkpoint of another run (other data, "
                         "configuration or options): use another folder, or "
                         "what that run was given",
                         path);
    if (start && strcmp(start, r->start) != 0)
        return bird_fail(BIRD_EFORMAT,
                         "%s: a checkpoint of a run that began with other "
                         "weights: use another folder, or the --init that run "
                         "was given",
                         path);
    return 0;
}

static int read_checkpoint(struct bird_train_run *r, const char *path)
{
    struct bird_trainer *l = r->l;
    int64_t k[5], rows[2] = {-1, -1};
    double x[2];
    bird_tensors *t;
    int rc = bird_tensors_open(&t, path);

    if (rc)
        return rc;
    if ((rc = check_format(t, path)) || (rc = check_identity(r, t, path)))
        goto done;
    if ((rc = fill(k, t, "progress", 5, BIRD_I64, path)) ||
        (rc = fill(x, t, "figures", 2, BIRD_F64, path)) ||
        (bird_tensors_find(t, "rows") &&
         (rc = fill(rows, t, "rows", 2, BIRD_I64, path))) ||
        (rc = fill(l->theta, t, "parameters", l->total, BIRD_F32, path)) ||
        (rc = fill(l->m, t, "adam.m", l->total, BIRD_F32, path)) ||
        (rc = fill(l->v, t, "adam.v", l->total, BIRD_F32, path)) ||
        (l->shadow &&
         (rc = fill(l->shadow, t, "average", l->total, BIRD_F32, path))))
        goto done;
    if (k[0] < 0 || k[1] < 0 || k[1] > k[0] || k[2] < 0 || k[3] < 0 ||
        k[3] > k[0] || k[4] != k[0]) {
        rc = bird_fail(BIRD_EFORMAT,
                       "%s: its step counts contradict each other: the "
                       "checkpoint is damaged",
                       path);
        goto done;
    }
    if (!k[0]) /* nothing was read yet */
        rows[0] = rows[1] = 0;
    r->progress = (struct bird_train_progress){k[0], k[1], k[2],    x[0],
                                               x[1], k[3], rows[0], rows[1]};
    l->adam.t = k[4];
done:
    bird_tensors_free(t);
    return rc;
}

int bird_run_resume(struct bird_train_run *r)
{
    char *path;
    int rc = bird_path_join(&path, r->o->out, BIRD_RUN_CHECKPOINT);

    if (rc)
        return rc;
    if (r->o->resume)
        sweep(r->o->out);
    if (r->o->resume && bird_file_exists(path))
        rc = read_checkpoint(r, path);
    free(path);
    return rc;
}

/* --- the log -------------------------------------------------------------- */

/* The lines of a log up to a step; a last line cut short is dropped. */
static int cut_log(struct bird_text *out, const char *header, const char *s,
                   int64_t step)
{
    int rc = bird_text_put(out, header, (int64_t)strlen(header));
    const char *line = strchr(s, '\n'), *end;

    while (!rc && line && (end = strchr(line + 1, '\n'))) {
        if (strtoll(line + 1, NULL, 10) <= step)
            rc = bird_text_put(out, line + 1, end - line);
        line = end;
    }
    return rc;
}

int bird_run_log_start(const struct bird_train_run *r, const char *header)
{
    struct bird_text old = {0}, kept = {0};
    char *path;
    int rc = bird_path_join(&path, r->o->out, BIRD_RUN_LOG);

    if (rc)
        return rc;
    if (r->progress.step > 0 && bird_file_exists(path))
        rc = bird_file_read(&old, path);
    if (!rc)
        rc = cut_log(&kept, header, old.s ? old.s : "", r->progress.step);
    if (!rc)
        rc = bird_file_write(path, kept.s, (size_t)kept.n);
    bird_text_free(&old);
    bird_text_free(&kept);
    free(path);
    return rc;
}

int bird_run_log_add(const struct bird_train_run *r, const char *line)
{
    FILE *out;
    char *path;
    int rc = bird_path_join(&path, r->o->out, BIRD_RUN_LOG);

    if (rc)
        return rc;
    out = fopen(path, "ae");
    if (!out || fputs(line, out) < 0)
        rc = bird_fail(BIRD_EIO, "%s: %s", path, strerror(errno));
    if (out && fclose(out) && !rc)
        rc = bird_fail(BIRD_EIO, "%s: %s", path, strerror(errno));
    free(path);
    return rc;
}

json_t *bird_run_base_name(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;

    return path ? json_string(slash ? slash + 1 : path) : json_null();
}

double bird_run_clock(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* --- the model ------------------------------------------------------------ */

int bird_run_write_model(const struct bird_train_run *r, json_t *meta)
{
    const struct bird_folder_parts parts = {.config = &r->l->c,
                                            .meta = meta,
                                            .tokenizer = r->tokenizer_path,
                                            .block = r->l->theta,
                                            .list = r->l->list,
                                            .n = r->l->n_param,
                                            .dtype = BIRD_F32};
    int rc = bird_folder_write(r->o->out, &parts);

    json_decref(meta);
    return rc;
}

void bird_run_close(struct bird_train_run *r)
{
    bird_trainer_free(r->l);
    bird_tokenizer_free(r->tokenizer);
    bird_folder_free(&r->init);
    bird_text_free(&r->identity);
    bird_text_free(&r->attention);
    free(r->tokenizer_path);
    if (r->lock)
        close(r->lock - 1);
    r->lock = 0;
}
