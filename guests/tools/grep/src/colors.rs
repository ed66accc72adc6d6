//! Colours, from `GREP_COLORS`.

use codepod_tool::complain;

/// What each part is shown in; empty for no colour.
#[derive(Debug, Clone)]
pub(crate) struct Colors {
    pub(crate) on: bool,
    pub(crate) selected_match: String,
    pub(crate) context_match: String,
    pub(crate) selected_line: String,
    pub(crate) context_line: String,
    pub(crate) file: String,
    pub(crate) line: String,
    pub(crate) byte: String,
    pub(crate) separator: String,
    /// `rv`: with `-v`, colours of lines are swapped.
    pub(crate) reverse: bool,
    /// `ne`: the rest of the line is not cleared.
    pub(crate) no_clear: bool,
}

impl Colors {
    /// None at all.
    pub(crate) fn none() -> Colors {
        Colors {
            on: false,
            selected_match: String::new(),
            context_match: String::new(),
            selected_line: String::new(),
            context_line: String::new(),
            file: String::new(),
            line: String::new(),
            byte: String::new(),
            separator: String::new(),
            reverse: false,
            no_clear: false,
        }
    }

    /// The usual ones, changed as the environment says.
    pub(crate) fn from_environment() -> Colors {
        let mut colors = Colors {
            on: true,
            selected_match: "01;31".into(),
            context_match: "01;31".into(),
            file: "35".into(),
            line: "32".into(),
            byte: "32".into(),
            separator: "36".into(),
            ..Colors::none()
        };
        if let Ok(old) = std::env::var("GREP_COLOR")
            && !old.is_empty()
        {
            complain(
                "grep",
                format!("warning: GREP_COLOR='{old}' is deprecated; use GREP_COLORS='mt={old}'"),
            );
            colors.selected_match.clone_from(&old);
            colors.context_match = old;
        }
        let chosen = std::env::var("GREP_COLORS").unwrap_or_default();
        for part in chosen.split(':') {
            let (name, value) = match part.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (part, None),
            };
            // The first mistake ends it, as it does for GNU.
            if value.is_some_and(|value| {
                !value
                    .bytes()
                    .all(|byte| byte.is_ascii_digit() || byte == b';')
            }) {
                break;
            }
            let place = match name {
                "mt" => {
                    colors.context_match = value.unwrap_or_default().to_owned();
                    &mut colors.selected_match
                }
                "ms" => &mut colors.selected_match,
                "mc" => &mut colors.context_match,
                "sl" => &mut colors.selected_line,
                "cx" => &mut colors.context_line,
                "fn" => &mut colors.file,
                "ln" => &mut colors.line,
                "bn" => &mut colors.byte,
                "se" => &mut colors.separator,
                "rv" => {
                    colors.reverse = true;
                    continue;
                }
                "ne" => {
                    colors.no_clear = true;
                    continue;
                }
                _ => continue,
            };
            *place = value.unwrap_or_default().to_owned();
        }
        colors
    }
}
