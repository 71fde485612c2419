/*
 * Any bytes as a file of labelled bins or sequences: what is taken must be what the header
 * says, and a refusal must name the file.
 * SPDX-License-Identifier: MIT
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "data/labels_in.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(x)                                                                \
    do {                                                                       \
        if (!(x))                                                              \
            abort();                                                           \
    } while (0)

static void check_header(const struct bird_labels_in *l)
{
    MUST(l->bin > 0 && l->context >= l->bin && l->features.n > 0);
    MUST(l->sequences ? !l->contigs.n && !l->unknown : l->contigs.n > 0);
    for (int64_t i = 0; i < l->contigs.n * l->features.n; i++)
        MUST(l->unknown[i] <= 1);
    for (int64_t i = 0; i < l->features.n; i++)
        MUST(l->features.at[i].name && l->features.at[i].name[0]);
}

static void check_bin(const struct bird_labels_in *l,
                      const struct bird_labels_bin *b)
{
    MUST(b->start >= 0 && b->end - b->start == l->bin);
    if (l->sequences) {
        MUST(b->contig == -1 && b->end <= l->context);
        MUST((int64_t)strlen(b->sequence) == l->context);
    } else {
        MUST(b->contig >= 0 && b->contig < l->contigs.n && !b->sequence);
        MUST(b->end <= l->length[b->contig]);
    }
    for (int64_t i = 0; i < b->n; i++) {
        MUST(b->label[i] > (i ? b->label[i - 1] : -1));
        MUST(b->label[i] < l->features.n);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bird_labels_in in = {0};
    struct bird_labels_bin b;
    int rc = bird_labels_open_memory(&in, "x.tsv", data, (int64_t)size);

    if (!rc) {
        check_header(&in);
        while ((rc = bird_labels_next(&in, &b)) > 0)
            check_bin(&in, &b);
    }
    if (rc && rc != BIRD_ENOMEM)
        MUST(!strncmp(bird_last_error(), "x.tsv", 5));
    bird_labels_close(&in);
    return 0;
}
