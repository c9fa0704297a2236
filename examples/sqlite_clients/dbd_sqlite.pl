# DBD::SQLite, Debian's libdbd-sqlite3-perl:  perl dbd_sqlite.pl /usr/local/lib/crivo/crivo.so
use strict;
use warnings;
use DBI;

my $db = DBI->connect("dbi:SQLite:dbname=:memory:", "", "", {RaiseError => 1, PrintError => 0});
$db->sqlite_enable_load_extension(1);
$db->sqlite_load_extension($ARGV[0]);
$db->sqlite_enable_load_extension(0);

$db->do("CREATE TABLE visits(name TEXT)");
$db->do("INSERT INTO visits VALUES (?), (?)", undef, "ann", "bob");
$db->do("CREATE TABLE filters AS SELECT bloom_agg(name, 1000) AS f FROM visits");
$db->do("UPDATE filters SET f = bloom_add(f, ?)", undef, "eve");
my $maybe = "SELECT bloom_contains((SELECT bloom_open(f) FROM filters), ?)";
print join("|", "filter", map { $db->selectrow_array($maybe, undef, $_) } "eve", "joe"), "\n";

$db->do("CREATE VIRTUAL TABLE seen USING bloom(capacity=1000000, fp_rate=0.001, kind=blocked)");
$db->do("INSERT INTO seen(key) VALUES (?)", undef, "eve");
my $seen = "SELECT EXISTS(SELECT 1 FROM seen WHERE key = ?)";
print join("|", "table", map { $db->selectrow_array($seen, undef, $_) } "eve", "joe"), "\n";
