//! Joints by name, by pattern (`*` for any letters, `?` for one) and by default, and which of several holds.

use std::fmt::Display;

/// What an entry says which joints it is for; a later variant is more specific than an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reach {
    /// All joints.
    Default,
    /// Those that a pattern with so many letters beside its wildcards fits.
    Pattern(usize),
    /// The joint of this name.
    Name,
}

impl Reach {
    /// How an entry under this text reaches a joint, if it does.
    pub(crate) fn of(text: &str, joint: &str) -> Option<Self> {
        if text == joint {
            return Some(Self::Name);
        }
        (is_pattern(text) && fits(text, joint)).then(|| Self::Pattern(letters(text)))
    }
}

/// An entry that holds for a joint.
pub(crate) struct Layer<'a, E> {
    /// How messages call it.
    pub(crate) written: String,
    /// How specific it is.
    pub(crate) reach: Reach,
    /// What it says.
    pub(crate) entry: &'a E,
}

/// The value of one key for a joint: that of the most specific entry that states it.
///
/// # Errors
/// Two entries are equally specific and state different values.
pub(crate) fn most_specific<E, T: PartialEq + Clone>(
    joint: &str,
    key: &str,
    layers: &[Layer<'_, E>],
    value: impl Fn(&E) -> Option<&T>,
) -> Result<Option<T>, String> {
    let stated = layers
        .iter()
        .filter_map(|layer| Some((layer, value(layer.entry)?)));
    let stated: Vec<_> = stated.collect();
    let Some(most) = stated.iter().map(|(layer, _)| layer.reach).max() else {
        return Ok(None);
    };
    let mut highest = stated.iter().filter(|(layer, _)| layer.reach == most);
    let Some((first, chosen)) = highest.next() else {
        return Ok(None);
    };
    match highest.find(|(_, other)| other != chosen) {
        None => Ok(Some((*chosen).clone())),
        Some((second, _)) => Err(format!(
            "joint \"{joint}\": {} and {} are equally specific and give it another {key} each; name the joint \
             itself, or write one pattern with more letters",
            first.written, second.written
        )),
    }
}

/// Whether a text has wildcards.
pub(crate) fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?'])
}

/// Letters beside the wildcards.
fn letters(pattern: &str) -> usize {
    pattern.chars().filter(|c| !matches!(c, '*' | '?')).count()
}

/// Whether a whole name fits a pattern.
pub(crate) fn fits(pattern: &str, name: &str) -> bool {
    distance(pattern, name) == 0
}

/// Letters to change, insert or delete in a name until the pattern fits it.
fn distance(pattern: &str, name: &str) -> usize {
    let name: Vec<char> = name.chars().collect();
    // Of the pattern so far to every beginning of the name.
    let mut row: Vec<usize> = (0..=name.len()).collect();
    for wanted in pattern.chars() {
        let mut diagonal = row[0];
        row[0] += usize::from(wanted != '*');
        for (j, letter) in name.iter().enumerate() {
            let above = row[j + 1];
            row[j + 1] = if wanted == '*' {
                above.min(row[j])
            } else {
                let differs = usize::from(wanted != '?' && wanted != *letter);
                (diagonal + differs).min(above + 1).min(row[j] + 1)
            };
            diagonal = above;
        }
    }
    row[name.len()]
}

/// Why a pattern that fits no joint is refused: with the nearest names, and all that there are where they are few.
pub(crate) fn no_joint(pattern: &str, joints: &[impl AsRef<str>]) -> String {
    let allowed = (letters(pattern) / 3).max(1);
    let names = || joints.iter().map(AsRef::as_ref);
    let least = names().map(|name| distance(pattern, name)).min();
    let near: Vec<&str> = match least.filter(|least| *least <= allowed) {
        Some(least) => {
            let nearest = names().filter(|name| distance(pattern, name) == least);
            nearest.take(3).collect()
        }
        None => Vec::new(),
    };
    let near = match near.as_slice() {
        [] => String::new(),
        near => format!(" (the nearest: {})", list(near)),
    };
    let known = match joints.len() {
        0 => "the robot has no joints".to_string(),
        1..=12 => format!("the joints are {}", list(&names().collect::<Vec<_>>())),
        count => format!("the robot has {count} joints"),
    };
    format!("pattern \"{pattern}\" fits no joint{near}; {known}")
}

fn list(names: &[impl Display]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    quoted.join(", ")
}

/// Names of joints with the patterns among them replaced by the joints that they fit and that no other name or
/// earlier pattern of the list already gives, in the order of the robot.
///
/// # Errors
/// A pattern that fits no joint.
pub(crate) fn spelled_names(
    written: &[String],
    joints: &[impl AsRef<str>],
) -> Result<Vec<String>, String> {
    let mut names: Vec<String> = Vec::with_capacity(written.len());
    for text in written {
        let itself = joints.iter().any(|joint| joint.as_ref() == text);
        if itself || !is_pattern(text) {
            names.push(text.clone());
            continue;
        }
        let fitting = joints.iter().map(AsRef::as_ref);
        let fitting: Vec<&str> = fitting.filter(|joint| fits(text, joint)).collect();
        if fitting.is_empty() {
            return Err(no_joint(text, joints));
        }
        for joint in fitting {
            let given = |list: &[String]| list.iter().any(|name| name == joint);
            if !given(&names) && !given(written) {
                names.push(joint.to_string());
            }
        }
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_fits_whole_names() {
        for (pattern, name) in [
            ("*", ""),
            ("*_knee", "left_knee"),
            ("*_knee", "_knee"),
            ("l?ft_*", "left_knee"),
            ("**k*e*", "left_knee"),
            ("joint?", "joint7"),
            ("a*a*a", "aaa"),
        ] {
            assert!(fits(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [
            ("*_knee", "left_knee_2"),
            ("joint?", "joint"),
            ("joint?", "joint12"),
            ("a*a*a", "aa"),
            ("Left*", "left_knee"),
            ("", "a"),
        ] {
            assert!(!fits(pattern, name), "{pattern} {name}");
        }
    }

    #[test]
    fn the_more_specific_reaches_are_greater() {
        let [wide, long, short, name] = ["*", "*_knee", "*knee*", "left_knee"]
            .map(|text| Reach::of(text, "left_knee").unwrap());
        assert!(Reach::Default < wide && wide < short && short < long && long < name);
        assert_eq!(Reach::of("*_hip", "left_knee"), None);
        // A joint may be called like a pattern.
        assert_eq!(Reach::of("j*", "j*"), Some(Reach::Name));
    }

    #[test]
    fn a_pattern_that_fits_nothing_names_the_nearest() {
        let message = no_joint("*_kne", &["left_hip", "left_knee", "right_knee"]);
        assert!(
            message.contains("(the nearest: \"left_knee\", \"right_knee\")"),
            "{message}"
        );
        let message = no_joint("wheel*", &["left_hip"]);
        assert!(!message.contains("nearest"), "{message}");
    }

    #[test]
    fn names_stay_where_they_are_and_patterns_add_what_is_left() {
        let written = ["c".to_string(), "?".to_string()];
        let names = spelled_names(&written, &["a", "b", "c"]).unwrap();
        assert_eq!(names, ["c", "a", "b"]);
        let unknown = ["d".to_string()];
        assert_eq!(spelled_names(&unknown, &["a"]).unwrap(), ["d"]);
        assert!(spelled_names(&["x?".to_string()], &["a"]).is_err());
    }
}
