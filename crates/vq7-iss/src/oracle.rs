//! Who answers for values. The core computes none: at the execute stage it asks an oracle.

use crate::line::LINE_BYTES;
use vq7_num::leaf::{Bits, LaneOut, Leaf};

/// Lanes of one input, from lane 0 up.
pub type Lanes = [u64; LINE_BYTES];

/// What a vector of lanes gave, with the status flags of all of them together.
#[derive(Clone, Copy, Debug)]
pub struct LanesOut {
    /// Data, or the predicate field of a leaf that gives nothing else.
    pub values: Lanes,
    /// Predicate fields of a leaf that gives both.
    pub predicates: Lanes,
    /// Flags raised by any lane, in the order of `vq7_num::Flags::bits`.
    pub flags: u8,
}

impl LanesOut {
    /// All zero, no flag.
    pub const ZERO: LanesOut = LanesOut { values: [0; LINE_BYTES], predicates: [0; LINE_BYTES], flags: 0 };
}

/// Answers for the values of ops, lane by lane. Its answers have no say in timing.
pub trait ValueOracle {
    /// One lane: the inputs of the leaf in order, zero for those that it has not.
    fn lane(&mut self, leaf: &'static Leaf, inputs: [u64; 4]) -> LaneOut;

    /// One lane with an accumulator of 96 bits.
    fn lane96(&mut self, leaf: &'static Leaf, accumulator: u128, inputs: [u64; 2]) -> u128;

    /// A leaf on whole registers: inputs and outputs in the order of the leaf.
    fn whole(&mut self, leaf: &'static Leaf, inputs: &[Bits], outputs: &mut [Bits]);

    /// `count` lanes at once, of at most 64. Asks [`ValueOracle::lane`] for each, lane 0 first.
    fn lanes(&mut self, leaf: &'static Leaf, count: usize, inputs: &[Lanes; 4], out: &mut LanesOut) {
        let [a, b, c, d] = inputs;
        out.flags = 0;
        for at in 0..count.min(LINE_BYTES) {
            let lane = self.lane(leaf, [a[at], b[at], c[at], d[at]]);
            out.values[at] = lane.value;
            out.predicates[at] = lane.predicate();
            out.flags |= lane.flag_bits();
        }
    }
}

/// The default oracle: the value leaves of `vq7-num`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Leaves;

impl ValueOracle for Leaves {
    fn lane(&mut self, leaf: &'static Leaf, [a, b, c, d]: [u64; 4]) -> LaneOut {
        leaf.lane().map_or(LaneOut::from(0), |lane| lane(a, b, c, d))
    }

    fn lane96(&mut self, leaf: &'static Leaf, accumulator: u128, [a, b]: [u64; 2]) -> u128 {
        leaf.lane96().map_or(0, |lane| lane(accumulator, a, b))
    }

    fn whole(&mut self, leaf: &'static Leaf, inputs: &[Bits], outputs: &mut [Bits]) {
        if let Some(whole) = leaf.whole()
            && inputs.len() == leaf.inputs.len()
            && outputs.len() == leaf.value_outputs().count()
        {
            whole(inputs, outputs);
        }
    }

    #[inline]
    fn lanes(&mut self, leaf: &'static Leaf, count: usize, inputs: &[Lanes; 4], out: &mut LanesOut) {
        let Some(row) = leaf.row() else { return };
        let count = count.min(LINE_BYTES);
        let [a, b, c, d] = inputs.each_ref().map(|lanes| &lanes[..count]);
        // One call for the register: the loop is the leaf's own.
        let mut lanes = [LaneOut::from(0); LINE_BYTES];
        row(a, b, c, d, &mut lanes[..count]);
        let mut flags = 0;
        for ((lane, value), predicate) in lanes[..count].iter().zip(&mut out.values).zip(&mut out.predicates) {
            *value = lane.value;
            *predicate = lane.predicate();
            flags |= lane.flag_bits();
        }
        out.flags = flags;
    }
}
