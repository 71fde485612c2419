/*
 * Additions of an encoder in lower precision: scratch of its products, and rounded
 * queries, keys and values for attention in bfloat16.
 * SPDX-License-Identifier: MIT
 */
#include "kernel/gemm_low.h"
#include "model/layer.h"

int64_t bird_low_most_scratch(const struct bird_weights *w, int64_t n_layer)
{
    int64_t most = 0;

    for (int64_t i = 0; i < w->n_stem; i++) {
        int64_t need = bird_low_scratch(w->stem[i].l.low);
        int64_t back = bird_low_scratch(w->stem[i].l.back);

        need = back > need ? back : need;
        most = need > most ? need : most;
    }

    for (int64_t i = 0; i < n_layer; i++) {
        const struct bird_layer *l = &w->layer[i];
        const struct bird_low *each[] = {l->qkv.low, l->out.low, l->up.low,
                                         l->down.low};

        for (size_t k = 0; k < sizeof(each) / sizeof(*each); k++) {
            int64_t need = bird_low_scratch(each[k]);

            most = need > most ? need : most;
        }
    }
    return (most + 15) / 16 * 16;
}

float *bird_rounded_head(const struct bird_encoder *e,
                         const struct bird_batch *b, int64_t s, int64_t head)
{
    int64_t dim = e->c.hidden_size / e->c.n_head;
    int64_t before = (b->offset[s] + s) / 2 * bird_attention_rounded(2, dim);

    return e->rounded + before * e->c.n_head +
           head * bird_attention_rounded(b->offset[s + 1] - b->offset[s], dim);
}

void bird_round_rows(const struct bird_encoder *e, int64_t layer,
                     const float *qkv, const struct bird_batch *b, int64_t r,
                     int64_t m)
{
    static const struct bird_dropout_rates no_dropout = {0};
    const int64_t *offset = b->offset;
    int64_t s = 0, end = b->n_seq;

    while (end - s > 1) {
        int64_t mid = (s + end) / 2;

        if (offset[mid] <= r)
            s = mid;
        else
            end = mid;
    }
    for (; s < b->n_seq && offset[s] < r + m; s++) {
        int64_t first = r > offset[s] ? r - offset[s] : 0;
        int64_t last = offset[s + 1] < r + m ? offset[s + 1] : r + m;

        for (int64_t h = 0; first < last - offset[s] && h < e->c.n_head; h++) {
            struct bird_attention_args a =
                bird_layer_attention(e, layer, qkv, s, h, b, &no_dropout);

            e->k->attention_round(bird_rounded_head(e, b, s, h), &a, first,
                                  last - offset[s]);
        }
    }
}
