/* Parameters from and to files of tensors.
 *
 * A file's tensors are looked up by name, with the prefixes and tied tensors
 * that transformers writes; all are checked before any is read.
 * SPDX-License-Identifier: MIT */
#include "folder/params_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "head/head.h"

/* Buffers that a file may hold though no model uses them. */
static const char *const ignored[] = {
    "bert.embeddings.position_ids",
    "bert.embeddings.token_type_ids",
    "embeddings.position_ids",
    "embeddings.token_type_ids",
};

/* Safetensors keep one of two tied tensors, not always the usual one. Where
 * the decoder is not tied, transformers computes with its own bias. */
static const char *const tied[][2] = {
    {"bert.embeddings.word_embeddings.weight",
     "cls.predictions.decoder.weight"},
    {"cls.predictions.bias", "cls.predictions.decoder.bias"},
};

/* Is the decoder's weight a parameter of its own? */
static int is_untied(const struct bird_param *list, int64_t n)
{
    return bird_params_find(list, n, tied[0][1]) != NULL;
}

static const struct bird_tensor *find(const bird_tensors *t, const char *name,
                                      int untied)
{
    const struct bird_tensor *x = NULL;

    if (untied && !strcmp(name, tied[1][0]))
        x = bird_tensors_find(t, tied[1][1]);
    if (!x)
        x = bird_tensors_find(t, name);
    if (!x && !strncmp(name, "bert.", 5))
        x = bird_tensors_find(t, name + 5);
    for (size_t i = 0; !x && i < sizeof(tied) / sizeof(*tied); i++)
        if (!strcmp(name, tied[i][0]))
            x = bird_tensors_find(t, tied[i][1]);
    return x;
}

static const char *shape_text(char out[64], int n_dim, const int64_t *shape)
{
    int n = snprintf(out, 64, "[");

    for (int i = 0; i < n_dim && n < 50; i++)
        n += snprintf(out + n, 64 - (size_t)n, i ? ", %lld" : "%lld",
                      (long long)shape[i]);
    snprintf(out + n, 64 - (size_t)n, "]");
    return out;
}

static int same_shape(const struct bird_param *p, const struct bird_tensor *t)
{
    if (p->n_dim != t->n_dim)
        return 0;
    for (int i = 0; i < p->n_dim; i++)
        if (p->shape[i] != t->shape[i])
            return 0;
    return 1;
}

static int check_tensor(const struct bird_param *p, const struct bird_tensor *t,
                        const char *path)
{
    char got[64], want[64];

    if (!same_shape(p, t))
        return bird_fail(BIRD_EFORMAT,
                         "%s: tensor '%s' has the shape %s, the configuration "
                         "asks for %s",
                         path, t->name, shape_text(got, t->n_dim, t->shape),
                         shape_text(want, p->n_dim, p->shape));
    if (t->dtype != BIRD_F32 && t->dtype != BIRD_F16 && t->dtype != BIRD_BF16 &&
        t->dtype != BIRD_F64)
        return bird_fail(BIRD_EFORMAT,
                         "%s: tensor '%s' holds whole numbers, not weights",
                         path, t->name);
    return 0;
}

static int is_known(const char *name, const struct bird_param *list, int64_t n)
{
    for (size_t i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
        if (!strcmp(name, ignored[i]))
            return 1;
    for (size_t i = 0; i < sizeof(tied) / sizeof(*tied); i++)
        if (!strcmp(name, tied[i][1]))
            return 1;
    for (int64_t i = 0; i < n; i++)
        if (!strcmp(name, list[i].name) ||
            (!bird_param_is_head(list + i) && !strcmp(name, list[i].name + 5)))
            return 1;
    return 0;
}

/* Every tensor must be the model's, or of a head that it does not have. */
static int check_names(const struct bird_param *list, int64_t n,
                       const bird_tensors *t, const char *path)
{
    struct bird_param_list other = {0};
    struct bird_config c = {0};

    for (int i = 0; (c.head = bird_head_at(i)); i++)
        if (c.head->tensors)
            c.head->tensors(&other, &c);
    for (int64_t i = 0; !other.rc && i < bird_tensors_count(t); i++) {
        const char *name = bird_tensors_at(t, i)->name;

        if (!is_known(name, list, n) &&
            !bird_params_find(other.p, other.n, name))
            other.rc = bird_fail(BIRD_EFORMAT,
                                 "%s: tensor '%.100s' is not part of this "
                                 "model",
                                 path, name);
    }
    free(other.p);
    return other.rc;
}

/* A tied copy that the file also holds must at least have the shape. */
static int check_tied(const struct bird_param *list, int64_t n,
                      const bird_tensors *t, const char *path)
{
    int rc = 0;

    if (!bird_params_find(list, n, "cls.predictions.bias"))
        return 0;
    for (size_t i = 0; !rc && i < sizeof(tied) / sizeof(*tied); i++) {
        const struct bird_tensor *x = bird_tensors_find(t, tied[i][1]);

        if (x)
            rc = check_tensor(bird_params_find(list, n, tied[i][0]), x, path);
    }
    return rc;
}

/* source[i] = the tensor of list[i], NULL where it may be fresh. */
static int match(const struct bird_tensor **source,
                 const struct bird_param *list, int64_t n,
                 const bird_tensors *t, int head_may_miss, const char *path)
{
    int untied = is_untied(list, n), rc;

    for (int64_t i = 0; i < n; i++) {
        int optional = head_may_miss && bird_param_is_head(list + i);

        source[i] = find(t, list[i].name, untied);
        if (!source[i] && !optional)
            return bird_fail(BIRD_EFORMAT, "%s: tensor '%s' is missing", path,
                             list[i].name);
        if (optional && source[i] && !same_shape(list + i, source[i]))
            source[i] = NULL;
        if (source[i] && (rc = check_tensor(list + i, source[i], path)))
            return rc;
    }
    rc = check_names(list, n, t, path);
    return rc || head_may_miss ? rc : check_tied(list, n, t, path);
}

struct copy {
    float *block;
    const struct bird_param *list;
    const struct bird_tensor **source;
    const bird_tensors *file;
};

static void copy_one(void *context, int64_t i, int worker)
{
    const struct copy *c = context;

    (void)worker;
    if (c->source[i] && (c->source[i]->data || !c->source[i]->size)) {
        bird_tensor_to_f32(c->block + c->list[i].offset, c->source[i]);
        bird_tensor_forget(c->file, c->source[i]);
    }
}

/* Read tensors that are not in memory from the archive, one by one. */
static int copy_rest(const struct copy *c, int64_t n, const char *path)
{
    int rc = 0;

    for (int64_t i = 0; !rc && i < n; i++)
        if (c->source[i] && !c->source[i]->data && c->source[i]->size)
            rc = bird_tensor_read(c->block + c->list[i].offset, c->file,
                                  c->source[i], path);
    return rc;
}

int bird_params_load(float *block, const struct bird_param *list, int64_t n,
                     const bird_tensors *t, unsigned char *fresh,
                     const char *path)
{
    const struct bird_tensor **source = NULL;
    struct copy c = {block, list, NULL, t};
    int rc = bird_array_new(&source, n, sizeof(const struct bird_tensor *));

    if (!rc)
        rc = match(source, list, n, t, fresh != NULL, path);
    if (!rc) {
        c.source = source;
        bird_parallel(n, copy_one, &c);
        rc = copy_rest(&c, n, path);
        for (int64_t i = 0; fresh && i < n; i++)
            fresh[i] = !source[i];
    }
    free(source);
    return rc;
}

/* The block in the file, if it is stored as in memory: float32, aligned, in the
 * list's order. */
static const float *in_place(const struct bird_tensor *const *source,
                             const struct bird_param *list, int64_t n)
{
    const float *block = n ? source[0]->data : NULL;

    if (!block || (uintptr_t)block % (BIRD_PARAM_ALIGN * sizeof(*block)))
        return NULL;
    for (int64_t i = 0; i < n; i++)
        if (source[i]->dtype != BIRD_F32 ||
            (uintptr_t)source[i]->data !=
                (uintptr_t)block + (size_t)list[i].offset * sizeof(*block))
            return NULL;
    return block;
}

int bird_params_map(const float **block, const struct bird_param *list,
                    int64_t n, const bird_tensors *t, const char *path)
{
    const struct bird_tensor **source = NULL;
    int rc = bird_array_new(&source, n, sizeof(const struct bird_tensor *));

    if (!rc)
        rc = match(source, list, n, t, 0, path);
    if (!rc) /* pages that are not mapped would be lost when given back */
        *block = bird_tensors_are_mapped(t) ? in_place(source, list, n) : NULL;
    free(source);
    return rc;
}

int bird_params_save(const char *path, const float *block,
                     const struct bird_param *list, int64_t n,
                     enum bird_dtype dtype)
{
    static const char *const metadata[] = {"format", "pt"};
    struct bird_tensor *t = NULL;
    uint16_t *half = NULL;
    int64_t total = n ? list[n - 1].offset + list[n - 1].count : 0, n_all = n;
    int rc;

    if (dtype != BIRD_F32 && dtype != BIRD_BF16)
        return bird_fail(BIRD_EINVAL,
                         "%s: weights are written as float32 or "
                         "bfloat16",
                         path);
    rc = bird_array_new(&t, n + 1, sizeof(*t));
    if (!rc && dtype == BIRD_BF16)
        rc = bird_array_new(&half, total, sizeof(*half));
    for (int64_t i = 0; !rc && i < n; i++) {
        const struct bird_param *p = list + i;

        t[i] = (struct bird_tensor){
            p->name,           dtype,
            p->n_dim,          {p->shape[0], p->shape[1], p->shape[2]},
            block + p->offset, (size_t)p->count * sizeof(*block)};
        if (half) {
            bird_f32_to_bf16(half + p->offset, block + p->offset, p->count);
            t[i].data = half + p->offset;
            t[i].size = (size_t)p->count * sizeof(*half);
        }
        if (!strcmp(p->name, tied[1][0]) && is_untied(list, n)) {
            t[n_all++] = t[i];
            t[i].name = tied[1][1];
        }
    }
    if (!rc)
        rc = bird_tensors_write(path, t, n_all, metadata, 1);
    free(t);
    free(half);
    return rc;
}
