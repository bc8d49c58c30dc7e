//! Numbered cases with names: every pair of operands, or weighted ones. A case is computed from its number alone.

use crate::weighted::{Slot, counts, slots};
use std::fmt;
use std::ops::Range;
use vq7_isa::alu_op::Arity;
use vq7_isa::{AluOp, Dtype};
use vq7_policy::Policy;

/// An op and its dtypes: src0, src1, result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Question {
    /// The op.
    pub op: AluOp,
    /// Its dtypes.
    pub types: [Dtype; 3],
}

/// `add:f16,f16,f16`
impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, out] = self.types.map(short_name);
        write!(f, "{}:{a},{b},{out}", self.op)
    }
}

/// The shortest name of a dtype that is read back.
fn short_name(dtype: Dtype) -> &'static str {
    dtype.aliases().iter().copied().chain([dtype.name()]).min_by_key(|name| name.len()).unwrap_or_default()
}

/// How many weighted cases there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Some hundred thousand pairs of 32-bit operands.
    One,
    /// Some hundred million.
    Two,
}

/// Which cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// Every pair of operands.
    Exhaustive,
    /// Weighted pairs.
    Weighted {
        /// How many.
        level: Level,
        /// What chooses the bits that are any.
        seed: u64,
    },
}

/// `all`, or level and seed: `L1:s7`.
impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exhaustive => f.write_str("all"),
            Self::Weighted { level: Level::One, seed } => write!(f, "L1:s{seed}"),
            Self::Weighted { level: Level::Two, seed } => write!(f, "L2:s{seed}"),
        }
    }
}

/// One case: `add:f16,f16,f16:L1:s7:12345`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    /// The op and its dtypes.
    pub question: Question,
    /// Which cases it is one of.
    pub coverage: Coverage,
    /// Its number among them.
    pub index: u64,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.question, self.coverage, self.index)
    }
}

/// A text that names no case.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CaseError {
    /// Not of the form.
    #[error("`{0}` is no case; write OP:A,B,OUT:all:N or OP:A,B,OUT:L1:sSEED:N, as in add:f16,f16,f16:L1:s7:12345")]
    Form(String),
    /// An op or a dtype that does not exist.
    #[error("{0}")]
    Name(String),
    /// Operands too wide for every pair.
    #[error("there are 2^{0} pairs of these operands; every pair is for operands of 8 and 16 bits")]
    TooMany(u32),
    /// A number beyond the last case.
    #[error("there is no case {index}: the cases are 0..{total}")]
    Beyond {
        /// The number.
        index: u64,
        /// How many there are.
        total: u64,
    },
}

impl Case {
    /// Reads a name.
    ///
    /// # Errors
    /// When it is not of the form, or names no op or dtype.
    pub fn parse(text: &str, policy: &Policy) -> Result<Self, CaseError> {
        let form = || CaseError::Form(text.to_owned());
        let name = |error: &dyn fmt::Display| CaseError::Name(error.to_string());
        let parts: Vec<_> = text.trim().split(':').collect();
        let (op, types, coverage, index) = match parts[..] {
            [op, types, "all", index] => (op, types, Coverage::Exhaustive, index),
            [op, types, level, seed, index] => {
                let level = match level {
                    "L1" => Level::One,
                    "L2" => Level::Two,
                    _ => return Err(form()),
                };
                let seed = seed.strip_prefix('s').and_then(|seed| seed.parse().ok()).ok_or_else(form)?;
                (op, types, Coverage::Weighted { level, seed }, index)
            }
            _ => return Err(form()),
        };
        let dtype = |text: &str| Dtype::parse(text, policy).map_err(|error| name(&error));
        let types = match types.split(',').collect::<Vec<_>>()[..] {
            [a, b, out] => [dtype(a)?, dtype(b)?, dtype(out)?],
            _ => return Err(form()),
        };
        let op = AluOp::parse(op).map_err(|error| name(&error))?;
        let index = index.parse().map_err(|_| form())?;
        Ok(Self { question: Question { op, types }, coverage, index })
    }

    /// Its operands.
    ///
    /// # Errors
    /// When there is no such case.
    pub fn operands(&self) -> Result<(u64, u64), CaseError> {
        let space = Space::new(self.question, self.coverage)?;
        match self.index < space.total() {
            true => Ok(space.operands(self.index)),
            false => Err(CaseError::Beyond { index: self.index, total: space.total() }),
        }
    }
}

/// All cases of a question.
#[derive(Clone, Debug)]
pub struct Space {
    question: Question,
    coverage: Coverage,
    pairs: Pairs,
}

#[derive(Clone, Debug)]
enum Pairs {
    /// Widths of the operands; that of an operand that is not looked at is 0.
    All {
        a: u32,
        b: u32,
    },
    Weighted {
        a: Vec<Slot>,
        b: Vec<Slot>,
        key: u64,
    },
}

/// The widest pair of operands of which every one is tried.
const WIDEST: u32 = 32;

impl Space {
    /// The cases of a question.
    ///
    /// # Errors
    /// When every pair is asked for, and the operands have more than 16 bits.
    pub fn new(question: Question, coverage: Coverage) -> Result<Self, CaseError> {
        let [src0, src1, _] = question.types;
        let unary = question.op.arity() == Arity::Unary;
        let pairs = match coverage {
            Coverage::Exhaustive => {
                let (a, b) = (src0.bits(), if unary { 0 } else { src1.bits() });
                if a + b > WIDEST {
                    return Err(CaseError::TooMany(a + b));
                }
                Pairs::All { a, b }
            }
            Coverage::Weighted { level, seed } => {
                let b = match (unary, question.op.is_shift()) {
                    (true, _) => slots(src1, level).into_iter().take(1).collect(),
                    (false, true) => counts(src0, src1, level),
                    (false, false) => slots(src1, level),
                };
                let [a_code, b_code, out_code] = question.types.map(|dtype| u64::from(dtype.code()));
                let code = u64::from(question.op.code()) << 24 | a_code << 16 | b_code << 8 | out_code;
                Pairs::Weighted { a: slots(src0, level), b, key: mix(seed ^ mix(code)) }
            }
        };
        Ok(Self { question, coverage, pairs })
    }

    /// How many there are.
    pub fn total(&self) -> u64 {
        match &self.pairs {
            Pairs::All { a, b } => 1 << (a + b),
            Pairs::Weighted { a, b, .. } => a.len() as u64 * b.len() as u64,
        }
    }

    /// The cases of slice `index` of `count`. The slices together are all cases, and none twice.
    pub fn slice(&self, index: u64, count: u64) -> Range<u64> {
        let edge = |part: u64| (u128::from(self.total()) * u128::from(part) / u128::from(count.max(1))) as u64;
        edge(index)..edge(index + 1)
    }

    /// The number of the `n`-th of `of` cases that are spread over all of them: each family of each operand gets its
    /// turn before one comes twice, and which families meet is as good as random.
    pub fn spread(&self, n: u64, of: u64) -> u64 {
        let (a, b, key) = match &self.pairs {
            Pairs::All { a, b } => (1 << a, 1 << b, 0),
            Pairs::Weighted { a, b, key } => (a.len() as u64, b.len() as u64, *key),
        };
        let random = mix(key ^ mix(n));
        // Even cases go through the families of src0, odd ones through those of src1.
        let (turn, turns) = (n / 2, of.div_ceil(2).max(1));
        let stratum = |families: u64| {
            let step = (u128::from(turn % turns) * u128::from(families.max(turns)) / u128::from(turns)) as u64;
            step.wrapping_add(key >> 32) % families.max(1)
        };
        let (row, column) = match n % 2 {
            0 => (stratum(a), random % b.max(1)),
            _ => (random % a.max(1), stratum(b)),
        };
        row * b + column
    }

    /// The operands of a case; `index` counts modulo the number of cases.
    ///
    /// Of every pair, src0 goes in steps of the golden section, so that a slice meets every exponent and sign.
    #[inline]
    pub fn operands(&self, index: u64) -> (u64, u64) {
        match &self.pairs {
            Pairs::All { a, b } => {
                let step = 0x9E37_79B9_7F4A_7C15u64 >> (64 - a) | 1;
                ((index >> b).wrapping_mul(step) & ((1 << a) - 1), index & ((1 << b) - 1))
            }
            Pairs::Weighted { a, b, key } => {
                let random = mix(key.wrapping_add(index));
                let (row, column) = (index / b.len() as u64 % a.len() as u64, index % b.len() as u64);
                (a[row as usize].member(random), b[column as usize].member(mix(random)))
            }
        }
    }

    /// The case of a number.
    pub const fn case(&self, index: u64) -> Case {
        Case { question: self.question, coverage: self.coverage, index }
    }
}

/// The finaliser of splitmix64: a number without state from which random bits are drawn.
pub const fn mix(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        let policy = Policy::default();
        for text in ["add:f16,f16,f16:L1:s7:12345", "mult:e3m4,bf16,i32:all:9", "add_int:u64,u64,u64:L2:s0:0"] {
            assert_eq!(Case::parse(text, &policy).unwrap().to_string(), text);
        }
        for dtype in Dtype::tensor_tensor() {
            let case = Space::new(
                Question { op: AluOp::Add, types: [dtype; 3] },
                Coverage::Weighted { level: Level::One, seed: 3 },
            )
            .unwrap()
            .case(17);
            assert_eq!(Case::parse(&case.to_string(), &policy), Ok(case));
        }
        for text in
            ["", "add", "add:f16,f16,f16:L3:s7:1", "add:f16:all:1", "add:f16,f16,f16:L1:7:1", "add:f16,f16,f16:all:x"]
        {
            assert!(matches!(Case::parse(text, &policy), Err(CaseError::Form(_))), "{text}");
        }
        assert!(matches!(Case::parse("ad:f16,f16,f16:all:1", &policy), Err(CaseError::Name(_))));
        let beyond = Case::parse("add:e3m4,e3m4,e3m4:all:65536", &policy).unwrap();
        assert_eq!(beyond.operands(), Err(CaseError::Beyond { index: 65536, total: 65536 }));
    }

    #[test]
    fn every_pair_comes_once_and_slices_share_them_out() {
        let question = Question { op: AluOp::Add, types: [Dtype::Fp8Exp4, Dtype::Int8, Dtype::Fp32] };
        let space = Space::new(question, Coverage::Exhaustive).unwrap();
        let mut pairs: Vec<_> =
            (0..7).flat_map(|part| space.slice(part, 7)).map(|index| space.operands(index)).collect();
        pairs.sort_unstable();
        assert_eq!(pairs, (0..256).flat_map(|a| (0..256).map(move |b| (a, b))).collect::<Vec<_>>());
        let unary = Question { op: AluOp::Square, types: [Dtype::Fp16; 3] };
        assert_eq!(Space::new(unary, Coverage::Exhaustive).unwrap().total(), 1 << 16);
        let wide = Question { op: AluOp::Add, types: [Dtype::Fp32; 3] };
        assert_eq!(Space::new(wide, Coverage::Exhaustive).unwrap_err(), CaseError::TooMany(64));
    }

    #[test]
    fn a_spread_gives_every_family_its_turn() {
        let question = Question { op: AluOp::Add, types: [Dtype::Fp8Exp4, Dtype::Int32, Dtype::Fp32] };
        for seed in 0..3 {
            let space = Space::new(question, Coverage::Weighted { level: Level::One, seed }).unwrap();
            let indices: Vec<_> = (0..512).map(|n| space.spread(n, 512)).collect();
            assert!(indices.iter().all(|index| *index < space.total()));
            let mut firsts: Vec<_> = indices.iter().step_by(2).map(|index| space.operands(*index).0).collect();
            firsts.sort_unstable();
            assert_eq!(firsts, (0..256).collect::<Vec<_>>());
            let families = slots(Dtype::Int32, Level::One).len() as u64;
            let mut columns: Vec<_> = indices.iter().skip(1).step_by(2).map(|index| index % families).collect();
            columns.sort_unstable();
            columns.dedup();
            assert_eq!(columns.len() as u64, families.min(256));
        }
    }

    #[test]
    fn weighted_cases_depend_on_seed_op_and_dtypes_and_on_nothing_else() {
        let question = Question { op: AluOp::Add, types: [Dtype::Fp32; 3] };
        let of = |question, seed| {
            let space = Space::new(question, Coverage::Weighted { level: Level::One, seed }).unwrap();
            (0..space.total()).rev().map(|index| space.operands(index)).collect::<Vec<_>>()
        };
        assert_eq!(of(question, 7), of(question, 7));
        assert_ne!(of(question, 7), of(question, 8));
        assert_ne!(of(question, 7), of(Question { op: AluOp::Mult, ..question }, 7));
        let size = of(question, 7).len();
        assert!((30_000..500_000).contains(&size), "{size}");
    }
}
