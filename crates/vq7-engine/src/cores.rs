//! Which core handles which partition. Source: docs/spec/dispatch.md, "Core ownership".

use std::ops::Range;
use vq7_isa::generation::{CORES, PARTITIONS, PARTITIONS_PER_CORE};

/// The core that owns a partition: core c owns 16c .. 16c+15.
pub const fn core_of(partition: u32) -> u32 {
    partition / PARTITIONS_PER_CORE
}

/// The partitions that `core` handles of `channels` active ones from `start` on; empty when it has no share.
pub fn slice(core: u32, start: u32, channels: u32) -> Range<u32> {
    let first = core.saturating_mul(PARTITIONS_PER_CORE);
    let low = first.max(start);
    let high = first.saturating_add(PARTITIONS_PER_CORE).min(start.saturating_add(channels)).min(PARTITIONS);
    low..high.max(low)
}

/// The cores in order, each with its share.
pub fn slices(start: u32, channels: u32) -> impl Iterator<Item = (u32, Range<u32>)> {
    (0..CORES).map(move |core| (core, slice(core, start, channels)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_the_active_partitions_in_order() {
        for start in 0..128 {
            for channels in 1..=128 - start {
                let all: Vec<u32> = slices(start, channels)
                    .flat_map(|(core, share)| {
                        assert!(share.clone().all(|partition| core_of(partition) == core));
                        share
                    })
                    .collect();
                assert_eq!(all, (start..start + channels).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn partial_shares() {
        assert_eq!(slice(2, 32, 20), 32..48);
        assert_eq!(slice(3, 32, 20), 48..52);
        assert!(slice(4, 32, 20).is_empty() && slice(0, 32, 20).is_empty() && slice(99, 0, 128).is_empty());
        assert_eq!(slice(7, 120, 500), 120..128);
    }
}
