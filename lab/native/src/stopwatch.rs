//! How a call is repeated and timed: the same rule as in `cpp/program.hpp`.
//!
//! After a warm-up, calls are counted that fill one value's share of the time; each value is the mean
//! of so many calls. A call's result goes to a [`Sink`], which keeps the compiler from leaving the
//! work out and can keep the text.

use std::hint::black_box;
use std::time::Instant;

/// Takes what a call wrote, while it is alive.
#[derive(Debug, Default)]
pub struct Sink {
    /// Size of the last result, in bytes.
    pub bytes: usize,
    /// The text of the last result, if texts are kept.
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

/// What was measured.
#[derive(Debug)]
pub struct Timing {
    /// Calls behind each value.
    pub loops: u64,
    /// Calls before the first value.
    pub warmups: u64,
    /// Mean nanoseconds of a call, one for each value.
    pub times: Vec<f64>,
}

/// Measures a call for about so many seconds after a tenth of them as warm-up.
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
