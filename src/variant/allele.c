/* Alleles: their kinds and their normal form. SPDX-License-Identifier: MIT */
#include "variant/allele.h"

#include <string.h>

#include "base/fail.h"
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

static const int64_t longest[BIRD_CHANGE_LENGTHS] = {1, 4, 16, INT64_MAX};

int bird_change_class(const struct bird_change *c)
{
    int64_t was = c->end - c->start, more = c->alt.n - was;
    int64_t n = more > 0 ? more : more < 0 ? -more : was;
    int kind = more > 0 ? 1 : more < 0 ? 2 : 0, k = 0;

    while (n > longest[k])
        k++;
    return kind * BIRD_CHANGE_LENGTHS + k;
}

struct bird_change_range bird_change_range(int change_class)
{
    int k = change_class % BIRD_CHANGE_LENGTHS;

    return (struct bird_change_range){change_class / BIRD_CHANGE_LENGTHS,
                                      k ? longest[k - 1] + 1 : 1, longest[k]};
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
