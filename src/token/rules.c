/*
 * Rules that change the text before the merges: read from JSON, and applied.
 *
 * Each rule rewrites the text from one of two buffers into the other, with a
 * list of spans that map bytes to positions of the raw text. So positions of
 * tokens are looked up once, at the end, and a text that no rule changes is
 * never copied. Patterns are fixed texts and runs of one character, as
 * vocabularies of DNA use them; any other regular expression is refused.
 * SPDX-License-Identifier: MIT
 */
#include "token/rules.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/json.h"
#include "base/mem.h"

/*
 * A run of at least `least` characters covers every `least`-th position, so
 * only these are checked until one matches.
 */
static int run_next(const struct bird_text_pattern *f, const char *s, int64_t n,
                    int64_t from, int64_t *start, int64_t *end)
{
    char x = f->text[0];
    int64_t i = from;

    while (i <= n - f->least) {
        int64_t hit = i + f->least - 1, a = hit, b = hit + 1;

        if (s[hit] != x) {
            i = hit + 1;
            continue;
        }
        while (a > i && s[a - 1] == x)
            a--;
        while (b < n && s[b] == x)
            b++;
        if (b - a >= f->least) {
            *start = a;
            *end = b;
            return 1;
        }
        i = b + 1;
    }
    return 0;
}

int bird_text_pattern_next(const struct bird_text_pattern *f, const char *s,
                           int64_t n, int64_t from, int64_t *start,
                           int64_t *end)
{
    const char *p;

    if (f->least)
        return run_next(f, s, n, from, start, end);
    if (from >= n)
        return 0;
    p = f->n == 1 ? memchr(s + from, f->text[0], (size_t)(n - from))
                  : memmem(s + from, (size_t)(n - from), f->text, f->n);
    if (!p)
        return 0;
    *start = p - s;
    *end = *start + (int64_t)f->n;
    return 1;
}

int bird_space_at(const char *s, int64_t n)
{
    const uint8_t *p = (const uint8_t *)s;
    uint32_t c;

    if (n >= 1 && (p[0] == ' ' || (p[0] >= '\t' && p[0] <= '\r')))
        return 1;
    if (n >= 2 && p[0] == 0xc2 && (p[1] == 0x85 || p[1] == 0xa0))
        return 2;
    if (n < 3 || p[0] < 0xe1 || p[0] > 0xe3)
        return 0;
    c = (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];
    if (c == 0xe19a80 || (c >= 0xe28080 && c <= 0xe2808a) || c == 0xe280a8 ||
        c == 0xe280a9 || c == 0xe280af || c == 0xe2819f || c == 0xe38080)
        return 3;
    return 0;
}

int bird_char_at(const char *s, int64_t n)
{
    const uint8_t *p = (const uint8_t *)s;
    int need = p[0] < 0xc2 ? 1 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;

    if (need == 1 || p[0] > 0xf4 || need > n)
        return 1;
    for (int i = 1; i < need; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 1;
    if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
        (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
        return 1;
    return need;
}

/* Nested sequences: enough for real files, a limit for hostile ones. */
#define RULE_DEPTH 8

static int refuse(const char *path, const char *section, const char *what,
                  const char *value)
{
    return bird_fail(BIRD_EUNSUPPORTED, "%s: %s: %s '%.60s' is not supported",
                     path, section, what, value);
}

static int malformed(const char *path, const char *section, const char *what)
{
    return bird_fail(BIRD_EFORMAT, "%s: %s: %s", path, section, what);
}

static int text_copy(char **out, size_t *n, const char *s)
{
    *n = strlen(s);
    *out = strdup(s);
    return *out ? 0 : bird_fail_memory(*n + 1);
}

static int is_plain(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
           (c >= 'a' && c <= 'z');
}

/* Letters and digits stand for themselves; X+ and X{n,} for runs of one of
 * them. */
static int regex_read(struct bird_text_pattern *f, const char *s)
{
    size_t i = 0;
    char *end;
    long least;

    while (is_plain(s[i]))
        i++;
    if (i > 0 && !s[i])
        return 1;
    if (i != 1)
        return 0;
    if (!strcmp(s + 1, "+")) {
        f->least = 1;
        return 1;
    }
    if (s[1] != '{' || s[2] < '1' || s[2] > '9')
        return 0;
    least = strtol(s + 2, &end, 10);
    if (strcmp(end, ",}") != 0 || least > 1000000)
        return 0;
    f->least = least;
    return 1;
}

static int pattern_read(struct bird_text_pattern *f, const json_t *step,
                        const char *section, const char *path)
{
    const json_t *pattern = json_object_get(step, "pattern");
    const char *s = json_string_value(json_object_get(pattern, "String"));
    const char *regex = json_string_value(json_object_get(pattern, "Regex"));

    if (!s == !regex)
        return malformed(path, section,
                         "'pattern' is neither a String nor a Regex");
    if (regex && !regex_read(f, regex))
        return refuse(path, section, "the Regex", regex);
    if (s && !*s)
        return refuse(path, section, "the String", s);
    return text_copy(&f->text, &f->n, s ? s : regex);
}

static int rule_add(struct bird_rules *out, const struct bird_rule *step)
{
    int rc =
        bird_array_grow(&out->rule, &out->cap, out->n + 1, sizeof(*out->rule));

    if (!rc)
        out->rule[out->n++] = *step;
    return rc;
}

static void rule_free(struct bird_rule *s)
{
    free(s->pattern.text);
    free(s->content);
}

static int replace_read(struct bird_rule *x, const json_t *step,
                        const char *path)
{
    const char *content = json_string_value(json_object_get(step, "content"));
    int rc = pattern_read(&x->pattern, step, "normalizer", path);

    if (rc)
        return rc;
    if (!content)
        return malformed(path, "normalizer", "Replace without 'content'");
    x->kind = BIRD_RULE_REPLACE;
    return text_copy(&x->content, &x->n_content, content);
}

static int normalizer_read(struct bird_rule *x, const json_t *step,
                           const char *type, const char *path)
{
    int rc;

    if (!strcmp(type, "Strip")) {
        x->kind = BIRD_RULE_STRIP;
        x->left = x->right = 1;
        if ((rc = bird_json_bool(&x->left, step, "strip_left", path)))
            return rc;
        return bird_json_bool(&x->right, step, "strip_right", path);
    }
    if (!strcmp(type, "Replace"))
        return replace_read(x, step, path);
    if (!strcmp(type, "Lowercase") || !strcmp(type, "Uppercase")) {
        x->kind = *type == 'L' ? BIRD_RULE_LOWER : BIRD_RULE_UPPER;
        return 0;
    }
    return refuse(path, "normalizer", "type", type);
}

static int split_read(struct bird_rule *x, const json_t *step, const char *type,
                      const char *path)
{
    const char *behavior = "Isolated";
    int invert = 0, rc;

    if (!strcmp(type, "Whitespace") || !strcmp(type, "WhitespaceSplit")) {
        x->kind = type[10] ? BIRD_RULE_WHITE_SPACE : BIRD_RULE_WORDS;
        return 0;
    }
    if (strcmp(type, "Split") != 0)
        return refuse(path, "pre_tokenizer", "type", type);
    x->kind = BIRD_RULE_SPLIT;
    if ((rc = bird_json_bool(&invert, step, "invert", path)) ||
        (rc = bird_json_text(&behavior, step, "behavior", path)))
        return rc;
    if (invert)
        return refuse(path, "pre_tokenizer", "Split with 'invert'", "true");
    x->keep = !strcmp(behavior, "Isolated");
    if (!x->keep && strcmp(behavior, "Removed") != 0)
        return refuse(path, "pre_tokenizer", "Split with 'behavior'", behavior);
    return pattern_read(&x->pattern, step, "pre_tokenizer", path);
}

/* Read one section, which may be a Sequence of rules. */
static int section_read(struct bird_rules *out, const json_t *section,
                        int normalizer, int depth, const char *path)
{
    const char *name = normalizer ? "normalizer" : "pre_tokenizer";
    const char *type = json_string_value(json_object_get(section, "type"));
    struct bird_rule x = {0};
    int rc = 0;

    if (!section || json_is_null(section))
        return 0;
    if (!type)
        return malformed(path, name, "no 'type'");
    if (!strcmp(type, "Sequence")) {
        const json_t *list = json_object_get(
            section, normalizer ? "normalizers" : "pretokenizers");

        if (!json_is_array(list))
            return malformed(path, name, "Sequence without a list");
        if (depth == RULE_DEPTH)
            return refuse(path, name, "nested more than 8 deep:", type);
        for (size_t i = 0; i < json_array_size(list) && !rc; i++)
            rc = section_read(out, json_array_get(list, i), normalizer,
                              depth + 1, path);
        return rc;
    }
    rc = normalizer ? normalizer_read(&x, section, type, path)
                    : split_read(&x, section, type, path);
    if (!rc && out->n >= 64)
        rc = refuse(path, name, "more than 64 steps:", type);
    if (!rc)
        rc = rule_add(out, &x);
    if (rc)
        rule_free(&x);
    return rc;
}

int bird_rules_read_normalizer(struct bird_rules *out, const json_t *section,
                               const char *path)
{
    return section_read(out, section, 1, 0, path);
}

int bird_rules_read_pretokenizer(struct bird_rules *out, const json_t *section,
                                 const char *path)
{
    return section_read(out, section, 0, 0, path);
}

void bird_rules_free(struct bird_rules *s)
{
    for (int64_t i = 0; i < s->n; i++)
        rule_free(&s->rule[i]);
    free(s->rule);
    *s = (struct bird_rules){0};
}

static int span_add(struct bird_position_runs *l, int64_t at, int64_t from,
                    int step)
{
    int rc = bird_array_grow(&l->span, &l->cap, l->n + 1, sizeof(*l->span));

    if (!rc)
        l->span[l->n++] = (struct bird_position_run){at, from, step};
    return rc;
}

/* The span of place i, searched from span k on. */
static int64_t span_of(const struct bird_position_runs *l, int64_t k, int64_t i)
{
    while (k + 1 < l->n && l->span[k + 1].at <= i)
        k++;
    return k;
}

static int64_t position(const struct bird_position_run *x, int64_t i)
{
    return x->from + x->step * (i - x->at);
}

static void strip(struct bird_normal *t, const struct bird_rule *x)
{
    int k;

    while (x->left && (k = bird_space_at(t->s, t->n))) {
        t->s += k;
        t->n -= k;
        t->shift += k;
    }
    while (x->right && t->n > 0) {
        for (k = 1; k <= 3 && k <= t->n; k++)
            if (bird_space_at(t->s + t->n - k, k) == k)
                break;
        if (k > 3 || k > t->n)
            break;
        t->n -= k;
    }
}

/* Append s[a .. b) and its spans to the other pair; *k is where to begin the
 * search. */
static int replace_keep(struct bird_normal *t, int64_t a, int64_t b, int64_t *k)
{
    const struct bird_position_runs *old = &t->spans[t->use];
    struct bird_text *text = &t->own[!t->use];
    int64_t at = text->n;
    int rc;

    for (int64_t i = a; i < b;) {
        int64_t end;

        *k = span_of(old, *k, i + t->shift);
        end = *k + 1 < old->n ? old->span[*k + 1].at - t->shift : b;
        rc = span_add(&t->spans[!t->use], at + i - a,
                      position(&old->span[*k], i + t->shift),
                      old->span[*k].step);
        if (rc)
            return rc;
        i = end;
    }
    return bird_text_put(text, t->s + a, b - a);
}

static int replace(struct bird_normal *t, const struct bird_rule *x)
{
    struct bird_text *text = &t->own[!t->use];
    struct bird_position_runs *spans = &t->spans[!t->use];
    int64_t from = 0, a, b, k = 0;
    int rc;

    if (!bird_text_pattern_next(&x->pattern, t->s, t->n, 0, &a, &b))
        return 0;
    bird_text_clear(text);
    spans->n = 0;
    do {
        const struct bird_position_runs *old = &t->spans[t->use];

        if ((rc = replace_keep(t, from, a, &k)))
            return rc;
        k = span_of(old, k, a + t->shift);
        rc = span_add(spans, text->n, position(&old->span[k], a + t->shift), 0);
        if (rc)
            return rc;
        if ((rc = bird_text_put(text, x->content, (int64_t)x->n_content)))
            return rc;
        from = b;
    } while (bird_text_pattern_next(&x->pattern, t->s, t->n, from, &a, &b));
    if ((rc = replace_keep(t, from, t->n, &k)))
        return rc;
    t->use = !t->use;
    t->s = text->s;
    t->n = text->n;
    t->shift = 0;
    return 0;
}

/* Copy the text with its ASCII letters in the wanted case. */
static int change_case(struct bird_normal *t, int upper)
{
    char lo = upper ? 'a' : 'A', hi = upper ? 'z' : 'Z';
    struct bird_text *text = &t->own[!t->use];
    struct bird_position_runs *old = &t->spans[t->use],
                              *spans = &t->spans[!t->use];
    int rc;

    bird_text_clear(text);
    spans->n = 0;
    if ((rc = bird_text_put(text, t->s, t->n)))
        return rc;
    for (int64_t i = 0; i < t->n; i++) {
        if (text->s[i] & 0x80)
            return bird_fail(BIRD_EUNSUPPORTED,
                             "change of case beyond ASCII is not supported: "
                             "byte 0x%02x",
                             (uint8_t)text->s[i]);
        if (text->s[i] >= lo && text->s[i] <= hi)
            text->s[i] ^= 0x20;
    }
    for (int64_t i = 0; i < old->n; i++)
        if ((rc = span_add(spans, old->span[i].at, old->span[i].from,
                           old->span[i].step)))
            return rc;
    t->s = text->s;
    t->use = !t->use;
    return 0;
}

int bird_normal_run(struct bird_normal *t, const struct bird_rules *rules,
                    const char *raw, int64_t n, int64_t base)
{
    int rc = 0;

    t->s = raw;
    t->n = n;
    t->shift = 0;
    t->use = 0;
    t->spans[0].n = 0;
    rc = span_add(&t->spans[0], 0, base, 1);
    for (int64_t i = 0; i < rules->n && !rc; i++) {
        const struct bird_rule *x = &rules->rule[i];

        if (x->kind == BIRD_RULE_STRIP)
            strip(t, x);
        else if (x->kind == BIRD_RULE_REPLACE)
            rc = replace(t, x);
        else
            rc = change_case(t, x->kind == BIRD_RULE_UPPER);
    }
    return rc;
}

void bird_normal_positions(const struct bird_normal *t, int64_t *place,
                           int64_t n)
{
    const struct bird_position_runs *l = &t->spans[t->use];
    int64_t k = 0;

    for (int64_t i = 0; i < n; i++) {
        k = span_of(l, k, place[i] + t->shift);
        place[i] = position(&l->span[k], place[i] + t->shift);
    }
}

void bird_normal_free(struct bird_normal *t)
{
    for (int i = 0; i < 2; i++) {
        bird_text_free(&t->own[i]);
        free(t->spans[i].span);
    }
    *t = (struct bird_normal){0};
}
