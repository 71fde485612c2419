/*
 * Byte-pair encoding by the automaton, by the heap and by the definition: the
 * merge of lowest rank, leftmost first, until none is left. The bytes choose a
 * vocabulary, or one that was learned, and what SEQUENCES sequences are
 * put together from; all three must give the same tokens at the same places.
 * SPDX-License-Identifier: MIT
 */
#include "fuzz_help.h"

#include "token/bpe_automaton.h"
#include "token/vocab.h"

enum { SEQUENCES = 128, LONGEST = 96, TOKEN = 24, MERGES = 48, LETTERS = 6 };

struct made {
    struct bird_vocab vocab;
    struct bird_merges merges;
    struct bird_bpe_automaton *automaton;
    const char *letter; /* (n_letter) */
    int n_letter;
    int32_t letter_id[128];
};

static bird_tokenizer *learned;

static void open_learned(void)
{
    const char *data = getenv("BIRD_TEST_DATA");
    char path[4096];

    snprintf(path, sizeof(path), "%s/golden/t_bpe_tiny/tokenizer.json",
             data ? data : "tests");
    MUST(!bird_tokenizer_open(&learned, path));
    MUST(learned->automaton);
}

/* Letters and merges; each token has one derivation, unless the bytes want a
 * second one, which the automaton must refuse. */
static void make(struct made *m, struct choices *c)
{
    static const char letters[] = "ACGTNa";
    int32_t left[MERGES], right[MERGES], product[MERGES];
    int n = 0, want = 1 + choose(c, MERGES), twice = choose(c, 8) == 7;
    char text[2 * TOKEN + 1];

    memset(m, 0, sizeof(*m));
    m->letter = letters;
    m->n_letter = 2 + choose(c, LETTERS - 1);
    for (int i = 0; i < m->n_letter; i++) {
        const char s[2] = {letters[i], '\0'};

        m->letter_id[(int)letters[i]] = i;
        MUST(!bird_vocab_add(&m->vocab, s, i, "x"));
    }
    for (int tries = 0; n < want && tries < 2 * want; tries++) {
        int ids = (int)m->vocab.n;

        left[n] = choose(c, ids);
        right[n] = choose(c, ids);
        snprintf(text, sizeof(text), "%s%s",
                 bird_vocab_text(&m->vocab, left[n]),
                 bird_vocab_text(&m->vocab, right[n]));
        product[n] = bird_vocab_find(&m->vocab, text, strlen(text));
        if (strlen(text) > TOKEN || (product[n] >= 0 && !twice))
            continue;
        if (product[n] < 0) {
            product[n] = ids;
            MUST(!bird_vocab_add(&m->vocab, text, ids, "x"));
        }
        n++;
    }
    MUST(!bird_merges_new(&m->merges, n));
    for (int i = 0; i < n; i++)
        MUST(!bird_merges_set(&m->merges, i, left[i], right[i], product[i]));
    MUST(!bird_bpe_automaton_new(&m->automaton, &m->vocab, &m->merges, -1));
    MUST(m->automaton || twice || !n);
}

/* Tokens, tokens cut short, repeats and single letters. */
static int put_sequence(char *s, struct choices *c, const struct bird_vocab *v,
                        int first, uint64_t *state)
{
    int n = 0, wide = 1 + choose(c, LONGEST);
    int how = choose(c, 256);

    while (n < wide) {
        const char *t;
        int k;

        *state = *state * 6364136223846793005u + 1442695040888963407u;
        t = bird_vocab_text(
            v, first + (int64_t)((*state >> 33) % (uint64_t)(v->n - first)));
        k = t ? (int)strlen(t) : 0;
        if (how & 1 && k > 1)
            k -= (int)(*state >> 20 & 1);
        if (how & 2 && k > 2)
            k = 1 + (int)((*state >> 21) % (uint64_t)k);
        if (!t || t[0] == '[' || k > LONGEST - n)
            k = 0;
        for (int times = how >> 4; k && times >= 0 && n + k <= wide; times--) {
            memcpy(s + n, t, (size_t)k);
            n += k;
        }
        if (!k || how & 4)
            s[n++] = "ACGT"[*state >> 40 & (how & 8 ? 1 : 3)];
    }
    return n;
}

static int32_t rank_at(const struct bird_merges *m, const int32_t *id, int i,
                       int n)
{
    int32_t rank =
        i >= 0 && i + 1 < n ? bird_merges_find(m, id[i], id[i + 1]) : -1;

    return rank < 0 ? INT32_MAX : rank;
}

/* The definition, O(n^2). */
static int encode_plainly(int32_t *id, int *start, int n,
                          const struct bird_merges *m)
{
    int32_t rank[2 * LONGEST];

    for (int i = 0; i < n; i++)
        rank[i] = rank_at(m, id, i, n);
    for (;;) {
        int at = 0;
        size_t behind;

        for (int i = 1; i < n; i++)
            if (rank[i] < rank[at])
                at = i;
        if (!n || rank[at] == INT32_MAX)
            return n;
        id[at] = m->product[rank[at]];
        behind = (size_t)(--n - at - 1);
        memmove(id + at + 1, id + at + 2, behind * sizeof(*id));
        memmove(start + at + 1, start + at + 2, behind * sizeof(*start));
        memmove(rank + at + 1, rank + at + 2, behind * sizeof(*rank));
        rank[at] = rank_at(m, id, at, n);
        if (at)
            rank[at - 1] = rank_at(m, id, at - 1, n);
    }
}

static void by_heap(struct bird_bpe_heap *h, const int32_t *id, int n,
                    const struct bird_merges *m)
{
    if (h->cap < n) {
        h->symbol = realloc(h->symbol, 2 * LONGEST * sizeof(*h->symbol));
        MUST(h->symbol);
        h->cap = 2 * LONGEST;
    }
    h->n = n;
    for (int i = 0; i < n; i++)
        h->symbol[i] = (struct bird_symbol){.id = id[i], .start = i};
    MUST(!bird_bpe_heap_merge(h, m));
}

struct ways {
    struct bird_bpe_heap heap;
    struct bird_bpe_work work;
    bird_encoding out;
};

static void by_automaton(struct ways *w, const struct bird_bpe_automaton *c,
                         const char *s, int n)
{
    const uint8_t *code = bird_bpe_code(c);
    int64_t last = w->out.n;

    if (w->work.cap_code < n + BIRD_BPE_PAD) {
        w->work.code = realloc(w->work.code, 2 * LONGEST + BIRD_BPE_PAD);
        MUST(w->work.code);
        w->work.cap_code = 2 * LONGEST + BIRD_BPE_PAD;
    }
    for (int i = 0, a = 0; i <= n; i++) {
        if (i < n && code[(uint8_t)s[i]] != BIRD_BPE_END) {
            w->work.code[i - a] = code[(uint8_t)s[i]];
            continue;
        }
        memset(w->work.code + i - a, BIRD_BPE_END, BIRD_BPE_PAD);
        if (i > a)
            MUST(!bird_bpe_run(c, &w->work, i - a, a, &w->out));
        a = i + 1;
        if (i < n) /* a letter that no merge has */
            MUST(!bird_encoding_add(&w->out, -1, i));
    }
    MUST(w->out.n > last);
}

static void compare(struct ways *w, const char *s, int n, const int32_t *letter,
                    const struct bird_merges *m,
                    const struct bird_bpe_automaton *c)
{
    int32_t id[2 * LONGEST];
    int start[2 * LONGEST], k;

    for (int i = 0; i < n; i++) {
        id[i] = letter[(int)s[i]];
        start[i] = i;
        MUST(id[i] >= 0);
    }
    by_heap(&w->heap, id, n, m);
    k = encode_plainly(id, start, n, m);
    MUST(k == w->heap.n);
    for (int i = 0; i < k; i++)
        MUST(id[i] == w->heap.symbol[i].id &&
             start[i] == w->heap.symbol[i].start);
    if (!c)
        return;
    w->out.n = 0;
    by_automaton(w, c, s, n);
    MUST(k == w->out.n);
    for (int i = 0; i < k; i++)
        MUST((id[i] == w->out.ids[i] || w->out.ids[i] < 0) &&
             start[i] == w->out.start[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct choices c = {data, size};
    struct ways w = {0};
    struct made m = {0};
    int real = choose(&c, 4) == 3;
    uint64_t state = 1;
    char s[2 * LONGEST];

    if (real && !learned)
        open_learned();
    if (!real)
        make(&m, &c);
    for (int i = 0; i < SEQUENCES; i++) {
        int n;

        state += (uint64_t)choose(&c, 256) << 32;
        n = put_sequence(s, &c, real ? &learned->vocab : &m.vocab, real ? 5 : 0,
                         &state);
        if (!real) /* letters that it has alone */
            for (int k = 0; k < n; k++)
                if (!memchr(m.letter, s[k], (size_t)m.n_letter))
                    s[k] = 'A';
        if (real)
            compare(&w, s, n, learned->letter, &learned->merges,
                    learned->automaton);
        else
            compare(&w, s, n, m.letter_id, &m.merges, m.automaton);
    }
    bird_bpe_heap_free(&w.heap);
    bird_bpe_work_free(&w.work);
    bird_encoding_free(&w.out);
    bird_bpe_automaton_free(m.automaton);
    bird_merges_free(&m.merges);
    bird_vocab_free(&m.vocab);
    return 0;
}
