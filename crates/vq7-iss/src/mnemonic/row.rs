//! The row of a mnemonic, and the macro that tables of rows are written with.

use crate::format::SlotSet;
use crate::placement::Placement;
use crate::timing::{Bank, EXECUTE};
use crate::work::ScalarOp;
use vq7_num::leaf::{self, Grounds, Leaf};

/// What an operand is to its op.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Written.
    Def,
    /// Read.
    Use,
    /// Read and written: merging forms, accumulators.
    Update,
    /// A base register of an address.
    Base,
    /// A base register that the access moves on.
    PostBase,
    /// A constant of the instruction: bits, whether signed, and what one step of it counts.
    Immediate {
        /// Bits of the field.
        bits: u8,
        /// Whether it is signed.
        signed: bool,
        /// What one step counts.
        scale: u16,
    },
    /// A label of the program.
    Label,
}

/// One operand, in the order of the assembly text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand {
    /// What it is.
    pub role: Role,
    /// The register file; AR for constants, which have none.
    pub bank: Bank,
    /// The stage at which it is read; 0 if it is not.
    pub use_stage: u8,
    /// The stage that defines it; 0 if it is not written.
    pub def_stage: u8,
}

/// What the elements in memory are in a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// The bytes as they are.
    Plain,
    /// Elements of the first width, lanes of the second, sign-extended or not.
    Elements(u8, u8, bool),
}

/// How control goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "named as the mnemonics are")]
pub enum Flow {
    Loop,
    LoopNez,
    LoopGtz,
    Beqz,
    Bnez,
    Beq,
    Bne,
    Blt,
    Bge,
    Bltu,
    Bgeu,
    Jump,
}

/// What the op does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// Nothing.
    Nop,
    /// Asks for a leaf.
    Leaf(&'static Leaf),
    /// A register as it is.
    Copy,
    /// An accumulator as it is.
    CopyWide,
    /// Bytes where the guard is true.
    Bytes,
    /// A scalar or a constant to every lane of a width.
    Spread(u8),
    /// One lane of a width to every lane.
    Replicate(u8),
    /// One lane of a width to a scalar register, sign-extended or not.
    Extract(u8, bool),
    /// Two vectors to an accumulator: width of their lanes, of its lanes, sign-extended or not.
    Widen(u8, u8, bool),
    /// Reads that many bytes.
    Load(u8, Layout),
    /// Writes that many bytes.
    Store(u8, Layout),
    /// Scalar arithmetic.
    Scalar(ScalarOp),
    /// Directs control.
    Flow(Flow),
    /// No source gives the rule: it can be placed and timed, and does nothing.
    Unknown,
}

/// One mnemonic. The rows of the tables in this folder are all of them; nothing else lists mnemonics.
#[derive(Clone, Debug)]
pub struct Mnemonic {
    /// The name without the `IVP_` of the vector package.
    pub name: &'static str,
    /// Operands in the order of the assembly text.
    pub operands: Vec<Operand>,
    /// Stage of the result; 0 where there is none.
    pub def: u8,
    /// Which slots host it.
    pub placement: Placement,
    /// What it does.
    pub body: Body,
    /// Row in the source's table of opcodes, where printed.
    pub opc: Option<u16>,
    /// The opcode selector of the slot word in its home slot, where printed (docs/spec/iss-encoding.md).
    pub selector: Option<u32>,
    /// How well the row is known.
    pub grounds: Grounds,
    /// The slots of the placement class.
    pub slots: SlotSet,
}

impl PartialEq for Mnemonic {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Mnemonic {}

impl Mnemonic {
    /// Whether it belongs to the vector package.
    #[must_use]
    pub fn is_vector(&self) -> bool {
        self.placement != Placement::Scalar && !self.is_pseudo() && !matches!(self.body, Body::Nop)
    }

    /// Whether it stands for something that no single instruction does.
    #[must_use]
    pub fn is_pseudo(&self) -> bool {
        self.name.starts_with("VQ7.")
    }

    /// The text of the name: lower case, vector ops with `ivp_`.
    #[must_use]
    pub fn text(&self) -> String {
        format!("{}{}", if self.is_vector() { "ivp_" } else { "" }, self.name.to_ascii_lowercase())
    }

    /// Whether it reads or writes memory.
    #[must_use]
    pub const fn is_access(&self) -> bool {
        matches!(self.body, Body::Load(..) | Body::Store(..))
    }

    /// Whether it writes memory.
    #[must_use]
    pub const fn is_store(&self) -> bool {
        matches!(self.body, Body::Store(..))
    }
}

/// A row as the tables write it.
pub(super) struct Row {
    pub name: &'static str,
    pub shape: &'static str,
    pub def: u8,
    pub placement: Placement,
    pub body: RowBody,
    pub opc: u16,
    pub selector: Option<u32>,
    pub grounds: Grounds,
}

/// A body before its leaf is looked up.
pub(super) enum RowBody {
    Leaf(&'static str),
    Is(Body),
}

impl Row {
    pub fn build(&self) -> Mnemonic {
        let body = match self.body {
            // A name that the library lacks has no rule; a test holds every row's leaf against the library.
            RowBody::Leaf(name) => leaf::find(name).filter(|leaf| leaf.is_modelled()).map_or(Body::Unknown, Body::Leaf),
            RowBody::Is(body) => body,
        };
        Mnemonic {
            name: self.name,
            operands: operands(self.shape, self.def),
            def: self.def,
            placement: self.placement,
            body,
            opc: (self.opc != 0).then_some(self.opc),
            selector: self.selector,
            grounds: self.grounds,
            slots: self.placement.slots(),
        }
    }
}

/// Operands of a shape.
///
/// Capitals are written, small letters read: `V v` vector, `B b` predicate, `W w` accumulator, `A a` scalar; `U`, `C`, `X`
/// update a vector, a predicate, an accumulator. `i5` is an unsigned constant of five bits, `s8` a signed one. `L S T` begin
/// the shapes of loads, stores and guarded stores: `i64` a base and a constant that counts 64 bytes, `p64` the same moving
/// the base on, `x` and `q` with a register in place of the constant. `R` shapes are scalar: see [`scalar`].
fn operands(shape: &str, def: u8) -> Vec<Operand> {
    let mut chars = shape.chars();
    match chars.next() {
        Some(kind @ ('L' | 'S' | 'T')) => return access(kind, chars.as_str()),
        Some('R') => return scalar(chars.as_str(), def),
        _ => {}
    }
    let mut list = Vec::new();
    let mut rest = shape.chars().peekable();
    while let Some(letter) = rest.next() {
        let number = if matches!(letter, 'i' | 's') {
            std::iter::from_fn(|| rest.next_if(char::is_ascii_digit)).collect::<String>().parse().unwrap_or(0)
        } else {
            0
        };
        list.push(one(letter, number, def));
    }
    list
}

const fn one(letter: char, bits: u8, def: u8) -> Operand {
    let (role, bank) = match letter {
        'V' => (Role::Def, Bank::Vec),
        'v' => (Role::Use, Bank::Vec),
        'U' => (Role::Update, Bank::Vec),
        'B' => (Role::Def, Bank::Vbool),
        'b' => (Role::Use, Bank::Vbool),
        'C' => (Role::Update, Bank::Vbool),
        'W' => (Role::Def, Bank::Wvec),
        'w' => (Role::Use, Bank::Wvec),
        'X' => (Role::Update, Bank::Wvec),
        'A' => (Role::Def, Bank::Ar),
        'i' => (Role::Immediate { bits, signed: false, scale: 1 }, Bank::Ar),
        's' => (Role::Immediate { bits, signed: true, scale: 1 }, Bank::Ar),
        _ => (Role::Use, Bank::Ar),
    };
    let use_stage = match (role, bank) {
        (Role::Use, Bank::Ar) => 3,
        // Accumulators of multiplies are read and written at 12; packs read them at 10.
        (Role::Update, Bank::Wvec) => 12,
        (Role::Use | Role::Update, _) => EXECUTE,
        _ => 0,
    };
    let def_stage = if matches!(role, Role::Def | Role::Update) { def } else { 0 };
    Operand { role, bank, use_stage, def_stage }
}

fn access(kind: char, addressing: &str) -> Vec<Operand> {
    let load = kind == 'L';
    let data = match load {
        true => Operand { role: Role::Def, bank: Bank::Vec, use_stage: 0, def_stage: EXECUTE },
        false => one('v', 0, 0),
    };
    let mut chars = addressing.chars();
    let mode = chars.next().unwrap_or('i');
    let scale: u16 = chars.as_str().parse().unwrap_or(1);
    let post = matches!(mode, 'p' | 'q');
    let role = if post { Role::PostBase } else { Role::Base };
    let base = Operand { role, bank: Bank::Ar, use_stage: 1, def_stage: post.into() };
    let offset = match mode {
        'i' | 'p' => Operand {
            role: Role::Immediate { bits: 4, signed: true, scale },
            bank: Bank::Ar,
            use_stage: 0,
            def_stage: 0,
        },
        _ => Operand { role: Role::Use, bank: Bank::Ar, use_stage: 1, def_stage: 0 },
    };
    let guard = (kind == 'T').then(|| one('b', 0, 0));
    [data, base, offset].into_iter().chain(guard).collect()
}

/// Scalar shapes: `A` a result; `a` an ALU source; `t` a branch or loop operand; `l` and `g` a base and a constant that
/// counts in elements of a load or store of that width; `d` the data of a store; `i`, `s` constants; `j` a label; `z` nothing.
fn scalar(shape: &str, def: u8) -> Vec<Operand> {
    let mut list = Vec::new();
    let mut rest = shape.chars().peekable();
    while let Some(letter) = rest.next() {
        let number: u16 =
            std::iter::from_fn(|| rest.next_if(char::is_ascii_digit)).collect::<String>().parse().unwrap_or(0);
        let plain = |role, use_stage, def_stage| Operand { role, bank: Bank::Ar, use_stage, def_stage };
        match letter {
            'A' => list.push(plain(Role::Def, 0, def)),
            'a' => list.push(plain(Role::Use, 4, 0)),
            't' => list.push(plain(Role::Use, 3, 0)),
            'd' => list.push(plain(Role::Use, 5, 0)),
            'l' => {
                list.push(plain(Role::Base, 1, 0));
                list.push(plain(Role::Immediate { bits: 8, signed: false, scale: number }, 0, 0));
            }
            'i' => list.push(plain(Role::Immediate { bits: number as u8, signed: false, scale: 1 }, 0, 0)),
            's' => list.push(plain(Role::Immediate { bits: number as u8, signed: true, scale: 1 }, 0, 0)),
            'F' => list.push(Operand { role: Role::Def, bank: Bank::Fcr, use_stage: 0, def_stage: 12 }),
            'G' => list.push(Operand { role: Role::Def, bank: Bank::Fsr, use_stage: 0, def_stage: 14 }),
            'f' => list.push(Operand { role: Role::Use, bank: Bank::Fcr, use_stage: EXECUTE, def_stage: 0 }),
            'g' => list.push(Operand { role: Role::Use, bank: Bank::Fsr, use_stage: EXECUTE, def_stage: 0 }),
            'j' => list.push(plain(Role::Label, 0, 0)),
            // `z`: no operand.
            _ => {}
        }
    }
    list
}

macro_rules! body {
    (leaf $name:literal) => {
        $crate::mnemonic::row::RowBody::Leaf($name)
    };
    (copy) => {
        $crate::mnemonic::row::RowBody::Is($crate::mnemonic::Body::Copy)
    };
    (copywide) => {
        $crate::mnemonic::row::RowBody::Is($crate::mnemonic::Body::CopyWide)
    };
    (bytes) => {
        $crate::mnemonic::row::RowBody::Is($crate::mnemonic::Body::Bytes)
    };
    (unknown) => {
        $crate::mnemonic::row::RowBody::Is($crate::mnemonic::Body::Unknown)
    };
    (nop) => {
        $crate::mnemonic::row::RowBody::Is($crate::mnemonic::Body::Nop)
    };
    (spread $width:literal) => {
        $crate::mnemonic::row::RowBody::Is($crate::mnemonic::Body::Spread($width))
    };
    (replicate $width:literal) => {
        $crate::mnemonic::row::RowBody::Is($crate::mnemonic::Body::Replicate($width))
    };
    (extract ($width:literal, $signed:literal)) => {
        $crate::mnemonic::row::RowBody::Is($crate::mnemonic::Body::Extract($width, $signed))
    };
    (widen ($width:literal, $wide:literal, $signed:literal)) => {
        $crate::mnemonic::row::RowBody::Is($crate::mnemonic::Body::Widen($width, $wide, $signed))
    };
    (load $bytes:literal plain) => {
        $crate::mnemonic::row::RowBody::Is($crate::mnemonic::Body::Load($bytes, $crate::mnemonic::Layout::Plain))
    };
    (load $bytes:literal ($from:literal, $to:literal, $signed:literal)) => {
        $crate::mnemonic::row::RowBody::Is($crate::mnemonic::Body::Load(
            $bytes,
            $crate::mnemonic::Layout::Elements($from, $to, $signed),
        ))
    };
    (store $bytes:literal plain) => {
        $crate::mnemonic::row::RowBody::Is($crate::mnemonic::Body::Store($bytes, $crate::mnemonic::Layout::Plain))
    };
    (store $bytes:literal ($from:literal, $to:literal, $signed:literal)) => {
        $crate::mnemonic::row::RowBody::Is($crate::mnemonic::Body::Store(
            $bytes,
            $crate::mnemonic::Layout::Elements($from, $to, $signed),
        ))
    };
    (scalar $op:ident) => {
        $crate::mnemonic::row::RowBody::Is($crate::mnemonic::Body::Scalar($crate::work::ScalarOp::$op))
    };
    (flow $flow:ident) => {
        $crate::mnemonic::row::RowBody::Is($crate::mnemonic::Body::Flow($crate::mnemonic::Flow::$flow))
    };
}
pub(super) use body;

macro_rules! selector {
    (none) => {
        None
    };
    ($selector:literal) => {
        Some($selector)
    };
}
pub(super) use selector;

/// `name shape stage placement [body] opc# selector grounds;`, one row per mnemonic.
macro_rules! rows {
    ($($name:literal $shape:ident $def:literal $placement:ident [$($body:tt)*] $opc:literal $selector:tt $grounds:ident;)*) => {
        pub(super) const ROWS: &[$crate::mnemonic::row::Row] = &[$($crate::mnemonic::row::Row {
            name: $name,
            shape: stringify!($shape),
            def: $def,
            placement: $crate::placement::Placement::$placement,
            body: $crate::mnemonic::row::body!($($body)*),
            opc: $opc,
            selector: $crate::mnemonic::row::selector!($selector),
            grounds: vq7_num::leaf::Grounds::$grounds,
        }),*];
    };
}
pub(super) use rows;
