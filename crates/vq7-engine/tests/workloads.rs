//! Uses of tensor-tensor in published kernels (vectors/workloads.csv): each becomes words that POOL runs, or POOL refuses
//! them by the rule named.

mod support;

use support::{Random, judge_word};
use vq7_engine::arrays::{ArrayRef, Settings, elements, plan, run};
use vq7_isa::address::{Addr4, Memory};
use vq7_isa::inst::Instruction;
use vq7_isa::legality::{Bench, Engine, judge};
use vq7_isa::{AluOp, Dtype, Generation};
use vq7_policy::Policy;

struct Row<'a> {
    id: &'a str,
    op: AluOp,
    dtypes: [Dtype; 3],
    shapes: [Vec<usize>; 2],
    memories: [Memory; 2],
    pool: &'a str,
    refused_by: Option<&'a str>,
}

fn rows(text: &str) -> Vec<Row<'_>> {
    let parse = |line| -> Option<Row<'_>> {
        let fields: Vec<&str> = str::split(line, ',').collect();
        let dtype = |i: usize| Dtype::parse(fields.get(i)?, &Policy::default()).ok();
        let shape =
            |i: usize| fields.get(i)?.split('x').map(|extent| extent.parse().ok()).collect::<Option<Vec<usize>>>();
        let memory = |i: usize| match *fields.get(i)? {
            "sbuf" => Some(Memory::Sbuf),
            "psum" => Some(Memory::Psum),
            _ => None,
        };
        Some(Row {
            id: fields.first()?,
            op: AluOp::parse(fields.get(1)?).ok()?,
            dtypes: [dtype(2)?, dtype(3)?, dtype(4)?],
            shapes: [shape(5)?, shape(6)?],
            memories: [memory(8)?, memory(9)?],
            pool: fields.get(10)?,
            refused_by: fields.get(11).copied().filter(|rule| !rule.is_empty()),
        })
    };
    text.lines().skip(1).map(|line| parse(line).unwrap_or_else(|| panic!("workloads.csv: {line}"))).collect()
}

/// Small positive numbers of any dtype: patterns that are neither NaN nor infinity.
fn data(dtype: Dtype, count: usize, random: &mut Random) -> Vec<u8> {
    let mut element = || match dtype.bytes() {
        1 => vec![0x30 + random.below(16) as u8],
        2 => vec![random.next() as u8, 0x3F],
        _ => vec![random.next() as u8, random.next() as u8, 0x80, 0x3F],
    };
    (0..count).flat_map(|_| element()).collect()
}

#[test]
fn pool_runs_or_refuses_each_workload() {
    let text = include_str!("../../../vectors/workloads.csv");
    let rows = rows(text);
    assert_eq!(rows.len(), text.lines().count() - 1);
    assert!(rows.len() > 30);
    let policy = Policy::default();
    let bench = Bench { generation: Generation::Cayman, engine: Engine::Pool, policy: &policy };
    let mut random = Random(7);
    for row in &rows {
        let op = match row.pool {
            "pool_int" => row.op.exact_integer_twin(true).unwrap(),
            _ => row.op,
        };
        let [a, b] = &row.shapes;
        let [da, db, out] = row.dtypes;
        let plan = plan(op, (da, a), (db, b), out, Generation::Cayman).unwrap();
        if let Some(rule) = row.refused_by {
            assert_eq!(row.pool, "not_pool", "{}", row.id);
            let Instruction::TensorTensor(mut word) = Instruction::decode(&plan.tiles[0].word) else { panic!() };
            for (source, memory) in [&mut word.src0, &mut word.src1].into_iter().zip(row.memories) {
                if memory == Memory::Psum {
                    source.start = Addr4(0x200_0000);
                }
            }
            let judgement = judge(&Instruction::TensorTensor(word), &bench);
            assert_eq!(judgement.first_failed, Some(rule), "{}", row.id);
            assert!(judgement.engines.dve, "{}: DVE takes it", row.id);
            continue;
        }
        assert!(plan.words().all(|word| judge_word(&word, &bench).first_failed.is_none()), "{}", row.id);
        let bytes = [(da, a), (db, b)].map(|(dtype, shape)| data(dtype, elements(shape).unwrap(), &mut random));
        let arrays =
            [(da, a, &bytes[0]), (db, b, &bytes[1])].map(|(dtype, shape, bytes)| ArrayRef { dtype, shape, bytes });
        let settings = Settings { engine: Engine::Pool, policy, executor: std::sync::Arc::new(vq7_engine::Reference) };
        let (result, summary) = run(&plan, &arrays[0], &arrays[1], &settings, &mut |_, _| {})
            .unwrap_or_else(|error| panic!("{}: {error}", row.id));
        assert_eq!(result.len(), plan.elements() * out.bytes() as usize, "{}", row.id);
        assert_eq!(summary.words, plan.tiles.len());
        assert!(summary.warnings.is_empty(), "{}: {:?}", row.id, summary.warnings);
    }
}
