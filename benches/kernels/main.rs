//! One program for the scripts of this folder: a kernel repeated so that its instructions can be counted, steps timed
//! as those of other engines are, and the errors of a long run.
//!
//! ```text
//! kernels list                          names of the kernels
//! kernels repeat KERNEL COUNT           runs a kernel COUNT times
//! kernels steps                         times of steps, one JSON object a line
//! kernels precision MOTION OFFSET ORDER STEP TOLERANCE
//!                                       errors and processor time of 100 s of a motion, as JSON
//! ```

use std::process::ExitCode;

#[path = "../support/impact_cases.rs"]
mod impact_cases;
mod repeated;
#[path = "../support/run_cases.rs"]
mod run_cases;
#[path = "../support/step_cases.rs"]
mod step_cases;
mod timed;
mod work_precision;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
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
        ["precision", motion, ref numbers @ ..] => {
            let numbers: Result<Vec<f64>, _> = numbers.iter().map(|x| x.parse()).collect();
            match numbers.as_deref() {
                Ok(&[offset, order, step, tolerance]) => {
                    work_precision::report(motion, offset, order as u32, step, tolerance)
                }
                _ => false,
            }
        }
        _ => false,
    };
    if done {
        return ExitCode::SUCCESS;
    }
    eprintln!(
        "kernels list | repeat KERNEL COUNT | steps | precision chain|hexapod OFFSET ORDER STEP TOLERANCE"
    );
    ExitCode::from(2)
}
