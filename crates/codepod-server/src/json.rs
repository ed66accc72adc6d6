//! JSON from outside: no name twice in an object, nothing nested deeper than the parser's own bound
//! of 128.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// Reads one JSON value.
pub(crate) fn parse(bytes: &[u8]) -> Result<Value, serde_json::Error> {
    serde_json::from_slice::<Strict>(bytes).map(|strict| strict.0)
}

/// Up to here every whole number is a floating-point number of its own.
const EXACT: f64 = 9_007_199_254_740_992.0;

struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Strict, D::Error> {
        deserializer.deserialize_any(StrictVisitor).map(Strict)
    }
}

struct StrictVisitor;

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        // JSON does not tell 1.0 from 1: what is whole counts as such, as far as it is exact.
        if value.fract() == 0.0 && value.abs() <= EXACT {
            return Ok(Value::Number((value as i64).into()));
        }
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(Strict(value)) = list.next_element()? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some((name, Strict(value))) = fields.next_entry::<String, Strict>()? {
            if object.contains_key(&name) {
                return Err(de::Error::custom("a name is there twice in an object"));
            }
            object.insert(name, value);
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn it_reads_what_serde_json_reads() {
        for text in [
            "null",
            "true",
            "-1",
            "18446744073709551615",
            "1.5",
            "\"\\u0000\"",
            "[]",
            "{\"a\":[{\"b\":{}}]}",
        ] {
            let expected: serde_json::Value = serde_json::from_str(text).unwrap();
            assert_eq!(parse(text.as_bytes()).unwrap(), expected);
        }
    }

    #[test]
    fn whole_numbers_are_whole_however_they_are_written() {
        assert_eq!(
            parse(b"[5.0, 1e3, -0.0, 1.5]").unwrap(),
            serde_json::json!([5, 1000, 0, 1.5])
        );
        assert!(parse(b"1e300").unwrap().as_u64().is_none());
    }

    #[test]
    fn ap_01_what_is_ambiguous_or_too_deep_is_refused() {
        for text in [
            "{\"a\":1,\"a\":2}",
            "[{\"b\":{\"c\":1,\"c\":1}}]",
            "{\"a\":1,\"\\u0061\":2}",
            "",
            "nul",
            "\"\\ud800\"",
        ] {
            assert!(parse(text.as_bytes()).is_err(), "{text}");
        }
        assert!(parse(b"\"\xff\"").is_err());
        assert!(parse("[".repeat(1_000_000).as_bytes()).is_err());
        assert!(parse("{\"a\":".repeat(1_000_000).as_bytes()).is_err());
        // A number of any length is a number or an error, in linear time.
        let _ = parse("9".repeat(1_000_000).as_bytes());
    }
}
