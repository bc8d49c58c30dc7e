//! Decimal numbers, exactly: from text, to a binary number with 63 bits and more, and the shortest one for a pattern.

use crate::big::Natural;
use crate::format::Format;
use crate::unpacked::{Finite, Overflow, round_pack};
use std::cmp::Ordering;
use vq7_policy::Round;

/// `digits * 10^exponent`, with the digits read as an integer; no digits mean zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decimal {
    digits: Vec<u8>,
    exponent: i32,
}

/// Digits that decide how any number rounds: the midpoint of two neighbouring float32 has at most 113. What follows
/// matters only by being there.
const DIGITS: usize = 120;

/// Decimal exponents beyond this are zero or too large in every format, however many digits stand before them.
const EXPONENT_LIMIT: i64 = 1_000;

impl Decimal {
    /// Reads `12`, `1.5`, `.5`, `1e-3`, without a sign. `None` if it is not of that form.
    pub fn parse(text: &str) -> Option<Self> {
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, parse_exponent(exponent)?),
            None => (text, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        if !whole.bytes().chain(fraction.bytes()).all(|c| c.is_ascii_digit()) {
            return None;
        }
        let significant = whole.bytes().chain(fraction.bytes()).map(|c| c - b'0').skip_while(|digit| *digit == 0);
        let mut digits: Vec<u8> = Vec::new();
        let (mut dropped, mut dropped_something) = (0, false);
        for digit in significant {
            if digits.len() < DIGITS {
                digits.push(digit);
            } else {
                dropped += 1;
                dropped_something |= digit != 0;
            }
        }
        if dropped_something {
            // A last digit that says "and more".
            digits.push(1);
            dropped -= 1;
        }
        let fraction_digits = i64::try_from(fraction.len()).ok()?;
        let exponent = exponent.checked_sub(fraction_digits)?.checked_add(dropped)?;
        let exponent = exponent.clamp(-EXPONENT_LIMIT, EXPONENT_LIMIT) as i32;
        Some(Self { digits, exponent })
    }

    /// The number as a significand of at least 63 bits, an exponent of two, and whether more follows. `None` for zero.
    pub fn to_binary(&self, negative: bool) -> Option<(Finite, bool)> {
        let mut numerator = Natural::new(0);
        for &digit in &self.digits {
            numerator.mul_add(10, digit.into());
        }
        if numerator.is_zero() {
            return None;
        }
        let mut denominator = Natural::new(1);
        match u32::try_from(self.exponent) {
            Ok(up) => numerator.mul_power_of_10(up),
            Err(_) => denominator.mul_power_of_10(self.exponent.unsigned_abs()),
        }
        // Scale by a power of two so that the quotient lies between 2^62 and 2^64, then divide bit by bit. The divisor
        // starts at bit 63 of the quotient; moving the dividend up is the same as moving the divisor down.
        let scale = 63 - (numerator.bits() - denominator.bits());
        match u32::try_from(scale) {
            Ok(up) => numerator.shift_left(up),
            Err(_) => denominator.shift_left(scale.unsigned_abs()),
        }
        denominator.shift_left(63);
        let mut significand = 0;
        for _ in 0..64 {
            significand = significand << 1 | u64::from(numerator.subtract_if_fits(&denominator));
            numerator.shift_left(1);
        }
        Some((Finite { negative, exponent: -scale, significand }, !numerator.is_zero()))
    }

    /// The pattern that the number rounds to, to nearest even; whether it overflowed.
    pub fn round_to(&self, negative: bool, format: &Format) -> (u64, bool) {
        match self.to_binary(negative) {
            None => (format.sign(negative), false),
            Some((number, sticky)) => {
                let packed = round_pack(number, sticky, format, Round::NearestEven, Overflow::Ieee);
                (packed.value, packed.flags.overflow)
            }
        }
    }

    /// The decimal with the fewest digits that rounds to the positive finite number of that pattern in its format; of
    /// those the nearest to it.
    pub fn shortest(number: Finite, pattern: u64, format: &Format) -> Self {
        let (digits, point) = leading_digits(number);
        for length in 1..digits.len() {
            let below = Self { digits: digits[..length].to_vec(), exponent: point - length as i32 };
            let above = below.next();
            // The digit after the last tells which one is nearer.
            let candidates = if digits[length] >= 5 { [above, below] } else { [below, above] };
            if let Some(found) =
                candidates.into_iter().find(|decimal| decimal.round_to(false, format) == (pattern, false))
            {
                return found;
            }
        }
        // Not reached: nine digits tell any two float32 apart.
        Self { exponent: point - digits.len() as i32, digits }
    }

    /// One unit in the last digit more.
    fn next(&self) -> Self {
        let mut digits = self.digits.clone();
        for digit in digits.iter_mut().rev() {
            if *digit < 9 {
                *digit += 1;
                return Self { digits, exponent: self.exponent };
            }
            *digit = 0;
        }
        // All nines: the digits are zeros now.
        digits.insert(0, 1);
        Self { digits, exponent: self.exponent }
    }

    /// Text that [`Decimal::parse`] reads: plain from 0.0001 to 16 digits before the point, with an exponent elsewhere.
    pub fn text(&self) -> String {
        let mut digits = self.digits.as_slice();
        while let [rest @ .., 0] = digits {
            digits = rest;
        }
        let text: String = digits.iter().map(|digit| char::from(b'0' + digit)).collect();
        // The number is 0.DIGITS * 10^point.
        let point = self.exponent + self.digits.len() as i32;
        match (point, text.len() as i32) {
            (_, 0) => "0".to_owned(),
            (-3..=0, _) => format!("0.{}{text}", "0".repeat(point.unsigned_abs() as usize)),
            (1..=16, length) if length <= point => format!("{text}{}", "0".repeat((point - length) as usize)),
            (1..=16, _) => {
                let (whole, fraction) = text.split_at(point as usize);
                format!("{whole}.{fraction}")
            }
            (_, 1) => format!("{text}e{:+03}", point - 1),
            _ => {
                let (whole, fraction) = text.split_at(1);
                format!("{whole}.{fraction}e{:+03}", point - 1)
            }
        }
    }
}

/// An exponent with its sign. Digits beyond the limit are only counted.
fn parse_exponent(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|c| c.is_ascii_digit()) {
        return None;
    }
    let far = 1 << 40;
    let magnitude = digits.bytes().fold(0i64, |sum, c| (sum * 10 + i64::from(c - b'0')).min(far));
    Some(if text.starts_with('-') { -magnitude } else { magnitude })
}

/// The first ten digits of a number, truncated, and the place of the point: the number is 0.DIGITS... * 10^point.
fn leading_digits(number: Finite) -> (Vec<u8>, i32) {
    let (mut numerator, mut denominator) = (Natural::new(number.significand), Natural::new(1));
    match u32::try_from(number.exponent) {
        Ok(up) => numerator.shift_left(up),
        Err(_) => denominator.shift_left(number.exponent.unsigned_abs()),
    }
    // Bring the ratio into [0.1, 1).
    let mut point = 0;
    while numerator.cmp(&denominator) != Ordering::Less {
        denominator.mul_add(10, 0);
        point += 1;
    }
    let mut digits = Vec::new();
    while digits.len() < 10 {
        numerator.mul_add(10, 0);
        let mut digit = 0;
        while numerator.subtract_if_fits(&denominator) {
            digit += 1;
        }
        if digits.is_empty() && digit == 0 {
            point -= 1;
        } else {
            digits.push(digit);
        }
    }
    (digits, point)
}
