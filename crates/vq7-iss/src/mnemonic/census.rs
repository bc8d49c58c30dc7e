//! The 89 arithmetic mnemonics of the ALU slots. The source gives the number and the families and never the list: this is one
//! reconstruction that has the number, which therefore says nothing for it (docs/spec/iss-mnemonics.md, "The 89").

use super::{Mnemonic, find};

const INTEGER: [&str; 3] = ["2NX8", "NX16", "N_2X32"];
const FLOAT: [&str; 2] = ["NXF16", "N_2XF32"];

/// Stems, the lanes that each has, and what follows.
const FAMILIES: [(&[&str], &[&str], &str); 11] = [
    (&["ADD", "SUB", "NEG", "ABS", "MAX", "MIN", "MAXU", "MINU"], &INTEGER, ""),
    (&["ADDS", "SUBS", "NEGS", "ABSS", "ABSSSUB"], &["NX16"], ""),
    (&["ABSSUB", "ABSSUBU"], &["2NX8", "NX16"], ""),
    (&["MINORMAX", "MINORMAXU"], &["2NX8"], ""),
    (&["MULSGN", "MULSGNS"], &["NX16"], ""),
    (&["ADD", "SUB", "NEG", "ABS", "MIN", "MAX", "MINNUM", "MAXNUM", "ADDEXP", "ADDEXPM"], &FLOAT, ""),
    (&["ADD", "ADDS", "SUB", "SUBS", "MAX", "MAXU", "MIN", "MINU", "NEG", "NEGS"], &["NX16"], "T"),
    (&["ADD", "SUB"], &["2NX8"], "T"),
    (&["ADD", "SUB"], &["N_2X32"], "T"),
    (&["ADD", "SUB", "NEG", "ABS", "MIN", "MAX", "MINNUM", "MAXNUM", "ADDEXP"], &["NXF16"], "T"),
    (&["ADD", "SUB", "NEG", "ABS", "MIN", "MAX", "MINNUM", "MAXNUM", "ADDEXP"], &["N_2XF32"], "T"),
];

/// The names of the reconstruction.
pub fn names() -> impl Iterator<Item = String> {
    FAMILIES.into_iter().flat_map(|(stems, lanes, tail)| {
        stems.iter().flat_map(move |stem| lanes.iter().map(move |lanes| format!("{stem}{lanes}{tail}")))
    })
}

/// Their rows.
pub fn alu_arithmetic() -> impl Iterator<Item = &'static Mnemonic> {
    names().filter_map(|name| find(&name))
}
