//! How one version of the CLI lays its events out: a text file a version, `layouts/*.layout`, that
//! lists for each event its keys in order, beside the texts, prices and habits of that version.
//! The renderer says what an event holds; the layout says which of it is written, and where.

use super::json::Json;

/// The layouts there are, oldest first.
const LAYOUTS: &[(&str, &str)] = &[
    ("2.1.197", include_str!("layouts/2.1.197.layout")),
    ("2.1.332", include_str!("layouts/2.1.332.layout")),
];

/// The rule of versions whose exit code after SIGINT does not tell that a tool ran.
pub(in crate::persona::claude) const SIGINT_DURING_TOOL_EXITS_0: &str =
    "sigint_during_tool_exits_0";

/// One version's layout.
#[derive(Clone, Debug)]
pub struct Layout {
    sections: Vec<(&'static str, &'static str)>,
    /// How this version writes JSON.
    pub json: Json,
}

impl Layout {
    /// The layout for `version`: the newest that is not newer, or the oldest there is.
    pub fn of(version: &str) -> Layout {
        Layout::among(LAYOUTS, version)
    }

    /// The same, of other texts in the same form, oldest first.
    pub fn among(texts: &[(&str, &'static str)], version: &str) -> Layout {
        let sections = sections(text_of(texts, version));
        let escapes = body(&sections, "escapes").map_or_else(Vec::new, ranges);
        Layout { sections, json: Json::new(escapes) }
    }

    /// Whether this version writes the event, or knows the table, at all.
    pub fn has(&self, section: &str) -> bool {
        body(&self.sections, section).is_some()
    }

    /// Whether this version follows the rule.
    pub fn rule(&self, name: &str) -> bool {
        self.entries("rules").any(|(rule, _)| rule == name)
    }

    /// A text of this version, its `{places}` filled; empty where the version has none.
    pub fn text(&self, name: &str, places: &[(&str, &str)]) -> String {
        let raw = self.entry("texts", name).unwrap_or("\"\"");
        let mut text: String = serde_json::from_str(raw).unwrap_or_default();
        for (place, value) in places {
            text = text.replace(&format!("{{{place}}}"), value);
        }
        text
    }

    /// The value of one entry of a table, as JSON.
    pub fn entry(&self, section: &str, key: &str) -> Option<&'static str> {
        self.entries(section).find(|(name, _)| *name == key)?.1
    }

    /// The entries of a section in order: keys, and their values as JSON where they have one.
    pub fn entries(
        &self,
        name: &str,
    ) -> impl Iterator<Item = (&'static str, Option<&'static str>)> {
        body(&self.sections, name).unwrap_or("").lines().filter(|line| is_entry(line)).map(|line| {
            match line.split_once(" = ") {
                Some((key, value)) => (key, Some(value)),
                None => (line, None),
            }
        })
    }

    /// Starts an object for this version.
    pub fn fields(&self) -> Fields<'_> {
        Fields { json: &self.json, values: Vec::new() }
    }

    /// Writes an object as the section orders it. A section that is missing is looked for under
    /// its name without the last part: `result.error.x` is `result.error` in most versions.
    pub fn object(&self, section: &str, fields: &Fields) -> String {
        let mut name = section;
        while !self.has(name) {
            let Some((shorter, _)) = name.rsplit_once('.') else { break };
            name = shorter;
        }
        let mut out = String::from("{");
        for (key, constant) in self.entries(name) {
            if let Some(value) = fields.get(key).or(constant) {
                if out.len() > 1 {
                    out.push(',');
                }
                out.push('"');
                out.push_str(key);
                out.push_str("\":");
                out.push_str(value);
            }
        }
        out.push('}');
        out
    }
}

/// What an object holds, each value as JSON. Which of it is written is the layout's affair.
#[derive(Debug)]
pub struct Fields<'a> {
    json: &'a Json,
    values: Vec<(&'static str, String)>,
}

impl Fields<'_> {
    /// Sets a value that is JSON already.
    pub fn raw(mut self, key: &'static str, value: impl Into<String>) -> Self {
        self.values.push((key, value.into()));
        self
    }

    /// Sets a string.
    pub fn text(self, key: &'static str, value: &str) -> Self {
        let value = self.json.string(value);
        self.raw(key, value)
    }

    /// Sets a number or a boolean.
    pub fn plain(self, key: &'static str, value: impl std::fmt::Display) -> Self {
        self.raw(key, value.to_string())
    }

    /// Sets a string where there is one.
    pub fn maybe_text(self, key: &'static str, value: Option<&str>) -> Self {
        match value {
            Some(value) => self.text(key, value),
            None => self,
        }
    }

    /// Sets a value that is JSON already, where there is one.
    pub fn maybe_raw(self, key: &'static str, value: Option<String>) -> Self {
        match value {
            Some(value) => self.raw(key, value),
            None => self,
        }
    }

    fn get(&self, key: &str) -> Option<&str> {
        self.values.iter().rev().find(|(name, _)| *name == key).map(|(_, value)| value.as_str())
    }
}

/// Whether a version has a rule. Spawns that render nothing ask this too, at their start, and need
/// not pay for the rest of the layout.
pub(in crate::persona::claude) fn has_rule(version: &str, rule: &str) -> bool {
    const RULES: &str = "\n[rules]\n";
    let text = text_of(LAYOUTS, version);
    let Some(at) = memchr::memmem::find(text.as_bytes(), RULES.as_bytes()) else { return false };
    let mut lines = text[at + RULES.len()..].lines().take_while(|line| !line.starts_with('['));
    lines.any(|line| line == rule)
}

/// The text for `version`: of the newest that is not newer, or the oldest there is.
fn text_of(texts: &[(&str, &'static str)], version: &str) -> &'static str {
    let wanted = numbers(version);
    let newest = texts.iter().rev().find(|(known, _)| numbers(known) <= wanted);
    newest.or(texts.first()).map_or("", |(_, text)| text)
}

/// Cuts a layout file into its sections, by their `[name]` lines.
fn sections(text: &'static str) -> Vec<(&'static str, &'static str)> {
    text.split("\n[").skip(1).filter_map(|part| part.split_once("]\n")).collect()
}

fn body(sections: &[(&'static str, &'static str)], name: &str) -> Option<&'static str> {
    sections.iter().find(|(section, _)| *section == name).map(|(_, body)| *body)
}

fn is_entry(line: &str) -> bool {
    !line.is_empty() && !line.starts_with('#')
}

/// Reads `00ad-00ad` lines.
fn ranges(body: &str) -> Vec<(u32, u32)> {
    let hex = |text: &str| u32::from_str_radix(text, 16).ok();
    let range = |line: &str| line.split_once('-').and_then(|(a, b)| Some((hex(a)?, hex(b)?)));
    body.lines().filter_map(range).collect()
}

fn numbers(version: &str) -> Vec<u64> {
    version.split('.').map(|part| part.parse().unwrap_or(0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_found_without_the_rest_as_with_it() {
        let all: Vec<&str> = LAYOUTS
            .iter()
            .flat_map(|(version, _)| Layout::of(version).entries("rules").collect::<Vec<_>>())
            .map(|(rule, _)| rule)
            .collect();
        assert!(all.contains(&SIGINT_DURING_TOOL_EXITS_0), "{all:?}");
        for version in ["1.0", "2.1.197", "2.1.331", "2.1.332", "3.0"] {
            for rule in all.iter().copied().chain(["", "rules", "no_such_rule"]) {
                assert_eq!(
                    has_rule(version, rule),
                    Layout::of(version).rule(rule),
                    "{version} {rule}"
                );
            }
        }
    }

    #[test]
    fn a_version_without_a_layout_has_that_of_the_last_one_before_it() {
        assert!(Layout::of("2.1.400").rule("cost_survives_resume"));
        assert!(!Layout::of("2.1.331").rule("cost_survives_resume"));
        assert!(Layout::of("1.0.3").has("assistant"));
    }

    #[test]
    fn an_object_has_the_keys_of_its_section_in_their_order() {
        let layout = Layout::of("2.1.332");
        let fields = layout.fields().text("source", "sdk").text("name", "x").text("other", "y");
        let object = layout.object("mcp_server", &fields);
        assert_eq!(object, r#"{"name":"x","status":"connected","source":"sdk"}"#);
    }

    #[test]
    fn every_value_in_every_layout_is_json() {
        for (version, text) in LAYOUTS {
            for (section, body) in sections(text) {
                let values =
                    body.lines().filter(|l| is_entry(l)).filter_map(|l| l.split_once(" = "));
                for (key, value) in values {
                    let parsed = serde_json::from_str::<serde_json::Value>(value);
                    assert!(parsed.is_ok(), "{version} [{section}] {key}");
                }
            }
        }
    }
}
