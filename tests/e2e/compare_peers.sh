#!/bin/bash
# tools/bench/compare_peers.py where a python3 has the peers: both halves run and
# give the same answers; prints TAP.
# SPDX-License-Identifier: MIT
#
#   compare_peers.sh DNABIRD WORK MODULE...
set -u
. "$(dirname "$0")/../support/tap.sh"

dnabird=$(realpath "$1") work=$2
shift 2
compare=$(realpath "$(dirname "$0")/../../tools/bench/compare_peers.py")
# shellcheck source-path=SCRIPTDIR source=../support/torch_python.sh
. "$(dirname "$0")/../support/torch_python.sh" "$@"

got=$("$python" "$compare" --dnabird "$dnabird" --work "$work" --rounds 1 \
    --bp 20000 --preset tiny --tokens 64)
if awk -F '\t' '$5 > 0 && $7 > 0 && $8 == "yes" { n++ } END { exit n != 2 }' \
    <<<"$got"; then
    passed "$work: both, with the same answers"
else
    failed "$work: both, with the same answers" <<<"$got"
fi
end_rules
