//! Results held against a shard: what differs, summed up.

use crate::compare::{Answered, Differing, op_of, types_of};
use crate::manifest::Identity;
use crate::plan::name;
use crate::record::Record;
use crate::write::ListedNegative;
use std::collections::{BTreeMap, BTreeSet};
use vq7_isa::{Dtype, Generation, Word};
use vq7_policy::{Knob, Policy};
use vq7_report::conform::{
    ConformCell, ConformChecked, ConformDifference, ConformNegative, ConformRow, ConformStatus, ConformStray, KitName,
    NegativeSums, Sums,
};

/// What became of a case, as `status.bin` says: one byte per case.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseStatus {
    /// There is a result.
    Done = 0,
    /// The implementation says that the word is illegal.
    Refused = 1,
    /// It says that it does not support it.
    Unsupported = 2,
    /// It has not answered.
    Missing = 3,
}

impl CaseStatus {
    /// The status of a byte; `None` for one that is none.
    pub const fn from_byte(byte: u8) -> Option<Self> {
        match byte {
            0 => Some(Self::Done),
            1 => Some(Self::Refused),
            2 => Some(Self::Unsupported),
            3 => Some(Self::Missing),
            _ => None,
        }
    }
}

/// A case's comparison: small, so that threads can hand it on.
#[derive(Clone, Debug)]
pub struct Compared {
    record: Record,
    status: CaseStatus,
    differing: Option<Differing>,
}

impl Compared {
    /// Compares a case that has a result, or says why there is none.
    pub fn of(answered: &Answered<'_>, status: CaseStatus, generation: Generation, policy: &Policy) -> Self {
        let differing = match status {
            CaseStatus::Done => answered.compare(generation, policy),
            _ => None,
        };
        Self { record: *answered.record, status, differing }
    }
}

impl Compared {
    /// Elements of the case.
    pub fn elements(&self) -> u64 {
        self.record.elements.into()
    }
}

/// What has been compared so far. Cases are added in order, so that the first differences are the first.
#[derive(Debug)]
pub struct Tally {
    show: usize,
    rows: BTreeMap<(u8, u8, u8), Row>,
    cells: BTreeMap<(u8, u8, [u8; 3]), (u64, u64)>,
    differences: Vec<ConformDifference>,
    strays: Vec<ConformStray>,
    negatives: NegativeSums,
    negative_differences: Vec<ConformNegative>,
}

#[derive(Debug, Default)]
struct Row {
    sums: Sums,
    cells: BTreeSet<u32>,
    differing: BTreeSet<u32>,
    shown: bool,
}

impl Tally {
    /// Nothing compared; keeps at most `show` differences of a kind.
    pub fn new(show: usize) -> Self {
        Self {
            show,
            rows: BTreeMap::new(),
            cells: BTreeMap::new(),
            differences: Vec::new(),
            strays: Vec::new(),
            negatives: NegativeSums::default(),
            negative_differences: Vec::new(),
        }
    }

    /// Adds a case.
    pub fn add(&mut self, compared: Compared) {
        let Compared { record, status, differing } = compared;
        let [_, _, out] = record.types;
        let row = self.rows.entry((record.opcode, record.op, out)).or_default();
        row.cells.insert(record.cell);
        row.sums.cases += 1;
        match status {
            CaseStatus::Done => row.sums.elements += u64::from(record.elements),
            CaseStatus::Refused => row.sums.refused += 1,
            CaseStatus::Unsupported => row.sums.unsupported += 1,
            CaseStatus::Missing => row.sums.missing += 1,
        }
        let Some(Differing { elements, stray_bytes, first, first_stray }) = differing else { return };
        row.sums.mismatching += elements;
        row.sums.stray_writes += u64::from(stray_bytes > 0);
        row.differing.insert(record.cell);
        let cell = self.cells.entry((record.opcode, record.op, record.types)).or_default();
        cell.0 += elements;
        cell.1 += u64::from(stray_bytes > 0);
        // One of each op and dtype: ten of the same kind say less than ten of ten.
        if let Some(first) = first.filter(|_| !row.shown && self.differences.len() < self.show) {
            self.differences.push(first);
            row.shown = true;
        }
        self.strays.extend(first_stray.filter(|_| self.strays.len() < self.show));
    }

    /// Adds what was said of a word that must be refused: the rule, an empty text for a refusal without one, nothing when it
    /// was taken. `answered` is false when nothing was said at all.
    pub fn add_negative(&mut self, listed: &ListedNegative, word: &Word, answered: bool, said: Option<&str>) {
        self.negatives.words += 1;
        match said {
            _ if !answered => self.negatives.missing += 1,
            Some(rule) if rule.is_empty() || rule == listed.rule => self.negatives.refused += 1,
            said => {
                match said {
                    Some(_) => self.negatives.other_rule += 1,
                    None => self.negatives.taken += 1,
                }
                if self.negative_differences.len() < self.show {
                    self.negative_differences.push(ConformNegative {
                        number: listed.number,
                        word: word.to_string(),
                        engine: listed.engine.clone(),
                        rule: listed.rule.clone(),
                        saw: listed.saw.clone(),
                        got: said.map(str::to_owned),
                    });
                }
            }
        }
    }

    /// The answer.
    pub fn finish(self, identity: &Identity, producer: &str, shards: Vec<String>) -> ConformChecked {
        let mut total = Sums::default();
        let mut table = Vec::new();
        for ((opcode, op, out), Row { sums, cells, differing, .. }) in self.rows {
            let sums = Sums { cells: cells.len() as u64, cells_differing: differing.len() as u64, ..sums };
            total.add(&sums);
            let record = Record { opcode, op, ..EMPTY };
            let out = Dtype::from_code(out).map_or("?", |dtype| dtype.name());
            table.push(ConformRow { op: name(opcode, op_of(&record)), out, sums });
        }
        let cells_differing = self.cells.into_iter().map(|((opcode, op, types), (mismatching, stray_writes))| {
            let record = Record { opcode, op, types, ..EMPTY };
            let types = types_of(&record).map(|dtype| dtype.name());
            ConformCell { op: name(opcode, op_of(&record)), types, mismatching, stray_writes }
        });
        let negatives = self.negatives;
        let status = if total.differs() || negatives.taken > 0 || negatives.other_rule > 0 {
            ConformStatus::Mismatch
        } else if total.lacks() || negatives.missing > 0 {
            ConformStatus::Incomplete
        } else {
            ConformStatus::Equal
        };
        ConformChecked {
            kit: kit_name(identity),
            producer: producer.to_owned(),
            shards,
            status,
            total,
            table,
            cells_differing: cells_differing.collect(),
            differences: self.differences,
            strays: self.strays,
            negatives,
            negative_differences: self.negative_differences,
            ended: None,
            results: None,
        }
    }
}

const EMPTY: Record = Record {
    case: 0,
    cell: 0,
    image: 0,
    image_bytes: 0,
    coefficients: crate::record::NO_COEFFICIENTS,
    opcode: 0,
    op: 0,
    types: [0; 3],
    shape: 0,
    engines: 0,
    channels: 0,
    windows: [crate::shape::Window { partition: 0, rows: 0, offset: 0, bytes: 0 }; 2],
    elements: 0,
};

/// What an identity says, as reports have it.
pub fn kit_name(identity: &Identity) -> KitName {
    let Identity { kit, target, code_name, level, seed, filter, policy, .. } = identity.clone();
    let is_default = |knob: &str, value: &str| Knob::parse(knob).is_some_and(|knob| knob.default_value() == value);
    let changed = policy.iter().filter(|(knob, value)| !is_default(knob, value));
    let policy = changed.map(|(knob, value)| format!("{knob}={value}")).collect();
    KitName { kit, target, code_name, level, seed, filter, policy }
}
