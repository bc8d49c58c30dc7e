//! How a flat result lies on partitions.

use vq7_isa::generation::PARTITIONS;

/// Rows of result elements on partitions 0.. of the State Buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rectangle {
    /// Flat index of the element in row 0, column 0.
    pub first: usize,
    /// Distance of one row's first element from the next one's.
    pub row_stride: usize,
    /// Rows: partitions 0..rows.
    pub rows: u32,
    /// Elements of a row.
    pub columns: usize,
}

const ROWS: usize = PARTITIONS as usize;

/// Whether a result of this shape keeps its rows: the last axis runs along the partitions.
pub(super) fn keeps_rows(shape: &[usize]) -> bool {
    matches!(shape, [rows, _] if *rows <= ROWS)
}

/// The rectangles of a result, in the order of its elements.
pub(super) fn rectangles(shape: &[usize]) -> Vec<Rectangle> {
    if let &[rows, columns] = shape
        && keeps_rows(shape)
    {
        return vec![Rectangle { first: 0, row_stride: columns, rows: rows as u32, columns }];
    }
    let total: usize = shape.iter().product();
    let (columns, rest) = (total / ROWS, total % ROWS);
    let main = Rectangle { first: 0, row_stride: columns, rows: PARTITIONS, columns };
    let left_over = Rectangle { first: total - rest, row_stride: 1, rows: rest as u32, columns: 1 };
    let both = [(columns > 0, main), (rest > 0, left_over)];
    both.into_iter().filter_map(|(there, rectangle)| there.then_some(rectangle)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_lies_in_one_place() {
        let shapes: [&[usize]; 10] =
            [&[], &[1], &[127], &[128], &[129], &[128, 5], &[129, 5], &[3, 100], &[2, 3, 100], &[1, 300]];
        for shape in shapes {
            let mut seen = Vec::new();
            for r in rectangles(shape) {
                assert!((1..=128).contains(&r.rows), "{shape:?}");
                for row in 0..r.rows as usize {
                    seen.extend((0..r.columns).map(|column| r.first + row * r.row_stride + column));
                }
            }
            seen.sort_unstable();
            assert_eq!(seen, (0..shape.iter().product()).collect::<Vec<usize>>(), "{shape:?}");
        }
    }

    #[test]
    fn two_dimensions_stay_and_others_spread() {
        let rows = |shape: &[usize]| rectangles(shape).iter().map(|r| (r.rows, r.columns)).collect::<Vec<_>>();
        assert_eq!(rows(&[3, 100]), [(3, 100)]);
        assert_eq!(rows(&[100]), [(100, 1)]);
        assert_eq!(rows(&[1000]), [(128, 7), (104, 1)]);
        assert_eq!(rows(&[]), [(1, 1)]);
    }
}
