//! Fields whose bits are scattered over a bundle.

/// Where the bits of a field lie in a bundle, its lowest bit first.
pub(super) type Field = &'static [u8];

/// The value of a field.
pub(super) fn gather(bundle: u64, field: Field) -> u32 {
    field.iter().zip(0..).fold(0, |value, (&at, bit)| value | ((bundle >> (at & 63)) as u32 & 1) << bit)
}

/// A bundle with nothing but the field.
pub(super) fn scatter(value: u32, field: Field) -> u64 {
    field.iter().zip(0..).fold(0, |bundle, (&at, bit)| bundle | u64::from(value >> bit & 1) << (at & 63))
}
