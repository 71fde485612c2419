/* Rows drawn in parallel, and packs of them. SPDX-License-Identifier: MIT */
#include "train/rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/parallel.h"

void bird_row_set_free(struct bird_row_set *r)
{
    free(r->row);
    free(r->rc);
    free(r->block);
    free(r->ids);
    free(r->type);
    free(r->label);
    free(r->next);
    free(r->offset);
    *r = (struct bird_row_set){0};
}

struct draw {
    struct bird_row_set *r;
    struct bird_sampler *s;
    int64_t step, first;
};

static void draw_task(void *context, int64_t task, int worker)
{
    const struct draw *d = context;

    (void)worker;
    d->r->rc[task] =
        bird_sampler_row(d->s, d->step, d->first + task, &d->r->row[task]);
}

int bird_row_set_draw(struct bird_row_set *r, struct bird_sampler *s,
                      int64_t step, int64_t first, int64_t n,
                      int64_t length_tok)
{
    struct draw d = {r, s, step, first};
    int rc = bird_array_grow(&r->row, &r->cap_row, n, sizeof(*r->row));

    if (rc || (rc = bird_array_grow(&r->rc, &r->cap_rc, n, sizeof(*r->rc))) ||
        (rc = bird_array_grow(&r->block, &r->cap_block, 3 * n * length_tok,
                              sizeof(*r->block))))
        return rc;
    r->n = n;
    for (int64_t i = 0; i < n; i++) {
        int32_t *at = r->block + 3 * i * length_tok;

        r->row[i] = (struct bird_sample_row){
            .ids = at, .type = at + length_tok, .label = at + 2 * length_tok};
    }
    bird_parallel(n, draw_task, &d);
    /* The sentence is kept by the thread that failed: fail again in this. */
    for (int64_t i = 0; i < n; i++)
        if (r->rc[i] && (rc = bird_sampler_row(s, step, first + i, &r->row[i])))
            return rc;
    return 0;
}

static int reserve(struct bird_row_set *r, int64_t n_seq, int64_t n_tok)
{
    int rc = bird_array_grow(&r->ids, &r->cap_ids, n_tok, sizeof(*r->ids));

    if (!rc)
        rc = bird_array_grow(&r->type, &r->cap_type, n_tok, sizeof(*r->type));
    if (!rc)
        rc =
            bird_array_grow(&r->label, &r->cap_label, n_tok, sizeof(*r->label));
    if (!rc)
        rc = bird_array_grow(&r->next, &r->cap_next, n_seq, sizeof(*r->next));
    if (!rc)
        rc = bird_array_grow(&r->offset, &r->cap_offset, n_seq + 1,
                             sizeof(*r->offset));
    return rc;
}

int bird_row_set_pack(struct bird_batch *b, struct bird_labels *labels,
                      struct bird_row_set *r, int64_t i0, int64_t i1)
{
    int64_t n = 0;
    int rc;

    for (int64_t i = i0; i < i1; i++)
        n += r->row[i].n_token;
    rc = reserve(r, i1 - i0, n);
    if (rc)
        return rc;
    n = 0;
    r->offset[0] = 0;
    for (int64_t i = i0; i < i1; i++) {
        const struct bird_sample_row *row = &r->row[i];
        size_t size = (size_t)row->n_token * sizeof(int32_t);

        memcpy(r->ids + n, row->ids, size);
        memcpy(r->type + n, row->type, size);
        memcpy(r->label + n, row->label, size);
        r->next[i - i0] = row->next;
        n += row->n_token;
        r->offset[i - i0 + 1] = n;
    }
    *b = (struct bird_batch){
        .n_seq = i1 - i0, .offset = r->offset, .ids = r->ids, .type = r->type};
    *labels = (struct bird_labels){.token = r->label, .next = r->next};
    return 0;
}
