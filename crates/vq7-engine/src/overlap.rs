//! Does a source share bytes with the destination, other than element on same element?

use crate::fault::Warning;
use crate::job::{Job, Tensor};

/// A warning for each source of the job that overlaps the destination.
pub(crate) fn warnings(job: &Job, reads_src1: bool) -> Vec<Warning> {
    let sources = [Some(&job.src0), reads_src1.then_some(&job.src1)];
    let overlapping = sources.into_iter().flatten().filter(|source| overlaps(source, &job.dst, job.channels));
    overlapping.map(|source| Warning::Overlap { operand: source.operand }).collect()
}

fn overlaps(source: &Tensor, dst: &Tensor, channels: u32) -> bool {
    if source.memory != dst.memory || source.partition.abs_diff(dst.partition) >= channels {
        return false;
    }
    let ((source_low, source_high), (dst_low, dst_high)) = (source.walk.extent(), dst.walk.extent());
    if source_high <= dst_low || dst_high <= source_low {
        return false;
    }
    if source.partition == dst.partition && source.walk.same_elements(&dst.walk) {
        return false;
    }
    source.walk.ranges().intersects(&dst.walk.ranges())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::Operand;
    use crate::walk::Walk;
    use vq7_isa::Dtype;
    use vq7_isa::address::{Addr4, Memory};
    use vq7_isa::pattern::Tensor3d;

    fn tensor(operand: Operand, partition: u32, offset: u32, step: i16, dtype: Dtype) -> Tensor {
        let pattern = Tensor3d { start: Addr4(0), step: [step, 1, 1], num: [8, 1, 1] };
        Tensor {
            operand,
            memory: Memory::Sbuf,
            partition,
            walk: Walk::new(offset, &pattern, dtype.bytes(), 0x1000).unwrap(),
            dtype,
        }
    }

    #[test]
    fn in_place_and_interleaved_are_no_overlap() {
        let dst = tensor(Operand::Dst, 0, 0, 2, Dtype::Fp32);
        let shares = |source: Tensor| overlaps(&source, &dst, 32);
        assert!(!shares(dst), "in place");
        assert!(!shares(tensor(Operand::Src0, 0, 4, 2, Dtype::Fp32)), "the odd columns");
        assert!(shares(tensor(Operand::Src0, 0, 8, 2, Dtype::Fp32)), "one element on");
        assert!(shares(tensor(Operand::Src0, 0, 0, 2, Dtype::Fp16)), "in place, other size");
        assert!(shares(tensor(Operand::Src0, 0, 56, -2, Dtype::Fp32)), "backward");
        assert!(!shares(tensor(Operand::Src0, 0, 64, 2, Dtype::Fp32)), "behind");
        assert!(shares(tensor(Operand::Src0, 16, 0, 2, Dtype::Fp32)), "the partitions overlap, not the channels");
        assert!(!shares(tensor(Operand::Src0, 32, 0, 2, Dtype::Fp32)));
        assert!(!shares(Tensor { memory: Memory::Psum, ..dst }));
    }
}
