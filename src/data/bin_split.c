/* `dataset bins`: windows within the parts of a split, as BED. SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/text.h"
#include "data/parts.h"
#include "dnabird/dataset.h"
#include "track/output.h"

struct cutting {
    const bird_bin_split *o;
    struct bird_reference ref;
    struct bird_intervals exclude;
    struct bird_split_parts parts;
    struct bird_text bed[BIRD_MAX_PART]; /* (parts.n) lines of each file */
    int64_t n_excluded;                  /* windows of the part at hand */
    bird_bin_split_tally t;
};

void bird_bin_split_default(bird_bin_split *o)
{
    *o = (bird_bin_split){
        .bin_bp = 200, .window_bp = 8000, .margin_bp = 800, .max_n = 0.5};
}

static int check(bird_bin_split *o)
{
    if (!o->output)
        return bird_fail(BIRD_EINVAL, "no folder for the windows: give -o");
    if (!strcmp(o->output, "-"))
        return bird_fail(BIRD_EINVAL, "windows need a folder to write to");
    if (o->bin_bp < 1 || o->margin_bp < 0 || o->border_bp < 0)
        return bird_fail(BIRD_EINVAL,
                         "--bin must be 1 bp or more, --margin and the setting "
                         "border 0 bp or more");
    if (o->bin_bp > INT32_MAX || o->window_bp > INT32_MAX ||
        o->stride_bp > INT32_MAX || o->border_bp > INT32_MAX)
        return bird_fail(BIRD_EINVAL,
                         "--bin, --window, --stride and the setting border are "
                         "%d bp at most",
                         INT32_MAX);
    if (o->window_bp < 1 || o->margin_bp > (o->window_bp - 1) / 2)
        return bird_fail(BIRD_EINVAL,
                         "--window %lld must be longer than the two margins of "
                         "%lld bp (--margin)",
                         (long long)o->window_bp, (long long)o->margin_bp);
    if (o->margin_bp % o->bin_bp)
        return bird_fail(BIRD_EINVAL,
                         "a margin of %lld bp is not a multiple of the bin of "
                         "%lld bp: bins would be lost between windows",
                         (long long)o->margin_bp, (long long)o->bin_bp);
    if (!o->stride_bp)
        o->stride_bp = o->window_bp - 2 * o->margin_bp;
    if (o->stride_bp < 1 || o->stride_bp % o->bin_bp)
        return bird_fail(BIRD_EINVAL,
                         "the stride must be a multiple of the bin of %lld bp, "
                         "got %lld bp (default: a window less its margins)",
                         (long long)o->bin_bp, (long long)o->stride_bp);
    return o->max_n >= 0 && o->max_n <= 1
               ? 0
               : bird_fail(BIRD_EINVAL, "the share of N must be 0 to 1");
}

static int put_window(struct cutting *c, int64_t k, int32_t contig,
                      int64_t start)
{
    int64_t none = 0, len = c->o->window_bp;
    const char *bases;
    int rc = bird_reference_bases(&bases, &c->ref, contig);

    for (int64_t i = start; !rc && i < start + len; i++)
        none += !bird_is_acgt(bases[i]);
    if (rc)
        return rc;
    if ((double)none > c->o->max_n * (double)len) {
        c->t.part[k].n_unknown++;
        return 0;
    }
    c->t.part[k].n_window++;
    return bird_text_printf(&c->bed[k], "%s\t%lld\t%lld\n",
                            c->ref.contigs.name[contig], (long long)start,
                            (long long)(start + len));
}

static int cut_part(struct cutting *c, int64_t k)
{
    const bird_bin_split *o = c->o;
    const struct bird_intervals *at = &c->parts.part[k].at;
    int rc = 0;

    c->n_excluded = 0;
    for (int64_t i = 0; !rc && i < at->n; i++) {
        int32_t contig = at->at[i].contig;
        int64_t start = at->at[i].start, end = at->at[i].end;

        start += start > 0 ? o->border_bp : 0;
        end -= end < c->ref.contig[contig].length ? o->border_bp : 0;
        start = (start + o->bin_bp - 1) / o->bin_bp * o->bin_bp;
        c->t.part[k].n_short += start + o->window_bp > end;
        for (; !rc && start + o->window_bp <= end; start += o->stride_bp)
            if (bird_intervals_touch(&c->exclude, contig, start,
                                     start + o->window_bp))
                c->n_excluded++;
            else
                rc = put_window(c, k, contig, start);
    }
    if (!rc && !c->t.part[k].n_window)
        rc = bird_fail(BIRD_EINVAL,
                       "part '%s' has no window (%lld intervals are too short, "
                       "%lld windows overlap excluded regions, %lld have too "
                       "many N)",
                       c->parts.part[k].name, (long long)c->t.part[k].n_short,
                       (long long)c->n_excluded,
                       (long long)c->t.part[k].n_unknown);
    return rc;
}

/* All files are written before the first gets its name. */
static int write_parts(const struct cutting *c)
{
    struct bird_output *out[BIRD_MAX_PART] = {NULL};
    int rc = bird_folder_make(c->o->output);

    for (int64_t i = 0; !rc && i < c->t.n_part; i++) {
        const struct bird_text *t = &c->bed[i];
        char *path = NULL;

        if (asprintf(&path, "%s/%s.bed", c->o->output, c->parts.part[i].name) <
            0) {
            path = NULL;
            rc = bird_fail_memory(0);
        }
        if (!rc)
            rc = bird_output_open(&out[i], path, NULL);
        if (!rc)
            rc = bird_output_put(out[i], t->s, t->n);
        free(path);
    }
    for (int64_t i = 0; i < c->t.n_part; i++)
        if (!rc)
            rc = bird_output_close(out[i], 0);
        else
            bird_output_free(out[i]);
    return rc;
}

static int open_all(struct cutting *c)
{
    int rc = bird_reference_open(&c->ref, c->o->fasta, c->o->n_fasta);

    if (!rc && c->o->exclude)
        rc = bird_intervals_read_merged(&c->exclude, &c->ref.contigs,
                                        c->o->exclude);
    if (!rc)
        rc = bird_split_read(&c->parts, &c->ref, c->o->split);
    c->t.n_part = rc ? 0 : c->parts.n;
    for (int64_t i = 0; i < c->t.n_part; i++)
        snprintf(c->t.part[i].name, sizeof(c->t.part[i].name), "%s",
                 c->parts.part[i].name);
    return rc;
}

int bird_bin_split_write(const bird_bin_split *o, bird_bin_split_tally *tally)
{
    bird_bin_split own = *o;
    struct cutting c = {.o = &own};
    int rc = check(&own);

    if (!rc)
        rc = open_all(&c);
    for (int64_t i = 0; !rc && i < c.t.n_part; i++)
        rc = cut_part(&c, i);
    if (!rc)
        rc = write_parts(&c);
    if (!rc && tally)
        *tally = c.t;
    for (int64_t i = 0; i < BIRD_MAX_PART; i++)
        bird_text_free(&c.bed[i]);
    bird_split_free(&c.parts);
    bird_intervals_free(&c.exclude);
    bird_reference_free(&c.ref);
    return rc;
}
