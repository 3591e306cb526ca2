//! File changes: from the inputs of the editing tools to the changes that an item lists, and to the
//! diff that the human transcript and the app-server show. What a file holds beside the changed
//! lines is not known here, so hunks count their lines from one.

use serde_json::Value;

use super::ids;
use super::item::{Change, ChangeKind};

/// The first line of a patch in codex's own format.
pub(super) const BEGIN: &str = "*** Begin Patch";

/// The changes of an editing tool's call, sorted by path as the real CLI has them (`02-patch`).
pub(super) fn changes(tool: &str, input: &Value, cwd: &str) -> Vec<Change> {
    if let Some(text) = patch_text(input) {
        return of_text(text, cwd);
    }
    let mut changes = match input.get("changes") {
        Some(listed) => listed_changes(listed, cwd),
        None => edited_file(tool, input, cwd).into_iter().collect(),
    };
    changes.sort_by(|a, b| a.path.cmp(&b.path));
    changes
}

/// A patch that is the input or stands in one of the keys for it.
fn patch_text(input: &Value) -> Option<&str> {
    let text = ["input", "patch", "command"].iter().find_map(|key| input.get(key)?.as_str());
    text.or(input.as_str()).filter(|text| text.contains(BEGIN))
}

/// The changes of a patch in codex's own format.
pub(super) fn of_text(text: &str, cwd: &str) -> Vec<Change> {
    let mut changes: Vec<Change> = Vec::new();
    for line in text.lines() {
        if let Some((kind, path)) = file_line(line) {
            changes.push(Change {
                path: absolute(path, cwd),
                kind,
                moved_to: None,
                old: Vec::new(),
                new: Vec::new(),
            });
            continue;
        }
        let Some(change) = changes.last_mut() else {
            continue;
        };
        if let Some(path) = line.strip_prefix("*** Move to: ") {
            change.moved_to = Some(absolute(path.trim(), cwd));
        } else if let Some(new) = line.strip_prefix('+') {
            change.new.push(new.to_owned());
        } else if let Some(old) = line.strip_prefix('-') {
            change.old.push(old.to_owned());
        }
    }
    changes.sort_by(|a, b| a.path.cmp(&b.path));
    changes
}

/// The kind and path of a line that opens a file's part of a patch.
fn file_line(line: &str) -> Option<(ChangeKind, &str)> {
    let kinds = [
        ("*** Add File: ", ChangeKind::Add),
        ("*** Delete File: ", ChangeKind::Delete),
        ("*** Update File: ", ChangeKind::Update),
    ];
    kinds.iter().find_map(|(prefix, kind)| Some((*kind, line.strip_prefix(prefix)?.trim())))
}

/// Changes listed as the item has them: `[{"path": ..., "kind": ...}]`.
fn listed_changes(listed: &Value, cwd: &str) -> Vec<Change> {
    let listed = listed.as_array().map_or(&[][..], Vec::as_slice);
    let change = |value: &Value| {
        let kind = match value.get("kind").and_then(Value::as_str) {
            Some("add") => ChangeKind::Add,
            Some("delete") => ChangeKind::Delete,
            _ => ChangeKind::Update,
        };
        let path = value.get("path").and_then(Value::as_str)?;
        Some(Change {
            path: absolute(path, cwd),
            kind,
            moved_to: None,
            old: Vec::new(),
            new: Vec::new(),
        })
    };
    listed.iter().filter_map(change).collect()
}

/// The one file of an `Edit`, `MultiEdit`, `Write` or `NotebookEdit`.
fn edited_file(tool: &str, input: &Value, cwd: &str) -> Option<Change> {
    let path = ["file_path", "notebook_path", "path"];
    let path = path.iter().find_map(|key| input.get(key)?.as_str())?;
    let single = [input.clone()];
    let edits = input.get("edits").and_then(Value::as_array).map_or(&single[..], Vec::as_slice);
    let lines = |keys: &[&str]| -> Vec<String> {
        let texts =
            edits.iter().filter_map(|edit| keys.iter().find_map(|key| edit.get(key)?.as_str()));
        texts.flat_map(str::lines).map(str::to_owned).collect()
    };
    let kind = if tool == "Write" { ChangeKind::Add } else { ChangeKind::Update };
    Some(Change {
        path: absolute(path, cwd),
        kind,
        moved_to: None,
        old: lines(&["old_string"]),
        new: lines(&["new_string", "content", "new_source"]),
    })
}

fn absolute(path: &str, cwd: &str) -> String {
    if path.starts_with('/') {
        path.to_owned()
    } else {
        format!("{}/{}", cwd.trim_end_matches('/'), path.trim_start_matches("./"))
    }
}

/// The changes as one diff in git's format (`02-patch-human`).
pub(super) fn git_diff(changes: &[Change], cwd: &str) -> String {
    changes.iter().map(|change| file_diff(change, cwd)).collect()
}

fn file_diff(change: &Change, cwd: &str) -> String {
    let from = relative(&change.path, cwd);
    let to = change.moved_to.as_deref().map_or(from, |path| relative(path, cwd));
    let nothing = "0".repeat(40);
    let (old, new) = (ids::blob(&change.old.join("\n")), ids::blob(&change.new.join("\n")));
    let head = format!("diff --git a/{from} b/{to}\n");
    let hunk = hunk(change);
    match change.kind {
        ChangeKind::Add => format!(
            "{head}new file mode 100644\nindex {nothing}..{new}\n--- /dev/null\n+++ b/{to}\n{hunk}"
        ),
        ChangeKind::Delete => format!(
            "{head}deleted file mode 100644\nindex {old}..{nothing}\n--- a/{from}\n\
             +++ /dev/null\n{hunk}"
        ),
        ChangeKind::Update => {
            format!("{head}index {old}..{new}\n--- a/{from}\n+++ b/{to}\n{hunk}")
        }
    }
}

fn relative<'a>(path: &'a str, cwd: &str) -> &'a str {
    let inside = path.strip_prefix(cwd.trim_end_matches('/'));
    inside.and_then(|rest| rest.strip_prefix('/')).unwrap_or(path.trim_start_matches('/'))
}

/// The changed lines as one hunk, empty if none is known.
pub(super) fn hunk(change: &Change) -> String {
    if change.old.is_empty() && change.new.is_empty() {
        return String::new();
    }
    let mut out = format!("@@ -{} +{} @@\n", range(&change.old), range(&change.new));
    let mut push = |sign: char, lines: &[String]| {
        for line in lines {
            out.push(sign);
            out.push_str(line);
            out.push('\n');
        }
    };
    push('-', &change.old);
    push('+', &change.new);
    out
}

/// A side's place in a hunk's head: `0,0`, `1`, or `1,n`.
fn range(lines: &[String]) -> String {
    match lines.len() {
        0 => "0,0".to_owned(),
        1 => "1".to_owned(),
        many => format!("1,{many}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_lists_its_files_by_path_and_a_moved_one_by_its_old_path() {
        let text = "*** Begin Patch\n*** Update File: b.txt\n*** Move to: c.txt\n@@\n-a\n+b\n\
                    *** Add File: a.txt\n+x\n*** End Patch\n";
        let changes = of_text(text, "/w");
        let shown: Vec<_> = changes.iter().map(|c| (c.path.as_str(), c.kind.word())).collect();
        assert_eq!(shown, [("/w/a.txt", "add"), ("/w/b.txt", "update")]);
        let diff = git_diff(&changes, "/w");
        assert!(diff.contains("diff --git a/b.txt b/c.txt\n"), "{diff}");
        assert!(diff.contains("--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1 @@\n+x\n"), "{diff}");
    }

    #[test]
    fn an_edit_of_the_other_cli_is_an_update() {
        let input = serde_json::json!({"file_path": "a.rs", "old_string": "x", "new_string": "y"});
        let changes = changes("Edit", &input, "/w");
        assert_eq!((changes[0].path.as_str(), changes[0].kind), ("/w/a.rs", ChangeKind::Update));
        assert_eq!(hunk(&changes[0]), "@@ -1 +1 @@\n-x\n+y\n");
    }
}
