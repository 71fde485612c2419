/* Windows around a change, and the bases of both haplotypes.
 * SPDX-License-Identifier: MIT */
#include "variant/effect_window.h"

#include "base/order.h"
#include "dnabird/tiles.h"
#include "seq/alphabet.h"

/* --- haplotypes ---------------------------------------------------------- */

int64_t bird_haplotype_length(const struct bird_haplotype *h)
{
    const struct bird_change *c = h->change;

    return bird_genome_length(h->genome, h->contig) +
           (c ? c->alt.n - (c->end - c->start) : 0);
}

static int put_unknown(struct bird_text *out, int64_t n)
{
    static const char unknown[] = "NNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNN";
    int64_t most = sizeof(unknown) - 1;
    int rc = 0;

    for (; n > 0 && !rc; n -= most)
        rc = bird_text_put(out, unknown, bird_smaller(n, most));
    return rc;
}

static int put_reference(struct bird_text *out, const struct bird_haplotype *h,
                         int64_t start, int64_t end)
{
    int64_t length = bird_genome_length(h->genome, h->contig);
    int64_t from = bird_larger(start, 0), to = bird_smaller(end, length);
    int64_t ahead = bird_smaller(from, h->ahead_bp);
    const char *s;
    int rc;

    if (start >= end)
        return 0;
    if (from >= to)
        return put_unknown(out, end - start);
    rc = put_unknown(out, from - start);
    if (!rc)
        rc = bird_contig_cache_get(&s, h->cache, h->genome, h->contig,
                                   from - ahead, to);
    if (!rc)
        rc = bird_text_put(out, s + ahead, to - from);
    return rc ? rc : put_unknown(out, end - to);
}

int bird_haplotype_put(struct bird_text *out, const struct bird_haplotype *h,
                       int64_t start, int64_t end)
{
    const struct bird_change *c = h->change;
    int64_t alt_end, more, from, to;
    int rc;

    if (!c)
        return put_reference(out, h, start, end);
    alt_end = c->start + c->alt.n;
    more = alt_end - c->end;
    rc = put_reference(out, h, start, bird_smaller(end, c->start));
    from = bird_larger(start, c->start);
    to = bird_smaller(end, alt_end);
    if (!rc && from < to)
        rc = bird_text_put(out, c->alt.s + (from - c->start), to - from);
    return rc ? rc
              : put_reference(out, h, bird_larger(start, alt_end) - more,
                              end - more);
}

/* --- windows ------------------------------------------------------------- */

struct bird_window_position
bird_effect_window_place(const struct bird_window_rule *r,
                         const struct bird_change *c, int64_t centre,
                         int64_t length)
{
    const struct bird_layout *l = &r->layout;
    int64_t w = l->context_bp, n = c->end - c->start;
    int64_t half = (l->on_grid ? l->core_bp - l->bin_bp : w) / 2;
    int64_t step = centre >= 0 && !l->on_grid ? 1 : r->step_bp;
    int64_t at = centre >= 0 ? centre : n > half ? c->start + n / 2 : c->start;
    struct bird_window_position out = {.cut = length < w};

    at += step / 2 - w / 2; /* to the nearest multiple */
    at -= r->centred ? r->shift_bp : 0;
    out.start = at - (at % step + step) % step + r->shift_bp;
    out.end = out.start + w;
    if (l->on_grid)
        return out;
    out.moved = !out.cut && centre < 0 && (out.start < 0 || out.end > length);
    out.start = bird_larger(bird_smaller(out.start, length - w), 0);
    out.end = bird_smaller(out.start + w, length);
    return out;
}

int bird_effect_window_holds(const struct bird_window_rule *r,
                             const struct bird_window_position *at,
                             const struct bird_change *c)
{
    int64_t margin = r->layout.margin_bp;

    return at->start + margin <= c->start && c->end <= at->end - margin;
}

struct bird_bin_range bird_effect_window_bins(const struct bird_window_rule *r,
                                              int64_t start,
                                              const struct bird_change *c,
                                              int64_t length)
{
    const struct bird_layout *l = &r->layout;
    int64_t lo = bird_larger(start + l->margin_bp, 0), bin = l->bin_bp;
    int64_t hi = bird_smaller(start + l->context_bp - l->margin_bp, length);

    lo = bird_larger(lo, c->start - r->span_bp);
    hi = bird_smaller(hi, bird_larger(c->end, c->start + 1) + r->span_bp);
    lo = bird_smaller(lo, hi - 1); /* bases inserted behind the last one */
    return (struct bird_bin_range){(lo - start) / bin,
                                   (hi - start + bin - 1) / bin};
}

int bird_effect_window_fetch(struct bird_effect_window *w,
                             const struct bird_haplotype *h,
                             const struct bird_window_position *at)
{
    struct bird_text *plus = &w->bases[BIRD_PLUS_STRAND];
    struct bird_text *minus = &w->bases[BIRD_MINUS_STRAND];
    int64_t n = at->end - at->start;
    int rc;

    if (!h->change && w->contig == h->contig && w->start == at->start &&
        w->end == at->end)
        return 0;
    w->contig = -1;
    w->version++;
    bird_text_clear(plus);
    bird_text_clear(minus);
    rc = bird_haplotype_put(plus, h, at->start, at->end);
    if (!rc)
        rc = bird_text_put(minus, plus->s, plus->n);
    if (rc)
        return rc;
    bird_reverse_complement(minus->s, plus->s, plus->n);
    w->contig = h->contig;
    w->start = at->start;
    w->end = at->end;
    w->n_inside = bird_smaller(at->end, bird_haplotype_length(h)) -
                  bird_larger(at->start, 0);
    w->n_unknown = bird_count_unknown(plus->s, n) - (n - w->n_inside);
    return 0;
}

void bird_effect_window_free(struct bird_effect_window *w)
{
    bird_text_free(&w->bases[BIRD_PLUS_STRAND]);
    bird_text_free(&w->bases[BIRD_MINUS_STRAND]);
}
