//! What several inferences saw, as if one had seen all of their records.
//!
//! Separate from `infer`, which sees one record after the other. Invariant: if the records of
//! `other` follow those of `self`, the result is that of one inference over both: the same columns,
//! in the same order. Called where several threads infer, once for each piece of text.

use super::infer::{Inference, Object, Seen, SeenField};
use super::members::Member;
use super::memory::{NoMemory, push};

impl Inference {
    /// Adds what another inference saw in the records after those of this one. Both must have been
    /// made with the same arguments.
    pub fn merge(&mut self, other: Self) -> Result<(), NoMemory> {
        self.saw_wrong_record |= other.saw_wrong_record;
        self.root.merge(other.root, self.columns.as_deref())
    }
}

impl Seen {
    /// The depth is limited, because what is deeper was not seen.
    fn merge(&mut self, other: Self, columns: Option<&[String]>) -> Result<(), NoMemory> {
        let Self {
            boolean,
            string,
            float,
            integer,
            negative,
            above_i64,
            big_digits,
            inexact,
            excessive,
            items,
            objects,
        } = other;
        self.boolean |= boolean;
        self.string |= string;
        self.float |= float;
        self.integer |= integer;
        self.negative |= negative;
        self.above_i64 |= above_i64;
        self.big_digits = self.big_digits.max(big_digits);
        self.inexact |= inexact;
        self.excessive |= excessive;
        for other in items {
            match self.items.first_mut() {
                Some(items) => items.merge(other, None)?,
                None => push(&mut self.items, other)?,
            }
        }
        for other in objects {
            match self.objects.first_mut() {
                Some(object) => self.excessive |= object.merge(other, columns)?,
                None => push(&mut self.objects, other)?,
            }
        }
        Ok(())
    }
}

impl Object {
    /// Whether there are members that no column is made for.
    fn merge(&mut self, other: Self, columns: Option<&[String]>) -> Result<bool, NoMemory> {
        let mut is_excessive = false;
        let mut before = None;
        self.count += other.count;
        for SeenField { name, seen, count, .. } in other.fields {
            before = self.entry(&name, before, columns)?;
            let Some(Member::Column(index)) = before.map(|entry| self.member(entry)) else {
                is_excessive = true;
                continue;
            };
            let field = &mut self.fields[index];
            field.count += count;
            field.seen.merge(seen, None)?;
        }
        Ok(is_excessive)
    }
}

#[cfg(test)]
mod tests {
    use super::super::infer::Checking;
    use super::super::lattice::Drifting;
    use super::*;
    use crate::arch::Dispatch;

    fn inferred(lines: &[&str], columns: Option<&[&str]>) -> Inference {
        let columns = columns.map(|names| names.iter().map(ToString::to_string).collect());
        let mut inference = Inference::new(columns, Checking::WhileReading);
        for line in lines {
            inference.add(Dispatch::detect(None), format!("{line}\n").as_bytes()).unwrap();
        }
        inference
    }

    #[test]
    fn parts_are_the_whole() {
        let lines = [
            r#"{"a":1,"b":[],"c":{"x":1}}"#,
            r#"{"b":[1,null],"d":9007199254740993}"#,
            r#"{"a":null,"c":{"y":[{"z":"t"}],"x":18446744073709551615}}"#,
            r#"{"c":{"x":-1,"x":2},"e":1e400,"d":0.5}"#,
            r#"{"c":{},"f":[[true]],"b":[{"k":1}]}"#,
            r#"{"f":[[],[false]],"g":1180591620717411303424,"a":2}"#,
            r#"{"g":1,"a":"#,
            r#"{"b":{"k":1},"h":"x","c":{"y":[{"w":1}]},"a":-3}"#,
        ];
        for columns in [None, Some(&["a", "c", "h"][..])] {
            let whole = inferred(&lines, columns);
            for first in 0..=lines.len() {
                for second in first..=lines.len() {
                    let mut parts = inferred(&lines[..first], columns);
                    parts.merge(inferred(&lines[first..second], columns)).unwrap();
                    parts.merge(inferred(&lines[second..], columns)).unwrap();
                    for drifting in [Drifting::Widened, Drifting::Text] {
                        assert_eq!(parts.fields(drifting), whole.fields(drifting));
                    }
                    assert_eq!(parts.saw_wrong_record(), whole.saw_wrong_record());
                    // It goes on as usual.
                    parts.add(Dispatch::detect(None), b"{\"a\":1,\"n\":2}\n").unwrap();
                    assert_eq!(
                        parts.fields(Drifting::Text).unwrap().len(),
                        whole.fields(Drifting::Text).unwrap().len()
                            + usize::from(columns.is_none())
                    );
                }
            }
        }
    }

    #[test]
    fn a_wanted_member_is_seen_beside_any_number_of_others() {
        let others: Vec<String> = (0..10_001).map(|n| format!("{{\"m{n}\":0}}")).collect();
        let mut lines: Vec<&str> = others.iter().map(String::as_str).collect();
        lines.push("{\"a\":\"x\"}");
        let columns = Some(&["a"][..]);
        let mut parts = inferred(&["{\"a\":1}"], columns);
        parts.merge(inferred(&lines, columns)).unwrap();
        lines.insert(0, "{\"a\":1}");
        let whole = inferred(&lines, columns).fields(Drifting::Widened).unwrap();
        assert_eq!(parts.fields(Drifting::Widened).unwrap(), whole);
        assert_eq!(whole[0].data, super::super::Type::Json);
    }

    #[test]
    fn too_many_members_together_are_text() {
        let object = |from: usize| {
            let members: Vec<String> = (from..from + 6000).map(|n| format!("\"{n}\":1")).collect();
            format!("{{\"a\":{{{}}}}}", members.join(","))
        };
        let [first, second] = [object(0), object(6000)];
        let whole = inferred(&[&first, &second], None);
        let mut parts = inferred(&[&first], None);
        parts.merge(inferred(&[&second], None)).unwrap();
        assert_eq!(parts.fields(Drifting::Widened), whole.fields(Drifting::Widened));
        assert_eq!(whole.fields(Drifting::Widened).unwrap()[0].data, super::super::Type::Json);
    }
}
