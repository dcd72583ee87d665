//! Skipping a value without building it.
//!
//! Separate from the reader's steps because this combines them and owns the nesting.
//! [`Reader::skip`] checks everything and reports the same faults at the same offsets as a caller
//! that builds the value. [`Reader::skip_fast`] only finds the end of a container, by its brackets.
//! Invariant: both end at the same offset if the value is valid, and return whether it is ASCII;
//! neither validates UTF-8. Called by the typed decoder, for members without a field.
//!
//! Scalars are skipped inline. Containers are separate tasks, so that the caller's walks stay
//! small.
//!
//! PERF: on twitter.json without spaces, `skip` does 3.0 GB/s with AVX-512, 2.7 with AVX2 and SSE,
//! 1.6 without vectors; `skip_fast` 16, 9.7, 5.8 and 1.9 (2026-11-21).

use super::reader::{MAX_DEPTH, Reader};
use super::valid_container::valid_end;
use crate::arch::generic::structure::{NoEnd, container_end};
use crate::arch::{Task, Vector};
use crate::error::{Error, ErrorKind};
use crate::number;
use crate::unescape::string_end;

/// Tiers with at least this many lanes first check a container in blocks.
///
/// PERF: with 64 lanes, against the walk: 1.36x on twitter.json without spaces, 1.98x with them,
/// 2.4x on crud.json; 0.83x on cyrillic.json, which is all long strings. With 32 lanes: 0.99x,
/// 1.44x, 1.7x and 0.64x (2026-11-21).
pub(crate) const MIN_LANES_FOR_BLOCKS: usize = 64;

/// The offset after a value, and whether it is ASCII.
type Skipped = (usize, bool);

impl<'a, V: Vector> Reader<'a, V> {
    /// Checks one value with everything in it and consumes it; returns whether it is ASCII. `depth`
    /// is the number of containers around it, which count towards [`MAX_DEPTH`].
    ///
    /// # Errors
    /// The same faults at the same offsets as for a caller that builds the value, except invalid
    /// UTF-8, which this does not check.
    #[inline(always)]
    pub fn skip(&mut self, depth: usize) -> Result<bool, Error> {
        if matches!(self.token(), b'[' | b'{') {
            if self.skip_empty(depth) {
                return Ok(true);
            }
            let (end, ascii) = V::run_outlined(Skip { bytes: self.bytes, at: self.at, depth })?;
            self.at = end;
            return Ok(ascii);
        }
        self.skip_scalar()
    }

    /// [`Reader::skip`], but of a container this only finds the end.
    ///
    /// # Errors
    /// Inside a container only a missing end and too deep nesting: wrong tokens and brackets of the
    /// wrong kind pass unnoticed.
    #[inline(always)]
    pub fn skip_fast(&mut self, depth: usize) -> Result<bool, Error> {
        if matches!(self.token(), b'[' | b'{') {
            if self.skip_empty(depth) {
                return Ok(true);
            }
            let (end, ascii) = V::run_outlined(SkipFast { bytes: self.bytes, at: self.at, depth })?;
            self.at = end;
            return Ok(ascii);
        }
        self.skip_scalar()
    }

    /// Consumes the container at the cursor if it is `[]` or `{}`; returns whether it is.
    #[inline(always)]
    fn skip_empty(&mut self, depth: usize) -> bool {
        let text = self.bytes.get(self.at..).and_then(|rest| rest.first_chunk());
        let is_empty = depth < MAX_DEPTH && matches!(text, Some(b"[]" | b"{}"));
        self.at += if is_empty { 2 } else { 0 };
        is_empty
    }

    /// Checks and consumes a value that is not a container.
    #[inline(always)]
    fn skip_scalar(&mut self) -> Result<bool, Error> {
        match self.token() {
            b'"' => return self.skip_string(),
            b'-' | b'+' | b'.' | b'0'..=b'9' => self.skip_number()?,
            b't' => self.literal_true()?,
            b'f' => self.literal_false()?,
            b'n' => self.literal_null()?,
            _ => return Err(self.no_value()),
        }
        Ok(true)
    }

    #[inline(always)]
    fn skip_string(&mut self) -> Result<bool, Error> {
        match string_end::<V>(self.bytes, self.at + 1) {
            Ok(skipped) => {
                self.at = skipped.end;
                Ok(skipped.ascii)
            }
            Err((kind, at)) => Err(self.fault(kind, at)),
        }
    }

    #[inline(always)]
    fn skip_number(&mut self) -> Result<(), Error> {
        match number::skip(self.bytes, self.at) {
            Ok(end) => {
                self.at = end;
                Ok(())
            }
            Err((kind, at)) => Err(self.fault(kind, at)),
        }
    }

    /// Checks and consumes a member's name and its colon; returns whether the name is ASCII.
    #[inline(always)]
    fn skip_key(&mut self) -> Result<bool, Error> {
        if self.token() != b'"' {
            return Err(self.no_key());
        }
        let ascii = self.skip_string()?;
        self.colon()?;
        Ok(ascii)
    }

    /// Checks and consumes the container at the cursor, inside `base` others.
    #[inline(always)]
    fn skip_container(&mut self, base: usize) -> Result<bool, Error> {
        // One bit for each open container, set for an object.
        let mut kinds = [0u64; MAX_DEPTH / 64];
        let (mut depth, mut ascii) = (base, true);
        loop {
            match self.token() {
                open @ (b'{' | b'[') => {
                    self.consume();
                    if depth >= MAX_DEPTH {
                        return Err(self.too_deep());
                    }
                    let is_object = open == b'{';
                    if self.token() == open + 2 {
                        self.consume();
                    } else {
                        let bit = 1 << (depth % 64);
                        let word = &mut kinds[depth / 64];
                        *word = if is_object { *word | bit } else { *word & !bit };
                        depth += 1;
                        if is_object {
                            ascii &= self.skip_key()?;
                        }
                        continue;
                    }
                }
                _ => ascii &= self.skip_scalar()?,
            }
            loop {
                if depth == base {
                    return Ok(ascii);
                }
                let is_object = kinds[(depth - 1) / 64] >> ((depth - 1) % 64) & 1 == 1;
                match self.token() {
                    b',' => {
                        self.consume();
                        if is_object {
                            ascii &= self.skip_key()?;
                        }
                        break;
                    }
                    b'}' if is_object => self.consume(),
                    b']' if !is_object => self.consume(),
                    _ if is_object => return Err(self.no_object_end()),
                    _ => return Err(self.no_array_end()),
                }
                depth -= 1;
            }
        }
    }
}

/// [`Reader::skip`] of a container.
struct Skip<'a> {
    bytes: &'a [u8],
    at: usize,
    depth: usize,
}

impl Task for Skip<'_> {
    type Output = Result<Skipped, Error>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        if MIN_LANES_FOR_BLOCKS <= V::LANES
            && let Some(skipped) = valid_end::<V, false>(self.bytes, self.at, self.depth)
        {
            return Ok(skipped);
        }
        let mut reader = Reader::<V>::resume(self.bytes, self.at);
        let ascii = reader.skip_container(self.depth)?;
        Ok((reader.at, ascii))
    }
}

/// [`Reader::skip_fast`] of a container.
struct SkipFast<'a> {
    bytes: &'a [u8],
    at: usize,
    depth: usize,
}

impl Task for SkipFast<'_> {
    type Output = Result<Skipped, Error>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        let max_open = MAX_DEPTH.saturating_sub(self.depth);
        match container_end::<V>(self.bytes, self.at, max_open) {
            Ok(end) => Ok((end.at, end.ascii)),
            Err(NoEnd::Truncated) => Err(Error::new(ErrorKind::UnexpectedEnd, self.bytes.len())),
            Err(NoEnd::TooDeep(at)) => Err(Error::new(ErrorKind::Depth, at)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::testing::{EndOfAllocation, TierTest, for_each_tier};
    use crate::number::number_end;

    /// The oracle of [`Reader::skip`]: the steps of a caller that builds the value.
    fn naive<'a, V: Vector>(
        reader: &mut Reader<'a, V>,
        text: &'a [u8],
        depth: usize,
    ) -> Result<(), Error> {
        let scratch = &mut Vec::new();
        match reader.token() {
            b'"' => reader.string(scratch).map(|_| ()),
            b'-' | b'+' | b'.' | b'0'..=b'9' => match reader.number() {
                // The value is not used, so its range does not matter.
                Err(Error { kind: ErrorKind::Infinity, offset }) => {
                    *reader = Reader::resume(text, number_end(text, offset));
                    Ok(())
                }
                other => other.map(|_| ()),
            },
            b't' => reader.literal_true(),
            b'f' => reader.literal_false(),
            b'n' => reader.literal_null(),
            open @ (b'[' | b'{') => {
                reader.consume();
                if depth == MAX_DEPTH {
                    return Err(reader.too_deep());
                }
                let is_object = open == b'{';
                let mut is_first = true;
                while reader.token() != open + 2 || !is_first {
                    if is_object {
                        if reader.token() != b'"' {
                            return Err(reader.no_key());
                        }
                        reader.string(scratch)?;
                        reader.colon()?;
                    }
                    naive(reader, text, depth + 1)?;
                    is_first = false;
                    match reader.token() {
                        b',' => reader.consume(),
                        byte if byte == open + 2 => break,
                        _ if is_object => return Err(reader.no_object_end()),
                        _ => return Err(reader.no_array_end()),
                    }
                }
                reader.consume();
                Ok(())
            }
            _ => Err(reader.no_value()),
        }
    }

    /// Skips the value at the start of a text in every way, with a depth around it.
    struct BothSkips<'a>(&'a [u8], usize);

    impl TierTest for BothSkips<'_> {
        fn check<V: Vector>(&self) {
            let BothSkips(text, depth) = *self;
            let mut reader = Reader::<V>::resume(text, 0);
            let expected = naive(&mut reader, text, depth).map(|()| reader.offset());
            let ascii = reader.span_from(0).is_ascii();

            let mut checked = Reader::<V>::resume(text, 0);
            if matches!(checked.token(), b'[' | b'{') {
                // The blocks must accept everything valid; otherwise the walk would check it again.
                let valid = valid_end::<V, false>(text, checked.offset(), depth);
                assert_eq!(valid, expected.ok().map(|end| (end, ascii)), "{text:?}");
            }
            let result = checked.skip(depth).map(|ascii| (checked.offset(), ascii));
            assert_eq!(result, expected.map(|end| (end, ascii)), "{text:?}");

            let mut fast = Reader::<V>::resume(text, 0);
            let result = fast.skip_fast(depth).map(|ascii| (fast.offset(), ascii));
            match expected {
                Ok(end) => assert_eq!(result, Ok((end, ascii)), "{text:?}"),
                Err(error) if error.kind == ErrorKind::Depth => assert_eq!(result, Err(error)),
                Err(_) => assert!(fast.offset() <= text.len()),
            }
        }
    }

    /// At every alignment, alone and with text after it, and truncated at several positions.
    fn check_everywhere(text: &[u8]) {
        for offset in 0..64 {
            for tail in [&b""[..], b",\"]}", b" \\\"[{", b"}}]]\xff"] {
                let aligned = EndOfAllocation::new(offset, &[text, tail].concat());
                for_each_tier(&BothSkips(aligned.units(), 0));
            }
            let aligned = EndOfAllocation::new(offset, &text[..text.len() * offset / 64]);
            for_each_tier(&BothSkips(aligned.units(), 0));
        }
    }

    #[test]
    fn values_of_every_kind() {
        for text in [
            "null",
            "true",
            "false",
            "0",
            "-12.5e+3",
            "123456789012345678901234567890",
            "1e400",
            r#""""#,
            r#""é\n\u00e9\ud83d\ude00\\""#,
            "[]",
            "{}",
            " [ ] ",
            "[[],{},[{}]]",
            r#"{"]":"[","}":"{","\"":"\\","\\\\\"]":[1,2,{"é":null}]}"#,
            "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": {}\n}",
        ] {
            check_everywhere(text.as_bytes());
            check_everywhere(format!("[{}{text},{{\"k\":{text}}}]", " ".repeat(60)).as_bytes());
            check_everywhere(format!("{{\"{}\":{text}}}", "x".repeat(61)).as_bytes());
        }
    }

    #[test]
    fn containers_around_the_value_count_towards_the_limit() {
        for text in ["[]", "{}", "[[]]", "{\"a\":{}}", "[[[[1]]],2]", "1", "\"[\""] {
            for depth in [0, 1, MAX_DEPTH - 3, MAX_DEPTH - 2, MAX_DEPTH - 1, MAX_DEPTH] {
                for_each_tier(&BothSkips(text.as_bytes(), depth));
            }
        }
        let levels = MAX_DEPTH - 7;
        let text = "[".repeat(levels) + &"]".repeat(levels);
        for depth in 5..9 {
            for_each_tier(&BothSkips(text.as_bytes(), depth));
        }
    }

    #[test]
    fn text_after_the_value_does_not_affect_ascii() {
        for space in 0..70 {
            let text = format!("[{}]é", " ".repeat(space));
            for_each_tier(&BothSkips(text.as_bytes(), 0));
        }
    }

    fn values() -> impl proptest::strategy::Strategy<Value = serde_json::Value> {
        use proptest::prelude::*;
        let leaf = prop_oneof![
            Just(serde_json::Value::Null),
            any::<bool>().prop_map(Into::into),
            any::<i64>().prop_map(Into::into),
            any::<f64>().prop_map(Into::into),
            "[ -~é語\\\\\"\n\u{1f600}]{0,40}".prop_map(Into::into),
        ];
        leaf.prop_recursive(5, 60, 8, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..8).prop_map(Into::into),
                proptest::collection::vec(("[a-z\\\\\"\\[{é]{0,12}", inner), 0..8)
                    .prop_map(|members| serde_json::Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest::proptest! {
        #[test]
        fn random_values(value in values(), offset in 0usize..64, position: usize, byte: u8) {
            for text in [value.to_string(), format!("{value:#}")] {
                let mut text = text.into_bytes();
                for_each_tier(&BothSkips(EndOfAllocation::new(offset, &text).units(), 0));
                let position = position % text.len();
                for_each_tier(&BothSkips(EndOfAllocation::new(offset, &text[..position]).units(), 0));
                text[position] = byte;
                for_each_tier(&BothSkips(EndOfAllocation::new(offset, &text).units(), 0));
                text[position] = b"\"\\[]{},:0- "[usize::from(byte) % 11];
                for_each_tier(&BothSkips(EndOfAllocation::new(offset, &text).units(), 0));
            }
        }

        #[test]
        fn any_tokens(text in "[ \\[\\]{}:,\"a\\\\nu0-9.eE+-]{0,80}", depth in 0usize..MAX_DEPTH + 2) {
            for_each_tier(&BothSkips(text.as_bytes(), 0));
            for_each_tier(&BothSkips(text.as_bytes(), depth.min(MAX_DEPTH)));
        }
    }
}
