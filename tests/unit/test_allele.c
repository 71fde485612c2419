/* variant/allele: kinds, REF against the reference, the normal form.
 * SPDX-License-Identifier: MIT */
#include "base/rng.h"
#include "seq_help.h"
#include "variant/allele.h"

Test(allele, kinds)
{
    static const struct {
        const char *alt;
        enum bird_variant_status is;
    } row[] = {{"A", BIRD_VARIANT_OK},
               {"acgtuACGTU", BIRD_VARIANT_OK},
               {"N", BIRD_VARIANT_AMBIGUOUS},
               {"ACR", BIRD_VARIANT_AMBIGUOUS},
               {"*", BIRD_VARIANT_SPANNED},
               {"<DEL>", BIRD_VARIANT_SYMBOLIC},
               {"<*>", BIRD_VARIANT_SYMBOLIC},
               {"<NON_REF>", BIRD_VARIANT_SYMBOLIC},
               {"G]2:3]", BIRD_VARIANT_SYMBOLIC},
               {"[2:3[C", BIRD_VARIANT_SYMBOLIC},
               {".A", BIRD_VARIANT_SYMBOLIC},
               {"A.", BIRD_VARIANT_SYMBOLIC},
               {"", BIRD_VARIANT_MALFORMED},
               {".", BIRD_VARIANT_MALFORMED},
               {"-", BIRD_VARIANT_MALFORMED},
               {"A-", BIRD_VARIANT_MALFORMED},
               {"AX", BIRD_VARIANT_MALFORMED},
               {"<", BIRD_VARIANT_MALFORMED},
               {"<>", BIRD_VARIANT_MALFORMED},
               {"A*", BIRD_VARIANT_MALFORMED},
               {"1", BIRD_VARIANT_MALFORMED},
               {"\xc3\xa4", BIRD_VARIANT_MALFORMED}};

    for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++)
        cr_assert_eq(bird_allele_kind(row[i].alt), row[i].is, "%s: %s",
                     row[i].alt,
                     bird_variant_status_name(bird_allele_kind(row[i].alt)));
}

Test(allele, ref_against_the_reference)
{
    static const struct {
        const char *ref, *letters;
        enum bird_variant_status is;
    } row[] = {{"ACGT", "ACGT", BIRD_VARIANT_OK},
               {"acgu", "ACGT", BIRD_VARIANT_OK},
               {"AC", "AG", BIRD_VARIANT_REF_MISMATCH},
               {"A", "N", BIRD_VARIANT_AMBIGUOUS},
               {"N", "A", BIRD_VARIANT_AMBIGUOUS},
               {"R", "A", BIRD_VARIANT_AMBIGUOUS},
               {"R", "C", BIRD_VARIANT_REF_MISMATCH},
               {"NC", "AG", BIRD_VARIANT_REF_MISMATCH},
               {"R", "Y", BIRD_VARIANT_REF_MISMATCH},
               {"A-", "AC", BIRD_VARIANT_MALFORMED},
               {".", "A", BIRD_VARIANT_MALFORMED},
               {"A", "*", BIRD_VARIANT_AMBIGUOUS}};

    for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++)
        cr_assert_eq(bird_allele_check(row[i].ref, row[i].letters), row[i].is,
                     "%s on %s", row[i].ref, row[i].letters);
}

/* ---- the normal form ---- */

static bird_genome *genome;
static struct bird_contig_cache stretch;
static struct bird_change change;
static char contig[512];

static void make(const char *sequence)
{
    char text[1024];
    int n = snprintf(text, sizeof(text), ">c\n%s\n", sequence);

    bird_genome_free(genome);
    bird_contig_cache_free(&stretch);
    genome = NULL;
    snprintf(contig, sizeof(contig), "%s", sequence);
    unlink(path_of("x.fa.fai"));
    WORKS(bird_genome_open(&genome, file_with("x.fa", "wu", text, n)));
}

static void done(void)
{
    bird_genome_free(genome);
    bird_contig_cache_free(&stretch);
    bird_change_free(&change);
    folder_remove();
}
TestSuite(normal, .init = folder_new, .fini = done);

static int normal(int64_t pos, const char *ref, const char *alt)
{
    change.contig = 0;
    change.start = pos;
    return bird_change_normal(&change, &stretch, genome, ref, alt);
}

static void is_normal(int64_t pos, const char *ref, const char *alt,
                      int64_t start, int64_t end, const char *is)
{
    cr_assert_eq(normal(pos, ref, alt), 1);
    cr_assert(change.start == start && change.end == end &&
                  !strcmp(change.alt.s, is),
              "%d %s>%s: %d-%d>%s", (int)pos, ref, alt, (int)change.start,
              (int)change.end, change.alt.s);
}

Test(normal, by_hand)
{
    /*    0123456789012 */
    make("ACCCGTGTGTAAA");
    is_normal(1, "C", "T", 1, 2, "T");
    is_normal(0, "ACC", "ACT", 2, 3, "T"); /* flanks are no change */
    is_normal(0, "AC", "TG", 0, 2, "TG");  /* two bases */
    is_normal(3, "C", "CC", 1, 1, "C");    /* insertion in a run */
    is_normal(1, "CCC", "CC", 1, 2, "");   /* deletion in a run */
    is_normal(6, "GTGT", "GT", 4, 6, "");  /* of a repeat of two */
    is_normal(9, "T", "TGT", 4, 4, "GT");  /* turned: TG to GT */
    is_normal(9, "TA", "TGTA", 4, 4, "GT");
    is_normal(12, "A", "AA", 10, 10, "A");         /* at the last base */
    is_normal(0, "A", "TA", 0, 0, "T");            /* before the first */
    is_normal(0, "A", "aA", 0, 0, "A");            /* either case */
    is_normal(4, "GTG", "GAAG", 5, 6, "AA");       /* both change */
    is_normal(0, "ACCCGTGTGTAAA", "A", 0, 12, ""); /* all but the last */
    cr_assert_eq(normal(4, "GT", "gu"), 0);
    cr_assert_eq(normal(4, "G", "G"), 0);
}

/* The contig with the change in it. */
static void apply(char *out, int64_t start, int64_t end, const char *alt)
{
    sprintf(out, "%.*s%s%s", (int)start, contig, alt, contig + end);
}

/* Every way to write a haplotype gives one change, the leftmost of the
 * shortest, and that change makes the haplotype. */
Test(normal, is_the_same_for_every_spelling)
{
    struct bird_rng r;
    int n_indel = 0;

    bird_rng_init(&r, 5, 0, 0);
    for (int round = 0; round < 60; round++) {
        char sequence[64] = {0}, hap[256], got[256];
        int n = 12 + (int)bird_rng_below(&r, 24);

        for (int i = 0; i < n; i++) /* few letters: many repeats */
            sequence[i] = "AC"[bird_rng_below(&r, 2)];
        make(sequence);
        for (int k = 0; k < 40; k++) {
            int64_t a = (int64_t)bird_rng_below(&r, (uint64_t)n);
            int64_t b = a + (int64_t)bird_rng_below(&r, 4), start, end;
            char alt[8] = {0}, kept[64];

            b = b > n ? n : b;
            for (uint64_t i = bird_rng_below(&r, 4); i > 0; i--)
                alt[i - 1] = "AC"[bird_rng_below(&r, 2)];
            apply(hap, a, b, alt);
            if (!strcmp(hap, contig) || !*hap)
                continue;
            start = end = -1;
            /* as REF from i on, ALT as long as the rest says */
            for (int64_t i = 0; i <= a; i++)
                for (int64_t j = b; j <= n; j++) {
                    char ref[64], is[256];

                    snprintf(ref, sizeof(ref), "%.*s", (int)(j - i),
                             contig + i);
                    snprintf(is, sizeof(is), "%.*s",
                             (int)((int64_t)strlen(hap) - (n - j) - i),
                             hap + i);
                    if (!*ref || !*is)
                        continue;
                    cr_assert_eq(normal(i, ref, is), 1);
                    apply(got, change.start, change.end, change.alt.s);
                    cr_assert_str_eq(got, hap);
                    if (start < 0) {
                        start = change.start;
                        end = change.end;
                        strcpy(kept, change.alt.s);
                        n_indel += start == end || !*kept;
                    }
                    cr_assert(change.start == start && change.end == end &&
                                  !strcmp(change.alt.s, kept),
                              "%s: %s at %d", contig, hap, (int)i);
                }
            /* nothing shorter or further left makes the same haplotype */
            cr_assert(end - start < b - a ||
                      (end - start == b - a && start <= a));
        }
    }
    cr_assert_gt(n_indel, 100);
}

/* A run longer than one look to the left, and the contig's first base. */
Test(normal, goes_through_long_runs)
{
    enum { RUN = 10000 };
    static char text[RUN + 64];
    int n = sprintf(text, ">c\nG");

    memset(text + n, 'A', RUN);
    n += RUN;
    text[n++] = '\n';
    WORKS(bird_genome_open(&genome, file_with("y.fa", "wu", text, n)));
    is_normal(RUN, "A", "AA", 1, 1, "A");
    is_normal(RUN - 1, "AA", "A", 1, 2, "");
}

static int class_of(const struct bird_change *c)
{
    int is = -1;

    WORKS(bird_change_class(&is, c, &stretch, genome));
    return is;
}

/* Kinds and lengths that the bases around do not decide. */
Test(normal, classes_by_length)
{
    static const struct {
        int64_t start, end, n_alt;
        int is;
    } row[] = {{5, 7, 2, 3},   {5, 9, 4, 3},    {5, 10, 5, 4}, {5, 22, 17, 5},
               {5, 6, 2, 6},   {5, 5, 16, 8},   {5, 5, 17, 9}, {5, 9, 1, 13},
               {5, 21, 0, 14}, {5, 300, 20, 15}};
    char text[401];

    for (int i = 0; i < 400; i++)
        text[i] = "ACGT"[i * i / 7 % 4];
    text[400] = '\0';
    make(text);
    for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
        struct bird_change c = {.start = row[i].start,
                                .end = row[i].end,
                                .alt = {.s = text, .n = row[i].n_alt}};
        struct bird_change_range r = bird_change_range(row[i].is);
        int64_t n = llabs(row[i].n_alt - (row[i].end - row[i].start));

        cr_assert_eq(class_of(&c), row[i].is, "%zu", i);
        n = n ? n : row[i].n_alt;
        cr_assert(n >= r.least && n <= r.most, "%zu", i);
    }
}

/* 0 1 2 3 4 5 6 7 8 9 10 */
static const char with_cpg[] = "GCgTACACATC";
static const struct {
    int pos;
    const char *ref, *alt;
    int is;
} in_context[] = {
    {0, "G", "A", 1},                        /* no base before it */
    {1, "C", "T", 0},      {2, "G", "A", 0}, /* lower case is sequence too */
    {1, "C", "G", 2},      {2, "G", "C", 2},
    {3, "T", "C", 1},      {3, "T", "A", 2},
    {4, "A", "G", 1},      {10, "C", "T", 1}, /* no base after it */
    {10, "C", "A", 2},     {3, "TAC", "T", 17},
    {7, "CA", "C", 12},    {3, "T", "TAC", 11},
    {8, "A", "ACA", 11}, /* moved to the left */
    {9, "T", "TT", 10},    {3, "T", "TGG", 7},
    {0, "G", "GGCGTA", 8},                     /* more than 4 bases */
    {10, "C", "CC", 10},   {10, "C", "CT", 6}, /* at the end */
    {3, "TA", "CC", 3}};
enum { N_IN_CONTEXT = sizeof(in_context) / sizeof(*in_context) };

Test(normal, classes_by_bases)
{
    make(with_cpg);
    for (int i = 0; i < N_IN_CONTEXT; i++) {
        cr_assert_eq(
            normal(in_context[i].pos, in_context[i].ref, in_context[i].alt), 1,
            "%d", i);
        cr_assert_eq(class_of(&change), in_context[i].is, "%d: %d", i,
                     class_of(&change));
    }
}

/* On the genome with the new bases the opposite change has its class. */
Test(normal, classes_of_opposite_changes)
{
    for (int i = 0; i < N_IN_CONTEXT; i++) {
        const char *ref = in_context[i].ref, *alt = in_context[i].alt;
        int pos = in_context[i].pos, back = -1;
        char edited[40];

        make(with_cpg);
        cr_assert_eq(normal(pos, ref, alt), 1, "%d", i);
        WORKS(bird_change_class_back(&back, &change, &stretch, genome));
        snprintf(edited, sizeof(edited), "%.*s%s%s", pos, with_cpg, alt,
                 with_cpg + pos + strlen(ref));
        make(edited);
        cr_assert_eq(normal(pos, alt, ref), 1, "%d", i);
        cr_assert_eq(class_of(&change), back, "%d: %d, not %d", i, back,
                     class_of(&change));
    }
}
