//! Readings of JSON values that are stricter than serde's, with messages in the words of JSON.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserializer, MapAccess, Visitor};

/// A JSON number; the message says "a number" where serde would say "f64".
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Number(pub f64);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_f64(NumberVisitor)
    }
}

struct NumberVisitor;

impl Visitor<'_> for NumberVisitor {
    type Value = Number;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number")
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Number, E> {
        Ok(Number(value))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Number, E> {
        Ok(Number(value as f64))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Number, E> {
        Ok(Number(value as f64))
    }
}

/// A struct read from a JSON object only. Serde would also take an array of its fields in order.
#[derive(Debug, Clone)]
pub struct Object<T>(pub T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectVisitor(PhantomData))
    }
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = Object<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Object<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(Object)
    }
}

/// Numbers by joint; a joint that is given twice is an error.
#[derive(Debug, Clone, Default)]
pub struct NumbersByJoint(pub BTreeMap<String, f64>);

impl<'de> Deserialize<'de> for NumbersByJoint {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(NumbersByJointVisitor)
    }
}

struct NumbersByJointVisitor;

impl<'de> Visitor<'de> for NumbersByJointVisitor {
    type Value = NumbersByJoint;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of numbers by joint")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<NumbersByJoint, A::Error> {
        let mut numbers = BTreeMap::new();
        while let Some((name, Number(value))) = map.next_entry::<String, Number>()? {
            if numbers.insert(name.clone(), value).is_some() {
                return Err(de::Error::custom(format!(
                    "joint \"{name}\" is given twice"
                )));
            }
        }
        Ok(NumbersByJoint(numbers))
    }
}
