// -Wall warns of this, which is the parent's own affair.
int main_has_an_unused_neighbour() {
  int unused = 0;
  return 0;
}
