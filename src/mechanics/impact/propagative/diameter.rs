//! The largest distance of two among many points.

use nalgebra::DVector;

/// Passes from a point to the one farthest from it; each lengthens the best distance or is the last.
const PASSES: usize = 16;
/// Sums that run side by side, so that no addition waits for the one before it.
const LANES: usize = 8;

/// Largest distance of two points, 0 for fewer than two.
///
/// A long pair is found by walking to the farthest point again and again. Seen from its middle, two points at the
/// distances r and s are no farther apart than r + s, so that only points outside of the ball over the best pair can take
/// part in a longer one (after Malandain & Boissonnat, *Computing the diameter of a point set*, 2002). Of those most are
/// ruled out by a few coordinates.
pub(super) fn diameter(points: &[&DVector<f64>]) -> f64 {
    let rows = Rows::new(points);
    if rows.count < 2 {
        return 0.0;
    }
    let mut best = (0, 0, 0.0);
    let mut from = rows.farthest(&rows.mean()).0;
    for _ in 0..PASSES {
        let (to, square) = rows.farthest(rows.row(from));
        if square <= best.2 {
            break;
        }
        best = (from, to, square);
        from = to;
    }
    let ends = rows.row(best.0).iter().zip(rows.row(best.1));
    let middle: Vec<f64> = ends.map(|(a, b)| 0.5 * (a + b)).collect();
    let mut by_radius: Vec<(f64, usize)> = (0..rows.count)
        .map(|i| (square_of_distance(rows.row(i), &middle).sqrt(), i))
        .collect();
    by_radius.sort_by(|a, b| b.0.total_cmp(&a.0));
    let outlines = rows.outlines(&middle);
    let outlines: Vec<&Outline> = by_radius.iter().map(|&(_, i)| &outlines[i]).collect();
    let mut reach = best.2.sqrt();
    for (place, &(radius, a)) in by_radius.iter().enumerate() {
        if 2.0 * radius <= reach {
            break;
        }
        for (&(other, b), outline) in by_radius[place + 1..].iter().zip(&outlines[place + 1..]) {
            if radius + other <= reach {
                break;
            }
            if outlines[place].bound(outline) <= best.2 {
                continue;
            }
            let square = square_of_distance(rows.row(a), rows.row(b));
            if square > best.2 {
                best = (a, b, square);
                reach = square.sqrt();
            }
        }
    }
    best.2.sqrt()
}

/// A point by its coordinates along a few directions in which the points are far apart, and its distance from their
/// span.
#[derive(Clone)]
struct Outline {
    along: [f64; LANES],
    beside: f64,
}

impl Outline {
    /// What the square of the distance of two points is at most.
    fn bound(&self, other: &Self) -> f64 {
        let beside = self.beside + other.beside;
        square_of_distance(&self.along, &other.along) + beside * beside
    }
}

/// The points one after the other, filled up with zeros to whole lanes.
struct Rows {
    count: usize,
    width: usize,
    numbers: Vec<f64>,
}

impl Rows {
    fn new(points: &[&DVector<f64>]) -> Self {
        let size = points.first().map_or(0, |point| point.len());
        let width = size.next_multiple_of(LANES);
        let mut numbers = Vec::with_capacity(points.len() * width);
        for point in points {
            numbers.extend_from_slice(point.as_slice());
            numbers.resize(numbers.len() + width - size, 0.0);
        }
        Self {
            count: points.len(),
            width,
            numbers,
        }
    }

    fn row(&self, i: usize) -> &[f64] {
        &self.numbers[i * self.width..(i + 1) * self.width]
    }

    fn mean(&self) -> Vec<f64> {
        let mut mean = vec![0.0; self.width];
        for i in 0..self.count {
            for (sum, x) in mean.iter_mut().zip(self.row(i)) {
                *sum += x;
            }
        }
        mean.iter_mut().for_each(|x| *x /= self.count as f64);
        mean
    }

    /// The points seen from `origin`, along directions found by orthogonalisation with the longest remainder first.
    fn outlines(&self, origin: &[f64]) -> Vec<Outline> {
        let mut left = self.numbers.clone();
        for row in left.chunks_exact_mut(self.width) {
            row.iter_mut().zip(origin).for_each(|(x, o)| *x -= o);
        }
        let zero = vec![0.0; self.width];
        let mut outlines = vec![
            Outline {
                along: [0.0; LANES],
                beside: 0.0,
            };
            self.count
        ];
        for k in 0..LANES {
            let squares = left
                .chunks_exact(self.width)
                .map(|row| square_of_distance(row, &zero));
            let Some((longest, square)) = squares.enumerate().max_by(|a, b| a.1.total_cmp(&b.1))
            else {
                break;
            };
            if square == 0.0 {
                break;
            }
            let row = &left[longest * self.width..(longest + 1) * self.width];
            let direction: Vec<f64> = row.iter().map(|x| x / square.sqrt()).collect();
            for (row, outline) in left.chunks_exact_mut(self.width).zip(&mut outlines) {
                let along: f64 = row.iter().zip(&direction).map(|(x, d)| x * d).sum();
                row.iter_mut()
                    .zip(&direction)
                    .for_each(|(x, d)| *x -= along * d);
                outline.along[k] = along;
            }
        }
        for (row, outline) in left.chunks_exact(self.width).zip(&mut outlines) {
            outline.beside = square_of_distance(row, &zero).sqrt();
        }
        outlines
    }

    /// The first of the points farthest from `place`, and the square of how far that is.
    fn farthest(&self, place: &[f64]) -> (usize, f64) {
        let mut best = (0, 0.0);
        for i in 0..self.count {
            let square = square_of_distance(self.row(i), place);
            if square > best.1 {
                best = (i, square);
            }
        }
        best
    }
}

fn square_of_distance(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; LANES];
    for (a, b) in a
        .as_chunks::<LANES>()
        .0
        .iter()
        .zip(b.as_chunks::<LANES>().0)
    {
        for lane in 0..LANES {
            let difference = a[lane] - b[lane];
            sums[lane] += difference * difference;
        }
    }
    sums.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::impact::sample_random::{RandomWords, SampleRandom};

    /// Clouds, rings and copies of one point: what all pairs give, to rounding (19 squares are summed in another order,
    /// and a pair that is longer by the rounding of a bound may be passed over: below 20 ε).
    #[test]
    fn agrees_with_all_pairs() {
        for case in 0..200_usize {
            let mut random = SampleRandom::new(7, case as u64);
            let (count, size) = (1 + case % 40, 1 + case % 19);
            let points: Vec<DVector<f64>> = (0..count)
                .map(|_| {
                    let mut point = DVector::from_fn(size, |_, _| 2.0 * random.uniform() - 1.0);
                    if case % 3 == 0 && point.norm() > 0.0 {
                        point /= point.norm();
                    }
                    if case % 5 == 0 {
                        point = DVector::from_element(size, 0.1);
                    }
                    point
                })
                .collect();
            let points: Vec<&DVector<f64>> = points.iter().collect();
            let mut largest: f64 = 0.0;
            for a in &points {
                for b in &points {
                    largest = largest.max((*a - *b).norm());
                }
            }
            let found = diameter(&points);
            assert!(
                (found - largest).abs() <= 20.0 * f64::EPSILON * largest,
                "{case}: {found} {largest}"
            );
        }
    }
}
