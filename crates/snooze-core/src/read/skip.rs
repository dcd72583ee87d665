//! Passing a value without building it.
//!
//! Separate from the reader's steps because here they are put together: this owns the nesting. Two
//! ways: [`Reader::skip`] checks everything and reports the same faults at the same offsets as a
//! caller that builds the value; [`Reader::skip_fast`] only finds the end of a container, by its
//! brackets. Both end at the same offset if the value is valid, and say whether it is ASCII, because
//! UTF-8 is not looked at here. Called by the typed decoder for members that no field has.
//!
//! What is short is passed in place; containers are tasks of their own, so that the walks of the
//! caller stay small.

use super::{MAX_DEPTH, Reader};
use crate::arch::generic::structure::{NoEnd, container_end};
use crate::arch::{Task, Vector};
use crate::error::{Error, ErrorKind};
use crate::number;
use crate::unescape::string_end;

/// The offset after a value, and whether it is ASCII.
type Passed = (usize, bool);

impl<'a, V: Vector> Reader<'a, V> {
    /// Checks one value, with everything in it, and passes it; returns whether it is ASCII. So many
    /// containers are open around it, which count for the limit.
    ///
    /// Reports the same faults at the same offsets as a caller that builds the value, but for
    /// UTF-8, which is not looked at here.
    #[inline(always)]
    pub fn skip(&mut self, depth: usize) -> Result<bool, Error> {
        if matches!(self.token(), b'[' | b'{') {
            let (end, ascii) = V::enter(Skip { bytes: self.bytes, at: self.at, depth })?;
            self.at = end;
            return Ok(ascii);
        }
        self.skip_scalar()
    }

    /// As [`Reader::skip`], but of a container only the end is looked for: in it, wrong tokens and
    /// brackets of the wrong kind are not seen, only that there is no end, or too much depth.
    #[inline(always)]
    pub fn skip_fast(&mut self, depth: usize) -> Result<bool, Error> {
        if matches!(self.token(), b'[' | b'{') {
            let (end, ascii) = V::enter(SkipFast { bytes: self.bytes, at: self.at, depth })?;
            self.at = end;
            return Ok(ascii);
        }
        self.skip_scalar()
    }

    /// Passes a value that is no container.
    #[inline(always)]
    fn skip_scalar(&mut self) -> Result<bool, Error> {
        match self.token() {
            b'"' => return self.skip_string(),
            b'-' | b'+' | b'.' | b'0'..=b'9' => self.skip_number()?,
            b't' => self.literal_true()?,
            b'f' => self.literal_false()?,
            b'n' => self.literal_null()?,
            _ => return Err(self.no_value()),
        }
        Ok(true)
    }

    #[inline(always)]
    fn skip_string(&mut self) -> Result<bool, Error> {
        match string_end::<V>(self.bytes, self.at + 1) {
            Ok(passed) => {
                self.at = passed.end;
                Ok(passed.ascii)
            }
            Err((kind, at)) => Err(self.fault(kind, at)),
        }
    }

    #[inline(always)]
    fn skip_number(&mut self) -> Result<(), Error> {
        match number::skip(self.bytes, self.at) {
            Ok(end) => {
                self.at = end;
                Ok(())
            }
            Err((kind, at)) => Err(self.fault(kind, at)),
        }
    }

    #[inline(always)]
    fn skip_key(&mut self) -> Result<bool, Error> {
        if self.token() != b'"' {
            return Err(self.no_key());
        }
        let ascii = self.skip_string()?;
        self.colon()?;
        Ok(ascii)
    }

    #[inline(always)]
    fn skip_container(&mut self, base: usize) -> Result<bool, Error> {
        // One bit for each open container: set for an object.
        let mut kinds = [0u64; MAX_DEPTH / 64];
        let (mut depth, mut ascii) = (base, true);
        loop {
            match self.token() {
                open @ (b'{' | b'[') => {
                    self.pass();
                    if depth >= MAX_DEPTH {
                        return Err(self.too_deep());
                    }
                    let is_object = open == b'{';
                    if self.token() == open + 2 {
                        self.pass();
                    } else {
                        let bit = 1 << (depth % 64);
                        let word = &mut kinds[depth / 64];
                        *word = if is_object { *word | bit } else { *word & !bit };
                        depth += 1;
                        if is_object {
                            ascii &= self.skip_key()?;
                        }
                        continue;
                    }
                }
                _ => ascii &= self.skip_scalar()?,
            }
            loop {
                if depth == base {
                    return Ok(ascii);
                }
                let is_object = kinds[(depth - 1) / 64] >> ((depth - 1) % 64) & 1 == 1;
                match self.token() {
                    b',' => {
                        self.pass();
                        if is_object {
                            ascii &= self.skip_key()?;
                        }
                        break;
                    }
                    b'}' if is_object => self.pass(),
                    b']' if !is_object => self.pass(),
                    _ if is_object => return Err(self.no_object_end()),
                    _ => return Err(self.no_array_end()),
                }
                depth -= 1;
            }
        }
    }
}

/// [`Reader::skip`] of a container.
struct Skip<'a> {
    bytes: &'a [u8],
    at: usize,
    depth: usize,
}

impl Task for Skip<'_> {
    type Output = Result<Passed, Error>;

    #[inline(always)]
    fn run<V: Vector>(self) -> Self::Output {
        let mut reader = Reader::<V>::resume(self.bytes, self.at);
        let ascii = reader.skip_container(self.depth)?;
        Ok((reader.at, ascii))
    }
}

/// [`Reader::skip_fast`] of a container.
struct SkipFast<'a> {
    bytes: &'a [u8],
    at: usize,
    depth: usize,
}

impl Task for SkipFast<'_> {
    type Output = Result<Passed, Error>;

    #[inline(always)]
    fn run<V: Vector>(self) -> Self::Output {
        let room = MAX_DEPTH.saturating_sub(self.depth);
        match container_end::<V>(self.bytes, self.at, room) {
            Ok(end) => {
                // Of what lies behind the end, nothing counts.
                let ascii = end.ascii || self.bytes[self.at..end.at].is_ascii();
                Ok((end.at, ascii))
            }
            Err(NoEnd::Cut) => Err(Error::new(ErrorKind::UnexpectedEnd, self.bytes.len())),
            Err(NoEnd::Deep(at)) => Err(Error::new(ErrorKind::Depth, at)),
        }
    }
}
