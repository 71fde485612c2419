/* Parts of a chromatin set, and masks. SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/mem.h"
#include "data/chromatin_data.h"
#include "model/feature.h"
#include "seq/input.h"

/* Whole contigs named between '+'. */
static int add_contigs(struct bird_chromatin_set *s,
                       struct bird_chromatin_out *p, char *names)
{
    char *word, *save = NULL;
    int rc = 0;

    for (word = strtok_r(names, "+", &save); !rc && word;
         word = strtok_r(NULL, "+", &save)) {
        struct bird_interval x = {.strand = '.'};

        x.contig = bird_contigs_find(&s->ref.contigs, word);
        if (x.contig < 0 || x.contig >= s->ref.n)
            return bird_fail(BIRD_EINVAL,
                             "part '%s': '%s' is neither a BED file nor a "
                             "contig of the reference",
                             p->name, word);
        x.end = s->ref.contig[x.contig].length;
        rc = bird_intervals_put(&p->at, &x);
    }
    bird_intervals_sort(&p->at);
    return rc;
}

static int is_bed(const char *where)
{
    return strchr(where, '/') || strstr(where, ".bed") ||
           bird_file_exists(where);
}

static int add_part(struct bird_chromatin_set *s, const char *name, char *where)
{
    struct bird_chromatin_out *p = &s->part[s->tally.n_part];
    int rc;

    if (s->tally.n_part == BIRD_MAX_PART)
        return bird_fail(BIRD_EINVAL, "a split has at most %d parts",
                         BIRD_MAX_PART);
    p->name = strdup(name);
    if (!p->name)
        return bird_fail_memory(strlen(name));
    snprintf(s->tally.part[s->tally.n_part++].name, sizeof(s->tally.part->name),
             "%s", name);
    if (!where || !strcmp(where, "rest")) {
        p->rest = 1;
        return 0;
    }
    rc = is_bed(where) ? bird_intervals_read(&p->at, &s->ref.contigs, where)
                       : add_contigs(s, p, where);
    bird_intervals_merge(&p->at);
    return rc;
}

static int check_name(const struct bird_chromatin_set *s, const char *name)
{
    if (!*name || strpbrk(name, "/ \t") || *name == '.')
        return bird_fail(BIRD_EINVAL,
                         "part '%s': a part's name becomes a "
                         "file's name",
                         name);
    for (int64_t i = 0; i < s->tally.n_part; i++)
        if (!strcmp(s->part[i].name, name))
            return bird_fail(BIRD_EINVAL, "part '%s' is there twice", name);
    return 0;
}

static int read_split(struct bird_chromatin_set *s, char *text)
{
    char *word, *save = NULL;
    int rc = 0;

    for (word = strtok_r(text, ",", &save); !rc && word;
         word = strtok_r(NULL, ",", &save)) {
        char *where = strchr(word, '=');

        if (!where || !where[1])
            return bird_fail(BIRD_EINVAL,
                             "split '%s': a part is NAME=FILE.bed, "
                             "NAME=contig+contig or NAME=rest",
                             word);
        *where++ = '\0';
        rc = check_name(s, word);
        if (!rc)
            rc = add_part(s, word, where);
    }
    return rc;
}

/* Where each part's lines go. */
static int name_files(struct bird_chromatin_set *s)
{
    const char *output = s->files->output;
    int rc = 0;

    if (!s->files->split) {
        s->part[0].path = strdup(output);
        return s->part[0].path ? 0 : bird_fail_memory(strlen(output));
    }
    for (int64_t i = 0; !rc && i < s->tally.n_part; i++)
        if (asprintf(&s->part[i].path, "%s/%s.tsv.zst", output,
                     s->part[i].name) < 0) {
            s->part[i].path = NULL;
            rc = bird_fail_memory(strlen(output));
        }
    return rc ? rc : bird_folder_make(output);
}

/* Regions narrow every part; of the rest they are what it has. */
static int narrow(struct bird_chromatin_set *s)
{
    struct bird_intervals regions = {0}, out = {0};
    int rc = bird_intervals_read(&regions, &s->ref.contigs, s->files->regions);

    bird_intervals_merge(&regions);
    for (int64_t i = 0; !rc && i < s->ref.n; i++) {
        struct bird_interval x = {.contig = (int32_t)i,
                                  .end = s->ref.contig[i].length,
                                  .strand = '.'};
        rc = bird_intervals_put(&out, &x);
    }
    if (!rc)
        rc = bird_intervals_subtract(&out, &regions);
    for (int64_t i = 0; !rc && i < s->tally.n_part; i++) {
        struct bird_intervals *at = &s->part[i].at;

        if (!s->part[i].rest) {
            rc = bird_intervals_subtract(at, &out);
            continue;
        }
        s->part[i].rest = 0;
        for (int64_t k = 0; !rc && k < regions.n; k++)
            rc = bird_intervals_put(at, &regions.at[k]);
        for (int64_t k = 0; !rc && k < i; k++)
            rc = bird_intervals_subtract(at, &s->part[k].at);
    }
    bird_intervals_free(&regions);
    bird_intervals_free(&out);
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
    char *split = NULL;
    int rc;

    if (s->files->split) {
        split = strdup(s->files->split);
        rc = split ? read_split(s, split)
                   : bird_fail_memory(strlen(s->files->split));
    } else {
        rc = add_part(s, "all", NULL);
    }
    free(split);
    if (!rc && s->files->regions)
        rc = narrow(s);
    for (int64_t i = 0; !rc && i < s->tally.n_part; i++)
        s->has_borders |= cuts_contigs(s, &s->part[i].at);
    if (!rc)
        rc = name_files(s);
    for (int64_t i = 0; !rc && i < s->tally.n_part; i++) {
        struct bird_chromatin_out *p = &s->part[i];

        rc = bird_array_new(&p->positive, s->list.features.n,
                            sizeof(*p->positive));
        if (!rc)
            rc = bird_array_new(&p->n_bin, s->ref.n, sizeof(*p->n_bin));
    }
    return rc;
}

int bird_chromatin_masks(struct bird_chromatin_set *s)
{
    int64_t n = s->list.features.n;
    int rc = bird_array_new(&s->masked, s->ref.n * n, 1);

    if (!rc && s->files->mask)
        rc = bird_label_masks_read(s->masked, &s->list.features, &s->ref,
                                   s->files->mask);
    for (int64_t i = 0; !rc && i < n; i++) {
        int64_t sum = 0;

        for (int64_t c = 0; c < s->ref.n; c++) {
            int64_t here = s->in.n_peak[i * s->ref.n + c];

            sum += here;
            if (!here && s->o->mask_empty)
                s->masked[c * n + i] = 1;
            s->tally.masked += s->masked[c * n + i];
        }
        s->tally.without_peak += !sum;
    }
    return rc;
}
