/**
 * One instruction set's functions and its table.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_KERNEL_CPU_TABLE_H
#define BIRD_KERNEL_CPU_TABLE_H

#include "kernel/cpu/cpu.h"

void BIRD_FN(embed_forward)(float *x, const int32_t *ids, const int32_t *t,
                            int64_t pos0, const float *word, const float *type,
                            const float *position, float scale, int64_t n,
                            int64_t d);
void BIRD_FN(dropout)(float *x, struct bird_dropout drop, int64_t row0,
                      int64_t n, int64_t d);
void BIRD_FN(residual_layernorm_forward)(float *y, float *z, float *stat,
                                         const float *t, const float *bias,
                                         const float *x, const float *gain,
                                         const float *beta, float eps,
                                         struct bird_dropout drop, int64_t row0,
                                         int64_t n, int64_t d);
void BIRD_FN(layernorm_again)(float *y, const float *z, const float *stat,
                              const float *gain, const float *beta, int64_t n,
                              int64_t d);
void BIRD_FN(layernorm_backward)(float *dz, const float *dy, const float *z,
                                 const float *stat, const float *gain,
                                 int64_t n, int64_t d);
void BIRD_FN(layernorm_backward_params)(float *dgain, float *dbeta,
                                        const float *dy, const float *z,
                                        const float *stat, int64_t n, int64_t d,
                                        int64_t c0, int64_t c1);
void BIRD_FN(bias_act_forward)(float *y, float *u, const float *bias,
                               enum bird_act act, int64_t n, int64_t d);
void BIRD_FN(act_backward)(float *du, const float *dy, const float *u,
                           enum bird_act act, int64_t n, int64_t d);
void BIRD_FN(add_bias)(float *x, const float *bias, int64_t n, int64_t ld,
                       int64_t d);
void BIRD_FN(column_sum)(float *sum, const float *x, int64_t n, int64_t ld,
                         int64_t c0, int64_t c1);
void BIRD_FN(add)(float *y, const float *x, int64_t n);
void BIRD_FN(attention_forward)(float *out, int64_t ld_out,
                                const struct bird_attention_args *a, int64_t r0,
                                int64_t r1, float *scratch);
void BIRD_FN(attention_backward)(float *dq, float *dk, float *dv,
                                 const float *dout, int64_t ld_out,
                                 const struct bird_attention_args *a,
                                 float *scratch);
void BIRD_FN(softmax_forward)(float *p, const float *w, int64_t n);
void BIRD_FN(softmax_backward)(float *dp, const float *p, int64_t n);
void BIRD_FN(adam)(float *theta, float *m, float *v, const float *grad,
                   const struct bird_adam *a, int decay, int64_t n);
void BIRD_FN(to_bfloat16)(uint16_t *y, const float *x, int64_t n);
void BIRD_FN(quantize_rows)(uint8_t *q, float *step, float *least,
                            const float *x, int64_t n, int64_t ld, int64_t d,
                            int levels);
void BIRD_FN(quantize_weights)(int8_t *q, float *scale, float *sum,
                               const float *w, int64_t n, int64_t d);
void BIRD_FN(dequantize_rows)(float *y, int64_t ld, const void *sums,
                              const struct bird_scales *s, int64_t n,
                              int64_t d);
int64_t BIRD_FN(packed_size)(int64_t n_out, int64_t n_in);
void BIRD_FN(pack)(float *packed, const float *w, int64_t ldw, int64_t n_out,
                   int64_t n_in);
void BIRD_FN(product)(float *y, int64_t ldy, const float *x, int64_t ldx,
                      const float *packed, int64_t n, int64_t n_out,
                      int64_t n_in);
double BIRD_FN(sum_squares)(const float *x, int64_t n);

extern const struct bird_kernels BIRD_FN(kernels);

#endif
