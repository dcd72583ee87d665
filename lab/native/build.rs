//! Passes the version of the compiler to the program, for the notes of its rows.

use std::process::Command;

fn main() {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("--version").output();
    let version = output.ok().and_then(|output| String::from_utf8(output.stdout).ok());
    let version = version.as_deref().map_or("an unknown rustc", str::trim);
    println!("cargo::rustc-env=SNOOZE_NATIVE_RUSTC={version}");
    println!("cargo::rerun-if-changed=build.rs");
}
