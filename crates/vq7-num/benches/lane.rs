//! Elements per second through `Lane::evaluate`, per class of dtypes. `cargo bench -p vq7-num`.

use divan::Bencher;
use divan::counter::ItemsCount;
use vq7_isa::AluOp::*;
use vq7_isa::Dtype::*;
use vq7_num::Lane;
use vq7_policy::Policy;

fn main() {
    divan::main();
}

const ELEMENTS: usize = 4096;

const LANES: &[(&str, Lane)] = &[
    ("add f32", Lane::new(Add, Fp32, Fp32, Fp32)),
    ("mult f32", Lane::new(Mult, Fp32, Fp32, Fp32)),
    ("max f32", Lane::new(Max, Fp32, Fp32, Fp32)),
    ("is_gt f32 to u8", Lane::new(IsGt, Fp32, Fp32, Uint8)),
    ("add bf16", Lane::new(Add, Bfloat16, Bfloat16, Bfloat16)),
    ("add f16", Lane::new(Add, Fp16, Fp16, Fp16)),
    ("add e4m3", Lane::new(Add, Fp8Exp4, Fp8Exp4, Fp8Exp4)),
    ("mult i32 through f32", Lane::new(Mult, Int32, Int32, Int32)),
    ("pow f32", Lane::new(Pow, Fp32, Fp32, Fp32)),
    ("rsqrt f32", Lane::new(Rsqrt, Fp32, Fp32, Fp32)),
    ("add_int i32", Lane::new(AddInt, Int32, Int32, Int32)),
    ("divide_int i32", Lane::new(DivideInt, Int32, Int32, Int32)),
    ("add_int i64", Lane::new(AddInt, Int64, Int64, Int64)),
    ("mult_int i64", Lane::new(MultInt, Int64, Int64, Int64)),
    ("divide_int i64", Lane::new(DivideInt, Int64, Int64, Int64)),
    ("bitwise_xor u32", Lane::new(BitwiseXor, Uint32, Uint32, Uint32)),
    ("shift right i64", Lane::new(ArithShiftRight, Int64, Uint32, Int64)),
];

/// Operands of mixed magnitude: splitmix64, with exponents near each other for the float dtypes.
fn operands(lane: &Lane) -> Vec<(u64, u64)> {
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (state ^ state >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z ^ z >> 27
    };
    let fit = |bits: u64, dtype: vq7_isa::Dtype| match dtype {
        Fp32 => bits & 0x80FF_FFFF | 0x3E00_0000,
        _ => bits & (u64::MAX >> (64 - dtype.bits())),
    };
    (0..ELEMENTS).map(|_| (fit(next(), lane.src0), fit(next(), lane.src1) | 1)).collect()
}

#[divan::bench(args = LANES.iter().map(|(name, _)| *name))]
fn evaluate(bencher: Bencher, name: &str) {
    let Some((_, lane)) = LANES.iter().find(|(known, _)| *known == name) else { return };
    let (operands, policy) = (operands(lane), Policy::default());
    bencher.counter(ItemsCount::new(ELEMENTS)).bench(|| {
        let mut sum = 0u64;
        for &(a, b) in &operands {
            if let Ok(result) = divan::black_box(lane).evaluate(a, b, &policy) {
                sum = sum.wrapping_add(result.value);
            }
        }
        sum
    });
}
