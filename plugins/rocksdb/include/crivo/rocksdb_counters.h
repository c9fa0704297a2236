/* The counters of all filter policies in this process as text: for exporters, and for other languages. */
#ifndef CRIVO_ROCKSDB_COUNTERS_H
#define CRIVO_ROCKSDB_COUNTERS_H

#ifdef __cplusplus
extern "C" {
#endif

/** Returns the counters of every Crivo policy in this process.
 *
 * The format "json" is an array with one object per policy. The fields are the policy's sequence number in the process,
 * its name, up to 64 column families for which the policy built filters, and the fields of RocksDBFilterCounters
 * (crivo/rocksdb.h).
 *
 * The format "prometheus" is Prometheus' text format 0.0.4. The counters are crivo_rocksdb_<field>_total, with the
 * labels `policy`, `number` and, for counters per kind, `kind`. The gauge crivo_rocksdb_policy_info names the column
 * families. Each database with max_total_bytes has the gauges crivo_rocksdb_max_total_bytes and
 * crivo_rocksdb_filter_bytes, with the label `folder`.
 *
 * The caller frees the text with free() or rocksdb_free(). Returns NULL for any other format, or if memory is short.
 * Thread-safe.
 */
char* crivo_rocksdb_counters(const char* format);

#ifdef __cplusplus
}
#endif

#endif
