/* Packs through encoder and head, a pack a thread. SPDX-License-Identifier: MIT
 */
#include "session/score.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "dnabird/dnabird.h"
#include "session/seen.h"

/* Sequences that a pack may stand open for, those included that wait for it
 * without being in it: so few wait, however often one comes again. */
enum { MAX_OPEN = 8192 };

struct lane { /* what one pack needs */
    struct bird_encoder *e;
    struct bird_pack pack;
    int64_t n_open;   /* sequences since it was opened */
    float *first, *p; /* (n_seq, D) token 0; (n_seq, columns) */
    int64_t *row;     /* (n_seq + 1) 0, 1, 2 ... */
    int64_t cap_first, cap_p, cap_row;
    int rc;
};

struct asked {      /* a sequence that waits to be handed out */
    int64_t row;    /* of those computed; or -1 */
    int64_t answer; /* where it lies in known, in numbers, when row is -1 */
};

struct bird_scorer {
    const struct bird_config *c;
    const struct bird_weights *w;
    const bird_tokenizer *t;
    bird_score_take *take;
    void *context;
    struct lane *lane;
    int64_t n_lane, filling, n_done;
    struct bird_seen *seen;
    struct asked *asked; /* (n_asked) */
    int64_t *slot;       /* (n_row - first_row) where seen has them */
    float *known;        /* (n_known) answers that were there at once */
    int64_t n_asked, n_known, cap_asked, cap_slot, cap_known;
    int64_t n_row, first_row; /* rows computed or in packs; in packs */
    int64_t n_repeated;
    int64_t pad_to; /* 0: not */
};

int bird_scorer_new(struct bird_scorer **out, const struct bird_config *c,
                    const struct bird_weights *w, const bird_tokenizer *t,
                    bird_score_take *take, void *context)
{
    struct bird_scorer *s;
    int rc = 0;

    if (bird_head_per_token(c) || c->head == BIRD_HEAD_NONE)
        return bird_fail(BIRD_EINVAL, "the model has no head that scores "
                                      "sequences: fine-tune one");
    s = calloc(1, sizeof(*s));
    if (!s)
        return bird_fail_memory(sizeof(*s));
    *s = (struct bird_scorer){.c = c,
                              .w = w,
                              .t = t,
                              .take = take,
                              .context = context,
                              .n_lane = bird_threads()};
    rc = bird_seen_new(&s->seen, bird_head_columns(c));
    if (!rc)
        rc = bird_array_new(&s->lane, s->n_lane, sizeof(*s->lane));
    for (int64_t i = 0; !rc && i < s->n_lane; i++)
        rc = bird_encoder_new(&s->lane[i].e, c, w);
    if (rc)
        bird_scorer_free(s);
    else
        *out = s;
    return rc;
}

void bird_scorer_free(struct bird_scorer *s)
{
    if (!s)
        return;
    for (int64_t i = 0; s->lane && i < s->n_lane; i++) {
        bird_encoder_free(s->lane[i].e);
        bird_pack_free(&s->lane[i].pack);
        free(s->lane[i].first);
        free(s->lane[i].row);
        free(s->lane[i].p);
    }
    bird_seen_free(s->seen);
    free(s->asked);
    free(s->slot);
    free(s->known);
    free(s->lane);
    free(s);
}

void bird_scorer_pad(struct bird_scorer *s, int64_t pad_to)
{
    s->pad_to = pad_to;
    for (int64_t i = 0; i < s->n_lane; i++) {
        s->lane[i].pack.pad_to = pad_to;
        s->lane[i].pack.pad_id = (int32_t)s->c->pad_id;
    }
}

int64_t bird_scorer_columns(const struct bird_scorer *s)
{
    return bird_head_columns(s->c);
}

int64_t bird_scorer_trimmed(const struct bird_scorer *s)
{
    int64_t n = 0;

    for (int64_t i = 0; i < s->n_lane; i++)
        n += s->lane[i].pack.n_trimmed;
    return n;
}

int64_t bird_scorer_repeated(const struct bird_scorer *s)
{
    return s->n_repeated;
}

static void to_probabilities(float *p, const struct bird_config *c, int64_t n)
{
    int64_t columns = bird_head_columns(c);

    if (c->head == BIRD_HEAD_SEQUENCE && columns > 1 &&
        c->problem != BIRD_PROBLEM_MULTI_LABEL)
        for (int64_t i = 0; i < n; i++)
            bird_kernels()->softmax_forward(p + i * columns, NULL, columns);
    else if (c->problem != BIRD_PROBLEM_REGRESSION)
        for (int64_t i = 0; i < n * columns; i++)
            p[i] = 1.0f / (1.0f + expf(-p[i]));
}

/* Room is made before the parallel part, where nothing may fail quietly. */
static int lane_reserve(struct lane *l, const struct bird_config *c)
{
    int64_t n = l->pack.n_seq;
    int rc = bird_array_grow(&l->first, &l->cap_first, n * c->hidden_size,
                             sizeof(*l->first));

    if (!rc)
        rc = bird_array_grow(&l->p, &l->cap_p, n * bird_head_columns(c),
                             sizeof(*l->p));
    if (!rc)
        rc = bird_array_grow(&l->row, &l->cap_row, n + 1, sizeof(*l->row));
    for (int64_t i = 0; !rc && i <= n; i++)
        l->row[i] = i;
    return rc;
}

static void lane_run(void *context, int64_t task, int worker)
{
    struct bird_scorer *s = context;
    struct lane *l = &s->lane[task];
    struct bird_batch b = bird_pack_batch(&l->pack);
    struct bird_batch firsts = {.n_seq = b.n_seq, .offset = l->row};

    (void)worker;
    l->rc = 0;
    if (!b.n_seq)
        return;
    l->rc = bird_encoder_forward_first(l->e, l->first, &b);
    if (!l->rc)
        l->rc = bird_head_forward(l->p, NULL, s->c, s->w, l->first, &firsts);
    if (!l->rc)
        to_probabilities(l->p, s->c, b.n_seq);
}

/* What the row of this number became, in the packs of this flush. */
static const float *answer_of(const struct bird_scorer *s, int64_t row)
{
    const struct lane *l = s->lane;

    for (row -= s->first_row; row >= l->pack.n_seq; l++)
        row -= l->pack.n_seq;
    return l->p + row * bird_scorer_columns(s);
}

static int hand_out(struct bird_scorer *s)
{
    int rc = 0;

    for (int64_t i = 0; !rc && i < s->n_asked; i++) {
        const struct asked *a = s->asked + i;

        rc = s->take(s->context, s->n_done++,
                     a->row < 0 ? s->known + a->answer : answer_of(s, a->row));
    }
    for (int64_t row = s->first_row; !rc && row < s->n_row; row++)
        if (s->slot[row - s->first_row] >= 0)
            bird_seen_put(s->seen, s->slot[row - s->first_row], row,
                          answer_of(s, row));
    return rc;
}

int bird_scorer_flush(struct bird_scorer *s)
{
    int64_t n = s->filling;
    int rc = 0;

    if (n < s->n_lane && s->lane[n].n_open > 0)
        n++;
    for (int64_t i = 0; !rc && i < n; i++)
        rc = lane_reserve(&s->lane[i], s->c);
    if (rc)
        return rc;
    bird_parallel(n, lane_run, s);
    for (int64_t i = 0; !rc && i < n; i++)
        if (s->lane[i].rc) /* its sentence may be another thread's */
            rc = bird_fail(s->lane[i].rc,
                           "scoring failed after %lld sequences: out "
                           "of memory, or a token the model does not "
                           "know",
                           (long long)s->n_done);
    if (!rc)
        rc = hand_out(s);
    for (int64_t i = 0; i < n; i++) {
        bird_pack_clear(&s->lane[i].pack);
        s->lane[i].n_open = 0;
    }
    s->filling = s->n_asked = s->n_known = 0;
    s->first_row = s->n_row;
    return rc;
}

/* The answer was there before this flush: it is copied, since its place may
 * be given to another row before its turn comes. */
static int ask_known(struct bird_scorer *s, int64_t slot)
{
    int64_t columns = bird_scorer_columns(s);
    const float *answer = bird_seen_answer(s->seen, slot);
    int rc;

    if (!s->n_asked)
        return s->take(s->context, s->n_done++, answer);
    rc = bird_array_grow(&s->known, &s->cap_known, s->n_known + columns,
                         sizeof(*s->known));
    if (rc)
        return rc;
    memcpy(s->known + s->n_known, answer, (size_t)columns * sizeof(*answer));
    s->asked[s->n_asked++] = (struct asked){-1, s->n_known};
    s->n_known += columns;
    return 0;
}

static int ask(struct bird_scorer *s, struct lane *l)
{
    const bird_encoding *e = &l->pack.encoding;
    int64_t new_row = s->n_row, n = new_row - s->first_row, row, slot;
    int rc = bird_array_grow(&s->asked, &s->cap_asked, s->n_asked + 1,
                             sizeof(*s->asked));

    if (!rc)
        rc = bird_array_grow(&s->slot, &s->cap_slot, n + 1, sizeof(*s->slot));
    if (rc)
        return rc;
    row = bird_seen_meet(s->seen, e->ids, e->n, new_row, &slot);
    if (row != new_row)
        s->n_repeated++;
    if (row < s->first_row)
        return ask_known(s, slot);
    s->asked[s->n_asked++] = (struct asked){row, 0};
    if (row != new_row)
        return 0;
    s->slot[n] = slot;
    s->n_row++;
    return bird_pack_add_ids(&l->pack, e->ids, NULL, e->n);
}

/* A lane got a sequence: is it full, and was it the last? Whether a pack is
 * closed must not depend on what was handed out. */
static int lane_filled(struct bird_scorer *s, struct lane *l)
{
    if ((++l->n_open >= MAX_OPEN || l->pack.n_tok >= BIRD_PACK_TOKENS) &&
        ++s->filling == s->n_lane)
        return bird_scorer_flush(s);
    return 0;
}

int bird_scorer_add(struct bird_scorer *s, const char *text, int64_t n)
{
    struct lane *l = &s->lane[s->filling];
    int rc = bird_pack_encode(&l->pack, s->t, text, n,
                              s->pad_to ? s->pad_to : s->c->max_positions);

    if (!rc)
        rc = ask(s, l);
    return rc ? rc : lane_filled(s, l);
}

int bird_scorer_add_ids(struct bird_scorer *s, const int32_t *ids,
                        const int32_t *position, int64_t n)
{
    struct lane *l = &s->lane[s->filling];
    int64_t row = s->n_row - s->first_row;
    int rc = bird_array_grow(&s->asked, &s->cap_asked, s->n_asked + 1,
                             sizeof(*s->asked));

    if (!rc)
        rc = bird_array_grow(&s->slot, &s->cap_slot, row + 1, sizeof(*s->slot));
    if (!rc)
        rc = bird_pack_add_ids(&l->pack, ids, position, n);
    if (rc)
        return rc;
    s->slot[row] = -1; /* the caller knows what it has asked before */
    s->asked[s->n_asked++] = (struct asked){s->n_row++, 0};
    return lane_filled(s, l);
}

int bird_config_is_choice(const struct bird_config *c)
{
    return c->head == BIRD_HEAD_SEQUENCE &&
           c->problem != BIRD_PROBLEM_MULTI_LABEL && bird_head_columns(c) > 1;
}
