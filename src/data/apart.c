/* Sequence that rows are to share nothing with: tables, FASTA, or regions of a
 * reference. SPDX-License-Identifier: MIT */
#include "data/apart.h"

#include <string.h>

#include "base/fail.h"
#include "base/mem.h"

static int ends_in(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);

    return n >= m && !strcmp(s + n - m, end);
}

/* Regions of a BED file and the margin around them, as rows. */
static int read_regions(bird_dataset *out, struct bird_reference *ref,
                        int64_t margin, const char *path)
{
    struct bird_intervals at = {0};
    int rc = bird_intervals_read(&at, &ref->contigs, path);

    for (int64_t i = 0; !rc && i < at.n; i++) {
        struct bird_interval *x = &at.at[i];
        int64_t n;

        if (x->contig >= ref->n) {
            rc = bird_fail(BIRD_ERANGE,
                           "%s: the references have no contig "
                           "'%.80s'",
                           path, ref->contigs.name[x->contig]);
            break;
        }
        n = ref->contig[x->contig].length;
        x->start -= x->start < margin ? x->start : margin;
        x->end = x->end < n - margin ? x->end + margin : n;
        x->start = x->start < x->end ? x->start : x->end;
    }
    bird_intervals_merge(&at);
    for (int64_t i = 0; i < at.n; i++)
        out->n_base += at.at[i].end - at.at[i].start;
    if (!rc)
        rc = bird_array_new(&out->row, at.n, sizeof(*out->row));
    if (!rc)
        rc = bird_array_uninit(&out->bases, out->n_base, 1);
    out->n_base = 0;
    for (int64_t i = 0; !rc && i < at.n; i++) {
        int64_t len = at.at[i].end - at.at[i].start;
        const char *bases;

        rc = bird_reference_bases(&bases, ref, at.at[i].contig);
        if (rc)
            break;
        memcpy(out->bases + out->n_base, bases + at.at[i].start, (size_t)len);
        out->row[out->n++] = (bird_row){.at = out->n_base, .len = len};
        out->n_base += len;
    }
    bird_intervals_free(&at);
    return rc;
}

int bird_apart_read(bird_dataset *out, struct bird_reference *ref,
                    int64_t margin_bp, const char *path)
{
    const bird_dataset_options how = {.label = ""}; /* sequences alone */

    if (ref->n && (ends_in(path, ".bed") || ends_in(path, ".bed.gz")))
        return read_regions(out, ref, margin_bp, path);
    return bird_dataset_open(out, path, &how);
}
