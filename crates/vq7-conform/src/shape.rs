//! The pattern shapes that are dealt over the cells: one row each.

use vq7_isa::address::{Addr4, Location, Memory};
use vq7_isa::generation::{CORES, Geometry, PARTITIONS, PARTITIONS_PER_CORE};
use vq7_isa::pattern::Tensor3d;

/// Where the destination lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// In a window of its own.
    Apart,
    /// Element on element on src0.
    OnSrc0,
    /// Element on element on src1.
    OnSrc1,
    /// Apart, and up to the last byte of the partition.
    Top,
}

/// Counts and steps of one operand; steps are in elements, in place in units of the wider element.
#[derive(Clone, Copy, Debug)]
struct View {
    num: [u16; 3],
    step: [i16; 3],
}

/// A shape: how many channels from which partitions, and how the three operands are walked.
#[derive(Debug)]
pub struct Shape {
    /// Its name.
    pub name: &'static str,
    channels: u32,
    /// Start partitions of the sources and of the destination.
    partitions: [u32; 2],
    /// src0, src1, dst.
    views: [View; 3],
    place: Place,
}

/// Bytes around each operand that a word must leave alone.
const GUARD: u32 = 8;

const fn view(num: [u16; 3], step: [i16; 3]) -> View {
    View { num, step }
}

const fn row(n: u16, step: i16) -> View {
    view([n, 1, 1], [step, 1, 1])
}

const fn shape(
    name: &'static str,
    channels: u32,
    partitions: [u32; 2],
    place: Place,
    src0: View,
    src1: View,
    dst: View,
) -> Shape {
    Shape { name, channels, partitions, views: [src0, src1, dst], place }
}

/// Every shape. Their number is a prime, so that the shapes dealt in turn meet every dtype of every operand.
#[rustfmt::skip]
pub static SHAPES: [Shape; 19] = [
    shape("line",             1,   [0, 0],   Place::Apart,  row(512, 1), row(512, 1), row(512, 1)),
    shape("plane",            4,   [32, 32], Place::Apart,  view([16, 8, 1], [1, 16, 1]), view([16, 8, 1], [1, 16, 1]), view([16, 8, 1], [1, 16, 1])),
    shape("cube",             4,   [64, 64], Place::Apart,  view([4, 8, 4], [1, 4, 32]), view([4, 8, 4], [1, 4, 32]), view([4, 8, 4], [1, 4, 32])),
    shape("broadcast_inner",  8,   [0, 96],  Place::Apart,  row(64, 1), view([8, 8, 1], [0, 1, 1]), row(64, 1)),
    shape("broadcast_outer",  4,   [96, 0],  Place::Apart,  view([16, 8, 1], [1, 0, 1]), row(128, 1), row(128, 1)),
    shape("reversed_source",  4,   [0, 0],   Place::Apart,  row(128, -1), row(128, 1), row(128, 1)),
    shape("reversed_all",     4,   [32, 64], Place::Apart,  view([16, 8, 1], [1, -16, 1]), row(128, -1), view([16, 8, 1], [-1, 16, 1])),
    shape("strided",          4,   [0, 0],   Place::Apart,  row(128, 2), row(128, 3), row(128, 2)),
    shape("in_place_src0",    4,   [0, 0],   Place::OnSrc0, row(128, 1), row(128, 1), row(128, 1)),
    shape("in_place_src1",    4,   [64, 64], Place::OnSrc1, row(128, 1), row(128, 1), row(128, 1)),
    shape("channels_7",       7,   [0, 32],  Place::Apart,  row(74, 1), row(74, 1), row(74, 1)),
    shape("channels_61",      61,  [64, 64], Place::Apart,  row(9, 1), row(9, 1), row(9, 1)),
    shape("channels_128",     128, [0, 0],   Place::Apart,  row(4, 1), row(4, 1), row(4, 1)),
    shape("last_partitions",  32,  [96, 96], Place::Apart,  row(16, 1), row(16, 1), row(16, 1)),
    shape("sub_tile",         4,   [32, 96], Place::Apart,  view([8, 16, 1], [1, 24, 1]), view([8, 16, 1], [1, 24, 1]), view([8, 16, 1], [1, 24, 1])),
    shape("transposed",       4,   [0, 0],   Place::Apart,  view([16, 8, 1], [8, 1, 1]), row(128, 1), view([8, 16, 1], [1, 8, 1])),
    shape("mixed_views",      4,   [64, 0],  Place::Apart,  row(128, 1), view([16, 8, 1], [1, 16, 1]), view([4, 8, 4], [1, 4, 32])),
    shape("unit_dimensions",  3,   [32, 32], Place::Apart,  view([1, 171, 1], [5, 1, 7]), view([1, 171, 1], [-3, 1, 0]), view([1, 1, 171], [9, -9, 1])),
    shape("last_bytes",       4,   [0, 0],   Place::Top,    row(128, 1), row(128, 1), row(128, 1)),
];

/// A rectangle of the State Buffer: bytes `offset..offset + bytes` of `rows` partitions from `partition` on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// The first partition.
    pub partition: u16,
    /// Partitions; 0 when there is no such window.
    pub rows: u16,
    /// The first byte in each of them.
    pub offset: u32,
    /// Bytes of each of them.
    pub bytes: u32,
}

impl Window {
    /// Bytes of all its rows. The product of a u16 and a u32 fits.
    pub fn size(&self) -> u64 {
        u64::from(self.rows) * u64::from(self.bytes)
    }
}

/// A shape for elements of certain widths: what the word says, and the windows around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Partitions that take part.
    pub channels: u32,
    /// src0, src1, dst.
    pub patterns: [Tensor3d; 3],
    /// That of the sources, and that of the destination where it lies apart.
    pub windows: [Window; 2],
}

/// An operand laid out: its steps in elements, the bytes it spans, and where in them its walk starts.
struct Laid {
    step: [i16; 3],
    num: [u16; 3],
    span: u32,
    start: u32,
}

impl Shape {
    /// Lays the shape out for elements of these bytes (src0, src1, dst). `base` is where the windows begin, in units of 8
    /// bytes. The extended word counts channels by 16 from partition 0 and has two dimensions.
    ///
    /// `None` when the extended word cannot have the shape.
    pub fn layout(&self, bytes: [u32; 3], extended: bool, base: u32, geometry: &Geometry) -> Option<Layout> {
        let (channels, partitions, views) = if extended { self.extended()? } else { self.plain() };
        let [w0, w1, wd] = bytes;
        let pitches = match self.place {
            Place::Apart | Place::Top => bytes,
            Place::OnSrc0 => [w0.max(wd), w1, w0.max(wd)],
            Place::OnSrc1 => [w0, w1.max(wd), w1.max(wd)],
        };
        let [v0, v1, vd] = views;
        let src0 = lay(v0, w0, pitches[0])?;
        let src1 = lay(v1, w1, pitches[1])?;
        let dst = lay(vd, wd, pitches[2])?;
        let sources = GUARD + src0.span + GUARD + src1.span + GUARD;
        let apart = matches!(self.place, Place::Apart | Place::Top);
        let after = if self.place == Place::Top { 0 } else { GUARD };
        let own = if apart { GUARD + dst.span + after } else { 0 };
        let low = match self.place {
            Place::Top => geometry.sbuf_active.checked_sub(sources + own)?,
            _ => base * 8,
        };
        let (at0, at1) = (low + GUARD, low + GUARD + src0.span + GUARD);
        let at_dst = match self.place {
            Place::Apart | Place::Top => low + sources + GUARD,
            Place::OnSrc0 => at0,
            Place::OnSrc1 => at1,
        };
        let [source_partition, dst_partition] = partitions;
        let window = |partition: u32, offset, bytes, written: bool| {
            // One partition more than the word has channels: a channel too many shows.
            let more = u32::from(written && partition + channels < PARTITIONS);
            Window { partition: partition as u16, rows: (channels + more) as u16, offset, bytes }
        };
        let pattern = |laid: &Laid, partition, offset: u32| {
            let place = Location { memory: Memory::Sbuf, partition, offset: offset + laid.start };
            Tensor3d { start: Addr4::immediate(place.address(geometry)), step: laid.step, num: laid.num }
        };
        Some(Layout {
            channels,
            patterns: [
                pattern(&src0, source_partition, at0),
                pattern(&src1, source_partition, at1),
                pattern(&dst, dst_partition, at_dst),
            ],
            windows: [
                window(source_partition, low, sources, !apart),
                if apart { window(dst_partition, low + sources, own, true) } else { Window::default() },
            ],
        })
    }

    const fn plain(&self) -> (u32, [u32; 2], [View; 3]) {
        (self.channels, self.partitions, self.views)
    }

    /// The shape over cores of 16 partitions, the innermost counts as much smaller as there are more channels.
    fn extended(&self) -> Option<(u32, [u32; 2], [View; 3])> {
        if self.views.iter().any(|view| view.num[2] != 1) {
            return None;
        }
        let channels = self.channels.next_multiple_of(PARTITIONS_PER_CORE).min(PARTITIONS_PER_CORE * CORES);
        let ratio = (channels / self.channels.max(1)).max(1) as u16;
        let mut views = self.views;
        for view in &mut views {
            if !channels.is_multiple_of(self.channels) || !view.num[0].is_multiple_of(ratio) {
                return None;
            }
            view.num[0] /= ratio;
        }
        Some((channels, [0, 0], views))
    }
}

/// Lays an operand out with its elements `pitch` bytes apart.
fn lay(view: View, width: u32, pitch: u32) -> Option<Laid> {
    let scale = i32::try_from(pitch / width.max(1)).ok()?;
    let (mut low, mut high) = (0i32, 0i32);
    let mut step = [0i16; 3];
    for (d, slot) in step.iter_mut().enumerate() {
        let steps = i32::from(view.step[d]) * scale;
        *slot = i16::try_from(steps).ok()?;
        let last = steps * (i32::from(view.num[d]) - 1).max(0);
        low += last.min(0);
        high += last.max(0);
    }
    let start = low.unsigned_abs() * width;
    let span = (high - low).unsigned_abs() * width + pitch;
    Some(Laid { step, num: view.num, span: span.next_multiple_of(8), start })
}
