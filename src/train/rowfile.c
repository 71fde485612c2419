/* Rows of text to a file, plain or BGZF. SPDX-License-Identifier: MIT */
#include "train/rowfile.h"

#include <errno.h>
#include <htslib/bgzf.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"

int bird_rowfile_open(struct bird_rowfile *f, const char *path)
{
    size_t n = strlen(path);
    int rc = bird_out_open(&f->out, path), fd;

    f->bgzf = NULL;
    if (rc || n < 4 || strcmp(path + n - 3, ".gz") != 0)
        return rc;
    fd = dup(fileno(f->out.stream));
    if (fd >= 0)
        f->bgzf = bgzf_dopen(fd, "w");
    if (f->bgzf)
        return 0;
    rc = bird_fail(BIRD_EIO, "%s: %s", path, strerror(errno));
    if (fd >= 0)
        close(fd);
    bird_out_abort(&f->out);
    return rc;
}

int bird_rowfile_put(struct bird_rowfile *f, const char *text, int64_t n)
{
    if (f->bgzf ? bgzf_write(f->bgzf, text, (size_t)n) != n
                : fwrite(text, 1, (size_t)n, f->out.stream) != (size_t)n)
        return bird_fail(BIRD_EIO, "%s: %s",
                         f->out.path ? f->out.path : "standard output",
                         strerror(errno));
    return 0;
}

int bird_rowfile_commit(struct bird_rowfile *f)
{
    int rc = 0;

    if (f->bgzf && bgzf_close(f->bgzf))
        rc = bird_fail(BIRD_EIO, "%s: %s", f->out.path, strerror(errno));
    f->bgzf = NULL;
    if (!rc)
        rc = bird_out_commit(&f->out);
    else
        bird_out_abort(&f->out);
    return rc;
}

void bird_rowfile_abort(struct bird_rowfile *f)
{
    if (f->bgzf)
        bgzf_close(f->bgzf);
    f->bgzf = NULL;
    bird_out_abort(&f->out);
}
