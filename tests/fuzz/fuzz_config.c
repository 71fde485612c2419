/* Any bytes as config.json and as dnabird.json. SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "base/json.h"
#include "folder/folder.h"
#include "model/params.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What was accepted must be writable, readable again, and have a table. */
static void use_config(const struct bird_config *c)
{
    struct bird_config again;
    struct bird_param *list = NULL;
    int64_t n, total;
    json_t *o = NULL;

    if (bird_config_check(c, NULL) || bird_config_write(&o, c, NULL) ||
        bird_config_read(&again, o, "again") ||
        again.hidden_size != c->hidden_size || again.n_label != c->n_label)
        abort();
    json_decref(o);
    if (c->n_layer <= 64) {
        if (bird_params_list(&list, &n, &total, c) ||
            total < bird_params_count(list, n))
            abort();
        free(list);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bird_folder f = {0};
    json_t *o = NULL;

    if (bird_json_parse(&o, (const char *)data, size, "input"))
        return 0;
    bird_config_default(&f.config);
    if (!bird_config_read(&f.config, o, "input"))
        use_config(&f.config);
    f.meta = json_incref(o);
    if (!bird_meta_read(&f, "input") && !bird_meta_complete(&f, o, "input") &&
        !f.random_why[0])
        abort();
    bird_folder_free(&f);
    json_decref(o);
    return 0;
}
