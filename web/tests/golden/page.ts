// Written by crates/report/tests/page.rs: UPDATE_EXPECT=1 cargo test -p stripewise-report
import type { Page } from "../../src/page";

export const page = {
  "schema": 1,
  "stripewise_version": "0.1.0",
  "question": "Which chunk for <four> disks?",
  "metric": "bandwidth_bytes_per_s",
  "metrics": [
    "bandwidth_bytes_per_s",
    "iops",
    "latency_ns_mean",
    "latency_ns_p50",
    "latency_ns_p99",
    "latency_ns_p999"
  ],
  "runs": [
    {
      "id": 3,
      "study": "chunks",
      "question": "Which chunk for <four> disks?",
      "world": "model",
      "state": "done",
      "stripewise_version": "0.1.0",
      "seed": 42,
      "started_unix_ns": 1790000000000000000,
      "ended_unix_ns": 1790000041000000000,
      "samples_all": 72,
      "samples_counted": 72,
      "model": {
        "kernel": "4.1",
        "host": "default",
        "devices": [
          "samsung-850-evo-500"
        ]
      },
      "facts": [],
      "changed_facts": [],
      "warnings": [],
      "commands": [
        {
          "does": "repeat",
          "command": "stripewise run chunks.toml --world model --kernel 4.1 --seed 42"
        },
        {
          "does": "show",
          "command": "stripewise show 3 --json"
        },
        {
          "does": "compare",
          "command": "stripewise compare 3 OTHER-RUN"
        },
        {
          "does": "why",
          "command": "stripewise why chunks.toml --kernel 4.1 --cell NUMBER"
        },
        {
          "does": "export",
          "command": "stripewise export 3 --format csv"
        }
      ],
      "study_text": "\nquestion = \"Which chunk for <four> disks?\"\nkernel = \"4.1\"\n[stack.one]\ndevices = { \"samsung-850-evo-500\" = 1 }\nfilesystem = \"none\"\n[stack.small]\ndevices = { \"samsung-850-evo-500\" = 4 }\narray = { level = \"raid10\", layout = \"n2\", chunk = \"16K\" }\nfilesystem = \"none\"\n[stack.large]\ndevices = { \"samsung-850-evo-500\" = 4 }\narray = { level = \"raid10\", layout = \"n2\", chunk = \"512K\" }\nfilesystem = \"none\"\n[workload]\npattern = [\"randread\", \"randwrite\"]\nblock_size = [\"16K\", \"64K\"]\nsize = \"64M\"\n[compare]\nbaseline = { stack = \"small\" }"
    },
    {
      "id": 4,
      "study": "chunks",
      "question": "Which chunk for <four> disks?",
      "world": "metal",
      "state": "done",
      "stripewise_version": "0.1.0",
      "seed": 42,
      "started_unix_ns": 1790000000000000000,
      "ended_unix_ns": 1790000041000000000,
      "samples_all": 72,
      "samples_counted": 71,
      "model": null,
      "facts": [],
      "changed_facts": [],
      "warnings": [],
      "commands": [
        {
          "does": "show",
          "command": "stripewise show 4 --json --store my.db"
        },
        {
          "does": "compare",
          "command": "stripewise compare 4 OTHER-RUN --store my.db"
        },
        {
          "does": "export",
          "command": "stripewise export 4 --format csv --store my.db"
        }
      ],
      "study_text": "\nquestion = \"Which chunk for <four> disks?\"\nkernel = \"4.1\"\n[stack.one]\ndevices = { \"samsung-850-evo-500\" = 1 }\nfilesystem = \"none\"\n[stack.small]\ndevices = { \"samsung-850-evo-500\" = 4 }\narray = { level = \"raid10\", layout = \"n2\", chunk = \"16K\" }\nfilesystem = \"none\"\n[stack.large]\ndevices = { \"samsung-850-evo-500\" = 4 }\narray = { level = \"raid10\", layout = \"n2\", chunk = \"512K\" }\nfilesystem = \"none\"\n[workload]\npattern = [\"randread\", \"randwrite\"]\nblock_size = [\"16K\", \"64K\"]\nsize = \"64M\"\n[compare]\nbaseline = { stack = \"small\" }"
    }
  ],
  "axes": [
    {
      "key": "stack",
      "values": [
        "one",
        "small",
        "large"
      ],
      "numbers": null
    },
    {
      "key": "pattern",
      "values": [
        "randread",
        "randwrite"
      ],
      "numbers": null
    },
    {
      "key": "block_size",
      "values": [
        "16K",
        "64K"
      ],
      "numbers": [
        16384,
        65536
      ]
    },
    {
      "key": "chunk",
      "values": [
        "-",
        "16K",
        "512K"
      ],
      "numbers": null
    }
  ],
  "cells": [
    {
      "run": 0,
      "number": 1,
      "values": [
        "one",
        "randread",
        "16K",
        "-"
      ],
      "stack": "one",
      "stack_words": "1 x samsung-850-evo-500 > no filesystem",
      "chunk_bytes": null,
      "block_size_bytes": 16384,
      "estimates": {
        "bandwidth_bytes_per_s": {
          "value": 140915608.04261667,
          "low": 139975304.19228023,
          "high": 142144467.68687862,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 3.692307692307692
        },
        "iops": {
          "value": 8600.806154944865,
          "low": 8543.414562517104,
          "high": 8675.809795341713,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 3.692307692307692
        },
        "latency_ns_mean": {
          "value": 116269.59375,
          "low": 115263.015625,
          "high": 117049.21875,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 3.692307692307692
        },
        "latency_ns_p50": {
          "value": 116224.0,
          "low": 114176.0,
          "high": 119296.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p99": {
          "value": 140288.0,
          "low": 134144.0,
          "high": 152576.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 3.5625
        },
        "latency_ns_p999": {
          "value": 140288.0,
          "low": 134144.0,
          "high": 152576.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 3.5625
        }
      },
      "verdicts": [
        {
          "metric": "bandwidth_bytes_per_s",
          "baseline": 4,
          "paired": true,
          "ratio": {
            "value": 1.0010131404353595,
            "low": 0.9734061468598307,
            "high": 1.0515419015179022,
            "level": 0.95,
            "samples": 6,
            "effective_samples": 6.0
          },
          "verdict": "cannot_tell",
          "more_samples": {
            "forecast": "about",
            "samples": 1
          },
          "words": "cannot tell; about 1 more sample would",
          "pairs": [
            [
              135177178.84726524,
              142144467.68687862
            ],
            [
              141638000.05159923,
              141549512.61764732
            ],
            [
              140875868.67155826,
              139975304.19228023
            ],
            [
              140051002.38396677,
              140422656.96300596
            ],
            [
              144011683.80924705,
              140181858.23955578
            ],
            [
              140847787.15083092,
              141408559.12222734
            ]
          ]
        }
      ],
      "warnings": [],
      "samples": [
        {
          "started_unix_ns": 1790000000000000000,
          "elapsed_ns": 7376833,
          "block": 0,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 142144467.68687862,
          "iops": 8675.809795341713,
          "latency_ns_mean": 115263.015625,
          "latency_ns_p99": 134144.0
        },
        {
          "started_unix_ns": 1790000000100000000,
          "elapsed_ns": 7407839,
          "block": 1,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 141549512.61764732,
          "iops": 8639.49661972945,
          "latency_ns_mean": 115747.484375,
          "latency_ns_p99": 138240.0
        },
        {
          "started_unix_ns": 1790000000200000000,
          "elapsed_ns": 7491150,
          "block": 2,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 139975304.19228023,
          "iops": 8543.414562517104,
          "latency_ns_mean": 117049.21875,
          "latency_ns_p99": 146432.0
        },
        {
          "started_unix_ns": 1790000000300000000,
          "elapsed_ns": 7467285,
          "block": 3,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 140422656.96300596,
          "iops": 8570.71880877722,
          "latency_ns_mean": 116676.328125,
          "latency_ns_p99": 140288.0
        },
        {
          "started_unix_ns": 1790000000400000000,
          "elapsed_ns": 7480112,
          "block": 4,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 140181858.23955578,
          "iops": 8556.021621066637,
          "latency_ns_mean": 116876.75,
          "latency_ns_p99": 152576.0
        },
        {
          "started_unix_ns": 1790000000500000000,
          "elapsed_ns": 7415223,
          "block": 5,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 141408559.12222734,
          "iops": 8630.893501112509,
          "latency_ns_mean": 115862.859375,
          "latency_ns_p99": 140288.0
        }
      ],
      "steady": null,
      "latency": {
        "ios": 384,
        "cumulative": [
          [
            90624,
            0.0026041666666666665
          ],
          [
            93696,
            0.005208333333333333
          ],
          [
            94720,
            0.0078125
          ],
          [
            95744,
            0.013020833333333334
          ],
          [
            96768,
            0.015625
          ],
          [
            97792,
            0.0234375
          ],
          [
            98816,
            0.03125
          ],
          [
            99840,
            0.036458333333333336
          ],
          [
            100864,
            0.041666666666666664
          ],
          [
            101888,
            0.057291666666666664
          ],
          [
            102912,
            0.08072916666666667
          ],
          [
            103936,
            0.10677083333333333
          ],
          [
            104960,
            0.13020833333333334
          ],
          [
            105984,
            0.1796875
          ],
          [
            107008,
            0.2109375
          ],
          [
            108032,
            0.24479166666666666
          ],
          [
            109056,
            0.2786458333333333
          ],
          [
            110080,
            0.3098958333333333
          ],
          [
            111104,
            0.3359375
          ],
          [
            112128,
            0.390625
          ],
          [
            113152,
            0.4166666666666667
          ],
          [
            114176,
            0.4583333333333333
          ],
          [
            115200,
            0.4869791666666667
          ],
          [
            116224,
            0.5104166666666666
          ],
          [
            117248,
            0.5598958333333334
          ],
          [
            118272,
            0.5885416666666666
          ],
          [
            119296,
            0.6302083333333334
          ],
          [
            120320,
            0.6692708333333334
          ],
          [
            121344,
            0.7109375
          ],
          [
            122368,
            0.75
          ],
          [
            123392,
            0.7916666666666666
          ],
          [
            124416,
            0.8359375
          ],
          [
            125440,
            0.8671875
          ],
          [
            126464,
            0.8880208333333334
          ],
          [
            127488,
            0.9114583333333334
          ],
          [
            128512,
            0.9166666666666666
          ],
          [
            129536,
            0.9192708333333334
          ],
          [
            130560,
            0.9401041666666666
          ],
          [
            132096,
            0.9453125
          ],
          [
            134144,
            0.9609375
          ],
          [
            136192,
            0.9635416666666666
          ],
          [
            138240,
            0.9765625
          ],
          [
            140288,
            0.9895833333333334
          ],
          [
            144384,
            0.9921875
          ],
          [
            146432,
            0.9973958333333334
          ],
          [
            152576,
            1.0
          ]
        ],
        "percentiles": [
          {
            "percent": 50.0,
            "latency_ns": {
              "value": 116224.0,
              "low": 114176.0,
              "high": 119296.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 90.0,
            "latency_ns": {
              "value": 127488.0,
              "low": 126464.0,
              "high": 128512.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 4.285714285714286
            }
          },
          {
            "percent": 95.0,
            "latency_ns": {
              "value": 133120.0,
              "low": 130560.0,
              "high": 140288.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 2.7032967032967035
            }
          }
        ]
      },
      "members": [
        {
          "device": "disk0",
          "reads_per_s": 8602.450775499736,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 140942553.50578767,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.9366859622923219
        }
      ],
      "breakdown": {
        "mean": [
          {
            "part": "submit",
            "time_ns": 2160.0
          },
          {
            "part": "block_cpu",
            "time_ns": 700.0
          },
          {
            "part": "device_service",
            "time_ns": 76196.94270833333
          },
          {
            "part": "link",
            "time_ns": 32689.0
          },
          {
            "part": "completion",
            "time_ns": 4500.0
          }
        ],
        "slowest": [
          {
            "part": "submit",
            "time_ns": 2160.0
          },
          {
            "part": "block_cpu",
            "time_ns": 700.0
          },
          {
            "part": "device_service",
            "time_ns": 101276.33333333333
          },
          {
            "part": "link",
            "time_ns": 32689.0
          },
          {
            "part": "completion",
            "time_ns": 4500.0
          }
        ],
        "utilisation": [
          {
            "component": "disk0",
            "busy_share": 0.9366839379788519
          },
          {
            "component": "link of disk0",
            "busy_share": 0.28560848089675
          },
          {
            "component": "uplink",
            "busy_share": 0.0
          },
          {
            "component": "cpu of job 0",
            "busy_share": 0.04649504469496246
          }
        ]
      },
      "bottleneck": {
        "limit": "latency",
        "part": "device_service",
        "share": 0.6554804488920111,
        "time_ns": 76196.94270833333
      },
      "findings": []
    },
    {
      "run": 0,
      "number": 2,
      "values": [
        "one",
        "randread",
        "64K",
        "-"
      ],
      "stack": "one",
      "stack_words": "1 x samsung-850-evo-500 > no filesystem",
      "chunk_bytes": null,
      "block_size_bytes": 65536,
      "estimates": {
        "bandwidth_bytes_per_s": {
          "value": 314997906.6893264,
          "low": 313395178.4426046,
          "high": 317691241.3404356,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 3.2647058823529416
        },
        "iops": {
          "value": 4806.486613301489,
          "low": 4782.030921060251,
          "high": 4847.583638617487,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 3.2647058823529416
        },
        "latency_ns_mean": {
          "value": 208052.65625,
          "low": 206288.34375,
          "high": 209116.171875,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 3.2647058823529416
        },
        "latency_ns_p50": {
          "value": 208896.0,
          "low": 207872.0,
          "high": 211968.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p99": {
          "value": 235520.0,
          "low": 228352.0,
          "high": 242688.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 4.032786885245902
        },
        "latency_ns_p999": {
          "value": 235520.0,
          "low": 228352.0,
          "high": 242688.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 4.032786885245902
        }
      },
      "verdicts": [
        {
          "metric": "bandwidth_bytes_per_s",
          "baseline": 5,
          "paired": true,
          "ratio": {
            "value": 0.6340074164000173,
            "low": 0.6288355717347612,
            "high": 0.6562576038095116,
            "level": 0.95,
            "samples": 6,
            "effective_samples": 5.25
          },
          "verdict": "different",
          "low": 0.6288355717347612,
          "high": 0.6562576038095116,
          "words": "34 to 37 % slower",
          "pairs": [
            [
              480720317.61458975,
              315476363.7402977
            ],
            [
              497598082.8320936,
              314519449.6383551
            ],
            [
              497530793.90385085,
              317691241.3404356
            ],
            [
              503178890.7641095,
              316504904.1876133
            ],
            [
              498373807.92254734,
              313395178.4426046
            ],
            [
              494277450.32600623,
              314333497.9080426
            ]
          ]
        }
      ],
      "warnings": [],
      "samples": [
        {
          "started_unix_ns": 1790000000001000000,
          "elapsed_ns": 13295145,
          "block": 0,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 315476363.7402977,
          "iops": 4813.787288517726,
          "latency_ns_mean": 207736.640625,
          "latency_ns_p99": 228352.0
        },
        {
          "started_unix_ns": 1790000000101000000,
          "elapsed_ns": 13335595,
          "block": 1,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 314519449.6383551,
          "iops": 4799.185938085252,
          "latency_ns_mean": 208368.671875,
          "latency_ns_p99": 234496.0
        },
        {
          "started_unix_ns": 1790000000201000000,
          "elapsed_ns": 13202454,
          "block": 2,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 317691241.3404356,
          "iops": 4847.583638617487,
          "latency_ns_mean": 206288.34375,
          "latency_ns_p99": 240640.0
        },
        {
          "started_unix_ns": 1790000000301000000,
          "elapsed_ns": 13251940,
          "block": 3,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 316504904.1876133,
          "iops": 4829.481570245564,
          "latency_ns_mean": 207061.5625,
          "latency_ns_p99": 236544.0
        },
        {
          "started_unix_ns": 1790000000401000000,
          "elapsed_ns": 13383435,
          "block": 4,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 313395178.4426046,
          "iops": 4782.030921060251,
          "latency_ns_mean": 209116.171875,
          "latency_ns_p99": 242688.0
        },
        {
          "started_unix_ns": 1790000000501000000,
          "elapsed_ns": 13343484,
          "block": 5,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 314333497.9080426,
          "iops": 4796.348539856607,
          "latency_ns_mean": 208491.9375,
          "latency_ns_p99": 234496.0
        }
      ],
      "steady": null,
      "latency": {
        "ios": 384,
        "cumulative": [
          [
            136192,
            0.0078125
          ],
          [
            138240,
            0.026041666666666668
          ],
          [
            140288,
            0.028645833333333332
          ],
          [
            183296,
            0.03125
          ],
          [
            187392,
            0.036458333333333336
          ],
          [
            189440,
            0.044270833333333336
          ],
          [
            191488,
            0.059895833333333336
          ],
          [
            193536,
            0.07552083333333333
          ],
          [
            195584,
            0.109375
          ],
          [
            197632,
            0.15104166666666666
          ],
          [
            199680,
            0.23177083333333334
          ],
          [
            201728,
            0.2942708333333333
          ],
          [
            203776,
            0.3515625
          ],
          [
            205824,
            0.421875
          ],
          [
            207872,
            0.484375
          ],
          [
            209920,
            0.5546875
          ],
          [
            211968,
            0.6145833333333334
          ],
          [
            214016,
            0.6927083333333334
          ],
          [
            216064,
            0.7630208333333334
          ],
          [
            218112,
            0.84375
          ],
          [
            220160,
            0.8958333333333334
          ],
          [
            222208,
            0.921875
          ],
          [
            224256,
            0.9401041666666666
          ],
          [
            226304,
            0.9453125
          ],
          [
            228352,
            0.9583333333333334
          ],
          [
            230400,
            0.9661458333333334
          ],
          [
            232448,
            0.9765625
          ],
          [
            234496,
            0.9895833333333334
          ],
          [
            236544,
            0.9921875
          ],
          [
            238592,
            0.9947916666666666
          ],
          [
            240640,
            0.9973958333333334
          ],
          [
            242688,
            1.0
          ]
        ],
        "percentiles": [
          {
            "percent": 50.0,
            "latency_ns": {
              "value": 208896.0,
              "low": 207872.0,
              "high": 211968.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 90.0,
            "latency_ns": {
              "value": 222208.0,
              "low": 220160.0,
              "high": 222208.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 1.5789473684210524
            }
          },
          {
            "percent": 95.0,
            "latency_ns": {
              "value": 227328.0,
              "low": 224256.0,
              "high": 234496.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 3.3435114503816794
            }
          }
        ]
      },
      "members": [
        {
          "device": "disk0",
          "reads_per_s": 4811.3033754438065,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 315313578.0130853,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.9622793815365205
        }
      ],
      "breakdown": {
        "mean": [
          {
            "part": "submit",
            "time_ns": 2640.0
          },
          {
            "part": "block_cpu",
            "time_ns": 700.0
          },
          {
            "part": "device_service",
            "time_ns": 77947.88802083333
          },
          {
            "part": "link",
            "time_ns": 122056.0
          },
          {
            "part": "completion",
            "time_ns": 4500.0
          }
        ],
        "slowest": [
          {
            "part": "submit",
            "time_ns": 2640.0
          },
          {
            "part": "block_cpu",
            "time_ns": 700.0
          },
          {
            "part": "device_service",
            "time_ns": 105974.33333333333
          },
          {
            "part": "link",
            "time_ns": 122056.0
          },
          {
            "part": "completion",
            "time_ns": 4500.0
          }
        ],
        "utilisation": [
          {
            "component": "disk0",
            "busy_share": 0.962278600615393
          },
          {
            "component": "link of disk0",
            "busy_share": 0.5964365493735915
          },
          {
            "component": "uplink",
            "busy_share": 0.0
          },
          {
            "component": "cpu of job 0",
            "busy_share": 0.02834968851230726
          }
        ]
      },
      "bottleneck": {
        "limit": "latency",
        "part": "link",
        "share": 0.5872484447931693,
        "time_ns": 122056.0
      },
      "findings": []
    },
    {
      "run": 0,
      "number": 3,
      "values": [
        "one",
        "randwrite",
        "16K",
        "-"
      ],
      "stack": "one",
      "stack_words": "1 x samsung-850-evo-500 > no filesystem",
      "chunk_bytes": null,
      "block_size_bytes": 16384,
      "estimates": {
        "bandwidth_bytes_per_s": {
          "value": 338902010.7062158,
          "low": 337979339.46830696,
          "high": 339229162.8586356,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 1.0
        },
        "iops": {
          "value": 20684.937176893054,
          "low": 20628.621793719907,
          "high": 20704.90495963352,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 1.0
        },
        "latency_ns_mean": {
          "value": 48344.3828125,
          "low": 48297.734375,
          "high": 48476.3359375,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 1.0
        },
        "latency_ns_p50": {
          "value": 48384.0,
          "low": 48384.0,
          "high": 48384.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p99": {
          "value": 49920.0,
          "low": 49920.0,
          "high": 50432.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 1.5789473684210524
        },
        "latency_ns_p999": {
          "value": 50688.0,
          "low": 50432.0,
          "high": 50944.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 3.0
        }
      },
      "verdicts": [
        {
          "metric": "bandwidth_bytes_per_s",
          "baseline": 6,
          "paired": true,
          "ratio": {
            "value": 1.0717664167073782,
            "low": 1.0688365022173378,
            "high": 1.0733003504585432,
            "level": 0.95,
            "samples": 6,
            "effective_samples": 2.0254777070063694
          },
          "verdict": "different",
          "low": 1.0688365022173378,
          "high": 1.0733003504585432,
          "words": "6.9 to 7.3 % faster",
          "pairs": [
            [
              316196794.6422022,
              338613430.87018394
            ],
            [
              316212384.93180025,
              337979339.46830696
            ],
            [
              316810886.74861914,
              338657312.19890225
            ],
            [
              315984904.94169396,
              339146709.21352935
            ],
            [
              316215150.34247,
              339229162.8586356
            ],
            [
              316190501.7498149,
              339158254.6987682
            ]
          ]
        }
      ],
      "warnings": [],
      "samples": [
        {
          "started_unix_ns": 1790000000002000000,
          "elapsed_ns": 12386703,
          "block": 0,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 338613430.87018394,
          "iops": 20667.32366151025,
          "latency_ns_mean": 48385.55859375,
          "latency_ns_p99": 50432.0
        },
        {
          "started_unix_ns": 1790000000102000000,
          "elapsed_ns": 12409942,
          "block": 1,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 337979339.46830696,
          "iops": 20628.621793719907,
          "latency_ns_mean": 48476.3359375,
          "latency_ns_p99": 50432.0
        },
        {
          "started_unix_ns": 1790000000202000000,
          "elapsed_ns": 12385098,
          "block": 2,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 338657312.19890225,
          "iops": 20670.00196526503,
          "latency_ns_mean": 48379.2890625,
          "latency_ns_p99": 49920.0
        },
        {
          "started_unix_ns": 1790000000302000000,
          "elapsed_ns": 12367226,
          "block": 3,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 339146709.21352935,
          "iops": 20699.87238852108,
          "latency_ns_mean": 48309.4765625,
          "latency_ns_p99": 49920.0
        },
        {
          "started_unix_ns": 1790000000402000000,
          "elapsed_ns": 12364220,
          "block": 4,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 339229162.8586356,
          "iops": 20704.90495963352,
          "latency_ns_mean": 48297.734375,
          "latency_ns_p99": 49920.0
        },
        {
          "started_unix_ns": 1790000000502000000,
          "elapsed_ns": 12366805,
          "block": 5,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 339158254.6987682,
          "iops": 20700.577069016614,
          "latency_ns_mean": 48307.83203125,
          "latency_ns_p99": 49920.0
        }
      ],
      "steady": null,
      "latency": {
        "ios": 1536,
        "cumulative": [
          [
            46336,
            0.00390625
          ],
          [
            46848,
            0.040364583333333336
          ],
          [
            47360,
            0.162109375
          ],
          [
            47872,
            0.396484375
          ],
          [
            48384,
            0.6666666666666666
          ],
          [
            48896,
            0.8561197916666666
          ],
          [
            49408,
            0.9446614583333334
          ],
          [
            49920,
            0.9895833333333334
          ],
          [
            50432,
            0.9967447916666666
          ],
          [
            50944,
            1.0
          ]
        ],
        "percentiles": [
          {
            "percent": 50.0,
            "latency_ns": {
              "value": 48384.0,
              "low": 48384.0,
              "high": 48384.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 90.0,
            "latency_ns": {
              "value": 49408.0,
              "low": 49408.0,
              "high": 49408.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 95.0,
            "latency_ns": {
              "value": 49920.0,
              "low": 49408.0,
              "high": 49920.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 3.0
            }
          },
          {
            "percent": 99.0,
            "latency_ns": {
              "value": 49920.0,
              "low": 49920.0,
              "high": 50432.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 1.5789473684210524
            }
          }
        ]
      },
      "members": [
        {
          "device": "disk0",
          "reads_per_s": 0.0,
          "writes_per_s": 20678.51540214179,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 338796796.3486911,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.8478061266402364
        }
      ],
      "breakdown": {
        "mean": [
          {
            "part": "submit",
            "time_ns": 2160.0
          },
          {
            "part": "block_cpu",
            "time_ns": 700.0
          },
          {
            "part": "device_service",
            "time_ns": 7186.37109375
          },
          {
            "part": "link",
            "time_ns": 33813.0
          },
          {
            "part": "completion",
            "time_ns": 4500.0
          }
        ],
        "slowest": [
          {
            "part": "submit",
            "time_ns": 2160.0
          },
          {
            "part": "block_cpu",
            "time_ns": 700.0
          },
          {
            "part": "device_service",
            "time_ns": 8776.008912607189
          },
          {
            "part": "link",
            "time_ns": 33813.0
          },
          {
            "part": "completion",
            "time_ns": 4500.0
          }
        ],
        "utilisation": [
          {
            "component": "disk0",
            "busy_share": 0.8478058697457959
          },
          {
            "component": "link of disk0",
            "busy_share": 0.7019350864339274
          },
          {
            "component": "uplink",
            "busy_share": 0.0
          },
          {
            "component": "cpu of job 0",
            "busy_share": 0.11106804782085161
          }
        ]
      },
      "bottleneck": {
        "limit": "latency",
        "part": "link",
        "share": 0.6992026412926204,
        "time_ns": 33813.0
      },
      "findings": []
    },
    {
      "run": 0,
      "number": 4,
      "values": [
        "one",
        "randwrite",
        "64K",
        "-"
      ],
      "stack": "one",
      "stack_words": "1 x samsung-850-evo-500 > no filesystem",
      "chunk_bytes": null,
      "block_size_bytes": 65536,
      "estimates": {
        "bandwidth_bytes_per_s": {
          "value": 462915082.9333118,
          "low": 462483497.51557183,
          "high": 463067892.24294674,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 1.0
        },
        "iops": {
          "value": 7063.523604329099,
          "low": 7056.938133477353,
          "high": 7065.855289351604,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 1.0
        },
        "latency_ns_mean": {
          "value": 141572.41015625,
          "low": 141525.68359375,
          "high": 141704.515625,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 1.0
        },
        "latency_ns_p50": {
          "value": 142336.0,
          "low": 142336.0,
          "high": 142336.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p99": {
          "value": 144384.0,
          "low": 142336.0,
          "high": 144384.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p999": {
          "value": 144384.0,
          "low": 144384.0,
          "high": 144384.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        }
      },
      "verdicts": [
        {
          "metric": "bandwidth_bytes_per_s",
          "baseline": 7,
          "paired": true,
          "ratio": {
            "value": 0.6650798007752525,
            "low": 0.6643691554907003,
            "high": 0.6656339602616319,
            "level": 0.95,
            "samples": 6,
            "effective_samples": 2.8732394366197185
          },
          "verdict": "different",
          "low": 0.6643691554907003,
          "high": 0.6656339602616319,
          "words": "33 to 34 % slower",
          "pairs": [
            [
              695982226.0284045,
              462780290.9274688
            ],
            [
              696124276.230108,
              462483497.51557183
            ],
            [
              696368256.144,
              462800882.21506447
            ],
            [
              695621484.6213118,
              463029283.6515592
            ],
            [
              696103567.193377,
              463067892.24294674
            ],
            [
              695841272.756396,
              463034880.9231588
            ]
          ]
        }
      ],
      "warnings": [],
      "samples": [
        {
          "started_unix_ns": 1790000000003000000,
          "elapsed_ns": 36253091,
          "block": 0,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 462780290.9274688,
          "iops": 7061.466841544629,
          "latency_ns_mean": 141613.63671875,
          "latency_ns_p99": 144384.0
        },
        {
          "started_unix_ns": 1790000000103000000,
          "elapsed_ns": 36276356,
          "block": 1,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 462483497.51557183,
          "iops": 7056.938133477353,
          "latency_ns_mean": 141704.515625,
          "latency_ns_p99": 144384.0
        },
        {
          "started_unix_ns": 1790000000203000000,
          "elapsed_ns": 36251478,
          "block": 2,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 462800882.21506447,
          "iops": 7061.781039658576,
          "latency_ns_mean": 141607.3359375,
          "latency_ns_p99": 144384.0
        },
        {
          "started_unix_ns": 1790000000303000000,
          "elapsed_ns": 36233596,
          "block": 3,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 463029283.6515592,
          "iops": 7065.266168999621,
          "latency_ns_mean": 141537.484375,
          "latency_ns_p99": 142336.0
        },
        {
          "started_unix_ns": 1790000000403000000,
          "elapsed_ns": 36230575,
          "block": 4,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 463067892.24294674,
          "iops": 7065.855289351604,
          "latency_ns_mean": 141525.68359375,
          "latency_ns_p99": 144384.0
        },
        {
          "started_unix_ns": 1790000000503000000,
          "elapsed_ns": 36233158,
          "block": 5,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 463034880.9231588,
          "iops": 7065.351576586286,
          "latency_ns_mean": 141535.7734375,
          "latency_ns_p99": 142336.0
        }
      ],
      "steady": null,
      "latency": {
        "ios": 1536,
        "cumulative": [
          [
            140288,
            0.3684895833333333
          ],
          [
            142336,
            0.98828125
          ],
          [
            144384,
            1.0
          ]
        ],
        "percentiles": [
          {
            "percent": 50.0,
            "latency_ns": {
              "value": 142336.0,
              "low": 142336.0,
              "high": 142336.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 90.0,
            "latency_ns": {
              "value": 142336.0,
              "low": 142336.0,
              "high": 142336.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 95.0,
            "latency_ns": {
              "value": 142336.0,
              "low": 142336.0,
              "high": 142336.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 99.0,
            "latency_ns": {
              "value": 144384.0,
              "low": 142336.0,
              "high": 144384.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          }
        ]
      },
      "members": [
        {
          "device": "disk0",
          "reads_per_s": 0.0,
          "writes_per_s": 7062.775113138438,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 462866029.8146407,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.9446278431129947
        }
      ],
      "breakdown": {
        "mean": [
          {
            "part": "submit",
            "time_ns": 2640.0
          },
          {
            "part": "block_cpu",
            "time_ns": 700.0
          },
          {
            "part": "device_service",
            "time_ns": 7195.404947916667
          },
          {
            "part": "link",
            "time_ns": 126552.0
          },
          {
            "part": "completion",
            "time_ns": 4500.0
          }
        ],
        "slowest": [
          {
            "part": "submit",
            "time_ns": 2640.0
          },
          {
            "part": "block_cpu",
            "time_ns": 700.0
          },
          {
            "part": "device_service",
            "time_ns": 8604.084635416666
          },
          {
            "part": "link",
            "time_ns": 126552.0
          },
          {
            "part": "completion",
            "time_ns": 4500.0
          }
        ],
        "utilisation": [
          {
            "component": "disk0",
            "busy_share": 0.9446278321751658
          },
          {
            "component": "link of disk0",
            "busy_share": 0.8972999320990542
          },
          {
            "component": "uplink",
            "busy_share": 0.0
          },
          {
            "component": "cpu of job 0",
            "busy_share": 0.04133876197055125
          }
        ]
      },
      "bottleneck": {
        "limit": "saturated",
        "resource": "links",
        "busy_share": 0.8972999320990542,
        "share": 0.8938083161178957
      },
      "findings": []
    },
    {
      "run": 0,
      "number": 5,
      "values": [
        "small",
        "randread",
        "16K",
        "16K"
      ],
      "stack": "small",
      "stack_words": "4 x samsung-850-evo-500 > raid10 n2 16K bitmap none > no filesystem",
      "chunk_bytes": 16384,
      "block_size_bytes": 16384,
      "estimates": {
        "bandwidth_bytes_per_s": {
          "value": 140861827.9111946,
          "low": 135177178.84726524,
          "high": 144011683.80924705,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "iops": {
          "value": 8597.523676220373,
          "low": 8250.560232377029,
          "high": 8789.775623122989,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_mean": {
          "value": 116312.5625,
          "low": 113768.546875,
          "high": 121203.890625,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p50": {
          "value": 115712.0,
          "low": 113152.0,
          "high": 119296.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 1.4018691588785046
        },
        "latency_ns_p99": {
          "value": 139264.0,
          "low": 136192.0,
          "high": 154624.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 3.4517374517374524
        },
        "latency_ns_p999": {
          "value": 139264.0,
          "low": 136192.0,
          "high": 154624.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 3.4517374517374524
        }
      },
      "verdicts": [],
      "warnings": [],
      "samples": [
        {
          "started_unix_ns": 1790000000004000000,
          "elapsed_ns": 7757049,
          "block": 0,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 135177178.84726524,
          "iops": 8250.560232377029,
          "latency_ns_mean": 121203.890625,
          "latency_ns_p99": 154624.0
        },
        {
          "started_unix_ns": 1790000000104000000,
          "elapsed_ns": 7403211,
          "block": 1,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 141638000.05159923,
          "iops": 8644.897464086867,
          "latency_ns_mean": 115675.171875,
          "latency_ns_p99": 138240.0
        },
        {
          "started_unix_ns": 1790000000204000000,
          "elapsed_ns": 7443262,
          "block": 2,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 140875868.67155826,
          "iops": 8598.380656223038,
          "latency_ns_mean": 116300.96875,
          "latency_ns_p99": 136192.0
        },
        {
          "started_unix_ns": 1790000000304000000,
          "elapsed_ns": 7487101,
          "block": 3,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 140051002.38396677,
          "iops": 8548.034813474535,
          "latency_ns_mean": 116985.953125,
          "latency_ns_p99": 138240.0
        },
        {
          "started_unix_ns": 1790000000404000000,
          "elapsed_ns": 7281187,
          "block": 4,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 144011683.80924705,
          "iops": 8789.775623122989,
          "latency_ns_mean": 113768.546875,
          "latency_ns_p99": 144384.0
        },
        {
          "started_unix_ns": 1790000000504000000,
          "elapsed_ns": 7444746,
          "block": 5,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 140847787.15083092,
          "iops": 8596.666696217708,
          "latency_ns_mean": 116324.15625,
          "latency_ns_p99": 140288.0
        }
      ],
      "steady": null,
      "latency": {
        "ios": 384,
        "cumulative": [
          [
            47360,
            0.0026041666666666665
          ],
          [
            47872,
            0.005208333333333333
          ],
          [
            91648,
            0.0078125
          ],
          [
            92672,
            0.010416666666666666
          ],
          [
            96768,
            0.013020833333333334
          ],
          [
            97792,
            0.018229166666666668
          ],
          [
            98816,
            0.028645833333333332
          ],
          [
            99840,
            0.046875
          ],
          [
            100864,
            0.059895833333333336
          ],
          [
            101888,
            0.0703125
          ],
          [
            102912,
            0.08072916666666667
          ],
          [
            103936,
            0.09895833333333333
          ],
          [
            104960,
            0.11979166666666667
          ],
          [
            105984,
            0.1484375
          ],
          [
            107008,
            0.17708333333333334
          ],
          [
            108032,
            0.22135416666666666
          ],
          [
            109056,
            0.2630208333333333
          ],
          [
            110080,
            0.2942708333333333
          ],
          [
            111104,
            0.3307291666666667
          ],
          [
            112128,
            0.375
          ],
          [
            113152,
            0.421875
          ],
          [
            114176,
            0.4661458333333333
          ],
          [
            115200,
            0.4895833333333333
          ],
          [
            116224,
            0.5182291666666666
          ],
          [
            117248,
            0.5494791666666666
          ],
          [
            118272,
            0.578125
          ],
          [
            119296,
            0.6328125
          ],
          [
            120320,
            0.6536458333333334
          ],
          [
            121344,
            0.6796875
          ],
          [
            122368,
            0.7239583333333334
          ],
          [
            123392,
            0.7526041666666666
          ],
          [
            124416,
            0.8046875
          ],
          [
            125440,
            0.8333333333333334
          ],
          [
            126464,
            0.8489583333333334
          ],
          [
            127488,
            0.875
          ],
          [
            128512,
            0.8828125
          ],
          [
            129536,
            0.8932291666666666
          ],
          [
            130560,
            0.9010416666666666
          ],
          [
            132096,
            0.9192708333333334
          ],
          [
            134144,
            0.9427083333333334
          ],
          [
            136192,
            0.9505208333333334
          ],
          [
            138240,
            0.9739583333333334
          ],
          [
            140288,
            0.984375
          ],
          [
            142336,
            0.9869791666666666
          ],
          [
            144384,
            0.9921875
          ],
          [
            148480,
            0.9947916666666666
          ],
          [
            152576,
            0.9973958333333334
          ],
          [
            154624,
            1.0
          ]
        ],
        "percentiles": [
          {
            "percent": 50.0,
            "latency_ns": {
              "value": 115712.0,
              "low": 113152.0,
              "high": 119296.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 1.4018691588785046
            }
          },
          {
            "percent": 90.0,
            "latency_ns": {
              "value": 129792.0,
              "low": 124416.0,
              "high": 138240.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 5.82089552238806
            }
          },
          {
            "percent": 95.0,
            "latency_ns": {
              "value": 135168.0,
              "low": 129536.0,
              "high": 144384.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          }
        ]
      },
      "members": [
        {
          "device": "disk0",
          "reads_per_s": 4284.131069776981,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 70191203.44722606,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.4654021830682394
        },
        {
          "device": "disk1",
          "reads_per_s": 0.0,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.0
        },
        {
          "device": "disk2",
          "reads_per_s": 4284.131069776981,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 70191203.44722606,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.46553762408695576
        },
        {
          "device": "disk3",
          "reads_per_s": 0.0,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.0
        }
      ],
      "breakdown": {
        "mean": [
          {
            "part": "submit",
            "time_ns": 2160.0
          },
          {
            "part": "array_cpu",
            "time_ns": 700.0
          },
          {
            "part": "block_cpu",
            "time_ns": 700.0
          },
          {
            "part": "device_service",
            "time_ns": 75960.78125
          },
          {
            "part": "link",
            "time_ns": 32689.0
          },
          {
            "part": "completion",
            "time_ns": 4500.0
          }
        ],
        "slowest": [
          {
            "part": "submit",
            "time_ns": 2160.0
          },
          {
            "part": "array_cpu",
            "time_ns": 700.0
          },
          {
            "part": "block_cpu",
            "time_ns": 700.0
          },
          {
            "part": "device_service",
            "time_ns": 100633.25
          },
          {
            "part": "link",
            "time_ns": 32689.0
          },
          {
            "part": "completion",
            "time_ns": 4500.0
          }
        ],
        "utilisation": [
          {
            "component": "disk0",
            "busy_share": 0.46534148063226866
          },
          {
            "component": "link of disk0",
            "busy_share": 0.14374155114644
          },
          {
            "component": "disk1",
            "busy_share": 0.0
          },
          {
            "component": "link of disk1",
            "busy_share": 0.0
          },
          {
            "component": "disk2",
            "busy_share": 0.46557314889887347
          },
          {
            "component": "link of disk2",
            "busy_share": 0.14082645228809834
          },
          {
            "component": "disk3",
            "busy_share": 0.0
          },
          {
            "component": "link of disk3",
            "busy_share": 0.0
          },
          {
            "component": "uplink",
            "busy_share": 0.0
          },
          {
            "component": "cpu of job 0",
            "busy_share": 0.052419381981837355
          }
        ]
      },
      "bottleneck": {
        "limit": "latency",
        "part": "device_service",
        "share": 0.6508518860753155,
        "time_ns": 75960.78125
      },
      "findings": [
        {
          "finding": "reads_favour",
          "members": [
            "disk0",
            "disk2"
          ],
          "share": 1.0,
          "even_share": 0.5,
          "rule": {
            "level": "raid10",
            "rule": "FirstIdle"
          },
          "words": "All of the reads go to disk0 and disk2 (Linux 4.1: raid10 reads from the first mirror that has nothing pending).",
          "block_size": "16K",
          "kernel": "4.1"
        },
        {
          "finding": "idle_members",
          "busy": 0.9309398071551951,
          "members": 4,
          "depth": 1,
          "words": "On average 0.93 of 4 disks have something to do: one I/O of 16K under way does not occupy more.",
          "block_size": "16K",
          "kernel": "4.1"
        }
      ]
    },
    {
      "run": 0,
      "number": 6,
      "values": [
        "small",
        "randread",
        "64K",
        "16K"
      ],
      "stack": "small",
      "stack_words": "4 x samsung-850-evo-500 > raid10 n2 16K bitmap none > no filesystem",
      "chunk_bytes": 16384,
      "block_size_bytes": 65536,
      "estimates": {
        "bandwidth_bytes_per_s": {
          "value": 497564438.36797225,
          "low": 480720317.61458975,
          "high": 503178890.7641095,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 4.956521739130435
        },
        "iops": {
          "value": 7592.23081005817,
          "low": 7335.209924539028,
          "high": 7677.900554872276,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 4.956521739130435
        },
        "latency_ns_mean": {
          "value": 131713.59375,
          "low": 130243.9375,
          "high": 136328.75,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 4.956521739130435
        },
        "latency_ns_p50": {
          "value": 131328.0,
          "low": 128512.0,
          "high": 138240.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 2.5594405594405596
        },
        "latency_ns_p99": {
          "value": 145408.0,
          "low": 142336.0,
          "high": 158720.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p999": {
          "value": 145408.0,
          "low": 142336.0,
          "high": 158720.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        }
      },
      "verdicts": [],
      "warnings": [],
      "samples": [
        {
          "started_unix_ns": 1790000000005000000,
          "elapsed_ns": 2181260,
          "block": 0,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 480720317.61458975,
          "iops": 7335.209924539028,
          "latency_ns_mean": 136328.75,
          "latency_ns_p99": 158720.0
        },
        {
          "started_unix_ns": 1790000000105000000,
          "elapsed_ns": 2107275,
          "block": 1,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 497598082.8320936,
          "iops": 7592.744183839319,
          "latency_ns_mean": 131704.6875,
          "latency_ns_p99": 142336.0
        },
        {
          "started_unix_ns": 1790000000205000000,
          "elapsed_ns": 2107560,
          "block": 2,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 497530793.90385085,
          "iops": 7591.717436277021,
          "latency_ns_mean": 131722.5,
          "latency_ns_p99": 146432.0
        },
        {
          "started_unix_ns": 1790000000305000000,
          "elapsed_ns": 2083903,
          "block": 3,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 503178890.7641095,
          "iops": 7677.900554872276,
          "latency_ns_mean": 130243.9375,
          "latency_ns_p99": 142336.0
        },
        {
          "started_unix_ns": 1790000000405000000,
          "elapsed_ns": 2103995,
          "block": 4,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 498373807.92254734,
          "iops": 7604.580809365041,
          "latency_ns_mean": 131499.6875,
          "latency_ns_p99": 148480.0
        },
        {
          "started_unix_ns": 1790000000505000000,
          "elapsed_ns": 2121432,
          "block": 5,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 494277450.32600623,
          "iops": 7542.075352874851,
          "latency_ns_mean": 132589.5,
          "latency_ns_p99": 144384.0
        }
      ],
      "steady": null,
      "latency": {
        "ios": 96,
        "cumulative": [
          [
            116224,
            0.010416666666666666
          ],
          [
            119296,
            0.03125
          ],
          [
            120320,
            0.041666666666666664
          ],
          [
            121344,
            0.0625
          ],
          [
            122368,
            0.10416666666666667
          ],
          [
            123392,
            0.125
          ],
          [
            124416,
            0.16666666666666666
          ],
          [
            125440,
            0.21875
          ],
          [
            126464,
            0.2604166666666667
          ],
          [
            127488,
            0.2916666666666667
          ],
          [
            128512,
            0.3541666666666667
          ],
          [
            129536,
            0.4166666666666667
          ],
          [
            130560,
            0.46875
          ],
          [
            132096,
            0.59375
          ],
          [
            134144,
            0.6770833333333334
          ],
          [
            136192,
            0.71875
          ],
          [
            138240,
            0.7916666666666666
          ],
          [
            140288,
            0.8541666666666666
          ],
          [
            142336,
            0.9166666666666666
          ],
          [
            144384,
            0.9583333333333334
          ],
          [
            146432,
            0.9791666666666666
          ],
          [
            148480,
            0.9895833333333334
          ],
          [
            158720,
            1.0
          ]
        ],
        "percentiles": [
          {
            "percent": 50.0,
            "latency_ns": {
              "value": 131328.0,
              "low": 128512.0,
              "high": 138240.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 2.5594405594405596
            }
          },
          {
            "percent": 90.0,
            "latency_ns": {
              "value": 143360.0,
              "low": 138240.0,
              "high": 146432.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 3.4517374517374524
            }
          }
        ]
      },
      "members": [
        {
          "device": "disk0",
          "reads_per_s": 7555.827530365966,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 123794678.25751598,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.8304109465051346
        },
        {
          "device": "disk1",
          "reads_per_s": 7555.827530365966,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 123794678.25751598,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.8251065194592074
        },
        {
          "device": "disk2",
          "reads_per_s": 7555.827530365966,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 123794678.25751598,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.8330624910225356
        },
        {
          "device": "disk3",
          "reads_per_s": 7555.827530365966,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 123794678.25751598,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.8097751157478007
        }
      ],
      "breakdown": {
        "mean": [
          {
            "part": "submit",
            "time_ns": 2640.0
          },
          {
            "part": "array_cpu",
            "time_ns": 2800.0
          },
          {
            "part": "block_cpu",
            "time_ns": 2800.0
          },
          {
            "part": "device_service",
            "time_ns": 76443.45833333333
          },
          {
            "part": "link",
            "time_ns": 32689.0
          },
          {
            "part": "slowest_member",
            "time_ns": 9969.96875
          },
          {
            "part": "completion",
            "time_ns": 5005.75
          }
        ],
        "slowest": [
          {
            "part": "submit",
            "time_ns": 2640.0
          },
          {
            "part": "array_cpu",
            "time_ns": 2800.0
          },
          {
            "part": "block_cpu",
            "time_ns": 2800.0
          },
          {
            "part": "device_service",
            "time_ns": 81842.22222222222
          },
          {
            "part": "link",
            "time_ns": 32689.0
          },
          {
            "part": "slowest_member",
            "time_ns": 19723.944444444445
          },
          {
            "part": "completion",
            "time_ns": 4500.0
          }
        ],
        "utilisation": [
          {
            "component": "disk0",
            "busy_share": 0.8303087063241424
          },
          {
            "component": "link of disk0",
            "busy_share": 0.26248309500032935
          },
          {
            "component": "disk1",
            "busy_share": 0.8252472866267379
          },
          {
            "component": "link of disk1",
            "busy_share": 0.26248309500032935
          },
          {
            "component": "disk2",
            "busy_share": 0.8330626819504099
          },
          {
            "component": "link of disk2",
            "busy_share": 0.26248309500032935
          },
          {
            "component": "disk3",
            "busy_share": 0.8099802864674562
          },
          {
            "component": "link of disk3",
            "busy_share": 0.26248309500032935
          },
          {
            "component": "uplink",
            "busy_share": 0.0
          },
          {
            "component": "cpu of job 0",
            "busy_share": 0.14173850017490836
          }
        ]
      },
      "bottleneck": {
        "limit": "latency",
        "part": "device_service",
        "share": 0.5775935869913836,
        "time_ns": 76443.45833333333
      },
      "findings": [
        {
          "finding": "slowest_member",
          "share": 0.07533136435813836,
          "requests_per_io": 4.0,
          "words": "An I/O becomes 4.00 requests and waits for the slowest of them: 8 % of its time.",
          "block_size": "64K",
          "kernel": "4.1"
        },
        {
          "finding": "split",
          "pieces_per_io": 4.0,
          "piece_bytes": 16384.0,
          "words": "Chunks cut each I/O of 64K into 4.00 requests of 16.0 KiB on average.",
          "block_size": "64K",
          "kernel": "4.1"
        }
      ]
    },
    {
      "run": 0,
      "number": 7,
      "values": [
        "small",
        "randwrite",
        "16K",
        "16K"
      ],
      "stack": "small",
      "stack_words": "4 x samsung-850-evo-500 > raid10 n2 16K bitmap none > no filesystem",
      "chunk_bytes": 16384,
      "block_size_bytes": 16384,
      "estimates": {
        "bandwidth_bytes_per_s": {
          "value": 316204589.78700125,
          "low": 315984904.94169396,
          "high": 316810886.74861914,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "iops": {
          "value": 19299.596544616776,
          "low": 19286.188045757688,
          "high": 19336.601974403024,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_mean": {
          "value": 51814.5546875,
          "low": 51715.39453125,
          "high": 51850.578125,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p50": {
          "value": 51968.0,
          "low": 51456.0,
          "high": 51968.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p99": {
          "value": 53248.0,
          "low": 52992.0,
          "high": 53504.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p999": {
          "value": 53504.0,
          "low": 53504.0,
          "high": 54016.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        }
      },
      "verdicts": [],
      "warnings": [],
      "samples": [
        {
          "started_unix_ns": 1790000000006000000,
          "elapsed_ns": 13264853,
          "block": 0,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 316196794.6422022,
          "iops": 19299.120766735974,
          "latency_ns_mean": 51815.83203125,
          "latency_ns_p99": 52992.0
        },
        {
          "started_unix_ns": 1790000000106000000,
          "elapsed_ns": 13264199,
          "block": 1,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 316212384.93180025,
          "iops": 19300.072322497574,
          "latency_ns_mean": 51813.27734375,
          "latency_ns_p99": 53504.0
        },
        {
          "started_unix_ns": 1790000000206000000,
          "elapsed_ns": 13239141,
          "block": 2,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 316810886.74861914,
          "iops": 19336.601974403024,
          "latency_ns_mean": 51715.39453125,
          "latency_ns_p99": 52992.0
        },
        {
          "started_unix_ns": 1790000000306000000,
          "elapsed_ns": 13273748,
          "block": 3,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 315984904.94169396,
          "iops": 19286.188045757688,
          "latency_ns_mean": 51850.578125,
          "latency_ns_p99": 52992.0
        },
        {
          "started_unix_ns": 1790000000406000000,
          "elapsed_ns": 13264083,
          "block": 4,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 316215150.34247,
          "iops": 19300.241109769897,
          "latency_ns_mean": 51812.82421875,
          "latency_ns_p99": 53504.0
        },
        {
          "started_unix_ns": 1790000000506000000,
          "elapsed_ns": 13265117,
          "block": 5,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 316190501.7498149,
          "iops": 19298.736679065853,
          "latency_ns_mean": 51816.86328125,
          "latency_ns_p99": 53504.0
        }
      ],
      "steady": null,
      "latency": {
        "ios": 1536,
        "cumulative": [
          [
            50432,
            0.01953125
          ],
          [
            50944,
            0.15299479166666666
          ],
          [
            51456,
            0.4446614583333333
          ],
          [
            51968,
            0.7799479166666666
          ],
          [
            52480,
            0.9485677083333334
          ],
          [
            52992,
            0.9889322916666666
          ],
          [
            53504,
            0.9993489583333334
          ],
          [
            54016,
            1.0
          ]
        ],
        "percentiles": [
          {
            "percent": 50.0,
            "latency_ns": {
              "value": 51968.0,
              "low": 51456.0,
              "high": 51968.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 90.0,
            "latency_ns": {
              "value": 52480.0,
              "low": 52480.0,
              "high": 52480.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 95.0,
            "latency_ns": {
              "value": 52736.0,
              "low": 52480.0,
              "high": 52992.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 99.0,
            "latency_ns": {
              "value": 53248.0,
              "low": 52992.0,
              "high": 53504.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          }
        ]
      },
      "members": [
        {
          "device": "disk0",
          "reads_per_s": 0.0,
          "writes_per_s": 9614.038335833338,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 157516404.09429342,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.39440726380937524
        },
        {
          "device": "disk1",
          "reads_per_s": 0.0,
          "writes_per_s": 9614.038335833338,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 157516404.09429342,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.39339144326207404
        },
        {
          "device": "disk2",
          "reads_per_s": 0.0,
          "writes_per_s": 9689.442558075169,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 158751826.87150356,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.39704702738898756
        },
        {
          "device": "disk3",
          "reads_per_s": 0.0,
          "writes_per_s": 9689.442558075169,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 158751826.87150356,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.397128200034231
        }
      ],
      "breakdown": {
        "mean": [
          {
            "part": "submit",
            "time_ns": 2160.0
          },
          {
            "part": "array_cpu",
            "time_ns": 700.0
          },
          {
            "part": "block_cpu",
            "time_ns": 1400.0
          },
          {
            "part": "device_service",
            "time_ns": 7163.139322916667
          },
          {
            "part": "link",
            "time_ns": 33813.0
          },
          {
            "part": "slowest_member",
            "time_ns": 443.384765625
          },
          {
            "part": "completion",
            "time_ns": 6124.604166666667
          }
        ],
        "slowest": [
          {
            "part": "submit",
            "time_ns": 2160.0
          },
          {
            "part": "array_cpu",
            "time_ns": 700.0
          },
          {
            "part": "block_cpu",
            "time_ns": 1400.0
          },
          {
            "part": "device_service",
            "time_ns": 8161.94149800271
          },
          {
            "part": "link",
            "time_ns": 33813.0
          },
          {
            "part": "slowest_member",
            "time_ns": 260.86816007104596
          },
          {
            "part": "completion",
            "time_ns": 6488.268562863742
          }
        ],
        "utilisation": [
          {
            "component": "disk0",
            "busy_share": 0.3944008348618393
          },
          {
            "component": "link of disk0",
            "busy_share": 0.3254989652089621
          },
          {
            "component": "disk1",
            "busy_share": 0.3933848667040402
          },
          {
            "component": "link of disk1",
            "busy_share": 0.3254989652089621
          },
          {
            "component": "disk2",
            "busy_share": 0.3970536583753423
          },
          {
            "component": "link of disk2",
            "busy_share": 0.3297597045624739
          },
          {
            "component": "disk3",
            "busy_share": 0.3971350966300697
          },
          {
            "component": "link of disk3",
            "busy_share": 0.3297597045624739
          },
          {
            "component": "uplink",
            "busy_share": 0.0
          },
          {
            "component": "cpu of job 0",
            "busy_share": 0.1790715718491762
          }
        ]
      },
      "bottleneck": {
        "limit": "latency",
        "part": "link",
        "share": 0.6527085994657283,
        "time_ns": 33813.0
      },
      "findings": [
        {
          "finding": "idle_members",
          "busy": 1.581973934494668,
          "members": 4,
          "depth": 1,
          "words": "On average 1.58 of 4 disks have something to do: one I/O of 16K under way does not occupy more.",
          "block_size": "16K",
          "kernel": "4.1"
        },
        {
          "finding": "cpu",
          "share": 0.2004590081220527,
          "requests_per_io": 2.0,
          "words": "The CPU takes 20 % of each I/O, which is 2.00 requests at the disks.",
          "block_size": "16K",
          "kernel": "4.1"
        },
        {
          "finding": "copies",
          "copies": 2.0,
          "words": "Each byte is written 2.00 times.",
          "block_size": "16K",
          "kernel": "4.1"
        }
      ]
    },
    {
      "run": 0,
      "number": 8,
      "values": [
        "small",
        "randwrite",
        "64K",
        "16K"
      ],
      "stack": "small",
      "stack_words": "4 x samsung-850-evo-500 > raid10 n2 16K bitmap none > no filesystem",
      "chunk_bytes": 16384,
      "block_size_bytes": 65536,
      "estimates": {
        "bandwidth_bytes_per_s": {
          "value": 696042896.6108907,
          "low": 695621484.6213118,
          "high": 696368256.144,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "iops": {
          "value": 10620.771737837078,
          "low": 10614.341501179684,
          "high": 10625.736330322266,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_mean": {
          "value": 94155.1171875,
          "low": 94111.125,
          "high": 94212.15625,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p50": {
          "value": 93696.0,
          "low": 93696.0,
          "high": 94720.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p99": {
          "value": 94720.0,
          "low": 94720.0,
          "high": 95744.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p999": {
          "value": 95744.0,
          "low": 95744.0,
          "high": 95744.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        }
      },
      "verdicts": [],
      "warnings": [],
      "samples": [
        {
          "started_unix_ns": 1790000000007000000,
          "elapsed_ns": 24105811,
          "block": 0,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 695982226.0284045,
          "iops": 10619.845978216621,
          "latency_ns_mean": 94163.32421875,
          "latency_ns_p99": 94720.0
        },
        {
          "started_unix_ns": 1790000000107000000,
          "elapsed_ns": 24100892,
          "block": 1,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 696124276.230108,
          "iops": 10622.013492280701,
          "latency_ns_mean": 94144.109375,
          "latency_ns_p99": 95744.0
        },
        {
          "started_unix_ns": 1790000000207000000,
          "elapsed_ns": 24092448,
          "block": 2,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 696368256.144,
          "iops": 10625.736330322266,
          "latency_ns_mean": 94111.125,
          "latency_ns_p99": 94720.0
        },
        {
          "started_unix_ns": 1790000000307000000,
          "elapsed_ns": 24118312,
          "block": 3,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 695621484.6213118,
          "iops": 10614.341501179684,
          "latency_ns_mean": 94212.15625,
          "latency_ns_p99": 95744.0
        },
        {
          "started_unix_ns": 1790000000407000000,
          "elapsed_ns": 24101609,
          "block": 4,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 696103567.193377,
          "iops": 10621.697497457535,
          "latency_ns_mean": 94146.91015625,
          "latency_ns_p99": 94720.0
        },
        {
          "started_unix_ns": 1790000000507000000,
          "elapsed_ns": 24110694,
          "block": 5,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 695841272.756396,
          "iops": 10617.695201971375,
          "latency_ns_mean": 94182.3984375,
          "latency_ns_p99": 94720.0
        }
      ],
      "steady": null,
      "latency": {
        "ios": 1536,
        "cumulative": [
          [
            92672,
            0.021484375
          ],
          [
            93696,
            0.5442708333333334
          ],
          [
            94720,
            0.9895833333333334
          ],
          [
            95744,
            1.0
          ]
        ],
        "percentiles": [
          {
            "percent": 50.0,
            "latency_ns": {
              "value": 93696.0,
              "low": 93696.0,
              "high": 94720.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 90.0,
            "latency_ns": {
              "value": 94720.0,
              "low": 94720.0,
              "high": 94720.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 95.0,
            "latency_ns": {
              "value": 94720.0,
              "low": 94720.0,
              "high": 94720.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 99.0,
            "latency_ns": {
              "value": 94720.0,
              "low": 94720.0,
              "high": 95744.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          }
        ]
      },
      "members": [
        {
          "device": "disk0",
          "reads_per_s": 0.0,
          "writes_per_s": 10620.22046001236,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 348003384.033685,
          "merges_per_s": 10661.705696184285,
          "flushes_per_s": 0.0,
          "busy_share": 0.7638731849984464
        },
        {
          "device": "disk1",
          "reads_per_s": 0.0,
          "writes_per_s": 10620.22046001236,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 348003384.033685,
          "merges_per_s": 10661.705696184285,
          "flushes_per_s": 0.0,
          "busy_share": 0.7634710962610559
        },
        {
          "device": "disk2",
          "reads_per_s": 0.0,
          "writes_per_s": 10620.22046001236,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 348003384.033685,
          "merges_per_s": 10661.705696184285,
          "flushes_per_s": 0.0,
          "busy_share": 0.7635898823206283
        },
        {
          "device": "disk3",
          "reads_per_s": 0.0,
          "writes_per_s": 10620.22046001236,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 348003384.033685,
          "merges_per_s": 10661.705696184285,
          "flushes_per_s": 0.0,
          "busy_share": 0.7637149257366566
        }
      ],
      "breakdown": {
        "mean": [
          {
            "part": "submit",
            "time_ns": 2640.0
          },
          {
            "part": "array_cpu",
            "time_ns": 2800.0
          },
          {
            "part": "block_cpu",
            "time_ns": 5600.0
          },
          {
            "part": "device_service",
            "time_ns": 7180.061197916667
          },
          {
            "part": "link",
            "time_ns": 64726.0
          },
          {
            "part": "slowest_member",
            "time_ns": 849.9993489583334
          },
          {
            "part": "completion",
            "time_ns": 10363.943359375
          }
        ],
        "slowest": [
          {
            "part": "submit",
            "time_ns": 2640.0
          },
          {
            "part": "array_cpu",
            "time_ns": 2800.0
          },
          {
            "part": "block_cpu",
            "time_ns": 5600.0
          },
          {
            "part": "device_service",
            "time_ns": 7408.362550269168
          },
          {
            "part": "link",
            "time_ns": 64726.0
          },
          {
            "part": "slowest_member",
            "time_ns": 711.2053755992366
          },
          {
            "part": "completion",
            "time_ns": 10696.663305173566
          }
        ],
        "utilisation": [
          {
            "component": "disk0",
            "busy_share": 0.7638732281943138
          },
          {
            "component": "link of disk0",
            "busy_share": 0.6900896413136831
          },
          {
            "component": "disk1",
            "busy_share": 0.7634711128987816
          },
          {
            "component": "link of disk1",
            "busy_share": 0.6900896413136831
          },
          {
            "component": "disk2",
            "busy_share": 0.7635899427092672
          },
          {
            "component": "link of disk2",
            "busy_share": 0.6900896413136831
          },
          {
            "component": "disk3",
            "busy_share": 0.7637150369591783
          },
          {
            "component": "link of disk3",
            "busy_share": 0.6900896413136831
          },
          {
            "component": "uplink",
            "busy_share": 0.0
          },
          {
            "component": "cpu of job 0",
            "busy_share": 0.2239074609310601
          }
        ]
      },
      "bottleneck": {
        "limit": "latency",
        "part": "link",
        "share": 0.68740438949476,
        "time_ns": 64726.0
      },
      "findings": [
        {
          "finding": "cpu",
          "share": 0.22731459719018007,
          "requests_per_io": 4.0,
          "words": "The CPU takes 23 % of each I/O, which is 4.00 requests at the disks.",
          "block_size": "64K",
          "kernel": "4.1"
        },
        {
          "finding": "split",
          "pieces_per_io": 2.0,
          "piece_bytes": 32768.0,
          "words": "Chunks cut each I/O of 64K into 2.00 requests of 32.0 KiB on average.",
          "block_size": "64K",
          "kernel": "4.1"
        },
        {
          "finding": "copies",
          "copies": 2.0,
          "words": "Each byte is written 2.00 times.",
          "block_size": "64K",
          "kernel": "4.1"
        }
      ]
    },
    {
      "run": 0,
      "number": 9,
      "values": [
        "large",
        "randread",
        "16K",
        "512K"
      ],
      "stack": "large",
      "stack_words": "4 x samsung-850-evo-500 > raid10 n2 512K bitmap none > no filesystem",
      "chunk_bytes": 524288,
      "block_size_bytes": 16384,
      "estimates": {
        "bandwidth_bytes_per_s": {
          "value": 142133932.74824378,
          "low": 140348491.43333942,
          "high": 144440431.35313448,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "iops": {
          "value": 8675.166793716051,
          "low": 8566.192104085658,
          "high": 8815.944296455962,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_mean": {
          "value": 115271.859375,
          "low": 113430.84375,
          "high": 116737.984375,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p50": {
          "value": 115712.0,
          "low": 115200.0,
          "high": 117248.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p99": {
          "value": 141312.0,
          "low": 134144.0,
          "high": 148480.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p999": {
          "value": 141312.0,
          "low": 134144.0,
          "high": 148480.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        }
      },
      "verdicts": [
        {
          "metric": "bandwidth_bytes_per_s",
          "baseline": 4,
          "paired": true,
          "ratio": {
            "value": 1.0097215073617503,
            "low": 0.9964550687831751,
            "high": 1.0426398986211496,
            "level": 0.95,
            "samples": 6,
            "effective_samples": 6.0
          },
          "verdict": "no_difference",
          "margin": 0.05,
          "words": "no difference above 5 %",
          "pairs": [
            [
              135177178.84726524,
              140941120.0492055
            ],
            [
              141638000.05159923,
              141904453.86646387
            ],
            [
              140875868.67155826,
              143272122.70036557
            ],
            [
              140051002.38396677,
              142363411.6300237
            ],
            [
              144011683.80924705,
              144440431.35313448
            ],
            [
              140847787.15083092,
              140348491.43333942
            ]
          ]
        }
      ],
      "warnings": [],
      "samples": [
        {
          "started_unix_ns": 1790000000008000000,
          "elapsed_ns": 7439816,
          "block": 0,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 140941120.0492055,
          "iops": 8602.363284253266,
          "latency_ns_mean": 116247.125,
          "latency_ns_p99": 140288.0
        },
        {
          "started_unix_ns": 1790000000108000000,
          "elapsed_ns": 7389310,
          "block": 1,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 141904453.86646387,
          "iops": 8661.160514310539,
          "latency_ns_mean": 115457.96875,
          "latency_ns_p99": 142336.0
        },
        {
          "started_unix_ns": 1790000000208000000,
          "elapsed_ns": 7318772,
          "block": 2,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 143272122.70036557,
          "iops": 8744.636395285985,
          "latency_ns_mean": 114355.8125,
          "latency_ns_p99": 144384.0
        },
        {
          "started_unix_ns": 1790000000308000000,
          "elapsed_ns": 7365488,
          "block": 3,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 142363411.6300237,
          "iops": 8689.173073121563,
          "latency_ns_mean": 115085.75,
          "latency_ns_p99": 134144.0
        },
        {
          "started_unix_ns": 1790000000408000000,
          "elapsed_ns": 7259574,
          "block": 4,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 144440431.35313448,
          "iops": 8815.944296455962,
          "latency_ns_mean": 113430.84375,
          "latency_ns_p99": 140288.0
        },
        {
          "started_unix_ns": 1790000000508000000,
          "elapsed_ns": 7471231,
          "block": 5,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 140348491.43333942,
          "iops": 8566.192104085658,
          "latency_ns_mean": 116737.984375,
          "latency_ns_p99": 148480.0
        }
      ],
      "steady": null,
      "latency": {
        "ios": 384,
        "cumulative": [
          [
            46848,
            0.0026041666666666665
          ],
          [
            47360,
            0.005208333333333333
          ],
          [
            47872,
            0.0078125
          ],
          [
            48384,
            0.010416666666666666
          ],
          [
            48896,
            0.013020833333333334
          ],
          [
            49408,
            0.015625
          ],
          [
            51968,
            0.018229166666666668
          ],
          [
            92672,
            0.020833333333333332
          ],
          [
            93696,
            0.0234375
          ],
          [
            96768,
            0.03125
          ],
          [
            97792,
            0.036458333333333336
          ],
          [
            98816,
            0.041666666666666664
          ],
          [
            99840,
            0.046875
          ],
          [
            100864,
            0.0546875
          ],
          [
            101888,
            0.078125
          ],
          [
            102912,
            0.09895833333333333
          ],
          [
            103936,
            0.13020833333333334
          ],
          [
            104960,
            0.15364583333333334
          ],
          [
            105984,
            0.1796875
          ],
          [
            107008,
            0.19791666666666666
          ],
          [
            108032,
            0.23177083333333334
          ],
          [
            109056,
            0.2734375
          ],
          [
            110080,
            0.3098958333333333
          ],
          [
            111104,
            0.3463541666666667
          ],
          [
            112128,
            0.3802083333333333
          ],
          [
            113152,
            0.4296875
          ],
          [
            114176,
            0.4557291666666667
          ],
          [
            115200,
            0.4921875
          ],
          [
            116224,
            0.5234375
          ],
          [
            117248,
            0.578125
          ],
          [
            118272,
            0.6119791666666666
          ],
          [
            119296,
            0.6458333333333334
          ],
          [
            120320,
            0.6822916666666666
          ],
          [
            121344,
            0.7239583333333334
          ],
          [
            122368,
            0.7578125
          ],
          [
            123392,
            0.78125
          ],
          [
            124416,
            0.8125
          ],
          [
            125440,
            0.8411458333333334
          ],
          [
            126464,
            0.8619791666666666
          ],
          [
            127488,
            0.8802083333333334
          ],
          [
            128512,
            0.9036458333333334
          ],
          [
            129536,
            0.921875
          ],
          [
            130560,
            0.9270833333333334
          ],
          [
            132096,
            0.9479166666666666
          ],
          [
            134144,
            0.9635416666666666
          ],
          [
            136192,
            0.9739583333333334
          ],
          [
            138240,
            0.9869791666666666
          ],
          [
            140288,
            0.9921875
          ],
          [
            142336,
            0.9947916666666666
          ],
          [
            144384,
            0.9973958333333334
          ],
          [
            148480,
            1.0
          ]
        ],
        "percentiles": [
          {
            "percent": 50.0,
            "latency_ns": {
              "value": 115712.0,
              "low": 115200.0,
              "high": 117248.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 90.0,
            "latency_ns": {
              "value": 128512.0,
              "low": 127488.0,
              "high": 129536.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 95.0,
            "latency_ns": {
              "value": 133120.0,
              "low": 129536.0,
              "high": 136192.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          }
        ]
      },
      "members": [
        {
          "device": "disk0",
          "reads_per_s": 4429.960082217347,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 72580465.98704901,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.47578688917602757
        },
        {
          "device": "disk1",
          "reads_per_s": 0.0,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.0
        },
        {
          "device": "disk2",
          "reads_per_s": 4249.145384983985,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 69617997.98757762,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.4542595207583296
        },
        {
          "device": "disk3",
          "reads_per_s": 0.0,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.0
        }
      ],
      "breakdown": {
        "mean": [
          {
            "part": "submit",
            "time_ns": 2160.0
          },
          {
            "part": "array_cpu",
            "time_ns": 700.0
          },
          {
            "part": "block_cpu",
            "time_ns": 700.0
          },
          {
            "part": "device_service",
            "time_ns": 74470.24739583333
          },
          {
            "part": "link",
            "time_ns": 32689.0
          },
          {
            "part": "completion",
            "time_ns": 4500.0
          }
        ],
        "slowest": [
          {
            "part": "submit",
            "time_ns": 2160.0
          },
          {
            "part": "array_cpu",
            "time_ns": 700.0
          },
          {
            "part": "block_cpu",
            "time_ns": 700.0
          },
          {
            "part": "device_service",
            "time_ns": 100853.08333333333
          },
          {
            "part": "link",
            "time_ns": 32689.0
          },
          {
            "part": "completion",
            "time_ns": 4500.0
          }
        ],
        "utilisation": [
          {
            "component": "disk0",
            "busy_share": 0.47608251059402623
          },
          {
            "component": "link of disk0",
            "busy_share": 0.14639328767726728
          },
          {
            "component": "disk1",
            "busy_share": 0.0
          },
          {
            "component": "link of disk1",
            "busy_share": 0.0
          },
          {
            "component": "disk2",
            "busy_share": 0.45395740181928135
          },
          {
            "component": "link of disk2",
            "busy_share": 0.14177774346202063
          },
          {
            "component": "disk3",
            "busy_share": 0.0
          },
          {
            "component": "link of disk3",
            "busy_share": 0.0
          },
          {
            "component": "uplink",
            "busy_share": 0.0
          },
          {
            "component": "cpu of job 0",
            "busy_share": 0.05308308444756401
          }
        ]
      },
      "bottleneck": {
        "limit": "latency",
        "part": "device_service",
        "share": 0.6463351313170129,
        "time_ns": 74470.24739583333
      },
      "findings": [
        {
          "finding": "reads_favour",
          "members": [
            "disk0",
            "disk2"
          ],
          "share": 1.0,
          "even_share": 0.5,
          "rule": {
            "level": "raid10",
            "rule": "FirstIdle"
          },
          "words": "All of the reads go to disk0 and disk2 (Linux 4.1: raid10 reads from the first mirror that has nothing pending).",
          "block_size": "16K",
          "kernel": "4.1"
        },
        {
          "finding": "idle_members",
          "busy": 0.9300464099343572,
          "members": 4,
          "depth": 1,
          "words": "On average 0.93 of 4 disks have something to do: one I/O of 16K under way does not occupy more.",
          "block_size": "16K",
          "kernel": "4.1"
        }
      ]
    },
    {
      "run": 0,
      "number": 10,
      "values": [
        "large",
        "randread",
        "64K",
        "512K"
      ],
      "stack": "large",
      "stack_words": "4 x samsung-850-evo-500 > raid10 n2 512K bitmap none > no filesystem",
      "chunk_bytes": 524288,
      "block_size_bytes": 65536,
      "estimates": {
        "bandwidth_bytes_per_s": {
          "value": 314902100.358222,
          "low": 312188081.1001979,
          "high": 317448918.9505842,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "iops": {
          "value": 4805.024724704315,
          "low": 4763.612077334563,
          "high": 4843.886092385623,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_mean": {
          "value": 208119.625,
          "low": 206445.8125,
          "high": 209924.734375,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p50": {
          "value": 209920.0,
          "low": 207872.0,
          "high": 211968.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 4.285714285714286
        },
        "latency_ns_p99": {
          "value": 238592.0,
          "low": 228352.0,
          "high": 248832.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p999": {
          "value": 238592.0,
          "low": 228352.0,
          "high": 248832.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        }
      },
      "verdicts": [
        {
          "metric": "bandwidth_bytes_per_s",
          "baseline": 5,
          "paired": true,
          "ratio": {
            "value": 0.6315650022628745,
            "low": 0.6264134995407215,
            "high": 0.6603609361173167,
            "level": 0.95,
            "samples": 6,
            "effective_samples": 5.25
          },
          "verdict": "different",
          "low": 0.6264134995407215,
          "high": 0.6603609361173167,
          "words": "34 to 37 % slower",
          "pairs": [
            [
              480720317.61458975,
              317448918.9505842
            ],
            [
              497598082.8320936,
              312934805.348365
            ],
            [
              497530793.90385085,
              316308392.05491513
            ],
            [
              503178890.7641095,
              316329671.2695055
            ],
            [
              498373807.92254734,
              312188081.1001979
            ],
            [
              494277450.32600623,
              313495808.66152894
            ]
          ]
        }
      ],
      "warnings": [],
      "samples": [
        {
          "started_unix_ns": 1790000000009000000,
          "elapsed_ns": 13212532,
          "block": 0,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 317448918.9505842,
          "iops": 4843.886092385623,
          "latency_ns_mean": 206445.8125,
          "latency_ns_p99": 234496.0
        },
        {
          "started_unix_ns": 1790000000109000000,
          "elapsed_ns": 13403124,
          "block": 1,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 312934805.348365,
          "iops": 4775.0061851251985,
          "latency_ns_mean": 209423.8125,
          "latency_ns_p99": 236544.0
        },
        {
          "started_unix_ns": 1790000000209000000,
          "elapsed_ns": 13260173,
          "block": 2,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 316308392.05491513,
          "iops": 4826.483033064501,
          "latency_ns_mean": 207190.203125,
          "latency_ns_p99": 240640.0
        },
        {
          "started_unix_ns": 1790000000309000000,
          "elapsed_ns": 13259281,
          "block": 3,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 316329671.2695055,
          "iops": 4826.807728111351,
          "latency_ns_mean": 207176.265625,
          "latency_ns_p99": 228352.0
        },
        {
          "started_unix_ns": 1790000000409000000,
          "elapsed_ns": 13435183,
          "block": 4,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 312188081.1001979,
          "iops": 4763.612077334563,
          "latency_ns_mean": 209924.734375,
          "latency_ns_p99": 248832.0
        },
        {
          "started_unix_ns": 1790000000509000000,
          "elapsed_ns": 13379139,
          "block": 5,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 313495808.66152894,
          "iops": 4783.566416344131,
          "latency_ns_mean": 209049.046875,
          "latency_ns_p99": 244736.0
        }
      ],
      "steady": null,
      "latency": {
        "ios": 384,
        "cumulative": [
          [
            136192,
            0.013020833333333334
          ],
          [
            138240,
            0.028645833333333332
          ],
          [
            140288,
            0.033854166666666664
          ],
          [
            185344,
            0.036458333333333336
          ],
          [
            187392,
            0.0390625
          ],
          [
            189440,
            0.046875
          ],
          [
            191488,
            0.0546875
          ],
          [
            193536,
            0.0703125
          ],
          [
            195584,
            0.1171875
          ],
          [
            197632,
            0.15885416666666666
          ],
          [
            199680,
            0.1953125
          ],
          [
            201728,
            0.2604166666666667
          ],
          [
            203776,
            0.3333333333333333
          ],
          [
            205824,
            0.3984375
          ],
          [
            207872,
            0.4609375
          ],
          [
            209920,
            0.5364583333333334
          ],
          [
            211968,
            0.625
          ],
          [
            214016,
            0.6927083333333334
          ],
          [
            216064,
            0.7552083333333334
          ],
          [
            218112,
            0.8072916666666666
          ],
          [
            220160,
            0.8567708333333334
          ],
          [
            222208,
            0.9010416666666666
          ],
          [
            224256,
            0.9244791666666666
          ],
          [
            226304,
            0.9348958333333334
          ],
          [
            228352,
            0.9557291666666666
          ],
          [
            230400,
            0.9661458333333334
          ],
          [
            232448,
            0.9739583333333334
          ],
          [
            234496,
            0.984375
          ],
          [
            236544,
            0.9895833333333334
          ],
          [
            240640,
            0.9921875
          ],
          [
            242688,
            0.9947916666666666
          ],
          [
            244736,
            0.9973958333333334
          ],
          [
            248832,
            1.0
          ]
        ],
        "percentiles": [
          {
            "percent": 50.0,
            "latency_ns": {
              "value": 209920.0,
              "low": 207872.0,
              "high": 211968.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 4.285714285714286
            }
          },
          {
            "percent": 90.0,
            "latency_ns": {
              "value": 222208.0,
              "low": 222208.0,
              "high": 228352.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 95.0,
            "latency_ns": {
              "value": 228352.0,
              "low": 224256.0,
              "high": 234496.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          }
        ]
      },
      "members": [
        {
          "device": "disk0",
          "reads_per_s": 2176.375687071798,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 142630957.02793735,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.4332377996131354
        },
        {
          "device": "disk1",
          "reads_per_s": 0.0,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.0
        },
        {
          "device": "disk2",
          "reads_per_s": 2626.6603119832043,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 172140810.20613128,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.5257442729549349
        },
        {
          "device": "disk3",
          "reads_per_s": 0.0,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.0
        }
      ],
      "breakdown": {
        "mean": [
          {
            "part": "submit",
            "time_ns": 2640.0
          },
          {
            "part": "array_cpu",
            "time_ns": 700.0
          },
          {
            "part": "block_cpu",
            "time_ns": 700.0
          },
          {
            "part": "device_service",
            "time_ns": 77605.64583333333
          },
          {
            "part": "link",
            "time_ns": 122056.0
          },
          {
            "part": "completion",
            "time_ns": 4500.0
          }
        ],
        "slowest": [
          {
            "part": "submit",
            "time_ns": 2640.0
          },
          {
            "part": "array_cpu",
            "time_ns": 700.0
          },
          {
            "part": "block_cpu",
            "time_ns": 700.0
          },
          {
            "part": "device_service",
            "time_ns": 108369.08333333333
          },
          {
            "part": "link",
            "time_ns": 122056.0
          },
          {
            "part": "completion",
            "time_ns": 4500.0
          }
        ],
        "utilisation": [
          {
            "component": "disk0",
            "busy_share": 0.4330372352305139
          },
          {
            "component": "link of disk0",
            "busy_share": 0.2701118066623384
          },
          {
            "component": "disk1",
            "busy_share": 0.0
          },
          {
            "component": "link of disk1",
            "busy_share": 0.0
          },
          {
            "component": "disk2",
            "busy_share": 0.5259432068550861
          },
          {
            "component": "link of disk2",
            "busy_share": 0.32531121268046154
          },
          {
            "component": "disk3",
            "busy_share": 0.0
          },
          {
            "component": "link of disk3",
            "busy_share": 0.0
          },
          {
            "component": "uplink",
            "busy_share": 0.0
          },
          {
            "component": "cpu of job 0",
            "busy_share": 0.03171630776973334
          }
        ]
      },
      "bottleneck": {
        "limit": "latency",
        "part": "link",
        "share": 0.5862393619006575,
        "time_ns": 122056.0
      },
      "findings": [
        {
          "finding": "reads_favour",
          "members": [
            "disk0",
            "disk2"
          ],
          "share": 1.0,
          "even_share": 0.5,
          "rule": {
            "level": "raid10",
            "rule": "FirstIdle"
          },
          "words": "All of the reads go to disk0 and disk2 (Linux 4.1: raid10 reads from the first mirror that has nothing pending).",
          "block_size": "64K",
          "kernel": "4.1"
        },
        {
          "finding": "idle_members",
          "busy": 0.9589820725680702,
          "members": 4,
          "depth": 1,
          "words": "On average 0.96 of 4 disks have something to do: one I/O of 64K under way does not occupy more.",
          "block_size": "64K",
          "kernel": "4.1"
        }
      ]
    },
    {
      "run": 0,
      "number": 11,
      "values": [
        "large",
        "randwrite",
        "16K",
        "512K"
      ],
      "stack": "large",
      "stack_words": "4 x samsung-850-evo-500 > raid10 n2 512K bitmap none > no filesystem",
      "chunk_bytes": 524288,
      "block_size_bytes": 16384,
      "estimates": {
        "bandwidth_bytes_per_s": {
          "value": 316342176.6146708,
          "low": 316142598.16763645,
          "high": 316616241.2208393,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 1.4556213017751483
        },
        "iops": {
          "value": 19307.99417814153,
          "low": 19295.812876442655,
          "high": 19324.72175420162,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 1.4556213017751483
        },
        "latency_ns_mean": {
          "value": 51792.01953125,
          "low": 51747.1875,
          "high": 51824.71484375,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 1.4556213017751483
        },
        "latency_ns_p50": {
          "value": 51968.0,
          "low": 51968.0,
          "high": 51968.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p99": {
          "value": 53248.0,
          "low": 52992.0,
          "high": 53504.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p999": {
          "value": 53504.0,
          "low": 53504.0,
          "high": 53504.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        }
      },
      "verdicts": [
        {
          "metric": "bandwidth_bytes_per_s",
          "baseline": 6,
          "paired": true,
          "ratio": {
            "value": 1.0004697330353947,
            "low": 0.9988079916764628,
            "high": 1.0012771678412486,
            "level": 0.95,
            "samples": 6,
            "effective_samples": 6.0
          },
          "verdict": "no_difference",
          "margin": 0.05,
          "words": "no difference above 5 %",
          "pairs": [
            [
              316196794.6422022,
              316376223.56839573
            ],
            [
              316212384.93180025,
              316616241.2208393
            ],
            [
              316810886.74861914,
              316433245.53462744
            ],
            [
              315984904.94169396,
              316218893.2598086
            ],
            [
              316215150.34247,
              316142598.16763645
            ],
            [
              316190501.7498149,
              316308129.6609459
            ]
          ]
        }
      ],
      "warnings": [],
      "samples": [
        {
          "started_unix_ns": 1790000000010000000,
          "elapsed_ns": 13257330,
          "block": 0,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 316376223.56839573,
          "iops": 19310.072239281966,
          "latency_ns_mean": 51786.4453125,
          "latency_ns_p99": 53504.0
        },
        {
          "started_unix_ns": 1790000000110000000,
          "elapsed_ns": 13247280,
          "block": 1,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 316616241.2208393,
          "iops": 19324.72175420162,
          "latency_ns_mean": 51747.1875,
          "latency_ns_p99": 52992.0
        },
        {
          "started_unix_ns": 1790000000210000000,
          "elapsed_ns": 13254941,
          "block": 2,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 316433245.53462744,
          "iops": 19313.5525839006,
          "latency_ns_mean": 51777.11328125,
          "latency_ns_p99": 52992.0
        },
        {
          "started_unix_ns": 1790000000310000000,
          "elapsed_ns": 13263926,
          "block": 3,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 316218893.2598086,
          "iops": 19300.46955931449,
          "latency_ns_mean": 51812.2109375,
          "latency_ns_p99": 53504.0
        },
        {
          "started_unix_ns": 1790000000410000000,
          "elapsed_ns": 13267127,
          "block": 4,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 316142598.16763645,
          "iops": 19295.812876442655,
          "latency_ns_mean": 51824.71484375,
          "latency_ns_p99": 52992.0
        },
        {
          "started_unix_ns": 1790000000510000000,
          "elapsed_ns": 13260184,
          "block": 5,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 316308129.6609459,
          "iops": 19305.916117001092,
          "latency_ns_mean": 51797.59375,
          "latency_ns_p99": 53504.0
        }
      ],
      "steady": null,
      "latency": {
        "ios": 1536,
        "cumulative": [
          [
            49920,
            0.0013020833333333333
          ],
          [
            50432,
            0.024739583333333332
          ],
          [
            50944,
            0.16341145833333334
          ],
          [
            51456,
            0.4544270833333333
          ],
          [
            51968,
            0.7578125
          ],
          [
            52480,
            0.9446614583333334
          ],
          [
            52992,
            0.9915364583333334
          ],
          [
            53504,
            1.0
          ]
        ],
        "percentiles": [
          {
            "percent": 50.0,
            "latency_ns": {
              "value": 51968.0,
              "low": 51968.0,
              "high": 51968.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 90.0,
            "latency_ns": {
              "value": 52480.0,
              "low": 52480.0,
              "high": 52480.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 95.0,
            "latency_ns": {
              "value": 52992.0,
              "low": 52480.0,
              "high": 52992.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 3.0
            }
          },
          {
            "percent": 99.0,
            "latency_ns": {
              "value": 53248.0,
              "low": 52992.0,
              "high": 53504.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          }
        ]
      },
      "members": [
        {
          "device": "disk0",
          "reads_per_s": 0.0,
          "writes_per_s": 9591.356907740499,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 157144791.57642034,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.39285382063091573
        },
        {
          "device": "disk1",
          "reads_per_s": 0.0,
          "writes_per_s": 9591.356907740499,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 157144791.57642034,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.3932266893446737
        },
        {
          "device": "disk2",
          "reads_per_s": 0.0,
          "writes_per_s": 9717.062764984805,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 159204356.34151104,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.3985062347842488
        },
        {
          "device": "disk3",
          "reads_per_s": 0.0,
          "writes_per_s": 9717.062764984805,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 159204356.34151104,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.3977324146682243
        }
      ],
      "breakdown": {
        "mean": [
          {
            "part": "submit",
            "time_ns": 2160.0
          },
          {
            "part": "array_cpu",
            "time_ns": 700.0
          },
          {
            "part": "block_cpu",
            "time_ns": 1400.0
          },
          {
            "part": "device_service",
            "time_ns": 7161.586588541667
          },
          {
            "part": "link",
            "time_ns": 33813.0
          },
          {
            "part": "slowest_member",
            "time_ns": 456.1744791666667
          },
          {
            "part": "completion",
            "time_ns": 6100.116536458333
          }
        ],
        "slowest": [
          {
            "part": "submit",
            "time_ns": 2160.0
          },
          {
            "part": "array_cpu",
            "time_ns": 700.0
          },
          {
            "part": "block_cpu",
            "time_ns": 1400.0
          },
          {
            "part": "device_service",
            "time_ns": 8084.5558707802375
          },
          {
            "part": "link",
            "time_ns": 33813.0
          },
          {
            "part": "slowest_member",
            "time_ns": 230.17431757209928
          },
          {
            "part": "completion",
            "time_ns": 6550.745855130784
          }
        ],
        "utilisation": [
          {
            "component": "disk0",
            "busy_share": 0.39285143363524777
          },
          {
            "component": "link of disk0",
            "busy_share": 0.3255858888197442
          },
          {
            "component": "disk1",
            "busy_share": 0.3932245239959052
          },
          {
            "component": "link of disk1",
            "busy_share": 0.3255858888197442
          },
          {
            "component": "disk2",
            "busy_share": 0.3985085119138245
          },
          {
            "component": "link of disk2",
            "busy_share": 0.3298401541482083
          },
          {
            "component": "disk3",
            "busy_share": 0.39773448358957203
          },
          {
            "component": "link of disk3",
            "busy_share": 0.3298401541482083
          },
          {
            "component": "uplink",
            "busy_share": 0.0
          },
          {
            "component": "cpu of job 0",
            "busy_share": 0.17911731223044583
          }
        ]
      },
      "bottleneck": {
        "limit": "latency",
        "part": "link",
        "share": 0.6528755943938607,
        "time_ns": 33813.0
      },
      "findings": [
        {
          "finding": "idle_members",
          "busy": 1.5823191594280623,
          "members": 4,
          "depth": 1,
          "words": "On average 1.58 of 4 disks have something to do: one I/O of 16K under way does not occupy more.",
          "block_size": "16K",
          "kernel": "4.1"
        },
        {
          "finding": "cpu",
          "share": 0.20003747794427879,
          "requests_per_io": 2.0,
          "words": "The CPU takes 20 % of each I/O, which is 2.00 requests at the disks.",
          "block_size": "16K",
          "kernel": "4.1"
        },
        {
          "finding": "copies",
          "copies": 2.0,
          "words": "Each byte is written 2.00 times.",
          "block_size": "16K",
          "kernel": "4.1"
        }
      ]
    },
    {
      "run": 0,
      "number": 12,
      "values": [
        "large",
        "randwrite",
        "64K",
        "512K"
      ],
      "stack": "large",
      "stack_words": "4 x samsung-850-evo-500 > raid10 n2 512K bitmap none > no filesystem",
      "chunk_bytes": 524288,
      "block_size_bytes": 65536,
      "estimates": {
        "bandwidth_bytes_per_s": {
          "value": 451905583.66564095,
          "low": 451860617.24383706,
          "high": 452051608.071317,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 2.0254777070063694
        },
        "iops": {
          "value": 6895.531977319961,
          "low": 6894.84584417476,
          "high": 6897.760132924149,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 2.0254777070063694
        },
        "latency_ns_mean": {
          "value": 145021.443359375,
          "low": 144974.59765625,
          "high": 145035.875,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 2.0254777070063694
        },
        "latency_ns_p50": {
          "value": 144384.0,
          "low": 144384.0,
          "high": 144384.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p99": {
          "value": 146432.0,
          "low": 146432.0,
          "high": 146432.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p999": {
          "value": 146432.0,
          "low": 146432.0,
          "high": 146432.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        }
      },
      "verdicts": [
        {
          "metric": "bandwidth_bytes_per_s",
          "baseline": 7,
          "paired": true,
          "ratio": {
            "value": 0.6493477817008417,
            "low": 0.6490424337140835,
            "high": 0.6495782939910547,
            "level": 0.95,
            "samples": 6,
            "effective_samples": 6.0
          },
          "verdict": "different",
          "low": 0.6490424337140835,
          "high": 0.6495782939910547,
          "words": "about 35 % slower",
          "pairs": [
            [
              695982226.0284045,
              451909667.4992917
            ],
            [
              696124276.230108,
              452051608.071317
            ],
            [
              696368256.144,
              451972547.7289339
            ],
            [
              695621484.6213118,
              451860617.24383706
            ],
            [
              696103567.193377,
              451883120.6171949
            ],
            [
              695841272.756396,
              451901499.83199024
            ]
          ]
        }
      ],
      "warnings": [],
      "samples": [
        {
          "started_unix_ns": 1790000000011000000,
          "elapsed_ns": 37125154,
          "block": 0,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 451909667.4992917,
          "iops": 6895.594291676204,
          "latency_ns_mean": 145020.1328125,
          "latency_ns_p99": 146432.0
        },
        {
          "started_unix_ns": 1790000000111000000,
          "elapsed_ns": 37113497,
          "block": 1,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 452051608.071317,
          "iops": 6897.760132924149,
          "latency_ns_mean": 144974.59765625,
          "latency_ns_p99": 146432.0
        },
        {
          "started_unix_ns": 1790000000211000000,
          "elapsed_ns": 37119989,
          "block": 2,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 451972547.7289339,
          "iops": 6896.553767836515,
          "latency_ns_mean": 144999.95703125,
          "latency_ns_p99": 146432.0
        },
        {
          "started_unix_ns": 1790000000311000000,
          "elapsed_ns": 37129184,
          "block": 3,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 451860617.24383706,
          "iops": 6894.84584417476,
          "latency_ns_mean": 145035.875,
          "latency_ns_p99": 146432.0
        },
        {
          "started_unix_ns": 1790000000411000000,
          "elapsed_ns": 37127335,
          "block": 4,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 451883120.6171949,
          "iops": 6895.189218402022,
          "latency_ns_mean": 145028.65234375,
          "latency_ns_p99": 146432.0
        },
        {
          "started_unix_ns": 1790000000511000000,
          "elapsed_ns": 37125825,
          "block": 5,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 451901499.83199024,
          "iops": 6895.469662963718,
          "latency_ns_mean": 145022.75390625,
          "latency_ns_p99": 146432.0
        }
      ],
      "steady": null,
      "latency": {
        "ios": 1536,
        "cumulative": [
          [
            144384,
            0.7415364583333334
          ],
          [
            146432,
            1.0
          ]
        ],
        "percentiles": [
          {
            "percent": 50.0,
            "latency_ns": {
              "value": 144384.0,
              "low": 144384.0,
              "high": 144384.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 90.0,
            "latency_ns": {
              "value": 146432.0,
              "low": 146432.0,
              "high": 146432.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 95.0,
            "latency_ns": {
              "value": 146432.0,
              "low": 146432.0,
              "high": 146432.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 99.0,
            "latency_ns": {
              "value": 146432.0,
              "low": 146432.0,
              "high": 146432.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          }
        ]
      },
      "members": [
        {
          "device": "disk0",
          "reads_per_s": 0.0,
          "writes_per_s": 3524.2728388054525,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 230966744.76395413,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.47121935584158137
        },
        {
          "device": "disk1",
          "reads_per_s": 0.0,
          "writes_per_s": 3524.2728388054525,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 230966744.76395413,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.471362342549407
        },
        {
          "device": "disk2",
          "reads_per_s": 0.0,
          "writes_per_s": 3371.6291744495475,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 220963089.57672554,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.45095903410393473
        },
        {
          "device": "disk3",
          "reads_per_s": 0.0,
          "writes_per_s": 3371.6291744495475,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 220963089.57672554,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.4507107636733794
        }
      ],
      "breakdown": {
        "mean": [
          {
            "part": "submit",
            "time_ns": 2640.0
          },
          {
            "part": "array_cpu",
            "time_ns": 700.0
          },
          {
            "part": "block_cpu",
            "time_ns": 1400.0
          },
          {
            "part": "device_service",
            "time_ns": 7168.573567708333
          },
          {
            "part": "link",
            "time_ns": 126552.0
          },
          {
            "part": "slowest_member",
            "time_ns": 459.8098958333333
          },
          {
            "part": "completion",
            "time_ns": 6093.277994791667
          }
        ],
        "slowest": [
          {
            "part": "submit",
            "time_ns": 2640.0
          },
          {
            "part": "array_cpu",
            "time_ns": 700.0
          },
          {
            "part": "block_cpu",
            "time_ns": 1400.0
          },
          {
            "part": "device_service",
            "time_ns": 7168.573567708333
          },
          {
            "part": "link",
            "time_ns": 126552.0
          },
          {
            "part": "slowest_member",
            "time_ns": 459.8098958333333
          },
          {
            "part": "completion",
            "time_ns": 6093.277994791667
          }
        ],
        "utilisation": [
          {
            "component": "disk0",
            "busy_share": 0.4712187811753747
          },
          {
            "component": "link of disk0",
            "busy_share": 0.44827592762664703
          },
          {
            "component": "disk1",
            "busy_share": 0.4713617885535876
          },
          {
            "component": "link of disk1",
            "busy_share": 0.44827592762664703
          },
          {
            "component": "disk2",
            "busy_share": 0.450959598622171
          },
          {
            "component": "link of disk2",
            "busy_share": 0.42782322776927684
          },
          {
            "component": "disk3",
            "busy_share": 0.4507113174304574
          },
          {
            "component": "link of disk3",
            "busy_share": 0.42782322776927684
          },
          {
            "component": "uplink",
            "busy_share": 0.0
          },
          {
            "component": "cpu of job 0",
            "busy_share": 0.06729376890848483
          }
        ]
      },
      "bottleneck": {
        "limit": "latency",
        "part": "link",
        "share": 0.8726901915814469,
        "time_ns": 126552.0
      },
      "findings": [
        {
          "finding": "idle_members",
          "busy": 1.8442514961683025,
          "members": 4,
          "depth": 1,
          "words": "On average 1.84 of 4 disks have something to do: one I/O of 64K under way does not occupy more.",
          "block_size": "64K",
          "kernel": "4.1"
        },
        {
          "finding": "copies",
          "copies": 2.0,
          "words": "Each byte is written 2.00 times.",
          "block_size": "64K",
          "kernel": "4.1"
        }
      ]
    },
    {
      "run": 1,
      "number": 1,
      "values": [
        "one",
        "randread",
        "16K",
        "-"
      ],
      "stack": "one",
      "stack_words": "1 x samsung-850-evo-500 > no filesystem",
      "chunk_bytes": null,
      "block_size_bytes": 16384,
      "estimates": {
        "bandwidth_bytes_per_s": {
          "value": 140915608.04261667,
          "low": 139975304.19228023,
          "high": 142144467.68687862,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 3.692307692307692
        },
        "iops": {
          "value": 8600.806154944865,
          "low": 8543.414562517104,
          "high": 8675.809795341713,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 3.692307692307692
        },
        "latency_ns_mean": {
          "value": 116269.59375,
          "low": 115263.015625,
          "high": 117049.21875,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 3.692307692307692
        },
        "latency_ns_p50": {
          "value": 116224.0,
          "low": 114176.0,
          "high": 119296.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p99": {
          "value": 140288.0,
          "low": 134144.0,
          "high": 152576.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 3.5625
        },
        "latency_ns_p999": {
          "value": 140288.0,
          "low": 134144.0,
          "high": 152576.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 3.5625
        }
      },
      "verdicts": [
        {
          "metric": "bandwidth_bytes_per_s",
          "baseline": 16,
          "paired": true,
          "ratio": {
            "value": 1.0010131404353595,
            "low": 0.9734061468598307,
            "high": 1.0515419015179022,
            "level": 0.95,
            "samples": 6,
            "effective_samples": 6.0
          },
          "verdict": "cannot_tell",
          "more_samples": {
            "forecast": "about",
            "samples": 1
          },
          "words": "cannot tell; about 1 more sample would",
          "pairs": [
            [
              135177178.84726524,
              142144467.68687862
            ],
            [
              141638000.05159923,
              141549512.61764732
            ],
            [
              140875868.67155826,
              139975304.19228023
            ],
            [
              140051002.38396677,
              140422656.96300596
            ],
            [
              144011683.80924705,
              140181858.23955578
            ],
            [
              140847787.15083092,
              141408559.12222734
            ]
          ]
        }
      ],
      "warnings": [],
      "samples": [
        {
          "started_unix_ns": 1790000000000000000,
          "elapsed_ns": 7376833,
          "block": 0,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 142144467.68687862,
          "iops": 8675.809795341713,
          "latency_ns_mean": 115263.015625,
          "latency_ns_p99": 134144.0
        },
        {
          "started_unix_ns": 1790000000100000000,
          "elapsed_ns": 7407839,
          "block": 1,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 141549512.61764732,
          "iops": 8639.49661972945,
          "latency_ns_mean": 115747.484375,
          "latency_ns_p99": 138240.0
        },
        {
          "started_unix_ns": 1790000000200000000,
          "elapsed_ns": 7491150,
          "block": 2,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 139975304.19228023,
          "iops": 8543.414562517104,
          "latency_ns_mean": 117049.21875,
          "latency_ns_p99": 146432.0
        },
        {
          "started_unix_ns": 1790000000300000000,
          "elapsed_ns": 7467285,
          "block": 3,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 140422656.96300596,
          "iops": 8570.71880877722,
          "latency_ns_mean": 116676.328125,
          "latency_ns_p99": 140288.0
        },
        {
          "started_unix_ns": 1790000000400000000,
          "elapsed_ns": 7480112,
          "block": 4,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 140181858.23955578,
          "iops": 8556.021621066637,
          "latency_ns_mean": 116876.75,
          "latency_ns_p99": 152576.0
        },
        {
          "started_unix_ns": 1790000000500000000,
          "elapsed_ns": 7415223,
          "block": 5,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 141408559.12222734,
          "iops": 8630.893501112509,
          "latency_ns_mean": 115862.859375,
          "latency_ns_p99": 140288.0
        }
      ],
      "steady": null,
      "latency": {
        "ios": 384,
        "cumulative": [
          [
            90624,
            0.0026041666666666665
          ],
          [
            93696,
            0.005208333333333333
          ],
          [
            94720,
            0.0078125
          ],
          [
            95744,
            0.013020833333333334
          ],
          [
            96768,
            0.015625
          ],
          [
            97792,
            0.0234375
          ],
          [
            98816,
            0.03125
          ],
          [
            99840,
            0.036458333333333336
          ],
          [
            100864,
            0.041666666666666664
          ],
          [
            101888,
            0.057291666666666664
          ],
          [
            102912,
            0.08072916666666667
          ],
          [
            103936,
            0.10677083333333333
          ],
          [
            104960,
            0.13020833333333334
          ],
          [
            105984,
            0.1796875
          ],
          [
            107008,
            0.2109375
          ],
          [
            108032,
            0.24479166666666666
          ],
          [
            109056,
            0.2786458333333333
          ],
          [
            110080,
            0.3098958333333333
          ],
          [
            111104,
            0.3359375
          ],
          [
            112128,
            0.390625
          ],
          [
            113152,
            0.4166666666666667
          ],
          [
            114176,
            0.4583333333333333
          ],
          [
            115200,
            0.4869791666666667
          ],
          [
            116224,
            0.5104166666666666
          ],
          [
            117248,
            0.5598958333333334
          ],
          [
            118272,
            0.5885416666666666
          ],
          [
            119296,
            0.6302083333333334
          ],
          [
            120320,
            0.6692708333333334
          ],
          [
            121344,
            0.7109375
          ],
          [
            122368,
            0.75
          ],
          [
            123392,
            0.7916666666666666
          ],
          [
            124416,
            0.8359375
          ],
          [
            125440,
            0.8671875
          ],
          [
            126464,
            0.8880208333333334
          ],
          [
            127488,
            0.9114583333333334
          ],
          [
            128512,
            0.9166666666666666
          ],
          [
            129536,
            0.9192708333333334
          ],
          [
            130560,
            0.9401041666666666
          ],
          [
            132096,
            0.9453125
          ],
          [
            134144,
            0.9609375
          ],
          [
            136192,
            0.9635416666666666
          ],
          [
            138240,
            0.9765625
          ],
          [
            140288,
            0.9895833333333334
          ],
          [
            144384,
            0.9921875
          ],
          [
            146432,
            0.9973958333333334
          ],
          [
            152576,
            1.0
          ]
        ],
        "percentiles": [
          {
            "percent": 50.0,
            "latency_ns": {
              "value": 116224.0,
              "low": 114176.0,
              "high": 119296.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 90.0,
            "latency_ns": {
              "value": 127488.0,
              "low": 126464.0,
              "high": 128512.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 4.285714285714286
            }
          },
          {
            "percent": 95.0,
            "latency_ns": {
              "value": 133120.0,
              "low": 130560.0,
              "high": 140288.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 2.7032967032967035
            }
          }
        ]
      },
      "members": [
        {
          "device": "disk0",
          "reads_per_s": 8602.450775499736,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 140942553.50578767,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.9366859622923219
        }
      ],
      "breakdown": null,
      "bottleneck": null,
      "findings": []
    },
    {
      "run": 1,
      "number": 2,
      "values": [
        "one",
        "randread",
        "64K",
        "-"
      ],
      "stack": "one",
      "stack_words": "1 x samsung-850-evo-500 > no filesystem",
      "chunk_bytes": null,
      "block_size_bytes": 65536,
      "estimates": {
        "bandwidth_bytes_per_s": {
          "value": 314519449.6383551,
          "low": null,
          "high": null,
          "level": 0.95,
          "samples": 5,
          "effective_samples": 5.0
        },
        "iops": {
          "value": 4799.185938085252,
          "low": null,
          "high": null,
          "level": 0.95,
          "samples": 5,
          "effective_samples": 5.0
        },
        "latency_ns_mean": {
          "value": 208368.671875,
          "low": null,
          "high": null,
          "level": 0.95,
          "samples": 5,
          "effective_samples": 5.0
        },
        "latency_ns_p50": {
          "value": 209920.0,
          "low": null,
          "high": null,
          "level": 0.95,
          "samples": 5,
          "effective_samples": 5.0
        },
        "latency_ns_p99": {
          "value": 234496.0,
          "low": null,
          "high": null,
          "level": 0.95,
          "samples": 5,
          "effective_samples": 2.3643410852713176
        },
        "latency_ns_p999": {
          "value": 234496.0,
          "low": null,
          "high": null,
          "level": 0.95,
          "samples": 5,
          "effective_samples": 2.3643410852713176
        }
      },
      "verdicts": [
        {
          "metric": "bandwidth_bytes_per_s",
          "baseline": 17,
          "paired": true,
          "ratio": {
            "value": 0.6320752842299109,
            "low": null,
            "high": null,
            "level": 0.95,
            "samples": 5,
            "effective_samples": 3.3333333333333335
          },
          "verdict": "cannot_tell",
          "more_samples": {
            "forecast": "about",
            "samples": 1
          },
          "words": "cannot tell; about 1 more sample would",
          "pairs": [
            [
              480720317.61458975,
              315476363.7402977
            ],
            [
              497598082.8320936,
              314519449.6383551
            ],
            [
              503178890.7641095,
              316504904.1876133
            ],
            [
              498373807.92254734,
              313395178.4426046
            ],
            [
              494277450.32600623,
              314333497.9080426
            ]
          ]
        }
      ],
      "warnings": [
        {
          "kind": "short_run",
          "asked_ns": 2000000000,
          "elapsed_ns": 500000000,
          "message": "the load ran 0.50 s of 2.00 s",
          "hint": "look at fio's messages in the record; a full disk or a signal ends it early",
          "invalidates": true,
          "samples_affected": 1
        }
      ],
      "samples": [
        {
          "started_unix_ns": 1790000000001000000,
          "elapsed_ns": 13295145,
          "block": 0,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 315476363.7402977,
          "iops": 4813.787288517726,
          "latency_ns_mean": 207736.640625,
          "latency_ns_p99": 228352.0
        },
        {
          "started_unix_ns": 1790000000101000000,
          "elapsed_ns": 13335595,
          "block": 1,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 314519449.6383551,
          "iops": 4799.185938085252,
          "latency_ns_mean": 208368.671875,
          "latency_ns_p99": 234496.0
        },
        {
          "started_unix_ns": 1790000000201000000,
          "elapsed_ns": 13202454,
          "block": 2,
          "role": "counted",
          "valid": false,
          "counted": false,
          "bandwidth_bytes_per_s": 317691241.3404356,
          "iops": 4847.583638617487,
          "latency_ns_mean": 206288.34375,
          "latency_ns_p99": 240640.0
        },
        {
          "started_unix_ns": 1790000000301000000,
          "elapsed_ns": 13251940,
          "block": 3,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 316504904.1876133,
          "iops": 4829.481570245564,
          "latency_ns_mean": 207061.5625,
          "latency_ns_p99": 236544.0
        },
        {
          "started_unix_ns": 1790000000401000000,
          "elapsed_ns": 13383435,
          "block": 4,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 313395178.4426046,
          "iops": 4782.030921060251,
          "latency_ns_mean": 209116.171875,
          "latency_ns_p99": 242688.0
        },
        {
          "started_unix_ns": 1790000000501000000,
          "elapsed_ns": 13343484,
          "block": 5,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 314333497.9080426,
          "iops": 4796.348539856607,
          "latency_ns_mean": 208491.9375,
          "latency_ns_p99": 234496.0
        }
      ],
      "steady": null,
      "latency": {
        "ios": 320,
        "cumulative": [
          [
            136192,
            0.00625
          ],
          [
            138240,
            0.01875
          ],
          [
            140288,
            0.021875
          ],
          [
            183296,
            0.025
          ],
          [
            187392,
            0.03125
          ],
          [
            189440,
            0.040625
          ],
          [
            191488,
            0.053125
          ],
          [
            193536,
            0.071875
          ],
          [
            195584,
            0.1125
          ],
          [
            197632,
            0.146875
          ],
          [
            199680,
            0.21875
          ],
          [
            201728,
            0.29375
          ],
          [
            203776,
            0.359375
          ],
          [
            205824,
            0.41875
          ],
          [
            207872,
            0.48125
          ],
          [
            209920,
            0.546875
          ],
          [
            211968,
            0.6125
          ],
          [
            214016,
            0.7
          ],
          [
            216064,
            0.775
          ],
          [
            218112,
            0.84375
          ],
          [
            220160,
            0.896875
          ],
          [
            222208,
            0.921875
          ],
          [
            224256,
            0.94375
          ],
          [
            226304,
            0.946875
          ],
          [
            228352,
            0.9625
          ],
          [
            230400,
            0.971875
          ],
          [
            232448,
            0.984375
          ],
          [
            234496,
            0.99375
          ],
          [
            236544,
            0.996875
          ],
          [
            242688,
            1.0
          ]
        ],
        "percentiles": [
          {
            "percent": 50.0,
            "latency_ns": {
              "value": 209920.0,
              "low": null,
              "high": null,
              "level": 0.95,
              "samples": 5,
              "effective_samples": 5.0
            }
          },
          {
            "percent": 90.0,
            "latency_ns": {
              "value": 222208.0,
              "low": null,
              "high": null,
              "level": 0.95,
              "samples": 5,
              "effective_samples": 1.3829787234042554
            }
          },
          {
            "percent": 95.0,
            "latency_ns": {
              "value": 226304.0,
              "low": null,
              "high": null,
              "level": 0.95,
              "samples": 5,
              "effective_samples": 5.0
            }
          }
        ]
      },
      "members": [
        {
          "device": "disk0",
          "reads_per_s": 4804.112392269468,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 314842309.73977184,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.9623357588446073
        }
      ],
      "breakdown": null,
      "bottleneck": null,
      "findings": []
    },
    {
      "run": 1,
      "number": 3,
      "values": [
        "one",
        "randwrite",
        "16K",
        "-"
      ],
      "stack": "one",
      "stack_words": "1 x samsung-850-evo-500 > no filesystem",
      "chunk_bytes": null,
      "block_size_bytes": 16384,
      "estimates": {
        "bandwidth_bytes_per_s": {
          "value": 338902010.7062158,
          "low": 337979339.46830696,
          "high": 339229162.8586356,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 1.0
        },
        "iops": {
          "value": 20684.937176893054,
          "low": 20628.621793719907,
          "high": 20704.90495963352,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 1.0
        },
        "latency_ns_mean": {
          "value": 48344.3828125,
          "low": 48297.734375,
          "high": 48476.3359375,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 1.0
        },
        "latency_ns_p50": {
          "value": 48384.0,
          "low": 48384.0,
          "high": 48384.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p99": {
          "value": 49920.0,
          "low": 49920.0,
          "high": 50432.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 1.5789473684210524
        },
        "latency_ns_p999": {
          "value": 50688.0,
          "low": 50432.0,
          "high": 50944.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 3.0
        }
      },
      "verdicts": [
        {
          "metric": "bandwidth_bytes_per_s",
          "baseline": 18,
          "paired": true,
          "ratio": {
            "value": 1.0717664167073782,
            "low": 1.0688365022173378,
            "high": 1.0733003504585432,
            "level": 0.95,
            "samples": 6,
            "effective_samples": 2.0254777070063694
          },
          "verdict": "different",
          "low": 1.0688365022173378,
          "high": 1.0733003504585432,
          "words": "6.9 to 7.3 % faster",
          "pairs": [
            [
              316196794.6422022,
              338613430.87018394
            ],
            [
              316212384.93180025,
              337979339.46830696
            ],
            [
              316810886.74861914,
              338657312.19890225
            ],
            [
              315984904.94169396,
              339146709.21352935
            ],
            [
              316215150.34247,
              339229162.8586356
            ],
            [
              316190501.7498149,
              339158254.6987682
            ]
          ]
        }
      ],
      "warnings": [
        {
          "kind": "autocorrelated",
          "metric": "bandwidth",
          "lag1": 0.7238095238095238,
          "samples": 6,
          "effective_samples": 1.0,
          "message": "bandwidth: each sample resembles the one before (lag-1 correlation 0.72), so 6 samples count as 1.0",
          "hint": "longer samples or more of them; the interval allows for it already",
          "invalidates": false,
          "samples_affected": 0
        }
      ],
      "samples": [
        {
          "started_unix_ns": 1790000000002000000,
          "elapsed_ns": 12386703,
          "block": 0,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 338613430.87018394,
          "iops": 20667.32366151025,
          "latency_ns_mean": 48385.55859375,
          "latency_ns_p99": 50432.0
        },
        {
          "started_unix_ns": 1790000000102000000,
          "elapsed_ns": 12409942,
          "block": 1,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 337979339.46830696,
          "iops": 20628.621793719907,
          "latency_ns_mean": 48476.3359375,
          "latency_ns_p99": 50432.0
        },
        {
          "started_unix_ns": 1790000000202000000,
          "elapsed_ns": 12385098,
          "block": 2,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 338657312.19890225,
          "iops": 20670.00196526503,
          "latency_ns_mean": 48379.2890625,
          "latency_ns_p99": 49920.0
        },
        {
          "started_unix_ns": 1790000000302000000,
          "elapsed_ns": 12367226,
          "block": 3,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 339146709.21352935,
          "iops": 20699.87238852108,
          "latency_ns_mean": 48309.4765625,
          "latency_ns_p99": 49920.0
        },
        {
          "started_unix_ns": 1790000000402000000,
          "elapsed_ns": 12364220,
          "block": 4,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 339229162.8586356,
          "iops": 20704.90495963352,
          "latency_ns_mean": 48297.734375,
          "latency_ns_p99": 49920.0
        },
        {
          "started_unix_ns": 1790000000502000000,
          "elapsed_ns": 12366805,
          "block": 5,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 339158254.6987682,
          "iops": 20700.577069016614,
          "latency_ns_mean": 48307.83203125,
          "latency_ns_p99": 49920.0
        }
      ],
      "steady": null,
      "latency": {
        "ios": 1536,
        "cumulative": [
          [
            46336,
            0.00390625
          ],
          [
            46848,
            0.040364583333333336
          ],
          [
            47360,
            0.162109375
          ],
          [
            47872,
            0.396484375
          ],
          [
            48384,
            0.6666666666666666
          ],
          [
            48896,
            0.8561197916666666
          ],
          [
            49408,
            0.9446614583333334
          ],
          [
            49920,
            0.9895833333333334
          ],
          [
            50432,
            0.9967447916666666
          ],
          [
            50944,
            1.0
          ]
        ],
        "percentiles": [
          {
            "percent": 50.0,
            "latency_ns": {
              "value": 48384.0,
              "low": 48384.0,
              "high": 48384.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 90.0,
            "latency_ns": {
              "value": 49408.0,
              "low": 49408.0,
              "high": 49408.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 95.0,
            "latency_ns": {
              "value": 49920.0,
              "low": 49408.0,
              "high": 49920.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 3.0
            }
          },
          {
            "percent": 99.0,
            "latency_ns": {
              "value": 49920.0,
              "low": 49920.0,
              "high": 50432.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 1.5789473684210524
            }
          }
        ]
      },
      "members": [
        {
          "device": "disk0",
          "reads_per_s": 0.0,
          "writes_per_s": 20678.51540214179,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 338796796.3486911,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.8478061266402364
        }
      ],
      "breakdown": null,
      "bottleneck": null,
      "findings": []
    },
    {
      "run": 1,
      "number": 4,
      "values": [
        "one",
        "randwrite",
        "64K",
        "-"
      ],
      "stack": "one",
      "stack_words": "1 x samsung-850-evo-500 > no filesystem",
      "chunk_bytes": null,
      "block_size_bytes": 65536,
      "estimates": {
        "bandwidth_bytes_per_s": {
          "value": 462915082.9333118,
          "low": 462483497.51557183,
          "high": 463067892.24294674,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 1.0
        },
        "iops": {
          "value": 7063.523604329099,
          "low": 7056.938133477353,
          "high": 7065.855289351604,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 1.0
        },
        "latency_ns_mean": {
          "value": 141572.41015625,
          "low": 141525.68359375,
          "high": 141704.515625,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 1.0
        },
        "latency_ns_p50": {
          "value": 142336.0,
          "low": 142336.0,
          "high": 142336.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p99": {
          "value": 144384.0,
          "low": 142336.0,
          "high": 144384.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p999": {
          "value": 144384.0,
          "low": 144384.0,
          "high": 144384.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        }
      },
      "verdicts": [
        {
          "metric": "bandwidth_bytes_per_s",
          "baseline": 19,
          "paired": true,
          "ratio": {
            "value": 0.6650798007752525,
            "low": 0.6643691554907003,
            "high": 0.6656339602616319,
            "level": 0.95,
            "samples": 6,
            "effective_samples": 2.8732394366197185
          },
          "verdict": "different",
          "low": 0.6643691554907003,
          "high": 0.6656339602616319,
          "words": "33 to 34 % slower",
          "pairs": [
            [
              695982226.0284045,
              462780290.9274688
            ],
            [
              696124276.230108,
              462483497.51557183
            ],
            [
              696368256.144,
              462800882.21506447
            ],
            [
              695621484.6213118,
              463029283.6515592
            ],
            [
              696103567.193377,
              463067892.24294674
            ],
            [
              695841272.756396,
              463034880.9231588
            ]
          ]
        }
      ],
      "warnings": [
        {
          "kind": "autocorrelated",
          "metric": "bandwidth",
          "lag1": 0.7238095238095238,
          "samples": 6,
          "effective_samples": 1.0,
          "message": "bandwidth: each sample resembles the one before (lag-1 correlation 0.72), so 6 samples count as 1.0",
          "hint": "longer samples or more of them; the interval allows for it already",
          "invalidates": false,
          "samples_affected": 0
        }
      ],
      "samples": [
        {
          "started_unix_ns": 1790000000003000000,
          "elapsed_ns": 36253091,
          "block": 0,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 462780290.9274688,
          "iops": 7061.466841544629,
          "latency_ns_mean": 141613.63671875,
          "latency_ns_p99": 144384.0
        },
        {
          "started_unix_ns": 1790000000103000000,
          "elapsed_ns": 36276356,
          "block": 1,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 462483497.51557183,
          "iops": 7056.938133477353,
          "latency_ns_mean": 141704.515625,
          "latency_ns_p99": 144384.0
        },
        {
          "started_unix_ns": 1790000000203000000,
          "elapsed_ns": 36251478,
          "block": 2,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 462800882.21506447,
          "iops": 7061.781039658576,
          "latency_ns_mean": 141607.3359375,
          "latency_ns_p99": 144384.0
        },
        {
          "started_unix_ns": 1790000000303000000,
          "elapsed_ns": 36233596,
          "block": 3,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 463029283.6515592,
          "iops": 7065.266168999621,
          "latency_ns_mean": 141537.484375,
          "latency_ns_p99": 142336.0
        },
        {
          "started_unix_ns": 1790000000403000000,
          "elapsed_ns": 36230575,
          "block": 4,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 463067892.24294674,
          "iops": 7065.855289351604,
          "latency_ns_mean": 141525.68359375,
          "latency_ns_p99": 144384.0
        },
        {
          "started_unix_ns": 1790000000503000000,
          "elapsed_ns": 36233158,
          "block": 5,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 463034880.9231588,
          "iops": 7065.351576586286,
          "latency_ns_mean": 141535.7734375,
          "latency_ns_p99": 142336.0
        }
      ],
      "steady": null,
      "latency": {
        "ios": 1536,
        "cumulative": [
          [
            140288,
            0.3684895833333333
          ],
          [
            142336,
            0.98828125
          ],
          [
            144384,
            1.0
          ]
        ],
        "percentiles": [
          {
            "percent": 50.0,
            "latency_ns": {
              "value": 142336.0,
              "low": 142336.0,
              "high": 142336.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 90.0,
            "latency_ns": {
              "value": 142336.0,
              "low": 142336.0,
              "high": 142336.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 95.0,
            "latency_ns": {
              "value": 142336.0,
              "low": 142336.0,
              "high": 142336.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 99.0,
            "latency_ns": {
              "value": 144384.0,
              "low": 142336.0,
              "high": 144384.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          }
        ]
      },
      "members": [
        {
          "device": "disk0",
          "reads_per_s": 0.0,
          "writes_per_s": 7062.775113138438,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 462866029.8146407,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.9446278431129947
        }
      ],
      "breakdown": null,
      "bottleneck": null,
      "findings": []
    },
    {
      "run": 1,
      "number": 5,
      "values": [
        "small",
        "randread",
        "16K",
        "16K"
      ],
      "stack": "small",
      "stack_words": "4 x samsung-850-evo-500 > raid10 n2 16K bitmap none > no filesystem",
      "chunk_bytes": 16384,
      "block_size_bytes": 16384,
      "estimates": {
        "bandwidth_bytes_per_s": {
          "value": 140861827.9111946,
          "low": 135177178.84726524,
          "high": 144011683.80924705,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "iops": {
          "value": 8597.523676220373,
          "low": 8250.560232377029,
          "high": 8789.775623122989,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_mean": {
          "value": 116312.5625,
          "low": 113768.546875,
          "high": 121203.890625,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p50": {
          "value": 115712.0,
          "low": 113152.0,
          "high": 119296.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 1.4018691588785046
        },
        "latency_ns_p99": {
          "value": 139264.0,
          "low": 136192.0,
          "high": 154624.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 3.4517374517374524
        },
        "latency_ns_p999": {
          "value": 139264.0,
          "low": 136192.0,
          "high": 154624.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 3.4517374517374524
        }
      },
      "verdicts": [],
      "warnings": [
        {
          "kind": "first_sample_unlike",
          "metric": "bandwidth",
          "first": 135177178.84726524,
          "median_of_rest": 140875868.67155826,
          "message": "the first counted sample is unlike the rest (bandwidth 129 MiB/s against 134 MiB/s)",
          "hint": "a longer `sample` or `steady_state = \"snia\"` warms up further",
          "invalidates": false,
          "samples_affected": 0
        }
      ],
      "samples": [
        {
          "started_unix_ns": 1790000000004000000,
          "elapsed_ns": 7757049,
          "block": 0,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 135177178.84726524,
          "iops": 8250.560232377029,
          "latency_ns_mean": 121203.890625,
          "latency_ns_p99": 154624.0
        },
        {
          "started_unix_ns": 1790000000104000000,
          "elapsed_ns": 7403211,
          "block": 1,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 141638000.05159923,
          "iops": 8644.897464086867,
          "latency_ns_mean": 115675.171875,
          "latency_ns_p99": 138240.0
        },
        {
          "started_unix_ns": 1790000000204000000,
          "elapsed_ns": 7443262,
          "block": 2,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 140875868.67155826,
          "iops": 8598.380656223038,
          "latency_ns_mean": 116300.96875,
          "latency_ns_p99": 136192.0
        },
        {
          "started_unix_ns": 1790000000304000000,
          "elapsed_ns": 7487101,
          "block": 3,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 140051002.38396677,
          "iops": 8548.034813474535,
          "latency_ns_mean": 116985.953125,
          "latency_ns_p99": 138240.0
        },
        {
          "started_unix_ns": 1790000000404000000,
          "elapsed_ns": 7281187,
          "block": 4,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 144011683.80924705,
          "iops": 8789.775623122989,
          "latency_ns_mean": 113768.546875,
          "latency_ns_p99": 144384.0
        },
        {
          "started_unix_ns": 1790000000504000000,
          "elapsed_ns": 7444746,
          "block": 5,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 140847787.15083092,
          "iops": 8596.666696217708,
          "latency_ns_mean": 116324.15625,
          "latency_ns_p99": 140288.0
        }
      ],
      "steady": null,
      "latency": {
        "ios": 384,
        "cumulative": [
          [
            47360,
            0.0026041666666666665
          ],
          [
            47872,
            0.005208333333333333
          ],
          [
            91648,
            0.0078125
          ],
          [
            92672,
            0.010416666666666666
          ],
          [
            96768,
            0.013020833333333334
          ],
          [
            97792,
            0.018229166666666668
          ],
          [
            98816,
            0.028645833333333332
          ],
          [
            99840,
            0.046875
          ],
          [
            100864,
            0.059895833333333336
          ],
          [
            101888,
            0.0703125
          ],
          [
            102912,
            0.08072916666666667
          ],
          [
            103936,
            0.09895833333333333
          ],
          [
            104960,
            0.11979166666666667
          ],
          [
            105984,
            0.1484375
          ],
          [
            107008,
            0.17708333333333334
          ],
          [
            108032,
            0.22135416666666666
          ],
          [
            109056,
            0.2630208333333333
          ],
          [
            110080,
            0.2942708333333333
          ],
          [
            111104,
            0.3307291666666667
          ],
          [
            112128,
            0.375
          ],
          [
            113152,
            0.421875
          ],
          [
            114176,
            0.4661458333333333
          ],
          [
            115200,
            0.4895833333333333
          ],
          [
            116224,
            0.5182291666666666
          ],
          [
            117248,
            0.5494791666666666
          ],
          [
            118272,
            0.578125
          ],
          [
            119296,
            0.6328125
          ],
          [
            120320,
            0.6536458333333334
          ],
          [
            121344,
            0.6796875
          ],
          [
            122368,
            0.7239583333333334
          ],
          [
            123392,
            0.7526041666666666
          ],
          [
            124416,
            0.8046875
          ],
          [
            125440,
            0.8333333333333334
          ],
          [
            126464,
            0.8489583333333334
          ],
          [
            127488,
            0.875
          ],
          [
            128512,
            0.8828125
          ],
          [
            129536,
            0.8932291666666666
          ],
          [
            130560,
            0.9010416666666666
          ],
          [
            132096,
            0.9192708333333334
          ],
          [
            134144,
            0.9427083333333334
          ],
          [
            136192,
            0.9505208333333334
          ],
          [
            138240,
            0.9739583333333334
          ],
          [
            140288,
            0.984375
          ],
          [
            142336,
            0.9869791666666666
          ],
          [
            144384,
            0.9921875
          ],
          [
            148480,
            0.9947916666666666
          ],
          [
            152576,
            0.9973958333333334
          ],
          [
            154624,
            1.0
          ]
        ],
        "percentiles": [
          {
            "percent": 50.0,
            "latency_ns": {
              "value": 115712.0,
              "low": 113152.0,
              "high": 119296.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 1.4018691588785046
            }
          },
          {
            "percent": 90.0,
            "latency_ns": {
              "value": 129792.0,
              "low": 124416.0,
              "high": 138240.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 5.82089552238806
            }
          },
          {
            "percent": 95.0,
            "latency_ns": {
              "value": 135168.0,
              "low": 129536.0,
              "high": 144384.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          }
        ]
      },
      "members": [
        {
          "device": "disk0",
          "reads_per_s": 4284.131069776981,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 70191203.44722606,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.4654021830682394
        },
        {
          "device": "disk1",
          "reads_per_s": 0.0,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.0
        },
        {
          "device": "disk2",
          "reads_per_s": 4284.131069776981,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 70191203.44722606,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.46553762408695576
        },
        {
          "device": "disk3",
          "reads_per_s": 0.0,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.0
        }
      ],
      "breakdown": null,
      "bottleneck": null,
      "findings": []
    },
    {
      "run": 1,
      "number": 6,
      "values": [
        "small",
        "randread",
        "64K",
        "16K"
      ],
      "stack": "small",
      "stack_words": "4 x samsung-850-evo-500 > raid10 n2 16K bitmap none > no filesystem",
      "chunk_bytes": 16384,
      "block_size_bytes": 65536,
      "estimates": {
        "bandwidth_bytes_per_s": {
          "value": 497564438.36797225,
          "low": 480720317.61458975,
          "high": 503178890.7641095,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 4.956521739130435
        },
        "iops": {
          "value": 7592.23081005817,
          "low": 7335.209924539028,
          "high": 7677.900554872276,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 4.956521739130435
        },
        "latency_ns_mean": {
          "value": 131713.59375,
          "low": 130243.9375,
          "high": 136328.75,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 4.956521739130435
        },
        "latency_ns_p50": {
          "value": 131328.0,
          "low": 128512.0,
          "high": 138240.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 2.5594405594405596
        },
        "latency_ns_p99": {
          "value": 145408.0,
          "low": 142336.0,
          "high": 158720.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p999": {
          "value": 145408.0,
          "low": 142336.0,
          "high": 158720.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        }
      },
      "verdicts": [],
      "warnings": [
        {
          "kind": "first_sample_unlike",
          "metric": "bandwidth",
          "first": 480720317.61458975,
          "median_of_rest": 497598082.8320936,
          "message": "the first counted sample is unlike the rest (bandwidth 458 MiB/s against 475 MiB/s)",
          "hint": "a longer `sample` or `steady_state = \"snia\"` warms up further",
          "invalidates": false,
          "samples_affected": 0
        }
      ],
      "samples": [
        {
          "started_unix_ns": 1790000000005000000,
          "elapsed_ns": 2181260,
          "block": 0,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 480720317.61458975,
          "iops": 7335.209924539028,
          "latency_ns_mean": 136328.75,
          "latency_ns_p99": 158720.0
        },
        {
          "started_unix_ns": 1790000000105000000,
          "elapsed_ns": 2107275,
          "block": 1,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 497598082.8320936,
          "iops": 7592.744183839319,
          "latency_ns_mean": 131704.6875,
          "latency_ns_p99": 142336.0
        },
        {
          "started_unix_ns": 1790000000205000000,
          "elapsed_ns": 2107560,
          "block": 2,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 497530793.90385085,
          "iops": 7591.717436277021,
          "latency_ns_mean": 131722.5,
          "latency_ns_p99": 146432.0
        },
        {
          "started_unix_ns": 1790000000305000000,
          "elapsed_ns": 2083903,
          "block": 3,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 503178890.7641095,
          "iops": 7677.900554872276,
          "latency_ns_mean": 130243.9375,
          "latency_ns_p99": 142336.0
        },
        {
          "started_unix_ns": 1790000000405000000,
          "elapsed_ns": 2103995,
          "block": 4,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 498373807.92254734,
          "iops": 7604.580809365041,
          "latency_ns_mean": 131499.6875,
          "latency_ns_p99": 148480.0
        },
        {
          "started_unix_ns": 1790000000505000000,
          "elapsed_ns": 2121432,
          "block": 5,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 494277450.32600623,
          "iops": 7542.075352874851,
          "latency_ns_mean": 132589.5,
          "latency_ns_p99": 144384.0
        }
      ],
      "steady": null,
      "latency": {
        "ios": 96,
        "cumulative": [
          [
            116224,
            0.010416666666666666
          ],
          [
            119296,
            0.03125
          ],
          [
            120320,
            0.041666666666666664
          ],
          [
            121344,
            0.0625
          ],
          [
            122368,
            0.10416666666666667
          ],
          [
            123392,
            0.125
          ],
          [
            124416,
            0.16666666666666666
          ],
          [
            125440,
            0.21875
          ],
          [
            126464,
            0.2604166666666667
          ],
          [
            127488,
            0.2916666666666667
          ],
          [
            128512,
            0.3541666666666667
          ],
          [
            129536,
            0.4166666666666667
          ],
          [
            130560,
            0.46875
          ],
          [
            132096,
            0.59375
          ],
          [
            134144,
            0.6770833333333334
          ],
          [
            136192,
            0.71875
          ],
          [
            138240,
            0.7916666666666666
          ],
          [
            140288,
            0.8541666666666666
          ],
          [
            142336,
            0.9166666666666666
          ],
          [
            144384,
            0.9583333333333334
          ],
          [
            146432,
            0.9791666666666666
          ],
          [
            148480,
            0.9895833333333334
          ],
          [
            158720,
            1.0
          ]
        ],
        "percentiles": [
          {
            "percent": 50.0,
            "latency_ns": {
              "value": 131328.0,
              "low": 128512.0,
              "high": 138240.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 2.5594405594405596
            }
          },
          {
            "percent": 90.0,
            "latency_ns": {
              "value": 143360.0,
              "low": 138240.0,
              "high": 146432.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 3.4517374517374524
            }
          }
        ]
      },
      "members": [
        {
          "device": "disk0",
          "reads_per_s": 7555.827530365966,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 123794678.25751598,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.8304109465051346
        },
        {
          "device": "disk1",
          "reads_per_s": 7555.827530365966,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 123794678.25751598,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.8251065194592074
        },
        {
          "device": "disk2",
          "reads_per_s": 7555.827530365966,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 123794678.25751598,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.8330624910225356
        },
        {
          "device": "disk3",
          "reads_per_s": 7555.827530365966,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 123794678.25751598,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.8097751157478007
        }
      ],
      "breakdown": null,
      "bottleneck": null,
      "findings": []
    },
    {
      "run": 1,
      "number": 7,
      "values": [
        "small",
        "randwrite",
        "16K",
        "16K"
      ],
      "stack": "small",
      "stack_words": "4 x samsung-850-evo-500 > raid10 n2 16K bitmap none > no filesystem",
      "chunk_bytes": 16384,
      "block_size_bytes": 16384,
      "estimates": {
        "bandwidth_bytes_per_s": {
          "value": 316204589.78700125,
          "low": 315984904.94169396,
          "high": 316810886.74861914,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "iops": {
          "value": 19299.596544616776,
          "low": 19286.188045757688,
          "high": 19336.601974403024,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_mean": {
          "value": 51814.5546875,
          "low": 51715.39453125,
          "high": 51850.578125,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p50": {
          "value": 51968.0,
          "low": 51456.0,
          "high": 51968.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p99": {
          "value": 53248.0,
          "low": 52992.0,
          "high": 53504.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p999": {
          "value": 53504.0,
          "low": 53504.0,
          "high": 54016.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        }
      },
      "verdicts": [],
      "warnings": [],
      "samples": [
        {
          "started_unix_ns": 1790000000006000000,
          "elapsed_ns": 13264853,
          "block": 0,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 316196794.6422022,
          "iops": 19299.120766735974,
          "latency_ns_mean": 51815.83203125,
          "latency_ns_p99": 52992.0
        },
        {
          "started_unix_ns": 1790000000106000000,
          "elapsed_ns": 13264199,
          "block": 1,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 316212384.93180025,
          "iops": 19300.072322497574,
          "latency_ns_mean": 51813.27734375,
          "latency_ns_p99": 53504.0
        },
        {
          "started_unix_ns": 1790000000206000000,
          "elapsed_ns": 13239141,
          "block": 2,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 316810886.74861914,
          "iops": 19336.601974403024,
          "latency_ns_mean": 51715.39453125,
          "latency_ns_p99": 52992.0
        },
        {
          "started_unix_ns": 1790000000306000000,
          "elapsed_ns": 13273748,
          "block": 3,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 315984904.94169396,
          "iops": 19286.188045757688,
          "latency_ns_mean": 51850.578125,
          "latency_ns_p99": 52992.0
        },
        {
          "started_unix_ns": 1790000000406000000,
          "elapsed_ns": 13264083,
          "block": 4,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 316215150.34247,
          "iops": 19300.241109769897,
          "latency_ns_mean": 51812.82421875,
          "latency_ns_p99": 53504.0
        },
        {
          "started_unix_ns": 1790000000506000000,
          "elapsed_ns": 13265117,
          "block": 5,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 316190501.7498149,
          "iops": 19298.736679065853,
          "latency_ns_mean": 51816.86328125,
          "latency_ns_p99": 53504.0
        }
      ],
      "steady": null,
      "latency": {
        "ios": 1536,
        "cumulative": [
          [
            50432,
            0.01953125
          ],
          [
            50944,
            0.15299479166666666
          ],
          [
            51456,
            0.4446614583333333
          ],
          [
            51968,
            0.7799479166666666
          ],
          [
            52480,
            0.9485677083333334
          ],
          [
            52992,
            0.9889322916666666
          ],
          [
            53504,
            0.9993489583333334
          ],
          [
            54016,
            1.0
          ]
        ],
        "percentiles": [
          {
            "percent": 50.0,
            "latency_ns": {
              "value": 51968.0,
              "low": 51456.0,
              "high": 51968.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 90.0,
            "latency_ns": {
              "value": 52480.0,
              "low": 52480.0,
              "high": 52480.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 95.0,
            "latency_ns": {
              "value": 52736.0,
              "low": 52480.0,
              "high": 52992.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 99.0,
            "latency_ns": {
              "value": 53248.0,
              "low": 52992.0,
              "high": 53504.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          }
        ]
      },
      "members": [
        {
          "device": "disk0",
          "reads_per_s": 0.0,
          "writes_per_s": 9614.038335833338,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 157516404.09429342,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.39440726380937524
        },
        {
          "device": "disk1",
          "reads_per_s": 0.0,
          "writes_per_s": 9614.038335833338,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 157516404.09429342,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.39339144326207404
        },
        {
          "device": "disk2",
          "reads_per_s": 0.0,
          "writes_per_s": 9689.442558075169,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 158751826.87150356,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.39704702738898756
        },
        {
          "device": "disk3",
          "reads_per_s": 0.0,
          "writes_per_s": 9689.442558075169,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 158751826.87150356,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.397128200034231
        }
      ],
      "breakdown": null,
      "bottleneck": null,
      "findings": []
    },
    {
      "run": 1,
      "number": 8,
      "values": [
        "small",
        "randwrite",
        "64K",
        "16K"
      ],
      "stack": "small",
      "stack_words": "4 x samsung-850-evo-500 > raid10 n2 16K bitmap none > no filesystem",
      "chunk_bytes": 16384,
      "block_size_bytes": 65536,
      "estimates": {
        "bandwidth_bytes_per_s": {
          "value": 696042896.6108907,
          "low": 695621484.6213118,
          "high": 696368256.144,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "iops": {
          "value": 10620.771737837078,
          "low": 10614.341501179684,
          "high": 10625.736330322266,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_mean": {
          "value": 94155.1171875,
          "low": 94111.125,
          "high": 94212.15625,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p50": {
          "value": 93696.0,
          "low": 93696.0,
          "high": 94720.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p99": {
          "value": 94720.0,
          "low": 94720.0,
          "high": 95744.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p999": {
          "value": 95744.0,
          "low": 95744.0,
          "high": 95744.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        }
      },
      "verdicts": [],
      "warnings": [],
      "samples": [
        {
          "started_unix_ns": 1790000000007000000,
          "elapsed_ns": 24105811,
          "block": 0,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 695982226.0284045,
          "iops": 10619.845978216621,
          "latency_ns_mean": 94163.32421875,
          "latency_ns_p99": 94720.0
        },
        {
          "started_unix_ns": 1790000000107000000,
          "elapsed_ns": 24100892,
          "block": 1,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 696124276.230108,
          "iops": 10622.013492280701,
          "latency_ns_mean": 94144.109375,
          "latency_ns_p99": 95744.0
        },
        {
          "started_unix_ns": 1790000000207000000,
          "elapsed_ns": 24092448,
          "block": 2,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 696368256.144,
          "iops": 10625.736330322266,
          "latency_ns_mean": 94111.125,
          "latency_ns_p99": 94720.0
        },
        {
          "started_unix_ns": 1790000000307000000,
          "elapsed_ns": 24118312,
          "block": 3,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 695621484.6213118,
          "iops": 10614.341501179684,
          "latency_ns_mean": 94212.15625,
          "latency_ns_p99": 95744.0
        },
        {
          "started_unix_ns": 1790000000407000000,
          "elapsed_ns": 24101609,
          "block": 4,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 696103567.193377,
          "iops": 10621.697497457535,
          "latency_ns_mean": 94146.91015625,
          "latency_ns_p99": 94720.0
        },
        {
          "started_unix_ns": 1790000000507000000,
          "elapsed_ns": 24110694,
          "block": 5,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 695841272.756396,
          "iops": 10617.695201971375,
          "latency_ns_mean": 94182.3984375,
          "latency_ns_p99": 94720.0
        }
      ],
      "steady": null,
      "latency": {
        "ios": 1536,
        "cumulative": [
          [
            92672,
            0.021484375
          ],
          [
            93696,
            0.5442708333333334
          ],
          [
            94720,
            0.9895833333333334
          ],
          [
            95744,
            1.0
          ]
        ],
        "percentiles": [
          {
            "percent": 50.0,
            "latency_ns": {
              "value": 93696.0,
              "low": 93696.0,
              "high": 94720.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 90.0,
            "latency_ns": {
              "value": 94720.0,
              "low": 94720.0,
              "high": 94720.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 95.0,
            "latency_ns": {
              "value": 94720.0,
              "low": 94720.0,
              "high": 94720.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 99.0,
            "latency_ns": {
              "value": 94720.0,
              "low": 94720.0,
              "high": 95744.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          }
        ]
      },
      "members": [
        {
          "device": "disk0",
          "reads_per_s": 0.0,
          "writes_per_s": 10620.22046001236,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 348003384.033685,
          "merges_per_s": 10661.705696184285,
          "flushes_per_s": 0.0,
          "busy_share": 0.7638731849984464
        },
        {
          "device": "disk1",
          "reads_per_s": 0.0,
          "writes_per_s": 10620.22046001236,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 348003384.033685,
          "merges_per_s": 10661.705696184285,
          "flushes_per_s": 0.0,
          "busy_share": 0.7634710962610559
        },
        {
          "device": "disk2",
          "reads_per_s": 0.0,
          "writes_per_s": 10620.22046001236,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 348003384.033685,
          "merges_per_s": 10661.705696184285,
          "flushes_per_s": 0.0,
          "busy_share": 0.7635898823206283
        },
        {
          "device": "disk3",
          "reads_per_s": 0.0,
          "writes_per_s": 10620.22046001236,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 348003384.033685,
          "merges_per_s": 10661.705696184285,
          "flushes_per_s": 0.0,
          "busy_share": 0.7637149257366566
        }
      ],
      "breakdown": null,
      "bottleneck": null,
      "findings": []
    },
    {
      "run": 1,
      "number": 9,
      "values": [
        "large",
        "randread",
        "16K",
        "512K"
      ],
      "stack": "large",
      "stack_words": "4 x samsung-850-evo-500 > raid10 n2 512K bitmap none > no filesystem",
      "chunk_bytes": 524288,
      "block_size_bytes": 16384,
      "estimates": {
        "bandwidth_bytes_per_s": {
          "value": 142133932.74824378,
          "low": 140348491.43333942,
          "high": 144440431.35313448,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "iops": {
          "value": 8675.166793716051,
          "low": 8566.192104085658,
          "high": 8815.944296455962,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_mean": {
          "value": 115271.859375,
          "low": 113430.84375,
          "high": 116737.984375,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p50": {
          "value": 115712.0,
          "low": 115200.0,
          "high": 117248.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p99": {
          "value": 141312.0,
          "low": 134144.0,
          "high": 148480.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p999": {
          "value": 141312.0,
          "low": 134144.0,
          "high": 148480.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        }
      },
      "verdicts": [
        {
          "metric": "bandwidth_bytes_per_s",
          "baseline": 16,
          "paired": true,
          "ratio": {
            "value": 1.0097215073617503,
            "low": 0.9964550687831751,
            "high": 1.0426398986211496,
            "level": 0.95,
            "samples": 6,
            "effective_samples": 6.0
          },
          "verdict": "no_difference",
          "margin": 0.05,
          "words": "no difference above 5 %",
          "pairs": [
            [
              135177178.84726524,
              140941120.0492055
            ],
            [
              141638000.05159923,
              141904453.86646387
            ],
            [
              140875868.67155826,
              143272122.70036557
            ],
            [
              140051002.38396677,
              142363411.6300237
            ],
            [
              144011683.80924705,
              144440431.35313448
            ],
            [
              140847787.15083092,
              140348491.43333942
            ]
          ]
        }
      ],
      "warnings": [],
      "samples": [
        {
          "started_unix_ns": 1790000000008000000,
          "elapsed_ns": 7439816,
          "block": 0,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 140941120.0492055,
          "iops": 8602.363284253266,
          "latency_ns_mean": 116247.125,
          "latency_ns_p99": 140288.0
        },
        {
          "started_unix_ns": 1790000000108000000,
          "elapsed_ns": 7389310,
          "block": 1,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 141904453.86646387,
          "iops": 8661.160514310539,
          "latency_ns_mean": 115457.96875,
          "latency_ns_p99": 142336.0
        },
        {
          "started_unix_ns": 1790000000208000000,
          "elapsed_ns": 7318772,
          "block": 2,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 143272122.70036557,
          "iops": 8744.636395285985,
          "latency_ns_mean": 114355.8125,
          "latency_ns_p99": 144384.0
        },
        {
          "started_unix_ns": 1790000000308000000,
          "elapsed_ns": 7365488,
          "block": 3,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 142363411.6300237,
          "iops": 8689.173073121563,
          "latency_ns_mean": 115085.75,
          "latency_ns_p99": 134144.0
        },
        {
          "started_unix_ns": 1790000000408000000,
          "elapsed_ns": 7259574,
          "block": 4,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 144440431.35313448,
          "iops": 8815.944296455962,
          "latency_ns_mean": 113430.84375,
          "latency_ns_p99": 140288.0
        },
        {
          "started_unix_ns": 1790000000508000000,
          "elapsed_ns": 7471231,
          "block": 5,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 140348491.43333942,
          "iops": 8566.192104085658,
          "latency_ns_mean": 116737.984375,
          "latency_ns_p99": 148480.0
        }
      ],
      "steady": null,
      "latency": {
        "ios": 384,
        "cumulative": [
          [
            46848,
            0.0026041666666666665
          ],
          [
            47360,
            0.005208333333333333
          ],
          [
            47872,
            0.0078125
          ],
          [
            48384,
            0.010416666666666666
          ],
          [
            48896,
            0.013020833333333334
          ],
          [
            49408,
            0.015625
          ],
          [
            51968,
            0.018229166666666668
          ],
          [
            92672,
            0.020833333333333332
          ],
          [
            93696,
            0.0234375
          ],
          [
            96768,
            0.03125
          ],
          [
            97792,
            0.036458333333333336
          ],
          [
            98816,
            0.041666666666666664
          ],
          [
            99840,
            0.046875
          ],
          [
            100864,
            0.0546875
          ],
          [
            101888,
            0.078125
          ],
          [
            102912,
            0.09895833333333333
          ],
          [
            103936,
            0.13020833333333334
          ],
          [
            104960,
            0.15364583333333334
          ],
          [
            105984,
            0.1796875
          ],
          [
            107008,
            0.19791666666666666
          ],
          [
            108032,
            0.23177083333333334
          ],
          [
            109056,
            0.2734375
          ],
          [
            110080,
            0.3098958333333333
          ],
          [
            111104,
            0.3463541666666667
          ],
          [
            112128,
            0.3802083333333333
          ],
          [
            113152,
            0.4296875
          ],
          [
            114176,
            0.4557291666666667
          ],
          [
            115200,
            0.4921875
          ],
          [
            116224,
            0.5234375
          ],
          [
            117248,
            0.578125
          ],
          [
            118272,
            0.6119791666666666
          ],
          [
            119296,
            0.6458333333333334
          ],
          [
            120320,
            0.6822916666666666
          ],
          [
            121344,
            0.7239583333333334
          ],
          [
            122368,
            0.7578125
          ],
          [
            123392,
            0.78125
          ],
          [
            124416,
            0.8125
          ],
          [
            125440,
            0.8411458333333334
          ],
          [
            126464,
            0.8619791666666666
          ],
          [
            127488,
            0.8802083333333334
          ],
          [
            128512,
            0.9036458333333334
          ],
          [
            129536,
            0.921875
          ],
          [
            130560,
            0.9270833333333334
          ],
          [
            132096,
            0.9479166666666666
          ],
          [
            134144,
            0.9635416666666666
          ],
          [
            136192,
            0.9739583333333334
          ],
          [
            138240,
            0.9869791666666666
          ],
          [
            140288,
            0.9921875
          ],
          [
            142336,
            0.9947916666666666
          ],
          [
            144384,
            0.9973958333333334
          ],
          [
            148480,
            1.0
          ]
        ],
        "percentiles": [
          {
            "percent": 50.0,
            "latency_ns": {
              "value": 115712.0,
              "low": 115200.0,
              "high": 117248.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 90.0,
            "latency_ns": {
              "value": 128512.0,
              "low": 127488.0,
              "high": 129536.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 95.0,
            "latency_ns": {
              "value": 133120.0,
              "low": 129536.0,
              "high": 136192.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          }
        ]
      },
      "members": [
        {
          "device": "disk0",
          "reads_per_s": 4429.960082217347,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 72580465.98704901,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.47578688917602757
        },
        {
          "device": "disk1",
          "reads_per_s": 0.0,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.0
        },
        {
          "device": "disk2",
          "reads_per_s": 4249.145384983985,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 69617997.98757762,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.4542595207583296
        },
        {
          "device": "disk3",
          "reads_per_s": 0.0,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.0
        }
      ],
      "breakdown": null,
      "bottleneck": null,
      "findings": []
    },
    {
      "run": 1,
      "number": 10,
      "values": [
        "large",
        "randread",
        "64K",
        "512K"
      ],
      "stack": "large",
      "stack_words": "4 x samsung-850-evo-500 > raid10 n2 512K bitmap none > no filesystem",
      "chunk_bytes": 524288,
      "block_size_bytes": 65536,
      "estimates": {
        "bandwidth_bytes_per_s": {
          "value": 314902100.358222,
          "low": 312188081.1001979,
          "high": 317448918.9505842,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "iops": {
          "value": 4805.024724704315,
          "low": 4763.612077334563,
          "high": 4843.886092385623,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_mean": {
          "value": 208119.625,
          "low": 206445.8125,
          "high": 209924.734375,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p50": {
          "value": 209920.0,
          "low": 207872.0,
          "high": 211968.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 4.285714285714286
        },
        "latency_ns_p99": {
          "value": 238592.0,
          "low": 228352.0,
          "high": 248832.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p999": {
          "value": 238592.0,
          "low": 228352.0,
          "high": 248832.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        }
      },
      "verdicts": [
        {
          "metric": "bandwidth_bytes_per_s",
          "baseline": 17,
          "paired": true,
          "ratio": {
            "value": 0.6315650022628745,
            "low": 0.6264134995407215,
            "high": 0.6603609361173167,
            "level": 0.95,
            "samples": 6,
            "effective_samples": 5.25
          },
          "verdict": "different",
          "low": 0.6264134995407215,
          "high": 0.6603609361173167,
          "words": "34 to 37 % slower",
          "pairs": [
            [
              480720317.61458975,
              317448918.9505842
            ],
            [
              497598082.8320936,
              312934805.348365
            ],
            [
              497530793.90385085,
              316308392.05491513
            ],
            [
              503178890.7641095,
              316329671.2695055
            ],
            [
              498373807.92254734,
              312188081.1001979
            ],
            [
              494277450.32600623,
              313495808.66152894
            ]
          ]
        }
      ],
      "warnings": [],
      "samples": [
        {
          "started_unix_ns": 1790000000009000000,
          "elapsed_ns": 13212532,
          "block": 0,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 317448918.9505842,
          "iops": 4843.886092385623,
          "latency_ns_mean": 206445.8125,
          "latency_ns_p99": 234496.0
        },
        {
          "started_unix_ns": 1790000000109000000,
          "elapsed_ns": 13403124,
          "block": 1,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 312934805.348365,
          "iops": 4775.0061851251985,
          "latency_ns_mean": 209423.8125,
          "latency_ns_p99": 236544.0
        },
        {
          "started_unix_ns": 1790000000209000000,
          "elapsed_ns": 13260173,
          "block": 2,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 316308392.05491513,
          "iops": 4826.483033064501,
          "latency_ns_mean": 207190.203125,
          "latency_ns_p99": 240640.0
        },
        {
          "started_unix_ns": 1790000000309000000,
          "elapsed_ns": 13259281,
          "block": 3,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 316329671.2695055,
          "iops": 4826.807728111351,
          "latency_ns_mean": 207176.265625,
          "latency_ns_p99": 228352.0
        },
        {
          "started_unix_ns": 1790000000409000000,
          "elapsed_ns": 13435183,
          "block": 4,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 312188081.1001979,
          "iops": 4763.612077334563,
          "latency_ns_mean": 209924.734375,
          "latency_ns_p99": 248832.0
        },
        {
          "started_unix_ns": 1790000000509000000,
          "elapsed_ns": 13379139,
          "block": 5,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 313495808.66152894,
          "iops": 4783.566416344131,
          "latency_ns_mean": 209049.046875,
          "latency_ns_p99": 244736.0
        }
      ],
      "steady": null,
      "latency": {
        "ios": 384,
        "cumulative": [
          [
            136192,
            0.013020833333333334
          ],
          [
            138240,
            0.028645833333333332
          ],
          [
            140288,
            0.033854166666666664
          ],
          [
            185344,
            0.036458333333333336
          ],
          [
            187392,
            0.0390625
          ],
          [
            189440,
            0.046875
          ],
          [
            191488,
            0.0546875
          ],
          [
            193536,
            0.0703125
          ],
          [
            195584,
            0.1171875
          ],
          [
            197632,
            0.15885416666666666
          ],
          [
            199680,
            0.1953125
          ],
          [
            201728,
            0.2604166666666667
          ],
          [
            203776,
            0.3333333333333333
          ],
          [
            205824,
            0.3984375
          ],
          [
            207872,
            0.4609375
          ],
          [
            209920,
            0.5364583333333334
          ],
          [
            211968,
            0.625
          ],
          [
            214016,
            0.6927083333333334
          ],
          [
            216064,
            0.7552083333333334
          ],
          [
            218112,
            0.8072916666666666
          ],
          [
            220160,
            0.8567708333333334
          ],
          [
            222208,
            0.9010416666666666
          ],
          [
            224256,
            0.9244791666666666
          ],
          [
            226304,
            0.9348958333333334
          ],
          [
            228352,
            0.9557291666666666
          ],
          [
            230400,
            0.9661458333333334
          ],
          [
            232448,
            0.9739583333333334
          ],
          [
            234496,
            0.984375
          ],
          [
            236544,
            0.9895833333333334
          ],
          [
            240640,
            0.9921875
          ],
          [
            242688,
            0.9947916666666666
          ],
          [
            244736,
            0.9973958333333334
          ],
          [
            248832,
            1.0
          ]
        ],
        "percentiles": [
          {
            "percent": 50.0,
            "latency_ns": {
              "value": 209920.0,
              "low": 207872.0,
              "high": 211968.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 4.285714285714286
            }
          },
          {
            "percent": 90.0,
            "latency_ns": {
              "value": 222208.0,
              "low": 222208.0,
              "high": 228352.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 95.0,
            "latency_ns": {
              "value": 228352.0,
              "low": 224256.0,
              "high": 234496.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          }
        ]
      },
      "members": [
        {
          "device": "disk0",
          "reads_per_s": 2176.375687071798,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 142630957.02793735,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.4332377996131354
        },
        {
          "device": "disk1",
          "reads_per_s": 0.0,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.0
        },
        {
          "device": "disk2",
          "reads_per_s": 2626.6603119832043,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 172140810.20613128,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.5257442729549349
        },
        {
          "device": "disk3",
          "reads_per_s": 0.0,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.0
        }
      ],
      "breakdown": null,
      "bottleneck": null,
      "findings": []
    },
    {
      "run": 1,
      "number": 11,
      "values": [
        "large",
        "randwrite",
        "16K",
        "512K"
      ],
      "stack": "large",
      "stack_words": "4 x samsung-850-evo-500 > raid10 n2 512K bitmap none > no filesystem",
      "chunk_bytes": 524288,
      "block_size_bytes": 16384,
      "estimates": {
        "bandwidth_bytes_per_s": {
          "value": 316342176.6146708,
          "low": 316142598.16763645,
          "high": 316616241.2208393,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 1.4556213017751483
        },
        "iops": {
          "value": 19307.99417814153,
          "low": 19295.812876442655,
          "high": 19324.72175420162,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 1.4556213017751483
        },
        "latency_ns_mean": {
          "value": 51792.01953125,
          "low": 51747.1875,
          "high": 51824.71484375,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 1.4556213017751483
        },
        "latency_ns_p50": {
          "value": 51968.0,
          "low": 51968.0,
          "high": 51968.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p99": {
          "value": 53248.0,
          "low": 52992.0,
          "high": 53504.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p999": {
          "value": 53504.0,
          "low": 53504.0,
          "high": 53504.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        }
      },
      "verdicts": [
        {
          "metric": "bandwidth_bytes_per_s",
          "baseline": 18,
          "paired": true,
          "ratio": {
            "value": 1.0004697330353947,
            "low": 0.9988079916764628,
            "high": 1.0012771678412486,
            "level": 0.95,
            "samples": 6,
            "effective_samples": 6.0
          },
          "verdict": "no_difference",
          "margin": 0.05,
          "words": "no difference above 5 %",
          "pairs": [
            [
              316196794.6422022,
              316376223.56839573
            ],
            [
              316212384.93180025,
              316616241.2208393
            ],
            [
              316810886.74861914,
              316433245.53462744
            ],
            [
              315984904.94169396,
              316218893.2598086
            ],
            [
              316215150.34247,
              316142598.16763645
            ],
            [
              316190501.7498149,
              316308129.6609459
            ]
          ]
        }
      ],
      "warnings": [
        {
          "kind": "autocorrelated",
          "metric": "bandwidth",
          "lag1": 0.6095238095238095,
          "samples": 6,
          "effective_samples": 1.4556213017751483,
          "message": "bandwidth: each sample resembles the one before (lag-1 correlation 0.61), so 6 samples count as 1.5",
          "hint": "longer samples or more of them; the interval allows for it already",
          "invalidates": false,
          "samples_affected": 0
        }
      ],
      "samples": [
        {
          "started_unix_ns": 1790000000010000000,
          "elapsed_ns": 13257330,
          "block": 0,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 316376223.56839573,
          "iops": 19310.072239281966,
          "latency_ns_mean": 51786.4453125,
          "latency_ns_p99": 53504.0
        },
        {
          "started_unix_ns": 1790000000110000000,
          "elapsed_ns": 13247280,
          "block": 1,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 316616241.2208393,
          "iops": 19324.72175420162,
          "latency_ns_mean": 51747.1875,
          "latency_ns_p99": 52992.0
        },
        {
          "started_unix_ns": 1790000000210000000,
          "elapsed_ns": 13254941,
          "block": 2,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 316433245.53462744,
          "iops": 19313.5525839006,
          "latency_ns_mean": 51777.11328125,
          "latency_ns_p99": 52992.0
        },
        {
          "started_unix_ns": 1790000000310000000,
          "elapsed_ns": 13263926,
          "block": 3,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 316218893.2598086,
          "iops": 19300.46955931449,
          "latency_ns_mean": 51812.2109375,
          "latency_ns_p99": 53504.0
        },
        {
          "started_unix_ns": 1790000000410000000,
          "elapsed_ns": 13267127,
          "block": 4,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 316142598.16763645,
          "iops": 19295.812876442655,
          "latency_ns_mean": 51824.71484375,
          "latency_ns_p99": 52992.0
        },
        {
          "started_unix_ns": 1790000000510000000,
          "elapsed_ns": 13260184,
          "block": 5,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 316308129.6609459,
          "iops": 19305.916117001092,
          "latency_ns_mean": 51797.59375,
          "latency_ns_p99": 53504.0
        }
      ],
      "steady": null,
      "latency": {
        "ios": 1536,
        "cumulative": [
          [
            49920,
            0.0013020833333333333
          ],
          [
            50432,
            0.024739583333333332
          ],
          [
            50944,
            0.16341145833333334
          ],
          [
            51456,
            0.4544270833333333
          ],
          [
            51968,
            0.7578125
          ],
          [
            52480,
            0.9446614583333334
          ],
          [
            52992,
            0.9915364583333334
          ],
          [
            53504,
            1.0
          ]
        ],
        "percentiles": [
          {
            "percent": 50.0,
            "latency_ns": {
              "value": 51968.0,
              "low": 51968.0,
              "high": 51968.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 90.0,
            "latency_ns": {
              "value": 52480.0,
              "low": 52480.0,
              "high": 52480.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 95.0,
            "latency_ns": {
              "value": 52992.0,
              "low": 52480.0,
              "high": 52992.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 3.0
            }
          },
          {
            "percent": 99.0,
            "latency_ns": {
              "value": 53248.0,
              "low": 52992.0,
              "high": 53504.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          }
        ]
      },
      "members": [
        {
          "device": "disk0",
          "reads_per_s": 0.0,
          "writes_per_s": 9591.356907740499,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 157144791.57642034,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.39285382063091573
        },
        {
          "device": "disk1",
          "reads_per_s": 0.0,
          "writes_per_s": 9591.356907740499,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 157144791.57642034,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.3932266893446737
        },
        {
          "device": "disk2",
          "reads_per_s": 0.0,
          "writes_per_s": 9717.062764984805,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 159204356.34151104,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.3985062347842488
        },
        {
          "device": "disk3",
          "reads_per_s": 0.0,
          "writes_per_s": 9717.062764984805,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 159204356.34151104,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.3977324146682243
        }
      ],
      "breakdown": null,
      "bottleneck": null,
      "findings": []
    },
    {
      "run": 1,
      "number": 12,
      "values": [
        "large",
        "randwrite",
        "64K",
        "512K"
      ],
      "stack": "large",
      "stack_words": "4 x samsung-850-evo-500 > raid10 n2 512K bitmap none > no filesystem",
      "chunk_bytes": 524288,
      "block_size_bytes": 65536,
      "estimates": {
        "bandwidth_bytes_per_s": {
          "value": 451905583.66564095,
          "low": 451860617.24383706,
          "high": 452051608.071317,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 2.0254777070063694
        },
        "iops": {
          "value": 6895.531977319961,
          "low": 6894.84584417476,
          "high": 6897.760132924149,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 2.0254777070063694
        },
        "latency_ns_mean": {
          "value": 145021.443359375,
          "low": 144974.59765625,
          "high": 145035.875,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 2.0254777070063694
        },
        "latency_ns_p50": {
          "value": 144384.0,
          "low": 144384.0,
          "high": 144384.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p99": {
          "value": 146432.0,
          "low": 146432.0,
          "high": 146432.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p999": {
          "value": 146432.0,
          "low": 146432.0,
          "high": 146432.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        }
      },
      "verdicts": [
        {
          "metric": "bandwidth_bytes_per_s",
          "baseline": 19,
          "paired": true,
          "ratio": {
            "value": 0.6493477817008417,
            "low": 0.6490424337140835,
            "high": 0.6495782939910547,
            "level": 0.95,
            "samples": 6,
            "effective_samples": 6.0
          },
          "verdict": "different",
          "low": 0.6490424337140835,
          "high": 0.6495782939910547,
          "words": "about 35 % slower",
          "pairs": [
            [
              695982226.0284045,
              451909667.4992917
            ],
            [
              696124276.230108,
              452051608.071317
            ],
            [
              696368256.144,
              451972547.7289339
            ],
            [
              695621484.6213118,
              451860617.24383706
            ],
            [
              696103567.193377,
              451883120.6171949
            ],
            [
              695841272.756396,
              451901499.83199024
            ]
          ]
        }
      ],
      "warnings": [],
      "samples": [
        {
          "started_unix_ns": 1790000000011000000,
          "elapsed_ns": 37125154,
          "block": 0,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 451909667.4992917,
          "iops": 6895.594291676204,
          "latency_ns_mean": 145020.1328125,
          "latency_ns_p99": 146432.0
        },
        {
          "started_unix_ns": 1790000000111000000,
          "elapsed_ns": 37113497,
          "block": 1,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 452051608.071317,
          "iops": 6897.760132924149,
          "latency_ns_mean": 144974.59765625,
          "latency_ns_p99": 146432.0
        },
        {
          "started_unix_ns": 1790000000211000000,
          "elapsed_ns": 37119989,
          "block": 2,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 451972547.7289339,
          "iops": 6896.553767836515,
          "latency_ns_mean": 144999.95703125,
          "latency_ns_p99": 146432.0
        },
        {
          "started_unix_ns": 1790000000311000000,
          "elapsed_ns": 37129184,
          "block": 3,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 451860617.24383706,
          "iops": 6894.84584417476,
          "latency_ns_mean": 145035.875,
          "latency_ns_p99": 146432.0
        },
        {
          "started_unix_ns": 1790000000411000000,
          "elapsed_ns": 37127335,
          "block": 4,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 451883120.6171949,
          "iops": 6895.189218402022,
          "latency_ns_mean": 145028.65234375,
          "latency_ns_p99": 146432.0
        },
        {
          "started_unix_ns": 1790000000511000000,
          "elapsed_ns": 37125825,
          "block": 5,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 451901499.83199024,
          "iops": 6895.469662963718,
          "latency_ns_mean": 145022.75390625,
          "latency_ns_p99": 146432.0
        }
      ],
      "steady": null,
      "latency": {
        "ios": 1536,
        "cumulative": [
          [
            144384,
            0.7415364583333334
          ],
          [
            146432,
            1.0
          ]
        ],
        "percentiles": [
          {
            "percent": 50.0,
            "latency_ns": {
              "value": 144384.0,
              "low": 144384.0,
              "high": 144384.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 90.0,
            "latency_ns": {
              "value": 146432.0,
              "low": 146432.0,
              "high": 146432.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 95.0,
            "latency_ns": {
              "value": 146432.0,
              "low": 146432.0,
              "high": 146432.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 99.0,
            "latency_ns": {
              "value": 146432.0,
              "low": 146432.0,
              "high": 146432.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          }
        ]
      },
      "members": [
        {
          "device": "disk0",
          "reads_per_s": 0.0,
          "writes_per_s": 3524.2728388054525,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 230966744.76395413,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.47121935584158137
        },
        {
          "device": "disk1",
          "reads_per_s": 0.0,
          "writes_per_s": 3524.2728388054525,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 230966744.76395413,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.471362342549407
        },
        {
          "device": "disk2",
          "reads_per_s": 0.0,
          "writes_per_s": 3371.6291744495475,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 220963089.57672554,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.45095903410393473
        },
        {
          "device": "disk3",
          "reads_per_s": 0.0,
          "writes_per_s": 3371.6291744495475,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 220963089.57672554,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.4507107636733794
        }
      ],
      "breakdown": null,
      "bottleneck": null,
      "findings": []
    }
  ],
  "answer": [
    {
      "claim": "overall",
      "axis": "stack",
      "standings": [
        {
          "value": "small",
          "mean_share": 0.9806124272552993,
          "low_share": 0.9662665363098271,
          "high_share": 0.9839600956792477,
          "worst_share": 0.9330265970629184,
          "worst_load": "randwrite 16K"
        },
        {
          "value": "one",
          "mean_share": 0.8037967513429578,
          "low_share": 0.7956965112307262,
          "high_share": 0.8144156517643741,
          "worst_share": 0.6330796222546168,
          "worst_load": "randread 64K"
        },
        {
          "value": "large",
          "mean_share": 0.7869646412805251,
          "low_share": 0.7776153450815334,
          "high_share": 0.7962690957097512,
          "worst_share": 0.6328870716547011,
          "worst_load": "randread 64K"
        }
      ],
      "loads": 4,
      "loads_all": 4,
      "metric": "bandwidth_bytes_per_s"
    },
    {
      "claim": "wins",
      "panel": "randread",
      "axis": "stack",
      "value": "small",
      "wins": 1,
      "certain": 1,
      "loads": 2,
      "metric": "bandwidth_bytes_per_s"
    },
    {
      "claim": "wins",
      "panel": "randwrite",
      "axis": "stack",
      "value": "one",
      "wins": 1,
      "certain": 1,
      "loads": 2,
      "metric": "bandwidth_bytes_per_s"
    },
    {
      "claim": "largest",
      "load": "randread 64K",
      "best": 5,
      "worst": 9,
      "ratio": 1.5800607166543499,
      "metric": "bandwidth_bytes_per_s"
    },
    {
      "claim": "against",
      "better": 1,
      "worse": 4,
      "same": 2,
      "unknown": 1,
      "metric": "bandwidth_bytes_per_s"
    },
    {
      "claim": "off",
      "run": 0,
      "reference": 1,
      "cells": 12,
      "mean_share": 0.0001267693332164995,
      "worst_share": 0.0015212319985979939,
      "worst_cell": 1,
      "metric": "bandwidth_bytes_per_s"
    },
    {
      "claim": "limits",
      "limits": [
        {
          "bottleneck": {
            "limit": "latency",
            "part": "link",
            "share": 0.5872484447931693,
            "time_ns": 122056.0
          },
          "cells": 7
        },
        {
          "bottleneck": {
            "limit": "latency",
            "part": "device_service",
            "share": 0.6554804488920111,
            "time_ns": 76196.94270833333
          },
          "cells": 4
        },
        {
          "bottleneck": {
            "limit": "saturated",
            "resource": "links",
            "busy_share": 0.8972999320990542,
            "share": 0.8938083161178957
          },
          "cells": 1
        }
      ],
      "cells": 12
    },
    {
      "claim": "settled",
      "settled": 12,
      "cells": 12,
      "margin": 0.05
    }
  ],
  "maps": [
    {
      "run": 0,
      "stack": "small",
      "level": "raid10",
      "layout": "n2",
      "unit": "chunk",
      "chunk_bytes": 16384,
      "members": [
        "disk0",
        "disk1",
        "disk2",
        "disk3"
      ],
      "member_count": 4,
      "rows": [
        {
          "label": "0",
          "boxes": [
            {
              "chunk": 0,
              "role": "data",
              "serves": true
            },
            {
              "chunk": 0,
              "role": "copy",
              "serves": false
            },
            {
              "chunk": 1,
              "role": "data",
              "serves": true
            },
            {
              "chunk": 1,
              "role": "copy",
              "serves": false
            }
          ]
        },
        {
          "label": "1",
          "boxes": [
            {
              "chunk": 2,
              "role": "data",
              "serves": true
            },
            {
              "chunk": 2,
              "role": "copy",
              "serves": false
            },
            {
              "chunk": 3,
              "role": "data",
              "serves": true
            },
            {
              "chunk": 3,
              "role": "copy",
              "serves": false
            }
          ]
        },
        {
          "label": "2",
          "boxes": [
            {
              "chunk": 4,
              "role": "data",
              "serves": true
            },
            {
              "chunk": 4,
              "role": "copy",
              "serves": false
            },
            {
              "chunk": 5,
              "role": "data",
              "serves": true
            },
            {
              "chunk": 5,
              "role": "copy",
              "serves": false
            }
          ]
        }
      ],
      "rows_left_out": 0
    },
    {
      "run": 0,
      "stack": "large",
      "level": "raid10",
      "layout": "n2",
      "unit": "chunk",
      "chunk_bytes": 524288,
      "members": [
        "disk0",
        "disk1",
        "disk2",
        "disk3"
      ],
      "member_count": 4,
      "rows": [
        {
          "label": "0",
          "boxes": [
            {
              "chunk": 0,
              "role": "data",
              "serves": true
            },
            {
              "chunk": 0,
              "role": "copy",
              "serves": false
            },
            {
              "chunk": 1,
              "role": "data",
              "serves": true
            },
            {
              "chunk": 1,
              "role": "copy",
              "serves": false
            }
          ]
        },
        {
          "label": "1",
          "boxes": [
            {
              "chunk": 2,
              "role": "data",
              "serves": true
            },
            {
              "chunk": 2,
              "role": "copy",
              "serves": false
            },
            {
              "chunk": 3,
              "role": "data",
              "serves": true
            },
            {
              "chunk": 3,
              "role": "copy",
              "serves": false
            }
          ]
        },
        {
          "label": "2",
          "boxes": [
            {
              "chunk": 4,
              "role": "data",
              "serves": true
            },
            {
              "chunk": 4,
              "role": "copy",
              "serves": false
            },
            {
              "chunk": 5,
              "role": "data",
              "serves": true
            },
            {
              "chunk": 5,
              "role": "copy",
              "serves": false
            }
          ]
        }
      ],
      "rows_left_out": 0
    }
  ],
  "views": [
    {
      "kind": "curve",
      "id": "curve",
      "metrics": [
        "bandwidth_bytes_per_s",
        "iops",
        "latency_ns_mean",
        "latency_ns_p50",
        "latency_ns_p99",
        "latency_ns_p999"
      ],
      "x": "block_size",
      "panel": "pattern",
      "series": [
        "stack"
      ]
    },
    {
      "kind": "heat_map",
      "id": "heat",
      "metrics": [
        "bandwidth_bytes_per_s",
        "iops",
        "latency_ns_mean",
        "latency_ns_p50",
        "latency_ns_p99",
        "latency_ns_p999"
      ],
      "rows": "chunk",
      "columns": "block_size",
      "panel": "pattern"
    },
    {
      "kind": "table",
      "id": "cells"
    },
    {
      "kind": "paired",
      "id": "paired"
    },
    {
      "kind": "waterfall",
      "id": "waterfall"
    },
    {
      "kind": "distribution",
      "id": "latency"
    },
    {
      "kind": "time_series",
      "id": "time"
    },
    {
      "kind": "array_map",
      "id": "map"
    },
    {
      "kind": "members",
      "id": "members"
    },
    {
      "kind": "warnings",
      "id": "warnings"
    },
    {
      "kind": "facts",
      "id": "facts"
    },
    {
      "kind": "commands",
      "id": "commands"
    },
    {
      "kind": "data",
      "id": "data"
    }
  ]
} satisfies Page;
