/* seq/motif: scores and p-values against all words, hits, formats. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "seq/alphabet.h"
#include "seq/motif.h"
#include "seq_help.h"

static const char two[] =
    "AC MA0001.1\nXX\nID first\nXX\nPO\tA\tC\tG\tT\n"
    "01\t4.0\t16.0\t0.0\t0.0\n02\t19\t0\t1\t0\n03\t0\t20\t0\t0\n"
    "04 0 0 20 0 G\n05\t0\t0\t3\t17\n06\t5\t5\t5\t5\nXX\nCC x\n//\n"
    ">MA0002.3 second\r\nA [ 1 2 30 ]\r\nC [ 7 0 1]\r\nG [9 9 9]\r\nT [ 0 5 "
    "0.5 ]\r\n";

TestSuite(motif, .init = folder_new, .fini = folder_remove);

static struct bird_motifs read_text(const char *text)
{
    struct bird_motifs m = {0};

    WORKS(bird_motifs_read(&m, file_text("m", text)));
    return m;
}

/* The score by its definition, in double. */
static double slow_score(const double c[4], int b)
{
    double n = c[0] + c[1] + c[2] + c[3];

    return log2((c[b] + 0.25) / (n + 1) / 0.25);
}

Test(motif, scores_are_log_odds)
{
    struct bird_motifs m = read_text(two);
    static const double counts[2][4] = {{4, 16, 0, 0}, {1, 7, 9, 0}};

    cr_assert_eq(m.n, 2);
    cr_assert_str_eq(m.at[0].id, "MA0001.1");
    cr_assert_str_eq(m.at[0].name, "first");
    cr_assert_str_eq(m.at[1].name, "second");
    cr_assert_eq(m.at[0].width, 6);
    cr_assert_eq(m.at[1].width, 3);
    for (int k = 0; k < 2; k++)
        for (int b = 0; b < 4; b++)
            cr_assert_leq(
                fabs(m.at[k].score[0][b] / 100.0 - slow_score(counts[k], b)),
                0.00501);
    for (int b = 0; b < 4; b++)
        cr_assert_eq(m.at[0].score[5][b], 0);
    bird_motifs_free(&m);
}

/* The share of all words that score as high, and both strands. */
Test(motif, p_values_count_all_words)
{
    struct bird_motifs m = read_text(two);

    for (int k = 0; k < 2; k++) {
        const struct bird_motif *t = &m.at[k];
        int64_t words = (int64_t)1 << 2 * t->width;
        int32_t *score = malloc((size_t)words * sizeof(*score));

        cr_assert_not_null(score);
        for (int64_t w = 0; w < words; w++) {
            char word[7], back[7];

            for (int i = 0; i < t->width; i++) {
                word[i] = "ACGT"[w >> 2 * i & 3];
                back[t->width - 1 - i] = "TGCA"[w >> 2 * i & 3];
            }
            score[w] = bird_motif_score(t, word, '+');
            cr_assert_eq(score[w], bird_motif_score(t, back, '-'));
        }
        for (int64_t w = 0; w < words; w += 7) {
            int64_t n = 0;
            double p;

            for (int64_t v = 0; v < words; v++)
                n += score[v] >= score[w];
            p = (double)n / (double)words;
            cr_assert_float_eq(bird_motif_p(t, score[w]),
                               p > BIRD_MOTIF_MOST_P ? 1 : p, 1e-12);
        }
        cr_assert_eq(bird_motif_p(t, t->most + 1), 0);
        free(score);
    }
    cr_assert_eq(bird_motif_score(&m.at[1], "ANC", '+'), INT32_MIN);
    bird_motifs_free(&m);
}

/* Every place on either strand whose p-value is low enough, and of places that
 * share more than half of their bases the best. */
Test(motif, hits_are_all_there_are)
{
    struct bird_motifs m = read_text(two);
    struct bird_motif_hit *hit = NULL;
    enum { LENGTH = 3000 };
    char s[LENGTH];
    struct bird_motif_range r = {s, LENGTH, 0, LENGTH, 0.02};
    struct bird_rng rng;
    int64_t n = 0, inside;

    bird_rng_init(&rng, 1, 2, 3);
    for (int i = 0; i < LENGTH; i++)
        s[i] = "ACGTN"[bird_rng_below(&rng, i % 50 ? 4 : 5)];
    WORKS(bird_motifs_find(&hit, &n, &m, &r));
    cr_assert_gt(n, 20);
    for (int64_t i = 0; i < n; i++) {
        cr_assert_leq(hit[i].p, 0.02);
        cr_assert(!i || hit[i].p >= hit[i - 1].p);
        cr_assert_eq(
            hit[i].score,
            bird_motif_score(hit[i].motif, s + hit[i].start, hit[i].strand));
    }
    for (int k = 0; k < 2; k++) /* none is missed */
        for (int64_t i = 0; i + m.at[k].width <= LENGTH; i++)
            for (int d = 0; d < 2; d++) {
                double p = bird_motif_p(
                    &m.at[k], bird_motif_score(&m.at[k], s + i, "+-"[d]));
                int near = p > 0.02;

                for (int64_t j = 0; j < n && !near; j++) {
                    int64_t w = hit[j].motif->width, v = m.at[k].width;
                    int64_t from = i > hit[j].start ? i : hit[j].start;
                    int64_t to =
                        i + v < hit[j].start + w ? i + v : hit[j].start + w;

                    near = hit[j].p <= p && 2 * (to - from) > (v < w ? v : w);
                }
                cr_assert(near, "%d %d %g", k, (int)i, p);
            }
    free(hit);
    r.most_p = 0.5;
    FAILS(BIRD_EINVAL, bird_motifs_find(&hit, &n, &m, &r), "at most 0.05");
    /* a place beside the range hides none that reaches into it */
    r.most_p = 0.02;
    for (r.from = 100; r.from < 200; r.from++) {
        r.to = r.from + 1;
        WORKS(bird_motifs_find(&hit, &n, &m, &r));
        inside = 0;
        for (int k = 0; k < 2; k++)
            for (int64_t i = r.from - m.at[k].width + 1; i <= r.from; i++)
                for (int d = 0; d < 2; d++)
                    inside += bird_motif_p(&m.at[k],
                                           bird_motif_score(&m.at[k], s + i,
                                                            "+-"[d])) <= 0.02;
        cr_assert_eq(n > 0, inside > 0);
        for (int64_t i = 0; i < n; i++)
            cr_assert(hit[i].start <= r.from &&
                      hit[i].start + hit[i].motif->width > r.from);
        free(hit);
    }
    bird_motifs_free(&m);
}

static void refused(const char *text, const char *why)
{
    struct bird_motifs m = {0};

    FAILS(BIRD_EFORMAT, bird_motifs_read(&m, file_text("m", text)), why);
    bird_motifs_free(&m);
}

Test(motif, what_is_no_motif)
{
    refused("a text\n", "no motif");
    refused("AC x\n01\t1\t2\t3\n//\n", ":2: not a position and four counts");
    refused("AC x\n01\t1\t2\t3\t-4\n//\n", ":2: ");
    refused("AC x\n01\t0\t0\t0\t0\n//\n", ":2: ");
    refused("01\t1\t2\t3\t4\n", ":1: counts before");
    refused("AC x\n//\n", ":2: a motif without positions");
    refused("AC x\n01\t1\t2\t3\t4\n", "ends within a motif");
    refused("AC x\n01\t1\t2\t3\t4\nAC y\n", ":3: a motif begins before");
    refused("AC x\n01\t1\t2\t3\t4\n>y\n", ":3: a motif begins before");
    refused("AC x\nP0\tT\tG\tC\tA\n", ":2: columns are not");
    refused("AC x\n01\t1e308\t1e308\t3\t4\n", ":2: ");
    refused(">x y\nA [1 nan]\n", ":2: an invalid count");
    refused(">x y\nA [1 2]\nC [1]\n", ":3: not as many");
    refused(">x y\nA [0 2]\nC [0 1]\nG [0 1]\nT [0 1]\n",
            ":5: a position without");
}

/* Probabilities times nsites are counts; 20 sites where the file has none. */
Test(motif, meme)
{
    static const char meme[] =
        "MEME version 4\n\nALPHABET= ACGT\n\nstrands: + -\n\n"
        "Background letter frequencies\nA 0.3 C 0.2 G 0.2 T 0.3\n\n"
        "MOTIF MA0001.1 first\n"
        "letter-probability matrix: alength= 4 w= 2 nsites= 40 E= 1e-9\n"
        " 0.250000 0.500000\t0.250000 0.000000\n 0 0 0 1\n\nURL x\n"
        "MOTIF lone\nletter-probability matrix: w= 1\n0.1 0.2 0.3 0.4\n";
    static const double counts[3][4] = {
        {10, 20, 10, 0}, {0, 0, 0, 40}, {2, 4, 6, 8}};
    struct bird_motifs m = read_text(meme);

    cr_assert_eq(m.n, 2);
    cr_assert_str_eq(m.at[0].id, "MA0001.1");
    cr_assert_str_eq(m.at[0].name, "first");
    cr_assert_str_eq(m.at[1].name, "lone");
    cr_assert_eq(m.at[0].width, 2);
    cr_assert_eq(m.at[1].width, 1);
    for (int k = 0; k < 3; k++)
        for (int b = 0; b < 4; b++)
            cr_assert_leq(fabs(m.at[k / 2].score[k % 2][b] / 100.0 -
                               slow_score(counts[k], b)),
                          0.00501);
    bird_motifs_free(&m);
}

#define MEME   "MEME version 4\nMOTIF x\n"
#define MATRIX "letter-probability matrix: "

Test(motif, what_is_no_meme_motif)
{
    refused("MEME version 4\n", "no motif");
    refused("MEME version 4\nALPHABET= ACDEFGHIKLMNPQRSTVWY\n",
            ":2: the alphabet is not ACGT");
    refused("MEME version 4\nMOTIF \n", ":2: a motif without a name");
    refused("MEME version 4\n" MATRIX "w= 1\n", ":2: a matrix without");
    refused(MEME "MOTIF y\n", ":3: a motif without a matrix");
    refused(MEME, "ends within a motif");
    refused(MEME MATRIX "alength= 20 w= 1\n",
            ":3: a matrix that is not of DNA");
    refused(MEME MATRIX "alength= 4\n", ":3: a matrix needs w=");
    refused(MEME MATRIX "w= 65\n", ":3: a matrix needs w=");
    refused(MEME MATRIX "w= 1 nsites= x\n", ":3: an invalid number");
    refused(MEME MATRIX "w= 1\n0.5 0.5 0\n", ":4: not four probabilities");
    refused(MEME MATRIX "w= 1\n0.5 0.5 0.5 0.5\n", ":4: probabilities that");
    refused(MEME MATRIX "w= 2\n0.5 0.5 0 0\n", "ends within a motif");
}

/* The lowest score of a p-value, and what no score reaches. */
Test(motif, least_score)
{
    struct bird_motifs m = read_text(two);
    const struct bird_motif *t = &m.at[0];
    int32_t least = bird_motif_least(t, 5e-4);

    cr_assert_leq(bird_motif_p(t, least), 5e-4);
    cr_assert_gt(bird_motif_p(t, least - 1), 5e-4);
    cr_assert_eq(bird_motif_least(&m.at[1], 5e-4), m.at[1].most + 1);
    bird_motifs_free(&m);
}

/* The motifs that come with dnabird. */
Test(motif, jaspar)
{
    struct bird_motifs m = {0};
    char path[4096];

    snprintf(path, sizeof(path), "%s/motifs/jaspar2024_vertebrates.txt.gz",
             getenv("DNABIRD_DATA"));
    WORKS(bird_motifs_read(&m, path));
    cr_assert_eq(m.n, 879);
    for (int64_t i = 0; i < m.n; i++)
        cr_assert(m.at[i].tail[0] > 0 && m.at[i].tail[0] < 0.01, "%s",
                  m.at[i].id);
    bird_motifs_free(&m);
}
