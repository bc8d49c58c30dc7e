//! The mnemonics: one row each, with operands, stages, placement and the leaf that answers for its values.
//!
//! Signed, unsigned, saturating and merging variants are rows of their own with the same timing. Rows and their grounds:
//! docs/spec/iss-mnemonics.md.

pub mod census;
mod compare;
mod float;
mod integer;
mod memory;
mod moves;
mod multiply;
pub mod name;
mod row;
mod scalar;
mod select;
mod shift;

pub use row::{Body, Flow, Layout, Mnemonic, Operand, Role};

use std::collections::BTreeMap;
use std::sync::LazyLock;

static TABLE: LazyLock<Vec<Mnemonic>> = LazyLock::new(|| {
    let tables = [
        integer::ROWS,
        compare::ROWS,
        float::ROWS,
        shift::ROWS,
        select::ROWS,
        multiply::ROWS,
        moves::ROWS,
        memory::ROWS,
        scalar::ROWS,
    ];
    tables.into_iter().flatten().map(row::Row::build).collect()
});

/// Every mnemonic, the scalar and pseudo ones last.
pub fn all() -> impl Iterator<Item = &'static Mnemonic> + Clone {
    TABLE.iter()
}

/// The mnemonic of a name, in any case, with or without `IVP_`.
#[must_use]
pub fn find(name: &str) -> Option<&'static Mnemonic> {
    static BY_NAME: LazyLock<BTreeMap<&'static str, &'static Mnemonic>> =
        LazyLock::new(|| all().map(|row| (row.name, row)).collect());
    let upper = name.to_ascii_uppercase();
    // The scalar ADD and the vector names never collide: vector names end in their lanes.
    BY_NAME.get(upper.strip_prefix("IVP_").unwrap_or(&upper)).copied()
}

#[cfg(test)]
mod tests;
