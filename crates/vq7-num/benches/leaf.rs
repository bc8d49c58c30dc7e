//! Lane results per second through a leaf's typed entries, as a simulator calls them: once per lane, once per register. `cargo bench -p vq7-num --bench leaf`.

use divan::Bencher;
use divan::counter::ItemsCount;
use vq7_num::leaf;

fn main() {
    divan::main();
}

const LANES: usize = 4096;

const NAMES: [&str; 9] = [
    "add_16_16_16",
    "adds_16_16_16",
    "bmax_2_16_16_16",
    "sra_s_16_16_6",
    "mul_48_16_16",
    "packvr_16_48_32",
    "olt_1_4_32f_32f",
    "add_1_1_1_32f_32f_32f_2",
    "mul_1_1_1_1_32f_32f_32f_2",
];

/// Operands: splitmix64; float leaves get exponents near each other.
fn operands(float: bool) -> Vec<(u64, u64)> {
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (state ^ state >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let bits = z ^ z >> 27;
        if float { bits & 0x80FF_FFFF | 0x3E00_0000 } else { bits & 0xFFFF }
    };
    (0..LANES).map(|_| (next(), next())).collect()
}

#[divan::bench(args = NAMES)]
fn lane(bencher: Bencher, name: &str) {
    let Some(lane) = leaf::find(name).and_then(leaf::Leaf::lane) else { return };
    let operands = operands(name.contains("32f"));
    bencher.counter(ItemsCount::new(LANES)).bench(|| {
        let lane = divan::black_box(lane);
        operands.iter().fold(0u64, |sum, &(a, b)| {
            let out = lane(a, b, 0, 0);
            sum.wrapping_add(out.value ^ u64::from(out.flag_bits()))
        })
    });
}

/// Rows of 32 lanes, the lanes of a register of 16-bit elements.
#[divan::bench(args = NAMES)]
fn row(bencher: Bencher, name: &str) {
    const ROW: usize = 32;
    let Some(row) = leaf::find(name).and_then(leaf::Leaf::row) else { return };
    let (a, b): (Vec<u64>, Vec<u64>) = operands(name.contains("32f")).into_iter().unzip();
    let mut out = [leaf::LaneOut::default(); ROW];
    bencher.counter(ItemsCount::new(LANES)).bench_local(|| {
        let row = divan::black_box(row);
        for (a, b) in a.chunks(ROW).zip(b.chunks(ROW)) {
            row(a, b, &[0; ROW], &[0; ROW], &mut out);
            divan::black_box(&out);
        }
    });
}
