//! Ids and times that are the same for the same seed: no clock, no randomness. They have the real
//! ones' shapes, so that a client that checks them is content.

use std::fmt::Write as _;

/// The letters of the API's ids.
const LETTERS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// When every rendered session begins, in milliseconds since 1970: 2026-01-01T00:00:00Z.
const BEGINNING: i64 = 1_767_225_600_000;

/// The session id of a spawn that is given none: the same for the same seed and spawn number.
pub fn mint_session_id(seed: &str, spawn_number: u64) -> String {
    Ids::new(&format!("session {spawn_number} {seed}")).uuid()
}

/// A source of ids.
#[derive(Clone, Debug)]
pub struct Ids {
    seed: u64,
    drawn: u64,
}

impl Ids {
    /// A source that depends on nothing but the seed.
    pub fn new(seed: &str) -> Ids {
        // FNV-1a: short, and the same on every machine.
        let seed = seed.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        Ids { seed, drawn: 0 }
    }

    /// A random-looking (version 4) UUID.
    pub fn uuid(&mut self) -> String {
        let (high, low) = (self.draw(), self.draw());
        let high = high & !0xf000 | 0x4000;
        let low = low & !(3 << 62) | 1 << 63;
        format!(
            "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
            high >> 32,
            high >> 16 & 0xffff,
            high & 0xffff,
            low >> 48,
            low & 0xffff_ffff_ffff
        )
    }

    /// A message's id: `msg_01` and 22 letters.
    pub fn message(&mut self) -> String {
        self.letters("msg_01", 22)
    }

    /// A tool call's id: `toolu_01` and 22 letters.
    pub fn tool(&mut self) -> String {
        self.letters("toolu_01", 22)
    }

    /// A request's id: `req_011` and 21 letters.
    pub fn request(&mut self) -> String {
        self.letters("req_011", 21)
    }

    /// What a thinking block is signed with.
    pub fn signature(&mut self) -> String {
        self.letters("", 44)
    }

    /// A number below `limit`, which must not be 0.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.draw() % limit.max(1)
    }

    fn letters(&mut self, prefix: &str, count: usize) -> String {
        let mut id = String::from(prefix);
        for _ in 0..count {
            let index = usize::try_from(self.below(62)).unwrap_or(0);
            id.push(char::from(LETTERS[index % LETTERS.len()]));
        }
        id
    }

    /// One step of SplitMix64.
    fn draw(&mut self) -> u64 {
        self.drawn = self.drawn.wrapping_add(1);
        let mut z = self.seed.wrapping_add(self.drawn.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
}

/// The time of a rendered session, which passes by being told to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clock {
    /// Milliseconds since the session began.
    pub ms: u64,
}

impl Clock {
    /// Lets time pass.
    pub fn pass(&mut self, ms: u64) {
        self.ms = self.ms.saturating_add(ms);
    }

    /// Milliseconds since 1970.
    pub fn since_epoch(self) -> i64 {
        // A hundred years are enough for any turn, and keep the date printable.
        BEGINNING.saturating_add(i64::try_from(self.ms).unwrap_or(i64::MAX).min(3_155_760_000_000))
    }

    /// The time of day as events carry it: `2026-01-01T00:00:00.000Z`.
    pub fn stamp(self) -> String {
        let mut out = String::new();
        if let Ok(time) = jiff::Timestamp::from_millisecond(self.since_epoch()) {
            let _ = write!(out, "{time:.3}");
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_ids_and_another_seed_others() {
        let (mut one, mut same, mut other) = (Ids::new("a"), Ids::new("a"), Ids::new("b"));
        let first = one.uuid();
        assert_eq!(first, same.uuid());
        assert_ne!(first, other.uuid());
        assert_ne!(first, one.uuid());
        assert_eq!(one.message().len(), 28);
    }

    #[test]
    fn session_ids_are_version_4_uuids_and_differ_by_spawn() {
        let id = mint_session_id("dir", 1);
        assert_eq!(id.len(), 36);
        assert_eq!(id.as_bytes()[14], b'4');
        assert!(matches!(id.as_bytes()[19], b'8' | b'9' | b'a' | b'b'));
        assert_ne!(id, mint_session_id("dir", 2));
    }

    #[test]
    fn stamps_have_three_digits_of_milliseconds() {
        assert_eq!(Clock::default().stamp(), "2026-01-01T00:00:00.000Z");
        assert_eq!(Clock { ms: 61_050 }.stamp(), "2026-01-01T00:01:01.050Z");
        assert!(!Clock { ms: u64::MAX }.stamp().is_empty());
    }
}
