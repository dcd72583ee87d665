//! Columns against an oracle: each line read by `serde_json`, each value by the type of its column.
//!
//! Separate from the unit tests because this reads the buffers as a consumer does: offsets, bitmaps
//! and children by the rules of Arrow's columnar format.

mod made;

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use snooze_core::arch::{Dispatch, Tier};
use snooze_core::columns::{
    Array, Buffer, Builder, Checking, Drifting, Failure, Field, Inference, OnError, Options,
    Problem, Type,
};

use made::{STRICT, field};

fn is_valid(array: &Array, row: usize) -> bool {
    match &array.buffers[..] {
        [Buffer::Bytes(bits), ..] if array.nulls > 0 => bits[row / 8] >> (row % 8) & 1 == 1,
        [] => false,
        _ => true,
    }
}

fn text_at(array: &Array, row: usize) -> String {
    let (offsets, bytes) = match &array.buffers[1..] {
        [Buffer::I32(offsets), Buffer::Bytes(bytes)] => {
            (offsets.iter().map(|&at| at as usize).collect::<Vec<_>>(), bytes)
        }
        [Buffer::I64(offsets), Buffer::Bytes(bytes)] => {
            (offsets.iter().map(|&at| at as usize).collect(), bytes)
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(offsets.len(), array.rows + 1);
    String::from_utf8(bytes[offsets[row]..offsets[row + 1]].to_vec()).unwrap()
}

/// The value of a row, as a consumer reads it.
fn value_at(array: &Array, data: &Type, row: usize) -> Value {
    if !is_valid(array, row) {
        return Value::Null;
    }
    match (data, &array.buffers[1..]) {
        (Type::Bool, [Buffer::Bytes(bits)]) => json!(bits[row / 8] >> (row % 8) & 1 == 1),
        (_, [Buffer::I8(values)]) => json!(values[row]),
        (_, [Buffer::I16(values)]) => json!(values[row]),
        (Type::Int32, [Buffer::I32(values)]) => json!(values[row]),
        (_, [Buffer::I64(values)]) => json!(values[row]),
        (_, [Buffer::Bytes(values)]) => json!(values[row]),
        (_, [Buffer::U16(values)]) => json!(values[row]),
        (_, [Buffer::U32(values)]) => json!(values[row]),
        (_, [Buffer::U64(values)]) => json!(values[row]),
        (_, [Buffer::F64(values)]) => json!(values[row]),
        (Type::Utf8 | Type::LargeUtf8, _) => json!(text_at(array, row)),
        (Type::Json, _) => {
            let text = text_at(array, row);
            serde_json::from_str(&text).unwrap_or_else(|error| {
                // JSON, but beyond the range of a double.
                assert!(error.to_string().contains("out of range"), "{error}");
                json!(text)
            })
        }
        (Type::List(item), [Buffer::I32(offsets)]) => {
            assert_eq!(offsets.len(), array.rows + 1);
            assert_eq!(offsets[array.rows] as usize, array.children[0].rows);
            let rows = offsets[row] as usize..offsets[row + 1] as usize;
            rows.map(|row| value_at(&array.children[0], &item[0].data, row)).collect()
        }
        (Type::Map(item), [Buffer::I32(offsets)]) => {
            let [keys, items] = &array.children[0].children[..] else { panic!() };
            let rows = offsets[row] as usize..offsets[row + 1] as usize;
            let entry = |row| (text_at(keys, row), value_at(items, &item[0].data, row));
            Value::Object(rows.map(entry).collect())
        }
        (Type::Struct(fields), []) => {
            let member = |(array, field): (_, &Field)| {
                let value = value_at(array, &field.data, row);
                (field.name.clone(), value)
            };
            Value::Object(array.children.iter().zip(fields).map(member).collect())
        }
        other => panic!("{other:?}"),
    }
}

/// What a column of this type must hold for a value that fits.
fn expected(value: Option<&Value>, data: &Type) -> Value {
    match (data, value) {
        (_, None | Some(Value::Null)) => Value::Null,
        (Type::List(item), Some(Value::Array(items))) => {
            items.iter().map(|value| expected(Some(value), &item[0].data)).collect()
        }
        (Type::Map(item), Some(Value::Object(members))) => {
            let member =
                |(name, value): (&String, _)| (name.clone(), expected(Some(value), &item[0].data));
            Value::Object(members.iter().map(member).collect())
        }
        (Type::Struct(fields), Some(Value::Object(members))) => {
            let member = |field: &Field| {
                (field.name.clone(), expected(members.get(&field.name), &field.data))
            };
            Value::Object(fields.iter().map(member).collect())
        }
        (Type::Float64, Some(Value::Number(number))) => json!(number.as_f64().unwrap()),
        (_, Some(value)) => value.clone(),
    }
}

/// All rows of a batch.
fn rows_of(table: &Array, fields: &[Field]) -> Vec<Value> {
    assert_eq!(table.children.len(), fields.len());
    assert!(table.children.iter().all(|column| column.rows == table.rows));
    let data = Type::Struct(fields.to_vec());
    (0..table.rows).map(|row| value_at(table, &data, row)).collect()
}

/// Reads lines, split into windows at some line ends, on one tier.
fn read(
    fields: &[Field],
    options: Options,
    tier: Tier,
    windows: &[&str],
) -> Result<(Array, Vec<Problem>), Failure> {
    let mut builder = Builder::new(fields, options, None).unwrap();
    // The second batch of a builder must not know of the first.
    let mut result = Err(Failure::NoMemory);
    for _ in 0..2 {
        builder.start(usize::MAX).unwrap();
        let mut offset = 0;
        for window in windows {
            builder.add(Dispatch::detect(Some(tier)), window.as_bytes(), offset)?;
            offset += window.len() as u64;
        }
        let (problems, _) = builder.take_problems();
        result = Ok((builder.finish().unwrap(), problems));
    }
    result
}

fn types() -> impl Strategy<Value = Type> {
    let leaf = prop_oneof![
        Just(Type::Bool),
        Just(Type::Int64),
        Just(Type::Int16),
        Just(Type::UInt64),
        Just(Type::UInt8),
        Just(Type::Float64),
        Just(Type::Utf8),
        Just(Type::LargeUtf8),
        Just(Type::Json),
        Just(Type::Null),
    ];
    leaf.prop_recursive(3, 20, 4, |inner| {
        prop_oneof![
            inner.clone().prop_map(|data| Type::List(Box::new([field("item", data)]))),
            inner.clone().prop_map(|data| Type::Map(Box::new([field("value", data)]))),
            proptest::collection::vec(inner, 0..4).prop_map(|types| Type::Struct(
                types
                    .into_iter()
                    .enumerate()
                    .map(|(at, data)| field(&format!("f{at}\""), data))
                    .collect()
            )),
        ]
    })
}

fn any_json() -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        (-1000i64..1000).prop_map(|value| json!(value as f64 / 8.0)),
        "[a-cé\n\"\\\\]{0,6}".prop_map(Into::into),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Into::into),
            proptest::collection::btree_map("[a-c]{1,2}", inner, 0..3)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
    .boxed()
}

/// Values that fit a type, or are null.
fn values(data: &Type) -> BoxedStrategy<Value> {
    let value = match data {
        Type::Null => Just(Value::Null).boxed(),
        Type::Bool => any::<bool>().prop_map(Into::into).boxed(),
        Type::Int64 => prop_oneof![any::<i64>(), -1000i64..1000].prop_map(Into::into).boxed(),
        Type::Int16 => any::<i16>().prop_map(Into::into).boxed(),
        Type::UInt64 => prop_oneof![any::<u64>(), 0u64..1000].prop_map(Into::into).boxed(),
        Type::UInt8 => any::<u8>().prop_map(Into::into).boxed(),
        Type::Float64 => prop_oneof![
            any::<f64>().prop_filter("finite", |value| value.is_finite()).prop_map(Into::into),
            (-1i64 << 53..1 << 53).prop_map(Into::into),
        ]
        .boxed(),
        Type::Utf8 | Type::LargeUtf8 => {
            "[ -~é語\n\u{1f600}]{0,20}|[a-z\"\\\\]{30,80}".prop_map(Into::into).boxed()
        }
        Type::Json => any_json(),
        Type::List(item) => {
            proptest::collection::vec(values(&item[0].data), 0..4).prop_map(Into::into).boxed()
        }
        Type::Map(item) => {
            proptest::collection::btree_map("[a-zé]{0,3}", values(&item[0].data), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect()))
                .boxed()
        }
        Type::Struct(fields) => objects(fields.clone()),
        other => panic!("{other:?}"),
    };
    prop_oneof![1 => Just(Value::Null), 6 => value].boxed()
}

/// Objects with some of the fields in any order, and other members among them.
fn objects(fields: Vec<Field>) -> BoxedStrategy<Value> {
    let members: Vec<_> = fields
        .iter()
        .map(|field| {
            let name = field.name.clone();
            proptest::option::weighted(0.8, values(&field.data))
                .prop_map(move |value| value.map(|value| (name.clone(), value)))
        })
        .collect();
    let others = proptest::collection::vec(("other[0-9]", any_json()), 0..2);
    (members, others)
        .prop_map(|(members, others)| members.into_iter().flatten().chain(others).collect())
        .prop_shuffle()
        .prop_map(|members: Vec<(String, Value)>| {
            Value::Object(members.into_iter().collect::<Map<_, _>>())
        })
        .boxed()
}

/// Fields and records that fit them.
fn tables() -> impl Strategy<Value = (Vec<Field>, Vec<Value>)> {
    proptest::collection::vec(types(), 0..5).prop_flat_map(|types| {
        let fields: Vec<Field> = types
            .into_iter()
            .enumerate()
            .map(|(at, data)| field(&format!("column é{at}"), data))
            .collect();
        let records = proptest::collection::vec(objects(fields.clone()), 0..12);
        (Just(fields), records)
    })
}

/// Lines of these records, with some that are empty, in windows of up to `size` lines.
fn windows_of(records: &[Value], size: usize) -> Vec<String> {
    let lines: Vec<String> = records
        .iter()
        .enumerate()
        .map(|(at, record)| match at % 4 {
            0 => format!("{record}\n"),
            1 => format!("  {record} \r\n"),
            2 => format!("\n{record}\n"),
            _ => format!("{record}\n \t\n"),
        })
        .collect();
    let mut windows: Vec<String> = lines.chunks(size).map(<[String]>::concat).collect();
    if let Some(last) = windows.last_mut() {
        *last = last.trim_end().to_owned();
    }
    windows
}

proptest! {
    #[test]
    fn records_that_fit((fields, records) in tables(), size in 1usize..6) {
        let windows = windows_of(&records, size);
        let windows: Vec<&str> = windows.iter().map(|window| &window[..]).collect();
        let wanted: Vec<Value> = records
            .iter()
            .map(|record| expected(Some(record), &Type::Struct(fields.clone())))
            .collect();
        for tier in Tier::ALL {
            for checks_all in [true, false] {
                let options = Options { checks_all, ..STRICT };
                let (table, problems) = read(&fields, options, tier, &windows).unwrap();
                prop_assert_eq!(&rows_of(&table, &fields), &wanted);
                prop_assert_eq!(problems.len(), 0);
            }
        }
    }

    #[test]
    fn inferred_columns_hold_every_record(records in proptest::collection::vec(objects(Vec::new()), 0..12)) {
        let windows = windows_of(&records, 3).concat();
        let mut inference = Inference::new(None, Checking::WhileReading);
        inference.add(Dispatch::detect(None), windows.as_bytes()).unwrap();
        let fields = inference.fields(Drifting::Widened).unwrap();
        let strict = Options { refuses_others: true, ..STRICT };
        let (table, _) = read(&fields, strict, Tier::Avx512, &[&windows]).unwrap();
        let schema = Type::Struct(fields.clone());
        let wanted: Vec<Value> = records.iter().map(|one| expected(Some(one), &schema)).collect();
        prop_assert_eq!(rows_of(&table, &fields), wanted);
    }

    #[test]
    fn what_does_not_fit_is_in_the_rest(
        (fields, _) in tables(),
        records in proptest::collection::vec(objects(Vec::new()), 0..8),
        other in tables(),
    ) {
        // Records of another schema with the same names: most values do not fit.
        let records: Vec<Value> = records.into_iter().chain(other.1).collect();
        let windows = windows_of(&records, 3).concat();
        let options = Options { has_rest: true, ..STRICT };
        let (mut table, _) = read(&fields, options, Tier::Avx512, &[&windows]).unwrap();
        let rest = table.children.pop().unwrap();
        let rows = rows_of(&table, &fields);
        prop_assert_eq!(rows.len(), records.len());
        for (row, (record, mut found)) in records.iter().zip(rows).enumerate() {
            if let Value::Object(pointers) = value_at(&rest, &Type::Json, row) {
                for (pointer, value) in pointers {
                    insert(&mut found, &pointer, value);
                }
            }
            prop_assert_eq!(without_nulls(&found), without_nulls(record));
        }
    }

    #[test]
    fn damaged_text_never_panics(
        (fields, records) in tables(),
        position: usize,
        byte: u8,
    ) {
        let mut text = windows_of(&records, 100).concat().into_bytes();
        if !text.is_empty() {
            let position = position % text.len();
            text[position] = byte;
        }
        for on_error in [OnError::Skip, OnError::Null] {
            let options = Options { on_error, ..STRICT };
            let mut builder = Builder::new(&fields, options, None).unwrap();
            builder.start(usize::MAX).unwrap();
            builder.add(Dispatch::detect(None), &text, 0).unwrap();
            let table = builder.finish().unwrap();
            rows_of(&table, &fields);
        }
    }
}

/// Puts a value back where its pointer says.
fn insert(record: &mut Value, pointer: &str, value: Value) {
    if let Some(place) = record.pointer_mut(pointer) {
        *place = value;
        return;
    }
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    let name = name.replace("~1", "/").replace("~0", "~");
    if let Some(Value::Object(members)) = record.pointer_mut(parent) {
        members.insert(name, value);
    } else {
        panic!("{pointer} in {record}");
    }
}

/// A value without the members that are null: a column cannot tell them from missing ones.
fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(without_nulls).collect(),
        Value::Object(members) => Value::Object(
            members
                .iter()
                .filter(|(_, value)| !value.is_null())
                .map(|(name, value)| (name.clone(), without_nulls(value)))
                .collect(),
        ),
        Value::Number(number) => json!(number.as_f64()),
        other => other.clone(),
    }
}

fn problem_of(data: Type, line: &str) -> (String, String, String, u64) {
    let window = format!("{{}}\n{line}\n");
    match read(&[field("a", data)], STRICT, Tier::Avx512, &[&window]) {
        Err(Failure::Record(problem)) => {
            assert_eq!(problem.line, 1);
            (problem.path, problem.expected, problem.found, problem.offset - 3)
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn problems_name_the_place() {
    let list = Type::List(Box::new([field("item", Type::Struct(vec![field("b/c", Type::Int8)]))]));
    let required = Field { nullable: false, ..field("id", Type::Int64) };
    type Place = (&'static str, &'static str, &'static str, u64);
    let cases: [(Type, &str, Place); 12] = [
        (Type::Int64, r#"{"a":1.5}"#, ("/a", "int64", "number 1.5", 5)),
        (Type::Int64, r#"{"a":"x"}"#, ("/a", "int64", "string \"x\"", 5)),
        (Type::Int8, r#"{"a":128}"#, ("/a", "int8", "number 128", 5)),
        (Type::UInt8, r#"{"a":-1}"#, ("/a", "uint8", "number -1", 5)),
        (
            Type::Float64,
            r#"{"a":9007199254740993}"#,
            ("/a", "number that float64 holds", "number 9007199254740993", 5),
        ),
        (Type::Utf8, r#"{"a":[1]}"#, ("/a", "string", "array", 5)),
        (list, r#"{"a":[{},{"b/c":500}]}"#, ("/a/1/b~1c", "int8", "number 500", 16)),
        (
            Type::Struct(vec![required]),
            r#"{"a":{"x":1}}"#,
            ("/a", "member \"id\"", "no such member", 12),
        ),
        (Type::Bool, "[1]", ("", "object", "array", 0)),
        (
            Type::Bool,
            r#"{"a":tru}"#,
            ("/a", "a JSON object on one line", "invalid literal, expected 'true'", 5),
        ),
        (
            Type::Utf8,
            r#"{"a":"\ud800"}"#,
            ("/a", "a JSON object on one line", "no low surrogate in string", 6),
        ),
        (
            Type::Bool,
            r#"{"a":true"#,
            ("", "a JSON object on one line", "unexpected end of data", 9),
        ),
    ];
    for (data, line, (path, expected, found, offset)) in cases {
        let wanted = (path.to_owned(), expected.to_owned(), found.to_owned(), offset);
        assert_eq!(problem_of(data, line), wanted, "{line}");
    }
}

/// What a column of floats has for an integer; `None` if the integer does not fit.
fn float_of(data: &Type, integer: &str) -> Option<f64> {
    let line = format!("{{\"a\":{integer}}}\n");
    let fields = [field("a", data.clone())];
    match read(&fields, STRICT, Tier::Avx512, &[&line]) {
        Ok((table, _)) => match &table.children[0].buffers[1..] {
            [Buffer::F32(values)] => Some(values[0].into()),
            [Buffer::F64(values)] => Some(values[0]),
            other => panic!("{other:?}"),
        },
        Err(Failure::Record(problem)) => {
            assert_eq!(problem.found, format!("number {integer}"));
            None
        }
        Err(other) => panic!("{other:?}"),
    }
}

#[test]
fn integers_of_float_columns_must_be_exact() {
    for (data, digits) in [(Type::Float32, 24), (Type::Float64, 53)] {
        let whole = 1_i128 << digits;
        let fits = [0, 1, -1, whole - 1, whole, -whole, whole + 2, 1 << 63, -(1 << 63)];
        let rounded = [whole + 1, -whole - 1, 2 * whole + 2, (1 << 63) - 1, (1 << 64) - 1];
        for value in fits {
            assert_eq!(float_of(&data, &value.to_string()), Some(value as f64), "{data:?}");
        }
        for value in rounded {
            assert_eq!(float_of(&data, &value.to_string()), None, "{data:?} {value}");
        }
    }
}

#[test]
fn a_record_must_end_on_its_line() {
    for text in
        ["{\"a\":\n1}\n", "{\"a\":1\n}\n{}\n", "{\"a\":1}{}\n", "{\"a\":1} x\n", "{\"a\":\"\n\"}"]
    {
        let failure = read(&[field("a", Type::Int64)], STRICT, Tier::Avx512, &[text]).unwrap_err();
        assert!(matches!(failure, Failure::Record(Problem { line: 0, .. })), "{text:?}");
    }
}

#[test]
fn policies() {
    let fields =
        [field("a", Type::Int64), field("b", Type::List(Box::new([field("item", Type::Utf8)])))];
    let text = concat!(
        r#"{"a":1,"b":["x","y"]}"#,
        "\n",
        r#"{"a":2,"b":["z",3]}"#,
        "\n",
        r#"{"a":3,"b":["w"]"#,
        "\n",
        r#"{"a":"4","b":[],"c":5}"#,
        "\n"
    );
    let all = |on_error| {
        let options = Options { on_error, ..STRICT };
        let (table, problems) = read(&fields, options, Tier::Avx512, &[text]).unwrap();
        let lines: Vec<u64> = problems.iter().map(|problem| problem.line).collect();
        (rows_of(&table, &fields), lines)
    };
    let first = json!({"a": 1, "b": ["x", "y"]});
    assert_eq!(all(OnError::Skip), (vec![first.clone()], vec![1, 2, 3]));
    let nulls = vec![first, json!({"a": 2, "b": ["z", null]}), json!({"a": null, "b": []})];
    assert_eq!(all(OnError::Null), (nulls, vec![1, 2, 3]));
}

#[test]
fn members_are_read_however_they_are_written() {
    let fields = [
        field("name", Type::Utf8),
        field("n", Type::Int64),
        field("f", Type::Float64),
        field("b", Type::Bool),
        field("in", Type::Struct(vec![field("name", Type::Utf8), field("n", Type::Int64)])),
    ];
    let usual = r#"{"name":"é x","n":-7,"f":1.5,"b":true,"in":{"name":"y","n":1},"other":"z"}"#;
    let long = "x".repeat(99);
    let others = [
        r#"{"name" : "é x" , "n": -7, "f":1.5 ,"b":true, "in" : {"name":"y", "n":1} }"#.to_owned(),
        r#"{"n":-7,"name":"é x","b":true,"f":1.5,"in":{"n":1,"name":"y"}}"#.to_owned(),
        r#"{"name":"\u00e9 x","n":-7,"f":15e-1,"b":true,"in":{"name":"\u0079","n":1}}"#.to_owned(),
        r#"{"name":"w","n":3,"f":2.5,"b":false,"name":"é x","n":-7,"f":1.5,"b":true,"in":{"name":"y","n":1}}"#
            .to_owned(),
        r#"{"n\u0061me":"é x","n":-7,"f":1.5,"b":true,"in":{"name":"y","n":1}}"#.to_owned(),
    ];
    let rows = [
        r#"{"name":null,"n":null,"f":null,"b":null,"in":null}"#.to_owned(),
        format!(r#"{{"name":"{long}","n":12345678901234567}}"#),
    ];
    for dispatch in Tier::ALL.into_iter().filter_map(Dispatch::new) {
        for checks_all in [true, false] {
            let options = Options { checks_all, ..STRICT };
            let mut builder = Builder::new(&fields, options, None).unwrap();
            builder.start(usize::MAX).unwrap();
            let mut lines = Vec::new();
            for other in &others {
                lines.extend([usual, other, &rows[0], usual, &rows[1]]);
            }
            let text = lines.join("\n") + "\n" + &" ".repeat(99);
            builder.add(dispatch, text.as_bytes(), 0).unwrap();
            let found = rows_of(&builder.finish().unwrap(), &fields);
            assert_eq!(found.len(), lines.len());
            for five in found.chunks(5) {
                assert_eq!(five[0]["name"], json!("é x"));
                assert_eq!(five[0]["in"], json!({"name": "y", "n": 1}));
                assert_eq!(five[0]["n"], json!(-7));
                assert_eq!((&five[1], &five[3]), (&five[0], &five[0]));
                assert!(five[2].as_object().unwrap().values().all(Value::is_null));
                assert_eq!(five[4]["n"], json!(12_345_678_901_234_567_i64));
                assert_eq!(five[4]["name"], json!(long));
            }
        }
    }
}

#[test]
fn the_last_of_equal_members_counts() {
    let fields = [
        field("a", Type::List(Box::new([field("item", Type::Utf8)]))),
        field("b", Type::Struct(vec![field("c", Type::Int64), field("d", Type::Bool)])),
    ];
    let text = r#"{"a":["x"],"b":{"c":1},"a":[],"a":["y","z"],"b":{"d":true,"c":2,"c":null}}"#;
    let (table, _) = read(&fields, STRICT, Tier::Avx512, &[text]).unwrap();
    let wanted = json!({"a": ["y", "z"], "b": {"c": null, "d": true}});
    assert_eq!(rows_of(&table, &fields), [wanted]);
}

#[test]
fn a_table_without_columns_still_has_rows() {
    let (table, _) = read(&[], STRICT, Tier::Avx512, &["{}\n{\"a\":1}\n"]).unwrap();
    assert_eq!((table.rows, table.children.len()), (2, 0));
}
