//! One word on every generation and engine.

use crate::judged::paint_status;
use crate::look::{Look, put_table};
use serde::Serialize;
use std::fmt;
use vq7_isa::legality::{self, Bench, Engine, Status};
use vq7_isa::{Generation, Instruction};
use vq7_policy::Policy;

/// A verdict of the matrix.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Cell {
    /// The generation, such as `trn2`.
    pub target: &'static str,
    /// Its code name.
    pub code_name: &'static str,
    /// `any`, `pool` or `dve`.
    pub engine: &'static str,
    /// `legal`, `illegal`, `unspecified` or `not_judged`.
    pub verdict: &'static str,
    /// The first failing rule.
    pub first_failed: Option<&'static str>,
    #[serde(skip)]
    status: Status,
}

/// The verdicts of one word on every generation and engine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Matrix {
    cells: Vec<Cell>,
}

const ENGINES: [Engine; 3] = [Engine::Any, Engine::Pool, Engine::Dve];

impl Matrix {
    /// Judges a word everywhere.
    pub fn new(instruction: &Instruction, policy: &Policy) -> Self {
        let cell = |generation: Generation, engine: Engine| {
            let judgement = legality::judge(instruction, &Bench { generation, engine, policy });
            Cell {
                target: generation.target(),
                code_name: generation.code_name(),
                engine: engine.name(),
                verdict: judgement.status.name(),
                first_failed: judgement.first_failed,
                status: judgement.status,
            }
        };
        let cells =
            Generation::ALL.into_iter().flat_map(|generation| ENGINES.map(|engine| cell(generation, engine))).collect();
        Self { cells }
    }

    /// A row per generation, a column per engine.
    pub(crate) fn draw(&self, look: &Look, out: &mut dyn fmt::Write) -> fmt::Result {
        let mut table = look.table(&["target", "any engine", "pool", "dve"]);
        for (generation, cells) in Generation::ALL.iter().zip(self.cells.chunks(ENGINES.len())) {
            let mut row = vec![generation.to_string()];
            row.extend(cells.iter().map(|cell| {
                let verdict = paint_status(cell.status, &Look::PLAIN).to_string();
                cell.first_failed.map_or_else(|| verdict.clone(), |rule| format!("{verdict}: {rule}"))
            }));
            table.add_row(row);
        }
        put_table(&table, out)
    }
}
