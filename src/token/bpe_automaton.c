/*
 * Byte-pair encoding from left to right.
 *
 * Precondition: the parts of every merge rank before it, and every token has
 * one derivation. Then a sequence of tokens is the encoding of its text if and
 * only if each token and each pair of neighbours encodes to itself. So the
 * algorithm takes the longest token that may follow the last one, and
 * backtracks if there is none; docs/math/tokenizer.md has the proof. A heap of
 * merges (bpe_heap.c) takes many times as long; it serves vocabularies that
 * break the precondition. The idea comes from the `bpe` crate of
 * github/rust-gems (H. van Antwerpen and A. Neubeck, 2024).
 * SPDX-License-Identifier: MIT
 */
#include "token/bpe_automaton.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "token/bpe_heap.h"
#include "token/vocab.h"

/** A token of the automaton, numbered by rank: characters first, then products. */
struct bird_bpe_state {
    uint64_t ahead;       /* bits by the next three characters: may these follow
                       the token? */
    int32_t left, right;  /* its parts; those of a character are the
                             character */
    int32_t prefix;       /* longest token that is a prefix of it, -1: none */
    int32_t length;       /* length in characters; 0: no text encodes to it */
    uint16_t first, last; /* early states at its beginning and its end */
};

struct bird_bpe_automaton {
    uint8_t code[256]; /* codes of the characters that merge; BIRD_BPE_END:
                          none */
    int32_t n_letter, n_state;
    struct bird_bpe_state *state; /* (n_state) */
    int32_t *id;                  /* (n_state) ids in the vocabulary */
    int32_t *next;  /* (n_node << shift) child << 1 | 1 if the child is a
                       token */
    int32_t *token; /* (n_node) the state that ends at this node, or -1 */
    int64_t n_node;
    int shift;
    struct start {
        int32_t node, token;
    } * head;            /* node after the first eight characters, if all have
                        codes < 4 */
    int32_t n_early;     /* the first states, whose pairs are tabulated: */
    int64_t early_words; /* words of a row */
    uint64_t *early;     /* (n_early, early_words) bits: may the two be
                            neighbours? */
    uint64_t *pair; /* open addressing: left, right, product + 1; 0: free */
    uint64_t *seen; /* bits: may this pair be in the table? */
    int64_t n_pair;
};

#define STATE_BITS 21
/* Bits of the filter before the pair table: small enough for the L1 cache. */
#define SEEN_BITS 18

/** Eight codes < 4 in bytes, first character lowest, to 16 bits. */
static inline uint32_t pack_codes(uint64_t x)
{
    x = (x | x >> 6) & 0x000f000f000f000fu;
    x = (x | x >> 12) & 0x000000ff000000ffu;
    return (uint32_t)((x | x >> 24) & 0xffff);
}

static inline uint64_t pair_hash(int32_t a, int32_t b)
{
    return ((uint64_t)(uint32_t)a << STATE_BITS | (uint32_t)b) *
           0x9e3779b97f4a7c15u;
}

/** The product of two states, or INT32_MAX. */
static inline int32_t product_of(const struct bird_bpe_automaton *c, int32_t a,
                                 int32_t b)
{
    uint64_t h = pair_hash(a, b), s = h >> (64 - SEEN_BITS);
    uint64_t key = (uint64_t)(uint32_t)a << STATE_BITS | (uint32_t)b;
    int64_t mask = c->n_pair - 1;

    if (!(c->seen[s >> 6] >> (s & 63) & 1))
        return INT32_MAX;
    for (int64_t i = (int64_t)(h >> 24) & mask; c->pair[i]; i = (i + 1) & mask)
        if (c->pair[i] >> STATE_BITS == key)
            return (int32_t)(c->pair[i] & ((1u << STATE_BITS) - 1)) - 1;
    return INT32_MAX;
}

/**
 * May a and b be neighbours? Undo the merges inside a and b, last first, and
 * check whether a merge across the border would have come before the undone
 * one. Of two with equal rank the right one is later, since the left one merges
 * first.
 * @param limit only products below this are considered
 */
static inline int fits_below(const struct bird_bpe_automaton *c, int32_t a,
                             int32_t b, int32_t limit)
{
    for (;;) {
        if (product_of(c, a, b) < limit)
            return 0;
        if (a > b && a >= c->n_letter) {
            limit = a;
            a = c->state[a].right;
        } else if (b >= c->n_letter) {
            limit = b + 1;
            b = c->state[b].left;
        } else {
            return 1; /* two characters */
        }
    }
}

/**
 * Can any token follow this one, if these codes follow? This check before a
 * token is taken avoids most backtracking.
 */
static inline int goes_on(const struct bird_bpe_state *x, const uint8_t *next)
{
    uint32_t y;

    memcpy(&y, next, sizeof(y));
    if (y & 0xfcfcfcu)
        return 1;
    return x->ahead >> ((y | y >> 6 | y >> 12) & 63) & 1;
}

/*
 * The effect of early merges at the border is tabulated: it depends only on the
 * early states at a's end and b's beginning. Later merges are undone as above
 * until both sides are early.
 */
static inline int fits(const struct bird_bpe_automaton *c, int32_t a, int32_t b)
{
    int32_t limit = INT32_MAX, y = c->state[b].first;

    if (!(c->early[c->state[a].last * c->early_words + (y >> 6)] >> (y & 63) &
          1))
        return 0;
    for (;;) {
        if (product_of(c, a, b) < limit)
            return 0;
        if (a > b) {
            if (a < c->n_early)
                return 1;
            limit = a;
            a = c->state[a].right;
        } else {
            if (b < c->n_early)
                return 1;
            limit = b + 1;
            b = c->state[b].left;
        }
    }
}

/* Limits of the tables; larger vocabularies use the heap. */
#define MAX_LETTERS 64
#define MAX_STATES  ((1 << STATE_BITS) - 2)
#define MAX_CELLS   (1 << 26)

/* States whose pairs are tabulated: at most 512 KiB of bits. */
#ifndef MAX_EARLY
#define MAX_EARLY 2048
#endif

struct build {
    struct bird_bpe_automaton *c;
    const struct bird_vocab *v;
    const struct bird_merges *m;
    int32_t *state_of; /* (n_id) state of an id, -1: none yet */
    int64_t cap_cell, cap_node;
};

static inline int bit_is(const uint64_t *row, int32_t i)
{
    return (int)(row[i >> 6] >> (i & 63) & 1);
}

static inline void bit_clear(uint64_t *row, int32_t i)
{
    row[i >> 6] &= ~((uint64_t)1 << (i & 63));
}

/* Give a code to a character; 0 if the automaton cannot hold this id. */
static int letter_take(struct build *b, int32_t id)
{
    struct bird_bpe_automaton *c = b->c;
    const char *s = bird_vocab_text(b->v, id);

    if (s[0] & 0x80 || !s[0] || s[1] || c->n_letter == MAX_LETTERS)
        return 0;
    b->state_of[id] = c->n_letter;
    c->code[(uint8_t)s[0]] = (uint8_t)c->n_letter;
    c->id[c->n_letter++] = id;
    return 1;
}

/*
 * Characters are the parts that no merge makes. They are numbered in the order
 * in which merges name them, so that the four most frequent have codes 0 to 3.
 */
static int take_characters(struct build *b)
{
    const struct bird_merges *m = b->m;

    for (int64_t k = 0; k < m->n; k++)
        b->state_of[m->product[k]] = -2;
    for (int64_t k = 0; k < m->n; k++) {
        int32_t part[2] = {m->left[k], m->right[k]};

        for (int i = 0; i < 2; i++)
            if (b->state_of[part[i]] == -1 && !letter_take(b, part[i]))
                return 0;
    }
    return 1;
}

static void pair_add(struct bird_bpe_automaton *c, int32_t a, int32_t b,
                     int32_t product)
{
    uint64_t h = pair_hash(a, b), s = h >> (64 - SEEN_BITS);
    int64_t mask = c->n_pair - 1, i = (int64_t)(h >> 24) & mask;

    while (c->pair[i])
        i = (i + 1) & mask;
    c->pair[i] = ((uint64_t)(uint32_t)a << STATE_BITS | (uint32_t)b)
                     << STATE_BITS |
                 (uint32_t)(product + 1);
    c->seen[s >> 6] |= (uint64_t)1 << (s & 63);
}

/* Number the products; 0 if the precondition does not hold. */
static int products_take(struct build *b, int32_t unk)
{
    const struct bird_merges *m = b->m;
    struct bird_bpe_automaton *c = b->c;

    for (int64_t k = 0; k < m->n; k++) {
        int32_t l = b->state_of[m->left[k]], r = b->state_of[m->right[k]];
        int32_t t = c->n_letter + (int32_t)k;
        struct bird_bpe_state *x = &c->state[t];

        if (l < 0 || r < 0 || b->state_of[m->product[k]] != -2 ||
            m->left[k] == unk || m->right[k] == unk || m->product[k] == unk ||
            bird_merges_find(m, m->left[k], m->right[k]) != k)
            return 0;
        b->state_of[m->product[k]] = t;
        c->id[t] = m->product[k];
        *x = (struct bird_bpe_state){.left = l, .right = r, .prefix = -1};
        /* A product whose text does not encode to it is never used. */
        if (c->state[l].length && c->state[r].length &&
            fits_below(c, l, r, t)) {
            int64_t n = (int64_t)c->state[l].length + c->state[r].length;

            if (n >= INT32_MAX)
                return 0;
            x->length = (int32_t)n;
            pair_add(c, l, r, t);
        }
    }
    c->n_state = c->n_letter + (int32_t)m->n;
    return 1;
}

static int node_new(struct build *b, int32_t *out)
{
    struct bird_bpe_automaton *c = b->c;
    int64_t cells = (c->n_node + 1) << c->shift;
    int rc;

    *out = 0;
    if (cells > MAX_CELLS)
        return 0;
    if ((rc = bird_array_grow(&c->next, &b->cap_cell, cells,
                              sizeof(*c->next))) ||
        (rc = bird_array_grow(&c->token, &b->cap_node, c->n_node + 1,
                              sizeof(*c->token))))
        return rc;
    memset(c->next + (c->n_node << c->shift), 0, sizeof(*c->next) << c->shift);
    c->token[c->n_node] = -1;
    *out = (int32_t)c->n_node++;
    return 0;
}

/* Put a state's text into the trie; *ok = 0 if it grows too large. */
static int trie_add(struct build *b, int32_t t, int *ok)
{
    struct bird_bpe_automaton *c = b->c;
    const char *s = bird_vocab_text(b->v, c->id[t]);
    int32_t node = 0, child;
    int32_t *e = NULL;
    int rc;

    for (; *s; s++) {
        int64_t cell = (int64_t)node << c->shift | c->code[(uint8_t)*s];

        if (!c->next[cell]) {
            if ((rc = node_new(b, &child)))
                return rc;
            if (!child) {
                *ok = 0;
                return 0;
            }
            c->next[cell] = child << 1;
        }
        e = &c->next[cell];
        node = *e >> 1;
    }
    if (e) /* a state's text is never empty */
        *e |= 1;
    c->token[node] = t;
    return 0;
}

/* The longest token that is a prefix of each token. */
static void prefixes_find(struct build *b)
{
    struct bird_bpe_automaton *c = b->c;

    for (int32_t t = 0; t < c->n_state; t++) {
        const char *s = bird_vocab_text(b->v, c->id[t]);
        int32_t node = 0, last = -1;

        for (int64_t i = 0; i + 1 < c->state[t].length; i++) {
            int64_t cell = (int64_t)node << c->shift | c->code[(uint8_t)s[i]];

            node = c->next[cell] >> 1;
            if (c->next[cell] & 1)
                last = c->token[node];
        }
        c->state[t].prefix = last;
    }
}

/* A head without a child ends: the root is not a child. */
static struct start head_step(const struct bird_bpe_automaton *c,
                              struct start h, int32_t code, int first)
{
    int32_t e;

    if (!h.node && !first)
        return h;
    e = c->next[(int64_t)h.node << c->shift | code];
    h.node = e >> 1;
    if (e & 1)
        h.token = c->token[h.node];
    return h;
}

/* Extend the heads by one character at a time, in place: those of code 0
 * overwrite the previous heads and so come last. */
static void heads_fill(struct bird_bpe_automaton *c)
{
    c->head[0] = (struct start){0, -1};
    for (int32_t n = 1; n < 1 << 16; n *= 4)
        for (int32_t code = 3; code >= 0; code--)
            for (int32_t x = 0; x < n; x++)
                c->head[code * n + x] = head_step(c, c->head[x], code, n == 1);
}

/* Products by their left part, to fill the early table row by row. */
struct early {
    int32_t *head, *twin; /* (n_early) first, (n_state) next product, -1 */
    int32_t *product;     /* (n_early) of this row's state and b */
};

/*
 * Row a of the early table: bit b is 1 if no merge across the border comes
 * before an early merge inside a or b. Undoing the later of the two leads to a
 * row or bit that was made before.
 */
static void early_row(struct bird_bpe_automaton *c, int32_t a,
                      const struct early *w)
{
    uint64_t *row = c->early + a * c->early_words;
    int32_t right = c->state[a].right, b = 0;

    if (a >= c->n_letter) {
        memcpy(row, c->early + right * c->early_words,
               (size_t)c->early_words * sizeof(*row));
        for (int32_t t = w->head[right]; t >= 0; t = w->twin[t])
            if (t < a)
                bit_clear(row, c->state[t].right);
        b = a;
    }
    for (int32_t t = w->head[a]; t >= 0; t = w->twin[t])
        w->product[c->state[t].right] = t;
    for (; b < c->n_early; b++) {
        int32_t left = c->state[b].left;
        int ok = b < c->n_letter || (bit_is(row, left) && w->product[left] > b);

        bit_clear(row, b);
        row[b >> 6] |= (uint64_t)ok << (b & 63);
    }
    for (int32_t t = w->head[a]; t >= 0; t = w->twin[t])
        w->product[c->state[t].right] = INT32_MAX;
}

static void early_rows(struct bird_bpe_automaton *c, const struct early *w)
{
    for (int32_t i = 0; i < c->n_early; i++) {
        w->product[i] = INT32_MAX;
        w->head[i] = -1;
    }
    for (int32_t t = c->n_letter; t < c->n_state; t++) {
        const struct bird_bpe_state *x = &c->state[t];

        if (!x->length || x->left >= c->n_early || x->right >= c->n_early)
            continue;
        w->twin[t] = w->head[x->left];
        w->head[x->left] = t;
    }
    for (int32_t a = 0; a < c->n_early; a++)
        early_row(c, a, w);
    /* States that merge early with each other cannot be neighbours. */
    for (int32_t t = c->n_letter; t < c->n_early; t++)
        if (c->state[t].length)
            bit_clear(c->early + c->state[t].left * c->early_words,
                      c->state[t].right);
}

/* The pair table is needed only for later products. */
static void pairs_thin(struct bird_bpe_automaton *c)
{
    memset(c->pair, 0, (size_t)c->n_pair * sizeof(*c->pair));
    memset(c->seen, 0, sizeof(*c->seen) << (SEEN_BITS - 6));
    for (int32_t t = c->n_early; t < c->n_state; t++)
        if (c->state[t].length)
            pair_add(c, c->state[t].left, c->state[t].right, t);
}

/* The triples of core characters that are a prefix of state t, or that t is
 * a prefix of. */
static uint64_t triples_of(const struct bird_bpe_automaton *c, int32_t t)
{
    uint64_t set = ~(uint64_t)0;
    int32_t code[3], n = 0;

    while (n < 3 && n < c->state[t].length) {
        int32_t x = t;

        /* The n-th character, found through the tree of parts. */
        for (int32_t i = n; x >= c->n_letter;) {
            int32_t left = c->state[x].left;

            if (i < c->state[left].length) {
                x = left;
            } else {
                i -= c->state[left].length;
                x = c->state[x].right;
            }
        }
        code[n++] = x;
    }
    for (uint32_t y = 0; y < 64; y++)
        for (int32_t i = 0; i < n; i++)
            if (code[i] != (int32_t)(y >> 2 * i & 3))
                set &= ~((uint64_t)1 << y);
    return set;
}

static void ahead_fill(struct bird_bpe_automaton *c)
{
    for (int32_t b = 0; b < c->n_early; b++) {
        uint64_t set = c->state[b].length ? triples_of(c, b) : 0;

        for (int32_t a = 0; a < c->n_early; a++)
            if (bit_is(c->early + a * c->early_words, b))
                c->state[a].ahead |= set;
    }
    for (int32_t t = c->n_early; t < c->n_state; t++)
        c->state[t].ahead = c->state[c->state[t].last].ahead;
}

static int early_fill(struct bird_bpe_automaton *c)
{
    struct early w = {0};
    int32_t n = c->n_state;
    int rc;

    c->n_early = n < MAX_EARLY ? n : MAX_EARLY;
    c->early_words = (c->n_early + 63) / 64;
    (void)((rc = bird_array_new(&c->early, c->n_early * c->early_words,
                                sizeof(*c->early))) ||
           (rc = bird_array_new(&w.head, c->n_early, sizeof(*w.head))) ||
           (rc = bird_array_new(&w.twin, n, sizeof(*w.twin))) ||
           (rc = bird_array_new(&w.product, c->n_early, sizeof(*w.product))));
    if (rc)
        goto done;
    for (int32_t t = 0; t < n; t++) {
        struct bird_bpe_state *x = &c->state[t];
        int early = t < c->n_early;

        x->last = early ? (uint16_t)t : c->state[x->right].last;
        x->first = early ? (uint16_t)t : c->state[x->left].first;
    }
    early_rows(c, &w);
    pairs_thin(c);
    ahead_fill(c);
done:
    free(w.head);
    free(w.twin);
    free(w.product);
    return rc;
}

static int tables_new(struct build *b)
{
    struct bird_bpe_automaton *c = b->c;
    int64_t n = b->m->n + MAX_LETTERS;
    int rc;

    memset(c->code, BIRD_BPE_END, sizeof(c->code));
    c->n_pair = 16;
    while (c->n_pair < 2 * b->m->n)
        c->n_pair *= 2;
    (void)((rc = bird_array_new(&c->state, n, sizeof(*c->state))) ||
           (rc = bird_array_new(&c->id, n, sizeof(*c->id))) ||
           (rc = bird_array_new(&c->head, 1 << 16, sizeof(*c->head))) ||
           (rc = bird_array_new(&c->pair, c->n_pair, sizeof(*c->pair))) ||
           (rc = bird_array_new(&c->seen, 1 << (SEEN_BITS - 6),
                                sizeof(*c->seen))) ||
           (rc = bird_array_new(&b->state_of, b->v->n, sizeof(*b->state_of))));
    if (!rc)
        memset(b->state_of, 0xff, (size_t)b->v->n * sizeof(*b->state_of));
    return rc;
}

static int automaton_fill(struct build *b, int32_t unk, int *ok)
{
    struct bird_bpe_automaton *c = b->c;
    int32_t root;
    int rc = tables_new(b);

    if (rc)
        return rc;
    *ok = take_characters(b);
    for (int32_t t = 0; t < c->n_letter; t++)
        c->state[t] = (struct bird_bpe_state){
            .left = t, .right = t, .prefix = -1, .length = 1};
    *ok = *ok && products_take(b, unk);
    if (!*ok)
        return 0;
    for (c->shift = 2; 1 << c->shift < c->n_letter;)
        c->shift++;
    if ((rc = node_new(b, &root)))
        return rc;
    for (int32_t t = 0; t < c->n_state && *ok; t++)
        if (c->state[t].length && (rc = trie_add(b, t, ok)))
            return rc;
    if (*ok) {
        prefixes_find(b);
        heads_fill(c);
        rc = early_fill(c);
    }
    return rc;
}

int bird_bpe_automaton_new(struct bird_bpe_automaton **out,
                           const struct bird_vocab *v,
                           const struct bird_merges *m, int32_t unk)
{
    struct build b = {.v = v, .m = m};
    int ok = 0, rc = 0;

    *out = NULL;
    if (m->n > MAX_STATES - MAX_LETTERS)
        return 0;
    if (!(rc = bird_array_new(&b.c, 1, sizeof(*b.c))))
        rc = automaton_fill(&b, unk, &ok);
    free(b.state_of);
    if (!rc && ok)
        *out = b.c;
    else
        bird_bpe_automaton_free(b.c);
    return rc;
}

void bird_bpe_automaton_free(struct bird_bpe_automaton *c)
{
    if (!c)
        return;
    free(c->state);
    free(c->id);
    free(c->next);
    free(c->token);
    free(c->head);
    free(c->early);
    free(c->pair);
    free(c->seen);
    free(c);
}

const uint8_t *bird_bpe_code(const struct bird_bpe_automaton *c)
{
    return c->code;
}

/* The state of the longest token that begins at p. */
static inline int32_t longest(const struct bird_bpe_automaton *c,
                              const uint8_t *p)
{
    int32_t node = 0, last = 0, token = -1, e;
    uint64_t x;

    memcpy(&x, p, sizeof(x));
    if (!(x & 0xfcfcfcfcfcfcfcfcu)) {
        const struct start *h = &c->head[pack_codes(x)];

        if (!h->node)
            return h->token;
        node = h->node;
        token = h->token;
        p += 8;
    }
    for (; *p != BIRD_BPE_END; p++) {
        e = c->next[(int64_t)node << c->shift | *p];
        if (!e)
            break;
        node = e >> 1;
        if (e & 1)
            last = node;
    }
    return last ? c->token[last] : token;
}

/*
 * out->ids holds states until the end. A position is marked dead if no token
 * can follow the encoding that ends there: that encoding of the text before it
 * is unique, so the search never needs to come back.
 */
static int run_states(const struct bird_bpe_automaton *c,
                      struct bird_bpe_work *w, int64_t n, int64_t start,
                      bird_encoding *out)
{
    const struct bird_bpe_state *state = c->state;
    int64_t pos = 0, first = out->n;
    int32_t t = longest(c, w->code);
    int rc;

    for (;;) {
        int32_t last = out->n > first ? out->ids[out->n - 1] : -1;

        while (t >= 0) {
            int64_t end = pos + state[t].length;

            if (goes_on(&state[t], w->code + end) &&
                !(w->dead[end >> 6] >> (end & 63) & 1) &&
                (last < 0 || fits(c, last, t)))
                break;
            t = state[t].prefix;
        }
        if (t < 0) { /* cannot happen at the start: a character fits there */
            w->dead[pos >> 6] |= (uint64_t)1 << (pos & 63);
            out->n--;
            pos -= state[last].length;
            t = last;
            continue;
        }
        if ((rc = bird_encoding_add(out, t, start + pos)))
            return rc;
        pos += state[t].length;
        if (pos == n)
            return 0;
        t = longest(c, w->code + pos);
    }
}

int bird_bpe_run(const struct bird_bpe_automaton *c, struct bird_bpe_work *w,
                 int64_t n, int64_t start, bird_encoding *out)
{
    int64_t first = out->n, words = n / 64 + 1;
    int rc = bird_array_grow(&w->dead, &w->cap_dead, words, sizeof(*w->dead));

    if (rc)
        return rc;
    memset(w->dead, 0, (size_t)words * sizeof(*w->dead));
    if ((rc = run_states(c, w, n, start, out)))
        return rc;
    for (int64_t i = first; i < out->n; i++)
        out->ids[i] = c->id[out->ids[i]];
    return 0;
}

void bird_bpe_work_free(struct bird_bpe_work *w)
{
    free(w->code);
    free(w->dead);
    *w = (struct bird_bpe_work){0};
}
