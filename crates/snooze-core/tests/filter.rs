//! Filters of records: what is read for them, and what becomes of wrong records.
//!
//! Separate from `columns`, which reads all records. The oracle is a filter of the whole table.

mod made;

use proptest::prelude::*;
use serde_json::{Value, json};
use snooze_core::arch::Dispatch;
use snooze_core::columns::{
    Array, Buffer, Builder, Comparison, Constant, Failure, Field, Filter, OnError, Options, Step,
    Type,
};

use made::{STRICT, field};

fn fields() -> Vec<Field> {
    vec![field("id", Type::Int64), field("t", Type::Utf8)]
}

fn compare(path: usize, comparison: Comparison, constant: Constant) -> Step {
    Step::Compare(vec![path], comparison, constant)
}

fn text(text: &str) -> Constant {
    Constant::Text(text.into())
}

fn builder(options: Options, steps: Vec<Step>) -> Builder {
    let filter = Filter::new(fields(), steps).unwrap();
    Builder::new(&fields(), options, Some(&filter)).unwrap()
}

fn ids(table: &Array) -> Vec<i64> {
    match &table.children[0].buffers[1] {
        Buffer::I64(values) => values.clone(),
        other => panic!("{other:?}"),
    }
}

/// The ids of the records that pass, read in windows of two lines.
fn passing(options: Options, steps: Vec<Step>, lines: &[String]) -> Result<Vec<i64>, Failure> {
    let mut builder = builder(options, steps);
    builder.start(usize::MAX).unwrap();
    for window in lines.chunks(2) {
        builder.add(Dispatch::detect(None), window.concat().as_bytes(), 0)?;
    }
    assert_eq!(builder.lines(), lines.len() as u64);
    Ok(ids(&builder.finish().unwrap()))
}

/// A text as JSON, with some characters as escapes.
fn spelt(text: &str, escapes: u8) -> String {
    let spelt = |(at, one): (usize, char)| match escapes >> (at % 8) & 1 {
        1 => format!("\\u{:04x}", u32::from(one)),
        _ => one.to_string(),
    };
    format!("\"{}\"", text.chars().enumerate().map(spelt).collect::<String>())
}

proptest! {
    #[test]
    fn lines_without_the_text_are_passed_over(
        texts in proptest::collection::vec(("[ab\u{e9}]{0,3}", any::<u8>(), 0..4u8), 0..12),
        wanted in "[ab\u{e9}]{0,2}",
        other in "[ab\u{e9}]{0,2}",
    ) {
        let lines: Vec<String> = (0..).zip(&texts).map(|(id, (value, escapes, shape))| {
            let value = spelt(value, *escapes);
            match shape {
                0 => format!("{{\"id\":{id},\"t\":{value}}}\n"),
                1 => format!("{{ \"t\" : {value} , \"other\": \"ab\", \"id\":{id} }}\r\n"),
                2 => format!("{{\"id\":{id},\"t\":null,\"x\":{value}}}\n"),
                _ => "\n".to_owned(),
            }
        }).collect();
        let found = |is_wanted: &dyn Fn(&str) -> bool| -> Vec<i64> {
            (0..).zip(&texts)
                .filter(|(_, (value, _, shape))| *shape < 2 && is_wanted(value))
                .map(|(id, _)| id)
                .collect()
        };
        let equal = |one: &str| compare(1, Comparison::Equal, text(one));
        let starts = |one: &str| Step::StartsWith(vec![1], one.into());
        for checks_all in [true, false] {
            let options = Options { checks_all, ..STRICT };
            let either = vec![equal(&wanted), starts(&other), Step::Or];
            prop_assert_eq!(
                passing(options, either, &lines).unwrap(),
                found(&|one| one == wanted || one.starts_with(&other))
            );
            let both = vec![equal(&wanted), starts(&other), Step::And];
            prop_assert_eq!(
                passing(options, both, &lines).unwrap(),
                found(&|one| one == wanted && one.starts_with(&other))
            );
            let not = vec![equal(&wanted), Step::Not];
            prop_assert_eq!(passing(options, not, &lines).unwrap(), found(&|one| one != wanted));
        }
    }
}

#[test]
fn a_batch_ends_with_its_last_row() {
    let lines = "{\"id\":1}\n{\"id\":2}\n{\"id\":3}\n{\"id\":\"wrong\"}\n";
    let steps = || vec![compare(0, Comparison::Greater, Constant::Integer(1))];
    let mut filtered = builder(STRICT, steps());
    let mut all = Builder::new(&fields(), STRICT, None).unwrap();
    for (builder, expected) in [(&mut filtered, [2, 3]), (&mut all, [1, 2])] {
        builder.start(2).unwrap();
        builder.add(Dispatch::detect(None), lines.as_bytes(), 0).unwrap();
        assert!(builder.is_full());
        assert_eq!(ids(&builder.finish().unwrap()), expected);
        builder.start(usize::MAX).unwrap();
        let failure = builder.add(Dispatch::detect(None), lines.as_bytes(), 0);
        assert!(matches!(failure, Err(Failure::Record(_))));
    }
}

/// The rows, and the lines that are reported, of records read in one window.
fn outcome(options: Options, steps: Vec<Step>, lines: &str) -> Result<(usize, Vec<u64>), Failure> {
    // Only the first column is tested.
    let filter = Filter::new(fields()[..1].to_vec(), steps).unwrap();
    let mut builder = Builder::new(&fields(), options, Some(&filter)).unwrap();
    builder.start(usize::MAX).unwrap();
    builder.add(Dispatch::detect(None), lines.as_bytes(), 0)?;
    let rows = builder.rows();
    let (problems, wrong) = builder.take_problems();
    assert_eq!(problems.len() as u64, wrong);
    Ok((rows, problems.iter().map(|problem| problem.line).collect()))
}

#[test]
fn wrong_records_are_counted_once() {
    let lines = "{\"id\":\"x\",\"t\":\"a\"}\n{\"id\":1,\"t\":5}\n{\"id\":2\n";
    let is_null = || vec![Step::IsNull(vec![0])];
    let is = |id| vec![compare(0, Comparison::Equal, Constant::Integer(id))];
    let with = |on_error| Options { on_error, ..STRICT };
    // A tested member that does not fit; one that is not tested, of a record that fails, may.
    assert_eq!(outcome(with(OnError::Skip), is(7), lines).unwrap(), (0, vec![0, 2]));
    assert_eq!(outcome(with(OnError::Skip), is(1), lines).unwrap(), (0, vec![0, 1, 2]));
    assert_eq!(outcome(with(OnError::Null), is(1), lines).unwrap(), (1, vec![0, 1, 2]));
    assert_eq!(outcome(with(OnError::Null), is_null(), lines).unwrap(), (1, vec![0, 2]));
    // The rest keeps what does not fit of a record that passes; no JSON is wrong all the same.
    let rest = |on_error| Options { on_error, has_rest: true, ..STRICT };
    assert_eq!(outcome(rest(OnError::Skip), is_null(), lines).unwrap(), (1, vec![2]));
    assert!(matches!(outcome(rest(OnError::Raise), is(7), lines), Err(Failure::Record(_))));
}

#[test]
fn a_null_in_place_of_a_tested_value_is_reported_even_if_nobody_wants_the_column() {
    let filter = Filter::new(fields(), vec![Step::IsNull(vec![0])]).unwrap();
    let options = Options { on_error: OnError::Null, selects: true, ..STRICT };
    let mut builder = Builder::new(&fields()[1..], options, Some(&filter)).unwrap();
    builder.start(usize::MAX).unwrap();
    builder.add(Dispatch::detect(None), b"{\"id\":\"x\",\"t\":\"a\"}\n", 0).unwrap();
    assert_eq!((builder.rows(), builder.take_problems().1), (1, 1));
}

#[test]
fn collected_records_have_their_text() {
    let lines = "{\"id\":1}\n{\"id\":\"x\"}\r\n[2]\n";
    let options = Options { on_error: OnError::Collect, ..STRICT };
    let mut builder = Builder::new(&fields(), options, None).unwrap();
    builder.start(usize::MAX).unwrap();
    builder.add(Dispatch::detect(None), lines.as_bytes(), 100).unwrap();
    let (problems, wrong) = builder.take_problems();
    let kept: Vec<_> =
        problems.iter().map(|one| (one.offset, one.text.as_deref().unwrap())).collect();
    assert_eq!(kept, [(115, &b"{\"id\":\"x\"}\r"[..]), (121, b"[2]")]);
    assert_eq!((builder.rows(), wrong), (1, 2));
    let value: Value = json!({"id": "x".repeat(9 << 20)});
    let line = format!("{value}\n");
    builder.start(usize::MAX).unwrap();
    for _ in 0..7 {
        builder.add(Dispatch::detect(None), line.as_bytes(), 0).unwrap();
    }
    let failure = builder.add(Dispatch::detect(None), line.as_bytes(), 0);
    assert_eq!(failure, Err(Failure::TooManyKept));
    // The next batch knows nothing of it.
    builder.start(usize::MAX).unwrap();
    builder.add(Dispatch::detect(None), line.as_bytes(), 0).unwrap();
    assert_eq!(builder.take_problems().1, 1);
}
