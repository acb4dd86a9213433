//! The devices of a stack, as a table of counts or as a list of names. Their order counts: RAID 1 reads
//! from the first of equals, and RAID 4 keeps its parity on the last.

use std::borrow::Cow;
use std::fmt;
use std::num::NonZeroU32;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use stripewise_study::stack::DeviceGroup;

/// The devices of a stack in the order in which they are written, neighbours of one profile together.
#[derive(Debug, Default)]
pub(crate) struct Members(pub(crate) Vec<DeviceGroup>);

impl Members {
    fn push(&mut self, profile: String, count: NonZeroU32) {
        match self.0.last_mut() {
            Some(last) if last.profile == profile => {
                last.count = last.count.saturating_add(count.get());
            }
            _ => self.0.push(DeviceGroup { profile, count }),
        }
    }
}

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MembersVisitor;

        impl<'de> Visitor<'de> for MembersVisitor {
            type Value = Members;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table of profiles with counts, or a list of profiles")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
                let mut members = Members::default();
                while let Some((profile, count)) = map.next_entry()? {
                    members.push(profile, count);
                }
                Ok(members)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut names: A) -> Result<Members, A::Error> {
                let mut members = Members::default();
                while let Some(profile) = names.next_element()? {
                    members.push(profile, NonZeroU32::MIN);
                }
                Ok(members)
            }
        }
        deserializer.deserialize_any(MembersVisitor)
    }
}

impl JsonSchema for Members {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Members".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let count = generator.subschema_for::<NonZeroU32>();
        json_schema!({ "anyOf": [
            { "type": "object", "additionalProperties": count },
            { "type": "array", "items": { "type": "string" } },
        ] })
    }
}
