# ckbench_stamp(target [PATHS path...]): builds the identity of this build into a subject, which
# `list` then answers: compiler, flags, the commit of the source tree and which files of it differ
# from that commit. It is looked up again in every build and rewritten only when it changed.
# PATHS limits what counts as a difference (relative to the top of the source tree; those that are
# not there are left out). The same file is the script that runs at build time.

function(ckbench_stamp target)
    cmake_parse_arguments(arg "" "" "PATHS" ${ARGN})
    if(NOT arg_PATHS)
        set(arg_PATHS lib tools workloads CMakeLists.txt)
    endif()
    string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
    string(STRIP "${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${build_type}}" flags)
    set(compiler "${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION}")
    string(REGEX REPLACE "^GNU " "gcc " compiler "${compiler}")
    string(REGEX REPLACE "^Clang " "clang " compiler "${compiler}")
    set(stamp "${CMAKE_CURRENT_BINARY_DIR}/${target}_stamp.c")
    find_program(CKBENCH_GIT git)
    mark_as_advanced(CKBENCH_GIT)
    add_custom_target(${target}_stamp
        COMMAND ${CMAKE_COMMAND} "-Dstamp=${stamp}" "-Dsource=${CMAKE_SOURCE_DIR}" "-Dpaths=${arg_PATHS}"
                "-Dgit=${CKBENCH_GIT}" "-Dcompiler=${compiler}" "-Dflags=${flags}"
                -P "${CMAKE_CURRENT_FUNCTION_LIST_FILE}"
        BYPRODUCTS "${stamp}" COMMENT "Stamp of ${target}" VERBATIM)
    target_sources(${target} PRIVATE "${stamp}")
    add_dependencies(${target} ${target}_stamp)
endfunction()

# Text as the inside of a C string.
function(ckbench_c_text out text)
    string(REPLACE "\\" "\\\\" text "${text}")
    string(REPLACE "\"" "\\\"" text "${text}")
    string(REPLACE "?" "\\?" text "${text}")
    set(${out} "${text}" PARENT_SCOPE)
endfunction()

# Output of git in the source tree, empty when it fails.
function(ckbench_git out)
    execute_process(COMMAND "${git}" --no-optional-locks ${ARGN} WORKING_DIRECTORY "${source}"
                    OUTPUT_VARIABLE text ERROR_QUIET RESULT_VARIABLE result)
    if(NOT result EQUAL 0)
        set(text "")
    endif()
    set(${out} "${text}" PARENT_SCOPE)
endfunction()

# One C string per line of `git status --porcelain`. Odd names come quoted and escaped as C has it.
function(ckbench_dirty_strings out)
    set(present "")
    foreach(path IN LISTS paths)
        if(EXISTS "${source}/${path}")
            list(APPEND present "${path}")
        endif()
    endforeach()
    ckbench_git(text status --porcelain --no-renames --untracked-files=all -- ${present})
    set(strings "")
    while(text MATCHES "^..? ([^\n]*)\n")
        set(name "${CMAKE_MATCH_1}")
        string(LENGTH "${CMAKE_MATCH_0}" length)
        string(SUBSTRING "${text}" ${length} -1 text)
        if(NOT name MATCHES "^\".*\"$")
            ckbench_c_text(name "${name}")
            set(name "\"${name}\"")
        endif()
        string(APPEND strings "${name}, ")
    endwhile()
    set(${out} "${strings}" PARENT_SCOPE)
endfunction()

function(ckbench_write_stamp)
    set(commit NULL)
    set(dirty "")
    # A tree that is not tracked itself may lie inside somebody else's repository.
    ckbench_git(tracked ls-files --error-unmatch -- CMakeLists.txt)
    ckbench_git(head rev-parse --verify HEAD)
    if(git AND tracked AND head MATCHES "^([0-9a-f]+)\n$")
        set(commit "\"${CMAKE_MATCH_1}\"")
        ckbench_dirty_strings(dirty)
    endif()
    ckbench_c_text(compiler "${compiler}")
    ckbench_c_text(flags "${flags}")
    file(CONFIGURE OUTPUT "${stamp}" @ONLY CONTENT [[
// Written by every build.
#include <stddef.h>
extern const char *const ckbench_stamp_compiler;
extern const char *const ckbench_stamp_flags;
extern const char *const ckbench_stamp_commit;
extern const char *const ckbench_stamp_dirty[];
const char *const ckbench_stamp_compiler = "@compiler@";
const char *const ckbench_stamp_flags = "@flags@";
const char *const ckbench_stamp_commit = @commit@;
const char *const ckbench_stamp_dirty[] = {@dirty@NULL};
]])
endfunction()

if(CMAKE_SCRIPT_MODE_FILE AND DEFINED stamp)
    ckbench_write_stamp()
endif()
