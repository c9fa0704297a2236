# gnuplot -c rocksdb.gp SECTIONS.csv BUDGETS.csv PICTURE.svg: what `./dev bench rocksdb --csv SECTIONS.csv --budgets-csv
# BUDGETS.csv` wrote, as a picture. tests/bench/pictures calls it.
load system("dirname '".ARG0."'")."/style.gp"
set output ARG3
set multiplot layout 1,2 margins 0.06,0.985,0.29,0.9 spacing 0.07
# The names of RocksDB's filters may begin with "RocksDB src".
start(filter) = filter[1:7] eq "RocksDB" ? "RocksDB ?(src)?".filter[8:*] : filter
budget(filter) = sprintf("< grep -E '\"%s' '%s'", start(filter), ARG2)

set title "Blocks read in vain by 1000 absent keys, at equal memory"
set xlabel "filter memory, bits per key"
set logscale y
set format y "%g"
set xrange [3.5:10.5]
plot budget("RocksDB Bloom,") using 3:4 with linespoints lc rgb color("RocksDB Bloom") dt 2 pt 7 ps 0.5 \
    title "RocksDB Bloom", \
  budget("RocksDB Ribbon,") using 3:4 with linespoints lc rgb color("RocksDB Ribbon") dt 2 pt 7 ps 0.5 \
    title "RocksDB Ribbon", \
  budget("crivo.Bloom,") using 3:4 with linespoints lc rgb color("blocked") pt 7 ps 0.5 title "crivo.Bloom", \
  budget("crivo.Ribbon,") using 3:4 with linespoints lc rgb color("ribbon") pt 7 ps 0.5 title "crivo.Ribbon", \
  budget("crivo.Auto with") using 3:4 with linespoints lc rgb color("auto") pt 7 ps 0.5 \
    title "crivo.Auto with a budget", \
  budget("crivo.Auto with") using 1:8 with lines lc rgb color("limit") lw 0.8 title "Monkey's prediction"

# Each point is a database; down and to the left is better.
set title "CPU time of Get for an absent key, µs"
unset logscale y
set format y "%g"
set xrange [3:11]
set yrange [0:*]
get(filter) = sprintf("< grep -E '\"%s.*,get absent,' '%s'", start(filter), ARG1)
plot get("RocksDB Bloom") using 3:9 with points lc rgb color("RocksDB Bloom") pt 6 ps 0.8 title "RocksDB Bloom", \
  get("RocksDB Ribbon") using 3:9 with points lc rgb color("RocksDB Ribbon") pt 6 ps 0.8 title "RocksDB Ribbon", \
  get("crivo.Bloom") using 3:9 with points lc rgb color("blocked") pt 7 ps 0.6 title "crivo.Bloom", \
  get("crivo.Ribbon") using 3:9 with points lc rgb color("ribbon") pt 7 ps 0.6 title "crivo.Ribbon", \
  get("crivo.Auto") using 3:9 with points lc rgb color("auto") pt 7 ps 0.6 title "crivo.Auto"
unset multiplot
