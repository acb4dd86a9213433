//! Guests that studies need, found or named as missing.

use stripewise_lab::KvmFault;

use super::*;

#[test]
fn fast_guests_need_a_kvm_that_works_and_measure_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let asked = |clock, is_fast, purpose, kvm| {
        let asked = AskedGuest {
            cache: Cache::at(folder.path()).unwrap(),
            kernel: None,
            clock,
            is_fast,
            memory: None,
            disk_size: None,
            purpose,
        };
        asked.clock_with(|| kvm).map_err(|error| error.message())
    };
    let clock = |is_fast, purpose, kvm| asked(None, is_fast, purpose, kvm);
    let fails = || Kvm::Fails {
        why: KvmFault::NotOpened("no such file".to_owned()),
    };
    let (measure, function) = (Purpose::Measure, Purpose::Function);
    assert_eq!(clock(true, function, Kvm::Works), Ok(Clock::Kvm));
    let error = clock(true, function, fails()).unwrap_err();
    assert_eq!(error, "--fast: `/dev/kvm` cannot be opened: no such file");
    for kvm in [Kvm::Works, fails()] {
        let error = clock(true, measure, kvm).unwrap_err();
        assert!(error.starts_with("--fast: a guest with KVM"), "{error}");
    }
    // So is the clock itself, of a new run and of one that goes on.
    let kvm = |purpose| asked(Some(Clock::Kvm), false, purpose, Kvm::Works);
    let error = kvm(measure).unwrap_err();
    assert!(
        error.starts_with("--clock kvm: a guest with KVM"),
        "{error}"
    );
    assert_eq!(kvm(function), Ok(Clock::Kvm));
    let begun = |clock| LabSpec {
        cache: folder.path().to_owned(),
        kernel: String::new(),
        kernels: BTreeMap::new(),
        clock,
        memory_mib: 256,
        disk_size_bytes: None,
        profiles: Texts::default(),
    };
    assert!(refuse_kvm(&begun(Clock::Kvm)).is_err());
    assert!(refuse_kvm(&begun(Clock::Virtual)).is_ok());
    // Without it, what counts is the result alone, and KVM only where it works.
    assert_eq!(clock(false, measure, Kvm::Works), Ok(Clock::Virtual));
    assert_eq!(clock(false, function, Kvm::Works), Ok(Clock::Kvm));
    assert_eq!(clock(false, function, fails()), Ok(Clock::Wall));
}

/// Returns a cache with guests of these kernels; the first is the distribution's own.
fn cache_with(folder: &std::path::Path, kernels: &[&str]) -> Cache {
    for (place, kernel) in kernels.iter().enumerate() {
        let directory = folder.join("guests").join(kernel);
        let (release, origin) = kernel.split_once('@').unwrap_or((kernel, ""));
        std::fs::create_dir_all(&directory).unwrap();
        let manifest = serde_json::json!({
            "schema": 1,
            "tool_version": "",
            "kernel": release,
            "kernel_options": origin,
            "is_default": place == 0,
            "recipe_sha256": recipe_sha256(),
            "sources_sha256": null,
            "compiler": "",
            "extras": [],
            "packages": [],
            "files": {},
        });
        std::fs::write(directory.join("manifest.json"), manifest.to_string()).unwrap();
    }
    Cache::at(folder).unwrap()
}

#[test]
fn a_study_takes_one_guest_however_it_names_its_kernel() {
    let folder = tempfile::tempdir().unwrap();
    let kernels = [
        "6.1.0-56-cloud-amd64",
        "6.1.0-57-cloud-amd64",
        "6.12.95-cloud-amd64",
    ];
    let cache = cache_with(folder.path(), &kernels);
    let found = |top: Option<&str>, listed: Option<&str>, asked: Option<&str>| {
        let parse = |text: &str| KernelVersion::parse(text).unwrap();
        let mut study = stripewise_fixtures::study(
            "[stack.s]\ndevices = { sata-ssd = 1 }\n[workload]\npattern = \"randread\"\nblock_size = \"4K\"\nsize = \"1G\"\n",
        );
        study.kernel = top.map(parse);
        for cell in &mut study.cells {
            cell.conditions.kernel = listed.and_then(KernelName::parse);
        }
        let guests = Guests::find(&study, &cache, asked);
        guests.map(|guests| guests.first_name())
    };
    let of = |top, listed, asked| found(top, listed, asked).unwrap();
    assert_eq!(of(None, None, None), kernels[0]);
    for (kernel, release) in [("6.1", kernels[1]), ("6.12", kernels[2])] {
        assert_eq!(of(Some(kernel), None, None), release);
        assert_eq!(of(None, Some(kernel), None), release);
        assert_eq!(of(None, None, Some(kernel)), release);
    }
    // At the top level it is of the series, or for the model only: a remark says so.
    assert_eq!(of(Some("6.12.1"), None, None), kernels[2]);
    assert_eq!(of(Some("4.1"), None, None), kernels[0]);
    assert_eq!(of(Some("6.12"), None, Some("6.1")), kernels[1]);
    assert!(found(None, Some("4.1"), None).is_err());
}

#[test]
fn two_kernels_of_one_guest_are_refused_by_both_names() {
    let folder = tempfile::tempdir().unwrap();
    let cache = cache_with(
        folder.path(),
        &["6.1.0-56-cloud-amd64", "6.12.95-cloud-amd64"],
    );
    let found = |kernels: [&str; 2]| {
        let mut study = stripewise_fixtures::study(
            "[stack.s]\ndevices = { sata-ssd = 1 }\n[workload]\npattern = \"randread\"\nblock_size = \"4K\"\nsize = \"1G\"\n[conditions]\nkernel = [\"6.1\", \"6.12\"]\n",
        );
        assert_eq!(study.cells.len(), 2);
        for (cell, kernel) in study.cells.iter_mut().zip(kernels) {
            cell.conditions.kernel = KernelName::parse(kernel);
        }
        Guests::find(&study, &cache, None).map(|guests| guests.names().len())
    };
    assert_eq!(found(["6.1", "6.12"]).unwrap(), 2);
    assert_eq!(
        found(["6.12", "6.12.95"]).unwrap_err().to_string(),
        "the kernels 6.12 and 6.12.95 are the same guest, 6.12.95-cloud-amd64, which would be compared with itself"
    );
}

#[test]
fn guests_of_one_release_are_an_axis() {
    let folder = tempfile::tempdir().unwrap();
    let own = "7.3.4-cloud-amd64";
    let [sid, tree] = ["sid", "tree-1a2b3c4d"].map(|origin| format!("{own}@{origin}"));
    let cache = cache_with(folder.path(), &[own, &sid, &tree]);
    let study = |kernels: &str| {
        let text = format!(
            "[stack.s]\ndevices = {{ sata-ssd = 1 }}\n[workload]\npattern = \"randread\"\nblock_size = \"4K\"\nsize = \"1G\"\n[conditions]\nkernel = {kernels}\n"
        );
        stripewise_fixtures::study(&text)
    };
    let names = |kernels: &str| {
        let found = Guests::find(&study(kernels), &cache, None);
        found.map(|guests| guests.names().into_values().collect::<Vec<_>>())
    };
    let all = r#"["7.3.4-cloud-amd64", "7.3.4@sid", "7.3@tree-1a2b3c4d"]"#;
    let mut found = names(all).unwrap();
    found.sort();
    assert_eq!(found, [own.to_owned(), sid.clone(), tree.clone()]);
    let same = names(r#"["7.3@sid", "7.3.4@sid"]"#).unwrap_err();
    assert!(
        same.to_string()
            .contains("are the same guest, 7.3.4-cloud-amd64@sid"),
        "{same}"
    );
    let none = names(r#"["7.3@sid", "7.3@forky"]"#).unwrap_err();
    assert_eq!(
        none.to_string(),
        "no guest is prepared with kernel 7.3@forky"
    );
    // `--kernel` cannot make a cell that names a guest another guest's.
    let one = study(r#""7.3@sid""#);
    let with = |asked| Guests::find(&one, &cache, Some(asked)).map(|guests| guests.first_name());
    for asked in ["7.3@sid", "7.3.4@sid", &*sid] {
        assert_eq!(with(asked).unwrap(), sid, "{asked}");
    }
    for other in [&*tree, "7.3", "6.1"] {
        let error = with(other).unwrap_err();
        assert!(matches!(error, LabError::OtherGuest { .. }), "{error}");
    }
}

#[test]
fn a_plan_names_the_guest_that_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::at(folder.path()).unwrap();
    let study = stripewise_fixtures::study(
        "[stack.s]\ndevices = { sata-ssd = 1 }\n[workload]\npattern = \"randread\"\nblock_size = \"4K\"\nsize = \"1G\"\n",
    );
    let why = |kernel| {
        let found = obstacle(&study, &Profiles::shipped(), Some(&cache), kernel);
        let why = found.map(|why| Message::new("plan-lab-not").with("why", why));
        why.map(|why| why.in_english())
    };
    let at = folder.path().display();
    assert_eq!(
        why(None).unwrap(),
        format!("lab: no: no guest is prepared: run `stripewise lab prepare --cache {at}`")
    );
    cache_with(folder.path(), &["6.1.0-56-cloud-amd64"]);
    assert_eq!(why(None), None);
    assert_eq!(
        why(Some("6.12")).unwrap(),
        format!(
            "lab: no: no guest with kernel 6.12 is prepared: run `stripewise lab prepare --kernel 6.12 --cache {at}`, with `--suite NAME` for a kernel that this machine's package sources lack"
        )
    );
    assert_eq!(
        why(Some("7.3@sid")).unwrap(),
        format!(
            "lab: no: no guest with kernel 7.3@sid is prepared: run `stripewise lab prepare --kernel 7.3 --cache {at} --suite sid`"
        )
    );
    let tree = why(Some("7.3@tree-x")).unwrap();
    assert!(
        tree.ends_with("--tree PATH` with the PATH of what the guest was made from"),
        "{tree}"
    );
}

#[test]
fn too_little_memory_is_reported_in_numbers() {
    let said = |each_mib, needed, available| {
        let memory = GuestMemory {
            each_mib,
            guests: 1,
        };
        let remarks = memory_remarks(memory, needed, available).into_iter();
        let lines: Vec<String> = remarks.map(|remark| remark.in_english()).collect();
        lines.join("\n")
    };
    assert_eq!(said(2048, 2048, Some(2048)), "");
    assert_eq!(said(2048, 2048, None), "");
    expect_test::expect![[r#"
        lab: if its disks fill up, the guest needs 40960 MiB of memory, but it gets 16384 MiB; raise it with `--memory`
        lab: the 1 guests, one for each kernel, may use 16384 MiB of memory, but this machine has 8000 MiB free; lower it with `--memory`"#]]
    .assert_eq(&said(16_384, 40_960, Some(8000)));
}
