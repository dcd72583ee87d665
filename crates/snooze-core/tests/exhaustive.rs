//! Compares numbers with the standard library: all floats of 32 bits, a hundred million of 64,
//! every power of ten, all integers of eight digits.
//!
//! Separate because the full sets take minutes; `make test-long` runs them, and a sample of each
//! always runs. The oracles are `str::parse`, and the shortest digits of `{:e}` in the notation of
//! this library.

use std::fmt::{LowerExp, Write};
use std::ops::Range;
use std::thread;

use snooze_core::arch::{Dispatch, Task, Tier, Vector};
use snooze_core::error::ErrorKind;
use snooze_core::number::{Number, read};
use snooze_core::out::{FLOATS, Out, VecBuffer};

/// The size of a sample, smaller in unoptimised builds.
const SAMPLE: u64 = if cfg!(debug_assertions) { 200_000 } else { 4_000_000 };

/// The values written into one buffer.
const BATCH: u64 = 1024;

/// 7.038531e-26: the only float of 32 bits whose shortest decimal becomes another float when it is
/// rounded to 64 bits first and then to 32. Every correct reader rounds it so; the standard library
/// confirms it.
const ROUNDED_TWICE: u32 = 0x15ae_43fd;

/// Runs `check` on batches of `0..count`, on all processors in parallel.
fn in_batches(count: u64, check: impl Fn(Range<u64>) + Sync) {
    let workers = thread::available_parallelism().map_or(1, |workers| workers.get() as u64);
    thread::scope(|scope| {
        for worker in 0..workers {
            let check = &check;
            scope.spawn(move || {
                for batch in (worker..count.div_ceil(BATCH)).step_by(workers as usize) {
                    check(batch * BATCH..count.min((batch + 1) * BATCH));
                }
            });
        }
    });
}

/// Writes all `values`, then calls `check` with each value, the text and its offset; `check`
/// returns the end of the value.
fn each_written<T: Copy>(
    values: &[T],
    write: impl FnOnce(&mut Out<'_, VecBuffer>, &[T]),
    mut check: impl FnMut(T, &[u8], usize) -> usize,
) {
    let mut buffer = VecBuffer::new();
    let mut out = Out::new(&mut buffer).unwrap();
    write(&mut out, values);
    let len = out.len();
    let text = buffer.into_vec(len);
    let mut at = 0;
    for &value in values {
        let end = check(value, &text, at);
        assert_eq!(text[end], b',');
        at = end + 1;
    }
    assert_eq!(at, len);
}

/// The float at `at` and its end.
fn float_at(text: &[u8], at: usize) -> (f64, usize) {
    match read(text, at) {
        Ok((Number::Float(value), end)) => (value, end),
        other => panic!("{other:?} from {:?}", String::from_utf8_lossy(&text[at..])),
    }
}

/// The oracle for written floats. It reuses two strings, so that it does not allocate.
#[derive(Default)]
struct Oracle {
    shortest: String,
    expected: String,
}

impl Oracle {
    /// Checks that `text` is the shortest decimal that reads back as `value`, of several the
    /// nearest, and that it has no exponent if that would be in `fixed`.
    fn check(&mut self, value: impl LowerExp, text: &str, fixed: Range<i32>) {
        let Self { shortest, expected } = self;
        shortest.clear();
        write!(shortest, "{value:e}").unwrap();
        notation(shortest, fixed.clone(), expected);
        if text != expected {
            // Two decimals are equally near: `{:e}` takes the upper one; this library takes the
            // even one, and so does `{:e}` with a precision.
            let places = shortest.find('e').unwrap() - shortest.find('.').unwrap() - 1;
            notation(&format!("{value:.places$e}"), fixed, expected);
        }
        assert_eq!(text, expected);
    }
}

/// Converts the text of `{:e}` to this library's notation.
fn notation(source: &str, fixed: Range<i32>, text: &mut String) {
    let (mantissa, power) = source.split_once('e').unwrap();
    let (sign, digits) = mantissa.split_at(usize::from(mantissa.starts_with('-')));
    let (first, rest) = digits.split_once('.').unwrap_or((digits, ""));
    let exponent: i32 = power.parse().unwrap();
    text.clear();
    if !fixed.contains(&exponent) {
        let plus = if exponent < 0 { "" } else { "+" };
        text.extend([mantissa, "e", plus, power]);
        return;
    }
    let zeros = |count: usize| &"0000000000000000"[..count];
    text.push_str(sign);
    if exponent < 0 {
        text.extend(["0.", zeros(-exponent as usize - 1), first, rest]);
    } else {
        let (whole, part) = rest.split_at(rest.len().min(exponent as usize));
        let missing = zeros(exponent as usize - whole.len());
        text.extend([first, whole, missing, ".", if part.is_empty() { "0" } else { part }]);
    }
}

/// Checks that the text at `at` is a minus sign and `positive`; returns its end.
fn check_minus(text: &[u8], at: usize, positive: &[u8]) -> usize {
    let end = at + 1 + positive.len();
    assert_eq!((text[at], &text[at + 1..end]), (b'-', positive));
    end
}

/// Checks the floats with these bit patterns, and their negatives.
fn floats_of_32_bits(range: Range<u64>, bits: impl Fn(u64) -> u32) {
    let range_start = range.start;
    let values = range.map(|index| f32::from_bits(bits(index))).filter(|value| value.is_finite());
    let values: Vec<f32> = values.flat_map(|value| [value, -value]).collect();
    let (mut oracle, mut positive) = (Oracle::default(), 0..0);
    let (tier, in_blocks) = way(range_start);
    each_written(
        &values,
        |out, values| tier.run(WriteFloats { out, values, in_blocks }),
        |value, text, at| {
            let (wide, end) = float_at(text, at);
            let part = std::str::from_utf8(&text[at..end]).unwrap();
            if (wide as f32).to_bits() != value.to_bits() {
                assert_eq!(value.abs().to_bits(), ROUNDED_TWICE, "{part}");
                assert_eq!(part.parse().map(f32::to_bits), Ok(value.to_bits()), "{part}");
                assert_eq!(part.parse().map(f64::to_bits), Ok(wide.to_bits()), "{part}");
            }
            if value.is_sign_negative() {
                return check_minus(text, at, &text[positive.clone()]);
            }
            positive = at..end;
            oracle.check(value, part, -6..13);
            end
        },
    );
}

/// The tier of a batch, and whether it is written in blocks: by chance, so that no way has the bit
/// patterns of one kind.
fn way(start: u64) -> (Dispatch, bool) {
    let tiers: Vec<Dispatch> = Tier::ALL.into_iter().filter_map(Dispatch::new).collect();
    let chance = random(start / BATCH) as usize;
    (tiers[chance / 2 % tiers.len()], chance % 2 == 1)
}

/// Writes floats in one tier, one by one or in blocks.
struct WriteFloats<'a, 'b, T> {
    out: &'a mut Out<'b, VecBuffer>,
    values: &'a [T],
    in_blocks: bool,
}

impl Task for WriteFloats<'_, '_, f64> {
    type Output = ();

    #[inline(always)]
    fn with_vectors<V: Vector>(self) {
        if !self.in_blocks {
            for &value in self.values {
                self.out.float_by::<V>(value).unwrap();
            }
            return;
        }
        for part in self.values.chunks(FLOATS) {
            let mut block = [1.0; FLOATS];
            block[..part.len()].copy_from_slice(part);
            self.out.floats_by::<V>(&block, part.len()).unwrap();
        }
    }
}

impl Task for WriteFloats<'_, '_, f32> {
    type Output = ();

    #[inline(always)]
    fn with_vectors<V: Vector>(self) {
        if !self.in_blocks {
            for &value in self.values {
                self.out.float32_by::<V>(value).unwrap();
            }
            return;
        }
        for part in self.values.chunks(FLOATS) {
            let mut block = [1.0; FLOATS];
            block[..part.len()].copy_from_slice(part);
            self.out.floats32_by::<V>(&block, part.len()).unwrap();
        }
    }
}

/// Checks pseudo-random floats of 64 bits.
fn floats_of_64_bits(range: Range<u64>) {
    let (tier, in_blocks) = way(range.start);
    let values = range.map(|index| f64::from_bits(random(index)));
    let values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
    let mut oracle = Oracle::default();
    each_written(
        &values,
        |out, values| tier.run(WriteFloats { out, values, in_blocks }),
        |value, text, at| {
            let (read, end) = float_at(text, at);
            let text = std::str::from_utf8(&text[at..end]).unwrap();
            assert_eq!(read.to_bits(), value.to_bits(), "{text}");
            assert_eq!(text.parse().map(f64::to_bits), Ok(value.to_bits()), "{text}");
            oracle.check(value, text, -5..16);
            end
        },
    );
}

/// Checks the integers of a range.
fn integers(range: Range<u64>) {
    let values: Vec<u64> = range.collect();
    each_written(
        &values,
        |out, values| values.iter().for_each(|&value| out.uint(value, b',').unwrap()),
        |value, text, at| {
            let (number, end) = read(text, at).unwrap();
            assert_eq!(number, Number::Int(value as i64));
            assert_eq!(end - at, value.checked_ilog10().unwrap_or(0) as usize + 1);
            end
        },
    );
}

/// The `index`-th number of a pseudo-random sequence (the finaliser of SplitMix64).
fn random(index: u64) -> u64 {
    let mut x = index.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// Checks `rounds` decimals for each power of ten that a double can need: with one to nineteen
/// digits, and with one digit more, which the fast path truncates.
fn every_power_of_ten(rounds: u64) {
    in_batches(660 * rounds, |range| {
        for index in range {
            let exponent = (index % 660) as i64 - 345;
            let digits = (random(index) >> (random(!index) % 61)).max(1);
            for text in [format!("{digits}e{exponent}"), format!("{digits}5e{}", exponent - 1)] {
                let theirs: f64 = text.parse().unwrap();
                match read(text.as_bytes(), 0) {
                    Ok((Number::Float(ours), end)) => {
                        assert_eq!((ours.to_bits(), end), (theirs.to_bits(), text.len()), "{text}");
                    }
                    Err((ErrorKind::Infinity, 0)) => assert!(theirs.is_infinite(), "{text}"),
                    other => panic!("{other:?} from {text}"),
                }
            }
        }
    });
}

#[test]
fn a_sample_of_32_bit_floats() {
    // An odd step visits all exponents and all residues.
    let step = ((1 << 31) / (SAMPLE / 2)) | 1;
    in_batches(SAMPLE / 2, |range| {
        floats_of_32_bits(range, |index| (index * step) as u32 & i32::MAX as u32);
    });
}

#[test]
fn the_float_that_two_roundings_change() {
    floats_of_32_bits(0..1, |_| ROUNDED_TWICE);
    let (wide, _) = float_at(b"7.038531e-26", 0);
    assert_eq!((wide as f32).to_bits(), ROUNDED_TWICE + 1);
}

#[test]
#[ignore = "all 2^32 bit patterns take minutes; make test-long"]
fn all_32_bit_floats() {
    in_batches(1 << 31, |range| floats_of_32_bits(range, |index| index as u32));
}

#[test]
fn a_sample_of_64_bit_floats() {
    in_batches(SAMPLE, floats_of_64_bits);
}

#[test]
#[ignore = "10^8 values take most of a minute; make test-long"]
fn a_hundred_million_64_bit_floats() {
    in_batches(100_000_000, floats_of_64_bits);
}

#[test]
fn every_power_of_ten_with_some_digits() {
    every_power_of_ten(SAMPLE / 2000);
}

#[test]
#[ignore = "10^8 decimals take most of a minute; make test-long"]
fn every_power_of_ten_with_many_digits() {
    every_power_of_ten(75_000);
}

#[test]
fn a_sample_of_integers() {
    in_batches(SAMPLE, integers);
}

#[test]
#[ignore = "10^8 integers take seconds; make test-long"]
fn all_integers_of_eight_digits() {
    in_batches(100_010_000, integers);
}
