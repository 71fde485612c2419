/*
 * Any bytes as a .mat file of DeepSEA's, v5 or v7.3: arrays have the
 * dimensions that they say, values of slabs are 0, 1 or another, and a refusal
 * names the file. Without libmatio everything is refused.
 * SPDX-License-Identifier: MIT
 */
#include "fuzz_help.h"

#include "lab/mat_in.h"

enum { MOST = 1 << 18 };

LEAKS_ARE_EXPECTED /* of libmatio, on damaged compressed arrays */

    static void
    read_all(const struct bird_mat_array *a)
{
    int64_t n = bird_mat_slab_rows(a, a, MOST), wide = a->dim[1] * a->dim[2];
    int64_t bytes = n * bird_mat_row_bytes(a);
    uint8_t *slab;

    MUST(n >= 1 && n <= a->dim[0]);
    if (bytes > MOST)
        return;
    slab = malloc((size_t)bytes);
    MUST(slab);
    for (int64_t first = 0; first < a->dim[0] && first < 4 * n; first += n) {
        int64_t k = a->dim[0] - first < n ? a->dim[0] - first : n;

        if (bird_mat_read(slab, a, first, k)) {
            MUST(!strncmp(bird_last_error(), a->mat->path,
                          strlen(a->mat->path)));
            break;
        }
        for (int64_t i = 0; i < k * wide; i++)
            MUST(slab[i] <= BIRD_MAT_OTHER);
    }
    free(slab);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"trainxdata", "traindata", "x"};
    static struct memory_file file;
    struct bird_mat m = {0};
    int rc;

    memory_file_put(&file, data, size);
    rc = bird_mat_open(&m, file.path);
    for (int i = 0; !rc && i < 3; i++) {
        struct bird_mat_array a = {0};
        int has = bird_mat_array_open(&a, &m, names[i]);

        if (has < 0)
            MUST(!strncmp(bird_last_error(), file.path, strlen(file.path)));
        if (has > 0) {
            MUST(a.rank >= 2 && a.rank <= 3 && a.size > 0 && a.chunk_rows > 0);
            for (int k = 0; k < 3; k++)
                MUST(a.dim[k] > 0);
            read_all(&a);
        }
        bird_mat_array_close(&a);
    }
    if (rc)
        MUST(strstr(bird_last_error(), file.path));
    bird_mat_close(&m);
    return 0;
}
