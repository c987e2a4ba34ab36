//! What a robot's file does not say, as options of the commands that take one.

use std::path::{Path, PathBuf};

use carom::model::{Base, Mimic, urdf};
use carom::scenario::starter::StarterOptions;
use clap::{Args, ValueEnum};

/// Options of commands that take a robot's file.
#[derive(Debug, Clone, Args)]
pub struct RobotOptions {
    /// How the root link of a robot's file is held
    #[arg(long, value_enum)]
    pub base: Option<BaseOption>,

    /// What becomes of joints that mimic others [default: coupled]
    #[arg(long, value_enum)]
    mimic: Option<MimicOption>,

    /// Folder of a package, for package://NAME/... and $(find NAME); may be given several times
    #[arg(long = "package", value_name = "NAME=DIR", value_parser = name_and_value)]
    packages: Vec<(String, String)>,

    /// Argument of a xacro file; may be given several times
    #[arg(long = "xacro-argument", value_name = "NAME=VALUE", value_parser = name_and_value)]
    xacro_arguments: Vec<(String, String)>,

    /// Let $(env NAME) of a xacro file read variables of the environment
    #[arg(long)]
    allow_env: bool,
}

/// How the root link is held.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum BaseOption {
    /// The root link is part of the world
    Fixed,
    /// The root link moves in the x-z plane
    Planar,
    /// The root link moves freely
    Floating,
}

impl From<BaseOption> for Base {
    fn from(option: BaseOption) -> Self {
        match option {
            BaseOption::Fixed => Self::Fixed,
            BaseOption::Planar => Self::Planar,
            BaseOption::Floating => Self::Floating,
        }
    }
}

/// What becomes of joints that mimic others.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum MimicOption {
    /// One coordinate moves a joint and all that mimic it
    Coupled,
    /// Each has a coordinate of its own
    Free,
    /// They are locked where they stand with all coordinates at zero
    Fixed,
}

impl From<MimicOption> for Mimic {
    fn from(option: MimicOption) -> Self {
        match option {
            MimicOption::Coupled => Self::Coupled,
            MimicOption::Free => Self::Free,
            MimicOption::Fixed => Self::Fixed,
        }
    }
}

impl RobotOptions {
    /// What becomes of joints that mimic others.
    pub fn mimic(&self) -> Mimic {
        self.mimic.map(Mimic::from).unwrap_or_default()
    }

    /// For the reader of a robot's file.
    pub fn load_options(&self) -> urdf::LoadOptions {
        urdf::LoadOptions {
            packages: self.folders(),
            xacro_arguments: self.xacro_arguments.clone(),
            environment: self.allow_env,
        }
    }

    /// For a scenario that is made of a robot's file.
    pub fn starter_options(&self) -> StarterOptions {
        StarterOptions {
            base: self.base.map(Base::from),
            mimic: self.mimic(),
            packages: self.folders(),
            arguments: self.xacro_arguments.clone(),
            environment: self.allow_env,
            ..StarterOptions::default()
        }
    }

    /// The options as a user types them.
    pub fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        if let Some(base) = self.base.and_then(|base| base.to_possible_value()) {
            words.extend(["--base".to_string(), base.get_name().to_string()]);
        }
        if let Some(mimic) = self.mimic.and_then(|mimic| mimic.to_possible_value()) {
            words.extend(["--mimic".to_string(), mimic.get_name().to_string()]);
        }
        for (option, pairs) in [
            ("--package", &self.packages),
            ("--xacro-argument", &self.xacro_arguments),
        ] {
            for (name, value) in pairs {
                words.extend([option.to_string(), format!("{name}={value}")]);
            }
        }
        if self.allow_env {
            words.push("--allow-env".to_string());
        }
        words
    }

    fn folders(&self) -> Vec<(String, PathBuf)> {
        let pairs = self.packages.iter();
        pairs
            .map(|(name, folder)| (name.clone(), PathBuf::from(folder)))
            .collect()
    }
}

/// Whether a file is a robot and no scenario, by its name.
pub fn is_robot_file(path: &Path) -> bool {
    let extension = path.extension().map(std::ffi::OsStr::to_ascii_lowercase);
    extension.is_some_and(|e| e == "urdf" || e == "xacro")
}

fn name_and_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() && !value.is_empty() => {
            Ok((name.to_string(), value.to_string()))
        }
        _ => Err("write it as NAME=VALUE".to_string()),
    }
}
