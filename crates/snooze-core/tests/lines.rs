//! Arrow's columns into lines, where what a producer says would be endless text.
//!
//! Separate from the tests of the Python package, because these lines have a limit that is no
//! gigabyte.

use snooze_core::arch::Dispatch;
use snooze_core::lines::{
    Column, Extents, Fault, Index, Indices, Kind, Limits, Options, Places, Shape, Strings, Values,
    write,
};
use snooze_core::out::VecBuffer;

/// What is said of a line that is too long.
const LONG_LINE: &str = "more text for one line than 1 GiB";

fn shape(kind: Kind, children: Vec<Shape>) -> Shape {
    let mut shape = Shape::new("x", "x".into(), kind).unwrap();
    shape.children = children;
    shape
}

/// The fault of one row, or its length, with lines of at most 1000 bytes.
fn written(table: Column<'_>) -> Result<usize, &'static str> {
    written_within(1000, table)
}

/// The fault of one row, or its length, with a limit of its length.
fn written_within(line: usize, mut table: Column<'_>) -> Result<usize, &'static str> {
    let limits = Limits { text: 1, line };
    let (mut buffer, options) = (VecBuffer::new(), Options::default());
    match write(Dispatch::detect(None), &mut table, options, limits, &mut buffer) {
        Ok((len, _)) => Ok(len),
        Err(Fault::Value(_, reason)) => Err(reason),
        Err(Fault::NoMemory) => panic!("no memory"),
    }
}

fn column<'a>(shape: &'a Shape, rows: usize, values: Values<'a>) -> Column<'a> {
    Column { shape, rows, validity: None, values, children: Vec::new() }
}

/// A table with this column.
fn table<'a>(shape: &'a Shape, of: Column<'a>) -> Column<'a> {
    Column { children: vec![of], ..column(shape, 1, Values::Struct) }
}

#[test]
fn nulls_that_need_no_memory_are_no_endless_line() {
    let lists = shape(Kind::FixedList(0), vec![shape(Kind::Null, Vec::new())]);
    let root = shape(Kind::Struct, Vec::new());
    for (count, expected) in [(198, Ok(998)), (499, Err(LONG_LINE)), (1 << 50, Err(LONG_LINE))] {
        let nulls = column(&lists.children[0], 1 << 54, Values::Null);
        let list = column(&lists, 1, Values::List(Extents::Fixed(count)));
        let found = written(table(&root, Column { children: vec![nulls], ..list }));
        assert_eq!(found, expected, "{count}");
    }
}

#[test]
fn lists_that_share_their_elements_are_no_endless_line() {
    // Ten lists, each of all ten lists inside: 10^40 numbers, in some hundred bytes.
    let mut inner = shape(Kind::Int64, Vec::new());
    for _ in 0..40 {
        inner = shape(Kind::ListView, vec![inner]);
    }
    let (places, sizes) = ([[0; 4]; 10], [10i32.to_ne_bytes(); 10]);
    let numbers = [[0; 8]; 10];
    fn lists<'a>(shape: &'a Shape, extents: Extents<'a>, numbers: &'a [[u8; 8]]) -> Column<'a> {
        match shape.children.first() {
            None => column(shape, 10, Values::Int64(numbers)),
            Some(inner) => Column {
                children: vec![lists(inner, extents, numbers)],
                ..column(shape, 10, Values::List(extents))
            },
        }
    }
    let extents = Extents::Sizes(Places::Short(&places), Places::Short(&sizes));
    let root = shape(Kind::Struct, Vec::new());
    assert_eq!(written(table(&root, lists(&inner, extents, &numbers))), Err(LONG_LINE));
}

#[test]
fn members_that_share_a_long_text_are_no_endless_line() {
    let bytes = vec![b'x'; 5000];
    let (places, indices) = ([0i32, 5000].map(i32::to_ne_bytes), [[0]]);
    let coded = shape(Kind::Dictionary(Index::Int8), vec![shape(Kind::Utf8, Vec::new())]);
    let root = shape(Kind::Struct, Vec::new());
    let of = || {
        let (places, bytes) = (Places::Short(&places), &bytes[..]);
        let strings =
            Strings::Offsets { places, first: 0, bytes, is_utf8: true, is_compact: false };
        let text = column(&coded.children[0], 1, Values::Text(strings));
        let index = Values::Dictionary(Indices::Int8(&indices));
        Column { children: vec![text], ..column(&coded, 1, index) }
    };
    let one = Column { children: vec![of()], ..column(&root, 1, Values::Struct) };
    assert_eq!(written_within(6000, one), Ok(5000 + 9));
    let two = Column { children: vec![of(), of()], ..column(&root, 1, Values::Struct) };
    assert_eq!(written_within(6000, two), Err(LONG_LINE));
    let alone = Column { children: vec![of()], ..column(&root, 1, Values::Struct) };
    assert_eq!(written_within(4000, alone), Err(LONG_LINE));
}
