/* Letter tables and what is read off them. SPDX-License-Identifier: MIT */
#include "seq/alphabet.h"

#include "dnabird/window.h"

/* Letters, and the three signs that alignments and old files put between
   them: gap, stop, unknown. */
#define SAME(c) [c] = (c), [(c) + 32] = (c) + 32
#define FOLD(c) [c] = (c), [(c) + 32] = (c)

#define LETTERS(X)                                                             \
    X('A'), X('B'), X('C'), X('D'), X('E'), X('F'), X('G'), X('H'), X('I'),    \
        X('J'), X('K'), X('L'), X('M'), X('N'), X('O'), X('P'), X('Q'),        \
        X('R'), X('S'), X('T'), X('V'), X('W'), X('X'), X('Y'), X('Z')

const unsigned char bird_letter_fold[256] = {
    LETTERS(FOLD), ['U'] = 'T', ['u'] = 'T',
    ['-'] = '-',   ['*'] = '*', ['.'] = '.',
};

const unsigned char bird_letter_same[256] = {
    LETTERS(SAME), SAME('U'), ['-'] = '-', ['*'] = '*', ['.'] = '.',
};

/* NC-IUB 1984, Nucleic Acids Res. 13:3021 (1985), table 1; W, S and N are
   their own complements. A letter that is not here stays as it is. */
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

int64_t bird_letters_unknown(const char *seq, int64_t n)
{
    int64_t count = 0;

    for (int64_t i = 0; i < n; i++)
        count += (seq[i] & 0x5f) == 'N';
    return count;
}
