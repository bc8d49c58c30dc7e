//! Registers for the variables of a scheduled loop.
//!
//! A variable lives from its first write to its last read. One that dies before the next iteration writes it again shares a
//! register with others that live at other times (arcs on the circle of one interval); one that lives longer has a register
//! per iteration that is under way; constants, and what is set up once per row, keep theirs.

use super::kernel::Registers;
use std::collections::BTreeMap;
use vq7_iss::timing::Bank;

/// How long a variable lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Life {
    /// All the time.
    Always,
    /// In the loop: the bundle of the first write, and for how many bundles from there on.
    Loop(u32, u32),
    /// In what is set up once per row: first and last step.
    Setup(u32, u32),
}

/// A register: who lives there when.
#[derive(Clone, Debug, Default)]
struct Home {
    kept: bool,
    arcs: Vec<(u32, u32)>,
    setup: Vec<(u32, u32)>,
}

/// Gives each variable its registers, or nothing if a file is too small. `entries` says how many a file has to give.
pub(super) fn allocate(
    lives: &[Option<(Bank, Life)>],
    interval: u32,
    entries: impl Fn(Bank) -> u8,
) -> Option<Vec<Option<Registers>>> {
    let mut files: BTreeMap<u8, Vec<Home>> = BTreeMap::new();
    let mut registers = vec![None; lives.len()];
    // Who keeps a register first; then the loop in the order of time; then what may use the loop's registers before it runs.
    let mut order: Vec<usize> = (0..lives.len()).collect();
    order.sort_by_key(|&index| match lives.get(index) {
        Some(Some((_, Life::Always))) => (0, 0),
        Some(Some((_, Life::Loop(start, length)))) if *length > interval => (1, *start),
        Some(Some((_, Life::Loop(start, _)))) => (2, *start),
        Some(Some((_, Life::Setup(start, _)))) => (3, *start),
        _ => (4, 0),
    });
    for index in order {
        let Some(&Some((bank, life))) = lives.get(index) else { continue };
        let homes = files.entry(bank as u8).or_default();
        let most = usize::from(entries(bank));
        let (first, count) = match life {
            Life::Always => (keep(homes, 1), 1),
            Life::Loop(_, length) if length > interval => {
                let count = length.div_ceil(interval);
                (keep(homes, count as usize), count)
            }
            Life::Loop(start, length) => {
                let arc = (start % interval, length.max(1));
                let free = homes
                    .iter()
                    .position(|home| !home.kept && home.arcs.iter().all(|other| !meet(arc, *other, interval)));
                let at = free.unwrap_or_else(|| add(homes));
                if let Some(home) = homes.get_mut(at) {
                    home.arcs.push(arc);
                }
                (at, 1)
            }
            Life::Setup(start, end) => {
                let free = homes
                    .iter()
                    .position(|home| !home.kept && home.setup.iter().all(|&(from, to)| end <= from || to <= start));
                let at = free.unwrap_or_else(|| add(homes));
                if let Some(home) = homes.get_mut(at) {
                    home.setup.push((start, end.max(start + 1)));
                }
                (at, 1)
            }
        };
        if homes.len() > most {
            return None;
        }
        *registers.get_mut(index)? = Some(Registers { bank, first: first as u8, count: count as u8 });
    }
    Some(registers)
}

fn add(homes: &mut Vec<Home>) -> usize {
    homes.push(Home::default());
    homes.len() - 1
}

fn keep(homes: &mut Vec<Home>, count: usize) -> usize {
    let first = homes.len();
    homes.extend((0..count).map(|_| Home { kept: true, ..Home::default() }));
    first
}

/// Whether two arcs of a circle of `interval` bundles share one. An arc of the whole circle meets every other.
fn meet((a, a_length): (u32, u32), (b, b_length): (u32, u32), interval: u32) -> bool {
    (b + interval - a) % interval < a_length || (a + interval - b) % interval < b_length
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn vec(life: Life) -> Option<(Bank, Life)> {
        Some((Bank::Vec, life))
    }

    #[test]
    fn arcs_that_do_not_meet_share_a_register() {
        assert!(
            !meet((0, 2), (2, 2), 4) && meet((0, 3), (2, 2), 4) && meet((3, 2), (0, 1), 4) && !meet((3, 1), (0, 3), 4)
        );
        let lives = [vec(Life::Loop(0, 2)), vec(Life::Loop(6, 2)), vec(Life::Loop(1, 1)), vec(Life::Always)];
        let given = allocate(&lives, 4, |_| 32).unwrap();
        let firsts: Vec<u8> = given.iter().flatten().map(|registers| registers.first).collect();
        assert_eq!(firsts, [1, 1, 2, 0]);
    }

    #[test]
    fn a_long_life_has_a_register_per_iteration_under_way() {
        let lives = [vec(Life::Loop(0, 9)), vec(Life::Setup(0, 2)), vec(Life::Setup(2, 3)), None];
        let given = allocate(&lives, 4, |_| 4).unwrap();
        assert_eq!(given[0].map(|registers| registers.count), Some(3));
        assert_eq!(given[1].map(|registers| registers.first), given[2].map(|registers| registers.first));
        assert_eq!(given[3], None);
        assert_eq!(allocate(&lives, 4, |_| 3), None);
    }
}
