// SPDX-License-Identifier: Apache-2.0
#include "domA/device/image/decompress.h"

#include "domA/device/image/test_fatbin.h"

#include <catch2/catch.hpp>

namespace pegasus::image {
namespace {
using namespace test;

TEST_CASE("packed images are unpacked unchanged") {
  std::string text;
  for (int i = 0; i < 5000; ++i)
    text += "add.s32 %r" + std::to_string(i * 7919 % 1000) + ";";
  for (std::string const& plain : {std::string("x"), text}) {
    CHECK(decompress(Compression::none, bytes_of(plain), plain.size()) == plain);
    CHECK(decompress(Compression::zstd, bytes_of(zstd_of(plain)), plain.size()) == plain);
    CHECK(decompress(Compression::lz4, bytes_of(lz4_of(plain)), plain.size()) == plain);
  }
}

TEST_CASE("a size other than the declared one is refused") {
  std::string const text(1000, 'x');
  std::string const zstd = zstd_of(text);
  std::string const lz4 = lz4_of(text);
  for (std::size_t const bytes : std::initializer_list<std::size_t>{0, 1, 999, 1001, 100000000}) {
    CHECK_FALSE(decompress(Compression::zstd, bytes_of(zstd), bytes).has_value());
    CHECK_FALSE(decompress(Compression::lz4, bytes_of(lz4), bytes).has_value());
  }
  CHECK_FALSE(decompress(Compression::none, bytes_of(text), 1001).has_value());
}

TEST_CASE("a frame without its size is decompressed up to the declared size only") {
  // A decompression bomb: 64 MiB of zeros in a few kilobytes, without a content size in its header.
  std::string const zeros(64 << 20, '\0');
  std::string bomb(ZSTD_compressBound(zeros.size()), '\0');
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
  bomb.resize(ZSTD_compress2(context, bomb.data(), bomb.size(), zeros.data(), zeros.size()));
  ZSTD_freeCCtx(context);
  REQUIRE(bomb.size() < 100000);
  CHECK_FALSE(decompress(Compression::zstd, bytes_of(bomb), 1000).has_value());
  CHECK(decompress(Compression::zstd, bytes_of(bomb), zeros.size()).has_value());
}

TEST_CASE("garbage and nothing") {
  std::string const garbage = "no compressed data at all";
  for (auto const kind : {Compression::zstd, Compression::lz4}) {
    CHECK_FALSE(decompress(kind, bytes_of(garbage), 100).has_value());
    CHECK_FALSE(decompress(kind, {}, 100).has_value());
  }
}

} // namespace
} // namespace pegasus::image
