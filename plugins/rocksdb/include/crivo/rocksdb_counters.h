/* What the filter policies of a process have done, as text: for exporters, and for languages that call C. */
#ifndef CRIVO_ROCKSDB_COUNTERS_H
#define CRIVO_ROCKSDB_COUNTERS_H

#ifdef __cplusplus
extern "C" {
#endif

/** The counters of every policy of Crivo's that this process has, in this format:
 *   "json"        an array with an object for each policy: its number in the process, its name, the column families
 *                 that it has built filters for, and the fields of RocksDBFilterCounters (crivo/rocksdb.h)
 *   "prometheus"  Prometheus' text format 0.0.4: counters crivo_rocksdb_<field>_total with the labels policy, number
 *                 and, where they belong to one, kind; a gauge crivo_rocksdb_policy_info with the column families; and
 *                 for each database with max_total_bytes the gauges crivo_rocksdb_max_total_bytes and
 *                 crivo_rocksdb_filter_bytes with the label folder
 * The caller frees the text by free() or rocksdb_free(). NULL if the format is another one, or without memory. Any
 * thread may call it at any time.
 */
char* crivo_rocksdb_counters(const char* format);

#ifdef __cplusplus
}
#endif

#endif
