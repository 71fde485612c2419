/* What a model folder holds, in words. SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/text.h"
#include "dnabird/model.h"
#include "dnabird/tokenizer.h"
#include "kernel/gemm_low.h"
#include "model/folder.h"
#include "model/meta.h"

#define LINE "%-13s "

/* A value as text; control characters stay escaped. */
static int put_value(struct bird_text *t, const json_t *v)
{
    char *s = json_dumps(v, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
    int64_t n;
    int rc;

    if (!s)
        return bird_fail_memory(0);
    n = (int64_t)strlen(s);
    if (json_is_string(v))
        rc = bird_text_put(t, s + 1, n - 2);
    else
        rc = bird_text_put(t, s, n);
    free(s);
    return rc;
}

/* A field's name, padded to `width`. */
static int put_name(struct bird_text *t, const char *before, const char *name,
                    const char *after, int64_t width)
{
    int64_t start = t->n;
    json_t *v = json_string(name);
    int rc = bird_text_put(t, before, (int64_t)strlen(before));

    if (!rc)
        rc = put_value(t, v);
    if (!rc)
        rc = bird_text_put(t, after, (int64_t)strlen(after));
    while (!rc && t->n < start + width)
        rc = bird_text_put(t, " ", 1);
    json_decref(v);
    return rc;
}

static int put_encoder(struct bird_text *t, const struct bird_folder *f)
{
    const struct bird_config *c = &f->config;
    int full = c->attention == BIRD_ATTENTION_FULL;
    int all = !c->parts || c->parts == BIRD_PARTS_ALL;
    int64_t limit = (2 * c->n_random + 5) * c->block_size;
    int rc = bird_text_printf(
        t,
        LINE "BigBird, %lld layers of %lld, %lld heads, feed-forward %lld, "
             "%s\n" LINE "%lld tokens%s\n",
        "encoder", (long long)c->n_layer, (long long)c->hidden_size,
        (long long)c->n_head, (long long)c->intermediate_size, c->act_name,
        "context", (long long)c->max_positions, full ? ", full attention" : "");

    if (!rc && !full)
        rc = bird_text_printf(
            t, LINE "blocks of %lld tokens, %lld random ones a row",
            "attention", (long long)c->block_size, (long long)c->n_random);
    if (!rc && !full && all)
        rc = bird_text_printf(t, "; full up to %lld tokens", (long long)limit);
    if (!rc && !full)
        rc = bird_text_printf(t, "\n" LINE "%s (%s)\n", "random blocks",
                              bird_random_name(c->random), f->random_why);
    if (!rc && !full && c->pattern_seed)
        rc = bird_text_printf(t, LINE "%llu\n", "pattern seed",
                              (unsigned long long)c->pattern_seed);
    if (!rc && !full && !all)
        rc = bird_text_printf(t,
                              LINE "own block%s%s%s: not BigBird; short "
                                   "sequences too\n",
                              "sees",
                              c->parts & BIRD_PART_GLOBAL ? ", global" : "",
                              c->parts & BIRD_PART_WINDOW ? ", window" : "",
                              c->parts & BIRD_PART_RANDOM ? ", random" : "");
    return rc;
}

static const char *dtype_name(const struct bird_folder *f)
{
    static const char *const names[] = {[BIRD_F32] = "float32",
                                        [BIRD_F16] = "float16",
                                        [BIRD_BF16] = "bfloat16",
                                        [BIRD_F64] = "float64"};

    /* position_ids may come first */
    for (int64_t i = 0; i < bird_tensors_count(f->tensors); i++) {
        enum bird_dtype type = bird_tensors_at(f->tensors, i)->dtype;

        if (type <= BIRD_F64)
            return names[type];
    }
    return "no tensors";
}

static int put_weights(struct bird_text *t, const struct bird_folder *f)
{
    struct bird_param *list = NULL;
    int64_t n = 0, total = 0;
    int rc = bird_params_list(&list, &n, &total, &f->config);

    if (!rc)
        rc = bird_text_printf(t, LINE "%lld in %lld tensors, %s, %s\n",
                              "parameters",
                              (long long)bird_params_count(list, n),
                              (long long)n, dtype_name(f), f->weights);
    free(list);
    return rc;
}

/* What this machine can run the encoder in, and what multiplies. */
static int put_precision(struct bird_text *t)
{
    int rc = bird_text_printf(t, LINE "float32", "precision");

    for (int p = BIRD_BFLOAT16; !rc && p <= BIRD_INT8; p++) {
        char name[BIRD_LOW_NAME];

        if (!bird_low_check(name, (enum bird_precision)p))
            rc = bird_text_printf(t, ", %s (oneDNN's %s)",
                                  bird_precision_name((enum bird_precision)p),
                                  name);
    }
    return rc ? rc : bird_text_printf(t, "\n");
}

static int put_kmer(struct bird_text *t, const bird_tokenizer *k)
{
    int64_t kmer = bird_tokenizer_kmer(k);

    return kmer ? bird_text_printf(t, LINE "%lld-mers, one every %lld bp\n",
                                   "cut into", (long long)kmer,
                                   (long long)bird_tokenizer_stride(k))
                : 0;
}

static int put_tokenizer(struct bird_text *t, const struct bird_folder *f)
{
    bird_tokenizer *k = NULL;
    int rc;

    if (!f->tokenizer)
        return bird_text_printf(t, LINE "none (the model takes %lld ids)\n",
                                "tokenizer", (long long)f->config.vocab_size);
    rc = bird_tokenizer_open(&k, f->tokenizer);
    if (rc == BIRD_EUNSUPPORTED)
        return bird_text_printf(t, LINE "not usable: %s\n", "tokenizer",
                                bird_last_error());
    if (!rc)
        rc = put_kmer(t, k);
    if (!rc)
        rc = bird_text_printf(t, LINE "%lld tokens%s\n", "tokenizer",
                              (long long)bird_tokenizer_count(k),
                              bird_tokenizer_count(k) > f->config.vocab_size
                                  ? ": MORE THAN THE MODEL HAS"
                                  : "");
    bird_tokenizer_free(k);
    return rc;
}

/* All labels, or the first ones of many. */
static int put_labels(struct bird_text *t, const struct bird_folder *f)
{
    size_t n = json_array_size(f->labels), shown = n > 12 ? 10 : n;
    int rc = bird_text_printf(t, LINE "%zu: ", "labels", n);

    for (size_t i = 0; !rc && i < shown; i++) {
        rc = put_value(t, json_array_get(f->labels, i));
        if (!rc)
            rc = bird_text_printf(t, i + 1 < n ? ", " : "\n");
    }
    if (!rc && shown < n)
        rc = bird_text_printf(t, "...\n");
    return rc;
}

static int put_head(struct bird_text *t, const struct bird_folder *f)
{
    const struct bird_head_row *head = f->config.head;
    int rc =
        bird_text_printf(t, LINE "%s (%s)\n", "head", head->about, head->name);

    if (!rc && head->forward && !head->masked && f->labels)
        rc = put_labels(t, f);
    if (!rc && f->window_bp)
        rc = bird_text_printf(t, LINE "%lld bp\n", "window",
                              (long long)f->window_bp);
    if (!rc && f->stride_bp)
        rc = bird_text_printf(t, LINE "%lld bp\n", "stride",
                              (long long)f->stride_bp);
    return rc;
}

/* Of what each label is only the classes; dnabird.json has the rest. */
static int put_features(struct bird_text *t, const json_t *list)
{
    json_t *n = json_object(), *feature, *count;
    const char *name, *before = ": ";
    size_t i;
    int rc = bird_text_printf(t, LINE "%zu", "features", json_array_size(list));

    json_array_foreach(list, i, feature)
    {
        name = json_string_value(json_object_get(feature, "class"));
        if (name)
            json_object_set_new(
                n, name,
                json_integer(1 + json_integer_value(json_object_get(n, name))));
    }
    json_object_foreach(n, name, count)
    {
        if (!rc)
            rc = put_name(t, before, name, " ", 0);
        if (!rc)
            rc = put_value(t, count);
        before = ", ";
    }
    json_decref(n);
    return rc ? rc : bird_text_printf(t, "\n");
}

/* What e-values are told from, and what probabilities are fitted on. */
static int put_parts(struct bird_text *t, const struct bird_folder *f,
                     const bird_tensors *c)
{
    const char *n = c ? bird_tensors_metadata(c, "variants") : NULL;
    const char *about = c ? bird_tensors_metadata(c, "background") : NULL;
    const char *event =
        c ? bird_tensors_metadata(c, "probability.event") : NULL;
    const char *fitted =
        c ? bird_tensors_metadata(c, "probability.fitted") : NULL;
    const struct bird_head_row *head = f->config.head;
    int rc = 0;

    if (event && fitted)
        rc = bird_text_printf(t, LINE "of this: %s; calibrated on %s\n",
                              "probability", event, fitted);
    else if (head->forward && head->needs != BIRD_NEEDS_ALL)
        rc = bird_text_printf(t, LINE "not calibrated: raw output\n",
                              "probability");
    if (!rc && n)
        rc = bird_text_printf(t, LINE "%s variants: %s\n", "background", n,
                              about ? about : "?");
    return rc;
}

/* One that cannot be read is said by `variant`. */
static int put_calibration(struct bird_text *t, const struct bird_folder *f)
{
    bird_tensors *c = NULL;
    char *path = NULL;
    int rc = bird_path_join(&path, f->path, "calibration.safetensors");

    if (!rc && bird_file_exists(path) && bird_tensors_open(&c, path))
        rc = bird_text_printf(t, LINE "cannot be read: %s\n", "calibration",
                              bird_last_error());
    else if (!rc)
        rc = put_parts(t, f, c);
    bird_tensors_free(c);
    free(path);
    return rc;
}

/* A field of dnabird.json; the members of an object on lines of their own. */
static int put_field(struct bird_text *t, const char *name, json_t *v)
{
    const char *key;
    json_t *member;
    int rc;

    if (!json_is_object(v)) {
        rc = put_name(t, "", name, " ", 14);
        if (!rc)
            rc = put_value(t, v);
        return rc ? rc : bird_text_printf(t, "\n");
    }
    rc = put_name(t, "", name, "\n", 0);
    json_object_foreach(v, key, member)
    {
        if (!rc)
            rc = put_name(t, "  ", key, ": ", 0);
        if (!rc)
            rc = put_value(t, member);
        if (!rc)
            rc = bird_text_printf(t, "\n");
    }
    return rc;
}

/* What the lines above have not told yet. */
static int put_rest(struct bird_text *t, const struct bird_folder *f)
{
    static const char *const told[] = {
        "format_version",  "head",      "random_blocks",
        "labels",          "window_bp", "stride_bp",
        "attention_parts", "features",  "pattern_seed"};
    const char *key;
    json_t *v;
    int rc = 0;

    json_object_foreach(f->meta, key, v)
    {
        int skip = rc != 0;

        for (size_t i = 0; i < sizeof(told) / sizeof(*told); i++)
            skip |= !strcmp(key, told[i]);
        if (!skip)
            rc = put_field(t, key, v);
    }
    return rc;
}

int bird_model_describe(char **out, const char *folder)
{
    struct bird_folder f = {0};
    struct bird_text t = {0};
    int rc = bird_folder_open(&f, folder);

    if (!rc)
        rc = bird_text_printf(&t, LINE "%s\n", "folder", folder);
    if (!rc && !f.meta)
        rc = bird_text_printf(&t,
                              LINE "dnabird.json is missing: no window, "
                                   "labels, checksums\n",
                              "facts");
    if (!rc)
        rc = put_encoder(&t, &f);
    if (!rc)
        rc = put_weights(&t, &f);
    if (!rc)
        rc = put_precision(&t);
    if (!rc)
        rc = put_tokenizer(&t, &f);
    if (!rc)
        rc = put_head(&t, &f);
    if (!rc && json_array_size(json_object_get(f.meta, "features")))
        rc = put_features(&t, json_object_get(f.meta, "features"));
    if (!rc)
        rc = put_calibration(&t, &f);
    if (!rc)
        rc = put_rest(&t, &f);
    if (!rc)
        rc = bird_folder_digest(&f);
    if (!rc)
        rc = bird_text_printf(&t, LINE "%s%s%s%s\n", "digest", f.digest,
                              f.changed[0] ? ": " : "", f.changed,
                              f.changed[0] ? " differs from its checksum" : "");
    bird_folder_free(&f);
    if (rc)
        bird_text_free(&t);
    else
        *out = t.s;
    return rc;
}

/* *other is set where a file of the weights is not that of its checksum. */
static int verify_file(struct bird_text *t, int64_t *n_wrong, int *other,
                       const struct bird_folder *f, const char *name)
{
    const json_t *sums = json_object_get(f->meta, "checksums");
    const char *want = json_string_value(json_object_get(sums, name));
    const char *verdict = "OK";
    char hex[65], *path = NULL;
    int rc = bird_path_join(&path, f->path, name);

    if (!rc && !bird_file_exists(path)) {
        verdict = want ? "MISSING" : NULL;
    } else if (!rc) {
        rc = bird_file_sha256(hex, path);
        if (!rc && !want)
            verdict = "NO CHECKSUM STORED";
        else if (!rc && strcmp(hex, want) != 0)
            verdict = "DIFFERS from its checksum";
    }
    if (!rc && verdict) {
        *n_wrong += strcmp(verdict, "OK") != 0;
        *other |= want && strcmp(verdict, "OK") != 0 &&
                  strcmp(name, "config.json") != 0 &&
                  strncmp(name, "tokenizer", 9) != 0;
        rc = bird_text_printf(t, "%s: %s\n", name, verdict);
    }
    free(path);
    return rc;
}

/* Do the weights fit the configuration, and are they numbers? They may be
 * both and yet not be those of the checksum. */
static int verify_weights(struct bird_text *t, int64_t *n_wrong,
                          const struct bird_folder *f, int other)
{
    struct bird_param *list = NULL;
    float *block = NULL;
    int64_t n = 0, total = 0, bad = 0;
    int rc = bird_folder_weights(&block, &list, &n, &total, f);

    if (rc == BIRD_EFORMAT) {
        ++*n_wrong;
        rc = bird_text_printf(t, "weights: %s\n", bird_last_error());
    } else if (!rc) {
        for (int64_t i = 0; i < total; i++)
            bad += !isfinite(block[i]);
        *n_wrong += bad > 0;
        rc = bad ? bird_text_printf(t, "weights: %lld are not finite\n",
                                    (long long)bad)
             : other
                 ? bird_text_printf(t, "weights: finite numbers of the right "
                                       "shapes, but not those of the "
                                       "checksum\n")
                 : bird_text_printf(t, "weights: OK\n");
    }
    free(block);
    free(list);
    return rc;
}

int bird_model_verify(char **out, int64_t *n_wrong, const char *folder)
{
    struct bird_folder f = {0};
    struct bird_text t = {0};
    int64_t wrong = 0;
    int other = 0, rc = bird_folder_open(&f, folder);

    if (!rc && !f.meta)
        rc = bird_fail(BIRD_EINVAL,
                       "%s/dnabird.json is missing: there are no checksums to "
                       "compare with",
                       folder);
    if (!rc && !json_object_size(json_object_get(f.meta, "checksums")))
        rc = bird_fail(BIRD_EINVAL, "%s: dnabird.json holds no checksums",
                       folder);
    for (int64_t i = 0; !rc && i < bird_folder_files(&f); i++)
        rc = verify_file(&t, &wrong, &other, &f, bird_folder_file(&f, i));
    if (!rc)
        rc = verify_weights(&t, &wrong, &f, other);
    bird_folder_free(&f);
    if (rc) {
        bird_text_free(&t);
    } else {
        *out = t.s;
        *n_wrong = wrong;
    }
    return rc;
}
