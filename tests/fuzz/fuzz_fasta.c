/*
 * Any bytes as FASTA: pieces must follow each other, windows must lie inside
 * their contig, be those that bird_window_at() says, and hold the letters
 * that the pieces held. The first two bytes choose piece, width and stride.
 * SPDX-License-Identifier: MIT
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "dnabird/dnabird.h"
#include "seq/alphabet.h"
#include "seq/fastx.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(x)                                                                \
    do {                                                                       \
        if (!(x))                                                              \
            abort();                                                           \
    } while (0)

struct contig {
    char *seq;
    int64_t n;
};

struct whole {
    struct contig *contigs;
    int64_t n;
};

static void whole_free(struct whole *w)
{
    for (int64_t i = 0; i < w->n; i++)
        free(w->contigs[i].seq);
    free(w->contigs);
}

static void add_piece(struct whole *w, const bird_piece *p)
{
    struct contig *c;

    if (!p->start) {
        MUST(p->contig == w->n);
        w->contigs =
            realloc(w->contigs, (size_t)(w->n + 1) * sizeof(*w->contigs));
        MUST(w->contigs);
        w->contigs[w->n++] = (struct contig){0};
    }
    MUST(p->contig == w->n - 1);
    MUST(p->name && *p->name);
    c = w->contigs + p->contig;
    MUST(p->start == c->n && (p->n > 0 || (p->last && !p->start)));
    c->seq = realloc(c->seq, (size_t)(c->n + p->n + 1));
    MUST(c->seq);
    if (p->n)
        memcpy(c->seq + c->n, p->seq, (size_t)p->n);
    for (int64_t i = 0; i < p->n; i++) {
        MUST(bird_letter_fold[(uint8_t)p->seq[i]] == (uint8_t)p->seq[i]);
        MUST(p->mask[i] <= 1);
    }
    c->n += p->n;
}

static int read_pieces(struct whole *out, const uint8_t *data, int64_t n,
                       int64_t piece)
{
    bird_fastx *r = NULL;
    bird_piece p;
    int rc, ended = 1;

    rc = bird_fastx_open_memory(&r, "x", data, n, BIRD_FASTX_MASK);
    if (rc) {
        MUST(!strncmp(bird_last_error(), "x: ", 3));
        return rc;
    }
    bird_fastx_piece_max(r, piece);
    while ((rc = bird_fastx_next(r, &p)) > 0) {
        MUST(ended == !p.start);
        ended = p.last;
        add_piece(out, &p);
    }
    if (rc)
        MUST(*bird_last_error());
    else
        MUST(ended && bird_fastx_next(r, &p) == 0);
    bird_fastx_free(r);
    return rc;
}

static void check_window(const bird_window *x, const struct whole *all,
                         int64_t width, int64_t stride, int64_t k)
{
    const struct contig *c = all->contigs + x->contig;
    int64_t start, end, unknown = 0;

    MUST(k < bird_window_count(c->n, width, stride));
    MUST(x->last == (k == bird_window_count(c->n, width, stride) - 1));
    bird_window_at(&start, &end, c->n, width, stride, k);
    MUST(x->start == start && x->end == end);
    MUST(start >= 0 && start < end && end <= c->n);
    MUST(!memcmp(x->seq, c->seq + start, (size_t)(end - start)));
    for (int64_t i = start; i < end; i++)
        unknown += !strchr("ACGT", c->seq[i]);
    MUST(unknown == x->n_unknown);
}

static void read_windows(const struct whole *all, int rc_pieces,
                         const uint8_t *data, int64_t n, const int64_t par[3])
{
    bird_fastx *r = NULL;
    bird_windows *w = NULL;
    bird_window x;
    int64_t contig = -1, k = 0, seen = 0, want = 0;
    int rc;

    rc = bird_fastx_open_memory(&r, "x", data, n, 0);
    MUST(!rc || rc == rc_pieces);
    if (rc)
        return;
    bird_fastx_piece_max(r, par[0]);
    MUST(!bird_windows_stream(&w, r, par[1], par[2]));
    while ((rc = bird_windows_next(w, &x)) > 0) {
        k = x.contig == contig ? k + 1 : 0;
        contig = x.contig;
        MUST(x.index == seen++);
        MUST(x.contig < all->n);
        if (!rc_pieces) /* else a contig may have gone on */
            check_window(&x, all, par[1], par[2], k);
    }
    MUST(rc == rc_pieces);
    for (int64_t i = 0; i < all->n; i++)
        want += bird_window_count(all->contigs[i].n, par[1], par[2]);
    MUST(rc || seen == want);
    bird_windows_free(w);
    bird_fastx_free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct whole all = {0};
    int64_t par[3];
    int rc;

    if (size < 2)
        return 0;
    par[0] = 1 + data[0] % 67;     /* letters a piece */
    par[1] = 1 + data[1] % 16 * 5; /* width */
    par[2] = 1 + data[1] / 16 * 3; /* stride */
    rc = read_pieces(&all, data + 2, (int64_t)size - 2, par[0]);
    read_windows(&all, rc, data + 2, (int64_t)size - 2, par);
    whole_free(&all);
    return 0;
}
