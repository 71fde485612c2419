/* Promoter sets cut from a small made genome. SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/rng.h"
#include "data/references.h"
#include "dnabird/dataset.h"
#include "dnabird/tiles.h"
#include "seq/input.h"
#include "seq/intervals.h"
#include "temp.h"

enum { LENGTH = 20000, MAX_ROW = 2000 };

static char genome[LENGTH + 1];

/* Contig "20" of random bases, N at 15000 .. 16000; four start sites. */
static void setup(void)
{
    static char fasta[LENGTH + 64];
    struct bird_rng r;
    int i;

    folder_new();
    bird_rng_init(&r, 7, 0, 0);
    for (i = 0; i < LENGTH; i++)
        genome[i] =
            i >= 15000 && i < 16000 ? 'N' : "ACGT"[bird_rng_below(&r, 4)];
    snprintf(fasta, sizeof(fasta), ">20 made\n%s\n", genome);
    file_text("ref.fa", fasta);
    file_text("tss.bed", "# sites\n"
                         "chr20\t3000\t3001\ta\t.\t+\n"
                         "chr20\t6000\t6001\tb\t.\t-\n"
                         "chr20\t15500\t15501\tc\t.\t+\n"
                         "chr20\t19990\t19991\td\t.\t-\n"
                         "chr7\t50\t51\te\t.\t-\n");
    file_text("other.bed", "20\t12000\t12001\tx\t.\t-\n");
    file_text("islands.bed", "chr20\t8000\t9000\nchr20\t11900\t12100\n");
}

TestSuite(promoter_data, .init = setup, .fini = folder_remove);

struct row {
    char *seq, *chrom, *strand, *kind;
    int64_t label, start, end;
};

struct rows {
    struct bird_text text;
    struct row at[MAX_ROW];
    int n, n_positive;
};

static int write_set(const char *name, const bird_promoter_options *o,
                     bird_promoter_tally *t)
{
    const char *fasta[1] = {path_of("ref.fa")};
    const char *other[1] = {path_of("other.bed")};
    const char *tss = path_of("tss.bed");
    const char *islands = path_of("islands.bed");
    bird_promoter_files f = {.fasta = fasta,
                             .n_fasta = 1,
                             .tss = tss,
                             .other = other,
                             .n_other = 1,
                             .islands = islands};

    return bird_promoter_data_write(path_of(name), &f, o, t);
}

static struct rows *read_set(const char *name)
{
    struct rows *r = calloc(1, sizeof(*r));
    char *rest, *line, *f[8];

    cr_assert(r != NULL);
    cr_assert_eq(bird_read_file(&r->text, path_of(name)), 0);
    rest = r->text.s;
    line = bird_next_line(&rest);
    cr_assert_str_eq(line, "sequence\tlabel\tchrom\tstart\tend\tstrand\tkind");
    while ((line = bird_next_line(&rest))) {
        struct row *x = r->at + r->n++;

        cr_assert_lt(r->n, MAX_ROW);
        cr_assert_eq(bird_split_tabs(f, 8, line), 7);
        *x = (struct row){f[0], f[2], f[5], f[6], 0, 0, 0};
        cr_assert_eq(bird_digits(&x->label, f[1], 1), 0);
        cr_assert_eq(bird_digits(&x->start, f[3], LENGTH), 0);
        cr_assert_eq(bird_digits(&x->end, f[4], LENGTH), 0);
        cr_assert_eq((int64_t)strlen(x->seq), x->end - x->start);
        r->n_positive += (int)x->label;
    }
    return r;
}

static void free_set(struct rows *r)
{
    bird_text_free(&r->text);
    free(r);
}

/* The letters are those of the place and strand that the row tells. */
static void check_letters(const struct row *x)
{
    char want[LENGTH];
    int64_t n = x->end - x->start;

    memcpy(want, genome + x->start, (size_t)n);
    if (*x->strand == '-')
        bird_reverse_complement(want, genome + x->start, n);
    cr_assert(!memcmp(want, x->seq, (size_t)n), "%s %lld %s", x->kind,
              (long long)x->start, x->strand);
}

Test(promoter_data, positives)
{
    bird_promoter_options o;
    bird_promoter_tally t;
    struct rows *r;

    bird_promoter_options_default(&o);
    o.window = 100;
    o.anchor = 70;
    o.ratio = 0;
    cr_assert_eq(write_set("a.tsv.gz", &o, &t), 0);
    r = read_set("a.tsv.gz");
    /* c lies in N, d reaches over the end, e on a contig that is not there */
    cr_assert_eq(t.n_tss, 5);
    cr_assert_eq(t.no_contig, 1);
    cr_assert_eq(t.outside, 1);
    cr_assert_eq(t.unknown, 1);
    cr_assert_eq(t.used, 2);
    cr_assert_eq(r->n, 2);
    cr_assert_str_eq(r->at[0].chrom, "20");
    cr_assert_eq(r->at[0].start, 3000 - 70);
    cr_assert_eq(r->at[1].start, 6000 - 29);
    cr_assert_str_eq(r->at[1].strand, "-");
    check_letters(&r->at[0]);
    check_letters(&r->at[1]);
    free_set(r);
}

Test(promoter_data, jitter)
{
    bird_promoter_options o;
    struct rows *r;
    int i, seen[21] = {0}, n = 0;

    bird_promoter_options_default(&o);
    o.window = 100;
    o.anchor = 50;
    o.jitter = 10;
    o.copies = 300;
    o.ratio = 0;
    cr_assert_eq(write_set("a.tsv", &o, NULL), 0);
    r = read_set("a.tsv");
    cr_assert_eq(r->n, 600);
    for (i = 0; i < r->n; i++) {
        check_letters(&r->at[i]);
        if (r->at[i].start < 3500) {
            cr_assert(r->at[i].start >= 2940 && r->at[i].start <= 2960);
            seen[r->at[i].start - 2940]++;
        }
    }
    for (i = 0; i < 21; i++)
        n += seen[i] > 0;
    cr_assert_eq(n, 21);
    free_set(r);
}

static int64_t nearest(const struct row *x, int64_t anchor, char strand)
{
    static const struct {
        int64_t pos;
        char strand;
    } site[] = {
        {3000, '+'}, {6000, '-'}, {15500, '+'}, {19990, '-'}, {12000, '-'}};
    int64_t i, d, best = LENGTH;
    int64_t a = *x->strand == '+' ? x->start + anchor : x->end - 1 - anchor;

    for (i = 0; i < 5; i++) {
        d = llabs(site[i].pos - a);
        if (d < best && (!strand || site[i].strand == strand))
            best = d;
    }
    return best;
}

Test(promoter_data, strata)
{
    bird_promoter_options o;
    bird_promoter_tally t;
    struct rows *r;
    int i, n[4] = {0};

    bird_promoter_options_default(&o);
    o.window = 100;
    o.anchor = 50;
    o.ratio = 400;
    o.island = 0.2;
    o.near_share = 0.2;
    o.near = 900;
    o.antisense = 0.1;
    o.max_n = 0;
    cr_assert_eq(write_set("a.tsv.gz", &o, &t), 0);
    r = read_set("a.tsv.gz");
    cr_assert_eq(r->n_positive, 2);
    cr_assert_eq(r->n, 802);
    for (i = 2; i < r->n; i++) {
        const struct row *x = &r->at[i];
        int64_t d = nearest(x, 50, 0);

        check_letters(x);
        cr_assert(strchr(x->seq, 'N') == NULL);
        if (!strcmp(x->kind, "antisense")) {
            cr_assert_eq(d, 0);
            cr_assert_gt(nearest(x, 50, *x->strand), 500);
            n[3]++;
            continue;
        }
        cr_assert_gt(d, 500);
        if (!strcmp(x->kind, "near")) {
            cr_assert_leq(d, 900);
            n[2]++;
        } else if (!strcmp(x->kind, "island")) {
            /* the other island lies at a start site */
            cr_assert(x->start >= 7900 && x->start < 9000);
            n[1]++;
        } else {
            cr_assert_str_eq(x->kind, "background");
            n[0]++;
        }
    }
    for (i = 0; i < 4; i++)
        cr_assert_eq(n[i], t.stratum[i]);
    cr_assert(n[0] > 340 && n[1] > 110 && n[2] > 110 && n[3] > 40);
    free_set(r);
}

Test(promoter_data, rows_are_a_function_of_seed_and_number)
{
    bird_promoter_options o;
    struct rows *a, *b, *c;
    int i, same = 0;

    bird_promoter_options_default(&o);
    o.window = 200;
    o.anchor = 100;
    o.jitter = 20;
    o.copies = 2;
    o.ratio = 5;
    cr_assert_eq(write_set("a.tsv", &o, NULL), 0);
    o.ratio = 10;
    cr_assert_eq(write_set("b.tsv", &o, NULL), 0);
    o.seed = 2;
    cr_assert_eq(write_set("c.tsv", &o, NULL), 0);
    a = read_set("a.tsv");
    b = read_set("b.tsv");
    c = read_set("c.tsv");
    cr_assert_gt(b->n, a->n);
    for (i = 0; i < a->n; i++) {
        cr_assert_str_eq(a->at[i].seq, b->at[i].seq);
        same += !strcmp(a->at[i].seq, c->at[i].seq);
    }
    cr_assert_lt(same, a->n / 4);
    free_set(a);
    free_set(b);
    free_set(c);
}

/* Pieces of a row that stand in their place; `moved` = all are of the other */
static int kept(const char *x, const char *y, int len, int *moved)
{
    int i, k, n = 0;

    *moved = 1;
    for (i = 0; i < 20; i++) {
        n += !memcmp(x + i * len, y + i * len, (size_t)len);
        for (k = 0; k < 20; k++)
            if (!memcmp(x + i * len, y + k * len, (size_t)len))
                break;
        *moved &= k < 20;
    }
    return n;
}

Test(promoter_data, replaced_pieces)
{
    bird_promoter_options o;
    struct rows *r;
    int i, kind, moved, n;

    bird_promoter_options_paper(&o);
    cr_assert_eq(o.window, 8000);
    cr_assert_eq(o.anchor, 5000);
    o.window = 2000;
    o.anchor = 1000;
    for (kind = BIRD_NEGATIVES_RANDOM; kind < BIRD_N_NEGATIVES; kind++) {
        o.negatives = (enum bird_promoter_negatives)kind;
        cr_assert_eq(write_set("a.tsv", &o, NULL), 0);
        r = read_set("a.tsv");
        cr_assert_eq(r->n, 4);
        for (i = 0; i < 2; i++) {
            cr_assert_eq(r->at[i].start, r->at[2 + i].start);
            cr_assert_eq(r->at[2 + i].label, 0);
            n = kept(r->at[2 + i].seq, r->at[i].seq, 100, &moved);
            cr_assert_eq(n, 8, "%d pieces kept", n);
            cr_assert_eq(moved, kind == BIRD_NEGATIVES_PERMUTED);
        }
        free_set(r);
    }
}

static void fails_with(const bird_promoter_options *o, const char *word)
{
    cr_assert_lt(write_set("bad.tsv", o, NULL), 0);
    SAYS(word);
    cr_assert_neq(access(path_of("bad.tsv"), F_OK), 0);
}

Test(promoter_data, options_that_make_no_sense)
{
    bird_promoter_options o;

    bird_promoter_options_default(&o);
    o.window = 0;
    fails_with(&o, "window");
    o.window = 100;
    fails_with(&o, "anchor 500");
    o.window = 30000;
    fails_with(&o, "no window of 30000 bp");
    bird_promoter_options_default(&o);
    o.island = 0.7;
    o.near_share = 0.7;
    fails_with(&o, "shares");
    bird_promoter_options_default(&o);
    o.near_share = 0.1;
    o.near = 500;
    fails_with(&o, "no room");
    bird_promoter_options_default(&o);
    o.window = 100;
    o.anchor = 50;
    o.away = 9000;
    fails_with(&o, "no window for a negative");
    bird_promoter_options_paper(&o);
    o.pieces = 21;
    fails_with(&o, "21 equal pieces");
    o.pieces = 20;
    o.replaced = 1;
    fails_with(&o, "replaced");
    bird_promoter_options_default(&o);
    o.ratio = -1;
    fails_with(&o, "ratio");
    bird_promoter_options_default(&o);
    o.copies = 0;
    fails_with(&o, "copies");
}

Test(promoter_data, files_that_are_wrong)
{
    bird_promoter_options o;

    bird_promoter_options_default(&o);
    file_text("other.bed", "chr20\t5\n");
    fails_with(&o, "other.bed: line 1");
    file_text("other.bed", "chr20\t5\t6\tname\t0\t.\n");
    fails_with(&o, "strand");
    file_text("other.bed", "#\nchr20\t7\t6\tname\t0\t+\n");
    fails_with(&o, "line 2");
    unlink(path_of("other.bed"));
    fails_with(&o, "other.bed");
    file_text("other.bed", "chr20\t5\t6\tname\t0\t+\n");
    o.island = 0.5;
    file_text("islands.bed", "chrX\t1\t100\n");
    fails_with(&o, "no island");
    unlink(path_of("ref.fa"));
    fails_with(&o, "ref.fa");
}

Test(promoter_data, contig_twice)
{
    const char *path[2] = {path_of("ref.fa"), path_of("two.fa")};
    struct bird_reference r = {0};

    file_text("two.fa", ">chr20\nACGT\n");
    cr_assert_eq(bird_reference_open(&r, path, 2), BIRD_EINVAL);
    SAYS("chr20 occurs twice");
    cr_assert_eq(bird_reference_open(&r, path, 0), BIRD_EINVAL);
}

Test(promoter_data, regions_and_exclusions)
{
    struct bird_contigs c = {0};
    struct bird_intervals a = {0}, b = {0};
    const int64_t near[2] = {95, 100};

    file_text("a.bed", "track name=x\nchr1\t50\t100\n1\t0\t50\nchrM\t5\t9\n"
                       "chr2\t10\t20\t.\t0\t+\r\n");
    file_text("b.bed", "MT\t0\t6\n1\t10\t20\n1\t30\t40\n1\t90\t200\n");
    WORKS(bird_intervals_read(&a, &c, path_of("a.bed")));
    bird_intervals_merge(&a);
    cr_assert_eq(c.n, 3);
    cr_assert_eq(a.n, 3);
    cr_assert_eq(a.at[0].end, 100);
    WORKS(bird_intervals_read(&b, &c, path_of("b.bed")));
    bird_intervals_merge(&b);
    cr_assert_eq(bird_intervals_subtract(&a, &b), 0);
    cr_assert_eq(a.n, 5);
    cr_assert(a.at[0].start == 0 && a.at[0].end == 10);
    cr_assert(a.at[1].start == 20 && a.at[1].end == 30);
    cr_assert(a.at[2].start == 40 && a.at[2].end == 90);
    cr_assert(a.at[3].start == 6 && a.at[3].end == 9);
    cr_assert_eq(bird_intervals_holding(&a, 0, 40, 90), 2);
    cr_assert_eq(bird_intervals_holding(&a, 0, 39, 90), -1);
    cr_assert_eq(bird_intervals_holding(&a, 0, 40, 91), -1);
    cr_assert(!bird_intervals_start_in(&a, 0, near, 0));
    cr_assert(bird_intervals_start_in(&b, 0, (const int64_t[]){81, 90}, 0));
    cr_assert(!bird_intervals_start_in(&b, 0, (const int64_t[]){81, 90}, '+'));
    bird_intervals_free(&a);
    bird_intervals_free(&b);
    bird_contigs_free(&c);
}
