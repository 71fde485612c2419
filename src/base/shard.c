/* Parts of an input. SPDX-License-Identifier: MIT */
#include "base/shard.h"

#include <string.h>

#include "base/fail.h"
#include "base/text.h"

enum {
    MOST_SHARDS = 1 << 30
}; /* its product with the bases of a genome
                                   fits */

int bird_shard_parse(struct bird_shard *out, const char *text)
{
    const char *slash = text ? strchr(text, '/') : NULL;
    struct bird_shard s = {1, 1};
    struct bird_text first = {0};
    int rc = 0;

    if (slash)
        rc = bird_text_put(&first, text, slash - text);
    if (!rc && text &&
        (!slash || bird_parse_int(&s.i, first.s) ||
         bird_parse_int(&s.n, slash + 1) || s.i < 1 || s.n < 1 || s.i > s.n ||
         s.n > MOST_SHARDS))
        rc = bird_fail(BIRD_EINVAL,
                       "--shard %.40s: give I/N with I from 1 to N, as 2/3 "
                       "for the second of three parts",
                       text);
    bird_text_free(&first);
    if (!rc)
        *out = s;
    return rc;
}

/* floor(all * i / n) without a product above 2^63 */
static int64_t part(int64_t all, int64_t i, int64_t n)
{
    return all / n * i + all % n * i / n;
}

void bird_shard_range(int64_t *from, int64_t *to, const struct bird_shard *s,
                      int64_t all)
{
    *from = part(all, s->i - 1, s->n);
    *to = part(all, s->i, s->n);
}
