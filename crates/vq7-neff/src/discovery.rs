//! Which members are instruction streams. Source: docs/spec/streams.md, "Finding the streams".

use crate::{Engine, FoundBy, Neff, NeffError, Stream};
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// The streams in the order of the archive.
pub(crate) fn streams(neff: &Neff<'_>) -> Result<(Vec<Stream>, Vec<String>), NeffError> {
    let (mut streams, mut warnings) = (Vec::new(), Vec::new());
    by_json(neff, &mut streams, &mut warnings)?;
    for member in neff.members().iter().filter(|member| member.name.to_ascii_lowercase().ends_with(".bin")) {
        if let Some(engine) = Engine::of_file(&member.name) {
            add(&mut streams, &member.name, Some(engine), FoundBy::Name);
        }
    }
    if streams.is_empty() {
        return Err(NeffError::NoStream);
    }
    for stream in &streams {
        if stream.engine.is_none() {
            warnings
                .push(format!("which engine runs `{}` is not known from its name or that of its JSON", stream.member));
        }
    }
    let order = |name: &str| neff.members().iter().position(|member| member.name == name);
    streams.sort_by_key(|stream| order(&stream.member));
    Ok((streams, warnings))
}

fn by_json(neff: &Neff<'_>, streams: &mut Vec<Stream>, warnings: &mut Vec<String>) -> Result<(), NeffError> {
    let sides = neff.members().iter().filter(|member| member.is_file && member.name.ends_with(".json"));
    // Side files of engines first, then def.json, which older packages have.
    let (defs, sides): (Vec<_>, Vec<_>) = sides.partition(|member| base(&member.name) == "def.json");
    for (members, found_by) in [(sides, FoundBy::EngineJson), (defs, FoundBy::DefJson)] {
        for member in members {
            if found_by == FoundBy::EngineJson && !is_subgraph(&member.name) {
                continue;
            }
            let bytes = neff.data(member)?;
            let mut keys = Vec::new();
            let mut reader = serde_json::Deserializer::from_slice(bytes);
            let walk = Walk { depth: 0, keys: &mut keys, wanted: found_by };
            if let Err(error) = walk.deserialize(&mut reader).and_then(|()| reader.end()) {
                warnings.push(format!("`{}` is no JSON and names no stream: {error}", member.name));
                continue;
            }
            for (key, value) in keys {
                let stream = resolve(neff, &member.name, &value)
                    .ok_or_else(|| NeffError::MissingStream { json: member.name.clone(), stream: value.clone() })?;
                let engine = Engine::of_file(stream)
                    .or_else(|| Engine::of_file(key.trim_end_matches("instr").trim_end_matches('_')))
                    .or_else(|| Engine::of_file(&member.name));
                add(streams, stream, engine, found_by);
            }
        }
    }
    Ok(())
}

fn add(streams: &mut Vec<Stream>, member: &str, engine: Option<Engine>, found_by: FoundBy) {
    if !streams.iter().any(|stream| stream.member == member) {
        streams.push(Stream { member: member.to_owned(), engine, found_by });
    }
}

/// The member that a JSON names: beside it, or from the root of the archive.
fn resolve<'a>(neff: &'a Neff<'_>, json: &str, named: &str) -> Option<&'a str> {
    let named = named.trim_start_matches("./");
    let beside = json.rsplit_once('/').map(|(folder, _)| format!("{folder}/{named}"));
    let find = |name: &str| neff.members().iter().find(|member| member.name == name);
    beside.and_then(|name| find(&name)).or_else(|| find(named)).map(|member| member.name.as_str())
}

fn base(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// Whether a member lies in a subgraph's folder: `sg00/`, `sg01/`, ..
fn is_subgraph(name: &str) -> bool {
    let folder = name.rsplit('/').nth(1).unwrap_or_default();
    folder.strip_prefix("sg").is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
}

/// Walks a JSON of any size and keeps nothing of it but the keys that name streams.
struct Walk<'a> {
    depth: usize,
    keys: &'a mut Vec<(String, String)>,
    wanted: FoundBy,
}

impl Walk<'_> {
    fn wants(&self, key: &str) -> bool {
        match self.wanted {
            FoundBy::EngineJson => self.depth == 1 && key == "instr",
            _ => key.ends_with("_instr"),
        }
    }
}

impl<'de> DeserializeSeed<'de> for Walk<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Walk<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        self.depth += 1;
        while let Some(key) = map.next_key::<String>()? {
            if self.wants(&key) {
                if let serde_json::Value::String(stream) = map.next_value_seed(Shallow)? {
                    self.keys.push((key, stream));
                }
            } else if self.wanted == FoundBy::EngineJson {
                map.next_value::<IgnoredAny>()?;
            } else {
                map.next_value_seed(Walk { depth: self.depth, keys: &mut *self.keys, wanted: self.wanted })?;
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut seq: A) -> Result<(), A::Error> {
        self.depth += 1;
        while seq.next_element_seed(Walk { depth: self.depth, keys: &mut *self.keys, wanted: self.wanted })?.is_some() {
        }
        Ok(())
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
        Ok(())
    }
    fn visit_i64<E: Error>(self, _: i64) -> Result<(), E> {
        Ok(())
    }
    fn visit_u64<E: Error>(self, _: u64) -> Result<(), E> {
        Ok(())
    }
    fn visit_f64<E: Error>(self, _: f64) -> Result<(), E> {
        Ok(())
    }
    fn visit_str<E: Error>(self, _: &str) -> Result<(), E> {
        Ok(())
    }
    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }
}

/// A string as it is; anything else as null, however large.
struct Shallow;

impl<'de> DeserializeSeed<'de> for Shallow {
    type Value = serde_json::Value;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Shallow {
    type Value = serde_json::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a stream")
    }
    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(serde_json::Value::String(text.to_owned()))
    }
    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(serde_json::Value::Null)
    }
}
