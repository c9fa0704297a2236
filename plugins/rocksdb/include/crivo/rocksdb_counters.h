/* The counters of all filter policies in this process as text: for exporters, and for other languages. */
#ifndef CRIVO_ROCKSDB_COUNTERS_H
#define CRIVO_ROCKSDB_COUNTERS_H

#ifdef __cplusplus
extern "C" {
#endif

/** The counters of every Crivo policy in this process. `format` is one of
 *   "json"        an array with one object per policy: its sequence number in the process, its name, the column
 * families that it has built filters for, and the fields of RocksDBFilterCounters (crivo/rocksdb.h) "prometheus"
 * Prometheus' text format 0.0.4: counters crivo_rocksdb_<field>_total with the labels policy, number and, where they
 * differ by kind, kind; a gauge crivo_rocksdb_policy_info with the column families; and for each database with
 * max_total_bytes the gauges crivo_rocksdb_max_total_bytes and crivo_rocksdb_filter_bytes with the label folder The
 * caller frees the text by free() or rocksdb_free(). Returns NULL for any other format, or out of memory. Thread-safe.
 */
char* crivo_rocksdb_counters(const char* format);

#ifdef __cplusplus
}
#endif

#endif
