//! `ops`: the ALU ops, and where each is legal.

use crate::look::{Draw, Look, put_table};
use crate::setting::Setting;
use crate::template::{Types, template};
use serde::Serialize;
use std::fmt;
use vq7_isa::alu_op::{Arity, Band};
use vq7_isa::dtype::Kind;
use vq7_isa::legality::{self, Bench, Engine, Status};
use vq7_isa::opcode::{TENSOR_TENSOR_ARITH_OP, TENSOR_TENSOR_BITVEC_OP};
use vq7_isa::{AluOp, Dtype, Generation};

/// The dtypes with which an engine takes an op in an opcode, one dtype on all three operands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Taken {
    /// The opcode, 0x41 or 0x51.
    pub opcode: u8,
    /// `pool` or `dve`.
    pub engine: &'static str,
    /// The dtypes; empty when the op is legal with none.
    pub dtypes: Vec<&'static str>,
    #[serde(skip)]
    kinds: Vec<Dtype>,
}

/// One op.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OpRow {
    /// The op byte.
    pub code: u8,
    /// The printed name.
    pub name: &'static str,
    /// The header's name.
    pub header_name: &'static str,
    /// The kernel language's names.
    pub nki_names: &'static [&'static str],
    /// `base`, `bitvec` or `integer`.
    pub band: &'static str,
    /// Operands that decide the result.
    pub operands: u8,
    /// Whether the result is 1 or 0.
    pub compare: bool,
    /// Header predicate `is_signed_alu_op`.
    pub signed: bool,
    /// Header predicate `is_unsigned_alu_op`.
    pub unsigned: bool,
    /// The result in words, with a = src0 and b = src1.
    pub meaning: &'static str,
    /// How sure the semantics are.
    pub confidence: &'static str,
    /// Targets whose enum has the code.
    pub targets: Vec<&'static str>,
    /// Whether the setting's target is one of them.
    pub in_target: bool,
    /// Where a word with the op is legal on the setting's target.
    pub legal: Vec<Taken>,
}

/// The table of ops.
#[derive(Clone, Debug, Serialize)]
pub struct Ops {
    /// The target that the marks are for.
    #[serde(flatten)]
    pub setting: Setting,
    /// Every op, in the order of the codes.
    pub ops: Vec<OpRow>,
}

impl Ops {
    /// The table, with marks for the setting's target.
    pub fn new(setting: Setting) -> Self {
        Self { setting, ops: AluOp::ALL.iter().map(|op| OpRow::new(*op, &setting)).collect() }
    }
}

/// Targets that a table names as having something.
pub(crate) fn targets(has: impl Fn(Generation) -> bool) -> Vec<&'static str> {
    Generation::ALL.into_iter().filter(|generation| has(*generation)).map(Generation::target).collect()
}

impl OpRow {
    fn new(op: AluOp, setting: &Setting) -> Self {
        let opcodes = [TENSOR_TENSOR_ARITH_OP, TENSOR_TENSOR_BITVEC_OP];
        let legal = opcodes
            .into_iter()
            .flat_map(|opcode| [Engine::Pool, Engine::Dve].map(|e| Taken::new(op, opcode, e, setting)));
        Self {
            code: op.code(),
            name: op.name(),
            header_name: op.header_name(),
            nki_names: op.nki_names(),
            band: match op.band() {
                Band::Base => "base",
                Band::Bitvec => "bitvec",
                Band::Integer => "integer",
            },
            operands: match op.arity() {
                Arity::Unary => 1,
                Arity::Binary => 2,
            },
            compare: op.is_compare(),
            signed: op.is_signed(),
            unsigned: op.is_unsigned(),
            meaning: op.meaning(),
            confidence: op.confidence().name(),
            targets: targets(|generation| op.in_generation(generation)),
            in_target: op.in_generation(setting.generation),
            legal: legal.collect(),
        }
    }
}

impl Taken {
    /// Asks legality about a word per dtype.
    fn new(op: AluOp, opcode: u8, engine: Engine, setting: &Setting) -> Self {
        let bench = Bench { generation: setting.generation, engine, policy: &setting.policy };
        let takes = |dtype: &Dtype| {
            let word = template(opcode, op, Types::same(*dtype));
            legality::judge(&word, &bench).status == Status::Legal
        };
        let kinds: Vec<_> = Dtype::tensor_tensor().filter(takes).collect();
        Self { opcode, engine: engine.name(), dtypes: kinds.iter().map(|dtype| dtype.name()).collect(), kinds }
    }

    /// The dtypes in short: `int8-64 uint32 float`; a dash when there is none.
    fn text(&self) -> String {
        // FP32R is no source dtype, so one dtype three times never finds it.
        let all = |kind| Dtype::tensor_tensor().filter(move |dtype| dtype.kind() == kind && *dtype != Dtype::Fp32r);
        let mut parts = Vec::new();
        for (kind, name) in [(Kind::Signed, "int"), (Kind::Unsigned, "uint"), (Kind::Float, "float")] {
            let mut widths: Vec<_> = self.kinds.iter().filter(|dtype| dtype.kind() == kind).map(|d| d.bits()).collect();
            widths.sort_unstable();
            match (kind, &widths[..]) {
                (_, []) => {}
                (Kind::Float, _) if widths.len() == all(kind).count() => parts.push(name.to_owned()),
                (Kind::Float, _) => parts.push(format!("{} float dtypes", widths.len())),
                (_, [one]) => parts.push(format!("{name}{one}")),
                (_, [first, .., last]) => parts.push(format!("{name}{first}-{last}")),
            }
        }
        if parts.is_empty() { "-".to_owned() } else { parts.join(" ") }
    }
}

impl Draw for Ops {
    fn draw(&self, look: &Look, out: &mut dyn fmt::Write) -> fmt::Result {
        self.setting.draw(look, out)?;
        let header =
            ["code", "name", "nki", "band", "result", "sure", "0x41 pool", "0x41 dve", "0x51 pool", "0x51 dve"];
        let mut table = look.table(&header);
        for op in &self.ops {
            let mut row = vec![
                format!("{:#04x}", op.code),
                op.name.to_owned(),
                op.nki_names.join(" "),
                op.band.to_owned(),
                op.meaning.to_owned(),
                op.confidence.to_owned(),
            ];
            if op.in_target {
                row.extend(op.legal.iter().map(Taken::text));
            } else {
                row.push(format!("not on {}", self.setting.generation.target()));
                row.extend(["-", "-", "-"].map(str::to_owned));
            }
            table.add_row(row);
        }
        put_table(&table, out)?;
        writeln!(out, "columns on the right: the dtypes with which a word is legal, one dtype on all three operands")?;
        writeln!(out, "some words are legal with mixed dtypes too: `vq7 explain --op O --types A,B,OUT` judges any")
    }
}
