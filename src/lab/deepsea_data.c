/*
 * DeepSEA's training bundle to labelled sequences.
 *
 * The arrays are column-major: the 4,000 values of one sample lie a whole
 * column apart. So a slab of samples is read at a time, and turned in blocks of
 * as many samples as a cache line has bytes: each line of the slab is then used
 * whole, and the rows being made stay in the cache.
 *
 * The second half of the bundle's samples should be the first half's reverse
 * complements; two hashes of each sample of the first half are kept to tell.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/rng.h"
#include "data/chromatin_data.h"
#include "data/labels_in.h"
#include "data/peaks.h"
#include "dnabird/dataset.h"
#include "dnabird/dnabird.h"
#include "dnabird/tiles.h"
#include "lab/mat_in.h"
#include "track/output.h"

enum { BLOCK = 64, N_CHANNEL = 4, TELL_EVERY = 64 * BLOCK };

/* The bundle's order of channels, the lowest two bits first. */
static const char channels[N_CHANNEL + 1] = "AGCT";

struct deepsea {
    const bird_deepsea_options *o;
    struct bird_mat mat;
    struct bird_mat_array x, y; /* (n, 4, length), (n, n_label) */
    char x_name[16], y_name[16];
    struct bird_profile_list list;
    struct bird_output *sink;
    int64_t n, length, n_label;
    int64_t slab;         /* samples that are read at a time */
    uint8_t *xs, *ys;     /* their values, column by column */
    char letter[256];     /* of the four channels' values, 2 bits each */
    char *seq, *reverse;  /* (BLOCK, length), (length) */
    int32_t *label;       /* (BLOCK, n_label) */
    int64_t *n_hit;       /* (BLOCK) */
    uint64_t *seq_hash;   /* (n / 2) of the reverse complement */
    uint64_t *label_hash; /* (n / 2) */
    int64_t *positive;    /* (n_label) */
    struct bird_text line;
    bird_deepsea_tally tally;
};

static void deepsea_free(struct deepsea *s)
{
    bird_mat_array_close(&s->x);
    bird_mat_array_close(&s->y);
    bird_mat_close(&s->mat);
    bird_profile_list_free(&s->list);
    bird_output_free(s->sink);
    free(s->xs);
    free(s->ys);
    free(s->seq);
    free(s->reverse);
    free(s->label);
    free(s->n_hit);
    free(s->seq_hash);
    free(s->label_hash);
    free(s->positive);
    bird_text_free(&s->line);
}

/* ---- what is there ------------------------------------------------------ */

/* The catalogue that comes with dnabird. */
static int default_profiles(struct bird_text *out)
{
    int rc = bird_data_find(out, "chromatin/deepsea_919.tsv");

    if (rc)
        return rc == 1 ? 0 : rc;
    return bird_fail(BIRD_EIO,
                     "chromatin/deepsea_919.tsv is neither in $DNABIRD_DATA "
                     "nor in %s: name a list of profiles (--profiles)",
                     bird_data_installed());
}

static int open_profiles(struct deepsea *s)
{
    struct bird_text path = {0};
    int rc = s->o->profiles ? bird_text_printf(&path, "%s", s->o->profiles)
                            : default_profiles(&path);

    if (!rc)
        rc = bird_profile_list_read(&s->list, path.s);
    if (!rc && s->list.features.n != s->n_label)
        rc = bird_fail(BIRD_EFORMAT,
                       "%s: '%s' has %lld labels a sample, but %s has %lld "
                       "profiles",
                       s->o->mat, s->y_name, (long long)s->n_label, path.s,
                       (long long)s->list.features.n);
    bird_text_free(&path);
    return rc;
}

/* trainxdata and traindata, or those of valid or test. */
static int open_arrays(struct deepsea *s)
{
    static const char *const parts[] = {"train", "valid", "test"};
    int rc = 0;

    for (int i = 0; !rc && i < 3; i++) {
        snprintf(s->x_name, sizeof(s->x_name), "%sxdata", parts[i]);
        snprintf(s->y_name, sizeof(s->y_name), "%sdata", parts[i]);
        rc = bird_mat_array_open(&s->x, &s->mat, s->x_name);
    }
    if (!rc)
        return bird_fail(BIRD_EFORMAT,
                         "%s: has no 'trainxdata', 'validxdata' or "
                         "'testxdata': not a file of DeepSEA's bundle",
                         s->o->mat);
    if (rc > 0)
        rc = bird_mat_array_open(&s->y, &s->mat, s->y_name);
    if (!rc)
        return bird_fail(BIRD_EFORMAT, "%s: has '%s', but no '%s'", s->o->mat,
                         s->x_name, s->y_name);
    return rc < 0 ? rc : 0;
}

static int check_arrays(const struct deepsea *s)
{
    const struct bird_mat_array *x = &s->x, *y = &s->y;

    if (x->rank != 3 || x->dim[1] != N_CHANNEL)
        return bird_fail(BIRD_EFORMAT,
                         "%s: '%s' is %lld x %lld x %lld: should be samples x "
                         "4 channels (A, G, C, T) x positions",
                         s->o->mat, s->x_name, (long long)x->dim[0],
                         (long long)x->dim[1], (long long)x->dim[2]);
    if (y->rank != 2 || y->dim[0] != x->dim[0])
        return bird_fail(BIRD_EFORMAT,
                         "%s: '%s' is %lld x %lld: should be the %lld samples "
                         "of '%s' x labels",
                         s->o->mat, s->y_name, (long long)y->dim[0],
                         (long long)(y->dim[1] * y->dim[2]),
                         (long long)x->dim[0], s->x_name);
    if (s->o->bin < 1 || s->o->bin > x->dim[2] || (x->dim[2] - s->o->bin) % 2)
        return bird_fail(BIRD_EINVAL,
                         "a bin of %lld bp in the middle of sequences of %lld "
                         "bp: as many bases are needed on both sides",
                         (long long)s->o->bin, (long long)x->dim[2]);
    return 0;
}

/* A value of 2 in a channel, or two channels set, has no letter. */
static void set_bases(struct deepsea *s)
{
    s->letter[0] = 'N';
    for (int c = 0; c < N_CHANNEL; c++)
        s->letter[1 << 2 * c] = channels[c];
}

static int deepsea_open(struct deepsea *s)
{
    int64_t bytes = s->o->memory, half;
    int rc = bird_mat_open(&s->mat, s->o->mat);

    if (rc || (rc = open_arrays(s)) || (rc = check_arrays(s)))
        return rc;
    s->n = s->x.dim[0];
    s->length = s->x.dim[2];
    s->n_label = s->y.dim[1];
    s->slab = bird_mat_slab_rows(&s->x, &s->y, bytes);
    half = s->n % 2 ? 0 : s->n / 2;
    set_bases(s);
    if ((rc = open_profiles(s)))
        return rc;
    if (bird_array_uninit(&s->xs, s->slab, (size_t)bird_mat_row_bytes(&s->x)) ||
        bird_array_uninit(&s->ys, s->slab, (size_t)bird_mat_row_bytes(&s->y)) ||
        bird_array_new(&s->seq, BLOCK * s->length, 1) ||
        bird_array_new(&s->reverse, s->length, 1) ||
        bird_array_new(&s->label, BLOCK * s->n_label, sizeof(*s->label)) ||
        bird_array_new(&s->n_hit, BLOCK, sizeof(*s->n_hit)) ||
        bird_array_new(&s->seq_hash, half, sizeof(*s->seq_hash)) ||
        bird_array_new(&s->label_hash, half, sizeof(*s->label_hash)) ||
        bird_array_new(&s->positive, s->n_label, sizeof(*s->positive)))
        return BIRD_ENOMEM;
    s->tally.n_sample = s->n;
    s->tally.n_profile = s->n_label;
    s->tally.n_pair = half;
    return 0;
}

/* ---- a block of samples ------------------------------------------------- */

/* Why the channels of a position are no base; samples count from 1. */
static int fail_position(const struct deepsea *s, int64_t sample, int64_t at,
                         unsigned code)
{
    int other = 0, set = 0;

    for (int c = 0; c < N_CHANNEL; c++) {
        unsigned v = code >> 2 * c & 3;

        other |= v == BIRD_MAT_OTHER;
        set += v == 1;
    }
    if (other)
        return bird_fail(BIRD_EFORMAT,
                         "%s: '%s': sample %lld, position %lld: a channel is "
                         "neither 0 nor 1",
                         s->o->mat, s->x_name, (long long)sample + 1,
                         (long long)at + 1);
    return bird_fail(BIRD_EFORMAT,
                     "%s: '%s': sample %lld, position %lld: %d of the "
                     "channels A, G, C, T are 1: should be one, or none for N",
                     s->o->mat, s->x_name, (long long)sample + 1,
                     (long long)at + 1, set);
}

/* Samples from .. from + n of a slab of m, which begins at sample `first`. */
static int turn_bases(struct deepsea *s, int64_t first, int64_t m, int64_t from,
                      int64_t n)
{
    for (int64_t p = 0; p < s->length; p++) {
        const uint8_t *column = s->xs + p * N_CHANNEL * m + from;
        uint8_t code[BLOCK];

        for (int64_t i = 0; i < n; i++)
            code[i] =
                (uint8_t)(column[i] | column[m + i] << 2 |
                          column[2 * m + i] << 4 | column[3 * m + i] << 6);
        for (int64_t i = 0; i < n; i++) {
            char c = s->letter[code[i]];

            if (!c)
                return fail_position(s, first + from + i, p, code[i]);
            s->seq[i * s->length + p] = c;
        }
    }
    return 0;
}

static int turn_labels(struct deepsea *s, int64_t first, int64_t m,
                       int64_t from, int64_t n)
{
    memset(s->n_hit, 0, BLOCK * sizeof(*s->n_hit));
    for (int64_t k = 0; k < s->n_label; k++) {
        const uint8_t *column = s->ys + k * m + from;

        for (int64_t i = 0; i < n; i++) {
            if (!column[i])
                continue;
            if (column[i] == BIRD_MAT_OTHER)
                return bird_fail(BIRD_EFORMAT,
                                 "%s: '%s': sample %lld, label %lld: neither 0 "
                                 "nor 1",
                                 s->o->mat, s->y_name,
                                 (long long)(first + from + i) + 1,
                                 (long long)k + 1);
            s->label[i * s->n_label + s->n_hit[i]++] = (int32_t)k;
        }
    }
    return 0;
}

/* Is row i of the block, sample `sample`, the reverse complement of its
 * partner, with the same labels? Notes samples of the first half. */
static int is_complement(struct deepsea *s, int64_t i, int64_t sample)
{
    const char *seq = s->seq + i * s->length;
    uint64_t labels = bird_mix_bytes(1, s->label + i * s->n_label,
                                     s->n_hit[i] * (int64_t)sizeof(*s->label));
    int64_t half = s->tally.n_pair, k = sample - half;

    if (!half)
        return 0;
    if (k < 0) {
        bird_reverse_complement(s->reverse, seq, s->length);
        s->seq_hash[sample] = bird_mix_bytes(1, s->reverse, s->length);
        s->label_hash[sample] = labels;
        return 0;
    }
    if (s->seq_hash[k] != bird_mix_bytes(1, seq, s->length))
        return 0;
    s->tally.n_complement++;
    s->tally.n_other_labels += s->label_hash[k] != labels;
    return s->label_hash[k] == labels;
}

static int put_row(struct deepsea *s, int64_t i)
{
    const int32_t *label = s->label + i * s->n_label;
    const char *seq = s->seq + i * s->length;
    int rc;

    bird_text_clear(&s->line);
    rc = bird_text_put(&s->line, seq, s->length);
    for (int64_t k = 0; !rc && k < s->n_hit[i]; k++) {
        rc = bird_text_printf(&s->line, k ? ",%d" : "\t%d", (int)label[k]);
        s->positive[label[k]]++;
    }
    if (!rc)
        rc = bird_text_put(&s->line, s->n_hit[i] ? "\n" : "\t.\n",
                           s->n_hit[i] ? 1 : 3);
    s->tally.n_row++;
    s->tally.n_label += s->n_hit[i];
    s->tally.n_unknown += memchr(seq, 'N', (size_t)s->length) != NULL;
    return rc ? rc : bird_output_put(s->sink, s->line.s, s->line.n);
}

/* ---- all of them -------------------------------------------------------- */

static int put_head(struct deepsea *s)
{
    struct bird_text *t = &s->line;
    char base[256];
    int rc;

    bird_path_base(base, sizeof(base), s->o->mat);
    bird_replace_control(base, '_');
    rc = bird_text_printf(t, BIRD_LABELS_MAGIC "\t%d\n", BIRD_LABELS_SEQUENCES);
    if (!rc && s->o->command)
        rc = bird_text_printf(t, "##dnabird\t%s\n##command\t%s\n",
                              bird_version(), s->o->command);
    if (!rc)
        rc = bird_text_printf(t,
                              "##source\t%s\t%s\n##bin\t%lld\n"
                              "##context\t%lld\n",
                              base, s->x_name, (long long)s->o->bin,
                              (long long)s->length);
    if (!rc)
        rc = bird_labels_put_profiles(t, &s->list.features);
    if (!rc)
        rc = bird_text_printf(t, "#sequence\tlabels\n");
    return rc ? rc : bird_output_put(s->sink, t->s, t->n);
}

static int tell(const struct deepsea *s, int64_t done)
{
    bird_progress p = {
        .what = "reading", .unit = "samples", .done = done, .total = s->n};

    return s->o->progress && s->o->progress(s->o->progress_context, &p)
               ? bird_fail(BIRD_ECANCELED, "stopped")
               : 0;
}

static int put_slab(struct deepsea *s, int64_t first, int64_t m)
{
    int rc = bird_mat_read(s->xs, &s->x, first, m);

    if (!rc)
        rc = tell(s, first); /* and whether to stop, a slab is large */
    if (!rc)
        rc = bird_mat_read(s->ys, &s->y, first, m);
    for (int64_t from = 0; !rc && from < m; from += BLOCK) {
        int64_t n = m - from < BLOCK ? m - from : BLOCK;

        if (from % TELL_EVERY == 0)
            rc = tell(s, first + from);
        if (!rc)
            rc = turn_bases(s, first, m, from, n);
        if (!rc)
            rc = turn_labels(s, first, m, from, n);
        for (int64_t i = 0; !rc && i < n; i++)
            if (!is_complement(s, i, first + from + i) ||
                !s->o->drop_complements)
                rc = put_row(s, i);
    }
    return rc;
}

static int put_rows(struct deepsea *s)
{
    int rc = tell(s, 0);

    for (int64_t first = 0; !rc && first < s->n; first += s->slab) {
        int64_t m = s->n - first < s->slab ? s->n - first : s->slab;

        rc = put_slab(s, first, m);
        if (!rc)
            rc = tell(s, first + m);
    }
    return rc;
}

static int write_summary(const struct deepsea *s)
{
    const bird_features *f = &s->list.features;
    struct bird_out out;
    int rc;

    if (!s->o->summary)
        return 0;
    if ((rc = bird_out_open(&out, s->o->summary)))
        return rc;
    fputs("part\tprofile\tclass\tpeaks\tbins\tpositives\tshare\n", out.stream);
    for (int64_t k = 0; k < f->n; k++)
        fprintf(out.stream, "%.*s\t%s\t%s\tNA\t%lld\t%lld\t%.6f\n",
                (int)(strlen(s->y_name) - 4), s->y_name, f->at[k].name,
                *f->at[k].class_name ? f->at[k].class_name : ".",
                (long long)s->tally.n_row, (long long)s->positive[k],
                (double)s->positive[k] / (double)s->tally.n_row);
    rc = bird_out_commit(&out);
    bird_out_abort(&out);
    return rc;
}

void bird_deepsea_options_default(bird_deepsea_options *o)
{
    *o = (bird_deepsea_options){.bin = 200, .memory = INT64_C(256) << 20};
}

int bird_deepsea_data_write(const bird_deepsea_options *o,
                            bird_deepsea_tally *tally)
{
    struct deepsea s = {.o = o};
    int rc = o->mat ? deepsea_open(&s)
                    : bird_fail(BIRD_EINVAL, "no MATLAB file of DeepSEA");

    if (!rc)
        rc = bird_output_open(&s.sink, o->output, NULL);
    if (!rc)
        rc = put_head(&s);
    if (!rc)
        rc = put_rows(&s);
    if (!rc)
        rc = write_summary(&s);
    if (!rc) {
        rc = bird_output_close(s.sink, 0);
        s.sink = NULL;
    }
    if (!rc && tally)
        *tally = s.tally;
    deepsea_free(&s);
    return rc;
}
