/* Windows of bins: labels against counting base by base, contig ends, masks,
 * both strands of odd windows, drawn changes. */
#include <math.h>

#include "base/rng.h"
#include "data/bin_windows.h"
#include "seq_help.h"

TestSuite(bin_windows, .init = folder_new, .fini = folder_remove);

enum { A_BP = 3000, B_BP = 450, BIN = 200 };

static char contig[2][A_BP + 1];

/* Contigs A of 3000 bp, with N at 1000 .. 1150, and B of 450. */
static const char *fasta(void)
{
    static char text[2 * A_BP];
    struct bird_rng r;

    bird_rng_init(&r, 3, 0, 0);
    for (int c = 0; c < 2; c++)
        for (int i = 0; i < (c ? B_BP : A_BP); i++)
            contig[c][i] = !c && i >= 1000 && i < 1150
                               ? 'N'
                               : "ACGT"[bird_rng_below(&r, 4)];
    snprintf(text, sizeof(text), ">A\n%s\n>B\n%.*s\n", contig[0], B_BP,
             contig[1]);
    return file_with("r.fa", "wu", text, (int64_t)strlen(text));
}

static const char peaks[] =
    "chrA\t10\t70\tone\nA\t50\t111\tone\n" /* 101 of 200 */
    "A\t200\t300\ttwo\n"                   /* half is not more than half */
    "A\t220\t260\tone\nA\t230\t310\tone\n"
    "A\t400\t501\ttwo\nA\t590\t2210\tone\n"
    "A\t2790\t5000\ttwo\nB\t150\t450\tone\n";
static const char sites[] = "A\t399\t400\t.\t0\t+\nA\t600\t601\t.\t0\t-\n"
                            "A\t2200\t2201\t.\t0\t-\nB\t5\t6\t.\t0\t+\n";

struct set {
    struct bird_bin_labels l;
    struct bird_bin_windows w;
    bird_bin_files f;
    bird_bin_options o;
    const char *fasta, *peaks;
};

static void set_new(struct set *s, const char *windows)
{
    bird_bin_options_default(&s->o);
    s->fasta = fasta();
    s->peaks = file_text("p.bed", peaks);
    s->f.in.fasta = &s->fasta;
    s->f.in.n_fasta = 1;
    s->f.in.peaks = &s->peaks;
    s->f.in.n_peaks = 1;
    s->f.in.name_column = 1;
    s->f.sites = file_text("s.bed", sites);
    WORKS(bird_bin_labels_open(&s->l, &s->f, &s->o));
    WORKS(bird_bin_windows_open(&s->w, &s->l, file_text("w.bed", windows),
                                &s->o));
}

static void set_free(struct set *s)
{
    bird_bin_windows_free(&s->w);
    bird_bin_labels_free(&s->l);
}

/* Does a line of a table cover this base? */
static int covered(const char *table, const char *name, const char *on,
                   int64_t at, char strand)
{
    char copy[1024], *save = NULL;

    snprintf(copy, sizeof(copy), "%s", table);
    for (char *line = strtok_r(copy, "\n", &save); line;
         line = strtok_r(NULL, "\n", &save)) {
        char c[16], n[16] = "", s = 0;
        long from, to;

        cr_assert(
            sscanf(line, "%15s %ld %ld %15s 0 %c", c, &from, &to, n, &s) >= 4);
        if (!strcmp(strncmp(c, "chr", 3) ? c : c + 3, on) && at >= from &&
            at < to && (strand ? s == strand : !strcmp(n, name)))
            return 1;
    }
    return 0;
}

/* Label k of the bases lo .. hi of a window that begins at `start`, by
 * counting; seq is the forward strand. */
static float count(int k, int at, int64_t start, int64_t lo, int64_t hi,
                   const char *seq)
{
    const char *name = at ? "B" : "A";
    int64_t n = 0, none = 0;

    for (int64_t i = lo; i < hi; i++) {
        none += seq[i] == 'N';
        n += k < 2 ? covered(peaks, k ? "two" : "one", name, start + i, 0)
                   : covered(sites, "", name, start + i, k == 2 ? '+' : '-');
    }
    if (2 * none > hi - lo || (k == 1 && at)) /* no peak of two on B */
        return NAN;
    return k < 2 ? (float)(2 * n > hi - lo) : (float)(n > 0);
}

static void check(const struct bird_bin_sample *d)
{
    const struct bird_bin_place *p = &d->place;
    char *seq = malloc((size_t)d->len);

    memcpy(seq, d->seq, (size_t)d->len);
    if (d->strand == '-')
        bird_reverse_complement(seq, seq, d->len);
    cr_assert_eq(d->bins, (p->len + BIN - 1) / BIN);
    for (int64_t i = 0; i < d->bins; i++) {
        /* bases of the strand that is read, whose bin 0 begins `before` */
        int64_t lo = i * BIN - d->before, hi = lo + BIN, from, to;

        lo = lo < 0 ? 0 : lo;
        hi = hi > p->len ? p->len : hi;
        from = d->strand == '-' ? p->len - hi : lo;
        to = d->strand == '-' ? p->len - lo : hi;
        for (int k = 0; k < 4; k++) {
            int fwd = d->strand == '-' && k > 1 ? 5 - k : k;
            float want = count(fwd, p->contig, p->start, from, to, seq);
            float got = d->label[i * 4 + k];

            cr_assert(isnan(want) ? isnan(got) : want == got,
                      "%c %d:%ld+%ld bin %d label %d: %f, not %f", d->strand,
                      (int)p->contig, (long)p->start, (long)p->len, (int)i, k,
                      (double)got, (double)want);
        }
    }
    free(seq);
}

static const char many[] =
    "A\t0\t1000\nA\t200\t700\nA\t0\t3000\nA\t2600\t3400\n"
    "B\t0\t450\nB\t400\t1000\nchrB\t0\t130\nA\t400\t601\n";

Test(bin_windows, labels_are_what_counting_gives)
{
    struct set s = {0};
    struct bird_bin_sample d = {0};

    set_new(&s, many);
    cr_assert_eq(s.w.n, 8);
    cr_assert_eq(s.l.n_label, 4);
    cr_assert_str_eq(s.l.features.at[2].name, "TSS+");
    for (int64_t i = 0; i < s.w.n; i++)
        for (int k = 0; k < 2; k++) {
            WORKS(bird_bin_windows_get(&d, &s.w, i, "+-"[k], 1));
            check(&d);
        }
    bird_bin_sample_free(&d);
    set_free(&s);
}

/* By hand: unions, halves, starts at a bin's edge, contig ends. */
Test(bin_windows, labels_by_hand)
{
    struct set s = {0};
    struct bird_bin_sample d = {0};

    set_new(&s, "A\t0\t700\nB\t0\t600\n");
    WORKS(bird_bin_windows_get(&d, &s.w, 0, '+', 1));
    cr_assert_eq(d.bins, 4);
    cr_assert_eq(d.label[0 * 4 + 0], 1, "101 of 200, though 60 + 61 overlap");
    cr_assert_eq(d.label[1 * 4 + 0], 0, "90 of 200, not 40 + 80");
    cr_assert_eq(d.label[1 * 4 + 1], 0, "100 of 200");
    cr_assert_eq(d.label[2 * 4 + 1], 1, "101 of 200");
    cr_assert_eq(d.label[1 * 4 + 2], 1, "a start at 399");
    cr_assert_eq(d.label[2 * 4 + 2], 0);
    cr_assert_eq(d.label[3 * 4 + 3], 1, "a start at 600, of a short bin");
    cr_assert_eq(d.label[3 * 4 + 0], 1, "the whole short bin");
    WORKS(bird_bin_windows_get(&d, &s.w, 1, '+', 1));
    for (int k = 0; k < 4; k++)
        cr_assert(isnan(d.label[2 * 4 + k]), "150 of 200 behind the end");
    cr_assert_eq(d.label[1 * 4 + 0], 1);
    cr_assert(isnan(d.label[0 * 4 + 1]), "no peak of two on B: not known");
    for (int i = 450; i < 600; i++)
        cr_assert_eq(d.seq[i], 'N');
    bird_bin_sample_free(&d);
    set_free(&s);
}

/* The other strand has the same bins in reverse order, labels in pairs. */
Test(bin_windows, the_other_strand_is_the_mirror)
{
    struct set s = {0};
    struct bird_bin_sample d = {0}, e = {0};

    set_new(&s, "A\t200\t700\nA\t0\t800\n");
    for (int64_t i = 0; i < 2; i++) {
        WORKS(bird_bin_windows_get(&d, &s.w, i, '+', 1));
        WORKS(bird_bin_windows_get(&e, &s.w, i, '-', 1));
        cr_assert_eq(d.before, 0);
        cr_assert_eq(e.before, i ? 0 : 100, "the short bin comes first");
        bird_reverse_complement(e.seq, e.seq, e.len);
        cr_assert_arr_eq(d.seq, e.seq, (size_t)d.len);
        for (int64_t k = 0; k < d.bins; k++)
            for (int j = 0; j < 4; j++) {
                float x = d.label[k * 4 + j];
                float y = e.label[(d.bins - 1 - k) * 4 + (j < 2 ? j : 5 - j)];

                cr_assert(isnan(x) ? isnan(y) : x == y);
            }
    }
    bird_bin_sample_free(&d);
    bird_bin_sample_free(&e);
    set_free(&s);
}

Test(bin_windows, masks_exclusions_margins_and_other_starts)
{
    struct set s = {0};
    struct bird_bin_sample d = {0};
    const char *other = file_text("o.bed", "A\t1500\t1501\t.\t0\t+\n");

    s.f.mask = file_text("m.tsv", "# a mask\none\tchrA\nTSS-\tB\n");
    s.f.exclude = file_text("x.bed", "A\t399\t400\n");
    s.f.other = &other;
    s.f.n_other = 1;
    set_new(&s, "A\t0\t3000\nB\t0\t450\n");
    WORKS(bird_bin_windows_get(&d, &s.w, 0, '+', 1));
    for (int64_t k = 0; k < d.bins; k++) {
        int far = (k + 1) * 200 + 500 <= 1500 || k * 200 - 500 > 1500;

        cr_assert(isnan(d.label[k * 4]), "one is masked on A");
        cr_assert_eq(isnan(d.label[k * 4 + 1]) != 0, k == 1 || k == 5,
                     "excluded, and N: bin %d", (int)k);
        cr_assert_eq(isnan(d.label[k * 4 + 2]) != 0, k == 1 || k == 5 || !far,
                     "%d", (int)k);
        cr_assert_eq(isnan(d.label[k * 4 + 3]) != 0, k == 1 || k == 5);
    }
    WORKS(bird_bin_windows_get(&d, &s.w, 1, '-', 1));
    cr_assert(isnan(d.label[0 * 4 + 2]), "TSS- of B on the other strand");
    cr_assert(!isnan(d.label[0 * 4 + 3]) && !isnan(d.label[0 * 4]));
    s.w.margin = 200;
    WORKS(bird_bin_windows_get(&d, &s.w, 0, '+', 1));
    for (int64_t k = 0; k < d.bins; k++)
        cr_assert_eq(isnan(d.label[k * 4 + 3]) != 0,
                     k == 0 || k == 1 || k == 5 || k == 14);
    bird_bin_sample_free(&d);
    set_free(&s);
}

static void same(const struct bird_bin_sample *a,
                 const struct bird_bin_sample *b)
{
    cr_assert_eq(a->len, b->len);
    cr_assert_arr_eq(a->seq, b->seq, (size_t)a->len);
    cr_assert_arr_eq(a->label, b->label, (size_t)a->bins * 4 * sizeof(float));
}

Test(bin_windows, drawn_windows_keep_their_labels)
{
    struct bird_bin_change change = {.strand = 1,
                                     .shift_bp = 150,
                                     .shift_bins = 3,
                                     .cut = 0.5,
                                     .cut_least = 300,
                                     .cut_most = 900,
                                     .background = 1};
    struct bird_bin_sample d = {0}, again = {0};
    int minus = 0, cuts = 0, off = 0, n = 400;
    struct set s = {0};
    struct bird_rng r;

    set_new(&s, many);
    for (int i = 0; i < n; i++) {
        int64_t at = i % s.w.n, bases = 0;

        bird_rng_init(&r, 1, 2, (uint64_t)i);
        WORKS(bird_bin_windows_sample(&d, &s.w, at, &change, &r));
        check(&d);
        minus += d.strand == '-';
        off += d.place.start % BIN != 0;
        for (int64_t k = 0; k < d.len; k++)
            bases += d.seq[k] != 'N';
        cuts += at == 2 && bases <= 900;
        bird_rng_init(&r, 1, 2, (uint64_t)i);
        WORKS(bird_bin_windows_sample(&again, &s.w, at, &change, &r));
        same(&d, &again);
    }
    cr_assert(minus > 160 && minus < 240, "%d", minus);
    cr_assert(cuts > 15 && cuts < 35, "%d of 50", cuts);
    cr_assert_gt(off, 350);
    change = (struct bird_bin_change){.shift_bins = 2, .background = 0};
    for (int i = 0; i < 20; i++) {
        bird_rng_init(&r, 1, 2, (uint64_t)i);
        WORKS(bird_bin_windows_sample(&d, &s.w, 2, &change, &r));
        cr_assert_eq(d.place.start % BIN, 0);
        for (int64_t k = 0; k < d.bins; k++) {
            int any = 0, known = 0;

            for (int j = 0; j < 4; j++) {
                any |= d.label[k * 4 + j] > 0;
                known |= !isnan(d.label[k * 4 + j]);
            }
            cr_assert_eq(any, known, "background is not learned");
        }
    }
    change = (struct bird_bin_change){.mutate = 0.2, .background = 1};
    bird_rng_init(&r, 1, 2, 0);
    WORKS(bird_bin_windows_get(&again, &s.w, 2, '+', 1));
    WORKS(bird_bin_windows_sample(&d, &s.w, 2, &change, &r));
    off = 0;
    for (int64_t k = 0; k < d.len; k++)
        off += d.seq[k] != again.seq[k];
    cr_assert(off > 450 && off < 700, "%d", off);
    cr_assert_arr_eq(d.label, again.label, (size_t)d.bins * 4 * sizeof(float));
    bird_bin_sample_free(&d);
    bird_bin_sample_free(&again);
    set_free(&s);
}

/* A site is a label of every bin that it lies in or near, on its strand alone,
 * and no bin nearer to it than that is unknown. */
Test(bin_windows, sites_near_narrow_bins)
{
    enum { NARROW = 20, NEAR = 45 };
    struct bird_bin_sample d = {0};
    struct set s = {0};
    int positive = 0;

    set_new(&s, many);
    s.w.bin = NARROW;
    s.l.site_bp = NEAR;
    WORKS(bird_bin_windows_get(&d, &s.w, 2, '+', 1));
    for (int64_t k = 0; k < d.bins; k++)
        for (int minus = 0; minus < 2; minus++) {
            int64_t lo = d.place.start + k * NARROW, any = 0;

            for (int64_t at = lo - NEAR; at < lo + NARROW + NEAR; at++)
                any |= covered(sites, "", d.place.contig ? "B" : "A", at,
                               minus ? '-' : '+');
            if (isnan(d.label[k * 4 + 2 + minus]))
                continue;
            cr_assert_eq(d.label[k * 4 + 2 + minus], (float)any, "bin %d",
                         (int)k);
            positive += any;
        }
    cr_assert_gt(positive, 2);
    bird_bin_sample_free(&d);
    set_free(&s);
}

Test(bin_windows, decoys_have_no_sites_and_no_other_labels)
{
    struct bird_bin_change change = {
        .strand = 1, .shift_bp = 50, .background = 1, .decoys = .5};
    struct bird_bin_sample d = {0}, plain = {0};
    int decoys = 0, n = 200;
    struct set s = {0};
    struct bird_rng r;

    set_new(&s, many);
    s.w.margin = BIN;
    for (int i = 0; i < n; i++) {
        int other = 0, known = 0;

        bird_rng_init(&r, 1, 2, (uint64_t)i);
        WORKS(bird_bin_windows_sample(&d, &s.w, 2, &change, &r));
        WORKS(bird_bin_windows_get(&plain, &s.w, 2, d.strand, 0));
        for (int64_t k = 0; k < d.bins; k++)
            other += !isnan(d.label[k * 4]) || !isnan(d.label[k * 4 + 1]);
        if (other)
            continue;
        decoys++;
        cr_assert(memcmp(d.seq, plain.seq, (size_t)d.len) != 0);
        for (int64_t k = 0; k < d.bins; k++)
            for (int j = 2; j < 4; j++) {
                float y = d.label[k * 4 + j];

                known += !isnan(y);
                cr_assert(isnan(y) || !(y > 0));
            }
        cr_assert_eq(known, 2 * (d.bins - 2), "the margins are unknown");
    }
    cr_assert(decoys > 70 && decoys < 130, "%d of %d", decoys, n);
    bird_bin_sample_free(&d);
    bird_bin_sample_free(&plain);
    set_free(&s);
}

Test(bin_windows, labels_of_a_model_and_rows)
{
    struct set s = {0};
    bird_features model = {0};
    struct bird_bin_rows rows = {0};
    int64_t known[4], positive[4], n[2] = {0};
    char before[65], after[65];

    set_new(&s, "A\t0\t1400\nA\t1400\t3000\n");
    WORKS(bird_bin_windows_count(known, positive, &s.w, 1));
    cr_assert_eq(known[0], 14, "15 bins but that of N");
    WORKS(bird_bin_windows_count(known, positive, &s.w, 0));
    cr_assert_eq(known[0], 14 - 2, "of two bins no label is 1");
    WORKS(bird_bin_windows_digest(before, &s.w));
    WORKS(bird_bin_rows_new(&rows, &s.w));
    cr_assert_eq(rows.d.n, 14);
    cr_assert_eq(rows.first[2], 15);
    cr_assert_eq(rows.row[5], -1);
    for (int64_t i = 0; i < rows.d.n; i++) {
        n[0] += rows.d.target[i * 4] > 0;
        n[1] += rows.d.target[i * 4 + 3] > 0;
    }
    cr_assert(n[0] == positive[0] && n[1] == positive[3] && n[1] == 2);
    bird_bin_rows_free(&rows);
    for (int i = 0; i < 3; i++)
        WORKS(bird_features_put(
            &model,
            &(bird_feature){.name = (const char *[]){"TSS-", "three", "one"}[i],
                            .index = -1}));
    WORKS(bird_bin_labels_name(&s.l, &model, NULL));
    cr_assert_eq(s.l.n_label, 3);
    WORKS(bird_bin_windows_count(known, positive, &s.w, 1));
    cr_assert(known[0] == 14 && positive[0] == 2 && known[1] == 0 &&
              known[2] == 14);
    WORKS(bird_bin_windows_digest(after, &s.w));
    cr_assert_str_neq(before, after);
    bird_features_free(&model);
    set_free(&s);
}

Test(bin_windows, what_is_wrong_is_named)
{
    struct set s = {0};
    bird_bin_files f;
    struct bird_bin_labels l = {0};

    set_new(&s, "A\t0\t700\n");
    bird_bin_windows_free(&s.w);
    FAILS(BIRD_EFORMAT,
          bird_bin_windows_open(&s.w, &s.l, file_text("w.bed", "A\t100\t900\n"),
                                &s.o),
          "line 1: the start 100 is not a multiple of the bin of 200 bp");
    FAILS(BIRD_ERANGE,
          bird_bin_windows_open(&s.w, &s.l, file_text("w.bed", "C\t0\t900\n"),
                                &s.o),
          "the reference has no contig 'C'");
    FAILS(BIRD_ERANGE,
          bird_bin_windows_open(&s.w, &s.l, file_text("w.bed", "B\t600\t900\n"),
                                &s.o),
          "lies beyond B");
    s.o.margin_bp = 400;
    FAILS(BIRD_ERANGE,
          bird_bin_windows_open(&s.w, &s.l, file_text("w.bed", "A\t0\t800\n"),
                                &s.o),
          "with margins of 400 bp");
    FAILS(BIRD_EINVAL,
          bird_bin_windows_open(&s.w, &s.l, file_text("w.bed", "#\n"), &s.o),
          "no window");
    f = s.f;
    f.in.n_peaks = 0;
    f.in.peaks = NULL;
    f.sites = NULL;
    FAILS(BIRD_EINVAL, bird_bin_labels_open(&l, &f, &s.o), "no labels");
    s.o.features = "three";
    FAILS(BIRD_EINVAL, bird_bin_labels_open(&l, &s.f, &s.o), "three");
    set_free(&s);
}

/* Windows of 800, 400 and 450 bp: 4, 2 and 3 bins. */
Test(bin_windows, thinned_windows_lie_at_even_distances)
{
    struct set s = {0};

    set_new(&s, "A\t0\t800\nA\t800\t1200\nA\t1200\t1600\nA\t1600\t2400\n"
                "A\t2400\t2800\nB\t0\t450\n");
    cr_assert_eq(bird_bin_windows_bins(&s.w), 17);
    bird_bin_windows_thin(&s.w, 17);
    cr_assert_eq(s.w.n, 6);
    /* three of six: the second, fourth and sixth; 9 bins are too many */
    bird_bin_windows_thin(&s.w, 8);
    cr_assert_eq(s.w.n, 2);
    cr_assert_eq(s.w.at[0].start, 800);
    cr_assert_eq(s.w.at[1].start, 2400);
    cr_assert_eq(bird_bin_windows_bins(&s.w), 4);
    bird_bin_windows_thin(&s.w, 1);
    cr_assert_eq(s.w.n, 1);
    cr_assert_eq(bird_bin_windows_bins(&s.w), 2);
    set_free(&s);
}

Test(bin_windows, a_margin_without_end_and_no_folder_are_refused)
{
    const char *fasta = "x.fa";
    bird_bin_split o;

    bird_bin_split_default(&o);
    o.fasta = &fasta;
    o.n_fasta = 1;
    o.output = "out";
    o.bin_bp = 1;
    o.margin_bp = INT64_MAX;
    FAILS(BIRD_EINVAL, bird_bin_split_write(&o, NULL), "two margins");
    o.output = NULL;
    FAILS(BIRD_EINVAL, bird_bin_split_write(&o, NULL), "no folder");
}
