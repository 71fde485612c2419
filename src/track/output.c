/* One object for every output. The bytes go through one of four writers
 * (htslib's plain file, bgzip and BCF; zstd over the plain file) to the
 * descriptor of a temporary file, which is renamed when it is complete and
 * indexed. Writer and object share the descriptor, so that the offset at a mark
 * is known, and a resumed run cuts off exactly the bytes after the mark.
 * SPDX-License-Identifier: MIT */
#include "track/output.h"

#include <errno.h>
#include <fcntl.h>
#include <htslib/bgzf.h>
#include <htslib/hfile.h>
#include <htslib/hts.h>
#include <htslib/tbx.h>
#include <htslib/vcf.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/fail.h"
#include "base/guard.h"
#include "base/json.h"
#include "track/output_lock.h"

enum { OPENS = 8, ZSTD_LEVEL = 6, CSI_SHIFT = 14 };
static const int64_t tbi_limit_bp = (int64_t)1 << 29;

enum frame { FRAME_NONE, FRAME_OPEN, FRAME_ENDED }; /* of zstd */

struct bird_output {
    struct bird_out out;   /* an output that cannot be resumed */
    char *partial, *state; /* an output that can be resumed */
    char *path;            /* NULL: standard output */
    const char *name;
    enum bird_index index;
    hFILE *plain;   /* text; not a BGZF, which is freed even if closing fails */
    ZSTD_CCtx *zst; /* compresses to plain; or NULL */
    enum frame frame;
    BGZF *gz;     /* text, bgzipped */
    htsFile *hts; /* BCF */
    int fd;       /* shares its offset with the descriptor of gz or hts */
    int has_mark; /* from which --resume can continue */
};

static int ends(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);

    return n > m && !strcmp(s + n - m, end);
}

static int is_gz(const char *path)
{
    return ends(path, ".gz") || ends(path, ".bgz");
}

enum bird_container bird_container_of(const char *path,
                                      enum bird_container container)
{
    if (container != BIRD_BY_NAME)
        return container;
    if (bird_out_is_stdout(path))
        return BIRD_PLAIN;
    return is_gz(path)          ? BIRD_BGZIP
           : ends(path, ".zst") ? BIRD_ZSTD
                                : BIRD_PLAIN;
}

int bird_output_check(const char *path, const struct bird_output_options *o)
{
    enum bird_container as = bird_container_of(path, o->container);
    int is_stdout = bird_out_is_stdout(path);

    if (o->index && (is_stdout || (as != BIRD_BGZIP && as != BIRD_BCF)))
        return bird_fail(BIRD_EINVAL,
                         "%s: only a bgzipped file takes an index; give it a "
                         "name that ends in .gz, or a compressed format",
                         bird_out_name(path));
    return 0;
}

int bird_output_check_resume(const char *path, int resume, int restart)
{
    if ((resume || restart) && bird_out_is_stdout(path))
        return bird_fail(BIRD_EINVAL, "only a file can be resumed: give one "
                                      "with -o");
    if (resume && restart)
        return bird_fail(BIRD_EINVAL, "--resume continues a run, --force "
                                      "starts it again: give one of them");
    return 0;
}

static int fail_output(const struct bird_output *o)
{
    return bird_fail(BIRD_EIO, "%s: %s", o->name,
                     errno ? strerror(errno) : "could not be written");
}

const char *bird_output_temporary(const struct bird_output *o)
{
    return o->partial ? o->partial : o->out.temporary;
}

/* --- indexes ------------------------------------------------------------- */

static const char *index_kind(enum bird_index index, int64_t largest_bp)
{
    return index == BIRD_INDEX_BCF || largest_bp > tbi_limit_bp ? "csi" : "tbi";
}

const char *bird_index_sort(enum bird_index index)
{
    static const char *const how[] = {
        [BIRD_INDEX_BED] = "bedtools sort -header, or sort -k1,1 -k2,2n, then "
                           "bgzip and tabix -p bed",
        [BIRD_INDEX_TABLE] = "the line that begins with # first, the others "
                             "by sort -k1,1 -k2,2n, then bgzip and tabix -s1 "
                             "-b2 -e2",
        [BIRD_INDEX_GFF] = "the lines that begin with # first, the others by "
                           "sort -k1,1 -k4,4n, then bgzip and tabix -p gff",
        [BIRD_INDEX_VCF] = "bcftools sort, then bcftools index -t",
        [BIRD_INDEX_BCF] = "bcftools sort, then bcftools index"};

    return how[index];
}

/* htslib returns the same code for system failures and for unsorted lines. */
static int is_system(int code)
{
    return code == ENOSPC || code == EIO || code == EDQUOT || code == EFBIG ||
           code == EACCES || code == EROFS || code == ENOMEM || code == ENOENT;
}

static int call_htslib(const char *file, const char *index,
                       enum bird_index kind, int shift)
{
    static const tbx_conf_t table = {TBX_GENERIC, 1, 2, 2, '#', 0};
    const tbx_conf_t *conf = kind == BIRD_INDEX_BED   ? &tbx_conf_bed
                             : kind == BIRD_INDEX_GFF ? &tbx_conf_gff
                             : kind == BIRD_INDEX_VCF ? &tbx_conf_vcf
                                                      : &table;

    int got = kind == BIRD_INDEX_BCF
                  ? bcf_index_build3(file, index, CSI_SHIFT, 0)
                  : tbx_index_build3(file, index, shift, 0, conf);

    /* when memory is short it may drop positions without an error */
    return got ? got : errno == ENOMEM ? -1 : 0;
}

/* Index the file that will be called o->name. The index's file name is *out,
 * which the caller frees. */
static int build_index(char **out, const struct bird_output *o,
                       int64_t largest_bp)
{
    const char *kind = index_kind(o->index, largest_bp);
    enum htsLogLevel level = hts_get_log_level();
    char *index;
    int got, rc = 0;

    if (asprintf(&index, "%s.%s", bird_output_temporary(o), kind) < 0)
        return bird_fail_memory(strlen(o->name));
    hts_set_log_level(HTS_LOG_OFF); /* the message comes from here */
    bird_leftover_file(index);
    do { /* htslib gives up where a signal interrupts the opening of a file */
        errno = 0;
        got = call_htslib(bird_output_temporary(o), index, o->index,
                          !strcmp(kind, "csi") ? CSI_SHIFT : 0);
    } while (got && errno == EINTR);
    hts_set_log_level(level);
    if (got && is_system(errno))
        rc = bird_fail(BIRD_EIO, "%s.%s: %s", o->name, kind, strerror(errno));
    else if (got)
        rc = bird_fail(BIRD_EFORMAT,
                       "%s: cannot be indexed, its rows are out of order; "
                       "does a contig come twice in the input, or a "
                       "region before an earlier one? Sort it (%s)",
                       o->name, bird_index_sort(o->index));
    if (rc) {
        unlink(index);
        bird_leftover_keep(index);
        free(index);
    } else {
        *out = index;
    }
    return rc;
}

/* Rename the index to the file's name and the index's suffix. */
static int name_index(const char *index, const char *name, const char *kind)
{
    char *to = NULL;
    int rc = 0;

    if (asprintf(&to, "%s.%s", name, kind) < 0)
        rc = bird_fail_memory(strlen(name));
    else if (rename(index, to))
        rc = bird_fail(BIRD_EIO, "%s: %s", to, strerror(errno));
    if (!rc)
        bird_leftover_keep(index);
    free(to);
    return rc;
}

/* Remove the indexes of a file that was replaced. */
static void remove_indices(const char *name)
{
    static const char *const kinds[] = {"tbi", "csi"};

    for (int i = 0; i < 2; i++) {
        char *old = NULL;

        if (asprintf(&old, "%s.%s", name, kinds[i]) >= 0)
            unlink(old);
        free(old);
    }
}

int bird_index_lost(const char *name, int rc)
{
    remove_indices(name);
    return bird_fail_in(rc, "%s is whole, but has no index", name);
}

/* --- opening ------------------------------------------------------------- */

/* Names of the files of an output that can be resumed. */
static int choose_names(struct bird_output *o, const char *path)
{
    struct stat st;

    o->name = "standard output";
    if (bird_out_is_stdout(path))
        return 0;
    o->path = strdup(path);
    o->name = o->path;
    if (!o->path)
        return bird_fail_memory(strlen(path));
    if (!stat(path, &st) && !S_ISREG(st.st_mode))
        return 0;
    if (asprintf(&o->partial, "%s.partial", path) < 0)
        o->partial = NULL;
    if (!o->partial || asprintf(&o->state, "%s.json", o->partial) < 0) {
        o->state = NULL;
        return bird_fail_memory(strlen(path));
    }
    return 0;
}

/* Guard the three names that are written; the state is written repeatedly. */
static int guard_names(const struct bird_output *o)
{
    int rc = o->path ? bird_guard_output(o->path) : 0;

    if (!rc && o->partial)
        rc = bird_guard_output(o->partial);
    if (!rc && o->state && !(rc = bird_guard_output(o->state)))
        bird_guard_own(o->state);
    return rc;
}

/* Does the partial file's name still refer to the descriptor's file? */
static int is_in_place(const struct bird_output *o)
{
    struct stat is, named;

    return o->fd >= 0 && !fstat(o->fd, &is) && !stat(o->partial, &named) &&
           is.st_dev == named.st_dev && is.st_ino == named.st_ino;
}

static void close_fd(struct bird_output *o)
{
    if (o->fd >= 0)
        close(o->fd);
    o->fd = -1;
}

/* Open and lock the partial file, so that no other run writes it; some network
 * file systems have no locks, and then there is none. Another run may have
 * renamed the file between opening and locking: then open again. */
static int open_locked(struct bird_output *o, int create)
{
    int flags = O_RDWR | (create ? O_CREAT : 0);

    for (int i = 0; i < OPENS; i++) {
        close_fd(o);
        errno = 0;
        o->fd = bird_open(o->partial, flags);
        if (o->fd < 0)
            return create ? bird_fail_to_make(o->path) : fail_output(o);
        if (flock(o->fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
            break;
        if (is_in_place(o)) {
            bird_take_mode(o->fd, o->path);
            return 0;
        }
    }
    close_fd(o);
    return bird_fail(BIRD_EIO,
                     "%s: another run is writing it (%s): let it end, or give "
                     "another name",
                     o->path, o->partial);
}

/* Was the partial file left by another program? Ours has a mark or is empty. Call
 * it with the lock, since another run's file has no mark at first. */
static int is_foreign(const struct bird_output *o)
{
    struct stat st;

    if (o->fd < 0)
        return o->partial && !stat(o->partial, &st) && !S_ISREG(st.st_mode);
    return !fstat(o->fd, &st) && st.st_size && !bird_file_exists(o->state);
}

static int fail_foreign(struct bird_output *o)
{
    close_fd(o);
    bird_leftover_keep(o->partial); /* a foreign file is not removed */
    return bird_fail(BIRD_EIO,
                     "%s exists, without the mark of a run beside it: "
                     "remove it, or give another name",
                     o->partial);
}

/* Write a mark before the first byte, and before an earlier run's bytes are cut
 * off. A run that is killed now then leaves no file that looks foreign or is
 * shorter than its mark. */
static int begin_mark(struct bird_output *o)
{
    json_t *state = json_pack("{s:i}", "bytes", 0);
    int rc = state ? 0 : bird_fail_memory(0);

    bird_leftover_file(o->partial);
    bird_leftover_file(o->state);
    if (!rc)
        rc = bird_json_write(state, o->state);
    json_decref(state);
    return rc;
}

/* Does the mark say 0 bytes, so that there is nothing to resume? */
static int is_beginning(const json_t *state)
{
    const json_t *bytes = json_object_get(state, "bytes");

    return json_is_integer(bytes) && !json_integer_value(bytes);
}

/* Refuse to replace results of an interrupted run, from which --resume can
 * continue. To be called with the lock. A mark that cannot be read may have
 * results too. */
static int refuse_restart(struct bird_output *o)
{
    json_t *state = NULL;
    struct stat st;
    int kept = !fstat(o->fd, &st) && st.st_size > 0 &&
               bird_file_exists(o->state) &&
               (bird_json_open(&state, o->state) || !is_beginning(state));

    json_decref(state);
    if (!kept)
        return 0;
    close_fd(o);
    bird_leftover_keep(o->partial);
    return bird_fail(BIRD_EINVAL,
                     "%s: an interrupted run is there: add --resume to "
                     "continue, or --force to start again",
                     o->partial);
}

/* Open the partial file and cut it at the mark. */
static int open_partial(struct bird_output *o, int64_t from_bytes, int restart)
{
    struct stat st;
    int rc = guard_names(o), is_new;

    if (rc)
        return rc;
    if (is_foreign(o))
        return fail_foreign(o);
    is_new = lstat(o->partial, &st) && errno == ENOENT;
    if (is_new)
        bird_leftover_file(o->partial);
    if ((rc = open_locked(o, !from_bytes))) {
        if (is_new)
            bird_leftover_keep(o->partial);
        return rc;
    }
    if (is_foreign(o))
        return fail_foreign(o);
    if (!from_bytes && !restart && (rc = refuse_restart(o)))
        return rc;
    if (!from_bytes && (rc = begin_mark(o)))
        return rc;
    if (fstat(o->fd, &st) || st.st_size < from_bytes)
        return bird_fail(BIRD_EFORMAT,
                         "%s is shorter than %s says: remove both and start "
                         "over",
                         o->partial, o->state);
    if (ftruncate(o->fd, from_bytes) ||
        lseek(o->fd, from_bytes, SEEK_SET) != from_bytes)
        return fail_output(o);
    return 0;
}

/* Open a file that is renamed at the end, a device, or standard output. */
static int open_once(struct bird_output *o, int index)
{
    int rc = bird_out_open(&o->out, o->path ? o->path : "-");

    if (rc)
        return rc;
    if (index && !o->out.temporary)
        return bird_fail(BIRD_EINVAL, "%s: not a regular file: takes no index",
                         o->path);
    if ((rc = bird_output_lock(&o->out)))
        return rc;
    errno = 0;
    o->fd = fcntl(o->out.fd, F_DUPFD_CLOEXEC, 3);
    return o->fd < 0 ? fail_output(o) : 0;
}

static int open_zst(struct bird_output *o)
{
    o->zst = ZSTD_createCCtx();
    if (!o->zst)
        return bird_fail_memory(ZSTD_CStreamOutSize());
    ZSTD_CCtx_setParameter(o->zst, ZSTD_c_compressionLevel, ZSTD_LEVEL);
    ZSTD_CCtx_setParameter(o->zst, ZSTD_c_checksumFlag, 1);
    return 0;
}

/* Attach the writer to the descriptor. */
static int attach(struct bird_output *o, enum bird_container as)
{
    int fd;
    hFILE *h;

    if (as == BIRD_FOREIGN)
        return o->out.temporary
                   ? 0
                   : bird_fail(BIRD_EINVAL, "%s: not a regular file", o->name);
    errno = 0;
    fd = fcntl(o->fd, F_DUPFD_CLOEXEC, 3);
    if (fd < 0)
        return fail_output(o);
    if (as == BIRD_BGZIP) {
        o->gz = bgzf_dopen(fd, "w");
        if (!o->gz)
            close(fd);
        return o->gz ? 0 : fail_output(o);
    }
    h = hdopen(fd, "w");
    if (!h) {
        close(fd);
        return fail_output(o);
    }
    if (as == BIRD_PLAIN || as == BIRD_ZSTD) {
        o->plain = h;
        return as == BIRD_ZSTD ? open_zst(o) : 0;
    }
    o->hts = hts_hopen(h, o->name, as == BIRD_BCF ? "wb" : "wbu");
    if (!o->hts)
        hclose_abruptly(h);
    return o->hts ? 0 : fail_output(o);
}

/* The writer has a descriptor of its own; close the other one, since hundreds
 * of tracks may be open. A foreign writer's does not hold the lock. */
static int keep_one_descriptor(struct bird_output *o, enum bird_container as)
{
    int bad = fclose(o->out.stream);

    o->out.stream = NULL;
    if (as != BIRD_FOREIGN)
        close_fd(o);
    return bad ? fail_output(o) : 0;
}

int bird_output_open(struct bird_output **out, const char *path,
                     const struct bird_output_options *options)
{
    static const struct bird_output_options none;
    const struct bird_output_options *with = options ? options : &none;
    enum bird_container as = bird_container_of(path, with->container);
    struct bird_output *o;
    int rc = bird_numbers_check();

    if (rc || (rc = bird_output_check(path, with)))
        return rc;
    o = calloc(1, sizeof(*o));
    if (!o)
        return bird_fail_memory(sizeof(*o));
    o->fd = -1;
    o->index = with->index;
    o->has_mark = with->from_bytes > 0;
    rc = choose_names(o, path);
    if (!rc && !with->resumable) {
        free(o->partial);
        free(o->state);
        o->partial = o->state = NULL;
    }
    if (!rc)
        rc = o->partial ? open_partial(o, with->from_bytes, with->restart)
                        : open_once(o, with->index != BIRD_INDEX_NONE);
    if (!rc)
        rc = attach(o, as);
    if (!rc && o->out.temporary)
        rc = keep_one_descriptor(o, as);
    if (rc)
        bird_output_free(o);
    else
        *out = o;
    return rc;
}

const char *bird_output_name(const struct bird_output *o)
{
    return o->name;
}

void *bird_output_hts(struct bird_output *o)
{
    return o->hts;
}

int bird_output_resumes(const struct bird_output *o)
{
    return o->partial != NULL;
}

int64_t bird_output_bytes(const struct bird_output *o)
{
    return o->partial ? (int64_t)lseek(o->fd, 0, SEEK_CUR) : -1;
}

/* --- writing ------------------------------------------------------------- */

static int put_plain(struct bird_output *o, const void *data, size_t n)
{
    errno = 0;
    return hwrite(o->plain, data, n) == (ssize_t)n ? 0 : fail_output(o);
}

/* Compress to the file; `last` ends the zstd frame. */
static int put_zst(struct bird_output *o, const void *data, size_t n, int last)
{
    ZSTD_inBuffer in = {data, n, 0};
    char part[16384];
    size_t left;
    int rc;

    o->frame = last ? FRAME_ENDED : FRAME_OPEN;
    do {
        ZSTD_outBuffer out = {part, sizeof(part), 0};

        left = ZSTD_compressStream2(o->zst, &out, &in,
                                    last ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left))
            return bird_fail(BIRD_EIO, "%s: zstd: %s", o->name,
                             ZSTD_getErrorName(left));
        if ((rc = put_plain(o, part, out.pos)))
            return rc;
    } while (last ? left > 0 : in.pos < in.size);
    return 0;
}

int bird_output_put(struct bird_output *o, const void *data, int64_t n)
{
    if (o->zst)
        return put_zst(o, data, (size_t)n, 0);
    if (o->plain)
        return put_plain(o, data, (size_t)n);
    errno = 0;
    return bgzf_write(o->gz, data, (size_t)n) == n ? 0 : fail_output(o);
}

int bird_output_find_mark(json_t **state, const char *path)
{
    struct bird_output o = {0};
    int rc;

    if (bird_out_is_stdout(path))
        return 0;
    rc = choose_names(&o, path);
    if (!rc && o.state)
        bird_guard_own(o.state);
    if (!rc && o.state && bird_file_exists(o.state) &&
        bird_file_exists(o.partial)) {
        rc = bird_json_open(state, o.state);
        if (!rc && is_beginning(*state)) {
            json_decref(*state);
            *state = NULL;
        } else if (!rc) {
            rc = 1;
        }
    }
    free(o.path);
    free(o.partial);
    free(o.state);
    return rc;
}

/* The files are kept before the mark has its name: a signal that comes just
 * after that would remove them. */
static int write_mark(struct bird_output *o, const json_t *state)
{
    int rc;

    bird_leftover_keep(o->state);
    bird_leftover_keep(o->partial);
    rc = bird_json_write(state, o->state);
    if (!rc) {
        o->has_mark = 1;
    } else if (!o->has_mark) {
        bird_leftover_file(o->partial);
        bird_leftover_file(o->state);
    }
    return rc;
}

int bird_output_mark(struct bird_output *o, json_t *state)
{
    BGZF *b = o->hts ? o->hts->fp.bgzf : o->gz;
    off_t bytes;
    int rc = 0;

    /* with or without a state, so that the bytes are the same */
    if (o->frame == FRAME_OPEN)
        rc = put_zst(o, "", 0, 1);
    if (rc)
        return rc;
    errno = 0;
    if ((b && b->is_compressed && bgzf_flush(b)) ||
        hflush(b ? b->fp : o->plain))
        return fail_output(o);
    if (!state || !o->partial)
        return 0;
    bytes = lseek(o->fd, 0, SEEK_CUR);
    if (bytes < 0 || fdatasync(o->fd))
        return fail_output(o);
    if (json_object_set_new(state, "bytes", json_integer(bytes)))
        return bird_fail_memory(0);
    return write_mark(o, state);
}

/* --- the end ------------------------------------------------------------- */

/* Flush and close the writer; the descriptor stays open. */
static int finish(struct bird_output *o)
{
    int rc = 0;

    if (o->zst && o->plain && o->frame != FRAME_ENDED)
        rc = put_zst(o, "", 0, 1);
    errno = 0;
    if (o->plain && hclose(o->plain) && !rc)
        rc = fail_output(o);
    if (o->gz && bgzf_close(o->gz))
        rc = fail_output(o);
    if (o->hts && hts_close(o->hts))
        rc = fail_output(o);
    o->plain = NULL;
    o->gz = NULL;
    o->hts = NULL;
    /* before an older file and its index are replaced */
    if (!rc && o->fd >= 0 && bird_output_temporary(o) && fsync(o->fd))
        rc = fail_output(o);
    return rc;
}

/* Rename a partial file to its final name. */
static int commit_partial(struct bird_output *o)
{
    if (!is_in_place(o))
        return bird_fail(BIRD_EIO,
                         "%s: %s is no longer what this run wrote: another run "
                         "or program took its place",
                         o->path, o->partial);
    if (rename(o->partial, o->path))
        return fail_output(o);
    bird_leftover_keep(o->partial);
    unlink(o->state);
    bird_leftover_keep(o->state);
    free(o->partial);
    o->partial = NULL;
    return 0;
}

void bird_output_skip_index(struct bird_output *o)
{
    o->index = BIRD_INDEX_NONE;
}

/* Lock the folder while a file and its index are renamed, so that the files of
 * two runs do not mix. The wait is short, since a training run locks its folder
 * for hours. -1: no lock, as on file systems without locks. */
static int lock_folder(const char *name)
{
    enum { TRIES = 200, WAIT_US = 5000 };
    char *copy = strdup(name);
    int fd = copy ? bird_open(dirname(copy), O_RDONLY | O_DIRECTORY) : -1;

    for (int i = 0; fd >= 0 && i < TRIES && flock(fd, LOCK_EX | LOCK_NB) &&
                    (errno == EWOULDBLOCK || errno == EINTR);
         i++)
        usleep(WAIT_US);
    free(copy);
    return fd;
}

int bird_output_close(struct bird_output *o, int64_t largest_bp)
{
    int can_have_index = (o->gz || o->hts) && bird_output_temporary(o);
    int rc = finish(o), bad = 0, lock = -1;
    char *index = NULL;

    if (!rc && o->index && bird_output_temporary(o))
        bad = build_index(&index, o, largest_bp);
    /* First, and also when no index is made: a run that is killed now must not
     * leave a new file beside the older file's index of either kind. */
    if (!rc && can_have_index) {
        lock = lock_folder(o->name);
        remove_indices(o->name);
    }
    if (!rc)
        rc = o->partial ? commit_partial(o) : bird_out_commit(&o->out);
    if (!rc && index)
        bad = name_index(index, o->name, index_kind(o->index, largest_bp));
    if (lock >= 0)
        close(lock);
    if (index && (rc || bad))
        unlink(index);
    if (!rc && bad)
        rc = bird_index_lost(o->name, bad);
    free(index);
    bird_output_free(o);
    return rc;
}

/* Close without writing the last bytes: the output is given up. */
static void discard(struct bird_output *o)
{
    if (o->plain || o->gz || o->hts)
        (void)!finish(o);
    ZSTD_freeCCtx(o->zst);
}

void bird_output_free(struct bird_output *o)
{
    if (!o)
        return;
    discard(o);
    if (o->partial && !o->has_mark && is_in_place(o)) {
        bird_leftover_keep(o->partial);
        unlink(o->partial);
        if (o->state) {
            unlink(o->state);
            bird_leftover_keep(o->state);
        }
    }
    close_fd(o);
    bird_out_abort(&o->out);
    free(o->path);
    free(o->partial);
    free(o->state);
    free(o);
}
