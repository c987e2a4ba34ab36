//! How long the texts of a xacro file become, and what is known of them before it is expanded.

use super::limits::{DEEPEST, Property, Walk};
use super::text::{Part, is_arithmetic, names, parts};
use crate::model::ModelError;
use crate::model::urdf::package_path::PackageFinder;
use crate::model::urdf::xml_tree::Element;

/// Properties that may be looked up on the way.
const MOST_LOOKUPS: u64 = 500_000;
/// Signs of a number.
const NUMBER: u64 = 32;
/// Signs of what a command stands for: a path.
const COMMAND: u64 = 4096;

impl Walk<'_> {
    /// What is wrong with an address that finds a package which is not there.
    pub(super) fn missing_package(&self, address: &str) -> Option<String> {
        let missing = parts(address)
            .ok()?
            .into_iter()
            .find_map(|part| match part {
                Part::Command(command) => command.trim().strip_prefix("find ").map(str::trim),
                _ => None,
            })?;
        let known = self.packages.package(missing).is_some();
        (!known).then(|| PackageFinder::missing(missing))
    }

    pub(super) fn look_up(&self, name: &str) -> Option<&Property> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name))
    }

    /// The text of something that is made of texts only: no arithmetic.
    pub(super) fn known_text(&self, text: &str) -> Option<String> {
        self.known_below(text, 0)
    }

    fn known_below(&self, text: &str, depth: usize) -> Option<String> {
        if depth > DEEPEST || text.len() as u64 > COMMAND {
            return None;
        }
        let mut known = String::new();
        for part in parts(text).ok()? {
            match part {
                Part::Plain(plain) => known.push_str(plain),
                Part::Expression(name) => {
                    let property = self.look_up(name.trim())?;
                    known.push_str(&self.known_below(&property.text, depth + 1)?);
                }
                Part::Command(command) => {
                    let inner = self.known_below(command, depth + 1)?;
                    known.push_str(&self.answer(inner.trim())?);
                }
            }
            if known.len() as u64 > COMMAND {
                return None;
            }
        }
        Some(known)
    }

    fn answer(&self, command: &str) -> Option<String> {
        let (command, of) = command.split_once(char::is_whitespace)?;
        match command {
            "arg" => self.arguments.get(of.trim()).cloned(),
            "find" => {
                let folder = self.packages.package(of.trim())?;
                Some(folder.display().to_string())
            }
            _ => None,
        }
    }

    /// Signs that a text comes to, at most.
    pub(super) fn weigh(&mut self, element: &Element, text: &str) -> Result<u64, ModelError> {
        self.weigh_below(text, 0)
            .map(|(signs, _)| signs)
            .map_err(|reason| self.wrong(element, reason))
    }

    /// Signs of a text, and whether it is a number.
    pub(super) fn weigh_below(&mut self, text: &str, depth: usize) -> Result<(u64, bool), String> {
        if !text.contains('$') {
            return Ok((text.len() as u64, text.trim().parse::<f64>().is_ok()));
        }
        if depth > DEEPEST {
            return Err(format!(
                "properties refer to each other more than {DEEPEST} deep"
            ));
        }
        let found = parts(text)?;
        let filled = found
            .iter()
            .filter(|part| **part != Part::Plain(""))
            .count();
        let mut signs: u64 = 0;
        let mut number = filled == 1;
        for part in found {
            let (more, is_number) = match part {
                Part::Plain(plain) => (plain.len() as u64, plain.is_empty()),
                Part::Command(command) => {
                    let argument = command.trim().strip_prefix("arg ");
                    let known = argument.and_then(|name| self.arguments.get(name.trim()));
                    let known = known.map(|text| (text.len() as u64, text.parse::<f64>().is_ok()));
                    self.weigh_below(command, depth + 1)?;
                    known.unwrap_or((COMMAND, false))
                }
                Part::Expression(expression) => self.weigh_expression(expression, depth)?,
            };
            signs = signs.saturating_add(more);
            number &= is_number;
        }
        Ok((signs, number))
    }

    fn weigh_expression(&mut self, expression: &str, depth: usize) -> Result<(u64, bool), String> {
        let mut signs = expression.len() as u64;
        let mut numbers = is_arithmetic(expression);
        for name in names(expression) {
            self.lookups += 1;
            if self.lookups > MOST_LOOKUPS {
                return Err(format!(
                    "more than {MOST_LOOKUPS} properties would be looked up"
                ));
            }
            if let Some(property) = self.look_up(name) {
                let text = property.text.clone();
                let (more, number) = self.weigh_below(&text, depth + 1)?;
                signs = signs.saturating_add(more);
                numbers &= number;
            }
        }
        let single = if numbers { NUMBER } else { signs };
        Ok((single, numbers))
    }
}
