use std::fs;
use std::path::Path;

/// A block of code in the README.
#[derive(Debug)]
pub struct Block {
    /// The file that it shows, by the comment in the line before it.
    pub file: Option<String>,
    /// What stands between the fences.
    pub text: String,
    /// The line of its first fence, from 1.
    pub line: usize,
}

/// The directory of the project.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All blocks of code, in their order.
pub fn blocks() -> Vec<Block> {
    let page = fs::read_to_string(root().join("README.md")).unwrap();
    let mut found = Vec::new();
    let mut open: Option<Block> = None;
    let mut before = "";
    for (number, line) in page.lines().enumerate() {
        match (&mut open, line.starts_with("```")) {
            (None, true) => {
                open = Some(Block { file: named(before), text: String::new(), line: number + 1 })
            }
            (Some(_), true) => found.extend(open.take()),
            (Some(block), false) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, false) => {}
        }
        before = line;
    }
    assert!(open.is_none() && !found.is_empty(), "{open:?}");
    found
}

/// The file that a comment names.
fn named(line: &str) -> Option<String> {
    let file = line.strip_prefix("<!-- ")?.strip_suffix(" -->")?;
    Some(file.to_owned())
}
