/**
 * What the tests of sampling share: a made genome of two files, regions, a
 * vocabulary learned from it, and rows as letters.
 *
 * Contig "a": 60,000 bp, N at 20,000 .. 26,000, single letters R; "b": 40,000
 * bp, half of it lower case, gzip; "c": 3,000 bp of N.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TESTS_SAMPLE_HELP_H
#define BIRD_TESTS_SAMPLE_HELP_H

#include <math.h>

#include "base/rng.h"
#include "data/sampler.h"
#include "seq_help.h"

enum { A_BP = 60000, B_BP = 40000, C_BP = 3000, ROW_MAX = 4096 };

static char genome_a[A_BP + 1], genome_b[B_BP + 1];
static char path_a[256], path_b[256], path_words[256];
static const char *fasta[2] = {path_a, path_b};
static bird_tokenizer *words;

static inline void letters_random(char *out, int64_t n, uint64_t seed)
{
    struct bird_rng r;

    bird_rng_init(&r, seed, 0, 0);
    for (int64_t i = 0; i < n; i++)
        out[i] = "ACGT"[bird_rng_below(&r, 4)];
    out[n] = '\0';
}

static inline void write_genome(void)
{
    static char text[A_BP + B_BP + C_BP + 64];
    char n[C_BP + 1];

    letters_random(genome_a, A_BP, 1);
    letters_random(genome_b, B_BP, 2);
    memset(genome_a + 20000, 'N', 6000);
    genome_a[50] = genome_a[33333] = 'R';
    memset(n, 'N', C_BP);
    n[C_BP] = '\0';
    snprintf(text, sizeof(text), ">a first\n%s\n>c\n%s\n", genome_a, n);
    snprintf(path_a, sizeof(path_a), "%s", file_text("a.fa", text));
    snprintf(text, sizeof(text), ">chrb\n%s\n", genome_b);
    for (int i = 0; i < B_BP / 2; i++)
        text[6 + i] = (char)(text[6 + i] | 32);
    snprintf(path_b, sizeof(path_b), "%s",
             file_with("b.fa.gz", "wg", text, (int64_t)strlen(text)));
}

static inline void learn_words(void)
{
    bird_learn_options o;
    bird_learner *l = NULL;

    bird_learn_options_default(&o);
    o.vocab = 200;
    WORKS(bird_learner_new(&l, &o));
    WORKS(bird_learner_add(l, genome_a, A_BP));
    WORKS(bird_learner_run(l));
    snprintf(path_words, sizeof(path_words), "%s", path_of("words.json"));
    WORKS(bird_learner_write(l, path_words));
    bird_learner_free(l);
    WORKS(bird_tokenizer_open(&words, path_words));
}

static inline void sample_setup(void)
{
    folder_new();
    write_genome();
    learn_words();
}

static inline void sample_teardown(void)
{
    bird_tokenizer_free(words);
    folder_remove();
}

static inline bird_sample_options options_of(int64_t length)
{
    bird_sample_options o;

    bird_sample_options_default(&o);
    o.fasta = fasta;
    o.n_fasta = 2;
    o.length_tok = length;
    return o;
}

static inline struct bird_sampler *sampler_of(const bird_sample_options *o)
{
    struct bird_sampler *s = NULL;

    WORKS(bird_sampler_open(&s, o, words));
    return s;
}

/** A row with arrays of its own; its fields are wiped before it is made. */
struct full_row {
    int32_t ids[ROW_MAX], type[ROW_MAX], label[ROW_MAX];
    float weight[ROW_MAX];
    struct bird_sample_row row;
};

static inline int row_make(struct full_row *x, struct bird_sampler *s,
                           int64_t step, int64_t row)
{
    memset(x, 0xff, sizeof(*x));
    x->row = (struct bird_sample_row){
        .ids = x->ids, .type = x->type, .label = x->label, .weight = x->weight};
    return bird_sampler_row(s, step, row, &x->row);
}

static inline int row_equal(const struct full_row *a, const struct full_row *b)
{
    const struct bird_sample_row *p = &a->row, *q = &b->row;
    size_t n = (size_t)p->n_token * sizeof(int32_t);

    return p->n_token == q->n_token && p->n_masked == q->n_masked &&
           p->masked_bp == q->masked_bp && p->bp == q->bp &&
           p->n_rich == q->n_rich && p->next == q->next &&
           !memcmp(a->ids, b->ids, n) && !memcmp(a->type, b->type, n) &&
           !memcmp(a->label, b->label, n) && !memcmp(a->weight, b->weight, n);
}

/** Letters of tokens from .. to, without special ones; returns how many. */
static inline int64_t row_letters(char *out, const int32_t *ids, int64_t from,
                                  int64_t to)
{
    int64_t n = 0;

    for (int64_t i = from; i < to; i++) {
        const char *token = bird_tokenizer_token(words, ids[i]);

        if (token[0] != '[')
            n += sprintf(out + n, "%s", token);
    }
    out[n] = '\0';
    return n;
}

/** Is x successes of n within 5 standard deviations of n * p? */
static inline int likely(double x, double n, double p)
{
    return fabs(x - n * p) <= 5.0 * sqrt(n * p * (1.0 - p)) + 1.0;
}

/** A row as it was drawn, and its letters. */
struct letters {
    int32_t ids[ROW_MAX], bp[ROW_MAX];
    struct bird_sampled_row d;
    char all[8 * ROW_MAX], a[8 * ROW_MAX], b[8 * ROW_MAX];
    int64_t n;
};

static inline void draw(struct letters *x, struct bird_sampler *s, int64_t row)
{
    x->d = (struct bird_sampled_row){.ids = x->ids, .bp = x->bp};
    WORKS(bird_row_sample(&x->d, s, 7, row));
    x->n = row_letters(x->all, x->ids, 0, x->d.n_token);
    row_letters(x->a, x->ids, 0, x->d.second);
    row_letters(x->b, x->ids, x->d.second, x->d.n_token);
}

#endif
