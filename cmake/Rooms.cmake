# The house as link targets: a room sees only the rooms that it names, so a wrong #include does not build.
# scripts/check-rooms.py keeps pure rooms free of clocks, threads, sockets and files.

add_library(tamp_options INTERFACE)
target_compile_options(tamp_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Werror)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # libstdc++ 12 implements std::stable_sort with a function that it marks as deprecated.
  target_compile_options(tamp_options INTERFACE -Wno-deprecated-declarations)
endif()
# The same numbers on every machine: no fused multiply-add, which g++ uses unasked where the machine has it. The baseline of
# x86-64 has none, unless flags ask for more.
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$" OR CMAKE_CXX_FLAGS MATCHES "-m(arch|fma|avx)")
  target_compile_options(tamp_options INTERFACE -ffp-contract=off)
endif()
if(TAMP_SANITIZE)
  target_compile_options(tamp_options INTERFACE -fsanitize=${TAMP_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(tamp_options INTERFACE -fsanitize=${TAMP_SANITIZE})
  # Programs with sanitizers are large: lld links them in a quarter of ld's time.
  include(CheckLinkerFlag)
  check_linker_flag(CXX -fuse-ld=lld TAMP_LLD)
  if(TAMP_LLD)
    target_link_options(tamp_options INTERFACE -fuse-ld=lld)
  endif()
endif()

# Precompiled headers, one for each set of sanitizers: clang refuses a header that was compiled with others than the file.
# They are clang's alone, since g++ refuses more; so the g++ build shows what a file forgot to include.
#
# Not by target_precompile_headers(): the paths that it writes keep ccache from serving one clone with what another
# compiled. The header itself knows where its clone stands, so it is never taken from the cache; and what uses it is
# told from others by the .sum beside it (CCACHE_PCH_EXTSUM) and by every file in it, which the compiler lists. ccache
# knows such a header, among objects, by the name of its directory: .gch.
function(tamp_precompile NAME HEADER)
  cmake_parse_arguments(HEADER "" "" "LINK;OPTIONS" ${ARGN})
  set(file ${CMAKE_SOURCE_DIR}/cmake/precompiled.gch/${HEADER})
  set(target tamp_precompiled_${NAME})
  set(object ${CMAKE_BINARY_DIR}/CMakeFiles/${target}.dir/cmake/precompiled.gch/${HEADER}.o)
  set_source_files_properties(${file} PROPERTIES LANGUAGE CXX)
  add_library(${target} OBJECT ${file})
  set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER "" PRECOMPILED ${object})
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/test)
  target_link_libraries(${target} PRIVATE tamp_options ${HEADER_LINK})
  target_compile_options(${target} PRIVATE
    ${HEADER_OPTIONS} -fpch-instantiate-templates "SHELL:-Xclang -fno-pch-timestamp" "SHELL:-x c++-header")
  file(GENERATE OUTPUT ${object}.sum
    CONTENT "${NAME} $<TARGET_PROPERTY:${target},COMPILE_OPTIONS> $<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>\n")
endfunction()

if(TAMP_PRECOMPILE AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  tamp_precompile(rooms rooms.h LINK fmt::fmt simdjson::simdjson)
  if(TAMP_FUZZ)
    tamp_precompile(fuzzed_rooms rooms.h LINK fmt::fmt simdjson::simdjson OPTIONS -fsanitize=fuzzer-no-link)
  endif()
  if(TAMP_TESTS)
    tamp_precompile(tests tests.h LINK fmt::fmt simdjson::simdjson GTest::gtest rapidcheck)
  endif()
endif()

# tamp_use_precompiled(TARGET NAME): if there are such headers. The files themselves must wait for the header:
# add_dependencies() keeps no order among objects.
function(tamp_use_precompiled TARGET NAME)
  if(TARGET tamp_precompiled_${NAME})
    get_target_property(header tamp_precompiled_${NAME} PRECOMPILED)
    get_target_property(sources ${TARGET} SOURCES)
    target_compile_options(${TARGET} PRIVATE "SHELL:-include-pch ${header}")
    set_property(SOURCE ${sources} APPEND PROPERTY OBJECT_DEPENDS ${header})
  endif()
endfunction()

# tamp_room(NAME [FUZZED] [DEPS rooms…] [LINK libraries…] SOURCES files… [TESTS files…])
# FUZZED: a fuzz target runs this room's code. Only there the fuzzer's counters are worth their time.
function(tamp_room NAME)
  cmake_parse_arguments(ROOM "FUZZED" "" "DEPS;LINK;SOURCES;TESTS;TEST_DEPS" ${ARGN})
  add_library(tamp_${NAME} STATIC ${ROOM_SOURCES})
  target_include_directories(tamp_${NAME} PUBLIC ${CMAKE_SOURCE_DIR}/src)
  list(TRANSFORM ROOM_DEPS PREPEND tamp_ OUTPUT_VARIABLE room_targets)
  target_link_libraries(tamp_${NAME} PUBLIC ${room_targets} PRIVATE tamp_options ${ROOM_LINK})
  if(TAMP_FUZZ AND ROOM_FUZZED)
    target_compile_options(tamp_${NAME} PRIVATE -fsanitize=fuzzer-no-link)
    tamp_use_precompiled(tamp_${NAME} fuzzed_rooms)
  else()
    tamp_use_precompiled(tamp_${NAME} rooms)
  endif()
  if(TAMP_TESTS AND ROOM_TESTS)
    list(TRANSFORM ROOM_TEST_DEPS PREPEND tamp_ OUTPUT_VARIABLE test_targets)
    tamp_test(${NAME}_test SOURCES ${ROOM_TESTS} LINK tamp_${NAME} ${test_targets} ${ROOM_LINK})
  endif()
endfunction()

# tamp_test(NAME SOURCES files… [LINK targets…]): one GoogleTest binary, discovered test by test.
function(tamp_test NAME)
  cmake_parse_arguments(TEST "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${NAME} ${TEST_SOURCES})
  target_link_libraries(${NAME} PRIVATE tamp_options ${TEST_LINK} GTest::gtest GTest::gtest_main rapidcheck)
  target_include_directories(${NAME} PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/test)
  tamp_use_precompiled(${NAME} tests)
  add_test(NAME ${NAME} COMMAND ${NAME})
endfunction()

# tamp_knows_the_tree(files…): tests that read files of this tree. Only they are told where it stands: ccache cannot
# serve them in another clone.
function(tamp_knows_the_tree)
  set_source_files_properties(${ARGN} PROPERTIES COMPILE_DEFINITIONS TAMP_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
endfunction()
