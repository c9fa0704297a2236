// Using-declarations for GoogleMock's matchers.
#pragma once

#include <gmock/gmock.h>

namespace crivo::testing {

using ::testing::_;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ContainsRegex;
using ::testing::EndsWith;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

}  // namespace crivo::testing
