//! vq7: an open, bit-exact model of the tensor-tensor engine of Vision-Q7 cores, the GpSimd (POOL) engine of AWS
//! Trainium.
//!
//! One crate to depend on; each module is a crate of its own.
//!
//! | module | owns |
//! |---|---|
//! | [`policy`] | every question that no source settles, and how vq7 answers it |
//! | [`isa`] | what the bits of a 64-byte word mean, and whether the word is legal |
//! | [`num`] | what the numbers mean: the result of every op on one element |
//! | [`engine`] | the machine that runs words, and whole arrays |
//! | [`fast`] | the executor that uses vector units and threads |
//! | [`program`] | program text to words, and a runner |
//! | [`neff`] | NEFF packages and their instruction streams |
//! | [`report`] | typed answers, for machines and as text |
//!
//! One element: adding 1 to 2^24 is exact with the integer-band op, and loses the 1 with the base-band op, which goes
//! through float32.
//!
//! ```
//! use vq7::isa::{AluOp, Dtype};
//! use vq7::num::Lane;
//! use vq7::policy::Policy;
//!
//! let policy = Policy::default();
//! let int32 = Dtype::Int32;
//! let add = Lane::new(AluOp::Add, int32, int32, int32).evaluate(1 << 24, 1, &policy)?;
//! let add_int = Lane::new(AluOp::AddInt, int32, int32, int32).evaluate(1 << 24, 1, &policy)?;
//! assert_eq!((add.value, add_int.value), (16_777_216, 16_777_217));
//! assert!(add.flags.inexact);
//! # Ok::<(), vq7::num::LaneError>(())
//! ```
//!
//! Whole arrays, with the verdict first:
//!
//! ```
//! use std::sync::Arc;
//! use vq7::engine::arrays::ArrayRef;
//! use vq7::engine::Executor;
//! use vq7::fast::Fast;
//! use vq7::isa::{AluOp, Dtype};
//! use vq7::report::tt::{ArrayAnswer, ArrayQuestion};
//! use vq7::report::{Draw, Look, Setting};
//!
//! let (a, b) = ([7u8, 8, 9], [1u8]);
//! let question = ArrayQuestion {
//!     op: AluOp::BitwiseXor,
//!     asked: "bitwise_xor",
//!     a: ArrayRef { dtype: Dtype::Uint8, shape: &[1, 3], bytes: &a },
//!     b: ArrayRef { dtype: Dtype::Uint8, shape: &[1], bytes: &b },
//!     out: Dtype::Uint8,
//! };
//! let executor: Arc<dyn Executor> = Arc::new(Fast::default());
//! let (answer, bytes) = ArrayAnswer::new(&question, Setting::default(), &executor, &mut |_, _| {})?;
//! assert_eq!(answer.verdict, "legal");
//! assert_eq!(bytes.as_deref(), Some(&[6, 9, 8][..]));
//! assert!(answer.text(&Look::PLAIN).contains("1 word, legal, taken by pool and dve"));
//! # Ok::<(), vq7::engine::arrays::ArrayError>(())
//! ```

pub use vq7_engine as engine;
pub use vq7_fast as fast;
pub use vq7_isa as isa;
pub use vq7_neff as neff;
pub use vq7_num as num;
pub use vq7_policy as policy;
pub use vq7_program as program;
pub use vq7_report as report;
