# SPDX-License-Identifier: Apache-2.0
# Writes OUTPUT, the C++ file with the page's style and script (page.h), from page.css and page.js in FOLDER.
# usage: cmake -DOUTPUT=file -DFOLDER=folder -P embed.cmake
file(READ ${FOLDER}/page.css style)
file(READ ${FOLDER}/page.js script)
file(WRITE ${OUTPUT} "#include \"sim/report/html/page.h\"

namespace pegasus::sim {

std::string_view page_style() { return R\"page(${style})page\"; }

std::string_view page_script() { return R\"page(${script})page\"; }

} // namespace pegasus::sim
")
