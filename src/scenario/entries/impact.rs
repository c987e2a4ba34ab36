//! How a scenario file resolves impacts: the law by name, its order and its parameters.

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::contact::Contacts;
use crate::files::did_you_mean;
use crate::impact::settings::{KeyRole, KeyValues, LawKey};
use crate::impact::{ImpactLaw, ReflectionOrder};
use crate::laws::{LawEntry, LawRegistry, LawSetting};
use crate::scenario::ScenarioError;

/// Contacts that a remark names at most.
const LISTED: usize = 8;

/// How impacts are resolved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(transform = parameters_by_law)]
pub struct ImpactEntry {
    /// Name of the law.
    #[schemars(extend("enum" = law_names()))]
    pub law: String,
    /// Which violated contact acts first, for laws that treat contacts one after the other; `all`
    /// follows every outcome as a branch of its own.
    #[schemars(extend("enum" = order_names()))]
    pub order: String,
    /// Seed of laws and orders that draw at random.
    pub seed: u64,
    /// Further parameters of the law.
    #[schemars(with = "BTreeMap<String, serde_json::Value>")]
    #[schemars(extend("examples" = [{"tolerance": 1e-9}]))]
    pub parameters: BTreeMap<String, toml::Value>,
    /// A contact whose strikes accumulate within this time is brought to rest \[s\]; 0 never.
    #[schemars(range(min = 0))]
    pub zeno_time: f64,
    /// Contacts with gaps below this at an impact take part in it \[m\].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub simultaneity: f64,
    /// States that the count of outcomes of one impact may explore.
    pub verdict_budget: usize,
    /// Branches followed at once with `order = "all"`.
    pub branch_budget: usize,
    /// Branches whose states agree to this are merged (kinetic distance over ‖p‖).
    #[schemars(range(min = 0))]
    pub branch_tolerance: f64,
}

/// Laws that a file may name: those of this library.
fn law_names() -> Vec<&'static str> {
    let laws = LawRegistry::standard();
    laws.entries().iter().map(|law| law.name).collect()
}

/// Orders that a file may name.
fn order_names() -> Vec<&'static str> {
    let orders = ReflectionOrder::NAMES.into_iter();
    orders.chain(["all"]).collect()
}

/// Says of each law which parameters it takes.
fn parameters_by_law(schema: &mut Schema) {
    let laws = LawRegistry::standard();
    let cases = laws.entries().iter().map(|law| {
        let parameters: serde_json::Map<String, Value> = law
            .keys()
            .iter()
            .filter(|key| !matches!(key.role, KeyRole::Seed | KeyRole::Samples))
            .map(|key| (key.name.to_string(), parameter_schema(key)))
            .collect();
        // A file without the key has the default law, which fits the condition as well.
        let mut condition = json!({"properties": {"law": {"const": law.name}}});
        if law.name != ImpactEntry::default().law {
            condition["required"] = json!(["law"]);
        }
        json!({
            "if": condition,
            "then": {"properties": {"parameters": {
                "properties": parameters,
                "additionalProperties": false,
            }}},
        })
    });
    let cases: Vec<Value> = cases.collect();
    schema.insert("allOf".to_string(), Value::Array(cases));
}

/// What a parameter of a law takes. Every value may also be written as a text, as on the command line.
fn parameter_schema(key: &LawKey) -> Value {
    let mut schema = match &key.values {
        KeyValues::Switch => json!({"enum": [true, false, "true", "false"]}),
        KeyValues::Whole { least, most, .. } if *most == u64::MAX => {
            json!({"type": ["integer", "string"], "minimum": least})
        }
        KeyValues::Whole { least, most, .. } => {
            json!({"type": ["integer", "string"], "minimum": least, "maximum": most})
        }
        KeyValues::Number { .. } => json!({"type": ["number", "string"]}),
        KeyValues::Words(words) => json!({"type": "string", "enum": words}),
        KeyValues::Contacts => json!({"type": ["string", "array"], "examples": ["A,B"]}),
        _ => json!({}),
    };
    schema["description"] = json!(format!("Of the law: {}.", key.meaning));
    schema["x-allowed"] = json!(key.values.in_words(""));
    if !key.unit.is_empty() {
        schema["x-unit"] = json!(key.unit);
    }
    if !key.default.is_empty() {
        let text = || json!(key.default);
        schema["default"] = serde_json::from_str(&key.default).unwrap_or_else(|_| text());
    }
    schema
}

impl Default for ImpactEntry {
    fn default() -> Self {
        Self {
            law: "propagative".to_string(),
            order: ReflectionOrder::default().name().to_string(),
            seed: 0,
            parameters: BTreeMap::new(),
            zeno_time: 1e-6,
            simultaneity: 1e-8,
            verdict_budget: 20_000,
            branch_budget: 64,
            branch_tolerance: 1e-9,
        }
    }
}

impl ImpactEntry {
    /// The law with its parameters; `file` is what messages call the scenario.
    pub(crate) fn build(
        &self,
        file: &str,
        contacts: &Contacts,
        laws: &LawRegistry,
    ) -> Result<Box<dyn ImpactLaw>, ScenarioError> {
        let wrong = |place: &str, reason: String| ScenarioError::value(file, place, reason);
        let known = laws
            .get(&self.law)
            .map_err(|e| wrong("impact.law", e.to_string()))?;
        let mut draft = known.draft();
        let order = self.order_for(known);
        if let Some(order) = order.map_err(|reason| wrong("impact.order", reason))? {
            draft.set_role(KeyRole::Order, order)?;
        }
        let branches = self.order == "all";
        if let (true, false, Some((key, value))) = (
            branches,
            draft.build()?.lists_alternatives(),
            known.exhaustive(),
        ) {
            draft.set(key.name, value)?;
        }
        for (name, value) in &self.parameters {
            let refuse = |reason| wrong(&format!("impact.parameters.{name}"), reason);
            let setting = LawSetting {
                written: name.clone(),
                name: name.clone(),
                value: text_of(value),
            };
            let misplaced = match known.key(name).map(|key| key.role) {
                Some(KeyRole::Seed) => Some("impacts draw from impact.seed"),
                Some(KeyRole::Samples) => Some("an impact of a run draws one sample"),
                _ => None,
            };
            if let Some(why) = misplaced {
                return Err(refuse(format!("{why}; remove the key")));
            }
            if let Some(names) = setting.named_contacts(known) {
                check_contacts(names, contacts).map_err(refuse)?;
            }
            let set = draft.set(name, &setting.value);
            set.map_err(|error| refuse(error.to_string()))?;
        }
        let law = draft.build()?;
        if branches && !law.lists_alternatives() {
            let able = laws.entries().iter();
            let able = able.filter(|e| {
                let lists = || e.build().is_ok_and(|law| law.lists_alternatives());
                e.exhaustive().is_some() || lists()
            });
            let names: Vec<&str> = able.map(|e| e.name).collect();
            let reason = format!(
                "order \"all\" follows every outcome that a law lists, and law \"{}\" lists one as it is set up; \
                 the laws that can list several are {}",
                self.law,
                names.join(", ")
            );
            return Err(wrong("impact.order", reason));
        }
        Ok(law)
    }

    /// What the scenario sets of its own law, for a comparison of laws: its parameters, its order, its seed.
    pub(crate) fn settings(&self, laws: &LawRegistry) -> Vec<LawSetting> {
        let Ok(law) = laws.get(&self.law) else {
            return Vec::new();
        };
        let setting = |place: &str, name: &str, value: String| LawSetting {
            written: format!("impact.{place}"),
            name: name.to_string(),
            value,
        };
        let order = self.order_for(law).ok().flatten();
        let order = order
            .zip(law.key_of(KeyRole::Order))
            .map(|(order, key)| setting("order", key.name, order.to_string()));
        let seed = law
            .key_of(KeyRole::Seed)
            .map(|key| setting("seed", key.name, self.seed.to_string()));
        let parameters = self.parameters.iter();
        let parameters = parameters
            .map(|(name, value)| setting(&format!("parameters.{name}"), name, text_of(value)));
        order.into_iter().chain(seed).chain(parameters).collect()
    }

    /// The order that the law must be told: none for a law without orders, and none for the branches of all orders.
    fn order_for(&self, law: &LawEntry) -> Result<Option<&str>, String> {
        let order = self.order.as_str();
        if order == "all" {
            return Ok(None);
        }
        if ReflectionOrder::from_name(order).is_none() {
            let orders = ReflectionOrder::ALL.map(ReflectionOrder::name);
            return Err(format!(
                "there is no order \"{order}\"{}; the orders are {} and all",
                did_you_mean(order, orders.into_iter()),
                orders.join(", ")
            ));
        }
        if law.key_of(KeyRole::Order).is_some() {
            return Ok(Some(order));
        }
        // The default order says nothing, so that laws without orders need not mention it.
        if order == ReflectionOrder::default().name() {
            return Ok(None);
        }
        Err(format!(
            "law \"{}\" does not treat contacts in an order; remove the key",
            self.law
        ))
    }
}

/// A value of a file as the command line would write it.
fn text_of(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => text.clone(),
        toml::Value::Array(list) => {
            let words: Vec<String> = list.iter().map(text_of).collect();
            words.join(",")
        }
        other => other.to_string(),
    }
}

/// Refuses names that no contact has. Indices would count the contacts of each impact.
fn check_contacts<'a>(
    mut names: impl Iterator<Item = &'a str>,
    contacts: &Contacts,
) -> Result<(), String> {
    let known: Vec<&str> = (0..contacts.len()).map(|i| contacts.name(i)).collect();
    let Some(unknown) = names.find(|name| !known.contains(name)) else {
        return Ok(());
    };
    Err(format!(
        "there is no contact \"{unknown}\"{}; the contacts are {}",
        did_you_mean(unknown, known.iter().copied()),
        known.join(", ")
    ))
}

/// Refuses a restitution that the law would ignore: `written` are those of the scenario with their places. 0 is what a
/// law without restitution does, 1 what one does that keeps the energy; a contact of which nothing is written has 1.
pub(crate) fn check_restitution(
    file: &str,
    law: &dyn ImpactLaw,
    contacts: &Contacts,
    written: &[(String, f64)],
) -> Result<(), ScenarioError> {
    let properties = law.properties();
    if properties.restitution {
        return Ok(());
    }
    let ignored = |e: f64| e > 0.0 && !(e == 1.0 && properties.conserves_energy);
    if let Some((place, restitution)) = written.iter().find(|(_, e)| ignored(*e)) {
        let reason = format!(
            "law \"{}\" does not use the restitution {restitution}; remove the key or choose a law with restitution",
            law.name()
        );
        return Err(ScenarioError::value(file, place.clone(), reason));
    }
    let partial = (0..contacts.len())
        .map(|i| (contacts.restitution(i), contacts.name(i)))
        .find(|(restitution, _)| *restitution > 0.0 && *restitution < 1.0);
    let Some((restitution, name)) = partial else {
        return Ok(());
    };
    let reason = format!(
        "law \"{}\" does not use the restitution {restitution} of contact \"{name}\"; remove the key or choose a law with restitution",
        law.name()
    );
    Err(ScenarioError::value(file, "contact.restitution", reason))
}

/// A remark when contacts have friction and the law does not use it: their impacts act along the normals alone.
pub(crate) fn unused_friction(law: &dyn ImpactLaw, contacts: &Contacts) -> Option<String> {
    if law.properties().friction {
        return None;
    }
    let rough: Vec<&str> = (0..contacts.len())
        .filter(|&i| contacts.friction(i) > 0.0)
        .map(|i| contacts.name(i))
        .collect();
    let listed = match rough.as_slice() {
        [] => return None,
        _ if rough.len() == contacts.len() => "all contacts".to_string(),
        // Shapes that may touch each other have thousands.
        _ if rough.len() > LISTED => {
            let (first, others) = rough.split_at(LISTED);
            format!("contacts {} and {} others", first.join(", "), others.len())
        }
        _ => format!("contacts {}", rough.join(", ")),
    };
    Some(format!(
        "law \"{}\" has no friction: the friction of {listed} acts while they are held, not in impacts",
        law.name()
    ))
}
