/* token: tokenizer.json, encoding, and both ways of merging. */
#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/text.h"
#include "dnabird/tokenizer.h"
#include "temp.h"
#include "token/bpe_automaton.h"
#include "token/vocab.h"

/*
 * Merges over the first `n_letter` letters, each of parts that rank before,
 * or, shuffled, in any order.
 */
static void random_model(struct bird_text *out, struct bird_rng *r,
                         int n_letter, int n_merge, int shuffled)
{
    char *token[256], *merge[256];
    struct bird_text vocab = {0}, merges = {0};
    int n_made = 0;
    int n = 0, rc = 0;

    for (; n < n_letter; n++) {
        token[n] = calloc(1, 2);
        token[n][0] = "ACGTNBDH"[n];
        rc |= bird_text_printf(&vocab, ", \"%s\": %d", token[n], n + 1);
    }
    for (int k = 0; k < n_merge; k++) {
        int a = (int)bird_rng_below(r, (uint64_t)n), twin = 0;
        int few = n > 2 && !bird_rng_below(r, 3) ? 2 : n;
        int b = (int)bird_rng_below(r, (uint64_t)few);
        char *s = NULL;

        cr_assert_gt(asprintf(&s, "%s%s", token[a], token[b]), 0);
        for (int i = 0; i < n; i++)
            twin |= !strcmp(s, token[i]);
        if (twin || strlen(s) > 200) {
            free(s);
            continue;
        }
        cr_assert_gt(
            asprintf(&merge[n_made++], "\"%s %s\"", token[a], token[b]), 0);
        rc |= bird_text_printf(&vocab, ", \"%s\": %d", s, n + 1);
        token[n++] = s;
    }
    for (int k = 0; k < n_made; k++) {
        int i =
            shuffled ? k + (int)bird_rng_below(r, (uint64_t)(n_made - k)) : k;
        char *s = merge[i];

        merge[i] = merge[k];
        rc |= bird_text_printf(&merges, "%s%s", k ? ", " : "", s);
        free(s);
    }
    rc |= bird_text_printf(
        out,
        "{\"model\": {\"type\": \"BPE\", \"unk_token\": \"?\", \"vocab\": "
        "{\"?\": 0%s}, \"merges\": [%s]}}",
        vocab.s, merges.n ? merges.s : "");
    cr_assert_eq(rc, 0);
    while (n > 0)
        free(token[--n]);
    bird_text_free(&vocab);
    bird_text_free(&merges);
}

/* Random letters, or repeats of a short unit with a rare error. */
static int64_t random_text(char *s, struct bird_rng *r, int n_letter,
                           int64_t most)
{
    int64_t n = 1 + (int64_t)bird_rng_below(r, (uint64_t)most);
    int64_t unit = 1 + (int64_t)bird_rng_below(r, 12);
    int repeat = (int)bird_rng_below(r, 3);

    for (int64_t i = 0; i < n; i++) {
        s[i] = "ACGTNBDH"[bird_rng_below(r, (uint64_t)n_letter)];
        if (repeat && i >= unit && bird_rng_below(r, repeat == 1 ? 1000 : 30))
            s[i] = s[i - unit];
    }
    if (!bird_rng_below(r, 8))
        s[bird_rng_below(r, (uint64_t)n)] = 'x'; /* unknown */
    return n;
}

static void same(const bird_encoding *a, const bird_encoding *b,
                 const char *text, int64_t n, const char *model)
{
    cr_assert(a->n == b->n &&
                  !memcmp(a->ids, b->ids, (size_t)a->n * sizeof(*a->ids)) &&
                  !memcmp(a->start, b->start, (size_t)a->n * sizeof(*a->start)),
              "the two ways differ on %.*s with %s", (int)n, text, model);
}

Test(tokenizer, both_ways_agree_on_random_vocabularies)
{
    enum { MOST = 700 };
    char text[MOST];

    for (uint64_t round = 0; round < 400; round++) {
        struct bird_text model = {0};
        bird_encoding a = {0}, b = {0};
        bird_tokenizer *t = NULL;
        struct bird_bpe_automaton *automaton;
        struct bird_rng r;
        int n_letter;

        bird_rng_init(&r, 1, round, 0);
        n_letter = 1 + (int)bird_rng_below(&r, 6);
        random_model(&model, &r, n_letter, (int)bird_rng_below(&r, 200), 0);
        WORKS(bird_tokenizer_parse(&t, model.s, (size_t)model.n, "m"));
        cr_assert_not_null(automaton = t->automaton);
        for (int i = 0; i < 100; i++) {
            int64_t n = random_text(text, &r, n_letter, i < 50 ? 20 : MOST);

            WORKS(bird_tokenizer_encode(t, &a, text, n, 0));
            t->automaton = NULL;
            WORKS(bird_tokenizer_encode(t, &b, text, n, 0));
            t->automaton = automaton;
            same(&a, &b, text, n, model.s);
        }
        bird_encoding_free(&a);
        bird_encoding_free(&b);
        bird_tokenizer_free(t);
        bird_text_free(&model);
    }
}

/* By definition: the applicable merge of lowest rank, leftmost first. */
static int64_t naive_merge(int32_t *ids, int64_t n, const struct bird_merges *m)
{
    for (;;) {
        int32_t best = -1;
        int64_t at = 0;

        for (int64_t i = 0; i + 1 < n; i++) {
            int32_t k = bird_merges_find(m, ids[i], ids[i + 1]);

            if (k >= 0 && (best < 0 || k < best)) {
                best = k;
                at = i;
            }
        }
        if (best < 0)
            return n;
        ids[at] = m->product[best];
        n--;
        memmove(ids + at + 1, ids + at + 2,
                (size_t)(n - at - 1) * sizeof(*ids));
    }
}

Test(tokenizer, plain_way_is_lowest_rank_leftmost_first)
{
    enum { MOST = 120 };
    char text[MOST];

    for (uint64_t round = 0; round < 200; round++) {
        struct bird_text model = {0};
        bird_encoding e = {0};
        bird_tokenizer *t = NULL;
        struct bird_rng r;
        int n_letter;

        bird_rng_init(&r, 2, round, 0);
        n_letter = 1 + (int)bird_rng_below(&r, 4);
        random_model(&model, &r, n_letter, (int)bird_rng_below(&r, 60), 1);
        WORKS(bird_tokenizer_parse(&t, model.s, (size_t)model.n, "m"));
        bird_bpe_automaton_free(t->automaton);
        t->automaton = NULL;
        for (int i = 0; i < 30; i++) {
            int64_t n = random_text(text, &r, n_letter, MOST);
            int32_t ids[MOST];

            for (int64_t k = 0; k < n; k++)
                ids[k] = text[k] == 'x' ? 0 : t->letter[(int)text[k]];
            WORKS(bird_tokenizer_encode(t, &e, text, n, 0));
            n = naive_merge(ids, n, &t->merges);
            cr_assert(n == e.n && !memcmp(ids, e.ids, (size_t)n * sizeof(*ids)),
                      "round %d: %s", (int)round, model.s);
        }
        bird_encoding_free(&e);
        bird_tokenizer_free(t);
        bird_text_free(&model);
    }
}

/*
 * Long runs and repeats of the longest tokens, cut short: where a token of
 * the real vocabulary nearly fits, and the way back is longest.
 */
Test(tokenizer, both_ways_agree_on_a_real_vocabulary)
{
    enum { N = 100000 };
    const char *path = golden("tokenizer/human_BPE_32k.json");
    bird_encoding a = {0}, b = {0};
    bird_tokenizer *t = NULL;
    struct bird_bpe_automaton *automaton;
    char *text = malloc(N);
    struct bird_rng r;

    cr_assert(text);
    WORKS(bird_tokenizer_open(&t, path));
    cr_assert_not_null(automaton = t->automaton);
    bird_rng_init(&r, 3, 0, 0);
    for (int round = 0; round < 4; round++) {
        int64_t n = 0;

        while (n < N) {
            const char *s = bird_tokenizer_token(
                t, 10 + (int32_t)bird_rng_below(&r, 31990));
            size_t k = strlen(s), times = round == 1 ? 40 : 1;

            k = round == 3 && k > 1 ? k - 1 : k;
            for (; times > 0 && n + (int64_t)k < N; times--, n += (int64_t)k)
                memcpy(text + n, s, k);
            text[n++] = "ACGT"[round == 0 ? 0 : bird_rng_below(&r, 4)];
        }
        WORKS(bird_tokenizer_encode(t, &a, text, n, 0));
        t->automaton = NULL;
        WORKS(bird_tokenizer_encode(t, &b, text, n, 0));
        t->automaton = automaton;
        same(&a, &b, "tokens cut short", 16, path);
    }
    free(text);
    bird_encoding_free(&a);
    bird_encoding_free(&b);
    bird_tokenizer_free(t);
}
