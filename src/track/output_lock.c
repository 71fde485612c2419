/* One run at a time writes an output: each holds a lock on its temporary file,
 * PATH.tmpPID, and looks for locked files of other runs. A lock on the folder
 * makes runs that start at the same moment look one after the other, so that the
 * first is not refused; while something else holds that lock, both may be, but
 * never neither. Files of killed runs have no lock; some network file systems
 * have no locks, and there no run is refused. SPDX-License-Identifier: MIT */
#include "track/output_lock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"

static int is_locked(const char *folder, const char *name)
{
    char *path;
    int fd, locked = 0;

    if (bird_path_join(&path, folder, name))
        return 0;
    fd = bird_open(path, O_RDONLY | O_NONBLOCK);
    free(path);
    if (fd < 0)
        return 0;
    errno = 0;
    locked = flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
    close(fd);
    return locked;
}

/* Is there a locked file that begins with `stem` and is not `own`? */
static int has_other(const char *folder, const char *stem, const char *own)
{
    DIR *d = opendir(folder);
    const struct dirent *e;
    int found = 0;

    while (d && !found && (e = readdir(d)))
        found = !strncmp(e->d_name, stem, strlen(stem)) &&
                strcmp(e->d_name, own) != 0 && is_locked(folder, e->d_name);
    if (d)
        closedir(d);
    return found;
}

/* Lock the folder for the moment of a look, if it can be had within half a second
 * (a run that writes a model holds that of its folder); to be closed, or -1. */
static int lock_folder(const char *folder)
{
    const struct timespec pause = {0, 10000000};
    int fd = bird_open(folder, O_RDONLY | O_DIRECTORY);

    for (int i = 0; i < 50 && fd >= 0; i++) {
        if (!flock(fd, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK)
            break;
        nanosleep(&pause, NULL);
    }
    return fd;
}

int bird_output_lock(const struct bird_out *o)
{
    char *own, *folder, *stem;
    int found = 0;

    if (!o->temporary)
        return 0;
    own = strdup(o->temporary);
    folder = strdup(o->temporary);
    stem = strndup(o->temporary, strlen(o->path) + strlen(".tmp"));
    if (own && folder && stem) {
        const char *at = dirname(folder);
        int fd = lock_folder(at);

        if (!flock(o->fd, LOCK_EX | LOCK_NB))
            found = has_other(at, basename(stem), basename(own));
        if (fd >= 0)
            close(fd);
    }
    free(own);
    free(folder);
    free(stem);
    return found ? bird_fail(BIRD_EIO,
                             "%s: another run is writing it: let it end, or "
                             "give another name",
                             o->path)
                 : 0;
}
