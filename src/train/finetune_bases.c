/* The source of sequences with a class for each base, for a head on tokens.
 *
 * A token has the bases from its first one to the first one of the next token. It
 * learns the rarest of their known classes, by the bases of the training rows:
 * a site of one base stays in a token of several. Special tokens, and tokens of
 * which no class is known, have no label. Validation is of bases: each has the
 * answer of its token. SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "data/dataset.h"
#include "eval/predict.h"
#include "model/stem.h"
#include "train/finetune.h"

/* --- classes -------------------------------------------------------------- */

static int count_classes(struct bird_finetune_data *d)
{
    int rc = bird_array_new(&d->class_count, d->train.n_label,
                            sizeof(*d->class_count));

    for (int64_t i = 0; !rc && i < d->train.n_base; i++)
        if (d->train.base_class[i] != BIRD_NO_CLASS)
            d->class_count[d->train.base_class[i]]++;
    return rc;
}

/* A number weighs all classes but the most frequent; "data": bases of the most
 * frequent class per base of the class. */
static int weigh(struct bird_finetuning *f)
{
    struct bird_finetune_data *d = &f->data;
    int64_t n = d->train.n_label, most = 0;
    int rc;

    if (f->o.pos_weight_of)
        return bird_finetune_weigh_classes(f);
    if (f->o.pos_weight == 1)
        return 0;
    rc = bird_array_new(&d->pos_weights, n, sizeof(*d->pos_weights));
    for (int64_t k = 0; k < n; k++)
        most = d->class_count[k] > d->class_count[most] ? k : most;
    for (int64_t k = 0; !rc && k < n; k++) {
        double own = (double)d->class_count[k];
        double w = own > 0 ? (double)d->class_count[most] / own : 1;

        if (f->o.pos_weight > 0)
            w = k == most ? 1 : f->o.pos_weight;
        else if (w > BIRD_MOST_POS_WEIGHT)
            w = BIRD_MOST_POS_WEIGHT;
        d->pos_weights[k] = (float)w;
    }
    return rc;
}

static int open_bases(struct bird_finetuning *f)
{
    int rc = f->o.shift_bp
                 ? bird_fail(BIRD_EINVAL, "--shift rotates a row, whose bases "
                                          "have classes of their own: leave it "
                                          "out with --head token")
                 : bird_finetune_open_rows(f);

    if (!rc)
        rc = count_classes(&f->data);
    return rc ? rc : weigh(f);
}

/* The class that a token of n bases learns; -100: none of them is known. */
static int32_t class_of_token(const int64_t *count, const uint8_t *base,
                              int64_t n)
{
    int32_t best = -100;

    for (int64_t i = 0; i < n; i++)
        if (base[i] != BIRD_NO_CLASS &&
            (best < 0 || count[base[i]] < count[best] ||
             (count[base[i]] == count[best] && base[i] > best)))
            best = base[i];
    return best;
}

/* --- training ------------------------------------------------------------- */

static int64_t most_tokens(const struct bird_finetuning *f)
{
    const struct bird_config *c = &f->run.l->c;

    return bird_stem_tokens(c, c->max_positions);
}

/* A row that is too long cannot lose its ends, which have classes. */
static int check_rows(struct bird_finetuning *f, const bird_dataset *d,
                      const char *path)
{
    enum { SPECIAL = 64 };
    struct bird_pack *p = &f->stream.pack;
    int64_t max = most_tokens(f);
    int64_t special = SPECIAL + bird_tokenizer_global(f->run.tokenizer);
    int rc = 0;

    for (int64_t i = 0; !rc && i < d->n; i++) {
        if (d->row[i].len + special <= max)
            continue;
        rc = bird_pack_encode(p, f->run.tokenizer, bird_dataset_seq(d, i),
                              d->row[i].len, max);
        if (!rc && p->n_trimmed)
            rc = bird_dataset_fail_long(d, i, path, d->row[i].len, max);
    }
    return rc;
}

static int check(struct bird_finetuning *f)
{
    int rc = check_rows(f, &f->data.train, f->o.train);

    return rc ? rc
              : check_rows(f, &f->data.valid,
                           f->o.valid ? f->o.valid : f->o.train);
}

static void label_tokens(struct bird_finetuning *f, int64_t first,
                         const struct bird_train_row *row)
{
    struct bird_finetune_stream *s = &f->stream;
    const bird_encoding *e = &s->pack.encoding;
    const float *weight = f->data.pos_weights;

    for (int64_t i = 0; i < e->n; i++) {
        int64_t end = i + 1 < e->n ? e->start[i + 1] : row->len;
        int32_t k =
            class_of_token(f->data.class_count, row->base_class + e->start[i],
                           end - e->start[i]);

        s->token[first + i] = k;
        if (weight)
            s->token_weight[first + i] = k < 0 ? 0 : weight[k];
    }
}

static int pack_row(struct bird_finetuning *f, const struct bird_train_row *row)
{
    struct bird_finetune_stream *s = &f->stream;
    int64_t first = s->pack.n_tok;
    int rc = bird_pack_add(&s->pack, f->run.tokenizer, row->seq, row->len,
                           most_tokens(f));

    if (!rc)
        rc = bird_array_grow(&s->token, &s->cap_token, s->pack.n_tok,
                             sizeof(*s->token));
    if (!rc && f->data.pos_weights)
        rc = bird_array_grow(&s->token_weight, &s->cap_token_weight,
                             s->pack.n_tok, sizeof(*s->token_weight));
    if (!rc)
        label_tokens(f, first, row);
    return rc;
}

int bird_finetune_pack_tokens(struct bird_labels *out,
                              const struct bird_finetuning *f)
{
    const struct bird_finetune_stream *s = &f->stream;
    int known = 0;

    for (int64_t i = 0; !known && i < s->pack.n_tok; i++)
        known = s->token[i] >= 0;
    out->token = s->token;
    out->token_weight = s->token_weight;
    return known;
}

/* --- validation and the model --------------------------------------------- */

static int predict(double *p, const struct bird_finetuning *f,
                   const bird_model *m, int (*after_row)(void *context),
                   void *context)
{
    struct bird_scoring s = {.m = m,
                             .file = f->o.valid ? f->o.valid : f->o.train,
                             .strand = BIRD_STRAND_PLUS,
                             .pack_tokens = f->run.o->pack_tokens,
                             .after_row = after_row,
                             .context = context};

    return bird_score_bases(p, &s, &f->data.valid);
}

static int describe(json_t *meta, const struct bird_finetuning *f)
{
    (void)meta, (void)f; /* rows may lie anywhere */
    return 0;
}

const struct bird_finetune_source bird_finetune_from_bases = {
    .unit = "rows",
    .open = open_bases,
    .check = check,
    .sample = bird_finetune_sample_table,
    .pack = pack_row,
    .digest = bird_finetune_digest_rows,
    .identify = bird_finetune_identify_rows,
    .predict = predict,
    .describe = describe};
