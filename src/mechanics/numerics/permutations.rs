//! Orders of a few things.

/// Advances to the next permutation in lexicographic order; false after the last.
pub(crate) fn next_permutation(order: &mut [usize]) -> bool {
    let Some(i) = (1..order.len()).rev().find(|&i| order[i - 1] < order[i]) else {
        return false;
    };
    let pivot = order[i - 1];
    if let Some(j) = (i..order.len()).rev().find(|&j| order[j] > pivot) {
        order.swap(i - 1, j);
    }
    order[i..].reverse();
    true
}

/// Every order of `count` things, in lexicographic order.
pub fn permutations(count: usize) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..count).collect();
    let mut all = vec![order.clone()];
    while next_permutation(&mut order) {
        all.push(order.clone());
    }
    all
}

#[cfg(test)]
mod tests {
    use super::permutations;

    #[test]
    fn every_order_comes_once() {
        assert_eq!(permutations(0), [Vec::<usize>::new()]);
        assert_eq!(permutations(2), [[0, 1], [1, 0]]);
        let all = permutations(5);
        assert_eq!(all.len(), 120);
        assert!(all.windows(2).all(|pair| pair[0] < pair[1]));
    }
}
