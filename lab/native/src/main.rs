//! Measures one sample of one contender and prints it as a line of JSON.
//!
//! Separate from the library so that each sample is a process. Called by `snooze_lab.native`. The
//! programs of `cpp/` take the same arguments:
//!
//! ```text
//! snooze-native --list
//! snooze-native --contender NAME --structure twitter|citm --buffer fresh|reused
//!     --document FILE [--seconds 0.3] [--values 5] [--output FILE]
//! ```

use std::collections::HashMap;
use std::process::ExitCode;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use snooze_native::ours::Json;
use snooze_native::stopwatch::{Sink, measure};
use snooze_native::structures::{CitmCatalog, TwitterData};
use snooze_native::writers::{Buffer, Writer};

fn main() -> ExitCode {
    match run(std::env::args().skip(1)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("snooze-native: {reason}");
            ExitCode::from(64)
        }
    }
}

fn run(mut arguments: impl Iterator<Item = String>) -> Result<(), String> {
    let mut options = HashMap::new();
    while let Some(name) = arguments.next() {
        if name == "--list" {
            list();
            return Ok(());
        }
        let value = arguments.next().ok_or(format!("a value must follow {name}"))?;
        options.insert(name, value);
    }
    match required(&options, "--structure")? {
        "twitter" => sample::<TwitterData>(&options),
        "citm" => sample::<CitmCatalog>(&options),
        other => Err(format!("--structure: expected twitter or citm, found {other}")),
    }
}

/// Prints each contender as a line of JSON.
fn list() {
    for writer in Writer::ALL {
        let (name, version) = (writer.name(), writer.version());
        let note = format!("{}; compiled by {}, -O3", writer.note(), env!("SNOOZE_NATIVE_RUSTC"));
        println!("{}", json!({"contender": name, "version": version, "note": note, "unable": {}}));
    }
}

/// The value of a required option.
fn required<'a>(options: &'a HashMap<String, String>, name: &str) -> Result<&'a str, String> {
    options.get(name).map(String::as_str).ok_or(format!("{name} is missing"))
}

/// The value of a numeric option, or its default.
fn number<T: std::str::FromStr>(
    options: &HashMap<String, String>,
    name: &str,
    default: T,
) -> Result<T, String> {
    options.get(name).map_or(Ok(default), |text| {
        text.parse().map_err(|_| format!("{name}: expected a number, found {text}"))
    })
}

/// Measures a contender with one structure and prints the result.
fn sample<T: DeserializeOwned + Json + Serialize>(
    options: &HashMap<String, String>,
) -> Result<(), String> {
    let wanted = required(options, "--contender")?;
    let writer = Writer::ALL.into_iter().find(|writer| writer.name() == wanted);
    let writer = writer.ok_or(format!("--contender: no {wanted} here, see --list"))?;
    let wanted = required(options, "--buffer")?;
    let buffer = Buffer::ALL.into_iter().find(|buffer| buffer.name() == wanted);
    let buffer = buffer.ok_or(format!("--buffer: expected fresh or reused, found {wanted}"))?;
    let seconds: f64 = number(options, "--seconds", 0.3)?;
    let values: u32 = number(options, "--values", 5)?;
    if !(seconds > 0.0 && seconds < 3600.0 && values > 0) {
        return Err("--seconds and --values: expected more than none".into());
    }
    let path = required(options, "--document")?;
    let document = std::fs::read(path).map_err(|error| format!("{path}: {error}"))?;
    let value: T = serde_json::from_slice(&document).map_err(|error| format!("{path}: {error}"))?;

    let mut sink = Sink::default();
    let mut call = writer.call(buffer, &value);
    let timing = measure(&mut || call(&mut sink), seconds, values);
    let bytes = sink.bytes;
    if let Some(path) = options.get("--output") {
        sink.text = Some(Vec::new());
        call(&mut sink);
        let text = sink.text.unwrap_or_default();
        std::fs::write(path, text).map_err(|error| format!("{path}: {error}"))?;
    }
    println!(
        "{}",
        json!({
            "contender": writer.name(), "version": writer.version(), "bytes": bytes,
            "loops": timing.loops, "warmups": timing.warmups, "times": timing.times,
        })
    );
    Ok(())
}
