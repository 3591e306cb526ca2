//! How `claude` names the folder of a working directory's sessions.

/// How many characters of an encoded directory are kept.
const LONGEST: usize = 200;

/// The name of the folder below `projects/` for a working directory: whatever is not an ASCII letter
/// or digit becomes a `-`, counted in UTF-16 units (s13_unicodepath: `é` is one, an emoji two). A
/// name that would be longer than 200 characters is cut and told from others by a hash
/// (s13_longpath); readers compare no more than what comes before it.
#[must_use]
pub fn project_folder(cwd: &str) -> String {
    let encoded: String = cwd
        .encode_utf16()
        .map(|unit| match u8::try_from(unit) {
            Ok(byte) if byte.is_ascii_alphanumeric() => char::from(byte),
            _ => '-',
        })
        .collect();
    match encoded.get(..LONGEST) {
        Some(kept) if encoded.len() > LONGEST => format!("{kept}-{}", hash(cwd)),
        _ => encoded,
    }
}

/// A 32-bit hash as short text: 31 times the sum so far and the next UTF-16 unit, the sign dropped,
/// to the base 36.
fn hash(text: &str) -> String {
    let mix = |hash: i32, unit: u16| hash.wrapping_mul(31).wrapping_add(i32::from(unit));
    let mut left = text.encode_utf16().fold(0, mix).unsigned_abs();
    let mut digits = Vec::new();
    loop {
        digits.push(char::from_digit(left % 36, 36).unwrap_or('0'));
        left /= 36;
        if left == 0 {
            return digits.into_iter().rev().collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_that_is_no_letter_or_digit_becomes_a_dash() {
        assert_eq!(project_folder("/srv/x y.z_w"), "-srv-x-y-z-w");
        assert_eq!(project_folder("/home/dev/projectéllo_😀"), "-home-dev-project-llo---");
        assert_eq!(project_folder(""), "");
    }

    #[test]
    fn a_name_of_more_than_200_characters_is_cut_and_gets_a_hash() {
        let at_limit = format!("/{}", "a".repeat(199));
        assert_eq!(project_folder(&at_limit).len(), 200);
        let over = format!("/{}", "a".repeat(200));
        let folder = project_folder(&over);
        assert_eq!(&folder[..200], &project_folder(&at_limit));
        // What the Python SDK's own function makes of the same path.
        assert_eq!(&folder[200..], "-b6ymvl");
    }
}
