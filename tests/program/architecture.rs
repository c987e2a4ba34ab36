//! Dependencies point one way: a room uses only the rooms that the table in `src/lib.rs` lists for it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// What every room may use.
const EVERYWHERE: &str = "numerics";

/// The rooms of the table under "Arrows", each with those that it uses.
fn arrows() -> BTreeMap<String, Vec<String>> {
    let page = fs::read_to_string(source().join("lib.rs")).unwrap();
    let table = page
        .split("//! # Arrows")
        .nth(1)
        .expect("the table of arrows");
    let mut rooms = BTreeMap::new();
    for line in table
        .lines()
        .skip_while(|line| !line.starts_with("//! | `"))
    {
        let Some(row) = line.strip_prefix("//! | ") else {
            break;
        };
        let mut cells = row.split('|').map(names);
        let (owners, used) = (cells.next().unwrap(), cells.next().unwrap());
        for owner in owners {
            assert!(
                rooms.insert(owner.clone(), used.clone()).is_none(),
                "{owner} stands twice in the table"
            );
        }
    }
    rooms
}

/// What stands between back-ticks.
fn names(cell: &str) -> Vec<String> {
    cell.split('`')
        .skip(1)
        .step_by(2)
        .map(String::from)
        .collect()
}

/// The package of the rooms that compute, within the sources of the others.
const MECHANICS: &str = "mechanics";

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// The folder of a room.
fn folder(room: &str) -> PathBuf {
    let inner = source().join(MECHANICS).join(room);
    if inner.is_dir() {
        inner
    } else {
        source().join(room)
    }
}

/// Every `crate::room` in the sources of a folder, with the file.
fn used_rooms(folder: &Path, found: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            used_rooms(&path, found);
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        assert!(
            !text.contains("carom_mechanics::"),
            "{}: rooms of the other package are `crate::room` too",
            path.display()
        );
        for part in text.split("crate::").skip(1) {
            let end = |c: char| !(c.is_ascii_lowercase() || c == '_' || c == ':');
            let route = part.split(end).next().unwrap_or_default();
            assert!(
                !part.starts_with('{'),
                "{}: a `use crate::{{…}}` hides which rooms it uses; write one `use` a room",
                path.display()
            );
            // Macros stand at the root.
            if !part[route.len()..].starts_with('!') {
                found.push((path.display().to_string(), route.to_string()));
            }
        }
    }
}

/// Whether a route through modules leads into a room.
fn leads_into(route: &str, room: &str) -> bool {
    route
        .strip_prefix(room)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
}

#[test]
fn rooms_use_only_what_they_may() {
    let rooms = arrows();
    let mut checked = 0;
    for (room, used) in &rooms {
        let mut found = Vec::new();
        used_rooms(&folder(&room.replace("::", "/")), &mut found);
        for (file, route) in found {
            checked += 1;
            let into = |name: &str| leads_into(&route, name);
            assert!(
                route.is_empty()
                    || into(room)
                    || into(EVERYWHERE)
                    || used.iter().any(|name| into(name)),
                "{file} uses crate::{route}, which the table in src/lib.rs does not list for {room}"
            );
        }
    }
    let mut found = Vec::new();
    used_rooms(&folder(EVERYWHERE), &mut found);
    for (file, route) in found {
        assert!(
            leads_into(&route, EVERYWHERE),
            "{file} uses crate::{route}, and {EVERYWHERE} uses no room"
        );
    }
    assert!(
        checked > 500,
        "only {checked} uses were found: has the layout changed?"
    );
}

#[test]
fn arrows_make_no_circle() {
    let rooms = arrows();
    let mut open: Vec<&String> = rooms.keys().collect();
    while !open.is_empty() {
        let free = |room: &&String| {
            let within = |used: &String| open.iter().any(|other| leads_into(other, used));
            !rooms[*room].iter().any(within)
        };
        let (ready, rest): (Vec<_>, Vec<_>) = open.iter().copied().partition(|room| free(room));
        assert!(
            !ready.is_empty(),
            "these use each other in a circle: {rest:?}"
        );
        open = rest;
    }
}

#[test]
fn every_room_stands_in_the_table() {
    let rooms = arrows();
    let inner = fs::read_dir(source().join(MECHANICS)).unwrap();
    for entry in fs::read_dir(source()).unwrap().chain(inner) {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        // The program uses them all.
        if path.is_dir() && !["cli", MECHANICS, EVERYWHERE].contains(&name.as_str()) {
            assert!(
                rooms.keys().any(|room| leads_into(room, &name)),
                "{name} is not in the table"
            );
        }
    }
}

/// Keys of works that comments name, as `[KEY]`, `\[KEY\]` or `[KEY, eq. 12]`: two capitals or more.
fn cited(text: &str) -> impl Iterator<Item = &str> {
    let comments = text.lines().filter_map(|line| line.split_once("//"));
    let opened = comments.flat_map(|(_, comment)| comment.split('[').skip(1));
    opened.filter_map(|part| {
        let key = part.split(|c: char| !c.is_ascii_uppercase()).next()?;
        let ends = ["]", "\\]", ", eq", ", §", ", Def", ", Fig", ", Table"];
        let rest = &part[key.len()..];
        (key.len() > 1 && ends.iter().any(|end| rest.starts_with(end))).then_some(key)
    })
}

#[test]
fn every_work_that_is_cited_stands_in_the_bibliography() {
    let works = fs::read_to_string(source().join(MECHANICS).join("bibliography.rs")).unwrap();
    let mut open = vec![source()];
    let mut checked = 0;
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let text = fs::read_to_string(&path).unwrap();
            for key in cited(&text) {
                checked += 1;
                assert!(
                    works.contains(&format!("**\\[{key}\\]**")),
                    "{} cites [{key}], which src/mechanics/bibliography.rs does not know",
                    path.display()
                );
            }
        }
    }
    assert!(checked > 100, "only {checked} were found");
}
