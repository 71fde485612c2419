/* Where training rows come from: a table, windows of bins, or windows and
 * tables beside them.
 *
 * A source draws row i from a generator; everything else is the same for all:
 * epochs, packs, labels. Update s is made of one source alone. Which one is
 * told by the fractional part of s times the golden ratio, which fills 0 .. 1
 * evenly (Weyl's theorem; Knuth, The Art of Computer Programming 3, section
 * 6.4): every stretch of updates has its shares.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/rng.h"
#include "data/augment.h"
#include "model/stem.h"
#include "train/finetune.h"

/* Streams of random numbers that rows are drawn from; those of further sources
 * follow in pairs, behind that of dropout. */
enum { STREAM_ORDER = 1, STREAM_BASES = 2, STREAM_STEP = 8 };

/* --- drawing -------------------------------------------------------------- */

static int change(struct bird_train_row *out, struct bird_finetuning *f,
                  const struct bird_augment *how, struct bird_rng *r)
{
    int rc;

    if (!bird_augments(how))
        return 0;
    rc = bird_array_grow(&f->changed, &f->cap_changed, out->len, 1);
    if (rc)
        return rc;
    bird_augment(f->changed, out->seq, out->len, how, r);
    out->seq = f->changed;
    return 0;
}

static int draw_row(struct bird_train_row *out, struct bird_finetuning *f,
                    struct bird_row_source *s, int64_t i, struct bird_rng *r)
{
    const bird_dataset *d = s->table;
    const struct bird_augment how = {f->o.reverse_complement, f->o.shift_bp,
                                     f->o.mutate};

    *out = (struct bird_train_row){.seq = bird_dataset_seq(d, i),
                                   .len = d->row[i].len,
                                   .n_bin = 1,
                                   .class_id = d->row[i].label};
    if (d->kind == BIRD_LABEL_MULTI) {
        bird_dataset_labels(f->one, d, i);
        out->value = f->one;
    }
    return change(out, f, &how, r);
}

static int draw_window(struct bird_train_row *out, struct bird_finetuning *f,
                       struct bird_row_source *s, int64_t i, struct bird_rng *r)
{
    const bird_finetune_bins *b = f->o.bins;
    const struct bird_bin_change how = {.strand = f->o.reverse_complement,
                                        .shift_bp = f->o.shift_bp,
                                        .shift_bins = b->shift_bins,
                                        .cut = b->cut,
                                        .cut_least = b->cut_least,
                                        .cut_most = b->cut_most,
                                        .background = b->background,
                                        .mutate = f->o.mutate};
    int rc = bird_bin_windows_draw(&f->drawn, s->windows, i, &how, r);

    *out = (struct bird_train_row){.seq = f->drawn.seq,
                                   .len = f->drawn.len,
                                   .before = f->drawn.before,
                                   .value = f->drawn.label,
                                   .n_bin = f->drawn.n_bin};
    return rc;
}

/* A row of a table beside windows: one bin, one label. */
static int draw_also(struct bird_train_row *out, struct bird_finetuning *f,
                     struct bird_row_source *s, int64_t i, struct bird_rng *r)
{
    const bird_dataset *d = s->table;
    const struct bird_augment how = {.strand = f->o.reverse_complement,
                                     .mutate = f->o.mutate};

    for (int64_t k = 0; k < f->train.n_label; k++)
        f->one[k] = NAN;
    f->one[s->label] = (float)d->row[i].label;
    *out = (struct bird_train_row){.seq = bird_dataset_seq(d, i),
                                   .len = d->row[i].len,
                                   .value = f->one,
                                   .n_bin = 1};
    return change(out, f, &how, r);
}

/* --- streams -------------------------------------------------------------- */

static void order_epoch(const struct bird_finetuning *f,
                        struct bird_row_source *s, int64_t epoch)
{
    struct bird_rng r;

    if (s->epoch == epoch)
        return;
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
    s->epoch = epoch;
}

static int put_labels(struct bird_finetuning *f,
                      const struct bird_train_row *row)
{
    int64_t n = row->value ? row->n_bin * f->train.n_label : 0;
    int rc = bird_array_grow(&f->class_id, &f->cap_class, f->pack.n_seq,
                             sizeof(*f->class_id));

    if (!rc && n)
        rc = bird_array_grow(&f->value, &f->cap_value, f->n_value + n,
                             sizeof(*f->value));
    if (rc)
        return rc;
    f->class_id[f->pack.n_seq - 1] = row->class_id;
    if (n)
        memcpy(f->value + f->n_value, row->value, (size_t)n * sizeof(float));
    f->n_value += n;
    return 0;
}

/* A row of a table is one bin, however long it is. */
static int put_bins(struct bird_finetuning *f, const struct bird_train_row *row)
{
    struct bird_pack *p = &f->pack;
    int rc = bird_pack_add_bins(
        p, f->run.tokenizer,
        &(struct bird_binned){row->seq, row->len, row->before});

    if (!rc)
        p->bin[p->n_seq] = p->bin[p->n_seq - 1] + row->n_bin;
    return rc;
}

int bird_finetune_add_row(struct bird_finetuning *f, struct bird_row_source *s,
                          int64_t k)
{
    struct bird_train_row row;
    struct bird_rng r;
    int rc;

    order_epoch(f, s, k / s->n);
    bird_rng_init(&r, f->o.seed, STREAM_BASES + STREAM_STEP * s->number,
                  (uint64_t)k);
    f->pack.c = &f->run.l->c;
    rc = s->draw(&row, f, s, s->order[k % s->n], &r);
    if (!rc)
        rc = f->o.bins
                 ? put_bins(f, &row)
                 : bird_pack_add(&f->pack, f->run.tokenizer, row.seq, row.len,
                                 bird_stem_tokens(&f->run.l->c,
                                                  f->run.l->c.max_positions));
    return rc ? rc : put_labels(f, &row);
}

int bird_finetune_pack_labels(struct bird_labels *labels,
                              const struct bird_finetuning *f)
{
    int known = f->train.kind != BIRD_LABEL_MULTI;

    for (int64_t i = 0; !known && i < f->n_value; i++)
        known = !isnan(f->value[i]);
    if (f->train.kind == BIRD_LABEL_MULTI)
        labels->value = f->value;
    else
        labels->class_id = f->class_id;
    return known;
}

void bird_finetune_clear_pack(struct bird_finetuning *f)
{
    bird_pack_clear(&f->pack);
    f->n_value = 0;
}

/* --- sources -------------------------------------------------------------- */

double bird_finetune_own_share(const struct bird_finetuning *f)
{
    double own = 1;

    for (int64_t i = 0; f->o.bins && i < f->o.bins->n_also; i++)
        own -= f->o.bins->also[i].share;
    return own;
}

static struct bird_row_source *turn_of(struct bird_finetuning *f, int64_t step)
{
    static const double golden = 0.6180339887498949;
    double at = (double)(step + 1) * golden, sum = 0;

    at -= floor(at);
    for (int64_t i = 1; i < f->n_source; i++)
        if (at < (sum += f->source[i].share))
            return &f->source[i];
    return &f->source[0];
}

struct bird_row_source *bird_finetune_source(struct bird_finetuning *f,
                                             int64_t step)
{
    for (; f->n_counted < step; f->n_counted++)
        turn_of(f, f->n_counted)->n_update++;
    return turn_of(f, step);
}

static int add_source(struct bird_finetuning *f, struct bird_row_source s)
{
    s.epoch = -1;
    s.number = (uint64_t)f->n_source;
    f->source[f->n_source++] = s;
    return bird_array_new(&f->source[f->n_source - 1].order, s.n,
                          sizeof(*s.order));
}

/* An update of a table beside windows has a row for each bin of as many
 * windows. */
static int add_also(struct bird_finetuning *f, int64_t i)
{
    const struct bird_bin_windows *w = &f->train_windows;
    const struct bird_bin_window *first = &w->at[0];
    int64_t bins = (first->end - first->start + w->bin - 1) / w->bin;

    return add_source(f,
                      (struct bird_row_source){
                          .n = f->also[i].n,
                          .batch = f->o.batch * bins,
                          .share = f->o.bins->also[i].share,
                          .weight = f->o.bins->also[i].weight,
                          .draw = draw_also,
                          .table = &f->also[i],
                          .label = f->train.n_label - f->o.bins->n_also + i});
}

int bird_finetune_open_rows(struct bird_finetuning *f)
{
    struct bird_row_source s = {
        .n = f->train.n, .batch = f->o.batch, .weight = 1, .draw = draw_row};
    int rc;

    s.table = f->o.bins ? NULL : &f->train;
    s.windows = f->o.bins ? &f->train_windows : NULL;
    if (f->o.bins)
        s.draw = draw_window;
    rc = add_source(f, s);
    for (int64_t i = 0; !rc && f->o.bins && i < f->o.bins->n_also; i++)
        rc = add_also(f, i);
    return rc ? rc : bird_array_new(&f->one, f->train.n_label, sizeof(*f->one));
}
