# Rooms as link targets: a room sees only the rooms that it names, so a wrong #include does not build.
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
# Hardening as the OpenSSF guide for C and C++ compilers asks, in the build that users get: the programs parse what anybody in a
# cluster may write. scripts/check-programs.py looks for each of these in the linked programs.
if(NOT TAMP_SANITIZE AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  target_compile_options(tamp_options INTERFACE
    -fPIE -fstack-protector-strong -fstack-clash-protection -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    target_compile_options(tamp_options INTERFACE -fcf-protection=full)
  endif()
  target_link_options(tamp_options INTERFACE -pie -Wl,-z,relro,-z,now,-z,noexecstack)
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
  cmake_parse_arguments(HEADER "" "" "LINK;OPTIONS;ROOMS" ${ARGN})
  set(HEADER_ROOTS)
  foreach(room ${HEADER_ROOMS})
    list(APPEND HEADER_ROOTS ${CMAKE_BINARY_DIR}/rooms/tamp_${room})
  endforeach()
  set(file ${CMAKE_SOURCE_DIR}/cmake/precompiled.gch/${HEADER})
  set(target tamp_precompiled_${NAME})
  set(object ${CMAKE_BINARY_DIR}/CMakeFiles/${target}.dir/cmake/precompiled.gch/${HEADER}.o)
  set_source_files_properties(${file} PROPERTIES LANGUAGE CXX)
  add_library(${target} OBJECT ${file})
  set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER "" PRECOMPILED ${object})
  target_include_directories(${target} PRIVATE ${HEADER_ROOTS})
  target_link_libraries(${target} PRIVATE tamp_options ${HEADER_LINK})
  target_compile_options(${target} PRIVATE
    ${HEADER_OPTIONS} -fpch-instantiate-templates "SHELL:-Xclang -fno-pch-timestamp" "SHELL:-x c++-header")
  file(GENERATE OUTPUT ${object}.sum
    CONTENT "${NAME} $<TARGET_PROPERTY:${target},COMPILE_OPTIONS> $<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>\n")
endfunction()

if(TAMP_PRECOMPILE AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  tamp_precompile(rooms rooms.h ROOMS core LINK fmt::fmt simdjson::simdjson)
  if(TAMP_FUZZ)
    tamp_precompile(fuzzed_rooms rooms.h ROOMS core LINK fmt::fmt simdjson::simdjson OPTIONS -fsanitize=fuzzer-no-link)
  endif()
  if(TAMP_TESTS)
    tamp_precompile(tests tests.h ROOMS core wire support LINK fmt::fmt simdjson::simdjson GTest::gtest rapidcheck)
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

# tamp_room(NAME [PURE] [FUZZED] ABOUT sentence [DEPS rooms…] [LINK libraries…] SOURCES files… [TESTS files…] [TEST_DEPS rooms…])
# A room is a folder, a library and an include root of its own: `#include "fit/index.h"` works only in rooms that name fit
# among their DEPS, directly or through another room. The root is a directory of the build with one link to the folder.
# PURE: no I/O, clock, thread or log; scripts/check-rooms.py refuses them. FUZZED: a fuzz target runs this room's code. Only there
# the fuzzer's counters are worth their time. ABOUT is what ARCHITECTURE.md says of the room.
# The graph is written to rooms.json in the build directory, for check-rooms.py and for ARCHITECTURE.md.
set_property(GLOBAL PROPERTY TAMP_ROOMS "")
function(tamp_room NAME)
  cmake_parse_arguments(ROOM "PURE;FUZZED" "ABOUT" "DEPS;LINK;SOURCES;TESTS;TEST_DEPS" ${ARGN})
  tamp_room_target(${NAME} target)
  tamp_room_target("${ROOM_DEPS}" dep_targets)
  set(root ${CMAKE_BINARY_DIR}/rooms/${target})
  cmake_path(GET NAME PARENT_PATH parent)
  file(MAKE_DIRECTORY ${root}/${parent})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${root}/${NAME} SYMBOLIC)
  add_library(${target} STATIC ${ROOM_SOURCES})
  target_include_directories(${target} PUBLIC ${root})
  target_link_libraries(${target} PUBLIC ${dep_targets} PRIVATE tamp_options ${ROOM_LINK})
  if(TAMP_FUZZ AND ROOM_FUZZED)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
    tamp_use_precompiled(${target} fuzzed_rooms)
  else()
    tamp_use_precompiled(${target} rooms)
  endif()
  if(TAMP_TESTS AND ROOM_TESTS)
    tamp_room_target("${ROOM_TEST_DEPS}" test_targets)
    string(REPLACE "/" "_" test ${NAME}_test)
    tamp_test(${test} SOURCES ${ROOM_TESTS} LINK ${target} ${test_targets} ${ROOM_LINK})
  endif()
  string(REPLACE ";" "\", \"" deps "${ROOM_DEPS}")
  string(REPLACE ";" "\", \"" test_deps "${ROOM_TEST_DEPS}")
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY ${CMAKE_SOURCE_DIR} OUTPUT_VARIABLE folder)
  set(pure false)
  if(ROOM_PURE)
    set(pure true)
  endif()
  set_property(GLOBAL APPEND_STRING PROPERTY TAMP_ROOMS
    "  {\"name\": \"${NAME}\", \"folder\": \"${folder}\", \"pure\": ${pure}, \"deps\": [\"${deps}\"], \"testDeps\": [\"${test_deps}\"], \"about\": \"${ROOM_ABOUT}\"},\n")
endfunction()

# tamp_room_target(ROOMS OUT): the link targets of rooms.
function(tamp_room_target ROOMS OUT)
  string(REPLACE "/" "_" targets "${ROOMS}")
  list(TRANSFORM targets PREPEND tamp_)
  set(${OUT} ${targets} PARENT_SCOPE)
endfunction()

# tamp_write_rooms(): after the last room.
function(tamp_write_rooms)
  get_property(rooms GLOBAL PROPERTY TAMP_ROOMS)
  string(REPLACE "[\"\"]" "[]" rooms "${rooms}")
  string(REGEX REPLACE ",\n$" "\n" rooms "${rooms}")
  file(WRITE ${CMAKE_BINARY_DIR}/rooms.json "[\n${rooms}]\n")
endfunction()

# tamp_test(NAME SOURCES files… [LINK targets…]): one GoogleTest binary, discovered test by test.
function(tamp_test NAME)
  cmake_parse_arguments(TEST "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${NAME} ${TEST_SOURCES})
  target_link_libraries(${NAME} PRIVATE tamp_options ${TEST_LINK} GTest::gtest GTest::gtest_main rapidcheck)
  target_include_directories(${NAME} PRIVATE ${CMAKE_SOURCE_DIR}/test)
  tamp_use_precompiled(${NAME} tests)
  add_test(NAME ${NAME} COMMAND ${NAME})
endfunction()

# tamp_knows_the_tree(files…): tests that read files of this tree. Only they are told where it stands: ccache cannot
# serve them in another clone.
function(tamp_knows_the_tree)
  set_source_files_properties(${ARGN} PROPERTIES COMPILE_DEFINITIONS TAMP_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
endfunction()
