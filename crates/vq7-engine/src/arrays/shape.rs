//! Shapes: element counts, broadcasting, and the source element of each result element.

use super::ArrayError;

/// Elements of a shape; `None` when they do not fit a usize.
pub fn elements(shape: &[usize]) -> Option<usize> {
    shape.iter().try_fold(1usize, |all, &extent| all.checked_mul(extent))
}

/// The shape that two shapes broadcast to, by NumPy's rule.
///
/// # Errors
/// When they do not broadcast, or the result has no elements or too many.
pub fn broadcast_shape(a: &[usize], b: &[usize]) -> Result<Vec<usize>, ArrayError> {
    for (name, shape) in [("a", a), ("b", b)] {
        if shape.contains(&0) {
            let shape = shape.to_vec();
            return Err(ArrayError::Empty { name, shape });
        }
    }
    let rank = a.len().max(b.len());
    let extent = |shape: &[usize], axis: usize| {
        let missing = rank.saturating_sub(shape.len());
        axis.checked_sub(missing).and_then(|axis| shape.get(axis)).copied().unwrap_or(1)
    };
    let shape: Option<Vec<usize>> = (0..rank)
        .map(|axis| match (extent(a, axis), extent(b, axis)) {
            (x, y) if x == y || y == 1 => Some(x),
            (1, y) => Some(y),
            _ => None,
        })
        .collect();
    let shape = shape.ok_or_else(|| ArrayError::Broadcast { a: a.to_vec(), b: b.to_vec() })?;
    match elements(&shape) {
        // A byte count of eight bytes each has to fit as well.
        Some(count) if count.checked_mul(8).is_some_and(|bytes| bytes <= isize::MAX as usize) => Ok(shape),
        _ => Err(ArrayError::TooLarge(shape)),
    }
}

/// The multi-dimensional index of a flat one, in C order.
pub fn unravel(flat: usize, shape: &[usize]) -> Vec<usize> {
    let mut rest = flat;
    let mut index: Vec<usize> = shape
        .iter()
        .rev()
        .map(|&extent| {
            let extent = extent.max(1);
            let at = rest % extent;
            rest /= extent;
            at
        })
        .collect();
    index.reverse();
    index
}

/// Which element of a source each element of the result reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Broadcast {
    /// Axes that are not trivial, the innermost first: extent in the result, step in the source.
    axes: Vec<(usize, usize)>,
    /// Elements of the source.
    elements: usize,
}

impl Broadcast {
    /// `source` broadcasts to `result`.
    pub fn new(source: &[usize], result: &[usize]) -> Self {
        let mut step = 1usize;
        let mut axes: Vec<(usize, usize)> = Vec::with_capacity(result.len());
        for (axis, &extent) in result.iter().rev().enumerate() {
            let own = source.iter().rev().nth(axis).copied().unwrap_or(1);
            let this = if own == 1 { 0 } else { step };
            step = step.saturating_mul(own);
            if extent == 1 {
                continue;
            }
            match axes.last_mut() {
                // Two axes that continue each other are one.
                Some((inner, inner_step)) if this == inner_step.saturating_mul(*inner) => {
                    *inner = inner.saturating_mul(extent);
                }
                _ => axes.push((extent, this)),
            }
        }
        Self { axes, elements: step }
    }

    /// Whether all result elements read the one element.
    pub fn is_scalar(&self) -> bool {
        self.elements == 1
    }

    /// The source element of a result element.
    pub fn source(&self, flat: usize) -> usize {
        let mut rest = flat;
        let mut at = 0usize;
        for &(extent, step) in &self.axes {
            let extent = extent.max(1);
            at = at.saturating_add((rest % extent).saturating_mul(step));
            rest /= extent;
        }
        at
    }

    /// The source elements of result elements `first..first + count` where they lie, if they lie one after the other.
    pub fn slice<'a>(&self, bytes: &'a [u8], size: usize, first: usize, count: usize) -> Option<&'a [u8]> {
        let (inner, step) = self.axes.first().copied()?;
        let at = self.source(first).checked_mul(size)?;
        let in_one_run = step == 1 && first % inner.max(1) + count <= inner;
        if in_one_run { bytes.get(at..at.checked_add(count.checked_mul(size)?)?) } else { None }
    }

    /// Appends the source elements, `size` bytes each, of result elements `first..first + count`.
    pub fn gather(&self, bytes: &[u8], size: usize, first: usize, count: usize, out: &mut Vec<u8>) {
        let (inner, step) = self.axes.first().copied().unwrap_or((1, 0));
        let inner = inner.max(1);
        let (mut flat, end) = (first, first.saturating_add(count));
        while flat < end {
            // Up to the end of the innermost axis the source steps evenly.
            let run = (inner - flat % inner).min(end - flat);
            let at = self.source(flat).saturating_mul(size);
            match step {
                1 => out.extend_from_slice(bytes.get(at..at.saturating_add(run.saturating_mul(size))).unwrap_or(&[])),
                _ => {
                    for i in 0..run {
                        let at = at.saturating_add(i.saturating_mul(step).saturating_mul(size));
                        out.extend_from_slice(bytes.get(at..at.saturating_add(size)).unwrap_or(&[]));
                    }
                }
            }
            flat = flat.saturating_add(run);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numpy_s_rule() {
        let shape = |a: &[usize], b: &[usize]| broadcast_shape(a, b);
        assert_eq!(shape(&[], &[]), Ok(vec![]));
        assert_eq!(shape(&[3, 1, 5], &[4, 1]), Ok(vec![3, 4, 5]));
        assert_eq!(shape(&[7], &[2, 1]), Ok(vec![2, 7]));
        assert!(shape(&[3], &[4]).unwrap_err().to_string().contains("[3] and [4] do not broadcast"));
        let empty = shape(&[2, 0], &[1]).unwrap_err().to_string();
        assert!(empty.contains("has no elements; a word's counts are at least 1"), "{empty}");
        assert!(matches!(shape(&[usize::MAX, 2], &[1]), Err(ArrayError::TooLarge(_))));
        assert!(matches!(shape(&[usize::MAX], &[1]), Err(ArrayError::TooLarge(_))));
    }

    #[test]
    fn flat_indices_unravel_in_c_order() {
        assert_eq!(unravel(0, &[]), Vec::<usize>::new());
        assert_eq!(unravel(23, &[2, 3, 4]), [1, 2, 3]);
        assert_eq!(unravel(5, &[2, 3]), [1, 2]);
    }

    proptest! {
        #[test]
        fn gathered_elements_are_those_of_the_index(
            dims in prop::collection::vec((1usize..5, any::<bool>()), 0..5),
            drop_axes in 0usize..3,
            window in (0usize..100, 0usize..100),
        ) {
            let result: Vec<usize> = dims.iter().map(|(extent, _)| *extent).collect();
            let source: Vec<usize> = dims.iter().skip(drop_axes).map(|(e, keep)| if *keep { *e } else { 1 }).collect();
            let total: usize = result.iter().product();
            let source_total: usize = source.iter().product();
            let bytes: Vec<u8> = (0..source_total as u16).flat_map(u16::to_le_bytes).collect();
            let expected = |flat: usize| {
                let index = unravel(flat, &result);
                let skip = index.len() - source.len();
                index.iter().skip(skip).zip(&source).fold(0, |at, (&i, &extent)| at * extent + i % extent)
            };
            let map = Broadcast::new(&source, &result);
            let first = window.0 % total;
            let count = window.1 % (total - first + 1);
            let mut out = Vec::new();
            map.gather(&bytes, 2, first, count, &mut out);
            let want: Vec<u8> = (first..first + count).flat_map(|i| (expected(i) as u16).to_le_bytes()).collect();
            if let Some(slice) = map.slice(&bytes, 2, first, count) {
                prop_assert_eq!(slice, &want);
            }
            prop_assert_eq!(out, want);
            (0..total).for_each(|i| assert_eq!(map.source(i), expected(i)));
            prop_assert_eq!(map.is_scalar(), source_total == 1);
        }
    }
}
