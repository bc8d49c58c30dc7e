use std::time::Instant;
use vq7_engine::lower::kernel::{Kernel, Shape};
use vq7_engine::lower::Work;
use vq7_isa::{AluOp, Dtype};
use vq7_num::{Class, Lane};
use vq7_policy::Policy;
#[test]
fn t() {
    let step: usize = std::env::var("STEP").map_or(97, |s| s.parse().unwrap());
    let types: Vec<Dtype> = Dtype::ALL.iter().copied().filter(|d| d.is_tensor_tensor()).collect();
    let mut n = 0; let mut ok = 0; let mut sum = 0.0; let mut worst = vec![]; let start = Instant::now();
    for &op in AluOp::ALL { for &a in &types { for &b in &types { for &c in &types {
        n += 1; if n % step != 0 { continue; }
        let t = Instant::now();
        let k = Kernel::new(Work::Elementwise(Lane { op, src0: a, src1: b, out: c, class: Class::Arith }), Shape::default(), &Policy::default());
        let e = t.elapsed().as_secs_f64();
        if let Ok(k) = k { ok += 1; sum += f64::from(k.interval) / f64::from(k.unit()); worst.push((e, op, a, b, c, k.interval, k.unit())); }
        else if e > 0.2 { eprintln!("none {op} {a} {b} {c} {e}"); }
    }}}}
    worst.sort_by(|x, y| y.0.total_cmp(&x.0));
    for w in worst.iter().take(8) { eprintln!("{w:?}"); }
    eprintln!("{n} cells, tried {} ok {ok}, sum {sum}, {:?}", n / step, start.elapsed());
}
