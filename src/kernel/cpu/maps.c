/* Probability maps other than softmax, one query in each SIMD lane.
 *
 * A lane's result does not depend on the other lanes, nor on how many iterations
 * they take. A key counted w times is w keys;
 * formulas and sources: docs/math/probability-maps.md.
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "kernel/cpu/cpu.h"
#include "kernel/cpu/table.h"

enum {
    STRIP = 16,     /* queries at a time, so that their sums are registers */
    MOST_STEPS = 64 /* of a threshold; it takes 3 to 15 */
};

/* A sum of probabilities that is this close to 1 is 1. */
#define CLOSE 4e-7f

/* Which power a threshold is of: 1, 2, or another. */
enum power { FIRST, SECOND, ANY };

/* x^e and x^(e - 1), both 0 where x is 0; NaN for NaN. */
static inline __attribute__((always_inline)) float
power_of(float *less, float x, float e, const enum power kind)
{
    float y;

    if (kind == FIRST) {
        *less = x > 0 ? 1.0f : x;
        return x;
    }
    if (kind == SECOND) {
        *less = x;
        return x * x;
    }
    y = vec_exp((e - 1.0f) * vec_log(x > 1e-37f ? x : 1e-37f));
    y = x > 1e-37f ? y : x == x ? 0.0f : x;
    *less = y;
    return y * x;
}

/* Score less threshold, at least 0; NaN for NaN. */
static inline float above(float z, float threshold)
{
    return z <= threshold ? 0.0f : z - threshold;
}

/* The threshold t with sum of w max(z - t, 0)^e = 1, by Newton steps on the e-norm,
 * which is convex: from -1 the steps rise and never pass t. For e = 1 these are
 * Michelot's. */
static inline __attribute__((always_inline)) void
threshold_of(float *threshold, const float *z, const float *weight, float e,
             int64_t n, int64_t ld, const int m, const enum power kind)
{
    int live = 1;

    for (int q = 0; q < m; q++)
        threshold[q] = -1.0f;
    for (int step = 0; live && step < MOST_STEPS; step++) {
        float own[STRIP] = {0}, slope[STRIP] = {0};

        for (int64_t j = 0; j < n; j++) {
            float w = weight ? weight[j] : 1.0f;

#pragma omp simd
            for (int q = 0; q < m; q++) {
                float less, x = above(z[j * ld + q], threshold[q]);

                own[q] += w * power_of(&less, x, e, kind);
                slope[q] += w * less;
            }
        }
        live = 0;
        for (int q = 0; q < m; q++) {
            float goal = kind == FIRST ? 1.0f
                         : kind == SECOND
                             ? __builtin_sqrtf(own[q])
                             : vec_exp((1.0f - 1.0f / e) * vec_log(own[q]));
            float next = threshold[q] + (own[q] - goal) / slope[q];

            if (own[q] > 1.0f + CLOSE && next > threshold[q]) {
                threshold[q] = next;
                live = 1;
            }
        }
    }
}

/* z becomes w times its power above the threshold. */
static inline __attribute__((always_inline)) void
entmax(float *z, float *sum, const float *weight, float e, int64_t n,
       int64_t ld, const int m, const enum power kind)
{
    float threshold[STRIP];

    threshold_of(threshold, z, weight, e, n, ld, m, kind);
    for (int64_t j = 0; j < n; j++) {
        float w = weight ? weight[j] : 1.0f;

#pragma omp simd
        for (int q = 0; q < m; q++) {
            float less, x = above(z[j * ld + q], threshold[q]);

            z[j * ld + q] = w * power_of(&less, x, e, kind);
            sum[q] += z[j * ld + q];
        }
    }
}

/* The bits of a float, and back. */
static inline uint32_t word_of(float x)
{
    uint32_t word;

    __builtin_memcpy(&word, &x, sizeof(word));
    return word;
}

static inline float of_word(uint32_t word)
{
    float x;

    __builtin_memcpy(&x, &word, sizeof(x));
    return x;
}

#define SIGN     0x80000000u
#define INFINITE 0xff800000u /* the least float */

/* Bounds on the k-th largest score of each lane: low <= score <= high, which are
 * scores; `many` scores are >= low, `few` are > high. */
struct bracket {
    float low[STRIP], high[STRIP], many[STRIP], few[STRIP];
};

/* The next cut of a bracket, above low, at most high: first cut[], then by the
 * counts, as if scores were spread evenly; every third time halve the bits of the
 * distance, so that about a hundred cuts always suffice. */
static inline __attribute__((always_inline)) void
next_cut(float *cut, const struct bracket *b, float k, int pass, const int m)
{
#pragma omp simd
    for (int q = 0; q < m; q++) {
        float low = b->low[q], high = b->high[q], x = cut[q];
        uint32_t far = word_of(low) & ~SIGN, near = word_of(high) & ~SIGN;

        if (pass)
            x = low +
                (high - low) * ((b->many[q] - k) / (b->many[q] - b->few[q]));
        x = pass % 3 == 2 ? of_word(SIGN | (far + near) / 2) : x;
        x = x < high ? x : high;
        cut[q] = x > low ? x : of_word(SIGN | (far - 1));
    }
}

/* Cut it, and keep the side that holds the k-th: 1 as long as some are open.
 * Masks instead of branches, which GCC would not make vectors of; for the same
 * reason every weight is read, at a step of 0 if there is but one. */
static inline __attribute__((always_inline)) int
cut_at(struct bracket *b, const float *cut, const float *z, const float *weight,
       int64_t step, float k, int64_t n, int64_t ld, const int m)
{
    float count[STRIP] = {0}, least[STRIP] = {0}, most[STRIP];
    int live = 0;

    for (int q = 0; q < m; q++)
        most[q] = of_word(INFINITE);
    for (int64_t j = 0; j < n; j++) {
        float w = weight[j * step];

#pragma omp simd
        for (int q = 0; q < m; q++) {
            float x = z[j * ld + q];
            uint32_t is = -(uint32_t)(x >= cut[q]);
            float in = of_word(word_of(x) & is);
            float out = of_word((word_of(x) & ~is) | (INFINITE & is));

            count[q] += of_word(word_of(w) & is);
            least[q] = in < least[q] ? in : least[q];
            most[q] = out > most[q] ? out : most[q];
        }
    }
    for (int q = 0; q < m; q++) {
        int open = b->low[q] < b->high[q];

        if (open && count[q] >= k) {
            b->low[q] = least[q];
            b->many[q] = count[q];
            if (count[q] == k)
                b->high[q] = least[q];
        } else if (open) {
            b->high[q] = most[q];
            b->few[q] = count[q];
        }
        live |= b->low[q] < b->high[q];
    }
    return live;
}

/* A guess at it: that of normally distributed scores, by their mean and
 * variance. The quantile is Tukey's with lambda 0.135, which is nearly theirs. */
static inline __attribute__((always_inline)) void
guess_kth(float *cut, struct bracket *b, const float *z, const float *weight,
          int64_t step, float share, float all, int64_t n, int64_t ld,
          const int m)
{
    float sum[STRIP] = {0}, square[STRIP] = {0};
    float quantile = 5.06f * (vec_exp(0.135f * vec_log(1.0f - share)) -
                              vec_exp(0.135f * vec_log(share)));

    for (int64_t j = 0; j < n; j++) {
        float w = weight[j * step];

#pragma omp simd
        for (int q = 0; q < m; q++) {
            float x = z[j * ld + q];

            b->low[q] = x < b->low[q] ? x : b->low[q];
            sum[q] += w * x;
            square[q] += w * x * x;
        }
    }
    for (int q = 0; q < m; q++) {
        float mean = sum[q] / all, variance = square[q] / all - mean * mean;

        b->many[q] = all;
        cut[q] = mean + quantile * __builtin_sqrtf(variance);
    }
}

/* The k-th largest score z <= 0 of each lane; a key of weight w is w equal keys.
 * With at most k keys: below all. */
static inline __attribute__((always_inline)) void
kth_largest(float *kth, const float *z, const float *weight, float k, int64_t n,
            int64_t ld, const int m)
{
    static const float once = 1;
    struct bracket b = {0};
    float cut[STRIP], all = 0;
    int64_t step = weight != NULL;

    weight = weight ? weight : &once;
    for (int64_t j = 0; j < n; j++)
        all += weight[j * step];
    for (int q = 0; q < m; q++)
        kth[q] = of_word(INFINITE);
    if (all <= k)
        return;
    guess_kth(cut, &b, z, weight, step, k / all, all, n, ld, m);
    for (int pass = 0, live = 1; live; pass++) {
        next_cut(cut, &b, k, pass, m);
        live = cut_at(&b, cut, z, weight, step, k, n, ld, m);
    }
    memcpy(kth, b.low, (size_t)m * sizeof(*kth));
}

/* Softmax over the k largest, and over what ties with the last of them. */
static inline __attribute__((always_inline)) void
top_softmax(float *z, float *sum, const float *weight, float k, int64_t n,
            int64_t ld, const int m)
{
    float kth[STRIP];

    kth_largest(kth, z, weight, k, n, ld, m);
    for (int64_t j = 0; j < n; j++) {
        float w = weight ? weight[j] : 1.0f;

#pragma omp simd
        for (int q = 0; q < m; q++) {
            float x = z[j * ld + q], y = w * vec_exp(x);

            z[j * ld + q] = x < kth[q] ? 0.0f : y; /* NaN goes through */
            sum[q] += z[j * ld + q];
        }
    }
}

/* The largest alone, equal shares where several are. */
static inline __attribute__((always_inline)) void
largest_only(float *z, float *sum, const float *weight, int64_t n, int64_t ld,
             const int m)
{
    for (int64_t j = 0; j < n; j++) {
        float w = weight ? weight[j] : 1.0f;

#pragma omp simd
        for (int q = 0; q < m; q++) {
            float x = z[j * ld + q];

            z[j * ld + q] = x < 0 ? 0.0f : w + x; /* NaN goes through */
            sum[q] += z[j * ld + q];
        }
    }
}

/* The scores' distances from their largest, times scale. */
static inline __attribute__((always_inline)) void
shift(float *p, float scale, int64_t n, int64_t ld, const int m)
{
    float top[STRIP];

    memcpy(top, p, (size_t)m * sizeof(*top));
    for (int64_t j = 1; j < n; j++)
#pragma omp simd
        for (int q = 0; q < m; q++)
            top[q] = p[j * ld + q] > top[q] ? p[j * ld + q] : top[q];
    for (int64_t j = 0; j < n; j++)
#pragma omp simd
        for (int q = 0; q < m; q++)
            p[j * ld + q] = scale * (p[j * ld + q] - top[q]);
}

/* m queries; a constant where this is inlined, for all strips but the last. */
static inline __attribute__((always_inline)) void
map_strip(float *p, float *inverse, const float *weight,
          const struct bird_prob_map *map, float scale, int64_t n, int64_t ld,
          const int m)
{
    float sum[STRIP] = {0}, e;

    if (map->kind == BIRD_PROB_ENTMAX) {
        e = 1.0f / (map->alpha - 1.0f);
        shift(p, scale * map->factor * (map->alpha - 1.0f), n, ld, m);
        if (map->alpha == 2.0f)
            entmax(p, sum, weight, e, n, ld, m, FIRST);
        else if (map->alpha == 1.5f)
            entmax(p, sum, weight, e, n, ld, m, SECOND);
        else
            entmax(p, sum, weight, e, n, ld, m, ANY);
    } else {
        shift(p, scale, n, ld, m);
        if (map->kind == BIRD_PROB_HARDMAX)
            largest_only(p, sum, weight, n, ld, m);
        else /* softmax is that of all */
            top_softmax(p, sum, weight,
                        map->kind == BIRD_PROB_TOP ? (float)map->keys : 3e38f,
                        n, ld, m);
    }
    for (int q = 0; q < m; q++)
        inverse[q] = 1.0f / sum[q];
}

void BIRD_FN(map_forward)(float *p, float *inverse, const float *weight,
                          const struct bird_prob_map *map, float scale,
                          int64_t n, int64_t ld)
{
    int64_t q = 0;

    for (; q + STRIP <= ld; q += STRIP)
        map_strip(p + q, inverse + q, weight, map, scale, n, ld, STRIP);
    if (q < ld)
        map_strip(p + q, inverse + q, weight, map, scale, n, ld, (int)(ld - q));
}

/* How the probability p of a key counted w times moves with its threshold: w
 * q^(2 - alpha) of a single one's q = p / w; 0 outside of the support. */
static inline float slope_of(float p, float w, float alpha)
{
    float q = p / w;

    if (alpha == 2.0f)
        return p > 0 ? w : p;
    if (alpha == 1.5f)
        return w * __builtin_sqrtf(q);
    q = vec_exp((2.0f - alpha) * vec_log(q > 1e-37f ? q : 1e-37f));
    return p > 0 ? w * q : p;
}

void BIRD_FN(map_backward)(float *dp, const float *p, const float *weight,
                           const struct bird_prob_map *map, int64_t n)
{
    float dot = 0, sum = 0, mean, alpha = map->alpha;

    if (map->kind == BIRD_PROB_HARDMAX) {
        memset(dp, 0, (size_t)n * sizeof(*dp));
        return;
    }
    if (map->kind != BIRD_PROB_ENTMAX) {
        BIRD_FN(softmax_backward)(dp, p, n);
        return;
    }
#pragma omp simd reduction(+ : dot, sum)
    for (int64_t j = 0; j < n; j++) {
        float s = slope_of(p[j], weight ? weight[j] : 1.0f, alpha);

        dot += s * dp[j];
        sum += s;
    }
    mean = dot / sum;
#pragma omp simd
    for (int64_t j = 0; j < n; j++)
        dp[j] = map->factor * slope_of(p[j], weight ? weight[j] : 1.0f, alpha) *
                (dp[j] - mean);
}
