# gnuplot -c rocksdb.gp BUDGETS.csv PICTURE.svg: draws the output of `./dev bench rocksdb --budgets-csv BUDGETS.csv`.
# tests/bench/page calls it.
load system("dirname '".ARG0."'")."/style.gp"
set output ARG2
set multiplot layout 1,2 margins 0.06,0.985,0.29,0.9 spacing 0.07
# The names of RocksDB's filters may begin with "RocksDB src".
start(filter) = filter[1:7] eq "RocksDB" ? "RocksDB ?(src)?".filter[8:*] : filter
rows(filter) = sprintf("< grep -E '\"%s' '%s'", start(filter), ARG1)
filters = "'RocksDB Bloom' 'RocksDB Ribbon' 'crivo.Bloom' 'crivo.Ribbon'"
shade(filter) = color(filter eq "crivo.Bloom" ? "blocked" : filter eq "crivo.Ribbon" ? "ribbon" : filter)

set key width -4
set xlabel "filter memory, bits per key"
set logscale y
set format y "%g"
set xrange [3.5:10.5]
set yrange [1:1000]
set title "Wasted block reads of 1000 absent keys"
plot for [filter in filters] rows(filter.",") using 3:4 with linespoints lc rgb shade(filter) dt dash(filter) pt 7 \
    ps 0.5 title filter, \
  rows("crivo.Auto with") using 3:4 with linespoints lc rgb color("auto") pt 7 ps 0.5 title "crivo.Auto, budget", \
  rows("crivo.Auto with") using 1:8 with lines lc rgb color("limit") lw 0.8 title "predicted"
set title "Those that a block cache of 1% of the data did not have"
plot for [filter in filters] rows(filter.",") using 3:6 with linespoints lc rgb shade(filter) dt dash(filter) pt 7 \
    ps 0.5 title filter, \
  rows("crivo.Auto with") using 3:6 with linespoints lc rgb color("auto") pt 7 ps 0.5 title "crivo.Auto, budget"
unset multiplot
