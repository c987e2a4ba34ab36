//! Elimination and solutions along limbs of the usual lengths, and of a floating base, in loops of lengths known when
//! compiled: these are so short that counting takes longer than computing.
//!
//! A limb of C coordinates on D of a floating base has C rows of D + C entries, the base's first; what stands right of the
//! diagonal means nothing. Functions tell whether they know the length.

use super::branch_rows::BASE;
use crate::spatial::Scalar;

/// A function of a limb on a floating base, for 1 to 7 coordinates; `$otherwise` for others.
macro_rules! on_base {
    ($count:expr, $function:ident::<$($generic:tt),*>($($argument:expr),*), $otherwise:expr) => {
        match $count {
            1 => $function::<$($generic,)* BASE, 1>($($argument),*),
            2 => $function::<$($generic,)* BASE, 2>($($argument),*),
            3 => $function::<$($generic,)* BASE, 3>($($argument),*),
            4 => $function::<$($generic,)* BASE, 4>($($argument),*),
            5 => $function::<$($generic,)* BASE, 5>($($argument),*),
            6 => $function::<$($generic,)* BASE, 6>($($argument),*),
            7 => $function::<$($generic,)* BASE, 7>($($argument),*),
            _ => $otherwise,
        }
    };
}

/// Eliminates BASE coordinates that nothing carries; `pivot` makes 1/D of the diagonal entry of a coordinate, zero for a
/// lock.
pub(super) fn eliminate<T: Scalar, E>(
    rows: &mut [T],
    pivot: impl FnMut(usize, T) -> Result<T, E>,
) -> Result<(), E> {
    let mut nothing = [T::zero(); BASE * BASE];
    eliminate_limb::<T, E, 0, BASE>(rows, &mut nothing, pivot).map(|_| ())
}

/// Eliminates a limb on a floating base, whose own rows are `square`.
pub(super) fn eliminate_on_base<T: Scalar, E>(
    rows: &mut [T],
    count: usize,
    square: &mut [T; BASE * BASE],
    pivot: impl FnMut(usize, T) -> Result<T, E>,
) -> Result<bool, E> {
    on_base!(
        count,
        eliminate_limb::<T, E>(rows, square, pivot),
        Ok(false)
    )
}

/// x ← U⁻¹ x of a floating base by itself.
pub(super) fn up<T: Scalar>(rows: &[T], inverse: &[T], own: &mut [T]) -> bool {
    match own.len() {
        BASE => limb_up::<T, 0, BASE>(rows, inverse, own, &mut [T::zero(); BASE]),
        _ => false,
    }
}

/// x ← U⁻ᵀ D⁻¹ x of a floating base by itself; `met` is what is there before D⁻¹.
pub(super) fn down<T: Scalar>(rows: &[T], inverse: &[T], own: &mut [T], met: &mut [T]) -> bool {
    match own.len() {
        BASE => limb_down::<T, 0, BASE>(rows, inverse, &[T::zero(); BASE], own, met),
        _ => false,
    }
}

/// x ← U⁻¹ x of a limb on a floating base.
pub(super) fn up_to_base<T: Scalar>(
    rows: &[T],
    inverse: &[T],
    own: &mut [T],
    base: &mut [T; BASE],
) -> bool {
    on_base!(own.len(), limb_up::<T>(rows, inverse, own, base), false)
}

/// x ← U⁻ᵀ D⁻¹ x of a limb on a floating base; `met` is what is there before D⁻¹.
pub(super) fn down_from_base<T: Scalar>(
    rows: &[T],
    inverse: &[T],
    base: &[T; BASE],
    own: &mut [T],
    met: &mut [T],
) -> bool {
    on_base!(
        own.len(),
        limb_down::<T>(rows, inverse, base, own, met),
        false
    )
}

/// Y = D^(−1/2) U⁻¹ X of the first coordinates of a limb, X those of the base and then these, of R columns; what the base
/// keeps is not scaled yet. `stride` is the length of the limb's rows.
pub(super) fn half_to_base<T: Scalar, const R: usize>(
    rows: &[T],
    stride: usize,
    [inverse, root]: [&[T]; 2],
    x: &mut [[T; R]],
) -> bool {
    on_base!(
        x.len() - BASE,
        limb_half::<T, R>(rows, stride, [inverse, root], x),
        false
    )
}

/// The same of a floating base by itself.
pub(super) fn half<T: Scalar, const R: usize>(
    rows: &[T],
    scales: [&[T]; 2],
    x: &mut [[T; R]],
) -> bool {
    limb_half::<T, R, 0, BASE>(rows, BASE, scales, x)
}

/// Takes u uᵀ/d from a lower triangle in a square, row after row.
#[inline(always)]
pub(super) fn subtract_square<T: Scalar>(u: &[T; BASE], inverse: T, square: &mut [T; BASE * BASE]) {
    for p in 0..BASE {
        let factor = u[p] * inverse;
        for q in 0..=p {
            square[p * BASE + q] -= u[q] * factor;
        }
    }
}

#[inline(always)]
fn eliminate_limb<T: Scalar, E, const D: usize, const C: usize>(
    rows: &mut [T],
    square: &mut [T; BASE * BASE],
    mut pivot: impl FnMut(usize, T) -> Result<T, E>,
) -> Result<bool, E> {
    let rows = &mut rows[..C * (D + C)];
    for i in (0..C).rev() {
        let (above, own) = rows.split_at_mut(i * (D + C));
        let inverse = pivot(i, own[D + i])?;
        if inverse == T::zero() {
            continue;
        }
        for j in 0..i {
            let other = &mut above[j * (D + C)..(j + 1) * (D + C)];
            let factor = own[D + j] * inverse;
            for k in 0..=D + j {
                other[k] -= own[k] * factor;
            }
        }
        if D == BASE
            && let Some(u) = own.first_chunk()
        {
            subtract_square(u, inverse, square);
        }
    }
    Ok(true)
}

#[inline(always)]
fn limb_half<T: Scalar, const R: usize, const D: usize, const C: usize>(
    rows: &[T],
    stride: usize,
    [inverse, root]: [&[T]; 2],
    x: &mut [[T; R]],
) -> bool {
    let Some((base, own)) = x.split_at_mut_checked(D) else {
        return false;
    };
    let (Some(base), Some(own)) = (base.first_chunk_mut::<D>(), own.first_chunk_mut::<C>()) else {
        return false;
    };
    let (Some(inverse), Some(root)) = (inverse.first_chunk::<C>(), root.first_chunk::<C>()) else {
        return false;
    };
    for i in (0..C).rev() {
        let row = &rows[i * stride..i * stride + D + C];
        let scaled = own[i].map(|x| x * inverse[i]);
        for j in 0..i {
            take(&mut own[j], row[D + j], &scaled);
        }
        for k in 0..D {
            take(&mut base[k], row[k], &scaled);
        }
        own[i] = own[i].map(|x| x * root[i]);
    }
    true
}

/// x ← x − f u of R numbers.
#[inline(always)]
pub(super) fn take<T: Scalar, const R: usize>(x: &mut [T; R], u: T, f: &[T; R]) {
    for (x, f) in x.iter_mut().zip(f) {
        *x -= u * *f;
    }
}

#[inline(always)]
fn limb_up<T: Scalar, const D: usize, const C: usize>(
    rows: &[T],
    inverse: &[T],
    own: &mut [T],
    base: &mut [T; BASE],
) -> bool {
    let rows = &rows[..C * (D + C)];
    let (Some(inverse), Some(own)) = (inverse.first_chunk::<C>(), own.first_chunk_mut::<C>())
    else {
        return false;
    };
    let mut passed = *base;
    for i in (0..C).rev() {
        let row = &rows[i * (D + C)..(i + 1) * (D + C)];
        let factor = own[i] * inverse[i];
        for j in 0..i {
            own[j] -= row[D + j] * factor;
        }
        for k in 0..D {
            passed[k] -= row[k] * factor;
        }
    }
    *base = passed;
    true
}

#[inline(always)]
fn limb_down<T: Scalar, const D: usize, const C: usize>(
    rows: &[T],
    inverse: &[T],
    base: &[T; BASE],
    own: &mut [T],
    met: &mut [T],
) -> bool {
    let rows = &rows[..C * (D + C)];
    let (Some(inverse), Some(own), Some(met)) = (
        inverse.first_chunk::<C>(),
        own.first_chunk_mut::<C>(),
        met.first_chunk_mut::<C>(),
    ) else {
        return false;
    };
    for i in 0..C {
        let row = &rows[i * (D + C)..(i + 1) * (D + C)];
        // Two sums, of which neither waits for the other.
        let (mut sum, mut odd) = (own[i], T::zero());
        for k in 0..D / 2 {
            sum -= row[2 * k] * base[2 * k];
            odd += row[2 * k + 1] * base[2 * k + 1];
        }
        for j in 0..i {
            sum -= row[D + j] * own[j];
        }
        sum -= odd;
        met[i] = sum;
        own[i] = sum * inverse[i];
    }
    true
}
