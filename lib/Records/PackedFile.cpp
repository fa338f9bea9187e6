//===- PackedFile.cpp - files, packed or not ------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Records/PackedFile.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <lzma.h>
#include <memory>
#include <sys/stat.h>
#include <zlib.h>

namespace hwtune {

namespace {

constexpr size_t kMaxPacked = size_t(256) << 20;
constexpr size_t kMaxText = size_t(1) << 30;
constexpr size_t kChunk = size_t(1) << 18;
constexpr uint64_t kXzMemory = uint64_t(256) << 20;

Error tooLarge(const std::string &path, size_t limit) {
  return Error{fmt::format("larger than {} MiB", limit >> 20), path};
}

Expected<std::string> readGzip(const std::string &path) {
  std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"),
                                                  gzclose);
  if (!file)
    return Error{fmt::format("cannot open: {}", std::strerror(errno)), path};
  std::string text;
  std::unique_ptr<char[]> buffer(new char[kChunk]);
  int count;
  while ((count = gzread(file.get(), buffer.get(), kChunk)) > 0) {
    text.append(buffer.get(), size_t(count));
    if (text.size() > kMaxText)
      return tooLarge(path, kMaxText);
  }
  int code = Z_OK;
  const char *message = gzerror(file.get(), &code);
  if (count < 0 || (code != Z_OK && code != Z_STREAM_END))
    return Error{fmt::format("gzip data are damaged after {} bytes: {}",
                             text.size(), message),
                 path};
  return text;
}

Expected<std::string> unpackXz(const std::string &path,
                               const std::string &packed) {
  lzma_stream stream = LZMA_STREAM_INIT;
  if (lzma_stream_decoder(&stream, kXzMemory, 0) != LZMA_OK)
    return Error{"cannot start the xz decoder", path};
  std::string text;
  std::unique_ptr<char[]> buffer(new char[kChunk]);
  stream.next_in = reinterpret_cast<const uint8_t *>(packed.data());
  stream.avail_in = packed.size();
  lzma_ret code = LZMA_OK;
  while (code == LZMA_OK && text.size() <= kMaxText) {
    stream.next_out = reinterpret_cast<uint8_t *>(buffer.get());
    stream.avail_out = kChunk;
    code = lzma_code(&stream, LZMA_FINISH);
    text.append(buffer.get(), kChunk - stream.avail_out);
  }
  lzma_end(&stream);
  if (text.size() > kMaxText)
    return tooLarge(path, kMaxText);
  if (code != LZMA_STREAM_END)
    return Error{fmt::format("xz data are damaged after {} bytes (code {})",
                             text.size(), int(code)),
                 path};
  return text;
}

} // namespace

Expected<std::string> readPackedFile(const std::string &path) {
  struct stat info{};
  if (stat(path.c_str(), &info) != 0)
    return Error{fmt::format("cannot open: {}", std::strerror(errno)), path};
  if (!S_ISREG(info.st_mode))
    return Error{"is not a regular file", path};
  if (size_t(info.st_size) > kMaxPacked)
    return tooLarge(path, kMaxPacked);
  // zlib passes plain files through.
  Expected<std::string> text = readGzip(path);
  if (text && text->starts_with("\xFD"
                                "7zXZ"))
    text = unpackXz(path, *text);
  // The mark that some programs put before UTF-8 belongs to no name.
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (text && text->starts_with(kMark))
    text->erase(0, kMark.size());
  return text;
}

} // namespace hwtune
