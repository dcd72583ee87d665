//! The dialects, on every tier: what each accepts, the faults and their offsets, and that JSON
//! stays JSON under every rule.

use snooze_core::arch::{Dispatch, Task, Tier, Vector};
use snooze_core::dialect::{Origins, Rules, Step, Surrogates, Syntax, path_to, to_plain};
use snooze_core::error::{Error, ErrorKind};

struct Plain<'a>(&'a [u8], Rules);

impl Task for Plain<'_> {
    type Output = Result<Vec<u8>, Error>;
    fn with_vectors<V: Vector>(self) -> Self::Output {
        let mut out = Vec::new();
        to_plain::<V>(self.0, self.1, &mut out, &mut Origins::default()).map(|()| out)
    }
}

struct Sources<'a>(&'a [u8], Rules, &'a [usize]);

impl Task for Sources<'_> {
    type Output = Vec<usize>;
    fn with_vectors<V: Vector>(self) -> Self::Output {
        let mut origins = Origins::of(self.2);
        to_plain::<V>(self.0, self.1, &mut Vec::new(), &mut origins).unwrap();
        origins.found
    }
}

/// The document as JSON; the same in all tiers.
fn plain(document: &str, rules: Rules) -> Result<String, (ErrorKind, usize)> {
    let tiers = Tier::ALL.into_iter().filter(|tier| tier.is_runnable());
    let mut results = tiers.map(|tier| {
        let result = Dispatch::detect(Some(tier)).run(Plain(document.as_bytes(), rules));
        result
            .map(|text| String::from_utf8(text).unwrap())
            .map_err(|error| (error.kind, error.offset))
    });
    let first = results.next().unwrap();
    for other in results {
        assert_eq!(other, first, "{document:?}");
    }
    first
}

fn rules(syntax: Syntax) -> Rules {
    Rules { syntax, ..Rules::default() }
}

#[test]
fn comments_and_trailing_commas() {
    let cases = [
        ("// a\n[1, /* b */ 2,]", "[1,2]"),
        ("/**/{/**/\"a\"/**/:/**/1/**/,/**/}/**/", "{\"a\":1}"),
        ("[1]//", "[1]"),
        ("[1]// no line feed", "[1]"),
        ("[\"// not a comment\", \"/* nor */\"]", "[\"// not a comment\",\"/* nor */\"]"),
        ("[// \r1]", "[1]"),
        ("[/*/ */1/***/]", "[1]"),
        ("[[],{},]", "[[],{}]"),
    ];
    for (document, expected) in cases {
        for syntax in [Syntax::Jsonc, Syntax::Json5] {
            assert_eq!(plain(document, rules(syntax)).as_deref(), Ok(expected), "{document}");
        }
    }
}

#[test]
fn faults_of_comments_and_commas() {
    use ErrorKind::*;
    let cases = [
        ("[1 /* 2]", OpenComment, 3),
        ("[1] /", TrailingContent, 4),
        ("[1 / 2]", ExpectedArrayEnd, 3),
        ("[,]", ExpectedValue, 1),
        ("[1,,]", ExpectedValue, 3),
        ("[1,", UnexpectedEnd, 3),
        ("// only", UnexpectedEnd, 7),
        ("", OnlySpace, 0),
        ("[1,] 2", TrailingContent, 5),
        ("'a'", ExpectedValue, 0),
        ("[+1]", NoDigitAfterSign, 1),
        ("[0x10]", ExpectedArrayEnd, 2),
        ("[NaN]", ExpectedValue, 1),
        ("{a:1}", ExpectedKey, 1),
        ("{\"a\":1,,}", ExpectedKey, 7),
    ];
    for (document, kind, offset) in cases {
        assert_eq!(plain(document, rules(Syntax::Jsonc)), Err((kind, offset)), "{document}");
    }
}

#[test]
fn json5_values() {
    let cases = [
        ("{a:1,$b_2:2,'c d':3,\"e\":4}", "{\"a\":1,\"$b_2\":2,\"c d\":3,\"e\":4}"),
        ("{\u{fc}ml\u{e2}\u{fb}t:1}", "{\"\u{fc}ml\u{e2}\u{fb}t\":1}"),
        ("{\\u0061b:1}", "{\"ab\":1}"),
        ("{null:null,true:1,Infinity:2}", "{\"null\":null,\"true\":1,\"Infinity\":2}"),
        ("['it\\'s', 'a\"b']", "[\"it's\",\"a\\\"b\"]"),
        ("['\\x41\\0\\v\\q\\\n\\\r\\\r\n']", "[\"A\\u0000\\u000bq\"]"),
        ("['\\\u{2028}x\u{2029}\ty']", "[\"x\u{2029}\\u0009y\"]"),
        (
            "[+1,-.5,5.,.5e1,0x1F,-0X0a,0xffffffffffffffffffffffffffffffff]",
            "[1,-0.5,5.0,0.5e1,31,-10,340282366920938463463374607431768211455]",
        ),
        ("[0x0, 0x00000000000000000000000000000000000000001]", "[0,1]"),
        ("\u{feff}\u{b}\u{c}\u{a0}[1\u{2003}]\u{3000}\u{2028}", "[1]"),
        ("['\\uD83D\\uDE00']", "[\"\u{1f600}\"]"),
    ];
    for (document, expected) in cases {
        assert_eq!(plain(document, rules(Syntax::Json5)).as_deref(), Ok(expected), "{document}");
    }
}

#[test]
fn json5_faults() {
    use ErrorKind::*;
    let cases = [
        ("[0x]", NoHexDigit, 3),
        ("[01]", LeadingZero, 1),
        ("[.]", NoDigitAfterPoint, 2),
        ("[1e]", NoDigitAfterExponent, 3),
        ("[+]", NoDigitAfterSign, 2),
        ("[+ 1]", NoDigitAfterSign, 2),
        ("[Nope]", ExpectedValue, 1),
        ("[NaN]", NotFinite, 1),
        ("[-Infinity]", NotFinite, 1),
        ("['a\nb']", ControlCharacter, 3),
        ("['\\1']", InvalidEscape, 2),
        ("['\\01']", InvalidEscape, 2),
        ("['\\xg0']", InvalidEscape, 2),
        ("['a", UnexpectedEnd, 3),
        ("{1a:1}", ExpectedName, 1),
        ("{\\u0031a:1}", InvalidEscape, 1),
        ("{a-b:1}", ExpectedColon, 2),
        ("[0x100000000000000000000000000000000]", LongHexadecimal, 1),
        ("['\\ud800']", NoLowSurrogate, 2),
        ("['\\ud800\\u0041']", InvalidLowSurrogate, 2),
        ("['\\udc00']", InvalidHighSurrogate, 2),
    ];
    for (document, kind, offset) in cases {
        assert_eq!(plain(document, rules(Syntax::Json5)), Err((kind, offset)), "{document}");
    }
}

#[test]
fn lone_surrogates_are_replaced() {
    let replace = Rules { surrogates: Surrogates::Replace, ..Rules::default() };
    let cases = [
        ("[\"\\ud800\"]", "[\"\u{fffd}\"]"),
        ("[\"\\udc00\\ud83d\\ude00\"]", "[\"\u{fffd}\u{1f600}\"]"),
        ("[\"\\ud800\\ud83d\\ude00\"]", "[\"\u{fffd}\u{1f600}\"]"),
        ("{\"\\ud800a\":1}", "{\"\u{fffd}a\":1}"),
    ];
    for (document, expected) in cases {
        assert_eq!(plain(document, replace).as_deref(), Ok(expected));
    }
    assert_eq!(plain("[\"\\ud800\\u12g4\"]", replace), Err((ErrorKind::InvalidEscape, 8)));
}

#[test]
fn depth_is_limited_without_recursion() {
    let deep = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
    assert!(plain(&deep(1024), rules(Syntax::Json5)).is_ok());
    assert_eq!(plain(&deep(1025), rules(Syntax::Json5)), Err((ErrorKind::Depth, 1025)));
}

#[test]
fn offsets_come_back() {
    let document = "// c\n{a: [1, /* two */ 'x'],}";
    let rules = rules(Syntax::Json5);
    let text = plain(document, rules).unwrap();
    assert_eq!(text, "{\"a\":[1,\"x\"]}");
    let wanted: Vec<usize> = (0..=text.len()).collect();
    let found = Dispatch::detect(None).run(Sources(document.as_bytes(), rules, &wanted));
    let at = |part: &str| document.find(part).unwrap();
    assert_eq!(found.len(), wanted.len());
    assert_eq!(found[0], at("{"));
    assert_eq!(found[1], at("a:"));
    assert_eq!(found[5], at("["));
    assert_eq!(found[6], at("1"));
    assert_eq!(found[8], at("'x'"));
    assert!(found.is_sorted());
}

#[test]
fn paths() {
    let path = |document: &str, offset: usize| {
        path_to(document.as_bytes(), offset)
            .unwrap()
            .into_iter()
            .map(|step| match step {
                Step::Index(index) => index.to_string(),
                Step::Name(name) => String::from_utf8(name).unwrap(),
            })
            .collect::<Vec<_>>()
            .join("/")
    };
    assert_eq!(path("{\"a\": [1, tru]}", 10), "a/1");
    assert_eq!(path("[1, 2", 5), "1");
    assert_eq!(path("", 0), "");
    assert_eq!(path("{\"a\": 1, \"b\": 2}", 9), "b");
    assert_eq!(path("{a: {'b\\u0063': [0, {}, // ]\n 3]}}", 30), "a/bc/2");
    assert_eq!(path("{\"a\":[]}", 100), "");
    assert_eq!(path("[[[[", 100), "0/0/0/0");
}

proptest::proptest! {
    #[test]
    fn json_stays_json(document in "[\\[\\]{}\",:0-9.eE+\\-truefalsn \\\\/*'x]{0,30}") {
        let strict = plain(&document, Rules::default());
        if strict.is_ok() {
            for syntax in [Syntax::Jsonc, Syntax::Json5] {
                for surrogates in [Surrogates::Error, Surrogates::Replace, Surrogates::Keep] {
                    let rules = Rules { syntax, surrogates, constants: true };
                    proptest::prop_assert_eq!(&plain(&document, rules), &strict);
                }
            }
        }
    }

    #[test]
    fn what_is_written_is_json(document in "[\\[\\]{}\",:0-9.eE+\\-NaInfinityabx \\\\/*'\n]{0,40}") {
        if let Ok(text) = plain(&document, rules(Syntax::Json5)) {
            proptest::prop_assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok()
                || text.contains('e') || text.contains('E'), "{}", text);
        }
        let _ = path_to(document.as_bytes(), document.len());
    }
}
