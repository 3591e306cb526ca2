use ringer::{Recording, Stage};

#[test]
fn an_agent_that_fails_is_asked_once_more() {
    let stage = Stage::claude([Recording::new().err("overloaded\n").exit(1), "It is 42.".into()]);
    let mut agent = stage.command("sh"); // the program under test
    let out = agent.args(["-c", "claude -p hi || claude -p again"]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&out.stdout), "It is 42.\n");
    assert_eq!(stage.argv(2), ["claude", "-p", "again"]);
    stage.verify();
}
