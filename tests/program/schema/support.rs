//! Schemas as a validator of another crate understands them.

use boon::{Compiler, SchemaIndex, Schemas};
use carom::schema::FileKind;
use serde_json::Value;

/// A compiled schema, or a part of one.
pub struct Validator {
    schemas: Schemas,
    index: SchemaIndex,
}

impl Validator {
    pub fn new(kind: FileKind) -> Self {
        Self::of_part(kind, "")
    }

    /// The part at a JSON pointer.
    pub fn of_part(kind: FileKind, pointer: &str) -> Self {
        let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
        let place = format!("http://carom/{}.json", kind.name());
        compiler.add_resource(&place, kind.schema()).unwrap();
        let part = format!("{place}#{pointer}");
        let index = compiler
            .compile(&part, &mut schemas)
            .unwrap_or_else(|error| panic!("{part}: {error:#}"));
        Self { schemas, index }
    }

    /// What is wrong with a value, if anything.
    pub fn defect(&self, value: &Value) -> Option<String> {
        let result = self.schemas.validate(value, self.index);
        result.err().map(|error| format!("{error:#}"))
    }
}

/// A TOML text as JSON has it; infinity becomes null.
pub fn json_of(toml: &str) -> Value {
    let table: toml::Table = toml::from_str(toml).unwrap();
    serde_json::to_value(table).unwrap()
}
