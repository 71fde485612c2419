/* Normalizers at work. SPDX-License-Identifier: MIT */
#include "token/normal.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"

static int span_add(struct bird_spans *l, int64_t at, int64_t from, int step)
{
    int rc = bird_array_grow(&l->span, &l->cap, l->n + 1, sizeof(*l->span));

    if (!rc)
        l->span[l->n++] = (struct bird_span){at, from, step};
    return rc;
}

/* The span of place i, searched from span k on. */
static int64_t span_of(const struct bird_spans *l, int64_t k, int64_t i)
{
    while (k + 1 < l->n && l->span[k + 1].at <= i)
        k++;
    return k;
}

static int64_t position(const struct bird_span *x, int64_t i)
{
    return x->from + x->step * (i - x->at);
}

static void strip(struct bird_normal *t, const struct bird_step *x)
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

/* Append s[a .. b) and its spans to the other pair; *k is where to search. */
static int replace_keep(struct bird_normal *t, int64_t a, int64_t b, int64_t *k)
{
    const struct bird_spans *old = &t->spans[t->use];
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

static int replace(struct bird_normal *t, const struct bird_step *x)
{
    struct bird_text *text = &t->own[!t->use];
    struct bird_spans *spans = &t->spans[!t->use];
    int64_t from = 0, a, b, k = 0;
    int rc;

    if (!bird_find_next(&x->find, t->s, t->n, 0, &a, &b))
        return 0;
    bird_text_clear(text);
    spans->n = 0;
    do {
        const struct bird_spans *old = &t->spans[t->use];

        if ((rc = replace_keep(t, from, a, &k)))
            return rc;
        k = span_of(old, k, a + t->shift);
        rc = span_add(spans, text->n, position(&old->span[k], a + t->shift), 0);
        if (rc)
            return rc;
        if ((rc = bird_text_put(text, x->content, (int64_t)x->n_content)))
            return rc;
        from = b;
    } while (bird_find_next(&x->find, t->s, t->n, from, &a, &b));
    if ((rc = replace_keep(t, from, t->n, &k)))
        return rc;
    t->use = !t->use;
    t->s = text->s;
    t->n = text->n;
    t->shift = 0;
    return 0;
}

/* A copy in which the ASCII letters have the case asked for. */
static int change_case(struct bird_normal *t, int upper)
{
    char lo = upper ? 'a' : 'A', hi = upper ? 'z' : 'Z';
    struct bird_text *text = &t->own[!t->use];
    struct bird_spans *old = &t->spans[t->use], *spans = &t->spans[!t->use];
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

int bird_normal_run(struct bird_normal *t, const struct bird_steps *steps,
                    const char *raw, int64_t n, int64_t base)
{
    int rc = 0;

    t->s = raw;
    t->n = n;
    t->shift = 0;
    t->use = 0;
    t->spans[0].n = 0;
    rc = span_add(&t->spans[0], 0, base, 1);
    for (int64_t i = 0; i < steps->n && !rc; i++) {
        const struct bird_step *x = &steps->step[i];

        if (x->kind == BIRD_STEP_STRIP)
            strip(t, x);
        else if (x->kind == BIRD_STEP_REPLACE)
            rc = replace(t, x);
        else
            rc = change_case(t, x->kind == BIRD_STEP_UPPER);
    }
    return rc;
}

void bird_normal_positions(const struct bird_normal *t, int64_t *place,
                           int64_t n)
{
    const struct bird_spans *l = &t->spans[t->use];
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
