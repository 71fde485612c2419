/* motif_filters: the first filters of a stem against the definition of
 * docs/math/stem.md, by hand for short motifs.
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/mem.h"
#include "folder/config_file.h"
#include "folder/motif_filters.h"
#include "model/stem.h"
#include "seq/motif.h"
#include "seq_help.h"

enum { D = 16, KERNEL = 5, FILTERS = 8, FROM_MOTIFS = 6 };

TestSuite(motif_filters, .init = folder_new, .fini = folder_remove);

static const char motifs[] =
    ">M1 long\nA [ 9 0 0 0 9 0 1 ]\nC [ 0 9 0 0 0 9 3 ]\n"
    "G [ 0 0 9 0 0 0 3 ]\nT [ 0 0 0 9 0 0 2 ]\n"
    ">M2 short\nA [ 7 1 0 ]\nC [ 1 0 6 ]\nG [ 0 7 1 ]\n"
    "T [ 0 0 1 ]\n"
    ">M3 five\nA [ 0 8 8 0 0 ]\nC [ 0 0 0 0 8 ]\n"
    "G [ 8 0 0 0 0 ]\nT [ 0 0 0 8 0 ]\n";

struct made {
    struct bird_config c;
    struct bird_param *list;
    int64_t n, total;
    float *random, *block; /* before and after */
    int32_t base[4];
    float *w, *was; /* first weights of both */
};

static void make(struct made *m, uint64_t seed)
{
    static const char *const name[] = {"A", "C", "G", "T"};
    const char *tokens = path_of("t.json");
    bird_tokenizer *t = NULL;

    *m = (struct made){.n = 0};
    WORKS(bird_kmer_write(tokens, 1, 1, 0));
    WORKS(bird_tokenizer_open(&t, tokens));
    WORKS(bird_config_preset(&m->c, "tiny"));
    m->c.hidden_size = D;
    m->c.vocab_size = bird_tokenizer_count(t);
    WORKS(bird_stem_parse(&m->c, "5x8:relu,3x16"));
    WORKS(bird_params_list(&m->list, &m->n, &m->total, &m->c));
    WORKS(bird_array_new(&m->random, m->total, sizeof(float)));
    WORKS(bird_array_new(&m->block, m->total, sizeof(float)));
    bird_params_init(m->random, m->list, m->n, &m->c, 1, NULL);
    memcpy(m->block, m->random, (size_t)m->total * sizeof(float));
    WORKS(bird_motif_filters(m->block, m->list, m->n, &m->c, t,
                             file_text("m.txt", motifs), seed));
    for (int b = 0; b < 4; b++)
        m->base[b] = bird_tokenizer_id(t, name[b]);
    for (int64_t i = 0; i < m->n; i++)
        if (!strcmp(m->list[i].name, "stem.0.weight")) {
            m->w = m->block + m->list[i].offset;
            m->was = m->random + m->list[i].offset;
        }
    bird_tokenizer_free(t);
}

static void unmake(struct made *m)
{
    free(m->list), free(m->random), free(m->block);
}

static double at(const struct made *m, const float *w, int f, int k, int b)
{
    return (double)w[(f * KERNEL + k) * D + m->base[b]];
}

static double length(const struct made *m, const float *w, int f)
{
    double sum = 0;

    for (int k = 0; k < KERNEL; k++)
        for (int b = 0; b < 4; b++)
            sum += at(m, w, f, k, b) * at(m, w, f, k, b);
    return sqrt(sum);
}

/* The score of a base that has c of n counts, not below -3 bits. */
static double bits(double c, double n)
{
    return fmax(round(100 * log2((c + 0.25) / (n + 1) / 0.25)), -300);
}

/* Motif 1 of seed 1 is the short one: in the middle of zeros, as it is. */
Test(motif_filters, a_short_motif)
{
    static const double count[3][4] = {
        {7, 1, 0, 0}, {1, 0, 7, 0}, {0, 6, 1, 1}};
    double want[KERNEL][4] = {{0}}, norm = 0, mean_length = 0;
    struct made m;

    make(&m, 1);
    for (int f = 0; f < FILTERS; f++)
        mean_length += length(&m, m.was, f) / FILTERS;
    for (int k = 0; k < 3; k++) {
        double mean = 0;

        for (int b = 0; b < 4; b++)
            mean += bits(count[k][b], 8) / 4;
        for (int b = 0; b < 4; b++) {
            want[k + 1][b] = bits(count[k][b], 8) - mean;
            norm += want[k + 1][b] * want[k + 1][b];
        }
    }
    for (int k = 0; k < KERNEL; k++)
        for (int b = 0; b < 4; b++)
            cr_assert_float_eq(at(&m, m.w, 0, k, b),
                               want[k][b] / sqrt(norm) * mean_length, 1e-6);
    unmake(&m);
}

/* The base that a filter likes most at a position; '.': none. */
static char largest(const struct made *m, int f, int k)
{
    int best = 0;

    for (int b = 1; b < 4; b++)
        if (at(m, m->w, f, k, b) > at(m, m->w, f, k, best))
            best = b;
    return at(m, m->w, f, k, best) > 0 ? "ACGT"[best] : '.';
}

/* Of seed 3 the long one: its first five bases score more than its last. The
 * second filter is GAATC or AGC, reversed and complemented. */
Test(motif_filters, a_long_motif_and_strands)
{
    static const int first[] = {0, 1, 2, 3, 0}; /* ACGTA of ACGTAC. */
    char word[KERNEL + 1] = "";
    struct made m;

    make(&m, 3);
    for (int k = 0; k < KERNEL; k++)
        for (int b = 0; b < 4; b++)
            cr_assert_eq(at(&m, m.w, 0, k, b) > 0, b == first[k], "%d %d", k,
                         b);
    for (int k = 0; k < KERNEL; k++)
        word[k] = largest(&m, 1, k);
    cr_assert(!strcmp(word, "GATTC") || !strcmp(word, ".GCT."), "%s", word);
    unmake(&m);
}

/* Three quarters of the filters, at the four bases; all have one length. */
Test(motif_filters, what_stays_random)
{
    double mean_length = 0;
    struct made m;

    make(&m, 2);
    for (int f = 0; f < FILTERS; f++)
        mean_length += length(&m, m.was, f) / FILTERS;
    for (int f = 0; f < FILTERS; f++) {
        if (f < FROM_MOTIFS)
            cr_assert_float_eq(length(&m, m.w, f), mean_length, 1e-5);
        for (int64_t k = 0; k < KERNEL; k++)
            for (int d = 0; d < D; d++) {
                int64_t i = (f * KERNEL + k) * D + d;
                int is_base = d == m.base[0] || d == m.base[1] ||
                              d == m.base[2] || d == m.base[3];

                if (f >= FROM_MOTIFS || !is_base)
                    cr_assert_eq(m.w[i], m.was[i]);
            }
    }
    unmake(&m);
}
