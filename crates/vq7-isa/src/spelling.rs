//! What someone who wrote a name wrongly may have meant.

/// At most three known names that someone who wrote `asked` may have meant: those of which it is a part (`and`, `sub`,
/// `is_equal`), the shortest first, else the nearest by spelling.
pub fn near<'a>(asked: &str, names: impl Iterator<Item = &'a str> + Clone) -> Vec<&'a str> {
    const MOST: usize = 3;
    let is_part = |known: &&str| {
        let starts_a_part = |at: usize| at == 0 || known.as_bytes().get(at - 1) == Some(&b'_');
        known.match_indices(asked).any(|(at, _)| starts_a_part(at))
    };
    let mut near: Vec<_> = if asked.len() >= 2 { names.clone().filter(is_part).collect() } else { Vec::new() };
    near.sort_by_key(|known| known.len());
    if near.is_empty() {
        let spelt = names
            .map(|known| (edit_distance(asked, known), known))
            .filter(|(distance, known)| distance * 3 <= known.len());
        near.extend(spelt.min().map(|(_, known)| known));
    }
    near.truncate(MOST);
    near
}

/// Insertions, deletions and substitutions that turn `a` into `b`.
fn edit_distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.bytes().enumerate() {
            let substituted = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
