//! Memory before it is needed.

/// Makes room for `count` entries.
pub(crate) fn make_room<T>(entries: &mut Vec<T>, count: usize) {
    entries.reserve(count.saturating_sub(entries.len()));
}
