/* Encoding from left to right: the tables. SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "token/chain.h"
#include "token/chain_pair.h"
#include "token/vocab.h"

/* Bounds on the tables; what is larger goes the plain way. */
#define CHAIN_LETTERS 64
#define CHAIN_LINKS   ((1 << BIRD_LINK_BITS) - 2)
#define CHAIN_CELLS   (1 << 26)

/* Links whose meetings are tabulated: at most 512 KiB of bits. */
#ifndef CHAIN_EARLY
#define CHAIN_EARLY 2048
#endif

struct build {
    struct bird_chain *c;
    const struct bird_vocab *v;
    const struct bird_merges *m;
    int32_t *link_of; /* (ids) link of an id, -1: none yet */
    int64_t n_cell, cap_cell, cap_node;
};

static inline int bit_is(const uint64_t *row, int32_t i)
{
    return (int)(row[i >> 6] >> (i & 63) & 1);
}

static inline void bit_clear(uint64_t *row, int32_t i)
{
    row[i >> 6] &= ~((uint64_t)1 << (i & 63));
}

/* Give a code to a letter; 0 when this id cannot be a letter of a chain. */
static int letter_take(struct build *b, int32_t id)
{
    struct bird_chain *c = b->c;
    const char *s = bird_vocab_text(b->v, id);

    if (s[0] & 0x80 || !s[0] || s[1] || c->n_letter == CHAIN_LETTERS)
        return 0;
    b->link_of[id] = c->n_letter;
    c->code[(uint8_t)s[0]] = (uint8_t)c->n_letter;
    c->id[c->n_letter++] = id;
    return 1;
}

/*
 * Letters are the parts that no merge makes. They are numbered in the order
 * in which merges name them, so that the commonest four have codes 0 to 3.
 */
static int letters_take(struct build *b)
{
    const struct bird_merges *m = b->m;

    for (int64_t k = 0; k < m->n; k++)
        b->link_of[m->product[k]] = -2;
    for (int64_t k = 0; k < m->n; k++) {
        int32_t part[2] = {m->left[k], m->right[k]};

        for (int i = 0; i < 2; i++)
            if (b->link_of[part[i]] == -1 && !letter_take(b, part[i]))
                return 0;
    }
    return 1;
}

static void pair_add(struct bird_chain *c, int32_t a, int32_t b,
                     int32_t product)
{
    uint64_t h = bird_pair_hash(a, b), s = h >> (64 - BIRD_SEEN_BITS);
    int64_t mask = c->n_pair - 1, i = (int64_t)(h >> 24) & mask;

    while (c->pair[i])
        i = (i + 1) & mask;
    c->pair[i] = ((uint64_t)(uint32_t)a << BIRD_LINK_BITS | (uint32_t)b)
                     << BIRD_LINK_BITS |
                 (uint32_t)(product + 1);
    c->seen[s >> 6] |= (uint64_t)1 << (s & 63);
}

/* Number the products; 0 when the precondition does not hold. */
static int products_take(struct build *b, int32_t unk)
{
    const struct bird_merges *m = b->m;
    struct bird_chain *c = b->c;

    for (int64_t k = 0; k < m->n; k++) {
        int32_t l = b->link_of[m->left[k]], r = b->link_of[m->right[k]];
        int32_t t = c->n_letter + (int32_t)k;
        struct bird_link *x = &c->link[t];

        if (l < 0 || r < 0 || b->link_of[m->product[k]] != -2 ||
            m->left[k] == unk || m->right[k] == unk || m->product[k] == unk ||
            bird_merges_find(m, m->left[k], m->right[k]) != k)
            return 0;
        b->link_of[m->product[k]] = t;
        c->id[t] = m->product[k];
        *x = (struct bird_link){.left = l, .right = r, .prefix = -1};
        /* A product that its own text does not encode to never comes up. */
        if (c->link[l].length && c->link[r].length &&
            bird_chain_fits_below(c, l, r, t)) {
            int64_t n = (int64_t)c->link[l].length + c->link[r].length;

            if (n >= INT32_MAX)
                return 0;
            x->length = (int32_t)n;
            pair_add(c, l, r, t);
        }
    }
    c->n_link = c->n_letter + (int32_t)m->n;
    return 1;
}

static int node_new(struct build *b, int32_t *out)
{
    struct bird_chain *c = b->c;
    int64_t cells = (c->n_node + 1) << c->shift;
    int rc;

    *out = 0;
    if (cells > CHAIN_CELLS)
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

/* Put a link's text into the trie; *ok = 0 when it grows too large. */
static int trie_add(struct build *b, int32_t t, int *ok)
{
    struct bird_chain *c = b->c;
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
    if (e) /* no link's text is empty */
        *e |= 1;
    c->token[node] = t;
    return 0;
}

/* The longest token that begins each token. */
static void prefixes_find(struct build *b)
{
    struct bird_chain *c = b->c;

    for (int32_t t = 0; t < c->n_link; t++) {
        const char *s = bird_vocab_text(b->v, c->id[t]);
        int32_t node = 0, last = -1;

        for (int64_t i = 0; i + 1 < c->link[t].length; i++) {
            int64_t cell = (int64_t)node << c->shift | c->code[(uint8_t)s[i]];

            node = c->next[cell] >> 1;
            if (c->next[cell] & 1)
                last = c->token[node];
        }
        c->link[t].prefix = last;
    }
}

static void heads_fill(struct bird_chain *c)
{
    for (uint32_t x = 0; x < 1 << 16; x++) {
        struct bird_head h = {0, -1};
        int i;

        for (i = 0; i < 8; i++) {
            uint32_t code = x >> 2 * i & 3;
            int32_t e = c->next[(int64_t)h.node << c->shift | code];

            h.node = e >> 1;
            if (!e)
                break;
            if (e & 1)
                h.token = c->token[h.node];
        }
        c->head[x] = h;
    }
}

/* Products by their left part, to fill the early table row by row. */
struct early {
    int32_t *head, *twin; /* (n_early) first, (n_link) next product, -1 */
    int32_t *product;     /* (n_early) of this row's link and b */
};

/*
 * Row a of the early table: bit b says that no early merge inside a or b
 * is disturbed by one across their border. Undoing the younger of the two
 * leads to a row or a bit made before.
 */
static void early_row(struct bird_chain *c, int32_t a, const struct early *w)
{
    uint64_t *row = c->early + a * c->early_words;
    int32_t right = c->link[a].right, b = 0;

    if (a >= c->n_letter) {
        memcpy(row, c->early + right * c->early_words,
               (size_t)c->early_words * sizeof(*row));
        for (int32_t t = w->head[right]; t >= 0; t = w->twin[t])
            if (t < a)
                bit_clear(row, c->link[t].right);
        b = a;
    }
    for (int32_t t = w->head[a]; t >= 0; t = w->twin[t])
        w->product[c->link[t].right] = t;
    for (; b < c->n_early; b++) {
        int32_t left = c->link[b].left;
        int ok = b < c->n_letter || (bit_is(row, left) && w->product[left] > b);

        bit_clear(row, b);
        row[b >> 6] |= (uint64_t)ok << (b & 63);
    }
    for (int32_t t = w->head[a]; t >= 0; t = w->twin[t])
        w->product[c->link[t].right] = INT32_MAX;
}

static void early_rows(struct bird_chain *c, const struct early *w)
{
    for (int32_t i = 0; i < c->n_early; i++) {
        w->product[i] = INT32_MAX;
        w->head[i] = -1;
    }
    for (int32_t t = c->n_letter; t < c->n_link; t++) {
        const struct bird_link *x = &c->link[t];

        if (!x->length || x->left >= c->n_early || x->right >= c->n_early)
            continue;
        w->twin[t] = w->head[x->left];
        w->head[x->left] = t;
    }
    for (int32_t a = 0; a < c->n_early; a++)
        early_row(c, a, w);
    /* What merges early with each other cannot stay side by side. */
    for (int32_t t = c->n_letter; t < c->n_early; t++)
        if (c->link[t].length)
            bit_clear(c->early + c->link[t].left * c->early_words,
                      c->link[t].right);
}

/* The pair table is needed for the later products alone. */
static void pairs_thin(struct bird_chain *c)
{
    memset(c->pair, 0, (size_t)c->n_pair * sizeof(*c->pair));
    memset(c->seen, 0, sizeof(*c->seen) << (BIRD_SEEN_BITS - 6));
    for (int32_t t = c->n_early; t < c->n_link; t++)
        if (c->link[t].length)
            pair_add(c, c->link[t].left, c->link[t].right, t);
}

/* The triples of core letters that begin link t or that it begins. */
static uint64_t triples_of(const struct bird_chain *c, int32_t t)
{
    uint64_t set = ~(uint64_t)0;
    int32_t code[3], n = 0;

    while (n < 3 && n < c->link[t].length) {
        int32_t x = t;

        /* The n-th letter: down the tree of parts. */
        for (int32_t i = n; x >= c->n_letter;) {
            int32_t left = c->link[x].left;

            if (i < c->link[left].length) {
                x = left;
            } else {
                i -= c->link[left].length;
                x = c->link[x].right;
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

static void ahead_fill(struct bird_chain *c)
{
    for (int32_t b = 0; b < c->n_early; b++) {
        uint64_t set = c->link[b].length ? triples_of(c, b) : 0;

        for (int32_t a = 0; a < c->n_early; a++)
            if (bit_is(c->early + a * c->early_words, b))
                c->link[a].ahead |= set;
    }
    for (int32_t t = c->n_early; t < c->n_link; t++)
        c->link[t].ahead = c->link[c->link[t].last].ahead;
}

static int early_fill(struct bird_chain *c)
{
    struct early w = {0};
    int32_t n = c->n_link;
    int rc;

    c->n_early = n < CHAIN_EARLY ? n : CHAIN_EARLY;
    c->early_words = (c->n_early + 63) / 64;
    (void)((rc = bird_array_new(&c->early, c->n_early * c->early_words,
                                sizeof(*c->early))) ||
           (rc = bird_array_new(&w.head, c->n_early, sizeof(*w.head))) ||
           (rc = bird_array_new(&w.twin, n, sizeof(*w.twin))) ||
           (rc = bird_array_new(&w.product, c->n_early, sizeof(*w.product))));
    if (rc)
        goto done;
    for (int32_t t = 0; t < n; t++) {
        struct bird_link *x = &c->link[t];
        int early = t < c->n_early;

        x->last = early ? (uint16_t)t : c->link[x->right].last;
        x->first = early ? (uint16_t)t : c->link[x->left].first;
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
    struct bird_chain *c = b->c;
    int64_t n = b->m->n + CHAIN_LETTERS;
    int rc;

    memset(c->code, BIRD_CHAIN_END, sizeof(c->code));
    c->n_pair = 16;
    while (c->n_pair < 2 * b->m->n)
        c->n_pair *= 2;
    (void)((rc = bird_array_new(&c->link, n, sizeof(*c->link))) ||
           (rc = bird_array_new(&c->id, n, sizeof(*c->id))) ||
           (rc = bird_array_new(&c->head, 1 << 16, sizeof(*c->head))) ||
           (rc = bird_array_new(&c->pair, c->n_pair, sizeof(*c->pair))) ||
           (rc = bird_array_new(&c->seen, 1 << (BIRD_SEEN_BITS - 6),
                                sizeof(*c->seen))) ||
           (rc = bird_array_new(&b->link_of, b->v->n, sizeof(*b->link_of))));
    if (!rc)
        memset(b->link_of, 0xff, (size_t)b->v->n * sizeof(*b->link_of));
    return rc;
}

static int chain_fill(struct build *b, int32_t unk, int *ok)
{
    struct bird_chain *c = b->c;
    int32_t root;
    int rc = tables_new(b);

    if (rc)
        return rc;
    *ok = letters_take(b);
    for (int32_t t = 0; t < c->n_letter; t++)
        c->link[t] = (struct bird_link){
            .left = t, .right = t, .prefix = -1, .length = 1};
    *ok = *ok && products_take(b, unk);
    if (!*ok)
        return 0;
    for (c->shift = 2; 1 << c->shift < c->n_letter;)
        c->shift++;
    if ((rc = node_new(b, &root)))
        return rc;
    for (int32_t t = 0; t < c->n_link && *ok; t++)
        if (c->link[t].length && (rc = trie_add(b, t, ok)))
            return rc;
    if (*ok) {
        prefixes_find(b);
        heads_fill(c);
        rc = early_fill(c);
    }
    return rc;
}

int bird_chain_new(struct bird_chain **out, const struct bird_vocab *v,
                   const struct bird_merges *m, int32_t unk)
{
    struct build b = {.v = v, .m = m};
    int ok = 0, rc = 0;

    *out = NULL;
    if (m->n > CHAIN_LINKS - CHAIN_LETTERS)
        return 0;
    if (!(rc = bird_array_new(&b.c, 1, sizeof(*b.c))))
        rc = chain_fill(&b, unk, &ok);
    free(b.link_of);
    if (!rc && ok)
        *out = b.c;
    else
        bird_chain_free(b.c);
    return rc;
}

void bird_chain_free(struct bird_chain *c)
{
    if (!c)
        return;
    free(c->link);
    free(c->id);
    free(c->next);
    free(c->token);
    free(c->head);
    free(c->early);
    free(c->pair);
    free(c->seen);
    free(c);
}
