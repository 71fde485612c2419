/* Names of the state dict to pointers. SPDX-License-Identifier: MIT */
#include "model/weights.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"

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
    struct bird_linear l;

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

void bird_weights_free(struct bird_weights *w)
{
    free(w->layer);
    w->layer = NULL;
}
