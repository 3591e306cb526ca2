//! Ids and times that look like the real ones and are made of a seed and a counter: the same
//! directory, arguments and spawn number give the same bytes. No clock, no randomness.

/// Midnight of 2026-01-01 in milliseconds; made-up times follow it.
const EPOCH_MS: u64 = 1_767_225_600_000;

/// The thread id of a new thread, shaped as a UUIDv7: the seed and the spawn's number decide it,
/// and a later spawn gets a greater one.
pub fn mint_thread_id(seed: u64, spawn_number: u64) -> String {
    Ids::new(seed, spawn_number).uuid()
}

/// A source of made-up ids and times.
#[derive(Clone, Debug)]
pub(super) struct Ids {
    state: u64,
    now_ms: u64,
}

impl Ids {
    /// The source of one spawn.
    pub fn new(seed: u64, spawn_number: u64) -> Ids {
        // A minute between two spawns; the seed moves the whole set within a day.
        let now_ms = EPOCH_MS
            .wrapping_add(mix(seed) % 86_400_000)
            .wrapping_add(spawn_number.wrapping_mul(60_000) % (1 << 45));
        Ids { state: mix(seed ^ mix(spawn_number)), now_ms }
    }

    /// The source of one spawn, past its thread's id ([`mint_thread_id`]), which no other may be.
    pub fn after_thread(seed: u64, spawn_number: u64) -> Ids {
        let mut ids = Ids::new(seed, spawn_number);
        ids.uuid();
        ids
    }

    /// The made-up time, in milliseconds since 1970.
    pub fn now_ms(&self) -> u64 {
        self.now_ms
    }

    /// Lets time pass.
    pub fn pass(&mut self, ms: u64) {
        self.now_ms = self.now_ms.wrapping_add(ms);
    }

    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.state)
    }

    /// The next id in the shape of a UUIDv7 of the made-up time.
    pub fn uuid(&mut self) -> String {
        let (time, high, low) = (self.now_ms & 0xffff_ffff_ffff, self.number(), self.number());
        format!(
            "{:08x}-{:04x}-7{:03x}-{:04x}-{:012x}",
            time >> 16,
            time & 0xffff,
            high & 0xfff,
            0x8000 | ((high >> 16) & 0x3fff),
            low & 0xffff_ffff_ffff,
        )
    }

    /// How long something took, in milliseconds; time passes by it.
    pub fn took_ms(&mut self) -> u64 {
        let took = self.number() % 90;
        self.pass(took);
        took
    }

    /// The made-up time as log lines have it: RFC 3339 with microseconds.
    pub fn timestamp(&mut self) -> String {
        let micros = self.now_ms.wrapping_mul(1000).wrapping_add(self.number() % 1000);
        let micros = i64::try_from(micros).unwrap_or(0);
        let time = jiff::Timestamp::from_microsecond(micros).unwrap_or_default();
        format!("{time:.6}")
    }
}

/// A well-spread number made of another (splitmix64).
fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// Forty hexadecimal digits that stand for the contents of a file in a diff.
pub(super) fn blob(contents: &str) -> String {
    let mut state = 0xcbf2_9ce4_8422_2325_u64;
    for byte in contents.bytes() {
        state = (state ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    format!("{:016x}{:016x}{:08x}", mix(state), mix(!state), mix(state.rotate_left(7)) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thread_ids_are_version_7_and_the_same_each_time() {
        let id = mint_thread_id(7, 1);
        assert_eq!(id, mint_thread_id(7, 1));
        let dashes: Vec<usize> = id.match_indices('-').map(|(at, _)| at).collect();
        assert_eq!((id.len(), dashes), (36, vec![8, 13, 18, 23]));
        assert_eq!(&id[14..15], "7");
        assert!("89ab".contains(&id[19..20]));
    }

    #[test]
    fn thread_ids_differ_by_spawn_and_seed_and_sort_by_spawn() {
        assert!(mint_thread_id(7, 1) < mint_thread_id(7, 2));
        assert_ne!(mint_thread_id(7, 1)[18..], mint_thread_id(8, 1)[18..]);
        assert_eq!(mint_thread_id(u64::MAX, u64::MAX).len(), 36);
    }

    #[test]
    fn log_times_have_microseconds_and_a_zone() {
        let time = Ids::new(1, 1).timestamp();
        assert_eq!((time.len(), &time[19..20], &time[26..]), (27, ".", "Z"), "{time}");
    }
}
