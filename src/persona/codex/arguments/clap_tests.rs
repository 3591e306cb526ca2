//! Compares the parser with clap itself, on command lines that are drawn at random from the tables'
//! own words and from near misses of them.

use super::command::Command;
use super::option::{Opt, Takes};
use super::parser::{Leniency, Stop, parse};
use super::table::{Table, known_versions, table};
use clap::ArgAction;
use clap::builder::{PathBufValueParser, PossibleValuesParser, ValueParser};

/// The command with its subcommands, as clap knows it.
fn build(table: &Table, path: &str, name: &'static str) -> clap::Command {
    let known = table.command(path);
    let mut command = clap::Command::new(name).color(clap::ColorChoice::Never);
    if path.is_empty() {
        command = command.bin_name("codex").subcommand_negates_reqs(true);
    }
    if !known.usage.is_empty() {
        command = command.override_usage(known.usage.join("\n       "));
    }
    if known.options().iter().any(|opt| opt.long == "version") {
        command = command.version("1");
    }
    for opt in known.options().iter().filter(|opt| !opt.is_built_in()) {
        command = command.arg(option(&known, opt));
    }
    for positional in &known.positionals {
        let mut arg = clap::Arg::new(positional.name)
            .value_name(positional.name)
            .required(positional.required)
            .conflicts_with_all(positional.traits.all("not="));
        let choices: Vec<&str> = positional.traits.all("in=").collect();
        if !choices.is_empty() {
            arg = arg.value_parser(PossibleValuesParser::new(choices));
        }
        command = command.arg(arg);
    }
    for group in &known.groups {
        let members = clap::ArgGroup::new(*group).multiple(true).args(group.split(' '));
        command = command.group(members);
    }
    for sub in &known.subcommands {
        let path = format!("{path} {}", sub.name());
        let aliases: Vec<_> = sub.names().skip(1).collect();
        let sub =
            build(table, path.trim_start(), sub.name()).hide(sub.is_hidden()).aliases(aliases);
        command = command.subcommand(sub);
    }
    if known.needs_subcommand() {
        command = command.subcommand_required(true).arg_required_else_help(true);
    }
    command
}

fn option(command: &Command, opt: &Opt) -> clap::Arg {
    let many = opt.traits.has("many");
    let mut arg = clap::Arg::new(opt.long).long(opt.long).hide(opt.traits.has("hidden"));
    if let Some(short) = opt.short {
        arg = arg.short(short);
    }
    arg = arg.aliases(opt.traits.all("alias=").collect::<Vec<_>>());
    let conflicts = opt.traits.all("not=");
    let known = |name: &&str| {
        command.long(name).is_some() || command.positionals.iter().any(|p| p.name == *name)
    };
    arg = arg.conflicts_with_all(conflicts.filter(known).collect::<Vec<_>>());
    for needed in opt.traits.all("needs=") {
        arg = arg.requires(needed);
    }
    if opt.takes() == Takes::Nothing {
        return arg.action(ArgAction::SetTrue);
    }
    let name = opt.value.trim_matches(['[', ']', '<', '>', '.']).trim_end_matches(">...");
    arg = arg.value_name(name).required(opt.traits.has("required"));
    arg = arg.action(if many { ArgAction::Append } else { ArgAction::Set });
    arg = match opt.takes() {
        Takes::OneOrMore => arg.num_args(1..),
        Takes::AtMostOne => arg.num_args(0..=1),
        _ => arg.num_args(1),
    };
    if opt.traits.has("comma") {
        arg = arg.value_delimiter(',');
    }
    let choices: Vec<&str> = opt.traits.all("in=").collect();
    if !choices.is_empty() {
        arg.value_parser(PossibleValuesParser::new(choices))
    } else if opt.traits.has("path") {
        arg.value_parser(ValueParser::new(PathBufValueParser::new()))
    } else if opt.traits.has("number") {
        arg.value_parser(clap::value_parser!(u64))
    } else {
        arg
    }
}

/// What clap makes of the arguments: a refusal's text, or what else ends the parsing.
fn by_clap(command: &clap::Command, args: &[&str]) -> String {
    let words = std::iter::once("codex").chain(args.iter().copied());
    match command.clone().try_get_matches_from(words) {
        Ok(_) => "accepted".to_owned(),
        Err(error) => match error.kind() {
            clap::error::ErrorKind::DisplayHelp => "help".to_owned(),
            clap::error::ErrorKind::DisplayVersion => "version".to_owned(),
            clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
                "help needed".to_owned()
            }
            _ => error.to_string(),
        },
    }
}

fn by_ours(table: &Table, args: &[&str]) -> String {
    match parse(table, args, Leniency::Strict) {
        Ok(_) => "accepted".to_owned(),
        Err(Stop::Refused(complaint)) => complaint.0,
        Err(Stop::Help(_)) => "help".to_owned(),
        Err(Stop::HelpNeeded(_)) => "help needed".to_owned(),
        Err(Stop::Version(_)) => "version".to_owned(),
    }
}

/// A small generator of numbers, the same ones on every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % limit.max(1)
    }
}

/// The words that command lines are drawn from.
fn words(table: &Table) -> Vec<String> {
    let fixed = "exec e resume fork review login status mcp list get features app-server help \
                 a.png hi x - -- -- read-only never nope red aut --jsn --modle --resume --sandbo \
                 --hel -h -V -x -mx -m=x -C. -ia,b -cmodel=x --model=a --json=1 --cd= --color=red \
                 --last=x --image=a,b --help --version --verson resum lst reviw \
                 --sandbox=readonly --=x --base=x -Vm -jm";
    let mut words: Vec<String> =
        fixed.split(' ').filter(|w| !w.is_empty()).map(str::to_owned).collect();
    words.push(String::new());
    for path in
        ["", "exec", "exec resume", "exec fork", "exec review", "login", "mcp list", "review"]
    {
        for opt in table.command(path).options().iter().filter(|opt| !opt.is_built_in()) {
            words.extend(opt.longs().map(|long| format!("--{long}")));
            words.extend(opt.short.map(|short| format!("-{short}")));
        }
    }
    words
}

#[test]
fn lax_arguments_are_never_refused_and_none_make_the_judge_panic() {
    let table = table(None);
    let mut words = words(&table);
    words.extend(["-é", "--é=ü", "-mé", "é", "--shiny", "-Z", "--enable=x"].map(str::to_owned));
    let mut dice = Dice(11);
    for _ in 0..5_000 {
        let args: Vec<&str> =
            (0..dice.below(8)).map(|_| words[dice.below(words.len())].as_str()).collect();
        let around = super::Surroundings::default();
        let lax = super::judge(&table, &args, false, false, &around);
        assert!(!matches!(lax, super::Meaning::Usage(_)), "{args:?}: {lax:?}");
        super::judge(&table, &args, false, true, &around);
    }
}

/// Whether the words may lead to a command of which only the name is known: that one takes anything,
/// which clap is not told.
fn reaches_loose(table: &Table, args: &[&str]) -> bool {
    let under = |path: &str, word: &str| {
        let command = table.command(path);
        let name = (!command.loose).then(|| command.subcommand(word)).flatten();
        let name = name.filter(|name| *name != "help");
        name.is_some_and(|name| table.command(format!("{path} {name}").trim_start()).loose)
    };
    let outer = |at: usize| args[..at].iter().copied().chain([""]);
    (0..args.len()).any(|at| outer(at).any(|path| under(path, args[at])))
}

#[test]
fn the_parser_accepts_refuses_and_words_its_refusals_as_clap_does() {
    for version in known_versions() {
        let table = table(Some(version));
        let command = build(&table, "", "codex");
        let words = words(&table);
        let starts: [&[&str]; 10] = [
            &[],
            &["exec"],
            &["exec"],
            &["exec", "resume"],
            &["exec", "resume"],
            &["exec", "fork"],
            &["exec", "review"],
            &["review"],
            &["login"],
            &["mcp"],
        ];
        let mut dice = Dice(7);
        for round in 0..400 {
            let mut args: Vec<&str> = starts[dice.below(starts.len())].to_vec();
            for _ in 0..dice.below(6) {
                args.push(&words[dice.below(words.len())]);
            }
            if reaches_loose(&table, &args) {
                continue;
            }
            let (ours, theirs) = (by_ours(&table, &args), by_clap(&command, &args));
            assert_eq!(ours, theirs, "codex {version}, round {round}: {args:?}");
        }
    }
}
