//! COPY_PREDICATED and CAST_PREDICATED: src1 where src0 is not zero, the rest of the destination as it was.

use super::flow::{Access, Flow, Stream, VECTOR};
use super::memory::{self, Source};
use vq7_isa::Dtype;
use vq7_policy::Policy;

/// Elements of a unit.
pub(super) fn unit(dtypes: [Dtype; 3]) -> u32 {
    if dtypes.iter().any(|dtype| dtype.bits() == 8) { 4 * memory::GROUP } else { memory::GROUP }
}

/// Writes one unit. `cast` converts through float32; without it bits are copied.
pub(super) fn lower(flow: &mut Flow, [predicate, source, out]: [Dtype; 3], cast: bool, policy: &Policy) {
    let zero = flow.word(0);
    let tested = Source::new(flow, Stream::Src0, predicate);
    let values = Source::new(flow, Stream::Src1, source);
    let old = (out.bits() == 8).then(|| Source::new(flow, Stream::Dst, out));
    let mut merged = Vec::new();
    for group in 0..memory::groups(flow) {
        let word = tested.int(flow, group);
        let guard = flow.test("NEQN_2X32", &[word, zero]);
        let value = if cast && source != out {
            let value = values.float(flow, group, policy);
            memory::narrow(flow, value, out, policy)
        } else {
            values.int(flow, group)
        };
        match (old, out.bits()) {
            (Some(old), _) => {
                let target = old.int(flow, group);
                flow.merge(target, value, guard);
                merged.push(target);
            }
            (None, 16) => {
                flow.store_where("SVN_2X16UT_IP", value, guard, part(out, group * VECTOR / 2, VECTOR / 2));
            }
            _ => flow.store_where("SV2NX8T_IP", value, guard, part(out, group * VECTOR, VECTOR)),
        }
    }
    if old.is_some() {
        memory::store_lanes(flow, out, &merged);
    }
}

fn part(dtype: Dtype, offset: u32, bytes: u32) -> Access {
    Access { stream: Stream::Dst, offset, bytes, element: dtype.bytes(), lanes_per_element: 1, lane_bits: 32 }
}
