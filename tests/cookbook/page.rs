//! The page leaves nothing out: no recipe without a test, no recording without a link.

use std::fs;
use std::path::{Path, PathBuf};

use crate::kitchen::cookbook;

const RECIPES: &str = include_str!("recipes.rs");

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

/// The recipes' names.
fn names() -> Vec<String> {
    let name = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
    entries(&cookbook()).iter().map(name).collect()
}

/// That a recipe's test plays all of it is checked there, by the verdict.
#[test]
fn every_recipe_is_played_by_a_test() {
    assert!(names().len() >= 12);
    for name in names() {
        let plays = format!("Recipe::of(\"{name}\")");
        assert!(RECIPES.contains(&plays), "no test plays the recipe {name}");
    }
    let ends = RECIPES.matches("recipe.is_eaten_up();").count();
    assert_eq!(RECIPES.matches("Recipe::of(").count(), ends);
}

#[test]
fn every_recording_is_linked_from_the_page_and_every_link_leads_somewhere() {
    let docs = cookbook().with_file_name("");
    let page = fs::read_to_string(docs.join("cookbook.md")).unwrap();
    let mut recordings = 0;
    for recipe in entries(&cookbook()) {
        for recording in entries(&recipe).iter().flat_map(|persona| entries(persona)) {
            let link = format!("]({})", recording.strip_prefix(&docs).unwrap().display());
            assert!(page.contains(&link), "the page does not link to {link}");
            recordings += 1;
        }
    }
    let links = page.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    let links: Vec<&str> = links.map(|(link, _)| link).filter(|l| !l.contains("//")).collect();
    assert!(links.len() >= recordings);
    for link in links {
        let file = link.split('#').next().unwrap();
        assert!(docs.join(file).exists(), "{link} leads nowhere");
    }
}

/// What the page shows is what is played.
#[test]
fn every_recording_on_the_page_is_the_whole_of_its_file() {
    let docs = cookbook().with_file_name("");
    let page = fs::read_to_string(docs.join("cookbook.md")).unwrap();
    let mut shown = 0;
    for block in page.split("```jsonl\n").skip(1) {
        let (text, _) = block.split_once("```").unwrap();
        let files = entries(&cookbook());
        let files = files.iter().flat_map(|recipe| entries(recipe));
        let mut files = files.flat_map(|persona| entries(&persona));
        let found = files.any(|file| fs::read_to_string(file).is_ok_and(|whole| whole == text));
        assert!(found, "this is no recording of the cookbook:\n{text}");
        shown += 1;
    }
    assert!(shown > 0);
}
