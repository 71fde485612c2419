/* Alleles: their kinds and their normal form. SPDX-License-Identifier: MIT */
#include "variant/allele.h"

#include <string.h>

#include "base/mem.h"
#include "seq/alphabet.h"

enum { STEP_BP = 4096 }; /* bases that are read at once to the left */

/* Bases of an IUPAC code, as bits A C G T; 0: not a code.
 * NC-IUB 1984, Nucleic Acids Res. 13:3021 (1985), table 1. */
static const unsigned char meaning[256] = {
    ['A'] = 1, ['C'] = 2,  ['G'] = 4,  ['T'] = 8,  ['M'] = 3,
    ['R'] = 5, ['W'] = 9,  ['S'] = 6,  ['Y'] = 10, ['K'] = 12,
    ['V'] = 7, ['H'] = 11, ['D'] = 13, ['B'] = 14, ['N'] = 15,
};

static unsigned means(char c)
{
    return meaning[bird_letter_fold[(unsigned char)c]];
}

static int is_base(unsigned m)
{
    return m && !(m & (m - 1));
}

enum bird_variant_status bird_allele_kind(const char *alt)
{
    size_t n = strlen(alt);
    int ambiguous = 0;

    if (!strcmp(alt, "*"))
        return BIRD_VARIANT_SPANNED;
    if ((alt[0] == '<' && alt[n - 1] == '>' && n > 2) || strpbrk(alt, "[]") ||
        (n > 1 && (alt[0] == '.' || alt[n - 1] == '.')))
        return BIRD_VARIANT_SYMBOLIC;
    for (const char *s = alt; *s; s++) {
        if (!means(*s))
            return BIRD_VARIANT_MALFORMED;
        ambiguous |= !is_base(means(*s));
    }
    return !n          ? BIRD_VARIANT_MALFORMED
           : ambiguous ? BIRD_VARIANT_AMBIGUOUS
                       : BIRD_VARIANT_OK;
}

enum bird_variant_status bird_allele_check(const char *ref, const char *bases)
{
    int ambiguous = 0, differs = 0;

    for (; *ref; ref++, bases++) {
        unsigned a = means(*ref), b = means(*bases);

        if (!a)
            return BIRD_VARIANT_MALFORMED;
        ambiguous |= !is_base(a) || !is_base(b);
        differs |= b && !(a & b);
    }
    return differs     ? BIRD_VARIANT_REF_MISMATCH
           : ambiguous ? BIRD_VARIANT_AMBIGUOUS
                       : BIRD_VARIANT_OK;
}

void bird_change_free(struct bird_change *c)
{
    bird_text_free(&c->alt);
}

static char fold(char c)
{
    return (char)bird_letter_fold[(unsigned char)c];
}

/*
 * How far an insertion or deletion of s (n bases) before base `end` can move to
 * the left: while the base before it equals its last base. Each step rotates
 * that base to the front.
 */
static int steps_left(int64_t *out, struct bird_contig_cache *st,
                      bird_genome *g, int64_t contig, int64_t end,
                      const char *s, int64_t n)
{
    int64_t k = 0, from = end;
    const char *left = NULL;
    int rc;

    for (; k < end; k++) {
        if (!left || end - k == from) {
            int64_t to = from;

            from = from > STEP_BP ? from - STEP_BP : 0;
            rc = bird_contig_cache_get(&left, st, g, contig, from, to);
            if (rc)
                return rc;
        }
        if (left[end - k - 1 - from] != fold(s[n - 1 - k % n]))
            break;
    }
    *out = k;
    return 0;
}

/* The classes, in the order of their numbers. */
static const struct bird_change_range classes[BIRD_CHANGE_CLASSES] = {
    {BIRD_CPG_TRANSITION, 1, 1},   {BIRD_OTHER_TRANSITION, 1, 1},
    {BIRD_TRANSVERSION, 1, 1},     {BIRD_REPLACED, 2, 4},
    {BIRD_REPLACED, 5, 16},        {BIRD_REPLACED, 17, INT64_MAX},
    {BIRD_INSERTION, 1, 1},        {BIRD_INSERTION, 2, 4},
    {BIRD_INSERTION, 5, 16},       {BIRD_INSERTION, 17, INT64_MAX},
    {BIRD_INSERTION_REPEAT, 1, 1}, {BIRD_INSERTION_REPEAT, 2, 4},
    {BIRD_DELETION, 1, 1},         {BIRD_DELETION, 2, 4},
    {BIRD_DELETION, 5, 16},        {BIRD_DELETION, 17, INT64_MAX},
    {BIRD_DELETION_REPEAT, 1, 1},  {BIRD_DELETION_REPEAT, 2, 4}};

struct bird_change_range bird_change_range(int change_class)
{
    return classes[change_class];
}

/* The kind of a change of the base at `at` of the n bases s of the reference. */
static enum bird_change_kind single_kind(const char *s, int64_t at, int64_t n,
                                         char alt)
{
    switch (fold(s[at])) {
    case 'A':
        return alt == 'G' ? BIRD_OTHER_TRANSITION : BIRD_TRANSVERSION;
    case 'T':
        return alt == 'C' ? BIRD_OTHER_TRANSITION : BIRD_TRANSVERSION;
    case 'C':
        if (alt != 'T')
            return BIRD_TRANSVERSION;
        return at + 1 < n && fold(s[at + 1]) == 'G' ? BIRD_CPG_TRANSITION
                                                    : BIRD_OTHER_TRANSITION;
    case 'G':
        if (alt != 'A')
            return BIRD_TRANSVERSION;
        return at > 0 && fold(s[at - 1]) == 'C' ? BIRD_CPG_TRANSITION
                                                : BIRD_OTHER_TRANSITION;
    default:
        return BIRD_TRANSVERSION;
    }
}

/* Does a copy of the inserted or deleted bases follow? s begins at the change
 * and has the deleted bases, if any, and as many bases behind. */
static int copy_follows(const struct bird_change *c, const char *s)
{
    int64_t n_deleted = c->end - c->start;
    int64_t n = c->alt.n + n_deleted;

    for (int64_t i = 0; i < n; i++) {
        char is = n_deleted ? fold(s[i]) : c->alt.s[i];

        if (is != fold(s[n_deleted + i]))
            return 0;
    }
    return 1;
}

/* Of a single base: look at its neighbours. back: of the opposite change. */
static int find_single(enum bird_change_kind *out, const struct bird_change *c,
                       struct bird_contig_cache *s, bird_genome *g, int back)
{
    int64_t length = bird_genome_length(g, c->contig);
    int64_t from = c->start > 0 ? c->start - 1 : 0, at = c->start - from;
    int64_t to = c->end < length ? c->end + 1 : length;
    const char *bases;
    char around[3];
    int rc = bird_contig_cache_get(&bases, s, g, c->contig, from, to);

    if (rc)
        return rc;
    memcpy(around, bases, (size_t)(to - from));
    if (back)
        around[at] = c->alt.s[0];
    *out = single_kind(around, at, to - from,
                       back ? fold(bases[at]) : c->alt.s[0]);
    return 0;
}

/* Does a copy of an inserted or deleted sequence follow it? */
static int find_repeat(int *out, const struct bird_change *c,
                       struct bird_contig_cache *s, bird_genome *g)
{
    int64_t n_deleted = c->end - c->start, n = c->alt.n + n_deleted;
    const char *bases;
    int rc;

    *out = 0;
    if ((n_deleted && c->alt.n) || n > BIRD_REPEAT_BP ||
        c->end + n > bird_genome_length(g, c->contig))
        return 0;
    rc = bird_contig_cache_get(&bases, s, g, c->contig, c->start, c->end + n);
    if (!rc)
        *out = copy_follows(c, bases);
    return rc;
}

/* A copy that follows inserted bases follows them where they are deleted, too. */
static int find_kind(enum bird_change_kind *out, const struct bird_change *c,
                     struct bird_contig_cache *s, bird_genome *g, int back)
{
    int64_t was = c->end - c->start;
    int repeat = 0, rc = 0;

    if (was == 1 && c->alt.n == 1)
        return find_single(out, c, s, g, back);
    if (c->alt.n != was)
        rc = find_repeat(&repeat, c, s, g);
    if (c->alt.n == was)
        *out = BIRD_REPLACED;
    else if ((c->alt.n > was) != back)
        *out = repeat ? BIRD_INSERTION_REPEAT : BIRD_INSERTION;
    else
        *out = repeat ? BIRD_DELETION_REPEAT : BIRD_DELETION;
    return rc;
}

static int find_class(int *out, const struct bird_change *c,
                      struct bird_contig_cache *s, bird_genome *g, int back)
{
    int64_t was = c->end - c->start, n = c->alt.n - was;
    enum bird_change_kind kind;
    int k = 0, rc = find_kind(&kind, c, s, g, back);

    if (rc)
        return rc;
    n = n < 0 ? -n : n ? n : was;
    while (classes[k].kind != kind || n > classes[k].most)
        k++;
    *out = k;
    return 0;
}

int bird_change_class(int *out, const struct bird_change *c,
                      struct bird_contig_cache *s, bird_genome *g)
{
    return find_class(out, c, s, g, 0);
}

int bird_change_class_back(int *out, const struct bird_change *c,
                           struct bird_contig_cache *s, bird_genome *g)
{
    return find_class(out, c, s, g, 1);
}

int bird_change_normal(struct bird_change *c, struct bird_contig_cache *s,
                       bird_genome *g, const char *ref, const char *alt)
{
    int64_t n = (int64_t)strlen(ref), m = (int64_t)strlen(alt), k = 0, rotation;
    int rc;

    while (n && m && fold(ref[n - 1]) == fold(alt[m - 1])) {
        n--;
        m--;
    }
    while (n && m && fold(*ref) == fold(*alt)) {
        ref++, alt++;
        n--, m--;
        c->start++;
    }
    if (!n && !m)
        return 0;
    if (!n || !m) {
        rc = steps_left(&k, s, g, c->contig, c->start, m ? alt : ref, m + n);
        if (rc)
            return rc;
    }
    c->start -= k;
    c->end = c->start + n;
    bird_text_clear(&c->alt);
    rc = bird_text_put(&c->alt, alt, m);
    if (rc)
        return rc;
    rotation = m ? m - k % m : 0;
    for (int64_t i = 0; i < m; i++)
        c->alt.s[i] = fold(alt[(i + rotation) % m]);
    return 1;
}
