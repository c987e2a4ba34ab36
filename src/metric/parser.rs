//! The grammar of metric expressions: comparisons of sums of products of powers of numbers, names, calls and brackets.

use crate::files::did_you_mean;

/// Nesting that an expression may have.
const DEEPEST: usize = 64;
/// Names, numbers and signs that an expression may have.
const LONGEST: usize = 2000;

/// A function of one number, by name.
pub(crate) type Elementwise = (&'static str, fn(f64) -> f64);
/// Functions of one argument that act entry by entry.
pub(crate) const ELEMENTWISE: [Elementwise; 4] = [
    ("abs", f64::abs),
    ("sqrt", f64::sqrt),
    ("sin", f64::sin),
    ("cos", f64::cos),
];
/// Functions that reduce a series to a number.
pub(crate) const REDUCTIONS: [&str; 7] = ["first", "last", "min", "max", "mean", "rms", "integral"];

/// A part of an expression.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Node {
    Number(f64),
    Name(String),
    Negative(Box<Node>),
    Operation(char, Box<Node>, Box<Node>),
    Call(String, Vec<Node>),
}

/// Functions of numbers that are told to one who asks for a function that is not there; those of series reduce nothing
/// where there is one moment.
fn offered(of_series: bool) -> impl Iterator<Item = &'static str> {
    let of_numbers = |name: &&str| ["min", "max"].contains(name);
    let reductions = REDUCTIONS.into_iter();
    let reductions = reductions.filter(move |name| of_series || of_numbers(name));
    ELEMENTWISE.iter().map(|(name, _)| *name).chain(reductions)
}

/// Parses an expression, of series or of numbers; what is wrong is told with its place, from 1.
pub(crate) fn parse(text: &str, of_series: bool) -> Result<Node, String> {
    let mut parser = Parser {
        of_series,
        tokens: tokens(text)?,
        at: 0,
        end: text.chars().count() + 1,
    };
    if parser.tokens.len() > LONGEST {
        let length = parser.tokens.len();
        return Err(format!("it has {length} parts, at most {LONGEST} are read"));
    }
    let root = parser.either(0)?;
    match parser.peek() {
        None => Ok(root),
        Some(_) => Err(parser.unexpected("an operator")),
    }
}

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Number(f64),
    Name(String),
    Sign(char),
}

/// Tokens with their places, from 1.
fn tokens(text: &str) -> Result<Vec<(usize, Token)>, String> {
    let signs: Vec<char> = text.chars().collect();
    let mut found = Vec::new();
    let mut i = 0;
    let named = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    while i < signs.len() {
        let c = signs[i];
        let start = i;
        if c.is_whitespace() {
            i += 1;
        } else if c == '"' {
            let (name, after) = quoted(&signs, i + 1)
                .ok_or_else(|| format!("the quote at place {} is not closed", i + 1))?;
            found.push((start + 1, Token::Name(name)));
            i = after;
        } else if c.is_ascii_digit() || c == '.' {
            while i < signs.len()
                && (named(signs[i]) || ("+-".contains(signs[i]) && "eE".contains(signs[i - 1])))
            {
                i += 1;
            }
            let number: String = signs[start..i].iter().collect();
            let value = number
                .parse()
                .map_err(|_| format!("\"{number}\" at place {} is not a number", start + 1))?;
            found.push((start + 1, Token::Number(value)));
        } else if named(c) {
            while i < signs.len() && named(signs[i]) {
                i += 1;
            }
            found.push((start + 1, Token::Name(signs[start..i].iter().collect())));
        } else if let ('<' | '>', Some('=')) = (c, signs.get(i + 1)) {
            found.push((start + 1, Token::Sign(if c == '<' { '≤' } else { '≥' })));
            i += 2;
        } else if "+-*/^(),<>".contains(c) {
            found.push((start + 1, Token::Sign(c)));
            i += 1;
        } else {
            let reason = "write names with other signs in double quotes";
            return Err(format!("unexpected \"{c}\" at place {}; {reason}", i + 1));
        }
    }
    Ok(found)
}

/// The name whose quotation begins before `at`, and where it has ended. A quotation mark of the name itself is doubled.
fn quoted(signs: &[char], mut at: usize) -> Option<(String, usize)> {
    let mut name = String::new();
    loop {
        let sign = *signs.get(at)?;
        at += 1;
        if sign == '"' {
            if signs.get(at) != Some(&'"') {
                return Some((name, at));
            }
            at += 1;
        }
        name.push(sign);
    }
}

/// A name as an expression writes it: in quotes where it holds other signs than letters, digits, `_` and `.`, or begins as a
/// number does.
pub(crate) fn as_name(name: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let number = name.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    if !name.is_empty() && !number && name.chars().all(plain) {
        name.to_string()
    } else {
        format!("\"{}\"", name.replace('"', "\"\""))
    }
}

struct Parser {
    /// Whether its names are series.
    of_series: bool,
    tokens: Vec<(usize, Token)>,
    at: usize,
    end: usize,
}

impl Parser {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|(_, token)| token)
    }

    /// Takes one of these signs, if it stands here.
    fn take(&mut self, signs: &str) -> Option<char> {
        match self.peek() {
            Some(&Token::Sign(c)) if signs.contains(c) => {
                self.at += 1;
                Some(c)
            }
            _ => None,
        }
    }

    fn unexpected(&self, wanted: &str) -> String {
        match self.tokens.get(self.at) {
            None => format!("it ends at place {} where {wanted} should be", self.end),
            Some((place, token)) => {
                let what = match token {
                    Token::Number(x) => x.to_string(),
                    Token::Name(name) => name.clone(),
                    Token::Sign(c) => c.to_string(),
                };
                format!("\"{what}\" at place {place} where {wanted} should be")
            }
        }
    }

    /// Takes this word, if it stands here.
    fn take_word(&mut self, word: &str) -> bool {
        let there = matches!(self.peek(), Some(Token::Name(name)) if name == word);
        self.at += usize::from(there);
        there
    }

    fn either(&mut self, depth: usize) -> Result<Node, String> {
        let mut left = self.both(depth)?;
        while self.take_word("or") {
            let right = self.both(depth)?;
            left = Node::Operation('|', Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn both(&mut self, depth: usize) -> Result<Node, String> {
        let mut left = self.comparison(depth)?;
        while self.take_word("and") {
            let right = self.comparison(depth)?;
            left = Node::Operation('&', Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn comparison(&mut self, depth: usize) -> Result<Node, String> {
        let left = self.sum(depth)?;
        let Some(sign) = self.take("<>≤≥") else {
            return Ok(left);
        };
        let right = self.sum(depth)?;
        Ok(Node::Operation(sign, Box::new(left), Box::new(right)))
    }

    fn sum(&mut self, depth: usize) -> Result<Node, String> {
        if depth > DEEPEST {
            return Err(format!("it is nested deeper than {DEEPEST} levels"));
        }
        let mut left = self.product(depth)?;
        while let Some(sign) = self.take("+-") {
            let right = self.product(depth)?;
            left = Node::Operation(sign, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn product(&mut self, depth: usize) -> Result<Node, String> {
        let mut left = self.signed(depth)?;
        while let Some(sign) = self.take("*/") {
            let right = self.signed(depth)?;
            left = Node::Operation(sign, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn signed(&mut self, depth: usize) -> Result<Node, String> {
        let mut negative = false;
        while let Some(sign) = self.take("+-") {
            negative ^= sign == '-';
        }
        let mut value = self.atom(depth)?;
        if self.take("^").is_some() {
            if depth >= DEEPEST {
                return Err(format!("it is nested deeper than {DEEPEST} levels"));
            }
            let power = self.signed(depth + 1)?;
            value = Node::Operation('^', Box::new(value), Box::new(power));
        }
        Ok(if negative {
            Node::Negative(Box::new(value))
        } else {
            value
        })
    }

    fn atom(&mut self, depth: usize) -> Result<Node, String> {
        let wanted = "a number, a name or \"(\"";
        match self.peek().cloned() {
            Some(Token::Number(x)) => {
                self.at += 1;
                Ok(Node::Number(x))
            }
            Some(Token::Name(name)) => {
                self.at += 1;
                if self.take("(").is_some() {
                    return self.call(name, depth);
                }
                Ok(Node::Name(name))
            }
            Some(Token::Sign('(')) => {
                self.at += 1;
                let inner = self.either(depth + 1)?;
                self.close()?;
                Ok(inner)
            }
            _ => Err(self.unexpected(wanted)),
        }
    }

    fn call(&mut self, function: String, depth: usize) -> Result<Node, String> {
        if !offered(true).any(|name| name == function) {
            let known = || offered(self.of_series);
            return Err(format!(
                "there is no function \"{function}\"{}; the functions are {}",
                did_you_mean(&function, known()),
                known().collect::<Vec<_>>().join(", ")
            ));
        }
        let mut arguments = vec![self.either(depth + 1)?];
        while self.take(",").is_some() {
            arguments.push(self.either(depth + 1)?);
        }
        self.close()?;
        if arguments.len() > 1 && function != "min" && function != "max" {
            let given = arguments.len();
            return Err(format!("{function} has {given} arguments, it takes 1"));
        }
        Ok(Node::Call(function, arguments))
    }

    fn close(&mut self) -> Result<(), String> {
        match self.take(")") {
            Some(_) => Ok(()),
            None => Err(self.unexpected("\")\"")),
        }
    }
}
