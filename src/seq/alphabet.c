/* Letter tables and what is read off them. SPDX-License-Identifier: MIT */
#include "seq/alphabet.h"

#include <string.h>

#include "dnabird/tiles.h"

#define SAME(c) [c] = (c), [(c) + 32] = (c) + 32
#define FOLD(c) [c] = (c), [(c) + 32] = (c)

/* The codes of NC-IUB 1984 (below), and X, which hard maskers write. */
#define CODES(X)                                                               \
    X('A'), X('C'), X('G'), X('T'), X('R'), X('Y'), X('S'), X('W'), X('K'),    \
        X('M'), X('B'), X('D'), X('H'), X('V'), X('N'), X('X')

/* Characters that are not nucleotide codes: amino acids, or unused letters. */
#define OTHERS(X)                                                              \
    X('E'), X('F'), X('I'), X('J'), X('L'), X('O'), X('P'), X('Q'), X('Z')

/* Gap characters of alignments, padding and old files. */
#define GAPS ['-'] = '-', ['.'] = '.', ['*'] = '*'

const unsigned char bird_letter_fold[256] = {
    CODES(FOLD),
    ['U'] = 'T',
    ['u'] = 'T',
    GAPS,
};

const unsigned char bird_letter_any[256] = {
    CODES(FOLD), OTHERS(FOLD), ['U'] = 'T', ['u'] = 'T', GAPS,
};

const unsigned char bird_letter_same[256] = {
    CODES(SAME),
    OTHERS(SAME),
    SAME('U'),
    GAPS,
};

/* NC-IUB 1984, Nucleic Acids Res. 13:3021 (1985), table 1; W, S and N are
 * their own complements. Any other letter is unchanged. */
#define PAIR(a, b)                                                             \
    [a] = (b), [b] = (a), [(a) + 32] = (b) + 32, [(b) + 32] = (a) + 32

static const unsigned char complement[256] = {
    PAIR('A', 'T'), PAIR('C', 'G'), PAIR('R', 'Y'), PAIR('K', 'M'),
    PAIR('B', 'V'), PAIR('D', 'H'), ['U'] = 'A',    ['u'] = 'a',
};

static char other_strand(char c)
{
    unsigned char d = complement[(unsigned char)c];

    return d ? (char)d : c;
}

void bird_reverse_complement(char *out, const char *seq, int64_t n)
{
    for (int64_t i = 0, j = n - 1; i <= j; i++, j--) {
        char left = seq[i], right = seq[j];

        out[i] = other_strand(right);
        out[j] = other_strand(left);
    }
}

/* 1: A, C, G, T and U. */
static const unsigned char known[256] = {
    ['A'] = 1, ['C'] = 1, ['G'] = 1, ['T'] = 1, ['U'] = 1,
    ['a'] = 1, ['c'] = 1, ['g'] = 1, ['t'] = 1, ['u'] = 1,
};

int64_t bird_count_unknown(const char *seq, int64_t n)
{
    int64_t count = 0;

    for (int64_t i = 0; i < n; i++)
        count += !known[(unsigned char)seq[i]];
    return count;
}

const char *bird_bases_advice(const char *text, int64_t n)
{
    int64_t n_base = 0, n_residue = 0;

    for (int64_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)text[i];

        if (c == '>') { /* a header line */
            const char *end = memchr(text + i, '\n', (size_t)(n - i));

            i = end ? end - text : n;
            continue;
        }
        n_residue += bird_letter_any[c] != 0;
        n_base += known[c] || c == 'N' || c == 'n';
    }
    return 2 * n_base < n_residue ? "give DNA: most characters are not "
                                    "nucleotides, as in a protein FASTA"
                                  : "put N where a base is unknown";
}
