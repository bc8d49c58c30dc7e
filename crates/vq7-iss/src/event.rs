//! What happens in the core, told to whoever listens.
//!
//! # Order
//!
//! Within a cycle, from first to last:
//!
//! 1. **stage** of every op in flight, then **latch** and **lane** of the ops in flight, the oldest bundle first, slots ascending; of one op its operands in order,
//!    then its lanes from lane 0 up.
//! 2. **commit** of the results that are due, the oldest issue first, then **retire** of the bundles that are done.
//! 3. **decode** of the next bundle, once; then **stall**, once per cycle that it waits, or **issue**.
//!
//! An op that issued in cycle `t` is in stage `n` in cycle `t + n`: after its issue nothing makes it wait. A value that control
//! or the write buffer needs early (the condition of a branch, the data of a store that a younger load reads) is worked out
//! when it is asked for, so its latch and lane events come before their cycle; the cycle that they carry is the stage's.
//!
//! Listeners change nothing. A run without a listener ([`Silent`]) is a different instantiation, which makes no events.

use crate::timing::Cell;

/// An op in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OpRef {
    /// Number of the issue in the run, from 0.
    pub issue: u64,
    /// Number of the bundle in the program.
    pub bundle: u32,
    /// Slot of the op.
    pub slot: u8,
}

/// Why a bundle waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// For an operand whose definition is in flight. Each stalled cycle has one owner.
    Operand {
        /// Slot of the op that reads it.
        slot: u8,
        /// Register.
        cell: Cell,
        /// The op that defines it.
        producer: OpRef,
    },
    /// For the memory system.
    Memory,
    /// For the bundle that a taken branch leads to.
    Branch,
}

/// Something that listens to a core.
pub trait Observer {
    /// Whether events are to be made at all.
    const LISTENS: bool = true;

    /// A bundle is looked at for the first time.
    fn decode(&mut self, _cycle: u64, _issue: u64, _bundle: u32) {}
    /// It waits for one cycle.
    fn stall(&mut self, _cycle: u64, _issue: u64, _bundle: u32, _cause: Cause) {}
    /// It issues: this is its stage 0.
    fn issue(&mut self, _cycle: u64, _issue: u64, _bundle: u32) {}
    /// An op is in a stage: the trace cursor is (slot, stage), and the decode bitmap has the op's bit and no other.
    fn stage(&mut self, _cycle: u64, _op: OpRef, _stage: u8, _bitmap: &[u8]) {}
    /// An op takes the value of an operand.
    fn latch(&mut self, _cycle: u64, _op: OpRef, _cell: Cell, _value: &[u8]) {}
    /// The oracle answered for one lane.
    fn lane(&mut self, _cycle: u64, _op: OpRef, _leaf: &'static str, _lane: u32, _value: u128) {}
    /// A result reaches its register file.
    fn commit(&mut self, _cycle: u64, _op: OpRef, _cell: Cell, _value: &[u8]) {}
    /// All results of a bundle are where they belong.
    fn retire(&mut self, _cycle: u64, _issue: u64, _bundle: u32) {}
    /// A bundle is squashed.
    fn kill(&mut self, _cycle: u64, _issue: u64, _bundle: u32) {}
}

/// Nobody listens.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    const LISTENS: bool = false;
}

/// A listener that is lent.
impl<T: Observer> Observer for &mut T {
    const LISTENS: bool = T::LISTENS;

    fn decode(&mut self, cycle: u64, issue: u64, bundle: u32) {
        T::decode(self, cycle, issue, bundle);
    }
    fn stall(&mut self, cycle: u64, issue: u64, bundle: u32, cause: Cause) {
        T::stall(self, cycle, issue, bundle, cause);
    }
    fn issue(&mut self, cycle: u64, issue: u64, bundle: u32) {
        T::issue(self, cycle, issue, bundle);
    }
    fn stage(&mut self, cycle: u64, op: OpRef, stage: u8, bitmap: &[u8]) {
        T::stage(self, cycle, op, stage, bitmap);
    }
    fn latch(&mut self, cycle: u64, op: OpRef, cell: Cell, value: &[u8]) {
        T::latch(self, cycle, op, cell, value);
    }
    fn lane(&mut self, cycle: u64, op: OpRef, leaf: &'static str, lane: u32, value: u128) {
        T::lane(self, cycle, op, leaf, lane, value);
    }
    fn commit(&mut self, cycle: u64, op: OpRef, cell: Cell, value: &[u8]) {
        T::commit(self, cycle, op, cell, value);
    }
    fn retire(&mut self, cycle: u64, issue: u64, bundle: u32) {
        T::retire(self, cycle, issue, bundle);
    }
    fn kill(&mut self, cycle: u64, issue: u64, bundle: u32) {
        T::kill(self, cycle, issue, bundle);
    }
}

/// Two listeners, the first one first.
impl<A: Observer, B: Observer> Observer for (A, B) {
    const LISTENS: bool = A::LISTENS || B::LISTENS;

    fn decode(&mut self, cycle: u64, issue: u64, bundle: u32) {
        self.0.decode(cycle, issue, bundle);
        self.1.decode(cycle, issue, bundle);
    }
    fn stall(&mut self, cycle: u64, issue: u64, bundle: u32, cause: Cause) {
        self.0.stall(cycle, issue, bundle, cause);
        self.1.stall(cycle, issue, bundle, cause);
    }
    fn issue(&mut self, cycle: u64, issue: u64, bundle: u32) {
        self.0.issue(cycle, issue, bundle);
        self.1.issue(cycle, issue, bundle);
    }
    fn stage(&mut self, cycle: u64, op: OpRef, stage: u8, bitmap: &[u8]) {
        self.0.stage(cycle, op, stage, bitmap);
        self.1.stage(cycle, op, stage, bitmap);
    }
    fn latch(&mut self, cycle: u64, op: OpRef, cell: Cell, value: &[u8]) {
        self.0.latch(cycle, op, cell, value);
        self.1.latch(cycle, op, cell, value);
    }
    fn lane(&mut self, cycle: u64, op: OpRef, leaf: &'static str, lane: u32, value: u128) {
        self.0.lane(cycle, op, leaf, lane, value);
        self.1.lane(cycle, op, leaf, lane, value);
    }
    fn commit(&mut self, cycle: u64, op: OpRef, cell: Cell, value: &[u8]) {
        self.0.commit(cycle, op, cell, value);
        self.1.commit(cycle, op, cell, value);
    }
    fn retire(&mut self, cycle: u64, issue: u64, bundle: u32) {
        self.0.retire(cycle, issue, bundle);
        self.1.retire(cycle, issue, bundle);
    }
    fn kill(&mut self, cycle: u64, issue: u64, bundle: u32) {
        self.0.kill(cycle, issue, bundle);
        self.1.kill(cycle, issue, bundle);
    }
}
