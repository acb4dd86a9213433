//! One way to scatter numbers, and to draw them from a seed: SplitMix64 (Steele, Lea and Flood, "Fast
//! splittable pseudorandom number generators", OOPSLA 2014). The same on every machine.

/// What is added for each number: 2^64 over the golden ratio.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// Returns a number that looks random, distinct for every `number`; 0 for 0.
#[inline]
pub const fn finalised(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

/// Returns a number that looks random, distinct for every `number`.
#[inline]
pub const fn mixed(number: u64) -> u64 {
    finalised(number.wrapping_add(STEP))
}

/// A stream of numbers that looks random, from its seed.
#[derive(Debug, Clone)]
pub struct SplitMix64(pub u64);

impl SplitMix64 {
    /// Returns the next number.
    #[inline]
    pub const fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        finalised(self.0)
    }

    /// Returns the number at a place of the stream, counted from 0.
    #[inline]
    pub const fn at(&self, place: u64) -> u64 {
        mixed(self.0.wrapping_add(place.wrapping_mul(STEP)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From the authors' own code (`splitmix64.c`, Vigna), with the seed 1234567.
    #[test]
    fn the_numbers_are_those_of_the_authors() {
        let mut stream = SplitMix64(1_234_567);
        let expected = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        let drawn: Vec<u64> = (0..5).map(|_| stream.draw()).collect();
        assert_eq!(drawn, expected);
        let at: Vec<u64> = (0..5)
            .map(|place| SplitMix64(1_234_567).at(place))
            .collect();
        assert_eq!(at, expected);
    }
}
