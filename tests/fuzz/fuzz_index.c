/*
 * Any bytes as the index of weights in several files: the names in it must be
 * plain file names, sorted, each once.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "folder/tensors.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char **name = NULL;
    json_t *index = NULL;
    int64_t n = 0;

    if (bird_json_parse(&index, (const char *)data, size, "input"))
        return 0;
    if (!bird_shards_list(&name, &n, index, "input"))
        for (int64_t i = 0; i < n; i++)
            if (!*name[i] || strchr(name[i], '/') ||
                (i && strcmp(name[i - 1], name[i]) >= 0))
                abort();
    free(name);
    json_decref(index);
    return 0;
}
