/* Rows of a data set through the scorer. SPDX-License-Identifier: MIT */
#include "eval/predict_rows.h"

#include <stdlib.h>

#include "base/mem.h"
#include "dnabird/tiles.h"

int64_t bird_row_columns(const struct bird_config *c)
{
    int64_t n = bird_head_columns(c);

    return n == 2 && bird_config_is_choice(c) ? 1 : n;
}

struct answers {
    double *p;
    int64_t columns;
    int first; /* column of the scorer that becomes column 0 */
    const struct bird_row_scoring *s;
};

static int take_answer(void *context, int64_t index, const float *p)
{
    struct answers *a = context;

    for (int64_t j = 0; j < a->columns; j++)
        a->p[index * a->columns + j] = (double)p[a->first + j];
    return a->s->after_row ? a->s->after_row(a->s->context) : 0;
}

int bird_rows_score(double *p, struct bird_row_scoring *s,
                    const bird_dataset *d)
{
    struct answers a = {.p = p, .columns = bird_row_columns(s->c), .s = s};
    struct bird_scorer *scorer;
    char *flipped = NULL;
    int64_t cap = 0;
    int rc = bird_scorer_new(&scorer, s->c, s->w, s->t, take_answer, &a);

    if (rc)
        return rc;
    bird_scorer_pad(scorer, s->pad_to);
    a.first = a.columns < bird_scorer_columns(scorer);
    for (int64_t i = 0; !rc && i < d->n; i++) {
        const char *seq = bird_dataset_seq(d, i);
        int64_t n = d->row[i].len;

        if (s->reverse && (rc = bird_array_grow(&flipped, &cap, n, 1)) == 0) {
            bird_reverse_complement(flipped, seq, n);
            seq = flipped;
        }
        if (!rc)
            rc = bird_scorer_add(scorer, seq, n);
    }
    if (!rc)
        rc = bird_scorer_flush(scorer);
    s->n_trimmed += bird_scorer_trimmed(scorer);
    bird_scorer_free(scorer);
    free(flipped);
    return rc;
}
