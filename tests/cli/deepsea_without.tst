# A build without libmatio refuses MATLAB files with one line.
0 | dnabird --version | out ~ libmatio: none
1 | dnabird dataset chromatin --deepsea train.mat -o o.tsv.zst | err ~ this build has no libmatio
    | err lines 1
    | none o.tsv*
