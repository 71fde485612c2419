/* The source of windows of bins, and of the tables learned beside them.
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "eval/predict.h"
#include "folder/feature.h"
#include "model/stem.h"
#include "peers/baseline.h"
#include "train/finetune.h"

void bird_finetune_bins_default(bird_finetune_bins *b)
{
    *b = (bird_finetune_bins){.cut = 0.25,
                              .cut_least = 300,
                              .cut_most = 2000,
                              .background = 1,
                              .max_memory = INT64_C(2) << 30};
    bird_bin_options_default(&b->labels);
}

static int check_options(const struct bird_finetuning *f)
{
    const bird_finetune_bins *b = f->o.bins;

    if (!f->o.valid)
        return bird_fail(BIRD_EINVAL, "no windows to validate on: give "
                                      "--valid");
    if (!(b->cut >= 0 && b->cut <= 1) ||
        !(b->background >= 0 && b->background <= 1))
        return bird_fail(BIRD_EINVAL, "the shares of cut windows and of "
                                      "background must be 0 to 1");
    if (b->labels.site_bp < 0 || b->labels.other_bp < 0)
        return bird_fail(BIRD_EINVAL, "distances of start sites are 0 or more");
    if (!(b->decoys >= 0 && b->decoys < 1))
        return bird_fail(BIRD_EINVAL,
                         "the share of decoys is 0 or more and below 1");
    if (b->decoys > 0 && !b->files.sites)
        return bird_fail(BIRD_EINVAL,
                         "decoys are windows without a start site: "
                         "give --sites, or leave out 'decoys'");
    if (b->cut_least < 1 || b->cut_most < b->cut_least || b->shift_bins < 0)
        return bird_fail(BIRD_EINVAL,
                         "a cut window keeps 1 bp or more, and a window is "
                         "shifted by 0 bins or more");
    return bird_finetune_check_also(b);
}

/* --- labels --------------------------------------------------------------- */

/* f->data.train as the labels are now. */
static int name_labels(struct bird_finetuning *f)
{
    bird_dataset *d = &f->data.train;
    int rc;

    bird_dataset_free(d);
    rc = bird_bin_labels_head(d, &f->data.windows.labels);
    d->n = f->data.windows.train.n;
    return rc;
}

static int count(int64_t *known, int64_t *positive,
                 const struct bird_finetuning *f, int every)
{
    return bird_bin_windows_count(known, positive, &f->data.windows.train,
                                  every ? 1 : f->o.bins->background);
}

static int keep_labels(struct bird_finetuning *f, const uint8_t *keep)
{
    return bird_bin_labels_keep(&f->data.windows.labels, keep);
}

/* --- windows -------------------------------------------------------------- */

/* Labels and probabilities of all validation bins are in memory while the
 * metrics are computed: of as many windows as --max-memory allows. */
static int bound_validation(struct bird_finetuning *f)
{
    struct bird_bin_windows *w = &f->data.windows.valid;
    int64_t a_bin = f->data.windows.labels.n_label *
                    (int64_t)(sizeof(double) + sizeof(float));
    int64_t most = f->o.bins->max_memory / a_bin;

    f->data.windows.valid_all = w->n;
    bird_bin_windows_thin(w, most);
    if (bird_bin_windows_bins(w) <= most)
        return 0;
    return bird_fail(BIRD_EINVAL,
                     "%s: labels and answers of one window take %lld bytes, "
                     "--max-memory is %lld",
                     f->o.valid, (long long)(bird_bin_windows_bins(w) * a_bin),
                     (long long)f->o.bins->max_memory);
}

static int open_files(struct bird_finetuning *f)
{
    struct bird_finetune_windows *w = &f->data.windows;
    const bird_bin_options *o = &f->o.bins->labels;
    int rc = bird_bin_labels_open(&w->labels, &f->o.bins->files, o);

    if (!rc)
        rc = bird_bin_windows_open(&w->train, &w->labels, f->o.train, o);
    if (!rc)
        rc = bird_bin_windows_open(&w->valid, &w->labels, f->o.valid, o);
    return rc;
}

static int open_windows(struct bird_finetuning *f)
{
    struct bird_finetune_windows *w = &f->data.windows;
    int rc = check_options(f);

    if (!rc)
        rc = open_files(f);
    if (!rc)
        rc = name_labels(f);
    if (!rc)
        rc = bird_finetune_leave_out(f);
    if (!rc)
        rc = bird_finetune_open_also(f);
    if (!rc)
        rc = bird_finetune_open_teachers(f);
    if (!rc)
        rc = name_labels(f);
    if (!rc)
        rc = bound_validation(f);
    if (!rc)
        rc = bird_bin_rows_new(&w->valid_rows, &w->valid);
    if (rc)
        return rc;
    f->data.bin_bp = w->train.bin;
    f->data.n_valid = w->valid.n;
    f->data.valid = w->valid_rows.d;
    w->valid_rows.d = (bird_dataset){.n = f->data.valid.n};
    return 0;
}

/* All windows are whole rows of the stem and, less their margins, whole bins,
 * as in scans; the longest one must not be too long for the model. */
static int check_windows(struct bird_finetuning *f,
                         const struct bird_bin_windows *w, const char *path)
{
    int64_t pool = bird_stem_pool(&f->run.l->c), longest = 0;
    struct bird_bin_sample *d = &f->data.windows.sample;
    struct bird_pack *p = &f->stream.pack;
    int rc;

    for (int64_t i = 0; i < w->n; i++) {
        int64_t len = w->at[i].end - w->at[i].start;

        if (len % pool)
            return bird_fail(BIRD_EINVAL,
                             "%s: a window of %lld bp is not a multiple of the "
                             "%lld tokens that the stem makes one row of",
                             path, (long long)len, (long long)pool);
        if ((len - 2 * w->margin) % w->bin)
            return bird_fail(BIRD_EINVAL,
                             "%s: a window of %lld bp less margins of %lld bp "
                             "at both ends is not a whole number of bins of "
                             "%lld bp",
                             path, (long long)len, (long long)w->margin,
                             (long long)w->bin);
        if (len > w->at[longest].end - w->at[longest].start)
            longest = i;
    }
    rc = bird_bin_windows_get(d, w, longest, '+', 0);
    p->c = &f->run.l->c;
    if (!rc)
        rc = bird_pack_add_bins(p, f->run.tokenizer,
                                &(struct bird_binned){d->seq, d->len, 0});
    bird_pack_clear(p);
    return rc ? bird_fail_in(rc, "%s", path) : 0;
}

static int check_lengths(struct bird_finetuning *f)
{
    int rc = check_windows(f, &f->data.windows.train, f->o.train);

    return rc ? rc : check_windows(f, &f->data.windows.valid, f->o.valid);
}

/* --- training ------------------------------------------------------------- */

static int sample_window(struct bird_train_row *out, struct bird_finetuning *f,
                         const struct bird_row_stream *s, int64_t i,
                         struct bird_rng *r)
{
    const bird_finetune_bins *b = f->o.bins;
    const struct bird_bin_change how = {.strand = f->o.reverse_complement,
                                        .shift_bp = f->o.shift_bp,
                                        .shift_bins = b->shift_bins,
                                        .cut = b->cut,
                                        .cut_least = b->cut_least,
                                        .cut_most = b->cut_most,
                                        .background = b->background,
                                        .decoys = b->decoys,
                                        .mutate = f->o.mutate};
    struct bird_bin_sample *d = &f->data.windows.sample;
    int rc = bird_bin_windows_sample(d, &f->data.windows.train, i, &how, r);

    (void)s; /* windows have no table */
    if (!rc)
        rc = bird_finetune_teach(&f->data.windows);
    *out = (struct bird_train_row){.seq = d->seq,
                                   .len = d->len,
                                   .before = d->before,
                                   .value = d->label,
                                   .n_answer = d->bins};
    return rc;
}

/* A row of a table is one bin, however long it is. */
static int pack_row(struct bird_finetuning *f, const struct bird_train_row *row)
{
    struct bird_pack *p = &f->stream.pack;
    int rc = bird_pack_add_bins(
        p, f->run.tokenizer,
        &(struct bird_binned){row->seq, row->len, row->before});

    if (!rc)
        p->bin[p->n_seq] = p->bin[p->n_seq - 1] + row->n_answer;
    return rc;
}

static int digest(char train[65], char valid[65],
                  const struct bird_finetuning *f)
{
    int rc = bird_bin_windows_digest(train, &f->data.windows.train);

    return rc ? rc : bird_bin_windows_digest(valid, &f->data.windows.valid);
}

/* Options of windows, and the digests of tables beside them. */
static int identify(struct bird_finetuning *f)
{
    const bird_finetune_bins *b = f->o.bins;
    struct bird_text *to = &f->run.identity;
    int rc = bird_text_printf(
        to,
        " bin=%lld margin=%lld other=%lld shift_bins=%lld cut=%.17g:%lld-%lld "
        "background=%.17g",
        (long long)f->data.bin_bp, (long long)b->labels.margin_bp,
        (long long)b->labels.other_bp, (long long)b->shift_bins, b->cut,
        (long long)b->cut_least, (long long)b->cut_most, b->background);

    /* Runs without these keep the identity that they had before. */
    if (!rc && (b->labels.site_bp || b->decoys > 0))
        rc = bird_text_printf(to, " site=%lld decoys=%.17g",
                              (long long)b->labels.site_bp, b->decoys);

    if (!rc)
        rc = bird_finetune_identify_also(f);
    return rc ? rc : bird_finetune_identify_teachers(f);
}

/* --- validation and the model --------------------------------------------- */

static int predict(double *p, const struct bird_finetuning *f,
                   const bird_model *m, int (*after_row)(void *context),
                   void *context)
{
    const struct bird_finetune_windows *w = &f->data.windows;
    const struct bird_scoring s = {.m = m,
                                   .strand = BIRD_STRAND_PLUS,
                                   .pack_tokens = f->run.o->pack_tokens,
                                   .after_row = after_row,
                                   .context = context};

    return bird_score_windows(p, &s, &w->valid, &w->valid_rows);
}

static int fit_baseline(bird_baseline **out, const struct bird_finetuning *f,
                        const bird_baseline_options *o)
{
    return bird_baseline_fit_bins(out, &f->data.windows.train, o);
}

/* The label of each label on the other strand; null where all are their own. */
static json_t *pairs(const struct bird_bin_labels *l)
{
    json_t *a = json_array();
    int other = 0;

    for (int64_t i = 0; a && i < l->n_label; i++) {
        other |= l->pair[i] != i;
        if (json_array_append_new(a, json_integer(l->pair[i]))) {
            json_decref(a);
            return NULL;
        }
    }
    if (other || !a)
        return a;
    json_decref(a);
    return json_null();
}

/* Add the names of labels made of peaks, or of start sites, as those of a
 * command. Without start sites there are no promoters; a model of start sites
 * alone can still be scanned for profiles. */
static int put_command(json_t *commands, const char *command,
                       const struct bird_bin_labels *l, int starts)
{
    json_t *a = json_array();
    int bad = !a;

    for (int64_t i = 0; !bad && i < l->n_label; i++)
        if (l->source[i] >= 0 && (l->source[i] >= l->n_track) == starts)
            bad = json_array_append_new(a, json_string(l->features.at[i].name));
    if (!bad && (starts || json_array_size(a)))
        bad = json_object_set(commands, command, a);
    json_decref(a);
    return bad;
}

static int describe(json_t *meta, const struct bird_finetuning *f)
{
    const struct bird_finetune_windows *w = &f->data.windows;
    const struct bird_bin_window *first = &w->train.at[0];
    const struct bird_finetune_fact fact[] = {
        {"window_bp", first->end - first->start},
        {"margin_bp", w->train.margin},
        {"other_bp", w->labels.other_bp},
        {"site_bp", w->labels.site_bp},
        /* one start's bins are one call of `promoter` */
        {"merge_bp",
         w->labels.site_bp ? 2 * w->labels.site_bp + w->train.bin : 0}};
    json_t *pair = pairs(&w->labels), *commands = json_object();
    int bad = !pair || !commands ||
              put_command(commands, "promoter", &w->labels, 1) ||
              put_command(commands, "chromatin", &w->labels, 0);
    int rc = bad ? bird_fail_memory(0)
                 : bird_finetune_describe_genome(meta, &f->data.train, fact,
                                                 w->labels.site_bp ? 5 : 3);

    if (!rc && json_is_array(pair))
        bad = json_object_set(meta, "strand_pair", pair);
    if (!rc && !bad && json_object_size(commands))
        bad = json_object_set(meta, "commands", commands);
    json_decref(pair);
    json_decref(commands);
    if (!rc && bad)
        rc = bird_fail_memory(0);
    return rc ? rc : bird_features_describe(meta, &w->labels.features);
}

/* From the odds of a label themselves, and from 10 times, a head learns less in
 * as many updates: measured in docs/trials/stem.md. */
#define START_ODDS 3.0

const struct bird_finetune_source bird_finetune_from_windows = {
    .unit = "windows",
    .start_odds = START_ODDS,
    .open = open_windows,
    .check = check_lengths,
    .sample = sample_window,
    .pack = pack_row,
    .count = count,
    .keep = keep_labels,
    .digest = digest,
    .identify = identify,
    .predict = predict,
    .fit_baseline = fit_baseline,
    .describe = describe};
