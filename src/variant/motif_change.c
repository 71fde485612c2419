/* The change of motif matches by an allele. All motifs are scored together: the
 * table of scores is laid out as (position, base, column), where a column is a
 * motif on a strand and the widest motifs come first, so that adding one base
 * of a window is adding two vectors, and the motifs that a window concerns are
 * the first ones. Scores are integers: no sum depends on its order.
 * SPDX-License-Identifier: MIT */
#include "variant/motif_change.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "seq/alphabet.h"
#include "variant/effect_window.h"

enum {
    REPEAT = 64, /* bp that a repeat is followed */
    FLANK = REPEAT + BIRD_MOTIF_WIDTH,
    CODES = 5,        /* A, C, G, T, and any other character */
    NEVER = -10000000 /* score of another character: no window with it matches,
                         and the sum of a window does not overflow */
};

struct bird_motif_scan {
    struct bird_motifs motifs;
    int64_t n;                         /* columns: two for each motif */
    int64_t n_wider[BIRD_MOTIF_WIDTH]; /* columns with more positions than i */
    int64_t *motif;                    /* (n / 2) index of each pair's motif */
    int32_t *table;                    /* (BIRD_MOTIF_WIDTH, CODES, n) */
    int32_t *least;                    /* (n) threshold */
    int32_t *sum;                      /* (n) of the window */
    int32_t *best;                     /* (2, n) of REF and of ALT */
    int32_t *at; /* (2, n) where that window begins in the haplotype */
    struct bird_text hap[2]; /* REF and ALT with their flanks */
};

void bird_motif_scan_free(struct bird_motif_scan *s)
{
    if (!s)
        return;
    bird_motifs_free(&s->motifs);
    free(s->motif);
    free(s->table);
    free(s->least);
    free(s->sum);
    free(s->best);
    free(s->at);
    bird_text_free(&s->hap[0]);
    bird_text_free(&s->hap[1]);
    free(s);
}

/* --- the table ------------------------------------------------------------ */

/* List the motifs by width, the widest first, else in the file's order. */
static void sort_motifs(struct bird_motif_scan *s)
{
    int64_t k = 0;

    for (int w = BIRD_MOTIF_WIDTH; w > 0; w--) {
        for (int64_t i = 0; i < s->motifs.n; i++)
            if (s->motifs.at[i].width == w)
                s->motif[k++] = i;
        s->n_wider[w - 1] = 2 * k;
    }
}

/* Replace characters that a value of VCF's INFO may not have. */
static void clean_names(struct bird_motif *m)
{
    char *text[] = {m->id, m->name};

    for (int k = 0; k < 2; k++)
        for (char *c = text[k]; *c; c++)
            if (bird_is_control(*c) || strchr(",;=%", *c))
                *c = '_';
}

static void fill_columns(struct bird_motif_scan *s, int64_t k)
{
    const struct bird_motif *m = &s->motifs.at[s->motif[k]];

    s->least[2 * k] = s->least[2 * k + 1] =
        bird_motif_least(m, BIRD_MOTIF_CHANGE_P);
    for (int i = 0; i < m->width; i++)
        for (int b = 0; b < CODES; b++) {
            int32_t *row = s->table + (i * CODES + b) * s->n + 2 * k;

            row[0] = b < 4 ? m->score[i][b] : NEVER;
            row[1] = b < 4 ? m->score[m->width - 1 - i][3 - b] : NEVER;
        }
}

int bird_motif_scan_open(struct bird_motif_scan **out, const char *path)
{
    struct bird_motif_scan *s;
    int rc = bird_array_new(&s, 1, sizeof(*s));

    if (rc)
        return rc;
    rc = bird_motifs_open(&s->motifs, path);
    s->n = 2 * s->motifs.n;
    if (!rc)
        rc = bird_array_new(&s->motif, s->motifs.n, sizeof(*s->motif));
    if (!rc)
        rc = bird_array_new(&s->table, (int64_t)BIRD_MOTIF_WIDTH * CODES * s->n,
                            sizeof(*s->table));
    if (!rc)
        rc = bird_array_new(&s->least, s->n, sizeof(*s->least));
    if (!rc)
        rc = bird_array_new(&s->sum, s->n, sizeof(*s->sum));
    if (!rc)
        rc = bird_array_new(&s->best, 2 * s->n, sizeof(*s->best));
    if (!rc)
        rc = bird_array_new(&s->at, 2 * s->n, sizeof(*s->at));
    if (rc) {
        bird_motif_scan_free(s);
        return rc;
    }
    sort_motifs(s);
    for (int64_t k = 0; k < s->motifs.n; k++) {
        clean_names(&s->motifs.at[k]);
        fill_columns(s, k);
    }
    *out = s;
    return 0;
}

const struct bird_motifs *
bird_motif_scan_motifs(const struct bird_motif_scan *s)
{
    return &s->motifs;
}

int64_t bird_motif_scan_reach(void)
{
    return FLANK;
}

/* --- haplotypes ----------------------------------------------------------- */

/* Read both haplotypes around the change, each base as its code. */
static int read_haplotypes(struct bird_motif_scan *s, bird_genome *g,
                           struct bird_contig_cache *cache,
                           const struct bird_change *c)
{
    int rc = 0;

    for (int k = 0; k < 2 && !rc; k++) {
        const struct bird_haplotype h = {g, cache, c->contig, k ? c : NULL,
                                         FLANK};
        int64_t n = k ? c->alt.n : c->end - c->start;

        bird_text_clear(&s->hap[k]);
        rc = bird_haplotype_put(&s->hap[k], &h, c->start - FLANK,
                                c->start + n + FLANK);
        for (int64_t i = 0; i < s->hap[k].n && !rc; i++) {
            int b = bird_base_code(s->hap[k].s[i]);

            s->hap[k].s[i] = (char)(b < 0 ? CODES - 1 : b);
        }
    }
    return rc;
}

/* Bases from .. to of a haplotype in which the change can be placed. */
struct part {
    int64_t from, to;
};

/* Where the haplotypes differ, by their longest common prefix and suffix. In a
 * repeat these overlap: the change can be placed anywhere in the overlap. */
static void find_parts(struct part part[2], const struct bird_motif_scan *s)
{
    const char *a = s->hap[0].s, *b = s->hap[1].s;
    int64_t n = s->hap[0].n, m = s->hap[1].n, shorter = n < m ? n : m;
    int64_t least = FLANK - REPEAT, ahead = 0, behind = 0;

    while (ahead < shorter - least && a[ahead] == b[ahead])
        ahead++;
    while (behind < shorter - least && a[n - 1 - behind] == b[m - 1 - behind])
        behind++;
    part[0].from = ahead < shorter - behind ? ahead : shorter - behind;
    part[1].from = part[0].from;
    part[0].to =
        n - behind > ahead + n - shorter ? n - behind : ahead + n - shorter;
    part[1].to =
        m - behind > ahead + m - shorter ? m - behind : ahead + m - shorter;
}

/* --- scores --------------------------------------------------------------- */

static void add_row(int32_t *restrict sum, const int32_t *restrict row,
                    int64_t n)
{
    for (int64_t c = 0; c < n; c++)
        sum[c] += row[c];
}

static void keep_best(int32_t *restrict best, int32_t *restrict at,
                      const int32_t *restrict sum, int64_t n, int32_t start)
{
    for (int64_t c = 0; c < n; c++) {
        int more = sum[c] > best[c];

        best[c] = more ? sum[c] : best[c];
        at[c] = more ? start : at[c];
    }
}

/* The best windows of haplotype k that overlap the part, for all columns. */
static void scan_haplotype(struct bird_motif_scan *s, int k,
                           const struct part *part)
{
    const char *code = s->hap[k].s;
    int32_t *best = s->best + k * s->n, *at = s->at + k * s->n;

    for (int64_t c = 0; c < s->n; c++) {
        best[c] = INT32_MIN;
        at[c] = 0;
    }
    for (int64_t i = part->from - BIRD_MOTIF_WIDTH + 1; i < part->to; i++) {
        /* a window that begins before the part must reach it */
        int64_t short_of = i < part->from ? part->from - i : 0;
        int64_t n = s->n_wider[short_of];

        memset(s->sum, 0, (size_t)n * sizeof(*s->sum));
        for (int64_t j = 0; j < BIRD_MOTIF_WIDTH && s->n_wider[j]; j++)
            add_row(s->sum, s->table + (j * CODES + code[i + j]) * s->n,
                    n < s->n_wider[j] ? n : s->n_wider[j]);
        keep_best(best, at, s->sum, n, (int32_t)i);
    }
}

/* The column, of a motif's two, with the better window of haplotype k. */
static int64_t better(const struct bird_motif_scan *s, int k, int64_t pair)
{
    const int32_t *best = s->best + k * s->n + 2 * pair;

    return 2 * pair + (best[1] > best[0]);
}

/* How far the better window of haplotype k is above the threshold. */
static int64_t above(const struct bird_motif_scan *s, int k, int64_t pair)
{
    int64_t c = better(s, k, pair);
    int64_t x = (int64_t)s->best[k * s->n + c] - s->least[c];

    return x > 0 ? x : 0;
}

/* Is this change larger, or as large and of a motif earlier in the file? */
static int is_larger(const struct bird_motif_scan *s,
                     const struct bird_motif_change *than, int64_t change,
                     int64_t pair)
{
    int64_t a = llabs((long long)change), b = llabs((long long)than->change);

    return a > b ||
           (a == b && a && &s->motifs.at[s->motif[pair]] < than->motif);
}

/* The position on the contig of base i of haplotype k. */
static int64_t position(const struct bird_change *c, int k, int64_t i)
{
    int64_t n_ref = c->end - c->start, n = k ? c->alt.n : n_ref, at;

    i -= FLANK;
    if (i < 0)
        return c->start + i;
    if (i >= n)
        return c->end + i - n;
    at = c->start + (i < n_ref ? i : n_ref - 1);
    return at > 0 ? at : 0;
}

static void sum_up(struct bird_motif_change *out,
                   const struct bird_motif_scan *s, const struct bird_change *c)
{
    *out = (struct bird_motif_change){0};
    for (int64_t pair = 0; pair < s->motifs.n; pair++) {
        int64_t change = above(s, 1, pair) - above(s, 0, pair);
        int k = change > 0; /* the haplotype with the match */

        out->sum += change;
        if (!is_larger(s, out, change, pair))
            continue;
        out->change = change;
        out->motif = &s->motifs.at[s->motif[pair]];
        out->strand = "+-"[better(s, k, pair) - 2 * pair];
        out->pos = position(c, k, s->at[k * s->n + better(s, k, pair)]);
    }
}

int bird_motif_scan_change(struct bird_motif_scan *s,
                           struct bird_motif_change *out, bird_genome *g,
                           struct bird_contig_cache *cache,
                           const struct bird_change *c)
{
    struct part part[2];
    int rc = read_haplotypes(s, g, cache, c);

    if (rc)
        return rc;
    find_parts(part, s);
    for (int k = 0; k < 2; k++)
        scan_haplotype(s, k, &part[k]);
    sum_up(out, s, c);
    return 0;
}
