//! Ops that ask a leaf. The operands follow from the ports of the leaf: what is float or integer is a register's lane, a
//! predicate a predicate register, a mode the control state, an immediate a number.

use super::{Build, OpError};
use crate::timing::{Bank, Cell, EXECUTE};
use crate::work::{Action, Input, Merge, Output};
use vq7_num::leaf::{self, Body, Kind, Leaf};

/// A lane shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shape {
    name: &'static str,
    bits: u8,
    float: bool,
}

const B: Shape = Shape { name: "2NX8", bits: 8, float: false };
const H: Shape = Shape { name: "NX16", bits: 16, float: false };
const W: Shape = Shape { name: "N_2X32", bits: 32, float: false };
const HF: Shape = Shape { name: "NXF16", bits: 16, float: true };
const WF: Shape = Shape { name: "N_2XF32", bits: 32, float: true };
const INTEGER: &[Shape] = &[B, H, W];
const FLOAT: &[Shape] = &[HF, WF];

/// Which stage defines the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Def {
    At(u8),
    Fp,
    FpCompare,
}

/// One stem: name is stem + shape (+ "T" where merging forms exist). In the leaf's name `w` stands for the lane's bits, `p` for
/// its predicate's, `i` for an immediate's, `s` for a signed amount's, `x` for an accumulator's, `f` for a float lane.
struct Row {
    stem: &'static str,
    shapes: &'static [Shape],
    leaf: &'static str,
    def: Def,
    merges: bool,
}

const fn row(stem: &'static str, shapes: &'static [Shape], leaf: &'static str, def: u8, merges: bool) -> Row {
    Row { stem, shapes, leaf, def: Def::At(def), merges }
}

const fn fp(stem: &'static str, leaf: &'static str) -> Row {
    Row { stem, shapes: FLOAT, leaf, def: Def::Fp, merges: true }
}

const fn compares(stem: &'static str, leaf: &'static str) -> Row {
    Row { stem, shapes: FLOAT, leaf, def: Def::FpCompare, merges: false }
}

#[rustfmt::skip]
const ROWS: &[Row] = &[
    row("ADD", INTEGER, "add_{w}_{w}_{w}", 11, true),
    row("SUB", INTEGER, "sub_{w}_{w}_{w}", 11, true),
    row("ADDS", &[H], "adds_{w}_{w}_{w}", 11, true),
    row("SUBS", &[H], "subs_{w}_{w}_{w}", 11, true),
    row("ABS", INTEGER, "abs_{w}_{w}", 11, false),
    row("ABSS", &[H], "abss_{w}_{w}", 11, false),
    row("NEG", INTEGER, "neg_{w}_{w}", 11, true),
    row("NEGS", &[H], "negs_{w}_{w}", 11, true),
    row("MIN", INTEGER, "min_{w}_{w}_{w}", 11, true),
    row("MINU", INTEGER, "minu_{w}_{w}_{w}", 11, true),
    row("MAX", INTEGER, "max_{w}_{w}_{w}", 11, true),
    row("MAXU", INTEGER, "maxu_{w}_{w}_{w}", 11, true),
    row("ABSSUB", &[B, H], "abssub_{w}_{w}_{w}", 11, false),
    row("ABSSUBU", &[B, H], "abssubu_{w}_{w}_{w}", 11, false),
    row("ABSSSUB", &[H], "absssub_{w}_{w}_{w}", 11, false),
    row("AVG", &[B, H], "avg_{w}_{w}_{w}", 11, false),
    row("AVGR", &[B, H], "avgr_{w}_{w}_{w}", 11, false),
    row("AVGU", &[B, H], "avgu_{w}_{w}_{w}", 11, false),
    row("AVGRU", &[B, H], "avgru_{w}_{w}_{w}", 11, false),
    row("MULSGN", &[H, W], "mulsgn_{w}_{w}_{w}", 11, false),
    row("MULSGNS", &[H], "mulsgns_{w}_{w}_{w}", 11, false),
    row("AND", &[B], "and_512_512_512", 11, false),
    row("OR", &[B], "or_512_512_512", 11, false),
    row("XOR", &[B], "xor_512_512_512", 11, false),
    row("NOT", &[B], "not_512_512", 11, false),
    row("EQ", INTEGER, "eq_{p}_{w}_{w}", 11, false),
    row("NEQ", INTEGER, "neq_{p}_{w}_{w}", 11, false),
    row("LT", INTEGER, "lt_{p}_{w}_{w}", 11, false),
    row("LTU", INTEGER, "ltu_{p}_{w}_{w}", 11, false),
    row("LE", INTEGER, "le_{p}_{w}_{w}", 11, false),
    row("LEU", INTEGER, "leu_{p}_{w}_{w}", 11, false),
    row("BMAX", INTEGER, "bmax_{p}_{w}_{w}_{w}", 11, false),
    row("BMAXU", INTEGER, "bmaxu_{p}_{w}_{w}_{w}", 11, false),
    row("BMIN", INTEGER, "bmin_{p}_{w}_{w}_{w}", 11, false),
    row("BMINU", INTEGER, "bminu_{p}_{w}_{w}_{w}", 11, false),
    row("BABS", INTEGER, "babs_{p}_{w}_{w}", 11, false),
    row("BABSSUB", &[B, H], "babssub_{p}_{w}_{w}_{w}", 11, false),
    row("BABSSUBU", &[B, H], "babssubu_{p}_{w}_{w}_{w}", 11, false),
    row("BADDNORM", &[H], "baddnorm_{p}_{w}_{w}_{w}", 11, false),
    row("BSUBNORM", &[H], "bsubnorm_{p}_{w}_{w}_{w}", 11, false),
    row("SLLI", INTEGER, "sll_u_{w}_{w}_{i}", 11, false),
    row("SRLI", INTEGER, "srl_u_{w}_{w}_{i}", 11, false),
    row("SRAI", INTEGER, "sra_u_{w}_{w}_{i}", 11, false),
    row("ROTRI", INTEGER, "rotr_u_{w}_{w}_{i}", 11, false),
    row("SLL", &[H, W], "sll_s_{w}_{w}_{s}", 11, false),
    row("SRL", &[H, W], "srl_s_{w}_{w}_{s}", 11, false),
    row("SRA", &[H, W], "sra_s_{w}_{w}_{s}", 11, false),
    row("NSA", &[H, W], "nsa_{w}_{w}", 11, false),
    row("NSAU", &[H, W], "nsau_{w}_{w}", 11, false),
    row("ABS", FLOAT, "abs_{f}_{f}", 11, true),
    row("NEG", FLOAT, "neg_{f}_{f}", 11, true),
    row("MAX", FLOAT, "max_1_{f}_{f}_{f}", 11, true),
    row("MIN", FLOAT, "min_1_{f}_{f}_{f}", 11, true),
    row("MAXNUM", FLOAT, "maxnum_1_{f}_{f}_{f}", 11, true),
    row("MINNUM", FLOAT, "minnum_1_{f}_{f}_{f}", 11, true),
    row("ADDEXP", FLOAT, "addexp_{f}_{f}_{f}", 11, true),
    row("CLSFY", FLOAT, "clsfy_{f}_{f}", 11, false),
    fp("ADD", "add_1_1_1_{f}_{f}_{f}_2"),
    fp("SUB", "sub_1_1_1_{f}_{f}_{f}_2"),
    fp("MUL", "mul_1_1_1_1_{f}_{f}_{f}_2"),
    row("MULA", FLOAT, "mula_1_1_1_1_{f}_{f}_{f}_{f}_2", 13, false),
    row("MULS", FLOAT, "mulsn_1_1_1_1_{f}_{f}_{f}_{f}_2", 13, false),
    compares("OEQ", "oeq_1_{p}_{f}_{f}"),
    compares("OLT", "olt_1_{p}_{f}_{f}"),
    compares("OLE", "ole_1_{p}_{f}_{f}"),
    compares("UEQ", "ueq_1_{p}_{f}_{f}"),
    compares("ULT", "ult_1_{p}_{f}_{f}"),
    compares("ULE", "ule_1_{p}_{f}_{f}"),
    compares("ULTQ", "ultq_1_{p}_{f}_{f}"),
    compares("ULEQ", "uleq_1_{p}_{f}_{f}"),
    compares("UNEQ", "uneq_1_{p}_{f}_{f}"),
    compares("UN", "un_1_{p}_{f}_{f}"),
    row("FIROUND", FLOAT, "firound_1_{f}_{f}", 13, true),
    row("FICEIL", FLOAT, "ficeil_1_{f}_{f}", 13, true),
    row("FIFLOOR", FLOAT, "fifloor_1_{f}_{f}", 13, true),
    row("FITRUNC", FLOAT, "fitrunc_1_{f}_{f}", 13, true),
    row("FIRINT", FLOAT, "firint_1_1_{f}_{f}_2", 13, true),
    row("TRUNC", &[WF], "trunc_1_1_32_32f_32", 12, true),
    row("UTRUNC", &[WF], "utrunc_1_1_32u_32f_32", 12, true),
    row("FLOAT", &[W], "float_rm_1_32f_32_32_2", 13, true),
    row("UFLOAT", &[W], "ufloat_rm_1_32f_32_32_2", 13, true),
    row("CVTF32NXF16_0", &[], "cvtf32_1_32f_32f_0", 13, true),
    row("CVTF32NXF16_1", &[], "cvtf32_1_32f_32f_1", 13, true),
    row("CVTF16N_2XF32_0", &[], "cvtf16_1_1_1_1_32f_32f_2_0", 13, true),
    row("SEL", INTEGER, "sel_{r}", 12, true),
    row("SHFL", INTEGER, "shfl_{r}", 12, false),
    row("DSEL", &[H, W], "dsel_{r}", 12, false),
    row("MUL", INTEGER, "mul_{x}_{w}_{w}", 12, false),
    row("MULA", INTEGER, "mula_{x}_{x}_{w}_{w}", 12, false),
    row("MULS", INTEGER, "muls_{x}_{x}_{w}_{w}", 12, false),
    row("MULUU", &[B, H], "muluu_{x}_{w}_{w}", 12, false),
    row("MULUS", &[B, H], "mulus_{x}_{w}_{w}", 12, false),
    row("MULUUA", &[B, H], "muluua_{x}_{x}_{w}_{w}", 12, false),
    row("MULUSA", &[B, H], "mulusa_{x}_{x}_{w}_{w}", 12, false),
    row("MULNX16PACKL", &[], "mul_16_16_16_packl", 12, false),
    row("PACKL2NX24", &[], "packl_8_24", 12, false),
    row("PACKLNX48", &[], "packl_16_48", 12, false),
    row("PACKLN_2X96", &[], "packl_32_96", 12, false),
    row("PACKMNX48", &[], "packm_16_48", 12, false),
    row("PACKVR2NX24", &[], "packvr_8_24_32", 12, false),
    row("PACKVRU2NX24", &[], "packvru_8_24_32", 12, false),
    row("PACKVRNX48", &[], "packvr_16_48_32", 12, false),
    row("PACKVRNRNX48", &[], "packvrnr_16_48_32", 12, false),
];

impl Row {
    /// Every name of the row with its shape and whether it merges.
    fn all(&self) -> impl Iterator<Item = (String, Shape, bool)> + '_ {
        let single = self.shapes.is_empty().then_some(Shape { name: "", bits: 32, float: true });
        let shapes = single.into_iter().chain(self.shapes.iter().copied());
        shapes.flat_map(move |shape| {
            let forms = if self.merges { &[false, true][..] } else { &[false] };
            // The forms that read one half of a register have the letter before the number.
            let name = move |merges: bool| match (self.stem.rsplit_once('_'), merges) {
                (Some((head, half)), true) if shape.name.is_empty() => format!("{head}T_{half}"),
                _ => format!("{}{}{}", self.stem, shape.name, if merges { "T" } else { "" }),
            };
            forms.iter().map(move |merges| (name(*merges), shape, *merges))
        })
    }

    fn leaf_name(&self, shape: Shape) -> String {
        let (w, p) = (shape.bits.to_string(), (shape.bits / 8).to_string());
        let pick = |of: [&str; 3]| of[usize::from(shape.bits.ilog2() as u8 - 3)].to_owned();
        let letters = [
            ("{w}", w.clone()),
            ("{p}", p),
            ("{f}", format!("{w}f")),
            ("{i}", pick(["3", "4", "5"])),
            ("{s}", pick(["", "6", "7"])),
            ("{x}", pick(["24", "48", "96"])),
            ("{r}", pick(["2nx8", "nx16", "n_2x32"])),
        ];
        letters.into_iter().fold(self.leaf.to_owned(), |name, (letter, with)| name.replace(letter, &with))
    }
}

pub(super) fn names() -> impl Iterator<Item = String> {
    ROWS.iter().flat_map(|row| row.all().map(|(name, ..)| name))
}

pub(super) fn build(name: &str, build: &mut Build<'_>) -> Option<Result<(), OpError>> {
    let (row, shape, merges) = ROWS.iter().find_map(|row| {
        let found = row.all().find(|(known, ..)| known == name);
        found.map(|(_, shape, merges)| (row, shape, merges))
    })?;
    let leaf_name = row.leaf_name(shape);
    let leaf = leaf::find(&leaf_name).filter(|leaf| leaf.is_modelled());
    let Some(leaf) = leaf else {
        return Some(Err(OpError::Unimplemented { what: format!("the value rule of {name}, leaf {leaf_name}") }));
    };
    Some(ask(build, row, leaf, merges))
}

/// Lane width of a register that holds values of `bits` bits.
const fn lane_bits(bits: u32) -> u8 {
    match bits {
        0..=8 => 8,
        9..=16 => 16,
        _ => 32,
    }
}

fn ask(build: &mut Build<'_>, row: &Row, leaf: &'static Leaf, merges: bool) -> Result<(), OpError> {
    let def = match row.def {
        Def::At(stage) => stage,
        Def::Fp => build.params.fp_def,
        Def::FpCompare => build.params.fp_compare_def,
    };
    let is_wide = |bits: u32| matches!(bits, 24 | 48 | 96);
    let whole = matches!(leaf.body, Body::Whole(_));
    // Results: data first, then the flag of the B forms. Of two registers the second output is written first.
    let mut value = None;
    let mut predicate = None;
    let mut outputs = [None; 2];
    let data: Vec<_> = leaf.value_outputs().filter(|port| port.kind != Kind::Predicate).collect();
    let tests: Vec<_> = leaf.value_outputs().filter(|port| port.kind == Kind::Predicate).collect();
    let mut lanes = 0;
    for (number, port) in data.iter().enumerate().rev() {
        if whole {
            outputs[number.min(1)] = Some(build.defines(Bank::Vec, def)?);
        } else if is_wide(port.bits) {
            build.defines(Bank::Wvec, def)?;
            value = Some(Output::Wide { width: port.bits as u8 });
            lanes = 1536 / port.bits;
        } else {
            let width = lane_bits(port.bits);
            value = Some(Output::Lanes { at: build.defines(Bank::Vec, def)?, width, first: 0, step: 1 });
            lanes = 512 / u32::from(width);
        }
    }
    for port in tests {
        let at = build.defines(Bank::Vbool, def)?;
        if value.is_some() {
            predicate = Some(at);
        } else {
            value = Some(Output::Predicate { at });
            lanes = 64 / port.bits.max(1);
        }
    }
    let destination = build.spec.defs.first().map(|(cell, _)| *cell);
    let (mut inputs, mut accumulator, mut count) = ([Input::None; 4], None, 0);
    for port in leaf.inputs {
        let input = match port.kind {
            Kind::Mode => Input::Mode { at: build.also_uses(Cell::FCR, build.params.fcr_use) },
            Kind::Immediate => Input::Constant(build.number(0, (1i64 << port.bits.min(32)) - 1)? as u64),
            Kind::Predicate => Input::Predicate { at: build.uses(Bank::Vbool, EXECUTE)? },
            // The scale of the converts is a number of five bits.
            _ if port.name == "scale" => Input::Constant(build.number(0, 31)? as u64),
            _ if is_wide(port.bits) => {
                // An accumulator that is also the destination is read at 12, the source of a pack at 10.
                let inout = destination.filter(|cell| cell.bank() == Bank::Wvec);
                match inout {
                    Some(cell) => drop(build.also_uses(cell, 12)),
                    None => drop(build.uses(Bank::Wvec, EXECUTE)?),
                }
                if port.bits == 96 {
                    accumulator = Some(0);
                    continue;
                }
                Input::Wide { at: 0, width: port.bits as u8 }
            }
            _ if port.name == "acc" => match destination {
                Some(cell) => {
                    let at = build.also_uses(cell, EXECUTE);
                    Input::Lanes { at, width: lane_bits(port.bits), first: 0, step: 1 }
                }
                None => Input::None,
            },
            _ if port.name == "shift" && port.bits == 32 => Input::Word { at: build.uses(Bank::Ar, 3)? },
            _ => {
                let width = if lanes > 0 { (512 / lanes.max(16)) as u8 } else { lane_bits(port.bits) };
                Input::Lanes { at: build.uses(Bank::Vec, EXECUTE)?, width, first: 0, step: 1 }
            }
        };
        if let Some(slot) = inputs.get_mut(count) {
            *slot = input;
            count += 1;
        }
    }
    let merge = match (merges, destination) {
        (true, Some(cell)) => {
            let guard = build.uses(Bank::Vbool, EXECUTE)?;
            Some(Merge { guard, old: build.also_uses(cell, EXECUTE) })
        }
        _ => None,
    };
    if leaf.flag_outputs().next().is_some() {
        build.also_defines(Cell::FSR, 14);
    }
    let Some(value) = value.or(whole.then_some(Output::Word { at: 0 })) else {
        return Err(OpError::Unimplemented { what: format!("results of leaf {}", leaf.name) });
    };
    build.acts(match leaf.body {
        Body::Lane(_) => Action::Lanes { leaf, lanes: lanes.min(64) as u8, inputs, value, predicate, merge },
        Body::Lane96(_) => Action::Lanes96 { leaf, accumulator, inputs: [inputs[0], inputs[1], inputs[2]], value },
        _ => {
            let width = if leaf.name.contains("2nx8") || leaf.name.contains("512") {
                8
            } else if leaf.name.contains("nx16") {
                16
            } else {
                32
            };
            Action::Whole { leaf, inputs, outputs, merge: merge.map(|merge| (merge, width)) }
        }
    });
    Ok(())
}
