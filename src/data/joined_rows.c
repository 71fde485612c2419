/* Tables of sequences, joined, without rows that are elsewhere too.
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "data/apart.h"
#include "dnabird/dataset.h"
#include "dnabird/tiles.h"
#include "track/output.h"

/* Why a row is left out; from APART on the things to be apart from. */
enum { KEPT, DIFFER, AGAIN, APART };

struct joining {
    const bird_rows_options *o;
    bird_dataset *table; /* (n_table) */
    bird_dataset all;    /* rows and bases of all tables, without labels */
    int64_t *from;       /* (all.n) a row's table */
    uint8_t *why;        /* (all.n) */
    struct bird_reference ref;
    bird_rows_tally t;
};

void bird_rows_options_default(bird_rows_options *o)
{
    *o = (bird_rows_options){.margin_bp = 1000, .shared_k = 32};
}

static int check(const bird_rows_options *o)
{
    if (!o->n_table || !o->output)
        return bird_fail(BIRD_EINVAL, "no table to read or no file to write");
    if (o->shared_k < 1 || o->shared_k > 63)
        return bird_fail(BIRD_EINVAL, "-k must lie between 1 and 63, got %lld",
                         (long long)o->shared_k);
    if (o->margin_bp < 0 || o->margin_bp > INT32_MAX)
        return bird_fail(BIRD_EINVAL, "a margin is 0 bp or more");
    for (int64_t i = 0; i < o->n_apart; i++)
        for (int64_t k = 0; k < i; k++)
            if (!strcmp(o->apart[i].name, o->apart[k].name))
                return bird_fail(BIRD_EINVAL,
                                 "--apart '%s' is given twice: name each file "
                                 "once",
                                 o->apart[i].name);
    return o->n_apart <= BIRD_MAX_PART
               ? 0
               : bird_fail(BIRD_EINVAL,
                           "rows can be apart from at most %d files",
                           BIRD_MAX_PART);
}

/* ---- the tables ---------------------------------------------------------- */

static int check_table(const struct joining *j, const bird_dataset *d,
                       const char *path)
{
    if (d->kind != BIRD_LABEL_CLASS)
        return bird_fail(BIRD_EINVAL, "%s: rows need one label each", path);
    for (int64_t i = 0; j->o->n_apart && i < d->n; i++)
        if (d->row[i].len < j->o->shared_k)
            return bird_fail(BIRD_EINVAL,
                             "%s: row %lld has %lld bp, fewer than the %lld "
                             "that must not be shared: give a smaller "
                             "--length, or remove the row",
                             path, (long long)i + 1, (long long)d->row[i].len,
                             (long long)j->o->shared_k);
    return 0;
}

static int open_tables(struct joining *j)
{
    const bird_dataset_options plain = {0};
    bird_dataset *all = &j->all;
    int64_t n = j->o->n_table, row = 0;
    int rc = bird_array_new(&j->table, n, sizeof(*j->table));

    for (int64_t i = 0; !rc && i < n; i++) {
        rc = bird_dataset_open(&j->table[i], j->o->table[i], &plain);
        if (!rc)
            rc = check_table(j, &j->table[i], j->o->table[i]);
        if (!rc && !j->table[i].label_name != !j->table[0].label_name)
            rc = bird_fail(BIRD_EINVAL,
                           "%s: labels are %s, those of %s are not: a table "
                           "has one kind",
                           j->o->table[i],
                           j->table[i].label_name ? "words" : "numbers",
                           j->o->table[0]);
        all->n += j->table[i].n;
        all->n_base += j->table[i].n_base;
    }
    if (!rc)
        rc = bird_array_new(&all->row, all->n, sizeof(*all->row));
    if (!rc)
        rc = bird_array_new(&all->bases, all->n_base, 1);
    if (!rc)
        rc = bird_array_new(&j->from, all->n, sizeof(*j->from));
    if (!rc)
        rc = bird_array_new(&j->why, all->n, 1);
    all->n_base = 0;
    for (int64_t i = 0; !rc && i < n; i++)
        for (int64_t k = 0; k < j->table[i].n; k++) {
            const bird_row *r = &j->table[i].row[k];

            j->from[row] = i;
            all->row[row] = *r;
            all->row[row++].at = all->n_base;
            memcpy(all->bases + all->n_base, bird_dataset_seq(&j->table[i], k),
                   (size_t)r->len);
            all->n_base += r->len;
        }
    return rc;
}

/* A row's label as in the output: a class is a number or a word. */
static int put_label(struct bird_text *t, const struct joining *j, int64_t row)
{
    const bird_dataset *d = &j->table[j->from[row]];
    int32_t label = j->all.row[row].label;

    return d->label_name ? bird_text_printf(t, "%s", d->label_name[label])
                         : bird_text_printf(t, "%d", (int)label);
}

/* ---- the same sequence --------------------------------------------------- */

struct strand { /* of the two strands the one that comes first */
    const char *s;
    int64_t len, row;
};

static int same(const struct strand *a, const struct strand *b)
{
    return a->len == b->len && !memcmp(a->s, b->s, (size_t)a->len);
}

static int by_sequence(const void *a, const void *b)
{
    const struct strand *x = a, *y = b;
    int c = x->len != y->len ? (x->len > y->len) - (x->len < y->len)
                             : memcmp(x->s, y->s, (size_t)x->len);

    return c ? c : (x->row > y->row) - (x->row < y->row);
}

/* Rows [0, n) of the list have one sequence. */
static int mark_group(struct joining *j, const struct strand *list, int64_t n)
{
    struct bird_text first = {0}, other = {0};
    int differ = 0, rc = n > 1 ? put_label(&first, j, list[0].row) : 0;

    for (int64_t i = 1; !rc && i < n; i++) {
        other.n = 0;
        rc = put_label(&other, j, list[i].row);
        differ |= !rc && strcmp(first.s, other.s);
    }
    for (int64_t i = differ ? 0 : 1; !rc && i < n; i++)
        j->why[list[i].row] = differ ? DIFFER : AGAIN;
    bird_text_free(&first);
    bird_text_free(&other);
    return rc;
}

static int mark_same(struct joining *j)
{
    const bird_dataset *d = &j->all;
    struct strand *list = NULL;
    char *reverse = NULL;
    int64_t first = 0;
    int rc = bird_array_new(&list, d->n, sizeof(*list));

    if (!rc)
        rc = bird_array_new(&reverse, d->n_base, 1);
    for (int64_t i = 0; !rc && i < d->n; i++) {
        const char *s = bird_dataset_seq(d, i);
        char *t = reverse + d->row[i].at;

        bird_reverse_complement(t, s, d->row[i].len);
        list[i] = (struct strand){
            memcmp(t, s, (size_t)d->row[i].len) < 0 ? t : s, d->row[i].len, i};
    }
    if (!rc)
        qsort(list, (size_t)d->n, sizeof(*list), by_sequence);
    for (int64_t i = 1; !rc && i <= d->n; i++)
        if (i == d->n || !same(&list[i], &list[first])) {
            rc = mark_group(j, list + first, i - first);
            first = i;
        }
    free(list);
    free(reverse);
    return rc;
}

/* ---- sequence to be apart from ------------------------------------------- */

static int mark_apart(struct joining *j, int64_t k)
{
    bird_dataset d = {0};
    uint8_t *shared = NULL;
    int rc = bird_apart_read(&d, &j->ref, j->o->margin_bp, j->o->shared_k,
                             j->o->apart[k].path);

    if (!rc)
        rc = bird_array_new(&shared, j->all.n, 1);
    if (!rc)
        rc = bird_dataset_mark_shared(shared, &j->all, &d, (int)j->o->shared_k,
                                      1);
    for (int64_t i = 0; !rc && i < j->all.n; i++)
        if (shared[i] && j->why[i] == KEPT)
            j->why[i] = (uint8_t)(APART + k);
    bird_dataset_free(&d);
    free(shared);
    return rc;
}

/* ---- output -------------------------------------------------------------- */

static void count(struct joining *j)
{
    bird_rows_tally *t = &j->t;

    t->n_row = j->all.n;
    for (int64_t i = 0; i < j->all.n; i++)
        switch (j->why[i]) {
        case KEPT:
            t->n_kept++;
            break;
        case DIFFER:
            t->n_differ++;
            break;
        case AGAIN:
            t->n_again++;
            break;
        default:
            t->n_apart[j->why[i] - APART]++;
        }
}

/* The table has a comma between two columns and no quotes. */
static int check_label(const struct bird_text *line, int64_t from)
{
    for (int64_t i = from; i < line->n; i++)
        if (strchr(",\"\r\n", line->s[i]))
            return bird_fail(BIRD_EFORMAT,
                             "the label '%.80s' has a comma, a quote or a line "
                             "break: rename it",
                             line->s + from);
    return 0;
}

static int put_rows(struct bird_output *out, const struct joining *j)
{
    static const char head[] = "sequence,label\n";
    struct bird_text line = {0};
    int64_t at;
    int rc = bird_output_put(out, head, sizeof(head) - 1);

    for (int64_t i = 0; !rc && i < j->all.n; i++) {
        if (j->why[i] != KEPT)
            continue;
        line.n = 0;
        rc = bird_text_put(&line, bird_dataset_seq(&j->all, i),
                           j->all.row[i].len);
        if (!rc)
            rc = bird_text_put(&line, ",", 1);
        at = line.n;
        if (!rc)
            rc = put_label(&line, j, i);
        if (!rc)
            rc = check_label(&line, at);
        if (!rc)
            rc = bird_text_put(&line, "\n", 1);
        if (!rc)
            rc = bird_output_put(out, line.s, line.n);
    }
    bird_text_free(&line);
    return rc;
}

static int write_summary(const struct joining *j)
{
    const bird_rows_tally *t = &j->t;
    struct bird_text s = {0};
    int rc = bird_text_printf(&s, "rows\ttwo_labels\tagain");

    for (int64_t k = 0; !rc && k < j->o->n_apart; k++)
        rc = bird_text_printf(&s, "\t%s", j->o->apart[k].name);
    if (!rc)
        rc = bird_text_printf(&s, "\tkept\n%lld\t%lld\t%lld",
                              (long long)t->n_row, (long long)t->n_differ,
                              (long long)t->n_again);
    for (int64_t k = 0; !rc && k < j->o->n_apart; k++)
        rc = bird_text_printf(&s, "\t%lld", (long long)t->n_apart[k]);
    if (!rc)
        rc = bird_text_printf(&s, "\t%lld\n", (long long)t->n_kept);
    if (!rc)
        rc = bird_file_write(j->o->summary, s.s, (size_t)s.n);
    bird_text_free(&s);
    return rc;
}

/* The summary first: what fails before the rows are closed leaves none. */
static int write_rows(const struct joining *j)
{
    struct bird_output *out;
    int rc = bird_output_open(&out, j->o->output, NULL);

    if (rc)
        return rc;
    rc = put_rows(out, j);
    if (!rc && j->o->summary)
        rc = write_summary(j);
    if (!rc)
        rc = bird_output_close(out, 0);
    else
        bird_output_free(out);
    return rc;
}

int bird_rows_write(const bird_rows_options *o, bird_rows_tally *tally)
{
    struct joining j = {.o = o};
    int rc = check(o);

    if (!rc && o->n_fasta)
        rc = bird_reference_open(&j.ref, o->fasta, o->n_fasta);
    if (!rc)
        rc = open_tables(&j);
    if (!rc)
        rc = mark_same(&j);
    for (int64_t k = 0; !rc && k < o->n_apart; k++)
        rc = mark_apart(&j, k);
    if (!rc) {
        count(&j);
        if (!j.t.n_kept)
            rc = bird_fail(BIRD_EINVAL, "none of %lld rows is left",
                           (long long)j.t.n_row);
    }
    if (!rc)
        rc = write_rows(&j);
    if (!rc && tally)
        *tally = j.t;
    for (int64_t i = 0; j.table && i < o->n_table; i++)
        bird_dataset_free(&j.table[i]);
    bird_dataset_free(&j.all);
    bird_reference_free(&j.ref);
    free(j.table);
    free(j.from);
    free(j.why);
    return rc;
}
