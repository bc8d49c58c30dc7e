//! What works on a sequence: AMAX and AMIN (argument of the extreme value), and the CRC32 step.
//!
//! No tensor-tensor word reaches either (docs/spec/numbers.md, CRC32 and AMAX/AMIN).

use vq7_isa::AluOp;

/// The index of the largest or smallest element for AMAX_INT, AMIN_INT, AMAX_UINT, AMIN_UINT; the lowest one on a tie
/// (the settled fact `arg_extreme_ties`). `None` for other ops and for no elements.
///
/// Elements are 32-bit patterns, narrower ones extended by the caller as their dtype says.
pub fn arg_extreme(op: AluOp, elements: &[u32]) -> Option<u32> {
    let (largest, signed) = match op {
        AluOp::AmaxInt => (true, true),
        AluOp::AminInt => (false, true),
        AluOp::AmaxUint => (true, false),
        AluOp::AminUint => (false, false),
        _ => return None,
    };
    // Flipping the top bit puts signed patterns in unsigned order.
    let key = |element: u32| if signed { element ^ 0x8000_0000 } else { element };
    let mut best: Option<(u32, u32)> = None;
    for (index, &element) in (0..).zip(elements) {
        let better = match best {
            None => true,
            Some((_, so_far)) if largest => key(element) > key(so_far),
            Some((_, so_far)) => key(element) < key(so_far),
        };
        if better {
            best = Some((index, element));
        }
    }
    best.map(|(index, _)| index)
}

/// One step of CRC32: `bytes` low bytes of `data`, the lowest first, into the running value. Reflected polynomial
/// 0xEDB88320, nothing inverted (the settled fact `crc32_parameters`).
pub fn crc32(running: u32, data: u32, bytes: u32) -> u32 {
    let mut crc = running;
    for byte in data.to_le_bytes().into_iter().take(bytes as usize) {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 };
        }
    }
    crc
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_equal_extremes_wins() {
        let elements = [5, 9, 0xFFFF_FFFF, 9, 0xFFFF_FFFF, 5];
        assert_eq!(arg_extreme(AluOp::AmaxInt, &elements), Some(1));
        assert_eq!(arg_extreme(AluOp::AminInt, &elements), Some(2));
        assert_eq!(arg_extreme(AluOp::AmaxUint, &elements), Some(2));
        assert_eq!(arg_extreme(AluOp::AminUint, &elements), Some(0));
        assert_eq!(arg_extreme(AluOp::AmaxInt, &[]), None);
        assert_eq!(arg_extreme(AluOp::MaxInt, &elements), None);
    }

    #[test]
    fn crc_of_the_check_string_with_the_usual_inversions_is_the_published_one() {
        // The catalogue's check value of CRC-32/ISO-HDLC over "123456789".
        let crc = b"123456789".iter().fold(u32::MAX, |crc, &byte| crc32(crc, byte.into(), 1));
        assert_eq!(!crc, 0xCBF4_3926);
        // Bytes of one word go in from the lowest.
        assert_eq!(crc32(7, 0x0403_0201, 4), (1..=4).fold(7, |crc, byte| crc32(crc, byte, 1)));
    }
}
