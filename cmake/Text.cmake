# tamp_text(FILE VARIABLE OUT): a text file as a C++ source that defines `extern const std::string_view VARIABLE` in
# namespace tamp::text; OUT is set to the path of the source. For pure rooms, which read no files.
function(tamp_text FILE VARIABLE OUT)
  set(source ${CMAKE_CURRENT_SOURCE_DIR}/${FILE})
  set(result ${CMAKE_CURRENT_BINARY_DIR}/${VARIABLE}.text.cc)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  file(READ ${source} text)
  # Longer than every compiler must take; ours take it.
  file(CONFIGURE OUTPUT ${result} @ONLY NEWLINE_STYLE UNIX CONTENT "#include <string_view>

#pragma GCC diagnostic ignored \"-Woverlength-strings\"

namespace tamp::text {

extern const std::string_view ${VARIABLE};
const std::string_view ${VARIABLE} = R\"TEXT(${text})TEXT\";

}  // namespace tamp::text
")
  set(${OUT} ${result} PARENT_SCOPE)
endfunction()
