# SPDX-License-Identifier: Apache-2.0
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# The cache must be told that precompiled headers may be trusted, and to learn what a file includes from the compiler:
# otherwise each file that is not in the cache yet would be read twice.
find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND};-E;env;CCACHE_SLOPPINESS=pch_defines,time_macros;CCACHE_DEPEND=1;${CCACHE}")
endif()

# With PARTITA_UNITY, sources are compiled in batches: most of the time to compile a file goes into what it includes. Names in
# unnamed namespaces must then be unique within a room, which also keeps one helper from being written in two files of it.
function(partita_compiler_settings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion)
  # GCC 12 raises false alarms where -O2 inlines the copying of a short std::string (its bugs 105329 and 105651).
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-restrict)
  endif()
  # Programs use the precompiled headers of the libraries, so they are compiled like them.
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    target_compile_options(${target} PRIVATE -fPIC)
  endif()
  if(PARTITA_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  if(PARTITA_UNITY GREATER 0)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${PARTITA_UNITY})
  endif()
  if(PARTITA_PARANOID)
    target_compile_definitions(${target} PRIVATE PARTITA_PARANOID)
  endif()
  if(PARTITA_FUZZ)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=address,undefined)
  endif()
  if(PARTITA_SANITIZE_THREAD)
    target_compile_options(${target} PRIVATE -fsanitize=thread)
    target_link_options(${target} PUBLIC -fsanitize=thread)
  endif()
  if(PARTITA_SANITIZE)
    # Null pointers and objects that are too small are what AddressSanitizer stops at too; looking for them twice takes a
    # quarter of the time to compile.
    target_compile_options(${target} PRIVATE -fsanitize=address,undefined -fno-sanitize=null,object-size
                                             -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=address,undefined)
  endif()
endfunction()
