/* Files that appear together. SPDX-License-Identifier: MIT */
#include "eval/outs.h"

#include <errno.h>
#include <string.h>

#include "base/fail.h"

int bird_outs_open(struct bird_outs *o, const char *const *path, int n)
{
    int rc = 0;

    *o = (struct bird_outs){.n = n};
    for (int i = 0; !rc && i < n; i++) {
        o->path[i] = path[i];
        for (int j = 0; !rc && path[i] && j < i; j++)
            if (path[j] && !strcmp(path[i], path[j]))
                rc =
                    bird_fail(BIRD_EINVAL, "%s: two outputs go there", path[i]);
        if (!rc && path[i])
            rc = bird_out_open(&o->file[i], path[i]);
    }
    if (rc)
        bird_outs_abort(o);
    return rc;
}

FILE *bird_outs_stream(const struct bird_outs *o, int i)
{
    return o->path[i] ? o->file[i].stream : NULL;
}

int bird_outs_commit(struct bird_outs *o)
{
    int rc = 0;

    for (int i = 0; !rc && i < o->n; i++)
        if (o->path[i] &&
            (ferror(o->file[i].stream) || fflush(o->file[i].stream)))
            rc = bird_fail(BIRD_EIO, "%s: %s", o->path[i], strerror(errno));
    for (int i = 0; !rc && i < o->n; i++)
        if (o->path[i])
            rc = bird_out_commit(&o->file[i]);
    return rc;
}

void bird_outs_abort(struct bird_outs *o)
{
    for (int i = 0; i < o->n; i++)
        bird_out_abort(&o->file[i]);
    *o = (struct bird_outs){0};
}
