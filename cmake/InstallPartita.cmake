# SPDX-License-Identifier: Apache-2.0
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# What a consumer may include. Every header that one of these includes is installed with it, and no other: headers that
# need a private library (nlohmann-json, zlib) stay at home. tests/rooms_stay_apart.py reads this list.
set(PARTITA_PUBLIC_HEADERS
    partita/partita.h
    partita/read/workload.h
    partita/read/split.h
    partita/check/check.h
    partita/portfolio/compare.h
    partita/report/compare_json.h
    partita/report/compare_text.h
    partita/report/page.h
    partita/report/plan_json.h
    partita/report/workload_json.h
    partita/schedule/simulation.h
    partita/util/error.h)

# The headers of `list_variable` and everything under partita/ that they include.
function(partita_close_over_includes list_variable)
  set(closed)
  set(open ${${list_variable}})
  while(open)
    list(POP_FRONT open header)
    if(header IN_LIST closed)
      continue()
    endif()
    list(APPEND closed "${header}")
    file(STRINGS "${PROJECT_SOURCE_DIR}/${header}" includes REGEX "^#include \"partita/")
    list(TRANSFORM includes REPLACE "^#include \"(partita/[^\"]+)\".*" "\\1")
    list(APPEND open ${includes})
  endwhile()
  list(TRANSFORM closed PREPEND "${PROJECT_SOURCE_DIR}/")
  set(${list_variable} ${closed} PARENT_SCOPE)
endfunction()

partita_close_over_includes(PARTITA_PUBLIC_HEADERS)
target_sources(partita PUBLIC FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}" FILES ${PARTITA_PUBLIC_HEADERS})

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/partita")
install(TARGETS partita EXPORT partita-targets
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
        FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(EXPORT partita-targets NAMESPACE partita:: DESTINATION "${package_dir}")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/partita-config.cmake.in"
                              "${PROJECT_BINARY_DIR}/partita-config.cmake" INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/partita-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/partita-config.cmake" "${PROJECT_BINARY_DIR}/partita-config-version.cmake"
        DESTINATION "${package_dir}")
# Consumers of a static library link what it was built with, and find it in the same way.
install(FILES "${PROJECT_SOURCE_DIR}/cmake/FindScotch.cmake" "${PROJECT_SOURCE_DIR}/cmake/FindMETIS.cmake"
        DESTINATION "${package_dir}")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
