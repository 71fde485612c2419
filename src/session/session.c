/* A session: sequences to tokens to packs to encoder and head to answers.
 *
 * Requests wait in the order they came. Their tokens are looked up in the
 * cache; new ones go into the pack that is being filled. When every thread has
 * a full pack all of them are run at once, a pack a thread, and the requests
 * are answered in order. A pack a thread, and not a batch for all threads: no
 * thread waits for another within a layer, and the matrices stay in its cache.
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
#include "model/stem.h"
#include "session/cache.h"
#include "session/model_parts.h"
#include "session/pack.h"

/* Sequences that a pack may stand open for, those included that wait for it
 * without being in it: so few wait, however often one comes again. */
enum { MAX_OPEN = 8192 };

struct worker { /* what one pack needs */
    struct bird_encoder *e;
    struct bird_pack pack;
    int64_t n_open; /* requests since it was opened */
    float *x;       /* (rows, D) what the head reads: token 0, or all */
    float *p;       /* (bins of all sequences, columns) */
    int64_t *row;   /* (n_seq + 1) 0, 1, 2 ... */
    int64_t *bin;   /* (n_seq + 1) where a sequence's bins begin */
    int64_t cap_x, cap_p, cap_row, cap_bin;
    int rc;
};

enum half { WHOLE, FIRST, SECOND }; /* of an answer: strands to be joined */
enum { FROM_CACHE = -1, SKIPPED = -2 };

struct request {      /* what waits to be answered */
    int64_t tag, len; /* bases; 0: it came as tokens */
    int64_t row;      /* of those computed, or one of the two above */
    int64_t cached;   /* where its answer lies in `cached`, in floats */
    enum half half;
    char strand;
};

struct bird_session {
    const struct bird_model *m;
    const struct bird_config *c;
    bird_session_options o;
    int64_t n_column, first_label; /* of the head; columns before the labels */
    struct worker *worker;
    int64_t n_worker, filling;
    struct bird_cache *cache;
    struct request *request; /* (n_request) */
    int64_t *slot;           /* (n_row - first_row) where the cache has them */
    float *cached;           /* (n_cached) answers that were there at once */
    int64_t n_request, n_cached, cap_request, cap_slot, cap_cached;
    int64_t n_row, first_row; /* rows computed or in packs; in packs */
    float *value;             /* the answer in the making: labels of bins */
    float *collect;           /* of bird_session_score(), or NULL */
    int64_t cap_value, n_collected;
    char *reverse; /* a reverse complement */
    int64_t cap_reverse, n_hit, n_answered;
    float *states; /* of bird_session_states() */
    int64_t cap_states;
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

enum bird_strand bird_model_strand(const struct bird_model *m,
                                   enum bird_strand asked)
{
    const json_t *strand = json_object_get(m->folder.meta, "strand");
    const char *own = json_string_value(strand);

    if (asked != BIRD_STRAND_MODEL)
        return asked;
    return own && !strcmp(own, "both") ? BIRD_STRAND_BOTH : BIRD_STRAND_PLUS;
}

int bird_session_new(bird_session **out, const bird_model *m,
                     const bird_session_options *o)
{
    bird_session *s = calloc(1, sizeof(*s));
    int rc = 0;

    if (!s)
        return bird_fail_memory(sizeof(*s));
    s->m = m;
    s->c = &m->folder.config;
    if (o)
        s->o = *o;
    s->o.strand = bird_model_strand(m, s->o.strand);
    s->n_column = bird_head_columns(s->c);
    s->first_label = s->n_column - bird_model_labels(s->c);
    s->n_worker = bird_threads();
    if (s->o.threads > 0 && s->o.threads < s->n_worker)
        s->n_worker = s->o.threads;
    if (bird_head_scores(s->c) && !s->c->head->n_bin)
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
        free(s->worker[i].x);
        free(s->worker[i].row);
        free(s->worker[i].bin);
        free(s->worker[i].p);
    }
    bird_cache_free(s->cache);
    free(s->request);
    free(s->slot);
    free(s->cached);
    free(s->value);
    free(s->reverse);
    free(s->states);
    free(s->worker);
    free(s);
}

int64_t bird_session_labels(const bird_session *s)
{
    return s->n_column - s->first_label;
}

int64_t bird_session_size(const bird_session *s, int64_t len)
{
    int64_t n_bin = s->c->head->n_bin ? s->c->head->n_bin(s->c, len) : 1;

    return n_bin * bird_session_labels(s) *
           (s->o.strand == BIRD_STRAND_EACH ? 2 : 1);
}

void bird_session_count(const bird_session *s, bird_session_counts *out)
{
    *out = (bird_session_counts){.n_evaluated = s->n_row, .n_cached = s->n_hit};
    for (int64_t i = 0; i < s->n_worker; i++)
        out->n_trimmed += s->worker[i].pack.n_trimmed;
}

/* --- running ------------------------------------------------------------- */

/* Classes of one row. An infinite logit would make 0 and 1 of them, which are
 * finite: they become NaN, which answer() refuses. */
static void to_classes(float *p, int64_t n)
{
    int finite = 1;

    for (int64_t j = 0; j < n; j++)
        finite &= isfinite(p[j]) != 0;
    bird_kernels()->softmax_forward(p, NULL, n);
    for (int64_t j = 0; j < n && !finite; j++)
        p[j] = NAN;
}

static void to_probabilities(float *p, const struct bird_config *c, int64_t n)
{
    int64_t columns = bird_head_columns(c);

    if (bird_head_activation(c) == BIRD_ACTIVATE_SOFTMAX)
        for (int64_t i = 0; i < n; i++)
            to_classes(p + i * columns, columns);
    else if (bird_head_activation(c) == BIRD_ACTIVATE_SIGMOID)
        for (int64_t i = 0; i < n * columns; i++)
            p[i] = isfinite(p[i]) ? 1.0f / (1.0f + expf(-p[i])) : NAN;
}

/* Memory is taken before the parallel part, where nothing may fail quietly. */
static int reserve(struct worker *w, const struct bird_config *c)
{
    int64_t n = w->pack.n_seq;
    int64_t rows = bird_head_needs(c) == BIRD_NEEDS_FIRST ? n : w->pack.n_row;
    int rc =
        bird_array_grow(&w->x, &w->cap_x, rows * c->hidden_size, sizeof(*w->x));

    if (!rc && n)
        rc = bird_array_grow(&w->p, &w->cap_p, w->bin[n] * bird_head_columns(c),
                             sizeof(*w->p));
    if (!rc)
        rc = bird_array_grow(&w->row, &w->cap_row, n + 1, sizeof(*w->row));
    for (int64_t i = 0; !rc && i <= n; i++)
        w->row[i] = i;
    return rc;
}

static void run_pack(void *context, int64_t task, int worker)
{
    bird_session *s = context;
    struct worker *w = &s->worker[task];
    struct bird_batch b = bird_pack_batch(&w->pack);
    struct bird_batch firsts = {.n_seq = b.n_seq, .offset = w->row};
    int all = bird_head_needs(s->c) != BIRD_NEEDS_FIRST;

    (void)worker;
    w->rc = 0;
    if (!b.n_seq)
        return;
    b.bin = s->c->head->n_bin ? w->bin : NULL;
    w->rc = all ? bird_encoder_forward(w->e, w->x, NULL, &b)
                : bird_encoder_forward_first(w->e, w->x, &b);
    if (!w->rc)
        w->rc = bird_head_forward(w->p, NULL, s->c, &s->m->w, w->x,
                                  all ? &b : &firsts);
    if (!w->rc)
        to_probabilities(w->p, s->c, w->bin[b.n_seq]);
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

/* What a sequence was answered with: columns of its bins. */
struct made {
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

/* The label of column j of the strand given, on the strand that was read. */
static int64_t paired(const bird_session *s, int turned, int64_t j)
{
    const int32_t *pair = s->m->folder.strand_pair;

    return turned && pair ? pair[j] : j;
}

/* Bin i of the sequence as it was given. */
static const float *bin_at(const bird_session *s, const struct request *r,
                           const struct made *m, int64_t i)
{
    int turned = r->strand == '-' || r->half == SECOND;

    return m->p + (turned ? m->n_bin - 1 - i : i) * s->n_column +
           s->first_label;
}

static int answer(bird_session *s, const struct request *r, struct made m)
{
    int turned = r->strand == '-' || r->half == SECOND;
    int64_t n = bird_session_labels(s);
    int rc;

    if (!m.p)
        return hand_out(s, r, NULL, 1);
    rc = bird_array_grow(&s->value, &s->cap_value, m.n_bin * n,
                         sizeof(*s->value));
    for (int64_t i = 0; !rc && i < m.n_bin; i++) {
        const float *p = bin_at(s, r, &m, i);
        float *v = s->value + i * n;

        for (int64_t j = 0; !rc && j < n; j++) {
            float x = p[paired(s, turned, j)];

            v[j] = r->half == SECOND ? (v[j] + x) / 2 : x;
            if (!isfinite(x))
                rc = fail_answer(s, r->tag);
        }
    }
    return rc || r->half == FIRST ? rc : hand_out(s, r, s->value, m.n_bin);
}

/* What the row of this number became, in the packs of this flush. */
static struct made computed(const bird_session *s, int64_t row)
{
    const struct worker *w = s->worker;

    for (row -= s->first_row; row >= w->pack.n_seq; w++)
        row -= w->pack.n_seq;
    return (struct made){w->p + w->bin[row] * s->n_column,
                         w->bin[row + 1] - w->bin[row]};
}

static int answer_all(bird_session *s)
{
    int rc = 0;

    for (int64_t i = 0; !rc && i < s->n_request; i++) {
        const struct request *r = s->request + i;

        rc = answer(s, r,
                    r->row == SKIPPED ? (struct made){0}
                    : r->row == FROM_CACHE
                        ? (struct made){s->cached + r->cached, 1}
                        : computed(s, r->row));
    }
    for (int64_t row = s->first_row; !rc && s->cache && row < s->n_row; row++)
        bird_cache_put(s->cache, s->slot[row - s->first_row], row,
                       computed(s, row).p);
    return rc;
}

/* After an error: what waits is dropped, and the cache, some of whose rows may
 * have no answer. The session can go on. */
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
    int64_t n = s->filling;
    int rc = 0;

    if (n < s->n_worker && s->worker[n].n_open > 0)
        n++;
    for (int64_t i = 0; !rc && i < n; i++)
        rc = reserve(&s->worker[i], s->c);
    if (rc)
        return give_up(s, rc);
    bird_weights_follow(&s->m->w, s->c);
    bird_parallel(n, run_pack, s);
    for (int64_t i = 0; !rc && i < n; i++)
        if (s->worker[i].rc) /* its sentence may be another thread's */
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

/* --- asking -------------------------------------------------------------- */

static int check_head(const bird_session *s)
{
    return bird_head_scores(s->c)
               ? 0
               : bird_fail(BIRD_EINVAL,
                           "%s has no head that scores sequences: fine-tune "
                           "one",
                           bird_model_path(s->m));
}

/* A request more: is the pack full, and was it the last? Whether a pack is
 * closed must not depend on what was handed out. */
static int count_request(bird_session *s, struct worker *w)
{
    if ((++w->n_open >= MAX_OPEN || w->pack.n_row >= BIRD_PACK_TOKENS) &&
        ++s->filling == s->n_worker)
        return bird_session_flush(s);
    return 0;
}

/* The answer was there before this flush: it is copied, since its place may
 * be given to another row before its turn comes. */
static int request_cached(bird_session *s, struct request r, int64_t slot)
{
    const float *p = bird_cache_answer(s->cache, slot);
    int rc;

    if (!s->n_request)
        return answer(s, &r, (struct made){p, 1});
    rc = bird_array_grow(&s->cached, &s->cap_cached, s->n_cached + s->n_column,
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

/* Tokens that are new go into the pack, and room for their answer. */
static int pack_row(bird_session *s, struct worker *w, const struct request *r,
                    const struct bird_rows *t)
{
    int64_t n = w->pack.n_seq;
    int rc = bird_array_grow(&w->bin, &w->cap_bin, n + 2, sizeof(*w->bin));

    if (rc)
        return rc;
    s->n_row++;
    w->bin[0] = 0;
    w->bin[n + 1] =
        w->bin[n] + (s->c->head->n_bin ? s->c->head->n_bin(s->c, r->len) : 1);
    if (!s->c->n_stem)
        return bird_pack_add_ids(&w->pack, t->ids, t->position, t->n);
    for (int64_t i = 0; t->position && i < t->n; i++)
        if (t->position[i] != i)
            return bird_fail(BIRD_EUNSUPPORTED,
                             "a model with a stem takes no positions");
    return bird_pack_add_ids(&w->pack, t->ids, NULL, t->n);
}

/* Bases of a head over bins go into the pack with the place of every row. */
static int request_bins(bird_session *s, struct worker *w, struct request r,
                        const char *seq)
{
    int turned = r.strand == '-' || r.half == SECOND;
    int64_t new_row = s->n_row, n = w->pack.n_seq;
    int64_t n_bin = s->c->head->n_bin(s->c, r.len);
    /* the short bin comes last on the strand given, so first on the other */
    struct bird_binned bases = {seq, r.len,
                                turned ? n_bin * s->c->bin_bp - r.len : 0};
    int rc = bird_array_grow(&s->request, &s->cap_request, s->n_request + 1,
                             sizeof(*s->request));

    if (!rc)
        rc = bird_array_grow(&w->bin, &w->cap_bin, n + 2, sizeof(*w->bin));
    if (!rc)
        rc = bird_pack_add_bins(&w->pack, s->m->tokenizer, &bases);
    if (rc)
        return rc;
    w->bin[0] = 0;
    w->bin[n + 1] = w->bin[n] + n_bin;
    r.row = new_row;
    s->n_row++;
    s->request[s->n_request++] = r;
    return count_request(s, w);
}

static int request_row(bird_session *s, struct worker *w, struct request r,
                       const struct bird_rows *t)
{
    int64_t new_row = s->n_row, n = new_row - s->first_row, slot = 0;
    int rc = bird_array_grow(&s->request, &s->cap_request, s->n_request + 1,
                             sizeof(*s->request));

    if (!rc)
        rc = bird_array_grow(&s->slot, &s->cap_slot, n + 1, sizeof(*s->slot));
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

    if (r.strand == '-' || r.half == SECOND) {
        rc = bird_array_grow(&s->reverse, &s->cap_reverse, len, 1);
        if (rc)
            return rc;
        bird_reverse_complement(s->reverse, seq, len);
        seq = s->reverse;
    }
    if (s->c->bin_bp)
        return request_bins(s, w, r, seq);
    rc = bird_pack_encode(&w->pack, s->m->tokenizer, seq, len,
                          s->m->pad_to
                              ? s->m->pad_to
                              : bird_stem_tokens(s->c, s->c->max_positions));
    t.ids = w->pack.encoding.ids;
    t.n = w->pack.encoding.n;
    return rc ? rc : add_rows(s, r, &t);
}

int bird_session_add(bird_session *s, const char *seq, int64_t len, int64_t tag)
{
    enum bird_strand strand = s->o.strand;
    int both = strand == BIRD_STRAND_BOTH, each = strand == BIRD_STRAND_EACH;
    struct request plus = {tag, len, 0, 0, WHOLE, '+'};
    struct request minus = {tag, len, 0, 0, WHOLE, '-'};
    int rc = check_head(s);

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

    if (!rc && s->c->head->n_bin)
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

    if (!s->n_request) {
        rc = answer(s, &r, (struct made){0});
        return rc ? give_up(s, rc) : 0;
    }
    rc = bird_array_grow(&s->request, &s->cap_request, s->n_request + 1,
                         sizeof(*s->request));
    if (rc)
        return give_up(s, rc);
    s->request[s->n_request++] = r;
    return count_request(s, &s->worker[s->filling]);
}

int bird_session_score(bird_session *s, const char *const *seq,
                       const int64_t *len, int64_t n_seq, float *out)
{
    int rc = bird_session_flush(s);

    s->collect = out;
    s->n_collected = 0;
    for (int64_t i = 0; !rc && i < n_seq; i++)
        rc = bird_session_add(s, seq[i], len ? len[i] : (int64_t)strlen(seq[i]),
                              i);
    if (!rc)
        rc = bird_session_flush(s);
    s->collect = NULL;
    return rc;
}

int bird_session_states(bird_session *s, bird_states *out, const char *seq,
                        int64_t len)
{
    struct bird_pack *p = &s->worker[0].pack;
    struct bird_batch b;
    int rc = bird_session_flush(s);

    if (!rc)
        rc = bird_pack_add(p, s->m->tokenizer, seq, len,
                           bird_stem_tokens(s->c, s->c->max_positions));
    b = bird_pack_batch(p);
    if (!rc)
        rc = bird_array_grow(&s->states, &s->cap_states,
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
