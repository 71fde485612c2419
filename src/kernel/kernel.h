/**
 * The table of kernels: all maths on rows, one copy per instruction set.
 *
 * Kernels run on the calling thread, allocate nothing, keep no state and
 * cannot fail; preconditions are asserts. Arrays are row-major float32.
 * Backward adds to gradients of parameters and writes gradients of
 * activations. Matrix products are in gemm.h.
 *
 * Dimensions: n rows, d columns; see docs/notation.md.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_KERNEL_KERNEL_H
#define BIRD_KERNEL_KERNEL_H

#include <stdint.h>

#include "kernel/prob_map.h"
#include "pattern/plan.h"

/**
 * Dropout as a pure function of (key, row, column): nothing is stored, the
 * backward pass makes the same mask again. Kept values are scaled by
 * 1 / (1 - p) (inverted dropout, Srivastava et al. 2014).
 */
struct bird_dropout {
    uint64_t key; /* a mix of seed, step, layer and site */
    float p;      /* 0 = off */
};

enum bird_act {
    BIRD_GELU_TANH,  /* 0.5 x (1 + tanh(sqrt(2/pi)(x + 0.044715 x^3))) */
    BIRD_GELU_ERF,   /* 0.5 x (1 + erf(x / sqrt 2)); Hendrycks 2016 */
    BIRD_GELU_10,    /* the same, kept within -10 .. 10 */
    BIRD_GELU_QUICK, /* x / (1 + exp(-1.702 x)) */
    BIRD_RELU,
    BIRD_RELU2,      /* max(x, 0)^2 */
    BIRD_RELU6,      /* min(max(x, 0), 6) */
    BIRD_LEAKY_RELU, /* x, or 0.01 x below 0 */
    BIRD_SILU,
    BIRD_MISH, /* x tanh(ln(1 + exp x)); Misra 2019, arXiv:1908.08681 */
    BIRD_SIGMOID,
    BIRD_LINEAR,  /* x */
    BIRD_LAPLACE, /* (1 + erf((x - 0.707107) / (0.282095 sqrt 2))) / 2; Ma et
                     al. 2022, arXiv:2209.10655 */
    BIRD_TANH
};

enum bird_adam_kind {
    BIRD_ADAMW_TORCH, /* torch.optim.AdamW; Loshchilov, Hutter 2019, alg. 2 */
    BIRD_ADAMW_HF,    /* transformers.AdamW up to 4.17 */
    BIRD_ADAM_GOOGLE  /* AdamWeightDecayOptimizer of google's BERT/BigBird */
};

struct bird_adam {
    enum bird_adam_kind kind;
    double lr, beta1, beta2, eps, weight_decay;
    double grad_scale; /* the gradient is multiplied by it; 1 = as it is */
    int64_t t;         /* this step's number, from 1 */
};

/** One sequence's rows of Q, K and V of one head inside packed arrays. */
struct bird_attention_args {
    const struct bird_plan *plan; /* lists; NULL = full attention */
    int64_t head;                 /* row of the plan's lists */
    const int64_t *edge;          /* (n_block + 1) first row of each block of
                                     the plan, for blocks of uneven size;
                                     NULL = block rows each. Forward only */
    const float *q, *k, *v;       /* first row of the sequence, this head */
    const float *low;             /* of q, k and v, what attention_round()
                                     made; NULL: attention_bfloat16() computes
                                     in float32 */
    int64_t ld;                   /* floats from row to row of q, k, v */
    int64_t len;                  /* L tokens */
    int64_t dim;                  /* K = D / H */
    float scale;                  /* 1 / sqrt(K) */
    const uint8_t *mask;          /* (L) 1 = a token, 0 = padding; or NULL */
    struct bird_dropout drop;     /* on probabilities; full attention only */
    struct bird_prob_map map;     /* of scores to probabilities */
};

/** Context of query rows r0 .. r1: struct bird_kernels' attention_forward(). */
typedef void bird_attention_function(float *out, int64_t ld_out,
                                     const struct bird_attention_args *a,
                                     int64_t r0, int64_t r1, float *scratch);

/** Gradients of one head: struct bird_kernels' attention_backward(). */
typedef void bird_attention_back_function(float *dq, float *dk, float *dv,
                                          const float *dout, int64_t ld_out,
                                          const struct bird_attention_args *a,
                                          float *scratch);

/** Scales and offsets that turn int32 sums back into float32. */
struct bird_scales {
    const float *step, *least; /* (n) of a row */
    const float *scale, *sum;  /* (d) of an output channel */
    const float *bias;         /* (d) or NULL */
};

/** Tokens of a convolution: ids[0] is the first row's. ids[-before] .. ids[n - 1 +
 *  behind] exist; tokens beyond them count as zeros. */
struct bird_conv_tokens {
    const int32_t *ids;
    int64_t before, behind;
    int64_t kernel; /* taps; odd */
};

struct bird_kernels {
    const char *name; /* "base", "avx2", "avx512" */

    /** x[i] = word[ids[i]] * scale + type[t[i]] + position[pos0 + i];
     *  t NULL = type 0. BIGBIRD: embeddings before dropout and LayerNorm. */
    void (*embed_forward)(float *x, const int32_t *ids, const int32_t *t,
                          int64_t pos0, const float *word, const float *type,
                          const float *position, float scale, int64_t n,
                          int64_t d);

    /** x *= mask / (1 - p), rows row0 .. row0+n; its own backward. */
    void (*dropout)(float *x, struct bird_dropout drop, int64_t row0, int64_t n,
                    int64_t d);

    /**
     * z = dropout(t + bias) + x; y = layernorm(z).
     * Ba, Kiros, Hinton 2016, arXiv:1607.06450, eq. 3-4; biased variance,
     * eps inside the root.
     *
     * @param[out] y     (n, d); may be t
     * @param[out] z     (n, d) for backward; NULL in inference
     * @param[out] stat  (n, 2) mean and 1/std, for backward; NULL likewise
     * @param t,bias,x   (n, d), (d) or NULL, (n, d) or NULL
     */
    void (*residual_layernorm_forward)(float *y, float *z, float *stat,
                                       const float *t, const float *bias,
                                       const float *x, const float *gain,
                                       const float *beta, float eps,
                                       struct bird_dropout drop, int64_t row0,
                                       int64_t n, int64_t d);

    /** y from z and stat as residual_layernorm_forward() made it, bit by
     *  bit. */
    void (*layernorm_again)(float *y, const float *z, const float *stat,
                            const float *gain, const float *beta, int64_t n,
                            int64_t d);

    /** dz (n, d) from dy, z and stat; dz may be dy. */
    void (*layernorm_backward)(float *dz, const float *dy, const float *z,
                               const float *stat, const float *gain, int64_t n,
                               int64_t d);

    /** dgain, dbeta += over all n rows, columns c0 .. c1 of d. */
    void (*layernorm_backward_params)(float *dgain, float *dbeta,
                                      const float *dy, const float *z,
                                      const float *stat, int64_t n, int64_t d,
                                      int64_t c0, int64_t c1);

    /** u += bias (NULL: none); y = act(u). y may be u (then u is lost). */
    void (*bias_act_forward)(float *y, float *u, const float *bias,
                             enum bird_act act, int64_t n, int64_t d);

    /** du = dy * act'(u); du may be dy. */
    void (*act_backward)(float *du, const float *dy, const float *u,
                         enum bird_act act, int64_t n, int64_t d);

    /** x += bias on every row. */
    void (*add_bias)(float *x, const float *bias, int64_t n, int64_t ld,
                     int64_t d);

    /** sum += over n rows of x, columns c0 .. c1. */
    void (*column_sum)(float *sum, const float *x, int64_t n, int64_t ld,
                       int64_t c0, int64_t c1);

    /** y += x, n values. */
    void (*add)(float *y, const float *x, int64_t n);

    /**
     * Context of query rows r0 .. r1 of one head of one sequence:
     * out[i] = sum_j p(i, j) v[j], p(i, .) ~ times_j exp(scale q.k + mask),
     * or of these scores what another map makes.
     * Zaheer et al. 2020, appendix D; see docs/math/attention.md.
     *
     * @param[out] out  row 0 of the sequence, this head; leading dim ld_out
     * @param scratch   bird_attention_scratch() floats
     */
    bird_attention_function *attention_forward;

    /** The same with products in bfloat16 and float32 sums, for models in lower
     *  precision; a row's bits depend on the same things. NULL: this copy has none;
     *  call bird_attention_low(). docs/math/precision.md */
    bird_attention_function *attention_bfloat16;

    /** Rows r0 .. r1 of low: the queries, keys and values of one head of a sequence,
     *  as attention_bfloat16() reads them; all rows of a sequence in any calls make
     *  bird_attention_rounded() floats. NULL where that is NULL. */
    void (*attention_round)(float *low, const struct bird_attention_args *a,
                            int64_t r0, int64_t r1);

    /**
     * dq, dk, dv (leading dimension a->ld, written) from dout, for the whole
     * sequence of one head. Probabilities are computed again. Scratch:
     * bird_attention_scratch_back() floats.
     */
    bird_attention_back_function *attention_backward;

    /** The same with products in bfloat16 and float32 sums, for training in lower
     *  precision. NULL: this copy has none; call bird_attention_back_low(). */
    bird_attention_back_function *attention_backward_bfloat16;

    /** p = softmax of n scores in place, each counted w times (NULL: 1). */
    void (*softmax_forward)(float *p, const float *w, int64_t n);

    /** dp (in: gradient of p; out: of the scores). */
    void (*softmax_backward)(float *dp, const float *p, int64_t n);

    /**
     * A map of n keys' scores to probabilities for ld queries side by side, each
     * by itself: p (n, ld) in place from scale times its scores, each key
     * counted weight times (NULL: 1). Softmax's as well, though slower than
     * softmax_forward(). docs/math/probability-maps.md
     *
     * @param[out] p        to be multiplied by
     * @param[out] inverse  (ld) of each query
     */
    void (*map_forward)(float *p, float *inverse, const float *weight,
                        const struct bird_prob_map *map, float scale, int64_t n,
                        int64_t ld);

    /** dp of one query's n keys (in: gradient of p; out: of the scores). */
    void (*map_backward)(float *dp, const float *p, const float *weight,
                         const struct bird_prob_map *map, int64_t n);

    /** One update of n parameters; decay 0 leaves weight_decay out. */
    void (*adam)(float *theta, float *m, float *v, const float *grad,
                 const struct bird_adam *a, int decay, int64_t n);

    /** Rounded to nearest, ties to even; a NaN stays one. */
    void (*to_bfloat16)(uint16_t *y, const float *x, int64_t n);

    /**
     * Rows in whole numbers, x ~ least + step q: least is the row's smallest
     * value, step its span over `levels`, q in 0 .. levels (at most 255).
     * A row with a value that is not finite gets least NaN, and with it a
     * result of NaN.
     *
     * @param[out] q           (n, d) end to end
     * @param[out] step,least  (n)
     * @param ld               floats from row to row of x
     */
    void (*quantize_rows)(uint8_t *q, float *step, float *least, const float *x,
                          int64_t n, int64_t ld, int64_t d, int levels);

    /** w (n, d) ~ scale q, q in -127 .. 127, scale (n) the largest of a row's
     *  sizes over 127; sum (n) = scale times the sum of the row's q. */
    void (*quantize_weights)(int8_t *q, float *scale, float *sum,
                             const float *w, int64_t n, int64_t d);

    /** y(i, j) = sums(i, j) step(i) scale(j) + least(i) sum(j) + bias(j).
     *  sums (n, d) are int32 end to end; they may lie in y when ld is d. */
    void (*dequantize_rows)(float *y, int64_t ld, const void *sums,
                            const struct bird_scales *s, int64_t n, int64_t d);

    /**
     * The weights of a linear layer in the order of this table's product():
     * pack() writes packed_size() floats from w (n_out, n_in; ldw). Feature
     * 512 k begins at packed + 512 k n_in.
     */
    int64_t (*packed_size)(int64_t n_out, int64_t n_in);
    void (*pack)(float *packed, const float *w, int64_t ldw, int64_t n_out,
                 int64_t n_in);

    /**
     * y (n, n_out; ldy) = x (n, n_in; ldx) w^T over packed w. Each sum has
     * its own accumulator and adds input features in rising order, in blocks set
     * by n_in: a row of y depends only on its row of x and on w, to the last bit.
     */
    void (*product)(float *y, int64_t ldy, const float *x, int64_t ldx,
                    const float *packed, int64_t n, int64_t n_out,
                    int64_t n_in);

    /** The same in bfloat16 with float32 sums. Weights w(o, i), at w[o out_step +
     *  i in_step], are rounded. Rows of x are n_pair = ceil(n_in / 2) floats, each a
     *  pair of rounded features; add: 1 adds to y. round_bfloat16() makes them: as
     *  to_bfloat16(), but subnormal numbers become 0. NULL in copies without them; call
     *  them only if bird_kernels_bfloat16(). */
    void (*round_bfloat16)(float *y, const float *x, int64_t n);
    int64_t (*packed_size_bfloat16)(int64_t n_out, int64_t n_in);
    void (*pack_bfloat16)(float *packed, const float *w, int64_t out_step,
                          int64_t in_step, int64_t n_out, int64_t n_in);
    void (*product_bfloat16)(float *y, int64_t ldy, const float *x, int64_t ldx,
                             const float *packed, int64_t n, int64_t n_out,
                             int64_t n_pair, int add);

    /** y (n, d) = bias + for every tap k the row (token at k - kernel / 2, relative
     *  to its own, k) of table (V, kernel, d). Each row depends on the tokens around
     *  it alone, to the last bit. */
    void (*conv_table_forward)(float *y, const float *table, const float *bias,
                               const struct bird_conv_tokens *t, int64_t n,
                               int64_t d);

    /** dtable (V, kernel, d) += the gradient of the table, of dy (n, d). */
    void (*conv_table_backward)(float *dtable, const float *dy,
                                const struct bird_conv_tokens *t, int64_t n,
                                int64_t d);

    /** y (ceil(n / pool), d) = the largest of each pool rows of x (n, d); the
     *  last group may be short. */
    void (*max_pool_forward)(float *y, const float *x, int64_t n, int64_t pool,
                             int64_t d);

    /** dx (n, d): dy (ceil(n / pool), d) at the first largest, else 0. */
    void (*max_pool_backward)(float *dx, const float *dy, const float *x,
                              int64_t n, int64_t pool, int64_t d);

    /** Sum of squares, in double, in one fixed order. */
    double (*sum_squares)(const float *x, int64_t n);
};

/** Query rows that one attention task takes: tile t is t*tile .. */
int64_t bird_attention_tile(const struct bird_plan *plan);

/** Of a tile with fewer query rows each is computed by itself, which is faster and
 *  rounds otherwise: stretches of a tile with as many rows or more have its bits. */
enum { BIRD_ATTENTION_FEW = 8 };

/** Has this table products in bfloat16, and the processor their instruction? */
int bird_kernels_bfloat16(const struct bird_kernels *k);

/** Of table k what computes attention in lower precision: attention_bfloat16() where
 *  the processor has its instruction, else attention_forward(); and backward. */
bird_attention_function *bird_attention_low(const struct bird_kernels *k);
bird_attention_back_function *
bird_attention_back_low(const struct bird_kernels *k);

/** Floats of attention_round()'s result for len tokens and a head of dim features. */
int64_t bird_attention_rounded(int64_t len, int64_t dim);

/** Floats of scratch that attention needs for sequences up to len tokens, in
 *  tiles of so many rows at most, heads of dim features: forward, backward. */
int64_t bird_attention_scratch(int64_t len, int64_t dim, int64_t tile);
int64_t bird_attention_scratch_back(int64_t len, int64_t dim, int64_t tile);

/**
 * The fastest table this machine runs. DNABIRD_ISA=base|avx2|avx512 in the
 * environment asks for a smaller one (for tests); another name is
 * ignored here and reported by bird_isa_check().
 */
const struct bird_kernels *bird_kernels(void);

/** The table of this name, or NULL: this machine runs none such. */
const struct bird_kernels *bird_kernels_named(const char *name);

/** Table i of those this machine runs, slowest first; NULL past the end. */
const struct bird_kernels *bird_kernels_at(int i);

#endif
