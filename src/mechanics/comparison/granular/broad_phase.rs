//! Pairs of spheres that are close: a list of cubic cells, each as wide as the largest distance at which two
//! spheres can be of interest, so that only neighbouring cells need be searched.

use nalgebra::Vector3;

/// Cell list over a set of spheres. Keeps its memory between uses.
#[derive(Debug, Clone, Default)]
pub(crate) struct CellList {
    /// Start of each cell in `order`.
    starts: Vec<u32>,
    /// Spheres sorted by cell, ascending within a cell.
    order: Vec<u32>,
    cell_of: Vec<u32>,
    found: Vec<u32>,
}

/// More cells than this, the cells are made larger: particles far apart must not exhaust the memory.
const MOST_CELLS: f64 = 4e6;

impl CellList {
    /// Appends to `pairs` every pair (i, j), i < j, of spheres whose surfaces are at most `margin` (m) apart,
    /// in ascending order.
    pub fn close_pairs(
        &mut self,
        centers: &[Vector3<f64>],
        radii: &[f64],
        margin: f64,
        pairs: &mut Vec<(u32, u32)>,
    ) {
        let Some(first) = centers.first() else {
            return;
        };
        let (mut low, mut high) = (*first, *first);
        for c in centers {
            low = low.inf(c);
            high = high.sup(c);
        }
        let largest = radii.iter().copied().fold(0.0, f64::max);
        let extent = high - low;
        let mut width = (2.0 * largest + margin).max(f64::MIN_POSITIVE);
        let cells_at = |w: f64| {
            extent
                .iter()
                .map(|e| (e / w).floor() + 1.0)
                .product::<f64>()
        };
        while cells_at(width) > MOST_CELLS {
            width *= 2.0;
        }
        let count = extent.map(|e| (e / width).floor() as usize + 1);
        let cell = |c: &Vector3<f64>| -> [usize; 3] {
            std::array::from_fn(|i| (((c[i] - low[i]) / width) as usize).min(count[i] - 1))
        };
        let flat = |k: [usize; 3]| (k[2] * count[1] + k[1]) * count[0] + k[0];

        self.sort(
            centers.iter().map(|c| flat(cell(c)) as u32),
            count.product(),
        );

        for (i, c) in centers.iter().enumerate() {
            self.found.clear();
            let own = cell(c);
            let range =
                |axis: usize| own[axis].saturating_sub(1)..=(own[axis] + 1).min(count[axis] - 1);
            for z in range(2) {
                for y in range(1) {
                    for x in range(0) {
                        let k = flat([x, y, z]);
                        let members = self.starts[k] as usize..self.starts[k + 1] as usize;
                        for &j in &self.order[members] {
                            let reach = radii[i] + radii[j as usize] + margin;
                            if j as usize > i
                                && (centers[j as usize] - c).norm_squared() <= reach * reach
                            {
                                self.found.push(j);
                            }
                        }
                    }
                }
            }
            self.found.sort_unstable();
            pairs.extend(self.found.iter().map(|&j| (i as u32, j)));
        }
    }

    /// Counting sort of the spheres by cell.
    fn sort(&mut self, cells: impl Iterator<Item = u32>, count: usize) {
        self.cell_of.clear();
        self.cell_of.extend(cells);
        self.starts.clear();
        self.starts.resize(count + 1, 0);
        for &k in &self.cell_of {
            self.starts[k as usize + 1] += 1;
        }
        for k in 0..count {
            self.starts[k + 1] += self.starts[k];
        }
        self.order.resize(self.cell_of.len(), 0);
        // Filling from the back turns the ends of the cells into their starts.
        for (i, &k) in self.cell_of.iter().enumerate().rev() {
            let end = &mut self.starts[k as usize + 1];
            *end -= 1;
            self.order[*end as usize] = i as u32;
        }
        self.starts.rotate_left(1);
        self.starts[count] = self.cell_of.len() as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn finds_what_comparing_all_pairs_finds(
            spheres in prop::collection::vec((prop::array::uniform3(-1.0f64..1.0), 0.01f64..0.2), 0..120),
            margin in 0.0f64..0.1,
        ) {
            let centers: Vec<_> = spheres.iter().map(|(c, _)| Vector3::from(*c)).collect();
            let radii: Vec<_> = spheres.iter().map(|(_, r)| *r).collect();
            let mut pairs = vec![];
            // Used twice: nothing may be left over from the first use.
            CellList::default().close_pairs(&centers, &radii, margin, &mut pairs);
            let mut again = vec![];
            let mut list = CellList::default();
            list.close_pairs(&centers[..centers.len() / 2], &radii, 0.5, &mut vec![]);
            list.close_pairs(&centers, &radii, margin, &mut again);
            let mut all = vec![];
            for i in 0..centers.len() {
                for j in i + 1..centers.len() {
                    let reach = radii[i] + radii[j] + margin;
                    if (centers[j] - centers[i]).norm_squared() <= reach * reach {
                        all.push((i as u32, j as u32));
                    }
                }
            }
            prop_assert_eq!(&pairs, &all);
            prop_assert_eq!(&again, &all);
        }
    }
}
