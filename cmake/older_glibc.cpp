// Lets what is compiled on a later system run with an older glibc. The libstdc++ of GCC 13 and later, which is linked
// in, calls strtoul by the name that glibc 2.38 gave it, as its own headers make programs call strtoull; here are functions
// of those names, which call the old ones.
// Where nobody asks for it, the linker leaves it out.
extern "C" {
unsigned long strtoul_of_every_glibc(const char* text, char** end, int base) __asm__("strtoul");

// NOLINTNEXTLINE(bugprone-reserved-identifier): the name is glibc's
__attribute__((visibility("hidden"))) unsigned long __isoc23_strtoul(const char* text, char** end, int base) {
  return strtoul_of_every_glibc(text, end, base);
}

unsigned long long strtoull_of_every_glibc(const char* text, char** end, int base) __asm__("strtoull");

// NOLINTNEXTLINE(bugprone-reserved-identifier): the name is glibc's
__attribute__((visibility("hidden"))) unsigned long long __isoc23_strtoull(const char* text, char** end, int base) {
  return strtoull_of_every_glibc(text, end, base);
}
}
