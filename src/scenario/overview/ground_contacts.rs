//! How many contacts the collision shapes of a robot have with level ground.

use serde::Serialize;

use crate::contact::CollisionKind;
use crate::model::Model;
use crate::scenario::entries::{ContactEntry, TerrainEntry};

/// Contacts of the shapes of one kind of one link with level ground, in a run whose scenario declares no sites.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GroundContacts {
    /// Name of the link.
    pub link: String,
    /// What the shapes are.
    pub kind: CollisionKind,
    /// Number of contacts.
    pub contacts: usize,
}

/// Those of all links that move, by kind and link; and what could not be read.
pub(super) fn ground_contacts(model: &Model) -> (Vec<GroundContacts>, Vec<String>) {
    let ground = [TerrainEntry::level("ground")];
    let (mut found, mut unread) = (Vec::<GroundContacts>::new(), Vec::new());
    for kind in CollisionKind::ALL {
        let entry = ContactEntry {
            collisions: Some(vec![kind]),
            ..ContactEntry::default()
        };
        let resolved = entry.resolved("", model, false);
        // Shapes that are none have been refused with the robot.
        let Ok((contacts, remarks)) = resolved.and_then(|(entry, remarks)| {
            let built = entry.build("", &ground, model);
            built.map(|contacts| (contacts, remarks))
        }) else {
            continue;
        };
        unread.extend(remarks);
        for i in 0..contacts.len() {
            let sites = contacts.sites_of(i);
            let Some(site) = sites.first() else {
                continue;
            };
            let link = &contacts.sites()[*site].link;
            let same = |own: &&mut GroundContacts| own.kind == kind && own.link == *link;
            match found.iter_mut().find(same) {
                Some(own) => own.contacts += 1,
                None => found.push(GroundContacts {
                    link: link.clone(),
                    kind,
                    contacts: 1,
                }),
            }
        }
    }
    (found, unread)
}
