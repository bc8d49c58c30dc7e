//! Why a leaf gave nothing.

use super::bits::Bits;
use super::row::Leaf;
use std::fmt;

/// Why a leaf gave nothing: what was asked, what is wrong, what to write instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeafError {
    /// No leaf has the name.
    Unknown {
        /// What was asked for.
        name: String,
        /// Names that may have been meant, the likeliest first.
        near: Vec<&'static str>,
    },
    /// Too few inputs, or too many.
    Count {
        /// The leaf.
        leaf: &'static Leaf,
        /// How many were given.
        given: usize,
    },
    /// An input with bits above its width.
    TooWide {
        /// The leaf.
        leaf: &'static Leaf,
        /// Which input, from 0.
        input: usize,
        /// The value.
        value: Box<Bits>,
    },
    /// A round mode above 3.
    RoundMode {
        /// The leaf.
        leaf: &'static Leaf,
        /// Which input, from 0.
        input: usize,
        /// The value.
        value: Box<Bits>,
    },
    /// A leaf that no source gives a rule for.
    Unimplemented {
        /// The leaf.
        leaf: &'static Leaf,
        /// What is missing.
        reason: &'static str,
    },
}

impl fmt::Display for LeafError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { name, near } => {
                write!(f, "no leaf is named `{name}`")?;
                match &near[..] {
                    [] => write!(f, "; `vq7 leaf --list` lists the names"),
                    near => write!(f, "; did you mean `{}`?", near.join("` or `")),
                }
            }
            Self::Count { leaf, given } => {
                let inputs: Vec<_> = leaf.inputs.iter().map(ToString::to_string).collect();
                let (wanted, plural) = (inputs.len(), if inputs.len() == 1 { "" } else { "s" });
                write!(f, "{} takes {wanted} input{plural} ({}), not {given}", leaf.name, inputs.join(", "))
            }
            Self::TooWide { leaf, input, value } => {
                let port = port(leaf, *input);
                let needs = value.width();
                write!(f, "input {} of {} is {port}; {value:?} needs {needs} bits", input + 1, leaf.name)
            }
            Self::RoundMode { leaf, input, value } => write!(
                f,
                "input {} of {} is the round mode, not {value:?}: 0 nearest even, 1 toward zero, 2 up, 3 down",
                input + 1,
                leaf.name
            ),
            Self::Unimplemented { leaf, reason } => write!(f, "{} is not modelled: {reason}", leaf.name),
        }
    }
}

/// An input's port as text.
fn port(leaf: &Leaf, input: usize) -> String {
    leaf.inputs.get(input).map(ToString::to_string).unwrap_or_default()
}

impl std::error::Error for LeafError {}
