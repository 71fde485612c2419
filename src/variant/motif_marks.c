/* Motifs of a region as marks with a note each.
 * SPDX-License-Identifier: MIT */
#include "variant/motif_marks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static const char bases[] = "ACGT";

static void clear(struct bird_motif_marks *k)
{
    for (int64_t i = 0; k->text && i < 2 * k->n; i++)
        bird_text_free(&k->text[i]);
    free(k->text);
    free(k->span);
    free(k->hit);
    free(k->bases);
    k->text = NULL;
    k->span = NULL;
    k->hit = NULL;
    k->bases = NULL;
    k->n = 0;
}

void bird_motif_marks_free(struct bird_motif_marks *k)
{
    clear(k);
    bird_motifs_free(&k->motifs);
}

int bird_motif_marks_open(struct bird_motif_marks *k, const char *path)
{
    return bird_motifs_open(&k->motifs, path);
}

/* The region, the model's scores of it, and the first base of k->bases. */
struct region {
    int64_t start, end, from;
    const double *value;
};

/* The change within a hit with the largest score: its position and base; 0: no
 * change has a score. */
static int strongest(int64_t *at, int *letter, const struct region *r,
                     int64_t from, int64_t to)
{
    int64_t n = r->end - r->start;
    double best = -1;

    for (int64_t i = from > r->start ? from : r->start; i < to && i < r->end;
         i++)
        for (int b = 0; b < 4; b++) {
            double v = fabs(r->value[b * n + i - r->start]);

            if (v > best) {
                best = v;
                *at = i;
                *letter = b;
            }
        }
    return best > 0;
}

/* "HNF4A (MA0114.5) +, p 3e-7; its strongest change, C to T at 1,234 (-0.31),
 * leaves p 4e-3". */
static int put_note(struct bird_text *t, const struct bird_motif_marks *k,
                    const struct bird_motif_hit *h, const struct region *r)
{
    char word[BIRD_MOTIF_WIDTH], p[BIRD_NUMBER_SIZE], v[BIRD_NUMBER_SIZE];
    char position[BIRD_NUMBER_SIZE];
    int64_t first = r->from + h->start, at = 0;
    int letter = 0, rc;
    double left;

    rc = bird_text_printf(t, "%s (%s) %c, p %s", h->motif->name, h->motif->id,
                          h->strand, bird_number(p, h->p, 2));
    if (rc || !strongest(&at, &letter, r, first, first + h->motif->width))
        return rc;
    memcpy(word, k->bases + h->start, (size_t)h->motif->width);
    word[at - first] = bases[letter];
    left = bird_motif_p(h->motif, bird_motif_score(h->motif, word, h->strand));
    rc = bird_text_printf(
        t, "; its strongest change, %c to %c at %s (%s), leaves p ",
        k->bases[at - r->from], bases[letter],
        bird_number(position, (double)at + 1, 15),
        bird_number(v, r->value[letter * (r->end - r->start) + at - r->start],
                    2));
    if (rc)
        return rc;
    return left < 1 ? bird_text_printf(t, "%s", bird_number(p, left, 2))
                    : bird_text_printf(t, "above %g", BIRD_MOTIF_MOST_P);
}

static int mark(struct bird_motif_marks *k, const struct region *r)
{
    int rc = bird_array_new(&k->span, k->n, sizeof(*k->span));

    if (!rc)
        rc = bird_array_new(&k->text, 2 * k->n, sizeof(*k->text));
    for (int64_t i = 0; !rc && i < k->n; i++) {
        const struct bird_motif_hit *h = &k->hit[i];
        struct bird_text *name = &k->text[2 * i], *note = name + 1;
        int64_t from = r->from + h->start - r->start;

        rc = bird_text_printf(name, "%s", h->motif->name);
        if (!rc)
            rc = put_note(note, k, h, r);
        k->span[i] = (struct bird_named_span){from, from + h->motif->width,
                                              name->s, note->s};
    }
    return rc;
}

int bird_motif_marks_find(struct bird_motif_marks *k, bird_genome *g,
                          int64_t contig, int64_t start, int64_t end,
                          const double *value, double most_p)
{
    int64_t length = bird_genome_length(g, contig), to;
    struct bird_motif_range range;
    struct region r = {start, end, start - BIRD_MOTIF_WIDTH, value};
    int rc;

    clear(k);
    r.from = r.from > 0 ? r.from : 0;
    to = end + BIRD_MOTIF_WIDTH < length ? end + BIRD_MOTIF_WIDTH : length;
    rc = bird_array_new(&k->bases, to - r.from, 1);
    if (!rc)
        rc = bird_genome_fetch(g, contig, r.from, to, k->bases);
    range = (struct bird_motif_range){k->bases, to - r.from, start - r.from,
                                      end - r.from, most_p};
    if (!rc)
        rc = bird_motifs_find(&k->hit, &k->n, &k->motifs, &range);
    return rc ? rc : mark(k, &r);
}
