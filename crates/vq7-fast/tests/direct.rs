//! Operands where they lie, against the words.

mod support;

use std::mem::MaybeUninit;
use std::sync::Arc;
use support::{Random, random_policy, seed};
use vq7_engine::Executor;
use vq7_engine::arrays::{self, ArrayRef, Settings};
use vq7_fast::{Direct, Fast, Level, View};
use vq7_isa::legality::Engine;
use vq7_isa::{AluOp, Dtype, Generation};
use vq7_num::Lane;
use vq7_policy::Policy;

/// A source with its elements scattered: bytes, offset of the first, steps.
struct Source {
    bytes: Vec<u8>,
    start: usize,
    steps: Vec<isize>,
    packed: Vec<u8>,
    shape: Vec<usize>,
}

impl Source {
    /// Random elements for a result of this shape: some axes repeat, some run backwards, some have gaps.
    fn random(result: &[usize], size: usize, random: &mut Random) -> Self {
        let shape: Vec<usize> = result.iter().map(|&extent| if random.below(4) == 0 { 1 } else { extent }).collect();
        let order: Vec<usize> = match random.below(3) {
            0 => (0..shape.len()).collect(),
            _ => (0..shape.len()).rev().collect(),
        };
        let mut steps = vec![0isize; shape.len()];
        let (mut step, mut low) = (size, 0isize);
        for &axis in &order {
            let gap = 1 + random.below(2);
            let back = random.below(4) == 0;
            steps[axis] = if back { -((step * gap) as isize) } else { (step * gap) as isize };
            if back {
                low += (shape[axis] as isize - 1) * steps[axis];
            }
            step *= gap * shape[axis];
        }
        let skew = random.below(4);
        let start = low.unsigned_abs() + skew;
        let bytes: Vec<u8> = (0..step + skew).map(|_| random.next() as u8).collect();
        let mut packed = Vec::new();
        for index in 0..shape.iter().product() {
            let at = arrays::unravel(index, &shape);
            let offset: isize = at.iter().zip(&steps).map(|(&at, step)| at as isize * step).sum();
            packed.extend(&bytes[(start as isize + offset) as usize..][..size]);
        }
        for (step, &extent) in steps.iter_mut().zip(&shape) {
            if extent == 1 {
                *step = 0;
            }
        }
        Self { bytes, start, steps, packed, shape }
    }

    fn view(&self) -> View<'_> {
        View { bytes: &self.bytes, start: self.start, steps: &self.steps }
    }
}

fn room(length: usize) -> Vec<MaybeUninit<u8>> {
    vec![MaybeUninit::new(0xA5); length]
}

fn written(room: &[MaybeUninit<u8>]) -> Vec<u8> {
    // SAFETY: `room` made every byte.
    room.iter().map(|byte| unsafe { byte.assume_init() }).collect()
}

#[test]
fn direct_gives_what_the_words_give() {
    let mut random = Random(seed());
    let dtypes: Vec<Dtype> = Dtype::tensor_tensor().collect();
    let fasts: Vec<Arc<Fast>> = Level::available().map(|level| Arc::new(Fast::new(level, 2))).collect();
    let (mut compared, mut declined) = (0, 0);
    for case in 0..1500 {
        let op = AluOp::ALL[random.below(AluOp::ALL.len())];
        let any = dtypes[random.below(dtypes.len())];
        let mut pick = || match random.below(3) {
            0 => dtypes[random.below(dtypes.len())],
            _ => any,
        };
        let [a, b, out] = [pick(), pick(), pick()];
        let policy = if random.below(2) == 0 { Policy::default() } else { random_policy(&mut random) };
        let rank = 1 + random.below(5);
        let mut shape: Vec<usize> = (0..rank).map(|_| 1 + random.below(5)).collect();
        // Beyond a block, and beyond what one thread takes.
        match case % 20 {
            0 => shape = vec![2 + random.below(3), 5000],
            1 if case % 400 == 1 => shape = vec![16, 20_000],
            _ => {}
        }
        let sizes = [a, b, out].map(|dtype| dtype.bytes() as usize);
        let sources = [0, 1].map(|i| Source::random(&shape, sizes[i], &mut random));
        let shape = arrays::broadcast_shape(&sources[0].shape, &sources[1].shape).unwrap();
        let total: usize = shape.iter().product();
        let plan = arrays::plan(op, (a, &sources[0].shape), (b, &sources[1].shape), out, Generation::Cayman).unwrap();
        let array = |i: usize, dtype| ArrayRef { dtype, shape: &sources[i].shape, bytes: &sources[i].packed };
        for fast in &fasts {
            let Ok(direct) = Direct::new(fast, Lane::new(op, a, b, out), &policy) else {
                declined += 1;
                continue;
            };
            let executor: Arc<dyn Executor> = fast.clone();
            let settings = Settings { engine: Engine::Any, policy, executor };
            let words = arrays::run(&plan, &array(0, a), &array(1, b), &settings, &mut |_, _| {});
            let Ok((expected, summary)) = words else { continue };
            assert_eq!(summary.paths[0].kernel, Some(direct.kernel()), "{op} {a},{b},{out}: {}", summary.paths[0]);
            let mut have = room(total * sizes[2]);
            let views = [sources[0].view(), sources[1].view()];
            direct.run(fast, &shape, views[0], views[1], &mut have).unwrap();
            assert!(
                written(&have) == expected,
                "{op} {a},{b},{out} of {:?} and {:?} (steps {:?}, {:?}) at {}, policy {:?}; VQ7_SEED={}",
                sources[0].shape,
                sources[1].shape,
                sources[0].steps,
                sources[1].steps,
                fast.level(),
                policy.changed(),
                seed()
            );
            compared += 1;
        }
    }
    assert!(compared > 500, "{compared} compared, {declined} without kernels");
}

#[test]
fn a_view_that_leaves_its_bytes_computes_nothing() {
    let fast = Fast::default();
    let lane = Lane::new(AluOp::AddInt, Dtype::Int32, Dtype::Int32, Dtype::Int32);
    let direct = Direct::new(&fast, lane, &Policy::default()).unwrap();
    let bytes = [1u8; 64];
    let view = |start, step: &'static [isize]| View { bytes: &bytes, start, steps: step };
    let good = view(0, &[4]);
    let mut out = room(64);
    direct.run(&fast, &[16], good, good, &mut out).unwrap();
    for bad in [view(4, &[4]), view(0, &[8]), view(0, &[-4]), view(0, &[isize::MAX]), view(65, &[0]), view(0, &[4, 4])]
    {
        let mut out = room(64);
        assert!(direct.run(&fast, &[16], good, bad, &mut out).is_err(), "{bad:?}");
        assert!(direct.run(&fast, &[16], bad, good, &mut out).is_err(), "{bad:?}");
        assert!(written(&out).iter().all(|&byte| byte == 0xA5));
    }
    assert!(direct.run(&fast, &[16], good, good, &mut room(60)).is_err());
    assert!(direct.run(&fast, &[usize::MAX, 2], good, good, &mut room(60)).is_err());
}
