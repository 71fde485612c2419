/*
 * Any bytes as the .gzi of a bgzip file: where an offset is said to be there,
 * htslib seeks to it without ending the process.
 * SPDX-License-Identifier: MIT
 */
#include <htslib/bgzf.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "seq/input.h"
#include "seq/reference.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(x)                                                                \
    do {                                                                       \
        if (!(x))                                                              \
            abort();                                                           \
    } while (0)

enum { LETTERS = 200000, STEP = 997 };

/* A bgzip file of some blocks without a name. */
static void write_file(char path[64])
{
    int fd = memfd_create("fasta", MFD_CLOEXEC);
    BGZF *f = bgzf_dopen(dup(fd), "w");

    MUST(fd >= 0 && f);
    for (int i = 0; i < LETTERS; i++)
        MUST(bgzf_write(f, &"ACGT"[i * 7 % 11 % 4], 1) == 1);
    MUST(!bgzf_close(f));
    snprintf(path, 64, "/proc/self/fd/%d", fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char path[64], index[64];
    static int fd = -1;
    struct bird_gzi z = {0};
    BGZF *f;
    int rc;

    bird_input_hush();
    if (fd < 0) {
        write_file(path);
        fd = memfd_create("gzi", MFD_CLOEXEC);
        snprintf(index, sizeof(index), "/proc/self/fd/%d", fd);
    }
    MUST(!ftruncate(fd, 0));
    MUST(pwrite(fd, data, size, 0) == (ssize_t)size);
    rc = bird_gzi_open(&z, path, index);
    MUST(rc == 0 || rc == 1);
    if (!rc)
        return 0;
    f = bgzf_open(path, "r");
    MUST(f);
    if (!bgzf_index_load(f, index, NULL))
        for (int64_t at = 0; at < LETTERS + 70000; at += STEP)
            if (bird_gzi_holds(&z, at) && bgzf_useek(f, at, SEEK_SET) < 0)
                break;
    bgzf_close(f);
    bird_gzi_close(&z);
    return 0;
}
