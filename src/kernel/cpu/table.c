/* The table of this copy. SPDX-License-Identifier: MIT */
#include "kernel/cpu/table.h"

#define TEXT2(x)  #x
#define TEXT(x)   TEXT2(x)
#define ROW(name) .name = BIRD_FN(name),

const struct bird_kernels BIRD_FN(kernels) = {
    .name = TEXT(BIRD_ISA),
#ifdef BIRD_AVX512_BF16
    ROW(attention_bfloat16) ROW(attention_round)
        ROW(attention_backward_bfloat16) ROW(round_bfloat16)
            ROW(packed_size_bfloat16) ROW(pack_bfloat16) ROW(product_bfloat16)
#endif
                KERNELS(ROW)};
