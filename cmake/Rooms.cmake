# The house as link targets: a room sees only the rooms that it names, so a wrong #include does not build.
# scripts/check-rooms.py keeps pure rooms free of clocks, threads, sockets and files.

add_library(tamp_options INTERFACE)
target_compile_options(tamp_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Werror)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # libstdc++ 12 implements std::stable_sort with a function that it marks as deprecated.
  target_compile_options(tamp_options INTERFACE -Wno-deprecated-declarations)
endif()
if(TAMP_SANITIZE)
  target_compile_options(tamp_options INTERFACE -fsanitize=${TAMP_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(tamp_options INTERFACE -fsanitize=${TAMP_SANITIZE})
endif()

# tamp_room(NAME [DEPS rooms…] [LINK libraries…] SOURCES files… [TESTS files…])
function(tamp_room NAME)
  cmake_parse_arguments(ROOM "" "" "DEPS;LINK;SOURCES;TESTS;TEST_DEPS" ${ARGN})
  add_library(tamp_${NAME} STATIC ${ROOM_SOURCES})
  target_include_directories(tamp_${NAME} PUBLIC ${CMAKE_SOURCE_DIR}/src)
  list(TRANSFORM ROOM_DEPS PREPEND tamp_ OUTPUT_VARIABLE room_targets)
  target_link_libraries(tamp_${NAME} PUBLIC ${room_targets} PRIVATE tamp_options ${ROOM_LINK})
  if(TAMP_FUZZ)
    target_compile_options(tamp_${NAME} PRIVATE -fsanitize=fuzzer-no-link)
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
  target_compile_definitions(${NAME} PRIVATE TAMP_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  add_test(NAME ${NAME} COMMAND ${NAME})
endfunction()
