# gnuplot -c hyphenation.gp ROWS.csv PICTURE.svg: the figures of `./dev bench hyphenation --csv ROWS.csv` as a picture.
set terminal svg size 900,420 font "sans,13"
set output ARG2
set datafile separator ","
set multiplot layout 1,2
set xlabel "false-positive rate, %"
set xtics (1, 2, 5, 10, 15, 20)
set xrange [0:21]
set yrange [0:*]
set key top left
kinds = "hash_compaction classic blocked cuckoo"
rows(kind) = sprintf("< grep '^%s,' '%s'", kind, ARG1)

set title "Asking about every word, ms"
plot for [kind in kinds] rows(kind) using ($2*100):7:8 with yerrorlines title kind
set title "Building and hyphenating every word, ms"
set key bottom right
plot for [kind in kinds] rows(kind) using ($2*100):9:10 with yerrorlines title kind, \
  rows("exact") using (0.3):9:10 with yerrorbars title "exact table"
unset multiplot
