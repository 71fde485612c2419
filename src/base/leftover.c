/* Leftovers of a run, in a list that a signal's handler may walk: entries are
 * added in front and never freed while the run is on, only marked as gone.
 * SPDX-License-Identifier: MIT */
#include "base/leftover.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dnabird/guard.h"

struct leftover {
    struct leftover *next;
    atomic_int live;
    int folder;
    char path[];
};

static _Atomic(struct leftover *) first;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int noting;

/* Only a hint to a later clean-up: without memory it is left out. */
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

static void add(const char *path, int folder)
{
    pthread_mutex_lock(&lock);
    if (noting)
        note(path, folder);
    pthread_mutex_unlock(&lock);
}

void bird_leftover_file(const char *path)
{
    add(path, 0);
}

void bird_leftover_folder(const char *path)
{
    add(path, 1);
}

void bird_leftover_keep(const char *path)
{
    pthread_mutex_lock(&lock);
    for (struct leftover *e = first; e; e = e->next)
        if (!strcmp(e->path, path))
            e->live = 0;
    pthread_mutex_unlock(&lock);
}

/* Is it in a temporary folder? Those are noted as files are, too. */
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

void bird_leftover_rename(const char *path, const char *to)
{
    pthread_mutex_lock(&lock);
    if (noting && in_temporary(to))
        note(to, 0);
    pthread_mutex_unlock(&lock);
    bird_leftover_keep(path);
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

static void forget(void)
{
    struct leftover *e = first, *next;

    for (first = NULL; e; e = next) {
        next = e->next;
        free(e);
    }
}

void bird_leftover_begin(void)
{
    pthread_mutex_lock(&lock);
    forget();
    noting = 1;
    pthread_mutex_unlock(&lock);
}

void bird_leftover_end(void)
{
    pthread_mutex_lock(&lock);
    bird_guard_clean();
    forget();
    noting = 0;
    pthread_mutex_unlock(&lock);
}
