/* Packed copies of the weights of linear layers. SPDX-License-Identifier: MIT
 */
#include "model/weights_pack.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "kernel/kernel.h"

enum { N_LINEAR = 4, N_HEAD = 6 };

/* One linear layer and its shape. */
struct layer {
    struct bird_linear *l;
    int64_t n_out, n_in;
};

static int64_t count(const struct bird_weights *w)
{
    return w->layer ? w->n_layer * N_LINEAR + N_HEAD : 0;
}

/* Linear layer i: those of the encoder in their order, then the heads'. */
static struct layer at(struct bird_weights *w, const struct bird_config *c,
                       int64_t i)
{
    int64_t d = c->hidden_size, f = c->intermediate_size, n = c->n_label;

    if (i < w->n_layer * N_LINEAR) {
        struct bird_layer *l = &w->layer[i / N_LINEAR];
        const struct layer of[N_LINEAR] = {{&l->qkv, 3 * d, d},
                                           {&l->out, d, d},
                                           {&l->up, f, d},
                                           {&l->down, d, f}};

        return of[i % N_LINEAR];
    }
    {
        const struct layer of[N_HEAD] = {{&w->pooler, d, d},
                                         {&w->transform, d, d},
                                         {&w->decoder, c->vocab_size, d},
                                         {&w->next, 2, d},
                                         {&w->dense, d, d},
                                         {&w->classifier, n, d}};

        return of[i - w->n_layer * N_LINEAR];
    }
}

struct packing {
    struct bird_weights *w;
    const struct bird_config *c;
    int mapped;
};

static void pack_task(void *context, int64_t task, int worker)
{
    const struct packing *p = context;
    struct layer k = at(p->w, p->c, task);

    (void)worker;
    if (!k.l->packed)
        return;
    bird_kernels()->pack(k.l->packed, k.l->w, k.n_in, k.n_out, k.n_in);
    if (p->mapped)
        bird_pages_release(k.l->w, (size_t)(k.n_out * k.n_in) * sizeof(float));
}

/* Does anybody multiply by it? A vocabulary's output layer is there in every
 * model, as the look-up that it shares its weights with. */
static int is_used(const struct bird_weights *w, const struct bird_linear *l)
{
    return l->w && !l->low && (l != &w->decoder || w->transform.w);
}

int bird_weights_pack(struct bird_weights *w, const struct bird_config *c,
                      int mapped)
{
    struct packing p = {w, c, mapped};
    int rc = 0;

    for (int64_t i = 0; !rc && i < count(w); i++) {
        struct layer k = at(w, c, i);

        if (is_used(w, k.l))
            rc = bird_array_uninit(&k.l->packed,
                                   bird_kernels()->packed_size(k.n_out, k.n_in),
                                   sizeof(*k.l->packed));
    }
    if (rc)
        bird_weights_unpack(w);
    else
        bird_parallel(count(w), pack_task, &p);
    return rc;
}

void bird_weights_unpack(struct bird_weights *w)
{
    static const struct bird_config none = {0};

    for (int64_t i = 0; i < count(w); i++) {
        struct bird_linear *l = at(w, &none, i).l;

        free(l->packed);
        l->packed = NULL;
    }
}
