/* Scores sequences of its own: build it with
 *     cc example.c $(pkg-config --cflags --libs dnabird) -o example
 * SPDX-License-Identifier: MIT */
#include <dnabird/dnabird.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    const char *seq[] = {
        "GGGCGGGGCGCGCCTATAAAAGGCGGCGCGCAGTCGGCGCGCGAGCGGCGGCAGCGGCGG",
        "TTTGTTTCATTTTAATATGTAATTTAGAAATAAATTTTCTTAAGCTTTATTTTCAAATAT"};
    bird_model *model = NULL;     /* argv[1], or the one that comes along */
    bird_session *session = NULL; /* the mean of both strands */
    float p[2];                   /* one label a sequence */
    int rc = bird_model_open(&model, argc > 1 ? argv[1] : NULL, NULL);

    if (!rc)
        rc = bird_session_new(&session, model, NULL);
    if (!rc)
        rc = bird_session_score(session, seq, NULL, 2, p);
    for (int i = 0; !rc && i < 2; i++)
        printf("%.10s...\t%.4f\n", seq[i], (double)p[i]);
    if (rc)
        fprintf(stderr, "example: %s\n", bird_last_error());
    bird_session_free(session);
    bird_model_close(model);
    return rc != 0;
}
