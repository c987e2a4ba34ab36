//! How a law is set up from code, texts and files, and how it reports what only it knows: one declaration a key, the
//! same for every law.
//!
//! # Settings
//!
//! The settings of a law are a plain struct with documented defaults, and a list of keys ([`LawSettings::KEYS`]). A key
//! says once what it is called, its unit, its meaning in one line, the values it takes, and the field that it sets
//! ([`SettingKey`]). From this follow, without further code: reading from the command line, problem files and
//! scenarios; range checks, also of structs that were filled in by hand ([`LawSettings::check`]); messages that say
//! what is wanted; lists in help and comparison tables.
//!
//! | kind of key | takes |
//! |---|---|
//! | switch | `true`, `false` |
//! | whole, count, seed | whole numbers in a range, even ones on request |
//! | number, open number | finite numbers in an interval, open or closed at each end; an open one also a word for "the law chooses" |
//! | seconds | wall time, or `none` |
//! | word | one of a list |
//! | contacts | names or indices of contacts, with commas |
//!
//! Units are SI and part of the key, not of the value. A text that is no value leaves the settings as they were. A key
//! may have a *role* that scenarios know by another name: the order of contacts (`impact.order`), the seed
//! (`impact.seed`), the number of samples of one answer, the refinement of a set. A key may also name the value by
//! which the law lists every outcome that it can.
//!
//! # Reports
//!
//! What only one law says about an outcome or a problem (reflections, rounds, branches, sweeps, events) is a struct of
//! that law inside [`LawDetails`]. Who knows the law asks for the struct by its type; who writes answers takes its
//! fields by name, as JSON. Two reports are equal when their structs are.
//!
//! # Declared, and limits
//!
//! Nothing here computes. Two laws may have keys of one name with different meanings; the registry of laws (room
//! `laws`) keeps law names apart, not key names. Values are read in the C locale: a point for decimals.
//!
//! # Example
//!
//! ```
//! # use carom_mechanics as carom;
//! use carom::impact::Propagative;
//! use carom::impact::propagative::PropagativeSettings;
//! use carom::impact::settings::LawSettings;
//!
//! let key = |name: &str| PropagativeSettings::KEYS.iter().find(|k| k.describe().name == name);
//! let mut settings = PropagativeSettings::default();
//! let order = key("order").ok_or("no key")?;
//! order.write(&mut settings, "least-violated")?;
//! assert_eq!(settings.order.name(), "least-violated");
//! // A refused text changes nothing and says what is wanted.
//! let error = order.write(&mut settings, "sideways").unwrap_err();
//! assert!(error.to_string().contains("one of most-violated, least-violated"));
//! assert_eq!(settings.order.name(), "least-violated");
//! settings.tolerance = 0.5;
//! assert!(settings.check().is_err() && Propagative::new(settings).is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod law_details;
mod law_settings;
mod setting_key;

pub use law_details::LawDetails;
pub use law_settings::LawSettings;
pub use setting_key::{KeyRole, KeyValues, LawKey, NumberRange, SettingKey};
