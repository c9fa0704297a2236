// How full an array gets when bits are set in it at random, and what that means for a query.
#pragma once

namespace crivo {

/// The probability that all of `probes` random bits are set in an array of `bits` bits after `throws` bits of it were
/// set at random, repeats allowed: the mean of fill^probes. The textbook's (1 - e^(-throws / bits))^probes is the power
/// of the mean instead, which is always lower: 15 times at one key of 30 probes, 0.3% at a thousand. Exact up to 256
/// throws, and beyond them at most 6% above the exact value (below 0.02% from 100 keys on), never below it.
/// bits >= 1, throws >= 0. Sources: Bose et al. 2008, "On the false-positive rate of Bloom filters"; Christensen,
/// Roginsky & Jimeno 2010, "A new analysis of the false positive rate of a Bloom filter".
[[nodiscard]] double mean_power_of_fill(double bits, double throws, unsigned probes) noexcept;

}  // namespace crivo
