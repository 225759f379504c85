# SPDX-License-Identifier: Apache-2.0
# Writes OUTPUT, the C++ file with the page's style and script (page.h), from the files in FOLDER.
# usage: cmake -DOUTPUT=file -DFOLDER=folder -P embed.cmake
file(READ ${FOLDER}/page.css style)
foreach(name sort save timelines)
  file(READ ${FOLDER}/${name}.js text)
  string(APPEND script "${text}")
endforeach()
file(WRITE ${OUTPUT} "#include \"sim/report/html/page.h\"

namespace pegasus::sim {

std::string_view page_style() { return R\"page(${style})page\"; }

std::string_view page_script() { return R\"page(${script})page\"; }

} // namespace pegasus::sim
")
