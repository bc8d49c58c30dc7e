use std::time::Duration;
use vq7_fast::{Level, bench};
fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let threads: usize = args.get(1).and_then(|t| t.parse().ok()).unwrap_or(1);
    let level = args.get(2).map_or(Level::best(), |l| Level::parse(l).unwrap());
    for case in bench::cases() {
        if !case.name().contains(&args[0]) {
            continue;
        }
        let Ok(mut setup) = bench::Setup::new(case, level, threads) else { continue };
        let m = setup.measure(Duration::from_millis(40));
        let s = m.word.as_secs_f64();
        println!(
            "{:44} {:7.1} GB/s {:6.2} Gel/s  {:5.2} of {:6.1} {} {}",
            case.name(),
            case.bytes() as f64 / s / 1e9,
            case.elements() as f64 / s / 1e9,
            m.ceiling.as_secs_f64() / s,
            case.bytes() as f64 / m.ceiling.as_secs_f64() / 1e9,
            if m.streaming { "nt" } else { "t" },
            m.path
        );
    }
}
