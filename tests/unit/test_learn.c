/* token: learning a vocabulary equals counting by hand. */
#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/rng.h"
#include "dnabird/tokenizer.h"
#include "token/learn.h"

enum { MOST = 400, LINKS = 300 };

/* The same by definition: count every pair anew for each merge. */
struct naive {
    int token[4 * MOST], n; /* -1: a break */
    int left[LINKS], right[LINKS], length[LINKS], n_link;
};

static void naive_text(struct naive *w, const char *s, int n)
{
    for (int i = 0; i < n; i++) {
        const char *p = memchr("ACGT", s[i], 4);

        w->token[w->n++] = p ? (int)(p - "ACGT") : -1;
    }
    w->token[w->n++] = -1;
}

static int naive_step(struct naive *w, int max_length, int min_count)
{
    static int count[LINKS][LINKS];
    int best = 0, a = 0, b = 0, n = 0;

    memset(count, 0, sizeof(count));
    for (int i = 0; i + 1 < w->n; i++)
        if (w->token[i] >= 0 && w->token[i + 1] >= 0)
            count[w->token[i]][w->token[i + 1]]++;
    for (int x = 0; x < w->n_link; x++)
        for (int y = 0; y < w->n_link; y++)
            if (count[x][y] > best &&
                w->length[x] + w->length[y] <= max_length) {
                best = count[x][y];
                a = x;
                b = y;
            }
    if (best < min_count || !best)
        return 0;
    w->left[w->n_link] = a;
    w->right[w->n_link] = b;
    w->length[w->n_link] = w->length[a] + w->length[b];
    for (int i = 0; i < w->n; i++) {
        int is = i + 1 < w->n && w->token[i] == a && w->token[i + 1] == b;

        w->token[n++] = is ? w->n_link : w->token[i];
        i += is;
    }
    w->n = n;
    w->n_link++;
    return 1;
}

static void naive_learn(struct naive *w, int want, int max_length,
                        int min_count)
{
    for (w->n_link = 0; w->n_link < 4; w->n_link++)
        w->length[w->n_link] = 1;
    while (w->n_link < want && naive_step(w, max_length, min_count))
        ;
}

static int random_piece(char *s, struct bird_rng *r)
{
    int n = 1 + (int)bird_rng_below(r, MOST);
    int unit = 1 + (int)bird_rng_below(r, 6);
    int letters = 1 + (int)bird_rng_below(r, 4);
    int errors = 2 + (int)bird_rng_below(r, 60);

    for (int i = 0; i < n; i++) {
        s[i] = "ACGT"[bird_rng_below(r, (uint64_t)letters)];
        if (i >= unit && bird_rng_below(r, (uint64_t)errors))
            s[i] = s[i - unit];
        else if (!bird_rng_below(r, 40))
            s[i] = "NRnX"[bird_rng_below(r, 4)];
    }
    return n;
}

static void learn(struct bird_corpus *c, const uint16_t *token, int n,
                  const bird_learn_options *o, int64_t *last)
{
    *c = (struct bird_corpus){0};
    cr_assert_eq(bird_corpus_new(c, n), 0);
    memcpy(c->token + 1, token, (size_t)n * sizeof(*token));
    cr_assert_eq(bird_corpus_learn(c, o->vocab, o, last), 0);
}

Test(learn, equals_counting_by_hand)
{
    static struct naive w;
    char s[MOST];

    for (uint64_t round = 0; round < 300; round++) {
        bird_learn_options o;
        struct bird_corpus c;
        uint16_t token[4 * MOST];
        struct bird_rng r;
        int64_t last, rest = 0;
        int pieces, p = 0;

        bird_rng_init(&r, 7, round, 0);
        bird_learn_options_default(&o);
        o.vocab = 4 + (int64_t)bird_rng_below(&r, LINKS - 4);
        o.max_length = 1 + (int64_t)bird_rng_below(&r, 70);
        o.min_count = 1 + (int64_t)bird_rng_below(&r, 4);
        w.n = 0;
        pieces = 1 + (int)bird_rng_below(&r, 3);
        for (int i = 0; i < pieces; i++)
            naive_text(&w, s, random_piece(s, &r));
        for (; p < w.n; p++)
            token[p] = w.token[p] < 0 ? BIRD_LEARN_BREAK : (uint16_t)w.token[p];
        learn(&c, token, p, &o, &last);
        naive_learn(&w, (int)o.vocab, (int)o.max_length, (int)o.min_count);
        cr_assert_eq(c.n_token, w.n_link, "round %d: %ld links, not %d",
                     (int)round, (long)c.n_token, w.n_link);
        for (int k = 4; k < w.n_link; k++)
            cr_assert(c.left[k] == w.left[k] && c.right[k] == w.right[k],
                      "round %d: merge %d is %d %d, not %d %d", (int)round, k,
                      c.left[k], c.right[k], w.left[k], w.right[k]);
        for (int64_t i = 1; i <= c.n; rest++) {
            int t = c.token[i] == BIRD_LEARN_BREAK ? -1 : c.token[i];

            cr_assert_eq(t, w.token[rest]);
            i += t < 0 ? 1 : c.length[t];
        }
        cr_assert_eq(rest, w.n);
        bird_corpus_free(&c);
    }
}
