/*
 * A chromatin data set: labelled bins of a genome from peak files.
 *
 * Sorted peaks are swept into bins with labels, in the order of the genome;
 * of the bins between them, which have none, a random share is background. A bin
 * goes to the part of the split that contains all of its context, unless it is
 * excluded or too much of its context is N. Memory is that of the sort, whatever the
 * number of peaks.
 * SPDX-License-Identifier: MIT
 */
#include "data/chromatin_data.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/rng.h"
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

int bird_labels_put_profiles(struct bird_text *t, const bird_features *f)
{
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
        const uint8_t *unknown = s->unknown + c * n;
        int any = 0;

        for (int64_t i = 0; !rc && i < n; i++) {
            if (!unknown[i])
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

static int outs_open(struct bird_chromatin_set *s)
{
    int rc;

    bird_text_clear(&s->line);
    rc = put_head(&s->line, s);
    if (!rc)
        rc = bird_labels_put_profiles(&s->line, &s->list.features);
    if (!rc)
        rc = put_masks(&s->line, s);
    for (int64_t i = 0; !rc && i < s->tally.n_part; i++) {
        rc = bird_output_open(&s->out[i].sink, s->out[i].path, NULL);
        if (!rc)
            rc = bird_output_put(s->out[i].sink, s->line.s, s->line.n);
    }
    return rc;
}

static int put_line(struct bird_chromatin_set *s, int64_t part,
                    const struct bird_labelled_bin *b)
{
    struct bird_chromatin_out *p = &s->out[part];
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
    p->bins_on[b->contig]++;
    s->tally.part[part].n_row++;
    s->tally.part[part].n_label += b->n;
    return rc ? rc : bird_output_put(p->sink, s->line.s, s->line.n);
}

/* Bins of a part where profile i is known. */
static int64_t known_bins(const struct bird_chromatin_set *s,
                          const struct bird_chromatin_out *p, int64_t i)
{
    int64_t n = 0;

    for (int64_t c = 0; c < s->ref.n; c++)
        if (!s->unknown[c * s->list.features.n + i])
            n += p->bins_on[c];
    return n;
}

static void print_summary(FILE *f, const struct bird_chromatin_set *s)
{
    const bird_features *l = &s->list.features;

    fputs("part\tprofile\tclass\tpeaks\tbins\tpositives\tshare\n", f);
    for (int64_t k = 0; k < s->tally.n_part; k++)
        for (int64_t i = 0; i < l->n; i++) {
            const struct bird_chromatin_out *p = &s->out[k];
            int64_t bins = known_bins(s, p, i), peaks = 0;

            for (int64_t c = 0; c < s->ref.n; c++)
                peaks += s->in.n_peak[i * s->ref.n + c];
            fprintf(
                f, "%s\t%s\t%s\t%lld\t%lld\t%lld\t", s->parts.part[k].name,
                l->at[i].name, *l->at[i].class_name ? l->at[i].class_name : ".",
                (long long)peaks, (long long)bins, (long long)p->positive[i]);
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

static int outs_close(struct bird_chromatin_set *s)
{
    int rc = write_table(s->files->summary, s, print_summary);

    if (!rc)
        rc = write_table(s->files->overlaps, s, print_overlaps);
    for (int64_t i = 0; i < s->tally.n_part; i++) {
        if (!rc)
            rc = bird_output_close(s->out[i].sink, 0);
        else
            bird_output_free(s->out[i].sink);
        s->out[i].sink = NULL;
    }
    return rc;
}

/* ---- from peaks to bins ------------------------------------------------- */

void bird_chromatin_data_options_default(bird_chromatin_data_options *o)
{
    *o = (bird_chromatin_data_options){.bin = 200,
                                       .context = 1000,
                                       .overlap = "half",
                                       .max_n = 0.05,
                                       .mask_empty = 1,
                                       .memory = INT64_C(512) << 20,
                                       .seed = 1};
}

static int check(const bird_chromatin_data_options *o,
                 const bird_chromatin_files *f)
{
    if (!f->output)
        return bird_fail(BIRD_EINVAL, "no file for the data set");
    if (f->split && !strcmp(f->output, "-"))
        return bird_fail(BIRD_EINVAL, "a split needs a folder to write to");
    if (!f->in.profiles && !f->in.n_peaks)
        return bird_fail(BIRD_EINVAL, "no peaks: give peak files, or a list "
                                      "of profiles that names them");
    if (f->in.profiles && f->in.name_column)
        return bird_fail(BIRD_EINVAL,
                         "--profiles and --name-column exclude each other: "
                         "each defines the meaning of column 4");
    if (o->bin < 1 || o->bin > 1000000 || o->context < o->bin ||
        o->context > 100000000 || (o->context - o->bin) % 2)
        return bird_fail(BIRD_EINVAL,
                         "bin %lld and context %lld: 1 to 1 M bp, the "
                         "context at least as wide, up to 100 M, and as much "
                         "of it on either side of the bin",
                         (long long)o->bin, (long long)o->context);
    if (!(o->background >= 0 && o->background <= 1) ||
        !(o->max_n >= 0 && o->max_n <= 1))
        return bird_fail(BIRD_EINVAL, "the shares of background and of N lie "
                                      "between 0 and 1");
    return 0;
}

static int open_list(struct bird_chromatin_set *s)
{
    int rc = bird_profile_list_open(&s->list, &s->files->in);

    if (rc)
        return rc;
    rc = bird_array_new(&s->keep, s->list.features.n, 1);
    return rc ? rc
              : bird_features_select(s->keep, &s->list.features, s->o->keep);
}

/* The folder of a path, for the temporary file. */
static int folder_of(struct bird_text *out, const bird_chromatin_files *f)
{
    const char *slash = strrchr(f->output, '/'), *tmp = getenv("TMPDIR");

    if (!strcmp(f->output, "-"))
        return bird_text_printf(out, "%s", tmp && *tmp ? tmp : "/tmp");
    if (f->split)
        return bird_text_printf(out, "%s", f->output);
    if (!slash)
        return bird_text_put(out, ".", 1);
    return bird_text_put(out, f->output,
                         slash == f->output ? 1 : slash - f->output);
}

static int read_peaks(struct bird_chromatin_set *s)
{
    const bird_chromatin_files *f = s->files;
    struct bird_text folder = {0};
    int rc = folder_of(&folder, f);

    if (!rc)
        rc = bird_peak_sort_new(&s->in.sort, s->o->memory, folder.s);
    bird_text_free(&folder);
    if (rc)
        return rc;
    s->in.list = &s->list;
    s->in.ref = &s->ref;
    rc = bird_peaks_read(&s->in, &f->in);
    s->tally.n_profile = s->list.features.n;
    s->tally.n_track = s->list.n_source;
    s->tally.n_contig = s->ref.n;
    s->tally.n_peak = s->in.n_line;
    s->tally.n_other = s->in.n_other_id;
    s->tally.no_contig = s->in.n_contig;
    s->tally.behind = s->in.n_behind;
    s->tally.clipped = s->in.n_clipped;
    memcpy(s->tally.guess, s->in.guess, sizeof(s->tally.guess));
    return rc;
}

static int set_open(struct bird_chromatin_set *s)
{
    const bird_chromatin_files *f = s->files;
    int rc = bird_overlap_parse(&s->rule, s->o->overlap, s->o->bin);

    if (!rc)
        rc = bird_reference_open(&s->ref, f->in.fasta, f->in.n_fasta);
    if (!rc)
        rc = open_list(s);
    if (!rc)
        rc = bird_chromatin_parts(s);
    if (!rc && f->exclude) {
        rc = bird_intervals_read_merged(&s->exclude, &s->ref.contigs,
                                        f->exclude);
    }
    if (!rc)
        rc = read_peaks(s);
    if (!rc)
        rc = bird_chromatin_masks(s);
    if (!rc && f->overlaps)
        rc = bird_array_new(&s->both, s->list.features.n * s->list.features.n,
                            sizeof(*s->both));
    if (!rc)
        rc = bird_bin_sweep_new(&s->sweep, s->in.sort, s->o->bin,
                                s->list.features.n, &s->rule);
    return rc;
}

static void set_free(struct bird_chromatin_set *s)
{
    for (int64_t i = 0; i < BIRD_MAX_PART; i++) {
        bird_output_free(s->out[i].sink);
        free(s->out[i].path);
        free(s->out[i].positive);
        free(s->out[i].bins_on);
    }
    bird_split_free(&s->parts);
    bird_bin_sweep_free(s->sweep);
    bird_peak_sort_free(s->in.sort);
    bird_peaks_in_free(&s->in);
    bird_profile_list_free(&s->list);
    bird_reference_free(&s->ref);
    bird_intervals_free(&s->exclude);
    bird_contig_cache_free(&s->cache);
    bird_text_free(&s->line);
    free(s->keep);
    free(s->unknown);
    free(s->both);
}

/* The part that contains the bin with its context; -1: none, which is counted. */
static int64_t part_of(struct bird_chromatin_set *s, int32_t contig,
                       int64_t start)
{
    int64_t length = s->ref.contig[contig].length, end = start + s->o->bin;
    int64_t side = (s->o->context - s->o->bin) / 2;
    int64_t from = start - side > 0 ? start - side : 0;
    int64_t to = end + side < length ? end + side : length;
    int near = 0;

    for (int64_t i = 0; i < s->tally.n_part; i++) {
        const struct bird_intervals *at = &s->parts.part[i].at;

        if (bird_intervals_holding(at, contig, from, to) >= 0)
            return i;
        near |= bird_intervals_touch(at, contig, from, to);
    }
    s->tally.border += near;
    s->tally.elsewhere += !near;
    return -1;
}

/* Are enough bases of the context known? */
static int is_known(int *known, struct bird_chromatin_set *s, int32_t contig,
                    int64_t start)
{
    const struct bird_reference_contig *c = &s->ref.contig[contig];
    int64_t side = (s->o->context - s->o->bin) / 2, n = 0;
    const char *seq;
    int rc = bird_contig_cache_get(&seq, &s->cache, s->ref.genome[c->genome],
                                   c->index, start - side,
                                   start - side + s->o->context);

    if (rc)
        return rc;
    for (int64_t i = 0; i < s->o->context; i++)
        n += !bird_is_acgt(seq[i]);
    *known = (double)n <= s->o->max_n * (double)s->o->context;
    return 0;
}

/* Write a bin to its part, unless it is excluded or has too many N. */
static int put_bin(struct bird_chromatin_set *s,
                   const struct bird_labelled_bin *b, int background)
{
    int64_t start = b->number * s->o->bin, part;
    int known, rc;

    part = part_of(s, b->contig, start);
    if (part < 0)
        return 0;
    if (bird_intervals_touch(&s->exclude, b->contig, start,
                             start + s->o->bin)) {
        s->tally.excluded++;
        return 0;
    }
    rc = is_known(&known, s, b->contig, start);
    if (rc)
        return rc;
    if (!known) {
        s->tally.unknown++;
        return 0;
    }
    s->tally.part[part].n_background += background;
    return put_line(s, part, b);
}

/* Is this bin background? The answer does not depend on the regions. */
static int is_drawn(const struct bird_chromatin_set *s, int32_t contig,
                    int64_t number)
{
    const char *name = s->ref.contigs.name[contig];
    uint64_t key = s->o->seed;
    struct bird_rng r;

    if (!(s->o->background > 0))
        return 0;
    for (; *name; name++)
        key = bird_mix(key, (unsigned char)*name);
    bird_rng_init(&r, key, 0, (uint64_t)number);
    return bird_rng_uniform(&r) < s->o->background;
}

/* Is any profile known on this contig? */
static int has_profile(const struct bird_chromatin_set *s, int32_t contig)
{
    int64_t n = s->list.features.n;

    return memchr(s->unknown + contig * n, 0, (size_t)n) != NULL;
}

/* Bins without any label, up to this bin. */
static int fill_gap(struct bird_chromatin_set *s, int32_t contig,
                    int64_t number)
{
    int rc = 0;

    if (!(s->o->background > 0))
        return 0;
    while (!rc && s->gap_contig <= contig) {
        int32_t c = s->gap_contig;
        int64_t end = s->ref.contig[c].length / s->o->bin;

        if (c == contig && number < end)
            end = number;
        if (!has_profile(s, c))
            end = 0;
        for (; !rc && s->gap_number < end; s->gap_number++) {
            struct bird_labelled_bin b = {.contig = c, .number = s->gap_number};

            if (is_drawn(s, c, s->gap_number))
                rc = put_bin(s, &b, 1);
        }
        if (c == contig)
            break;
        s->gap_contig++;
        s->gap_number = 0;
    }
    return rc;
}

static int is_kept(const struct bird_chromatin_set *s,
                   const struct bird_labelled_bin *b)
{
    for (int64_t i = 0; i < b->n; i++)
        if (s->keep[b->label[i]])
            return 1;
    return 0;
}

/* Drop labels that are not known on this contig. */
static void drop_unknown(struct bird_labelled_bin *b, int32_t *label,
                         const struct bird_chromatin_set *s)
{
    const uint8_t *unknown = s->unknown + b->contig * s->list.features.n;
    int64_t n = 0;

    for (int64_t i = 0; i < b->n; i++)
        if (!unknown[b->label[i]])
            label[n++] = b->label[i];
    b->label = label;
    b->n = n;
}

static int run(struct bird_chromatin_set *s)
{
    struct bird_labelled_bin b;
    int32_t *label;
    int64_t bin = s->o->bin;
    int rc = bird_array_new(&label, s->list.features.n, sizeof(*label)), more;

    if (rc)
        return rc;
    while (!rc && (more = bird_bin_sweep_next(s->sweep, &b)) != 0) {
        if (more < 0) {
            rc = more;
            break;
        }
        if ((b.number + 1) * bin > s->ref.contig[b.contig].length)
            continue; /* a bin beyond the contig's end */
        drop_unknown(&b, label, s);
        rc = fill_gap(s, b.contig, b.number);
        s->gap_contig = b.contig;
        s->gap_number = b.number + 1;
        if (rc)
            break;
        if (is_kept(s, &b))
            rc = put_bin(s, &b, 0);
        else if (has_profile(s, b.contig) && is_drawn(s, b.contig, b.number))
            rc = put_bin(s, &b, 1);
    }
    if (!rc && s->ref.n)
        rc = fill_gap(s, (int32_t)s->ref.n - 1, INT64_MAX);
    free(label);
    return rc;
}

static int check_any(const struct bird_chromatin_set *s)
{
    const bird_chromatin_tally *t = &s->tally;

    for (int64_t i = 0; i < t->n_part; i++)
        if (!t->part[i].n_row)
            return bird_fail(BIRD_EINVAL,
                             "part '%s' has no bin (of those with labels, "
                             "%lld lie in no region, %lld over a border, %lld "
                             "are excluded, %lld have too many N)",
                             t->part[i].name, (long long)t->elsewhere,
                             (long long)t->border, (long long)t->excluded,
                             (long long)t->unknown);
    return 0;
}

int bird_chromatin_data_write(const bird_chromatin_files *files,
                              const bird_chromatin_data_options *o,
                              bird_chromatin_tally *tally)
{
    bird_chromatin_data_options plain;
    struct bird_chromatin_set s = {.files = files};
    int rc;

    bird_chromatin_data_options_default(&plain);
    s.o = o ? o : &plain;
    rc = check(s.o, files);
    if (!rc)
        rc = set_open(&s);
    if (!rc)
        rc = outs_open(&s);
    if (!rc)
        rc = run(&s);
    if (!rc)
        rc = check_any(&s);
    if (!rc)
        rc = outs_close(&s);
    if (!rc && tally)
        *tally = s.tally;
    set_free(&s);
    return rc;
}
