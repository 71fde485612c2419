/*
 * The files of a run, the rule about them, and the files that a run must not
 * leave behind.
 *
 * A file is identified by device and inode, and by its folder and name, which
 * also works before it exists. An output gets its name by rename and so another
 * inode: it is looked up by path each time. An input is identified once, when
 * it is opened.
 * SPDX-License-Identifier: MIT
 */
#include "base/guard.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"

enum use {
    USE_READ,      /* read for the program's own purposes */
    USE_PART,      /* part of a model */
    USE_INPUT,     /* named by the user */
    USE_EXPECTED,  /* an output that was announced */
    USE_OUTPUT,    /* an output that was opened */
    USE_OWN,       /* written into the folder of the run's state */
    USE_OWN_FILE,  /* state of the run */
    USE_OWN_FOLDER /* the folder of the run's state */
};

struct file_id { /* identity of a path */
    int there, folder;
    dev_t dev, parent_dev;
    ino_t ino, parent_ino;
    int named; /* its folder is known */
};

struct entry {
    enum use use;
    struct file_id at;
    char *path;
};

static struct entry *list;
static size_t n_entry, cap_entry;
static int guarding;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const char *const index_ends[] = {".fai", ".gzi", ".tbi", ".csi"};
enum { N_INDEX = sizeof(index_ends) / sizeof(*index_ends) };

static const char standard_output[] = "standard output";

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* 1; 0 for a path that is not a file's (a device, a pipe); or an error. */
static int find_place(struct file_id *out, const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash == path ? strdup("/")
                   : slash       ? strndup(path, (size_t)(slash - path))
                                 : strdup(".");
    struct stat st;
    int rc = 0;

    *out = (struct file_id){0};
    if (!folder)
        return bird_fail_memory(strlen(path));
    if (!stat(folder, &st)) {
        out->named = 1;
        out->parent_dev = st.st_dev;
        out->parent_ino = st.st_ino;
    } else if (bird_errno_is_device(errno)) {
        rc = bird_fail(BIRD_EIO, "%s: %s", folder, strerror(errno));
    }
    free(folder);
    if (rc)
        return rc;
    if (stat(path, &st))
        return bird_errno_is_device(errno)
                   ? bird_fail(BIRD_EIO, "%s: %s", path, strerror(errno))
                   : out->named;
    out->there = 1;
    out->folder = S_ISDIR(st.st_mode);
    out->dev = st.st_dev;
    out->ino = st.st_ino;
    return S_ISREG(st.st_mode) || out->folder;
}

static int is_same(const struct file_id *a, const char *a_path,
                   const struct file_id *b, const char *b_path)
{
    if (a->there && b->there && a->dev == b->dev && a->ino == b->ino)
        return 1;
    return a->named && b->named && a->parent_dev == b->parent_dev &&
           a->parent_ino == b->parent_ino &&
           !strcmp(base_name(a_path), base_name(b_path));
}

static int is_in(const struct file_id *at, const struct file_id *folder)
{
    return at->named && at->parent_dev == folder->dev &&
           at->parent_ino == folder->ino;
}

static int is_output(const struct entry *e)
{
    return e->use == USE_EXPECTED || e->use == USE_OUTPUT || e->use == USE_OWN;
}

/* Identity of an output now. */
static void refresh(struct entry *e)
{
    struct stat st;

    if (e->path != standard_output) {
        find_place(&e->at, e->path);
    } else if (!fstat(STDOUT_FILENO, &st)) {
        e->at.dev = st.st_dev;
        e->at.ino = st.st_ino;
    }
}

/* Is `path` the name of an index of the entry? */
static int is_index_of(const char *path, const struct entry *e)
{
    size_t n = strlen(path);

    for (size_t i = 0; i < N_INDEX; i++) {
        size_t k = strlen(index_ends[i]);
        struct file_id at;
        char *stem;
        int is;

        if (n <= k || strcmp(path + n - k, index_ends[i]) != 0)
            continue;
        if (!(stem = strndup(path, n - k)))
            return 0;
        is = find_place(&at, stem) > 0 && is_same(&at, stem, &e->at, e->path);
        free(stem);
        return is;
    }
    return 0;
}

/* Is it in the folder of the run's state? */
static int is_own(const struct file_id *at, const char *path)
{
    for (size_t i = 0; i < n_entry; i++) {
        const struct entry *e = &list[i];

        if (e->use == USE_OWN_FOLDER && is_in(at, &e->at))
            return 1;
        if (e->use == USE_OWN_FILE && is_same(at, path, &e->at, e->path))
            return 1;
    }
    return 0;
}

static int add(enum use use, const struct file_id *at, const char *path)
{
    struct entry e = {.use = use, .at = *at};

    for (size_t i = 0; i < n_entry; i++)
        if (list[i].use == use && !strcmp(list[i].path, path)) {
            list[i].at = *at;
            return 0;
        }
    if (n_entry == cap_entry) {
        size_t cap = cap_entry ? 2 * cap_entry : 64;
        struct entry *more = realloc(list, cap * sizeof(*more));

        if (!more)
            return bird_fail_memory(cap * sizeof(*more));
        list = more;
        cap_entry = cap;
    }
    e.path = path == standard_output ? (char *)(uintptr_t)path : strdup(path);
    if (!e.path)
        return bird_fail_memory(strlen(path));
    list[n_entry++] = e;
    return 0;
}

/* ---- the rule ------------------------------------------------------------ */

static int fail_place(const char *output, const char *input)
{
    return bird_fail(
        BIRD_EINVAL,
        "%s: the output would overwrite the input %s: give it another name",
        output, input);
}

static int fail_index(const char *output, const char *input)
{
    return bird_fail(BIRD_EINVAL,
                     "%s: an output of that name would be taken for the index "
                     "of %s: give it another name",
                     output, input);
}

static int fail_twice(const char *path, const struct entry *e)
{
    if (e->path == standard_output)
        return bird_fail(
            BIRD_EINVAL,
            "%s: standard output is redirected to it: give another name", path);
    return bird_fail(BIRD_EINVAL,
                     "%s: two outputs of this run go there: give one of them "
                     "another name",
                     path);
}

/* Check against the inputs; *expected is set if the output was announced. */
static int check_output(struct entry **expected, const struct file_id *at,
                        const char *path, int own)
{
    struct entry as = {.at = *at, .path = (char *)(uintptr_t)path};

    for (size_t i = 0; i < n_entry; i++) {
        struct entry *e = &list[i];
        int output = is_output(e);

        if ((output && own) || e->use > USE_OWN)
            continue;
        if (output)
            refresh(e);
        if (is_same(at, path, &e->at, e->path)) {
            if (!output)
                return fail_place(path, e->path);
            if (e->use != USE_EXPECTED)
                return fail_twice(path, e);
            *expected = e;
        } else if (e->use != USE_READ && is_index_of(path, e)) {
            return fail_index(path, e->path);
        } else if (output && is_index_of(e->path, &as)) {
            return fail_index(e->path, path);
        }
    }
    return 0;
}

static int put_output(enum use use, const char *path)
{
    struct entry *expected = NULL;
    struct file_id at;
    int own, rc;

    if ((rc = find_place(&at, path)) <= 0 || at.folder)
        return rc < 0 ? rc : 0;
    own = use == USE_OUTPUT && is_own(&at, path);
    rc = check_output(&expected, &at, path, own);
    if (rc)
        return rc;
    if (expected && use == USE_EXPECTED)
        return fail_twice(path, expected);
    if (!expected)
        return add(own ? USE_OWN : use, &at, path);
    expected->use = USE_OUTPUT;
    return 0;
}

/* The existing indices, also behind links. */
static int put_indices(const char *path)
{
    int rc = 0;

    for (size_t i = 0; i < N_INDEX && !rc; i++) {
        struct file_id at;
        char *name;

        if (asprintf(&name, "%s%s", path, index_ends[i]) < 0)
            return bird_fail_memory(strlen(path));
        if ((rc = find_place(&at, name)) > 0)
            rc = at.there && !at.folder ? add(USE_READ, &at, name) : 0;
        free(name);
    }
    return rc;
}

static int put_input(enum use use, const struct file_id *at, const char *path)
{
    struct entry as = {.at = *at, .path = (char *)(uintptr_t)path};

    if (at->folder || (use != USE_INPUT && is_own(at, path)))
        return 0;
    for (size_t i = 0; i < n_entry; i++) {
        struct entry *e = &list[i];

        if (!is_output(e))
            continue;
        refresh(e);
        if (is_same(at, path, &e->at, e->path))
            return fail_place(e->path, path);
        if (use != USE_READ && is_index_of(e->path, &as))
            return fail_index(e->path, path);
    }
    return add(use, at, path);
}

/* ---- files that are opened ----------------------------------------------- */

static int put_stdin(void)
{
    struct stat st;
    struct file_id at = {.there = 1};

    if (fstat(STDIN_FILENO, &st) || !S_ISREG(st.st_mode))
        return 0;
    at.dev = st.st_dev;
    at.ino = st.st_ino;
    return put_input(USE_INPUT, &at, "standard input");
}

int bird_guard_input(const char *path)
{
    struct file_id at;
    int rc = 0;

    if (!path)
        return 0;
    pthread_mutex_lock(&lock);
    if (guarding && !strcmp(path, "-")) {
        rc = put_stdin();
    } else if (guarding && (rc = find_place(&at, path)) > 0) {
        rc = put_input(USE_INPUT, &at, path);
        if (!rc && at.there && !at.folder)
            rc = put_indices(path);
    }
    pthread_mutex_unlock(&lock);
    return rc;
}

static int door_in(enum use use, const char *path)
{
    struct file_id at;
    int rc = 0;

    pthread_mutex_lock(&lock);
    if (guarding && (rc = find_place(&at, path)) > 0)
        rc = put_input(use, &at, path);
    pthread_mutex_unlock(&lock);
    return rc;
}

int bird_guard_read(const char *path)
{
    return door_in(USE_READ, path);
}

int bird_guard_part(const char *path)
{
    return door_in(USE_PART, path);
}

static int door_out(enum use use, const char *path)
{
    int rc = 0;

    pthread_mutex_lock(&lock);
    if (guarding)
        rc = put_output(use, path);
    pthread_mutex_unlock(&lock);
    return rc;
}

int bird_guard_output(const char *path)
{
    return door_out(USE_OUTPUT, path);
}

int bird_guard_expect(const char *path)
{
    return path && strcmp(path, "-") ? door_out(USE_EXPECTED, path) : 0;
}

static void own(const char *path)
{
    struct file_id at;
    size_t n = 0;

    if (find_place(&at, path) <= 0)
        return;
    for (size_t i = 0; i < n_entry; i++)
        if (list[i].use <= (at.folder ? USE_PART : USE_READ) &&
            (at.folder ? is_in(&list[i].at, &at)
                       : is_same(&at, path, &list[i].at, list[i].path)))
            free(list[i].path);
        else
            list[n++] = list[i];
    n_entry = n;
    /* without memory the run's own file may be refused: harmless */
    (void)!add(at.folder ? USE_OWN_FOLDER : USE_OWN_FILE, &at, path);
}

void bird_guard_own(const char *path)
{
    pthread_mutex_lock(&lock);
    if (guarding)
        own(path);
    pthread_mutex_unlock(&lock);
}

/* Is the file, after links are resolved, in the folder? */
static int leads_into(const struct entry *e, const struct file_id *folder)
{
    char *real = realpath(e->path, NULL);
    struct file_id at;
    int in = real && find_place(&at, real) > 0 && is_in(&at, folder);

    free(real);
    return in;
}

int bird_guard_replace(const char *folder)
{
    struct file_id at;
    int rc = 0;

    pthread_mutex_lock(&lock);
    if (guarding && find_place(&at, folder) > 0 && at.folder)
        for (size_t i = 0; i < n_entry && !rc; i++) {
            const struct entry *e = &list[i];

            if (e->use <= USE_INPUT && e->at.there &&
                (is_in(&e->at, &at) || leads_into(e, &at)))
                rc = bird_fail(BIRD_EINVAL,
                               "%s: is read by this run, and %s is to be "
                               "replaced: give another name",
                               e->path, folder);
        }
    pthread_mutex_unlock(&lock);
    return rc;
}

/* ---- leftovers ----------------------------------------------------------
 * A list that a signal handler may walk: entries are added in front and marked
 * as gone, but not freed before the run ends.
 */

struct leftover {
    struct leftover *next;
    atomic_int live;
    int folder;
    char path[];
};

static _Atomic(struct leftover *) first;

/* Only a hint for the clean-up: left out without memory. */
static void note(const char *path, int folder)
{
    struct leftover *e;
    size_t size = strlen(path) + 1;

    for (e = first; e; e = e->next) {
        if (e->folder == folder && !strcmp(e->path, path)) {
            e->live = 1;
            return;
        }
    }
    if (!(e = malloc(sizeof(*e) + size)))
        return;
    memcpy(e->path, path, size);
    e->folder = folder;
    atomic_init(&e->live, 1);
    e->next = first;
    first = e;
}

static void note_locked(const char *path, int folder)
{
    pthread_mutex_lock(&lock);
    if (guarding)
        note(path, folder);
    pthread_mutex_unlock(&lock);
}

void bird_leftover_file(const char *path)
{
    note_locked(path, 0);
}

void bird_leftover_folder(const char *path)
{
    note_locked(path, 1);
}

void bird_leftover_keep(const char *path)
{
    pthread_mutex_lock(&lock);
    for (struct leftover *e = first; e; e = e->next)
        if (!strcmp(e->path, path))
            e->live = 0;
    pthread_mutex_unlock(&lock);
}

/* Is it in a temporary folder? Those are in the list as files, too. */
static int in_temporary(const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) : 0;
    int folder = 0, file = 0;

    for (struct leftover *e = first; n && e; e = e->next)
        if (e->live && strlen(e->path) == n && !strncmp(e->path, path, n)) {
            folder |= e->folder;
            file |= !e->folder;
        }
    return folder && file;
}

void bird_leftover_rename(const char *to)
{
    pthread_mutex_lock(&lock);
    if (guarding && in_temporary(to))
        note(to, 0);
    pthread_mutex_unlock(&lock);
}

void bird_guard_clean(void)
{
    for (struct leftover *e = first; e; e = e->next)
        if (e->live && !e->folder)
            unlink(e->path);
    /* the newest first: a folder in a folder goes before it */
    for (struct leftover *e = first; e; e = e->next)
        if (e->live && e->folder)
            rmdir(e->path);
}

/* ---- a run --------------------------------------------------------------- */

static void forget(void)
{
    struct leftover *e = first, *next;

    for (size_t i = 0; i < n_entry; i++)
        if (list[i].path != standard_output)
            free(list[i].path);
    free(list);
    list = NULL;
    n_entry = cap_entry = 0;
    for (first = NULL; e; e = next) {
        next = e->next;
        free(e);
    }
    guarding = 0;
}

void bird_guard_begin(void)
{
    struct file_id at = {.there = 1};
    struct stat st;

    pthread_mutex_lock(&lock);
    forget();
    guarding = 1;
    if (!fstat(STDOUT_FILENO, &st) && S_ISREG(st.st_mode)) {
        at.dev = st.st_dev;
        at.ino = st.st_ino;
        (void)!add(USE_OUTPUT, &at, standard_output);
    }
    pthread_mutex_unlock(&lock);
}

void bird_guard_end(void)
{
    pthread_mutex_lock(&lock);
    bird_guard_clean();
    forget();
    pthread_mutex_unlock(&lock);
}
