/*
 * Any bytes as the frame of a row of a token shard, and as what is in one.
 * A row that is taken must be whole and inside its vocabulary, and packs and
 * unpacks to itself.
 * SPDX-License-Identifier: MIT
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "data/shards.h"

enum { LENGTH = 64, VOCABULARY = 300 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int holds)
{
    if (!holds)
        abort();
}

static void check(const void *frame, size_t size)
{
    static int32_t letters[VOCABULARY] = {0, 0, 0, 1, 7, 1000};
    const struct bird_vocab_stats w = {.n = VOCABULARY, .n_base = letters};
    int32_t ids[LENGTH], bp[LENGTH], ids2[LENGTH], bp2[LENGTH];
    struct bird_sampled_row d = {.ids = ids, .bp = bp},
                            e = {.ids = ids2, .bp = bp2};
    struct bird_shard_packer p = {0};
    struct bird_text bytes = {0};

    if (bird_shard_unpack(&d, frame, (int64_t)size, LENGTH, &w))
        return;
    must(d.n_token >= 3 && d.n_token <= LENGTH && d.second <= d.n_token);
    for (int64_t i = 0; i < d.n_token; i++)
        must(ids[i] >= 0 && ids[i] < VOCABULARY && bp[i] >= 0);
    must(!bird_shard_pack(&bytes, &p, &d, &w));
    must(!bird_shard_unpack(&e, bytes.s, bytes.n, LENGTH, &w));
    must(d.n_token == e.n_token && d.second == e.second && d.next == e.next &&
         d.n_rich == e.n_rich);
    must(!memcmp(ids, ids2, sizeof(*ids) * (size_t)d.n_token));
    must(!memcmp(bp, bp2, sizeof(*bp) * (size_t)d.n_token));
    bird_shard_packer_free(&p);
    bird_text_free(&bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t bound = ZSTD_compressBound(size), n;
    void *frame = malloc(bound);

    must(frame != NULL);
    check(data, size);
    n = ZSTD_compress(frame, bound, data, size, 1);
    must(!ZSTD_isError(n));
    check(frame, n);
    free(frame);
    return 0;
}
