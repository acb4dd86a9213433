//! PHP writes values in layers with the old address and with the new one: what becomes of the first
//! is the second.

use std::io::Write as _;
use std::process::{Command, Stdio};

use crate::forms_kit::{Draws, NEW, OLD, TEXTS, number, pairs};
use crate::skip::skip_unless_all;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use stripewise_site::{Format, Options, rewrite};

/// Each line is a text and the functions that wrap it, the innermost first.
const SCRIPT: &str = r#"
class Thing { protected $url; private $n = 1.5; function __construct($u) { $this->url = $u; } }
function csv($t) { $f = fopen('php://memory', 'r+'); fputcsv($f, [7, $t, 'x y'], ',', '"', ''); rewind($f); return stream_get_contents($f); }
$wraps = [
  'array' => fn($t) => serialize([0 => 'x', 'url' => $t, 'n' => [null, true, 0.1]]),
  'object' => fn($t) => serialize(new Thing($t)),
  'string' => fn($t) => serialize($t),
  'json' => fn($t) => json_encode(['n' => 1, 'k' => $t], JSON_INVALID_UTF8_SUBSTITUTE),
  'json_plain' => fn($t) => json_encode(['k' => $t], JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE),
  'json_pretty' => fn($t) => json_encode(['a' => ['k' => $t]], JSON_PRETTY_PRINT),
  'json_hex' => fn($t) => json_encode(['k' => $t], JSON_HEX_QUOT | JSON_HEX_TAG | JSON_HEX_AMP | JSON_HEX_APOS),
  'raw' => fn($t) => 'https://x.invalid/?a=1&u=' . rawurlencode($t) . '&b=2',
  'form' => fn($t) => http_build_query(['a' => 'ü', 'u' => $t, 'b' => 2]),
  'special' => fn($t) => '<p data-x="' . htmlspecialchars($t) . '">t</p>',
  'entities' => fn($t) => '<p data-x="' . htmlentities($t) . '">t &nbsp;</p>',
  'csv' => fn($t) => csv($t),
  'base64' => fn($t) => 'b=' . base64_encode($t),
  'slashes' => fn($t) => "x = '" . addslashes($t) . "';",
];
while (($line = fgets(STDIN)) !== false) {
  $parts = explode(' ', trim($line));
  $text = base64_decode(array_shift($parts));
  foreach ($parts as $part) { $text = $wraps[$part]($text); }
  echo base64_encode($text), "\n";
}
"#;

const WRAPS: [&str; 15] = [
    "array",
    "array",
    "object",
    "string",
    "json",
    "json_plain",
    "json_pretty",
    "json_hex",
    "raw",
    "form",
    "special",
    "entities",
    "csv",
    "base64",
    "slashes",
];

#[test]
fn what_php_writes_is_rewritten_as_php_writes_it() {
    let count = number("STRIPEWISE_TEST_FORMS_LOADED").unwrap_or(400);
    let mut draws = Draws(number("STRIPEWISE_TEST_SEED").unwrap_or(1));
    let (mut input, mut drawn) = (String::new(), Vec::new());
    for _ in 0..count {
        let text = draws.pick(&TEXTS);
        let wraps: Vec<&str> = (0..draws.below(5)).map(|_| draws.pick(&WRAPS)).collect();
        // Base64 is unpacked once.
        let mut is_packed = false;
        let wraps = wraps.into_iter();
        let wraps =
            wraps.filter(|wrap| *wrap != "base64" || !std::mem::replace(&mut is_packed, true));
        let mut line = wraps.collect::<Vec<_>>().join(" ");
        if let Some((before, after)) = line.split_once("base64") {
            // Text in base64 may have its first `/` afterwards: JSON tells nobody how to write it.
            let words = after.split(' ').map(|word| match word {
                "json" | "json_pretty" | "json_hex" => "json_plain",
                word => word,
            });
            line = format!("{before}base64{}", words.collect::<Vec<_>>().join(" "));
        }
        for address in [OLD, NEW] {
            let text = STANDARD.encode(text.replace('@', address));
            input += &format!("{text} {line}");
            input.truncate(input.trim_end().len());
            input.push('\n');
        }
        drawn.push((text, line));
    }
    let spawned = Command::new("php")
        .args(["-d", "serialize_precision=17", "-r", SCRIPT])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut php) = spawned else {
        skip_unless_all("php writes values in layers: php-cli is not installed");
        return;
    };
    let mut pipe = php.stdin.take().unwrap();
    let writer = std::thread::spawn(move || pipe.write_all(input.as_bytes()));
    let done = php.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    let text = String::from_utf8(done.stdout).unwrap();
    let values: Vec<Vec<u8>> = text
        .lines()
        .map(|line| STANDARD.decode(line).unwrap())
        .collect();
    assert_eq!(values.len(), 2 * drawn.len());
    let mut wrong = Vec::new();
    for (pair, drawn) in values.chunks(2).zip(&drawn) {
        let options = Options {
            format: Some(Format::Text),
            ..Options::default()
        };
        let mut found = Vec::new();
        let report = rewrite(pair[0].as_slice(), &mut found, &pairs(), &options).unwrap();
        if found != pair[1] {
            wrong.push(format!(
                "{drawn:?} stuck: {}\n old    {}\n wanted {}\n found  {}",
                report.stuck(),
                String::from_utf8_lossy(&pair[0]),
                String::from_utf8_lossy(&pair[1]),
                String::from_utf8_lossy(&found)
            ));
        }
    }
    let first = wrong.iter().take(5).cloned().collect::<Vec<_>>().join("\n");
    assert!(
        wrong.is_empty(),
        "{} of {count} wrong:\n{first}",
        wrong.len()
    );
}
