//! 10,000 damaged packages: whatever is in them, an answer or a named error, and less than 1 GiB of memory.

#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

mod support;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use std::io::{Read, Write};
use std::time::{Duration, Instant};
use support::fixtures;
use vq7_neff::{Limits, Neff};

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }
}

/// Damages bytes in one to eight places: flips, numbers that mean something, cuts, copies, insertions.
fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..=random.below(8) {
        let at = random.below(bytes.len());
        match random.below(7) {
            0 => bytes.truncate(at),
            1 => {
                let piece: Vec<u8> =
                    bytes.iter().skip(random.below(bytes.len())).take(random.below(1500)).copied().collect();
                let end = (at + piece.len()).min(bytes.len());
                bytes.splice(at..end, piece);
            }
            2 => {
                let odd = [0, 1, u64::MAX, 1 << 32, 1 << 62, 0x3030_3030_3030_3737, 0x7F, 0x400][random.below(8)];
                let end = (at + 8).min(bytes.len());
                bytes.splice(at..end, odd.to_le_bytes());
            }
            3 => {
                // Where tar headers have sizes and kinds.
                let block = at / 512 * 512;
                let field = block + [124, 130, 135, 156, 148, 257, 345][random.below(7)];
                if let Some(byte) = bytes.get_mut(field) {
                    *byte = b"01234567xgLKS\0 \xFF"[random.below(16)];
                }
            }
            4 => bytes.insert(at.min(bytes.len()), random.next() as u8),
            _ => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << random.below(8);
                }
            }
        }
    }
}

/// Tar checksums made right again, so that damage behind them is reached.
fn mend(bytes: &mut [u8]) {
    for block in bytes.chunks_exact_mut(512).filter(|block| block[257..].starts_with(b"ustar")) {
        let sum: u32 = (0..512).map(|at| u32::from(if (148..156).contains(&at) { b' ' } else { block[at] })).sum();
        block[148..154].copy_from_slice(format!("{sum:06o}").as_bytes());
        (block[154], block[155]) = (0, b' ');
    }
}

/// Everything that can be asked of a package.
fn use_all(file: &[u8]) -> bool {
    let Ok(neff) = Neff::open(file, &Limits::default()) else { return false };
    let _ = neff.hash_ok();
    let Ok((streams, _)) = neff.streams() else { return true };
    for stream in &streams {
        let Ok(words) = neff.words(stream) else { continue };
        let bytes: Vec<u8> = words.words.iter().flat_map(|word| word.0).collect();
        if let Ok(same) = neff.replace(&stream.member, &bytes) {
            let is_whole = words.stopped.is_none();
            assert!(!is_whole || same == file, "replacing nothing changed the package");
        }
        if let Ok(changed) = neff.replace(&stream.member, &[0x41; 128]) {
            let again = Neff::open(&changed, &Limits::default()).expect("what was written is read again");
            let member = again.member(&stream.member).expect("with its member");
            assert_eq!(again.data(member), Ok(&[0x41; 128][..]));
            assert_ne!(again.hash_ok(), Some(false));
        }
    }
    true
}

#[test]
fn ten_thousand_damaged_packages_do_no_harm() {
    let seed = std::env::var("VQ7_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(11);
    let mut random = Random(seed);
    let packages = fixtures();
    let (mut read, started) = (0, Instant::now());
    for case in 0..10_000 {
        let (name, file) = &packages[case % packages.len()];
        let mut file = file.clone();
        let gzip_at = file.windows(3).position(|bytes| bytes == [0x1F, 0x8B, 8]);
        match gzip_at.filter(|at| matches!(at, 0 | 0x400 | 0x800)) {
            // Damage within the archive, packed again.
            Some(at) if case % 2 == 0 => {
                let mut tar = Vec::new();
                GzDecoder::new(&file[at..]).read_to_end(&mut tar).unwrap();
                damage(&mut tar, &mut random);
                mend(&mut tar);
                let mut encoder = GzEncoder::new(file[..at].to_vec(), Compression::fast());
                encoder.write_all(&tar).unwrap();
                file = encoder.finish().unwrap();
                if at > 0 {
                    let size = (file.len() - at) as u64;
                    file[0x10..0x18].copy_from_slice(&size.to_le_bytes());
                }
            }
            _ => {
                damage(&mut file, &mut random);
                if case % 3 != 0 {
                    mend(&mut file);
                }
            }
        }
        let one = Instant::now();
        read += usize::from(use_all(&file));
        let spent = one.elapsed();
        assert!(spent < Duration::from_secs(10), "{name}, case {case}: {spent:?} (rerun with VQ7_SEED={seed})");
    }
    println!("{read} of 10000 were read, in {:?}, seed {seed}", started.elapsed());
    assert!((1000..9000).contains(&read), "{read} of 10000: the damage is too coarse or too fine");
    // Peak memory of this process, where the system tells.
    if let Ok(status) = std::fs::read_to_string("/proc/self/status") {
        let peak =
            status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse().ok());
        let peak: u64 = peak.unwrap();
        println!("peak {} MiB", peak / 1024);
        assert!(peak < 1 << 20, "{peak} KiB");
    }
}
