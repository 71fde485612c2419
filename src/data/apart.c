/* Sequence that rows are to share nothing with: tables, FASTA, or regions of a
 * reference. SPDX-License-Identifier: MIT */
#include "data/apart.h"

#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/mem.h"
#include "data/dataset.h"

/* BED, and what is read as BED. */
static int is_regions(const char *path)
{
    static const char *const ending[] = {".bed", ".narrowpeak", ".broadpeak",
                                         ".bb", ".bigbed"};

    for (size_t i = 0; i < sizeof(ending) / sizeof(*ending); i++)
        if (bird_path_ends(path, ending[i]))
            return 1;
    return 0;
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
        if (x->end > n) {
            rc = bird_fail(BIRD_ERANGE,
                           "%s: %.80s:%lld-%lld ends after the end of the "
                           "contig, which has %lld bp: are these regions of "
                           "another genome?",
                           path, ref->contigs.name[x->contig],
                           (long long)x->start + 1, (long long)x->end,
                           (long long)n);
            break;
        }
        x->start -= x->start < margin ? x->start : margin;
        x->end = x->end < n - margin ? x->end + margin : n;
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

static int check_lengths(const bird_dataset *d, int64_t shared_k, int regions,
                         const char *path)
{
    int64_t n = 0;

    for (int64_t i = 0; i < d->n; i++)
        n += d->row[i].len && d->row[i].len < shared_k;
    return n ? bird_fail(BIRD_EINVAL,
                         "%s: %lld of %lld %s shorter than %lld bp, which "
                         "would never be found: give %sa smaller --length",
                         path, (long long)n, (long long)d->n,
                         regions ? "regions are" : "sequences are",
                         (long long)shared_k, regions ? "a --margin or " : "")
             : 0;
}

int bird_apart_read(bird_dataset *out, struct bird_reference *ref,
                    int64_t margin_bp, int64_t shared_k, const char *path)
{
    const bird_dataset_options how = {.label = ""}; /* sequences alone */
    int regions = is_regions(path), rc;

    if (regions && !ref->n)
        return bird_fail(BIRD_EINVAL,
                         "%s: regions need the reference FASTA they lie on: "
                         "give it with -f",
                         path);
    if (!regions && !*bird_dataset_format(path))
        return bird_fail(BIRD_EINVAL,
                         "%s: the name of a table ends in .csv or .tsv, of "
                         "sequences in .fa, and of regions in .bed, "
                         ".narrowPeak, .broadPeak or .bigBed",
                         path);
    rc = regions ? read_regions(out, ref, margin_bp, path)
                 : bird_dataset_open(out, path, &how);
    return rc ? rc : check_lengths(out, shared_k, regions, path);
}
