# The kit as a stranger sees it: one header, one static library, one CMake function.
install(TARGETS ckbench_subject EXPORT ckbench-targets)
install(DIRECTORY include/ckbench DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(EXPORT ckbench-targets NAMESPACE ckbench:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/cachekit)
cachekit_install_pkg_config(ckbench-subject.pc.in ckbench-subject.pc)
# ckbench_stamp() for strangers; cachekit-config.cmake includes it.
install(FILES stamp.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/cachekit RENAME ckbench-stamp.cmake)
