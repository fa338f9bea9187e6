# One wrapper per kind of target. The engine storey sees no MLIR header and
# links none; the compiler storey links the shared MLIR and LLVM only.

function(_hwtune_common target)
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
    $<INSTALL_INTERFACE:include>)
  target_compile_options(${target} PRIVATE ${HWTUNE_WARNING_FLAGS})
endfunction()

# hwtune_engine_library(HWTuneTarget A.cpp B.cpp DEPENDS HWTuneSupport ...)
function(hwtune_engine_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  _hwtune_common(${name})
  target_link_libraries(${name} PUBLIC ${ARG_DEPENDS} fmt::fmt)
  set_property(GLOBAL APPEND PROPERTY HWTUNE_ENGINE_LIBS ${name})
endfunction()

# hwtune_compiler_library(HWTuneIR A.cpp DEPENDS ... TABLEGEN ...)
function(hwtune_compiler_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;TABLEGEN" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  _hwtune_common(${name})
  target_include_directories(${name} SYSTEM PUBLIC
    $<BUILD_INTERFACE:${MLIR_INCLUDE_DIRS}> $<BUILD_INTERFACE:${LLVM_INCLUDE_DIRS}>)
  target_compile_definitions(${name} PUBLIC ${LLVM_DEFINITIONS})
  target_link_libraries(${name} PUBLIC ${ARG_DEPENDS} MLIR LLVM)
  if(ARG_TABLEGEN)
    add_dependencies(${name} ${ARG_TABLEGEN})
  endif()
  set_property(GLOBAL APPEND PROPERTY HWTUNE_COMPILER_LIBS ${name})
endfunction()

# hwtune_program(hwtune-run main.cpp DEPENDS ...), in build/bin.
function(hwtune_program name)
  cmake_parse_arguments(ARG "MLIR" "" "DEPENDS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  _hwtune_common(${name})
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} fmt::fmt)
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  set_property(GLOBAL APPEND PROPERTY HWTUNE_TEST_DEPENDS ${name})
  set_property(GLOBAL APPEND PROPERTY HWTUNE_PROGRAMS ${name})
endfunction()

# hwtune_runtime_library(hwtune-simcuda A.cpp DEPENDS ...): a shared library
# that programs load at run time, in build/lib.
function(hwtune_runtime_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  add_library(${name} SHARED ${ARG_UNPARSED_ARGUMENTS})
  _hwtune_common(${name})
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} fmt::fmt)
  set_property(GLOBAL APPEND PROPERTY HWTUNE_TEST_DEPENDS ${name})
  set_property(GLOBAL APPEND PROPERTY HWTUNE_PROGRAMS ${name})
endfunction()

# hwtune_benchmark(simulator Simulator.cpp DEPENDS ...), in build/bin/bench.
# Prints figures; never a test.
function(hwtune_benchmark name)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  add_executable(bench-${name} EXCLUDE_FROM_ALL ${ARG_UNPARSED_ARGUMENTS})
  _hwtune_common(bench-${name})
  target_link_libraries(bench-${name} PRIVATE ${ARG_DEPENDS} benchmark::benchmark fmt::fmt)
  set_target_properties(bench-${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin/bench)
  set_property(GLOBAL APPEND PROPERTY HWTUNE_BENCHMARKS bench-${name})
endfunction()

# hwtune_fuzzer(ptx PtxFuzz.cpp DEPENDS ...): build/bin/fuzz/fuzz-ptx, run by
# tools/fuzz.py on the corpus in test/fuzz/corpus/<name>. The sources of what is
# fuzzed are listed, so that they are compiled with coverage.
function(hwtune_fuzzer name)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  add_executable(fuzz-${name} EXCLUDE_FROM_ALL ${ARG_UNPARSED_ARGUMENTS})
  _hwtune_common(fuzz-${name})
  target_compile_options(fuzz-${name} PRIVATE -fsanitize=fuzzer,address)
  target_link_options(fuzz-${name} PRIVATE -fsanitize=fuzzer,address)
  target_link_libraries(fuzz-${name} PRIVATE ${ARG_DEPENDS} fmt::fmt)
  set_target_properties(fuzz-${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin/fuzz)
  set_property(GLOBAL APPEND PROPERTY HWTUNE_FUZZERS fuzz-${name})
endfunction()

# hwtune_unit_test(Target TargetTest.cpp ... DEPENDS HWTuneTarget): builds
# build/test/unit/<Dir>/<Dir>Tests, which lit finds.
function(hwtune_unit_test dir)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  string(REPLACE "/" "" flat ${dir})
  set(name ${flat}Tests)
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  _hwtune_common(${name})
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} GTest::gtest_main fmt::fmt)
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test/unit/${flat})
  set_property(GLOBAL APPEND PROPERTY HWTUNE_TEST_DEPENDS ${name})
endfunction()
