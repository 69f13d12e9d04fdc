# SPDX-License-Identifier: Apache-2.0
find_package(Python3 COMPONENTS Interpreter REQUIRED)

set(PARTITA_TEST_PYTHON "" CACHE FILEPATH "A Python with pytest, numpy, onnx and onnxruntime, for the tests of the package")

# The command line, driven from outside: one ctest case per script in cli/.
file(GLOB cli_tests CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/cli/test_*.py")
set(cli_slack 1)
if(PARTITA_SANITIZE)
  set(cli_slack 5)
endif()
foreach(script IN LISTS cli_tests)
  cmake_path(GET script STEM name)
  string(REPLACE "test_" "cli." name "${name}")
  add_test(NAME "${name}" COMMAND Python3::Interpreter "${script}")
  set_tests_properties("${name}" PROPERTIES TIMEOUT 600 ENVIRONMENT
    "PARTITA=$<TARGET_FILE:partita-program>;PARTITA_CHECK=$<TARGET_FILE:partita-check>;PARTITA_SLACK=${cli_slack};PYTHONDONTWRITEBYTECODE=1;PARTITA_TEST_PYTHON=${PARTITA_TEST_PYTHON};${PARTITA_LEAK_OPTIONS}")
endforeach()

# Hundreds of starts of a program, and CBC: slow under the sanitizers, which the unit tests of the same code meet anyway.
set_tests_properties(cli.faults cli.help cli.integer_programs cli.sweep PROPERTIES LABELS release-only)
# Limits of a second on graphs of thousands of nodes, which sanitizers make too slow to be told from an overrun.
set_tests_properties(cli.large_graphs PROPERTIES LABELS release-only)
# What a terminal shows while a search of seconds goes on; how that looks does not depend on the build.
set_tests_properties(cli.terminal PROPERTIES LABELS release-only)

# The longest begin first, so that none of them is left when all others are done.
set_tests_properties(cli.faults cli.errors cli.limits cli.split cli.sweep PROPERTIES COST 100)
# Seconds each, and what `./dev test --quick` leaves out.
set_property(TEST cli.faults cli.help cli.integer_programs cli.large_graphs cli.limits cli.split cli.sweep cli.terminal
             APPEND PROPERTY LABELS slow)

# The Python package: one ctest case per script in python/, in an interpreter that has what they need.
file(GLOB python_tests CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/python/test_*.py")
foreach(script IN LISTS python_tests)
  cmake_path(GET script STEM name)
  string(REPLACE "test_" "python." name "${name}")
  if(PARTITA_TEST_PYTHON)
    add_test(NAME "${name}" COMMAND "${PARTITA_TEST_PYTHON}" -m pytest -q -rs -p no:cacheprovider "${script}" WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  else()
    add_test(NAME "${name}" COMMAND "${CMAKE_COMMAND}" -E echo "skipped: PARTITA_TEST_PYTHON names no Python with pytest; ./dev test installs one")
  endif()
  # 5: all that a script has is for packages that are not there
  set_tests_properties("${name}" PROPERTIES TIMEOUT 600 LABELS release-only SKIP_RETURN_CODE 5 SKIP_REGULAR_EXPRESSION "^skipped:" ENVIRONMENT
    "PARTITA=$<TARGET_FILE:partita-program>;PARTITA_CHECK=$<TARGET_FILE:partita-check>;PYTHONPATH=${PROJECT_SOURCE_DIR}/python;PYTHONDONTWRITEBYTECODE=1")
endforeach()

# The house: its rooms, its examples, its package.
add_test(NAME house.rooms_stay_apart
         COMMAND Python3::Interpreter "${CMAKE_CURRENT_SOURCE_DIR}/rooms_stay_apart.py" "${PROJECT_SOURCE_DIR}")

add_test(NAME house.examples_keep_their_word
         COMMAND Python3::Interpreter "${CMAKE_CURRENT_SOURCE_DIR}/examples_keep_their_word.py" "${PROJECT_SOURCE_DIR}"
                 $<TARGET_FILE:partita-program> $<TARGET_FILE:partita-check>)
set_tests_properties(house.examples_keep_their_word PROPERTIES TIMEOUT 300)

add_test(NAME house.installed_package_is_usable
         COMMAND "${CMAKE_COMMAND}" "-DBUILD=${PROJECT_BINARY_DIR}" "-DSOURCE=${CMAKE_CURRENT_SOURCE_DIR}/install"
                 "-DEMBED=${PROJECT_SOURCE_DIR}/examples/embed"
                 "-DWORK=${CMAKE_CURRENT_BINARY_DIR}/install" "-DWORKLOAD=${PROJECT_SOURCE_DIR}/examples/branch.json"
                 "-DEXPECT=optimal 12.500000 legal=1" "-DCXX=${CMAKE_CXX_COMPILER}" "-DGENERATOR=${CMAKE_GENERATOR}"
                 -P "${CMAKE_CURRENT_SOURCE_DIR}/install/consume.cmake")
set_tests_properties(house.installed_package_is_usable PROPERTIES TIMEOUT 300 LABELS release-only)

# The page of a report: its types, whether web/dist is what web/src builds, and what it does in a browser. Without Node,
# web/node_modules or Chromium the tests say so and are skipped; `./dev test` installs them.
foreach(part types page_is_current behaviour speed)
  add_test(NAME web.${part} COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/web/tests/run.py" ${part})
  set_tests_properties(web.${part} PROPERTIES TIMEOUT 600 SKIP_RETURN_CODE 77 LABELS release-only ENVIRONMENT
    "PARTITA=$<TARGET_FILE:partita-program>")
endforeach()
set_tests_properties(web.behaviour PROPERTIES COST 100)      # two minutes
set_tests_properties(web.speed PROPERTIES RUN_SERIAL TRUE)   # it measures how soon a large graph is drawn
