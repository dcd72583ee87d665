//! The parts of a document make its value, however it is cut.

use proptest::prelude::*;
use serde_json::{Map, Value};
use snooze_core::arch::{Dispatch, Tier};
use snooze_core::blocks::{Checker, Fault, Kind, Parts, Place};

/// A value that grows by parts.
#[derive(Debug, Default, PartialEq)]
struct Growing {
    /// The open containers, each with the name of its next member, or of itself in the one around.
    open: Vec<(Value, Option<String>)>,
    value: Option<Value>,
    is_in_string: bool,
    cut: Option<String>,
}

impl Growing {
    fn put(&mut self, value: Value) {
        match self.open.last_mut() {
            None => assert!(self.value.replace(value).is_none()),
            Some((Value::Array(items), _)) => items.push(value),
            Some((Value::Object(members), name)) => {
                members.insert(name.take().unwrap(), value);
            }
            Some(_) => unreachable!(),
        }
    }

    fn add(&mut self, kind: Kind, text: &str) {
        match kind {
            Kind::Name => {
                let name = serde_json::from_str(&format!("\"{text}\"")).unwrap();
                self.open.last_mut().unwrap().1 = Some(name);
            }
            Kind::Value => self.put(serde_json::from_str(text).unwrap()),
            Kind::Items => {
                let items: Vec<Value> = serde_json::from_str(&format!("[{text}]")).unwrap();
                assert!(items.len() > 1 && matches!(self.open.last(), Some((Value::Array(_), _))));
                items.into_iter().for_each(|item| self.put(item));
            }
            Kind::Members => {
                let members: Map<String, Value> =
                    serde_json::from_str(&format!("{{{text}}}")).unwrap();
                let Some((Value::Object(open), None)) = self.open.last_mut() else { panic!() };
                open.extend(members);
            }
            Kind::Open => {
                let empty = if text == "[" { Value::from([(); 0]) } else { Map::default().into() };
                self.open.push((empty, None));
            }
            Kind::Close => {
                let (closed, name) = self.open.pop().unwrap();
                assert_eq!((text == "]", name), (closed.is_array(), None));
                self.put(closed);
            }
        }
    }
}

/// What is found in blocks in a tier.
fn read(dispatch: Dispatch, blocks: &[&[u8]]) -> (Growing, Vec<Kind>, Result<(), Fault>) {
    let (mut parts, mut checker) = (Parts::new(true), Checker::new(true));
    let (mut growing, mut kinds) = (Growing::default(), Vec::new());
    let whole = blocks.concat();
    for block in blocks {
        parts.feed(dispatch, block).unwrap();
        checker.feed(dispatch, block);
        let mut before = parts.before();
        for (index, part) in parts.parts().iter().enumerate() {
            let text = [before, &block[part.range.clone()]].concat();
            if matches!(part.kind, Kind::Value | Kind::Items | Kind::Members) {
                let place = parts.place(block, index);
                let there = &whole[place.offset as usize..];
                assert!(there.starts_with(&text));
                assert_eq!(place, Place::START.after(&whole[..place.offset as usize]));
            }
            growing.add(part.kind, std::str::from_utf8(&text).unwrap());
            kinds.push(part.kind);
            before = &[];
        }
        assert!(before.is_empty());
        assert!(parts.cut_value().is_some() || !parts.is_in_string());
    }
    growing.is_in_string = parts.is_in_string();
    growing.cut = parts.cut_value().map(|cut| String::from_utf8_lossy(cut).into_owned());
    assert_eq!(parts.finish(), checker.finish());
    (growing, kinds, parts.finish())
}

/// What every tier finds in blocks; of all of them the same.
fn in_blocks(blocks: &[&[u8]]) -> (Growing, Vec<Kind>, Result<(), Fault>) {
    let mut all = Tier::ALL.into_iter().filter_map(Dispatch::new).map(|tier| read(tier, blocks));
    let first = all.next().unwrap();
    for other in all {
        assert_eq!(other, first, "{blocks:?}");
    }
    first
}

/// The value of a document that ends with its blocks.
fn whole(blocks: &[&[u8]]) -> Value {
    let (growing, _, end) = in_blocks(blocks);
    assert_eq!(end, Ok(()));
    assert!(growing.open.is_empty());
    // A number may have gone on.
    growing.value.unwrap_or_else(|| serde_json::from_str(&growing.cut.unwrap()).unwrap())
}

#[test]
fn a_document_cut_anywhere() {
    for text in [
        r#" {"a\n":[1,{"b":"x\u00e9\ud83d\ude00é"},[],{}],"":-1.5e-3 , "c" : true} "#,
        " [ [ 12 ] , null,\n\"\" ] ",
        "12",
        " -1.5 ",
        "\"a\\\\\"",
        "[]",
        "true ",
    ] {
        let expected: Value = serde_json::from_str(text).unwrap();
        let text = text.as_bytes();
        for at in 0..=text.len() {
            let (first, second) = text.split_at(at);
            assert_eq!(whole(&[first, second]), expected, "at {at}");
            for end in at..=text.len() {
                let (second, third) = text[at..].split_at(end - at);
                assert_eq!(whole(&[first, second, b"", third]), expected, "at {at} and {end}");
            }
        }
        assert_eq!(whole(&text.chunks(1).collect::<Vec<_>>()), expected);
    }
}

#[test]
fn what_a_block_has_whole_is_one_part() {
    let kinds = |blocks: &[&[u8]]| in_blocks(blocks).1;
    assert_eq!(kinds(&[br#"{"a":[1,[2]],"b":{}}"#]), [Kind::Value]);
    let (open, name, value, close) = (Kind::Open, Kind::Name, Kind::Value, Kind::Close);
    let (items, members) = (Kind::Items, Kind::Members);
    assert_eq!(kinds(&[br#"{"a":[1,[2]],"b":{}"#, b"}"]), [open, members, close]);
    assert_eq!(
        kinds(&[b"{\"a\":1,\"b\":[2,", b"3],\"c\":4,\"d\":\"5", b"\",\"e\":6}"]),
        [open, members, name, open, value, value, close, members, name, value, members, close]
    );
    assert_eq!(kinds(&[b"{\"", b"a\":1}"]), [open, name, value, close]);
    assert_eq!(
        kinds(&[b"[1,[2,[3,4", b"]],[5],6]"]),
        [open, value, open, value, open, value, value, close, close, items, close]
    );
    assert_eq!(
        kinds(&[b"[1,[2],{},\"a", b"\",[[3]],4,[", b"],5]"]),
        [open, items, items, open, close, value, close]
    );
}

#[test]
fn a_value_that_is_cut() {
    let cut = |blocks: &[&[u8]]| {
        let growing = in_blocks(blocks).0;
        (growing.cut, growing.is_in_string)
    };
    let some = |text: &str, is_in_string| (Some(text.to_owned()), is_in_string);
    assert_eq!(cut(&[b"{\"a\":\"b\\u00"]), some("\"b\\u00", true));
    assert_eq!(cut(&[b"{\"a\":\"b", b"c", b"d"]), some("\"bcd", true));
    assert_eq!(cut(&[b"{\"a\":\"b", b"c\""]), (None, false));
    assert_eq!(cut(&[b"{\"a"]), (None, false));
    assert_eq!(cut(&[b"[1, 2"]), some("2", false));
    assert_eq!(cut(&[b"[tr"]), some("tr", false));
    assert_eq!(cut(&[b"[\"a", b"\n"]), (None, false));
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<i64>().prop_map(Value::from),
        "[a-c\"\\\\\né😀]{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 5, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            proptest::collection::btree_map("[ab\"é]{0,3}", inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn random_documents(value in values(), pretty: bool, sizes: (u8, u8)) {
        let text = match pretty {
            true => serde_json::to_string_pretty(&value).unwrap(),
            false => value.to_string(),
        };
        let (mut rest, mut blocks) = (text.as_bytes(), Vec::new());
        for size in [sizes.0, sizes.1].into_iter().cycle() {
            let (block, after) = rest.split_at(rest.len().min(1 + usize::from(size) % 40));
            blocks.push(block);
            rest = after;
            if rest.is_empty() {
                break;
            }
        }
        prop_assert_eq!(whole(&blocks), value);
    }

    #[test]
    fn random_text(text in "[\\[\\]{},:\"a\\\\ \n1.t]{0,40}", size in 1usize..9) {
        let (growing, _, end) = in_blocks(&text.as_bytes().chunks(size).collect::<Vec<_>>());
        prop_assert!(end.is_err() || growing.open.is_empty());
    }
}
