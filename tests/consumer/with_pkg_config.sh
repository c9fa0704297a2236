#!/usr/bin/env bash
# with_pkg_config.sh COMPILER PKG_CONFIG_FOLDER SOURCE PROGRAM: builds and runs the consumer against crivo.pc.
set -euo pipefail
compiler=$1 folder=$2 source=$3 program=$4
read -ra flags < <(PKG_CONFIG_PATH=$folder pkg-config --cflags --libs crivo)
"$compiler" -std=c++20 "$source" "${flags[@]}" -o "$program"
"$program"
