/* Tables with a tabix index. One row is read ahead and kept until its
 * position is requested. SPDX-License-Identifier: MIT */
#include "seq/indexed.h"

#include <errno.h>
#include <htslib/hts.h>
#include <htslib/kstring.h>
#include <htslib/tbx.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/guard.h"

/* Up to this distance, read on instead of seeking: a few blocks of bgzip. */
enum { AHEAD = 2048 };

struct bird_indexed {
    char *path;
    htsFile *file;
    tbx_t *index;
    hts_itr_t *rows; /* being read; or NULL */
    struct bird_text header;
    kstring_t line; /* read ahead, if at >= 0 */
    int contig;     /* contig of `rows`, by the index's number; -1: none */
    int64_t at;     /* position of the line; -1: no more rows */
    int64_t passed; /* rows up to this position were read already */
};

void bird_indexed_free(struct bird_indexed *x)
{
    if (!x)
        return;
    if (x->rows)
        hts_itr_destroy(x->rows);
    if (x->index)
        tbx_destroy(x->index);
    if (x->file)
        hts_close(x->file);
    bird_text_free(&x->header);
    free(x->line.s);
    free(x->path);
    free(x);
}

const char *bird_indexed_header(const struct bird_indexed *x)
{
    return x->header.s;
}

static int fail_read(const struct bird_indexed *x)
{
    return bird_fail(BIRD_EFORMAT,
                     "%s: cannot be read: is it cut short, or its index of "
                     "another file?",
                     x->path);
}

static int read_header(struct bird_indexed *x)
{
    int got, rc = bird_text_put(&x->header, "", 0);

    while (!rc && (got = hts_getline(x->file, '\n', &x->line)) >= 0 &&
           x->line.l && x->line.s[0] == '#') {
        rc = bird_text_put(&x->header, x->line.s, (int64_t)x->line.l);
        if (!rc)
            rc = bird_text_put(&x->header, "\n", 1);
    }
    return rc ? rc : got < -1 ? fail_read(x) : 0;
}

/* htslib gives up where a signal interrupts the opening of a file. */
static htsFile *open_table(const char *path)
{
    htsFile *f;

    do {
        errno = 0;
        f = hts_open(path, "r");
    } while (!f && errno == EINTR);
    return f;
}

static tbx_t *open_index(const char *path)
{
    tbx_t *index;

    do {
        errno = 0;
        index = tbx_index_load3(path, NULL, HTS_IDX_SILENT_FAIL);
    } while (!index && errno == EINTR);
    return index;
}

static int load(struct bird_indexed *x)
{
    const tbx_conf_t *c;
    int rc = bird_guard_input(x->path);

    if (rc)
        return rc;
    x->file = open_table(x->path);
    if (!x->file)
        return bird_fail(BIRD_EIO, "%s: %s", x->path,
                         errno ? strerror(errno) : "cannot be opened");
    if (hts_get_format(x->file)->compression != bgzf)
        return bird_fail(BIRD_EFORMAT,
                         "%s: not bgzipped: an index of it cannot be used",
                         x->path);
    x->index = open_index(x->path);
    if (!x->index)
        return bird_fail(BIRD_EFORMAT,
                         "%s: no index (.tbi, .csi) that can be read: make one "
                         "with tabix -s1 -b2 -e2 FILE",
                         x->path);
    c = &x->index->conf;
    if (c->sc != 1 || c->bc != 2 || (c->preset & TBX_UCSC))
        return bird_fail(BIRD_EFORMAT,
                         "%s: its index is for other columns: make it with "
                         "tabix -f -s1 -b2 -e2 FILE",
                         x->path);
    return read_header(x);
}

int bird_indexed_open(struct bird_indexed **out, const char *path)
{
    struct bird_indexed *x = calloc(1, sizeof(*x));
    enum htsLogLevel level = hts_get_log_level();
    int rc;

    if (!x)
        return bird_fail_memory(sizeof(*x));
    x->contig = -1;
    x->at = -1;
    x->path = strdup(path);
    hts_set_log_level(HTS_LOG_OFF); /* this library has its own messages */
    rc = x->path ? load(x) : bird_fail_memory(strlen(path));
    hts_set_log_level(level);
    if (rc)
        bird_indexed_free(x);
    else
        *out = x;
    return rc;
}

/* The next row, into x->line. */
static int next(struct bird_indexed *x)
{
    int got = x->rows ? tbx_itr_next(x->file, x->index, x->rows, &x->line) : -1;

    x->passed = x->at >= 0 ? x->at : x->passed;
    x->at = got < 0 ? -1 : x->rows->curr_beg;
    return got < -1 ? fail_read(x) : 0;
}

static int look_up(struct bird_indexed *x, int contig, int64_t pos)
{
    if (x->rows)
        hts_itr_destroy(x->rows);
    x->contig = contig;
    x->at = -1;
    x->passed = pos - 1;
    x->rows = tbx_itr_queryi(x->index, contig, pos, HTS_POS_MAX);
    return next(x);
}

int bird_indexed_rows(struct bird_text *out, struct bird_indexed *x,
                      const char *contig, int64_t pos)
{
    int id = tbx_name2id(x->index, contig), rc = 0;

    bird_text_clear(out);
    if (id < 0)
        return 0;
    if (id != x->contig || pos <= x->passed ||
        (x->at >= 0 && pos > x->at + AHEAD))
        rc = look_up(x, id, pos);
    while (!rc && x->at >= 0 && x->at < pos)
        rc = next(x);
    while (!rc && x->at == pos) {
        rc = bird_text_put(out, x->line.s, (int64_t)x->line.l);
        if (!rc)
            rc = bird_text_put(out, "\n", 1);
        if (!rc)
            rc = next(x);
    }
    return rc;
}
