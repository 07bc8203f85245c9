# Installs what was built into a fresh folder and builds the project beside this file against it.

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

set(work ${build}/package)
file(REMOVE_RECURSE ${work})
run(${CMAKE_COMMAND} --install ${build} --prefix ${work}/prefix --component program)
run(${CMAKE_COMMAND} --install ${build} --prefix ${work}/prefix --component development)
set(settings -G ${generator} -S ${CMAKE_CURRENT_LIST_DIR} -D CMAKE_MAKE_PROGRAM=${make_program} -D CMAKE_CXX_COMPILER=${cxx}
    -D CUDAToolkit_ROOT=${toolkit})
set(configure ${CMAKE_COMMAND} ${settings} -B ${work}/build -D CMAKE_PREFIX_PATH=${work}/prefix)
execute_process(COMMAND ${configure} ERROR_VARIABLE said OUTPUT_QUIET)
if(NOT said MATCHES "'hptt' is not installed")
  message(FATAL_ERROR "no message names the component that is missing: ${said}")
endif()
run(${CMAKE_COMMAND} --install ${build} --prefix ${work}/prefix --component interfaces)
run(${configure})
run(${CMAKE_COMMAND} --build ${work}/build)
foreach(consumer IN ITEMS consumer.cpp.cornerturn consumer.cpp.static consumer.c.cornerturn consumer.c.static consumer.interfaces
        consumer.tile)
  run(${work}/build/${consumer})
endforeach()
run(${work}/prefix/bin/cornerturn --help)

# a build folder in place of an installation
run(${CMAKE_COMMAND} ${settings} -B ${work}/uninstalled -D cornerturn_DIR=${build})
run(${CMAKE_COMMAND} --build ${work}/uninstalled --target consumer.c.cornerturn consumer.c.static consumer.interfaces consumer.tile)
foreach(consumer IN ITEMS consumer.c.cornerturn consumer.c.static consumer.interfaces consumer.tile)
  run(${work}/uninstalled/${consumer})
endforeach()

foreach(library IN ITEMS CLI11 cuda cutlass fmt highway nanobind nlohmann-json xla)
  file(SIZE ${work}/prefix/share/doc/cornerturn/LICENSES/${library}.txt bytes)
  if(bytes LESS 100)
    message(FATAL_ERROR "the licence of ${library} has ${bytes} bytes")
  endif()
endforeach()
file(SIZE ${work}/prefix/share/doc/cornerturn/LICENSE bytes)

# pkg-config, after the tree has moved
file(RENAME ${work}/prefix ${work}/moved)
file(GLOB_RECURSE pc ${work}/moved/cornerturn.pc)
cmake_path(GET pc PARENT_PATH pc_dir)
set(ENV{PKG_CONFIG_PATH} ${pc_dir})
execute_process(COMMAND pkg-config --cflags --libs cornerturn OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND pkg-config --variable=libdir cornerturn OUTPUT_VARIABLE libdir OUTPUT_STRIP_TRAILING_WHITESPACE
                COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(flags UNIX_COMMAND ${flags})
run(${cxx} -std=c++20 ${CMAKE_CURRENT_LIST_DIR}/main.cpp -o ${work}/by_pkg_config ${flags} -Wl,-rpath,${libdir})
run(${work}/by_pkg_config)

# text_of(RESULT DOCUMENT LANGUAGE): the document's first block of code in a language.
function(text_of result document language)
  file(READ ${CMAKE_CURRENT_LIST_DIR}/../../${document} text)
  string(FIND "${text}" "```${language}\n" begin)
  string(SUBSTRING "${text}" ${begin} -1 text)
  string(FIND "${text}" "\n```\n" end)
  string(SUBSTRING "${text}" 0 ${end} text)
  string(REPLACE "```${language}\n" "" text "${text}")
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

# the programs of the documents, by the command of docs/cpp.md
text_of(code docs/cpp.md cpp)
file(WRITE ${work}/docs/app.cpp "${code}\n")
text_of(commands docs/cpp.md sh)
string(REGEX REPLACE "^export [^\n]*\n" "" commands "${commands}")
string(REGEX REPLACE "^g\\+\\+" "${cxx}" commands "${commands}")
execute_process(COMMAND sh -e -c "${commands}" WORKING_DIRECTORY ${work}/docs COMMAND_ERROR_IS_FATAL ANY)
text_of(code docs/start/cpp.md cpp)
file(WRITE ${work}/docs/app.cpp "${code}\n")
execute_process(COMMAND sh -e -c "${commands}" WORKING_DIRECTORY ${work}/docs COMMAND_ERROR_IS_FATAL ANY)

# the commands of docs/packaging.md for a module, which exports nothing of the static library
file(COPY_FILE ${CMAKE_CURRENT_LIST_DIR}/main.c ${work}/docs/turn.cpp)
text_of(commands docs/packaging.md sh)
string(REGEX REPLACE "^export [^\n]*\n" "" commands "${commands}")
string(REPLACE "g++ " "${cxx} " commands "${commands}")
execute_process(COMMAND sh -e -c "${commands} && nm -DC --defined-only turn.so" WORKING_DIRECTORY ${work}/docs OUTPUT_VARIABLE said
                COMMAND_ERROR_IS_FATAL ANY)
if(said MATCHES "cornerturn" OR NOT said MATCHES " T main")
  message(FATAL_ERROR "the module of docs/packaging.md exports other symbols: ${said}")
endif()

# the command of docs/adopt.md, with this installation in place of ~/.local
text_of(command docs/adopt.md sh)
string(REGEX REPLACE "^g\\+\\+" "${cxx}" command "${command}")
file(MAKE_DIRECTORY ${work}/home/.local)
file(CREATE_LINK ${work}/moved/include ${work}/home/.local/include SYMBOLIC)
file(CREATE_LINK ${libdir} ${work}/home/.local/lib SYMBOLIC)
file(WRITE ${work}/docs/program.cpp "#include <hptt.h>
int main() {
  float a[6] = {0, 1, 2, 3, 4, 5}, b[6];
  hptt::create_plan({1, 0}, 2, 1.0f, a, {2, 3}, {}, 0.0f, b, {}, hptt::ESTIMATE, 1)->execute();
  return b[1] != a[2];
}
")
execute_process(COMMAND ${CMAKE_COMMAND} -E env HOME=${work}/home sh -e -c "${command} && ./program" WORKING_DIRECTORY ${work}/docs
                COMMAND_ERROR_IS_FATAL ANY)

# what HPTT's Python package loads, where HPTT_ROOT names lib/cornerturn-hptt
file(WRITE ${work}/docs/load.cpp "#include <dlfcn.h>
int main(int, char** arguments) {
  void* const library = dlopen(arguments[1], RTLD_NOW);
  return !library || !dlsym(library, \"sTensorTranspose\") || !dlsym(library, \"randomNumaAwareInit\");
}
")
run(${cxx} ${work}/docs/load.cpp -o ${work}/docs/load -ldl)
run(${work}/docs/load ${libdir}/cornerturn-hptt/lib/libhptt.so)

# the command of docs/cpp.md for a clone without an installation, in a folder that has this build in place of build/cpu
file(READ ${CMAKE_CURRENT_LIST_DIR}/../../docs/cpp.md text)
string(REGEX MATCH "\ng\\+\\+ [^\n]*-I include [^\n]*" command "${text}")
string(REGEX REPLACE "^\ng\\+\\+" "${cxx}" command "${command}")
file(MAKE_DIRECTORY ${work}/clone/build)
file(CREATE_LINK ${build} ${work}/clone/build/cpu SYMBOLIC)
file(CREATE_LINK ${CMAKE_CURRENT_LIST_DIR}/../../include ${work}/clone/include SYMBOLIC)
file(COPY ${work}/docs/app.cpp DESTINATION ${work}/clone)
execute_process(COMMAND sh -e -c "${command} && ./app" WORKING_DIRECTORY ${work}/clone COMMAND_ERROR_IS_FATAL ANY)

# older C++ is refused by one clear message
execute_process(COMMAND ${cxx} -std=c++17 -fsyntax-only ${CMAKE_CURRENT_LIST_DIR}/main.cpp ${flags} ERROR_VARIABLE said
                RESULT_VARIABLE failed)
string(REGEX MATCH "error: [^\n]*" said "${said}")
if(NOT failed OR NOT said MATCHES "need C\\+\\+20, e.g. -std=c\\+\\+20")
  message(FATAL_ERROR "C++17 is not refused first of all: ${said}")
endif()
