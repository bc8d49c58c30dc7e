//! How few bundles the slots allow, whatever the schedule: no operand is ever waited for, no register runs out.
//! Source: docs/spec/iss-lowering.md, "Cost".

use super::modulo::Node;
use vq7_iss::format::{FORMATS, SlotSet};

/// Kinds of steps whose subsets are all looked at. A body has fewer; the rarest of more are left out, which keeps the bound
/// a bound.
const KINDS: usize = 14;

/// Bundles that the steps need at least.
///
/// For every set of kinds of steps: no bundle hosts more of them than the format does that has most slots for them. And a
/// bundle with a store, or with another step that slot 0 alone hosts, has that slot taken.
pub(super) fn least(nodes: &[Node]) -> u32 {
    let first = SlotSet::numbered(0);
    let mut kinds: Vec<(SlotSet, u32)> = Vec::new();
    for node in nodes {
        match kinds.iter_mut().find(|(places, _)| *places == node.places) {
            Some((_, count)) => *count += 1,
            None => kinds.push((node.places, 1)),
        }
    }
    kinds.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    kinds.truncate(KINDS);
    let stores = || kinds.iter().filter(|(places, _)| places.is_within(first));
    let store_count: u32 = stores().map(|(_, count)| count).sum();
    let store_places = stores().fold(SlotSet::NONE, |all, (places, _)| all.union(*places));
    let mut most = 1;
    for subset in 1..1usize << kinds.len() {
        let chosen = || kinds.iter().enumerate().filter(|(index, _)| subset >> index & 1 == 1).map(|(_, kind)| kind);
        let places = chosen().fold(SlotSet::NONE, |all, (places, _)| all.union(*places));
        let count: u32 = chosen().map(|(_, count)| count).sum();
        let widest = room(places, SlotSet::NONE).max(1);
        most = most.max(count.div_ceil(widest));
        if store_count > 0 && chosen().all(|(places, _)| !places.is_within(first)) {
            let beside = room(places.without(first), store_places);
            let rest = count.saturating_sub(store_count.saturating_mul(beside));
            most = most.max(store_count + rest.div_ceil(widest));
        }
    }
    most
}

/// Slots of the set in the format that has most of them, of those formats that also have one of `with`.
fn room(places: SlotSet, with: SlotSet) -> u32 {
    let formats = FORMATS.iter().filter(|format| with == SlotSet::NONE || with.of_format(format) != 0);
    formats.map(|format| places.of_format(format).count_ones()).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use vq7_iss::bundle;
    use vq7_iss::placement::Placement;

    fn nodes(list: &[(Placement, usize)]) -> Vec<Node> {
        let repeated = |&(place, count): &(Placement, usize)| vec![Node { places: place.slots() }; count];
        list.iter().flat_map(repeated).collect()
    }

    #[test]
    fn the_slots_bound_what_the_published_search_found() {
        use Placement::*;
        // Copy, one ALU op, two units of it, a 16-bit division, float32 to bfloat16 (one unit and two), 8-bit floats.
        let bodies: [(&[(Placement, usize)], u32); 7] = [
            (&[(Load16, 1), (Store9, 1)], 1),
            (&[(Load16, 2), (Store9, 1), (Alu15, 1)], 2),
            (&[(Load16, 4), (Store9, 2), (Alu15, 2)], 3),
            (&[(Load16, 2), (Store9, 1), (Divide1, 4), (Cmp21, 1), (Alu13, 1)], 4),
            (&[(Load16, 2), (Store9, 1), (ShiftWide9, 2), (Alu15, 4), (Fma9, 1), (FpCompare14, 1), (Alu13, 1)], 4),
            (&[(Load16, 4), (Store9, 2), (ShiftWide9, 4), (Alu15, 8), (Fma9, 2), (FpCompare14, 2), (Alu13, 2)], 7),
            (&[(Load16, 2), (Store9, 1), (Select7, 31), (Alu15, 120)], 51),
        ];
        for (body, expected) in bodies {
            assert_eq!(least(&nodes(body)), expected, "{body:?}");
        }
    }

    /// Against the definition, on bodies that are small enough to try every way of dealing their steps to bundles.
    #[test]
    fn no_body_fits_into_fewer_bundles() {
        use Placement::*;
        fn deal(nodes: &[Node], bundles: &mut Vec<Vec<SlotSet>>) -> bool {
            let Some((node, rest)) = nodes.split_first() else { return true };
            for index in 0..bundles.len() {
                bundles[index].push(node.places);
                if bundle::can_share(&bundles[index]) && deal(rest, bundles) {
                    return true;
                }
                bundles[index].pop();
            }
            false
        }
        let places =
            [Load16, Store9, Alu15, Alu13, Cmp21, Fma9, ShiftWide9, Select7, Multiply8, Pack8, Divide1, Move23];
        let mut state = 0x9E37_79B9u32;
        for _ in 0..300 {
            let mut draw = |below: u32| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 16) % below
            };
            let count = 2 + draw(7);
            let body: Vec<Placement> = (0..count).map(|_| places[draw(places.len() as u32) as usize]).collect();
            let body = nodes(&body.iter().map(|&place| (place, 1)).collect::<Vec<_>>());
            let fewest = (1..).find(|&bundles| deal(&body, &mut vec![Vec::new(); bundles])).unwrap() as u32;
            assert!(least(&body) <= fewest, "{} bundles suffice, {} are said to be needed", fewest, least(&body));
            assert!(least(&body) + 1 >= fewest, "{body:?}: {} of {fewest}", least(&body));
        }
    }
}
