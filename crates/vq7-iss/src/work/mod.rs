//! A program made ready to run: footprints, actions and control worked out once, so that a cycle allocates nothing.

mod build;

pub use build::{BuildError, OpSpec};

use crate::timing::Footprints;
use crate::trace::Listing;
use vq7_num::leaf::Leaf;

/// Operands that a bundle may read.
pub const MAX_USES: usize = 32;
/// Results that a bundle may have.
pub const MAX_RESULTS: usize = 16;
/// Ops of a bundle.
pub const MAX_OPS: usize = 5;

/// A program, ready to run.
#[derive(Clone, Debug, Default)]
pub struct Work {
    /// What the bundles ask of the scoreboard.
    pub footprints: Footprints,
    /// Bundles in the order of the program.
    pub bundles: Vec<BundleWork>,
    /// Ops of all bundles.
    pub ops: Vec<OpWork>,
    /// What they are called.
    pub listing: Listing,
}

impl Work {
    /// Ops of a bundle, in the order of slots.
    #[must_use]
    pub fn ops_of(&self, bundle: &BundleWork) -> &[OpWork] {
        let first = bundle.first_op as usize;
        self.ops.get(first..first + usize::from(bundle.op_count)).unwrap_or_default()
    }

    /// Whether the definition at `place` of bundle `number` replaces the status flags, and does not only add to them.
    #[must_use]
    pub fn writes_status(&self, number: u32, place: u8) -> bool {
        let Some(bundle) = self.bundles.get(number as usize) else { return false };
        let mut ops = self.ops_of(bundle).iter();
        ops.any(|op| matches!(op.action, Action::Move(Move::Copy { to, .. }) if to == place))
    }
}

/// A bundle, ready to run.
#[derive(Clone, Copy, Debug, Default)]
pub struct BundleWork {
    /// First op.
    pub first_op: u32,
    /// Number of ops.
    pub op_count: u8,
    /// Stages, one bit each, at which the bundle has something to do.
    pub stages: u16,
    /// How control goes on.
    pub control: Control,
}

/// How control goes on after a bundle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Control {
    /// To the next bundle.
    #[default]
    Next,
    /// The run is over.
    Halt,
    /// To a bundle.
    Jump(u32),
    /// To a bundle if the condition holds.
    Branch {
        /// The condition.
        test: Test,
        /// Where to.
        target: u32,
    },
    /// The bundles from the next one to before `end` are run again, as often as the operand says.
    Loop {
        /// Place of the count among the uses of the bundle.
        count: u8,
        /// First bundle after the body.
        end: u32,
        /// What a count of 0 does.
        zero: ZeroCount,
    },
}

/// What a loop with a count of 0 does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZeroCount {
    /// The body runs 2^32 times.
    Wraps,
    /// The body is skipped.
    Skips,
    /// The body is skipped for a count of 0 and for a negative one.
    SkipsNegative,
}

/// A condition on scalar operands: places among the uses of the bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    /// Two registers, or a register and a constant, in this relation.
    Compare {
        /// The relation.
        relation: Relation,
        /// Left.
        left: u8,
        /// Right.
        right: Right,
    },
    /// A scalar boolean has this value.
    Boolean {
        /// Place of the boolean.
        at: u8,
        /// The value that branches.
        when: bool,
    },
}

/// Right side of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Right {
    /// Place among the uses.
    Use(u8),
    /// A constant.
    Constant(u32),
}

/// A relation of two 32-bit words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// Signed less than.
    Lt,
    /// Signed greater or equal.
    Ge,
    /// Unsigned less than.
    Ltu,
    /// Unsigned greater or equal.
    Geu,
}

impl Relation {
    /// Whether two words stand in it.
    #[must_use]
    pub const fn holds(self, left: u32, right: u32) -> bool {
        match self {
            Relation::Eq => left == right,
            Relation::Ne => left != right,
            Relation::Lt => (left as i32) < right as i32,
            Relation::Ge => left as i32 >= right as i32,
            Relation::Ltu => left < right,
            Relation::Geu => left >= right,
        }
    }
}

/// An op, ready to run.
#[derive(Clone, Copy, Debug)]
pub struct OpWork {
    /// Slot.
    pub slot: u8,
    /// The stage at which it does its work: 10 for what asks the oracle.
    pub stage: u8,
    /// First and last place, exclusive, among the uses of the bundle.
    pub uses: (u8, u8),
    /// First and last place, exclusive, among the definitions of the bundle.
    pub defs: (u8, u8),
    /// Byte and mask of its decode bit.
    pub bit: (u16, u8),
    /// What it does.
    pub action: Action,
}

impl OpWork {
    /// Whether the op reads or writes memory.
    #[must_use]
    pub const fn is_access(&self) -> bool {
        matches!(self.action, Action::Load(_) | Action::Store(_))
    }

    /// The access to memory, if the op makes one.
    #[must_use]
    pub const fn access(&self) -> Option<&Access> {
        match &self.action {
            Action::Load(access) | Action::Store(access) => Some(access),
            _ => None,
        }
    }
}

/// Places that an input of a leaf comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// No such input.
    None,
    /// Lanes of a register: place among the uses, width, first lane, step between lanes.
    Lanes {
        /// Place among the uses.
        at: u8,
        /// Width of a lane in bits.
        width: u8,
        /// First lane.
        first: u8,
        /// Lanes from one to the next.
        step: u8,
    },
    /// Fields of a predicate register.
    Predicate {
        /// Place among the uses.
        at: u8,
    },
    /// The same word for every lane.
    Word {
        /// Place among the uses.
        at: u8,
    },
    /// The same constant for every lane.
    Constant(u64),
    /// Lanes of an accumulator of at most 64 bits.
    Wide {
        /// Which of the bundle's accumulators that are read.
        at: u8,
        /// Width of a lane in bits.
        width: u8,
    },
    /// The round mode of the control state: place among the uses.
    Mode {
        /// Place among the uses.
        at: u8,
    },
}

/// Where a lane's result goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// Lanes of a register: place among the definitions, width, first lane, step.
    Lanes {
        /// Place among the definitions.
        at: u8,
        /// Width of a lane in bits.
        width: u8,
        /// First lane.
        first: u8,
        /// Lanes from one to the next.
        step: u8,
    },
    /// Fields of a predicate register.
    Predicate {
        /// Place among the definitions.
        at: u8,
    },
    /// Lanes of the accumulator that is written.
    Wide {
        /// Width of a lane in bits.
        width: u8,
    },
    /// A scalar register.
    Word {
        /// Place among the definitions.
        at: u8,
    },
}

/// Which lanes a merging op writes: where the guard is true; elsewhere the destination keeps what it had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Merge {
    /// Place of the guard among the uses.
    pub guard: u8,
    /// Place of the old destination among the uses.
    pub old: u8,
}

/// What an op does.
#[derive(Clone, Copy, Debug)]
pub enum Action {
    /// Nothing, or control alone.
    Nothing,
    /// Asks the oracle for every lane.
    Lanes {
        /// What is asked for.
        leaf: &'static Leaf,
        /// Number of lanes.
        lanes: u8,
        /// Inputs of the leaf.
        inputs: [Input; 4],
        /// Where the value goes, or the predicate of a leaf that gives nothing else.
        value: Output,
        /// Where the predicate goes of a leaf that gives both.
        predicate: Option<u8>,
        /// Lanes that are written.
        merge: Option<Merge>,
    },
    /// Asks the oracle for every 96-bit lane of an accumulator.
    Lanes96 {
        /// What is asked for.
        leaf: &'static Leaf,
        /// Which of the bundle's accumulators that are read holds the 96-bit input, if one does.
        accumulator: Option<u8>,
        /// The other inputs.
        inputs: [Input; 3],
        /// Where the value goes.
        value: Output,
    },
    /// Asks the oracle once, for whole registers.
    Whole {
        /// What is asked for.
        leaf: &'static Leaf,
        /// Inputs: registers, words and constants.
        inputs: [Input; 4],
        /// Places among the definitions.
        outputs: [Option<u8>; 2],
        /// Lanes that are written, and their width.
        merge: Option<(Merge, u8)>,
    },
    /// Moves values without asking anyone.
    Move(Move),
    /// Reads memory.
    Load(Access),
    /// Writes memory.
    Store(Access),
    /// Scalar arithmetic on addresses and counters.
    Scalar {
        /// What is done.
        op: ScalarOp,
        /// Left.
        left: ScalarIn,
        /// Right.
        right: ScalarIn,
        /// Place among the definitions.
        to: u8,
    },
}

/// A scalar operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScalarIn {
    /// Place among the uses.
    Use(u8),
    /// A constant.
    Constant(u32),
}

/// Scalar operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScalarOp {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Shift left by the low five bits.
    Sll,
    /// Logical shift right by the low five bits.
    Srl,
    /// Arithmetic shift right by the low five bits.
    Sra,
    /// Low 32 bits of the product.
    Mul,
    /// Signed maximum.
    Max,
    /// Signed minimum.
    Min,
    /// The right operand.
    Copy,
}

impl ScalarOp {
    /// The result on two words.
    #[must_use]
    pub const fn apply(self, left: u32, right: u32) -> u32 {
        match self {
            ScalarOp::Add => left.wrapping_add(right),
            ScalarOp::Sub => left.wrapping_sub(right),
            ScalarOp::And => left & right,
            ScalarOp::Or => left | right,
            ScalarOp::Xor => left ^ right,
            ScalarOp::Sll => left << (right & 31),
            ScalarOp::Srl => left >> (right & 31),
            ScalarOp::Sra => (left as i32 >> (right & 31)) as u32,
            ScalarOp::Mul => left.wrapping_mul(right),
            ScalarOp::Max => {
                if (left as i32) > right as i32 {
                    left
                } else {
                    right
                }
            }
            ScalarOp::Min => {
                if (left as i32) < right as i32 {
                    left
                } else {
                    right
                }
            }
            ScalarOp::Copy => right,
        }
    }
}

/// Moves between registers: no value is worked out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// A register as it is.
    Copy {
        /// Place among the uses.
        from: u8,
        /// Place among the definitions.
        to: u8,
    },
    /// An accumulator as it is.
    CopyWide {
        /// Which of the bundle's accumulators that are read.
        from: u8,
    },
    /// One byte where the guard is true, the old one elsewhere.
    Bytes {
        /// Place among the uses.
        from: u8,
        /// Guard and old destination.
        merge: Merge,
        /// Place among the definitions.
        to: u8,
    },
    /// A word or a constant to every lane.
    Spread {
        /// The word.
        from: ScalarIn,
        /// Width of a lane in bits.
        width: u8,
        /// Place among the definitions.
        to: u8,
    },
    /// One lane to every lane.
    Replicate {
        /// Place among the uses.
        from: u8,
        /// Which lane.
        lane: u8,
        /// Width of a lane in bits.
        width: u8,
        /// Place among the definitions.
        to: u8,
        /// Lanes that are written.
        merge: Option<Merge>,
    },
    /// One lane to a scalar register.
    Extract {
        /// Place among the uses.
        from: u8,
        /// Which lane.
        lane: u8,
        /// Width of a lane in bits.
        width: u8,
        /// Whether the sign fills the word.
        signed: bool,
        /// Place among the definitions.
        to: u8,
    },
    /// Two registers to the lanes of an accumulator.
    Widen {
        /// Places of the registers that fill the low and the high lanes.
        from: [u8; 2],
        /// Width of a register's lane in bits.
        width: u8,
        /// Width of an accumulator's lane in bits.
        wide: u8,
        /// Whether the sign fills the lane.
        signed: bool,
    },
}

/// An access to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Place of the base register among the uses.
    pub base: u8,
    /// What is added to it.
    pub offset: ScalarIn,
    /// Whether the base is used as it is and the sum written back.
    pub post: bool,
    /// Place of the written base among the definitions.
    pub base_def: Option<u8>,
    /// Bytes.
    pub bytes: u8,
    /// Low address bits that are cleared.
    pub clear: u8,
    /// What the bytes are in the register.
    pub form: Form,
    /// Place of the data: among the definitions for a load, among the uses for a store.
    pub data: u8,
    /// Place of the guard of a store among the uses.
    pub guard: Option<u8>,
}

/// How memory and register relate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The bytes as they are.
    Plain,
    /// Elements of `from` bits in memory, lanes of `to` bits in the register, sign-extended if `signed`.
    Elements {
        /// Bits of an element in memory.
        from: u8,
        /// Bits of a lane.
        to: u8,
        /// Whether the sign fills the lane.
        signed: bool,
    },
    /// A row that begins anywhere, put together from the row before, in an alignment register, and the next.
    Unaligned {
        /// Place of the carry among the uses.
        carry: u8,
        /// Place of the new carry among the definitions.
        carry_def: u8,
    },
}
