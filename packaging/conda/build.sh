#!/bin/bash
# SPDX-License-Identifier: MIT
set -eux
meson setup build-conda --prefix "$PREFIX" --libdir lib --buildtype release \
    -Dsource_data=false -Dtests=disabled -Ddefault_library=shared \
    -Donednn=disabled -Dbigwig=disabled -Ddeepsea=disabled
meson compile -C build-conda -j "${CPU_COUNT:-2}"
meson install -C build-conda --no-rebuild
