/* Several output files that appear together, or not at all.
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "track/output.h"

/* These are written as they are: a name that asks for compression is refused. */
static int check_text(const char *path)
{
    return bird_container_of(path, BIRD_BY_NAME) == BIRD_PLAIN
               ? 0
               : bird_fail(BIRD_EINVAL,
                           "%s: this output is text: give a name without its "
                           "last ending, and compress the file then",
                           path);
}

int bird_outputs_open(struct bird_outputs *o, const char *const *path, int n)
{
    int rc = 0;

    *o = (struct bird_outputs){.n = n};
    for (int i = 0; !rc && i < n; i++) {
        o->path[i] = path[i];
        for (int j = 0; !rc && path[i] && j < i; j++)
            if (path[j] && !strcmp(path[i], path[j]))
                rc =
                    bird_fail(BIRD_EINVAL, "%s: two outputs go there", path[i]);
        if (!rc && path[i])
            rc = check_text(path[i]);
        if (!rc && path[i])
            rc = bird_out_open(&o->file[i], path[i]);
    }
    if (rc)
        bird_outputs_abort(o);
    return rc;
}

FILE *bird_outputs_stream(const struct bird_outputs *o, int i)
{
    return o->path[i] ? o->file[i].stream : NULL;
}

int bird_outputs_commit(struct bird_outputs *o)
{
    int rc = 0;

    for (int i = 0; !rc && i < o->n; i++)
        if (o->path[i] &&
            (ferror(o->file[i].stream) || fflush(o->file[i].stream)))
            rc = bird_fail(BIRD_EIO, "%s: %s", bird_out_name(o->path[i]),
                           strerror(errno));
    for (int i = 0; !rc && i < o->n; i++)
        if (o->path[i])
            rc = bird_out_commit(&o->file[i]);
    return rc;
}

void bird_outputs_abort(struct bird_outputs *o)
{
    for (int i = 0; i < o->n; i++)
        bird_out_abort(&o->file[i]);
    *o = (struct bird_outputs){0};
}
