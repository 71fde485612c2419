/* The streams of training rows, and the pack that an update is made of.
 *
 * A source samples its rows; epochs, packs and labels work in the same way for
 * all sources. Update s has rows of one stream. The fractional part of s times
 * the golden ratio chooses the stream; these values fill 0 .. 1 evenly (Weyl's
 * theorem; Knuth, The Art of Computer Programming 3, section 6.4): so any run
 * of consecutive updates has nearly the requested shares.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "data/augment.h"
#include "data/dataset.h"
#include "train/finetune.h"

/* Numbers of random streams: 1 and 2 for rows, 3 for dropout (finetune.c). Row
 * stream k uses 1 + 8 k and 2 + 8 k. */
enum { STREAM_ORDER = 1, STREAM_BASES = 2, STREAM_STEP = 8 };

/* --- sampling rows ---------------------------------------------------------
 * */

/* Classes of bases as the other strand reads them. */
static int turn_classes(struct bird_train_row *out,
                        struct bird_finetune_stream *s)
{
    int rc = bird_array_grow(&s->turned, &s->cap_turned, out->len, 1);

    for (int64_t i = 0; !rc && i < out->len; i++)
        s->turned[i] = out->base_class[out->len - 1 - i];
    out->base_class = s->turned;
    return rc;
}

static int augment(struct bird_train_row *out, struct bird_finetuning *f,
                   const struct bird_augmentation *how, struct bird_rng *r)
{
    struct bird_finetune_stream *s = &f->stream;
    int rc;

    if (!bird_augments(how))
        return 0;
    rc = bird_array_grow(&s->changed, &s->cap_changed, out->len, 1);
    if (rc)
        return rc;
    if (bird_augment(s->changed, out->seq, out->len, how, r) && out->base_class)
        rc = turn_classes(out, s);
    out->seq = s->changed;
    return rc;
}

int bird_finetune_sample_table(struct bird_train_row *out,
                               struct bird_finetuning *f,
                               const struct bird_row_stream *s, int64_t i,
                               struct bird_rng *r)
{
    const bird_dataset *d = s->table;
    float *one = f->stream.one;
    struct bird_augmentation how = {f->o.reverse_complement, f->o.shift_bp,
                                    f->o.mutate};

    *out = (struct bird_train_row){.seq = bird_dataset_seq(d, i),
                                   .len = d->row[i].len,
                                   .n_answer = 1,
                                   .weight = d->weight ? d->weight[i] : 1,
                                   .class_id = d->row[i].label};
    if (d->base_class)
        out->base_class = bird_dataset_base_class(d, i);
    if (s->only_label >= 0) {
        for (int64_t k = 0; k < f->data.train.n_label; k++)
            one[k] = NAN;
        one[s->only_label] = d->target ? d->target[i] : (float)d->row[i].label;
        out->value = one;
        how.shift = 0; /* rows of such a table are centred on one position */
    } else if (bird_dataset_has_columns(d)) {
        bird_dataset_labels(one, d, i);
        out->value = one;
    }
    return augment(out, f, &how, r);
}

static void order_epoch(const struct bird_finetuning *f,
                        const struct bird_row_stream *s, int64_t epoch)
{
    struct bird_rng r;

    for (int64_t i = 0; i < s->n; i++)
        s->order[i] = i;
    bird_rng_init(&r, f->o.seed, STREAM_ORDER + STREAM_STEP * s->number,
                  (uint64_t)epoch);
    for (int64_t i = s->n - 1; i > 0; i--) {
        int64_t j = (int64_t)bird_rng_below(&r, (uint64_t)i + 1);
        int64_t t = s->order[i];

        s->order[i] = s->order[j];
        s->order[j] = t;
    }
}

/* --- the pack ------------------------------------------------------------- */

static int put_labels(struct bird_finetuning *f,
                      const struct bird_train_row *row)
{
    struct bird_finetune_stream *s = &f->stream;
    int64_t n = row->value ? row->n_answer * f->data.train.n_label : 0;
    int rc = bird_array_grow(&s->class_id, &s->cap_class, s->pack.n_seq,
                             sizeof(*s->class_id));

    if (!rc)
        rc = bird_array_grow(&s->weight, &s->cap_weight, s->pack.n_seq,
                             sizeof(*s->weight));
    if (!rc && n)
        rc = bird_array_grow(&s->value, &s->cap_value, s->n_value + n,
                             sizeof(*s->value));
    if (rc)
        return rc;
    s->class_id[s->pack.n_seq - 1] = row->class_id;
    s->weight[s->pack.n_seq - 1] = row->weight;
    if (n)
        memcpy(s->value + s->n_value, row->value, (size_t)n * sizeof(float));
    s->n_value += n;
    return 0;
}

int bird_finetune_add_row(struct bird_finetuning *f, struct bird_row_stream *s,
                          int64_t k)
{
    struct bird_train_row row;
    struct bird_rng r;
    int rc;

    if (s->epoch != k / s->n)
        order_epoch(f, s, k / s->n);
    s->epoch = k / s->n;
    bird_rng_init(&r, f->o.seed, STREAM_BASES + STREAM_STEP * s->number,
                  (uint64_t)k);
    f->stream.pack.c = &f->run.l->c;
    rc = s->sample(&row, f, s, s->order[k % s->n], &r);
    if (!rc)
        rc = f->data.source->pack(f, &row);
    return rc ? rc : put_labels(f, &row);
}

void bird_finetune_clear_pack(struct bird_finetuning *f)
{
    bird_pack_clear(&f->stream.pack);
    f->stream.n_value = 0;
}

/* --- which stream --------------------------------------------------------- */

double bird_finetune_own_share(const struct bird_finetuning *f)
{
    double own = 1;

    for (int64_t i = 1; i < f->stream.n; i++)
        own -= f->stream.row[i].share;
    return own;
}

static struct bird_row_stream *stream_at(struct bird_finetune_stream *s,
                                         int64_t step)
{
    static const double golden = 0.6180339887498949;
    double at = (double)(step + 1) * golden, sum = 0;

    at -= floor(at);
    for (int64_t i = 1; i < s->n; i++)
        if (at < (sum += s->row[i].share))
            return &s->row[i];
    return &s->row[0];
}

struct bird_row_stream *bird_finetune_stream_of(struct bird_finetuning *f,
                                                int64_t step)
{
    struct bird_finetune_stream *s = &f->stream;

    for (; s->n_counted < step; s->n_counted++)
        stream_at(s, s->n_counted)->n_update++;
    return stream_at(s, step);
}

/* --- opening -------------------------------------------------------------- */

static int add_stream(struct bird_finetune_stream *to, struct bird_row_stream s)
{
    s.epoch = -1;
    s.number = (uint64_t)to->n;
    to->row[to->n++] = s;
    return bird_array_new(&to->row[to->n - 1].order, s.n, sizeof(*s.order));
}

/* An update of a table beside windows has as many rows as an update of windows
 * has bins. */
static int add_also(struct bird_finetuning *f, int64_t i)
{
    const bird_finetune_also *a = &f->o.bins->also[i];
    const struct bird_bin_windows *w = &f->data.windows.train;
    int64_t bins = (w->at[0].end - w->at[0].start + w->bin - 1) / w->bin;
    struct bird_row_stream s = {.n = f->data.windows.also[i].n,
                                .batch = f->o.batch * bins,
                                .share = a->share,
                                .weight = a->weight,
                                .sample = bird_finetune_sample_table,
                                .table = &f->data.windows.also[i]};

    s.only_label = f->data.train.n_label - f->o.bins->n_also + i;
    return add_stream(&f->stream, s);
}

int bird_finetune_open_stream(struct bird_finetuning *f)
{
    struct bird_row_stream s = {.n = f->data.train.n,
                                .batch = f->o.batch,
                                .weight = 1,
                                .sample = f->data.source->sample,
                                .table = &f->data.train,
                                .only_label = -1};
    int64_t n_also = f->o.bins ? f->o.bins->n_also : 0;
    int rc = add_stream(&f->stream, s);

    for (int64_t i = 0; !rc && i < n_also; i++)
        rc = add_also(f, i);
    return rc ? rc
              : bird_array_new(&f->stream.one, f->data.train.n_label,
                               sizeof(*f->stream.one));
}

void bird_finetune_free_stream(struct bird_finetune_stream *s)
{
    for (int64_t i = 0; i < s->n; i++)
        free(s->row[i].order);
    bird_pack_free(&s->pack);
    free(s->class_id);
    free(s->value);
    free(s->weight);
    free(s->one);
    free(s->changed);
    free(s->turned);
    free(s->ids.id);
    free(s->token);
    free(s->token_weight);
}
