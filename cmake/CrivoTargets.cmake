# What every target of ours is compiled with: crivo_warnings for our own code, crivo_sanitize when asked for.
add_library(crivo_warnings INTERFACE)
target_compile_options(crivo_warnings INTERFACE -Wall -Wextra -Wshadow -Wconversion)
if(PROJECT_IS_TOP_LEVEL)  # a later compiler's new warning must not stop somebody else's build
  target_compile_options(crivo_warnings INTERFACE -Werror)
endif()

if(CRIVO_SANITIZE)
  add_compile_options(-fsanitize=${CRIVO_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${CRIVO_SANITIZE})
endif()
