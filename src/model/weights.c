/* Names of the state dict to pointers. SPDX-License-Identifier: MIT */
#include "model/weights.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "kernel/gemm_low.h"

enum { N_LINEAR = 4 };

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
    w.pooler = linear(&s, "bert.pooler", "");
    w.transform = linear(&s, head, "transform.dense");
    w.transform_norm = norm(&s, head, "transform.LayerNorm");
    w.decoder = find(&s, head, "decoder.weight");
    w.decoder_bias = find(&s, head, "bias");
    if (!w.decoder)
        w.decoder = w.word;
    w.next = linear(&s, "cls.", "seq_relationship");
    w.dense = linear(&s, "classifier.", "dense");
    w.classifier = linear(&s, "classifier.", "out_proj");
    if (!w.classifier.w)
        w.classifier = linear(&s, "classifier", "");
    if (rc)
        bird_weights_free(&w);
    else
        *out = w;
    return rc;
}

/* The linear layers of the encoder, one after the other. */
static struct bird_linear *linear_at(const struct bird_weights *w, int64_t i)
{
    struct bird_layer *l = &w->layer[i / N_LINEAR];
    struct bird_linear *of[N_LINEAR] = {&l->qkv, &l->out, &l->up, &l->down};

    return of[i % N_LINEAR];
}

struct lowering {
    const struct bird_weights *w;
    const struct bird_config *c;
    enum bird_precision p;
    int *rc; /* (n) of each linear layer */
};

static void lower_task(void *context, int64_t task, int worker)
{
    const struct lowering *g = context;
    struct bird_linear *l = linear_at(g->w, task);
    int64_t d = g->c->hidden_size, f = g->c->intermediate_size;
    const int64_t shape[N_LINEAR][2] = {{3 * d, d}, {d, d}, {f, d}, {d, f}};
    const int64_t *s = shape[task % N_LINEAR];

    (void)worker;
    g->rc[task] = bird_low_new(&l->low, g->p, l->w, s[0], s[1]);
}

static void free_low(struct bird_weights *w)
{
    for (int64_t i = 0; w->layer && i < w->n_layer * N_LINEAR; i++) {
        bird_low_free(linear_at(w, i)->low);
        linear_at(w, i)->low = NULL;
    }
}

int bird_weights_lower(struct bird_weights *w, const struct bird_config *c,
                       enum bird_precision p)
{
    struct lowering g = {w, c, p, NULL};
    int64_t n = w->n_layer * N_LINEAR;
    int rc = bird_low_check(NULL, p);

    if (rc || p == BIRD_FLOAT32)
        return rc;
    rc = bird_array_new(&g.rc, n, sizeof(*g.rc));
    if (rc)
        return rc;
    bird_parallel(n, lower_task, &g);
    for (int64_t i = 0; !rc && i < n; i++)
        if (g.rc[i]) /* its sentence may be another thread's */
            rc = bird_fail(g.rc[i],
                           "precision %s: the weights could not be reordered: "
                           "out of memory, or oneDNN has no product of a "
                           "layer's size: use float32",
                           bird_precision_name(p));
    if (rc)
        free_low(w);
    free(g.rc);
    return rc;
}

int64_t bird_weights_low_bytes(const struct bird_weights *w)
{
    int64_t sum = 0;

    for (int64_t i = 0; i < w->n_layer * N_LINEAR; i++)
        sum += bird_low_bytes(linear_at(w, i)->low);
    return sum;
}

const char *bird_weights_low_name(const struct bird_weights *w)
{
    return w->layer[0].qkv.low ? bird_low_name(w->layer[0].qkv.low) : "";
}

void bird_weights_free(struct bird_weights *w)
{
    free_low(w);
    free(w->layer);
    w->layer = NULL;
}
