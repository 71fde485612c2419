/* Writing token shards. SPDX-License-Identifier: MIT */
#include "dnabird/sample.h"

#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/guard.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "data/shards.h"
#include "dnabird/dnabird.h"

enum {
    FILE_TOKENS = 1 << 24,
    MEASURED = 16, /* rows, spread over all */
    TASK_ROWS = 64 /* rows of a task; so many for each thread between two
                      calls of progress */
};

/* Rows that one task made, one after the other. */
struct batch {
    struct bird_text bytes;
    struct bird_shard_packer packer;
    int32_t *ids, *bp; /* (length_tok) */
    int64_t first, n;
    int64_t size[TASK_ROWS];
    int64_t n_token, n_bp, n_rich;
    int rc;
    char why[1024]; /* a sentence is its thread's: kept for the caller's */
};

struct bird_token_shards {
    bird_tokenizer *t;
    struct bird_sampler *s;
    json_t *identity;
    struct bird_shards_head head;
    struct bird_token_shards_plan plan;
    char *folder;
    struct batch *batch; /* (n_batch) */
    int64_t n_batch;
};

/* ---- opening ------------------------------------------------------------ */

static int check_options(const bird_token_shards_options *o)
{
    if (!o->tokenizer)
        return bird_fail(BIRD_EINVAL, "no tokenizer is given");
    if (o->sample.shards)
        return bird_fail(BIRD_EINVAL,
                         "token shards are made from references, not from "
                         "token shards");
    if (o->rows < 0 || o->steps < 0 || (!o->rows && !o->steps))
        return bird_fail(BIRD_EINVAL, "how many rows, or steps?");
    if (o->batch_tok < 1 || o->batch_tok > INT64_C(1) << 40)
        return bird_fail(BIRD_EINVAL,
                         "--batch must lie between 1 and 2^40 tokens, got %lld",
                         (long long)o->batch_tok);
    if (o->rows_per_file < 0 || o->rows_per_file > INT32_MAX)
        return bird_fail(BIRD_EINVAL, "%lld rows a file: up to 2^31 - 1",
                         (long long)o->rows_per_file);
    return 0;
}

static int plan_rows(struct bird_token_shards *x,
                     const bird_token_shards_options *o)
{
    struct bird_shards_head *h = &x->head;
    int64_t length = o->sample.length_tok;

    h->per_step = bird_sample_rows(o->batch_tok, length);
    h->per_shard = o->rows_per_file;
    if (!h->per_shard)
        h->per_shard = length < FILE_TOKENS ? FILE_TOKENS / length : 1;
    h->rows = o->rows;
    if ((!o->rows && __builtin_mul_overflow(o->steps, h->per_step, &h->rows)) ||
        h->rows > INT64_C(1) << 48)
        return bird_fail(BIRD_EINVAL,
                         "more than 2^48 rows: nobody can store them");
    return bird_shards_key(h->key, x->identity);
}

/* The shards already in the folder; their identity must be the same. */
static int look_into(struct bird_token_shards *x)
{
    struct bird_shards_head old, *h = &x->head;
    json_t *identity = NULL;
    char *path = NULL;
    int rc = bird_path_join(&path, x->folder, BIRD_SHARDS_JSON);

    if (rc || !bird_file_exists(path))
        goto done;
    rc = bird_shards_head_read(&old, &identity, path);
    if (!rc)
        rc = bird_identity_check(identity, x->identity, path);
    if (!rc && old.per_step != h->per_step)
        rc = bird_fail(BIRD_EINVAL,
                       "%s: made with %lld rows a step, not %lld: use the same "
                       "batch, or another folder",
                       path, (long long)old.per_step, (long long)h->per_step);
    if (rc)
        goto done;
    h->per_shard = old.per_shard;
    h->rows = old.rows > h->rows ? old.rows : h->rows;
    for (int64_t k = 0; k < bird_shards_files(&old); k++)
        if (!bird_shards_check_file(h, x->folder, k))
            x->plan.rows_there += bird_shards_rows_of(h, k);
done:
    json_decref(identity);
    free(path);
    return rc;
}

static int make_batches(struct bird_token_shards *x, int64_t n)
{
    int64_t length = x->s->o.length_tok;
    int rc = bird_array_new(&x->batch, n, sizeof(*x->batch));

    x->n_batch = rc ? 0 : n;
    for (int64_t i = 0; !rc && i < n; i++) {
        rc = bird_array_new(&x->batch[i].ids, length, sizeof(int32_t));
        if (!rc)
            rc = bird_array_new(&x->batch[i].bp, length, sizeof(int32_t));
    }
    return rc;
}

/* ---- rows --------------------------------------------------------------- */

static int add_row(struct batch *b, const struct bird_token_shards *x,
                   int64_t i)
{
    struct bird_sampled_row d = {.ids = b->ids, .bp = b->bp};
    int64_t before = b->bytes.n, per_step = x->head.per_step;
    int rc = bird_row_sample(&d, x->s, i / per_step, i % per_step);

    if (!rc)
        rc = bird_shard_pack(&b->bytes, &b->packer, &d, &x->s->words);
    if (rc)
        return rc;
    b->size[b->n++] = b->bytes.n - before;
    b->n_token += d.n_token;
    b->n_rich += d.n_rich;
    for (int64_t k = 0; k < d.n_token; k++)
        b->n_bp += d.bp[k];
    return 0;
}

static void batch_run(void *context, int64_t task, int worker)
{
    struct bird_token_shards *x = context;
    struct batch *b = x->batch + task;
    int64_t n = b->n;

    (void)worker;
    b->rc = 0;
    b->n = b->bytes.n = 0;
    for (int64_t i = 0; !b->rc && i < n; i++)
        b->rc = add_row(b, x, b->first + i);
    if (b->rc)
        snprintf(b->why, sizeof(b->why), "%s", bird_last_error());
}

/* Size of a row from rows spread over all of them. */
static int measure(struct bird_token_shards *x)
{
    struct bird_token_shards_plan *p = &x->plan;
    int64_t n = x->head.rows < MEASURED ? x->head.rows : MEASURED;
    struct batch *b = x->batch;
    int rc = 0;

    for (int64_t k = 0; !rc && k < n; k++)
        rc = add_row(b, x, x->head.rows / n * k);
    if (rc)
        return rc;
    p->rows_measured = n;
    p->bytes_per_row = (double)b->bytes.n / (double)n + 8.0;
    p->bp_per_token = (double)b->n_bp / (double)b->n_token;
    p->n_rich = b->n_rich;
    return 0;
}

/* Free bytes on the disk of the folder, or of the folder's parent if it does
 * not exist yet. */
static int64_t room_of(const char *folder)
{
    struct statvfs fs;
    char *path = strdup(folder), *slash;
    int64_t room = INT64_MAX;

    if (!path)
        return room;
    if (statvfs(path, &fs)) {
        slash = strrchr(path, '/');
        if (slash)
            slash[slash == path] = '\0';
        if (statvfs(slash ? path : ".", &fs))
            goto done;
    }
    if (fs.f_bavail < (uint64_t)INT64_MAX / fs.f_frsize)
        room = (int64_t)(fs.f_bavail * fs.f_frsize);
done:
    free(path);
    return room;
}

int bird_token_shards_open(bird_token_shards **out, const char *folder,
                           const bird_token_shards_options *o)
{
    struct bird_token_shards *x = NULL;
    struct bird_token_shards_plan *p;
    int rc = check_options(o);

    if (rc || (rc = bird_array_new(&x, 1, sizeof(*x))))
        return rc;
    p = &x->plan;
    x->folder = strdup(folder);
    rc = x->folder ? bird_tokenizer_open(&x->t, o->tokenizer)
                   : bird_fail_memory(strlen(folder));
    if (!rc)
        rc = bird_sampler_open(&x->s, &o->sample, x->t);
    if (!rc)
        rc = bird_identity_of_options(&x->identity, x->s);
    if (!rc)
        rc = bird_identity_add_data(x->identity, x->s);
    if (!rc)
        rc = plan_rows(x, o);
    if (!rc)
        rc = look_into(x);
    if (!rc)
        rc = make_batches(x, bird_threads());
    if (!rc)
        rc = measure(x);
    if (rc) {
        bird_token_shards_free(x);
        return rc;
    }
    p->rows = x->head.rows;
    p->rows_per_step = x->head.per_step;
    p->files = bird_shards_files(&x->head);
    p->bases = bird_sampler_bases(x->s);
    p->bytes_needed =
        (int64_t)ceil(p->bytes_per_row * (double)(p->rows - p->rows_there));
    p->bytes_free = room_of(folder);
    *out = x;
    return 0;
}

void bird_token_shards_plan_get(const bird_token_shards *x,
                                bird_token_shards_plan *out)
{
    *out = x->plan;
}

/* ---- writing ------------------------------------------------------------ */

static int check_room(const struct bird_token_shards *x)
{
    const struct bird_token_shards_plan *p = &x->plan;

    if (p->bytes_needed <= p->bytes_free)
        return 0;
    return bird_fail(BIRD_EIO,
                     "%s: the token shards need about %.1f GB, and %.1f GB are "
                     "free: fewer rows, or another disk",
                     x->folder, (double)p->bytes_needed / 1e9,
                     (double)p->bytes_free / 1e9);
}

/* Is it a temporary name of tokens.json or of a file of rows? */
static int is_left_over(const char *name)
{
    static const char rows[] = ".tokens.zst";
    const size_t n_rows = sizeof(rows) - 1, n_json = strlen(BIRD_SHARDS_JSON);
    const char *at = strstr(name, ".tmp");
    size_t n = at ? (size_t)(at - name) : 0;

    if (!at || at[4 + strspn(at + 4, "0123456789")] != '\0')
        return 0;
    return (n == n_json && !memcmp(name, BIRD_SHARDS_JSON, n)) ||
           (n > n_rows && !memcmp(at - n_rows, rows, n_rows));
}

/* A run that was killed may have left files half written. */
static void sweep(const char *folder)
{
    DIR *d = opendir(folder);
    struct dirent *e;

    while (d && (e = readdir(d)))
        if (is_left_over(e->d_name))
            unlinkat(dirfd(d), e->d_name, 0);
    if (d)
        closedir(d);
}

/* Names and lengths of the contigs in use, for readers. */
static int write_head(const struct bird_token_shards *x)
{
    const struct bird_packed_reference *b = &x->s->bases;
    json_t *list = json_array();
    char *path = NULL;
    int rc = list ? 0 : bird_fail_memory(0);

    for (int64_t i = 0; !rc && i < b->n; i++)
        if (b->contig[i].digest[0] &&
            json_array_append_new(
                list, json_pack("{s:s, s:I}", "name", b->contigs.name[i],
                                "length", (json_int_t)b->contig[i].length)))
            rc = bird_fail_memory(0);
    if (!rc)
        rc = bird_path_join(&path, x->folder, BIRD_SHARDS_JSON);
    if (!rc)
        rc = bird_shards_head_write(&x->head, x->identity, list, path);
    free(path);
    json_decref(list);
    return rc;
}

struct file {
    struct bird_text bytes;
    int64_t *size; /* (rows) */
    int64_t n;     /* rows so far */
};

/* The rows that the options ask for. */
static int run_batches(struct file *f, struct bird_token_shards *x, int64_t n)
{
    int rc = 0;

    bird_parallel(n, batch_run, x);
    for (int64_t i = 0; !rc && i < n; i++) {
        struct batch *b = x->batch + i;

        if (b->rc) {
            rc = bird_fail(b->rc, "%s", b->why);
            continue;
        }
        rc = bird_text_put(&f->bytes, b->bytes.s, b->bytes.n);
        for (int64_t k = 0; k < b->n; k++)
            f->size[f->n++] = b->size[k];
    }
    return rc;
}

struct report {
    bird_progress_call *progress;
    void *context;
    bird_progress at;
};

static int write_rows(struct bird_token_shards *x, int64_t k, struct report *r)
{
    int64_t first = k * x->head.per_shard, n, i;
    int64_t rows = bird_shards_rows_of(&x->head, k);
    struct file f = {0};
    int rc = bird_array_new(&f.size, rows, sizeof(*f.size));

    while (!rc && f.n < rows) {
        for (i = 0, n = f.n; i < x->n_batch && n < rows; i++) {
            x->batch[i].first = first + n;
            x->batch[i].n = rows - n < TASK_ROWS ? rows - n : TASK_ROWS;
            n += x->batch[i].n;
        }
        n = f.n;
        rc = run_batches(&f, x, i);
        r->at.done += f.n - n;
        if (!rc && r->progress && r->progress(r->context, &r->at))
            rc = bird_fail(BIRD_ECANCELED,
                           "%s: stopped; the same command goes on", x->folder);
    }
    if (!rc)
        rc = bird_shards_write_file(&x->head, x->folder, k, &f.bytes, f.size);
    bird_text_free(&f.bytes);
    free(f.size);
    return rc;
}

int bird_token_shards_write(bird_token_shards *x, bird_progress_call *progress,
                            void *context)
{
    struct report r = {
        progress,
        context,
        {"drawing", "rows", x->plan.rows_there, x->head.rows, NULL, NULL, 0}};
    int lock = -1, rc = check_room(x);

    if (rc || (rc = bird_folder_make(x->folder)) ||
        (rc = bird_folder_lock(&lock, x->folder)))
        return rc;
    bird_guard_own(x->folder);
    sweep(x->folder);
    /* another run may have written there since it was looked into */
    x->plan.rows_there = 0;
    rc = look_into(x);
    if (!rc)
        rc = write_head(x);
    for (int64_t k = 0; !rc && k < bird_shards_files(&x->head); k++)
        if (!x->plan.rows_there ||
            bird_shards_check_file(&x->head, x->folder, k))
            rc = write_rows(x, k, &r);
    if (lock >= 0)
        close(lock);
    return rc;
}

void bird_token_shards_free(bird_token_shards *x)
{
    if (!x)
        return;
    for (int64_t i = 0; i < x->n_batch; i++) {
        bird_text_free(&x->batch[i].bytes);
        bird_shard_packer_free(&x->batch[i].packer);
        free(x->batch[i].ids);
        free(x->batch[i].bp);
    }
    free(x->batch);
    free(x->folder);
    json_decref(x->identity);
    bird_sampler_free(x->s);
    bird_tokenizer_free(x->t);
    free(x);
}
