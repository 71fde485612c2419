/* Weights in several files, and the index that says which tensor is where.
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/json.h"
#include "base/mem.h"
#include "model/tensors.h"

enum { SHARDS_MAX = 10000 };

static int by_text(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;

    return strcmp(*x, *y);
}

/* A file beside the index, never one elsewhere. */
static int check_name(const char *name, const char *tensor, const char *path)
{
    if (!name)
        return bird_fail(BIRD_EFORMAT,
                         "%s: the file of tensor '%.100s' is not a name", path,
                         tensor);
    if (!*name || *name == '.' || strchr(name, '/'))
        return bird_fail(BIRD_EFORMAT,
                         "%s: tensor '%.100s': '%.100s' is not the name of a "
                         "file in this folder",
                         path, tensor, name);
    return 0;
}

int bird_shards_list(const char ***out, int64_t *n, const json_t *index,
                     const char *path)
{
    json_t *map = json_object_get(index, "weight_map"), *v;
    const char **name = NULL, *tensor;
    int64_t k = 0, unique = 0;
    int rc = 0;

    if (!json_is_object(map) || !json_object_size(map))
        return bird_fail(BIRD_EFORMAT, "%s: no 'weight_map'", path);
    rc = bird_array_new(&name, (int64_t)json_object_size(map),
                        sizeof(const char *));
    if (rc)
        return rc;
    json_object_foreach(map, tensor, v)
    {
        name[k] = json_string_value(v);
        if (!rc)
            rc = check_name(name[k++], tensor, path);
    }
    if (!rc)
        qsort(name, (size_t)k, sizeof(const char *), by_text);
    for (int64_t i = 0; !rc && i < k; i++)
        if (!i || strcmp(name[unique - 1], name[i]) != 0)
            name[unique++] = name[i];
    if (!rc && unique > SHARDS_MAX)
        rc = bird_fail(BIRD_EUNSUPPORTED, "%s: more than %d files", path,
                       SHARDS_MAX);
    if (rc) {
        free(name);
        return rc;
    }
    *out = name;
    *n = unique;
    return 0;
}

/* The file `name` beside the index. */
static int path_beside(char **out, const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    char *folder;
    int rc;

    if (!slash)
        return bird_path_join(out, ".", name);
    folder = strndup(path, (size_t)(slash - path));
    rc = folder ? bird_path_join(out, folder, name) : bird_fail_memory(0);
    free(folder);
    return rc;
}

int bird_shards_read(bird_tensors *t, const char *path)
{
    json_t *index = NULL;
    const char **name = NULL;
    int64_t n = 0;
    int rc = bird_json_open(&index, path);

    if (!rc)
        rc = bird_shards_list(&name, &n, index, path);
    for (int64_t i = 0; !rc && i < n; i++) {
        char *file = NULL;

        rc = path_beside(&file, path, name[i]);
        if (!rc)
            rc = bird_tensors_read_file(t, file);
        free(file);
    }
    free(name);
    json_decref(index);
    return rc;
}

int bird_shards_check(const bird_tensors *t, const char *path)
{
    json_t *index = NULL, *map;
    int64_t n = 0;
    const char **name = NULL;
    int rc = bird_json_open(&index, path);

    if (!rc)
        rc = bird_shards_list(&name, &n, index, path);
    map = json_object_get(index, "weight_map");
    for (int64_t i = 0; !rc && i < t->n; i++) {
        const char *in =
            json_string_value(json_object_get(map, t->tensor[i].name));

        if (!in)
            rc = bird_fail(BIRD_EFORMAT,
                           "%s: tensor '%.100s' of %s is not in this index",
                           path, t->tensor[i].name, name[t->place[i].part]);
        else if (strcmp(in, name[t->place[i].part]) != 0)
            rc = bird_fail(BIRD_EFORMAT,
                           "%s: tensor '%.100s' is in %s, not in %s", path,
                           t->tensor[i].name, name[t->place[i].part], in);
    }
    if (!rc && t->n != (int64_t)json_object_size(map)) {
        const char *tensor;
        json_t *v;

        json_object_foreach(map, tensor, v)
        {
            if (!rc && !bird_tensors_find(t, tensor))
                rc = bird_fail(BIRD_EFORMAT, "%s: tensor '%.100s' is not in %s",
                               path, tensor, json_string_value(v));
        }
    }
    free(name);
    json_decref(index);
    return rc;
}
