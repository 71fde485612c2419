/* Labels that the training rows say nothing of, or only no.
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "base/fail.h"
#include "base/mem.h"
#include "data/dataset.h"
#include "train/finetune.h"

enum { N_NAMED = 5 }; /* labels that a notice names */

/* "2 labels WHAT: a, b" of the marked labels; nothing when there is none. */
static int name_labels(struct bird_text *t, const bird_dataset *d,
                       const uint8_t *mark, const char *what)
{
    int64_t n = 0, told = 0;
    int rc = 0;

    for (int64_t k = 0; k < d->n_label; k++)
        n += mark[k];
    if (n)
        rc = bird_text_printf(t, "%lld label%s %s: ", (long long)n,
                              n > 1 ? "s" : "", what);
    for (int64_t k = 0; !rc && k < d->n_label && told < N_NAMED; k++) {
        const char *comma = told ? ", " : "";

        if (!mark[k])
            continue;
        rc = d->label_name
                 ? bird_text_printf(t, "%s%s", comma, d->label_name[k])
                 : bird_text_printf(t, "%s%lld", comma, (long long)k);
        told++;
    }
    return rc || told == n ? rc : bird_text_printf(t, ", ...");
}

/* Marks from counts: labels to keep, to leave out, never seen as 1. */
static int sort_labels(struct bird_finetuning *f, const int64_t *known,
                       const int64_t *positive, uint8_t *keep, uint8_t *mark)
{
    int64_t n = f->train.n_label, left = 0;
    int rc;

    for (int64_t k = 0; k < n; k++) {
        keep[k] = known[k] > 0;
        mark[k] = !keep[k];
        left += keep[k];
    }
    if (!left)
        return bird_fail(BIRD_EINVAL,
                         "%s: no label is known in any training row: nothing "
                         "can be learned from that",
                         f->o.train);
    rc = name_labels(&f->left_out, &f->train, mark,
                     "known in no training row, left out of the model");
    for (int64_t k = 0; k < n; k++)
        mark[k] = keep[k] && !positive[k];
    return rc ? rc
              : name_labels(&f->never, &f->train, mark,
                            "positive in no training row, so that the model "
                            "learns only to say no");
}

int bird_finetune_leave_out(struct bird_finetuning *f)
{
    int64_t n = f->train.n_label, *known = NULL, *positive = NULL;
    uint8_t *keep = NULL, *mark = NULL;
    int rc = bird_array_new(&known, n, sizeof(*known)) ||
                     bird_array_new(&positive, n, sizeof(*positive)) ||
                     bird_array_new(&keep, n, 1) || bird_array_new(&mark, n, 1)
                 ? BIRD_ENOMEM
                 : 0;

    if (!rc)
        rc = bird_labels_count(known, positive, &f->train);
    if (!rc)
        rc = sort_labels(f, known, positive, keep, mark);
    if (!rc && f->left_out.n) {
        rc = bird_labels_keep(&f->train, keep);
        if (!rc)
            rc = bird_labels_keep(&f->valid, keep);
    }
    free(known);
    free(positive);
    free(keep);
    free(mark);
    return rc;
}
