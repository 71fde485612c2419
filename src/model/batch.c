/* Checks that the model can read a batch.
 * SPDX-License-Identifier: MIT */
#include "base/fail.h"
#include "kernel/gemm.h"
#include "model/encoder.h"
#include "model/stem.h"

int64_t bird_batch_extent(const struct bird_batch *b, int64_t s)
{
    int64_t end = b->offset[s + 1];

    return b->position ? b->position[end - 1] + 1 : end - b->offset[s];
}

static int check_positions(const struct bird_batch *b, int64_t s)
{
    const int32_t *p = b->position;

    if (!p)
        return 0;
    if (p[b->offset[s]] < 0)
        return bird_fail(BIRD_ERANGE, "sequence %lld begins at position %d",
                         (long long)s + 1, p[b->offset[s]]);
    for (int64_t i = b->offset[s] + 1; i < b->offset[s + 1]; i++)
        if (p[i] < p[i - 1])
            return bird_fail(BIRD_EINVAL,
                             "sequence %lld, token %lld: its position %d lies "
                             "before %d",
                             (long long)s + 1,
                             (long long)(i - b->offset[s] + 1), p[i], p[i - 1]);
    return 0;
}

static int check_tokens(const struct bird_batch *b, const struct bird_config *c,
                        int64_t s)
{
    const int64_t *at = b->token ? b->token : b->offset;

    for (int64_t i = at[s]; i < at[s + 1]; i++) {
        if (b->ids[i] < 0 || b->ids[i] >= c->vocab_size)
            return bird_fail(BIRD_ERANGE,
                             "sequence %lld, token %lld: id %d is outside "
                             "the vocabulary of %lld",
                             (long long)s + 1, (long long)(i - at[s] + 1),
                             b->ids[i], (long long)c->vocab_size);
    }
    for (int64_t i = b->offset[s]; b->type && i < b->offset[s + 1]; i++)
        if (b->type[i] < 0 || b->type[i] >= c->type_vocab_size)
            return bird_fail(BIRD_ERANGE,
                             "sequence %lld, %s %lld: type %d is "
                             "outside the %lld types",
                             (long long)s + 1, b->token ? "row" : "token",
                             (long long)(i - b->offset[s] + 1), b->type[i],
                             (long long)c->type_vocab_size);
    return 0;
}

/* Rows are those that the stem makes of the tokens. */
static int check_stem(const struct bird_batch *b, const struct bird_config *c)
{
    if (b->mask || b->position)
        return bird_fail(BIRD_EUNSUPPORTED,
                         "a model with a stem takes no padding or positions");
    if (b->token[b->n_seq] > BIRD_GEMM_MOST)
        return bird_fail(BIRD_ERANGE, "a batch of %lld tokens: at most %d",
                         (long long)b->token[b->n_seq], BIRD_GEMM_MOST);
    for (int64_t s = 0; s < b->n_seq; s++) {
        int64_t n = b->token[s + 1] - b->token[s];
        int64_t rows = bird_stem_rows(c, b->ids + b->token[s], n);

        if (rows != b->offset[s + 1] - b->offset[s])
            return bird_fail(BIRD_EINVAL,
                             "sequence %lld: its %lld tokens become %lld rows, "
                             "not %lld",
                             (long long)s + 1, (long long)n, (long long)rows,
                             (long long)(b->offset[s + 1] - b->offset[s]));
    }
    return 0;
}

int bird_batch_check(const struct bird_batch *b, const struct bird_config *c)
{
    const char *unit = c->n_stem ? "rows" : "tokens";

    if (b->offset[b->n_seq] > BIRD_GEMM_MOST)
        return bird_fail(BIRD_ERANGE,
                         "a batch of %lld %s: at most %d at once: give "
                         "fewer sequences",
                         (long long)b->offset[b->n_seq], unit, BIRD_GEMM_MOST);
    if (!b->token != !c->n_stem)
        return bird_fail(BIRD_EINVAL, "a batch has token offsets if and only "
                                      "if the model has a stem");
    for (int64_t s = 0; s < b->n_seq; s++) {
        int64_t len = b->offset[s + 1] - b->offset[s];
        int rc;

        if (len < 1)
            return bird_fail(BIRD_EINVAL, "sequence %lld is empty",
                             (long long)s + 1);
        if ((rc = check_positions(b, s)))
            return rc;
        len = bird_batch_extent(b, s);
        if (len > c->max_positions)
            return bird_fail(BIRD_ERANGE,
                             "sequence %lld has %lld %s, the model reads "
                             "%lld: use shorter windows",
                             (long long)s + 1, (long long)len, unit,
                             (long long)c->max_positions);
        if ((rc = check_tokens(b, c, s)))
            return rc;
    }
    for (int64_t i = 0; i < b->n_want; i++)
        if (!b->token || !b->full || b->want[i] >= b->token[b->n_seq] ||
            b->want[i] < (i ? b->want[i - 1] + 1 : 0))
            return bird_fail(BIRD_EINVAL,
                             "tokens whose features are wanted must rise and "
                             "lie in the batch: number %lld does not",
                             (long long)i + 1);
    return c->n_stem ? check_stem(b, c) : 0;
}
