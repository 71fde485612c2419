/* Whole text files, plain or gzip. SPDX-License-Identifier: MIT */
#include "train/slurp.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/fail.h"

static gzFile open_gz(const char *path)
{
    int fd;

    if (strcmp(path, "-"))
        return gzopen(path, "rb");
    fd = dup(STDIN_FILENO);
    return fd < 0 ? NULL : gzdopen(fd, "rb");
}

static int read_all(struct bird_text *out, gzFile f, const char *path)
{
    char part[65536];
    int n, rc = 0, code = 0;

    while (!rc && (n = gzread(f, part, sizeof(part))) > 0)
        rc = bird_text_put(out, part, n);
    if (rc)
        return rc;
    gzerror(f, &code);
    if (code == Z_ERRNO)
        return bird_fail(BIRD_EIO, "%s: %s", path, strerror(errno));
    if (code == Z_BUF_ERROR)
        return bird_fail(BIRD_EFORMAT, "%s: the gzip file is cut short", path);
    if (code != Z_OK && code != Z_STREAM_END)
        return bird_fail(BIRD_EFORMAT, "%s: damaged gzip file", path);
    return 0;
}

int bird_slurp(struct bird_text *out, const char *path)
{
    gzFile f;
    int rc;

    bird_text_clear(out);
    errno = 0;
    f = open_gz(path);
    if (!f)
        return errno ? bird_fail(BIRD_EIO, "%s: %s", path, strerror(errno))
                     : bird_fail_memory(0);
    gzbuffer(f, 1 << 17);
    rc = bird_text_put(out, "", 0);
    if (!rc)
        rc = read_all(out, f, path);
    if (gzclose_r(f) == Z_BUF_ERROR && !rc)
        rc = bird_fail(BIRD_EFORMAT, "%s: the gzip file is cut short", path);
    if (!rc && !out->n)
        rc = bird_fail(BIRD_EFORMAT, "%s: the file is empty", path);
    if (!rc && memchr(out->s, 0, (size_t)out->n))
        rc = bird_fail(BIRD_EFORMAT, "%s: a binary file, not text", path);
    if (rc)
        bird_text_clear(out);
    return rc;
}

char *bird_next_line(char **rest)
{
    char *line = *rest, *end;

    if (!line || !*line)
        return NULL;
    end = strchr(line, '\n');
    *rest = end ? end + 1 : NULL;
    if (!end)
        end = line + strlen(line);
    *end = '\0';
    if (end > line && end[-1] == '\r')
        end[-1] = '\0';
    return line;
}

int bird_split_tabs(char **field, int max, char *line)
{
    int n = 0;

    while (n < max) {
        field[n++] = line;
        line = strchr(line, '\t');
        if (!line)
            break;
        *line++ = '\0';
    }
    return n;
}

int bird_digits(int64_t *out, const char *s, int64_t max)
{
    int64_t v = 0;

    if (!*s)
        return BIRD_EINVAL;
    for (; *s; s++) {
        if (*s < '0' || *s > '9' || v > (max - (*s - '0')) / 10)
            return BIRD_EINVAL;
        v = v * 10 + (*s - '0');
    }
    *out = v;
    return 0;
}
