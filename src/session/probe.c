/* The parts of a scan's time. SPDX-License-Identifier: MIT */
#include "session/probe.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void bird_probe_start(struct bird_probe *p, enum bird_scan_part part)
{
    memset(p->second, 0, sizeof(p->second));
    if (p->length)
        memset(p->length, 0, (size_t)(p->longest + 1) * sizeof(*p->length));
    p->n_bp = p->n_scored_bp = 0;
    p->part = part;
    p->since = p->now();
}

enum bird_scan_part bird_probe_enter(struct bird_probe *p,
                                     enum bird_scan_part part)
{
    enum bird_scan_part before;
    double now;

    if (!p)
        return part;
    now = p->now();
    before = p->part;
    p->second[before] += now - p->since;
    p->since = now;
    p->part = part;
    return before;
}

double bird_probe_now(const struct bird_probe *p)
{
    return p ? p->now() : 0;
}

void bird_probe_move(struct bird_probe *p, enum bird_scan_part from,
                     enum bird_scan_part to, double seconds)
{
    if (!p)
        return;
    p->second[from] -= seconds;
    p->second[to] += seconds;
}

int bird_probe_length(struct bird_probe *p, int64_t n)
{
    int64_t had = p && p->length ? p->longest + 1 : 0;
    int rc;

    if (!p)
        return 0;
    if (!p->length || n >= had) {
        rc = bird_array_grow(&p->length, &p->cap, n + 1, sizeof(*p->length));
        if (rc)
            return rc;
        memset(p->length + had, 0, (size_t)(n + 1 - had) * sizeof(*p->length));
        p->longest = n;
    }
    p->length[n]++;
    return 0;
}

void bird_probe_free(struct bird_probe *p)
{
    free(p->length);
    p->length = NULL;
    p->longest = p->cap = 0;
}
