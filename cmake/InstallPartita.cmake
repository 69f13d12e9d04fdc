# SPDX-License-Identifier: Apache-2.0
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# What a consumer may include, all of it: a public header includes public ones alone, and no library that consumers need not
# have. tests/rooms_stay_apart.py reads these lists and holds the sources to them; docs/library.md says what each is for.
set(PARTITA_CORE_HEADERS
    partita/partita.h
    partita/check/check.h
    partita/cost/convert_type.h
    partita/cost/cost.h
    partita/cost/efficiencies.h
    partita/model/certificate.h
    partita/model/device_rates.h
    partita/model/fingerprint.h
    partita/model/graph.h
    partita/model/graph_builder.h
    partita/model/layer_ends.h
    partita/model/network.h
    partita/model/platform.h
    partita/model/platform_spec.h
    partita/model/problem.h
    partita/model/program_format.h
    partita/model/result.h
    partita/model/settings.h
    partita/model/settings/field.h
    partita/model/settings/free.h
    partita/model/settings/latency.h
    partita/model/settings/mip.h
    partita/model/settings/portfolio.h
    partita/model/settings/presolve.h
    partita/model/settings/setups.h
    partita/model/settings/staged.h
    partita/model/shared_workload.h
    partita/model/split.h
    partita/model/sweep.h
    partita/model/tensor.h
    partita/model/validate.h
    partita/model/wishes.h
    partita/model/workload.h
    partita/portfolio/plan.h
    partita/portfolio/sweep.h
    partita/read/network.h
    partita/read/network_options.h
    partita/read/platform.h
    partita/read/platform_overrides.h
    partita/read/presets.h
    partita/read/profile.h
    partita/read/read_options.h
    partita/read/split.h
    partita/read/transformer_options.h
    partita/read/workload.h
    partita/util/budget.h
    partita/util/error.h
    partita/util/ids.h
    partita/util/progress.h
    partita/util/statistics.h)

# With partita::partita alone; they include those above too.
set(PARTITA_MORE_HEADERS
    partita/compare/algorithms.h
    partita/compare/compare.h
    partita/model/comparison.h
    partita/model/phase.h
    partita/model/run_trace.h
    partita/read/trace.h
    partita/report/compare_json.h
    partita/report/compare_text.h
    partita/report/page.h
    partita/report/plan_json.h
    partita/report/workload_json.h
    partita/schedule/measured_run.h
    partita/schedule/pieces.h
    partita/schedule/simulation.h)

target_sources(partita_core PUBLIC FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}" FILES ${PARTITA_CORE_HEADERS})
target_sources(partita PUBLIC FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}" FILES ${PARTITA_MORE_HEADERS})

install(FILES "${PROJECT_BINARY_DIR}/generated/partita/version.h" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/partita")

# One list of targets for each component, so that who wants core alone needs neither the rest nor its libraries.
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/partita")
foreach(target partita_core partita)
  install(TARGETS ${target} EXPORT ${target}-targets
          ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
          FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
  install(EXPORT ${target}-targets NAMESPACE partita:: DESTINATION "${package_dir}")
endforeach()
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/partita-config.cmake.in"
                              "${PROJECT_BINARY_DIR}/partita-config.cmake" INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/partita-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/partita-config.cmake" "${PROJECT_BINARY_DIR}/partita-config-version.cmake"
        DESTINATION "${package_dir}")
# Consumers of a static library link what it was built with, and find it in the same way.
install(FILES "${PROJECT_SOURCE_DIR}/cmake/FindScotch.cmake" "${PROJECT_SOURCE_DIR}/cmake/FindMETIS.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/FindHiGHS.cmake" DESTINATION "${package_dir}")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
