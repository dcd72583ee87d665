//! Tells the program which compiler made it, for the notes of its rows.

use std::process::Command;

fn main() {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let said = Command::new(rustc).arg("--version").output();
    let version = said.ok().and_then(|said| String::from_utf8(said.stdout).ok());
    let version = version.as_deref().map_or("an unknown rustc", str::trim);
    println!("cargo::rustc-env=SNOOZE_NATIVE_RUSTC={version}");
    println!("cargo::rerun-if-changed=build.rs");
}
