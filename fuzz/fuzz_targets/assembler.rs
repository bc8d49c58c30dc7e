//! Any text: a program, a canonical line, or findings, never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use vq7_isa::text::Lines;
use vq7_isa::Generation;
use vq7_policy::Policy;
use vq7_program::{Options, assemble};

fuzz_target!(|source: &str| {
    let options = Options { target: None, default_target: Generation::Cayman, policy: Policy::default(), insisted: &[], lines: Lines::default() };
    match assemble(source, &options) {
        Ok(program) => program.words().iter().for_each(|word| assert!(!word.to_string().is_empty())),
        Err(findings) => {
            for finding in findings {
                assert!(source.get(finding.span.clone()).is_some(), "{finding:?}");
                let _ = finding.line_and_column(source);
            }
        }
    }
});
