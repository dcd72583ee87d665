//! The canonical form of a text that is nearly canonical already.
//!
//! Separate from `canonical`, which is for any document: this copies what is canonical, writes
//! other numbers anew, and gives up at the first thing that would need more, so that nothing is
//! unescaped, sorted or kept. Invariant: what is returned is what `canonical` would return, if each
//! number with more than fifteen digits is the shortest text of its double, as encoders write it.
//! Called by snooze-py.

use crate::arch::Vector;
use crate::arch::generic::scan::{load_first, string_run};
use crate::number::Number;
use crate::read::{MAX_DEPTH, Reader};
use crate::rewrite::canonical::is_exact;
use crate::rewrite::ecmascript::write_number;
use crate::rewrite::noncanonical_numbers::{is_canonical, may_differ};

/// Digits with which no two decimals have the same double.
const UNIQUE: usize = 15;

/// Digits of the largest decimal without an exponent that encoders write.
const LONGEST: usize = 17;

/// The longest number of ECMAScript has 24 characters.
const NUMBER: usize = 32;

/// What was found of a text.
#[derive(Debug, PartialEq, Eq)]
pub enum NearlyCanonical {
    /// It is its canonical form.
    Unchanged,
    /// Its canonical form.
    Rewritten(Vec<u8>),
    /// It needs [`canonical`](super::canonical()), or has no canonical form.
    Undecided,
}

/// Returns the canonical form of a text that encoders wrote with sorted members, if it differs in
/// numbers only. The text is UTF-8; `is_ordered`: its names are known to be in order.
pub fn canonical_if_near<V: Vector>(text: &[u8], is_ordered: bool) -> NearlyCanonical {
    if is_ordered && !may_differ::<V>(text) {
        return NearlyCanonical::Unchanged;
    }
    let mut walk = Walk { text, is_ordered, at: 0, copied: 0, out: Vec::new() };
    match walk.document::<V>() {
        Some(()) if walk.copied == 0 => NearlyCanonical::Unchanged,
        Some(()) if walk.copy(text.len()).is_some() => NearlyCanonical::Rewritten(walk.out),
        _ => NearlyCanonical::Undecided,
    }
}

/// An open container: an array, or an object and the range of its last name.
#[derive(Clone, Copy)]
enum Frame {
    Array,
    Object(Name),
}

/// The text of a name between its quotes.
#[derive(Clone, Copy)]
struct Name {
    start: usize,
    end: usize,
    /// Whether the order of its bytes may not be that of its UTF-16.
    is_high: bool,
}

/// The state of one walk. A method that returns `None` leaves the text to `canonical`.
struct Walk<'a> {
    text: &'a [u8],
    is_ordered: bool,
    at: usize,
    /// The bytes of the text that are in the output, if there is any.
    copied: usize,
    out: Vec<u8>,
}

impl<'a> Walk<'a> {
    #[inline(always)]
    fn byte(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    /// Reads the whole document.
    #[inline(always)]
    fn document<V: Vector>(&mut self) -> Option<()> {
        let mut frames = Vec::new();
        loop {
            match self.byte()? {
                b'"' => _ = self.string::<V>()?,
                open @ (b'{' | b'[') => {
                    if frames.len() == MAX_DEPTH || frames.try_reserve(1).is_err() {
                        return None;
                    }
                    self.at += 1;
                    if self.byte()? == open + 2 {
                        self.at += 1;
                    } else {
                        frames.push(match open {
                            b'[' => Frame::Array,
                            _ => Frame::Object(self.name::<V>()?),
                        });
                        continue;
                    }
                }
                b't' => self.literal(b"true")?,
                b'f' => self.literal(b"false")?,
                b'n' => self.literal(b"null")?,
                _ => self.number::<V>()?,
            }
            loop {
                let Some(frame) = frames.last_mut() else {
                    return (self.at == self.text.len()).then_some(());
                };
                let byte = self.byte()?;
                self.at += 1;
                match (byte, frame) {
                    (b',', Frame::Array) => break,
                    (b',', Frame::Object(last)) => {
                        let name = self.name::<V>()?;
                        if !self.is_ordered && !self.is_before(*last, name) {
                            return None;
                        }
                        *last = name;
                        break;
                    }
                    (b']', Frame::Array) | (b'}', Frame::Object(_)) => _ = frames.pop(),
                    _ => return None,
                }
            }
        }
    }

    #[inline(always)]
    fn literal(&mut self, text: &[u8]) -> Option<()> {
        self.text.get(self.at..)?.starts_with(text).then(|| self.at += text.len())
    }

    /// Reads a string whose escapes are canonical; returns whether all else is ASCII, and whether
    /// it has any.
    #[inline(always)]
    fn string<V: Vector>(&mut self) -> Option<(bool, bool)> {
        if self.byte()? != b'"' {
            return None;
        }
        self.at += 1;
        let (mut ascii, mut has_escapes) = (true, false);
        loop {
            let run = string_run::<V>(self.text.get(self.at..)?);
            self.at += run.len;
            ascii &= run.ascii;
            match self.byte()? {
                b'"' => {
                    self.at += 1;
                    return Some((ascii, has_escapes));
                }
                b'\\' => {
                    self.at += canonical_escape(self.text.get(self.at + 1..)?)?;
                    has_escapes = true;
                }
                _ => return None,
            }
        }
    }

    /// Reads a name without escapes, and the colon.
    #[inline(always)]
    fn name<V: Vector>(&mut self) -> Option<Name> {
        let start = self.at + 1;
        let (ascii, has_escapes) = self.string::<V>()?;
        let end = self.at - 1;
        // The first code point behind the surrogates of UTF-16 begins with 0xee in UTF-8.
        let is_high = !self.is_ordered
            && !ascii
            && self.text.get(start..end)?.iter().any(|&byte| byte >= 0xee);
        if has_escapes && !self.is_ordered || self.byte()? != b':' {
            return None;
        }
        self.at += 1;
        Some(Name { start, end, is_high })
    }

    /// Whether a name comes before the next one.
    #[inline(always)]
    fn is_before(&self, name: Name, next: Name) -> bool {
        let (Some(left), Some(right)) =
            (self.text.get(name.start..name.end), self.text.get(next.start..next.end))
        else {
            return false;
        };
        if name.is_high || next.is_high {
            return is_before_in_utf_16(left, right);
        }
        match (left.first(), right.first()) {
            (Some(first), Some(second)) if first != second => first < second,
            _ => left < right,
        }
    }

    /// Reads a number, and writes it if its text is not canonical.
    #[inline(always)]
    fn number<V: Vector>(&mut self) -> Option<()> {
        let start = self.at;
        let bytes = self.text.get(start..)?;
        let lanes = load_first::<V>(bytes);
        let (digits, points) = (lanes.digits(), lanes.equal(b'.'));
        let sign = usize::from(bytes.first() == Some(&b'-'));
        // What is no digit, behind the sign and except the first point.
        let mut stops = !digits & (u64::MAX << sign);
        let whole = stops.trailing_zeros() as usize - sign;
        let has_point = stops & stops.wrapping_neg() & points != 0;
        if has_point {
            stops &= stops - 1;
        }
        let end = stops.trailing_zeros() as usize;
        let is_inside = end < V::LANES && matches!(bytes.get(end), Some(b',' | b']' | b'}'));
        let begins_with_zero = bytes.get(sign) == Some(&b'0');
        if !is_inside || whole == 0 || begins_with_zero && (whole > 1 || !has_point && sign == 1) {
            return self.other_number::<V>();
        }
        if !has_point {
            if whole > UNIQUE && !bytes.get(sign..end).is_some_and(is_canonical) {
                return self.other_number::<V>();
            }
            self.at += end;
            return Some(());
        }
        let fraction = bytes.get(sign + whole + 1..end)?;
        // Six zeros at most are between the point and the digits.
        let is_small = begins_with_zero && fraction.starts_with(b"000000");
        if whole > LONGEST || is_small || fraction.last().is_none_or(|&digit| digit == b'0') {
            return match fraction {
                b"0" if whole <= UNIQUE && !begins_with_zero => {
                    self.at += end;
                    self.copy(start + end - 2)?;
                    self.copied = start + end;
                    Some(())
                }
                _ => self.other_number::<V>(),
            };
        }
        self.at += end;
        Some(())
    }

    /// Reads a number of any form, and writes it.
    #[cold]
    #[inline(never)]
    fn other_number<V: Vector>(&mut self) -> Option<()> {
        let start = self.at;
        let rest = self.text.get(start..)?;
        let len = rest.iter().position(|byte| matches!(byte, b',' | b']' | b'}'));
        let len = len.unwrap_or(rest.len());
        let token = rest.get(..len)?;
        let mut reader = Reader::<V>::new(token).ok()?;
        // White space is not part of a number.
        if !matches!(reader.token(), b'-' | b'0'..=b'9') || reader.offset() != 0 {
            return None;
        }
        let number = reader.number().ok()?;
        if reader.span_from(0).len() != len {
            return None;
        }
        let is_integer = !token.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E'));
        let value = match number {
            Number::Int(value) => value as f64,
            Number::UInt(value) => value as f64,
            Number::Float(value) => value,
        };
        let (mut written, mut end) = ([0; NUMBER], 0);
        let put = |part: &[u8]| {
            written.get_mut(end..end + part.len()).ok_or(())?.copy_from_slice(part);
            end += part.len();
            Ok::<_, ()>(())
        };
        write_number(value, put).ok()?;
        let written = written.get(..end)?;
        self.at = start + len;
        if written == token {
            return Some(());
        }
        if is_integer && !is_exact(token, value) {
            return None;
        }
        self.copy(start)?;
        self.out.try_reserve(written.len()).ok()?;
        self.out.extend_from_slice(written);
        self.copied = self.at;
        Some(())
    }

    /// Copies the text up to `end`.
    fn copy(&mut self, end: usize) -> Option<()> {
        let part = self.text.get(self.copied..end)?;
        if self.copied == 0 {
            // Numbers get longer by four bytes at most, and those are rare.
            self.out.try_reserve(self.text.len() + self.text.len() / 16).ok()?;
        }
        self.out.try_reserve(part.len()).ok()?;
        self.out.extend_from_slice(part);
        self.copied = end;
        Some(())
    }
}

/// The length of an escape that begins with a backslash before this text, if it is the shortest
/// one.
#[inline(always)]
fn canonical_escape(after: &[u8]) -> Option<usize> {
    match after {
        [b'"' | b'\\' | b'b' | b'f' | b'n' | b'r' | b't', ..] => Some(2),
        [b'u', b'0', b'0', b'0', b'0'..=b'7' | b'b' | b'e' | b'f', ..] => Some(6),
        [b'u', b'0', b'0', b'1', b'0'..=b'9' | b'a'..=b'f', ..] => Some(6),
        _ => None,
    }
}

/// Whether a name comes before another one by UTF-16.
#[cold]
#[inline(never)]
fn is_before_in_utf_16(left: &[u8], right: &[u8]) -> bool {
    match (core::str::from_utf8(left), core::str::from_utf8(right)) {
        (Ok(left), Ok(right)) => left.encode_utf16().lt(right.encode_utf16()),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::testing::{TierTest, for_each_tier};
    use crate::rewrite::canonical;

    /// A text, and whether it needs the whole way.
    struct Case<'a>(&'a str, bool);

    impl TierTest for Case<'_> {
        fn check<V: Vector>(&self) {
            let found = canonical_if_near::<V>(self.0.as_bytes(), false);
            assert_eq!(found == NearlyCanonical::Undecided, self.1, "{}", self.0);
            same::<V>(self.0, found);
            if !self.1 {
                same::<V>(self.0, canonical_if_near::<V>(self.0.as_bytes(), true));
            }
        }
    }

    /// Checks that what was found is the canonical form.
    fn same<V: Vector>(text: &str, found: NearlyCanonical) {
        let found = match found {
            NearlyCanonical::Unchanged => text.as_bytes().to_vec(),
            NearlyCanonical::Rewritten(other) => other,
            NearlyCanonical::Undecided => return,
        };
        let expected = canonical::<V>(text.as_bytes()).unwrap();
        assert_eq!(String::from_utf8(found).unwrap(), String::from_utf8(expected).unwrap());
    }

    #[test]
    fn texts_that_are_nearly_canonical() {
        for text in [
            "{}",
            "[]",
            "1",
            "\"a\"",
            "[1234567890123456,505874924095815700,18446744073709551616]",
            "[9007199254740993000,9007199254740991,9223372036854776000,1152921504606847000,999999999999999900]",
            "[1.0,-1.0,0.0,-0.0,10.50,1e5,1e21,1e-7,123456789012345,0.000001,0.0000001]",
            r#"{"a":[{"":[],"b":{}},null,true,false],"b":"\u001f\n\\\""}"#,
            "[0.30000000000000004,-65.61361699999998,12345678901234567.0]",
            "{\"a\":1.5,\"\u{e9}\":2,\"\u{1f600}\":3,\"\u{fb33}\":4}",
        ] {
            for_each_tier(&Case(text, false));
        }
    }

    /// No encoder writes it; text of strangers may have it.
    #[test]
    fn a_zero_with_a_sign() {
        for_each_tier(&Any("-0"));
        for_each_tier(&Any("[-0,1]"));
    }

    #[test]
    fn texts_that_need_more() {
        for text in [
            "",
            " 1",
            "1 ",
            "[1,2",
            "[1}",
            "[1 ,2]",
            "[01]",
            "[1.]",
            "[.5]",
            "[-]",
            "[1e]",
            "[1-2]",
            "[1.2.3]",
            "[+1]",
            "[nul]",
            "[true1]",
            "12345678901234567",
            r#"{"b":1,"a":2}"#,
            r#"{"a":1,"a":2}"#,
            r#"{"a":1,}"#,
            r#"{"a" :1}"#,
            r#"{"a\n":1}"#,
            r#""\/""#,
            r#""\u0041""#,
            r#""\u000a""#,
            r#""\u001F""#,
            "{\"\u{fb33}\":1,\"\u{1f600}\":2}",
        ] {
            for_each_tier(&Case(text, true));
        }
        let deep = format!("{}{}", "[".repeat(MAX_DEPTH + 1), "]".repeat(MAX_DEPTH + 1));
        for_each_tier(&Case(&deep, true));
        for_each_tier(&Case(&deep[1..deep.len() - 1], false));
    }

    struct Any<'a>(&'a str);

    /// A text as encoders write it, with its names in order.
    struct Ordered<'a>(&'a str);

    impl TierTest for Ordered<'_> {
        fn check<V: Vector>(&self) {
            for is_ordered in [false, true] {
                same::<V>(self.0, canonical_if_near::<V>(self.0.as_bytes(), is_ordered));
            }
        }
    }

    impl TierTest for Any<'_> {
        fn check<V: Vector>(&self) {
            same::<V>(self.0, canonical_if_near::<V>(self.0.as_bytes(), false));
        }
    }

    proptest::proptest! {
        #[test]
        fn doubles(values: Vec<f64>, small in proptest::collection::vec(-1000i32..1000, 0..9)) {
            let finite = values.iter().copied().filter(|value| value.is_finite());
            let all: Vec<f64> = finite.chain(small.iter().map(|&n| f64::from(n) / 8.0)).collect();
            let text = serde_json::to_string(&all).unwrap();
            for_each_tier(&Ordered(&text));
        }

        #[test]
        fn numbers(whole in "-?[0-9]{1,4}", rest in "(\\.[0-9]{1,9})?(e-?[0-9]{1,2})?") {
            for_each_tier(&Any(&format!("[{whole}{rest},1234567890,1234567890,1234567890,1234567890]")));
        }

        #[test]
        fn integers(values: Vec<u64>, zeros in 0u32..6, bits in 0u32..64) {
            let step = 10u64.pow(zeros);
            let near = [bits, bits / 2].map(|bits| (1u64 << bits) / step * step);
            let near = near.iter().flat_map(|&one| [one.saturating_sub(step), one, one.saturating_add(step)]);
            for value in values.iter().map(|value| value / step * step).chain(near) {
                for_each_tier(&Ordered(&format!("[{value},-{}]", value.max(1))));
            }
        }

        /// What looks like numbers at any place of a block, in strings and outside of them.
        #[test]
        fn places(before in 0usize..70, at in "[0-9a-e.,:]{0,40}", number in "[1-9][0-9]{0,8}(\\.0|\\.[0-9]{0,5}[1-9])?") {
            let text = format!("[\"{}{at}\",{number},[{number}],\"{number}\",{number}]", "x".repeat(before));
            for_each_tier(&Ordered(&text));
        }

        #[test]
        fn texts(text in "[\\[\\]{}:,\"\\\\abu01é\u{1f600}\u{fb33}.-]{0,24}") {
            for_each_tier(&Any(&text));
        }

        #[test]
        fn objects(
            names in proptest::collection::btree_set("[a-c\u{e000}\u{1f600}é\n\"]{0,3}", 0..6),
        ) {
            let members: Vec<String> = names
                .iter()
                .map(|name| format!("{}:[1.0,{{}}]", serde_json::to_string(name).unwrap()))
                .collect();
            for_each_tier(&Any(&format!("{{{}}}", members.join(","))));
        }
    }
}
