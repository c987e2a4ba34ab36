//! "Did you mean": the known name nearest to a misspelt one.

/// ` (did you mean "x"?)` when a known name is near enough to what was written, else nothing.
pub fn did_you_mean<'a>(written: &str, known: impl Iterator<Item = &'a str>) -> String {
    nearest_name(written, known)
        .map_or(String::new(), |name| format!(" (did you mean \"{name}\"?)"))
}

/// The known name nearest to what was written: at most a third of its letters apart, and the first
/// of equally near ones.
fn nearest_name<'a>(written: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let written = written.to_lowercase();
    let mut best: Option<(usize, &str)> = None;
    for name in known {
        let distance = strsim::damerau_levenshtein(&written, &name.to_lowercase());
        let allowed = (name.chars().count().max(written.chars().count()) / 3).max(1);
        if distance <= allowed && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, name));
        }
    }
    best.map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_suggested_and_far_ones_are_not() {
        let known = || ["propagative", "plastic", "plus"].into_iter();
        assert_eq!(nearest_name("propogative", known()), Some("propagative"));
        assert_eq!(nearest_name("Plastik", known()), Some("plastic"));
        assert_eq!(nearest_name("puls", known()), Some("plus"));
        assert_eq!(nearest_name("elastodynamic", known()), None);
        assert_eq!(did_you_mean("xyz", known()), "");
    }
}
