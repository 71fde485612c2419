/* Rows of a data set through a session. SPDX-License-Identifier: MIT */
#include "eval/predict_rows.h"

struct answers {
    double *p;
    const struct bird_row_scoring *s;
};

/* The mean of both strands is taken here, in double. */
static int take(void *context, const bird_answer *a)
{
    struct answers *to = context;
    double *p = to->p + a->tag * a->n_label;
    int first = a->strand == '+' && to->s->strand == BIRD_STRAND_BOTH;

    for (int64_t j = 0; j < a->n_label; j++)
        p[j] = a->strand == '-' ? (p[j] + (double)a->value[j]) / 2
                                : (double)a->value[j];
    return to->s->after_row && !first ? to->s->after_row(to->s->context) : 0;
}

int bird_rows_score(double *p, struct bird_row_scoring *s,
                    const bird_dataset *d)
{
    struct answers to = {p, s};
    bird_session_options o = {.strand = s->strand == BIRD_STRAND_BOTH
                                            ? BIRD_STRAND_EACH
                                            : BIRD_STRAND_PLUS,
                              .answer = take,
                              .context = &to};
    bird_session_counts t;
    bird_session *session;
    int rc = bird_session_new(&session, s->m, &o);

    if (rc)
        return rc;
    for (int64_t i = 0; !rc && i < d->n; i++)
        rc =
            bird_session_add(session, bird_dataset_seq(d, i), d->row[i].len, i);
    if (!rc)
        rc = bird_session_flush(session);
    bird_session_count(session, &t);
    s->n_trimmed = t.n_trimmed;
    bird_session_free(session);
    return rc;
}
