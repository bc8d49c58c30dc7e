//! The grammar of names: `ADD` `S` `NX16` `T` is the stem, its modifiers, the lanes, and what follows.
//!
//! A name is a stem, a lane shape, and a tail. Stem and tail are letters, digits and `_`; the shapes are those of [`SHAPES`].

use std::fmt;

/// The shape of the lanes that a name says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// As names write it.
    pub text: &'static str,
    /// Lanes.
    pub lanes: u8,
    /// Bits of a lane.
    pub bits: u8,
    /// Whether lanes are floats.
    pub float: bool,
}

const fn shape(text: &'static str, lanes: u8, bits: u8, float: bool) -> Shape {
    Shape { text, lanes, bits, float }
}

/// Every shape, longer texts before their beginnings. N is 32: `2NX8` are 64 lanes of 8 bits, `N_2X32` 16 of 32.
pub const SHAPES: [Shape; 17] = [
    shape("N_2XF32", 16, 32, true),
    shape("N_2X64W", 16, 96, false),
    shape("N_2X96", 16, 96, false),
    shape("N_2X32", 16, 32, false),
    shape("N_2X16", 16, 16, false),
    shape("N_4X64", 8, 64, false),
    shape("2NX24", 64, 24, false),
    shape("2NX16", 64, 16, false),
    shape("2NX8", 64, 8, false),
    shape("NXF16", 32, 16, true),
    shape("NX48", 32, 48, false),
    shape("NX32", 32, 32, false),
    shape("NX16", 32, 16, false),
    shape("NX8", 32, 8, false),
    shape("N16", 32, 16, false),
    shape("2N8", 64, 8, false),
    shape("2N", 64, 1, false),
];

/// A name, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name<'a> {
    /// What is done, with its modifiers: `ADD`, `ADDS`, `CVTF32`.
    pub stem: &'a str,
    /// On which lanes; none for scalars and moves without lanes.
    pub shape: Option<Shape>,
    /// What follows: `T` for merging forms, `_IP` for addressing, `_4STEP0`.
    pub tail: &'a str,
}

impl<'a> Name<'a> {
    /// Takes a name apart, without the `IVP_` of the vector package. The lanes are the first shape after the stem's first
    /// letter.
    #[must_use]
    pub fn parse(name: &'a str) -> Self {
        let at = |start: usize| {
            let rest = name.get(start..)?;
            // `CVTF32NXF16`: the 2 belongs to the number before it.
            let digit = |at: usize| name.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
            if digit(start) && digit(start - 1) {
                return None;
            }
            SHAPES.iter().find(|shape| rest.starts_with(shape.text)).map(|shape| (start, *shape))
        };
        let Some((start, shape)) = (1..name.len()).find_map(at) else {
            return Self { stem: name, shape: None, tail: "" };
        };
        let (stem, rest) = name.split_at(start);
        Self { stem, shape: Some(shape), tail: rest.get(shape.text.len()..).unwrap_or_default() }
    }

    /// Whether it merges its result into the old one under a predicate.
    #[must_use]
    pub fn is_merging(&self) -> bool {
        self.shape.is_some() && self.tail.split('_').next().is_some_and(|form| form.ends_with('T'))
    }
}

/// The name again.
impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}{}", self.stem, self.shape.map_or("", |shape| shape.text), self.tail)
    }
}
