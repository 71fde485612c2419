/* A session: sequences to tokens to packs to encoder and head to answers.
 *
 * Requests wait in their order. The tokens of a request are looked up in the
 * cache; new tokens go into the pack that is being filled. When every thread
 * has a full pack, all packs are run at once, one on each thread, and the
 * requests are answered in order. One pack for each thread, and not one batch
 * for all threads: no thread waits for another within a layer, and the matrices
 * stay in the thread's cache.
 * SPDX-License-Identifier: MIT */
#include "session/session.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "dnabird/dnabird.h"
#include "head/head.h"
#include "head/loss.h"
#include "model/stem.h"
#include "session/arguments.h"
#include "session/cache.h"
#include "session/layout.h"
#include "session/model_parts.h"
#include "session/pack.h"

/* Most requests a pack may hold, cache hits included, before it is run. */
enum { MAX_OPEN = 8192 };

struct worker { /* what one pack needs */
    struct bird_encoder *e;
    struct bird_pack pack;
    int64_t n_open; /* requests since the pack was opened */
    /* arena: | bin | x | p | row | from | base | */
    struct bird_arena arena;
    int64_t *bin;  /* (n_seq + 1) where the answered bins of a sequence begin */
    float *x;      /* (rows, D) what the head reads: token 0, or all tokens */
    float *p;      /* (bins of all sequences, columns) */
    int64_t *row;  /* (n_seq + 1) 0, 1, 2 ...; without margins where the rows of
                     a sequence begin */
    int64_t *from; /* (n_seq) without margins: their first row in the batch */
    int32_t *base; /* (rows) and where these rows begin, after the margin */
    int rc;
};

enum half {
    WHOLE,
    FIRST,
    SECOND
}; /* FIRST and SECOND strand: to be averaged */
enum { FROM_CACHE = -1, SKIPPED = -2 };

struct request {      /* a sequence that waits for its answer */
    int64_t tag, len; /* len in bases; 0: the sequence came as tokens */
    int64_t row;      /* number of the computed row, FROM_CACHE or SKIPPED */
    int64_t cached;   /* where the answer lies in `cached`, in floats */
    enum half half;
    char strand;
};

struct bird_session {
    const struct bird_model *m;
    const struct bird_config *c;
    bird_session_options o;
    int64_t n_column, first_label; /* of the head; columns before the labels */
    int64_t margin;                /* bins at either end without an answer */
    struct worker *worker;
    int64_t n_worker, filling;
    struct bird_cache *cache;
    /* until the next flush; arena: | request | slot | cached | */
    struct bird_arena waiting;
    struct request *request; /* (n_request) */
    int64_t *slot; /* (n_row - first_row) of these rows in the cache */
    float *cached; /* (n_cached) answers copied out of the cache */
    int64_t n_request, n_cached;
    int64_t n_row, first_row; /* rows computed or in packs; the first of these
                                 that is in a pack */
    /* of one request; arena: | reverse | value | states | */
    struct bird_arena scratch;
    char *reverse;  /* a reverse complement */
    float *value;   /* the answer that is being put together: labels of bins */
    float *states;  /* of bird_session_states() */
    float *collect; /* output of bird_session_score(), or NULL */
    int64_t n_collected, n_hit, n_answered;
};

int64_t bird_model_labels(const struct bird_config *c)
{
    int64_t n = bird_head_columns(c);

    return n == 2 && bird_config_is_choice(c) ? 1 : n;
}

int bird_config_is_choice(const struct bird_config *c)
{
    return bird_head_activation(c) == BIRD_ACTIVATE_SOFTMAX;
}

int bird_session_new(bird_session **out, const bird_model *m,
                     const bird_session_options *o)
{
    bird_session *s;
    int rc = bird_check_session(out, m, o);

    if (rc)
        return rc;
    s = calloc(1, sizeof(*s));
    if (!s)
        return bird_fail_memory(sizeof(*s));
    s->m = m;
    s->c = &m->folder.config;
    if (o)
        s->o = *o;
    s->o.strand = bird_model_strand(m, s->o.strand);
    s->n_column = bird_head_columns(s->c);
    s->first_label = s->n_column - bird_model_labels(s->c);
    if (bird_config_on_grid(s->c) && s->c->n_stem &&
        s->c->bin_bp % bird_stem_pool(s->c) == 0)
        s->margin = s->o.margin_bp / s->c->bin_bp;
    s->n_worker = bird_threads();
    if (s->o.threads > 0 && s->o.threads < s->n_worker)
        s->n_worker = s->o.threads;
    if (bird_head_scores(s->c) && !bird_config_on_grid(s->c))
        rc = bird_cache_new(&s->cache, s->n_column);
    if (!rc)
        rc = bird_array_new(&s->worker, s->n_worker, sizeof(*s->worker));
    for (int64_t i = 0; !rc && i < s->n_worker; i++) {
        s->worker[i].pack.pad_to = m->pad_to;
        s->worker[i].pack.pad_id = (int32_t)s->c->pad_id;
        s->worker[i].pack.c = s->c;
        rc = bird_encoder_new(&s->worker[i].e, s->c, &m->w);
    }
    if (rc)
        bird_session_free(s);
    else
        *out = s;
    return rc;
}

void bird_session_free(bird_session *s)
{
    if (!s)
        return;
    for (int64_t i = 0; s->worker && i < s->n_worker; i++) {
        bird_encoder_free(s->worker[i].e);
        bird_pack_free(&s->worker[i].pack);
        bird_arena_free(&s->worker[i].arena);
    }
    bird_cache_free(s->cache);
    bird_arena_free(&s->waiting);
    bird_arena_free(&s->scratch);
    free(s->worker);
    free(s);
}

int64_t bird_session_labels(const bird_session *s)
{
    return s ? s->n_column - s->first_label : 0;
}

/* Bins at either end of a sequence that are not answered. */
static int64_t margin_of(const bird_session *s, int64_t len)
{
    int64_t bin = s->c->bin_bp;

    return s->margin && len % bin == 0 && len / bin > 2 * s->margin ? s->margin
                                                                    : 0;
}

static int64_t answered_bins(const bird_session *s, int64_t len)
{
    return bird_config_bins(s->c, len) - 2 * margin_of(s, len);
}

int64_t bird_session_size(const bird_session *s, int64_t len)
{
    if (!s || len < 1)
        return 0;
    return answered_bins(s, len) * bird_session_labels(s) *
           (s->o.strand == BIRD_STRAND_EACH ? 2 : 1);
}

void bird_session_count(const bird_session *s, bird_session_counts *out)
{
    *out = (bird_session_counts){0};
    if (!s)
        return;
    out->n_evaluated = s->n_row;
    out->n_cached = s->n_hit;
    for (int64_t i = 0; i < s->n_worker; i++)
        out->n_trimmed += s->worker[i].pack.n_trimmed;
}

/* --- running ------------------------------------------------------------- */

void bird_session_classes(float *p, int64_t n)
{
    int finite = 1;

    for (int64_t j = 0; j < n; j++)
        finite &= isfinite(p[j]) != 0;
    bird_kernels()->softmax_forward(p, NULL, n);
    for (int64_t j = 0; j < n && !finite; j++)
        p[j] = NAN;
}

/* Convert the head's answers to the unit of the assay: values, then, if the head has
 * log variances, standard deviations. */
static void to_quantities(float *p, const struct bird_folder *f, int64_t n)
{
    int64_t columns = bird_head_columns(&f->config);
    int64_t values = bird_head_targets(&f->config);
    const struct bird_quantity one = {0, 1};

    for (int64_t i = 0; i < n; i++, p += columns)
        for (int64_t k = 0; k < columns; k++) {
            const struct bird_quantity *q =
                f->quantity ? &f->quantity[k % values] : &one;
            double x = (double)p[k];

            p[k] = (float)(k < values ? q->mean + q->sd * x
                                      : q->sd * exp(bird_log_variance(x) / 2));
        }
}

static void to_answers(float *p, const struct bird_model *m, int64_t n)
{
    const struct bird_config *c = &m->folder.config;
    int64_t columns = bird_head_columns(c);

    if (bird_head_activation(c) == BIRD_ACTIVATE_SOFTMAX)
        for (int64_t i = 0; i < n; i++)
            bird_session_classes(p + i * columns, columns);
    else if (bird_head_activation(c) == BIRD_ACTIVATE_SIGMOID)
        for (int64_t i = 0; i < n * columns; i++)
            p[i] = isfinite(p[i]) ? 1.0f / (1.0f + expf(-p[i])) : NAN;
    else
        to_quantities(p, &m->folder, n);
}

/* Allocate before the parallel part, where an error would go unseen. */
static int reserve(struct worker *w, const struct bird_config *c,
                   int64_t margin)
{
    int64_t n = w->pack.n_seq;
    int64_t rows = bird_head_needs(c) == BIRD_NEEDS_FIRST ? n : w->pack.n_row;
    int rc =
        bird_arena_grow(&w->arena, &w->x, rows * c->hidden_size, sizeof(*w->x));

    if (!rc && n)
        rc = bird_arena_grow(&w->arena, &w->p, w->bin[n] * bird_head_columns(c),
                             sizeof(*w->p));
    if (!rc)
        rc = bird_arena_grow(&w->arena, &w->row, n + 1, sizeof(*w->row));
    if (!rc && margin)
        rc = bird_arena_grow(&w->arena, &w->from, n, sizeof(*w->from));
    if (!rc && margin)
        rc = bird_arena_grow(&w->arena, &w->base, rows, sizeof(*w->base));
    for (int64_t i = 0; !rc && i <= n; i++)
        w->row[i] = i;
    return rc;
}

/* The rows of the answered bins of every sequence, and where they begin after the
 * margin. Rows divide bins, so each bin has rows of its own. */
static void choose_rows(struct worker *w, const struct bird_batch *b,
                        int64_t bin_bp)
{
    int64_t n = 0;

    for (int64_t i = 0; i < b->n_seq; i++) {
        int64_t bins = w->bin[i + 1] - w->bin[i];
        int64_t margin = (b->bin[i + 1] - b->bin[i] - bins) / 2 * bin_bp;
        int64_t end = margin ? margin + bins * bin_bp : INT64_MAX;
        int64_t r = b->offset[i];

        while (margin && b->base[r] < margin)
            r++;
        w->from[i] = r;
        w->row[i] = n;
        for (; r < b->offset[i + 1] && b->base[r] < end &&
               (!margin || b->base[r] >= 0);
             r++)
            w->base[n++] = b->base[r] - (int32_t)margin;
    }
    w->row[b->n_seq] = n;
}

static void run_pack(void *context, int64_t task, int worker)
{
    bird_session *s = context;
    struct worker *w = &s->worker[task];
    struct bird_batch b = bird_pack_batch(&w->pack);
    struct bird_batch some = {
        .n_seq = b.n_seq, .offset = w->row, .base = w->base, .bin = w->bin};
    struct bird_row_choice rows = {w->from, w->row};
    int all = bird_head_needs(s->c) != BIRD_NEEDS_FIRST && !s->margin;

    (void)worker;
    w->rc = 0;
    if (!b.n_seq)
        return;
    if (s->margin)
        choose_rows(w, &b, s->c->bin_bp);
    b.bin = bird_config_on_grid(s->c) ? w->bin : NULL;
    w->rc = s->margin ? bird_encoder_forward_rows(w->e, w->x, &rows, &b)
            : all     ? bird_encoder_forward(w->e, w->x, NULL, &b)
                      : bird_encoder_forward_first(w->e, w->x, &b);
    if (!w->rc)
        w->rc = bird_head_forward(w->p, NULL, s->c, &s->m->w, w->x,
                                  all ? &b : &some);
    if (!w->rc)
        to_answers(w->p, s->m, w->bin[b.n_seq]);
}

/* --- answering ----------------------------------------------------------- */

static int fail_not_finite(const bird_session *s, const char *where)
{
    return bird_fail(BIRD_EFORMAT,
                     "%s: model returned NaN or infinity for %s: the weights "
                     "may be corrupt",
                     bird_model_path(s->m), where);
}

static int fail_answer(const bird_session *s, int64_t tag)
{
    char where[256];

    snprintf(where, sizeof(where), "sequence %lld", (long long)tag);
    if (s->o.name && !s->collect)
        s->o.name(s->o.context, tag, where, sizeof(where));
    return fail_not_finite(s, where);
}

/* The raw answer to a sequence: all columns of all bins. */
struct raw_answer {
    const float *p; /* (n_bin, n_column); NULL: skipped */
    int64_t n_bin;
};

static int hand_out(bird_session *s, const struct request *r, const float *p,
                    int64_t n_bin)
{
    int64_t n = bird_session_labels(s);
    bird_answer a = {.tag = r->tag,
                     .strand = r->strand,
                     .n_bin = n_bin,
                     .n_label = n,
                     .first_bp = p ? margin_of(s, r->len) * s->c->bin_bp : 0,
                     .bin_bp = s->c->bin_bp ? s->c->bin_bp
                                            : (r->len + n_bin - 1) / n_bin,
                     .value = p};

    s->n_answered++;
    if (s->collect && p) {
        memcpy(s->collect + s->n_collected, p,
               (size_t)(n_bin * n) * sizeof(*p));
        s->n_collected += n_bin * n;
    }
    return s->collect || !s->o.answer ? 0 : s->o.answer(s->o.context, &a);
}

/* The column that holds label j of the given strand in an answer to the strand
 * that was read. */
static int64_t paired(const bird_session *s, int reversed, int64_t j)
{
    const int32_t *pair = bird_model_strand_pair(s->m);

    return reversed && pair ? pair[j] : j;
}

/* Was the reverse complement of the sequence read? */
static int is_reversed(const struct request *r)
{
    return r->strand == '-' || r->half == SECOND;
}

/* Bin i of the sequence, counted on the given strand. */
static const float *bin_at(const bird_session *s, const struct request *r,
                           const struct raw_answer *m, int64_t i)
{
    return m->p + (is_reversed(r) ? m->n_bin - 1 - i : i) * s->n_column +
           s->first_label;
}

static int answer(bird_session *s, const struct request *r, struct raw_answer m)
{
    int64_t n = bird_session_labels(s);
    int rc;

    if (!m.p)
        return hand_out(s, r, NULL, 1);
    rc =
        bird_arena_grow(&s->scratch, &s->value, m.n_bin * n, sizeof(*s->value));
    for (int64_t i = 0; !rc && i < m.n_bin; i++) {
        const float *p = bin_at(s, r, &m, i);
        float *v = s->value + i * n;

        for (int64_t j = 0; !rc && j < n; j++) {
            float x = p[paired(s, is_reversed(r), j)];

            v[j] = r->half == SECOND ? (v[j] + x) / 2 : x;
            if (!isfinite(x))
                rc = fail_answer(s, r->tag);
        }
    }
    return rc || r->half == FIRST ? rc : hand_out(s, r, s->value, m.n_bin);
}

/* The answer to this row, which is in a pack of this flush. */
static struct raw_answer computed(const bird_session *s, int64_t row)
{
    const struct worker *w = s->worker;

    for (row -= s->first_row; row >= w->pack.n_seq; w++)
        row -= w->pack.n_seq;
    return (struct raw_answer){w->p + w->bin[row] * s->n_column,
                               w->bin[row + 1] - w->bin[row]};
}

static int answer_all(bird_session *s)
{
    int rc = 0;

    for (int64_t i = 0; !rc && i < s->n_request; i++) {
        const struct request *r = s->request + i;

        rc = answer(s, r,
                    r->row == SKIPPED ? (struct raw_answer){0}
                    : r->row == FROM_CACHE
                        ? (struct raw_answer){s->cached + r->cached, 1}
                        : computed(s, r->row));
    }
    for (int64_t row = s->first_row; !rc && s->cache && row < s->n_row; row++)
        bird_cache_put(s->cache, s->slot[row - s->first_row], row,
                       computed(s, row).p);
    return rc;
}

/* After an error: drop the waiting requests and empty the cache, in which some
 * rows may have no answer. The session can go on. */
static int give_up(bird_session *s, int rc)
{
    for (int64_t i = 0; i < s->n_worker; i++) {
        bird_pack_clear(&s->worker[i].pack);
        s->worker[i].n_open = 0;
    }
    s->filling = s->n_request = s->n_cached = 0;
    s->first_row = s->n_row;
    if (s->cache)
        bird_cache_clear(s->cache);
    return rc;
}

int bird_session_flush(bird_session *s)
{
    int64_t n;
    int rc = 0;

    if (!s)
        return bird_fail(BIRD_EINVAL, "the session is NULL");
    n = s->filling;
    if (n < s->n_worker && s->worker[n].n_open > 0)
        n++;
    for (int64_t i = 0; !rc && i < n; i++)
        rc = reserve(&s->worker[i], s->c, s->margin);
    if (rc)
        return give_up(s, rc);
    bird_weights_follow(&s->m->w, s->c);
    bird_parallel(n, run_pack, s);
    for (int64_t i = 0; !rc && i < n; i++)
        if (s->worker[i].rc) /* the message belongs to the worker's thread */
            rc = bird_fail(s->worker[i].rc,
                           "scoring failed after %lld sequences: out of "
                           "memory, or a token the model does not know",
                           (long long)s->n_answered);
    if (!rc)
        rc = answer_all(s);
    if (rc)
        return give_up(s, rc);
    for (int64_t i = 0; i < n; i++) {
        bird_pack_clear(&s->worker[i].pack);
        s->worker[i].n_open = 0;
    }
    s->filling = s->n_request = s->n_cached = 0;
    s->first_row = s->n_row;
    return rc;
}

/* --- requests ------------------------------------------------------------ */

static int check_head(const bird_session *s)
{
    return bird_head_scores(s->c)
               ? 0
               : bird_fail(BIRD_EINVAL,
                           "%s has no head that scores sequences: fine-tune "
                           "one",
                           bird_model_path(s->m));
}

/* Count a request; close the pack when it is full, and run all packs when the
 * last of them is closed. Closing a pack must not depend on which requests have
 * been answered. */
static int count_request(bird_session *s, struct worker *w)
{
    if ((++w->n_open >= MAX_OPEN || w->pack.n_row >= BIRD_PACK_TOKENS) &&
        ++s->filling == s->n_worker)
        return bird_session_flush(s);
    return 0;
}

/* The cache has the answer. It is copied, since the cache may give the slot to
 * another row before the request is answered. */
static int request_cached(bird_session *s, struct request r, int64_t slot)
{
    const float *p = bird_cache_answer(s->cache, slot);
    int rc;

    if (!s->n_request)
        return answer(s, &r, (struct raw_answer){p, 1});
    rc = bird_arena_grow(&s->waiting, &s->cached, s->n_cached + s->n_column,
                         sizeof(*s->cached));
    if (rc)
        return rc;
    memcpy(s->cached + s->n_cached, p, (size_t)s->n_column * sizeof(*p));
    r.row = FROM_CACHE;
    r.cached = s->n_cached;
    s->n_cached += s->n_column;
    s->request[s->n_request++] = r;
    return 0;
}

/* Add new tokens to the pack, and the number of their bins. */
static int pack_row(bird_session *s, struct worker *w, const struct request *r,
                    const struct bird_rows *t)
{
    int64_t n = w->pack.n_seq;
    int rc = bird_arena_grow(&w->arena, &w->bin, n + 2, sizeof(*w->bin));

    if (rc)
        return rc;
    s->n_row++;
    w->bin[0] = 0;
    w->bin[n + 1] = w->bin[n] + answered_bins(s, r->len);
    if (!s->c->n_stem)
        return bird_pack_add_ids(&w->pack, t->ids, t->position, t->n);
    for (int64_t i = 0; t->position && i < t->n; i++)
        if (t->position[i] != i)
            return bird_fail(BIRD_EUNSUPPORTED,
                             "a model with a stem takes no positions");
    return bird_pack_add_ids(&w->pack, t->ids, NULL, t->n);
}

/* Add the bases of a model with bins to the pack, which notes the first base of
 * every row. */
static int request_bins(bird_session *s, struct worker *w, struct request r,
                        const char *seq)
{
    int64_t new_row = s->n_row, n = w->pack.n_seq;
    int64_t n_bin = bird_config_bins(s->c, r.len);
    /* a short bin is the last one on the given strand, so the first one on the
       reverse complement */
    struct bird_binned bases = {
        seq, r.len, is_reversed(&r) ? n_bin * s->c->bin_bp - r.len : 0};
    int rc = bird_arena_grow(&s->waiting, &s->request, s->n_request + 1,
                             sizeof(*s->request));

    if (!rc)
        rc = bird_arena_grow(&w->arena, &w->bin, n + 2, sizeof(*w->bin));
    if (!rc)
        rc = bird_pack_add_bins(&w->pack, s->m->tokenizer, &bases);
    if (rc)
        return rc;
    w->bin[0] = 0;
    w->bin[n + 1] = w->bin[n] + answered_bins(s, r.len);
    r.row = new_row;
    s->n_row++;
    s->request[s->n_request++] = r;
    return count_request(s, w);
}

static int request_row(bird_session *s, struct worker *w, struct request r,
                       const struct bird_rows *t)
{
    int64_t new_row = s->n_row, n = new_row - s->first_row, slot = 0;
    int rc = bird_arena_grow(&s->waiting, &s->request, s->n_request + 1,
                             sizeof(*s->request));

    if (!rc)
        rc = bird_arena_grow(&s->waiting, &s->slot, n + 1, sizeof(*s->slot));
    if (rc)
        return rc;
    r.row = s->cache ? bird_cache_lookup(s->cache, t->ids, t->position, t->n,
                                         new_row, &slot)
                     : new_row;
    s->n_hit += r.row != new_row;
    if (r.row < s->first_row)
        return request_cached(s, r, slot);
    s->request[s->n_request++] = r;
    if (r.row != new_row)
        return 0;
    s->slot[n] = slot;
    return pack_row(s, w, &r, t);
}

static int add_rows(bird_session *s, struct request r,
                    const struct bird_rows *t)
{
    struct worker *w = &s->worker[s->filling];
    int rc = request_row(s, w, r, t);

    return rc ? rc : count_request(s, w);
}

static int add_strand(bird_session *s, const char *seq, int64_t len,
                      struct request r)
{
    struct worker *w = &s->worker[s->filling];
    struct bird_rows t = {0};
    int rc = 0;

    if (is_reversed(&r)) {
        rc = bird_arena_grow(&s->scratch, &s->reverse, len, 1);
        if (rc)
            return rc;
        bird_reverse_complement(s->reverse, seq, len);
        seq = s->reverse;
    }
    if (s->c->bin_bp)
        return request_bins(s, w, r, seq);
    rc = bird_pack_encode(&w->pack, s->m->tokenizer, seq, len,
                          bird_stem_tokens(s->c, s->c->max_positions));
    t.ids = w->pack.encoding.ids;
    t.n = w->pack.encoding.n;
    if (!rc && s->m->pad_to && t.n > s->m->pad_to)
        rc = bird_fail(BIRD_EINVAL,
                       "--pad-to: a sequence has %lld tokens, more than the "
                       "%lld to fill up to",
                       (long long)t.n, (long long)s->m->pad_to);
    return rc ? rc : add_rows(s, r, &t);
}

int bird_session_add(bird_session *s, const char *seq, int64_t len, int64_t tag)
{
    struct request plus = {tag, len, 0, 0, WHOLE, '+'};
    struct request minus = {tag, len, 0, 0, WHOLE, '-'};
    enum bird_strand strand;
    int both, each, rc = bird_check_sequence(s, seq, len, tag);

    if (rc)
        return rc;
    rc = check_head(s);
    strand = s->o.strand;
    both = strand == BIRD_STRAND_BOTH;
    each = strand == BIRD_STRAND_EACH;
    if (both) {
        plus.half = FIRST;
        minus.half = SECOND;
        plus.strand = minus.strand = '.';
    }
    if (!rc && strand != BIRD_STRAND_MINUS)
        rc = add_strand(s, seq, len, plus);
    if (!rc && (both || each || strand == BIRD_STRAND_MINUS))
        rc = add_strand(s, seq, len, minus);
    return rc ? give_up(s, rc) : 0;
}

int bird_session_add_rows(bird_session *s, const struct bird_rows *plus,
                          const struct bird_rows *minus, int64_t tag)
{
    int each = minus && s->o.strand == BIRD_STRAND_EACH;
    int joined = minus && !each;
    struct request r = {.tag = tag,
                        .half = joined ? FIRST : WHOLE,
                        .strand = joined                             ? '.'
                                  : s->o.strand == BIRD_STRAND_MINUS ? '-'
                                                                     : '+'};
    int rc = check_head(s);

    if (!rc && bird_config_on_grid(s->c))
        rc = bird_fail(BIRD_EUNSUPPORTED, "a head over bins reads bases");
    if (!rc)
        rc = add_rows(s, r, plus);
    r.half = joined ? SECOND : WHOLE;
    r.strand = each ? '-' : r.strand;
    if (!rc && minus)
        rc = add_rows(s, r, minus);
    return rc ? give_up(s, rc) : 0;
}

int bird_session_skip(bird_session *s, int64_t tag)
{
    struct request r = {.tag = tag, .row = SKIPPED, .strand = '.'};
    int rc;

    if (!s)
        return bird_fail(BIRD_EINVAL, "the session is NULL");
    if (!s->n_request) {
        rc = answer(s, &r, (struct raw_answer){0});
        return rc ? give_up(s, rc) : 0;
    }
    rc = bird_arena_grow(&s->waiting, &s->request, s->n_request + 1,
                         sizeof(*s->request));
    if (rc)
        return give_up(s, rc);
    s->request[s->n_request++] = r;
    return count_request(s, &s->worker[s->filling]);
}

/* Of sequence i; without lengths it ends in NUL. */
static int64_t length_of(const char *seq, const int64_t *len, int64_t i)
{
    if (len)
        return len[i];
    return seq ? (int64_t)strlen(seq) : 0;
}

int bird_session_score(bird_session *s, const char *const *seq,
                       const int64_t *len, int64_t n_seq, float *out)
{
    int rc = bird_session_flush(s);

    if (!rc && n_seq < 0)
        rc = bird_fail(BIRD_EINVAL, "bird_session_score: %lld sequences",
                       (long long)n_seq);
    if (!rc && n_seq && (!seq || !out))
        rc = bird_fail(BIRD_EINVAL, "bird_session_score: %s is NULL",
                       seq ? "out" : "seq");
    if (rc)
        return rc;
    s->collect = out;
    s->n_collected = 0;
    for (int64_t i = 0; !rc && i < n_seq; i++)
        rc = bird_session_add(s, seq[i], length_of(seq[i], len, i), i);
    if (!rc)
        rc = bird_session_flush(s);
    s->collect = NULL;
    return rc ? give_up(s, rc) : 0;
}

int bird_session_states(bird_session *s, bird_states *out, const char *seq,
                        int64_t len)
{
    struct bird_pack *p;
    struct bird_batch b;
    int rc = bird_check_sequence(s, seq, len, 0);

    if (rc || (rc = bird_session_flush(s)))
        return rc;
    p = &s->worker[0].pack;
    if (!out)
        rc = bird_fail(BIRD_EINVAL, "bird_session_states: out is NULL");
    if (!rc)
        rc = bird_pack_add(p, s->m->tokenizer, seq, len,
                           bird_stem_tokens(s->c, s->c->max_positions));
    b = bird_pack_batch(p);
    if (!rc)
        rc = bird_arena_grow(&s->scratch, &s->states,
                             p->n_row * s->c->hidden_size, sizeof(*s->states));
    if (!rc)
        rc = bird_encoder_forward(s->worker[0].e, s->states, NULL, &b);
    for (int64_t i = 0; !rc && i < p->n_row * s->c->hidden_size; i++)
        if (!isfinite(s->states[i]))
            rc = fail_not_finite(s, "a sequence");
    if (!rc)
        *out = (bird_states){.n_token = p->encoding.n,
                             .n_row = p->n_row,
                             .n_feature = s->c->hidden_size,
                             .token = p->encoding.ids,
                             .x = s->states};
    bird_pack_clear(p);
    return rc;
}
