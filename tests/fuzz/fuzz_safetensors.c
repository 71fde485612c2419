/* Any bytes as a file of tensors. SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "folder/params_file.h"
#include "head/head.h"
#include "model/params.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Read every element, as the loader does. */
static void use_tensor(const bird_tensors *t, int64_t i)
{
    const struct bird_tensor *x = bird_tensors_at(t, i);
    int64_t n = bird_tensor_count(x);
    float *out;

    if (bird_tensors_find(t, x->name) != x)
        abort();
    if (n > 1 << 22)
        return;
    out = malloc((size_t)n * sizeof(*out) + 1);
    if (out)
        bird_tensor_to_f32(out, x);
    free(out);
}

/* The smallest model: inputs that fit it are loaded. */
static void use_model(const bird_tensors *t)
{
    struct bird_config c;
    struct bird_param *list = NULL;
    unsigned char fresh[64];
    float *block = NULL;
    int64_t n, total;

    bird_config_default(&c);
    c.vocab_size = 4;
    c.hidden_size = c.n_head = c.n_layer = c.intermediate_size = 1;
    c.max_positions = 4;
    c.head = &bird_head_mlm;
    if (bird_params_list(&list, &n, &total, &c) || n > 64)
        abort();
    block = calloc((size_t)total, sizeof(*block));
    if (block && bird_params_load(block, list, n, t, NULL, "input") &&
        bird_params_load(block, list, n, t, fresh, "input"))
        block[0] = 0;
    free(block);
    free(list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bird_tensors *t = NULL;

    if (bird_tensors_parse(&t, data, size, "input"))
        return 0;
    for (int64_t i = 0; i < bird_tensors_count(t); i++)
        use_tensor(t, i);
    use_model(t);
    bird_tensors_free(t);
    return 0;
}
