/* Contigs held in memory, where a file cannot be indexed.
   SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "seq/genome.h"

/* What a pass may take along beside the contig it is made for. */
enum { COMPANY_BYTES = 64 << 20 };

static int fail_changed(const bird_genome *g)
{
    return bird_fail(BIRD_EIO, "%s: the file changed while it was read",
                     g->path);
}

/* One pass that fills the contigs i with need[i] != 0, `left` of them. */
static int read_needed(bird_genome *g, const char *need, int64_t left)
{
    bird_fastx *r = NULL;
    bird_piece p;
    int rc = bird_fastx_open(&r, g->path, BIRD_FASTX_RAW);

    if (rc)
        return rc;
    while (left && (rc = bird_fastx_next(r, &p)) > 0) {
        struct bird_contig *c = g->contigs + p.contig;

        if (p.contig >= g->n || strcmp(p.name, c->name) != 0 ||
            p.start + p.n > c->layout.length ||
            (p.last && p.start + p.n < c->layout.length)) {
            rc = fail_changed(g);
            break;
        }
        if (!need[p.contig])
            continue;
        if (!c->held && (rc = bird_array_new(&c->held, c->layout.length, 1)))
            break;
        if (p.n)
            memcpy(c->held + p.start, p.seq, (size_t)p.n);
        left -= p.last;
    }
    bird_fastx_free(r);
    if (rc < 0)
        return rc;
    return left ? fail_changed(g) : 0;
}

int bird_hold_read(bird_genome *g, const char *wanted)
{
    char *need = NULL;
    int64_t left = 0;
    int rc = bird_array_new(&need, g->n, 1);

    if (rc)
        return rc;
    for (int64_t i = 0; i < g->n; i++) {
        need[i] = wanted[i] && !g->contigs[i].held;
        left += need[i];
    }
    rc = left ? read_needed(g, need, left) : 0;
    /* a contig read in part must not pass for a whole one */
    for (int64_t i = 0; rc && i < g->n; i++)
        if (need[i]) {
            free(g->contigs[i].held);
            g->contigs[i].held = NULL;
        }
    free(need);
    return rc;
}

int bird_hold_contig(bird_genome *g, int64_t contig)
{
    char *wanted = NULL;
    int64_t room = COMPANY_BYTES;
    int rc;

    if (g->contigs[contig].held)
        return 0;
    if ((rc = bird_array_new(&wanted, g->n, 1)))
        return rc;
    wanted[contig] = 1;
    room -= g->contigs[contig].layout.length;
    for (int64_t k = 1; k < g->n; k++) {
        int64_t i = (contig + k) % g->n;

        if (g->contigs[i].held || g->contigs[i].layout.length > room)
            continue;
        wanted[i] = 1;
        room -= g->contigs[i].layout.length;
    }
    rc = bird_hold_read(g, wanted);
    free(wanted);
    return rc;
}

int bird_hold_all(bird_genome *g)
{
    bird_fastx *r = NULL;
    char *seq = NULL;
    int64_t cap = 0;
    bird_piece p;
    int rc = bird_fastx_open(&r, g->path, BIRD_FASTX_RAW);

    while (!rc && (rc = bird_fastx_next(r, &p)) > 0) {
        struct bird_layout layout;

        rc = bird_array_grow(&seq, &cap, p.start + p.n + 1, 1);
        if (rc)
            break;
        if (p.n)
            memcpy(seq + p.start, p.seq, (size_t)p.n);
        if (!p.last)
            continue;
        bird_fastx_layout(r, &layout);
        if ((rc = bird_contig_add(g, p.name, &layout)))
            break;
        g->contigs[g->n - 1].held = seq;
        seq = NULL;
        cap = 0;
    }
    free(seq);
    bird_fastx_free(r);
    if (rc || (rc = bird_contigs_sort(g)))
        return rc;
    return bird_genome_note(g,
                            "%s: can be read only once and is held in memory, "
                            "one byte a base: give a file for less",
                            strcmp(g->path, "-") ? g->path : "standard input");
}
