use std::time::{Duration, Instant};
use vq7_fast::Level;
use vq7_fast::bench::{Case, Setup};
use vq7_isa::{AluOp, Dtype};
fn main() {
    for (op, dtype, columns) in [
        (AluOp::AddInt, Dtype::Int8, 16384),
        (AluOp::AddInt, Dtype::Int16, 16384),
        (AluOp::AddInt, Dtype::Int32, 16384),
        (AluOp::AddInt, Dtype::Int64, 8192),
        (AluOp::Add, Dtype::Fp32, 16384),
        (AluOp::Add, Dtype::Bfloat16, 16384),
        (AluOp::Add, Dtype::Fp16, 16384),
        (AluOp::Add, Dtype::Fp8Exp4, 16384),
        (AluOp::Add, Dtype::Fp8Exp5, 16384),
        (AluOp::AddInt, Dtype::Int32, 512),
        (AluOp::AddInt, Dtype::Int32, 1),
        (AluOp::AddInt, Dtype::Int32, 32),
    ] {
        let case = Case { op, dtypes: [dtype; 3], columns, step: 1 };
        let Ok(mut setup) = Setup::new(case, Level::best(), 1) else { continue };
        let end = Instant::now() + Duration::from_millis(200);
        let mut best = Duration::MAX;
        while Instant::now() < end {
            best = best.min(setup.word());
        }
        let m = setup.measure(Duration::from_millis(100));
        let g = |d: Duration| case.bytes() as f64 / d.as_secs_f64() / 1e9;
        println!(
            "{:32} alone {:6.1} ({:?})  in turns {:6.1} ceiling {:6.1} ({})",
            case.name(),
            g(best),
            best,
            g(m.word),
            g(m.ceiling),
            m.streaming
        );
    }
}
