# SPDX-License-Identifier: Apache-2.0
# Installs the build, builds two projects against the installed package and looks at what they print: tests/install/consumer,
# which uses partita::partita, and examples/embed, which uses partita::core and what is installed for it alone.
# Run with -DBUILD=..., -DSOURCE=..., -DEMBED=..., -DWORK=..., -DWORKLOAD=..., -DEXPECT=..., -DCXX=..., -DGENERATOR=...
foreach(name BUILD SOURCE EMBED WORK WORKLOAD EXPECT CXX GENERATOR)
  if(NOT DEFINED ${name})
    message(FATAL_ERROR "consume.cmake: -D${name}= is missing")
  endif()
endforeach()

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN}\nended with ${status}:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE "${WORK}")
run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${WORK}/prefix")
# build_and_run(FOLDER PROGRAM [ARGUMENT...]): leaves what the program prints in `output`.
function(build_and_run folder program)
  run("${CMAKE_COMMAND}" -S "${folder}" -B "${WORK}/${program}" -G "${GENERATOR}" -DCMAKE_BUILD_TYPE=Release
      "-DCMAKE_CXX_COMPILER=${CXX}" "-DCMAKE_PREFIX_PATH=${WORK}/prefix")
  run("${CMAKE_COMMAND}" --build "${WORK}/${program}")
  run("${WORK}/${program}/${program}" ${ARGN})
  set(output "${output}" PARENT_SCOPE)
endfunction()

build_and_run("${SOURCE}/consumer" consumer "${WORKLOAD}")
if(NOT output STREQUAL "${EXPECT}\n")
  message(FATAL_ERROR "the consumer printed '${output}', expected '${EXPECT}'")
endif()
build_and_run("${EMBED}" embed)
if(NOT output MATCHES "partita [0-9.]+: (optimal|feasible), 3\\.42[0-9]* ms per sample.*: embedding.* logits")
  message(FATAL_ERROR "the example printed '${output}'")
endif()

# The installed program works from where it was put.
run("${WORK}/prefix/bin/partita" plan "${WORKLOAD}" --quiet -o "${WORK}/plan.json")
run("${WORK}/prefix/bin/partita-check" "${WORKLOAD}" "${WORK}/plan.json")
message(STATUS "installed, found, built and ran: ${EXPECT}")
