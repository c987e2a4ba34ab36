//! One program for the scripts of this folder: a kernel repeated so that its instructions can be counted, steps timed
//! as those of other engines are, and the energy of a long run.
//!
//! ```text
//! kernels list                          names of the kernels
//! kernels repeat KERNEL COUNT           runs a kernel COUNT times
//! kernels steps                         times of steps, one JSON object a line
//! kernels energy ORDER STEP TOLERANCE   energy error of the 4-link chain over 100 s, as JSON
//! ```

use std::process::ExitCode;

mod energy;
#[path = "../support/impact_cases.rs"]
mod impact_cases;
mod repeated;
#[path = "../support/step_cases.rs"]
mod step_cases;
mod timed;

fn main() -> ExitCode {
    // Cargo adds `--bench`.
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| a != "--bench")
        .collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments[..] {
        ["list"] => {
            println!("{}", repeated::NAMES.join("\n"));
            true
        }
        ["repeat", kernel, count] => count
            .parse()
            .is_ok_and(|count| repeated::repeat(kernel, count)),
        ["steps"] => {
            timed::steps();
            true
        }
        ["energy", order, step, tolerance] => {
            match (order.parse(), step.parse(), tolerance.parse()) {
                (Ok(order), Ok(step), Ok(tolerance)) => {
                    energy::report(order, step, tolerance);
                    true
                }
                _ => false,
            }
        }
        _ => false,
    };
    if done {
        return ExitCode::SUCCESS;
    }
    eprintln!("kernels list | repeat KERNEL COUNT | steps | energy ORDER STEP TOLERANCE");
    ExitCode::from(2)
}
