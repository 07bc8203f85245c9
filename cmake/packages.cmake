# Finds the system's libraries; the message for a missing one names its Debian package.

function(require name package)
  find_package(${name} ${ARGN} QUIET)
  if(NOT ${name}_FOUND)
    message(FATAL_ERROR "${name} is missing. `make setup` installs it, as does: apt-get install ${package}")
  endif()
endfunction()

require(fmt libfmt-dev)
require(CLI11 libcli11-dev)
require(hwy libhwy-dev)
require(nlohmann_json nlohmann-json3-dev)
if(CORNERTURN_TESTS)
  require(GTest libgtest-dev)
endif()
