/*
 * write_mat FILE PART v5|v7.3 SAMPLES LENGTH LABELS: a small file as of DeepSEA's
 * bundle (deepsea.h), for the tables of the command line.
 * SPDX-License-Identifier: MIT
 */
#include "deepsea.h"

int main(int argc, char **argv)
{
    struct deepsea_file f = {.type = MAT_C_UINT8};

    if (argc != 7)
        return 2;
    f.path = argv[1];
    f.part = argv[2];
    f.form = strcmp(argv[3], "v5") ? MAT_FT_MAT73 : MAT_FT_MAT5;
    f.n = atoi(argv[4]);
    f.length = atoi(argv[5]);
    f.n_label = atoi(argv[6]);
    return deepsea_write(&f) ? 1 : 0;
}
