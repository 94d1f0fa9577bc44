# Project-wide compile and link options.
option(GIRIH_BUILD_TESTS "Build the unit tests and register every suite in ctest" ON)
option(GIRIH_FUZZ "Build the fuzz targets with libFuzzer; needs clang (docs/testing.md)" OFF)
option(GIRIH_SANITIZE "Build the rooms without MLIR under address and undefined-behaviour sanitizers" OFF)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
# -ffp-contract=off: the numerics contract (docs/numerics.md) forbids the host
# compiler to merge a multiplication and an addition in our own arithmetic.
add_compile_options(-Wall -Wextra -Wno-unused-parameter -ffp-contract=off
                    -ffunction-sections -fdata-sections)
set(CMAKE_CXX_FLAGS_RELEASE "-O2")
set(CMAKE_C_FLAGS_RELEASE "-O2")
if(GIRIH_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-omit-frame-pointer -g)
  add_link_options(-fsanitize=address,undefined)
endif()
if(GIRIH_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "GIRIH_FUZZ needs clang: -DCMAKE_CXX_COMPILER=clang++")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined
                      -fno-sanitize-recover=undefined
                      -fno-omit-frame-pointer -g)
  add_link_options(-fsanitize=address,undefined)
endif()
# LLVM's own linker: GNU ld needs minutes for a static LLVM. Debian's lld-22 puts
# no plain `ld.lld` into PATH, so the compiler is told the folder (-B).
find_program(GIRIH_LLD NAMES ld.lld HINTS /usr/lib/llvm-22/bin REQUIRED)
get_filename_component(girih_lld_folder ${GIRIH_LLD} DIRECTORY)
add_link_options(-fuse-ld=lld -B${girih_lld_folder} -Wl,--gc-sections)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
