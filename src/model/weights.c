/* Names of the state dict to pointers, and weights made ready for products.
 *
 * A model's tensors lie in one block (params.h); binding looks each up once by
 * its name. Ready weights are copies of the originals: packed as float32
 * products read them, or in lower precision as oneDNN does.
 * SPDX-License-Identifier: MIT */
#include "model/weights.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "kernel/gemm_low.h"
#include "kernel/kernel.h"
#include "model/stem.h"

enum { N_LINEAR = 4, N_HEAD = 9, N_PASS = 2 };

struct names {
    const struct bird_param *list;
    int64_t n, next;
    float *block;
};

/* The tensor prefix+name; lists are searched from where the last one was. */
static float *find(struct names *s, const char *prefix, const char *name)
{
    char full[192];

    snprintf(full, sizeof(full), "%s%s", prefix, name);
    for (int64_t i = 0; i < s->n; i++) {
        int64_t k = (s->next + i) % s->n;

        if (!strcmp(s->list[k].name, full)) {
            s->next = k + 1;
            return s->block + s->list[k].offset;
        }
    }
    return NULL;
}

static struct bird_linear linear(struct names *s, const char *prefix,
                                 const char *name)
{
    char both[128];
    struct bird_linear l = {0};

    snprintf(both, sizeof(both), "%s%s", prefix, name);
    l.w = find(s, both, ".weight");
    l.b = find(s, both, ".bias");
    return l;
}

static struct bird_norm norm(struct names *s, const char *prefix,
                             const char *name)
{
    struct bird_linear l = linear(s, prefix, name);

    return (struct bird_norm){l.w, l.b};
}

static int bind_layer(struct bird_layer *l, struct names *s, int64_t i,
                      const struct bird_config *c)
{
    struct bird_linear k, v;
    char p[64];
    int64_t d = c->hidden_size;

    snprintf(p, sizeof(p), "bert.encoder.layer.%lld.", (long long)i);
    l->qkv = linear(s, p, "attention.self.query");
    k = linear(s, p, "attention.self.key");
    v = linear(s, p, "attention.self.value");
    l->out = linear(s, p, "attention.output.dense");
    l->norm1 = norm(s, p, "attention.output.LayerNorm");
    l->up = linear(s, p, "intermediate.dense");
    l->down = linear(s, p, "output.dense");
    l->norm2 = norm(s, p, "output.LayerNorm");
    if (!l->qkv.w || k.w != l->qkv.w + d * d || v.w != k.w + d * d ||
        (l->qkv.b && (k.b != l->qkv.b + d || v.b != k.b + d)))
        return bird_fail(BIRD_EINVAL,
                         "%squery, key and value do not lie "
                         "end to end",
                         p);
    if (!l->out.w || !l->norm1.gain || !l->up.w || !l->down.w || !l->norm2.gain)
        return bird_fail(BIRD_EINVAL, "%s*: a tensor is missing", p);
    return 0;
}

/* Floats of a layer's scaled branches: weights, then biases. */
static int64_t scaled_size(const struct bird_config *c)
{
    int64_t d = c->hidden_size, f = c->intermediate_size;

    return d * d + f * d + 2 * d;
}

/* Branches with scales are read from a copy that is multiplied by them. */
static int bind_scales(struct bird_weights *w, struct names *s,
                       const struct bird_config *c)
{
    int64_t d = c->hidden_size, f = c->intermediate_size;
    int rc = bird_array_new(&w->scaled, c->n_layer * scaled_size(c),
                            sizeof(*w->scaled));
    char p[64];

    for (int64_t i = 0; !rc && i < c->n_layer; i++) {
        struct bird_layer *l = &w->layer[i];
        float *to = w->scaled + i * scaled_size(c);

        snprintf(p, sizeof(p), "bert.encoder.layer.%lld.", (long long)i);
        l->scale_out = find(s, p, "attention.output.scale");
        l->scale_down = find(s, p, "output.scale");
        if (!l->scale_out || !l->scale_down)
            return bird_fail(BIRD_EINVAL, "%s*: a scale is missing", p);
        l->plain_out = l->out;
        l->plain_down = l->down;
        l->out.w = to;
        l->down.w = to + d * d;
        if (l->out.b)
            l->out.b = to + d * d + f * d;
        if (l->down.b)
            l->down.b = to + d * d + f * d + d;
    }
    return rc;
}

/* to = by x of a branch. */
static void scale_one(const struct bird_linear *to, const struct bird_linear *x,
                      float by, int64_t n, int64_t d)
{
    for (int64_t i = 0; i < n; i++)
        to->w[i] = by * x->w[i];
    for (int64_t i = 0; i < d && x->b; i++)
        to->b[i] = by * x->b[i];
}

void bird_weights_scale(const struct bird_weights *w,
                        const struct bird_config *c)
{
    int64_t d = c->hidden_size, f = c->intermediate_size;

    for (int64_t i = 0; i < w->n_layer && w->scaled; i++) {
        const struct bird_layer *l = &w->layer[i];

        scale_one(&l->out, &l->plain_out, *l->scale_out, d * d, d);
        scale_one(&l->down, &l->plain_down, *l->scale_down, f * d, d);
    }
}

void bird_weights_follow(const struct bird_weights *w,
                         const struct bird_config *c)
{
    if (w->n_layer && !w->layer[0].qkv.packed && !w->layer[0].qkv.low)
        bird_weights_scale(w, c);
}

/* y = s x: dx += s dy, ds += the sum of x dy. dy is zero afterwards. */
static double scale_back(float *dx, float *dy, const float *x, float by,
                         int64_t n)
{
    double sum = 0;

    for (int64_t i = 0; i < n; i++) {
        sum += (double)dy[i] * (double)x[i];
        dx[i] += by * dy[i];
        dy[i] = 0;
    }
    return sum;
}

static void scale_back_one(const struct bird_linear *dx,
                           const struct bird_linear *dy, float *dscale,
                           const struct bird_linear *x, float by,
                           const int64_t n[2])
{
    double sum = scale_back(dx->w, dy->w, x->w, by, n[0]);

    if (x->b)
        sum += scale_back(dx->b, dy->b, x->b, by, n[1]);
    *dscale += (float)sum;
}

void bird_weights_scale_back(const struct bird_weights *grad,
                             const struct bird_weights *w,
                             const struct bird_config *c)
{
    int64_t d = c->hidden_size;
    const int64_t out[2] = {d * d, d}, down[2] = {c->intermediate_size * d, d};

    for (int64_t i = 0; i < w->n_layer && w->scaled; i++) {
        const struct bird_layer *l = &w->layer[i], *g = &grad->layer[i];

        scale_back_one(&g->plain_out, &g->out, g->scale_out, &l->plain_out,
                       *l->scale_out, out);
        scale_back_one(&g->plain_down, &g->down, g->scale_down, &l->plain_down,
                       *l->scale_down, down);
    }
}

static int bind_stem(struct bird_weights *w, struct names *s,
                     const struct bird_config *c)
{
    for (int64_t i = 0; i < c->n_stem; i++) {
        struct bird_conv *k = &w->stem[i];
        char p[32];

        snprintf(p, sizeof(p), "stem.%lld", (long long)i);
        k->l = linear(s, p, "");
        k->norm = norm(s, p, ".norm");
        if (!k->l.w || !k->l.b || (c->stem[i].norm && !k->norm.gain))
            return bird_fail(BIRD_EINVAL, "%s.*: a tensor is missing", p);
    }
    w->n_stem = c->n_stem;
    return 0;
}

int bird_weights_bind(struct bird_weights *out, float *block,
                      const struct bird_param *list, int64_t n,
                      const struct bird_config *c)
{
    struct names s = {list, n, 0, block};
    struct bird_weights w = {0};
    const char *e = "bert.embeddings.", *head = "cls.predictions.";
    int rc = bird_array_new(&w.layer, c->n_layer, sizeof(*w.layer));

    if (rc)
        return rc;
    w.n_layer = c->n_layer;
    w.word = find(&s, e, "word_embeddings.weight");
    w.position = find(&s, e, "position_embeddings.weight");
    w.type = find(&s, e, "token_type_embeddings.weight");
    w.embedding = norm(&s, e, "LayerNorm");
    if (!w.word || !w.position || !w.type || !w.embedding.gain)
        rc = bird_fail(BIRD_EINVAL, "%s*: a tensor is missing", e);
    for (int64_t i = 0; !rc && i < c->n_layer; i++)
        rc = bind_layer(&w.layer[i], &s, i, c);
    if (!rc && c->branch_scale)
        rc = bind_scales(&w, &s, c);
    if (!rc)
        rc = bind_stem(&w, &s, c);
    w.pooler = linear(&s, "bert.pooler", "");
    w.transform = linear(&s, head, "transform.dense");
    w.transform_stem.w = find(&s, head, "transform.stem.weight");
    w.transform_norm = norm(&s, head, "transform.LayerNorm");
    w.decoder.w = find(&s, head, "decoder.weight");
    w.decoder.b = find(&s, head, "bias");
    if (!w.decoder.w)
        w.decoder.w = w.word;
    w.next = linear(&s, "cls.", "seq_relationship");
    w.dense = linear(&s, "classifier.", "dense");
    w.classifier = linear(&s, "classifier.", "out_proj");
    if (!w.classifier.w)
        w.classifier = linear(&s, "classifier", "");
    if (!w.classifier.w)
        w.classifier = linear(&s, "qa_classifier.", "qa_outputs");
    w.span_up = linear(&s, "qa_classifier.", "intermediate.dense");
    w.span_down = linear(&s, "qa_classifier.", "output.dense");
    w.span_norm = norm(&s, "qa_classifier.", "output.LayerNorm");
    if (rc)
        bird_weights_free(&w);
    else
        *out = w;
    return rc;
}

/* One linear layer and its shape. */
struct sized {
    struct bird_linear *l;
    int64_t n_out, n_in;
};

static int64_t count(const struct bird_weights *w)
{
    return w->layer ? w->n_layer * N_LINEAR + w->n_stem + N_HEAD : 0;
}

/* Linear layer i: those of the encoder in their order, the stem's, then the
 * heads'. */
static struct sized at(struct bird_weights *w, const struct bird_config *c,
                       int64_t i)
{
    int64_t d = c->hidden_size, f = c->intermediate_size, n = c->n_label;
    int64_t wide = c->head && c->head->wide > 1 ? c->head->wide : 1;

    if (i < w->n_layer * N_LINEAR) {
        struct bird_layer *l = &w->layer[i / N_LINEAR];
        const struct sized of[N_LINEAR] = {{&l->qkv, 3 * d, d},
                                           {&l->out, d, d},
                                           {&l->up, f, d},
                                           {&l->down, d, f}};

        return of[i % N_LINEAR];
    }
    i -= w->n_layer * N_LINEAR;
    if (i < w->n_stem)
        return (struct sized){&w->stem[i].l, c->stem[i].channels,
                              c->stem[i].kernel * bird_stem_channels_in(c, i)};
    {
        const struct sized of[N_HEAD] = {
            {&w->pooler, d, d},
            {&w->transform, d, d},
            {&w->transform_stem, d, bird_stem_full(c, NULL)},
            {&w->decoder, c->vocab_size, d},
            {&w->next, 2, d},
            {&w->dense, d, d},
            {&w->span_up, f, d},
            {&w->span_down, d, f},
            {&w->classifier, n, wide * d}};

        return of[i - w->n_stem];
    }
}

/* One weight in lower precision: where it is kept, and what it is made of. */
struct lowered {
    struct bird_low **at;
    struct sized of;
    int back;
};

/* Weight i of them: the linear layers of the encoder and the stem one after the
 * other, then the output layer; of each for the forward pass, then for the
 * backward one. */
static struct lowered lowered_at(struct bird_weights *w,
                                 const struct bird_config *c, int64_t i)
{
    int64_t k = i / N_PASS, n = w->n_layer * N_LINEAR + w->n_stem;
    struct sized s =
        k < n ? at(w, c, k)
              : (struct sized){&w->decoder, c->vocab_size, c->hidden_size};
    int back = i % N_PASS;

    return (struct lowered){back ? &s.l->back : &s.l->low, s, back};
}

static int64_t count_lowered(const struct bird_weights *w)
{
    return w->layer ? (w->n_layer * N_LINEAR + w->n_stem + 1) * N_PASS : 0;
}

struct lowering {
    struct bird_weights *w;
    const struct bird_config *c;
    enum bird_precision p;
    int n_pass, head; /* N_PASS: both passes; 1: the output layer too */
    int *rc;          /* of each weight */
};

/* A layer of the stem for the backward pass: the gradient of its input is a
 * product over overlapping rows of that of its sums, as the sums are of its
 * input, with the taps in reverse order (docs/math/stem.md). */
static int lower_stem_back(struct bird_low **at, const struct bird_config *c,
                           int64_t l, const float *w)
{
    int64_t in = bird_stem_channels_in(c, l), out = c->stem[l].channels;
    int64_t taps = c->stem[l].kernel;
    float *reversed;
    int rc = bird_array_uninit(&reversed, in * taps * out, sizeof(*reversed));

    if (rc)
        return rc;
    for (int64_t o = 0; o < out; o++)
        for (int64_t m = 0; m < taps; m++, w += in)
            for (int64_t i = 0; i < in; i++)
                reversed[(i * taps + taps - 1 - m) * out + o] = w[i];
    rc = *at ? bird_low_set(*at, reversed)
             : bird_low_new(at, BIRD_BFLOAT16, reversed, in, taps * out);
    free(reversed);
    return rc;
}

static void lower_task(void *context, int64_t task, int worker)
{
    const struct lowering *g = context;
    struct lowered k = lowered_at(g->w, g->c, task);
    int64_t n_layer = g->w->n_layer * N_LINEAR, i = task / N_PASS - n_layer;
    int in_head = i >= g->w->n_stem, in_stem = i >= 0 && !in_head;

    (void)worker;
    if (k.back >= g->n_pass || (in_head && !g->head))
        return;
    if (in_stem && !i && bird_stem_table_size(g->c))
        return; /* a table has no product */
    if (in_stem && k.back)
        g->rc[task] = lower_stem_back(k.at, g->c, i, k.of.l->w);
    else if (*k.at)
        g->rc[task] = bird_low_set(*k.at, k.of.l->w);
    else if (k.back)
        g->rc[task] =
            bird_low_new_transposed(k.at, k.of.l->w, k.of.n_out, k.of.n_in);
    else
        g->rc[task] =
            bird_low_new(k.at, g->p, k.of.l->w, k.of.n_out, k.of.n_in);
}

static void free_low(struct bird_weights *w)
{
    static const struct bird_config none = {0};

    for (int64_t i = 0; i < count_lowered(w); i++) {
        struct bird_low **at = lowered_at(w, &none, i).at;

        bird_low_free(*at);
        *at = NULL;
    }
}

static int lower(struct lowering *g)
{
    int64_t n = count_lowered(g->w);
    int rc = bird_low_check(NULL, g->p);

    if (rc || (rc = bird_array_new(&g->rc, n, sizeof(*g->rc))))
        return rc;
    bird_parallel(n, lower_task, g);
    for (int64_t i = 0; !rc && i < n; i++)
        if (g->rc[i]) /* its sentence may be another thread's */
            rc = bird_fail(g->rc[i],
                           "precision %s: the weights could not be reordered: "
                           "out of memory, or oneDNN has no product of a "
                           "layer's size: use float32",
                           bird_precision_name(g->p));
    if (rc)
        free_low(g->w);
    free(g->rc);
    return rc;
}

struct packing {
    struct bird_weights *w;
    const struct bird_config *c;
    int mapped;
};

/* A copy of ours, and not where the file lies. */
static int is_scaled(const struct bird_weights *w, const struct bird_linear *l)
{
    for (int64_t i = 0; i < w->n_layer && w->scaled; i++)
        if (l == &w->layer[i].out || l == &w->layer[i].down)
            return 1;
    return 0;
}

static void pack_task(void *context, int64_t task, int worker)
{
    const struct packing *p = context;
    struct sized k = at(p->w, p->c, task);

    (void)worker;
    if (!k.l->packed)
        return;
    bird_kernels()->pack(k.l->packed, k.l->w, k.n_in, k.n_out, k.n_in);
    if (p->mapped && !is_scaled(p->w, k.l))
        bird_pages_release(k.l->w, (size_t)(k.n_out * k.n_in) * sizeof(float));
}

/* Does anybody multiply by it? A vocabulary's output layer is there in every
 * model, as the look-up that it shares its weights with. */
static int is_used(const struct bird_weights *w, const struct bird_linear *l)
{
    if (l == &w->stem[0].l && w->stem_table)
        return 0;
    return l->w && !l->low && (l != &w->decoder || w->transform.w);
}

static void unpack(struct bird_weights *w)
{
    static const struct bird_config none = {0};

    for (int64_t i = 0; i < count(w); i++) {
        struct bird_linear *l = at(w, &none, i).l;

        free(l->packed);
        l->packed = NULL;
    }
    free(w->stem_table);
    w->stem_table = NULL;
}

static int pack(struct bird_weights *w, const struct bird_config *c, int mapped)
{
    struct packing p = {w, c, mapped};
    int rc = 0;

    for (int64_t i = 0; !rc && i < count(w); i++) {
        struct sized k = at(w, c, i);

        if (is_used(w, k.l))
            rc = bird_array_uninit(&k.l->packed,
                                   bird_kernels()->packed_size(k.n_out, k.n_in),
                                   sizeof(*k.l->packed));
    }
    if (rc)
        unpack(w);
    else
        bird_parallel(count(w), pack_task, &p);
    return rc;
}

int bird_weights_prepare(struct bird_weights *w, const struct bird_config *c,
                         enum bird_precision p, int mapped)
{
    struct lowering g = {.w = w, .c = c, .p = p, .n_pass = 1};
    int64_t table = bird_stem_table_size(c);
    int rc = table ? bird_gemm_check_memory() : 0;

    if (!rc && table)
        rc = bird_array_uninit(&w->stem_table, table, sizeof(*w->stem_table));
    bird_weights_scale(w, c);
    if (!rc && table)
        bird_stem_table(w->stem_table, c, w);
    if (!rc && p != BIRD_FLOAT32)
        rc = lower(&g);
    if (!rc)
        rc = pack(w, c, mapped);
    if (rc) {
        free_low(w);
        unpack(w);
    }
    return rc;
}

int bird_weights_round(struct bird_weights *w, const struct bird_config *c)
{
    struct lowering g = {.w = w,
                         .c = c,
                         .p = BIRD_BFLOAT16,
                         .n_pass = N_PASS,
                         .head = w->transform.w != NULL};

    bird_weights_scale(w, c);
    return lower(&g);
}

int64_t bird_weights_low_bytes(const struct bird_weights *w)
{
    static const struct bird_config none = {0};
    struct bird_weights k = *w;
    int64_t sum = 0;

    for (int64_t i = 0; i < count_lowered(w); i++)
        sum += bird_low_bytes(*lowered_at(&k, &none, i).at);
    return sum;
}

const char *bird_weights_low_name(const struct bird_weights *w)
{
    return w->n_layer && w->layer[0].qkv.low
               ? bird_low_name(w->layer[0].qkv.low)
               : "";
}

void bird_weights_free(struct bird_weights *w)
{
    free_low(w);
    unpack(w);
    free(w->layer);
    free(w->scaled);
    w->layer = NULL;
    w->scaled = NULL;
}
