//! Iterative modulo scheduling: the steps of one body, started anew every `interval` bundles, so that no two of them ask
//! for the same slot and every operand is there when it is read.
//!
//! B. R. Rau, "Iterative modulo scheduling: an algorithm for software pipelining loops" (MICRO 1994).

use vq7_iss::bundle;
use vq7_iss::format::SlotSet;

/// A step as the scheduler sees it.
#[derive(Clone, Debug)]
pub struct Node {
    /// Where it may issue.
    pub places: SlotSet,
}

/// `to` issues at least `latency` bundles after `from`, when `to` is of an iteration that is `distance` later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The earlier step.
    pub from: usize,
    /// The later step.
    pub to: usize,
    /// Bundles between them.
    pub latency: u32,
    /// Iterations between them: 0 or 1.
    pub distance: u32,
}

/// Which of the steps that could be placed comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The one with the longest path behind it: short intervals.
    Height,
    /// The one that was written first: few values alive.
    Text,
}

/// How many placements, per step, before an interval is given up.
const BUDGET: usize = 16;

struct Search<'a> {
    nodes: &'a [Node],
    before: Vec<Vec<(usize, i64)>>,
    after: Vec<Vec<(usize, i64)>>,
    priority: Vec<u64>,
    interval: u32,
    time: Vec<Option<u32>>,
    /// The earliest bundle that is still worth trying: past placements are not repeated.
    last: Vec<Option<u32>>,
    rows: Vec<Vec<usize>>,
}

/// The bundle of each step, counted from the start of its iteration; `None` when no schedule was found.
pub fn schedule(nodes: &[Node], edges: &[Edge], interval: u32, order: Order) -> Option<Vec<u32>> {
    let mut before = vec![Vec::new(); nodes.len()];
    let mut after = vec![Vec::new(); nodes.len()];
    for edge in edges {
        let within = i64::from(edge.latency) - i64::from(edge.distance) * i64::from(interval);
        before.get_mut(edge.to)?.push((edge.from, within));
        after.get_mut(edge.from)?.push((edge.to, within));
    }
    let priority = priorities(nodes.len(), &after, order);
    let mut search = Search {
        nodes,
        before,
        after,
        priority,
        interval,
        time: vec![None; nodes.len()],
        last: vec![None; nodes.len()],
        rows: vec![Vec::new(); interval as usize],
    };
    let mut budget = nodes.len() * BUDGET;
    while let Some(node) = search.next() {
        budget = budget.checked_sub(1)?;
        search.place(node)?;
    }
    search.shorten_lives();
    let times: Option<Vec<u32>> = search.time.iter().copied().collect();
    let mut times = times?;
    let first = times.iter().copied().min().unwrap_or(0);
    // A whole number of intervals: the rows stay what they are.
    let whole = first / interval * interval;
    times.iter_mut().for_each(|time| *time -= whole);
    Some(times)
}

/// Edges go forward in the text, so one pass from the back sees every successor first.
fn priorities(count: usize, after: &[Vec<(usize, i64)>], order: Order) -> Vec<u64> {
    let mut height = vec![0u64; count];
    for node in (0..count).rev() {
        let deepest = after.get(node).into_iter().flatten().filter(|(to, _)| *to > node);
        let deepest = deepest.map(|&(to, latency)| height.get(to).copied().unwrap_or(0).saturating_add_signed(latency));
        let deepest = deepest.max().unwrap_or(0);
        if let Some(slot) = height.get_mut(node) {
            *slot = deepest;
        }
    }
    match order {
        Order::Height => height,
        Order::Text => (0..count as u64).rev().collect(),
    }
}

impl Search<'_> {
    /// The unplaced step of the highest priority; of equals the first.
    fn next(&self) -> Option<usize> {
        let unplaced = (0..self.nodes.len()).filter(|&node| self.time.get(node) == Some(&None));
        unplaced.max_by_key(|&node| (self.priority.get(node).copied().unwrap_or(0), usize::MAX - node))
    }

    fn earliest(&self, node: usize) -> u32 {
        let bounds = self.before.get(node).into_iter().flatten();
        let bounds = bounds.filter_map(|&(from, latency)| Some(i64::from(self.time.get(from).copied()??) + latency));
        bounds.max().unwrap_or(0).max(0) as u32
    }

    fn row(&self, time: u32) -> usize {
        (time % self.interval) as usize
    }

    fn fits(&self, node: usize, row: usize) -> bool {
        let others = self.rows.get(row).into_iter().flatten().copied();
        let mut sets = [SlotSet::NONE; 6];
        let mut count = 0;
        for (slot, other) in sets.iter_mut().zip(others.chain([node])) {
            *slot = self.nodes.get(other).map_or(SlotSet::NONE, |node| node.places);
            count += 1;
        }
        sets.get(..count).is_some_and(bundle::can_share)
    }

    fn place(&mut self, node: usize) -> Option<()> {
        let earliest = self.earliest(node);
        let free = (earliest..earliest.checked_add(self.interval)?).find(|&time| self.fits(node, self.row(time)));
        let time = match free {
            Some(time) => time,
            None => {
                // Somebody has to go. Not where this step was before, so that the search moves on.
                let again = self.last.get(node).copied()?.map_or(earliest, |last| earliest.max(last + 1));
                let row = self.row(again);
                while !self.fits(node, row) {
                    let victim = self.weakest(row)?;
                    self.remove(victim);
                }
                again
            }
        };
        // Successors that this placement overtakes have to be placed anew.
        let overtaken: Vec<usize> = self
            .after
            .get(node)?
            .iter()
            .filter(|&&(to, latency)| {
                self.time.get(to).copied().flatten().is_some_and(|at| i64::from(at) < i64::from(time) + latency)
            })
            .map(|&(to, _)| to)
            .collect();
        overtaken.into_iter().for_each(|to| self.remove(to));
        *self.time.get_mut(node)? = Some(time);
        *self.last.get_mut(node)? = Some(time);
        let row = self.row(time);
        self.rows.get_mut(row)?.push(node);
        Some(())
    }

    fn weakest(&self, row: usize) -> Option<usize> {
        self.rows.get(row)?.iter().copied().min_by_key(|&node| self.priority.get(node).copied().unwrap_or(0))
    }

    fn remove(&mut self, node: usize) {
        if let Some(time) = self.time.get_mut(node).and_then(Option::take) {
            let row = (time % self.interval) as usize;
            if let Some(row) = self.rows.get_mut(row) {
                row.retain(|&other| other != node);
            }
        }
    }

    /// Moves each step as late as its readers and the slots allow, the last ones first: loads come just in time.
    fn shorten_lives(&mut self) {
        for node in (0..self.nodes.len()).rev() {
            let Some(time) = self.time.get(node).copied().flatten() else { continue };
            let readers = self.after.get(node).into_iter().flatten();
            let latest = readers
                .filter_map(|&(to, latency)| Some(i64::from(self.time.get(to).copied().flatten()?) - latency))
                .min();
            let latest = latest.and_then(|latest| u32::try_from(latest).ok());
            // A step without readers, a store, ends lives: it stays as early as it is. So does one that waits for others,
            // as it ends their lives while it begins its own.
            let Some(latest) = latest.filter(|_| self.before.get(node).is_none_or(Vec::is_empty)) else { continue };
            self.remove(node);
            let from = latest.saturating_sub(self.interval - 1).max(time);
            let better = (from..=latest).rev().find(|&at| self.fits(node, self.row(at))).unwrap_or(time);
            if let Some(slot) = self.time.get_mut(node) {
                *slot = Some(better);
            }
            let row = self.row(better);
            if let Some(row) = self.rows.get_mut(row) {
                row.push(node);
            }
        }
    }
}
