/* variant/motif_change: the score of an allele against a scan of both haplotypes
 * window by window; strands, exchanged alleles, ends and N; the motif that is
 * named.
 * SPDX-License-Identifier: MIT */
#include "base/rng.h"
#include "seq_help.h"
#include "variant/motif_change.h"

enum { LENGTH = 400 };

static struct bird_motif_scan *scan;
static bird_genome *genome;
static struct bird_contig_cache cache;
static struct bird_rng rng;

static void setup(void)
{
    folder_new();
    bird_rng_init(&rng, 1, 2, 3);
    WORKS(bird_motif_scan_open(&scan, "jaspar"));
}

static void teardown(void)
{
    bird_motif_scan_free(scan);
    bird_genome_free(genome);
    bird_contig_cache_free(&cache);
    folder_remove();
}

static void put_contig(const char *bases)
{
    char text[2 * LENGTH];
    int n = snprintf(text, sizeof(text), ">c\n%s\n", bases);

    bird_genome_free(genome);
    bird_contig_cache_free(&cache);
    genome = NULL;
    unlink(path_of("x.fa.fai"));
    WORKS(bird_genome_open(&genome, file_with("x.fa", "wu", text, n)));
}

/* The change of n bases at `at` of these bases to alt. */
static struct bird_motif_change score(const char *bases, int64_t at, int64_t n,
                                      const char *alt)
{
    struct bird_change c = {.start = at, .end = at + n};
    struct bird_motif_change out;

    put_contig(bases);
    WORKS(bird_text_put(&c.alt, alt, (int64_t)strlen(alt)));
    WORKS(bird_motif_scan_change(scan, &out, genome, &cache, &c));
    bird_change_free(&c);
    return out;
}

static void replace(char *out, const char *bases, int64_t at, int64_t n,
                    const char *alt)
{
    sprintf(out, "%.*s%s%s", (int)at, bases, alt, bases + at + n);
}

static void reverse(char *out, const char *bases)
{
    size_t n = strlen(bases);

    for (size_t i = 0; i < n; i++) {
        static const char base[] = "ACGT", paired[] = "TGCA";
        const char *at = strchr(base, bases[n - 1 - i]);

        out[i] = at ? paired[at - base] : 'N';
    }
    out[n] = '\0';
}

/* Random bases, every fifth of them within a repeat. */
static void random_bases(char *s, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        s[i] = i > 4 && bird_rng_below(&rng, 5)
                   ? s[i - 1 - (int64_t)bird_rng_below(&rng, 3)]
                   : "ACGT"[bird_rng_below(&rng, 4)];
    s[n] = '\0';
}

/* How far the best window that overlaps from .. to, or spans from where that is
 * empty, is above the threshold. */
static int64_t best_above(const struct bird_motif *m, const char *hap,
                          int64_t from, int64_t to)
{
    int64_t least = bird_motif_least(m, BIRD_MOTIF_CHANGE_P), best = 0;
    int64_t n = (int64_t)strlen(hap), first = from + 1 - m->width;

    for (int64_t i = first > 0 ? first : 0; i < to && i + m->width <= n; i++)
        for (int k = 0; k < 2; k++) {
            int64_t x = bird_motif_score(m, hap + i, "+-"[k]) - least;

            best = x > best ? x : best;
        }
    return best;
}

/* Every place where the same change can be written. */
static void find_range(int64_t ref[2], int64_t alt[2], const char *bases,
                       const char *hap, int64_t at, int64_t n, int64_t m)
{
    ref[0] = alt[0] = at;
    ref[1] = at + n;
    alt[1] = at + m;
    for (int64_t p = 0; p + n <= (int64_t)strlen(bases); p++) {
        if (strncmp(bases, hap, (size_t)p) ||
            strcmp(bases + p + n, hap + p + m))
            continue;
        ref[0] = p < ref[0] ? p : ref[0];
        ref[1] = p + n > ref[1] ? p + n : ref[1];
        alt[1] = p + m > alt[1] ? p + m : alt[1];
    }
    alt[0] = ref[0];
}

static int64_t slow(const char *bases, int64_t at, int64_t n, const char *alt)
{
    const struct bird_motifs *all = bird_motif_scan_motifs(scan);
    int64_t sum = 0, was[2], is[2];
    char hap[2 * LENGTH];

    replace(hap, bases, at, n, alt);
    find_range(was, is, bases, hap, at, n, (int64_t)strlen(alt));
    for (int64_t i = 0; i < all->n; i++)
        sum += best_above(&all->at[i], hap, is[0], is[1]) -
               best_above(&all->at[i], bases, was[0], was[1]);
    return sum;
}

TestSuite(motif_change, .init = setup, .fini = teardown);

/* Changes of a base, of several, insertions and deletions, many in repeats: the
 * sum by its definition; the same on the other strand; the opposite when REF
 * and ALT are exchanged. */
Test(motif_change, sum_by_definition)
{
    int64_t different = 0;

    for (int k = 0; k < 60; k++) {
        char s[LENGTH], hap[2 * LENGTH], back[2 * LENGTH], alt[8], other[8];
        int64_t length = 180, at = 70 + (int64_t)bird_rng_below(&rng, 40);
        int64_t n = k % 3 == 0 ? 1 : (int64_t)bird_rng_below(&rng, 5), m, sum;

        random_bases(s, length);
        m = k % 3 == 0 ? 1 : n ? (int64_t)bird_rng_below(&rng, 5) : 3;
        random_bases(alt, m);
        if (m && s[at] == alt[0])
            alt[0] = s[at] == 'A' ? 'C' : 'A';
        if (m && n && s[at + n - 1] == alt[m - 1])
            continue; /* not trimmed: it has several ranges */
        sum = score(s, at, n, alt).sum;
        cr_assert_eq(sum, slow(s, at, n, alt), "%d", k);
        different += sum != 0;
        reverse(back, s);
        reverse(other, alt);
        cr_assert_eq(sum, score(back, length - at - n, n, other).sum, "%d", k);
        replace(hap, s, at, n, alt);
        memcpy(other, s + at, (size_t)n);
        other[n] = '\0';
        cr_assert_eq(-sum, score(hap, at, m, other).sum, "%d", k);
    }
    cr_assert_gt(different, 20);
}

/* A change at an end of the contig, and beside N: windows there have no score,
 * and all others count. */
Test(motif_change, ends_and_unknown_bases)
{
    char s[LENGTH];

    for (int k = 0; k < 20; k++) {
        random_bases(s, 30);
        for (int64_t at = 0; at < 30; at += 29) {
            const char *alt = s[at] == 'G' ? "T" : "G";

            cr_assert_eq(score(s, at, 1, alt).sum, slow(s, at, 1, alt));
        }
        s[9] = 'N';
        cr_assert_eq(score(s, 12, 1, s[12] == 'C' ? "A" : "C").sum,
                     slow(s, 12, 1, s[12] == 'C' ? "A" : "C"));
        cr_assert_eq(score("NNNNNNNNNNNNNNNNNNNN", 9, 1, "C").sum, 0);
    }
}

/* The motif with the largest change, where its match is and on which strand. */
Test(motif_change, motif_that_is_named)
{
    char s[] = "AAAAAAAAAAAAAAAAAAAATTGCGTGCAAAAAAAAAAAAAAAAA", back[64];
    char file[] = "AC MA9.1\nID Nine\n01 0 0 0 90\n02 0 0 90 0\n"
                  "03 0 90 0 0\n04 0 0 90 0\n05 0 0 0 90\n06 0 0 90 0\n//\n";
    int64_t n = (int64_t)sizeof(s) - 1;
    struct bird_motif_change c;

    bird_motif_scan_free(scan);
    WORKS(bird_motif_scan_open(&scan, file_text("m.txt", file)));
    c = score(s, 23, 1, "A"); /* TGCGTG at 21 */
    cr_assert_str_eq(c.motif->name, "Nine");
    cr_assert_lt(c.change, 0);
    cr_assert_eq(c.sum, c.change);
    cr_assert_eq(c.pos, 21);
    cr_assert_eq(c.strand, '+');
    reverse(back, s);
    c = score(back, n - 24, 1, "T");
    cr_assert_eq(c.pos, n - 27);
    cr_assert_eq(c.strand, '-');
    /* a gain, behind inserted bases: its place on the reference */
    c = score("AAAAAAAAAAAAAAAAAAAATTGCAAAAAAAAAAAAAAAAA", 24, 0, "GTG");
    cr_assert_gt(c.change, 0);
    cr_assert_eq(c.pos, 21);
    /* it begins within the inserted bases, behind base 19 */
    c = score("AAAAAAAAAAAAAAAAAAAACGTGCAAAAAAAAAAAAAAAA", 20, 0, "TTTTG");
    cr_assert_gt(c.change, 0);
    cr_assert_eq(c.pos, 19);
    /* no match changes */
    c = score("AAAAAAAAAAAAAAAAAAAAAAAAAAA", 10, 1, "C");
    cr_assert_null(c.motif);
    cr_assert_eq(c.sum, 0);
}
