//! Words that a rule must refuse: for each rule of each kind of word, on each engine, the first word that fails it first.

use crate::kit::Kit;
use crate::plan::{Cell, Plan};
use crate::shape::SHAPES;
use std::collections::{BTreeMap, BTreeSet};
use vq7_isa::legality::{self, Bench, Engine};
use vq7_isa::word::WORD_BYTES;
use vq7_isa::{Dtype, Instruction, Word, opcode};

/// A word with the rule that must refuse it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Negative {
    /// Its number, counted over the whole target.
    pub number: u32,
    /// The word.
    pub word: Word,
    /// Whose rules it is held against.
    pub engine: Engine,
    /// The first failing rule, under the header's name.
    pub rule: &'static str,
    /// What the rule saw.
    pub saw: String,
}

/// Engines that words are held against.
const ENGINES: [Engine; 3] = [Engine::Any, Engine::Pool, Engine::Dve];

/// The negative words of a plan: legal words of every opcode, changed in one or two bytes until each rule has refused one.
///
/// A rule that stands several times in a list (once per operand) has a word for each place.
pub fn negatives(plan: &Plan) -> Vec<Negative> {
    let mut found: BTreeMap<(u8, u8, usize), Negative> = BTreeMap::new();
    for base in bases(plan) {
        let base = base.encode();
        for engine in ENGINES {
            let mut search = Search::new(&plan.kit, engine, base, &mut found);
            search.look(base);
            for word in changed(base) {
                search.look(word);
            }
            // What one byte does not reach: another operand's place first.
            for second in shifted(base) {
                for word in changed(second) {
                    search.look(word);
                }
            }
        }
    }
    let numbered = found.into_values().zip(0u32..);
    numbered.map(|(negative, number)| Negative { number, ..negative }).collect()
}

/// One legal word per opcode, and for arithmetic one per band and width, whose rules differ.
fn bases(plan: &Plan) -> Vec<Instruction> {
    let geometry = plan.kit.generation.geometry();
    let mut seen = BTreeSet::new();
    let wanted = |cell: &&Cell| {
        let wide = cell.types.iter().all(|dtype| dtype.bits() == 64);
        let plain = cell.types.iter().all(|dtype| dtype.bits() == 32 || dtype.bits() == 16);
        (wide || plain) && seen.insert((cell.opcode, cell.op.is_int_aluop(), wide))
    };
    let cells: Vec<&Cell> = plan.cells.iter().filter(wanted).collect();
    let layout = |cell: &Cell| {
        let plane = SHAPES.iter().find(|shape| shape.name == "plane")?;
        plane.layout(cell.types.map(Dtype::bytes), cell.is_extended(), 64, geometry)
    };
    cells.into_iter().filter_map(|cell| Some(cell.word(&layout(cell)?))).collect()
}

/// Every word that differs in one byte.
fn changed(base: Word) -> impl Iterator<Item = Word> {
    (0..WORD_BYTES).flat_map(move |at| {
        (0..=255u8).filter_map(move |value| {
            let mut word = base;
            let slot = word.0.get_mut(at)?;
            let is_new = *slot != value;
            *slot = value;
            is_new.then_some(word)
        })
    })
}

/// The word with one operand a whole memory further: into PSUM.
fn shifted(base: Word) -> impl Iterator<Item = Word> {
    // The top byte of each start address: 0x02 is where PSUM begins.
    [19, 35, 51].into_iter().filter_map(move |at: usize| {
        let mut word = base;
        let slot = word.0.get_mut(at)?;
        *slot = 2;
        Some(word)
    })
}

/// One base word's search on one engine.
struct Search<'a> {
    bench: Bench<'a>,
    opcode: u8,
    /// The rule list of the base word: names in order.
    names: Vec<&'static str>,
    found: &'a mut BTreeMap<(u8, u8, usize), Negative>,
    /// How many places of each name have a word.
    done: BTreeMap<&'static str, usize>,
    /// Words that failed each name since the last that was new.
    tries: BTreeMap<&'static str, u32>,
}

/// Failing words after which no new place of a rule is looked for: as many as one operand's pattern has.
const MOST_TRIES: u32 = 1 << 13;

impl<'a> Search<'a> {
    fn new(kit: &'a Kit, engine: Engine, base: Word, found: &'a mut BTreeMap<(u8, u8, usize), Negative>) -> Self {
        let bench = Bench { generation: kit.generation, engine, policy: &kit.policy };
        let instruction = Instruction::decode(&base);
        let names: Vec<_> = legality::explain(&instruction, &bench).rules.iter().map(|rule| rule.name).collect();
        let mut done = BTreeMap::new();
        for (_, negative) in found.range((base.opcode(), engine as u8, 0)..=(base.opcode(), engine as u8, usize::MAX)) {
            *done.entry(negative.rule).or_insert(0) += 1;
        }
        Self { bench, opcode: base.opcode(), names, found, done, tries: BTreeMap::new() }
    }

    fn look(&mut self, word: Word) {
        // Another opcode has other rules, which its own base word finds; one that is no opcode is this word's header.
        let instruction = Instruction::decode(&word);
        let stays = word.opcode() == self.opcode && instruction.is_modelled();
        if !stays && opcode::Opcode::is_valid(word.opcode(), self.bench.generation) {
            return;
        }
        let Some(rule) = legality::judge(&instruction, &self.bench).first_failed else { return };
        // The rules of the structure are the same on every engine: the gate's alone are asked of POOL and DVE.
        let structure = Bench { engine: Engine::Any, ..self.bench };
        if self.bench.engine != Engine::Any && legality::judge(&instruction, &structure).first_failed.is_some() {
            return;
        }
        let places = self.names.iter().filter(|name| **name == rule).count();
        let tries = self.tries.entry(rule).or_insert(0);
        if self.done.get(rule).copied().unwrap_or(0) >= places || *tries >= MOST_TRIES {
            return;
        }
        *tries += 1;
        let verdict = legality::explain(&instruction, &self.bench);
        let Some(place) = verdict.rules.iter().position(|outcome| !outcome.passed) else { return };
        let saw = verdict.headline().map(legality::RuleOutcome::saw).unwrap_or_default();
        let negative = Negative { number: 0, word, engine: self.bench.engine, rule, saw };
        let key = (self.opcode, self.bench.engine as u8, place);
        if let std::collections::btree_map::Entry::Vacant(entry) = self.found.entry(key) {
            entry.insert(negative);
            *self.done.entry(rule).or_insert(0) += 1;
            self.tries.remove(rule);
        }
    }
}
