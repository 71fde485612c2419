/* Element types of tensors, to and from float32. SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "kernel/kernel.h"
#include "model/safetensors.h"

int64_t bird_tensor_count(const struct bird_tensor *t)
{
    int64_t n = 1;

    for (int i = 0; i < t->n_dim; i++)
        n *= t->shape[i];
    return n;
}

static float from_bits(uint32_t bits)
{
    float x;

    memcpy(&x, &bits, sizeof(x));
    return x;
}

static float from_f16(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000) << 16;
    uint32_t exponent = (h >> 10) & 31, fraction = h & 1023;
    float x;

    if (exponent == 31)
        return from_bits(sign | 0x7f800000 | fraction << 13);
    if (exponent)
        return from_bits(sign | (exponent + 112) << 23 | fraction << 13);
    x = (float)fraction * 0x1p-24F; /* zero and subnormals */
    return sign ? -x : x;
}

/* One loop per type; memcpy because the file may leave data unaligned. */
#define CONVERT(type, expression)                                              \
    for (int64_t i = 0; i < n; i++) {                                          \
        type v;                                                                \
                                                                               \
        memcpy(&v, p + (size_t)i * sizeof(v), sizeof(v));                      \
        out[i] = expression;                                                   \
    }                                                                          \
    break

void bird_tensor_to_f32(float *out, const struct bird_tensor *t)
{
    const char *p = t->data;
    int64_t n = bird_tensor_count(t);

    switch (t->dtype) {
    case BIRD_F32:
        if (n)
            memcpy(out, p, (size_t)n * sizeof(*out));
        break;
    case BIRD_F16:
        CONVERT(uint16_t, from_f16(v));
    case BIRD_BF16:
        CONVERT(uint16_t, from_bits((uint32_t)v << 16));
    case BIRD_F64:
        CONVERT(double, (float)v);
    case BIRD_I64:
        CONVERT(int64_t, (float)v);
    case BIRD_I32:
        CONVERT(int32_t, (float)v);
    case BIRD_U8:
        CONVERT(uint8_t, (float)v);
    case BIRD_I8:
        CONVERT(int8_t, (float)v);
    }
}

void bird_f32_to_bf16(uint16_t *out, const float *x, int64_t n)
{
    bird_kernels()->to_bfloat16(out, x, n);
}
