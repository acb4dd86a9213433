//! The words are what people act on.

use stripewise_catalogue::Words;
use stripewise_stats::{Better, Forecast, Verdict, message};

#[test]
fn differences_are_told_in_words() {
    let cases = [
        (1.08, 1.14, Better::Higher, "8 to 14 % faster"),
        (0.86, 0.92, Better::Higher, "8 to 14 % slower"),
        (1.08, 1.14, Better::Lower, "8 to 14 % higher"),
        (0.86, 0.92, Better::Lower, "8 to 14 % lower"),
        (1.0803, 1.0804, Better::Higher, "about 8 % faster"),
        (1.012, 1.019, Better::Higher, "1.2 to 1.9 % faster"),
        (1.003, 1.14, Better::Higher, "0.3 to 14 % faster"),
        (1.0004, 1.14, Better::Higher, "up to 14 % faster"),
        (1.00001, 1.00002, Better::Higher, "less than 0.1 % faster"),
        (1.043, 1.104, Better::Higher, "4 to 10 % faster"),
        (1.096, 1.104, Better::Higher, "about 10 % faster"),
        (1.234, 1.567, Better::Higher, "23 to 57 % faster"),
        (1.43, 2.34, Better::Higher, "43 to 130 % faster"),
        (2.1, 2.3, Better::Higher, "2.1 to 2.3 times as fast"),
        (2.0, 2.0, Better::Higher, "about 2 times as fast"),
        (19.96, 20.4, Better::Higher, "about 20 times as fast"),
        (1.9, 2.4, Better::Lower, "1.9 to 2.4 times as high"),
        (0.4, 0.45, Better::Higher, "2.2 to 2.5 times as slow"),
        (0.048, 0.052, Better::Lower, "19 to 21 times as low"),
        (123.0, 456.0, Better::Higher, "120 to 460 times as fast"),
    ];
    for (low, high, better, expected) in cases {
        assert_eq!(
            message(&Verdict::Different { low, high }, better).in_english(),
            expected,
            "{low} to {high}, {better:?}"
        );
    }
}

#[test]
fn the_other_verdicts_are_told_in_words() {
    let cases = [
        (
            Verdict::NoDifference { margin: 0.05 },
            "no difference above 5 %",
        ),
        (
            Verdict::NoDifference { margin: 0.025 },
            "no difference above 2.5 %",
        ),
        (
            Verdict::CannotTell {
                more_samples: Forecast::About(30),
            },
            "cannot tell; about 30 more samples would",
        ),
        (
            Verdict::CannotTell {
                more_samples: Forecast::About(137),
            },
            "cannot tell; about 140 more samples would",
        ),
        (
            Verdict::CannotTell {
                more_samples: Forecast::About(1),
            },
            "cannot tell; about 1 more sample would",
        ),
        (
            Verdict::CannotTell {
                more_samples: Forecast::MoreThan(54),
            },
            "cannot tell; more than 54 more samples would be needed",
        ),
    ];
    for (verdict, expected) in cases {
        assert_eq!(message(&verdict, Better::Higher).in_english(), expected);
    }
}
