//! Redirections.

use super::Printer;
use crate::tree::{HereDoc, Redirect, RedirectKind, RedirectLeft, Word};

impl<'t> Printer<'t> {
    /// All of them on one line; here-documents' bodies behind it, or behind the next connector.
    pub(super) fn redirects(&mut self, redirects: &'t [Redirect]) {
        self.was_body = false;
        let mut documents = Vec::new();
        for (index, redirect) in redirects.iter().enumerate() {
            if index > 0 {
                self.out.push(b' ');
            }
            if let RedirectKind::HereDoc(document) = &redirect.kind {
                documents.push(&**document);
            }
            self.redirect(redirect);
        }
        if documents.is_empty() {
            return;
        }
        if self.connections > 0 {
            self.waiting = documents;
        } else {
            self.write_bodies(&documents);
        }
    }

    fn redirect(&mut self, redirect: &'t Redirect) {
        let (default, operator, word): (u32, &[u8], &Word) = match &redirect.kind {
            RedirectKind::Read(word) => (0, b"< ", word),
            RedirectKind::Write(word) => (1, b"> ", word),
            RedirectKind::Clobber(word) => (1, b">| ", word),
            RedirectKind::Append(word) => (1, b">> ", word),
            RedirectKind::ReadWrite(word) => (1, b"<> ", word),
            RedirectKind::HereString(word) => (0, b"<<< ", word),
            RedirectKind::WriteBoth(word) => {
                self.put(b"&> ");
                return self.word(word);
            }
            RedirectKind::AppendBoth(word) => {
                self.put(b"&>> ");
                return self.word(word);
            }
            RedirectKind::DupRead(word) => return self.duplicate(&redirect.left, 0, b"<&", word),
            RedirectKind::DupWrite(word) => return self.duplicate(&redirect.left, 1, b">&", word),
            RedirectKind::HereDoc(document) => {
                self.left(&redirect.left, Some(0), 0);
                return self.here_operator(document);
            }
        };
        let own = u32::from(default == 1 && !matches!(redirect.kind, RedirectKind::ReadWrite(_)));
        let actual = if matches!(redirect.kind, RedirectKind::ReadWrite(_)) {
            0
        } else {
            own
        };
        self.left(&redirect.left, Some(default), actual);
        self.put(operator);
        self.word(word);
    }

    /// `>&word` and `<&word`: descriptors are always written out, other words only where they were.
    fn duplicate(&mut self, left: &'t RedirectLeft, default: u32, operator: &[u8], word: &'t Word) {
        let text = word.as_literal().unwrap_or(b"$");
        let closes = text == b"-";
        let digits = text.strip_suffix(b"-").unwrap_or(text);
        let number = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
        let hidden = if closes || number || text.ends_with(b"-") {
            None
        } else {
            Some(default)
        };
        self.left(left, hidden, default);
        self.put(if closes { b">&" } else { operator });
        self.word(word);
    }

    /// The left side; not written when it is `hidden`. `default` is what stands for none.
    fn left(&mut self, left: &'t RedirectLeft, hidden: Option<u32>, default: u32) {
        match left {
            RedirectLeft::Variable(name, subscript) => {
                self.out.push(b'{');
                self.put(&name.bytes());
                if let Some(subscript) = subscript {
                    self.subscript(subscript);
                }
                self.out.push(b'}');
            }
            RedirectLeft::Default => {
                if hidden != Some(default) {
                    self.number(default);
                }
            }
            RedirectLeft::Fd(number) => {
                if hidden != Some(*number) {
                    self.number(*number);
                }
            }
        }
    }

    fn here_operator(&mut self, document: &HereDoc) {
        self.put(if document.strip { b"<<-" } else { b"<<" });
        if document.quoted {
            self.single_quoted(&document.delimiter);
        } else {
            self.put(&document.delimiter);
        }
    }

    pub(super) fn here_body(&mut self, document: &'t HereDoc) {
        if document.quoted {
            for part in &document.body.parts {
                if let crate::tree::Part::Quoted(text, _) = part {
                    self.put(text);
                }
            }
        } else {
            self.parts(&document.body.parts);
        }
    }
}
