/* Places named on a command line: a BED file, or contigs and regions.
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "data/place.h"
#include "dnabird/region.h"

/* A name with a folder or an ending is a file's, also when it is not there. */
static int is_file(const char *text)
{
    return bird_file_exists(text) || strchr(text, '/') || strstr(text, ".bed");
}

int bird_places_read_named(struct bird_places *out, struct bird_contigs *c,
                           const char *text)
{
    bird_regions list = {0};
    int64_t n0 = out->n;
    int rc;

    if (is_file(text))
        return bird_places_read(out, c, text);
    rc = bird_regions_parse(&list, text, NULL, BIRD_POINT_TO_END);
    for (int64_t i = 0; !rc && i < list.n; i++) {
        struct bird_place x = {
            .start = list.at[i].start, .end = list.at[i].end, .strand = '.'};

        rc = bird_contigs_add(&x.contig, c, list.at[i].contig);
        if (!rc)
            rc = bird_places_put(out, &x);
    }
    if (rc)
        out->n = n0;
    bird_places_sort(out);
    bird_regions_free(&list);
    return rc;
}

int bird_places_check_named(const struct bird_contigs *c, const char *text)
{
    bird_regions list = {0};
    int rc;

    if (is_file(text))
        return 0;
    rc = bird_regions_parse(&list, text, NULL, BIRD_POINT_TO_END);
    for (int64_t i = 0; !rc && i < list.n; i++)
        if (bird_contigs_find(c, list.at[i].contig) < 0)
            rc = bird_fail(BIRD_ERANGE,
                           "'%s' is neither a file nor a contig of the "
                           "references",
                           list.at[i].contig);
    bird_regions_free(&list);
    return rc;
}
