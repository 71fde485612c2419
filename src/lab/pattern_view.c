/* Attention patterns as text, tables and pictures, and what is known of their
 * graphs. SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"
#include "dnabird/pattern.h"
#include "folder/folder.h"
#include "lab/chain.h"
#include "lab/graph_check.h"
#include "track/page.h"

/* A picture of more has lines thinner than any screen shows. */
enum { MOST_SHOWN = 4096, USUAL_LENGTH = 512, MOST_LAYERS = 1024 };

void bird_pattern_query_default(bird_pattern_query *o)
{
    *o = (bird_pattern_query){.heads = 1, .head = -1};
}

/* What the options name. */
struct view {
    struct bird_pattern p;
    int64_t length, layers, n_layer; /* n_layer: the model's, else 0 */
    struct bird_text name;
};

static int take_model(struct view *v, const char *path)
{
    struct bird_folder f = {0};
    int rc = bird_folder_open_config(&f, path);

    if (!rc) {
        v->p = bird_pattern_of(&f.config);
        v->n_layer = f.config.n_layer;
    }
    bird_folder_free(&f);
    return rc;
}

static int view_open(struct view *v, const bird_pattern_query *o)
{
    int rc = 0;

    bird_pattern_default(&v->p);
    v->p.n_head = o->heads;
    if (o->model)
        rc = take_model(v, o->model);
    if (!rc && o->pattern)
        rc = bird_pattern_parse(&v->p, o->pattern);
    if (rc)
        return rc;
    v->length = o->length  ? o->length
                : o->model ? v->p.max_positions
                           : USUAL_LENGTH;
    if (!o->model)
        v->p.max_positions = v->length;
    v->layers = o->layers > 0 ? o->layers : v->n_layer;
    if (v->length < 1 || v->length > INT32_MAX)
        return bird_fail(BIRD_EINVAL, "pattern: a length of %lld tokens",
                         (long long)v->length);
    if (v->p.n_head < 1 || v->p.n_head > 1 << 16)
        return bird_fail(BIRD_EINVAL, "pattern: %lld heads: use 1 to %d",
                         (long long)v->p.n_head, 1 << 16);
    if (o->layers < 0 || o->layers > MOST_LAYERS)
        return bird_fail(BIRD_EINVAL, "pattern: %lld layers: use 1 to %d",
                         (long long)o->layers, MOST_LAYERS);
    if (o->layer < 0 || (v->n_layer && o->layer >= v->n_layer) ||
        o->layer > INT32_MAX)
        return bird_fail(BIRD_EINVAL, "pattern: there is no layer %lld",
                         (long long)o->layer);
    if (o->head < -1 || o->head >= v->p.n_head)
        return bird_fail(BIRD_EINVAL, "pattern: head %lld: there are %lld",
                         (long long)o->head, (long long)v->p.n_head);
    rc = bird_pattern_check(&v->p, "pattern");
    return rc ? rc : bird_pattern_text(&v->name, &v->p);
}

/* How often row i lists each block, of a head or the most of any. */
static void count_row(int32_t *times, const struct bird_plan *plan,
                      int64_t head, int64_t i)
{
    int64_t from = head < 0 ? 0 : head, to = head < 0 ? plan->n_head : head + 1;

    for (int64_t j = 0; j < plan->n_block; j++)
        times[j] = 0;
    for (int64_t h = from; h < to; h++) {
        int64_t n;
        const struct bird_run *run = bird_plan_row(plan, h, i, &n);

        for (int64_t k = 0; k < n; k++)
            for (int64_t j = 0; j < run[k].count; j++)
                if (times[run[k].first + j] < run[k].times)
                    times[run[k].first + j] = run[k].times;
    }
}

/* End of the run of blocks that count as often as j. */
static int64_t run_end(const int32_t *times, int64_t j, int64_t n)
{
    int64_t k = j;

    while (k < n && times[k] == times[j])
        k++;
    return k;
}

static void text_row(struct bird_markup *m, const int32_t *times, int64_t n)
{
    for (int64_t j = 0; j < n; j++)
        bird_markup_put(m, "%c",
                        times[j] == 0   ? '.'
                        : times[j] == 1 ? '#'
                        : times[j] < 10 ? '0' + times[j]
                                        : '+');
    bird_markup_put(m, "\n");
}

static void tsv_row(struct bird_markup *m, const int32_t *times, int64_t i,
                    int64_t n)
{
    for (int64_t j = 0, end; j < n; j = end) {
        end = run_end(times, j, n);
        if (times[j])
            bird_markup_put(m, "%lld\t%lld\t%lld\t%d\n", (long long)i,
                            (long long)j, (long long)end - 1, times[j]);
    }
}

/* Side of a block, margins. */
struct canvas {
    double cell, left, top;
};

static void svg_row(struct bird_markup *m, const struct canvas *c,
                    const int32_t *times, int64_t i, int64_t n)
{
    for (int64_t j = 0, end; j < n; j = end) {
        end = run_end(times, j, n);
        if (!times[j])
            continue;
        bird_markup_put(
            m,
            "<rect class=\"%s\" x=\"%.2f\" y=\"%.2f\" "
            "width=\"%.2f\" height=\"%.2f\"><title>query %lld: key "
            "%lld",
            times[j] > 1 ? "down" : "up", c->left + c->cell * (double)j,
            c->top + c->cell * (double)i, c->cell * (double)(end - j), c->cell,
            (long long)i, (long long)j);
        if (end > j + 1)
            bird_markup_put(m, " to %lld", (long long)end - 1);
        if (times[j] > 1)
            bird_markup_put(m, ", %d times", times[j]);
        bird_markup_put(m, "</title></rect>\n");
    }
}

/* Lines between blocks where they are wide enough, and a frame. */
static void svg_grid(struct bird_markup *m, const struct canvas *c, int64_t n)
{
    double end = c->cell * (double)n;
    int64_t step = c->cell >= 6 ? 1 : n;

    bird_markup_put(m, "<path class=\"axis\" d=\"");
    for (int64_t k = 0; k <= n; k += step)
        bird_markup_put(m, "M%.2f %.2fv%.2fM%.2f %.2fh%.2f",
                        c->left + c->cell * (double)k, c->top, end, c->left,
                        c->top + c->cell * (double)k, end);
    bird_markup_put(m, "\"/>\n</g>\n</svg>\n");
}

/* As wide as its name, too; of a size of its own, where a page has larger
 * ones. */
static void svg_begin(struct bird_markup *m, const struct canvas *c,
                      const struct view *v, int64_t n)
{
    double side = c->cell * (double)n, width = side + c->left + 10;
    double name = 9.5 * (double)v->name.n + 10, height = side + c->top + 24;

    width = name > width ? name : width;
    bird_markup_put(m,
                    "<svg xmlns=\"http://www.w3.org/2000/svg\" "
                    "width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f "
                    "%.0f\" role=\"img\" aria-label=\"",
                    width, height, width, height);
    bird_markup_text(m, v->name.s);
    bird_markup_put(m, "\">\n<style>");
    bird_svg_style(m);
    bird_markup_put(m, "</style>\n<g class=\"pic\">\n<text class=\"name\" "
                       "x=\"2\" y=\"15\">");
    bird_markup_text(m, v->name.s);
    bird_markup_put(m,
                    "</text>\n<text x=\"%.1f\" y=\"%.1f\" "
                    "text-anchor=\"middle\">keys</text>\n<text "
                    "transform=\"translate(14,%.1f) rotate(-90)\" "
                    "text-anchor=\"middle\">queries</text>\n",
                    c->left + side / 2, c->top + side + 17, c->top + side / 2);
}

static void put_head(struct bird_markup *m, const struct view *v,
                     const bird_pattern_query *o, int64_t n)
{
    bird_markup_put(m, "# %s, %lld token%s, %lld block%s, layer %lld, ",
                    v->name.s, (long long)v->length, v->length == 1 ? "" : "s",
                    (long long)n, n == 1 ? "" : "s", (long long)o->layer);
    if (o->head < 0)
        bird_markup_put(m, "any head\n");
    else
        bird_markup_put(m, "head %lld\n", (long long)o->head);
}

static void put_rows(struct bird_markup *m, const struct view *v,
                     const struct bird_plan *plan, const bird_pattern_query *o,
                     enum bird_pattern_format format)
{
    int64_t n = plan->n_block, head = plan->n_head == 1 ? 0 : o->head;
    double cell = 480.0 / (double)n;
    struct canvas c = {cell > 24 ? 24 : cell, 24, 26};
    int32_t *times = NULL;

    if (!m->rc)
        m->rc = bird_array_new(&times, n, sizeof(*times));
    if (m->rc)
        return;
    if (format == BIRD_PATTERN_SVG)
        svg_begin(m, &c, v, n);
    else
        put_head(m, v, o, n);
    if (format == BIRD_PATTERN_TSV)
        bird_markup_put(m, "query\tfirst_key\tlast_key\ttimes\n");
    for (int64_t i = 0; i < n; i++) {
        count_row(times, plan, head, i);
        if (format == BIRD_PATTERN_TEXT)
            text_row(m, times, n);
        else if (format == BIRD_PATTERN_TSV)
            tsv_row(m, times, i, n);
        else
            svg_row(m, &c, times, i, n);
    }
    if (format == BIRD_PATTERN_SVG)
        svg_grid(m, &c, n);
    free(times);
}

int bird_pattern_show(char **out, const bird_pattern_query *o,
                      enum bird_pattern_format format)
{
    struct view v = {0};
    struct bird_plan *plan = NULL;
    struct bird_markup m = {0};
    int rc = view_open(&v, o);

    if (!rc && (v.length - 1) / v.p.block >= MOST_SHOWN)
        rc = bird_fail(BIRD_EINVAL,
                       "pattern: %lld tokens in blocks of %lld are more than "
                       "%d blocks: show a smaller length",
                       (long long)v.length, (long long)v.p.block, MOST_SHOWN);
    if (!rc)
        rc = bird_plan_new(&plan, &v.p, v.length, o->layer);
    if (!rc) {
        put_rows(&m, &v, plan, o, format);
        rc = m.rc;
    }
    bird_plan_free(plan);
    bird_text_free(&v.name);
    if (rc)
        bird_text_free(&m.text);
    else
        *out = m.text.s;
    return rc;
}

/* ---- what is known of it ------------------------------------------------- */

/* Lines and fields in the making. */
struct report {
    struct bird_text t;
    json_t *o;
    int rc;
};

static void say(struct report *r, const char *name, json_t *value,
                const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* A line, and the same as a field; value is taken over. */
static void say(struct report *r, const char *name, json_t *value,
                const char *fmt, ...)
{
    char s[256], field[64];
    va_list args;

    va_start(args, fmt);
    vsnprintf(s, sizeof(s), fmt, args);
    va_end(args);
    snprintf(field, sizeof(field), "%s", name);
    for (char *c = field; *c; c++)
        *c = *c == ' ' ? '_' : *c;
    if (!r->rc && (!value || json_object_set_new(r->o, field, value)))
        r->rc = bird_fail_memory(0);
    else if (r->rc)
        json_decref(value);
    if (!r->rc)
        r->rc = bird_text_printf(&r->t, "%-18s %s\n", name, s);
}

static json_t *integer_or_null(int64_t v)
{
    return v < 0 ? json_null() : json_integer(v);
}

/* The first blocks of an order, where it is not simply forwards. */
static void say_order(struct report *r, const int32_t *order, int64_t n)
{
    struct bird_text t = {0};
    json_t *list = json_array();
    int rc = list ? 0 : bird_fail_memory(0);

    for (int64_t i = 0; !rc && i < n; i++) {
        if (json_array_append_new(list, json_integer(order[i])))
            rc = bird_fail_memory(0);
        if (!rc && i < 12)
            rc = bird_text_printf(&t, "%s%d", i ? " " : "", order[i]);
    }
    if (!r->rc)
        r->rc = rc;
    say(r, "order", list, "%s%s", t.s ? t.s : "", n > 12 ? " ..." : "");
    bird_text_free(&t);
}

/* Parts 1.1, 1.2 and 1.3: 1 all hold, 0 one does not, -1 not decided. */
static int say_assumption(struct report *r, const struct bird_graph *g)
{
    static const char *const reason[] = {
        [BIRD_NO_CHAIN_SEARCH] = "all orders were searched",
        [BIRD_NO_CHAIN_MATCHING] =
            "too few blocks can be followed by one of their own",
        [BIRD_NO_CHAIN_REACH] =
            "of two blocks neither can come after the other",
        [BIRD_NO_CHAIN_CUT] =
            "without some blocks the graph has too many parts"};
    enum bird_chain found = BIRD_CHAIN_UNKNOWN;
    enum bird_no_chain why = BIRD_NO_CHAIN_SEARCH;
    int64_t blind = bird_graph_blind(g), s = 0;
    int32_t *order = NULL;

    r->rc = bird_array_new(&order, g->n, sizeof(*order));
    if (!r->rc)
        r->rc = bird_graph_chain(&found, &why, order, g);
    if (!r->rc)
        r->rc = bird_graph_steps(&s, g);
    if (blind < 0)
        say(r, "1.1 self", json_true(), "yes: every block sees itself");
    else
        say(r, "1.1 self", json_false(), "NO: block %lld does not see itself",
            (long long)blind);
    say(r, "1.2 chain",
        found == BIRD_CHAIN_UNKNOWN ? json_null()
                                    : json_boolean(found == BIRD_CHAIN_FOUND),
        "%s%s",
        found == BIRD_CHAIN_FOUND
            ? "yes: an order in which every block sees the one before"
        : found == BIRD_CHAIN_NONE
            ? "NO: no order in which every block sees the one before: "
            : "not decided: the search found no order and no reason against "
              "one",
        found == BIRD_CHAIN_NONE ? reason[why] : "");
    if (found == BIRD_CHAIN_FOUND)
        say_order(r, order, g->n);
    if (s > 0)
        say(r, "1.3 steps", json_integer(s),
            "yes: after s = %lld layer%s every block sees all", (long long)s,
            s == 1 ? "" : "s");
    else
        say(r, "1.3 steps", json_null(),
            "NO: some block never sees all, whatever the layers");
    free(order);
    if (blind >= 0 || found == BIRD_CHAIN_NONE || s < 1)
        return 0;
    return found == BIRD_CHAIN_FOUND ? 1 : -1;
}

/* Theorem 1 of Zaheer et al. 2020. */
static void say_star(struct report *r, const struct bird_graph *g)
{
    int64_t star = bird_graph_star(g);

    if (star < 0)
        say(r, "star graph", json_null(),
            "no block sees all and is seen by "
            "all");
    else
        say(r, "star graph", json_integer(star),
            "yes: block %lld sees all and is seen by all", (long long)star);
}

static void say_figures(struct report *r, const struct bird_graph *g)
{
    struct bird_graph_figures f = {0};

    if (!r->rc)
        r->rc = bird_graph_measure(&f, g);
    say(r, "sparsity", json_real(g->sparsity), "%.2f %% of pairs of tokens",
        100 * g->sparsity);
    if (f.reached < 1)
        say(r, "hops", json_real(f.hops), "%.3f, of %.2f %% of pairs", f.hops,
            100 * f.reached);
    else
        say(r, "hops", json_real(f.hops), "%.3f", f.hops);
    say(r, "clustering", json_real(f.clustering), "%.4f", f.clustering);
    say(r, "spectral gap", json_real(f.gap), "%.4f", f.gap);
}

static void say_reach(struct report *r, const struct bird_graph *g,
                      const struct view *v)
{
    int causal = bird_pattern_is_causal(&v->p);
    struct bird_text t = {0};
    int64_t s = 0;

    if (!r->rc)
        r->rc = bird_graph_steps_of(&s, g, causal ? g->n - 1 : 0);
    if (!r->rc)
        r->rc = bird_graph_describe(&t, g, &v->p, v->n_layer);
    say(r, "reach", integer_or_null(s), "%s", t.s ? t.s : "");
    if (v->n_layer && !r->rc &&
        json_object_set_new(r->o, "layers", json_integer(v->n_layer)))
        r->rc = bird_fail_memory(0);
    bird_text_free(&t);
}

int bird_pattern_assess(bird_pattern_assessment *out,
                        const bird_pattern_query *o)
{
    struct view v = {0};
    struct bird_graph *g = NULL;
    struct report r = {.o = json_object()};
    int rc = r.o ? view_open(&v, o) : bird_fail_memory(0), holds = 0;
    char *json = NULL;

    if (!rc)
        rc = bird_graph_new(&g, &v.p, v.length, v.layers);
    if (!rc) {
        say(&r, "pattern", json_string(v.name.s), "%s", v.name.s);
        say(&r, "tokens", json_integer(v.length), "%lld", (long long)v.length);
        say(&r, "blocks", json_integer(g->n), "%lld", (long long)g->n);
        say(&r, "lists by layer", json_integer(g->n_layer), "%lld",
            (long long)g->n_layer);
        if (!r.rc)
            holds = say_assumption(&r, g);
        say(&r, "assumption 1", holds < 0 ? json_null() : json_boolean(holds),
            "%s",
            holds < 0 ? "not decided"
            : holds   ? "holds"
                      : "does NOT hold");
        say_star(&r, g);
        say_figures(&r, g);
        say_reach(&r, g, &v);
        rc = r.rc;
    }
    if (!rc && !(json = bird_json_dump(r.o, JSON_INDENT(2))))
        rc = bird_fail_memory(0);
    bird_graph_free(g);
    bird_text_free(&v.name);
    json_decref(r.o);
    if (rc)
        bird_text_free(&r.t);
    else
        *out = (bird_pattern_assessment){holds, r.t.s, json};
    return rc;
}
