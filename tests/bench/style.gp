# Shared by the pictures: a background, so that they are visible on a dark page; one color per filter in all panels
# (after Okabe and Ito, for color-blind readers); legends below the panels, where they hide no curve.
set terminal svg size 1000,500 font "sans,14" background rgb "white" linewidth 1.5
set datafile separator ","
set border lc rgb "#666666"
set tics textcolor rgb "black"
set grid lc rgb "#dddddd" lw 0.7 dt 1
set key below horizontal center Left reverse samplen 2 width -1 noenhanced
set xlabel offset 0,0.6

# A filter of RocksDB has a lighter tone of the color of Crivo's corresponding filter, and a dashed line.
color(filter) = filter eq "blocked" ? 0x0072B2 : filter eq "RocksDB Bloom" ? 0x56B4E9 : \
                filter eq "ribbon" ? 0xB83A00 : filter eq "RocksDB Ribbon" ? 0xF08C5A : \
                filter eq "classic" ? 0xE0A000 : filter eq "cuckoo" ? 0x009E73 : \
                filter eq "hash_compaction" ? 0xB0569B : filter eq "auto" ? 0x009E73 : 0x444444
dash(filter) = filter[1:7] eq "RocksDB" ? 2 : 1
