// Lets libraries that were compiled with glibc 2.38 or later run with an older glibc. Since 2.38, glibc's headers
// rename strtoul to __isoc23_strtoul, and strtoull likewise. The static libstdc++ of GCC 13 and later calls the new
// names. The functions below have these names, and call the old ones. --gc-sections omits unused functions.
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
