//! Parts of tensors, NumPy broadcasting, and the patterns that walk them.

use crate::diagnostic::{Diagnostic, Parsed, Span};
use crate::program::Tensor;
use crate::syntax::{Slice, Spanned, View};
use vq7_isa::address::{Addr4, Location, Memory};
use vq7_isa::generation::Geometry;
use vq7_isa::pattern::Pattern;

/// One axis within a partition: how many elements, how far apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Axis {
    count: usize,
    /// In elements; negative walks down.
    stride: i64,
}

/// A part of a tensor, ready to be walked.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// First partition; `None` for a constant, which lies in all of them.
    pub partition: Option<u32>,
    /// Partitions that it spans; `None` for a constant.
    pub partitions: Option<usize>,
    offset: u32,
    /// Outermost first.
    axes: Vec<Axis>,
    span: Span,
}

impl Part {
    /// Resolves the slices of a view.
    pub fn of(tensor: &Tensor, view: &View) -> Parsed<Self> {
        let span = view.name.span.start..view.slices.last().map_or(view.name.span.end, |slice| slice.span.end + 1);
        let mut stride = 1;
        let mut axes: Vec<_> = tensor
            .free_shape()
            .iter()
            .rev()
            .map(|&count| {
                let axis = Axis { count, stride };
                stride *= count as i64;
                axis
            })
            .collect();
        axes.reverse();
        if tensor.is_constant {
            if !view.slices.is_empty() {
                return Err(Diagnostic::new(span, "a constant has one element; it takes no slice"));
            }
            return Ok(Self { partition: None, partitions: None, offset: tensor.offset, axes: Vec::new(), span });
        }
        let rank = tensor.shape.len();
        if view.slices.len() > rank {
            let message = format!("{} slices for the {rank} axes of `{}`", view.slices.len(), tensor.name);
            return Err(Diagnostic::new(span, message));
        }
        let (mut partition, mut partitions, mut elements) = (tensor.partition, tensor.partitions(), 0);
        let partition_axis = rank >= 2;
        for (index, slice) in view.slices.iter().enumerate() {
            let picked = Picked::of(slice, tensor.shape[index])?;
            if partition_axis && index == 0 {
                if picked.step != 1 {
                    return Err(Diagnostic::new(slice.span.clone(), "the partition axis is walked without a step"));
                }
                partition += picked.first as u32;
                partitions = picked.count;
                continue;
            }
            let axis = &mut axes[index - usize::from(partition_axis)];
            elements += picked.first as i64 * axis.stride;
            *axis = Axis { count: picked.count, stride: axis.stride * i64::from(picked.step) };
        }
        let offset = tensor.offset + elements as u32 * tensor.dtype.bytes();
        Ok(Self { partition: Some(partition), partitions: Some(partitions), offset, axes, span })
    }

    /// A finding about this part.
    pub fn error(&self, message: String) -> Diagnostic {
        Diagnostic::new(self.span.clone(), message)
    }

    /// Sizes within a partition, outermost first.
    pub fn free_shape(&self) -> Vec<usize> {
        self.axes.iter().map(|axis| axis.count).collect()
    }

    /// The pattern that walks this part in the order of `shape`, reading broadcast axes with step 0. A constant starts in
    /// `home`, the first partition of the word's other operands.
    pub fn pattern<const N: usize>(&self, shape: &[usize], home: u32, geometry: &Geometry) -> Parsed<Pattern<N>> {
        let missing = shape.len().saturating_sub(self.axes.len());
        let aligned = shape.iter().enumerate().map(|(i, &count)| {
            let own = i.checked_sub(missing).and_then(|i| self.axes.get(i));
            Axis { count, stride: own.filter(|axis| axis.count == count).map_or(0, |axis| axis.stride) }
        });
        let axes = merged(aligned.filter(|axis| axis.count != 1));
        if axes.len() > N {
            let message = format!("the walk needs {} axes, and a pattern of this word has {N}", axes.len());
            return Err(self.error(message).help("split the operation, or lay the tensor so that axes are contiguous"));
        }
        let location =
            Location { memory: Memory::Sbuf, partition: self.partition.unwrap_or(home), offset: self.offset };
        let mut pattern = Pattern { start: Addr4::immediate(location.address(geometry)), step: [1; N], num: [1; N] };
        for (i, axis) in axes.iter().rev().enumerate() {
            let too_far = |what: &str, value: i64| {
                let message = format!("a {what} of {value} elements does not fit the word's field");
                self.error(message).help("counts reach 65535, steps -32768 to 32767: split the operation")
            };
            pattern.num[i] = u16::try_from(axis.count).map_err(|_| too_far("count", axis.count as i64))?;
            pattern.step[i] = i16::try_from(axis.stride).map_err(|_| too_far("step", axis.stride))?;
        }
        Ok(pattern)
    }
}

/// The elements of an axis that a slice picks.
struct Picked {
    first: usize,
    count: usize,
    step: i32,
}

impl Picked {
    fn of(slice: &Spanned<Slice>, size: usize) -> Parsed<Self> {
        let Slice { from, to, step } = slice.value;
        let step = step.unwrap_or(1);
        let distance = step.unsigned_abs() as usize;
        let (first, length) = match step > 0 {
            true => (from.unwrap_or(0), to.unwrap_or(size).checked_sub(from.unwrap_or(0))),
            // Down to `to`, which is not reached; without one, to element 0.
            false => {
                let first = from.unwrap_or(size - 1);
                (first, first.checked_sub(to.map_or(0, |to| to + 1)).map(|length| length + 1))
            }
        };
        let count = length.unwrap_or(0).div_ceil(distance.max(1));
        if distance == 0 || count == 0 || first >= size || to.is_some_and(|to| to > size) {
            let message = format!("this slice of an axis of size {size} is empty or reaches past its end");
            return Err(Diagnostic::new(slice.span.clone(), message)
                .help("write from:to or from:to:step with 0 <= from, to <= the size; a negative step walks down"));
        }
        Ok(Self { first, count, step })
    }
}

/// Merges neighbouring axes that are one run, as long as the count fits its 16-bit field.
fn merged(axes: impl Iterator<Item = Axis>) -> Vec<Axis> {
    let mut merged: Vec<Axis> = Vec::new();
    for inner in axes {
        match merged.last_mut() {
            Some(outer)
                if outer.stride == inner.stride * inner.count as i64
                    && outer.count * inner.count <= usize::from(u16::MAX) =>
            {
                *outer = Axis { count: outer.count * inner.count, stride: inner.stride };
            }
            _ => merged.push(inner),
        }
    }
    merged
}

/// The shape that shapes broadcast to: aligned at the last axis, sizes equal or 1. `None` when they do not.
pub(crate) fn broadcast(a: &[usize], b: &[usize]) -> Option<Vec<usize>> {
    let rank = a.len().max(b.len());
    let size = |shape: &[usize], axis: usize| (axis + shape.len()).checked_sub(rank).map_or(1, |axis| shape[axis]);
    (0..rank)
        .map(|axis| match (size(a, axis), size(b, axis)) {
            (x, y) if x == y || y == 1 => Some(x),
            (1, y) => Some(y),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_broadcast_as_in_numpy() {
        assert_eq!(broadcast(&[4, 1], &[3]), Some(vec![4, 3]));
        assert_eq!(broadcast(&[], &[2, 2]), Some(vec![2, 2]));
        assert_eq!(broadcast(&[2], &[3]), None);
    }

    #[test]
    fn contiguous_axes_merge_and_broadcast_ones_too() {
        let axis = |count, stride| Axis { count, stride };
        assert_eq!(merged([axis(4, 64), axis(64, 1)].into_iter()), [axis(256, 1)]);
        assert_eq!(merged([axis(4, 0), axis(64, 0)].into_iter()), [axis(256, 0)]);
        assert_eq!(merged([axis(4, 128), axis(64, 1)].into_iter()), [axis(4, 128), axis(64, 1)]);
        assert_eq!(merged([axis(1024, 64), axis(64, 1)].into_iter()), [axis(1024, 64), axis(64, 1)]);
    }
}
