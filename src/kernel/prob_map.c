/* The table of probability maps, and their names in options and files.
 * SPDX-License-Identifier: MIT */
#include "kernel/prob_map.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/json.h"

static struct bird_prob_map softmax(double param)
{
    (void)param;
    return (struct bird_prob_map){.kind = BIRD_PROB_SOFTMAX};
}

static struct bird_prob_map topk(double keys)
{
    return (struct bird_prob_map){.kind = BIRD_PROB_TOP, .keys = (int64_t)keys};
}

static struct bird_prob_map entmax(double alpha)
{
    return (struct bird_prob_map){
        .kind = BIRD_PROB_ENTMAX, .alpha = (float)alpha, .factor = 1};
}

static struct bird_prob_map sparsemax(double param)
{
    (void)param;
    return entmax(2);
}

static struct bird_prob_map sparselin(double lambda)
{
    return (struct bird_prob_map){.kind = BIRD_PROB_ENTMAX,
                                  .alpha = 2,
                                  .factor = (float)(1 / (1 - lambda))};
}

static struct bird_prob_map hardmax(double param)
{
    (void)param;
    return (struct bird_prob_map){.kind = BIRD_PROB_HARDMAX};
}

/* Limits: docs/math/probability-maps.md says why. */
static const struct bird_prob_map_row rows[] = {
    {.name = "softmax", .trains = 1, .of = softmax},
    {.name = "topk",
     .param = "keys",
     .lo = 1,
     .hi = 1 << 20,
     .whole = 1,
     .trains = 1,
     .of = topk},
    {.name = "sparsemax", .trains = 1, .of = sparsemax},
    {.name = "entmax",
     .param = "alpha",
     .lo = 1.05,
     .hi = 2,
     .trains = 1,
     .of = entmax},
    {.name = "sparselin",
     .param = "lambda",
     .lo = -100,
     .hi = 0.99,
     .trains = 1,
     .of = sparselin},
    {.name = "hardmax", .of = hardmax},
};

enum { N_ROW = sizeof(rows) / sizeof(*rows) };

const struct bird_prob_map_row *bird_prob_map_at(int i)
{
    return i >= 0 && i < N_ROW ? &rows[i] : NULL;
}

struct bird_prob_map bird_prob_map_of(const struct bird_attention_map *m)
{
    return (m->row ? m->row : rows)->of(m->param);
}

int bird_prob_map_is_softmax(const struct bird_attention_map *m)
{
    return !m->row || m->row == rows;
}

static const struct bird_prob_map_row *find(const char *name, size_t n)
{
    for (int i = 0; i < N_ROW; i++)
        if (strlen(rows[i].name) == n && !memcmp(rows[i].name, name, n))
            return &rows[i];
    return NULL;
}

static int refuse_name(const char *text)
{
    struct bird_text names = {0};
    int rc = 0;

    for (int i = 0; !rc && i < N_ROW; i++)
        rc = bird_text_printf(&names, "%s%s%s%s", i ? ", " : "", rows[i].name,
                              rows[i].param ? ":" : "",
                              rows[i].param ? rows[i].param : "");
    if (!rc)
        rc = bird_fail(BIRD_EINVAL, "unknown attention map '%.60s': use %s",
                       text, names.s);
    bird_text_free(&names);
    return rc;
}

int bird_prob_map_parse(struct bird_attention_map *m, const char *text)
{
    size_t n = strcspn(text, ":");
    const struct bird_prob_map_row *row = find(text, n);
    const char *s = text + n + (text[n] == ':');
    double v = 0;

    if (!row)
        return refuse_name(text);
    if (!row->param && text[n])
        return bird_fail(BIRD_EINVAL,
                         "attention map '%.60s': %s takes no parameter", text,
                         row->name);
    if (row->param) {
        if (bird_parse_double(&v, s) || !(v >= row->lo && v <= row->hi) ||
            (row->whole && v != floor(v)))
            return bird_fail(
                BIRD_EINVAL, "attention map '%.60s': use %s:%s, %s %g to %.7g",
                text, row->name, row->param,
                row->whole ? "a whole number," : "a number,", row->lo, row->hi);
    }
    *m = (struct bird_attention_map){row, v};
    return 0;
}

int bird_prob_map_text(struct bird_text *t, const struct bird_attention_map *m)
{
    const struct bird_prob_map_row *row = m->row ? m->row : rows;
    char value[40];

    if (!row->param)
        return bird_text_printf(t, "%s", row->name);
    snprintf(value, sizeof(value), "%.15g", m->param);
    if (strtod(value, NULL) != m->param)
        snprintf(value, sizeof(value), "%.17g", m->param);
    return bird_text_printf(t, "%s:%s", row->name, value);
}

int bird_prob_map_read(struct bird_attention_map *m, const json_t *o,
                       const char *path)
{
    const char *s = NULL;
    int rc = bird_json_text(&s, o, "attention_map", path);

    if (rc || !s)
        return rc;
    rc = bird_prob_map_parse(m, s);
    return rc ? bird_fail_in(rc, "%s", path) : 0;
}

int bird_prob_map_write(json_t *o, const struct bird_attention_map *m)
{
    struct bird_text t = {0};
    int rc;

    if (bird_prob_map_is_softmax(m))
        return 0;
    rc = bird_prob_map_text(&t, m);
    if (!rc && json_object_set_new(o, "attention_map", json_string(t.s)))
        rc = bird_fail_memory(0);
    bird_text_free(&t);
    return rc;
}

int bird_prob_map_check_trains(const struct bird_attention_map *m)
{
    if (!m->row || m->row->trains)
        return 0;
    return bird_fail(BIRD_EUNSUPPORTED,
                     "attention map '%s' has no gradient and cannot be trained "
                     "with: choose another (dnabird init --attention-map)",
                     m->row->name);
}
