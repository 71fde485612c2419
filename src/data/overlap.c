/* Rows of a table that share k-mers with other sequence, and the table without
 * them: its lines are copied, so that all columns stay.
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "data/apart.h"
#include "data/dataset.h"
#include "seq/input.h"
#include "track/output.h"

struct overlap {
    const bird_overlap_options *o;
    bird_dataset rows;
    uint8_t
        *shared; /* (rows.n) number of the file of `with`, from 1; 0: none */
    struct bird_reference ref;
    bird_overlap_tally t;
};

void bird_overlap_options_default(bird_overlap_options *o)
{
    *o = (bird_overlap_options){.margin_bp = 0, .shared_k = 32};
}

static int check(const bird_overlap_options *o)
{
    if (!o->rows || !o->n_with)
        return bird_fail(BIRD_EINVAL, "a table of rows and a file to compare "
                                      "with are needed");
    if (o->n_with > BIRD_MAX_PART)
        return bird_fail(BIRD_EINVAL, "compare with %d files at most",
                         BIRD_MAX_PART);
    if (o->shared_k < 1 || o->shared_k > 63)
        return bird_fail(BIRD_EINVAL, "a word has 1 to 63 bases, not %lld",
                         (long long)o->shared_k);
    if (o->kept && bird_file_is_stream(o->rows))
        return bird_fail(BIRD_EINVAL, "the rows are read twice to copy them: "
                                      "name a file, not standard input or a "
                                      "pipe");
    if (!strcmp(bird_dataset_format(o->rows), "bed"))
        return bird_fail(BIRD_EINVAL,
                         "%s: rows are a table or FASTA, not regions", o->rows);
    return o->margin_bp < 0 || o->margin_bp > INT32_MAX
               ? bird_fail(BIRD_EINVAL, "a margin is 0 bp or more")
               : 0;
}

static int open_rows(struct overlap *v)
{
    const bird_dataset_options how = {
        .label = "", .sequence = v->o->sequence, .name = v->o->name};
    int rc = bird_dataset_open(&v->rows, v->o->rows, &how);

    if (!rc)
        rc = bird_array_new(&v->shared, v->rows.n, 1);
    v->t.n_row = v->rows.n;
    for (int64_t i = 0; !rc && i < v->rows.n; i++)
        v->t.n_below += v->rows.row[i].len < v->o->shared_k;
    return rc;
}

/* Mark the rows that share a k-mer with file number i. */
static int mark(struct overlap *v, int64_t i)
{
    bird_dataset with = {0};
    uint8_t *shared = NULL;
    int rc = bird_apart_read(&with, &v->ref, v->o->margin_bp, v->o->shared_k,
                             v->o->with[i]);

    if (!rc)
        rc = bird_array_new(&shared, v->rows.n, 1);
    if (!rc)
        rc = bird_dataset_mark_shared(shared, &v->rows, &with,
                                      (int)v->o->shared_k, 1);
    for (int64_t k = 0; !rc && k < v->rows.n; k++) {
        v->t.n_shared[i] += shared[k];
        if (shared[k] && !v->shared[k]) {
            v->shared[k] = (uint8_t)(i + 1);
            v->t.n_any++;
        }
    }
    bird_dataset_free(&with);
    free(shared);
    return rc;
}

static int put_list(struct bird_output *out, const struct overlap *v)
{
    struct bird_text line = {0};
    int rc = bird_text_printf(&line, "#row\tname\twith\n");

    for (int64_t i = 0; !rc && i <= v->rows.n; i++) {
        const char *name =
            i < v->rows.n ? bird_dataset_name(&v->rows, i) : NULL;

        rc = bird_output_put(out, line.s, line.n);
        bird_text_clear(&line);
        if (!rc && i < v->rows.n && v->shared[i])
            rc = bird_text_printf(&line, "%lld\t%s\t%s\n", (long long)i + 1,
                                  name && *name ? name : ".",
                                  v->o->with[v->shared[i] - 1]);
    }
    bird_text_free(&line);
    return rc;
}

/* What comes after a line; those of FASTA may end in CR alone. */
static const char *after_line(const char *s, int is_fasta)
{
    s += strcspn(s, is_fasta ? "\r\n" : "\n");
    s += *s == '\r' && s[1] == '\n';
    return s + (*s != '\0');
}

/* A row's lines reach to the first line of the next row; what lies before the
 * first row are the names of the columns. */
static int put_kept(struct bird_output *out, const struct overlap *v)
{
    struct bird_text file = {0};
    const char *s, *end;
    int64_t row = -1, line = 1;
    int is_fasta = !strcmp(bird_dataset_format(v->o->rows), "fasta");
    int rc = bird_read_file(&file, v->o->rows);

    for (s = file.s; !rc && *s; s = end, line++) {
        end = after_line(s, is_fasta);
        if (row + 1 < v->rows.n && line == v->rows.line[row + 1])
            row++;
        if (row < 0 || !v->shared[row])
            rc = bird_output_put(out, s, end - s);
    }
    bird_text_free(&file);
    return rc;
}

static int write_file(const char *path, const struct overlap *v,
                      int (*put)(struct bird_output *, const struct overlap *))
{
    struct bird_output *out;
    int rc = bird_output_open(&out, path, NULL);

    if (rc)
        return rc;
    rc = put(out, v);
    if (!rc)
        return bird_output_close(out, 0);
    bird_output_free(out);
    return rc;
}

int bird_overlap(const bird_overlap_options *o, bird_overlap_tally *tally)
{
    struct overlap v = {.o = o};
    int rc = check(o);

    if (!rc && o->n_fasta)
        rc = bird_reference_open(&v.ref, o->fasta, o->n_fasta);
    if (!rc)
        rc = open_rows(&v);
    for (int64_t i = 0; !rc && i < o->n_with; i++)
        rc = mark(&v, i);
    if (!rc && o->kept)
        rc = write_file(o->kept, &v, put_kept);
    if (!rc)
        rc = write_file(o->output ? o->output : "-", &v, put_list);
    if (!rc && tally)
        *tally = v.t;
    bird_dataset_free(&v.rows);
    bird_reference_free(&v.ref);
    free(v.shared);
    return rc;
}
