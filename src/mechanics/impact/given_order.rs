//! Cyclic orders of contacts that a user gives by name or index.

use std::sync::Arc;

use super::ImpactError;

/// Overwrites `order` with the contacts (indices below `contacts`) that `words` name. Names that the
/// problem does not have are passed over where its names are known: of the contacts of a run not all
/// take part in every impact.
///
/// # Errors
/// A word that is neither a name nor an index, and a contact without its turn: the message names what
/// is missing, and the names that no contact has.
pub(super) fn read_order(
    law: &'static str,
    words: &[String],
    contacts: usize,
    names: Option<&[Arc<str>]>,
    order: &mut Vec<usize>,
) -> Result<(), ImpactError> {
    let refuse = |reason: String| ImpactError::Parameter {
        law,
        parameter: "sequence".to_string(),
        reason,
    };
    order.clear();
    let mut strange = Vec::new();
    for word in words {
        let named = names.and_then(|all| all.iter().position(|name| **name == **word));
        let number = word.parse::<usize>().ok();
        let by_index = || number.filter(|&i| i < contacts);
        if let Some(index) = named.or_else(by_index) {
            order.push(index);
        } else if names.is_some() && number.is_none() {
            strange.push(word.as_str());
        } else {
            return Err(refuse(format!(
                "\"{word}\" is neither the name of a contact nor an index below {contacts}"
            )));
        }
    }
    let Some(missing) = (0..contacts).find(|i| !order.contains(i)) else {
        return Ok(());
    };
    let Some(names) = names else {
        return Err(refuse(format!(
            "contact {missing} is not in it; every contact must have its turn"
        )));
    };
    let hint = if strange.is_empty() {
        String::new()
    } else {
        format!(
            " (none is called {}; they are {})",
            strange.join(", "),
            names.join(", ")
        )
    };
    Err(refuse(format!(
        "contact \"{}\" is not in it{hint}; every contact must have its turn",
        names[missing]
    )))
}
