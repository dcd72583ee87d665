//! The canonical form of a document (RFC 8785): one text for all equal documents.
//!
//! Members are in the order of the UTF-16 code units of their names, strings have the shortest
//! escapes, numbers are those of ECMAScript, and there is no white space. Separate from `restyle`,
//! because it reads names and numbers. Invariants: names that occur twice and integers that no
//! double holds are faults, because no canonical form can tell them; nothing is recursive; objects
//! whose members are in order already are not copied, and no byte is copied for each level around
//! it. Called by snooze-py.

use core::fmt::{self, Write as _};

use crate::arch::Vector;
use crate::arch::generic::escape::escape_of;
use crate::arch::generic::scan::string_run;
use crate::error::{Error, ErrorKind};
use crate::number::Number;
use crate::read::Reader;
use crate::rewrite::ecmascript::write_number;
use crate::rewrite::restyle::checked;

/// An open container.
struct Frame {
    is_object: bool,
    /// Where its first element begins in the output.
    start: usize,
    /// Its first member, and the start of that member's name.
    first: usize,
    names: usize,
}

/// A member of an open object: its name, and its text in the output with a comma behind it.
struct Member {
    name: (usize, usize),
    text: (usize, usize),
}

/// Objects of up to so many bytes are put in order where they are. The members of longer ones stay
/// in place until the end: otherwise nested objects would be copied once for each level.
const SHORT: usize = if cfg!(test) { 24 } else { 4096 };

/// An object whose members have another order at the end.
struct Moved {
    /// Its members in the output: from the first name to the closing bracket.
    start: usize,
    end: usize,
    /// The ranges of its members, in order, among all such ranges.
    first: usize,
    last: usize,
}

/// The state of one walk.
#[derive(Default)]
struct Walk {
    out: Vec<u8>,
    frames: Vec<Frame>,
    members: Vec<Member>,
    /// The names of the members, without escapes.
    names: String,
    /// The text of a short object whose members change their order.
    unordered: Vec<u8>,
    /// The long objects whose members change their order, the inner ones before those around them.
    moved: Vec<Moved>,
    /// Their members, without the comma or the bracket behind them.
    ranges: Vec<(usize, usize)>,
    unescaped: Vec<u8>,
}

/// Returns the canonical form of a document.
///
/// # Errors
/// If the text is no JSON document in UTF-8, an object has a name twice, an integer is no double,
/// or no memory is left; with the offset in the text.
pub fn canonical<V: Vector>(text: &[u8]) -> Result<Vec<u8>, Error> {
    checked::<V>(text)?;
    let mut reader = Reader::<V>::new(text)?;
    let mut walk = Walk::default();
    loop {
        match reader.token() {
            open @ (b'{' | b'[') => {
                reader.consume();
                if reader.token() == open + 2 {
                    reader.consume();
                    walk.append(&[open, open + 2])?;
                } else {
                    walk.open(open)?;
                    if open == b'{' {
                        walk.name(&mut reader)?;
                    }
                    continue;
                }
            }
            b'"' => walk.string(&mut reader)?,
            b't' => {
                reader.literal_true()?;
                walk.append(b"true")?;
            }
            b'f' => {
                reader.literal_false()?;
                walk.append(b"false")?;
            }
            b'n' => {
                reader.literal_null()?;
                walk.append(b"null")?;
            }
            _ => walk.number(&mut reader)?,
        }
        loop {
            let Some(is_object) = walk.frames.last().map(|frame| frame.is_object) else {
                reader.finish()?;
                return walk.finish();
            };
            walk.append(b",")?;
            if is_object && let Some(member) = walk.members.last_mut() {
                member.text.1 = walk.out.len();
            }
            let bracket = reader.token();
            reader.consume();
            if bracket == b',' {
                if is_object {
                    walk.name(&mut reader)?;
                }
                break;
            }
            walk.close(bracket, reader.offset())?;
        }
    }
}

/// The fault of a vector that cannot grow.
fn no_memory<E>(_: E) -> Error {
    Error::new(ErrorKind::NoMemory, 0)
}

impl Walk {
    fn append(&mut self, bytes: &[u8]) -> Result<(), Error> {
        append(&mut self.out, bytes)
    }

    fn open(&mut self, bracket: u8) -> Result<(), Error> {
        self.append(&[bracket])?;
        self.frames.try_reserve(1).map_err(no_memory)?;
        self.frames.push(Frame {
            is_object: bracket == b'{',
            start: self.out.len(),
            first: self.members.len(),
            names: self.names.len(),
        });
        Ok(())
    }

    /// Reads a member's name and its colon.
    fn name<V: Vector>(&mut self, reader: &mut Reader<'_, V>) -> Result<(), Error> {
        reader.token();
        let (start, at) = (self.names.len(), self.out.len());
        let name = reader.string(&mut self.unescaped)?.bytes;
        let name = core::str::from_utf8(name).map_err(|_| Error::new(ErrorKind::InvalidUtf8, 0))?;
        self.names.try_reserve(name.len()).map_err(no_memory)?;
        self.names.push_str(name);
        write_string::<V>(&mut self.out, name.as_bytes())?;
        self.append(b":")?;
        self.members.try_reserve(1).map_err(no_memory)?;
        self.members.push(Member { name: (start, self.names.len()), text: (at, at) });
        reader.colon()
    }

    fn string<V: Vector>(&mut self, reader: &mut Reader<'_, V>) -> Result<(), Error> {
        let text = reader.string(&mut self.unescaped)?;
        write_string::<V>(&mut self.out, text.bytes)
    }

    fn number<V: Vector>(&mut self, reader: &mut Reader<'_, V>) -> Result<(), Error> {
        let start = reader.offset();
        let number = reader.number()?;
        let text = reader.span_from(start);
        let is_integer = !text.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E'));
        let value = match number {
            Number::Int(value) => value as f64,
            Number::UInt(value) => value as f64,
            Number::Float(value) => value,
        };
        let written = self.out.len();
        write_number(value, |part| append(&mut self.out, part))?;
        // The canonical form of a large integer ends in zeros, so that it is not exact itself.
        let is_canonical = self.out.get(written..) == Some(text);
        if is_integer && !is_canonical && !is_exact(text, value) {
            return Err(Error::new(ErrorKind::InexactInteger, start));
        }
        Ok(())
    }

    /// Ends the innermost container, whose last element has a comma behind it.
    fn close(&mut self, bracket: u8, at: usize) -> Result<(), Error> {
        let Some(frame) = self.frames.pop() else { return Ok(()) };
        if frame.is_object {
            self.order(&frame, at)?;
            self.members.truncate(frame.first);
            self.names.truncate(frame.names);
        }
        if let Some(last) = self.out.last_mut() {
            *last = bracket;
        }
        Ok(())
    }

    /// Puts the members of an object in order.
    fn order(&mut self, frame: &Frame, at: usize) -> Result<(), Error> {
        let Self { out, members, names, unordered, moved, ranges, .. } = self;
        let members = members.get_mut(frame.first..).unwrap_or(&mut []);
        let name = |member: &Member| names.get(member.name.0..member.name.1).unwrap_or("");
        let compare = |a: &Member, b: &Member| name(a).encode_utf16().cmp(name(b).encode_utf16());
        if members.is_sorted_by(|a, b| compare(a, b).is_lt()) {
            return Ok(());
        }
        members.sort_unstable_by(compare);
        if members.windows(2).any(|pair| name(&pair[0]) == name(&pair[1])) {
            return Err(Error::new(ErrorKind::DuplicateName, at));
        }
        let start = frame.start;
        if out.len() - start > SHORT {
            let first = ranges.len();
            ranges.try_reserve(members.len()).map_err(no_memory)?;
            ranges.extend(members.iter().map(|member| (member.text.0, member.text.1 - 1)));
            moved.try_reserve(1).map_err(no_memory)?;
            moved.push(Moved { start, end: out.len() - 1, first, last: ranges.len() });
            return Ok(());
        }
        unordered.clear();
        append(unordered, out.get(frame.start..).unwrap_or(&[]))?;
        out.truncate(frame.start);
        for member in members {
            let (from, to) = (member.text.0 - frame.start, member.text.1 - frame.start);
            append(out, unordered.get(from..to).unwrap_or(&[]))?;
        }
        Ok(())
    }

    /// Ends the document: puts the members of long objects in order.
    fn finish(self) -> Result<Vec<u8>, Error> {
        let Self { out, mut moved, ranges, .. } = self;
        if moved.is_empty() {
            return Ok(out);
        }
        moved.sort_unstable_by_key(|object| object.start);
        let mut text = Vec::new();
        text.try_reserve_exact(out.len()).map_err(no_memory)?;
        // What is to be written, the first part on top: a range, and whether a comma goes before.
        let mut parts = vec![];
        parts.try_reserve(1).map_err(no_memory)?;
        parts.push((0, out.len(), false));
        while let Some((from, to, comma)) = parts.pop() {
            if comma {
                append(&mut text, b",")?;
            }
            // The first object in the range; one that begins with it is around it.
            let next = moved.partition_point(|object| object.start <= from);
            let Some(object) = moved.get(next).filter(|object| object.start < to) else {
                append(&mut text, out.get(from..to).unwrap_or(&[]))?;
                continue;
            };
            append(&mut text, out.get(from..object.start).unwrap_or(&[]))?;
            let members = ranges.get(object.first..object.last).unwrap_or(&[]);
            parts.try_reserve(1 + members.len()).map_err(no_memory)?;
            parts.push((object.end, to, false));
            let members = members.iter().enumerate().rev();
            parts.extend(members.map(|(at, &(from, to))| (from, to, at > 0)));
        }
        Ok(text)
    }
}

/// Whether a double is exactly the integer with these digits.
pub(super) fn is_exact(text: &[u8], value: f64) -> bool {
    let mut expected = Expected(text.strip_prefix(b"-").unwrap_or(text));
    // Without a precision this would be the shortest decimal; with one it is exact.
    write!(expected, "{:.0}", value.abs()).is_ok() && expected.0.is_empty()
}

/// A text that is expected to be written; another one is an error.
struct Expected<'a>(&'a [u8]);

impl fmt::Write for Expected<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 = self.0.strip_prefix(text.as_bytes()).ok_or(fmt::Error)?;
        Ok(())
    }
}

fn append(target: &mut Vec<u8>, bytes: &[u8]) -> Result<(), Error> {
    target.try_reserve(bytes.len()).map_err(no_memory)?;
    target.extend_from_slice(bytes);
    Ok(())
}

/// Writes a text with quotes, and the escapes that RFC 8785, section 3.2.2.2, asks for.
fn write_string<V: Vector>(out: &mut Vec<u8>, mut text: &[u8]) -> Result<(), Error> {
    append(out, b"\"")?;
    loop {
        let run = string_run::<V>(text).len;
        let (plain, rest) = text.split_at_checked(run).unwrap_or((text, b""));
        append(out, plain)?;
        let Some((&stop, after)) = rest.split_first() else { break };
        let escape = escape_of(stop);
        append(out, escape.get(..escape[7] as usize).unwrap_or(b""))?;
        text = after;
    }
    append(out, b"\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::testing::{TierTest, for_each_tier};

    struct Case<'a>(&'a str, Result<&'a str, ErrorKind>);

    impl TierTest for Case<'_> {
        fn check<V: Vector>(&self) {
            let found = canonical::<V>(self.0.as_bytes());
            let found = found.map(|text| String::from_utf8(text).unwrap());
            assert_eq!(found.as_deref().map_err(|fault| fault.kind), self.1);
        }
    }

    #[test]
    fn the_example_of_the_rfc() {
        let text = r#"{
            "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
            "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
            "literals": [null, true, false]
        }"#;
        let expected = "{\"literals\":[null,true,false],\"numbers\":[333333333.3333333,1e+30,4.5,\
            0.002,1e-27],\"string\":\"\u{20ac}$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}";
        for_each_tier(&Case(text, Ok(expected)));
    }

    /// RFC 8785, section 3.2.3.
    #[test]
    fn names_are_ordered_by_utf_16() {
        let text = r#"{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh",
            "1":"One","\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"}"#;
        let expected = "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u{80}\":\"Control\",\"\u{f6}\":\"Latin Small Letter O \
            With Diaeresis\",\"\u{20ac}\":\"Euro Sign\",\"\u{1f600}\":\"Emoji: Grinning Face\",\"\u{fb33}\":\"Hebrew Letter Dalet \
            With Dagesh\"}";
        for_each_tier(&Case(text, Ok(expected)));
    }

    #[test]
    fn nested_objects_are_ordered() {
        let text = r#" {"b": {"d":[{"z":1,"y":{}}], "c":[]}, "a": "x", "":-0} "#;
        let expected = r#"{"":0,"a":"x","b":{"c":[],"d":[{"y":{},"z":1}]}}"#;
        for_each_tier(&Case(text, Ok(expected)));
    }

    /// Long objects, whose members are put in order at the end, in and beside short ones.
    #[test]
    fn long_objects_are_ordered() {
        for len in [0, 9, 24, 100] {
            let long = "x".repeat(len);
            let text = format!(
                r#"[{{"c":{{"z":"{long}","y":[{{"q":"{long}","p":{{}},"o":{{"b":1,"a":2}}}}],"x":1}},
                    "b":{{"s":3,"r":4}},"":"{long}"}},{{"f":5,"e":"{long}"}}]"#
            );
            let expected = format!(
                r#"[{{"":"{long}","b":{{"r":4,"s":3}},"c":{{"x":1,"y":[{{"o":{{"a":2,"b":1}},"p":{{}},"q":"{long}"}}],"z":"{long}"}}}},{{"e":"{long}","f":5}}]"#
            );
            for_each_tier(&Case(&text, Ok(&expected)));
        }
    }

    #[test]
    fn what_has_no_canonical_form() {
        for (text, kind) in [
            (r#"{"a":1,"\u0061":2}"#, ErrorKind::DuplicateName),
            ("9007199254740993", ErrorKind::InexactInteger),
            ("[-18446744073709551615]", ErrorKind::InexactInteger),
            ("1e400", ErrorKind::Infinity),
            ("[1,]", ErrorKind::TrailingComma),
            (r#""\ud800""#, ErrorKind::NoLowSurrogate),
        ] {
            for_each_tier(&Case(text, Err(kind)));
        }
        for_each_tier(&Case("18446744073709551616", Ok("18446744073709552000")));
        for_each_tier(&Case("9007199254740992", Ok("9007199254740992")));
        for_each_tier(&Case("18446744073709552000", Ok("18446744073709552000")));
        for_each_tier(&Case(
            "340282366920938463463374607431768211456",
            Ok("3.402823669209385e+38"),
        ));
        for_each_tier(&Case(
            "340282366920938463463374607431768211457",
            Err(ErrorKind::InexactInteger),
        ));
        let largest = format!("{:.0}", f64::MAX);
        for_each_tier(&Case(&largest, Ok("1.7976931348623157e+308")));
        let beside = format!("{}9", largest.get(..308).unwrap_or_default());
        for_each_tier(&Case(&beside, Err(ErrorKind::InexactInteger)));
    }

    struct Twice(String);

    impl TierTest for Twice {
        fn check<V: Vector>(&self) {
            if let Ok(once) = canonical::<V>(self.0.as_bytes()) {
                assert_eq!(canonical::<V>(&once).unwrap(), once);
                let value: serde_json::Value = serde_json::from_slice(&once).unwrap();
                assert_eq!(value, serde_json::from_str::<serde_json::Value>(&self.0).unwrap());
            }
        }
    }

    /// A value of objects and arrays, by the letters of a word.
    fn nested(words: &mut core::str::Chars<'_>, depth: usize) -> String {
        let Some(letter) = words.next() else { return "1".to_owned() };
        let count = letter as usize % 4;
        if depth == 0 || letter < 'd' {
            return format!("\"{}\"", letter.to_string().repeat(count * count));
        }
        let parts: Vec<String> = (0..count)
            .map(|at| {
                let value = nested(words, depth - 1);
                let name = words.next().unwrap_or('z');
                if letter < 'j' { value } else { format!("\"{name}{at}\" : {value}") }
            })
            .collect();
        if letter < 'j' {
            format!("[{}]", parts.join(" , "))
        } else {
            format!("{{{}}}", parts.join(" , "))
        }
    }

    /// `serde_json` sorts the members of its objects.
    struct Sorted(String);

    impl TierTest for Sorted {
        fn check<V: Vector>(&self) {
            let value: serde_json::Value = serde_json::from_str(&self.0).unwrap();
            let found = canonical::<V>(self.0.as_bytes()).unwrap();
            assert_eq!(String::from_utf8(found).unwrap(), value.to_string());
        }
    }

    proptest::proptest! {
        #[test]
        fn nested_objects_of_any_length_are_ordered(word in "[a-z]{0,60}") {
            for_each_tier(&Sorted(nested(&mut word.chars(), 6)));
        }

        #[test]
        fn the_form_of_a_form_is_itself(
            names in proptest::collection::vec("[a-c\u{e000}\u{1f600}é\n\"]{0,3}", 0..6),
            number in -1000i32..1000,
        ) {
            let members: Vec<String> = names
                .iter()
                .map(|name| format!("{} : [{number} , {{}}]", serde_json::to_string(name).unwrap()))
                .collect();
            for_each_tier(&Twice(format!("{{{}}}", members.join(" , "))));
        }
    }
}
