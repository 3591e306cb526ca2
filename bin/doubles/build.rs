//! Links the doubles at a fixed address: they are started by the thousand, and nothing then has to
//! be relocated at their start. A static musl build is told so in `.cargo/config.toml`.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_ENV").as_deref() == Ok("gnu") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
