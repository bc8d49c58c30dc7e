//! The semaphores of a package as a trace: the JSON form that Perfetto and Chrome open.

use super::{Semaphores, Spot};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// So many words are written; a viewer opens no more.
const WRITTEN: usize = 200_000;
/// Where words stand that are never reached: behind the last step.
const GAP: u64 = 2;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Trace {
    display_time_unit: &'static str,
    trace_events: Vec<Value>,
}

pub(super) fn trace(semaphores: &Semaphores) -> String {
    let mut events = Vec::new();
    let mut times: BTreeMap<Spot, u64> = BTreeMap::new();
    let last = semaphores.lanes.iter().flat_map(|lane| &lane.words).filter_map(|word| word.step).max().unwrap_or(0);
    let stuck: BTreeMap<Spot, _> =
        semaphores.unsatisfied.iter().map(|unsatisfied| (unsatisfied.spot, unsatisfied)).collect();
    let mut written = 0;
    for (stream, lane) in semaphores.lanes.iter().enumerate() {
        events.push(
            json!({"ph": "M", "name": "thread_name", "pid": 1, "tid": stream + 1, "args": {"name": lane.member}}),
        );
        let mut unreached = last + GAP;
        for word in &lane.words {
            if written == WRITTEN {
                break;
            }
            written += 1;
            let time = word.step.unwrap_or(unreached);
            unreached = unreached.max(time + 1);
            let spot = Spot { stream, word: word.index };
            let stuck = stuck.get(&spot);
            let state = match (stuck, word.step) {
                (Some(stuck), _) => stuck.text(),
                (None, Some(_)) => "runs".to_owned(),
                (None, None) => "never reached".to_owned(),
            };
            times.insert(spot, time);
            events.push(json!({
                "ph": "X", "name": word.name, "cat": "word", "pid": 1, "tid": stream + 1, "ts": time, "dur": 1,
                "args": {"word": word.index, "text": word.text, "state": state},
            }));
        }
    }
    for (id, flow) in semaphores.flows.iter().enumerate() {
        let (Some(from), Some(to)) = (times.get(&flow.from), times.get(&flow.to)) else { continue };
        let name = flow.resource.to_string();
        let end = |ph: &str, spot: &Spot, time: u64| {
            json!({
                "ph": ph, "bp": "e", "id": id + 1, "name": name, "cat": "semaphore", "pid": 1, "tid": spot.stream + 1, "ts": time,
            })
        };
        events.push(end("s", &flow.from, *from));
        events.push(end("f", &flow.to, *to));
    }
    // Values of strings and numbers always serialise.
    serde_json::to_string(&Trace { display_time_unit: "ms", trace_events: events }).unwrap_or_default()
}
