/* Entries of a checkpoint's archive, through libzip.
 * SPDX-License-Identifier: MIT */
#include "model/torch_zip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

#include "base/fail.h"
#include "base/mem.h"

struct bird_zip {
    zip_t *z;
};

int bird_zip_open(struct bird_zip **out, const void *data, size_t size,
                  const char *path)
{
    struct bird_zip *b = NULL;
    zip_source_t *source;
    zip_error_t e;
    int rc = bird_array_new(&b, 1, sizeof(*b));

    if (rc)
        return rc;
    zip_error_init(&e);
    source = zip_source_buffer_create(data, size, 0, &e);
    if (source)
        b->z = zip_open_from_source(source, ZIP_RDONLY, &e);
    if (b->z) {
        *out = b;
    } else {
        if (source)
            zip_source_free(source);
        free(b);
        rc = bird_fail(BIRD_EFORMAT,
                       "%s: its archive cannot be read, it may be cut short: "
                       "%s",
                       path, zip_error_strerror(&e));
    }
    zip_error_fini(&e);
    return rc;
}

void bird_zip_close(struct bird_zip *z)
{
    if (!z)
        return;
    zip_discard(z->z);
    free(z);
}

int64_t bird_zip_find(const struct bird_zip *z, const char *name,
                      uint64_t *size)
{
    zip_int64_t i = zip_name_locate(z->z, name, 0);
    zip_stat_t st;

    if (i < 0 || zip_stat_index(z->z, (zip_uint64_t)i, 0, &st) ||
        !(st.valid & ZIP_STAT_SIZE))
        return -1;
    *size = st.size;
    return i;
}

int bird_zip_root(const struct bird_zip *z, char **folder, const char *path)
{
    static const char file[] = "data.pkl";
    zip_int64_t n = zip_get_num_entries(z->z, 0);
    char *found = NULL;
    int rc = 0;

    for (zip_int64_t i = 0; !rc && i < n; i++) {
        const char *name = zip_get_name(z->z, (zip_uint64_t)i, 0);
        const char *slash = name ? strchr(name, '/') : NULL;

        if (!slash || strcmp(slash + 1, file) != 0)
            continue;
        if (found)
            rc =
                bird_fail(BIRD_EFORMAT,
                          "%s: its archive holds more than one data.pkl", path);
        else if (!(found = strndup(name, (size_t)(slash + 1 - name))))
            rc = bird_fail_memory(0);
    }
    if (!rc && !found)
        rc = bird_fail(BIRD_EFORMAT,
                       "%s: an archive, but no checkpoint of PyTorch: it has "
                       "no data.pkl",
                       path);
    if (rc)
        free(found);
    else
        *folder = found;
    return rc;
}

static int fail_entry(zip_file_t *f, const char *path)
{
    const char *why = zip_file_strerror(f);

    return bird_fail(BIRD_EFORMAT, "%s: an entry of its archive: %s", path,
                     *why ? why : "cut short");
}

/* Only a stored entry can be entered in the middle. */
static int skip(const struct bird_zip *z, zip_file_t *f, int64_t entry,
                size_t n)
{
    char part[4096];
    zip_stat_t st;

    if (n && !zip_stat_index(z->z, (zip_uint64_t)entry, 0, &st) &&
        (st.valid & ZIP_STAT_COMP_METHOD) && st.comp_method == ZIP_CM_STORE)
        return zip_fseek(f, (zip_int64_t)n, SEEK_SET);
    while (n) {
        zip_int64_t got =
            zip_fread(f, part, n < sizeof(part) ? n : sizeof(part));

        if (got <= 0)
            return -1;
        n -= (size_t)got;
    }
    return 0;
}

int bird_zip_read(const struct bird_zip *z, void *out, int64_t entry, size_t at,
                  size_t size, const char *path)
{
    zip_file_t *f = zip_fopen_index(z->z, (zip_uint64_t)entry, 0);
    zip_int64_t got = 1;
    char more;
    int rc = 0;

    if (!f)
        return bird_fail(BIRD_EFORMAT, "%s: an entry of its archive: %s", path,
                         zip_strerror(z->z));
    if (skip(z, f, entry, at))
        rc = fail_entry(f, path);
    for (size_t done = 0; !rc && done < size; done += (size_t)got) {
        got = zip_fread(f, (char *)out + done, size - done);
        if (got <= 0)
            rc = fail_entry(f, path);
    }
    /* the checksum is compared where the entry ends */
    if (!rc && !at && zip_fread(f, &more, 1) < 0)
        rc = fail_entry(f, path);
    zip_fclose(f);
    return rc;
}
