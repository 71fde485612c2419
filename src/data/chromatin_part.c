/* The files of a chromatin data set, one a part of the split, and what labels are
 * not known. SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/mem.h"
#include "data/chromatin_data.h"

/* Where each part's lines go. */
static int name_files(struct bird_chromatin_set *s)
{
    const char *output = s->files->output;
    int rc = 0;

    if (!s->files->split) {
        s->out[0].path = strdup(output);
        return s->out[0].path ? 0 : bird_fail_memory(strlen(output));
    }
    for (int64_t i = 0; !rc && i < s->tally.n_part; i++)
        if (asprintf(&s->out[i].path, "%s/%s.tsv.zst", output,
                     s->parts.part[i].name) < 0) {
            s->out[i].path = NULL;
            rc = bird_fail_memory(strlen(output));
        }
    return rc ? rc : bird_folder_make(output);
}

/* Limit every part to the regions. */
static int limit_to_regions(struct bird_chromatin_set *s)
{
    struct bird_intervals regions = {0}, others = {0};
    int rc = bird_intervals_read_merged(&regions, &s->ref.contigs,
                                        s->files->regions);

    for (int64_t i = 0; !rc && i < s->ref.n; i++) {
        struct bird_interval x = {.contig = (int32_t)i,
                                  .end = s->ref.contig[i].length,
                                  .strand = '.'};
        rc = bird_intervals_put(&others, &x);
    }
    if (!rc)
        rc = bird_intervals_subtract(&others, &regions);
    for (int64_t i = 0; !rc && i < s->parts.n; i++)
        rc = bird_intervals_subtract(&s->parts.part[i].at, &others);
    bird_intervals_free(&regions);
    bird_intervals_free(&others);
    return rc;
}

/* Does a border lie inside a contig? */
static int cuts_contigs(const struct bird_chromatin_set *s,
                        const struct bird_intervals *at)
{
    for (int64_t i = 0; i < at->n; i++)
        if (at->at[i].contig < s->ref.n &&
            (at->at[i].start > 0 ||
             at->at[i].end < s->ref.contig[at->at[i].contig].length))
            return 1;
    return 0;
}

int bird_chromatin_parts(struct bird_chromatin_set *s)
{
    int rc = bird_split_read(&s->parts, &s->ref, s->files->split);

    if (!rc && s->files->regions)
        rc = limit_to_regions(s);
    s->tally.n_part = rc ? 0 : s->parts.n;
    for (int64_t i = 0; i < s->tally.n_part; i++) {
        s->has_borders |= cuts_contigs(s, &s->parts.part[i].at);
        snprintf(s->tally.part[i].name, sizeof(s->tally.part->name), "%s",
                 s->parts.part[i].name);
    }
    if (!rc)
        rc = name_files(s);
    for (int64_t i = 0; !rc && i < s->tally.n_part; i++) {
        struct bird_chromatin_out *p = &s->out[i];

        rc = bird_array_new(&p->positive, s->list.features.n,
                            sizeof(*p->positive));
        if (!rc)
            rc = bird_array_new(&p->bins_on, s->ref.n, sizeof(*p->bins_on));
    }
    return rc;
}

int bird_chromatin_masks(struct bird_chromatin_set *s)
{
    int64_t n = s->list.features.n;
    int rc = bird_label_masks(&s->unknown, &s->list.features, &s->ref,
                              s->files->mask,
                              s->o->mask_empty ? s->in.n_peak : NULL, n);

    for (int64_t i = 0; !rc && i < n; i++) {
        int64_t peaks = 0;

        for (int64_t c = 0; c < s->ref.n; c++) {
            peaks += s->in.n_peak[i * s->ref.n + c];
            s->tally.unknown_pairs += s->unknown[c * n + i];
        }
        s->tally.without_peak += !peaks;
    }
    return rc;
}
