/* Promoter sets: options, positives, rows. SPDX-License-Identifier: MIT */
#include "data/promoter_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"

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
        return bird_fail(BIRD_EINVAL, "negatives from CpG islands are asked "
                                      "for: give the islands as a BED file");
    if (o->near_share > 0.0 && o->near <= o->away + o->jitter)
        return bird_fail(BIRD_EINVAL,
                         "negatives near a TSS lie between %lld and %lld bp "
                         "of it: there is no room",
                         (long long)o->away + o->jitter, (long long)o->near);
    return 0;
}

static int check(const bird_promoter_options *o, const bird_promoter_files *f)
{
    if (o->window < 1 || o->window > 100000000)
        return bird_fail(BIRD_EINVAL, "window %lld: 1 .. 100 M bp are allowed",
                         (long long)o->window);
    if (o->jitter < 0 || o->anchor - o->jitter < 0 ||
        o->anchor + o->jitter >= o->window)
        return bird_fail(BIRD_EINVAL,
                         "anchor %lld +- jitter %lld must lie in the window "
                         "of %lld bp",
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
        return bird_fail(BIRD_EINVAL, "no such kind of negatives");
    if (o->negatives == BIRD_NEGATIVES_GENOMIC)
        return check_shares(o, f);
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

/* One window of a start site; *written tells whether there is one. */
static int put_positive(struct bird_promoter_set *s, struct bird_output *f,
                        int64_t row, int *written)
{
    const struct bird_place *t = s->tss.at + row / s->o->copies;
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
    bird_cut_place(c, t->start, offset, s->o->window);
    if (!bird_promoter_set_fits(s, c)) {
        s->tally.outside++;
        return 0;
    }
    rc = bird_promoter_set_fetch(s, &clean, c);
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
            rc = bird_promoter_set_negative(s, &c, &stratum, i);
            if (rc)
                break;
            s->tally.stratum[stratum]++;
            rc = put_row(s, f, &c, kind[stratum]);
        } else {
            c = s->positive[i % s->n_positive];
            rc = bird_promoter_set_fetch(s, &clean, &c);
            if (!rc)
                rc = bird_promoter_set_replace(s, i);
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
    int rc = check(o, files);

    if (!rc)
        rc = bird_promoter_set_open(&s, files, o);
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
    bird_promoter_set_free(&s);
    return rc;
}
