//! The predefined operations on the predefined datatypes: one loop each.

use std::ffi::{c_int, c_long, c_short, c_void};

use half::f16;

use crate::abi::*;
use crate::datatype::{Datatype, Element, Pair};

/// Combines `count` contiguous elements: `inout[i] = input[i] op inout[i]`.
pub(super) type Kernel = unsafe extern "C" fn(count: usize, input: *const u8, inout: *mut u8);

/// How elements of a datatype are combined.
#[derive(Clone, Copy)]
pub(crate) struct Run {
    kernel: Kernel,
}

/// How an operation combines elements of a datatype. None if it is not defined for them: the
/// predefined operations are for predefined datatypes alone (MPI 5.0, section 6.9.2).
pub(super) fn find(op: MPI_Op, datatype: &Datatype) -> Option<Run> {
    let (element, _) = datatype.reducible().filter(|_| datatype.is_predefined())?;
    let kernel = kernel(op, element)?;
    // Pairs have gaps, so the elements must have the layout of the C structures.
    let alike = datatype.is_dense() || datatype.extent() == structure(element)?;
    alike.then_some(Run { kernel })
}

impl Run {
    /// Combines `count` elements of the datatype.
    ///
    /// # Safety
    /// Both buffers hold as many.
    #[inline]
    pub(super) unsafe fn run(self, input: *const c_void, inout: *mut c_void, count: MPI_Count) {
        // SAFETY: an element of the datatype is one of the kernel's.
        unsafe {
            (self.kernel)(count as usize, input.cast(), inout.cast());
        }
    }
}

/// The extent of the structure that a pair is.
fn structure(element: Element) -> Option<MPI_Count> {
    let Element::Pair(pair) = element else { return None };
    Some(match pair {
        Pair::FloatInt | Pair::TwoInt | Pair::ShortInt | Pair::TwoReal => 8,
        Pair::DoubleInt | Pair::LongInt | Pair::TwoDouble => 16,
        Pair::LongDoubleInt => 32,
    })
}

/// The kernel for an element, if the operation is defined for it.
pub(super) fn kernel(op: MPI_Op, element: Element) -> Option<Kernel> {
    match element {
        Element::Signed(1) => integer::<i8>(op),
        Element::Signed(2) => integer::<i16>(op),
        Element::Signed(4) => integer::<i32>(op),
        Element::Signed(8) => integer::<i64>(op),
        Element::Signed(16) => integer::<i128>(op),
        Element::Unsigned(1) => integer::<u8>(op),
        Element::Unsigned(2) => integer::<u16>(op),
        Element::Unsigned(4) => integer::<u32>(op),
        Element::Unsigned(8) => integer::<u64>(op),
        Element::Float(2) => float::<f16>(op),
        Element::Float(4) => float::<f32>(op),
        Element::Float(8) => float::<f64>(op),
        Element::Float(16) => quad(op),
        Element::LongDouble => long_double(op),
        Element::Complex(2) => complex::<f16>(op),
        Element::Complex(4) => complex::<f32>(op),
        Element::Complex(8) => complex::<f64>(op),
        Element::Complex(16) => quad_complex(op),
        Element::LongComplex => long_complex(op),
        Element::Logical(1) => logical::<u8>(op),
        Element::Logical(2) => logical::<u16>(op),
        Element::Logical(4) => logical::<u32>(op),
        Element::Logical(8) => logical::<u64>(op),
        Element::Logical(16) => logical::<u128>(op),
        Element::Byte => bits::<u8>(op),
        Element::Pair(pair) => located(op, pair),
        _ => None,
    }
}

/// What the arithmetic operations need from a number.
trait Number: Copy + PartialOrd {
    fn plus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
}

/// What the product of complex numbers needs in addition.
trait Float: Number {
    fn minus(self, other: Self) -> Self;
}

/// What the logical and bitwise operations need from an integer.
trait Integer: Number {
    fn truth(value: bool) -> Self;
    fn is_true(self) -> bool;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
}

macro_rules! integers {
    ($($t:ty)*) => {$(
        impl Number for $t {
            fn plus(self, other: Self) -> Self { self.wrapping_add(other) }
            fn times(self, other: Self) -> Self { self.wrapping_mul(other) }
        }
        impl Integer for $t {
            fn truth(value: bool) -> Self { value as $t }
            fn is_true(self) -> bool { self != 0 }
            fn and(self, other: Self) -> Self { self & other }
            fn or(self, other: Self) -> Self { self | other }
            fn xor(self, other: Self) -> Self { self ^ other }
        }
    )*};
}

macro_rules! floats {
    ($($t:ty)*) => {$(
        impl Number for $t {
            fn plus(self, other: Self) -> Self { self + other }
            fn times(self, other: Self) -> Self { self * other }
        }
        impl Float for $t {
            fn minus(self, other: Self) -> Self { self - other }
        }
    )*};
}

integers!(i8 i16 i32 i64 i128 u8 u16 u32 u64 u128);
floats!(f16 f32 f64);

/// A function of two elements.
trait Combine<T> {
    fn combine(a: T, b: T) -> T;
}

/// Combines elements with the widest registers that the processor has.
///
/// # Safety
/// Both pointers are those of `count` elements.
unsafe extern "C" fn each<T: Copy, O: Combine<T>>(count: usize, input: *const u8, inout: *mut u8) {
    /// Fewer elements fit few registers.
    #[cfg(target_arch = "x86_64")]
    const MANY: usize = 64;
    #[cfg(target_arch = "x86_64")]
    if count >= MANY {
        if is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vl") {
            // SAFETY: the caller's contract; the processor has these instructions.
            return unsafe { each_widest::<T, O>(count, input, inout) };
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the caller's contract; the processor has these instructions.
            return unsafe { each_wide::<T, O>(count, input, inout) };
        }
    }
    // SAFETY: the caller's contract.
    unsafe { each_of::<T, O>(count, input, inout) }
}

/// The loop, compiled for registers of 32 bytes. The results are the same.
///
/// # Safety
/// Both pointers are those of `count` elements. The processor has AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn each_wide<T: Copy, O: Combine<T>>(count: usize, input: *const u8, inout: *mut u8) {
    // SAFETY: the caller's contract.
    unsafe { each_of::<T, O>(count, input, inout) }
}

/// The same for registers of 64 bytes.
///
/// # Safety
/// Both pointers are those of `count` elements. The processor has these parts of AVX-512.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512bw,avx512vl")]
unsafe fn each_widest<T: Copy, O: Combine<T>>(count: usize, input: *const u8, inout: *mut u8) {
    // SAFETY: the caller's contract.
    unsafe { each_of::<T, O>(count, input, inout) }
}

/// The loop. Buffers of C programs are not always aligned.
///
/// # Safety
/// Both pointers are those of `count` elements.
#[inline(always)]
unsafe fn each_of<T: Copy, O: Combine<T>>(count: usize, input: *const u8, inout: *mut u8) {
    let (input, inout) = (input.cast::<T>(), inout.cast::<T>());
    for i in 0..count {
        // SAFETY: within the elements that the caller has.
        unsafe {
            let (a, b) = (input.add(i).read_unaligned(), inout.add(i).read_unaligned());
            inout.add(i).write_unaligned(O::combine(a, b));
        }
    }
}

macro_rules! operations {
    ($($name:ident<$t:ident: $bound:path>($a:ident, $b:ident) $result:expr;)*) => {$(
        struct $name;
        impl<$t: $bound> Combine<$t> for $name {
            #[inline(always)]
            fn combine($a: $t, $b: $t) -> $t { $result }
        }
    )*};
}

operations! {
    Sum<T: Number>(a, b) a.plus(b);
    Prod<T: Number>(a, b) a.times(b);
    Min<T: Number>(a, b) if a < b { a } else { b };
    Max<T: Number>(a, b) if a > b { a } else { b };
    And<T: Integer>(a, b) a.and(b);
    Or<T: Integer>(a, b) a.or(b);
    Xor<T: Integer>(a, b) a.xor(b);
    LogicalAnd<T: Integer>(a, b) T::truth(a.is_true() && b.is_true());
    LogicalOr<T: Integer>(a, b) T::truth(a.is_true() || b.is_true());
    LogicalXor<T: Integer>(a, b) T::truth(a.is_true() != b.is_true());
}

fn integer<T: Integer>(op: MPI_Op) -> Option<Kernel> {
    float::<T>(op).or_else(|| logical::<T>(op)).or_else(|| bits::<T>(op))
}

fn float<T: Number>(op: MPI_Op) -> Option<Kernel> {
    Some(match op {
        MPI_SUM => each::<T, Sum>,
        MPI_PROD => each::<T, Prod>,
        MPI_MIN => each::<T, Min>,
        MPI_MAX => each::<T, Max>,
        _ => return None,
    })
}

fn logical<T: Integer>(op: MPI_Op) -> Option<Kernel> {
    Some(match op {
        MPI_LAND => each::<T, LogicalAnd>,
        MPI_LOR => each::<T, LogicalOr>,
        MPI_LXOR => each::<T, LogicalXor>,
        _ => return None,
    })
}

fn bits<T: Integer>(op: MPI_Op) -> Option<Kernel> {
    Some(match op {
        MPI_BAND => each::<T, And>,
        MPI_BOR => each::<T, Or>,
        MPI_BXOR => each::<T, Xor>,
        _ => return None,
    })
}

struct ComplexSum;
struct ComplexProd;

impl<T: Float> Combine<[T; 2]> for ComplexSum {
    fn combine(a: [T; 2], b: [T; 2]) -> [T; 2] {
        [a[0].plus(b[0]), a[1].plus(b[1])]
    }
}

impl<T: Float> Combine<[T; 2]> for ComplexProd {
    fn combine(a: [T; 2], b: [T; 2]) -> [T; 2] {
        [a[0].times(b[0]).minus(a[1].times(b[1])), a[0].times(b[1]).plus(a[1].times(b[0]))]
    }
}

fn complex<T: Float>(op: MPI_Op) -> Option<Kernel> {
    Some(match op {
        MPI_SUM => each::<[T; 2], ComplexSum>,
        MPI_PROD => each::<[T; 2], ComplexProd>,
        _ => return None,
    })
}

/// A value and where it was found, as C lays it out.
#[repr(C)]
#[derive(Clone, Copy)]
struct Located<V, I> {
    value: V,
    index: I,
}

struct MinLoc;
struct MaxLoc;

impl<V: Number, I: Number> Combine<Located<V, I>> for MinLoc {
    fn combine(a: Located<V, I>, b: Located<V, I>) -> Located<V, I> {
        match a.value.partial_cmp(&b.value) {
            Some(std::cmp::Ordering::Equal) => {
                Located { value: a.value, index: Min::combine(a.index, b.index) }
            }
            Some(std::cmp::Ordering::Less) => a,
            _ => b,
        }
    }
}

impl<V: Number, I: Number> Combine<Located<V, I>> for MaxLoc {
    fn combine(a: Located<V, I>, b: Located<V, I>) -> Located<V, I> {
        match a.value.partial_cmp(&b.value) {
            Some(std::cmp::Ordering::Equal) => {
                Located { value: a.value, index: Min::combine(a.index, b.index) }
            }
            Some(std::cmp::Ordering::Greater) => a,
            _ => b,
        }
    }
}

fn located(op: MPI_Op, pair: Pair) -> Option<Kernel> {
    fn kernel<V: Number, I: Number>(op: MPI_Op) -> Option<Kernel> {
        Some(match op {
            MPI_MINLOC => each::<Located<V, I>, MinLoc>,
            MPI_MAXLOC => each::<Located<V, I>, MaxLoc>,
            _ => return None,
        })
    }
    match pair {
        Pair::FloatInt => kernel::<f32, c_int>(op),
        Pair::DoubleInt => kernel::<f64, c_int>(op),
        Pair::LongInt => kernel::<c_long, c_int>(op),
        Pair::TwoInt => kernel::<c_int, c_int>(op),
        Pair::ShortInt => kernel::<c_short, c_int>(op),
        Pair::TwoReal => kernel::<f32, f32>(op),
        Pair::TwoDouble => kernel::<f64, f64>(op),
        Pair::LongDoubleInt => match op {
            MPI_MINLOC => Some(mqdrt_long_double_minloc),
            MPI_MAXLOC => Some(mqdrt_long_double_maxloc),
            _ => None,
        },
    }
}

// These formats exist in C only: long_double.c.
unsafe extern "C" {
    fn mqdrt_long_double_sum(count: usize, input: *const u8, inout: *mut u8);
    fn mqdrt_long_double_prod(count: usize, input: *const u8, inout: *mut u8);
    fn mqdrt_long_double_min(count: usize, input: *const u8, inout: *mut u8);
    fn mqdrt_long_double_max(count: usize, input: *const u8, inout: *mut u8);
    fn mqdrt_long_double_minloc(count: usize, input: *const u8, inout: *mut u8);
    fn mqdrt_long_double_maxloc(count: usize, input: *const u8, inout: *mut u8);
    fn mqdrt_long_complex_sum(count: usize, input: *const u8, inout: *mut u8);
    fn mqdrt_long_complex_prod(count: usize, input: *const u8, inout: *mut u8);
    fn mqdrt_quad_sum(count: usize, input: *const u8, inout: *mut u8);
    fn mqdrt_quad_prod(count: usize, input: *const u8, inout: *mut u8);
    fn mqdrt_quad_min(count: usize, input: *const u8, inout: *mut u8);
    fn mqdrt_quad_max(count: usize, input: *const u8, inout: *mut u8);
    fn mqdrt_quad_complex_sum(count: usize, input: *const u8, inout: *mut u8);
    fn mqdrt_quad_complex_prod(count: usize, input: *const u8, inout: *mut u8);
}

fn long_double(op: MPI_Op) -> Option<Kernel> {
    Some(match op {
        MPI_SUM => mqdrt_long_double_sum,
        MPI_PROD => mqdrt_long_double_prod,
        MPI_MIN => mqdrt_long_double_min,
        MPI_MAX => mqdrt_long_double_max,
        _ => return None,
    })
}

fn long_complex(op: MPI_Op) -> Option<Kernel> {
    Some(match op {
        MPI_SUM => mqdrt_long_complex_sum,
        MPI_PROD => mqdrt_long_complex_prod,
        _ => return None,
    })
}

fn quad(op: MPI_Op) -> Option<Kernel> {
    Some(match op {
        MPI_SUM => mqdrt_quad_sum,
        MPI_PROD => mqdrt_quad_prod,
        MPI_MIN => mqdrt_quad_min,
        MPI_MAX => mqdrt_quad_max,
        _ => return None,
    })
}

fn quad_complex(op: MPI_Op) -> Option<Kernel> {
    Some(match op {
        MPI_SUM => mqdrt_quad_complex_sum,
        MPI_PROD => mqdrt_quad_complex_prod,
        _ => return None,
    })
}
