/* Lists of profiles. SPDX-License-Identifier: MIT */
#include "model/feature.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/json.h"
#include "base/mem.h"
#include "dnabird/model.h"

static void free_text(const char *s)
{
    free((char *)(uintptr_t)s);
}

static void free_texts(const bird_feature *x)
{
    free_text(x->name);
    free_text(x->class_name);
    free_text(x->cell);
    free_text(x->factor);
    free_text(x->treatment);
}

void bird_features_free(bird_features *f)
{
    if (!f)
        return;
    for (int64_t i = 0; i < f->n; i++)
        free_texts(&f->at[i]);
    free(f->at);
    *f = (bird_features){0};
}

int bird_features_put(bird_features *f, const bird_feature *x)
{
    bird_feature c = {.index = x->index};
    int rc = bird_array_grow(&f->at, &f->cap, f->n + 1, sizeof(*f->at));

    if (rc)
        return rc;
    c.name = strdup(x->name ? x->name : "");
    c.class_name = strdup(x->class_name ? x->class_name : "");
    c.cell = strdup(x->cell ? x->cell : "");
    c.factor = strdup(x->factor ? x->factor : "");
    c.treatment = strdup(x->treatment ? x->treatment : "");
    if (!c.name || !c.class_name || !c.cell || !c.factor || !c.treatment) {
        free_texts(&c);
        return bird_fail_memory(sizeof(c));
    }
    f->at[f->n++] = c;
    return 0;
}

int bird_features_copy(bird_features *out, const bird_features *f)
{
    bird_features o = {0};
    int rc = 0;

    for (int64_t i = 0; !rc && i < f->n; i++)
        rc = bird_features_put(&o, &f->at[i]);
    if (rc)
        bird_features_free(&o);
    else
        *out = o;
    return rc;
}

int64_t bird_features_find(const bird_features *f, const char *name)
{
    for (int64_t i = 0; i < f->n; i++)
        if (!strcmp(f->at[i].name, name))
            return i;
    return -1;
}

int bird_features_known(const bird_features *f)
{
    for (int64_t i = 0; i < f->n; i++) {
        const bird_feature *x = &f->at[i];

        if (*x->class_name || *x->cell || *x->factor || *x->treatment ||
            x->index >= 0)
            return 1;
    }
    return 0;
}

int bird_features_classes(const char ***out, int64_t *n_class,
                          int32_t *class_of, const bird_features *f)
{
    const char **name;
    int64_t n = 0, k;
    int rc = bird_array_new(&name, f->n, sizeof(*name));

    if (rc)
        return rc;
    for (int64_t i = 0; i < f->n; i++) {
        for (k = 0; k < n && strcmp(name[k], f->at[i].class_name) != 0; k++)
            ;
        if (k == n)
            name[n++] = f->at[i].class_name;
        class_of[i] = (int32_t)k;
    }
    *out = name;
    *n_class = n;
    return 0;
}

static int read_one(bird_feature *x, const json_t *o, const char *path)
{
    const char *text[4] = {NULL};
    static const char *const field[4] = {"class", "cell_type", "factor",
                                         "treatment"};
    int rc = 0;

    if (!json_is_object(o))
        return bird_fail(BIRD_EFORMAT,
                         "%s: an entry of 'features' is no "
                         "object",
                         path);
    for (int i = 0; !rc && i < 4; i++)
        rc = bird_json_text(&text[i], o, field[i], path);
    if (!rc)
        rc = bird_json_int(&x->index, o, "index", 0, INT32_MAX, path);
    x->class_name = text[0];
    x->cell = text[1];
    x->factor = text[2];
    x->treatment = text[3];
    return rc;
}

int bird_features_read(bird_features *out, const struct bird_folder *f)
{
    const json_t *list = json_object_get(f->meta, "features");
    bird_features all = {0};
    int64_t n = f->config.n_label;
    int rc = 0;

    if (json_is_null(list))
        list = NULL;
    if (list && (!json_is_array(list) || (int64_t)json_array_size(list) != n))
        return bird_fail(BIRD_EFORMAT,
                         "%s/dnabird.json: 'features' is not a list of %lld "
                         "entries, one a label",
                         f->path, (long long)n);
    for (int64_t i = 0; !rc && i < n; i++) {
        const json_t *label = json_array_get(f->labels, (size_t)i);
        bird_feature x = {.index = -1};
        char number[32];

        snprintf(number, sizeof(number), "%lld", (long long)i);
        if (list)
            rc = read_one(&x, json_array_get(list, (size_t)i), f->path);
        x.name = json_is_string(label) ? json_string_value(label) : number;
        if (!rc)
            rc = bird_features_put(&all, &x);
    }
    if (rc)
        bird_features_free(&all);
    else
        *out = all;
    return rc;
}

/* Only what is known of it. */
static json_t *describe_one(const bird_feature *x)
{
    json_t *o = json_object();
    const char *const text[4] = {x->class_name, x->cell, x->factor,
                                 x->treatment};
    static const char *const field[4] = {"class", "cell_type", "factor",
                                         "treatment"};
    int bad = !o;

    for (int i = 0; !bad && i < 4; i++)
        if (*text[i])
            bad = json_object_set_new(o, field[i], json_string(text[i]));
    if (!bad && x->index >= 0)
        bad = json_object_set_new(o, "index", json_integer(x->index));
    if (bad) {
        json_decref(o);
        return NULL;
    }
    return o;
}

int bird_features_describe(json_t *meta, const bird_features *f)
{
    json_t *labels = json_array(), *list = json_array();
    int bad = !labels || !list;

    for (int64_t i = 0; !bad && i < f->n; i++)
        bad = json_array_append_new(labels, json_string(f->at[i].name)) ||
              json_array_append_new(list, describe_one(&f->at[i]));
    if (!bad)
        bad = json_object_set(meta, "labels", labels);
    if (!bad && bird_features_known(f))
        bad = json_object_set(meta, "features", list);
    json_decref(labels);
    json_decref(list);
    return bad ? bird_fail(BIRD_EFORMAT, "a profile's name is no UTF-8") : 0;
}

int bird_features_open(bird_features *out, const char *model)
{
    struct bird_folder f = {0};
    char *found = NULL;
    int rc = model ? 0 : bird_default_model(&found, "chromatin");

    if (!rc)
        rc = bird_folder_open(&f, model ? model : found);
    if (!rc && !f.labels)
        rc = bird_fail(BIRD_EINVAL, "%s: names no labels", f.path);
    if (!rc)
        rc = bird_features_read(out, &f);
    bird_folder_free(&f);
    free(found);
    return rc;
}
