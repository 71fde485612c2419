/* One run at a time writes an output: each holds a lock on its temporary file,
 * PATH.tmpPID, and looks for locked files of other runs. Of two runs that start
 * at the same moment both may be refused, but never neither. Files of killed
 * runs have no lock; some network file systems have no locks, and there no run
 * is refused. SPDX-License-Identifier: MIT */
#include "track/output_lock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
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

int bird_output_lock(const struct bird_out *o)
{
    char *own, *folder, *stem;
    int found = 0;

    if (!o->temporary || flock(o->fd, LOCK_EX | LOCK_NB))
        return 0;
    own = strdup(o->temporary);
    folder = strdup(o->temporary);
    stem = strndup(o->temporary, strlen(o->path) + strlen(".tmp"));
    if (own && folder && stem)
        found = has_other(dirname(folder), basename(stem), basename(own));
    free(own);
    free(folder);
    free(stem);
    return found ? bird_fail(BIRD_EIO,
                             "%s: another run is writing it: let it end, or "
                             "give another name",
                             o->path)
                 : 0;
}
