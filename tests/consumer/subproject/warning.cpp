// -Wall warns about this file. Crivo must not turn the parent's warnings into errors.
int main_has_an_unused_neighbour() {
  int unused = 0;
  return 0;
}
