//! The body of a loop before it has registers and cycles: steps on variables.
//!
//! A variable is a register that some steps write and others read. A step may update a variable (the merging forms,
//! accumulators), so a variable can have several writers; they take effect in the order of the steps.

use vq7_iss::mnemonic::{self, Mnemonic};
use vq7_iss::timing::Bank;

/// Bytes of a vector register.
pub const VECTOR: u32 = 64;

/// A variable of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Var(pub u16);

/// Which tensor an access belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stream {
    /// src0
    Src0,
    /// src1
    Src1,
    /// dst
    Dst,
}

/// One load or store of the body: a stretch of its stream, relative to where the unit begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    /// The tensor.
    pub stream: Stream,
    /// Bytes from the unit's first element.
    pub offset: u32,
    /// Bytes that the instruction moves.
    pub bytes: u32,
    /// Bytes of an element in memory.
    pub element: u32,
    /// Lanes of the register that one element takes: 2 for the halves of a 64-bit element, else 1.
    pub lanes_per_element: u32,
    /// Bits of a lane of the register.
    pub lane_bits: u32,
}

/// An operand of a step, in the order of the assembly text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// A variable.
    Var(Var),
    /// An immediate.
    Imm(i64),
    /// The address register of an access; the number counts accesses.
    Address(u16),
    /// The address register of the pool, and the constant that is read there.
    Pool(Var),
}

/// One op of the body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Its row.
    pub mnemonic: &'static Mnemonic,
    /// Its operands in the order of the assembly text.
    pub values: Vec<Value>,
}

/// What a variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Its register file.
    pub file: Bank,
    /// The bytes that it holds all the time; `None` for a variable that steps write.
    pub constant: Option<[u8; VECTOR as usize]>,
}

/// The steps for one unit of elements.
#[derive(Clone, Debug, Default)]
pub struct Flow {
    /// Elements of a unit.
    pub unit: u32,
    /// The variables.
    pub slots: Vec<Slot>,
    /// The steps, in an order in which they could run one by one.
    pub steps: Vec<Step>,
    /// The accesses.
    pub accesses: Vec<Access>,
    /// First mnemonic that the table lacks; then the flow is of no use.
    pub missing: Option<String>,
    /// Elements by which accesses are shifted: the unit that is being written when a body holds several.
    shift: u32,
}

impl Flow {
    /// An empty body for units of `unit` elements.
    pub fn new(unit: u32) -> Self {
        Self { unit, ..Self::default() }
    }

    /// From now on steps belong to the `copy`-th unit of the body.
    pub fn begin_unit(&mut self, copy: u32) {
        self.shift = copy.saturating_mul(self.unit);
    }

    /// A new variable.
    pub fn variable(&mut self, file: Bank) -> Var {
        self.push(Slot { file, constant: None })
    }

    fn push(&mut self, slot: Slot) -> Var {
        self.slots.push(slot);
        // A body has some hundred variables at most.
        Var((self.slots.len() - 1) as u16)
    }

    /// The variable that holds these bytes.
    pub fn bytes(&mut self, bytes: [u8; VECTOR as usize]) -> Var {
        match self.slots.iter().position(|slot| slot.constant == Some(bytes)) {
            Some(index) => Var(index as u16),
            None => self.push(Slot { file: Bank::Vec, constant: Some(bytes) }),
        }
    }

    /// The variable that holds a 32-bit word in every lane.
    pub fn word(&mut self, word: u32) -> Var {
        let bytes = word.to_le_bytes();
        self.bytes(std::array::from_fn(|index| bytes.get(index % 4).copied().unwrap_or(0)))
    }

    /// The variable that holds a lane of `bits` bits in every lane.
    pub fn lane(&mut self, bits: u32, value: u32) -> Var {
        match bits {
            8 => self.word((value & 0xFF).wrapping_mul(0x0101_0101)),
            16 => self.word((value & 0xFFFF).wrapping_mul(0x0001_0001)),
            _ => self.word(value),
        }
    }

    fn step(&mut self, name: &str, values: Vec<Value>) {
        match mnemonic::find(name) {
            Some(row) => self.steps.push(Step { mnemonic: row, values }),
            None => {
                self.missing.get_or_insert_with(|| name.to_owned());
            }
        }
    }

    fn writing(&mut self, file: Bank, name: &str, sources: &[Value]) -> Var {
        let result = self.variable(file);
        let values = [Value::Var(result)].into_iter().chain(sources.iter().copied()).collect();
        self.step(name, values);
        result
    }

    /// A step that writes a vector.
    pub fn op(&mut self, name: &str, sources: &[Var]) -> Var {
        let sources: Vec<Value> = sources.iter().copied().map(Value::Var).collect();
        self.writing(Bank::Vec, name, &sources)
    }

    /// A step on one vector and an immediate.
    pub fn op_imm(&mut self, name: &str, source: Var, immediate: i64) -> Var {
        self.writing(Bank::Vec, name, &[Value::Var(source), Value::Imm(immediate)])
    }

    /// A step that writes predicates.
    pub fn test(&mut self, name: &str, sources: &[Var]) -> Var {
        let sources: Vec<Value> = sources.iter().copied().map(Value::Var).collect();
        self.writing(Bank::Vbool, name, &sources)
    }

    /// A step that writes a wide accumulator.
    pub fn wide(&mut self, name: &str, sources: &[Var]) -> Var {
        let sources: Vec<Value> = sources.iter().copied().map(Value::Var).collect();
        self.writing(Bank::Wvec, name, &sources)
    }

    /// A step that updates `target`.
    pub fn update(&mut self, name: &str, target: Var, sources: &[Var]) {
        let values = [target].iter().chain(sources).copied().map(Value::Var).collect();
        self.step(name, values);
    }

    /// A step that updates `target` and takes an immediate last.
    pub fn update_imm(&mut self, name: &str, targets: &[Var], sources: &[Var], immediate: i64) {
        let values = targets.iter().chain(sources).copied().map(Value::Var).chain([Value::Imm(immediate)]).collect();
        self.step(name, values);
    }

    /// `target` becomes `source` where `guard` holds.
    pub fn merge(&mut self, target: Var, source: Var, guard: Var) {
        self.update("MOV2NX8T", target, &[source, guard]);
    }

    /// A copy that later steps may update.
    pub fn copy(&mut self, source: Var) -> Var {
        self.op("MOVVV", &[source])
    }

    /// DSEL: the lanes that the first half of `control` names, and those that the second half names.
    pub fn split(&mut self, name: &str, low: Var, high: Var, control: Var) -> (Var, Var) {
        let (second, first) = (self.variable(Bank::Vec), self.variable(Bank::Vec));
        let values = [second, first, low, high, control].into_iter().map(Value::Var).collect();
        self.step(name, values);
        (first, second)
    }

    fn access(&mut self, access: Access) -> Value {
        let offset = access.offset.saturating_add(self.shift.saturating_mul(access.element));
        self.accesses.push(Access { offset, ..access });
        Value::Address((self.accesses.len() - 1) as u16)
    }

    /// A load. The immediate, by which its address register moves on, is filled in by the emitter.
    pub fn load(&mut self, name: &str, access: Access) -> Var {
        let result = self.variable(Bank::Vec);
        let address = self.access(access);
        self.step(name, vec![Value::Var(result), address, Value::Imm(0)]);
        result
    }

    /// A store.
    pub fn store(&mut self, name: &str, value: Var, access: Access) {
        let address = self.access(access);
        self.step(name, vec![Value::Var(value), address, Value::Imm(0)]);
    }

    /// A store of the lanes where `guard` holds.
    pub fn store_where(&mut self, name: &str, value: Var, guard: Var, access: Access) {
        let address = self.access(access);
        self.step(name, vec![Value::Var(value), address, Value::Imm(0), Value::Var(guard)]);
    }
}
