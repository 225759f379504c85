# SPDX-License-Identifier: Apache-2.0
# Target pegasus_asio: Boost.Asio, compiled once here instead of in each file that includes it.
find_package(Boost 1.81 REQUIRED)
add_library(pegasus_asio STATIC ${CMAKE_CURRENT_LIST_DIR}/boost_asio.cpp)
target_compile_definitions(pegasus_asio PUBLIC BOOST_ASIO_SEPARATE_COMPILATION)
target_link_libraries(pegasus_asio PUBLIC Boost::headers Threads::Threads PRIVATE pegasus_options)
pegasus_compile_lightly(pegasus_asio)
