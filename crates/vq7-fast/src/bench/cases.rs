//! Which words are measured, and what they are to reach.

use super::{Case, LARGEST};
use vq7_isa::alu_op::Band;
use vq7_isa::{AluOp, Dtype};

/// What a row is to reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// At least this part of the ceiling.
    Ceiling(f64),
    /// At least so many results per second.
    Results(f64),
}

/// Every case: each op that tensor-tensor words compute, on the dtypes that it is for.
pub fn cases() -> Vec<Case> {
    use AluOp::*;
    let mut all: Vec<Case> = Vec::new();
    let mut add = |op: AluOp, dtype: Dtype| {
        let widest = if dtype.bits() == 64 { LARGEST / 2 } else { LARGEST };
        for (columns, step) in [(widest, 1), (512, 1)] {
            all.push(Case { op, dtypes: [dtype; 3], columns, step });
        }
    };
    let ints: Vec<Dtype> = Dtype::tensor_tensor().filter(|dtype| dtype.is_int()).collect();
    let floats: Vec<Dtype> =
        Dtype::tensor_tensor().filter(|dtype| dtype.is_float() && *dtype != Dtype::Fp32r).collect();
    let in_words = |op: &AluOp| {
        // No tensor-tensor word takes these.
        op.is_general_arith() || *op == Pow || op.is_general_bitvec() || op.is_int_aluop()
    };
    for &op in AluOp::ALL.iter().filter(|op| in_words(op)) {
        match op.band() {
            Band::Integer if !matches!(op, AmaxInt | AminInt | AmaxUint | AminUint) => {
                let fits = |dtype: &Dtype| match (op.is_signed(), op.is_unsigned()) {
                    (true, false) => dtype.is_signed_int(),
                    (false, true) => !dtype.is_signed_int(),
                    _ => dtype.is_signed_int(),
                };
                ints.iter().copied().filter(fits).for_each(|dtype| add(op, dtype));
            }
            Band::Bitvec if op != Crc32 => {
                ints.iter().copied().filter(|dtype| !dtype.is_signed_int()).for_each(|dtype| add(op, dtype));
            }
            Band::Base => {
                floats.iter().copied().for_each(|dtype| add(op, dtype));
                add(op, Dtype::Int32);
            }
            _ => {}
        }
    }
    let convert = |a, out| Case { op: Bypass, dtypes: [a, a, out], columns: LARGEST, step: 1 };
    for &dtype in &floats {
        if dtype != Dtype::Fp32 {
            all.extend([convert(Dtype::Fp32, dtype), convert(dtype, Dtype::Fp32)]);
        }
    }
    for (op, dtype) in [
        (AddInt, Dtype::Int8),
        (AddInt, Dtype::Int16),
        (AddInt, Dtype::Int32),
        (Add, Dtype::Bfloat16),
        (Add, Dtype::Fp16),
        (Add, Dtype::Fp8Exp4),
        (Add, Dtype::Fp32),
    ] {
        for step in [2, -1] {
            all.push(Case { op, dtypes: [dtype; 3], columns: 8192, step });
        }
    }
    for (op, dtype) in [(AddInt, Dtype::Int32), (Add, Dtype::Fp32), (AddInt, Dtype::Int8)] {
        all.push(Case { op, dtypes: [dtype; 3], columns: 1 << 18, step: 1 });
    }
    // The corner of the matrix where nothing fits anything.
    let mixed = |a, b, out| Case { op: Mult, dtypes: [a, b, out], columns: LARGEST, step: 1 };
    all.extend([
        mixed(Dtype::Fp16, Dtype::Uint32, Dtype::Fp8Exp3),
        mixed(Dtype::Fp8Exp4, Dtype::Int16, Dtype::Uint8),
        mixed(Dtype::Bfloat16, Dtype::Fp8Exp5, Dtype::Fp32r),
    ]);
    all
}

impl Case {
    /// What the row is to reach on this CPU; `None` for rows that are there to be seen. `scale` is 1 with AVX-512 and 0.6
    /// below it.
    pub fn goal(&self, scale: f64) -> Option<Goal> {
        use AluOp::*;
        let [a, b, out] = self.dtypes;
        let main = self.columns == LARGEST || self.columns == LARGEST / 2 && out.bits() == 64;
        if self.step != 1 || !main {
            return None;
        }
        if a != b || a != out {
            return (self.op != Bypass).then_some(Goal::Results(1e9 * scale));
        }
        let hot = matches!(self.op, Add | Subtract | Mult | Max | Min | IsEq | IsNe | IsGt | IsGe | IsLe | IsLt);
        let band = self.op.band();
        let division = matches!(self.op, DivideInt | DivideUint | ModInt | ModUint | Mod | Divide);
        match out {
            Dtype::Fp32 if self.op == Pow => Some(Goal::Results(150e6 * scale)),
            _ if self.op == Pow => None,
            Dtype::Fp32 if hot => Some(Goal::Ceiling(0.90 * scale)),
            Dtype::Fp16 | Dtype::Bfloat16 if hot => Some(Goal::Ceiling(0.85 * scale)),
            Dtype::Fp8Exp3 | Dtype::Fp8Exp4 if hot => Some(Goal::Results(6.7e9 * scale)),
            // 1.2 times what XLA does on this kind of machine; benches/peers.py measures the ratio.
            Dtype::Fp8Exp5 if hot => Some(Goal::Results(9.8e9 * scale)),
            // Their targets are ratios to NumPy.
            _ if division => None,
            _ if matches!(band, Band::Integer | Band::Bitvec) && out.is_int() => Some(Goal::Ceiling(0.90 * scale)),
            _ => Some(Goal::Results(1e9 * scale)),
        }
    }
}
