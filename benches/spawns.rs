//! What a double costs: start to exit beside `cat` and a shell stub, and throughput beside `cat`.
//! The figures in the README come from here:
//!
//! ```text
//! cargo build --release && cargo bench --bench spawns
//! ```
//!
//! `RINGER_BIN` names another folder with doubles, such as that of the static build. Rounds are
//! interleaved (A B C A B C ...), so that whatever else the machine does falls on all alike; a ratio
//! is the median of the ratios within each round. Recordings and state lie in `/dev/shm` where there
//! is one: what a file costs on some file systems says nothing about a double.

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// Rounds that count; some more come first, to warm up.
const ROUNDS: usize = 400;
const WARM_UP: usize = 20;
/// Rounds of the throughput measurements.
const LONG_ROUNDS: usize = 5;
const LONG_BYTES: usize = 256 << 20;
const LONG_LINES: usize = 1_000_000;

fn main() -> ExitCode {
    match measure() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("spawns: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure() -> io::Result<()> {
    let claude = doubles().join("claude");
    if !claude.exists() {
        let what = format!("{} is not there; run `cargo build --release`", claude.display());
        return Err(io::Error::new(io::ErrorKind::NotFound, what));
    }
    let mut folder = tempfile::Builder::new();
    let folder = match Path::new("/dev/shm") {
        shm if shm.is_dir() => folder.prefix("ringer-bench-").tempdir_in(shm)?,
        _ => folder.prefix("ringer-bench-").tempdir()?,
    };
    println!("doubles: {}", claude.display());
    starts(&claude, folder.path())?;
    let block = b"{\"type\":\"assistant\",\"text\":\"0123456789\"}\n".repeat(1 << 14);
    long(&claude, folder.path(), "large raw recording", |file| {
        (0..LONG_BYTES.div_ceil(block.len())).try_for_each(|_| file.write_all(&block))
    })?;
    let line = b"{\"type\":\"x\",\"n\":1}\n";
    long(&claude, folder.path(), "raw recording of 1,000,000 lines", |file| {
        file.write_all(&line.repeat(LONG_LINES))
    })
}

/// The folder with the doubles: beside `ringer` as cargo built it, where nothing else is said.
fn doubles() -> PathBuf {
    let built = || Path::new(env!("CARGO_BIN_EXE_ringer")).parent().map(Path::to_owned);
    std::env::var_os("RINGER_BIN").map(PathBuf::from).or_else(built).unwrap_or_default()
}

/// Start to exit of a spawn that claims and plays a recording of 20 lines and is journaled.
fn starts(claude: &Path, folder: &Path) -> io::Result<()> {
    let text = format!("{{\"type\":\"assistant\",\"text\":\"{}\"}}\n", "x".repeat(200)).repeat(20);
    let recordings = folder.join("starts");
    fs::create_dir(&recordings)?;
    for number in 0..ROUNDS + WARM_UP {
        fs::write(recordings.join(format!("{number}.jsonl")), &text)?;
    }
    let file = recordings.join("0.jsonl");
    let stub = folder.join("stub");
    fs::write(&stub, format!("#!/bin/sh\ncat {}\n", file.display()))?;
    fs::set_permissions(&stub, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
    let mut times: [Vec<Duration>; 3] = Default::default();
    for round in 0..ROUNDS + WARM_UP {
        let commands =
            [double(claude, &recordings, folder), command("cat", &[&file]), command(&stub, &[])];
        for (command, times) in commands.into_iter().zip(&mut times) {
            let (took, bytes) = run(command)?;
            assert_eq!(bytes, text.len(), "something else was written");
            if round >= WARM_UP {
                times.push(took);
            }
        }
    }
    let [double, cat, sh] = &times;
    println!("start to exit, medians of {ROUNDS} rounds");
    for (name, times) in [("claude (double)", double), ("cat", cat), ("sh stub", sh)] {
        println!("  {name:<18}{:>8.0} us", median(times.iter().map(|t| t.as_secs_f64() * 1e6)));
    }
    println!("  double : cat      {:>8.2}", ratio(double, cat));
    println!("  double : sh stub  {:>8.2}", ratio(double, sh));
    Ok(())
}

/// Throughput and peak memory for one long recording.
fn long(
    claude: &Path,
    folder: &Path,
    name: &str,
    write: impl FnOnce(&mut fs::File) -> io::Result<()>,
) -> io::Result<()> {
    let recordings = folder.join("long");
    fs::create_dir(&recordings)?;
    let path = recordings.join("1.jsonl");
    write(&mut fs::File::create(&path)?)?;
    let size = fs::metadata(&path)?.len() as f64;
    let (mut ours, mut theirs, mut peak) = (Vec::new(), Vec::new(), 0);
    for _ in 0..LONG_ROUNDS {
        let (took, most) = drain(double(claude, &recordings, folder))?;
        ours.push(took);
        peak = peak.max(most);
        theirs.push(drain(command("cat", &[&path]))?.0);
    }
    let rate = |times: &[Duration]| median(times.iter().map(|t| size / t.as_secs_f64() / 1e6));
    println!("{name}, {:.0} MB, medians of {LONG_ROUNDS} rounds", size / 1e6);
    println!(
        "  claude (double)   {:>8.0} MB/s, peak memory {:.1} MiB",
        rate(&ours),
        peak as f64 / 1024.0
    );
    println!("  cat               {:>8.0} MB/s", rate(&theirs));
    println!("  double : cat      {:>8.2}", ratio(&theirs, &ours));
    fs::remove_dir_all(recordings)
}

fn command(program: impl AsRef<std::ffi::OsStr>, args: &[&Path]) -> Command {
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

fn double(claude: &Path, recordings: &Path, folder: &Path) -> Command {
    let mut command = command(claude, &[Path::new("-p"), Path::new("hi")]);
    command.env("RINGER_RECORDINGS", recordings).env("RINGER_REPEAT_LAST", "1");
    command
        .env("RINGER_STATE", folder.join("state").join(recordings.file_name().unwrap_or_default()));
    command
}

/// The time from start to exit, and how many bytes came.
fn run(mut command: Command) -> io::Result<(Duration, usize)> {
    let began = Instant::now();
    let output = command.spawn()?.wait_with_output()?;
    Ok((began.elapsed(), output.stdout.len()))
}

/// The time that it takes to read everything, and the peak memory in KiB as far as it was seen.
fn drain(mut command: Command) -> io::Result<(Duration, u64)> {
    let began = Instant::now();
    let mut child = command.spawn()?;
    let status = format!("/proc/{}/status", child.id());
    let mut stdout = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
    let mut buffer = vec![0; 1 << 20];
    let (mut reads, mut peak) = (0_u64, 0);
    while stdout.read(&mut buffer)? > 0 {
        reads += 1;
        if reads.is_multiple_of(256) {
            peak = peak.max(peak_kib(&status));
        }
    }
    child.wait()?;
    Ok((began.elapsed(), peak))
}

fn peak_kib(status: &str) -> u64 {
    let text = fs::read_to_string(status).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

fn ratio(a: &[Duration], b: &[Duration]) -> f64 {
    median(a.iter().zip(b).map(|(a, b)| a.as_secs_f64() / b.as_secs_f64()))
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
