//! Repeats and times a call, by the same rule as `cpp/program.hpp`.
//!
//! Separate because every contender is timed in the same way. The warm-up determines how many calls
//! fill one value's share of the time; each value is the mean over that many calls. The result of a
//! call goes to a [`Sink`], which prevents the compiler from removing the work and can keep the
//! text.

use std::hint::black_box;
use std::time::Instant;

/// Takes the result of a call.
#[derive(Debug, Default)]
pub struct Sink {
    /// Size of the last result, in bytes.
    pub bytes: usize,
    /// The text of the last result; `None` to keep no texts.
    pub text: Option<Vec<u8>>,
}

impl Sink {
    /// Takes a result.
    #[inline(always)]
    pub fn take(&mut self, text: &[u8]) {
        black_box(text.as_ptr());
        self.bytes = text.len();
        if let Some(kept) = &mut self.text {
            kept.clear();
            kept.extend_from_slice(text);
        }
    }
}

/// The result of a measurement.
#[derive(Debug)]
pub struct Timing {
    /// The number of calls behind each value.
    pub loops: u64,
    /// The number of calls before the first value.
    pub warmups: u64,
    /// The values: mean nanoseconds of a call.
    pub times: Vec<f64>,
}

/// Measures a call for about `seconds`, after a tenth of that time as warm-up.
pub fn measure(call: &mut dyn FnMut(), seconds: f64, values: u32) -> Timing {
    let begin = Instant::now();
    let mut warmups = 0_u64;
    while warmups < 3 || begin.elapsed().as_secs_f64() < seconds / 10.0 {
        call();
        warmups += 1;
    }
    let each = begin.elapsed().as_secs_f64() / warmups as f64;
    let loops = ((seconds / f64::from(values) / each) as u64).max(1);
    let times = (0..values)
        .map(|_| {
            let begin = Instant::now();
            for _ in 0..loops {
                call();
            }
            begin.elapsed().as_nanos() as f64 / loops as f64
        })
        .collect();
    Timing { loops, warmups, times }
}
