/* MT19937 as numpy's RandomState uses it. SPDX-License-Identifier: MIT */
#include "pattern/mt19937.h"

enum { MIDDLE = 397 };

void bird_mt_init(struct bird_mt *m, uint32_t seed)
{
    m->word[0] = seed;
    for (uint32_t i = 1; i < BIRD_MT_WORDS; i++) {
        uint32_t w = m->word[i - 1];

        m->word[i] = 1812433253U * (w ^ (w >> 30)) + i;
    }
    m->next = BIRD_MT_WORDS;
    m->n_drawn = 0;
}

static void twist(struct bird_mt *m)
{
    for (int i = 0; i < BIRD_MT_WORDS; i++) {
        uint32_t y = (m->word[i] & 0x80000000U) |
                     (m->word[(i + 1) % BIRD_MT_WORDS] & 0x7fffffffU);

        m->word[i] = m->word[(i + MIDDLE) % BIRD_MT_WORDS] ^ (y >> 1) ^
                     (y & 1 ? 0x9908b0dfU : 0);
    }
    m->next = 0;
}

uint32_t bird_mt_next(struct bird_mt *m)
{
    uint32_t y;

    if (m->next == BIRD_MT_WORDS)
        twist(m);
    y = m->word[m->next++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680U;
    y ^= (y << 15) & 0xefc60000U;
    y ^= y >> 18;
    m->n_drawn++;
    return y;
}

uint32_t bird_mt_below(struct bird_mt *m, uint32_t max)
{
    uint32_t mask = max, v;

    if (!max)
        return 0;
    for (int shift = 1; shift < 32; shift *= 2)
        mask |= mask >> shift;
    do
        v = bird_mt_next(m) & mask;
    while (v > max);
    return v;
}

void bird_mt_permute(struct bird_mt *m, int32_t *a, int64_t n)
{
    for (int64_t i = n - 1; i > 0; i--) {
        int64_t j = bird_mt_below(m, (uint32_t)i);
        int32_t old = a[i];

        a[i] = a[j];
        a[j] = old;
    }
}
