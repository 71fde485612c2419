/* The source of labelled sequences: a file of rows, each with one answer.
 * SPDX-License-Identifier: MIT */
#include "train/finetune.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/mem.h"
#include "data/dataset.h"
#include "eval/predict.h"
#include "folder/feature.h"
#include "model/stem.h"

/* --- reading -------------------------------------------------------------- */

/* Validation rows: their own file, or held out by a hash of the sequence. */
static int split(struct bird_finetuning *f)
{
    bird_dataset all = f->data.train;
    uint8_t *mark = NULL;
    int rc;

    if (f->o.valid) {
        bird_dataset_options o = f->o.data;

        o.weight = o.error = NULL; /* validation counts rows the same */
        if (all.kind == BIRD_LABEL_CLASS || all.base_class) {
            /* numbered as in train */
            o.class_name = (const char *const *)all.label_name;
            o.n_class = all.n_label;
        }
        if (all.hit_at) { /* the same labels in the same order */
            o.label_name = (const char *const *)all.label_name;
            o.n_label_name = all.n_label;
            o.context_bp = all.row[0].len;
        }
        return bird_dataset_open(&f->data.valid, f->o.valid, &o);
    }
    rc = bird_array_new(&mark, all.n, 1);
    if (rc)
        return rc;
    rc = bird_dataset_mark_fraction(mark, &all, f->o.valid_fraction,
                                    f->o.split_seed);
    if (!rc)
        rc = bird_dataset_cut(&f->data.valid, &all, mark, 1);
    if (!rc)
        bird_dataset_mark_near(mark, &all, f->o.valid_fraction,
                               f->o.split_seed);
    if (!rc)
        rc = bird_dataset_cut(&f->data.train, &all, mark, 0);
    if (!rc)
        bird_dataset_free(&all);
    free(mark);
    return rc;
}

static int same_labels(const bird_dataset *valid, const bird_dataset *train)
{
    if (valid->kind != train->kind || valid->n_label > train->n_label ||
        !valid->label_name != !train->label_name)
        return 0;
    if (!bird_dataset_has_columns(valid))
        return 1;
    for (int64_t i = 0; i < valid->n_label && valid->label_name; i++)
        if (strcmp(valid->label_name[i], train->label_name[i]) != 0)
            return 0;
    return valid->n_label == train->n_label;
}

/* Refuse options that change bases: rows of token ids have none. */
static int check_ids(struct bird_finetuning *f)
{
    bird_finetune_options *o = &f->o;

    if (!o->data.ids)
        return 0;
    o->data.n_vocab = bird_tokenizer_count(f->run.tokenizer);
    if (o->reverse_complement || o->shift_bp || o->mutate > 0)
        return bird_fail(BIRD_EINVAL,
                         "--strand both, --shift and --mutate change bases: "
                         "rows of token ids (--ids) have none");
    return 0;
}

int bird_finetune_open_rows(struct bird_finetuning *f)
{
    bird_dataset *train = &f->data.train, *valid = &f->data.valid;
    int rc = check_ids(f);

    if (!rc)
        rc = bird_dataset_open(train, f->o.train, &f->o.data);
    if (rc || (rc = split(f)))
        return rc;
    if ((f->o.data.weight || f->o.data.error) && !train->weight)
        return bird_fail(BIRD_EINVAL,
                         "%s: weights of rows are for measured values of CSV "
                         "and TSV: name their columns with --values",
                         f->o.train);
    if (train->kind == BIRD_LABEL_NONE)
        return bird_fail(BIRD_EINVAL, "%s: no labels to learn from",
                         f->o.train);
    if (valid->n < 1 || train->n < 1)
        return bird_fail(BIRD_EINVAL,
                         "%s: no %s rows are left after the split%s",
                         f->o.train, valid->n < 1 ? "validation" : "training",
                         train->hit_at && train->n_contig
                             ? ": bins are held out in blocks of 1 Mb; give "
                               "--valid, or another split-seed in --settings"
                             : "");
    if (!same_labels(valid, train))
        return bird_fail(BIRD_EINVAL, "%s: its labels are not those of %s",
                         f->o.valid, f->o.train);
    f->data.n_valid = valid->n;
    rc = bird_dataset_has_columns(train) ? bird_finetune_leave_out(f) : 0;
    valid->n_label = train->n_label;
    return rc;
}

/* Rows of ids cannot be trimmed, since their special tokens are unknown. */
static int check_ids_length(struct bird_finetuning *f, const bird_dataset *d,
                            const char *path)
{
    const struct bird_config *c = &f->run.l->c;
    struct bird_ids *ids = &f->stream.ids;
    int64_t max = bird_stem_tokens(c, c->max_positions);
    int rc = 0;

    for (int64_t i = 0; !rc && i < d->n; i++) {
        rc = bird_ids_read(ids, bird_dataset_seq(d, i), d->row[i].len);
        if (!rc && ids->n > max)
            rc = bird_dataset_fail_long(d, i, path, ids->n, max);
    }
    return rc;
}

/* Rows with more tokens than the model reads. A base gives one token at most,
 * so only long rows are encoded. */
static int count_trimmed(int64_t *out, struct bird_finetuning *f,
                         const bird_dataset *d)
{
    enum { SPECIAL = 64 }; /* at least as many as the special tokens */
    const struct bird_config *c = &f->run.l->c;
    struct bird_pack *p = &f->stream.pack;
    int64_t max = bird_stem_tokens(c, c->max_positions);
    int64_t special = SPECIAL + bird_tokenizer_global(f->run.tokenizer);
    int64_t before = p->n_trimmed;
    int rc = 0;

    for (int64_t i = 0; !rc && i < d->n; i++)
        if (d->row[i].len + special > max)
            rc = bird_pack_encode(p, f->run.tokenizer, bird_dataset_seq(d, i),
                                  d->row[i].len, max);
    *out = p->n_trimmed - before;
    return rc;
}

static int check_lengths(struct bird_finetuning *f)
{
    int rc;

    if (f->o.data.ids) {
        rc = check_ids_length(f, &f->data.train, f->o.train);
        return rc ? rc
                  : check_ids_length(f, &f->data.valid,
                                     f->o.valid ? f->o.valid : f->o.train);
    }
    rc = count_trimmed(&f->data.train_trimmed, f, &f->data.train);
    return rc ? rc : count_trimmed(&f->data.valid_trimmed, f, &f->data.valid);
}

/* --- training ------------------------------------------------------------- */

static int pack_row(struct bird_finetuning *f, const struct bird_train_row *row)
{
    const struct bird_config *c = &f->run.l->c;
    struct bird_ids *ids = &f->stream.ids;
    int rc;

    if (f->o.data.ids) {
        rc = bird_ids_read(ids, row->seq, row->len);
        return rc ? rc
                  : bird_pack_add_ids(&f->stream.pack, ids->id, NULL, ids->n);
    }
    return bird_pack_add(&f->stream.pack, f->run.tokenizer, row->seq, row->len,
                         bird_stem_tokens(c, c->max_positions));
}

static int count(int64_t *known, int64_t *positive,
                 const struct bird_finetuning *f, int every)
{
    const bird_dataset *d = &f->data.train;
    int rc = bird_labels_count(known, positive, d);

    (void)every; /* all rows are learned from */
    for (int64_t k = 0; d->kind == BIRD_LABEL_VALUE && k < d->n_label; k++)
        positive[k] = known[k]; /* no value is a negative */
    return rc;
}

static int keep_labels(struct bird_finetuning *f, const uint8_t *keep)
{
    int rc = bird_labels_keep(&f->data.train, keep);

    return rc ? rc : bird_labels_keep(&f->data.valid, keep);
}

int bird_finetune_identify_rows(struct bird_finetuning *f)
{
    (void)f; /* bird_finetune_options has all that decides the result */
    return 0;
}

/* Digest of labelled bins: positions of sequences, labels, masks. */
static int bins_digest(struct bird_text *t, const bird_dataset *d)
{
    int64_t size = (int64_t)sizeof(*d->hit_at);
    int rc = bird_text_put(t, d->hit_at, (d->n + 1) * size);

    for (int64_t i = 0; !rc && i < d->n; i++)
        rc = bird_text_put(t, &d->row[i].at, size);
    if (!rc)
        rc = bird_text_put(t, d->hit,
                           d->hit_at[d->n] * (int64_t)sizeof(*d->hit));
    return rc ? rc : bird_text_put(t, d->unknown, d->n_contig * d->n_label);
}

/* SHA-256 of sequences, their borders and labels. */
int bird_finetune_digest(char hex[65], const bird_dataset *d)
{
    struct bird_text t = {0};
    int rc;

    bird_sha256(hex, d->bases, (size_t)d->n_base);
    rc = bird_text_put(&t, hex, 64);
    for (int64_t i = 0; !rc && i < d->n; i++)
        rc = bird_text_printf(&t, " %lld:%d", (long long)d->row[i].len,
                              (int)d->row[i].label);
    if (!rc && d->target)
        rc = bird_text_put(&t, d->target,
                           d->n * d->n_label * (int64_t)sizeof(*d->target));
    if (!rc && d->weight)
        rc = bird_text_put(&t, d->weight, d->n * (int64_t)sizeof(*d->weight));
    if (!rc && d->base_class)
        rc = bird_text_put(&t, d->base_class, d->n_base);
    if (!rc && d->hit_at)
        rc = bins_digest(&t, d);
    if (!rc)
        bird_sha256(hex, t.s, (size_t)t.n);
    bird_text_free(&t);
    return rc;
}

int bird_finetune_digest_rows(char train[65], char valid[65],
                              const struct bird_finetuning *f)
{
    int rc = bird_finetune_digest(train, &f->data.train);

    return rc ? rc : bird_finetune_digest(valid, &f->data.valid);
}

/* --- validation and the model --------------------------------------------- */

static int predict(double *p, const struct bird_finetuning *f,
                   const bird_model *m, int (*after_row)(void *context),
                   void *context)
{
    struct bird_scoring s = {.m = m,
                             .file = f->o.valid ? f->o.valid : f->o.train,
                             .strand = BIRD_STRAND_PLUS,
                             .after_row = after_row,
                             .context = context};

    return bird_score_rows(p, &s, &f->data.valid);
}

static int fit_baseline(bird_baseline **out, const struct bird_finetuning *f,
                        const bird_baseline_options *o)
{
    bird_finetune_restore_unit(f); /* the model has learned */
    return bird_baseline_fit(out, &f->data.train, o);
}

/* Labelled bins lie on a genome, which a scan needs to know; other rows do
 * not. */
static int describe(json_t *meta, const struct bird_finetuning *f)
{
    const bird_dataset *d = &f->data.train;
    int64_t bin_bp = d->row[0].end - d->row[0].start;
    const struct bird_finetune_fact fact[] = {{"window_bp", d->row[0].len},
                                              {"bin_bp", bin_bp},
                                              {"stride_bp", bin_bp}};
    int rc;

    if (!d->hit_at)
        return 0;
    rc = bird_finetune_describe_genome(meta, d, fact, 3);
    return rc ? rc : bird_features_describe(meta, &d->features);
}

const struct bird_finetune_source bird_finetune_from_rows = {
    .unit = "rows",
    .open = bird_finetune_open_rows,
    .check = check_lengths,
    .sample = bird_finetune_sample_table,
    .pack = pack_row,
    .count = count,
    .keep = keep_labels,
    .digest = bird_finetune_digest_rows,
    .identify = bird_finetune_identify_rows,
    .predict = predict,
    .fit_baseline = fit_baseline,
    .describe = describe};
