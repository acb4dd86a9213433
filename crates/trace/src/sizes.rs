//! The sizes of I/Os as a workload states them: a few, each with its share.

use std::collections::BTreeMap;

use stripewise_study::workload::{BlockSize, SplitPart};
use stripewise_units::{Bytes, as_f64};

use crate::numbers::{rounded, share};

/// One size stands for all if it has at least this share of the I/Os and of the bytes.
const ONE_SIZE_MIN: f64 = 0.95;
/// The most sizes of a split.
const SIZES_MAX: usize = 8;
/// How many of them stand for sizes that are not frequent.
const CLASSES: usize = 3;

/// I/Os of one size, or of several similar ones.
#[derive(Debug, Clone, Copy, Default)]
struct Sizes {
    ios: u64,
    bytes: u64,
    is_one: bool,
}

impl Sizes {
    /// Returns the size with which this share of all I/Os moves as many bytes, in whole units.
    fn size(self, percent: u64, total: u64, unit: u64) -> u64 {
        match self.is_one {
            true => self.bytes / self.ios.max(1),
            false => {
                let ios = as_f64(total * percent) / 100.0;
                rounded(as_f64(self.bytes) / ios / as_f64(unit)).max(1) * unit
            }
        }
    }
}

/// Returns the split that stands for so many I/Os of each size, and its mean.
///
/// The most frequent sizes are kept. The others are put into classes of about as many bytes, each
/// with the size that keeps its bytes: few large I/Os move much of the data.
pub(crate) fn split(sizes: &BTreeMap<u64, u64>) -> (BlockSize, f64) {
    let mut parts: Vec<Sizes> = sizes
        .iter()
        .map(|(size, ios)| Sizes {
            ios: *ios,
            bytes: size * ios,
            is_one: true,
        })
        .collect();
    parts.sort_by_key(|part| (std::cmp::Reverse(part.ios), part.bytes));
    let total: u64 = parts.iter().map(|part| part.ios).sum();
    let bytes: u64 = parts.iter().map(|part| part.bytes).sum();
    let Some(first) = parts.first().copied() else {
        return (BlockSize::Fixed(Bytes::new(4096)), 4096.0);
    };
    let least = share(first.ios, total).min(share(first.bytes, bytes));
    if least >= ONE_SIZE_MIN {
        let size = first.bytes / first.ios.max(1);
        return (BlockSize::Fixed(Bytes::new(size)), as_f64(size));
    }
    if parts.len() > SIZES_MAX {
        let rest = parts.split_off(SIZES_MAX - CLASSES);
        parts.extend(classes(rest));
    }
    // No size of a device with 4 KiB sectors becomes one that it refuses.
    let is_large = sizes.keys().all(|size| size.is_multiple_of(4096));
    let unit = if is_large { 4096 } else { 512 };
    let mut split = BTreeMap::<u64, u64>::new();
    for (part, percent) in parts.iter().zip(percents(&parts, total)) {
        if percent > 0 {
            *split.entry(part.size(percent, total, unit)).or_default() += percent;
        }
    }
    let sums = split.iter().map(|(size, percent)| as_f64(size * percent));
    let mean = sums.sum::<f64>() / 100.0;
    let split: Vec<SplitPart> = split
        .into_iter()
        .map(|(size, percent)| SplitPart {
            block_size_bytes: Bytes::new(size),
            share_percent: u8::try_from(percent).unwrap_or(100),
        })
        .collect();
    match split.as_slice() {
        [only] => (BlockSize::Fixed(only.block_size_bytes), mean),
        _ => (BlockSize::Split(split), mean),
    }
}

/// Puts sizes into a few classes of about as many bytes.
fn classes(mut sizes: Vec<Sizes>) -> Vec<Sizes> {
    sizes.sort_by_key(|one| one.bytes / one.ios.max(1));
    let all: u64 = sizes.iter().map(|one| one.bytes).sum();
    let each = (all / CLASSES as u64).max(1);
    let mut classes = Vec::<Sizes>::new();
    for one in sizes {
        match classes.last_mut() {
            Some(last) if last.bytes < each => {
                last.ios += one.ios;
                last.bytes += one.bytes;
            }
            _ => classes.push(Sizes {
                is_one: false,
                ..one
            }),
        }
    }
    classes
}

/// Returns the share of each part in whole percent; together, they are 100. The largest remainders
/// are rounded up.
fn percents(parts: &[Sizes], total: u64) -> Vec<u64> {
    let exact: Vec<f64> = parts
        .iter()
        .map(|part| share(part.ios, total) * 100.0)
        .collect();
    let mut percents: Vec<u64> = exact.iter().map(|exact| rounded(exact.floor())).collect();
    let mut order: Vec<usize> = (0..parts.len()).collect();
    order.sort_by(|one, two| exact[*two].fract().total_cmp(&exact[*one].fract()));
    let missing = 100_u64.saturating_sub(percents.iter().sum());
    let missing = usize::try_from(missing).unwrap_or(0);
    for place in order.into_iter().cycle().take(missing) {
        percents[place] += 1;
    }
    percents
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fitted(sizes: &[(u64, u64)]) -> (Vec<(u64, u8)>, f64) {
        let (block_size, mean) = split(&sizes.iter().copied().collect());
        let parts = match block_size {
            BlockSize::Fixed(size) => vec![(size.as_u64(), 100)],
            BlockSize::Split(parts) => parts
                .iter()
                .map(|part| (part.block_size_bytes.as_u64(), part.share_percent))
                .collect(),
        };
        (parts, mean)
    }

    #[test]
    fn a_size_stands_for_all_if_it_moves_most_of_the_bytes() {
        assert_eq!(fitted(&[(4096, 99), (8192, 1)]).0, [(4096, 100)]);
        let few_large = fitted(&[(4096, 96), (1 << 20, 4)]).0;
        assert_eq!(few_large, [(4096, 96), (1 << 20, 4)]);
        assert_eq!(fitted(&[]).0, [(4096, 100)]);
    }

    /// Rare sizes move most of the data; what stands for them moves as much.
    #[test]
    fn rare_sizes_keep_their_bytes() {
        let mut sizes = vec![(4096, 800), (8192, 100), (16384, 50)];
        sizes.extend((1..=100).map(|number| (number * 10_240, 1)));
        let ios: u64 = sizes.iter().map(|(_, ios)| ios).sum();
        let bytes: u64 = sizes.iter().map(|(size, ios)| size * ios).sum();
        let (parts, mean) = fitted(&sizes);
        assert!(parts.len() <= SIZES_MAX, "{parts:?}");
        let shares: u64 = parts.iter().map(|(_, share)| u64::from(*share)).sum();
        assert_eq!(shares, 100);
        let wanted = as_f64(bytes) / as_f64(ios);
        assert!(
            (mean / wanted - 1.0).abs() < 0.02,
            "{mean} {wanted} {parts:?}"
        );
    }
}
