//! An open, bit-exact model of the tensor-tensor engine of the Vision-Q7 cores: one name for all its crates.

pub use vq7_engine as engine;
pub use vq7_isa as isa;
pub use vq7_num as num;
pub use vq7_policy as policy;
pub use vq7_program as program;
pub use vq7_report as report;
