/* The baseline of bins: what is drawn, planted k-mers found on their strand,
 * unknown labels left out, the file. */
#include <math.h>

#include "base/rng.h"
#include "dnabird/metrics.h"
#include "dnabird/tiles.h"
#include "folder/safetensors.h"
#include "peers/baseline.h"
#include "seq_help.h"

TestSuite(baseline_bins, .init = folder_new, .fini = folder_remove);

enum { BP = 60000, BIN = 200, WINDOW = 2000, CONTEXT = 3 * BIN, N_LABEL = 4 };
enum { ONE, TWO, PLUS, MINUS }; /* the labels */

static const char *const motif[] = {"GATTACAGG", "CCATCTTGA", "TGCCATAGT"};

static char contig[2][BP + 1];

static void plant(char *at, int which, int minus)
{
    for (int i = 0; i < 4; i++) {
        memcpy(at + 20 + 30 * i, motif[which], strlen(motif[which]));
        if (minus)
            bird_reverse_complement(at + 20 + 30 * i, at + 20 + 30 * i,
                                    (int64_t)strlen(motif[which]));
    }
}

static void fill_random(char *to, int64_t n, uint64_t seed)
{
    struct bird_rng r;

    bird_rng_init(&r, seed, 0, 0);
    for (int64_t i = 0; i < n; i++)
        to[i] = "ACGT"[bird_rng_below(&r, 4)];
}

struct set {
    struct bird_bin_labels l;
    struct bird_bin_windows w;
    const char *fasta, *peaks;
};

/* Every eighth bin has `one`, `two`, or a start on + or -, and their motifs. B
 * has no peak of `two`, but the motif in many bins. */
static void set_new(struct set *s, int mask_empty)
{
    static char text[2 * BP + 20], peaks[BP], sites[BP], windows[BP];
    char *p = peaks, *t = sites, *w = windows;
    bird_bin_options o;
    bird_bin_files f = {.in.n_fasta = 1, .in.n_peaks = 1, .in.name_column = 1};

    for (int c = 0; c < 2; c++) {
        fill_random(contig[c], BP, 7 + (uint64_t)c);
        for (int k = 0; k < BP / BIN; k++) {
            char *at = contig[c] + k * BIN;
            int what = k % 8;

            if (what == 1 || what == 3 || (c && what % 2 == 0))
                plant(at, what != 1, 0);
            if (what == 5 || what == 7)
                plant(at, 2, what == 7);
            if (what == 1 || (what == 3 && !c))
                p += sprintf(p, "%c\t%d\t%d\t%s\n", "AB"[c], k * BIN,
                             (k + 1) * BIN, what == 1 ? "one" : "two");
            if (what == 5 || what == 7)
                t += sprintf(t, "%c\t%d\t%d\tx\t0\t%c\n", "AB"[c],
                             k * BIN + 100, k * BIN + 101, "+-"[what == 7]);
        }
        for (int i = 0; i < BP; i += WINDOW)
            w += sprintf(w, "%c\t%d\t%d\n", "AB"[c], i, i + WINDOW);
    }
    snprintf(text, sizeof(text), ">A\n%.*s\n>B\n%.*s\n", BP, contig[0], BP,
             contig[1]);
    s->fasta = file_with("r.fa", "wu", text, (int64_t)strlen(text));
    s->peaks = file_text("p.bed", peaks);
    f.in.fasta = &s->fasta;
    f.in.peaks = &s->peaks;
    f.sites = file_text("s.bed", sites);
    bird_bin_options_default(&o);
    o.margin_bp = BIN;
    o.mask_empty = mask_empty;
    WORKS(bird_bin_labels_open(&s->l, &f, &o));
    WORKS(bird_bin_windows_open(&s->w, &s->l, file_text("w.bed", windows), &o));
    cr_assert_eq(s->l.n_label, N_LABEL);
}

static void set_free(struct set *s)
{
    bird_bin_windows_free(&s->w);
    bird_bin_labels_free(&s->l);
}

static void fit(bird_baseline **b, struct set *s)
{
    bird_baseline_options o;

    bird_baseline_options_default(&o);
    WORKS(bird_baseline_fit_bins(b, &s->w, &o));
}

/* Probabilities of random sequence with a motif (-1: none). */
static void score(double *p, const bird_baseline *b, int which, int minus)
{
    char seq[CONTEXT];

    fill_random(seq, CONTEXT, 99);
    if (which >= 0)
        plant(seq + BIN, which, minus);
    WORKS(bird_baseline_score(b, BIRD_BASELINE_KMER, p, seq, CONTEXT));
}

/* What row i should be, from the reference and the label rules above. */
static void check_row(const bird_dataset *d, int64_t i)
{
    const bird_row *r = &d->row[i];
    const float *y = d->target + i * N_LABEL;
    int64_t k = r->start / BIN, what = k % 8, in = k % (WINDOW / BIN);
    int minus = r->strand == '-';
    char seq[CONTEXT];

    cr_assert(in > 0 && in < WINDOW / BIN - 1, "a bin of a margin");
    cr_assert(minus || r->strand == '+');
    cr_assert_eq(r->end - r->start, BIN);
    cr_assert_eq(r->len, CONTEXT);
    memcpy(seq, contig[r->contig] + r->start - BIN, CONTEXT);
    if (minus)
        bird_reverse_complement(seq, seq, CONTEXT);
    cr_assert_eq(memcmp(seq, bird_dataset_seq(d, i), CONTEXT), 0);
    cr_assert_eq(y[ONE], what == 1);
    if (r->contig)
        cr_assert(isnan(y[TWO]), "no peak of it there");
    else
        cr_assert_eq(y[TWO], what == 3);
    cr_assert_eq(y[minus ? MINUS : PLUS], what == 5);
    cr_assert_eq(y[minus ? PLUS : MINUS], what == 7);
}

Test(baseline_bins, bins_are_drawn_with_bases_and_labels_of_a_strand)
{
    enum { SOME = 50, ALL = 2 * (BP / WINDOW) * (WINDOW / BIN - 2) };
    bird_dataset d = {0}, again = {0}, other = {0};
    struct set s = {0};
    int64_t same = 0, minus = 0;

    set_new(&s, 1);
    WORKS(bird_bin_rows_sample(&d, &s.w, SOME, 1));
    WORKS(bird_bin_rows_sample(&again, &s.w, SOME, 1));
    WORKS(bird_bin_rows_sample(&other, &s.w, SOME, 2));
    WORKS(bird_bin_rows_bases(&d, &s.w, CONTEXT));
    cr_assert_eq(d.n, SOME);
    cr_assert_eq(other.n, SOME);
    for (int64_t i = 0; i < SOME; i++) {
        const bird_row *r = &d.row[i];

        check_row(&d, i);
        cr_assert(!i || r->contig > r[-1].contig || r->start > r[-1].start,
                  "twice, or out of order");
        cr_assert_eq(again.row[i].start, r->start);
        cr_assert_eq(again.row[i].strand, r->strand);
        same += other.row[i].start == r->start;
        minus += r->strand == '-';
    }
    cr_assert_lt(same, SOME / 2);
    cr_assert(minus > SOME / 5 && minus < SOME - SOME / 5);
    bird_dataset_free(&d);
    WORKS(bird_bin_rows_sample(&d, &s.w, 100000, 1));
    cr_assert_eq(d.n, ALL);
    bird_dataset_free(&d);
    bird_dataset_free(&again);
    bird_dataset_free(&other);
    set_free(&s);
}

Test(baseline_bins, ends_of_contigs_are_unknown_bases)
{
    bird_row row[2] = {{.start = 0, .end = BIN, .strand = '.'},
                       {.start = BP - BIN, .end = BP, .strand = '-'}};
    bird_dataset d = {.n = 2, .row = row};
    char turned[2 * BIN];
    struct set s = {0};

    set_new(&s, 1);
    WORKS(bird_bin_rows_bases(&d, &s.w, CONTEXT));
    for (int i = 0; i < BIN; i++)
        cr_assert(d.bases[i] == 'N' && d.bases[CONTEXT + i] == 'N');
    cr_assert_eq(memcmp(d.bases + BIN, contig[0], CONTEXT - BIN), 0);
    bird_reverse_complement(turned, contig[0] + BP - 2 * BIN, 2 * BIN);
    cr_assert_eq(memcmp(d.bases + CONTEXT + BIN, turned, sizeof(turned)), 0);
    free(d.bases);
    set_free(&s);
}

Test(baseline_bins, planted_kmers_are_found_on_their_strand)
{
    double with[N_LABEL], none[N_LABEL], turned[N_LABEL];
    bird_baseline *b = NULL;
    struct set s = {0};

    set_new(&s, 1);
    fit(&b, &s);
    cr_assert_eq(bird_baseline_columns(b), N_LABEL);
    cr_assert_not(bird_baseline_has(b, BIRD_BASELINE_POSITION));
    cr_assert_eq(bird_baseline_context(b), CONTEXT);
    score(none, b, -1, 0);
    for (int k = ONE; k <= TWO; k++) {
        score(with, b, k, 0);
        score(turned, b, k, 1);
        cr_assert_gt(with[k], 2 * none[k], "%d: %g, %g", k, with[k], none[k]);
        cr_assert_gt(turned[k], 2 * none[k]); /* it was seen on both */
        cr_assert_lt(with[k == ONE ? TWO : ONE], with[k] / 2);
    }
    score(with, b, 2, 0);
    score(turned, b, 2, 1);
    cr_assert_gt(with[PLUS], 3 * with[MINUS], "%g, %g", with[PLUS],
                 with[MINUS]);
    cr_assert_gt(turned[MINUS], 3 * turned[PLUS]);
    bird_baseline_free(b);
    set_free(&s);
}

Test(baseline_bins, unknown_labels_are_left_out)
{
    double p[2][N_LABEL];

    for (int mask = 0; mask < 2; mask++) {
        bird_baseline *b = NULL;
        struct set s = {0};

        set_new(&s, mask);
        fit(&b, &s);
        score(p[mask], b, TWO, 0);
        bird_baseline_free(b);
        set_free(&s);
    }
    /* else the motif of `two` on B speaks against it */
    cr_assert_gt(p[1][TWO], 2 * p[0][TWO], "%g, %g", p[1][TWO], p[0][TWO]);
}

Test(baseline_bins, labels_without_a_strand_join_both)
{
    double with[1], turned[1];
    bird_features model = {0};
    bird_baseline *b = NULL;
    struct set s = {0};

    set_new(&s, 1);
    WORKS(
        bird_features_put(&model, &(bird_feature){.name = "one", .index = -1}));
    WORKS(bird_bin_labels_name(&s.l, &model, NULL));
    fit(&b, &s);
    cr_assert_eq(bird_baseline_columns(b), 1);
    score(with, b, ONE, 0);
    {
        char seq[CONTEXT];

        fill_random(seq, CONTEXT, 99);
        plant(seq + BIN, ONE, 0);
        bird_reverse_complement(seq, seq, CONTEXT);
        WORKS(bird_baseline_score(b, BIRD_BASELINE_KMER, turned, seq, CONTEXT));
    }
    cr_assert_float_eq(with[0], turned[0], 1e-9);
    bird_features_free(&model);
    bird_baseline_free(b);
    set_free(&s);
}

Test(baseline_bins, a_file_is_small_and_gives_the_same)
{
    enum { WEIGHTS = 64 + 256 + 1024 + 1 };
    const char *path = path_of("b.safetensors");
    double one[N_LABEL], two[N_LABEL];
    bird_baseline *b = NULL, *again = NULL;
    const struct bird_tensor *t;
    bird_tensors *file = NULL;
    struct set s = {0};

    set_new(&s, 1);
    fit(&b, &s);
    WORKS(bird_baseline_save(b, path));
    WORKS(bird_baseline_open(&again, path));
    cr_assert_eq(bird_baseline_context(again), CONTEXT);
    for (int k = -1; k < 3; k++) {
        score(one, b, k, 0);
        score(two, again, k, 0);
        cr_assert_eq(memcmp(one, two, sizeof(one)), 0);
    }
    WORKS(bird_tensors_open(&file, path));
    t = bird_tensors_find(file, "kmer.weight");
    cr_assert_eq(t->dtype, BIRD_BF16);
    cr_assert_eq(t->shape[1], WEIGHTS);
    cr_assert_eq(t->size, (size_t)(N_LABEL * WEIGHTS * 2));
    bird_tensors_free(file);
    bird_baseline_free(b);
    bird_baseline_free(again);
    set_free(&s);
}
