# pycuda_this_platform(<list>): of the sources below folders platform/<system>, only those of the system that is built for stay in the list.
string(TOLOWER ${CMAKE_SYSTEM_NAME} pycuda_system_folder)  # linux, windows
function(pycuda_this_platform list)
  set(sources ${${list}})
  set(own ${sources})
  list(FILTER own INCLUDE REGEX "/platform/${pycuda_system_folder}/")
  list(FILTER sources EXCLUDE REGEX "/platform/[a-z]+/")
  set(${list} ${sources} ${own} PARENT_SCOPE)
endfunction()
