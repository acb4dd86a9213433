//! Every value from a world must read back as exactly the same value.
//!
//! The failure: a mean lost its last digit on its way through the file, so that the same run gave
//! two different estimates, before and after it was stored.

use proptest::prelude::*;
use stripewise_fixtures::drawn::{facts, full_cell, record, warning};
use stripewise_results::world::RunOrigin;
use stripewise_results::{NewRun, RunState, Store};
use stripewise_study::sample::Role;
use stripewise_study::world::{Change, Journal};

proptest! {
    // `make soak` tries 256.
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_value_reads_back_as_it_was_written(
        cells in prop::collection::vec(full_cell(), 3..5),
        facts in facts(),
        records in prop::collection::vec(record(), 0..4),
        warnings in prop::collection::vec((prop::option::of(0..3_usize), warning()), 0..4),
        texts in any::<[String; 5]>(),
        seed: u64,
        started_unix_ns in 0..u64::MAX / 2,
        path in "[^\\x00]{1,20}",
    ) {
        let [world, study_name, question, study_text, tool_version] = texts;
        let new = NewRun {
            origin: RunOrigin::from(world.as_str()),
            world: None,
            study_name,
            question: Some(question),
            study_text,
            seed,
            options: serde_json::json!([seed, path, null, { "": 0.1 }]),
            tool_version,
            started_unix_ns,
        };
        let change = Change::directory(path);
        let mut store = Store::in_memory().unwrap();
        let id = store.begin_run(&new, &cells, &facts).unwrap();
        for record in &records {
            store.add_sample(id, record).unwrap();
        }
        for (cell, warning) in &warnings {
            store.add_warning(id, *cell, warning).unwrap();
        }
        store.journal(id).announce(&change).unwrap();

        let run = store.run(id).unwrap();
        // A copy in another store is the same run, as long as neither is continued.
        let mut other = Store::in_memory().unwrap();
        other.begin_run(&new, &[], &facts).unwrap();
        let copy = other.import_run(&run).unwrap();
        let mut copy = other.run(copy).unwrap();
        prop_assert_eq!(copy.summary.state, RunState::Interrupted);
        copy.summary.state = run.summary.state;
        copy.summary.id = run.summary.id;
        prop_assert_eq!(&copy, &run);

        prop_assert_eq!(&run.samples, &records);
        prop_assert_eq!(&run.cells, &cells);
        prop_assert_eq!(&run.facts[0].facts, &facts);
        let found: Vec<_> = run.warnings.into_iter().map(|w| (w.cell, w.warning)).collect();
        prop_assert_eq!(found, warnings);
        prop_assert_eq!(&run.summary.origin, &new.origin);
        prop_assert_eq!(&run.summary.study_name, &new.study_name);
        prop_assert_eq!(&run.summary.question, &new.question);
        prop_assert_eq!(&run.summary.tool_version, &new.tool_version);
        prop_assert_eq!(run.summary.started_unix_ns, new.started_unix_ns);
        prop_assert_eq!(run.study_text, new.study_text);
        prop_assert_eq!((run.seed, run.options), (new.seed, new.options));
        let counted = records.iter().filter(|r| r.role == Role::Counted && r.sample.is_valid());
        prop_assert_eq!(run.summary.samples.counted, counted.count() as u64);
        store.journal(id).undone(&change).unwrap();
        store.check().unwrap();
    }
}
