//! The items of an array are those of the whole document, however it is cut.

use proptest::prelude::*;
use serde_json::Value;
use snooze_core::arch::{Dispatch, Tier};
use snooze_core::blocks::{Checker, Fault, Found, Items, Place};
use snooze_core::error::ErrorKind;

/// What is found in a document.
#[derive(Debug, PartialEq)]
struct Read {
    items: Vec<(String, Place)>,
    found: Found,
    end: Result<(), Fault>,
    /// Whether the fault is that of the grammar.
    is_as_checked: bool,
}

/// What is found in blocks in a tier.
fn read(dispatch: Dispatch, blocks: &[&[u8]], pointer: &[&[u8]]) -> Read {
    let mut items = Items::new(pointer).unwrap();
    let mut checker = Checker::new(false);
    let mut read = Vec::new();
    for block in blocks {
        items.feed(dispatch, block).unwrap();
        checker.feed(dispatch, block);
        let mut start = 0;
        for item in items.items() {
            let text = std::str::from_utf8(&items.text()[start..item.end]).unwrap();
            read.push((text.to_owned(), item.place));
            start = item.end;
        }
        assert_eq!(start, items.text().len());
    }
    let end = items.finish();
    let is_as_checked = end == checker.finish();
    Read { items: read, found: items.found(), end, is_as_checked }
}

/// What every tier finds in blocks; of all of them the same.
fn in_blocks(blocks: &[&[u8]], pointer: &[&str]) -> Read {
    let pointer: Vec<&[u8]> = pointer.iter().map(|token| token.as_bytes()).collect();
    let dispatches = Tier::ALL.into_iter().filter_map(Dispatch::new);
    let mut all = dispatches.map(|dispatch| read(dispatch, blocks, &pointer));
    let first = all.next().unwrap();
    for other in all {
        assert_eq!(other, first, "{blocks:?}");
    }
    first
}

/// What is found in a document, whole and cut at each place.
fn in_text(text: &str, pointer: &[&str]) -> Read {
    let text = text.as_bytes();
    let whole = in_blocks(&[text], pointer);
    for at in 0..=text.len() {
        let (first, second) = text.split_at(at);
        let cut = in_blocks(&[first, second], pointer);
        assert_eq!(cut, whole, "at {at}");
    }
    let bytes: Vec<&[u8]> = text.chunks(1).collect();
    assert_eq!(in_blocks(&bytes, pointer).end, whole.end);
    whole
}

fn items(text: &str, pointer: &[&str]) -> Vec<String> {
    let read = in_text(text, pointer);
    assert_eq!((read.end, read.found), (Ok(()), Found::Array), "{text}");
    are_at_their_places(&read.items, text);
    read.items.into_iter().map(|(item, _)| item).collect()
}

fn are_at_their_places(items: &[(String, Place)], text: &str) {
    for (item, place) in items {
        let (before, there) = text.split_at(place.offset as usize);
        assert!(there.starts_with(item.as_str()), "{there}");
        assert_eq!(*place, Place::START.after(before.as_bytes()));
    }
}

#[test]
fn the_items_of_an_array_at_a_place() {
    assert_eq!(
        items("[1, [2,\n3], {\"a\":\n 4} ,\"5\"]", &[]),
        ["1", "[2,\n3]", "{\"a\":\n 4}", "\"5\""]
    );
    assert_eq!(items(" [ ] ", &[]), [""; 0]);
    assert_eq!(items(r#"{"a":[9],"b":{"c":[1,2],"d":[8]},"e":[7]}"#, &["b", "c"]), ["1", "2"]);
    assert_eq!(items("[[1],[2,3],[4]]", &["1"]), ["2", "3"]);
    assert_eq!(items(r#"[{"a":1},{"a":[true,"x"]}]"#, &["1", "a"]), ["true", "\"x\""]);
    assert_eq!(items(r#"{"":{"":[null]}}"#, &["", ""]), ["null"]);
    assert_eq!(items(r#"{"\u0061\/":[0,-1.5e3]}"#, &["a/"]), ["0", "-1.5e3"]);
    assert_eq!(items("{\"é😀\":[0]}", &["é😀"]), ["0"]);
    assert_eq!(items(r#"{"\u00e9\ud83d\ude00":[0]}"#, &["é😀"]), ["0"]);
    // Members of one name, but not on the way.
    assert_eq!(items(r#"{"x":{"a":0},"a":[{"a":0,"a":1}],"x":0}"#, &["a"]), [r#"{"a":0,"a":1}"#]);
}

#[test]
fn what_is_not_there() {
    let found = |text, pointer: &[&str]| match in_text(text, pointer).found {
        Found::Steps(steps, place) => (steps, ' ', place.offset),
        Found::Other(first, place) => (0, char::from(first), place.offset),
        Found::Array => panic!("there is an array"),
    };
    assert_eq!(found("{}", &[]), (0, '{', 0));
    assert_eq!(found(" 12", &[]), (0, '1', 1));
    assert_eq!(found(r#"{"a":"x"}"#, &["a"]), (0, '"', 5));
    assert_eq!(found(r#"{"a":"x"}"#, &["a", "b"]), (1, ' ', 5));
    assert_eq!(found(r#"{"a":{"c":[]}}"#, &["a", "b"]), (1, ' ', 5));
    assert_eq!(found(r#"{"ab":[1]}"#, &["a"]), (0, ' ', 0));
    assert_eq!(found(r#"{"a":[1]}"#, &["ab"]), (0, ' ', 0));
    assert_eq!(found("[[1],[2]]", &["2"]), (0, ' ', 0));
    assert_eq!(found("[[1],[2]]", &["01"]), (0, ' ', 0));
    assert_eq!(found("[[1],[2]]", &["-"]), (0, ' ', 0));
    assert_eq!(found(r#"{"1":[[1]]}"#, &["1", "1"]), (1, ' ', 5));
}

#[test]
fn text_that_is_not_utf8() {
    for (text, offset, column) in [
        (&b"[1, \"a\xff\"]"[..], 6, 7),
        (b"[1, \"\xc3\xa9\xe2\x82\"]", 7, 7),
        (b"[1,\n\"\xc3\xa9\xe2\x82", 7, 3),
    ] {
        for at in 0..=text.len() {
            let (first, second) = text.split_at(at);
            let pointer: [&[u8]; 0] = [];
            let mut items = Items::new(&pointer).unwrap();
            let dispatch = Dispatch::detect(None);
            items.feed(dispatch, first).unwrap();
            items.feed(dispatch, second).unwrap();
            let fault = items.finish().unwrap_err();
            assert_eq!(fault.kind, ErrorKind::InvalidUtf8);
            assert_eq!((fault.place.offset, fault.place.column), (offset, column), "at {at}");
        }
    }
    // A fault before it, or at the same byte, is that of the grammar.
    for (text, offset) in [
        (&b"[1, 2 x, 3, \"\xff\"]"[..], 6),
        (b"[1,2,\xe2\x82x", 5),
        (b"[1, 2]\xc3 ", 6),
        (b"\xff[1]", 0),
    ] {
        for at in 0..=text.len() {
            let (first, second) = text.split_at(at);
            let fault = in_blocks(&[first, second], &[]).end.unwrap_err();
            assert_eq!(fault.place.offset, offset, "at {at}");
            assert_ne!(fault.kind, ErrorKind::InvalidUtf8, "at {at}");
        }
    }
}

#[test]
fn a_member_on_the_way_occurs_once() {
    for (text, pointer, column) in [
        (r#"{"a":[1],"a":[2]}"#, &["a"][..], 10),
        (r#"{"a":1,"\u0061":[2]}"#, &["a"], 8),
        (r#"{"a":{"b":[1]},"a":{}}"#, &["a", "b"], 16),
        (r#"{"a":{"b":[1],"b":2}}"#, &["a", "b"], 15),
        (r#"{"a":{"b":[1]},"c":0, "a" : null}"#, &["a", "b"], 23),
        (r#"{"a":{"c":1},"a":{"b":[2,3]}}"#, &["a", "b"], 14),
    ] {
        let fault = in_text(text, pointer).end.unwrap_err();
        assert_eq!((fault.kind, fault.place.column), (ErrorKind::RepeatedName, column), "{text}");
    }
}

#[test]
fn a_fault_ends_the_items_before_it() {
    for (text, expected) in [
        ("[1, 2, tru", &["1", "2"][..]),
        ("[1, 2,]", &["1", "2"]),
        ("[1, 2 3]", &["1"]),
        ("[1, {\"a\":1,}, 2]", &["1"]),
        ("[1, 2]]", &["1", "2"]),
    ] {
        for at in 0..=text.len() {
            let (first, second) = text.as_bytes().split_at(at);
            let read = in_blocks(&[first, second], &[]);
            assert!(read.end.is_err() && read.is_as_checked, "{text}");
            let found: Vec<&str> = read.items.iter().map(|(item, _)| item.as_str()).collect();
            assert_eq!(found, expected, "{text} at {at}");
        }
    }
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[a-c\"\\\\\né😀]{0,20}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 60, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            proptest::collection::btree_map("[ab\"é]{0,2}", inner, 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// The pointers of all arrays in a value.
fn arrays(value: &Value, way: &mut Vec<String>, found: &mut Vec<Vec<String>>) {
    match value {
        Value::Array(items) => {
            found.push(way.clone());
            for (index, item) in items.iter().enumerate() {
                way.push(index.to_string());
                arrays(item, way, found);
                way.pop();
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                way.push(name.clone());
                arrays(member, way, found);
                way.pop();
            }
        }
        _ => {}
    }
}

/// The value at a pointer.
fn at<'a>(value: &'a Value, way: &[String]) -> &'a Value {
    way.iter().fold(value, |value, token| match value {
        Value::Array(items) => &items[token.parse::<usize>().unwrap()],
        _ => &value[token.as_str()],
    })
}

proptest! {
    #[test]
    fn items_are_those_of_the_whole_document(
        value in values(),
        pretty: bool,
        size in 1usize..200,
        chosen: proptest::sample::Index,
    ) {
        let mut found = Vec::new();
        arrays(&value, &mut Vec::new(), &mut found);
        prop_assume!(!found.is_empty());
        let way = &found[chosen.index(found.len())];
        let text = if pretty {
            serde_json::to_string_pretty(&value).unwrap()
        } else {
            value.to_string()
        };
        let blocks: Vec<&[u8]> = text.as_bytes().chunks(size).collect();
        let tokens: Vec<&str> = way.iter().map(String::as_str).collect();
        let read = in_blocks(&blocks, &tokens);
        prop_assert_eq!((read.end, read.found), (Ok(()), Found::Array));
        are_at_their_places(&read.items, &text);
        let items: Vec<Value> =
            read.items.iter().map(|(item, _)| serde_json::from_str(item).unwrap()).collect();
        prop_assert_eq!(&Value::from(items), at(&value, way));
    }

    #[test]
    fn faults_are_those_of_the_document(
        text in "[\\[\\]{},:\"a\\\\ \n1.t]{0,40}",
        size in 1usize..9,
    ) {
        let blocks: Vec<&[u8]> = text.as_bytes().chunks(size).collect();
        let read = in_blocks(&blocks, &["a"]);
        let is_repeated =
            matches!(read.end, Err(Fault { kind: ErrorKind::RepeatedName, .. }));
        prop_assert!(read.is_as_checked || is_repeated);
    }
}
