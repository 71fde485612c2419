#!/bin/bash
# Set up, build a release, run all tests. The last line is "N passed, N failed", with
# ", N skipped" if some were.
# SPDX-License-Identifier: MIT
set -u
cd "$(dirname "$0")/.." || exit 1
. tools/setup.sh

if ! setup_packages build test || ! build build --buildtype=release; then
    echo "FAILED packages or the build in build"
    echo "0 passed, 1 failed"
    exit 1
fi
run_tests build
