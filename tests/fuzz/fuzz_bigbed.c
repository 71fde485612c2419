/*
 * Any bytes as a bigBed file: what comes are lines of three columns or more
 * that name a contig, or a refusal that names the file.
 * SPDX-License-Identifier: MIT
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "seq/bigbed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(x)                                                                \
    do {                                                                       \
        if (!(x))                                                              \
            abort();                                                           \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char path[64];
    static int fd = -1;
    struct bird_text line = {0};
    struct bird_bigbed *b = NULL;
    int rc;

    if (fd < 0) {
        fd = memfd_create("bigbed", MFD_CLOEXEC);
        snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    }
    MUST(!ftruncate(fd, 0));
    MUST(pwrite(fd, data, size, 0) == (ssize_t)size);
    rc = bird_bigbed_open(&b, path);
    if (!rc)
        while ((rc = bird_bigbed_next(&line, b)) > 0)
            MUST(line.n && line.s[0] != '\t' && strchr(line.s, '\t'));
    MUST(!rc || !strncmp(bird_last_error(), path, strlen(path)));
    bird_bigbed_free(b);
    bird_text_free(&line);
    return 0;
}
