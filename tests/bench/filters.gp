# gnuplot -c filters.gp ROWS.csv RATES.csv PICTURE.svg: draws the output of `./dev bench filters --csv ROWS.csv
# --rates-csv RATES.csv`. tests/bench/page calls it.
load system("dirname '".ARG0."'")."/style.gp"
set output ARG3
set multiplot layout 1,2 margins 0.055,0.985,0.29,0.9 spacing 0.06
rates(filter) = sprintf("< grep '^\"%s\",1000000,' '%s' | sort -t, -k5n", filter, ARG2)
rows(filter) = sprintf("< grep ',\"%s\",' '%s'", filter, ARG1)
filters = "'blocked' 'classic' 'ribbon' 'cuckoo' 'hash_compaction' 'RocksDB Bloom' 'RocksDB Ribbon'"

set title "False-positive rate against size, a million keys"
set xlabel "bits per key"
set logscale y
set format y "%g%%"
set xrange [2:20]
set yrange [0.05:20]
plot 100 * 2**(-x) title "information limit" with lines lc rgb color("limit") lw 0.8, \
  for [filter in filters] rates(filter) using 5:($4*100) with linespoints lc rgb color(filter) dt dash(filter) \
    pt 7 ps 0.35 title filter

# Two filters with 10 bits per key (blocked, Bloom), and two with the same rate of 1% in less memory.
set title "Query of an absent key, ns (hashing it included)"
set xlabel "keys"
set logscale x
unset logscale y
set format x "10^{%L}"
set format y "%g"
set xrange [7e3:1.5e8]
set yrange [0:*]
row(filter) = filter eq "blocked" ? "crivo blocked 10" : filter eq "ribbon" ? "crivo ribbon 1%" : \
              filter eq "RocksDB Bloom" ? "RocksDB src Bloom 10" : "RocksDB src Ribbon 10"
filters = "'blocked' 'RocksDB Bloom' 'ribbon' 'RocksDB Ribbon'"
plot for [filter in filters] rows(row(filter)) using 1:8 with linespoints lc rgb color(filter) dt dash(filter) \
    pt 7 ps 0.5 title filter, \
  rows(row("ribbon")) using 1:12 with linespoints lc rgb color("ribbon") dt 3 pt 6 ps 0.5 title "ribbon, batches"
unset multiplot
