# gnuplot -c hyphenation.gp ROWS.csv PICTURE.svg: draws the output of `./dev bench hyphenation --csv ROWS.csv`.
# tests/bench/page calls it.
load system("dirname '".ARG0."'")."/style.gp"
set output ARG2
set multiplot layout 1,2 margins 0.055,0.985,0.29,0.9 spacing 0.06
set xlabel "false-positive rate"
set format x "%g%%"
set xtics (1, 5, 10, 15, 20)
set xrange [-0.5:21]
set yrange [0:*]
kinds = "blocked classic cuckoo hash_compaction"
rows(kind) = sprintf("< grep '^%s,' '%s'", kind, ARG1)
# Shifts the points, so that no interval covers another.
beside(kind) = kind eq "blocked" ? -0.3 : kind eq "classic" ? -0.1 : kind eq "cuckoo" ? 0.1 : 0.3

set title "Asking about every word, ms"
plot for [kind in kinds] rows(kind) using ($2*100+beside(kind)):7:8 with yerrorlines lc rgb color(kind) pt 7 ps 0.35 \
  title kind
set title "Building, and hyphenating every word, ms"
plot for [kind in kinds] rows(kind) using ($2*100+beside(kind)):9:10 with yerrorlines lc rgb color(kind) pt 7 ps 0.35 \
  title kind, \
  rows("exact") using (0):9:10 with yerrorbars lc rgb color("exact") pt 7 ps 0.5 title "exact table"
unset multiplot
