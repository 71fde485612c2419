/* Chromatin profiles of a model: in its folder, and chosen by words.
 *
 * A choice is a list of terms; a term without a prefix is a name, else a class,
 * cell or factor, else an index: the first reading that fits anything.
 * SPDX-License-Identifier: MIT */
#include "model/feature.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/fail.h"
#include "base/file.h"
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

enum { MAX_DEPTH = 4 }; /* of files that name files */

/* What a term compares. */
enum field { ANY, NAME, CLASS, CELL, FACTOR, TREATMENT, INDEX, LABEL };

static const struct {
    const char *word;
    enum field field;
} prefixes[] = {{"name:", NAME},          {"class:", CLASS}, {"cell:", CELL},
                {"factor:", FACTOR},      {"index:", INDEX}, {"label:", LABEL},
                {"treatment:", TREATMENT}};

struct choice {
    const bird_features *f;
    uint8_t *in, *out; /* (n) chosen, and excluded */
    int n_in;          /* terms without '^' */
};

static const char *text_of(const bird_feature *x, enum field field)
{
    return field == CLASS       ? x->class_name
           : field == CELL      ? x->cell
           : field == FACTOR    ? x->factor
           : field == TREATMENT ? x->treatment
                                : x->name;
}

static int is_glob(const char *s)
{
    return strpbrk(s, "*?[") != NULL;
}

static int fits(const char *text, const char *pattern)
{
    return !strcasecmp(text, pattern) ||
           (is_glob(pattern) && !fnmatch(pattern, text, FNM_CASEFOLD));
}

/* "5" or "5-9" whole; 0 when it is none. */
static int parse_range(int64_t *lo, int64_t *hi, const char *s)
{
    char *end;

    if (*s < '0' || *s > '9' || strlen(s) > 18)
        return 0;
    *lo = *hi = strtoll(s, &end, 10);
    if (*end == '-' && end[1] >= '0' && end[1] <= '9')
        *hi = strtoll(end + 1, &end, 10);
    return !*end && *lo <= *hi;
}

static int mark_range(uint8_t *mark, const bird_features *f, const char *s,
                      enum field field)
{
    int64_t lo, hi;
    int n = 0;

    if (!parse_range(&lo, &hi, s))
        return 0;
    for (int64_t i = 0; i < f->n; i++) {
        int64_t at = field == LABEL ? i : f->at[i].index;

        if (at >= lo && at <= hi)
            n += mark[i] = 1;
    }
    return n;
}

static int mark_field(uint8_t *mark, const bird_features *f, const char *s,
                      enum field field)
{
    int n = 0;

    for (int64_t i = 0; i < f->n; i++)
        if (fits(text_of(&f->at[i], field), s))
            n += mark[i] = 1;
    return n;
}

/* A word without a prefix: the first reading that fits anything. */
static int mark_word(uint8_t *mark, const bird_features *f, const char *s)
{
    static const enum field order[] = {CLASS, CELL, FACTOR};
    int64_t exact = bird_features_find(f, s);
    int n = 0;

    if (exact >= 0)
        return mark[exact] = 1;
    if ((n = mark_field(mark, f, s, NAME)))
        return n;
    for (int i = 0; i < 3; i++)
        n += mark_field(mark, f, s, order[i]);
    return n ? n : mark_range(mark, f, s, INDEX);
}

static int mark_term(uint8_t *mark, const bird_features *f, const char *s)
{
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
        size_t n = strlen(prefixes[i].word);
        enum field field = prefixes[i].field;

        if (strncasecmp(s, prefixes[i].word, n) != 0)
            continue;
        s += n;
        return field == INDEX || field == LABEL ? mark_range(mark, f, s, field)
                                                : mark_field(mark, f, s, field);
    }
    return mark_word(mark, f, s);
}

static int add_terms(struct choice *c, char *text, const char *dividers,
                     int depth);

static int add_file(struct choice *c, const char *path, int depth)
{
    struct bird_text t = {0};
    int rc;

    if (depth >= MAX_DEPTH)
        return bird_fail(BIRD_EINVAL,
                         "%s: a list of features in a list, and "
                         "so on: too deep",
                         path);
    rc = bird_file_read(&t, path);
    if (!rc)
        rc = add_terms(c, t.s, "\r\n", depth + 1);
    bird_text_free(&t);
    return rc;
}

/* Blanks around a term are none of it. */
static void trim(char **word)
{
    size_t n;

    *word += strspn(*word, " \t");
    n = strlen(*word);
    while (n && strchr(" \t", (*word)[n - 1]))
        (*word)[--n] = '\0';
}

static int add_terms(struct choice *c, char *text, const char *dividers,
                     int depth)
{
    char *word, *save = NULL;
    int rc = 0;

    for (word = strtok_r(text, dividers, &save); !rc && word;
         word = strtok_r(NULL, dividers, &save)) {
        int not_this;

        trim(&word);
        if (!*word)
            continue;
        if (*word == '@') {
            rc = add_file(c, word + 1, depth);
            continue;
        }
        not_this = *word == '^';
        c->n_in += !not_this;
        if (!mark_term(not_this ? c->out : c->in, c->f, word + not_this))
            rc = bird_fail(BIRD_EINVAL,
                           "no feature fits '%.80s': the term is a name, "
                           "class:X, cell:X, factor:X, index:I or a glob",
                           word);
    }
    return rc;
}

int bird_features_select(uint8_t *mark, const bird_features *f,
                         const char *text)
{
    struct choice c = {.f = f};
    char *copy = strdup(text ? text : "");
    int64_t left = 0;
    int rc = copy ? 0 : bird_fail_memory(0);

    if (!rc)
        rc = bird_array_new(&c.in, f->n, 1);
    if (!rc)
        rc = bird_array_new(&c.out, f->n, 1);
    if (!rc)
        rc = add_terms(&c, copy, ",", 0);
    for (int64_t i = 0; !rc && i < f->n; i++)
        left += (c.in[i] || !c.n_in) && !c.out[i];
    if (!rc && !left)
        rc = bird_fail(BIRD_EINVAL, "'%.80s' leaves no feature", text);
    for (int64_t i = 0; !rc && i < f->n; i++)
        mark[i] = (c.in[i] || !c.n_in) && !c.out[i];
    free(copy);
    free(c.in);
    free(c.out);
    return rc;
}
