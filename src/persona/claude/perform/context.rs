//! The answer to `get_context_usage`: what fills the model's context, as a list and as a picture.

use crate::persona::claude::render::{Layout, Model};
use serde::Deserialize;

/// Squares of the picture: ten rows of twenty (s04_control_setters).
const SQUARES: u64 = 200;
const ROW: usize = 20;

/// A part of the context as the data file lists it: name, tokens, colour, kind of room.
#[derive(Deserialize)]
struct Part(String, u64, String, String);

/// The answer, as JSON.
pub(super) fn usage(stock: &Layout, layout: &Layout, model: &Model) -> String {
    let window = model.context_window.max(SQUARES);
    let mut parts: Vec<(&str, Part)> = stock
        .entries("categories")
        .filter_map(|(id, json)| Some((id, serde_json::from_str(json?).ok()?)))
        .collect();
    let taken: u64 = parts.iter().map(|(_, part)| part.1).sum();
    for (_, part) in parts.iter_mut().filter(|(_, part)| part.3 == "free") {
        part.1 = window.saturating_sub(taken);
    }
    let used: u64 = parts.iter().filter(|(_, part)| part.3 == "used").map(|(_, p)| p.1).sum();
    let categories = parts.iter().map(|(id, part)| {
        let fields = layout.fields().text("id", id).text("name", &part.0);
        let fields = fields.plain("tokens", part.1).text("color", &part.2).text("kind", &part.3);
        stock.object("category", &fields)
    });
    let fields = layout
        .fields()
        .raw("categories", layout.json.list(categories))
        .plain("totalTokens", used)
        .plain("maxTokens", window)
        .plain("rawMaxTokens", window)
        .plain("percentage", percent(used, window))
        .raw("gridRows", picture(&parts, window, layout))
        .text("model", &model.id);
    stock.object("context", &fields)
}

/// The picture: a square for each two-hundredth of the window, what is used first, then the free
/// room, then what is held back.
fn picture(parts: &[(&str, Part)], window: u64, layout: &Layout) -> String {
    let unit = window / SQUARES;
    let square = |part: &Part, fullness: f64| {
        format!(
            "{{\"color\":{},\"isFilled\":true,\"categoryName\":{},\"tokens\":{},\"percentage\":{},\
             \"squareFullness\":{fullness}}}",
            layout.json.string(&part.2),
            layout.json.string(&part.0),
            part.1,
            percent(part.1, window),
        )
    };
    let squares = |part: &Part| -> Vec<String> {
        let rest = part.1 % unit;
        let full = usize::try_from(part.1 / unit).unwrap_or(0);
        let mut out = vec![square(part, 1.0); full];
        out.extend((rest > 0).then(|| square(part, rest as f64 / unit as f64)));
        out
    };
    let of_kind = |kind: &str| -> Vec<String> {
        parts.iter().filter(|(_, part)| part.3 == kind).flat_map(|(_, p)| squares(p)).collect()
    };
    let (mut all, last) = (of_kind("used"), of_kind("buffer"));
    let room = usize::try_from(SQUARES).unwrap_or(0).saturating_sub(all.len() + last.len());
    if let Some((_, free)) = parts.iter().find(|(_, part)| part.3 == "free") {
        all.extend(vec![square(free, 1.0); room]);
    }
    all.extend(last);
    layout.json.list(all.chunks(ROW).map(|row| layout.json.list(row)))
}

fn percent(tokens: u64, window: u64) -> u64 {
    (tokens.saturating_mul(200) / window.max(1)).div_ceil(2)
}
