//! Parsing the arguments of `dumps(obj, /, default=None, option=None)`, `dumps_str`,
//! `json_dumps` and `reformat`.
//!
//! Separate from `module::functions`, which speaks the C calling convention, because this is safe
//! code. Invariant: each argument is given at most once, and the messages are orjson's. Keyword
//! names are compared by value, because a name built at run time is not interned. Called by
//! `module::functions`.

use core::ffi::CStr;

use snooze_core::out::Style;

use crate::options::{Call, EncodeFlags};
use crate::py::int::{Int, IntValue};
use crate::py::message::Message;
use crate::py::singletons::{is_none, is_true};
use crate::py::unicode::{Chars, Str, chars};
use crate::py::{Attached, Obj, Raised, error, int};
use crate::text_layout::{TextLayout, style};

/// The number of arguments that may be given by position.
const MAX_POSITIONAL: usize = 3;

/// The note of the error for any other argument by name, such as those of `json.dumps`.
const OTHER_FUNCTIONS: &CStr = c"The arguments are default and option, as in orjson. \
snooze.encode and snooze.json.dumps take indent, sort_keys and others.";

/// Parses the arguments of a call: `positional`, then `keywords` as pairs of name and value.
#[inline(always)]
pub(crate) fn dumps<'a, const TEXT: bool>(
    py: &mut Attached,
    positional: &[Obj<'a>],
    keywords: impl Iterator<Item = (Obj<'a>, Obj<'a>)>,
) -> Result<Call<'a>, Raised> {
    let function = if TEXT { "dumps_str()" } else { "dumps()" };
    let Some(&object) = positional.first() else {
        return Err(Message::raise_type_error(|message| {
            message.text(function)?.text(" missing 1 required positional argument: 'obj'")
        }));
    };
    if positional.len() > MAX_POSITIONAL {
        let mut message = Message::new();
        message.text(function)?.text(" takes at most 3 positional arguments (")?;
        return Err(message.count(positional.len())?.text(" given)")?.type_error());
    }
    let mut default = positional.get(1).copied();
    let mut option = positional.get(2).copied();
    for (name, value) in keywords {
        let parameter = match Str::any(name).map(chars::<false>).transpose()? {
            Some(Chars::Ascii(b"default")) => &mut default,
            Some(Chars::Ascii(b"option")) => &mut option,
            _ => return Err(unexpected(py, function, name)),
        };
        if parameter.replace(value).is_some() {
            let mut message = Message::new();
            message.text(function)?.text(" got multiple values for argument: '")?;
            return Err(message.str(name)?.text("'")?.type_error());
        }
    }
    let flags = match option {
        Some(option) if !is_none(option) => flags(option)?,
        _ => EncodeFlags::default(),
    };
    Ok(Call { object, default: default.filter(|&default| !is_none(default)), flags })
}

/// The arguments of one call of `json_dumps`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JsonCall<'a> {
    pub(crate) object: Obj<'a>,
    pub(crate) style: Style,
    /// Whether members are sorted.
    pub(crate) sorts: bool,
    /// The tuple of `default` and the list of its calls, if given.
    pub(crate) default: Option<Obj<'a>>,
}

/// Parses the arguments of `json_dumps`.
pub(crate) fn json_dumps<'a>(arguments: &[Obj<'a>]) -> Result<JsonCall<'a>, Raised> {
    let &[object, item, key, indent, ascii, sorts, default] = arguments else {
        return Err(error::type_error(c"json_dumps() takes exactly 7 positional arguments"));
    };
    let style = style([item, key, indent, ascii])?;
    Ok(JsonCall {
        object,
        style,
        sorts: is_true(sorts),
        default: Some(default).filter(|&default| !is_none(default)),
    })
}

/// Parses the arguments of `reformat`: the object and the layout.
pub(crate) fn reformat<'a>(arguments: &[Obj<'a>]) -> Result<(Obj<'a>, TextLayout), Raised> {
    let &[object, item, key, indent, ascii, newline] = arguments else {
        return Err(error::type_error(c"reformat() takes exactly 6 positional arguments"));
    };
    Ok((object, TextLayout::read([item, key, indent, ascii, newline])?))
}

#[cold]
fn unexpected(py: &mut Attached, function: &str, name: Obj<'_>) -> Raised {
    Message::raise_type_error(|message| {
        message.text(function)?;
        message.text(" got an unexpected keyword argument '")?.str(name)?.text("'")
    });
    error::explain_type_error(py, OTHER_FUNCTIONS)
}

/// The options of an exact `int`; raises `TypeError` for any other object and for unknown bits.
#[inline(always)]
fn flags(option: Obj<'_>) -> Result<EncodeFlags, Raised> {
    let value = Int::exact(option).map(int::value::<false>).transpose()?;
    let flags = match value {
        Some(IntValue::Signed(mask)) => EncodeFlags::from_mask(mask),
        _ => None,
    };
    flags.ok_or_else(|| error::type_error(c"Invalid opts"))
}
