//! Bitwise ops and shifts on raw bits at the width of the dtype (docs/spec/numbers.md, shifts and bitwise ops).

use crate::basis::Case;
use crate::convert::mask;
use crate::halves::{self, Pair};
use crate::lane::{Lane, LaneError};
use crate::reduce;
use crate::shift::{self, Shift};
use vq7_isa::AluOp;
use vq7_policy::Settled;

/// Evaluates a bitvec op, BYPASS as one of them included.
pub(crate) fn evaluate(lane: &Lane, a: u64, b: u64, case: &mut Case) -> Result<u64, LaneError> {
    if lane.op == AluOp::Crc32 {
        return crc32(lane, a, b, case);
    }
    let wide_shift = lane.op.is_shift() && lane.src0.is_64bit_int();
    if wide_shift {
        if lane.out != lane.src0 {
            return Err(LaneError::Unspecified);
        }
        if lane.src1 != lane.src0 && lane.src1 != vq7_isa::Dtype::Uint32 {
            return Err(LaneError::Unimplemented(
                "a 64-bit shift whose count is neither UINT32 nor of the value's dtype",
            ));
        }
    } else if lane.src1 != lane.src0 || lane.out != lane.src0 {
        return Err(LaneError::Unimplemented("a bitvec op on operands of different dtypes"));
    }
    let width = lane.src0.bits();
    let resolved = lane.op.is_shift().then(|| shift::resolve(lane.op, b, width, case));
    if let Some(Shift::RightArithmetic(1..)) = resolved
        && a >> (width - 1) & 1 == 1
        && !lane.src0.is_signed_int()
    {
        case.rest_on(Settled::UnsignedArithShift);
    }
    if width == 64 {
        return Ok(halves::bitvec(lane.op, resolved, Pair::from_bits(a), Pair::from_bits(b)).bits());
    }
    Ok(match (lane.op, resolved) {
        (_, Some(shift)) => shift::apply(shift, a, width),
        (AluOp::BitwiseNot, _) => !a & mask(width),
        (AluOp::BitwiseAnd, _) => a & b,
        (AluOp::BitwiseOr, _) => a | b,
        (AluOp::BitwiseXor, _) => a ^ b,
        // BYPASS, the last one of the class.
        _ => a,
    })
}

/// CRC32 takes 16- and 32-bit integers: src0 the running value, src1 the data.
fn crc32(lane: &Lane, a: u64, b: u64, case: &mut Case) -> Result<u64, LaneError> {
    if [lane.src0, lane.src1, lane.out].iter().any(|dtype| !dtype.is_int() || !matches!(dtype.bits(), 16 | 32)) {
        return Err(LaneError::Unimplemented("CRC32 on a dtype that is not a 16- or 32-bit integer"));
    }
    case.rest_on(Settled::Crc32Parameters);
    Ok(u64::from(reduce::crc32(a as u32, b as u32, lane.src1.bits() / 8)) & mask(lane.out.bits()))
}
