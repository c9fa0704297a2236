#!/usr/bin/env bash
# with_pkg_config.sh COMPILER LIBRARY_FOLDER MODULE SOURCE PROGRAM: builds and runs a program with MODULE.pc.
set -euo pipefail
compiler=$1 folder=$2 module=$3 source=$4 program=$5
read -ra flags < <(PKG_CONFIG_PATH=$folder/pkgconfig pkg-config --cflags --libs "$module")
"$compiler" -std=c++20 "$source" "${flags[@]}" -o "$program"
LD_LIBRARY_PATH=$folder "$program"
