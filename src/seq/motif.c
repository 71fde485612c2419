/* Motifs and their hits. The libraries that compute exact p-values of such
 * scores (MOODS, TFM-Pvalue) are parts of C++ programs, none is packaged for
 * C; the distribution itself takes a few lines. SPDX-License-Identifier: MIT */
#include "seq/motif.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/text.h"
#include "seq/alphabet.h"
#include "seq/input.h"

static const double share[4] = {0.25, 0.25, 0.25, 0.25};

void bird_motifs_free(struct bird_motifs *m)
{
    for (int64_t i = 0; i < m->n; i++)
        free(m->at[i].tail);
    free(m->at);
    free(m->name);
    *m = (struct bird_motifs){0};
}

/* --- scores and their p-values -------------------------------------------- */

/* Scores from counts of bases. */
static void score_counts(struct bird_motif *m,
                         double count[BIRD_MOTIF_WIDTH][4])
{
    for (int i = 0; i < m->width; i++) {
        const double *c = count[i];
        double n = c[0] + c[1] + c[2] + c[3] + 1;

        for (int b = 0; b < 4; b++)
            m->score[i][b] = (int32_t)lrint(
                BIRD_MOTIF_UNIT * log2((c[b] + share[b]) / n / share[b]));
    }
}

static void bounds(const struct bird_motif *m, int i, int32_t *lo, int32_t *hi)
{
    *lo = *hi = m->score[i][0];
    for (int b = 1; b < 4; b++) {
        *lo = m->score[i][b] < *lo ? m->score[i][b] : *lo;
        *hi = m->score[i][b] > *hi ? m->score[i][b] : *hi;
    }
}

/* The score distribution of random words, position by position, and then its
 * upper tail. */
static int count_tail(struct bird_motif *m)
{
    double *now, *next, *block = NULL, sum = 0;
    int64_t range = 1, n = 1;
    int32_t lo, hi;
    int rc;

    m->most = 0;
    for (int i = 0; i < m->width; i++) {
        bounds(m, i, &lo, &hi);
        range += hi - lo;
        m->most += hi;
    }
    rc = bird_array_new(&block, 2 * range, sizeof(*block));
    if (rc)
        return rc;
    now = block;
    next = block + range;
    now[0] = 1; /* now[k]: the lowest score so far plus k */
    for (int i = 0; i < m->width; i++) {
        double *swap = now;

        bounds(m, i, &lo, &hi);
        memset(next, 0, (size_t)(n + hi - lo) * sizeof(*next));
        for (int b = 0; b < 4; b++) {
            double *at = next + (m->score[i][b] - lo);

            for (int64_t k = 0; k < n; k++)
                at[k] += share[b] * now[k];
        }
        n += hi - lo;
        now = next;
        next = swap;
    }
    for (m->n_tail = 0; m->n_tail < n; m->n_tail++) {
        sum += now[n - 1 - m->n_tail];
        if (sum > BIRD_MOTIF_MOST_P)
            break;
        next[m->n_tail] = sum;
    }
    rc = bird_array_new(&m->tail, m->n_tail, sizeof(*m->tail));
    if (!rc && m->n_tail)
        memcpy(m->tail, next, (size_t)m->n_tail * sizeof(*next));
    free(block);
    return rc;
}

double bird_motif_p(const struct bird_motif *m, int32_t score)
{
    int64_t k = (int64_t)m->most - score;

    return k < 0 ? 0 : k < m->n_tail ? m->tail[k] : 1;
}

int32_t bird_motif_score(const struct bird_motif *m, const char *bases,
                         char strand)
{
    int32_t s = 0;

    for (int i = 0; i < m->width; i++) {
        int b = bird_base_code(bases[strand == '-' ? m->width - 1 - i : i]);

        if (b < 0)
            return INT32_MIN;
        s += m->score[i][strand == '-' ? 3 - b : b];
    }
    return s;
}

/* --- files ---------------------------------------------------------------- */

/* The motif that is being read. */
struct reading {
    struct bird_motifs *out;
    const char *path;
    struct bird_lines lines;
    struct bird_motif motif;
    double count[BIRD_MOTIF_WIDTH][4];
    int jaspar; /* base of the next line in JASPAR's format; else 0 */
};

static int wrong(const struct reading *r, const char *what)
{
    return bird_fail(BIRD_EFORMAT, "%s:%lld: %s", r->path,
                     (long long)r->lines.line, what);
}

/* Long names are truncated: they are only shown. */
static void put_name(char *out, size_t size, const char *s)
{
    size_t n = strcspn(s, " \t");

    if (n >= size)
        n = size - 1;
    memcpy(out, s, n);
    out[n] = '\0';
}

static const char *skip_blanks(const char *s)
{
    return s + strspn(s, " \t");
}

static int add(struct reading *r)
{
    struct bird_motifs *m = r->out;
    int rc;

    if (!r->motif.width)
        return wrong(r, "a motif without positions");
    if (!r->motif.name[0])
        memcpy(r->motif.name, r->motif.id, sizeof(r->motif.id));
    rc = bird_array_grow(&m->at, &m->cap, m->n + 1, sizeof(*m->at));
    if (rc)
        return rc;
    score_counts(&r->motif, r->count);
    rc = count_tail(&r->motif);
    if (rc)
        return rc;
    m->at[m->n++] = r->motif;
    r->motif = (struct bird_motif){0};
    return 0;
}

/* More than any experiment's count. */
#define MOST_COUNT 1e9

/* Read at most `most` counts of a line, up to its end or ']': their number;
 * -1: not a count. */
static int numbers(double *out, int most, const char *s)
{
    int n = 0;

    for (s = skip_blanks(s); n < most && *s && *s != ']'; s = skip_blanks(s)) {
        char word[64];
        size_t len = strcspn(s, " \t]");

        if (len >= sizeof(word))
            return -1;
        memcpy(word, s, len);
        word[len] = '\0';
        if (bird_parse_double(out + n, word) || out[n] < 0 ||
            out[n] > MOST_COUNT)
            return -1;
        n++;
        s += len;
    }
    return n;
}

static int take_position(struct reading *r, const char *s)
{
    double c[4];

    s += strspn(s, "0123456789");
    /* a base of the consensus may follow */
    if (numbers(c, 4, s) != 4 || c[0] + c[1] + c[2] + c[3] <= 0)
        return wrong(r, "not a position and four counts");
    if (r->motif.width == BIRD_MOTIF_WIDTH)
        return wrong(r, "a motif of more than 64 positions");
    memcpy(r->count[r->motif.width++], c, sizeof(c));
    return 0;
}

/* "A [ 4 19 0 ]" of JASPAR's format, in the order A, C, G, T. */
static int take_base(struct reading *r, const char *s)
{
    double c[BIRD_MOTIF_WIDTH + 1];
    int b = r->jaspar - 1, n;

    s = skip_blanks(s);
    if (*s == "ACGT"[b])
        s = skip_blanks(s + 1);
    if (*s == '[')
        s++;
    n = numbers(c, BIRD_MOTIF_WIDTH + 1, s);
    if (n < 0)
        return wrong(r, "an invalid count: use 0 to 1e9");
    if (n < 1 || n > BIRD_MOTIF_WIDTH || (b && n != r->motif.width))
        return wrong(r, "not as many counts as positions, 64 at most");
    r->motif.width = n;
    for (int i = 0; i < n; i++)
        r->count[i][b] = c[i];
    if (++r->jaspar <= 4)
        return 0;
    r->jaspar = 0;
    for (int i = 0; i < n; i++)
        if (r->count[i][0] + r->count[i][1] + r->count[i][2] + r->count[i][3] <=
            0)
            return wrong(r, "a position without any count");
    return add(r);
}

/* A header with the base of each column. */
static int check_columns(struct reading *r, const char *s)
{
    static const char want[] = "ACGT";
    int n = 0;

    for (s = skip_blanks(s); *s && n < 4; s = skip_blanks(s + 1))
        if (*s != want[n++])
            return wrong(r, "columns are not of A, C, G, T");
    return 0;
}

static int take_line(struct reading *r, const char *s)
{
    if (r->jaspar)
        return take_base(r, s);
    if (r->motif.width && (*s == '>' || !strncmp(s, "AC", 2)))
        return wrong(r, "a motif begins before the last one ended (//)");
    if (s[0] == 'P' && (s[1] == 'O' || s[1] == '0'))
        return check_columns(r, s + 2);
    if (*s == '>') {
        s = skip_blanks(s + 1);
        put_name(r->motif.id, sizeof(r->motif.id), s);
        put_name(r->motif.name, sizeof(r->motif.name),
                 skip_blanks(s + strcspn(s, " \t")));
        r->jaspar = 1;
        return r->motif.id[0] ? 0 : wrong(r, "a motif without a name");
    }
    if (!strncmp(s, "AC", 2) && strchr(" \t", s[2]))
        put_name(r->motif.id, sizeof(r->motif.id), skip_blanks(s + 2));
    else if (!strncmp(s, "ID", 2) && strchr(" \t", s[2]))
        put_name(r->motif.name, sizeof(r->motif.name), skip_blanks(s + 2));
    else if (!strncmp(s, "//", 2))
        return r->motif.id[0] || r->motif.width ? add(r) : 0;
    else if (*s >= '0' && *s <= '9')
        return r->motif.id[0] ? take_position(r, s)
                              : wrong(r, "counts before a motif's name");
    return 0;
}

int bird_motifs_read(struct bird_motifs *out, const char *path)
{
    struct reading r = {.out = out, .path = path};
    const char *slash = strrchr(path, '/');
    int rc = bird_lines_open(&r.lines, path);

    *out = (struct bird_motifs){0};
    if (rc)
        return rc;
    out->name = strdup(slash ? slash + 1 : path);
    if (!out->name)
        rc = bird_fail_memory((int64_t)strlen(path));
    while (!rc && (rc = bird_lines_next(&r.lines)) == 1)
        rc = take_line(&r, r.lines.text.s ? r.lines.text.s : "");
    if (!rc && (r.jaspar || r.motif.width))
        rc = wrong(&r, "the file ends within a motif");
    if (!rc && !out->n)
        rc = bird_fail(BIRD_EFORMAT,
                       "%s: no motif in TRANSFAC's or JASPAR's format", path);
    bird_lines_close(&r.lines);
    return rc;
}

/* --- hits ----------------------------------------------------------------- */

struct hits {
    struct bird_motif_hit *at;
    int64_t n, cap;
};

static int by_p(const void *a, const void *b)
{
    const struct bird_motif_hit *x = a, *y = b;

    if (x->p != y->p)
        return x->p < y->p ? -1 : 1;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->motif != y->motif)
        return x->motif < y->motif ? -1 : 1;
    return x->strand - y->strand;
}

/* The lowest score whose p-value is small enough. */
static int32_t least_score(const struct bird_motif *m, double most_p)
{
    int64_t k = 0;

    while (k < m->n_tail && m->tail[k] <= most_p)
        k++;
    return (int32_t)(m->most - k + 1);
}

static int find_motif(struct hits *h, const struct bird_motif *m,
                      const struct bird_motif_range *r)
{
    int32_t least = least_score(m, r->most_p);
    int64_t i = r->from - m->width + 1 > 0 ? r->from - m->width + 1 : 0;

    for (; i < r->to && i + m->width <= r->n; i++)
        for (int k = 0; k < 2; k++) {
            char strand = k ? '-' : '+';
            int32_t s = bird_motif_score(m, r->bases + i, strand);
            int rc;

            if (s < least)
                continue;
            rc = bird_array_grow(&h->at, &h->cap, h->n + 1, sizeof(*h->at));
            if (rc)
                return rc;
            h->at[h->n++] =
                (struct bird_motif_hit){i, m, bird_motif_p(m, s), s, strand};
        }
    return 0;
}

static int share_half(const struct bird_motif_hit *a,
                      const struct bird_motif_hit *b)
{
    int64_t wa = a->motif->width, wb = b->motif->width;
    int64_t from = a->start > b->start ? a->start : b->start;
    int64_t to = a->start + wa < b->start + wb ? a->start + wa : b->start + wb;

    return 2 * (to - from) > (wa < wb ? wa : wb);
}

int bird_motifs_find(struct bird_motif_hit **out, int64_t *n,
                     const struct bird_motifs *m,
                     const struct bird_motif_range *r)
{
    struct hits h = {0};
    int64_t kept = 0;
    int rc = 0;

    if (!(r->most_p > 0 && r->most_p <= BIRD_MOTIF_MOST_P))
        return bird_fail(BIRD_EINVAL,
                         "a p-value of motifs is above 0 and at most %g",
                         BIRD_MOTIF_MOST_P);
    for (int64_t i = 0; i < m->n && !rc; i++)
        rc = find_motif(&h, &m->at[i], r);
    if (h.n)
        qsort(h.at, (size_t)h.n, sizeof(*h.at), by_p);
    for (int64_t i = 0; i < h.n; i++) {
        int taken = 0;

        for (int64_t j = 0; j < kept && !taken; j++)
            taken = share_half(&h.at[i], &h.at[j]);
        if (!taken)
            h.at[kept++] = h.at[i];
    }
    if (rc) {
        free(h.at);
        return rc;
    }
    *out = h.at;
    *n = kept;
    return 0;
}
