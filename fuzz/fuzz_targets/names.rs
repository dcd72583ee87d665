//! A set of names finds each of them at its place and nothing else, and expects exactly what JSON
//! writes for it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use snooze_core::names::{AHEAD, Names, NamesError};

fuzz_target!(|input: &[u8]| {
    // The last two parts are looked for, the others are the set.
    let mut names: Vec<&[u8]> = input.split(|&byte| byte == b'\n').collect();
    let others = names.split_off(names.len().saturating_sub(2));
    let duplicate = (0..names.len()).find(|&place| names[..place].contains(&names[place]));
    let set = match (Names::new(&names), duplicate) {
        (Err(error), Some(place)) => {
            return assert_eq!(error, NamesError::Duplicate(place as u16));
        }
        (set, _) => set.expect("a set of distinct names"),
    };
    for name in names.iter().chain(&others) {
        let place = names.iter().position(|other| other == name);
        assert_eq!(set.find(name), place.map(|place| place as u16));
        // With a quote in it, its bytes are not what JSON writes, and may be another name's.
        if name.iter().any(|&byte| byte < b' ' || byte == b'"' || byte == b'\\') {
            continue;
        }
        let (json, mut ahead) = ([name, &b"\":"[..]].concat(), [b'x'; AHEAD]);
        let count = json.len().min(AHEAD);
        ahead[..count].copy_from_slice(&json[..count]);
        for at in 0..names.len() {
            let expected = (name.len() < AHEAD && place == Some(at)).then_some(name.len());
            assert_eq!(set.expected(at, &ahead), expected);
        }
    }
});
