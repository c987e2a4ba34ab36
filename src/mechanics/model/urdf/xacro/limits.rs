//! What a xacro file would expand to, counted before it is expanded.
//!
//! The expander has no bounds of its own but the depth of its recursion. So its way through the file is walked first,
//! with sizes in place of texts: every macro call enters the macro, every include its file, every condition is taken. A
//! recursion therefore counts as if it went on to the expander's limit, and both branches of a condition count.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::text::parts;
use crate::files::read_bounded;
use crate::model::ModelError;
use crate::model::urdf::package_path::PackageFinder;
use crate::model::urdf::xml_tree;
use crate::model::urdf::xml_tree::Element;

/// Elements that a file may expand to.
const MOST_ELEMENTS: u64 = 50_000;
/// Signs of their texts.
const MOST_SIGNS: u64 = 16 << 20;
/// Files that may be included.
const MOST_FILES: usize = 256;
/// Depth of elements, macros and includes at which the expander ends with an error of its own.
pub(crate) const DEEPEST: usize = 50;

/// What is known of a property, an argument or a parameter.
#[derive(Debug, Clone, Default)]
pub(super) struct Property {
    /// Its text, not evaluated.
    pub text: Rc<str>,
    /// Elements in it, where it holds a block.
    pub elements: u64,
}

type Scope = BTreeMap<String, Property>;

/// A walk through a file and what it includes.
pub(crate) struct Walk<'a> {
    pub(super) packages: &'a PackageFinder,
    pub(super) arguments: BTreeMap<String, String>,
    /// Prefixes of the names of directives.
    prefixes: Vec<String>,
    macros: BTreeMap<String, Rc<Element>>,
    /// Global properties, and the parameters of each macro that is being expanded.
    pub(super) scopes: Vec<Scope>,
    /// Elements of the blocks of those macros.
    blocks: Vec<u64>,
    /// The files that are being read, the last one inside of the others.
    files: Vec<PathBuf>,
    read: usize,
    elements: u64,
    signs: u64,
    pub(super) lookups: u64,
}

impl<'a> Walk<'a> {
    /// Walks through the file at `path`, whose root is known.
    ///
    /// # Errors
    /// A limit that is exceeded, with the file and the line; an included file that cannot be read.
    pub(crate) fn check(
        path: &Path,
        root: &Element,
        arguments: &[(String, String)],
        packages: &'a PackageFinder,
    ) -> Result<(), ModelError> {
        let mut walk = Self {
            packages,
            arguments: arguments.iter().cloned().collect(),
            prefixes: vec!["xacro".to_string()],
            macros: BTreeMap::new(),
            scopes: vec![Scope::new()],
            blocks: Vec::new(),
            files: vec![path.to_path_buf()],
            read: 0,
            elements: 0,
            signs: 0,
            lookups: 0,
        };
        walk.take_prefixes(root);
        walk.enter(root, 0)
    }

    fn take_prefixes(&mut self, root: &Element) {
        let of_xacro = root
            .attributes
            .iter()
            .filter(|(_, uri)| uri.contains("xacro"));
        let prefixes = of_xacro.filter_map(|(name, _)| name.strip_prefix("xmlns:"));
        self.prefixes.extend(prefixes.map(str::to_string));
    }

    pub(super) fn wrong(&self, element: &Element, reason: String) -> ModelError {
        let file = self.files.last().map(|f| f.display().to_string());
        ModelError::BadElement {
            place: format!("<{}>", element.name),
            reason,
        }
        .in_file(&file.unwrap_or_default(), Some(element.line))
    }

    fn enter(&mut self, element: &Element, depth: usize) -> Result<(), ModelError> {
        // The expander tells of this itself, and goes no further.
        if depth > DEEPEST {
            return Ok(());
        }
        let directive = element
            .name
            .split_once(':')
            .filter(|(prefix, _)| self.prefixes.iter().any(|p| p == prefix))
            .map(|(_, name)| name);
        let name = element.attribute("name").unwrap_or_default().to_string();
        match directive {
            Some("macro") => {
                self.macros.insert(name, Rc::new(element.clone()));
                Ok(())
            }
            Some("property") => {
                let name = self.known_text(&name).unwrap_or(name);
                self.define(element, name)
            }
            Some("arg") => {
                if let Some(default) = element.attribute("default") {
                    self.weigh(element, default)?;
                    let text = self
                        .known_text(default)
                        .unwrap_or_else(|| default.to_string());
                    self.arguments.entry(name).or_insert(text);
                }
                Ok(())
            }
            Some("include") => self.include(element, depth),
            Some("insert_block") => {
                let name = self.known_text(&name).unwrap_or(name);
                let elements = match self.look_up(&name) {
                    Some(property) => property.elements,
                    None => self.blocks.iter().copied().max().unwrap_or(0),
                };
                self.count(element, elements)
            }
            Some(call) if self.macros.contains_key(call) => self.call(element, call, depth),
            _ => {
                self.count(element, 1)?;
                self.children(element, depth)
            }
        }
    }

    /// The texts of an element, and what is in it.
    fn children(&mut self, element: &Element, depth: usize) -> Result<(), ModelError> {
        for (_, value) in &element.attributes {
            self.signs = self.signs.saturating_add(self.weigh(element, value)?);
        }
        self.signs = self
            .signs
            .saturating_add(self.weigh(element, &element.text)?);
        self.count(element, 0)?;
        let mut children = element.children.iter();
        children.try_for_each(|child| self.enter(child, depth + 1))
    }

    fn count(&mut self, element: &Element, elements: u64) -> Result<(), ModelError> {
        self.elements = self.elements.saturating_add(elements);
        let (what, limit) = if self.elements > MOST_ELEMENTS {
            ("elements", MOST_ELEMENTS)
        } else if self.signs > MOST_SIGNS {
            ("signs", MOST_SIGNS)
        } else {
            return Ok(());
        };
        let reason = format!("the file would expand to more than {limit} {what} here");
        Err(self.wrong(element, reason))
    }

    fn define(&mut self, element: &Element, name: String) -> Result<(), ModelError> {
        let before = self.elements;
        for child in &element.children {
            self.enter(child, 0)?;
        }
        let text = element.attribute("value").or(element.attribute("default"));
        let text = text.unwrap_or_default();
        if text.trim_start().starts_with("lambda ") {
            let reason = "lambda expressions are not supported; write out what it computes";
            return Err(self.wrong(element, reason.to_string()));
        }
        parts(text).map_err(|reason| self.wrong(element, reason))?;
        let property = Property {
            text: text.into(),
            elements: self.elements - before,
        };
        let global = match element.attribute("scope") {
            Some("global") => 0,
            Some("parent") => self.scopes.len().saturating_sub(2),
            _ => self.scopes.len() - 1,
        };
        self.scopes[global].insert(name, property);
        Ok(())
    }

    fn call(&mut self, element: &Element, name: &str, depth: usize) -> Result<(), ModelError> {
        let Some(body) = self.macros.get(name).cloned() else {
            return Ok(());
        };
        // Parameters are evaluated where the macro is called, those that are not given by their defaults.
        let mut scope = Scope::new();
        let mut blocks = Vec::new();
        let defaults = body.attribute("params").unwrap_or_default();
        for default in defaults.split_whitespace() {
            let end = default.find([':', '=']).unwrap_or(default.len());
            let (name, value) = default.split_at(end);
            // Blocks are weighed below.
            if name.starts_with('*') {
                blocks.push(name.trim_start_matches('*').to_string());
                continue;
            }
            // A default with spaces falls into several words: each weighs as much as all.
            let value = if value.contains('$') { defaults } else { value };
            let property = self.parameter(element, value.trim_start_matches([':', '=']))?;
            scope.insert(name.to_string(), property);
        }
        for (name, value) in &element.attributes {
            let property = self.parameter(element, value)?;
            scope.insert(name.clone(), property);
        }
        self.count(element, 1)?;
        let before = self.elements;
        let mut children = element.children.iter();
        children.try_for_each(|child| self.enter(child, depth + 1))?;
        // Each block is as large as all of them together, at most.
        let elements = self.elements - before;
        let block = Property {
            text: "".into(),
            elements,
        };
        scope.extend(blocks.into_iter().map(|name| (name, block.clone())));
        self.blocks.push(elements);
        self.scopes.push(scope);
        let entered = body
            .children
            .iter()
            .try_for_each(|child| self.enter(child, depth + 1));
        self.scopes.pop();
        self.blocks.pop();
        entered
    }

    /// The value of a parameter, or another text of the same length.
    fn parameter(&mut self, element: &Element, value: &str) -> Result<Property, ModelError> {
        let weighed = self.weigh_below(value, 0);
        let (signs, number) = weighed.map_err(|reason| self.wrong(element, reason))?;
        self.signs = self.signs.saturating_add(signs);
        self.count(element, 0)?;
        let text = match self.known_text(value) {
            Some(text) => text,
            None if number => "0".to_string(),
            None => "x".repeat(signs.min(MOST_SIGNS) as usize),
        };
        Ok(Property {
            text: text.into(),
            elements: 0,
        })
    }

    fn include(&mut self, element: &Element, depth: usize) -> Result<(), ModelError> {
        let address = element.attribute("filename").unwrap_or_default();
        self.weigh(element, address)?;
        let Some(address) = self.known_text(address) else {
            let reason = self.missing_package(address).unwrap_or_else(|| {
                format!("filename=\"{address}\" is made of more than text, properties, $(arg) and $(find)")
            });
            return Err(self.wrong(element, reason));
        };
        if address.contains(['*', '?', '[']) {
            let reason = format!("filename=\"{address}\" is a pattern; include the files by name");
            return Err(self.wrong(element, reason));
        }
        let folder = self.files.last().and_then(|f| f.parent());
        let path = folder.unwrap_or(Path::new("")).join(&address);
        // The expander says what is wrong with a file that is not there, or that includes itself.
        if self.files.contains(&path) || !path.exists() {
            return Ok(());
        }
        self.read += 1;
        if self.read > MOST_FILES {
            return Err(self.wrong(
                element,
                format!("more than {MOST_FILES} files are included"),
            ));
        }
        let shown = path.display().to_string();
        let bytes = read_bounded(&path)
            .map_err(|error| self.wrong(element, format!("cannot read {shown}: {error}")))?;
        let text = String::from_utf8_lossy(&bytes);
        let root = xml_tree::parse(text.trim_start_matches('\u{feff}')).map_err(|error| {
            let reason = format!("line {}: {}", error.line, error.reason);
            self.wrong(element, format!("{shown} is not XML: {reason}"))
        })?;
        self.take_prefixes(&root);
        self.files.push(path);
        let mut children = root.children.iter();
        let entered = children.try_for_each(|child| self.enter(child, depth + 1));
        self.files.pop();
        entered
    }
}
