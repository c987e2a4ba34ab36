//! Schemas as a validator of another crate understands them.

use boon::{Compiler, SchemaIndex, Schemas};
use carom::schema::FileKind;
use serde_json::Value;

/// A compiled schema.
pub struct Validator {
    parts: Parts,
    index: SchemaIndex,
}

impl Validator {
    pub fn new(kind: FileKind) -> Self {
        let mut parts = Parts::of(kind);
        let index = parts.compiled("");
        Self { parts, index }
    }

    /// What is wrong with a value, if anything.
    pub fn defect(&self, value: &Value) -> Option<String> {
        self.parts.defect(self.index, value)
    }
}

/// Parts of one schema, whatever they have in common compiled once.
pub struct Parts {
    place: String,
    compiler: Compiler,
    schemas: Schemas,
}

impl Parts {
    pub fn of(kind: FileKind) -> Self {
        let place = format!("http://carom/{}.json", kind.name());
        let mut compiler = Compiler::new();
        compiler.add_resource(&place, kind.schema()).unwrap();
        Self {
            place,
            compiler,
            schemas: Schemas::new(),
        }
    }

    /// The part at a JSON pointer.
    pub fn compiled(&mut self, pointer: &str) -> SchemaIndex {
        let part = format!("{}#{pointer}", self.place);
        let compiled = self.compiler.compile(&part, &mut self.schemas);
        compiled.unwrap_or_else(|error| panic!("{part}: {error:#}"))
    }

    /// What is wrong with a value of a part, if anything.
    pub fn defect(&self, part: SchemaIndex, value: &Value) -> Option<String> {
        let result = self.schemas.validate(value, part);
        result.err().map(|error| format!("{error:#}"))
    }
}

/// A TOML text as JSON has it; infinity becomes null.
pub fn json_of(toml: &str) -> Value {
    let table: toml::Table = toml::from_str(toml).unwrap();
    serde_json::to_value(table).unwrap()
}
