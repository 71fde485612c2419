/* Chromatin profiles of a model: in its folder, and chosen by words.
 *
 * A choice is a list of terms; a term without a prefix is tried as a name, then
 * as a class, cell or factor, then as an index; the first that matches a
 * profile decides.
 * SPDX-License-Identifier: MIT */
#include "folder/feature.h"

#include <fnmatch.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"
#include "dnabird/model.h"

/* The texts of a profile other than its name: their keys in dnabird.json and
 * their prefixes in a term. */
enum { N_TEXT = 5 };
static const struct {
    size_t at;
    const char *field, *prefix;
} texts[N_TEXT] = {
    {offsetof(bird_feature, name), NULL, "name:"},
    {offsetof(bird_feature, class_name), "class", "class:"},
    {offsetof(bird_feature, cell), "cell_type", "cell:"},
    {offsetof(bird_feature, factor), "factor", "factor:"},
    {offsetof(bird_feature, treatment), "treatment", "treatment:"},
};
enum { NAME, CLASS, CELL, FACTOR };

static const char **text_at(bird_feature *x, int i)
{
    return (const char **)(void *)((char *)x + texts[i].at);
}

static const char *text_of(const bird_feature *x, int i)
{
    return *(const char *const *)(const void *)((const char *)x + texts[i].at);
}

static void free_texts(const bird_feature *x)
{
    for (int i = 0; i < N_TEXT; i++)
        free((char *)(uintptr_t)text_of(x, i));
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
    for (int i = 0; i < N_TEXT; i++) {
        const char *text = text_of(x, i);

        *text_at(&c, i) = strdup(text ? text : "");
        if (!text_of(&c, i)) {
            free_texts(&c);
            return bird_fail_memory(sizeof(c));
        }
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

int64_t bird_features_command(int64_t *column, const bird_features *f,
                              const struct bird_folder *folder,
                              const char *command)
{
    const json_t *all = json_object_get(folder->meta, "commands"), *name;
    const json_t *list = json_object_get(all, command);
    int64_t n = 0;
    size_t k;

    if (!json_is_array(list)) {
        for (; n < f->n; n++)
            column[n] = n;
        return n;
    }
    json_array_foreach(list, k, name) /* the folder knows them as labels */
    {
        int64_t i = bird_features_find(f, json_string_value(name));

        if (i >= 0 && n < f->n)
            column[n++] = i;
    }
    return n;
}

int bird_features_choose(uint8_t *mark, const bird_features *f,
                         const struct bird_folder *folder, const char *command,
                         const char *text)
{
    int64_t *column, n;
    int rc;

    if (text && *text)
        return bird_features_select(mark, f, text);
    rc = bird_array_new(&column, f->n, sizeof(*column));
    if (rc)
        return rc;
    n = bird_features_command(column, f, folder, command);
    memset(mark, 0, (size_t)f->n);
    for (int64_t i = 0; i < n; i++)
        mark[column[i]] = 1;
    free(column);
    return n ? 0
             : bird_fail(BIRD_EINVAL,
                         "%s names no label for '%s': choose some with "
                         "--features",
                         folder->path, command);
}

static int has_facts(const bird_features *f)
{
    for (int64_t i = 0; i < f->n; i++) {
        if (f->at[i].index >= 0)
            return 1;
        for (int k = CLASS; k < N_TEXT; k++)
            if (*text_of(&f->at[i], k))
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
    int rc = 0;

    if (!json_is_object(o))
        return bird_fail(BIRD_EFORMAT,
                         "%s: an entry of 'features' is not an object", path);
    for (int i = CLASS; !rc && i < N_TEXT; i++)
        rc = bird_json_text(text_at(x, i), o, texts[i].field, path);
    return rc ? rc : bird_json_int(&x->index, o, "index", 0, INT32_MAX, path);
}

/* Check the texts that are printed in columns and headers. */
static int check_texts(const bird_feature *x, const char *path)
{
    for (int i = 0; i < N_TEXT; i++)
        for (const char *c = text_of(x, i); c && *c; c++)
            if (bird_is_control(*c))
                return bird_fail(BIRD_EFORMAT,
                                 "%s: the label '%s' has control characters in "
                                 "its name or description",
                                 path, x->name);
    return 0;
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
            rc = check_texts(&x, f->path);
        if (!rc)
            rc = bird_features_put(&all, &x);
    }
    if (rc)
        bird_features_free(&all);
    else
        *out = all;
    return rc;
}

/* The profile as JSON, without the members that are unknown. */
static json_t *describe_one(const bird_feature *x)
{
    json_t *o = json_object();
    int bad = !o;

    for (int i = CLASS; !bad && i < N_TEXT; i++)
        if (*text_of(x, i))
            bad = json_object_set_new(o, texts[i].field,
                                      json_string(text_of(x, i)));
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
    if (!bad && has_facts(f))
        bad = json_object_set(meta, "features", list);
    json_decref(labels);
    json_decref(list);
    return bad ? bird_fail(BIRD_EFORMAT, "a profile's name is not valid UTF-8")
               : 0;
}

int bird_features_open(bird_features *out, const char *model)
{
    struct bird_folder f = {0};
    char *found = NULL;
    int rc = model ? 0 : bird_default_model(&found, NULL);

    if (!rc)
        rc = bird_folder_open(&f, model ? model : found);
    if (!rc && !f.labels)
        rc = bird_fail(BIRD_EINVAL, "%s has no label names", f.path);
    if (!rc)
        rc = bird_features_read(out, &f);
    bird_folder_free(&f);
    free(found);
    return rc;
}

enum { MAX_DEPTH = 4 }; /* of lists of terms that name other lists */

struct choice {
    const bird_features *f;
    uint8_t *in, *out; /* (n) chosen, and excluded */
    int n_in;          /* terms without '^' */
};

static int is_glob(const char *s)
{
    return strpbrk(s, "*?[") != NULL;
}

static int fits(const char *text, const char *pattern)
{
    return !strcasecmp(text, pattern) ||
           (is_glob(pattern) && !fnmatch(pattern, text, FNM_CASEFOLD));
}

/* Parse all of s as "5" or "5-9"; returns 0 if it is neither. */
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

/* Numbers of labels, or indices in dnabird.json. */
static int mark_range(uint8_t *mark, const bird_features *f, const char *s,
                      int labels)
{
    int64_t lo, hi;
    int n = 0;

    if (!parse_range(&lo, &hi, s))
        return 0;
    for (int64_t i = 0; i < f->n; i++) {
        int64_t at = labels ? i : f->at[i].index;

        if (at >= lo && at <= hi)
            n += mark[i] = 1;
    }
    return n;
}

static int mark_text(uint8_t *mark, const bird_features *f, const char *s,
                     int which)
{
    int n = 0;

    for (int64_t i = 0; i < f->n; i++)
        if (fits(text_of(&f->at[i], which), s))
            n += mark[i] = 1;
    return n;
}

/* A term without a prefix: try name, class, cell, factor and index in turn. */
static int mark_word(uint8_t *mark, const bird_features *f, const char *s)
{
    int64_t exact = bird_features_find(f, s);
    int n = 0;

    if (exact >= 0)
        return mark[exact] = 1;
    if ((n = mark_text(mark, f, s, NAME)))
        return n;
    for (int i = CLASS; i <= FACTOR; i++)
        n += mark_text(mark, f, s, i);
    return n ? n : mark_range(mark, f, s, 0);
}

static int begins(const char *s, const char *prefix)
{
    return !strncasecmp(s, prefix, strlen(prefix));
}

static int mark_term(uint8_t *mark, const bird_features *f, const char *s)
{
    for (int i = 0; i < N_TEXT; i++)
        if (begins(s, texts[i].prefix))
            return mark_text(mark, f, s + strlen(texts[i].prefix), i);
    if (begins(s, "index:"))
        return mark_range(mark, f, s + 6, 0);
    return begins(s, "label:") ? mark_range(mark, f, s + 6, 1)
                               : mark_word(mark, f, s);
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

/* Remove blanks around a term. */
static void trim(char **word)
{
    size_t n;

    *word += strspn(*word, " \t");
    n = strlen(*word);
    while (n && strchr(" \t", (*word)[n - 1]))
        (*word)[--n] = '\0';
}

enum { CELLS_SHOWN = 40 };

/* The cell types of all labels, each once, for a message. */
static int list_cells(struct bird_text *t, const bird_features *f)
{
    int64_t n = 0;
    int rc = 0;

    for (int64_t i = 0; i < f->n && !rc; i++) {
        int64_t k = 0;

        while (k < i && strcmp(f->at[k].cell, f->at[i].cell) != 0)
            k++;
        if (k < i || !*f->at[i].cell || n++ >= CELLS_SHOWN)
            continue;
        rc = bird_text_printf(t, "%s%s", t->n ? ", " : "", f->at[i].cell);
    }
    if (!rc && n > CELLS_SHOWN)
        rc =
            bird_text_printf(t, " and %lld more", (long long)(n - CELLS_SHOWN));
    return rc;
}

enum { NEAR_SHOWN = 5 };

/* Does the text contain the word, in any case? */
static int contains(const char *text, const char *word)
{
    size_t n = strlen(word);

    for (; n && *text; text++)
        if (!strncasecmp(text, word, n))
            return 1;
    return 0;
}

/* Names that contain the term, for a message. */
static int list_near(struct bird_text *t, const bird_features *f,
                     const char *term)
{
    int rc = 0, n = 0;

    for (int64_t i = 0; i < f->n && n < NEAR_SHOWN && !rc; i++)
        if (contains(f->at[i].name, term))
            rc = bird_text_printf(t, "%s%s",
                                  n++ ? ", " : "; near it: ", f->at[i].name);
    return rc;
}

/* Fail, and suggest similar names. */
static int fail_term(const bird_features *f, const char *term)
{
    struct bird_text cells = {0}, near = {0};
    int rc = 0;

    if (!strncmp(term, texts[CELL].prefix, strlen(texts[CELL].prefix)) &&
        !(rc = list_cells(&cells, f)))
        rc = bird_fail(BIRD_EINVAL, "no label has the cell type '%.80s': %s%s",
                       term + strlen(texts[CELL].prefix),
                       cells.n ? "the model has " : "the model names no cell",
                       cells.n ? cells.s : "");
    if (!rc && !(rc = list_near(&near, f, term)))
        rc = bird_fail(BIRD_EINVAL,
                       "no feature matches '%.80s': use a name, class:X, "
                       "cell:X, factor:X, index:I, label:I or a glob%s",
                       term,
                       near.n ? near.s
                              : "; 'dnabird variant -m MODEL --list' prints "
                                "the features");
    bird_text_free(&cells);
    bird_text_free(&near);
    return rc;
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
            rc = fail_term(c->f, word + not_this);
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
        rc = bird_fail(BIRD_EINVAL, "'%.80s' excludes every feature",
                       text ? text : "");
    for (int64_t i = 0; !rc && i < f->n; i++)
        mark[i] = (c.in[i] || !c.n_in) && !c.out[i];
    free(copy);
    free(c.in);
    free(c.out);
    return rc;
}
