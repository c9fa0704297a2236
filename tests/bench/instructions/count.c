// A plugin of QEMU (docs/devel/tcg-plugins.rst, interface 1): prints how many instructions a program of one thread
// executed. No package of Debian has qemu-plugin.h, so what is used of it is declared here.
#include <stdint.h>
#include <stdio.h>

struct qemu_plugin_tb;
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t plugin, void (*call)(uint64_t plugin, struct qemu_plugin_tb*));
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb*);
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb*, int operation, void* number, uint64_t added);
void qemu_plugin_register_atexit_cb(uint64_t plugin, void (*call)(uint64_t plugin, void*), void* argument);

int qemu_plugin_version = 1;
static uint64_t executed;

static void count_block(uint64_t plugin, struct qemu_plugin_tb* block) {
  (void)plugin;
  qemu_plugin_register_vcpu_tb_exec_inline(block, 0, &executed, qemu_plugin_tb_n_insns(block));
}
static void print(uint64_t plugin, void* argument) {
  (void)plugin, (void)argument;
  fprintf(stderr, "executed %llu\n", (unsigned long long)executed);
}

int qemu_plugin_install(uint64_t plugin, const void* machine, int count, char** arguments) {
  (void)machine, (void)count, (void)arguments;
  qemu_plugin_register_vcpu_tb_trans_cb(plugin, count_block);
  qemu_plugin_register_atexit_cb(plugin, print, NULL);
  return 0;
}
