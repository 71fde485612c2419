/* Choosing among profiles by words. SPDX-License-Identifier: MIT */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/mem.h"
#include "model/feature.h"

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
