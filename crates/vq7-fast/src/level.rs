//! CPU levels: which of the compiled forms of a kernel runs.

use std::fmt;
use std::hint::black_box;

/// What the kernels may use of the CPU. Every kernel is compiled for each level; the results are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// What every CPU of the target has.
    Baseline,
    /// AVX2, F16C, FMA, BMI.
    Avx2,
    /// AVX-512 F, BW, DQ, VL, CD, VBMI on top.
    Avx512,
}

/// A level that cannot be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LevelError {
    /// No such name.
    #[error("`{0}` is no CPU level; use baseline, avx2 or avx512")]
    Unknown(String),
    /// This CPU lacks it.
    #[error("this CPU does not have {wanted}; the best that it has is {best}")]
    Missing {
        /// What was asked for.
        wanted: Level,
        /// What there is.
        best: Level,
    },
}

impl Level {
    /// All levels, the least first.
    pub const ALL: [Self; 3] = [Self::Baseline, Self::Avx2, Self::Avx512];

    /// `baseline`, `avx2` or `avx512`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Baseline => "baseline",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }

    /// The best level of this CPU.
    pub fn best() -> Self {
        Self::ALL.into_iter().rev().find(|level| level.is_there()).unwrap_or(Self::Baseline)
    }

    /// The levels of this CPU, the least first.
    pub fn available() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|level| level.is_there())
    }

    /// The level of a name, if this CPU has it.
    ///
    /// # Errors
    /// Says what to write, or what there is.
    pub fn parse(name: &str) -> Result<Self, LevelError> {
        let wanted = Self::ALL.into_iter().find(|level| level.name() == name);
        let wanted = wanted.ok_or_else(|| LevelError::Unknown(name.to_owned()))?;
        if wanted.is_there() { Ok(wanted) } else { Err(LevelError::Missing { wanted, best: Self::best() }) }
    }

    /// Whether this CPU has all that the level names. [`crate::body::at`] relies on it.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn is_there(self) -> bool {
        macro_rules! have { ($($feature:tt),*) => { $(std::is_x86_feature_detected!($feature))&&* } }
        let avx2 = || have!("avx2", "f16c", "fma", "bmi1", "bmi2", "lzcnt", "popcnt");
        match self {
            Self::Baseline => true,
            Self::Avx2 => avx2(),
            Self::Avx512 => avx2() && have!("avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512cd", "avx512vbmi"),
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    pub(crate) fn is_there(self) -> bool {
        self == Self::Baseline
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Whether this thread's floating-point unit rounds to nearest even and keeps subnormals. A library of the host process
/// may have switched it; then results would differ.
pub(crate) fn host_floats_are_ieee() -> bool {
    let (one, tiny) = (black_box(1.0f32), black_box(f32::from_bits(3)));
    let up = one + black_box(f32::from_bits(0x3380_0001)) == f32::from_bits(0x3F80_0001);
    let even = one + black_box(f32::from_bits(0x3380_0000)) == one;
    let negative = -one - black_box(f32::from_bits(0x3380_0001)) == f32::from_bits(0xBF80_0001);
    let subnormals =
        (tiny * one).to_bits() == 3 && (black_box(f32::MIN_POSITIVE) * black_box(0.5)).to_bits() == 0x0040_0000;
    up && even && negative && subnormals
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_wrong_ones_say_what_to_write() {
        assert_eq!(Level::parse("baseline"), Ok(Level::Baseline));
        assert_eq!(Level::parse(Level::best().name()), Ok(Level::best()));
        assert!(Level::parse("sse9").unwrap_err().to_string().contains("use baseline, avx2 or avx512"));
        assert!(host_floats_are_ieee());
    }
}
