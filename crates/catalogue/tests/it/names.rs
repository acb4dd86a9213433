//! Cells, stacks and causes are named as one writes them in a study.

use stripewise_catalogue::Words;
use stripewise_fio::cause;
use stripewise_fixtures::cells;
use stripewise_study::cell::Cell;
use stripewise_study::cell_words::naming_axes;
use stripewise_study::warning::Warning;

#[test]
fn a_cell_is_named_by_its_keys() {
    let cells = cells(
        "[stack.b]\nfilesystem = \"existing\"\n[stack.a]\nfilesystem = \"existing\"\n[workload]\n\
         size = \"1G\"\ndirect = true\npattern = [\"randwrite\", \"randread\"]\nengine = \"libaio\"\n\
         block_size = [\"4K\", \"64K\"]\ndepth = [1, 8]\n",
    );
    let shown: Vec<&Cell> = cells.iter().collect();
    let axes = naming_axes(&shown);
    assert_eq!(
        cells[0].name(&axes).in_english(),
        "b, randwrite, block size 4K, depth 1"
    );
    assert_eq!(cells[0].name(&[]).in_english(), "randwrite, block size 4K");
}

/// Errors name a stack without the catalogue.
#[test]
fn a_stack_in_an_error_has_the_words_of_the_catalogue() {
    let cells = cells(
        "[stack.plain]\nfilesystem = \"existing\"\n\
         [stack.disk]\ndevices = { ssd = 1 }\nfilesystem = \"none\"\n\
         [stack.array]\ndevices = { ssd = 4 }\nvolume = \"linear\"\nfilesystem = \"ext4\"\n\
         array = { level = \"raid10\", layout = \"n2\", chunk = \"16K\", bitmap = \"none\" }\n\
         [workload]\nsize = \"1G\"\ndirect = true\npattern = \"randwrite\"\nblock_size = \"4K\"\n",
    );
    for cell in &cells {
        assert_eq!(cell.stack.in_words().in_english(), cell.stack.summary());
    }
    let array = cells.iter().find(|cell| cell.stack.name == "array");
    let summary = array.expect("the stack").stack.summary();
    assert_eq!(
        summary,
        "4 x ssd > raid10 n2 16K bitmap none > LVM linear > ext4"
    );
}

/// Causes of errors are told without the catalogue.
#[test]
fn a_failed_job_in_an_error_has_the_words_of_the_catalogue() {
    for text in [Some("Illegal byte sequence"), Some(""), None] {
        let failed = Warning::JobFailed {
            job: "verify".to_owned(),
            errno: 28,
            text: text.map(str::to_owned),
        };
        assert_eq!(failed.message().in_english(), cause(&failed));
    }
}
