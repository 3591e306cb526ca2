//! "Did you mean": how commander, the real CLI's parser, finds what was perhaps meant.
//!
//! The distance counts an exchange of two neighbours as one change (optimal string alignment). Up
//! to three changes are forgiven if more than two fifths of the longer word are kept, and all the
//! candidates of the smallest distance are named. Lengths are those of UTF-16, as in JavaScript.

const FORGIVEN: usize = 3;

/// The line that follows an error about an unknown word, with the newline before it; empty if no
/// candidate is near. Options are compared without their dashes.
pub(in crate::persona::claude) fn did_you_mean(
    word: &str,
    candidates: impl Iterator<Item = &'static str>,
) -> String {
    let bare = |text| str::strip_prefix(text, "--").unwrap_or(text);
    let (is_option, word) = (word.starts_with("--"), bare(word));
    let wanted: Vec<u16> = word.encode_utf16().collect();
    let mut best = FORGIVEN;
    let mut near: Vec<&str> = Vec::new();
    for candidate in candidates.map(|c| if is_option { bare(c) } else { c }) {
        let letters: Vec<u16> = candidate.encode_utf16().collect();
        let Some(distance) = near_enough(&wanted, &letters).filter(|d| *d <= best) else {
            continue;
        };
        if distance < best {
            best = distance;
            near.clear();
        }
        if !near.contains(&candidate) {
            near.push(candidate);
        }
    }
    near.sort_unstable_by_key(|candidate| candidate.to_lowercase());
    let dashes = if is_option { "--" } else { "" };
    let names: Vec<String> = near.iter().map(|name| format!("{dashes}{name}")).collect();
    match names.as_slice() {
        [] => String::new(),
        [one] => format!("\n(Did you mean {one}?)"),
        several => format!("\n(Did you mean one of {}?)", several.join(", ")),
    }
}

/// The distance of two words, if it can be forgiven.
fn near_enough(word: &[u16], candidate: &[u16]) -> Option<usize> {
    let longer = word.len().max(candidate.len());
    if candidate.len() <= 1 || word.len().abs_diff(candidate.len()) > FORGIVEN {
        return None;
    }
    let distance = distance(word, candidate);
    let kept = longer.saturating_sub(distance);
    (distance <= FORGIVEN && kept * 5 > longer * 2).then_some(distance)
}

/// The optimal string alignment distance.
fn distance(a: &[u16], b: &[u16]) -> usize {
    let width = b.len() + 1;
    let mut rows: Vec<usize> = vec![0; (a.len() + 1) * width];
    for i in 0..=a.len() {
        rows[i * width] = i;
    }
    for (j, cell) in rows.iter_mut().enumerate().take(width) {
        *cell = j;
    }
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            let changed = usize::from(a[i - 1] != b[j - 1]);
            let mut least = (rows[(i - 1) * width + j] + 1)
                .min(rows[i * width + j - 1] + 1)
                .min(rows[(i - 1) * width + j - 1] + changed);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[(i - 2) * width + j - 2] + 1);
            }
            rows[i * width + j] = least;
        }
    }
    rows[a.len() * width + b.len()]
}

#[cfg(test)]
mod tests {
    use super::did_you_mean;

    fn near(word: &str, candidates: &[&'static str]) -> String {
        did_you_mean(word, candidates.iter().copied())
    }

    #[test]
    fn the_nearest_candidates_are_named_in_order() {
        let options = ["--print", "--name", "--model", "--verbose"];
        assert_eq!(near("--nope", &options), "\n(Did you mean --name?)");
        assert_eq!(near("--no-verbose", &options), "\n(Did you mean --verbose?)");
        let two = ["--tools", "--pools"];
        assert_eq!(near("--wools", &two), "\n(Did you mean one of --pools, --tools?)");
    }

    #[test]
    fn an_exchange_of_neighbours_is_one_change() {
        assert_eq!(near("--modle", &["--moose", "--model"]), "\n(Did you mean --model?)");
    }

    #[test]
    fn what_keeps_too_little_of_the_word_is_not_offered() {
        // 2 of 5 letters kept is the limit itself, and not enough.
        assert_eq!(near("--abcde", &["--abxyz"]), "");
        assert_eq!(near("--abcdef", &["--abcxyz"]), "\n(Did you mean --abcxyz?)");
        assert_eq!(near("--bogus", &["--bg", "--debug"]), "");
        assert_eq!(near("--x", &["--y"]), "");
    }
}
