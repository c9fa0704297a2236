// Tests writing blobs that are never in memory as a whole.
#include <gtest/gtest.h>

#include "crivo/blob.h"
#include "crivo/host/raw_blob.h"
#include "filters.h"
#include "format/blob_sums.h"

namespace crivo::testing {
namespace {

TEST(BlobWriter, HandsOverTheBytesOfToBlob) {
  for (const KindInfo& kind : kinds()) {
    for (const std::uint64_t n : {0U, 10U, 3000U}) {
      const AnyFilter filter = build_filter(kind.kind, n);
      for (const BlobForm form :
           {BlobForm::kAuto, BlobForm::kRaw, BlobForm::kSmallest, BlobForm::kMappable, BlobForm::kFile}) {
        Bytes written;
        const auto sink = [&](std::span<const std::byte> bytes) {
          written.insert(written.end(), bytes.begin(), bytes.end());
          return true;
        };
        const auto size = write_blob(filter.ref(), form, sink);
        EXPECT_EQ(*size, written.size());
        EXPECT_TRUE(written == blob_of(filter.ref(), form)) << kind.name << ", " << n << " keys";
      }
    }
  }
}

TEST(BlobWriter, StopsWhenItsSinkDoes) {
  const AnyFilter filter = build_filter(Kind::kBlocked, 100);
  for (const BlobForm form : {BlobForm::kRaw, BlobForm::kSmallest, BlobForm::kMappable}) {
    int calls = 0;
    const auto stopped = write_blob(filter.ref(), form, [&](std::span<const std::byte>) { return ++calls > 100; });
    EXPECT_EQ(stopped.error().code, ErrorCode::kCancelled);
    EXPECT_EQ(calls, 1);
  }
}

TEST(BlobSums, GiveTheSameFrameForPiecesOfAnySize) {
  const AnyFilter filter = build_filter(Kind::kBlocked, 20'000);
  for (const Codec codec : {Codec::kRaw, Codec::kRawSums}) {
    const Bytes blob = blob_of(filter.ref(), codec == Codec::kRaw ? BlobForm::kRaw : BlobForm::kMappable);
    for (const std::size_t piece : {1U, 64U, 4095U, 4096U, 4097U, 10'000U, 1'000'000U}) {
      BlobSums sums(codec);
      for (auto left = filter.payload(); !left.empty();) {
        const auto next = left.first(std::min(piece, left.size()));
        sums.add(next);
        left = left.subspan(next.size());
      }
      const BlobFrame frame = sums.finish(filter.shape(), filter.facts());
      EXPECT_TRUE(std::ranges::equal(frame.header, std::span(blob).first(kBlobHeaderBytes)));
      EXPECT_TRUE(std::ranges::equal(frame.tail, std::span(blob).last(frame.tail.size())));
      EXPECT_EQ(blob_frame_bytes(codec, filter.payload().size()), kBlobHeaderBytes + frame.tail.size());
      EXPECT_EQ(kBlobHeaderBytes + filter.payload().size() + frame.tail.size(), blob.size());
    }
  }
}

TEST(BlobForms, AFileIsMappableIfItIsLargeAndWouldBeRaw) {
  const auto codec_of = [](std::uint64_t capacity, std::uint64_t n) {
    return parse_blob(blob_of(build_filter({.kind = Kind::kBlocked, .capacity = capacity}, n).ref(), BlobForm::kFile))
        ->codec();
  };
  EXPECT_EQ(codec_of(100'000, 100'000), Codec::kRawSums);
  EXPECT_EQ(codec_of(40'000, 40'000), Codec::kRaw);
  EXPECT_EQ(codec_of(100'000, 100), Codec::kGapZstd);
}

}  // namespace
}  // namespace crivo::testing
