//! Any bytes as a package: open, find the streams, read them, replace words, and everything that reports say of them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use vq7_isa::inst::UserOpcodes;
use vq7_neff::{Limits, Neff};
use vq7_report::neff::{NeffCheck, NeffDisassembly, NeffList, Streams};
use vq7_report::semaphores::Semaphores;
use vq7_report::{Draw, Look, Setting};

fuzz_target!(|bytes: &[u8]| {
    let limits = Limits::mib(16);
    let Ok(neff) = Neff::open(bytes, &limits) else { return };
    let _ = NeffList::new(&neff).map(|list| list.text(&Look::PLAIN));
    let Ok(streams) = Streams::load(&neff, None) else { return };
    let user = UserOpcodes::default();
    let setting = Setting::default();
    NeffDisassembly { streams: &streams, user: &user, setting }.text(&Look::PLAIN);
    NeffCheck::new(&streams, setting).text(&Look::PLAIN);
    let semaphores = Semaphores::new(&streams, &user);
    semaphores.text(&Look::PLAIN);
    semaphores.svg();
    semaphores.perfetto();
    for loaded in &streams.streams {
        let words: Vec<u8> = loaded.content.words.iter().flat_map(|word| word.0).collect();
        if loaded.content.stopped.is_none() {
            assert_eq!(neff.replace(&loaded.stream.member, &words).as_deref(), Ok(bytes));
        }
        if let Ok(changed) = neff.replace(&loaded.stream.member, &[0x41; 64]) {
            assert_ne!(Neff::open(&changed, &limits).expect("it is a package").hash_ok(), Some(false));
        }
    }
});
