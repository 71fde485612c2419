/**
 * One instruction set's functions and its table: the names of all kernels,
 * whose types are those of struct bird_kernels.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_KERNEL_CPU_TABLE_H
#define BIRD_KERNEL_CPU_TABLE_H

#include "kernel/cpu/cpu.h"

/* clang-format off */
#define KERNELS(X)                                                             \
    X(embed_forward) X(dropout) X(residual_layernorm_forward)                  \
    X(layernorm_again) X(layernorm_backward) X(layernorm_backward_params)      \
    X(bias_act_forward) X(act_backward) X(add_bias) X(column_sum) X(add)       \
    X(attention_forward) X(attention_backward) X(softmax_forward)              \
    X(softmax_backward) X(adam) X(to_bfloat16) X(quantize_rows)                \
    X(quantize_weights) X(dequantize_rows) X(packed_size) X(pack) X(product)   \
    X(sum_squares) X(conv_table_forward) X(conv_table_backward)                \
    X(max_pool_forward) X(max_pool_backward) X(map_forward) X(map_backward)
/* clang-format on */

#define DECLARE(name)                                                          \
    __typeof__(*((struct bird_kernels *)0)->name) BIRD_FN(name);
KERNELS(DECLARE)

/* where BIRD_AVX512_BF16 */
bird_attention_function BIRD_FN(attention_bfloat16);
DECLARE(attention_round)
bird_attention_back_function BIRD_FN(attention_backward_bfloat16);
DECLARE(round_bfloat16)
DECLARE(packed_size_bfloat16)
DECLARE(pack_bfloat16)
DECLARE(product_bfloat16)

extern const struct bird_kernels BIRD_FN(kernels);

#endif
