//! An order in which the words can run, and where it comes to a halt.

use super::{Kind, Resource, Signal, Spot, Synced, Wait, Why};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};
use vq7_isa::header::{Comparison, Operand, UpdateAction, WaitAction};

/// What is known of a semaphore or an event from all words together.
#[derive(Default)]
struct Ledger {
    /// Whether it is changed in other ways than by adding immediates: then any signal is taken to do.
    any_will_do: bool,
    /// How far all words together raise it.
    total: u64,
    /// How far it is raised so far.
    level: u64,
    /// The last word that raised it.
    last: Option<Spot>,
    /// Streams that wait for a level.
    waiting: BinaryHeap<Reverse<(u64, usize)>>,
}

impl Ledger {
    /// How far a signal raises the level.
    fn raise(&self, signal: &Signal) -> u64 {
        match signal.action {
            UpdateAction::Event { set } => u64::from(set),
            _ if self.any_will_do => 1,
            UpdateAction::Add(_) => signal.value.into(),
            _ => 1,
        }
    }

    /// The level at which a wait is over; `None` when there is none.
    fn need(&self, wait: &Wait) -> Option<u64> {
        if wait.holds_at_start() != Some(false) {
            return Some(0);
        }
        let value = u64::from(wait.value);
        let counted = match wait.mode.action {
            WaitAction::Semaphore(Comparison::Lt, Operand::Immediate) => return None,
            WaitAction::Semaphore(Comparison::Gt, _) if wait.value == u32::MAX => return None,
            WaitAction::Semaphore(Comparison::Gt, _) => value + 1,
            WaitAction::Semaphore(..) => value,
            _ => 1,
        };
        Some(if self.any_will_do { 1 } else { counted })
    }
}

/// The order that was found.
pub(super) struct Schedule {
    steps: Vec<Vec<Option<u64>>>,
    pub flows: Vec<(Resource, Spot, Spot)>,
    pub stuck: Vec<(Spot, Wait, Why)>,
}

impl Schedule {
    pub(super) fn new(streams: &[Vec<Synced>]) -> Self {
        let mut ledgers = ledgers(streams);
        let mut this = Self {
            steps: streams.iter().map(|words| vec![None; words.len()]).collect(),
            flows: Vec::new(),
            stuck: Vec::new(),
        };
        let mut next = vec![0usize; streams.len()];
        let mut ready: VecDeque<usize> = (0..streams.len()).collect();
        while let Some(stream) = ready.pop_front() {
            this.advance(stream, streams, &mut next, &mut ledgers, &mut ready);
        }
        this.find_stuck(streams, &next, &ledgers);
        this
    }

    pub(super) fn step(&self, spot: Spot) -> Option<u64> {
        *self.steps.get(spot.stream)?.get(spot.word)?
    }

    /// Runs a stream until a wait holds it.
    fn advance(
        &mut self,
        stream: usize,
        streams: &[Vec<Synced>],
        next: &mut [usize],
        ledgers: &mut BTreeMap<Resource, Ledger>,
        ready: &mut VecDeque<usize>,
    ) {
        let mut now =
            next[stream].checked_sub(1).and_then(|word| self.step(Spot { stream, word })).map_or(0, |t| t + 1);
        while let Some(synced) = streams[stream].get(next[stream]) {
            let spot = Spot { stream, word: next[stream] };
            for wait in &synced.waits {
                let Some(ledger) = ledgers.get_mut(&wait.resource) else { continue };
                match ledger.need(wait) {
                    Some(need) if need <= ledger.level => {}
                    Some(need) => return ledger.waiting.push(Reverse((need, stream))),
                    None => return,
                }
            }
            for wait in &synced.waits {
                let ledger = ledgers.get(&wait.resource);
                let Some(from) = ledger.filter(|ledger| ledger.need(wait) > Some(0)).and_then(|ledger| ledger.last)
                else {
                    continue;
                };
                now = now.max(self.step(from).map_or(0, |step| step + 1));
                self.flows.push((wait.resource, from, spot));
            }
            self.steps[stream][spot.word] = Some(now);
            for signal in &synced.signals {
                let Some(ledger) = ledgers.get_mut(&signal.resource) else { continue };
                let raise = ledger.raise(signal);
                if raise == 0 {
                    continue;
                }
                ledger.level = ledger.level.saturating_add(raise);
                ledger.last = Some(spot);
                while let Some(Reverse((need, waiting))) = ledger.waiting.peek().copied() {
                    if need > ledger.level {
                        break;
                    }
                    ledger.waiting.pop();
                    ready.push_back(waiting);
                }
            }
            next[stream] += 1;
            now += 1;
        }
    }

    /// Waits that no order ends: those that all signals together do not satisfy, and the first of each stream that is held.
    fn find_stuck(&mut self, streams: &[Vec<Synced>], next: &[usize], ledgers: &BTreeMap<Resource, Ledger>) {
        for (stream, words) in streams.iter().enumerate() {
            let held = next.get(stream).copied().unwrap_or(words.len());
            for (word, synced) in words.iter().enumerate().skip(held) {
                for wait in &synced.waits {
                    let Some(ledger) = ledgers.get(&wait.resource) else { continue };
                    let why = match ledger.need(wait) {
                        None => Why::Impossible,
                        Some(need) if need > ledger.total && ledger.total == 0 => Why::NeverSignalled,
                        Some(need) if need > ledger.total => Why::TooFewSignals,
                        Some(need) if word == held && need > ledger.level => Why::Order,
                        Some(_) => continue,
                    };
                    self.stuck.push((Spot { stream, word }, *wait, why));
                }
            }
        }
    }
}

fn ledgers(streams: &[Vec<Synced>]) -> BTreeMap<Resource, Ledger> {
    let mut ledgers: BTreeMap<Resource, Ledger> = BTreeMap::new();
    for synced in streams.iter().flatten() {
        for wait in &synced.waits {
            ledgers.entry(wait.resource).or_default();
        }
        for signal in &synced.signals {
            let adds = matches!(signal.action, UpdateAction::Increment | UpdateAction::Add(Operand::Immediate));
            let ledger = ledgers.entry(signal.resource).or_default();
            ledger.any_will_do |= signal.resource.kind == Kind::Semaphore && !adds;
        }
    }
    for signal in streams.iter().flatten().flat_map(|synced| &synced.signals) {
        if let Some(ledger) = ledgers.get_mut(&signal.resource) {
            ledger.total = ledger.total.saturating_add(ledger.raise(signal));
        }
    }
    ledgers
}
