//! The integer band: which operands it takes, which signedness it has, and who computes (docs/spec/numbers.md, integer
//! ops). Up to 32 bits and mixed widths go to `int_ops`, 64 bits to `halves`.

use crate::basis::Case;
use crate::convert::int_value;
use crate::halves::{self, Pair};
use crate::int_ops::{self, Widths};
use crate::lane::{Lane, LaneError};
use vq7_isa::AluOp;
use vq7_policy::Settled;

/// Evaluates an integer-band op.
pub(crate) fn evaluate(lane: &Lane, a: u64, b: u64, case: &mut Case) -> Result<u64, LaneError> {
    let dtypes = [lane.src0, lane.src1, lane.out];
    if dtypes.iter().any(|dtype| !dtype.is_int()) {
        return Err(LaneError::Unimplemented("an integer-band op on a floating-point dtype"));
    }
    if dtypes.iter().any(|dtype| dtype.is_signed_int() != lane.src0.is_signed_int()) {
        return Err(LaneError::Unimplemented("an integer-band op on signed and unsigned operands together"));
    }
    if matches!(lane.op, AluOp::AmaxInt | AluOp::AminInt | AluOp::AmaxUint | AluOp::AminUint) {
        return Err(LaneError::Unimplemented("a reduction (AMAX, AMIN) as an elementwise op"));
    }
    if lane.op.is_compare() {
        case.rest_on(Settled::CompareEncoding);
    }
    compute(lane.op, lane, a, b, case)
}

/// Computes `op`, which need not be the lane's: under a `native32` policy a base-band op is computed as its exact twin.
pub(crate) fn compute(op: AluOp, lane: &Lane, a: u64, b: u64, case: &mut Case) -> Result<u64, LaneError> {
    let width = lane.src0.bits();
    let same_width = lane.src1.bits() == width && lane.out.bits() == width;
    if !same_width {
        case.rest_on(Settled::IntMixedWidth);
    }
    let signed = is_signed(op, lane);
    let widths = Widths { signed, out: lane.out, common: same_width.then_some(width) };
    if width == 64 && same_width {
        if case.tracing {
            // What the halves cannot see: whether the exact result wrapped.
            let mut exact = Case::tracing(case.policy);
            let _ = int_ops::evaluate(op, widths, int_value(a, signed, 64), int_value(b, signed, 64), &mut exact);
            int_ops::note_division(op, widths, int_value(a, signed, 64), int_value(b, signed, 64), &mut exact);
            case.touched.add(exact.touched);
        }
        return halves::integer(op, signed, Pair::from_bits(a), Pair::from_bits(b), case).map(Pair::bits);
    }
    let (x, y) = (int_value(a, signed, width), int_value(b, signed, lane.src1.bits()));
    if case.tracing {
        int_ops::note_division(op, widths, x, y, case);
    }
    int_ops::evaluate(op, widths, x, y, case)
}

/// Whether the op computes on signed numbers: as its name pins it, or else as the dtype has it.
const fn is_signed(op: AluOp, lane: &Lane) -> bool {
    match (op.is_signed(), op.is_unsigned()) {
        (true, false) => true,
        (false, true) => false,
        _ => lane.src0.is_signed_int(),
    }
}
