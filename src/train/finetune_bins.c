/* Fine-tuning on windows of bins: labels, windows, tables beside them, and
 * what the model says of them. SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/mem.h"
#include "model/feature.h"
#include "model/stem.h"
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

static int check(const struct bird_finetuning *f)
{
    const bird_finetune_bins *b = f->o.bins;
    double sum = 0;

    if (!f->o.valid)
        return bird_fail(BIRD_EINVAL, "no windows to validate on: give "
                                      "--valid");
    if (!(b->cut >= 0 && b->cut <= 1) ||
        !(b->background >= 0 && b->background <= 1))
        return bird_fail(BIRD_EINVAL, "the shares of cut windows and of "
                                      "background lie in 0 to 1");
    if (b->cut_least < 1 || b->cut_most < b->cut_least || b->shift_bins < 0)
        return bird_fail(BIRD_EINVAL,
                         "a cut window keeps 1 bp or more, and a window is "
                         "shifted by 0 bins or more");
    if (b->n_also > BIRD_MAX_ALSO)
        return bird_fail(BIRD_EINVAL, "at most %d further tables",
                         BIRD_MAX_ALSO);
    for (int64_t i = 0; i < b->n_also; i++) {
        if (!(b->also[i].share > 0))
            return bird_fail(BIRD_EINVAL,
                             "%s: a share of the updates is above "
                             "0",
                             b->also[i].path);
        if (!(b->also[i].weight > 0) || !isfinite(b->also[i].weight))
            return bird_fail(BIRD_EINVAL, "%s: a weight is above 0, and finite",
                             b->also[i].path);
        sum += b->also[i].share;
    }
    return sum < 1 ? 0
                   : bird_fail(BIRD_EINVAL,
                               "the shares of further tables are "
                               "%g together: below 1",
                               sum);
}

/* Labels known in no window are left out, those never 1 are named. */
static int leave_out(struct bird_finetuning *f)
{
    int64_t n = f->labels.n_label;
    struct bird_pool pool = {0};
    int64_t *known = bird_pool_array(&pool, n, sizeof(*known));
    int64_t *positive = bird_pool_array(&pool, n, sizeof(*positive));
    uint8_t *keep = bird_pool_array(&pool, n, 1);
    int rc = pool.rc;

    if (!rc)
        rc = bird_bin_windows_count(known, positive, &f->train_windows, 1);
    if (!rc)
        rc = bird_bin_labels_head(&f->train, &f->labels);
    if (!rc)
        rc = bird_finetune_sort_labels(f, known, positive, keep);
    if (!rc && f->left_out.n)
        rc = bird_bin_labels_keep(&f->labels, keep);
    bird_dataset_free(&f->train);
    bird_pool_free(&pool);
    return rc;
}

/* Rows of two classes, and their label. */
static int open_also(struct bird_finetuning *f, int64_t i, bird_features *list)
{
    const bird_finetune_also *a = &f->o.bins->also[i];
    const bird_dataset_options plain = {0};
    bird_dataset *d = &f->also[i];
    bird_feature x = {.name = a->name, .class_name = "sequence", .index = -1};
    int rc = bird_dataset_open(d, a->path, &plain);

    if (rc)
        return rc;
    if (d->kind != BIRD_LABEL_CLASS || d->n_label != 2 || d->label_name)
        return bird_fail(BIRD_EINVAL,
                         "%s: rows beside windows have a label 0 "
                         "or 1",
                         a->path);
    if (!d->n)
        return bird_fail(BIRD_EINVAL, "%s: no rows", a->path);
    if (bird_features_find(list, a->name) >= 0)
        return bird_fail(BIRD_EINVAL, "%s: there is a label '%s' already",
                         a->path, a->name);
    return bird_features_put(list, &x);
}

/* Labels of tables stand behind those of windows, where they are unknown. */
static int add_also(struct bird_finetuning *f)
{
    bird_features all = {0};
    int64_t n = f->labels.n_label;
    int32_t *pair = NULL;
    int rc;

    if (!f->o.bins->n_also)
        return 0;
    rc = bird_features_copy(&all, &f->labels.features);
    for (int64_t i = 0; !rc && i < f->o.bins->n_also; i++)
        rc = open_also(f, i, &all);
    if (!rc)
        rc = bird_array_new(&pair, all.n, sizeof(*pair));
    for (int64_t i = 0; !rc && i < all.n; i++)
        pair[i] = i < n ? f->labels.pair[i] : (int32_t)i;
    if (!rc)
        rc = bird_bin_labels_name(&f->labels, &all, pair);
    bird_features_free(&all);
    free(pair);
    return rc;
}

/* Labels and answers of all validation bins are kept until the metrics of each
 * label are computed: of so many windows as memory is given for. */
static int bound_validation(struct bird_finetuning *f)
{
    struct bird_bin_windows *w = &f->valid_windows;
    int64_t a_bin = f->labels.n_label *
                    (int64_t)(sizeof(*f->probability) + sizeof(*f->value));
    int64_t most = f->o.bins->max_memory / a_bin;

    f->valid_all = w->n;
    bird_bin_windows_thin(w, most);
    if (bird_bin_windows_bins(w) <= most)
        return 0;
    return bird_fail(BIRD_EINVAL,
                     "%s: labels and answers of one window take %lld bytes, "
                     "--max-memory is %lld",
                     f->o.valid, (long long)(bird_bin_windows_bins(w) * a_bin),
                     (long long)f->o.bins->max_memory);
}

int bird_finetune_open_bins(struct bird_finetuning *f)
{
    const bird_bin_options *o = &f->o.bins->labels;
    int rc = check(f);

    if (!rc)
        rc = bird_bin_labels_open(&f->labels, &f->o.bins->files, o);
    if (!rc)
        rc =
            bird_bin_windows_open(&f->train_windows, &f->labels, f->o.train, o);
    if (!rc)
        rc =
            bird_bin_windows_open(&f->valid_windows, &f->labels, f->o.valid, o);
    if (!rc)
        rc = leave_out(f);
    if (!rc)
        rc = add_also(f);
    if (!rc)
        rc = bird_bin_labels_head(&f->train, &f->labels);
    f->train.n = f->train_windows.n;
    if (!rc)
        rc = bound_validation(f);
    if (!rc)
        rc = bird_bin_rows_new(&f->valid_rows, &f->valid_windows);
    if (rc)
        return rc;
    f->valid = f->valid_rows.d;
    f->valid_rows.d = (bird_dataset){.n = f->valid.n};
    rc = bird_array_new(&f->probability, f->valid.n * f->train.n_label,
                        sizeof(*f->probability));
    return rc ? rc : bird_finetune_prepare_labels(f);
}

/* The longest window must not be too long; all of them are whole rows, and less
 * their margins whole bins, as scans have them. */
static int check_windows(struct bird_finetuning *f,
                         const struct bird_bin_windows *w, const char *path)
{
    int64_t pool = bird_stem_pool(&f->run.l->c), longest = 0;
    struct bird_bin_drawn *d = &f->drawn;
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
                             "at both ends is no whole number of bins of "
                             "%lld bp",
                             path, (long long)len, (long long)w->margin,
                             (long long)w->bin);
        if (len > w->at[longest].end - w->at[longest].start)
            longest = i;
    }
    rc = bird_bin_windows_get(d, w, longest, '+', 0);
    f->pack.c = &f->run.l->c;
    if (!rc)
        rc = bird_pack_add_bins(&f->pack, f->run.tokenizer,
                                &(struct bird_binned){d->seq, d->len, 0});
    bird_pack_clear(&f->pack);
    return rc ? bird_fail_in(rc, "%s", path) : 0;
}

int bird_finetune_check_windows(struct bird_finetuning *f)
{
    int rc = check_windows(f, &f->train_windows, f->o.train);

    return rc ? rc : check_windows(f, &f->valid_windows, f->o.valid);
}

/* Tables too, by their digests. */
int bird_finetune_identify_bins(struct bird_finetuning *f)
{
    const bird_finetune_bins *b = f->o.bins;
    char hex[65];
    int rc = bird_text_printf(
        &f->run.identity,
        " bin=%lld margin=%lld other=%lld shift_bins=%lld cut=%.17g:%lld-%lld "
        "background=%.17g",
        (long long)b->labels.bin_bp, (long long)b->labels.margin_bp,
        (long long)b->labels.other_bp, (long long)b->shift_bins, b->cut,
        (long long)b->cut_least, (long long)b->cut_most, b->background);

    for (int64_t i = 0; !rc && i < b->n_also; i++) {
        rc = bird_finetune_digest(hex, &f->also[i]);
        if (!rc)
            rc = bird_text_printf(&f->run.identity, " %s=%.16s:%.17g",
                                  b->also[i].name, hex, b->also[i].share);
        if (!rc && b->also[i].weight != 1)
            rc =
                bird_text_printf(&f->run.identity, ":%.17g", b->also[i].weight);
    }
    return rc;
}

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

/* Put the names of labels made of peaks, or of starts, as those of a command.
 * Profiles alone leave promoters none; starts alone can be scanned as profiles
 * are. */
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

int bird_finetune_describe_bins(json_t *meta, const struct bird_finetuning *f)
{
    const struct bird_bin_window *first = &f->train_windows.at[0];
    const struct bird_reference *r = &f->labels.ref;
    json_t *contigs = json_object(), *pair = pairs(&f->labels);
    json_t *commands = json_object();
    int bad = !contigs || !pair || !commands ||
              put_command(commands, "promoter", &f->labels, 1) ||
              put_command(commands, "chromatin", &f->labels, 0);

    for (int64_t i = 0; !bad && i < r->n; i++)
        bad = json_object_set_new(contigs, r->contigs.name[i],
                                  json_integer(r->contig[i].length));
    bad = bad ||
          json_object_set_new(meta, "window_bp",
                              json_integer(first->end - first->start)) ||
          json_object_set_new(meta, "margin_bp",
                              json_integer(f->train_windows.margin)) ||
          json_object_set_new(meta, "other_bp",
                              json_integer(f->labels.other_bp)) ||
          json_object_set_new(meta, "strand", json_string("both")) ||
          json_object_set_new(meta, "genome",
                              json_pack("{s:O}", "contigs", contigs));
    if (!bad && json_is_array(pair))
        bad = json_object_set(meta, "strand_pair", pair);
    if (!bad && json_object_size(commands))
        bad = json_object_set(meta, "commands", commands);
    json_decref(contigs);
    json_decref(pair);
    json_decref(commands);
    return bad ? bird_fail_memory(0)
               : bird_features_describe(meta, &f->labels.features);
}
