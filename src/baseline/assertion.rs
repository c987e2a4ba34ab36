//! Baselines in tests of other programs.

use std::path::Path;

use super::{Baseline, BaselineError, BaselineOptions, Comparison};

/// Name of the environment variable that makes [`check_baseline`] accept what differs.
pub(crate) const UPDATE_BASELINES: &str = "CAROM_UPDATE_BASELINES";

/// Runs the scenario that a baseline was recorded from, as its file says now, and compares. With the environment variable `CAROM_UPDATE_BASELINES` set to `1`, what
/// differs is accepted: the file is written and the comparison says what it changed.
///
/// # Errors
/// A file that is not there or is not a baseline, a scenario that cannot start.
///
/// ```
/// use std::path::Path;
/// use carom::baseline::{Baseline, BaselineOptions, check_baseline};
///
/// let folder = std::env::temp_dir().join(format!("carom-doc-{}", std::process::id()));
/// std::fs::create_dir_all(&folder).unwrap();
/// let file = folder.join("cradle.baseline.toml");
/// let scenario = Path::new("robots/cradle/three.toml");
/// let options = BaselineOptions::default();
/// Baseline::record_file(scenario, &[], &options)?.write(&file)?;
///
/// let overrides = ["impact.order=index".to_string()];
/// // Three equal balls leave in one way, whatever the order.
/// assert!(check_baseline(&file, &overrides, &options)?.same);
/// # std::fs::remove_dir_all(folder).unwrap();
/// # Ok::<(), carom::baseline::BaselineError>(())
/// ```
pub fn check_baseline(
    file: &Path,
    overrides: &[String],
    options: &BaselineOptions<'_>,
) -> Result<Comparison, BaselineError> {
    let recorded = if options.frozen {
        Baseline::read_frozen(file, overrides)?
    } else {
        Baseline::read(file, overrides)?
    };
    let mut now = recorded.rerun(options)?;
    let comparison = Comparison::with_options(&recorded, &now, options);
    let update = std::env::var_os(UPDATE_BASELINES).is_some_and(|value| value == "1");
    if update && !comparison.same {
        now.accept();
        now.write(file)?;
    }
    Ok(comparison)
}

/// Runs the scenario of a baseline file and panics with the comparison in words when something
/// differs by more than its tolerance, or with the reason when it cannot be run.
///
/// `assert_baseline!(file)` compares what `carom baseline record` wrote.
/// `assert_baseline!(file, set = ["key=value"])` overrides keys of its scenario.
/// `assert_baseline!(file, controller = make)` runs it under a controller of the program's own:
/// `make` takes the [`Experiment`](crate::scenario::Experiment) and returns a boxed
/// [`Controller`](crate::control::Controller).
///
/// With the environment variable `CAROM_UPDATE_BASELINES` set to `1` the file takes over what
/// differs instead, for review by version control.
///
/// ```no_run
/// carom::assert_baseline!("tests/baselines/trex_drop.toml");
/// ```
#[macro_export]
macro_rules! assert_baseline {
    ($file:expr $(,)?) => {
        $crate::assert_baseline!($file, set = [] as [&str; 0])
    };
    ($file:expr, set = $overrides:expr $(,)?) => {
        $crate::baseline::assert_same_as_baseline(
            ::std::path::Path::new(&$file),
            &$overrides.map(::std::string::String::from),
            &$crate::baseline::BaselineOptions::default(),
        )
    };
    ($file:expr, controller = $controller:expr $(,)?) => {
        $crate::baseline::assert_same_as_baseline(
            ::std::path::Path::new(&$file),
            &[],
            &$crate::baseline::BaselineOptions {
                controller: ::std::option::Option::Some(&$controller),
                ..$crate::baseline::BaselineOptions::default()
            },
        )
    };
}

/// What `assert_baseline!` does.
///
/// # Panics
/// Something differs by more than its tolerance, or the baseline cannot be run.
#[track_caller]
pub fn assert_same_as_baseline(file: &Path, overrides: &[String], options: &BaselineOptions<'_>) {
    let updating = std::env::var_os(UPDATE_BASELINES).is_some_and(|value| value == "1");
    match check_baseline(file, overrides, options) {
        Ok(comparison) if comparison.same || updating => {}
        Ok(comparison) => panic!(
            "{comparison}\nIf this is what you want, run once with {UPDATE_BASELINES}=1 and review the file."
        ),
        Err(error) => panic!("{error}"),
    }
}
