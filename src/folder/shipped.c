/* The models that come with dnabird, by name. SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"
#include "dnabird/model.h"

/* Of chromatin and embed. */
#define OF_TRACKS "regulatory"

int bird_default_model(char **out, const char *name)
{
    struct bird_text file = {0}, path = {0};
    int rc;

    if (!name)
        name = OF_TRACKS;
    if (!name[0] || strchr(name, '/') || name[0] == '.')
        return bird_fail(BIRD_EINVAL, "'%s' is not the name of a model", name);
    rc = bird_text_printf(&file, "models/%s", name);
    if (!rc)
        rc = bird_data_find(&path, file.s);
    bird_text_free(&file);
    if (rc == 1) {
        *out = path.s;
        return 0;
    }
    bird_text_free(&path);
    if (!rc)
        rc = bird_fail(BIRD_EIO,
                       "the model '%s' is neither in $DNABIRD_DATA/models nor "
                       "in %s/models: give a model folder (-m), or set "
                       "DNABIRD_DATA",
                       name, bird_data_installed());
    return rc;
}

/* Bytes of the files in a folder. */
static int64_t folder_bytes(const char *path)
{
    DIR *d = opendir(path);
    int64_t n = 0;

    for (struct dirent *e; d && (e = readdir(d));) {
        struct stat st;

        if (!fstatat(dirfd(d), e->d_name, &st, 0) && S_ISREG(st.st_mode))
            n += st.st_size;
    }
    if (d)
        closedir(d);
    return n;
}

/* The note of a folder's dnabird.json; "" when there is none. */
static int put_note(struct bird_text *out, const char *path)
{
    struct bird_text file = {0};
    struct stat st;
    json_t *meta;
    const char *note;
    int rc = bird_text_printf(&file, "%s/dnabird.json", path);

    if (rc)
        return rc;
    /* not from a pipe, which would wait */
    meta = !stat(file.s, &st) && S_ISREG(st.st_mode)
               ? json_load_file(file.s, 0, NULL)
               : NULL;
    note = json_string_value(json_object_get(meta, "note"));
    rc = bird_text_printf(out, "%s", note ? note : "");
    json_decref(meta);
    bird_text_free(&file);
    return rc;
}

static int put_model(struct bird_text *out, const char *name)
{
    char *path = NULL;
    int rc = bird_default_model(&path, name);

    if (rc || !path)
        return rc;
    rc = bird_text_printf(out, "%s\t%lld\t", name,
                          (long long)folder_bytes(path));
    if (!rc)
        rc = put_note(out, path);
    if (!rc)
        rc = bird_text_printf(out, "\t%s\n", path);
    free(path);
    return rc;
}

static int is_model(const struct dirent *e)
{
    return e->d_name[0] != '.';
}

int bird_shipped_models(char **out)
{
    struct bird_text t = {0}, found = {0};
    struct dirent **name = NULL;
    int n, rc = bird_data_find(&found, "models");

    if (!rc)
        rc = bird_fail(BIRD_EIO,
                       "no models: neither $DNABIRD_DATA/models nor %s/models "
                       "is there",
                       bird_data_installed());
    if (rc < 0) {
        bird_text_free(&found);
        return rc;
    }
    n = scandir(found.s, &name, is_model, alphasort);
    rc = n < 0 ? bird_fail(BIRD_EIO, "%s: %s", found.s, strerror(errno))
               : bird_text_put(&t, "", 0);
    for (int i = 0; i < n; i++) {
        if (!rc)
            rc = put_model(&t, name[i]->d_name);
        free(name[i]);
    }
    free(name);
    bird_text_free(&found);
    if (rc)
        bird_text_free(&t);
    else
        *out = t.s;
    return rc;
}
