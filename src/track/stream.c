/* Outputs with marks. SPDX-License-Identifier: MIT */
#include "track/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <htslib/bgzf.h>
#include <htslib/hfile.h>
#include <htslib/hts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/guard.h"
#include "base/json.h"
#include "base/leftover.h"

enum { OPENS = 8 };

struct bird_stream {
    char *path, *partial, *state; /* partial, state NULL: written directly */
    const char *name;
    hFILE *plain; /* text; not a BGZF, which is lost when closing it fails */
    BGZF *b;      /* text, compressed */
    htsFile *hts; /* BCF */
    int fd;       /* shares its offset with what b or hts write to */
};

static int fail_stream(const struct bird_stream *s)
{
    return bird_fail(BIRD_EIO, "%s: %s", s->name,
                     errno ? strerror(errno) : "could not be written");
}

/* The names beside the place; NULL for what is written directly. */
static int choose_names(struct bird_stream *s, const char *path)
{
    struct stat st;

    s->name = "standard output";
    if (bird_out_is_stdout(path))
        return 0;
    s->path = strdup(path);
    s->name = s->path;
    if (!s->path)
        return bird_fail_memory(strlen(path));
    if (!stat(path, &st) && !S_ISREG(st.st_mode))
        return 0;
    if (asprintf(&s->partial, "%s.partial", path) < 0)
        s->partial = NULL;
    if (!s->partial || asprintf(&s->state, "%s.json", s->partial) < 0) {
        s->state = NULL;
        return bird_fail_memory(strlen(path));
    }
    return 0;
}

/* Three names are written, that of the state again and again. */
static int guard_names(const struct bird_stream *s)
{
    int rc = s->path ? bird_guard_output(s->path) : 0;

    if (!rc && s->partial)
        rc = bird_guard_output(s->partial);
    if (!rc && s->state && !(rc = bird_guard_output(s->state)))
        bird_guard_own(s->state);
    return rc;
}

/* Is the partial file that of the descriptor, and not another's? */
static int is_in_place(const struct bird_stream *s)
{
    struct stat is, named;

    return s->fd >= 0 && !fstat(s->fd, &is) && !stat(s->partial, &named) &&
           is.st_dev == named.st_dev && is.st_ino == named.st_ino;
}

static void close_fd(struct bird_stream *s)
{
    if (s->fd >= 0)
        close(s->fd);
    s->fd = -1;
}

/* The partial file, which no other run touches while the descriptor lives; a
 * file system without locks (some of the network) goes without. What was
 * opened may have got its name meanwhile: then once more. */
static int open_locked(struct bird_stream *s, int create)
{
    int flags = O_RDWR | O_CLOEXEC | (create ? O_CREAT : 0);

    for (int i = 0; i < OPENS; i++) {
        close_fd(s);
        errno = 0;
        s->fd = open(s->partial, flags, 0666);
        if (s->fd < 0)
            return fail_stream(s);
        if (flock(s->fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
            break;
        if (is_in_place(s))
            return 0;
    }
    close_fd(s);
    return bird_fail(BIRD_EIO,
                     "%s: another run is writing it (%s): let it end, or give "
                     "another name",
                     s->path, s->partial);
}

/* Something of that name that no run of ours left: a mark would stand beside
 * it, or nothing be in it yet. Asked for once it is ours: what another run
 * writes has no mark at first. */
static int is_foreign(const struct bird_stream *s)
{
    struct stat st;

    if (s->fd < 0)
        return s->partial && !stat(s->partial, &st) && !S_ISREG(st.st_mode);
    return !fstat(s->fd, &st) && st.st_size && !bird_file_exists(s->state);
}

static int fail_foreign(struct bird_stream *s)
{
    close_fd(s); /* not ours to remove */
    return bird_fail(BIRD_EIO,
                     "%s is there, without the mark of a run beside it: "
                     "remove it, or give another name",
                     s->partial);
}

static int open_fd(struct bird_stream *s, int64_t from_bytes)
{
    struct stat st;
    int rc;

    if (is_foreign(s))
        return fail_foreign(s);
    errno = 0;
    if (!s->partial) {
        s->fd = s->path ? open(s->path, O_WRONLY | O_CLOEXEC)
                        : fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
        return s->fd < 0 ? fail_stream(s) : 0;
    }
    if ((rc = open_locked(s, !from_bytes)))
        return rc;
    if (is_foreign(s))
        return fail_foreign(s);
    if (!from_bytes)
        bird_leftover_file(s->partial);
    if (fstat(s->fd, &st) || st.st_size < from_bytes)
        return bird_fail(BIRD_EFORMAT,
                         "%s is shorter than %s says: remove both and begin "
                         "anew",
                         s->partial, s->state);
    if (ftruncate(s->fd, from_bytes) ||
        lseek(s->fd, from_bytes, SEEK_SET) != from_bytes)
        return fail_stream(s);
    return 0;
}

static int attach(struct bird_stream *s, enum bird_stream_kind kind)
{
    int fd = fcntl(s->fd, F_DUPFD_CLOEXEC, 3);
    hFILE *h;

    if (fd < 0)
        return fail_stream(s);
    errno = 0;
    if (kind == BIRD_STREAM_BGZIP) {
        s->b = bgzf_dopen(fd, "w");
        if (!s->b)
            close(fd);
        return s->b ? 0 : fail_stream(s);
    }
    h = hdopen(fd, "w");
    if (!h) {
        close(fd);
        return fail_stream(s);
    }
    if (kind == BIRD_STREAM_PLAIN) {
        s->plain = h;
        return 0;
    }
    s->hts = hts_hopen(h, s->name, kind == BIRD_STREAM_BCF ? "wb" : "wbu");
    if (!s->hts)
        hclose_abruptly(h);
    return s->hts ? 0 : fail_stream(s);
}

int bird_stream_open(struct bird_stream **out, const char *path,
                     enum bird_stream_kind kind, int64_t from_bytes)
{
    struct bird_stream *s = calloc(1, sizeof(*s));
    int rc;

    if (!s)
        return bird_fail_memory(sizeof(*s));
    s->fd = -1;
    rc = choose_names(s, path);
    if (!rc)
        rc = guard_names(s);
    if (!rc)
        rc = open_fd(s, from_bytes);
    if (!rc && !from_bytes && s->state)
        unlink(s->state); /* of another run: its file is gone */
    if (!rc)
        rc = attach(s, kind);
    if (rc && from_bytes)
        bird_stream_leave(s);
    else if (rc)
        bird_stream_free(s);
    else
        *out = s;
    return rc;
}

int bird_stream_find(json_t **state, const char *path)
{
    struct bird_stream s = {0};
    int rc;

    if (bird_out_is_stdout(path))
        return 0;
    rc = choose_names(&s, path);
    if (!rc && s.state)
        bird_guard_own(s.state);
    if (!rc && s.state && bird_file_exists(s.state) &&
        bird_file_exists(s.partial)) {
        rc = bird_json_open(state, s.state);
        if (!rc)
            rc = 1;
    }
    free(s.path);
    free(s.partial);
    free(s.state);
    return rc;
}

int bird_stream_put(struct bird_stream *s, const void *data, int64_t n)
{
    ssize_t done;

    errno = 0;
    done = s->plain ? hwrite(s->plain, data, (size_t)n)
                    : bgzf_write(s->b, data, (size_t)n);
    return done == n ? 0 : fail_stream(s);
}

void *bird_stream_hts(struct bird_stream *s)
{
    return s->hts;
}

const char *bird_stream_name(const struct bird_stream *s)
{
    return s->name;
}

int bird_stream_resumes(const struct bird_stream *s)
{
    return s->partial != NULL;
}

int bird_stream_mark(struct bird_stream *s, json_t *state)
{
    BGZF *b = s->hts ? s->hts->fp.bgzf : s->b;
    off_t bytes;
    int rc;

    errno = 0;
    if ((b && b->is_compressed && bgzf_flush(b)) ||
        hflush(b ? b->fp : s->plain))
        return fail_stream(s);
    if (!state || !s->partial)
        return 0;
    bytes = lseek(s->fd, 0, SEEK_CUR);
    if (bytes < 0 || fdatasync(s->fd))
        return fail_stream(s);
    if (json_object_set_new(state, "bytes", json_integer(bytes)))
        return bird_fail_memory(0);
    rc = bird_json_write(state, s->state);
    if (!rc)
        bird_leftover_keep(s->partial);
    return rc;
}

/* Flush and close what writes; the descriptor stays. */
static int finish(struct bird_stream *s)
{
    int rc = 0;

    errno = 0;
    if (s->plain && hclose(s->plain))
        rc = fail_stream(s);
    if (s->b && bgzf_close(s->b))
        rc = fail_stream(s);
    if (s->hts && hts_close(s->hts))
        rc = fail_stream(s);
    s->plain = NULL;
    s->b = NULL;
    s->hts = NULL;
    if (!rc && s->partial && fsync(s->fd))
        rc = fail_stream(s);
    return rc;
}

int bird_stream_close(struct bird_stream *s, int form, int64_t largest_bp)
{
    enum bird_index_form as = (enum bird_index_form)form;
    int rc = finish(s), indexed = !rc && form >= 0 && s->partial, bad = 0;
    char *index = NULL;

    if (indexed)
        bad = bird_hts_index_build(&index, s->partial, s->name, as, largest_bp);
    if (!rc && s->partial && !is_in_place(s))
        rc = bird_fail(BIRD_EIO,
                       "%s: %s is no longer what this run wrote: another run "
                       "or program took its place",
                       s->path, s->partial);
    if (!rc && s->partial && rename(s->partial, s->path))
        rc = fail_stream(s);
    if (!rc && s->partial) {
        bird_leftover_keep(s->partial);
        unlink(s->state);
        free(s->partial);
        s->partial = NULL;
    }
    if (!rc && index)
        bad = bird_hts_index_name(index, s->name,
                                  bird_hts_index_kind(as, largest_bp));
    if (index && (rc || bad))
        unlink(index);
    if (!rc && bad)
        rc = bird_hts_index_lost(s->path, bad);
    free(index);
    bird_stream_free(s);
    return rc;
}

static void discard(struct bird_stream *s)
{
    close_fd(s);
    free(s->path);
    free(s->partial);
    free(s->state);
    free(s);
}

void bird_stream_free(struct bird_stream *s)
{
    if (!s)
        return;
    if (s->plain || s->b || s->hts)
        (void)!finish(s);
    if (s->partial && is_in_place(s)) {
        bird_leftover_keep(s->partial);
        unlink(s->partial);
        if (s->state)
            unlink(s->state);
    }
    discard(s);
}

void bird_stream_leave(struct bird_stream *s)
{
    if (!s)
        return;
    if (s->plain || s->b || s->hts)
        (void)!finish(s);
    discard(s);
}
