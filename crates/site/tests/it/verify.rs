//! Addresses of databases, and old addresses in files in any form.
use stripewise_site::permissions::read_tree;
use stripewise_site::verify::{Database, files};
use stripewise_site::{Pair, Pairs, Policy};

#[test]
fn a_database_may_be_behind_a_socket() {
    let arguments = |address: &str| Database::of_address(address).map(|one| one.arguments());
    let wanted = ["--host=localhost", "--socket=/run/my sqld.sock", "--user=a"];
    for address in [
        "mysql://a:b@localhost/site?socket=/run/my%20sqld.sock",
        "mysql://a:b@/site?socket=/run/my sqld.sock",
        "mysql://a:b@%2Frun%2Fmy%20sqld.sock/site",
        "mysql://a:b@localhost:/run/my sqld.sock/site",
    ] {
        assert_eq!(arguments(address).unwrap(), wanted, "{address}");
        let database = Database::of_address(address).unwrap();
        assert_eq!(
            (database.name.as_str(), database.password.as_str()),
            ("site", "b")
        );
    }
    // Another host has no socket here.
    assert_eq!(arguments("mysql://a@db.example/site?socket=/run/a"), None);
    let port = arguments("mysql://a@db.example:3307/site").unwrap();
    assert_eq!(port, ["--host=db.example", "--port=3307", "--user=a"]);
    let port = arguments("mysql://a@[::1]:3307/site").unwrap();
    assert_eq!(port, ["--host=::1", "--port=3307", "--user=a"]);
}

/// `verify` said that nothing was left in a file with `\\u002F`.
#[test]
fn files_are_searched_in_every_form() {
    let folder = tempfile::tempdir().unwrap();
    let forms = [
        "http://old.example/x",
        "{\"u\":\"http:\\u002F\\u002Fold.example\"}",
        "var u = \"http:\\x2F\\x2Fold.example\";",
        "u=http%253A%252F%252Fold.example",
        "<a href=\"http:&#x2F;&#x2F;old.example\">",
        "a:1:{i:0;S:18:\"http:\\2f\\2fold.example\";}",
        "0x687474703a2f2f6f6c642e6578616d706c65",
        "aHR0cDovL29sZC5leGFtcGxlL3g=",
        "a:1:{i:0;s:99:\"http:\\/\\/old.example\";}",
    ];
    for (index, form) in forms.iter().enumerate() {
        std::fs::write(folder.path().join(index.to_string()), form).unwrap();
    }
    std::fs::write(folder.path().join("other"), "http:\\/\\/old.examples").unwrap();
    let pair = Pair {
        from: b"http://old.example".to_vec(),
        to: b"http://old.example".to_vec(),
    };
    let policy = Policy {
        broken: true,
        ..Policy::default()
    };
    let pairs = Pairs::new(&[pair], policy).unwrap();
    let tree = read_tree(folder.path()).unwrap();
    let looked = files(folder.path(), &tree, &pairs, &|_| Ok(None));
    assert_eq!(looked.left.len(), forms.len(), "{:?}", looked.left);
    assert!(looked.left.iter().all(|left| left.count == 1));
}
