# gnuplot -c filters.gp ROWS.csv RATES.csv PICTURE.svg: what `./dev bench filters --csv ROWS.csv --rates-csv RATES.csv`
# wrote, as a picture.
set terminal svg size 1000,440 font "sans,13"
set output ARG3
set datafile separator ","
set multiplot layout 1,2
rates(filter) = sprintf("< grep '^\"%s\",1000000,' '%s' | sort -t, -k5n", filter, ARG2)
rows(filter) = sprintf("< grep ',\"%s\",' '%s'", filter, ARG1)

set title "False-positive rate against size, 10^6 keys"
set xlabel "bits per key"
set ylabel "rate"
set logscale y
set format y "%.0e"
set xrange [2:20]
set yrange [5e-4:0.2]
set key top right
kinds = "ribbon blocked classic cuckoo hash_compaction"
plot 2**(-x) title "information limit" with lines lc "black" dt 2, \
  for [kind in kinds] rates(kind) using 5:4 with linespoints ps 0.5 title kind, \
  for [policy in "Bloom Ribbon"] rates("RocksDB ".policy) using 5:4 with linespoints ps 0.5 dt 3 title "RocksDB ".policy

set title "Query of an absent key, ns (hashing included)"
set xlabel "keys"
set ylabel "ns"
set logscale x
unset logscale y
set format x "10^{%L}"
set format y "%g"
set xrange [5e3:2e8]
set yrange [0:*]
set key top left
plot rows("RocksDB src Bloom 10") using 1:8 with linespoints title "RocksDB Bloom 10", \
  rows("crivo blocked 10") using 1:8 with linespoints title "blocked 10", \
  rows("RocksDB src Ribbon 10") using 1:8 with linespoints title "RocksDB Ribbon 10", \
  rows("crivo ribbon 1%") using 1:8 with linespoints title "ribbon 1%", \
  rows("crivo ribbon 1%") using 1:12 with linespoints title "ribbon 1%, batches"
unset multiplot
