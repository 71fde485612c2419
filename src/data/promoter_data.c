/*
 * A promoter data set: windows around start sites, and windows that are none.
 *
 * Positives are cut in the order of the sites. Windows for a negative are
 * sampled, from a generator that is a function of (seed, row), until a window
 * of the stratum passes: inside a region, few N, no start site too near. So row
 * i does not depend on the rows before it.
 * SPDX-License-Identifier: MIT
 */
#include "dnabird/dataset.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/text.h"
#include "data/references.h"
#include "dnabird/tiles.h"
#include "track/output.h"

/* Streams of the generator: one a kind of row. */
enum { STREAM_POSITIVE = 1, STREAM_GENOMIC, STREAM_REPLACED };

struct bird_cut {
    int64_t start; /* of `window` bp */
    int32_t contig;
    char strand;
};

struct bird_promoter_set {
    const bird_promoter_options *o;
    struct bird_reference ref;
    struct bird_intervals tss,
        all; /* positives; all that keep negatives away */
    struct bird_intervals regions, islands; /* merged */
    int64_t *region_sum;       /* (regions.n+1) window starts before region i */
    int64_t *island_sum;       /* (islands.n+1) bases before island i */
    struct bird_cut *positive; /* (n_positive) windows written */
    int64_t n_positive;
    bird_promoter_tally tally;
    char *seq; /* (window) the row's bases */
    struct bird_text line;
};

#define MAX_DRAWS 100000

/* Set a window so that `pos` lies `offset` bp from its 5' end. */
static void cut_place(struct bird_cut *c, int64_t pos, int64_t offset,
                      int64_t window)
{
    c->start = c->strand == '-' ? pos - (window - 1 - offset) : pos - offset;
}

/* The base `offset` bp from the window's 5' end. */
static int64_t cut_base(const struct bird_cut *c, int64_t offset,
                        int64_t window)
{
    return c->strand == '-' ? c->start + window - 1 - offset
                            : c->start + offset;
}

/* Does the window lie within one region? */
static int fits(const struct bird_promoter_set *s, const struct bird_cut *c)
{
    return c->start >= 0 &&
           bird_intervals_holding(&s->regions, c->contig, c->start,
                                  c->start + s->o->window) >= 0;
}

/* Its bases into s->seq; *clean = 0 when too many are unknown. */
static int fetch(struct bird_promoter_set *s, int *clean,
                 const struct bird_cut *c)
{
    const char *bases;
    int64_t i, n = s->o->window, unknown = 0;
    int rc = bird_reference_bases(&bases, &s->ref, c->contig);

    if (rc)
        return rc;
    bases += c->start;
    for (i = 0; i < n; i++)
        unknown += !bird_is_acgt(bases[i]);
    if (c->strand == '-')
        bird_reverse_complement(s->seq, bases, n);
    else
        memcpy(s->seq, bases, (size_t)n);
    *clean = (double)unknown <= s->o->max_n * (double)n;
    return 0;
}

/* Keep the sites on contigs of the reference and inside the regions. */
static void keep_inside(struct bird_promoter_set *s)
{
    struct bird_intervals *t = &s->tss;
    int64_t i, n = 0;

    s->tally.n_tss = t->n + t->repeated;
    s->tally.repeated = t->repeated;
    for (i = 0; i < t->n; i++) {
        if (t->at[i].contig >= s->ref.n)
            s->tally.no_contig++;
        else if (bird_intervals_holding(&s->regions, t->at[i].contig,
                                        t->at[i].start, t->at[i].end) < 0)
            s->tally.elsewhere++;
        else
            t->at[n++] = t->at[i];
    }
    t->n = n;
}

static int read_regions(struct bird_promoter_set *s,
                        const bird_promoter_files *f)
{
    int64_t *length = NULL, i;
    int rc = bird_array_new(&length, s->ref.n, sizeof(*length));

    for (i = 0; !rc && i < s->ref.n; i++)
        length[i] = s->ref.contig[i].length;
    if (!rc)
        rc = f->regions
                 ? bird_intervals_read(&s->regions, &s->ref.contigs, f->regions)
                 : bird_intervals_whole(&s->regions, length, s->ref.n);
    if (!rc)
        rc = bird_intervals_limit(&s->regions, &s->ref.contigs, length,
                                  s->ref.n, f->exclude);
    free(length);
    return rc;
}

static int read_islands(struct bird_promoter_set *s, const char *path)
{
    struct bird_intervals *p = &s->islands;
    int64_t i, n = 0;
    int rc = bird_intervals_read(p, &s->ref.contigs, path);

    if (rc)
        return rc;
    for (i = 0; i < p->n; i++)
        if (bird_intervals_holding(&s->regions, p->at[i].contig, p->at[i].start,
                                   p->at[i].end) >= 0)
            p->at[n++] = p->at[i];
    p->n = n;
    bird_intervals_merge(p);
    rc = bird_intervals_sum(&s->island_sum, p, 1);
    if (!rc && !p->n)
        rc = bird_fail(BIRD_EINVAL, "%s: no island lies in the regions", path);
    return rc;
}

static void set_free(struct bird_promoter_set *s)
{
    bird_intervals_free(&s->tss);
    bird_intervals_free(&s->all);
    bird_intervals_free(&s->regions);
    bird_intervals_free(&s->islands);
    bird_reference_free(&s->ref);
    bird_text_free(&s->line);
    free(s->region_sum);
    free(s->island_sum);
    free(s->positive);
    free(s->seq);
    *s = (struct bird_promoter_set){0};
}

/* Read all inputs. Errors as bird_promoter_data_write(). */
static int set_open(struct bird_promoter_set *s, const bird_promoter_files *f,
                    const bird_promoter_options *o)
{
    int64_t i;
    int rc;

    *s = (struct bird_promoter_set){.o = o};
    rc = bird_reference_open(&s->ref, f->fasta, f->n_fasta);
    if (!rc)
        rc = read_regions(s, f);
    if (!rc)
        rc = bird_intervals_read_starts(&s->tss, &s->ref.contigs, f->tss,
                                        &f->transcripts);
    for (i = 0; !rc && i < s->tss.n; i++) /* a pipe is read once */
        rc = bird_intervals_put(&s->all, &s->tss.at[i]);
    for (i = 0; !rc && i < f->n_other; i++) /* negatives avoid them all */
        rc = bird_intervals_read_starts(
            &s->all, &s->ref.contigs, f->other[i],
            &(bird_transcript_filter){.feature = f->transcripts.feature});
    if (!rc)
        rc = bird_intervals_sum(&s->region_sum, &s->regions, o->window);
    if (!rc && o->negatives == BIRD_NEGATIVES_GENOMIC && o->island > 0.0)
        rc = read_islands(s, f->islands);
    if (!rc)
        rc = bird_array_new(&s->seq, o->window, 1);
    if (rc)
        set_free(s);
    else
        keep_inside(s);
    return rc;
}

static int64_t below(struct bird_rng *r, int64_t n)
{
    return (int64_t)bird_rng_below(r, (uint64_t)n);
}

/* Sample a window by the rule of the stratum; the caller then checks what the
 * window overlaps. */
static void sample_window(const struct bird_promoter_set *s, struct bird_cut *c,
                          enum bird_promoter_stratum stratum,
                          struct bird_rng *r)
{
    const bird_promoter_options *o = s->o;
    const struct bird_interval *t;
    int64_t i, d;

    c->strand = below(r, 2) ? '+' : '-';
    if (stratum == BIRD_STRATUM_BACKGROUND) {
        d = below(r, s->region_sum[s->regions.n]);
        d = bird_sum_find(&i, s->region_sum, s->regions.n, d);
        c->contig = s->regions.at[i].contig;
        c->start = s->regions.at[i].start + d;
        return;
    }
    if (stratum == BIRD_STRATUM_ISLAND) {
        d = below(r, s->island_sum[s->islands.n]);
        d = bird_sum_find(&i, s->island_sum, s->islands.n, d);
        c->contig = s->islands.at[i].contig;
        cut_place(c, s->islands.at[i].start + d, o->anchor, o->window);
        return;
    }
    t = s->tss.at + below(r, s->tss.n);
    c->contig = t->contig;
    if (stratum == BIRD_STRATUM_ANTISENSE) {
        c->strand = t->strand == '+' ? '-' : '+';
        d = below(r, 2 * o->jitter + 1) - o->jitter;
    } else {
        d = o->away + o->jitter + 1;
        d += below(r, o->near - d + 1);
        if (below(r, 2))
            d = -d;
    }
    cut_place(c, t->start + d, o->anchor, o->window);
}

/* Is the anchor far enough from every start site that matters? */
static int is_away(const struct bird_promoter_set *s, const struct bird_cut *c,
                   enum bird_promoter_stratum stratum)
{
    int64_t pos = cut_base(c, s->o->anchor, s->o->window);
    int64_t d = s->o->away + s->o->jitter, range[2] = {pos - d, pos + d};

    return !bird_intervals_start_in(
        &s->all, c->contig, range,
        stratum == BIRD_STRATUM_ANTISENSE ? c->strand : 0);
}

static enum bird_promoter_stratum pick(const bird_promoter_options *o,
                                       struct bird_rng *r)
{
    double u = bird_rng_uniform(r);

    if (u < o->island)
        return BIRD_STRATUM_ISLAND;
    if (u < o->island + o->near_share)
        return BIRD_STRATUM_NEAR;
    if (u < o->island + o->near_share + o->antisense)
        return BIRD_STRATUM_ANTISENSE;
    return BIRD_STRATUM_BACKGROUND;
}

/* Genomic negative number `row`, its bases in s->seq. */
static int sample_negative(struct bird_promoter_set *s, struct bird_cut *out,
                           enum bird_promoter_stratum *stratum, int64_t row)
{
    struct bird_rng r;
    struct bird_cut c;
    int i, rc, clean = 0;

    bird_rng_init(&r, s->o->seed, STREAM_GENOMIC, (uint64_t)row);
    *stratum = pick(s->o, &r);
    for (i = 0; i < MAX_DRAWS; i++) {
        sample_window(s, &c, *stratum, &r);
        if (!fits(s, &c) || !is_away(s, &c, *stratum))
            continue;
        rc = fetch(s, &clean, &c);
        if (rc)
            return rc;
        if (clean) {
            *out = c;
            return 0;
        }
    }
    return bird_fail(BIRD_EINVAL,
                     "found no window for a negative in %d samples: the "
                     "regions are too small, or have too many N or TSSs",
                     MAX_DRAWS);
}

/* Replace pieces of s->seq, as negative number `row`. */
static int replace_pieces(struct bird_promoter_set *s, int64_t row)
{
    static const char base[4] = {'A', 'C', 'G', 'T'};
    int64_t n = s->o->pieces, m = s->o->replaced, len = s->o->window / n;
    int64_t i, k, *p;
    struct bird_rng r;
    char *spare;
    int rc = bird_array_new(&p, n, sizeof(*p));

    if (!rc)
        rc = bird_array_new(&spare, len, 1);
    else
        return rc;
    if (rc) {
        free(p);
        return rc;
    }
    bird_rng_init(&r, s->o->seed, STREAM_REPLACED, (uint64_t)row);
    for (i = 0; i < n; i++)
        p[i] = i;
    for (i = 0; i < m; i++) {
        int64_t x = p[i];

        k = i + below(&r, n - i);
        p[i] = p[k];
        p[k] = x;
    }
    /* p is in random order: each piece goes to the position of the next one in
     * p. This is a random cyclic permutation, so every piece moves. */
    memcpy(spare, s->seq + p[m - 1] * len, (size_t)len);
    for (i = m - 1; i >= 0; i--) {
        char *to = s->seq + p[i] * len;

        if (s->o->negatives == BIRD_NEGATIVES_RANDOM)
            for (k = 0; k < len; k++)
                to[k] = base[below(&r, 4)];
        else
            memcpy(to, i ? s->seq + p[i - 1] * len : spare, (size_t)len);
    }
    free(spare);
    free(p);
    return 0;
}

/* ---- rows --------------------------------------------------------------- */

void bird_promoter_options_default(bird_promoter_options *o)
{
    *o = (bird_promoter_options){.window = 1000,
                                 .anchor = 500,
                                 .copies = 1,
                                 .ratio = 1.0,
                                 .away = 500,
                                 .near = 5000,
                                 .max_n = 0.05,
                                 .pieces = 20,
                                 .replaced = 12,
                                 .seed = 1};
}

void bird_promoter_options_paper(bird_promoter_options *o)
{
    bird_promoter_options_default(o);
    o->window = 8000;
    o->anchor = 5000;
    o->max_n = 0.0;
    o->negatives = BIRD_NEGATIVES_RANDOM;
}

static int check_shares(const bird_promoter_options *o,
                        const bird_promoter_files *f)
{
    double sum = o->island + o->near_share + o->antisense;

    if (!(o->island >= 0.0 && o->near_share >= 0.0 && o->antisense >= 0.0 &&
          sum <= 1.0 + 1e-9))
        return bird_fail(BIRD_EINVAL,
                         "the shares of the negatives (islands %g, near %g, "
                         "antisense %g) must lie in 0 .. 1 together",
                         o->island, o->near_share, o->antisense);
    if (o->island > 0.0 && !f->islands)
        return bird_fail(
            BIRD_EINVAL,
            "negatives from CpG islands need a BED file of the islands");
    if (o->near_share > 0.0 && o->near <= o->away + o->jitter)
        return bird_fail(BIRD_EINVAL,
                         "negatives near a TSS have no room: the least "
                         "distance, %lld bp, is not below the largest, %lld bp",
                         (long long)o->away + o->jitter, (long long)o->near);
    return 0;
}

static int check_options(const bird_promoter_options *o,
                         const bird_promoter_files *f)
{
    if (o->window < 1 || o->window > 100000000)
        return bird_fail(BIRD_EINVAL, "window %lld: 1 .. 100 M bp are allowed",
                         (long long)o->window);
    if (o->jitter < 0 || o->anchor < o->jitter ||
        o->jitter >= o->window - o->anchor)
        return bird_fail(BIRD_EINVAL,
                         "anchor %lld +- jitter %lld must lie in the window "
                         "of %lld bp (--window): give --anchor",
                         (long long)o->anchor, (long long)o->jitter,
                         (long long)o->window);
    if (o->copies < 1 || o->copies > 1000000 || o->away < 0 || o->near < 0 ||
        o->away > 1000000000 || o->near > 1000000000)
        return bird_fail(BIRD_EINVAL, "copies, away or near out of range");
    if (!(o->ratio >= 0.0 && o->ratio <= 1e6) ||
        !(o->max_n >= 0.0 && o->max_n <= 1.0))
        return bird_fail(BIRD_EINVAL, "ratio (0 .. 1e6) or share of N (0 .. "
                                      "1) out of range");
    if ((unsigned)o->negatives >= BIRD_N_NEGATIVES)
        return bird_fail(BIRD_EINVAL, "unknown kind of negatives");
    if (o->negatives == BIRD_NEGATIVES_GENOMIC)
        return check_shares(o, f);
    if (o->island > 0.0 || o->near_share > 0.0 || o->antisense > 0.0)
        return bird_fail(BIRD_EINVAL,
                         "shares of the negatives (islands, near, antisense) "
                         "are for genomic ones, not for positives with pieces "
                         "replaced");
    if (o->pieces < 1 || o->window % o->pieces || o->replaced < 2 ||
        o->replaced > o->pieces)
        return bird_fail(BIRD_EINVAL,
                         "a window of %lld bp cannot be cut into %lld equal "
                         "pieces of which %lld are replaced",
                         (long long)o->window, (long long)o->pieces,
                         (long long)o->replaced);
    return 0;
}

static int put_row(struct bird_promoter_set *s, struct bird_output *f,
                   const struct bird_cut *c, const char *kind)
{
    int rc;

    bird_text_clear(&s->line);
    rc = bird_text_put(&s->line, s->seq, s->o->window);
    if (!rc)
        rc = bird_text_printf(
            &s->line, "\t%d\t%s\t%lld\t%lld\t%c\t%s\n",
            !strcmp(kind, "promoter"), s->ref.contigs.name[c->contig],
            (long long)c->start, (long long)c->start + s->o->window, c->strand,
            kind);
    if (!rc)
        rc = bird_output_put(f, s->line.s, s->line.n);
    return rc;
}

/* Write a window of a start site; *written: 1 if it was written. */
static int put_positive(struct bird_promoter_set *s, struct bird_output *f,
                        int64_t row, int *written)
{
    const struct bird_interval *t = s->tss.at + row / s->o->copies;
    struct bird_cut *c = s->positive + s->n_positive;
    struct bird_rng r;
    int64_t offset = s->o->anchor;
    int rc, clean;

    *written = 0;
    bird_rng_init(&r, s->o->seed, STREAM_POSITIVE, (uint64_t)row);
    if (s->o->jitter)
        offset +=
            (int64_t)bird_rng_below(&r, (uint64_t)(2 * s->o->jitter + 1)) -
            s->o->jitter;
    *c = (struct bird_cut){.contig = t->contig, .strand = t->strand};
    cut_place(c, t->start, offset, s->o->window);
    if (!fits(s, c)) {
        s->tally.outside++;
        return 0;
    }
    rc = fetch(s, &clean, c);
    if (rc)
        return rc;
    if (!clean) {
        s->tally.unknown++;
        return 0;
    }
    *written = 1;
    s->n_positive++;
    return put_row(s, f, c, "promoter");
}

static int put_positives(struct bird_promoter_set *s, struct bird_output *f)
{
    int64_t i, k;
    int rc, written, any;

    rc = bird_array_new(&s->positive, s->tss.n * s->o->copies,
                        sizeof(*s->positive));
    for (i = 0; !rc && i < s->tss.n; i++) {
        any = 0;
        for (k = 0; !rc && k < s->o->copies; k++) {
            rc = put_positive(s, f, i * s->o->copies + k, &written);
            any |= written;
        }
        s->tally.used += any;
    }
    s->tally.positive = s->n_positive;
    if (!rc && !s->n_positive)
        rc = bird_fail(
            BIRD_EINVAL,
            "no window of %lld bp around a TSS lies in the regions "
            "(%lld TSSs: %lld on contigs of no reference, %lld "
            "elsewhere; %lld windows do not fit, %lld have N): "
            "check the files",
            (long long)s->o->window, (long long)s->tally.n_tss,
            (long long)s->tally.no_contig, (long long)s->tally.elsewhere,
            (long long)s->tally.outside, (long long)s->tally.unknown);
    return rc;
}

static int put_negatives(struct bird_promoter_set *s, struct bird_output *f)
{
    static const char *const kind[] = {"background", "island", "near",
                                       "antisense"};
    enum bird_promoter_stratum stratum;
    struct bird_cut c;
    int64_t i, n = llround(s->o->ratio * (double)s->n_positive);
    int rc = 0, clean;

    for (i = 0; !rc && i < n; i++) {
        if (s->o->negatives == BIRD_NEGATIVES_GENOMIC) {
            rc = sample_negative(s, &c, &stratum, i);
            if (rc)
                break;
            s->tally.stratum[stratum]++;
            rc = put_row(s, f, &c, kind[stratum]);
        } else {
            c = s->positive[i % s->n_positive];
            rc = fetch(s, &clean, &c);
            if (!rc)
                rc = replace_pieces(s, i);
            if (!rc)
                rc = put_row(s, f, &c,
                             s->o->negatives == BIRD_NEGATIVES_RANDOM
                                 ? "random"
                                 : "permuted");
        }
        s->tally.negative += !rc;
    }
    return rc;
}

int bird_promoter_data_write(const char *path, const bird_promoter_files *files,
                             const bird_promoter_options *o,
                             bird_promoter_tally *tally)
{
    static const char head[] =
        "sequence\tlabel\tchrom\tstart\tend\tstrand\tkind\n";
    struct bird_promoter_set s = {0};
    struct bird_output *f;
    int rc = check_options(o, files);

    if (!rc)
        rc = set_open(&s, files, o);
    if (rc)
        return rc;
    rc = bird_output_open(&f, path, NULL);
    if (rc)
        goto done;
    rc = bird_output_put(f, head, sizeof(head) - 1);
    if (!rc)
        rc = put_positives(&s, f);
    if (!rc)
        rc = put_negatives(&s, f);
    if (!rc)
        rc = bird_output_close(f, 0);
    else
        bird_output_free(f);
done:
    if (!rc && tally)
        *tally = s.tally;
    set_free(&s);
    return rc;
}
