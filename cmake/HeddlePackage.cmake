# SPDX-License-Identifier: Apache-2.0
# Installation, the package for find_package(heddle), and the Debian package. docs/packaging.md lists the files.
include(CMakePackageConfigHelpers)

install(DIRECTORY platforms/presets/ DESTINATION share/heddle/presets FILES_MATCHING PATTERN "*.json")
install(DIRECTORY models/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/heddle FILES_MATCHING PATTERN "*.h")
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

# Completion and manual pages, written by the program.
set(pages_folder ${CMAKE_BINARY_DIR}/share)
set(bash_completions share/bash-completion/completions)
set(fish_completions share/fish/vendor_completions.d)
file(GLOB presets CONFIGURE_DEPENDS platforms/presets/*.json)
add_custom_command(OUTPUT ${pages_folder}/pages.stamp
  COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/${bash_completions} ${pages_folder}/zsh ${CMAKE_BINARY_DIR}/${fish_completions}
  COMMAND heddle_cli completion bash > ${CMAKE_BINARY_DIR}/${bash_completions}/heddle
  COMMAND heddle_cli completion zsh > ${pages_folder}/zsh/_heddle
  COMMAND heddle_cli completion fish > ${CMAKE_BINARY_DIR}/${fish_completions}/heddle.fish
  COMMAND heddle_cli reference man -o ${pages_folder}/man/man1
  COMMAND ${CMAKE_COMMAND} -E touch ${pages_folder}/pages.stamp
  DEPENDS heddle_cli ${presets} COMMENT "Writing completion and manual pages" VERBATIM)
add_custom_target(heddle_pages ALL DEPENDS ${pages_folder}/pages.stamp)
install(FILES ${CMAKE_BINARY_DIR}/${bash_completions}/heddle DESTINATION ${bash_completions})
install(FILES ${CMAKE_BINARY_DIR}/${fish_completions}/heddle.fish DESTINATION ${fish_completions})
install(DIRECTORY ${pages_folder}/man/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} FILES_MATCHING PATTERN "*.1")
# Shells load the file that has the name of the command.
heddle_install_link(${bash_completions}/heddle-cc heddle)
heddle_install_link(${fish_completions}/heddle-cc.fish heddle.fish)
# Debian's zsh looks into a folder of its own below /usr.
install(CODE "
  set(folder share/zsh/site-functions)
  if(CMAKE_INSTALL_PREFIX STREQUAL /usr)
    set(folder share/zsh/vendor-completions)
  endif()
  file(INSTALL \"${pages_folder}/zsh/_heddle\" DESTINATION \"\${CMAKE_INSTALL_PREFIX}/\${folder}\")")

# All models as one library. Shared, because a linker drops self-registering objects from a static archive.
add_library(heddle_models SHARED)
target_link_libraries(heddle_models
  PRIVATE heddle_machine heddle_rtl heddle_gpu heddle_sm heddle_isa heddle_memory heddle_memory_logic heddle_timing heddle_core
  PUBLIC fmt::fmt PkgConfig::SYSTEMC)
# A user's translation units must see SystemC as the distribution built it.
target_compile_definitions(heddle_models INTERFACE SC_CPLUSPLUS=201703L SC_INCLUDE_DYNAMIC_PROCESSES)
# Some members exist only in builds with assertions, so users of the headers must define NDEBUG as the library did.
string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
if("${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type}}" MATCHES "-DNDEBUG")
  target_compile_definitions(heddle_models INTERFACE NDEBUG)
else()
  target_compile_options(heddle_models INTERFACE -UNDEBUG)
endif()
target_compile_features(heddle_models INTERFACE cxx_std_20)
target_include_directories(heddle_models INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/heddle>)
# Interfaces are not frozen: a program needs the library of the minor version it was built with.
set_target_properties(heddle_models PROPERTIES
  OUTPUT_NAME heddle EXPORT_NAME heddle LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

# For building plugins (heddle run --plugin): only headers, because the program that loads the plugin contains the models.
add_library(heddle_plugin INTERFACE)
target_link_libraries(heddle_plugin INTERFACE fmt::fmt PkgConfig::SYSTEMC)
target_compile_definitions(heddle_plugin INTERFACE SC_CPLUSPLUS=201703L SC_INCLUDE_DYNAMIC_PROCESSES)
target_compile_features(heddle_plugin INTERFACE cxx_std_20)
target_include_directories(heddle_plugin INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/heddle>)
set_target_properties(heddle_plugin PROPERTIES EXPORT_NAME plugin)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/heddle)
install(TARGETS heddle_models heddle_plugin EXPORT heddleTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT heddleTargets NAMESPACE heddle:: DESTINATION ${package_folder})
configure_package_config_file(cmake/heddleConfig.cmake.in ${CMAKE_BINARY_DIR}/heddleConfig.cmake
  INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/heddleConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/heddleConfig.cmake ${CMAKE_BINARY_DIR}/heddleConfigVersion.cmake
  DESTINATION ${package_folder})

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME heddle)
set(CPACK_PACKAGE_CONTACT "The Heddle developers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
# Install scripts write the prefix into files, so it must be the final one and the staging folder a DESTDIR.
set(CPACK_SET_DESTDIR ON)
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Programs called by `heddle cc`, and C++ libraries that CUDA programs include.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "clang-14 | clang-19 | clang-18 | clang-17 | clang-16 | clang-15, g++, libthrust-dev, libcub-dev, libcu++-dev")
# Headers for projects that use the modules; the workflow tool for studies.
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libsystemc-dev, libfmt-dev, nlohmann-json3-dev, pkg-config, snakemake")
include(CPack)
