/* A stretch of a genome, kept. SPDX-License-Identifier: MIT */
#include "seq/stretch.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"

enum { AHEAD = 1 << 20, AROUND = 32768 };

void bird_stretch_free(struct bird_stretch *s)
{
    free(s->bases);
    *s = (struct bird_stretch){0};
}

static int64_t clamp(int64_t x, int64_t lo, int64_t hi)
{
    return x < lo ? lo : x > hi ? hi : x;
}

static int fill(struct bird_stretch *s, bird_genome *g, int64_t contig,
                int64_t start, int64_t end)
{
    int64_t length = bird_genome_length(g, contig), from, to;
    int onward = s->genome == g && s->contig == contig && start >= s->start &&
                 start <= s->end + AHEAD;
    int rc;

    /* much ahead where places rise; a little around them where they jump */
    end = clamp(length, end, end + (onward ? AHEAD : AROUND));
    if (!onward && start > 0)
        start = start > AROUND ? start - AROUND : 0;
    s->genome = NULL;
    rc = bird_array_grow(&s->bases, &s->cap, end - start, 1);
    if (rc)
        return rc;
    from = clamp(start, 0, length);
    to = clamp(end, 0, length);
    memset(s->bases, 'N', (size_t)(end - start));
    if (to > from)
        rc = bird_genome_fetch(g, contig, from, to, s->bases + from - start);
    if (rc)
        return rc;
    s->genome = g;
    s->contig = contig;
    s->start = start;
    s->end = end;
    return 0;
}

int bird_stretch_get(const char **out, struct bird_stretch *s, bird_genome *g,
                     int64_t contig, int64_t start, int64_t end)
{
    int rc = 0;

    if (s->genome != g || s->contig != contig || start < s->start ||
        end > s->end)
        rc = fill(s, g, contig, start, end);
    if (!rc)
        *out = s->bases + start - s->start;
    return rc;
}
