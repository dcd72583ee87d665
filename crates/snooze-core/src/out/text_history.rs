//! Which texts are written again and again, so that their UTF-8 is worth keeping.
//!
//! A `str` can keep its UTF-8, which is faster to copy than its characters are to encode, and takes
//! memory as long as the `str` lives. So only texts that were already written several times should
//! keep theirs. A `str` has no place for a count. Instead, each output recognises one of its texts
//! by address, and takes it as the sample of all of them. Separate because the owner of the memory
//! keeps both parts: [`SeenTexts`] for a thread, [`TextHistory`] for one output. Invariant: it
//! changes only speed and memory, never the text; an address is compared and never followed. Used
//! by the buffers of snooze-py, through [`Buffer::note_text`](super::Buffer::note_text).

use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

/// A text that is about to be written, or was.
#[derive(Clone, Copy, Debug)]
pub struct NotedText {
    /// The address of its object.
    pub address: usize,
    /// The number of its characters.
    pub len: usize,
    /// Whether its object has kept its UTF-8.
    pub is_kept: bool,
    /// Whether it is the name of a member. The names of documents that are made anew are often the
    /// same objects, their values are not; so each kind has its own sample.
    pub is_name: bool,
}

/// The sample is the text that contains this character, counted over all texts of its kind.
/// Documents with less text are encoded in less time than keeping it saves.
const SAMPLE: usize = 256;

/// No text with more characters is kept.
const LONGEST: usize = 1 << 20;

/// How often a sample is written before it is kept.
const PATIENCE: u32 = 8;

/// The patience after many objects at one address turned out to be new ones.
const MOST_PATIENCE: u32 = 4096;

/// The count of a sample that was kept.
const KEPT: u32 = u32::MAX;

/// The number of samples that a thread remembers.
const SAMPLES: usize = 1 << 6;

/// The samples that the outputs of a thread have met. The fields are atomic because threads may
/// share them; mixed-up values only make a wrong guess.
#[derive(Debug)]
pub struct SeenTexts {
    samples: [Sample; SAMPLES],
    /// After how many times a sample is kept: more where that was wrong before.
    patience: AtomicU32,
}

/// A text at one address.
#[derive(Debug, Default)]
struct Sample {
    /// Address and length, mixed; zero if the slot is empty.
    identity: AtomicUsize,
    /// How often the text was written, or [`KEPT`].
    count: AtomicU32,
}

/// What one output has written so far.
#[derive(Debug, Default)]
pub struct TextHistory {
    values: Account,
    names: Account,
}

/// The texts of one kind, counted in characters.
#[derive(Debug, Default)]
struct Account {
    seen: usize,
    /// Those that had kept their UTF-8 before.
    found: usize,
    /// Those that this output decided to keep.
    kept: usize,
    /// Whether the sample was recognised.
    repeats: bool,
}

impl Default for SeenTexts {
    fn default() -> Self {
        let samples = core::array::from_fn(|_| Sample::default());
        Self { samples, patience: AtomicU32::new(PATIENCE) }
    }
}

impl SeenTexts {
    /// Counts the sample of an output; returns whether it has been written often enough.
    #[cold]
    #[inline(never)]
    fn is_known(&self, text: NotedText) -> bool {
        let patience = self.patience.load(Ordering::Relaxed);
        if text.is_kept {
            self.patience.store(patience.saturating_sub(1).max(PATIENCE), Ordering::Relaxed);
            return true;
        }
        // Two rounds, because one maps addresses at some equal distances to few slots.
        let once = (text.address as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let twice = (once ^ once >> 32).wrapping_mul(0xff51_afd7_ed55_8ccd);
        let sample = &self.samples[(twice >> 58) as usize];
        let identity = text.address ^ text.len.rotate_right(16) | 1;
        let count = match sample.identity.swap(identity, Ordering::Relaxed) == identity {
            true => sample.count.load(Ordering::Relaxed),
            false => 0,
        };
        if count == KEPT {
            // It was kept, and now is not: a new object has the address of an old one.
            self.patience.store((4 * patience).min(MOST_PATIENCE), Ordering::Relaxed);
        }
        let is_known = count >= patience && count != KEPT;
        let next = if is_known { KEPT } else { count.wrapping_add(1).max(1) };
        sample.count.store(next, Ordering::Relaxed);
        is_known
    }
}

impl TextHistory {
    /// Notes a text; returns whether its object should keep its UTF-8.
    #[inline(always)]
    pub fn note(&mut self, text: NotedText, seen: &SeenTexts) -> bool {
        let account = if text.is_name { &mut self.names } else { &mut self.values };
        let before = account.seen;
        account.seen += text.len;
        if before < SAMPLE && account.seen >= SAMPLE {
            account.repeats = seen.is_known(text);
        }
        if text.is_kept {
            account.found += text.len;
            return false;
        }
        // An output keeps about half as much as it finds kept, and at least one text: so a document
        // of which only a part is written again costs little, and any other has kept everything
        // soon.
        if !account.repeats || account.kept > account.found / 2 || text.len > LONGEST {
            return false;
        }
        account.kept += text.len;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts at fixed addresses, and which of them have kept their UTF-8.
    struct Document(Vec<(NotedText, bool)>);

    impl Document {
        fn new(lengths: &[usize]) -> Self {
            let text = |at, len| NotedText {
                address: 0x10_0000 + 4096 * at,
                len,
                is_kept: false,
                is_name: false,
            };
            let texts = lengths.iter().enumerate();
            Self(texts.map(|(at, &len)| (text(at, len), false)).collect())
        }

        /// Writes the document; returns how many texts were kept.
        fn write(&mut self, seen: &SeenTexts) -> usize {
            let mut history = TextHistory::default();
            let mut count = 0;
            for (text, is_kept) in &mut self.0 {
                if history.note(NotedText { is_kept: *is_kept, ..*text }, seen) {
                    *is_kept = true;
                    count += 1;
                }
            }
            count
        }

        fn kept(&self) -> usize {
            self.0.iter().filter(|(_, is_kept)| *is_kept).count()
        }
    }

    #[test]
    fn a_document_is_kept_when_it_was_written_often() {
        for lengths in [&[20; 2000][..], &[400; 3], &[100_000], &[10, 900_000, 10, 10]] {
            let (seen, mut document) = (SeenTexts::default(), Document::new(lengths));
            for _ in 0..PATIENCE {
                assert_eq!(document.write(&seen), 0);
            }
            assert_eq!(document.write(&seen), 1);
            for _ in 0..30 {
                document.write(&seen);
            }
            // Texts before the sample stay as they are.
            let before = document.0.iter().take_while(|(_, is_kept)| !is_kept);
            let before: usize = before.map(|(text, _)| text.len).sum();
            assert!(before < SAMPLE);
            let after = document.0.iter().skip_while(|(_, is_kept)| !is_kept);
            assert!(after.clone().count() > 0 && after.clone().all(|(_, is_kept)| *is_kept));
        }
    }

    #[test]
    fn new_objects_at_the_same_addresses_are_rarely_kept() {
        let seen = SeenTexts::default();
        let count: usize = (0..10_000).map(|_| Document::new(&[40; 100]).write(&seen)).sum();
        assert!((1..=7).contains(&count), "{count}");
    }

    #[test]
    fn new_objects_at_many_addresses_are_rarely_kept() {
        let seen = SeenTexts::default();
        let write = |round: usize| {
            let mut document = Document::new(&[40; 100]);
            document.0.iter_mut().for_each(|(text, _)| text.address += 64 * (round % 20));
            document.write(&seen)
        };
        let count: usize = (0..10_000).map(write).sum();
        assert!((1..=24).contains(&count), "{count}");
        // Documents that are written again are recognised even so.
        let mut document = Document::new(&[50; 100]);
        for _ in 0..20_000 {
            document.write(&seen);
        }
        assert!(document.kept() > 90);
    }

    #[test]
    fn short_documents_and_long_texts_are_not_kept() {
        let seen = SeenTexts::default();
        let mut short = Document::new(&[SAMPLE - 1]);
        let mut long = Document::new(&[LONGEST + 1]);
        for _ in 0..100 {
            assert_eq!(short.write(&seen) + long.write(&seen), 0);
        }
    }

    #[test]
    fn new_texts_beside_old_ones_are_kept_to_half_their_amount() {
        let seen = SeenTexts::default();
        let mut old = Document::new(&[40; 100]);
        for _ in 0..100 {
            old.write(&seen);
        }
        let mut both = Document(old.0.clone());
        both.0.extend(Document::new(&[40; 1000]).0);
        let (before, count) = (both.kept(), both.write(&seen));
        assert!(before >= 93 && count <= before / 2 + 1, "{before} {count}");
    }

    #[test]
    fn names_and_values_have_their_own_samples() {
        let seen = SeenTexts::default();
        let text = |address, is_name| NotedText { address, len: 300, is_kept: is_name, is_name };
        for round in 0..100 {
            let mut history = TextHistory::default();
            // The name is found kept; the value is a new object each time.
            assert!(!history.note(text(16, true), &seen));
            assert!(!history.note(text(4096 * (round + 1), false), &seen));
        }
    }

    #[test]
    fn documents_that_take_turns_are_kept() {
        let seen = SeenTexts::default();
        let mut documents: Vec<_> = (0..8).map(|_| Document::new(&[40; 100])).collect();
        for (index, document) in documents.iter_mut().enumerate() {
            for (text, _) in &mut document.0 {
                text.address += 48 * index;
            }
        }
        for _ in 0..100 {
            documents.iter_mut().for_each(|document| _ = document.write(&seen));
        }
        let kept = documents.iter().filter(|document| document.kept() > 90).count();
        assert!(kept >= 6, "{kept}");
    }
}
