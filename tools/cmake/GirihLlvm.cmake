# LLVM and MLIR 22, linked statically (docs/architecture.md, "Building").
find_package(MLIR REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
if(NOT LLVM_VERSION_MAJOR EQUAL 22)
  message(FATAL_ERROR "Girih needs LLVM 22, found ${LLVM_PACKAGE_VERSION}")
endif()
list(APPEND CMAKE_MODULE_PATH ${LLVM_CMAKE_DIR} ${MLIR_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)

# Debian's MLIR archives name the LLVM shared library in their link interface.
# Dropping it lets the static LLVM archives below satisfy them instead.
foreach(target IN LISTS MLIR_EXPORTED_TARGETS)
  get_target_property(libs ${target} INTERFACE_LINK_LIBRARIES)
  if(libs)
    list(REMOVE_ITEM libs LLVM)
    set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "${libs}")
  endif()
endforeach()

find_package(fmt REQUIRED)
find_library(GIRIH_ISL_LIBRARY isl REQUIRED)

# Headers of LLVM and MLIR are not ours to warn about.
add_library(girih_llvm_headers INTERFACE)
target_include_directories(girih_llvm_headers SYSTEM INTERFACE
  ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
separate_arguments(girih_llvm_definitions UNIX_COMMAND "${LLVM_DEFINITIONS}")
target_compile_definitions(girih_llvm_headers INTERFACE __STDC_CONSTANT_MACROS
  __STDC_FORMAT_MACROS __STDC_LIMIT_MACROS)
