/* The table of patterns, and their parameters in files and options.
 *
 * A parameter is an int64_t of struct bird_pattern that its row describes: a
 * number with limits, one of some words, or a set of them. Reading, writing and
 * parsing walk the row's list, so that no file but the pattern's own knows what
 * parameters there are.
 * SPDX-License-Identifier: MIT */
#include "pattern/pattern.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/json.h"

#define ROW(name) &bird_pattern_##name,
static const struct bird_pattern_row *const rows[] = {BIRD_PATTERNS(ROW)};
#undef ROW

/* Row i of the table, from 0; NULL past the last. */
static const struct bird_pattern_row *row_at(int i)
{
    return i < (int)(sizeof(rows) / sizeof(*rows)) ? rows[i] : NULL;
}

static int64_t *at(struct bird_pattern *p, const struct bird_pattern_param *k)
{
    return (int64_t *)(void *)((char *)p + k->at);
}

static int64_t value_of(const struct bird_pattern *p,
                        const struct bird_pattern_param *k)
{
    return *(const int64_t *)(const void *)((const char *)p + k->at);
}

static int has(const struct bird_pattern_row *row, size_t offset)
{
    for (int i = 0; row && i < row->n_param; i++)
        if (row->param[i].at == offset)
            return 1;
    return 0;
}

/* Change the pattern; what it shares with the one before stays. */
static void take_row(struct bird_pattern *p, const struct bird_pattern_row *row)
{
    for (int i = 0; i < row->n_param; i++)
        if (!has(p->row, row->param[i].at))
            *at(p, &row->param[i]) = row->param[i].usual;
    p->row = row;
}

void bird_pattern_default(struct bird_pattern *p)
{
    *p = (struct bird_pattern){0};
    take_row(p, rows[0]);
}

int bird_pattern_take_type(struct bird_pattern *p, const char *type)
{
    for (int i = 0; row_at(i); i++)
        if (!strcmp(rows[i]->type, type)) {
            take_row(p, rows[i]);
            return 1;
        }
    return 0;
}

/* Place of a word (n bytes) in "a|b|c"; -1: none. */
static int find_word(const char *words, const char *s, size_t n)
{
    for (int i = 0;; i++) {
        size_t m = strcspn(words, "|");

        if (m == n && !memcmp(words, s, n))
            return i;
        if (!words[m])
            return -1;
        words += m + 1;
    }
}

static json_t *word_at(const char *words, int64_t i)
{
    while (i--)
        words += strcspn(words, "|") + 1;
    return json_stringn(words, strcspn(words, "|"));
}

static int64_t parse_value(const struct bird_pattern_param *k, const char *s,
                           size_t n)
{
    char text[32], *rest;
    long long v;

    if (k->several) {
        int64_t set = 0;

        for (size_t i = 0, m; i <= n; i += m + 1) {
            m = strcspn(s + i, "+,");
            m = i + m > n ? n - i : m;
            v = find_word(k->words, s + i, m);
            if (v < 0)
                return -1;
            set |= INT64_C(1) << v;
        }
        return set;
    }
    if (k->words)
        return find_word(k->words, s, n);
    snprintf(text, sizeof(text), "%.*s", (int)n, s);
    errno = 0;
    v = strtoll(text, &rest, 10);
    if (n < 1 || n >= sizeof(text) || *s < '0' || *s > '9' || *rest || errno)
        return -1; /* strtoll() would take blanks and + */
    return v >= k->lo && v <= k->hi ? v : -1;
}

/* Set a parameter from n bytes of an option and m of its value. */
static int set(struct bird_pattern *p, const char *option, size_t n,
               const char *s, size_t m)
{
    const struct bird_pattern_param *k = p->row->param;
    int i = 0;
    int64_t v;

    while (i < p->row->n_param &&
           (strlen(k[i].option) != n || memcmp(k[i].option, option, n) != 0))
        i++;
    if (i == p->row->n_param)
        return bird_fail(BIRD_EINVAL, "pattern %s has no parameter '%.*s'",
                         p->row->name, n > 30 ? 30 : (int)n, option);
    v = parse_value(k + i, s, m);
    if (v < 0 && k[i].words)
        return bird_fail(BIRD_EINVAL, "%s '%.*s': use %s of %s", k[i].name,
                         m > 60 ? 60 : (int)m, s, k[i].several ? "some" : "one",
                         k[i].words);
    if (v < 0)
        return bird_fail(BIRD_EINVAL, "%s '%.*s': use %lld to %lld", k[i].name,
                         m > 60 ? 60 : (int)m, s, (long long)k[i].lo,
                         (long long)k[i].hi);
    *at(p, k + i) = v;
    return 0;
}

int bird_pattern_set(struct bird_pattern *p, const char *option,
                     const char *value)
{
    return set(p, option, strlen(option), value, strlen(value));
}

int bird_pattern_parse(struct bird_pattern *p, const char *text)
{
    struct bird_pattern q = *p;
    size_t n = strcspn(text, ",");
    int i = 0, rc = 0;

    while (row_at(i) &&
           (strlen(rows[i]->name) != n || memcmp(rows[i]->name, text, n) != 0))
        i++;
    if (!row_at(i)) {
        struct bird_text names = {0};

        for (i = 0; !rc && row_at(i); i++)
            rc = bird_text_printf(&names, "%s%s", i ? ", " : "", rows[i]->name);
        if (!rc)
            rc = bird_fail(BIRD_EINVAL, "unknown pattern '%.*s': use %s",
                           n > 30 ? 30 : (int)n, text, names.s);
        bird_text_free(&names);
        return rc;
    }
    take_row(&q, rows[i]);
    for (const char *s = text + n; !rc && *s; s += n) {
        size_t m = strcspn(++s, "=");

        n = strcspn(s, ",");
        rc = m < n ? set(&q, s, m, s + m + 1, n - m - 1)
                   : bird_fail(BIRD_EINVAL,
                               "pattern %s: '%.*s' is not OPTION=VALUE",
                               q.row->name, n > 30 ? 30 : (int)n, s);
    }
    if (!rc)
        *p = q;
    return rc;
}

/* Is this a pattern that attends to everything? */
static int is_full_name(const char *name)
{
    for (int i = 0; row_at(i); i++)
        if (!rows[i]->list && !strcmp(rows[i]->name, name))
            return 1;
    return 0;
}

int bird_pattern_options(struct bird_pattern *p, const char *pattern,
                         const char *random, const char *parts, uint64_t seed)
{
    int rc = pattern ? bird_pattern_parse(p, pattern) : 0;

    if (!rc && random)
        rc = bird_pattern_set(p, "random", random);
    if (!rc && parts)
        rc = is_full_name(parts) ? bird_pattern_parse(p, parts)
                                 : bird_pattern_set(p, "parts", parts);
    if (!rc && seed) {
        char text[24];

        snprintf(text, sizeof(text), "%llu", (unsigned long long)seed);
        rc = bird_pattern_set(p, "seed", text);
    }
    return rc;
}

static int read_set(int64_t *out, const json_t *list,
                    const struct bird_pattern_param *k, const char *path)
{
    int64_t set = 0;

    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *s = json_string_value(json_array_get(list, i));
        int v = s ? find_word(k->words, s, strlen(s)) : -1;

        if (v < 0)
            return bird_fail(BIRD_EUNSUPPORTED,
                             "%s: %s: '%.40s' is not one of %s", path, k->name,
                             s ? s : "", k->words);
        set |= INT64_C(1) << v;
    }
    if (!set)
        return bird_fail(BIRD_EFORMAT, "%s: '%s' is not a list of %s", path,
                         k->name, k->words);
    *out = set;
    return 0;
}

static int read_param(int64_t *out, const json_t *o,
                      const struct bird_pattern_param *k, const char *path)
{
    const json_t *v = json_object_get(o, k->name);
    const char *s = NULL;
    int rc, word;

    if (k->several)
        return v ? read_set(out, v, k, path) : 0;
    if (!k->words)
        return bird_json_int(out, o, k->name, k->lo, k->hi, path);
    rc = bird_json_text(&s, o, k->name, path);
    if (rc || !s)
        return rc;
    word = find_word(k->words, s, strlen(s));
    if (word < 0)
        return bird_fail(BIRD_EUNSUPPORTED, "%s: %s '%.60s' is not one of %s",
                         path, k->name, s, k->words);
    *out = word;
    return 0;
}

int bird_pattern_read(struct bird_pattern *p, const json_t *o,
                      enum bird_pattern_file file, const char *path)
{
    int rc = 0;

    for (int i = 0; !rc && i < p->row->n_param; i++)
        if (p->row->param[i].file == file)
            rc = read_param(at(p, &p->row->param[i]), o, &p->row->param[i],
                            path);
    return rc;
}

static json_t *to_json(int64_t v, const struct bird_pattern_param *k)
{
    json_t *list;

    if (!k->words)
        return json_integer(v);
    if (!k->several)
        return word_at(k->words, v);
    list = json_array();
    for (int i = 0; list && v >> i; i++)
        if (v >> i & 1 && json_array_append_new(list, word_at(k->words, i))) {
            json_decref(list);
            return NULL;
        }
    return list;
}

int bird_pattern_write(json_t *o, const struct bird_pattern *p,
                       enum bird_pattern_file file)
{
    for (int i = 0; i < p->row->n_param; i++) {
        const struct bird_pattern_param *k = &p->row->param[i];
        int64_t v = value_of(p, k);

        if (k->file != file ||
            (k->implied && (v == k->usual || (k->several && !v))))
            continue;
        if (json_object_set_new(o, k->name, to_json(v, k)))
            return bird_fail_memory(0);
    }
    return 0;
}

/* The next parameter of any pattern in dnabird.json; *r and *i count on. */
static const char *next_field(int *r, int *i)
{
    for (; row_at(*r); ++*r, *i = 0)
        while (*i < rows[*r]->n_param)
            if (rows[*r]->param[(*i)++].file == BIRD_PATTERN_META)
                return rows[*r]->param[*i - 1].name;
    return NULL;
}

int bird_pattern_is_field(const char *name)
{
    const char *field;
    int r = 0, i = 0;

    while ((field = next_field(&r, &i)))
        if (!strcmp(field, name))
            return 1;
    return 0;
}

void bird_pattern_forget(json_t *meta)
{
    const char *field;
    int r = 0, i = 0;

    while ((field = next_field(&r, &i)))
        json_object_del(meta, field);
}

int bird_pattern_check(const struct bird_pattern *p, const char *path)
{
    for (int i = 0; i < p->row->n_param; i++) {
        const struct bird_pattern_param *k = &p->row->param[i];
        int64_t v = value_of(p, k);

        if (v < k->lo || v > k->hi)
            return bird_fail(
                BIRD_EINVAL, "%s: '%s' is %lld, outside %lld to %lld", path,
                k->name, (long long)v, (long long)k->lo, (long long)k->hi);
    }
    return p->row->check ? p->row->check(p) : 0;
}

/* A value as an option takes it. */
static int put_value(struct bird_text *t, const struct bird_pattern_param *k,
                     int64_t v)
{
    json_t *word;
    int rc = 0;

    if (!k->words)
        return bird_text_printf(t, "%lld", (long long)v);
    for (int64_t i = k->several ? 0 : v, n = 0; !rc && (k->several || i == v);
         i++) {
        if (k->several && !(v >> i))
            break;
        if (k->several && !(v >> i & 1))
            continue;
        if (!(word = word_at(k->words, i)))
            return bird_fail_memory(0);
        rc = bird_text_printf(t, "%s%s", n++ ? "+" : "",
                              json_string_value(word));
        json_decref(word);
    }
    return rc;
}

int bird_pattern_text(struct bird_text *t, const struct bird_pattern *p)
{
    int rc = bird_text_printf(t, "%s", p->row->name);

    for (int i = 0; !rc && i < p->row->n_param; i++) {
        const struct bird_pattern_param *k = &p->row->param[i];
        int64_t v = value_of(p, k);

        if (k->implied && (v == k->usual || (k->several && !v)))
            continue;
        rc = bird_text_printf(t, ",%s=", k->option);
        if (!rc)
            rc = put_value(t, k, v);
    }
    return rc;
}

int bird_pattern_is_reference(const struct bird_pattern *p)
{
    return p->row->transformers &&
           (!p->row->is_reference || p->row->is_reference(p));
}

int64_t bird_pattern_period(const struct bird_pattern *p)
{
    return p->row->period ? p->row->period(p) : 1;
}

int64_t bird_pattern_global_tokens(const struct bird_pattern *p)
{
    return p->row->global_tokens ? p->row->global_tokens(p) : 0;
}

int bird_pattern_is_causal(const struct bird_pattern *p)
{
    return p->own[BIRD_OWN_CAUSAL] &&
           has(p->row, offsetof(struct bird_pattern, own[BIRD_OWN_CAUSAL]));
}

const char *bird_causal_words(const struct bird_pattern *p)
{
    return bird_pattern_is_causal(p) ? ", causal" : "";
}

int bird_pattern_is_full(const struct bird_pattern *p, int64_t len_tok)
{
    return !bird_pattern_is_causal(p) &&
           (!p->row->list || (p->row->is_full && p->row->is_full(p, len_tok)));
}
