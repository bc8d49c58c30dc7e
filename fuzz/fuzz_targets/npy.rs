//! Any bytes as an .npy file: an array or an error, never a panic, never more memory than the file justifies.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(array) = vq7_cli::files::npy::parse(bytes) {
        assert!(array.bytes.len() <= bytes.len());
    }
});
