//! The cells that legality admits, and the cases that are dealt over them.

use crate::kit::{Kit, Shard};
use crate::shape::{Layout, SHAPES};
use vq7_cases::mix;
use vq7_engine::dispatch;
use vq7_isa::header::{Events, Header};
use vq7_isa::inst::{ExtendedTta, S3s3d3Tt};
use vq7_isa::legality::{self, Bench, Engine, Engines, Status};
use vq7_isa::{AluOp, Dtype, Generation, Instruction, opcode};
use vq7_policy::Policy;

/// Elements of a case, at least. A shape with an odd number of channels has some more.
pub const ELEMENTS: u64 = 512;

/// An instruction with op and dtypes: everything that decides its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Opcode; [`opcode::EXTENDED_INST`] is the extended tensor-tensor word.
    pub opcode: u8,
    /// The op; BYPASS where the instruction has none.
    pub op: AluOp,
    /// src0, src1, out.
    pub types: [Dtype; 3],
    /// Engines that take it. With none it is legal in structure only.
    pub engines: Engines,
}

impl Cell {
    /// The word of the cell in a layout.
    pub fn word(&self, layout: &Layout) -> Instruction {
        word(self.opcode, self.op, self.types, layout)
    }

    /// Whether it is the extended word.
    pub const fn is_extended(&self) -> bool {
        self.opcode == opcode::EXTENDED_INST
    }

    /// Whether src0 is a predicate.
    pub const fn is_predicated(&self) -> bool {
        matches!(self.opcode, opcode::COPY_PREDICATED | opcode::CAST_PREDICATED)
    }

    /// Whether it needs coefficients.
    pub const fn is_batch_norm(&self) -> bool {
        self.opcode == opcode::BATCH_NORM_BACK_PROP
    }

    /// Which numbers the word's elements are, as the field names them: its op, or its opcode where it has none.
    pub fn name(&self) -> String {
        name(self.opcode, self.op)
    }
}

/// The op's name, or that of an opcode that has no op; the extended form says so.
pub fn name(code: u8, op: AluOp) -> String {
    let instruction = |code| opcode::Opcode::from_code(code).map_or("?", |row| row.name).to_ascii_lowercase();
    match code {
        opcode::TENSOR_TENSOR_ARITH_OP => op.name().to_owned(),
        opcode::TENSOR_TENSOR_BITVEC_OP if op == AluOp::Bypass => format!("{op} (bitvec)"),
        opcode::TENSOR_TENSOR_BITVEC_OP => op.name().to_owned(),
        opcode::EXTENDED_INST => format!("{op} (extended)"),
        code if op == AluOp::Bypass => instruction(code),
        code => format!("{op} ({})", instruction(code)),
    }
}

fn word(code: u8, op: AluOp, types: [Dtype; 3], layout: &Layout) -> Instruction {
    let [src0, src1, dst] = layout.patterns;
    let [src0_dtype, src1_dtype, out_dtype] = types.map(Dtype::code);
    let header = Header::new(code);
    let events = Events::default();
    if code == opcode::EXTENDED_INST {
        let ports = (layout.channels / vq7_isa::generation::PARTITIONS_PER_CORE) as u8;
        return Instruction::ExtendedTensorTensor(ExtendedTta {
            header,
            events,
            // All eight cores are written as 0.
            completion_info: ExtendedTta::COMPLETION | (ports << 3 & ExtendedTta::PORTS_MASK),
            src0_dtype,
            src1_dtype,
            out_dtype,
            op: op.code(),
            reserved: [0; 3],
            src0: src0.resized(),
            src1: src1.resized(),
            dst: dst.resized(),
            tail: [0; 8],
        });
    }
    Instruction::TensorTensor(S3s3d3Tt {
        header,
        events,
        src0_dtype,
        src1_dtype,
        out_dtype,
        op: op.code(),
        num_active_channels: layout.channels as u8,
        src0,
        src1,
        dst,
    })
}

/// One case: a cell with a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CaseSpec {
    /// Its number, counted over the whole target.
    pub number: u32,
    /// The number of its cell.
    pub cell: u32,
    /// The number of its shape.
    pub shape: u8,
}

/// Every cell of a kit, and every case.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The kit.
    pub kit: Kit,
    /// The cells of the target, whatever the filter says.
    pub cells: Vec<Cell>,
    /// The cases that the filter admits, in order.
    pub cases: Vec<CaseSpec>,
    /// Cells that are legal and whose result no source settles.
    pub unspecified: u64,
    /// Cells that are legal in structure and for which no engine of the target has a kernel.
    pub without_kernel: u64,
}

impl Plan {
    /// Enumerates: every opcode of tensor-tensor, every op, every triple of dtypes, each held against the rules.
    pub fn new(kit: Kit) -> Self {
        let (mut cells, mut cases, mut number) = (Vec::new(), Vec::new(), 0);
        let (mut unspecified, mut without_kernel) = (0, 0);
        let opcodes = S3s3d3Tt::OPCODES.into_iter().chain([opcode::EXTENDED_INST]);
        for code in opcodes {
            let runs = has_kernel(code, kit.generation);
            for &op in AluOp::ALL {
                let first = cells.len();
                for types in triples() {
                    match judge(code, op, types, &kit) {
                        Some((Status::Legal, _)) if !runs => without_kernel += 1,
                        Some((Status::Legal, engines)) => cells.push(Cell { opcode: code, op, types, engines }),
                        Some((Status::Unspecified, _)) => unspecified += 1,
                        _ => {}
                    }
                }
                deal(&kit, &cells, first, &mut number, &mut cases);
            }
        }
        Self { kit, cells, cases, unspecified, without_kernel }
    }

    /// The cell of a case.
    pub fn cell(&self, case: &CaseSpec) -> Option<&Cell> {
        self.cells.get(case.cell as usize)
    }

    /// The cases of a shard.
    pub fn shard(&self, shard: Shard) -> Vec<CaseSpec> {
        self.cases.iter().copied().filter(|case| shard.has(case.cell.into())).collect()
    }
}

/// Whether some engine of the generation runs words of an opcode.
fn has_kernel(code: u8, generation: Generation) -> bool {
    let tables = [dispatch::pool_table(generation), &dispatch::DVE];
    tables.into_iter().any(|table| dispatch::lookup(table, code, ExtendedTta::EXTENDED_OPCODE).is_some())
}

/// Every triple of dtypes, the last one fastest.
fn triples() -> impl Iterator<Item = [Dtype; 3]> {
    let all = Dtype::tensor_tensor;
    all().flat_map(move |a| all().flat_map(move |b| all().map(move |out| [a, b, out])))
}

/// What the rules say of a cell in the first shape that such a word can have.
fn judge(code: u8, op: AluOp, types: [Dtype; 3], kit: &Kit) -> Option<(Status, Engines)> {
    let extended = code == opcode::EXTENDED_INST;
    let layout = SHAPES
        .iter()
        .find_map(|shape| shape.layout(types.map(Dtype::bytes), extended, 0, kit.generation.geometry()))?;
    let judged = judgement(&word(code, op, types, &layout), kit.generation, &kit.policy);
    Some((judged.status, judged.engines))
}

fn judgement(word: &Instruction, generation: Generation, policy: &Policy) -> legality::Judgement {
    legality::judge(word, &Bench { generation, engine: Engine::Any, policy })
}

/// Deals shapes over the cells from `first` on, which are those of one opcode and op: to each cell in turn the next, and
/// where there are fewer cells than shapes several to each. A shape that the rules refuse to a cell is passed over.
fn deal(kit: &Kit, cells: &[Cell], first: usize, number: &mut u32, cases: &mut Vec<CaseSpec>) {
    let group = cells.get(first..).unwrap_or(&[]);
    let each = SHAPES.len().div_ceil(group.len().max(1));
    for (rank, cell) in group.iter().enumerate() {
        let start = rank * each + usize::from(cell.op.code());
        let mut last = None;
        for turn in 0..each {
            let candidates = (0..SHAPES.len()).map(|more| (start + turn + more) % SHAPES.len());
            let fits = |shape: &usize| layout(kit, cell, *shape, 0).is_some();
            let Some(shape) = candidates.clone().find(fits).filter(|shape| last != Some(*shape)) else { continue };
            last = Some(shape);
            if kit.filter.admits(cell.op, cell.types) {
                cases.push(CaseSpec { number: *number, cell: (first + rank) as u32, shape: shape as u8 });
            }
            *number += 1;
        }
    }
}

/// The layout of a cell in a shape, if the rules allow it.
fn layout(kit: &Kit, cell: &Cell, shape: usize, base: u32) -> Option<Layout> {
    let geometry = kit.generation.geometry();
    let layout = SHAPES.get(shape)?.layout(cell.types.map(Dtype::bytes), cell.is_extended(), base, geometry)?;
    let legal = judgement(&cell.word(&layout), kit.generation, &kit.policy).status == Status::Legal;
    legal.then_some(layout)
}

/// The layout of a case. Where its windows begin depends on its number.
pub fn layout_of(kit: &Kit, cell: &Cell, case: &CaseSpec) -> Option<Layout> {
    let base = (mix(kit.seed ^ mix(case.number.into())) % 1024) as u32;
    layout(kit, cell, case.shape.into(), base)
}
