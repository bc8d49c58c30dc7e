//! `neff semaphores`: which word signals and which waits, across the streams of a package, and waits that nothing satisfies.
//!
//! A wait is called unsatisfied only when no order of the words could end it, under two assumptions that the answer repeats:
//! semaphores start at 0 and events clear, and nobody outside the package signals. Where a semaphore is also counted down or
//! written, or a threshold is in a register, any signal is taken to do.

mod draw;
mod perfetto;
mod schedule;
mod svg;

use crate::events::{update_text, wait_text};
use crate::neff::Streams;
use serde::Serialize;
use std::collections::BTreeMap;
use vq7_isa::Word;
use vq7_isa::header::{Events, Operand, UpdateAction, UpdateMode, WaitAction, WaitMode};
use vq7_isa::inst::UserOpcodes;
use vq7_isa::opcode::EVENT_SEMAPHORE;
use vq7_isa::text::Lines;

/// What words wait for and signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// One of 256 counters.
    Semaphore,
    /// One of 256 flags.
    Event,
}

/// A semaphore or an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Resource {
    /// Which of the two.
    pub kind: Kind,
    /// Its number.
    pub index: u8,
}

/// A word by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Spot {
    /// Number of the stream.
    pub stream: usize,
    /// Number of the word.
    pub word: usize,
}

/// A word that waits or signals.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The member that holds the word.
    pub member: String,
    /// The word.
    pub index: usize,
    /// What it waits for or signals, in words.
    pub action: String,
}

/// A semaphore or an event with all who use it.
#[derive(Clone, Debug, Serialize)]
pub struct Use {
    /// Which.
    #[serde(flatten)]
    pub resource: Resource,
    /// Words that change it.
    pub signals: Vec<Place>,
    /// Words that wait for it.
    pub waits: Vec<Place>,
}

/// Why a wait never ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// No value satisfies it: less than 0.
    Impossible,
    /// No word of the package signals it.
    NeverSignalled,
    /// All signals of the package together are too few.
    TooFewSignals,
    /// The words that would signal stand behind waits that never end.
    Order,
}

/// A wait that nothing in the package satisfies.
#[derive(Clone, Debug, Serialize)]
pub struct Unsatisfied {
    /// Who waits.
    #[serde(flatten)]
    pub place: Place,
    /// For what.
    pub resource: Resource,
    /// Why it never ends.
    pub why: Why,
    #[serde(skip)]
    spot: Spot,
}

/// A signal and the wait that it ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Flow {
    /// Which semaphore or event.
    pub resource: Resource,
    /// Member of the word that signals.
    pub from_member: String,
    /// The word that signals.
    pub from_index: usize,
    /// Member of the word that waits.
    pub to_member: String,
    /// The word that waits.
    pub to_index: usize,
    #[serde(skip)]
    from: Spot,
    #[serde(skip)]
    to: Spot,
}

/// The semaphores of a package.
#[derive(Clone, Debug, Serialize)]
pub struct Semaphores {
    /// Every semaphore and event that a word names.
    pub resources: Vec<Use>,
    /// Which signal ends which wait, in an order that the waits allow.
    pub flows: Vec<Flow>,
    /// Waits that nothing satisfies.
    pub unsatisfied: Vec<Unsatisfied>,
    /// What the answer rests on.
    pub notes: Vec<String>,
    #[serde(skip)]
    lanes: Vec<Lane>,
}

/// A stream with the words that wait or signal, for pictures.
#[derive(Clone, Debug)]
pub(crate) struct Lane {
    pub member: String,
    pub words: Vec<Drawn>,
}

/// A word of a picture.
#[derive(Clone, Debug)]
pub(crate) struct Drawn {
    pub index: usize,
    pub name: String,
    pub text: String,
    /// Its step in the order that was found; `None` when it is never reached.
    pub step: Option<u64>,
}

/// What a word waits for: the resource, and how high its level must be; `None` when no level is enough.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wait {
    pub resource: Resource,
    pub mode: &'static WaitMode,
    pub value: u32,
}

/// What a word signals.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Signal {
    pub resource: Resource,
    pub action: UpdateAction,
    pub value: u32,
}

/// A word with its waits and signals; most have none.
#[derive(Clone, Debug, Default)]
pub(crate) struct Synced {
    pub waits: Vec<Wait>,
    pub signals: Vec<Signal>,
}

/// The event blocks of a word: its own, and the second one of EVENT_SEMAPHORE, whose wait and update have a value each.
fn blocks(word: &Word) -> Vec<Events> {
    let own = Events::of(word);
    match word.opcode() {
        EVENT_SEMAPHORE => {
            let [waits, signals] = Events::second_of(word);
            vec![own, waits, signals]
        }
        _ => vec![own],
    }
}

impl Synced {
    pub(crate) fn of(word: &Word) -> Self {
        let mut synced = Self::default();
        for events in blocks(word) {
            let value = events.semaphore_value;
            if let Some(mode) = WaitMode::from_code(events.wait_mode) {
                let resource = |kind| Resource { kind, index: events.wait_idx };
                match mode.action {
                    WaitAction::Semaphore(..) => {
                        synced.waits.push(Wait { resource: resource(Kind::Semaphore), mode, value });
                    }
                    WaitAction::Event { set, then_flip } => {
                        synced.waits.push(Wait { resource: resource(Kind::Event), mode, value });
                        if then_flip {
                            let action = UpdateAction::Event { set: !set };
                            synced.signals.push(Signal { resource: resource(Kind::Event), action, value });
                        }
                    }
                    WaitAction::None | WaitAction::Unordered => {}
                }
            }
            if let Some(mode) = UpdateMode::from_code(events.update_mode) {
                let kind = match mode.action {
                    UpdateAction::None => continue,
                    UpdateAction::Event { .. } => Kind::Event,
                    _ => Kind::Semaphore,
                };
                let resource = Resource { kind, index: events.update_idx };
                synced.signals.push(Signal { resource, action: mode.action, value });
            }
        }
        synced
    }

    const fn is_empty(&self) -> bool {
        self.waits.is_empty() && self.signals.is_empty()
    }
}

impl Wait {
    fn text(&self) -> String {
        let Self { resource, mode, value } = *self;
        wait_text(&Events {
            wait_mode: mode.code,
            wait_idx: resource.index,
            semaphore_value: value,
            ..Events::default()
        })
    }

    /// Whether it holds while nobody has signalled; `None` when that depends on a register.
    fn holds_at_start(&self) -> Option<bool> {
        match self.mode.action {
            WaitAction::Semaphore(comparison, Operand::Immediate) => Some(comparison.holds(0, self.value)),
            WaitAction::Semaphore(..) => None,
            WaitAction::Event { set, .. } => Some(!set),
            WaitAction::None | WaitAction::Unordered => Some(true),
        }
    }
}

impl Semaphores {
    /// Looks at every word of the streams.
    pub fn new(streams: &Streams, user: &UserOpcodes) -> Self {
        let lines = Lines::with(user);
        let synced: Vec<Vec<Synced>> =
            streams.streams.iter().map(|loaded| loaded.content.words.iter().map(Synced::of).collect()).collect();
        let member = |stream: usize| streams.streams.get(stream).map_or("", |loaded| loaded.stream.member.as_str());
        let place =
            |spot: Spot, action: String| Place { member: member(spot.stream).to_owned(), index: spot.word, action };
        let schedule = schedule::Schedule::new(&synced);

        let mut uses: BTreeMap<Resource, (Vec<Place>, Vec<Place>)> = BTreeMap::new();
        let mut lanes = Vec::new();
        for (stream, loaded) in streams.streams.iter().enumerate() {
            let mut words = Vec::new();
            for (word, content) in loaded.content.words.iter().enumerate() {
                let spot = Spot { stream, word };
                let Some(own) = synced.get(stream).and_then(|words| words.get(word)).filter(|own| !own.is_empty())
                else {
                    continue;
                };
                for wait in &own.waits {
                    uses.entry(wait.resource).or_default().1.push(place(spot, wait.text()));
                }
                for signal in &own.signals {
                    uses.entry(signal.resource).or_default().0.push(place(spot, signal_text(content, signal)));
                }
                let mut text = String::new();
                lines.put(&mut text, content);
                let name = lines.name(content).unwrap_or_else(|| format!("{:#04x}", content.opcode()));
                words.push(Drawn { index: word, name, text, step: schedule.step(spot) });
            }
            lanes.push(Lane { member: loaded.stream.member.clone(), words });
        }
        let flow = |&(resource, from, to): &(Resource, Spot, Spot)| Flow {
            resource,
            from_member: member(from.stream).to_owned(),
            from_index: from.word,
            to_member: member(to.stream).to_owned(),
            to_index: to.word,
            from,
            to,
        };
        let stuck = |&(spot, wait, why): &(Spot, Wait, Why)| Unsatisfied {
            place: place(spot, wait.text()),
            resource: wait.resource,
            why,
            spot,
        };
        let mut notes = vec![
            "semaphores start at 0 and events clear; DMA queues, the host and other cores may signal too, and are not in the package".to_owned(),
            "streams are read from top to bottom: branches are not followed".to_owned(),
        ];
        notes.extend(streams.warnings.iter().cloned());
        notes.extend(streams.stopped().map(|failure| failure.message));
        let resources = uses.into_iter().map(|(resource, (signals, waits))| Use { resource, signals, waits });
        Self {
            resources: resources.collect(),
            flows: schedule.flows.iter().map(flow).collect(),
            unsatisfied: schedule.stuck.iter().map(stuck).collect(),
            notes,
            lanes,
        }
    }

    /// The picture: a row per stream, a box per word that waits or signals, an arrow from each signal to the wait it ends.
    pub fn svg(&self) -> String {
        svg::picture(self)
    }

    /// The same as a trace for Perfetto, with flow events. One step of the order is one microsecond there.
    pub fn perfetto(&self) -> String {
        perfetto::trace(self)
    }
}

/// What a signal does. A wait that flips its event has no update mode of its own.
fn signal_text(word: &Word, signal: &Signal) -> String {
    let own = blocks(word).into_iter().find(|events| {
        events.update_idx == signal.resource.index
            && UpdateMode::from_code(events.update_mode).is_some_and(|mode| mode.action == signal.action)
    });
    own.map_or_else(|| format!("flips event {} when its wait is over", signal.resource.index), |own| update_text(&own))
}
