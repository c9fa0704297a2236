#!/usr/bin/env bash
# lint_manual.sh FOLDER: mandoc and groff must report no problem in the manual pages in FOLDER/man*.
set -euo pipefail
folder=$1
for program in mandoc man; do
  command -v "$program" >/dev/null ||
    { echo "skipped: needs Debian's packages mandoc and man-db, and lacks $program"; exit 77; }
done

pages=("$folder"/man*/*)
((${#pages[@]} > 6)) || { echo "there must be pages in $folder, got ${pages[*]}"; exit 1; }
for page in "${pages[@]}"; do
  if target=$(sed -n 's/^\.so //p' "$page") && [[ $target ]]; then
    [[ -e $folder/$target ]] || echo "$page must lead to a page, got $target"
    continue
  fi
  # A page that was never released has no date.
  mandoc -T lint -W warning "$page" | grep -v 'missing date' || true
  for width in 60 80 120; do
    MANWIDTH=$width man --warnings -l "$page" 2>&1 >/dev/null | sed "s|^|$page, $width columns: |"
  done
done | tee >(cat >&2) | (! grep -q .)
