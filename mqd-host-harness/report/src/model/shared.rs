//! What many processes have in common is kept once, so a job of a million ranks takes memory for
//! what differs among them.

use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt;
use std::hash::Hash;
use std::ops::Deref;
use std::sync::Arc;
use std::thread::LocalKey;

use rustc_hash::FxHashSet;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What a thread has met lately. Threads know nothing of each other, so none waits for another.
pub(super) struct Known<T: ?Sized> {
    met: FxHashSet<Arc<T>>,
    bytes: usize,
}

impl<T: ?Sized> Default for Known<T> {
    fn default() -> Known<T> {
        Known { met: FxHashSet::default(), bytes: 0 }
    }
}

/// A thread forgets what it has met when that takes so many bytes: values may differ everywhere.
const MOST: usize = 16 << 20;

/// What a value takes besides its own bytes.
const EACH: usize = 64;

/// The value that the thread has met already, or a new one.
pub(super) fn shared<T>(known: &'static LocalKey<RefCell<Known<T>>>, value: &T) -> Arc<T>
where
    T: ?Sized + Eq + Hash,
    for<'a> Arc<T>: From<&'a T>,
{
    known.with_borrow_mut(|known| {
        if let Some(met) = known.met.get(value) {
            return Arc::clone(met);
        }
        if known.bytes > MOST {
            *known = Known::default();
        }
        let new = Arc::from(value);
        known.met.insert(Arc::clone(&new));
        known.bytes += size_of_val(value) + EACH;
        new
    })
}

thread_local! {
    static TEXTS: RefCell<Known<str>> = RefCell::default();
    static LINES: RefCell<Known<[Text]>> = RefCell::default();
}

/// A text that many processes have.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text(Arc<str>);

impl Text {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for Text {
    fn default() -> Text {
        Text::from("")
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for Text {
    fn as_ref(&self) -> &str {
        self
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Text {
        Text(shared(&TEXTS, text))
    }
}

impl From<String> for Text {
    fn from(text: String) -> Text {
        Text::from(text.as_str())
    }
}

impl From<Text> for String {
    fn from(text: Text) -> String {
        text.as_str().to_owned()
    }
}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for Text {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self)
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Text, D::Error> {
        deserializer.deserialize_str(Characters)
    }
}

/// Reads a text without a copy of it.
struct Characters;

impl Visitor<'_> for Characters {
    type Value = Text;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Text, E> {
        Ok(Text::from(text))
    }
}

impl JsonSchema for Text {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        String::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        String::json_schema(generator)
    }
}

/// Lines of text that many operations have.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Lines(Arc<[Text]>);

impl Default for Lines {
    fn default() -> Lines {
        Lines(shared(&LINES, &[]))
    }
}

impl Deref for Lines {
    type Target = [Text];

    fn deref(&self) -> &[Text] {
        &self.0
    }
}

impl<T: Into<Text>> FromIterator<T> for Lines {
    fn from_iter<I: IntoIterator<Item = T>>(lines: I) -> Lines {
        let lines: Vec<Text> = lines.into_iter().map(Into::into).collect();
        Lines(shared(&LINES, &lines))
    }
}

impl fmt::Debug for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl Serialize for Lines {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for Lines {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Lines, D::Error> {
        Ok(Vec::<Text>::deserialize(deserializer)?.into_iter().collect())
    }
}

impl JsonSchema for Lines {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        Vec::<String>::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Vec::<String>::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_are_kept_once() {
        let texts: Vec<Text> = serde_json::from_str(r#"["a\n", "b", "a\n"]"#).expect("strings");
        assert!(Arc::ptr_eq(&texts[0].0, &texts[2].0));
        assert_eq!(texts, ["a\n", "b", "a\n"].map(Text::from));
        let lines: [Lines; 2] = [["x", "y"], ["x", "y"]].map(|lines| lines.into_iter().collect());
        assert!(Arc::ptr_eq(&lines[0].0, &lines[1].0));
        assert_eq!(serde_json::to_string(&lines[0]).expect("strings"), r#"["x","y"]"#);
    }

    #[test]
    fn a_thread_does_not_keep_all_it_has_met() {
        let most = MOST / EACH;
        for number in 0..2 * most {
            drop(Text::from(number.to_string()));
        }
        assert!(TEXTS.with_borrow(|known| known.met.len()) <= most);
    }
}
