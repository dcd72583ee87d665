//! The type that holds all values that were seen at one place.
//!
//! Separate from `infer` because it is the policy: a table of rules, tested alone. Invariant: the
//! type holds every value exactly, as `loads` would read it; where no other type does, it is JSON
//! text.
//!
//! | seen | type |
//! |---|---|
//! | nothing but null | `null` |
//! | booleans, strings | `bool`, `utf8` |
//! | integers | `int64`; `uint64` if one is above 2^63 - 1 and none below 0; else `decimal128(38, 0)` |
//! | integers of more than 38 digits | JSON text |
//! | numbers, with points or exponents | `float64`; JSON text if an integer is not exactly a double |
//! | arrays, objects | list, struct |
//! | any two of these, excessive nesting or members | JSON text |
//!
//! With [`Drifting::Text`], a column in which anything drifts is JSON text as a whole: values of
//! two types, also integers beside floats; objects of which some lack a member.

use super::infer::{Inference, Seen, SeenField};
use super::memory::{NoMemory, push, write_text};
use super::schema::{Field, Type};

/// What becomes of a column whose values change their type from record to record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drifting {
    /// Its type, or that inside it, becomes wider, and JSON text where no type is wide enough.
    Widened,
    /// It is JSON text as a whole.
    Text,
}

impl Inference {
    /// The columns for what was seen, in the order of first appearance; only the wanted ones, if
    /// some are.
    pub fn fields(&self, drifting: Drifting) -> Result<Vec<Field>, NoMemory> {
        let seen = self.root.objects.first().map_or(&[][..], |object| &object.fields);
        let mut fields = fields_of(seen)?;
        if drifting == Drifting::Text {
            let wanted = seen.iter().filter(|field| field.wanted);
            for (field, seen) in fields.iter_mut().zip(wanted) {
                if seen.seen.drifts() {
                    field.data = Type::Json;
                }
            }
        }
        Ok(fields)
    }
}

fn text(text: &str) -> Result<String, NoMemory> {
    let mut copy = String::new();
    write_text(&mut copy, format_args!("{text}"))?;
    Ok(copy)
}

/// The fields of a struct.
fn fields_of(seen: &[SeenField]) -> Result<Vec<Field>, NoMemory> {
    let mut fields = Vec::new();
    for field in seen.iter().filter(|field| field.wanted) {
        let name = text(core::str::from_utf8(&field.name).unwrap_or("\u{fffd}"))?;
        push(&mut fields, Field { name, data: field.seen.data_type()?, nullable: true })?;
    }
    Ok(fields)
}

impl Seen {
    /// The kinds of values, as flags.
    fn kinds(&self) -> [bool; 5] {
        let is_number = self.integer || self.float;
        let (has_items, has_objects) = (!self.items.is_empty(), !self.objects.is_empty());
        [self.boolean, self.string, is_number, has_items, has_objects]
    }

    /// Whether no type holds all values, because they are of several kinds.
    fn is_mixed(&self) -> bool {
        self.excessive || self.kinds().iter().filter(|&&kind| kind).count() > 1
    }

    /// Whether the values, or those inside them, are not all of one type. Null is of any. The depth
    /// is limited, because what is deeper was not seen.
    fn drifts(&self) -> bool {
        self.is_mixed()
            || (self.integer && self.float)
            || self.items.iter().any(Self::drifts)
            || self.objects.iter().any(|object| {
                let lacks = |field: &SeenField| field.count < object.count;
                object.fields.iter().any(|field| lacks(field) || field.seen.drifts())
            })
    }

    /// The type that holds all values.
    fn data_type(&self) -> Result<Type, NoMemory> {
        if self.is_mixed() {
            return Ok(Type::Json);
        }
        Ok(match (self.items.first(), self.objects.first()) {
            (Some(items), _) => {
                let item = Field { name: text("item")?, data: items.data_type()?, nullable: true };
                Type::List(item.boxed()?)
            }
            // A field cannot be named so: its name would end there for C.
            (_, Some(object)) if object.fields.iter().any(|field| field.name.contains(&0)) => {
                Type::Json
            }
            (_, Some(object)) => Type::Struct(fields_of(&object.fields)?),
            _ if self.boolean => Type::Bool,
            _ if self.string => Type::Utf8,
            _ if self.float && self.inexact => Type::Json,
            _ if self.float => Type::Float64,
            _ if self.big_digits > 38 => Type::Json,
            _ if self.big_digits > 0 || (self.above_i64 && self.negative) => {
                Type::Decimal { precision: 38, scale: 0 }
            }
            _ if self.above_i64 => Type::UInt64,
            _ if self.integer => Type::Int64,
            _ => Type::Null,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::infer::Checking;
    use super::*;
    use crate::arch::Dispatch;

    fn inferred(lines: &str) -> Type {
        Type::Struct(fields(lines, Drifting::Widened))
    }

    fn fields(lines: &str, drifting: Drifting) -> Vec<Field> {
        let mut inference = Inference::new(None, Checking::WhileReading);
        inference.add(Dispatch::detect(None), lines.as_bytes()).unwrap();
        inference.fields(drifting).unwrap()
    }

    /// The type of `a` in records with these values.
    fn type_of(values: &[&str]) -> Type {
        let lines: String = values.iter().map(|value| format!("{{\"a\":{value}}}\n")).collect();
        match inferred(&lines) {
            Type::Struct(mut fields) => fields.remove(0).data,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn every_rule() {
        let decimal = Type::Decimal { precision: 38, scale: 0 };
        let long = "9".repeat(39);
        for (values, expected) in [
            (&["null"][..], Type::Null),
            (&["true", "null", "false"], Type::Bool),
            (&["\"x\"", "null"], Type::Utf8),
            (&["1", "-5"], Type::Int64),
            (&["9223372036854775807"], Type::Int64),
            (&["9223372036854775808", "1"], Type::UInt64),
            (&["18446744073709551615", "-1"], decimal.clone()),
            (&["18446744073709551616"], decimal.clone()),
            (&["1180591620717411303424"], decimal.clone()),
            (&[&long], Type::Json),
            (&["1", "1500.5"], Type::Float64),
            (&["1e2"], Type::Float64),
            (&["9007199254740993", "0.5"], Type::Json),
            (&["9007199254740992", "0.5"], Type::Float64),
            (&["18446744073709551616", "0.5"], Type::Json),
            (&["1e400"], Type::Json),
            (&["1", "\"x\""], Type::Json),
            (&["1", "{}"], Type::Json),
            (&["[]", "{}"], Type::Json),
            (&["{}"], Type::Struct(Vec::new())),
            (&["{\"\\u0000\":1}"], Type::Json),
        ] {
            assert_eq!(type_of(values), expected, "{values:?}");
        }
        let Type::List(item) = type_of(&["[]", "[1, null]", "[\"x\"]"]) else { panic!() };
        assert_eq!(item[0].data, Type::Json);
        let Type::Struct(fields) = type_of(&["{\"b\":1}", "{\"c\":null,\"b\":2}"]) else {
            panic!()
        };
        let names: Vec<_> = fields.iter().map(|field| (&field.name[..], &field.data)).collect();
        assert_eq!(names, [("b", &Type::Int64), ("c", &Type::Null)]);
    }

    #[test]
    fn columns_that_drift_are_text() {
        for (values, drifts) in [
            (&["null", "1", "18446744073709551616", "-1"][..], false),
            (&["1", "2.0"], true),
            (&["1", "\"x\""], true),
            (&["\"x\"", "null"], false),
            (&["[]", "[1, null]"], false),
            (&["[1]", "[2.5]"], true),
            (&["[1]", "{}"], true),
            (&["{\"b\":1,\"c\":2}", "null", "{\"c\":3,\"b\":null}"], false),
            (&["{\"b\":1}", "{\"b\":1,\"c\":2}"], true),
            (&["{\"b\":1,\"c\":2}", "{\"b\":1,\"b\":2}"], true),
            (&["{\"b\":1}", "{\"b\":1,\"b\":2}"], false),
            (&["{\"b\":1}", "{}"], true),
            (&["{}", "{}"], false),
            (&["[{\"b\":[{\"c\":1}]}]", "[{\"b\":[{\"c\":\"x\"}]}]"], true),
            (&["1e400", "1"], true),
        ] {
            let lines: String = values.iter().map(|one| format!("{{\"a\":{one}}}\n")).collect();
            let [widened, text] = [Drifting::Widened, Drifting::Text]
                .map(|drifting| fields(&lines, drifting).remove(0).data);
            let expected = if drifts { Type::Json } else { widened };
            assert_eq!(text, expected, "{values:?}");
        }
        // A record may lack a column, which is null then.
        let found = fields("{\"a\":1}\n{\"b\":true}\n", Drifting::Text);
        assert_eq!(
            found.iter().map(|one| &one.data).collect::<Vec<_>>(),
            [&Type::Int64, &Type::Bool]
        );
    }

    #[test]
    fn deep_values_are_text() {
        let deep = "[".repeat(70) + &"]".repeat(70);
        let mut seen = type_of(&[&deep]);
        let mut depth = 0;
        while let Type::List(item) = seen {
            let [item] = *item;
            seen = item.data;
            depth += 1;
        }
        assert_eq!((seen, depth), (Type::Json, super::super::infer::MAX_NESTING - 1));
    }

    #[test]
    fn careful_inference_ignores_wrong_records() {
        let lines = "{\"a\":1}\n{\"b\":2,\n{\"a\":2}\n[]\n\n{\"c\":1}]\n";
        for (wrong, saw_wrong_record) in
            [(lines, true), ("{\"b\":2} {}\n", true), ("{} \t\r\n", false)]
        {
            let mut inference = Inference::new(None, Checking::WhileReading);
            inference.add(Dispatch::detect(None), wrong.as_bytes()).unwrap();
            assert_eq!(inference.saw_wrong_record(), saw_wrong_record, "{wrong}");
        }
        let mut inference = Inference::new(None, Checking::BeforeReading);
        inference.add(Dispatch::detect(None), lines.as_bytes()).unwrap();
        assert!(!inference.saw_wrong_record());
        assert_eq!(inference.fields(Drifting::Widened).unwrap().len(), 1);
    }

    #[test]
    fn a_wrong_record_takes_nothing_from_the_lines_after_it() {
        // The first line ends inside a container; the others are right.
        for first in ["{\"a\":[", "{\"a\":1,\"x\":{\"y\":", "{\"a\":\"t", "{\"a\"", "{"] {
            let lines = format!("{first}\n{{\"b\":2}}\n{{\"c\":[true]}}\n");
            for columns in [None, Some(vec!["b".to_owned(), "c".to_owned()])] {
                for checking in
                    [Checking::Unchecked, Checking::WhileReading, Checking::BeforeReading]
                {
                    let mut inference = Inference::new(columns.clone(), checking);
                    inference.add(Dispatch::detect(None), lines.as_bytes()).unwrap();
                    let fields = inference.fields(Drifting::Widened).unwrap();
                    let types = |name| {
                        let mut found = fields.iter().filter(|field| field.name == name);
                        found.next().map(|field| field.data.clone())
                    };
                    assert_eq!(types("b"), Some(Type::Int64), "{first} {checking:?}");
                    assert!(matches!(types("c"), Some(Type::List(_))), "{first} {checking:?}");
                    assert!(checking != Checking::WhileReading || inference.saw_wrong_record());
                }
            }
        }
    }
}
