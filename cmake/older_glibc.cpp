// Lets what is compiled on a later system run with an older glibc. The libstdc++ of GCC 13 and later, which is linked
// in, calls strtoul by the name that glibc 2.38 gave it; here is a function of that name, which calls the old one.
// Where nobody asks for it, the linker leaves it out.
extern "C" {
unsigned long strtoul_of_every_glibc(const char* text, char** end, int base) __asm__("strtoul");

// NOLINTNEXTLINE(bugprone-reserved-identifier): the name is glibc's
__attribute__((visibility("hidden"))) unsigned long __isoc23_strtoul(const char* text, char** end, int base) {
  return strtoul_of_every_glibc(text, end, base);
}
}
