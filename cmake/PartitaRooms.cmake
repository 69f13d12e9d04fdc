# SPDX-License-Identifier: Apache-2.0
# A room is a folder of partita/: one object library, so that the installed library is all of them in one archive and
# the checker can be linked from just the rooms it may know.

# Headers of other people that most files include. Reading them took two thirds of the time to compile a file, so they are
# compiled once, for all targets with the same flags but for the level of optimisation. nlohmann-json is not among them: in
# those few files that need it, most of the time goes into what is made of its templates (0.9 s saved of 4), and all
# others would take half a second longer. A file includes what it uses all the same: without them
# (CMAKE_DISABLE_PRECOMPILE_HEADERS=ON, which `./dev includes` sets) it must compile too.
set(PARTITA_COMMON_HEADERS <algorithm> <array> <cassert> <cmath> <cstddef> <cstdint> <functional> <limits> <map> <memory>
    <numeric> <optional> <queue> <set> <span> <string> <string_view> <tuple> <unordered_map> <utility> <vector>
    <fmt/format.h>)

# The first target compiles them, and the others use what it has compiled.
function(partita_precompiled_headers target)
  if(TARGET partita_util AND NOT target STREQUAL partita_util)
    target_precompile_headers(${target} REUSE_FROM partita_util)
  else()
    target_precompile_headers(${target} PRIVATE ${PARTITA_COMMON_HEADERS})
  endif()
endfunction()

# partita_room(FOLDER [HOT] [USES room...] [LIBRARIES target...]): the target of solve/free is partita_solve_free.
# HOT rooms are where the time goes, and are optimised hardest.
function(partita_room folder)
  cmake_parse_arguments(ROOM "HOT" "" "USES;LIBRARIES" ${ARGN})
  string(REPLACE "/" "_" name "${folder}")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/partita/${folder}/*.cpp")
  if(NOT sources)
    add_library(partita_${name} INTERFACE)
    return()
  endif()
  add_library(partita_${name} OBJECT ${sources})
  target_include_directories(partita_${name} PUBLIC "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>")
  target_compile_features(partita_${name} PUBLIC cxx_std_20)
  target_link_libraries(partita_${name} PUBLIC ${ROOM_LIBRARIES} fmt::fmt Threads::Threads)
  partita_compiler_settings(partita_${name})
  if(NOT ROOM_HOT)
    target_compile_options(partita_${name} PRIVATE $<$<CONFIG:Release>:-O2>)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
      # More false alarms of the kind that CompilerSettings.cmake speaks of.
      target_compile_options(partita_${name} PRIVATE -Wno-stringop-overread -Wno-stringop-overflow)
    endif()
  endif()
  partita_precompiled_headers(partita_${name})
endfunction()

# partita_embed(ROOM FILE HEADER header FUNCTION name): the room gets a source with the bytes of a file, which the function
# that the header declares returns; it is made anew when the file changes.
function(partita_embed room file)
  cmake_parse_arguments(EMBED "" "HEADER;FUNCTION" "" ${ARGN})
  set(source "${PROJECT_BINARY_DIR}/embedded/${EMBED_FUNCTION}.cpp")
  set(script "${PROJECT_SOURCE_DIR}/cmake/EmbedFile.cmake")
  add_custom_command(OUTPUT "${source}" VERBATIM DEPENDS "${PROJECT_SOURCE_DIR}/${file}" "${script}"
                     COMMAND "${CMAKE_COMMAND}" "-DINPUT=${PROJECT_SOURCE_DIR}/${file}" "-DOUTPUT=${source}"
                             "-DHEADER=${EMBED_HEADER}" "-DFUNCTION=${EMBED_FUNCTION}" -P "${script}")
  target_sources(partita_${room} PRIVATE "${source}")
endfunction()

# partita_library(TARGET NAME name ROOMS room... [SOURCES file...] [PUBLIC target...] [PRIVATE target...]): partita::NAME, installable.
function(partita_library target)
  cmake_parse_arguments(LIB "" "NAME" "ROOMS;SOURCES;PUBLIC;PRIVATE" ${ARGN})
  set(objects)
  foreach(folder IN LISTS LIB_ROOMS)
    string(REPLACE "/" "_" room "${folder}")
    get_target_property(type partita_${room} TYPE)
    if(type STREQUAL "OBJECT_LIBRARY")
      list(APPEND objects "$<TARGET_OBJECTS:partita_${room}>")
    endif()
  endforeach()
  add_library(${target} STATIC ${LIB_SOURCES} ${objects})
  add_library(partita::${LIB_NAME} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${LIB_NAME} LINKER_LANGUAGE CXX)
  target_include_directories(${target} PUBLIC "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>" "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated>"
                                              "$<INSTALL_INTERFACE:include>")
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_link_libraries(${target} PUBLIC ${LIB_PUBLIC} PRIVATE ${LIB_PRIVATE})
  partita_compiler_settings(${target})
endfunction()
