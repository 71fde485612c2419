/* Contig lengths against the model's build. SPDX-License-Identifier: MIT */
#include "scan/build.h"

#include <stdio.h>

#include "dnabird/reference.h"

void bird_build_check(char *notice, size_t size, const json_t *meta,
                      const char *contig, int64_t length)
{
    json_t *genome = json_object_get(meta, "genome"), *v;
    const char *build = json_string_value(json_object_get(genome, "name"));
    const char *name;

    if (notice[0])
        return;
    json_object_foreach(json_object_get(genome, "contigs"), name, v)
    {
        if (bird_contig_compare(name, contig) ||
            json_integer_value(v) == length)
            continue;
        snprintf(notice, size,
                 "contig %s has %lld bp, but %lld in %s, on which the model "
                 "was trained: is this another build?",
                 contig, (long long)length, (long long)json_integer_value(v),
                 build ? build : "the genome");
        return;
    }
}
