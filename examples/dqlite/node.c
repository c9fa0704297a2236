/* A node of a dqlite cluster with Crivo: dqlite_node ID ADDRESS FOLDER. Runs until it is killed.
 *
 * dqlite opens its own connections: one for each client, and one to apply the leader's changes. The program cannot load
 * an extension into them. So the extension is linked into the program, and sqlite3_auto_extension adds it to every
 * connection that is opened afterwards.
 */
#include <crivo/sqlite.h>
#include <dqlite.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

static int fail(const char* what, const char* why) {
  fprintf(stderr, "dqlite_node: %s: %s\n", what, why);
  return 1;
}

int main(int argc, char** argv) {
  dqlite_node* node = NULL;
  if (argc != 4) return fail("usage", "dqlite_node ID ADDRESS FOLDER");
  prctl(PR_SET_PDEATHSIG, SIGKILL); /* the node ends with the example */
  signal(SIGPIPE, SIG_IGN);         /* dqlite may write to a node that has died; SIGPIPE would end this one */

  if (sqlite3_auto_extension((void (*)(void))sqlite3_crivo_init) != SQLITE_OK) return fail("SQLite", "no memory");
  if (dqlite_node_create(strtoull(argv[1], NULL, 10), argv[2], argv[3], &node) != 0 ||
      dqlite_node_set_bind_address(node, argv[2]) != 0 || dqlite_node_set_network_latency_ms(node, 10) != 0 ||
      dqlite_node_start(node) != 0) {
    return fail(argv[2], node != NULL ? dqlite_node_errmsg(node) : "no memory");
  }
  for (;;) pause();
}
