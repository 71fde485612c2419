/* Files by which transformers knows a tokenizer. SPDX-License-Identifier: MIT
 */
#include "session/transformers.h"

#include <stdlib.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "dnabird/tokenizer.h"
#include "model/folder.h"

static const char config_name[] = "tokenizer_config.json";
static const char map_name[] = "special_tokens_map.json";

int bird_folder_copy(const char *from, const char *to, const char *name)
{
    struct bird_text t = {0};
    char *a = NULL, *b = NULL;
    int rc = bird_path_join(&a, from, name);

    if (!rc)
        rc = bird_path_join(&b, to, name);
    if (!rc && bird_file_exists(a)) {
        rc = bird_file_read(&t, a);
        if (!rc)
            rc = bird_file_write(b, t.s, (size_t)t.n);
    }
    bird_text_free(&t);
    free(a);
    free(b);
    return rc;
}

/* The special tokens by their roles, in either spelling. */
static json_t *roles(const bird_tokenizer *t)
{
    static const char *const role[][3] = {{"unk_token", "[UNK]", "<unk>"},
                                          {"cls_token", "[CLS]", "<s>"},
                                          {"sep_token", "[SEP]", "</s>"},
                                          {"pad_token", "[PAD]", "<pad>"},
                                          {"mask_token", "[MASK]", "<mask>"}};
    json_t *o = json_object();

    for (size_t i = 0; i < sizeof(role) / sizeof(*role); i++)
        for (int k = 1; k < 3 && !json_object_get(o, role[i][0]); k++)
            if (bird_tokenizer_id(t, role[i][k]) >= 0)
                json_object_set_new(o, role[i][0], json_string(role[i][k]));
    return o;
}

static int write_json(const char *folder, const char *name, const json_t *o)
{
    char *path = NULL;
    int rc = bird_path_join(&path, folder, name);

    if (!rc)
        rc = bird_json_write(o, path);
    free(path);
    return rc;
}

static int make_files(const char *to, const struct bird_config *c)
{
    bird_tokenizer *t = NULL;
    json_t *map, *config = json_object();
    char *path = NULL;
    int rc = bird_path_join(&path, to, "tokenizer.json");

    if (!rc)
        rc = bird_tokenizer_open(&t, path);
    map = rc ? NULL : roles(t);
    if (!rc && (!map || !config ||
                json_object_set_new(config, "tokenizer_class",
                                    json_string("PreTrainedTokenizerFast")) ||
                json_object_set_new(config, "model_max_length",
                                    json_integer(c->max_positions)) ||
                json_object_update(config, map)))
        rc = bird_fail_memory(0);
    if (!rc)
        rc = write_json(to, config_name, config);
    if (!rc && json_object_size(map))
        rc = write_json(to, map_name, map);
    /* a tokenizer that is not read here brings its own files or none */
    if (rc == BIRD_EUNSUPPORTED)
        rc = 0;
    bird_tokenizer_free(t);
    json_decref(config);
    json_decref(map);
    free(path);
    return rc;
}

int bird_transformers_files(const char *from, const char *to,
                            const struct bird_config *c)
{
    if (!bird_folder_has(to, "tokenizer.json"))
        return 0;
    if (!bird_folder_has(to, config_name)) {
        int rc = make_files(to, c);

        return rc ? rc : bird_folder_sum(to);
    }
    return bird_folder_has(from, config_name)
               ? bird_folder_copy(from, to, map_name)
               : 0;
}
