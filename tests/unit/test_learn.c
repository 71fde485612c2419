/* token: learning a vocabulary equals counting by hand. */
#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/rng.h"
#include "base/text.h"
#include "check.h"
#include "dnabird/dnabird.h"
#include "token/bpe_automaton.h"
#include "token/learn.h"
#include "token/vocab.h"

enum { MOST = 400, LINKS = 300, LONG = 60000 };

/* The same by definition: count every pair anew for each merge. */
struct naive {
    int token[LONG + 1], n; /* -1: a break */
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
    WORKS(bird_corpus_new(c, n));
    memcpy(c->token + 1, token, (size_t)n * sizeof(*token));
    WORKS(bird_corpus_learn(c, o->vocab, o, last));
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

/*
 * One unit again and again: the counts fall from hundreds to one within few
 * merges, below what the index held at first.
 */
Test(learn, goes_on_below_the_floor)
{
    static struct naive w;
    static uint16_t token[LONG + 1];
    static char s[LONG];
    bird_learn_options o;
    struct bird_corpus c;
    struct bird_rng r;
    int64_t last;

    bird_rng_init(&r, 9, 0, 0);
    for (int i = 0; i < LONG; i++)
        s[i] = i < 50 ? "ACGT"[bird_rng_below(&r, 4)] : s[i - 50];
    bird_learn_options_default(&o);
    o.vocab = 80;
    o.max_length = 10000;
    o.min_count = 1;
    w.n = 0;
    naive_text(&w, s, LONG);
    for (int i = 0; i < w.n; i++)
        token[i] = w.token[i] < 0 ? BIRD_LEARN_BREAK : (uint16_t)w.token[i];
    learn(&c, token, w.n, &o, &last);
    naive_learn(&w, 80, 10000, 1);
    cr_assert_lt(last, LONG / (64 * 80));
    cr_assert_eq(c.n_token, w.n_link);
    for (int k = 4; k < w.n_link; k++)
        cr_assert(c.left[k] == w.left[k] && c.right[k] == w.right[k]);
    bird_corpus_free(&c);
}

/* A folder of its own for each test program. */
static char *file_named(const char *name)
{
    char *path = NULL;

    cr_assert_gt(asprintf(&path, "test_learn.%d.%s", (int)getpid(), name), 0);
    return path;
}

struct given {
    bird_learn_options o;
    const char *s;
    int64_t n, chunk; /* letters to an add */
};

/* Learn and write; the report, and the file's text for the caller. */
static char *learned(const struct given *g, bird_learn_report *report)
{
    char *path = file_named("json");
    struct bird_text text = {0};
    bird_learner *l = NULL;

    WORKS(bird_learner_new(&l, &g->o));
    for (int64_t i = 0; i < g->n; i += g->chunk)
        WORKS(bird_learner_add(l, g->s + i,
                               g->n - i < g->chunk ? g->n - i : g->chunk));
    WORKS(bird_learner_end(l));
    WORKS(bird_learner_run(l));
    bird_learner_report(l, report);
    WORKS(bird_learner_write(l, path));
    bird_learner_free(l);
    WORKS(bird_file_read(&text, path));
    unlink(path);
    free(path);
    return text.s;
}

static struct given random_given(char *s, int64_t n, uint64_t seed)
{
    struct given g = {.s = s, .n = n, .chunk = n};
    struct bird_rng r;

    bird_learn_options_default(&g.o);
    g.o.vocab = 300;
    bird_rng_init(&r, seed, 0, 0);
    for (int64_t i = 0; i < n; i++)
        s[i] = "ACGTAACCaN"[bird_rng_below(&r, i % 7 ? 4 : 10)];
    return g;
}

Test(learn, file_encodes_what_was_learned)
{
    enum { N = 50000 };
    static char s[N + 1];
    struct given g = random_given(s, N, 1);
    bird_learn_report report;
    bird_tokenizer *t = NULL;
    bird_encoding e = {0};
    char *text = learned(&g, &report);
    int64_t n_letter = 0, n_n = 0;

    WORKS(bird_tokenizer_parse(&t, text, strlen(text), "t"));
    cr_assert_not_null(t->automaton, "the merges must be in proper order");
    cr_assert_eq(report.tokens, 300);
    cr_assert_eq(bird_tokenizer_count(t), 300);
    cr_assert_eq(bird_tokenizer_id(t, "[MASK]"), 4);
    cr_assert_eq(bird_tokenizer_id(t, "-"), 5);
    cr_assert_eq(bird_tokenizer_id(t, "T"), 10);
    for (int64_t i = 0; i < N; i++) {
        s[i] = s[i] == 'a' ? 'A' : s[i];
        n_n += s[i] == 'N';
        n_letter += s[i] != 'N';
    }
    cr_assert_eq(report.bases, n_letter);
    cr_assert_eq(report.bases_used, n_letter);
    cr_assert_gt(report.last_count, 1);
    WORKS(bird_tokenizer_encode(t, &e, s, N, 1));
    cr_assert_eq(e.n, report.rest + n_n + 2);
    cr_assert_eq(e.ids[0], 1);
    cr_assert_eq(e.ids[e.n - 1], 2);
    WORKS(bird_tokenizer_encode(t, &e, "CNNNNNNNNNNNG", 13, 0));
    cr_assert(e.n == 3 && e.ids[1] == 5 && e.start[2] == 12);
    bird_encoding_free(&e);
    bird_tokenizer_free(t);
    free(text);
}

Test(learn, single_bases_are_a_vocabulary)
{
    char s[] = "ACGTACGT";
    struct given g = {.s = s, .n = 8, .chunk = 8};
    bird_learn_report report;
    bird_tokenizer *t = NULL;
    bird_encoding e = {0};
    char *text;

    bird_learn_options_default(&g.o);
    g.o.vocab = 11;
    text = learned(&g, &report);
    cr_assert_eq(report.tokens, 11);
    cr_assert_eq(report.last_count, 0);
    WORKS(bird_tokenizer_parse(&t, text, strlen(text), "t"));
    WORKS(bird_tokenizer_encode(t, &e, "ACGTNR", 6, 0));
    cr_assert_eq(e.n, 6);
    cr_assert(e.ids[0] == 6 && e.ids[3] == 10 && e.ids[4] == 9 &&
              e.ids[5] == 0 && e.start[5] == 5);
    bird_encoding_free(&e);
    bird_tokenizer_free(t);
    free(text);
}

Test(learn, stops_when_no_pair_is_left)
{
    struct given g = {.s = "ACAC", .n = 4, .chunk = 1};
    bird_learn_report report;

    bird_learn_options_default(&g.o);
    free(learned(&g, &report));
    cr_assert_eq(report.tokens, 12);
    g.n = 0;
    free(learned(&g, &report));
    cr_assert_eq(report.tokens, 11);
    cr_assert_eq(report.rest, 0);
}

Test(learn, chunks_and_threads_do_not_matter)
{
    enum { N = 200000 };
    static char s[N];
    struct given g = random_given(s, N, 2);
    bird_learn_report report;
    char *whole, *other;

    bird_threads_set(1);
    whole = learned(&g, &report);
    bird_threads_set(2);
    for (int64_t chunk = 7; chunk < N; chunk *= 91) {
        g.chunk = chunk;
        other = learned(&g, &report);
        cr_assert_str_eq(whole, other, "in chunks of %d", (int)chunk);
        free(other);
    }
    free(whole);
}

Test(learn, other_strand_is_as_if_it_had_been_given)
{
    enum { N = 5000 };
    static char s[2 * N + 1];
    struct given g = random_given(s, N, 3);
    bird_learn_report report;
    char *by_option, *by_hand;

    g.o.both_strands = 1;
    by_option = learned(&g, &report);
    s[N] = '-';
    for (int i = 0; i < N; i++)
        switch (s[N - 1 - i]) {
        case 'A':
        case 'a':
            s[N + 1 + i] = 'T';
            break;
        case 'T':
            s[N + 1 + i] = 'A';
            break;
        case 'C':
            s[N + 1 + i] = 'G';
            break;
        case 'G':
            s[N + 1 + i] = 'C';
            break;
        default:
            s[N + 1 + i] = 'N';
        }
    g.o.both_strands = 0;
    g.n = 2 * N + 1;
    by_hand = learned(&g, &report);
    cr_assert_str_eq(by_option, by_hand);
    free(by_option);
    free(by_hand);
}

Test(learn, what_does_not_fit_is_sampled_by_the_seed)
{
    enum { N = 4000000 };
    char *s = malloc(N);
    struct given g = random_given(s, N, 4);
    bird_learn_report report;
    char *first, *again, *other;

    g.o.max_memory = 64000000;
    first = learned(&g, &report);
    cr_assert_lt(report.bases_used, report.bases);
    cr_assert_gt(report.bases_used, 2000000);
    cr_assert_leq(report.bases_used * BIRD_LEARN_BYTES, 64000000);
    g.chunk = 999983;
    again = learned(&g, &report);
    cr_assert_str_eq(first, again);
    g.o.seed = 2;
    other = learned(&g, &report);
    cr_assert_str_neq(first, other);
    free(first);
    free(again);
    free(other);
    free(s);
}

static void refused(const bird_learn_options *o, const char *why)
{
    bird_learner *l = NULL;

    cr_assert_eq(bird_learner_new(&l, o), BIRD_EINVAL);
    cr_assert_null(l);
    SAYS(why);
}

Test(learn, options_are_refused_by_name)
{
    bird_learn_options o;

    bird_learn_options_default(&o);
    o.vocab = 10;
    refused(&o, "vocabulary");
    o.vocab = 65001;
    refused(&o, "vocabulary");
    o.vocab = 100;
    o.max_length = 0;
    refused(&o, "longest token");
    o.max_length = 10001;
    refused(&o, "longest token");
    o.max_length = 10;
    o.min_count = 0;
    refused(&o, "least count");
    o.min_count = 2;
    o.max_memory = 1000;
    refused(&o, "memory");
}

static int stop(void *context, const bird_progress *p)
{
    (void)context;
    return p->done > 6 && p->total > p->done;
}

Test(learn, runs_once_and_can_be_stopped)
{
    char *nowhere = file_named("none/t.json");
    bird_learn_options o;
    bird_learner *l = NULL;

    bird_learn_options_default(&o);
    o.progress = stop;
    WORKS(bird_learner_new(&l, &o));
    cr_assert_eq(bird_learner_write(l, nowhere), BIRD_EINVAL);
    for (int i = 0; i < 100; i++)
        WORKS(bird_learner_add(l, "ACGGTTACCA", 10));
    cr_assert_eq(bird_learner_run(l), BIRD_ECANCELED);
    cr_assert_eq(bird_learner_run(l), BIRD_EINVAL);
    bird_learner_free(l);
    o.progress = NULL;
    WORKS(bird_learner_new(&l, &o));
    WORKS(bird_learner_run(l));
    cr_assert_eq(bird_learner_write(l, nowhere), BIRD_EIO);
    bird_learner_free(l);
    bird_learner_free(NULL);
    free(nowhere);
}
