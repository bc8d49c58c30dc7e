//! A bundle on its way through the pipeline: what its operands are bound to, what it has worked out.

use crate::line::{Line, Wide};
use crate::work::{MAX_OPS, MAX_RESULTS, MAX_USES};

/// Bundles that can be looked up by their cycle of issue; a power of two, more than twice the pipeline.
pub(super) const FLIGHTS: usize = 32;

/// Accumulators that a bundle may read: one by a pack, one by a multiply.
pub(super) const MAX_WIDES: usize = 2;

/// What an operand is bound to, or which value a register has for bundles that issue now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Source {
    /// The register file; for an operand: its value has been taken.
    #[default]
    File,
    /// The status flags, which are read when the op executes: by then every older flag is in.
    Status,
    /// A result that is on its way.
    Flight {
        /// Which bundle in flight.
        flight: u8,
        /// Place among its definitions.
        place: u8,
    },
}

/// A bundle in flight.
#[derive(Clone, Debug)]
pub(super) struct Flight {
    pub live: bool,
    /// Cycle of issue.
    pub cycle: u64,
    /// Number of the issue.
    pub issue: u64,
    pub bundle: u32,
    /// Its ops, a bit each.
    pub ops: u8,
    /// Ops that have worked out their address, a bit each.
    pub addressed: u8,
    /// Ops that have done their work, a bit each.
    pub executed: u8,
    /// Flags that its ops raised.
    pub flags: u8,
    pub addresses: [u32; MAX_OPS],
    pub sources: [Source; MAX_USES],
    pub lines: [Line; MAX_USES],
    pub wides: [Wide; MAX_WIDES],
    pub results: [Line; MAX_RESULTS],
    pub wide_result: Wide,
    /// What the registers of its definitions had been bound to.
    pub previous: [Source; MAX_RESULTS],
}

impl Flight {
    pub fn new() -> Flight {
        Flight {
            live: false,
            cycle: 0,
            issue: 0,
            bundle: 0,
            ops: 0,
            addressed: 0,
            executed: 0,
            flags: 0,
            addresses: [0; MAX_OPS],
            sources: [Source::File; MAX_USES],
            lines: [Line::ZERO; MAX_USES],
            wides: [[0; 192]; MAX_WIDES],
            results: [Line::ZERO; MAX_RESULTS],
            wide_result: [0; 192],
            previous: [Source::File; MAX_RESULTS],
        }
    }

    /// The low word of an operand that has been taken.
    pub fn word(&self, at: u8) -> u32 {
        self.lines.get(usize::from(at)).map_or(0, Line::word)
    }
}
