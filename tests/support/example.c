/* Scores sequences of its own: build it with
 *     cc example.c $(pkg-config --cflags --libs dnabird) -o example
 * SPDX-License-Identifier: MIT */
#include <dnabird/dnabird.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    const char *seq[] = {
        "GGGCGGGGCGCGCCTATAAAAGGCGGCGCGCAGTCGGCGCGCGAGCGGCGGCAGCGGCGG",
        "TTTGTTTCATTTTAATATGTAATTTAGAAATAAATTTTCTTAAGCTTTATTTTCAAATAT"};
    const char *folder = argc > 1 ? argv[1] : NULL; /* NULL: the default */
    bird_model *model = NULL;
    bird_session *session = NULL; /* the mean of both strands */
    bird_features label = {0};    /* GUE_core: core promoters */
    int64_t n = 0, core = 0;
    float *p = NULL; /* [2, n] */
    int rc = bird_model_open(&model, folder, NULL);

    if (!rc)
        rc = bird_session_new(&session, model, NULL);
    if (!rc && (n = bird_session_size(session, (int64_t)strlen(seq[0]))) > 1)
        rc = bird_features_open(&label, folder);
    for (int64_t i = 0; i < label.n; i++)
        if (!strcmp(label.at[i].name, "GUE_core"))
            core = i;
    if (!rc && (p = (float *)calloc(2 * (size_t)n, sizeof(*p))))
        rc = bird_session_score(session, seq, NULL, 2, p);
    for (int i = 0; !rc && p && i < 2; i++)
        printf("%.10s...\t%.4f\n", seq[i], (double)p[i * n + core]);
    if (rc)
        fprintf(stderr, "example: %s\n", bird_last_error());
    free(p);
    bird_features_free(&label);
    bird_session_free(session);
    bird_model_close(model);
    return rc || !p;
}
