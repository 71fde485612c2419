/* What the rows of bench run on. SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/mem.h"
#include "bench/bench.h"
#include "model/params.h"

static int open_folder(struct bird_bench_model *m, const bird_bench_options *o)
{
    int rc = bird_model_open_as(&m->opened, o->model, NULL, -1);

    if (rc)
        return rc;
    m->c = m->opened.folder.config;
    m->w = &m->opened.w;
    m->n_param = m->opened.n_param;
    m->name = o->model;
    if (o->tokens > m->c.max_positions)
        return bird_fail(BIRD_ERANGE, "%s: the model reads %lld tokens",
                         o->model, (long long)m->c.max_positions);
    return bird_weights_prepare(&m->opened.w, &m->c, BIRD_FLOAT32,
                                !m->opened.own);
}

static int open_preset(struct bird_bench_model *m, const bird_bench_options *o)
{
    int64_t n = 0, total = 0;
    int rc = bird_bench_preset(&m->c, o);

    if (rc || (rc = bird_params_list(&m->list, &n, &total, &m->c)) ||
        (rc = bird_array_new(&m->block, total, sizeof(float))))
        return rc;
    bird_params_init(m->block, m->list, n, &m->c, 1, NULL);
    m->w = &m->made;
    m->n_param = n;
    m->name = o->preset;
    rc = bird_weights_bind(&m->made, m->block, m->list, n, &m->c);
    return rc ? rc : bird_weights_prepare(&m->made, &m->c, BIRD_FLOAT32, 0);
}

/* The measured encoder in lower precision; float32's is kept beside it. */
static int lower(struct bird_bench_model *m, enum bird_precision p)
{
    /* only read */
    float *block = m->block ? m->block : (float *)(uintptr_t)m->opened.block;
    const struct bird_param *list = m->list ? m->list : m->opened.list;
    int rc = bird_weights_bind(&m->low, block, list, m->n_param, &m->c);

    if (!rc)
        rc = bird_weights_prepare(&m->low, &m->c, p, 0);
    if (rc)
        return rc;
    m->plain_w = m->w;
    m->w = &m->low;
    return bird_encoder_new(&m->plain, &m->c, m->plain_w);
}

int bird_bench_open(struct bird_bench_model *m, const bird_bench_options *o)
{
    int64_t n = o->tokens * o->sequences, d;
    int rc = bird_bench_check(o);

    if (rc || (rc = o->model ? open_folder(m, o) : open_preset(m, o)) ||
        (rc = bird_bench_count(&m->work, &m->c, o)) ||
        (rc = bird_bench_batch_new(&m->batch, &m->c, o)) ||
        (rc = o->precision ? lower(m, o->precision) : 0) ||
        (rc = bird_encoder_new(&m->e, &m->c, m->w)))
        return rc;
    d = m->c.hidden_size;
    return bird_array_new(&m->x, n * d, sizeof(float));
}

void bird_bench_close(struct bird_bench_model *m)
{
    bird_encoder_free(m->e);
    bird_encoder_free(m->plain);
    bird_bench_batch_free(&m->batch);
    bird_weights_free(&m->made);
    bird_weights_free(&m->low);
    bird_model_drop(&m->opened);
    free(m->list);
    free(m->block);
    free(m->x);
    free(m->rows);
}

int bird_bench_run(void *context)
{
    struct bird_bench_model *m = context;

    return bird_encoder_forward(m->e, m->x, NULL, &m->batch.b);
}
