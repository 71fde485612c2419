/* `info`: print what a model folder contains, and check its files against the
 * checksums. SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "dnabird/model.h"
#include "dnabird/tokenizer.h"
#include "folder/folder.h"
#include "head/head.h"
#include "kernel/gemm_low.h"
#include "model/stem.h"
#include "pattern/graph.h"

#define LINE BIRD_INFO_LINE

/* The text so far; after a failure nothing is added. */
struct info {
    struct bird_text t;
    const struct bird_folder *f;
    int rc;
};

static void say(struct info *o, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static void say(struct info *o, const char *fmt, ...)
{
    char *s = NULL;
    va_list args;
    int n;

    va_start(args, fmt);
    n = o->rc ? 0 : vasprintf(&s, fmt, args);
    va_end(args);
    if (n < 0)
        o->rc = bird_fail_memory(0);
    else if (!o->rc)
        o->rc = bird_text_put(&o->t, s, n);
    if (n >= 0)
        free(s);
}

/* A value as text; control characters stay escaped. */
static void say_value(struct info *o, const json_t *v)
{
    char *s = bird_json_dump(v, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
    int quotes = json_is_string(v);

    if (!s)
        o->rc = bird_fail_memory(0);
    else
        say(o, "%.*s", (int)strlen(s) - 2 * quotes, s + quotes);
    free(s);
}

/* A field's name, padded to `width`. */
static void say_name(struct info *o, const char *before, const char *name,
                     const char *after, int64_t width)
{
    int64_t start = o->t.n;
    json_t *v = json_string(name);

    say(o, "%s", before);
    say_value(o, v);
    say(o, "%s", after);
    while (!o->rc && o->t.n < start + width)
        say(o, " ");
    json_decref(v);
}

static void say_stem(struct info *o)
{
    const struct bird_config *c = &o->f->config;

    if (!c->n_stem)
        return;
    say(o, LINE, "stem");
    if (!o->rc)
        o->rc = bird_stem_text(&o->t, c);
    say(o, ": %lld token%s a row\n", (long long)bird_stem_pool(c),
        bird_stem_pool(c) > 1 ? "s" : "");
}

/* Layers that are examined where each layer has random lists of its own: with
 * several keys a row, every token reaches all others within two or three. */
enum { DRAWN = 4 };

/* Print after how many layers each token reaches all others, in the longest
 * sequence that the model reads. */
static void say_reach(struct info *o)
{
    const struct bird_config *c = &o->f->config;
    struct bird_pattern p = bird_pattern_of(c);
    struct bird_graph *g = NULL;

    if (o->rc || !c->n_layer || (!p.row->list && !bird_pattern_is_causal(&p)) ||
        (c->max_positions - 1) / p.block >= BIRD_GRAPH_MOST)
        return;
    o->rc = bird_graph_new(&g, &p, c->max_positions,
                           c->n_layer < DRAWN ? c->n_layer : DRAWN);
    say(o, LINE, "reach");
    if (!o->rc)
        o->rc = bird_graph_describe(&o->t, g, &p, c->n_layer);
    say(o, " (at %lld %s)\n", (long long)c->max_positions,
        c->n_stem ? "rows" : "tokens");
    bird_graph_free(g);
}

static void say_encoder(struct info *o)
{
    const struct bird_config *c = &o->f->config;
    const struct bird_pattern_row *row = c->pattern.row;

    say_stem(o);
    say(o,
        LINE "BigBird, %lld layer%s of %lld, %lld head%s, feed-forward "
             "%lld, %s\n" LINE "%lld %s%s\n",
        "encoder", (long long)c->n_layer, c->n_layer == 1 ? "" : "s",
        (long long)c->hidden_size, (long long)c->n_head,
        c->n_head == 1 ? "" : "s", (long long)c->intermediate_size, c->act_name,
        "context", (long long)c->max_positions, c->n_stem ? "rows" : "tokens",
        row->list ? "" : ", full attention");
    if (!o->rc && row->describe)
        o->rc = row->describe(&o->t, &c->pattern, o->f->random_why);
    if (!bird_prob_map_is_softmax(&c->map)) {
        say(o, LINE, "map");
        if (!o->rc)
            o->rc = bird_prob_map_text(&o->t, &c->map);
        say(o, " instead of softmax%s\n",
            c->map.row->trains ? "" : ": for inference alone");
    }
    say_reach(o);
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

static void say_weights(struct info *o)
{
    struct bird_param *list = NULL;
    int64_t n = 0, total = 0;

    if (!o->rc)
        o->rc = bird_params_list(&list, &n, &total, &o->f->config);
    say(o, LINE "%lld in %lld tensors, %s, %s\n", "parameters",
        (long long)bird_params_count(list, n), (long long)n, dtype_name(o->f),
        o->f->weights);
    free(list);
}

/* Print the precisions that this machine has for the encoder, and the library
 * that multiplies matrices. */
static void say_precision(struct info *o)
{
    say(o, LINE "float32", "precision");
    for (int p = BIRD_BFLOAT16; p <= BIRD_INT8; p++) {
        char name[BIRD_LOW_NAME];

        int rc = bird_low_check(name, (enum bird_precision)p);

        if (rc == BIRD_ENOMEM)
            o->rc = rc;
        else if (!rc)
            say(o, ", %s (%s)", bird_precision_name((enum bird_precision)p),
                name);
    }
    say(o, "\n");
}

static void say_tokenizer(struct info *o)
{
    const struct bird_folder *f = o->f;
    bird_tokenizer *k = NULL;
    int rc;

    if (!f->tokenizer) {
        say(o, LINE "none (the model takes %lld ids)\n", "tokenizer",
            (long long)f->config.vocab_size);
        return;
    }
    if (o->rc)
        return;
    rc = bird_tokenizer_open(&k, f->tokenizer);
    if (rc == BIRD_EUNSUPPORTED) {
        say(o, LINE "not usable: %s\n", "tokenizer", bird_last_error());
        return;
    }
    if ((o->rc = rc))
        return;
    if (bird_tokenizer_kmer(k))
        say(o, LINE "%lld-mers, one every %lld bp\n", "cut into",
            (long long)bird_tokenizer_kmer(k),
            (long long)bird_tokenizer_stride(k));
    say(o, LINE "%lld tokens%s\n", "tokenizer",
        (long long)bird_tokenizer_count(k),
        bird_tokenizer_count(k) > f->config.vocab_size
            ? ": MORE THAN THE MODEL HAS"
            : "");
    if (!o->rc && bird_tokenizer_global(k) !=
                      bird_pattern_global_tokens(&f->config.pattern))
        say(o, LINE "%lld of the tokenizer: NOT AS MANY AS THE PATTERN HAS\n",
            "global tokens", (long long)bird_tokenizer_global(k));
    bird_tokenizer_free(k);
}

/* All labels, or the first ones of many. */
static void say_labels(struct info *o, const json_t *labels)
{
    size_t n = json_array_size(labels), shown = n > 12 ? 10 : n;

    say(o, "%zu: ", n);
    for (size_t i = 0; i < shown; i++) {
        say_value(o, json_array_get(labels, i));
        say(o, i + 1 < n ? ", " : "");
    }
    say(o, shown < n ? "...\n" : "\n");
}

/* Which labels each command uses. */
static void say_commands(struct info *o)
{
    json_t *commands = json_object_get(o->f->meta, "commands"), *list;
    const char *name, *line = "commands";

    json_object_foreach(commands, name, list)
    {
        say(o, LINE, line);
        say_name(o, "", name, ": ", 0);
        if (json_is_array(list) && !json_array_size(list))
            say(o, "none\n");
        else
            say_labels(o, list);
        line = "";
    }
}

static void say_head(struct info *o)
{
    const struct bird_folder *f = o->f;
    const struct bird_head_row *head = f->config.head;

    say(o, LINE "%s (%s)\n", "head", head->about, head->name);
    if (bird_head_has_labels(&f->config) && f->labels) {
        say(o, LINE, "labels");
        say_labels(o, f->labels);
    }
    say_commands(o);
    if (f->config.bin_bp)
        say(o, LINE "%lld bp\n", "bin", (long long)f->config.bin_bp);
    if (f->window_bp)
        say(o, LINE "%lld bp\n", "window", (long long)f->window_bp);
    if (f->stride_bp)
        say(o, LINE "%lld bp\n", "stride", (long long)f->stride_bp);
}

/* Print how many labels each class has; dnabird.json has the labels' details. */
static void say_features(struct info *o)
{
    const json_t *list = json_object_get(o->f->meta, "features");
    json_t *n = json_object(), *feature, *count;
    const char *name, *before = ": ";
    size_t i;

    if (json_array_size(list))
        say(o, LINE "%zu", "features", json_array_size(list));
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
        say_name(o, before, name, " ", 0);
        say_value(o, count);
        before = ", ";
    }
    if (json_array_size(list))
        say(o, "\n");
    json_decref(n);
}

/* Print the data from which e-values are computed, and those on which
 * probabilities were calibrated. */
static void say_parts(struct info *o, const bird_tensors *c)
{
    const char *n = c ? bird_tensors_metadata(c, "variants") : NULL;
    const char *about = c ? bird_tensors_metadata(c, "background") : NULL;
    const char *event =
        c ? bird_tensors_metadata(c, "probability.event") : NULL;
    const char *fitted =
        c ? bird_tensors_metadata(c, "probability.fitted") : NULL;

    if (event && fitted)
        say(o, LINE "of this: %s; calibrated on %s\n", "probability", event,
            fitted);
    else if (bird_head_scores(&o->f->config))
        say(o, LINE "not calibrated: raw output\n", "probability");
    if (n)
        say(o, LINE "%s variants: %s\n", "background", n, about ? about : "?");
}

/* A calibration that cannot be read is reported here; `variant` refuses it. */
static void say_calibration(struct info *o)
{
    bird_tensors *c = NULL;
    char *path = NULL;
    int rc = 0;

    if (!o->rc)
        o->rc = bird_path_join(&path, o->f->path, "calibration.safetensors");
    if (!o->rc && bird_file_exists(path))
        rc = bird_tensors_open(&c, path);
    if (rc == BIRD_ENOMEM || rc == BIRD_EIO)
        o->rc = rc;
    else if (rc)
        say(o, LINE "cannot be read: %s\n", "calibration", bird_last_error());
    else
        say_parts(o, c);
    bird_tensors_free(c);
    free(path);
}

/* A field of dnabird.json; the members of an object on lines of their own. */
static void say_field(struct info *o, const char *name, json_t *v)
{
    const char *key;
    json_t *member;

    if (!json_is_object(v)) {
        say_name(o, "", name, " ", 14);
        say_value(o, v);
        say(o, "\n");
        return;
    }
    say_name(o, "", name, "\n", 0);
    json_object_foreach(v, key, member)
    {
        say_name(o, "  ", key, ": ", 0);
        say_value(o, member);
        say(o, "\n");
    }
}

/* Fields that the lines above do not show. */
static void say_rest(struct info *o)
{
    static const char *const shown[] = {
        "format_version", "head",      "labels",    "stem",     "branch_scale",
        "attention_map",  "window_bp", "stride_bp", "features", "commands"};
    const char *key;
    json_t *v;

    json_object_foreach(o->f->meta, key, v)
    {
        int skip = bird_pattern_is_field(key) ||
                   (o->f->config.bin_bp && !strcmp(key, "bin_bp"));

        for (size_t i = 0; i < sizeof(shown) / sizeof(*shown); i++)
            skip |= !strcmp(key, shown[i]);
        if (!skip)
            say_field(o, key, v);
    }
}

int bird_model_describe(char **out, const char *folder)
{
    struct bird_folder f = {0};
    struct info o = {.f = &f};

    o.rc = bird_folder_open(&f, folder);
    if (!o.rc) {
        say(&o, LINE "%s\n", "folder", folder);
        if (!f.meta)
            say(&o,
                LINE "dnabird.json is missing: no window, labels, checksums\n",
                "facts");
        say_encoder(&o);
        say_weights(&o);
        say_precision(&o);
        say_tokenizer(&o);
        say_head(&o);
        say_features(&o);
        say_calibration(&o);
        say_rest(&o);
    }
    if (!o.rc)
        o.rc = bird_folder_digest(&f);
    say(&o, LINE "%s%s%s%s\n", "digest", f.digest, f.changed[0] ? ": " : "",
        f.changed, f.changed[0] ? " differs from its checksum" : "");
    bird_folder_free(&f);
    if (o.rc)
        bird_text_free(&o.t);
    else
        *out = o.t.s;
    return o.rc;
}

/* *other is set if a file of weights differs from its checksum. */
static void verify_file(struct info *o, int64_t *n_wrong, int *other,
                        const char *name)
{
    const json_t *sums = json_object_get(o->f->meta, "checksums");
    const char *want = json_string_value(json_object_get(sums, name));
    const char *verdict = "OK";
    char hex[65], *path = NULL;

    if (!o->rc)
        o->rc = bird_path_join(&path, o->f->path, name);
    if (o->rc)
        return;
    if (!bird_file_exists(path)) {
        verdict = want ? "MISSING" : NULL;
    } else if (!(o->rc = bird_file_sha256(hex, path))) {
        if (!want)
            verdict = "NO CHECKSUM STORED";
        else if (strcmp(hex, want) != 0)
            verdict = "DIFFERS from its checksum";
    }
    if (!o->rc && verdict) {
        *n_wrong += strcmp(verdict, "OK") != 0;
        *other |= want && strcmp(verdict, "OK") != 0 &&
                  strcmp(name, "config.json") != 0 &&
                  strncmp(name, "tokenizer", 9) != 0;
        say(o, "%s: %s\n", name, verdict);
    }
    free(path);
}

/* Check that the weights have the configuration's shapes and are finite. They
 * may pass and still differ from the checksum. */
static void verify_weights(struct info *o, int64_t *n_wrong, int other)
{
    struct bird_param *list = NULL;
    float *block = NULL;
    int64_t n = 0, total = 0, bad = 0;
    int rc =
        o->rc ? o->rc : bird_folder_weights(&block, &list, &n, &total, o->f);

    for (int64_t i = 0; !rc && i < total; i++)
        bad += !isfinite(block[i]);
    *n_wrong += rc == BIRD_EFORMAT || bad > 0;
    if (rc == BIRD_EFORMAT)
        say(o, "weights: %s\n", bird_last_error());
    else if (rc)
        o->rc = rc;
    else if (bad)
        say(o, "weights: %lld are not finite\n", (long long)bad);
    else
        say(o, "weights: %s\n",
            other ? "finite numbers of the right shapes, but not those of the "
                    "checksum"
                  : "OK");
    free(block);
    free(list);
}

int bird_model_verify(char **out, int64_t *n_wrong, const char *folder)
{
    struct bird_folder f = {0};
    struct info o = {.f = &f};
    int64_t wrong = 0;
    int other = 0;

    o.rc = bird_folder_open(&f, folder);
    if (!o.rc && !f.meta)
        o.rc = bird_fail(BIRD_EINVAL,
                         "%s/dnabird.json is missing: there are no checksums "
                         "to compare with",
                         folder);
    if (!o.rc && !json_object_size(json_object_get(f.meta, "checksums")))
        o.rc =
            bird_fail(BIRD_EINVAL, "%s: dnabird.json has no checksums", folder);
    for (int64_t i = 0; !o.rc && i < bird_folder_files(&f); i++)
        verify_file(&o, &wrong, &other, bird_folder_file(&f, i));
    verify_weights(&o, &wrong, other);
    bird_folder_free(&f);
    if (o.rc) {
        bird_text_free(&o.t);
    } else {
        *out = o.t.s;
        *n_wrong = wrong;
    }
    return o.rc;
}
