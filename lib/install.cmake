# What `cmake --install` puts where. The package file is one for both namespaces: cachekit::cachekit
# and, when the tools are built, ckbench::subject (tools/subject/kit_install.cmake).
set(cachekit_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/cachekit)
install(TARGETS cachekit EXPORT cachekit-targets)
install(DIRECTORY include/cachekit DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/NOTICES.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(EXPORT cachekit-targets NAMESPACE cachekit:: DESTINATION ${cachekit_cmake_dir})

configure_package_config_file(cachekit-config.cmake.in cachekit-config.cmake
    INSTALL_DESTINATION ${cachekit_cmake_dir} NO_SET_AND_CHECK_MACRO)
# Below 1.0 every minor may break.
write_basic_package_version_file(cachekit-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES
    ${CMAKE_CURRENT_BINARY_DIR}/cachekit-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/cachekit-config-version.cmake
    DESTINATION ${cachekit_cmake_dir})

# pkg-config files find their prefix from where they lie, so that an installed tree can be moved;
# absolute install directories stay absolute.
function(cachekit_install_pkg_config template name)
    set(pc_prefix ${CMAKE_INSTALL_PREFIX})
    set(pc_libdir ${CMAKE_INSTALL_LIBDIR})
    set(pc_includedir ${CMAKE_INSTALL_INCLUDEDIR})
    if(NOT IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
        file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
        string(REGEX REPLACE "/$" "" up ${up})
        set(pc_prefix "\${pcfiledir}/${up}")
        set(pc_libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
    endif()
    if(NOT IS_ABSOLUTE ${CMAKE_INSTALL_INCLUDEDIR})
        set(pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
    endif()
    configure_file(${template} ${CMAKE_CURRENT_BINARY_DIR}/${name} @ONLY)
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name} DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
set(pc_redis)
if(CACHEKIT_WITH_REDIS)
    set(pc_redis " hiredis")
endif()
# An archive alone cannot be linked without what it needs, so there it is said to everybody.
set(pc_private)
if(BUILD_SHARED_LIBS)
    set(pc_private ".private")
endif()
cachekit_install_pkg_config(cachekit.pc.in cachekit.pc)
