/* A chromatin set's files: header, lines, summary. SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "data/chromatin_data.h"
#include "data/labels_in.h"
#include "dnabird/dnabird.h"

static int put_head(struct bird_text *t, const struct bird_chromatin_set *s)
{
    const bird_chromatin_data_options *o = s->o;
    int rc =
        bird_text_printf(t, BIRD_LABELS_MAGIC "\t%d\n", BIRD_LABELS_VERSION);

    if (!rc && s->files->command)
        rc = bird_text_printf(t, "##dnabird\t%s\n##command\t%s\n",
                              bird_version(), s->files->command);
    if (!rc)
        rc = bird_text_printf(t,
                              "##bin\t%lld\n##context\t%lld\n##border\t%s\n"
                              "##overlap\t%s\n##max_n\t%g\n",
                              (long long)o->bin, (long long)o->context,
                              s->has_borders ? "regions" : "contigs",
                              o->overlap, o->max_n);
    if (!rc && o->keep)
        rc = bird_text_printf(t, "##keep\t%s\n", o->keep);
    if (!rc && o->background > 0)
        rc = bird_text_printf(t, "##background\t%g\n##seed\t%llu\n",
                              o->background, (unsigned long long)o->seed);
    for (int64_t i = 0; !rc && i < s->ref.n; i++)
        rc = bird_text_printf(t, "##contig\t%s\t%lld\n", s->ref.contigs.name[i],
                              (long long)s->ref.contig[i].length);
    return rc;
}

static int put_profiles(struct bird_text *t, const struct bird_chromatin_set *s)
{
    const bird_features *f = &s->list.features;
    int rc = 0;

    for (int64_t i = 0; !rc && i < f->n; i++) {
        const bird_feature *x = &f->at[i];

        rc = bird_text_printf(t, "##profile\t%s\t%s\t%s\t%s\t%s\t", x->name,
                              x->class_name, x->cell, x->factor, x->treatment);
        if (!rc)
            rc = x->index < 0
                     ? bird_text_put(t, ".\n", 2)
                     : bird_text_printf(t, "%lld\n", (long long)x->index);
    }
    return rc;
}

static int put_masks(struct bird_text *t, const struct bird_chromatin_set *s)
{
    int64_t n = s->list.features.n;
    int rc = 0;

    for (int64_t c = 0; !rc && c < s->ref.n; c++) {
        const uint8_t *masked = s->masked + c * n;
        int any = 0;

        for (int64_t i = 0; !rc && i < n; i++) {
            if (!masked[i])
                continue;
            rc = any++ ? bird_text_printf(t, ",%lld", (long long)i)
                       : bird_text_printf(t, "##mask\t%s\t%lld",
                                          s->ref.contigs.name[c], (long long)i);
        }
        if (!rc && any)
            rc = bird_text_put(t, "\n", 1);
    }
    return rc ? rc : bird_text_printf(t, "#chrom\tstart\tend\tlabels\n");
}

int bird_chromatin_outs_open(struct bird_chromatin_set *s)
{
    int rc;

    bird_text_clear(&s->line);
    rc = put_head(&s->line, s);
    if (!rc)
        rc = put_profiles(&s->line, s);
    if (!rc)
        rc = put_masks(&s->line, s);
    for (int64_t i = 0; !rc && i < s->tally.n_part; i++) {
        rc = bird_output_open(&s->part[i].sink, s->part[i].path, NULL);
        if (!rc)
            rc = bird_output_put(s->part[i].sink, s->line.s, s->line.n);
    }
    return rc;
}

int bird_chromatin_put(struct bird_chromatin_set *s, int64_t part,
                       const struct bird_labelled_bin *b)
{
    struct bird_chromatin_out *p = &s->part[part];
    int64_t start = b->number * s->o->bin, n = s->list.features.n;
    int rc;

    bird_text_clear(&s->line);
    rc = bird_text_printf(&s->line, "%s\t%lld\t%lld\t",
                          s->ref.contigs.name[b->contig], (long long)start,
                          (long long)(start + s->o->bin));
    for (int64_t i = 0; !rc && i < b->n; i++) {
        rc = bird_text_printf(&s->line, i ? ",%d" : "%d", (int)b->label[i]);
        p->positive[b->label[i]]++;
        for (int64_t k = 0; s->both && k <= i; k++)
            s->both[b->label[k] * n + b->label[i]]++;
    }
    if (!rc)
        rc = bird_text_put(&s->line, b->n ? "\n" : ".\n", b->n ? 1 : 2);
    p->n_bin[b->contig]++;
    s->tally.part[part].n_bin++;
    s->tally.part[part].n_label += b->n;
    return rc ? rc : bird_output_put(p->sink, s->line.s, s->line.n);
}

/* Bins of a part where profile i is known. */
static int64_t known_bins(const struct bird_chromatin_set *s,
                          const struct bird_chromatin_out *p, int64_t i)
{
    int64_t n = 0;

    for (int64_t c = 0; c < s->ref.n; c++)
        if (!s->masked[c * s->list.features.n + i])
            n += p->n_bin[c];
    return n;
}

static void print_summary(FILE *f, const struct bird_chromatin_set *s)
{
    const bird_features *l = &s->list.features;

    fputs("part\tprofile\tclass\tpeaks\tbins\tpositives\tshare\n", f);
    for (int64_t k = 0; k < s->tally.n_part; k++)
        for (int64_t i = 0; i < l->n; i++) {
            const struct bird_chromatin_out *p = &s->part[k];
            int64_t bins = known_bins(s, p, i), peaks = 0;

            for (int64_t c = 0; c < s->ref.n; c++)
                peaks += s->in.n_peak[i * s->ref.n + c];
            fprintf(f, "%s\t%s\t%s\t%lld\t%lld\t%lld\t", p->name, l->at[i].name,
                    *l->at[i].class_name ? l->at[i].class_name : ".",
                    (long long)peaks, (long long)bins,
                    (long long)p->positive[i]);
            if (bins)
                fprintf(f, "%.6f\n", (double)p->positive[i] / (double)bins);
            else
                fputs("NA\n", f);
        }
}

static void print_overlaps(FILE *f, const struct bird_chromatin_set *s)
{
    const bird_features *l = &s->list.features;

    fputs("profile_a\tprofile_b\tbins_a\tbins_b\tboth\tjaccard\n", f);
    for (int64_t a = 0; a < l->n; a++)
        for (int64_t b = a + 1; b < l->n; b++) {
            int64_t both = s->both[a * l->n + b];
            int64_t n_a = s->both[a * l->n + a], n_b = s->both[b * l->n + b];

            if (both)
                fprintf(f, "%s\t%s\t%lld\t%lld\t%lld\t%.6f\n", l->at[a].name,
                        l->at[b].name, (long long)n_a, (long long)n_b,
                        (long long)both,
                        (double)both / (double)(n_a + n_b - both));
        }
}

static int write_table(const char *path, const struct bird_chromatin_set *s,
                       void (*print)(FILE *f,
                                     const struct bird_chromatin_set *s))
{
    struct bird_out out;
    int rc;

    if (!path)
        return 0;
    rc = bird_out_open(&out, path);
    if (rc)
        return rc;
    print(out.stream, s);
    rc = bird_out_commit(&out);
    bird_out_abort(&out);
    return rc;
}

int bird_chromatin_outs_close(struct bird_chromatin_set *s)
{
    int rc = write_table(s->files->summary, s, print_summary);

    if (!rc)
        rc = write_table(s->files->overlaps, s, print_overlaps);
    for (int64_t i = 0; i < s->tally.n_part; i++) {
        if (!rc)
            rc = bird_output_close(s->part[i].sink, 0);
        else
            bird_output_free(s->part[i].sink);
        s->part[i].sink = NULL;
    }
    return rc;
}
