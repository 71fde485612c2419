/* Encoding from left to right: the run. SPDX-License-Identifier: MIT */
#include "token/chain.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "token/chain_pair.h"

/* The link of the longest token at p. */
static inline int32_t longest(const struct bird_chain *c, const uint8_t *p)
{
    int32_t node = 0, last = 0, token = -1, e;
    uint64_t x;

    memcpy(&x, p, sizeof(x));
    if (!(x & 0xfcfcfcfcfcfcfcfcu)) {
        const struct bird_head *h = &c->head[bird_chain_pack(x)];

        if (!h->node)
            return h->token;
        node = h->node;
        token = h->token;
        p += 8;
    }
    for (; *p != BIRD_CHAIN_END; p++) {
        e = c->next[(int64_t)node << c->shift | *p];
        if (!e)
            break;
        node = e >> 1;
        if (e & 1)
            last = node;
    }
    return last ? c->token[last] : token;
}

static int room(bird_encoding *out)
{
    int rc = bird_array_grow(&out->ids, &out->cap_ids, out->n + 1,
                             sizeof(*out->ids));

    if (!rc)
        rc = bird_array_grow(&out->start, &out->cap_start, out->n + 1,
                             sizeof(*out->start));
    return rc;
}

/*
 * The links stand in out->ids until the end. A place is marked dead when no
 * token fits behind the encoding that ends there: that encoding is the only
 * one of the text before it, so nobody needs to come back.
 */
static int run_links(const struct bird_chain *c, struct bird_chain_work *w,
                     int64_t n, int64_t start, bird_encoding *out)
{
    const struct bird_link *link = c->link;
    int64_t pos = 0, first = out->n;
    int32_t t = longest(c, w->code);

    for (;;) {
        int32_t last = out->n > first ? out->ids[out->n - 1] : -1;

        while (t >= 0) {
            int64_t end = pos + link[t].length;

            if (bird_chain_goes_on(&link[t], w->code + end) &&
                !(w->dead[end >> 6] >> (end & 63) & 1) &&
                (last < 0 || bird_chain_fits(c, last, t)))
                break;
            t = link[t].prefix;
        }
        if (t < 0) { /* cannot come at the start: a letter fits there */
            w->dead[pos >> 6] |= (uint64_t)1 << (pos & 63);
            out->n--;
            pos -= link[last].length;
            t = last;
            continue;
        }
        if (out->n >= out->cap_ids || out->n >= out->cap_start) {
            int rc = room(out);

            if (rc)
                return rc;
        }
        out->ids[out->n] = t;
        out->start[out->n++] = start + pos;
        pos += link[t].length;
        if (pos == n)
            return 0;
        t = longest(c, w->code + pos);
    }
}

int bird_chain_run(const struct bird_chain *c, struct bird_chain_work *w,
                   int64_t n, int64_t start, bird_encoding *out)
{
    int64_t first = out->n, words = n / 64 + 1;
    int rc = bird_array_grow(&w->dead, &w->cap_dead, words, sizeof(*w->dead));

    if (rc)
        return rc;
    memset(w->dead, 0, (size_t)words * sizeof(*w->dead));
    if ((rc = run_links(c, w, n, start, out)))
        return rc;
    for (int64_t i = first; i < out->n; i++)
        out->ids[i] = c->id[out->ids[i]];
    return 0;
}

void bird_chain_work_free(struct bird_chain_work *w)
{
    free(w->code);
    free(w->dead);
    *w = (struct bird_chain_work){0};
}
