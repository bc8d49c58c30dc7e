//! COPY_PREDICATED and CAST_PREDICATED: src1 where src0 is not zero, the rest of the destination as it was.

use super::flow::{Access, Flow, Stream, VECTOR, Var};
use super::memory;
use vq7_isa::Dtype;
use vq7_policy::Policy;

/// Elements of a unit.
pub(super) fn unit(dtypes: [Dtype; 3]) -> u32 {
    if dtypes.iter().any(|dtype| dtype.bits() == 8) { 4 * memory::GROUP } else { memory::GROUP }
}

/// Writes one unit. `cast` converts through float32; without it bits are copied.
pub(super) fn lower(flow: &mut Flow, [predicate, source, out]: [Dtype; 3], cast: bool, policy: &Policy) {
    let zero = flow.word(0);
    let tested = memory::load_int(flow, Stream::Src0, predicate);
    let guards: Vec<Var> = tested.into_iter().map(|word| flow.test("NEQN_2X32", &[word, zero])).collect();
    let values = if cast && source != out {
        let values = memory::load_float(flow, Stream::Src1, source, policy);
        memory::narrowed(flow, out, &values, policy)
    } else {
        memory::load_int(flow, Stream::Src1, source)
    };
    match out.bits() {
        8 => {
            let old = memory::load_int(flow, Stream::Dst, out);
            for ((&target, &value), &guard) in old.iter().zip(&values).zip(&guards) {
                flow.merge(target, value, guard);
            }
            memory::store_int(flow, out, &old);
        }
        16 => {
            for (group, (&value, &guard)) in (0..).zip(values.iter().zip(&guards)) {
                flow.store_where("SVN_2X16UT_IP", value, guard, part(out, group * VECTOR / 2, VECTOR / 2));
            }
        }
        _ => {
            for (group, (&value, &guard)) in (0..).zip(values.iter().zip(&guards)) {
                flow.store_where("SV2NX8T_IP", value, guard, part(out, group * VECTOR, VECTOR));
            }
        }
    }
}

fn part(dtype: Dtype, offset: u32, bytes: u32) -> Access {
    Access { stream: Stream::Dst, offset, bytes, element: dtype.bytes(), lanes_per_element: 1, lane_bits: 32 }
}
