//! Any bytes: frame them, decode what is known, print it, read the text back, encode it again. And as text: a program, read and run.
#![no_main]

use libfuzzer_sys::fuzz_target;
use vq7_iss::bundle::Bundle;
use vq7_iss::encoding::{self, Content};
use vq7_iss::event::Silent;
use vq7_iss::oracle::Leaves;
use vq7_iss::pipeline::{Core, Settings};
use vq7_iss::state::State;
use vq7_iss::text::{Reading, parse};

fuzz_target!(|bytes: &[u8]| {
    let mut rest = bytes;
    while let Ok(decoded) = encoding::decode(rest) {
        let length = decoded.bytes.len();
        assert_eq!(usize::from(decoded.format.bytes), length);
        let ops: Vec<_> = decoded
            .slots
            .iter()
            .zip(0u8..)
            .filter_map(|(content, slot)| match content {
                Content::Op { op: Some(op), .. } => Some((slot, op.clone())),
                _ => None,
            })
            .collect();
        let is_known = decoded.slots.iter().all(|slot| !matches!(slot, Content::Unknown(_) | Content::Op { op: None, .. }));
        if is_known && let Ok(bundle) = Bundle::new(decoded.format, ops) {
            if let Ok(again) = encoding::encode(&bundle) {
                assert_eq!(again, decoded.bytes, "{decoded}");
            }
        }
        rest = &rest[length..];
    }
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(work) = parse(text, &Reading { unknown_as_zero: true, ..Reading::default() }) {
        let mut core = Core::new(&work, State::new(), Leaves, Settings::default());
        let _ = core.run(&mut Silent, 1_000);
    }
});
