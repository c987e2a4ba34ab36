//! Every published number that is recomputed.

use carom::reproduce::{ITEMS, PublishedNumber, reproduce};

#[test]
fn every_item_has_numbers_and_all_agree_and_could_have_come_out_otherwise() {
    let (numbers, curves) = reproduce(None);
    for (item, _) in ITEMS {
        let mut own = numbers.iter().filter(|n| n.item == *item);
        assert!(own.any(|n| n.verdict() == "ok"), "{item} has no numbers");
    }
    for n in &numbers {
        assert!(n.agrees(), "{n:?}");
    }
    let mut series = curves.iter().flat_map(|c| &c.series);
    assert!(series.all(|(_, points)| points.len() > 2));
    // Every number that is `ok` is off when ours is moved by a little more than twice its tolerance, which is less than a
    // tenth of the number, or of 1 where that is 0.
    let found: Vec<&PublishedNumber> = numbers.iter().filter(|n| n.verdict() == "ok").collect();
    assert!(found.len() > 50);
    for n in found {
        let wanted = n.corrected.or(n.printed).unwrap();
        let scale = if wanted == 0.0 { 1.0 } else { wanted.abs() };
        assert!(n.tolerance < 0.1 * scale, "{n:?}");
        let mut moved = n.clone();
        moved.ours += 2.1 * n.tolerance + 1e-9 * scale;
        assert_eq!(moved.verdict(), "OFF", "{n:?}");
    }
}
