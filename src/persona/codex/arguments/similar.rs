//! Which known words resemble a mistyped one: the Jaro similarity that clap's tips are made with.

/// Words under this similarity are not suggested.
const THRESHOLD: f64 = 0.7;

/// The candidates that resemble the word, the most similar last; of equally similar ones the later.
pub(super) fn similar<'a>(word: &str, among: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut found: Vec<(f64, &str)> = among
        .map(|candidate| (jaro(word, candidate), candidate))
        .filter(|(score, _)| *score > THRESHOLD)
        .collect();
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    found.into_iter().map(|(_, candidate)| candidate).collect()
}

/// The Jaro similarity of two words, from 0 (nothing in common) to 1 (equal).
fn jaro(a: &str, b: &str) -> f64 {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.is_empty() && b.is_empty() {
        return 1.0;
    }
    let range = (a.len().max(b.len()) / 2).saturating_sub(1);
    let mut taken = vec![false; b.len()];
    let mut matched = Vec::new();
    for (at, letter) in a.iter().enumerate() {
        let window = at.saturating_sub(range)..b.len().min(at + range + 1);
        if let Some(hit) = window.into_iter().find(|&other| b[other] == *letter && !taken[other]) {
            taken[hit] = true;
            matched.push(*letter);
        }
    }
    if matched.is_empty() {
        return 0.0;
    }
    let in_b = b.iter().zip(&taken).filter(|(_, taken)| **taken).map(|(letter, _)| letter);
    let transposed = matched.iter().zip(in_b).filter(|(x, y)| x != y).count() / 2;
    let hits = matched.len() as f64;
    let ordered = (matched.len() - transposed) as f64;
    (hits / a.len() as f64 + hits / b.len() as f64 + ordered / hits) / 3.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_similarity_is_that_of_the_literature() {
        assert!((jaro("martha", "marhta") - 0.9444).abs() < 0.0001);
        assert!((jaro("dixon", "dicksonx") - 0.7667).abs() < 0.0001);
        assert_eq!(jaro("", "x"), 0.0);
        assert_eq!(jaro("abc", "abc"), 1.0);
    }

    #[test]
    fn the_most_similar_word_comes_last() {
        let words = ["modes", "model", "profile"];
        assert_eq!(similar("modell", words.into_iter()), ["modes", "model"]);
    }
}
