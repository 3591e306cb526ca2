use std::fs;
use std::io::Read as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use super::*;

/// A directory with a file, and beside it one that nothing may touch.
struct Scene {
    root: tempfile::TempDir,
    inside: Confined,
}

impl Scene {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let base = root.path().join("base");
        fs::create_dir(&base).unwrap();
        fs::write(base.join("a.txt"), "a").unwrap();
        fs::create_dir(root.path().join("outside")).unwrap();
        fs::write(root.path().join("outside/secret.txt"), "secret").unwrap();
        symlink(root.path().join("outside"), base.join("linkdir")).unwrap();
        symlink(root.path().join("outside/secret.txt"), base.join("link.txt")).unwrap();
        symlink(root.path().join("outside/new.txt"), base.join("dangling")).unwrap();
        Self { inside: Confined::open(&base).unwrap(), root }
    }

    fn path(&self, rel: &str) -> PathBuf {
        self.root.path().join("base").join(rel)
    }

    fn text(&self, rel: &str) -> String {
        let mut text = String::new();
        self.inside.read(rel).unwrap().read_to_string(&mut text).unwrap();
        text
    }

    fn outside_is_untouched(&self) -> bool {
        let names: Vec<_> = fs::read_dir(self.root.path().join("outside")).unwrap().collect();
        let text = fs::read_to_string(self.root.path().join("outside/secret.txt")).unwrap();
        names.len() == 1 && text == "secret" && fs::read_dir(&self.root).unwrap().count() == 2
    }
}

/// What is said of a failed operation, without the temporary directory.
fn said<T: std::fmt::Debug>(scene: &Scene, result: Result<T, ConfineError>) -> String {
    let base = format!("{}/", scene.path("").display()).replace("//", "/");
    result.unwrap_err().to_string().replace(&base, "")
}

#[test]
fn a_file_is_written_with_its_directories_and_read() {
    let scene = Scene::new();
    scene.inside.write("x/./y//z.txt", b"one").unwrap();
    scene.inside.append("x/y/z.txt", b" two").unwrap();
    assert_eq!(scene.text("x/y/z.txt"), "one two");
    scene.inside.write("x/y/z.txt", b"3").unwrap();
    assert_eq!(scene.text("./x/y/z.txt"), "3");
    scene.inside.append("new/log", b"first").unwrap();
    assert_eq!(scene.text("new/log"), "first");
}

#[test]
fn a_file_stays_the_same_file_when_it_is_written_anew() {
    let scene = Scene::new();
    fs::set_permissions(scene.path("a.txt"), fs::Permissions::from_mode(0o640)).unwrap();
    scene.inside.write("a.txt", b"b").unwrap();
    assert_eq!(fs::metadata(scene.path("a.txt")).unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn a_directory_is_made_with_those_on_the_way_and_may_be_there_already() {
    let scene = Scene::new();
    scene.inside.mkdir("p/q/r/").unwrap();
    scene.inside.mkdir("p/q/r").unwrap();
    assert!(scene.path("p/q/r").is_dir());
    assert_eq!(said(&scene, scene.inside.mkdir("a.txt")), "a.txt: Not a directory (os error 20)");
}

#[test]
fn paths_that_lead_out_by_their_text_are_refused_before_the_disk_is_looked_at() {
    let scene = Scene::new();
    let outside = scene.root.path().join("outside/secret.txt").display().to_string();
    let paths =
        ["../outside/secret.txt", "a/../../x", "linkdir/../secret.txt", &outside, "..", "a\0"];
    for path in paths {
        assert!(syntax(path).is_err(), "{path}");
        assert!(scene.inside.read(path).is_err(), "{path}");
        assert!(scene.inside.write(path, b"x").is_err(), "{path}");
        assert!(scene.inside.append(path, b"x").is_err(), "{path}");
        assert!(scene.inside.mkdir(path).is_err(), "{path}");
        assert!(scene.inside.remove(path).is_err(), "{path}");
    }
    assert!(scene.outside_is_untouched());
    assert!(!scene.path("a").exists());
}

#[test]
fn links_are_not_followed_on_the_way_nor_at_the_end() {
    let scene = Scene::new();
    for path in ["linkdir/secret.txt", "linkdir/new.txt", "link.txt", "dangling", "linkdir/d/e"] {
        assert!(scene.inside.read(path).is_err(), "{path}");
        assert!(scene.inside.write(path, b"x").is_err(), "{path}");
        assert!(scene.inside.append(path, b"x").is_err(), "{path}");
        assert!(scene.inside.mkdir(path).is_err(), "{path}");
    }
    assert!(scene.inside.mkdir("linkdir").is_err());
    assert!(scene.inside.remove("linkdir/secret.txt").is_err());
    assert!(scene.outside_is_untouched());
}

#[test]
fn a_base_that_is_reached_through_a_link_is_fine() {
    let scene = Scene::new();
    symlink(scene.path(""), scene.root.path().join("alias")).unwrap();
    let alias = Confined::open(&scene.root.path().join("alias")).unwrap();
    alias.write("b.txt", b"b").unwrap();
    assert_eq!(scene.text("b.txt"), "b");
}

#[test]
fn a_link_itself_can_be_removed_and_what_it_points_to_stays() {
    let scene = Scene::new();
    assert!(scene.inside.remove("link.txt").unwrap());
    assert!(scene.inside.remove("linkdir").unwrap());
    assert!(scene.path("link.txt").symlink_metadata().is_err());
    assert!(scene.outside_is_untouched());
}

#[test]
fn a_directory_is_removed_with_all_that_is_in_it_but_nothing_behind_its_links() {
    let scene = Scene::new();
    scene.inside.write("t/a/b/c.txt", b"c").unwrap();
    scene.inside.mkdir("t/empty").unwrap();
    symlink(scene.root.path().join("outside"), scene.path("t/a/out")).unwrap();
    assert!(scene.inside.remove("t/").unwrap());
    assert!(!scene.path("t").exists());
    assert!(scene.outside_is_untouched());
}

#[test]
fn removing_what_is_not_there_is_no_error() {
    let scene = Scene::new();
    assert!(!scene.inside.remove("nothing").unwrap());
    assert!(!scene.inside.remove("no/such/path").unwrap());
    assert!(!scene.path("no").exists());
}

#[test]
fn fifos_and_devices_are_refused_without_waiting() {
    let scene = Scene::new();
    let fifo = CString::new(scene.path("fifo").to_str().unwrap()).unwrap();
    rustix::fs::mknodat(rustix::fs::CWD, &fifo, FileType::Fifo, Mode::from(0o600), 0).unwrap();
    let wants = "fifo: is a FIFO, a socket or a device; name a regular file";
    assert_eq!(said(&scene, scene.inside.read("fifo")), wants);
    assert_eq!(said(&scene, scene.inside.write("fifo", b"x")), wants);
    assert!(scene.inside.remove("fifo").unwrap());
    let dev = Confined::open(Path::new("/dev")).unwrap();
    assert!(matches!(dev.read("null").unwrap_err().refusal(), Refusal::Special));
    assert!(matches!(dev.append("null", b"").unwrap_err().refusal(), Refusal::Special));
}

#[test]
fn messages_name_the_path_and_the_way_out() {
    let scene = Scene::new();
    scene.inside.mkdir("dir").unwrap();
    let cases = [
        (said(&scene, scene.inside.read("")), ": names no file; write a path below its directory"),
        (
            said(&scene, scene.inside.remove("./")),
            "./: names no file; write a path below its directory",
        ),
        (
            said(&scene, scene.inside.read("/x")),
            "/x: is an absolute path; write one relative to its directory",
        ),
        (
            said(&scene, scene.inside.read("../x")),
            "../x: has a `..`; write a path that stays in its directory",
        ),
        (said(&scene, scene.inside.read("a\0b")), "a\\0b: has a NUL character; no file name can"),
        (
            said(&scene, scene.inside.read("linkdir/secret.txt")),
            "linkdir/secret.txt: `linkdir` is a symbolic link, and links are not followed; put the file itself there",
        ),
        (said(&scene, scene.inside.read("dir")), "dir: is a directory; name a file"),
        (said(&scene, scene.inside.write("dir", b"")), "dir: is a directory; name a file"),
        (said(&scene, scene.inside.write("dir/", b"")), "dir/: is a directory; name a file"),
        (said(&scene, scene.inside.read("none")), "none: No such file or directory (os error 2)"),
        (
            said(&scene, scene.inside.write("a.txt/x", b"")),
            "a.txt/x: Not a directory (os error 20)",
        ),
    ];
    for (got, wanted) in cases {
        assert_eq!(got, wanted);
    }
}

#[test]
fn an_io_error_keeps_its_kind() {
    let scene = Scene::new();
    let error = io::Error::from(scene.inside.read("none").unwrap_err());
    assert_eq!(error.kind(), io::ErrorKind::NotFound);
    let error = Confined::open(&scene.path("none")).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::NotFound);
    assert!(error.to_string().ends_with("base/none: No such file or directory (os error 2)"));
}

#[test]
fn a_name_too_long_is_an_error_and_a_deep_tree_is_removed_or_refused() {
    let scene = Scene::new();
    let error = scene.inside.write(&"n".repeat(300), b"").unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::InvalidFilename);
    scene.inside.mkdir(&"d/".repeat(200)).unwrap();
    assert!(scene.inside.remove("d").unwrap());
}
