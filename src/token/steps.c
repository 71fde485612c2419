/* Normalizers and pre-tokenizers out of JSON. SPDX-License-Identifier: MIT */
#include "token/steps.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/json.h"
#include "base/mem.h"

/* Sequences inside sequences: enough for people, an end for a hostile file. */
#define STEP_DEPTH 8

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

/* Letters and digits as they are; X+ and X{n,} for one of them. */
static int regex_read(struct bird_find *f, const char *s)
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

static int find_read(struct bird_find *f, const json_t *step,
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

static int step_add(struct bird_steps *out, const struct bird_step *step)
{
    int rc =
        bird_array_grow(&out->step, &out->cap, out->n + 1, sizeof(*out->step));

    if (!rc)
        out->step[out->n++] = *step;
    return rc;
}

static void step_free(struct bird_step *s)
{
    free(s->find.text);
    free(s->content);
}

static int replace_read(struct bird_step *x, const json_t *step,
                        const char *path)
{
    const char *content = json_string_value(json_object_get(step, "content"));
    int rc = find_read(&x->find, step, "normalizer", path);

    if (rc)
        return rc;
    if (!content)
        return malformed(path, "normalizer", "Replace without 'content'");
    x->kind = BIRD_STEP_REPLACE;
    return text_copy(&x->content, &x->n_content, content);
}

static int normalizer_read(struct bird_step *x, const json_t *step,
                           const char *type, const char *path)
{
    int rc;

    if (!strcmp(type, "Strip")) {
        x->kind = BIRD_STEP_STRIP;
        x->left = x->right = 1;
        if ((rc = bird_json_bool(&x->left, step, "strip_left", path)))
            return rc;
        return bird_json_bool(&x->right, step, "strip_right", path);
    }
    if (!strcmp(type, "Replace"))
        return replace_read(x, step, path);
    if (!strcmp(type, "Lowercase") || !strcmp(type, "Uppercase")) {
        x->kind = *type == 'L' ? BIRD_STEP_LOWER : BIRD_STEP_UPPER;
        return 0;
    }
    return refuse(path, "normalizer", "type", type);
}

static int split_read(struct bird_step *x, const json_t *step, const char *type,
                      const char *path)
{
    const char *behavior = "Isolated";
    int invert = 0, rc;

    if (!strcmp(type, "Whitespace") || !strcmp(type, "WhitespaceSplit")) {
        x->kind = type[10] ? BIRD_STEP_WHITE_SPACE : BIRD_STEP_WORDS;
        return 0;
    }
    if (strcmp(type, "Split") != 0)
        return refuse(path, "pre_tokenizer", "type", type);
    x->kind = BIRD_STEP_SPLIT;
    if ((rc = bird_json_bool(&invert, step, "invert", path)) ||
        (rc = bird_json_text(&behavior, step, "behavior", path)))
        return rc;
    if (invert)
        return refuse(path, "pre_tokenizer", "Split with 'invert'", "true");
    x->keep = !strcmp(behavior, "Isolated");
    if (!x->keep && strcmp(behavior, "Removed") != 0)
        return refuse(path, "pre_tokenizer", "Split with 'behavior'", behavior);
    return find_read(&x->find, step, "pre_tokenizer", path);
}

/* One section, which may be a Sequence of them. */
static int section_read(struct bird_steps *out, const json_t *section,
                        int normalizer, int depth, const char *path)
{
    const char *name = normalizer ? "normalizer" : "pre_tokenizer";
    const char *type = json_string_value(json_object_get(section, "type"));
    struct bird_step x = {0};
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
        if (depth == STEP_DEPTH)
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
        rc = step_add(out, &x);
    if (rc)
        step_free(&x);
    return rc;
}

int bird_steps_read_normalizer(struct bird_steps *out, const json_t *section,
                               const char *path)
{
    return section_read(out, section, 1, 0, path);
}

int bird_steps_read_split(struct bird_steps *out, const json_t *section,
                          const char *path)
{
    return section_read(out, section, 0, 0, path);
}

void bird_steps_free(struct bird_steps *s)
{
    for (int64_t i = 0; i < s->n; i++)
        step_free(&s->step[i]);
    free(s->step);
    *s = (struct bird_steps){0};
}
