//! Text that no column needs, with and without a check: what of a record counts as read.
//!
//! Separate from `columns`, whose oracle reads whole records.

mod made;

use snooze_core::arch::Dispatch;
use snooze_core::columns::{Builder, OnError, Options, Type};

use made::{STRICT, field};

#[test]
fn unwanted_text_is_checked_only_if_asked() {
    let fields = [field("a", Type::Int64)];
    for text in
        [&b"{\"b\":[1,,],\"a\":1}\n"[..], b"{\"a\":1,\"b\":tru}\n", b"{\"a\":1,\"b\":\"\xff\"}\n"]
    {
        let run = |checks_all| {
            let options = Options { checks_all, on_error: OnError::Skip, ..STRICT };
            let mut builder = Builder::new(&fields, options, None).unwrap();
            builder.start(usize::MAX).unwrap();
            builder.add(Dispatch::detect(None), text, 0).unwrap();
            builder.finish().unwrap().rows
        };
        assert_eq!((run(true), run(false)), (0, 1), "{text:?}");
    }
}

#[test]
fn a_value_that_was_cut_is_not_the_last_one_that_is_read() {
    let fields = [field("a", Type::Int64), field("b", Type::Float64)];
    let options = Options { checks_all: false, on_error: OnError::Skip, ..STRICT };
    for (line, rows) in [
        ("{\"a\":1,\"b\":20", 0),
        ("{\"a\":1,\"b\":20 ", 0),
        ("{\"a\":1,\"b\":1.5.2}", 0),
        ("{\"b\":1.5,\"a\":nullx}", 0),
        ("{\"b\":1.5,\"a\":12 \t, more", 1),
        ("{\"b\":1.5,\"a\":12 }", 1),
        ("{\"b\":1.5,\"a\":12}x", 1),
        ("{\"b\":1.5,\"c\":12,\"a\":3,", 1),
    ] {
        for (before, after) in [("", ""), ("", "\n}\n"), ("{}\n", "\n,\"a\":1}\n{}\n")] {
            let mut builder = Builder::new(&fields, options, None).unwrap();
            builder.start(usize::MAX).unwrap();
            let text = format!("{before}{line}{after}");
            builder.add(Dispatch::detect(None), text.as_bytes(), 0).unwrap();
            let others = text.lines().filter(|line| *line == "{}").count();
            assert_eq!(builder.rows(), rows + others, "{text}");
        }
    }
}
