//! Property: a set of names finds each of its names with its index, and no other; and it matches
//! exactly the text that JSON writes for a name.
#![no_main]

use libfuzzer_sys::fuzz_target;
use snooze_core::names::{AHEAD, Names, NamesError};

fuzz_target!(|input: &[u8]| {
    // The last two parts are searched for; the others make up the set.
    let mut names: Vec<&[u8]> = input.split(|&byte| byte == b'\n').collect();
    let others = names.split_off(names.len().saturating_sub(2));
    let duplicate = (0..names.len()).find(|&index| names[..index].contains(&names[index]));
    let set = match (Names::new(&names), duplicate) {
        (Err(error), Some(index)) => {
            return assert_eq!(error, NamesError::Duplicate(index as u16));
        }
        (set, _) => set.expect("distinct names make a set"),
    };
    for name in names.iter().chain(&others) {
        let index = names.iter().position(|other| other == name);
        assert_eq!(set.find(name), index.map(|index| index as u16));
        // JSON escapes these bytes, so the raw text is not that of the name, and may be another's.
        if name.iter().any(|&byte| byte < b' ' || byte == b'"' || byte == b'\\') {
            continue;
        }
        let (json, mut ahead) = ([name, &b"\":"[..]].concat(), [b'x'; AHEAD]);
        let count = json.len().min(AHEAD);
        ahead[..count].copy_from_slice(&json[..count]);
        for at in 0..names.len() {
            let expected = (name.len() < AHEAD && index == Some(at)).then_some(name.len());
            assert_eq!(set.expected(at, &ahead), expected);
        }
    }
});
