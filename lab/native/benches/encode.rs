//! `cargo bench`: the same calls under criterion, which writes its estimates as JSON files.
//!
//! For people who work on the writers. Separate from the laboratory, which starts a process for
//! each sample instead. `SNOOZE_LAB_DOCUMENTS` names the folder of twitter.json and
//! citm_catalog.json; the default is where `make documents` puts them.

use std::hint::black_box;
use std::path::PathBuf;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use serde::Serialize;
use serde::de::DeserializeOwned;
use snooze_native::ours::Json;
use snooze_native::stopwatch::Sink;
use snooze_native::structures::{CitmCatalog, TwitterData};
use snooze_native::writers::{Buffer, Writer};

fn documents() -> PathBuf {
    let here = concat!(env!("CARGO_MANIFEST_DIR"), "/../../.build/documents");
    std::env::var_os("SNOOZE_LAB_DOCUMENTS").map_or_else(|| here.into(), PathBuf::from)
}

fn structure<T: DeserializeOwned + Json + Serialize>(
    criterion: &mut Criterion,
    name: &str,
    file: &str,
) {
    let path = documents().join(file);
    let document = std::fs::read(&path).unwrap_or_else(|error| {
        panic!("{}: {error}; `make documents` fetches it", path.display());
    });
    let value: T = serde_json::from_slice(&document).expect("the document has the structure");
    let bytes = serde_json::to_vec(&value).expect("it can be written").len();
    for buffer in Buffer::ALL {
        let mut group = criterion.benchmark_group(format!("{name}/{}", buffer.name()));
        group.throughput(Throughput::Bytes(bytes as u64));
        for writer in Writer::ALL {
            let mut sink = Sink::default();
            let mut call = writer.call(buffer, &value);
            group.bench_function(writer.name(), |timer| timer.iter(|| call(black_box(&mut sink))));
        }
        group.finish();
    }
}

fn encode(criterion: &mut Criterion) {
    structure::<TwitterData>(criterion, "twitter", "twitter.json");
    structure::<CitmCatalog>(criterion, "citm", "citm_catalog.json");
}

criterion_group!(benches, encode);
criterion_main!(benches);
