//! What is said to the user about contacts that are not as a reader of the scenario would think.

use super::body_pairs::BodyPair;
use crate::contact::{CollisionKind, Contacts};
use crate::model::Model;
use crate::scenario::{ContactEntry, SelfContact};

/// All of it, of an entry that is resolved.
pub(in crate::scenario) fn contact_remarks(
    entry: &ContactEntry,
    model: &Model,
    pairs: &[BodyPair],
    contacts: &Contacts,
) -> Vec<String> {
    let mut remarks = listed_in_vain(entry, model, pairs);
    remarks.extend(shapes_without_contacts(pairs));
    remarks.extend(shapes_without_volume(entry, model));
    remarks.extend(without_columns(contacts));
    remarks
}

/// Pairs of `contact.self` that never touch, with the reason.
fn listed_in_vain(entry: &ContactEntry, model: &Model, pairs: &[BodyPair]) -> Vec<String> {
    let SelfContact::Pairs(listed) = &entry.between_links else {
        return Vec::new();
    };
    let body = |link: &String| {
        let body = model.link(link).ok()?.body;
        Some(body.map_or("world", |b| model.bodies()[b].name.as_str()))
    };
    let why = |names: &[String; 2]| {
        let [a, b] = [body(&names[0])?, body(&names[1])?];
        let same = |pair: &&BodyPair| {
            let [p, q] = [pair.bodies[0].as_str(), pair.bodies[1].as_str()];
            (p, q) == (a, b) || (p, q) == (b, a)
        };
        let excluded = pairs.iter().find(same)?.excluded?;
        let [a, b] = names;
        Some(format!(
            "contact.self names \"{a}\" and \"{b}\", which never touch: {}; remove the pair",
            excluded.reason()
        ))
    };
    listed.iter().filter_map(why).collect()
}

/// Pairs of bodies that may touch and have no shapes that do.
fn shapes_without_contacts(pairs: &[BodyPair]) -> Option<String> {
    named(pairs, |pair| pair.contacts == 0).map(|pairs| {
        format!(
            "{pairs} go through each other: no contact is known of their shapes; give one of them spheres, a capsule or boxes"
        )
    })
}

/// Links with collision shapes that nothing touches, where links touch anything.
fn shapes_without_volume(entry: &ContactEntry, model: &Model) -> Option<String> {
    let kinds = entry.surfaces.as_deref()?;
    let flat = model.shapes().iter().filter(|shape| {
        let kind = CollisionKind::of(&shape.geometry);
        shape.collision && kinds.contains(&kind) && !shape.geometry.has_volume()
    });
    let names: Vec<String> = flat
        .map(|shape| format!("\"{}\"", model.links()[shape.link].name))
        .collect();
    (!names.is_empty()).then(|| {
        format!(
            "collision shapes without volume, through which others pass, are on {}; give them a size",
            names.join(", ")
        )
    })
}

/// Contacts that have no columns because there are too many.
fn without_columns(contacts: &Contacts) -> Option<String> {
    let [listed, all] = contacts.listed_count();
    (listed < all).then(|| {
        format!(
            "{listed} of {all} contacts have columns in series.csv and events.csv; output.contacts = {all} gives them to all"
        )
    })
}

/// The pairs of bodies that may touch of which something is true: the first, and how many others.
fn named(pairs: &[BodyPair], holds: impl Fn(&BodyPair) -> bool) -> Option<String> {
    let such = |pair: &&BodyPair| pair.excluded.is_none() && holds(pair);
    let mut such = pairs.iter().filter(such).map(|pair| {
        let [a, b] = &pair.bodies;
        format!("\"{a}\" and \"{b}\"")
    });
    let first = such.next()?;
    let others = match such.count() {
        0 => String::new(),
        n => format!(" (and {n} more pairs)"),
    };
    Some(format!("{first}{others}"))
}
