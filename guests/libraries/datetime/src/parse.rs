//! Dates as `date -d` reads them.
//!
//! A text is a list of items in any order: a calendar date, a time of day, a zone, a weekday,
//! distances, or `@SECONDS`. Each of the first four may stand once. What is not given is taken from
//! now; a date without a time of day means midnight.

use crate::words::{Unit, Word, lookup};
use crate::{Civil, Moment, Zone};

/// The moment that a text means, seen from `now` in `zone`; nothing when it means none.
pub fn parse(text: &[u8], now: Moment, zone: &Zone) -> Option<Moment> {
    let text = std::str::from_utf8(text).ok()?;
    let mut text = text.trim_start();
    let chosen;
    let mut zone = zone;
    if let Some(rest) = text.strip_prefix("TZ=\"") {
        let (name, rest) = quoted(rest)?;
        chosen = Zone::from_text(&name);
        zone = &chosen;
        text = rest;
    }
    let names = own_names(now, zone);
    let tokens = tokens(text, &names)?;
    let mut items = Items::new(&tokens, now, zone);
    if tokens.is_empty() {
        // Nothing at all means today.
        items.dates = 1;
    }
    while items.at < tokens.len() {
        items.item()?;
    }
    items.result()
}

/// The abbreviations of the zone, which mean more than other zones' names.
fn own_names(now: Moment, zone: &Zone) -> Vec<String> {
    let half_a_year = 183 * 86_400;
    let names = [0, half_a_year].map(|shift| zone.at(now.seconds.saturating_add(shift)).name);
    names
        .into_iter()
        .filter(|name| !["UTC", "GMT", "UT"].contains(&name.as_str()))
        .collect()
}

/// The text up to a quote, and what follows.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut name = String::new();
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return Some((name, &text[at + 1..])),
            '\\' => name.push(letters.next()?.1),
            _ => name.push(letter),
        }
    }
    None
}

#[derive(Debug, Clone, PartialEq)]
enum Token {
    /// A number: its sign, its value, how many digits, and a fraction in nanoseconds if it has one.
    Number {
        sign: Option<char>,
        value: i64,
        digits: usize,
        fraction: Option<u32>,
    },
    Word(Word),
    /// A name that is no word of dates; it may be the zone's own.
    Name(String),
    Mark(char),
}

/// Takes a text apart. Comments in parentheses are left out.
fn tokens(text: &str, own_names: &[String]) -> Option<Vec<Token>> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        if byte.is_ascii_whitespace() || byte == 0x0b {
            at += 1;
        } else if byte == b'(' {
            let mut depth = 0;
            loop {
                match bytes.get(at)? {
                    b'(' => depth += 1,
                    b')' => depth -= 1,
                    _ => {}
                }
                at += 1;
                if depth == 0 {
                    break;
                }
            }
        } else if byte.is_ascii_digit() || byte == b'-' || byte == b'+' {
            let mut sign = None;
            let mut here = at;
            while let Some(mark @ (b'-' | b'+')) = bytes.get(here) {
                sign = Some(char::from(*mark));
                here += 1;
                while bytes.get(here).is_some_and(u8::is_ascii_whitespace) {
                    here += 1;
                }
            }
            if !bytes.get(here).is_some_and(u8::is_ascii_digit) {
                // A sign that is none.
                at = here;
                continue;
            }
            let begin = here;
            let mut value: i64 = 0;
            while let Some(digit) = bytes.get(here).filter(|byte| byte.is_ascii_digit()) {
                value = value
                    .checked_mul(10)?
                    .checked_add(i64::from(digit - b'0'))?;
                here += 1;
            }
            let digits = here - begin;
            let mut fraction = None;
            if matches!(bytes.get(here), Some(b'.' | b','))
                && bytes.get(here + 1).is_some_and(u8::is_ascii_digit)
            {
                here += 1;
                let mut nanoseconds = 0;
                let mut place = 100_000_000;
                let mut lost = false;
                while let Some(digit) = bytes.get(here).filter(|byte| byte.is_ascii_digit()) {
                    nanoseconds += u32::from(digit - b'0') * place;
                    lost |= place == 0 && *digit != b'0';
                    place /= 10;
                    here += 1;
                }
                // What is cut off goes towards minus infinity.
                fraction = Some(nanoseconds + u32::from(lost && sign == Some('-')));
            }
            tokens.push(Token::Number {
                sign,
                value,
                digits,
                fraction,
            });
            at = here;
        } else if byte.is_ascii_alphabetic() {
            let begin = at;
            while bytes
                .get(at)
                .is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'.')
            {
                at += 1;
            }
            let word = &text[begin..at];
            let is_own = own_names.iter().any(|name| name.eq_ignore_ascii_case(word));
            let known = if is_own { None } else { lookup(word) };
            tokens.push(known.map_or_else(|| Token::Name(word.to_owned()), Token::Word));
        } else if matches!(byte, b'@' | b':' | b'/' | b',') {
            tokens.push(Token::Mark(char::from(byte)));
            at += 1;
        } else {
            return None;
        }
    }
    Some(tokens)
}

/// What was found so far.
struct Items<'a> {
    tokens: &'a [Token],
    at: usize,
    zone: &'a Zone,
    now: Moment,
    year: i64,
    /// How many digits the year had; 0 when there was none.
    year_digits: usize,
    month: i64,
    day: i64,
    hour: i64,
    minute: i64,
    second: i64,
    nanoseconds: u32,
    meridian: Option<Word>,
    weekday: i64,
    ordinal: i64,
    /// Seconds east of UTC.
    offset: i64,
    relative: Relative,
    /// The abbreviation of the zone itself that stood there.
    own_zone: Option<String>,
    moment: Option<Moment>,
    dates: u32,
    times: u32,
    days: u32,
    zones: u32,
    relatives: u32,
}

/// Distances, summed up.
#[derive(Default)]
struct Relative {
    years: i64,
    months: i64,
    days: i64,
    hours: i64,
    minutes: i64,
    seconds: i64,
    nanoseconds: i64,
}

impl<'a> Items<'a> {
    fn new(tokens: &'a [Token], now: Moment, zone: &'a Zone) -> Items<'a> {
        let civil = zone.civil(now.seconds);
        Items {
            tokens,
            at: 0,
            zone,
            now,
            year: civil.year,
            year_digits: 0,
            month: civil.month,
            day: civil.day,
            hour: civil.hour,
            minute: civil.minute,
            second: civil.second,
            nanoseconds: now.nanoseconds,
            meridian: None,
            weekday: 0,
            ordinal: 0,
            offset: 0,
            relative: Relative::default(),
            own_zone: None,
            moment: None,
            dates: 0,
            times: 0,
            days: 0,
            zones: 0,
            relatives: 0,
        }
    }

    fn peek(&self, ahead: usize) -> Option<&'a Token> {
        self.tokens.get(self.at + ahead)
    }

    fn word(&self, ahead: usize) -> Option<Word> {
        match self.peek(ahead) {
            Some(Token::Word(word)) => Some(*word),
            _ => None,
        }
    }

    fn mark(&self, ahead: usize) -> Option<char> {
        match self.peek(ahead) {
            Some(Token::Mark(mark)) => Some(*mark),
            _ => None,
        }
    }

    /// A number without a sign or fraction.
    fn plain(&self, ahead: usize) -> Option<(i64, usize)> {
        match self.peek(ahead) {
            Some(Token::Number {
                sign: None,
                value,
                digits,
                fraction: None,
            }) => Some((*value, *digits)),
            _ => None,
        }
    }

    /// A number with a minus and no fraction: what follows in `2024-01-02`.
    fn minus(&self, ahead: usize) -> Option<(i64, usize)> {
        match self.peek(ahead) {
            Some(Token::Number {
                sign: Some('-'),
                value,
                digits,
                fraction: None,
            }) => Some((*value, *digits)),
            _ => None,
        }
    }

    /// Reads the next item. Fails when it is none, or stands there twice.
    fn item(&mut self) -> Option<()> {
        match self.peek(0)?.clone() {
            Token::Mark('@') => self.epoch(),
            // Only behind a weekday or a date.
            Token::Mark(',') if (self.days > 0 || self.dates > 0) && self.times == 0 => {
                self.at += 1;
                Some(())
            }
            Token::Mark(_) => None,
            Token::Name(name) => self.local_zone(&name),
            Token::Word(word) => self.word_item(word),
            Token::Number {
                sign,
                value,
                digits,
                fraction,
            } => self.number_item(sign, value, digits, fraction),
        }
    }

    fn epoch(&mut self) -> Option<()> {
        let Some(Token::Number {
            sign,
            value,
            fraction,
            ..
        }) = self.peek(1).cloned()
        else {
            return None;
        };
        self.at += 2;
        if self.tokens.len() > 2 {
            return None;
        }
        let nanoseconds = fraction.unwrap_or(0);
        let mut moment = Moment {
            seconds: value,
            nanoseconds,
        };
        if sign == Some('-') {
            moment.seconds = -value;
            if nanoseconds != 0 {
                moment.seconds -= 1;
                moment.nanoseconds = 1_000_000_000 - nanoseconds;
            }
        }
        if self.moment.replace(moment).is_some() {
            return None;
        }
        Some(())
    }

    /// The zone's own abbreviation: the moment must be one of that name.
    fn local_zone(&mut self, name: &str) -> Option<()> {
        let names = own_names(self.now, self.zone);
        let found = names
            .into_iter()
            .find(|own| own.eq_ignore_ascii_case(name))?;
        self.at += 1;
        self.own_zone = Some(found);
        Some(())
    }

    fn word_item(&mut self, word: Word) -> Option<()> {
        self.at += 1;
        match word {
            Word::Month(month) => self.month_first(month),
            Word::Weekday(day) => {
                self.days += 1;
                (self.weekday, self.ordinal) = (day, 0);
                Some(())
            }
            Word::Ordinal(number) => match self.word(0)? {
                Word::Weekday(day) => {
                    self.at += 1;
                    self.days += 1;
                    (self.weekday, self.ordinal) = (day, number);
                    Some(())
                }
                Word::Unit(unit) => {
                    self.at += 1;
                    self.shift(unit, number, 0)
                }
                _ => None,
            },
            Word::Unit(unit) => self.shift(unit, 1, 0),
            Word::DayShift(days) => {
                self.relatives += 1;
                self.relative.days += days;
                Some(())
            }
            Word::Zone(minutes, dst) => self.named_zone(minutes, dst),
            Word::T => self.named_zone(-7 * 60, false),
            Word::Am | Word::Pm | Word::Ago | Word::Hence | Word::Dst => None,
        }
    }

    fn named_zone(&mut self, minutes: i64, dst: bool) -> Option<()> {
        self.zones += 1;
        let mut offset = minutes * 60 + if dst { 3600 } else { 0 };
        match self.peek(0) {
            // `UTC+2`
            Some(Token::Number {
                sign: Some(_),
                digits,
                fraction: None,
                ..
            }) if *digits <= 4 && !self.is_unit(1) => {
                offset += self.zone_number()?;
            }
            Some(Token::Word(Word::Dst)) => {
                self.at += 1;
                offset += 3600;
            }
            _ => {}
        }
        self.offset = offset;
        Some(())
    }

    fn is_unit(&self, ahead: usize) -> bool {
        matches!(self.word(ahead), Some(Word::Unit(_)))
    }

    /// `+HH`, `+HHMM` or `+HH:MM`, in seconds.
    fn zone_number(&mut self) -> Option<i64> {
        let Some(Token::Number {
            sign,
            value,
            digits,
            ..
        }) = self.peek(0).cloned()
        else {
            return None;
        };
        self.at += 1;
        let (mut hours, mut minutes) = match digits {
            1 | 2 => (value, 0),
            _ => (value / 100, value % 100),
        };
        if self.mark(0) == Some(':') && digits <= 2 {
            let (value, _) = self.plain(1)?;
            self.at += 2;
            (hours, minutes) = (hours, value);
        }
        let seconds = hours
            .checked_mul(3600)?
            .checked_add(minutes.checked_mul(60)?)?;
        if seconds > 24 * 3600 {
            return None;
        }
        Some(if sign == Some('-') { -seconds } else { seconds })
    }

    /// `MONTH D`, `MONTH D, Y`, `MONTH-D-Y`.
    fn month_first(&mut self, month: i64) -> Option<()> {
        self.dates += 1;
        self.month = month;
        if let (Some((day, _)), Some((year, digits))) = (self.minus(0), self.minus(1)) {
            self.at += 2;
            self.day = day;
            self.set_year(year, digits);
            return Some(());
        }
        let (day, _) = self.plain(0)?;
        // `May 10:00` has no day.
        self.at += 1;
        self.day = day;
        if self.mark(0) == Some(',')
            && let Some((year, digits)) = self.plain(1)
        {
            self.at += 2;
            self.set_year(year, digits);
        }
        Some(())
    }

    fn set_year(&mut self, year: i64, digits: usize) {
        self.year_digits = digits.max(1);
        self.year = match digits {
            1 | 2 if year < 69 => year + 2000,
            1 | 2 => year + 1900,
            _ => year,
        };
        // One digit is a year of our era as it stands.
        if digits == 1 {
            self.year = year;
        }
    }

    fn number_item(
        &mut self,
        sign: Option<char>,
        value: i64,
        digits: usize,
        fraction: Option<u32>,
    ) -> Option<()> {
        let signed = if sign == Some('-') { -value } else { value };
        // A distance: `2 days`, `+1 week`, `1.5 seconds`.
        if let Some(Word::Unit(unit)) = self.word(1) {
            self.at += 2;
            let nanoseconds = i64::from(fraction.unwrap_or(0));
            if fraction.is_some() && unit != Unit::Second {
                return None;
            }
            return self.shift(
                unit,
                signed,
                if sign == Some('-') {
                    -nanoseconds
                } else {
                    nanoseconds
                },
            );
        }
        if sign.is_some() {
            return None;
        }
        if let Some(Word::Weekday(day)) = self.word(1)
            && fraction.is_none()
        {
            self.at += 2;
            self.days += 1;
            (self.weekday, self.ordinal) = (day, value);
            return Some(());
        }
        if self.mark(1) == Some(':') {
            return self.time(value);
        }
        if let (Some(word @ (Word::Am | Word::Pm)), None) = (self.word(1), fraction) {
            self.at += 2;
            self.times += 1;
            (self.hour, self.minute, self.second, self.nanoseconds) = (value, 0, 0, 0);
            self.meridian = Some(word);
            return Some(());
        }
        if fraction.is_some() {
            return None;
        }
        if self.mark(1) == Some('/') {
            return self.slashes(value, digits);
        }
        if let Some(Word::Month(month)) = self.word(1) {
            self.at += 2;
            self.dates += 1;
            (self.day, self.month) = (value, month);
            // `1-jan-2024`, `1 jan 2024`
            if let Some((year, digits)) = self.minus(0) {
                self.at += 1;
                self.set_year(year, digits);
            } else if let Some((year, digits)) = self.plain(0)
                && self.mark(1) != Some(':')
                && !matches!(self.word(1), Some(Word::Unit(_) | Word::Am | Word::Pm))
            {
                self.at += 1;
                self.set_year(year, digits);
            }
            return Some(());
        }
        if let (Some((month, _)), Some((day, _))) = (self.minus(1), self.minus(2)) {
            self.at += 3;
            self.dates += 1;
            self.set_year(value, digits);
            (self.month, self.day) = (month, day);
            if self.word(0) == Some(Word::T) {
                self.at += 1;
                return (self.plain(0).is_some() && self.mark(1) == Some(':')).then_some(());
            }
            return Some(());
        }
        self.bare(value, digits)
    }

    /// `H:M`, `H:M:S.N`, then `am`, `pm` or a zone.
    fn time(&mut self, hour: i64) -> Option<()> {
        self.times += 1;
        self.hour = hour;
        let Some(Token::Number {
            sign: None,
            value,
            fraction,
            ..
        }) = self.peek(2).cloned()
        else {
            return None;
        };
        if fraction.is_some() {
            return None;
        }
        self.at += 3;
        (self.minute, self.second, self.nanoseconds) = (value, 0, 0);
        if self.mark(0) == Some(':') {
            let Some(Token::Number {
                sign: None,
                value,
                fraction,
                ..
            }) = self.peek(1).cloned()
            else {
                return None;
            };
            self.at += 2;
            (self.second, self.nanoseconds) = (value, fraction.unwrap_or(0));
        }
        if let Some(word @ (Word::Am | Word::Pm)) = self.word(0) {
            self.at += 1;
            self.meridian = Some(word);
            return Some(());
        }
        // Also where a unit follows: `10:00 +1 hour` is an hour behind 10:00 in the zone +01.
        if let Some(Token::Number {
            sign: Some(_),
            fraction: None,
            ..
        }) = self.peek(0)
        {
            self.zones += 1;
            self.offset = self.zone_number()?;
        }
        Some(())
    }

    /// `M/D`, `M/D/Y`, `Y/M/D`.
    fn slashes(&mut self, first: i64, digits: usize) -> Option<()> {
        let (second, _) = self.plain(2)?;
        self.at += 3;
        self.dates += 1;
        if self.mark(0) != Some('/') {
            (self.month, self.day) = (first, second);
            return Some(());
        }
        let (third, third_digits) = self.plain(1)?;
        self.at += 2;
        if digits >= 4 {
            self.set_year(first, digits);
            (self.month, self.day) = (second, third);
        } else {
            (self.month, self.day) = (first, second);
            self.set_year(third, third_digits);
        }
        Some(())
    }

    /// A number alone: a year behind a date, a date of eight digits, or a time.
    fn bare(&mut self, value: i64, digits: usize) -> Option<()> {
        self.at += 1;
        if self.dates > 0
            && self.year_digits == 0
            && self.relatives == 0
            && (self.times > 0 || digits > 2)
        {
            self.set_year(value, digits);
        } else if digits > 4 {
            self.dates += 1;
            self.day = value % 100;
            self.month = value / 100 % 100;
            self.set_year(value / 10_000, digits - 4);
        } else {
            self.times += 1;
            let (hour, minute) = if digits <= 2 {
                (value, 0)
            } else {
                (value / 100, value % 100)
            };
            (self.hour, self.minute, self.second, self.nanoseconds) = (hour, minute, 0, 0);
            self.meridian = None;
        }
        Some(())
    }

    /// Adds a distance, backwards if `ago` follows.
    fn shift(&mut self, unit: Unit, count: i64, nanoseconds: i64) -> Option<()> {
        self.relatives += 1;
        let (mut count, mut nanoseconds) = (count, nanoseconds);
        if self.word(0) == Some(Word::Ago) {
            self.at += 1;
            (count, nanoseconds) = (count.checked_neg()?, -nanoseconds);
        } else if self.word(0) == Some(Word::Hence) {
            self.at += 1;
        }
        let relative = &mut self.relative;
        let add = |sum: &mut i64, more: i64| {
            *sum = sum.checked_add(more)?;
            Some(())
        };
        match unit {
            Unit::Year => add(&mut relative.years, count)?,
            Unit::Month => add(&mut relative.months, count)?,
            Unit::Days(days) => add(&mut relative.days, count.checked_mul(days)?)?,
            Unit::Hour => add(&mut relative.hours, count)?,
            Unit::Minute => add(&mut relative.minutes, count)?,
            Unit::Second => add(&mut relative.seconds, count)?,
        }
        add(&mut relative.nanoseconds, nanoseconds)
    }

    fn hour_of_day(&self) -> Option<i64> {
        match self.meridian {
            None => (0..24).contains(&self.hour).then_some(self.hour),
            Some(word) if (1..=12).contains(&self.hour) => {
                Some(self.hour % 12 + if word == Word::Pm { 12 } else { 0 })
            }
            Some(_) => None,
        }
    }

    fn result(&self) -> Option<Moment> {
        if self.times > 1 || self.dates > 1 || self.days > 1 || self.zones > 1 {
            return None;
        }
        if let Some(moment) = self.moment {
            return Some(moment);
        }
        let fixed;
        let zone = if self.zones > 0 {
            fixed = Zone::Fixed(self.offset, String::new());
            &fixed
        } else {
            self.zone
        };
        let mut civil = Civil {
            year: self.year,
            month: self.month,
            day: self.day,
            ..Civil::default()
        };
        let mut nanoseconds = 0;
        if self.times > 0 || (self.relatives > 0 && self.dates == 0 && self.days == 0) {
            (civil.hour, civil.minute, civil.second) =
                (self.hour_of_day()?, self.minute, self.second);
            nanoseconds = self.nanoseconds;
        }
        if !is_valid(&civil) || zone.skips(civil) {
            return None;
        }
        if self.days > 0 && self.dates == 0 {
            let today = civil.weekday();
            let ahead = (self.weekday - today + 7) % 7;
            let more = i64::from(self.ordinal > 0 && today != self.weekday);
            civil.day = civil
                .day
                .checked_add(ahead + self.ordinal.checked_sub(more)?.checked_mul(7)?)?;
        }
        let relative = &self.relative;
        civil.year = civil.year.checked_add(relative.years)?;
        civil.month = civil.month.checked_add(relative.months)?;
        civil.day = civil.day.checked_add(relative.days)?;
        let mut seconds = zone.moment(civil)?;
        if let Some(name) = &self.own_zone {
            if zone.at(seconds).name != *name || self.zones > 0 {
                return None;
            }
        } else if self.dates + self.days + self.times + self.zones == 0 {
            // Whether it is summer is taken from now, too.
            let offset = zone.at(self.now.seconds).offset;
            if zone.at(seconds).offset != offset {
                seconds = civil.to_seconds()?.checked_sub(offset)?;
            }
        }
        self.add_time(seconds, nanoseconds)
    }

    /// Adds hours, minutes and seconds.
    fn add_time(&self, seconds: i64, nanoseconds: u32) -> Option<Moment> {
        let relative = &self.relative;
        let nanoseconds = i64::from(nanoseconds).checked_add(relative.nanoseconds)?;
        let carried = nanoseconds.div_euclid(1_000_000_000);
        let more = relative
            .hours
            .checked_mul(3600)?
            .checked_add(relative.minutes.checked_mul(60)?)?;
        let more = more.checked_add(relative.seconds)?.checked_add(carried)?;
        Some(Moment {
            seconds: seconds.checked_add(more)?,
            nanoseconds: nanoseconds.rem_euclid(1_000_000_000) as u32,
        })
    }
}

/// Whether a date is one of the calendar's and a time one of the clock's.
fn is_valid(civil: &Civil) -> bool {
    let Some(seconds) = (Civil {
        second: 0,
        ..*civil
    })
    .to_seconds() else {
        return false;
    };
    let back = Civil::from_seconds(seconds);
    (0..60).contains(&civil.minute)
        && (0..60).contains(&civil.second)
        && (back.year, back.month, back.day, back.hour)
            == (civil.year, civil.month, civil.day, civil.hour)
}
