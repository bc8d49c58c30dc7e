//! What a program says, before names are resolved.

use crate::diagnostic::Span;
use vq7_isa::header::Events;
use vq7_isa::{Dtype, Word};

/// A piece of the program and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Spanned<T> {
    pub value: T,
    pub span: Span,
}

pub(crate) type Name = Spanned<String>;

/// One line.
#[derive(Clone, Debug)]
pub(crate) enum Statement {
    /// `target trn2`
    Target(Name),
    /// `engine pool`
    Engine(Name),
    /// `policy round=zero`; the parser keeps what it says, since dtype names depend on it.
    Policy,
    /// `tensor x: int32[128, 512] at 0x1000 = [1, 2, ..0]`, and `input x: .. <- "x.npy"`
    Tensor(TensorDecl),
    /// `const c: uint32 = 32`
    Const { name: Name, dtype: Dtype, value: Name },
    /// `hi: uint64 = logical_shift_right(p, 32) $S[1]>0`
    Assign(Assign),
    /// `repeat 10 { .. }`
    Repeat { count: Spanned<u32>, body: Vec<Spanned<Statement>> },
    /// `output x -> "x.npy"`
    Output { name: Name, path: Option<String> },
    /// `expect x[0..3] == [1, 2, 3]`
    Expect { range: ElementRange, values: Vec<Name> },
    /// `show x[0..3]`
    Show(ElementRange),
    /// A canonical instruction word.
    Word(Word),
}

/// A tensor to be placed.
#[derive(Clone, Debug)]
pub(crate) struct TensorDecl {
    pub name: Name,
    pub dtype: Dtype,
    pub shape: Spanned<Vec<usize>>,
    pub place: Option<Place>,
    pub init: Option<Init>,
    /// `Some` when the tensor is an input; the path that `--in` replaces.
    pub input: Option<Option<String>>,
}

/// `at 0x1000` or `at 32:0x1000`: first partition, byte offset.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub partition: u32,
    pub offset: u32,
    pub span: Span,
}

/// What a tensor holds before the first word.
#[derive(Clone, Debug)]
pub(crate) struct Init {
    /// Values from the first element on, in row-major order.
    pub values: Vec<Name>,
    /// What the rest holds; `None` when the list must be complete.
    pub rest: Option<Rest>,
    pub span: Span,
}

/// How a list of values goes on.
#[derive(Clone, Debug)]
pub(crate) enum Rest {
    /// Every further element is this value.
    Fill(Name),
    /// Every further element is its own row-major index.
    Iota,
}

/// One word in the form for people.
#[derive(Clone, Debug)]
pub(crate) struct Assign {
    pub dst: View,
    pub dtype: Option<Dtype>,
    pub op: Name,
    pub args: Vec<Arg>,
    pub events: Events,
}

/// An operand of an op.
#[derive(Clone, Debug)]
pub(crate) enum Arg {
    View(View),
    /// A number: the same for every element.
    Literal(Name),
}

/// A tensor, or a part of it: `x`, `x[0:64, :, ::-2]`.
#[derive(Clone, Debug)]
pub(crate) struct View {
    pub name: Name,
    pub slices: Vec<Spanned<Slice>>,
}

/// `from:to:step` of one axis, as NumPy reads it: `to` is not reached, and a negative step walks down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Slice {
    pub from: Option<usize>,
    pub to: Option<usize>,
    pub step: Option<i32>,
}

/// Elements of a tensor by row-major index, `x[0..3]`; the whole tensor without brackets.
#[derive(Clone, Debug)]
pub(crate) struct ElementRange {
    pub name: Name,
    pub range: Option<std::ops::Range<usize>>,
}
