//! What can go wrong with a word, and what is worth a remark though it went right.

use std::fmt;
use vq7_isa::address::{Addr4, Marker, Memory};
use vq7_isa::generation::PARTITIONS;
use vq7_isa::legality::Verdict;

/// One of the tensors of a word, or one of its scalars that lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operand {
    /// The first source, or the only one.
    Src0,
    /// The second source.
    Src1,
    /// The destination.
    Dst,
    /// The scalar of the first op.
    Imm0,
    /// The scalar of the second op.
    Imm1,
}

impl Operand {
    /// `src0`, `src1`, `dst`, `imm0` or `imm1`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Src0 => "src0",
            Self::Src1 => "src1",
            Self::Dst => "dst",
            Self::Imm0 => "imm0",
            Self::Imm1 => "imm1",
        }
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Who needs a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum User {
    /// An operand of the word.
    Operand(Operand),
    /// The word's wait.
    Wait,
    /// The word's update.
    Update,
}

impl fmt::Display for User {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Operand(operand) => operand.name(),
            Self::Wait => "the wait",
            Self::Update => "the update",
        })
    }
}

/// A register that a word names and that has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Register {
    /// An address register.
    Address(u8),
    /// The shape register of a number.
    Shape(u8),
    /// The shape register that stands for an operand with an immediate address.
    OperandShape(Operand),
    /// A value register of a wait or an update.
    Value(u32),
}

impl fmt::Display for Register {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address(number) => write!(f, "address register {number}"),
            Self::Shape(number) => write!(f, "shape register {number}"),
            Self::OperandShape(operand) => write!(f, "the shape register of {operand}"),
            Self::Value(number) => write!(f, "value register {number}"),
        }
    }
}

impl Register {
    /// How a value for it is written, register first: `5=0x1000`, `5=4x1x1`, `src0=4x1x1`, `v5=1`.
    pub fn assignment(&self) -> String {
        match self {
            Self::Address(number) => format!("{number}=0x1000"),
            Self::Shape(number) => format!("{number}=4x1x1"),
            Self::OperandShape(operand) => format!("{operand}=4x1x1"),
            Self::Value(number) => format!("v{number}=1"),
        }
    }
}

/// A semaphore or an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Signal {
    /// A 32-bit semaphore.
    Semaphore(u8),
    /// A one-bit event.
    Event(u8),
}

impl fmt::Display for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Semaphore(index) => write!(f, "semaphore {index}"),
            Self::Event(index) => write!(f, "event {index}"),
        }
    }
}

/// Why a word did not run. A word that faults leaves memory, semaphores and events as they were.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// A rule refuses the word.
    #[error("illegal word: {}", Illegal(.0))]
    Illegal(Verdict),
    /// The word is legal, but no source settles what the device computes.
    #[error("unspecified result: {note}")]
    Unspecified {
        /// Why.
        note: &'static str,
        /// What the device would log.
        log: Vec<String>,
    },
    /// Something that vq7 does not do.
    #[error("not implemented: {what}")]
    Unimplemented {
        /// The thing, by name.
        what: String,
        /// What the device would log.
        log: Vec<String>,
    },
    /// A walk leaves the active bytes of a partition, or the partitions end before the channels do.
    #[error("{}", OutOfBounds(*operand, *memory, *partition, *offset, *limit))]
    OutOfBounds {
        /// The operand.
        operand: Operand,
        /// The memory.
        memory: Memory,
        /// The partition, 128 when the operand runs out of partitions.
        partition: u32,
        /// Byte offset of the first element outside.
        offset: i64,
        /// Active bytes of a partition.
        limit: u32,
    },
    /// A source byte that decides the result was never written.
    #[error(
        "{operand} reads a byte that nothing wrote: {} partition {partition}, offset {offset:#x}; \
         place data there, or allow uninitialised reads, which give zeros",
        memory.name()
    )]
    Uninitialized {
        /// The operand.
        operand: Operand,
        /// The memory.
        memory: Memory,
        /// The partition.
        partition: u32,
        /// The first byte that was never written, in walk order.
        offset: u32,
    },
    /// An address register holds what is no address.
    #[error(
        "{operand}: address register {register} holds {address:#x}, which is no valid address: {}",
        InvalidAddress(*address)
    )]
    InvalidAddress {
        /// The operand that the register supplies.
        operand: Operand,
        /// The register.
        register: u8,
        /// What it holds.
        address: u32,
    },
    /// The word names a register that the caller has not given.
    #[error("{user} needs {register}, which has no value; give it one")]
    NeedsRegisters {
        /// Who needs it.
        user: User,
        /// The register.
        register: Register,
    },
    /// BATCH_NORM_BACK_PROP without coefficients for all its channels.
    #[error(
        "batch-norm back-propagation of {need} channels needs a coefficient block (gamma, inv_std, n, d_beta, d_gamma) \
         per channel, and {have} are given; earlier words would have loaded them into the engine"
    )]
    NeedsCoefficients {
        /// Channels that have coefficients.
        have: usize,
        /// Channels of the word.
        need: u32,
    },
    /// An integer division by zero under `int_div_zero=trap`.
    #[error(
        "integer division by zero in partition {partition} of dst, element {element}, and the policy says \
         int_div_zero=trap; nothing of the word was written"
    )]
    DivideByZero {
        /// Partition of the destination.
        partition: u32,
        /// Index of the element in walk order.
        element: u64,
    },
    /// A wait that nothing can end: in one stream no later word can signal an earlier one.
    #[error("deadlock: {}", Waiting(*signal, has, needs))]
    Deadlock {
        /// What is waited for.
        signal: Signal,
        /// What it is.
        has: String,
        /// What would end the wait.
        needs: String,
    },
}

impl Fault {
    /// The kind, as reports print it.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Illegal(_) => "illegal",
            Self::Unspecified { .. } => "unspecified",
            Self::Unimplemented { .. } => "unimplemented",
            Self::OutOfBounds { .. } => "out_of_bounds",
            Self::Uninitialized { .. } => "uninitialised",
            Self::InvalidAddress { .. } => "invalid_address",
            Self::NeedsRegisters { .. } => "needs_registers",
            Self::NeedsCoefficients { .. } => "needs_coefficients",
            Self::DivideByZero { .. } => "divide_by_zero",
            Self::Deadlock { .. } => "deadlock",
        }
    }

    /// Why, without the kind in front: for reports, which print the kind beside it.
    pub fn why(&self) -> String {
        match self {
            Self::Illegal(verdict) => Illegal(verdict).to_string(),
            Self::Unspecified { note, .. } => (*note).to_owned(),
            Self::Unimplemented { what, .. } => what.clone(),
            Self::Deadlock { signal, has, needs } => Waiting(*signal, has, needs).to_string(),
            other => other.to_string(),
        }
    }

    /// What the device would log.
    pub fn log(&self) -> &[String] {
        match self {
            Self::Unspecified { log, .. } | Self::Unimplemented { log, .. } => log,
            _ => &[],
        }
    }

    pub(crate) fn unimplemented(what: impl Into<String>) -> Self {
        Self::Unimplemented { what: what.into(), log: Vec::new() }
    }
}

/// The headline of a verdict as a sentence.
struct Illegal<'a>(&'a Verdict);

impl fmt::Display for Illegal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.headline() {
            Some(rule) => write!(f, "{}: {}", rule.name, rule.saw())?,
            None => f.write_str(self.0.judgement.first_failed.unwrap_or("a rule refuses it"))?,
        }
        match self.0.note {
            Some(note) => write!(f, " ({note})"),
            None => Ok(()),
        }
    }
}

/// What a word waits for, as a sentence.
struct Waiting<'a>(Signal, &'a str, &'a str);

impl fmt::Display for Waiting<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(signal, has, needs) = self;
        write!(f, "the word waits until {signal} is {needs}, it is {has}, and no other stream is there to change it")
    }
}

/// Why an address is none, as half a sentence.
struct InvalidAddress(u32);

impl fmt::Display for InvalidAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match Addr4(self.0).marker() {
            Marker::Imm => "it lies in no memory of this generation",
            _ => "addresses are below 0x20000000",
        })
    }
}

/// Why an operand is out of bounds, as a sentence.
struct OutOfBounds(Operand, Memory, u32, i64, u32);

impl fmt::Display for OutOfBounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(operand, memory, partition, offset, limit) = self;
        let name = memory.name();
        if *partition >= PARTITIONS {
            return write!(
                f,
                "{operand} runs out of partitions: the channels go on to {name} partition {partition}, and the last is {}; \
                 start lower or take fewer channels",
                PARTITIONS - 1
            );
        }
        let (sign, magnitude) = if *offset < 0 { ("-", offset.unsigned_abs()) } else { ("", offset.unsigned_abs()) };
        write!(
            f,
            "{operand} leaves {name} partition {partition}: an element at offset {sign}{magnitude:#x} does not lie within \
             the {limit:#x} active bytes; check start address, steps and counts"
        )
    }
}

/// Something worth a remark about a word that ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Warning {
    /// A source and the destination share bytes other than element on same element.
    Overlap {
        /// The source.
        operand: Operand,
    },
    /// A source byte that nothing wrote was read as zero.
    Uninitialized {
        /// The source.
        operand: Operand,
        /// Its memory.
        memory: Memory,
        /// The first such partition.
        partition: u32,
        /// The first such byte offset in it, in walk order.
        offset: u32,
    },
    /// A semaphore passed an end of its 32 bits.
    SemaphoreWrapped {
        /// The semaphore.
        index: u8,
        /// Value before.
        before: u32,
        /// Value after.
        after: u32,
    },
    /// No engine's gate takes the word; it ran by its structure alone.
    NoEngine,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Overlap { operand } => write!(
                f,
                "{operand} and dst overlap; vq7 reads, computes and writes element by element in walk order, per partition, \
                 and no source says what the device does"
            ),
            Self::Uninitialized { operand, memory, partition, offset } => write!(
                f,
                "{operand} read bytes that nothing wrote as zeros, first in {} partition {partition} at offset {offset:#x}",
                memory.name()
            ),
            Self::SemaphoreWrapped { index, before, after } => {
                write!(f, "semaphore {index} wrapped at 32 bits: {before} became {after}")
            }
            Self::NoEngine => {
                f.write_str("neither POOL nor DVE takes this word; it ran by the rules of its structure alone")
            }
        }
    }
}
