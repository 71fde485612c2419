/* The table of this copy. SPDX-License-Identifier: MIT */
#include "kernel/cpu/table.h"

#define TEXT2(x) #x
#define TEXT(x)  TEXT2(x)

const struct bird_kernels BIRD_FN(kernels) = {
    .name = TEXT(BIRD_ISA),
    .embed_forward = BIRD_FN(embed_forward),
    .dropout = BIRD_FN(dropout),
    .residual_layernorm_forward = BIRD_FN(residual_layernorm_forward),
    .layernorm_again = BIRD_FN(layernorm_again),
    .layernorm_backward = BIRD_FN(layernorm_backward),
    .layernorm_backward_params = BIRD_FN(layernorm_backward_params),
    .bias_act_forward = BIRD_FN(bias_act_forward),
    .act_backward = BIRD_FN(act_backward),
    .add_bias = BIRD_FN(add_bias),
    .column_sum = BIRD_FN(column_sum),
    .add = BIRD_FN(add),
    .attention_forward = BIRD_FN(attention_forward),
    .attention_backward = BIRD_FN(attention_backward),
    .softmax_forward = BIRD_FN(softmax_forward),
    .softmax_backward = BIRD_FN(softmax_backward),
    .adam = BIRD_FN(adam),
    .to_bfloat16 = BIRD_FN(to_bfloat16),
    .quantize_rows = BIRD_FN(quantize_rows),
    .quantize_weights = BIRD_FN(quantize_weights),
    .dequantize_rows = BIRD_FN(dequantize_rows),
    .packed_size = BIRD_FN(packed_size),
    .pack = BIRD_FN(pack),
    .product = BIRD_FN(product),
    .sum_squares = BIRD_FN(sum_squares),
};
