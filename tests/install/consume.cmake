# SPDX-License-Identifier: Apache-2.0
# Installs the build, builds tests/install/consumer against the installed package and looks at what it prints.
# Run with -DBUILD=..., -DSOURCE=..., -DWORK=..., -DWORKLOAD=..., -DEXPECT=..., -DCXX=..., -DGENERATOR=...
foreach(name BUILD SOURCE WORK WORKLOAD EXPECT CXX GENERATOR)
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
run("${CMAKE_COMMAND}" -S "${SOURCE}/consumer" -B "${WORK}/build" -G "${GENERATOR}" -DCMAKE_BUILD_TYPE=Release
    "-DCMAKE_CXX_COMPILER=${CXX}" "-DCMAKE_PREFIX_PATH=${WORK}/prefix")
run("${CMAKE_COMMAND}" --build "${WORK}/build")
run("${WORK}/build/consumer" "${WORKLOAD}")
if(NOT output STREQUAL "${EXPECT}\n")
  message(FATAL_ERROR "the consumer printed '${output}', expected '${EXPECT}'")
endif()

# The installed program works from where it was put.
run("${WORK}/prefix/bin/partita" plan "${WORKLOAD}" --quiet -o "${WORK}/plan.json")
run("${WORK}/prefix/bin/partita-check" "${WORKLOAD}" "${WORK}/plan.json")
message(STATUS "installed, found, built and ran: ${EXPECT}")
