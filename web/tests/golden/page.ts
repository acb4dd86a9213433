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
        "kernel_rules": "4.1",
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
          "value": 141518943.7764904,
          "low": 141044258.84453478,
          "high": 141821184.91786242,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 2.1818181818181817
        },
        "iops": {
          "value": 8637.630845733056,
          "low": 8608.658376741625,
          "high": 8656.078181021876,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 2.1818181818181817
        },
        "latency_ns_mean": {
          "value": 115772.53662109375,
          "low": 115525.7587890625,
          "high": 116162.119140625,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 2.1818181818181817
        },
        "latency_ns_p50": {
          "value": 115200.0,
          "low": 115200.0,
          "high": 115200.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p99": {
          "value": 142336.0,
          "low": 140288.0,
          "high": 144384.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p999": {
          "value": 150528.0,
          "low": 146432.0,
          "high": 152576.0,
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
            "value": 1.0024763489503767,
            "low": 0.9998084573511183,
            "high": 1.0066711390137844,
            "level": 0.95,
            "samples": 6,
            "effective_samples": 1.4556213017751483
          },
          "difference_percent": {
            "value": 0.24763489503767389,
            "low": -0.01915426488816596,
            "high": 0.6671139013784355
          },
          "verdict": "no_difference",
          "margin": 0.05,
          "words": "no difference above 5 %",
          "pairs": [
            [
              140979631.62976342,
              141246264.14039844
            ],
            [
              141071280.01118937,
              141044258.84453478
            ],
            [
              141373129.91740242,
              141612110.86090976
            ],
            [
              140965821.05977634,
              141425776.692071
            ],
            [
              140712391.15253106,
              141651103.07487175
            ],
            [
              141454938.94664812,
              141821184.91786242
            ]
          ]
        }
      ],
      "before": {
        "metric": "bandwidth_bytes_per_s",
        "baseline": 12,
        "paired": false,
        "ratio": {
          "value": 1.0,
          "low": 0.9960280166655897,
          "high": 1.0039878229005117,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 2.1818181818181817
        },
        "difference_percent": {
          "value": 0.0,
          "low": -0.39719833344102895,
          "high": 0.3987822900511695
        },
        "verdict": "no_difference",
        "margin": 0.05,
        "words": "no difference above 5 %",
        "pairs": []
      },
      "warnings": [],
      "samples": [
        {
          "started_unix_ns": 1790000000000000000,
          "elapsed_ns": 237559784,
          "block": 0,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 141246264.14039844,
          "iops": 8620.98780153799,
          "latency_ns_mean": 115995.98828125,
          "latency_ns_p99": 142336.0
        },
        {
          "started_unix_ns": 1790000000100000000,
          "elapsed_ns": 237900020,
          "block": 1,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 141044258.84453478,
          "iops": 8608.658376741625,
          "latency_ns_mean": 116162.119140625,
          "latency_ns_p99": 144384.0
        },
        {
          "started_unix_ns": 1790000000200000000,
          "elapsed_ns": 236946062,
          "block": 2,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 141612110.86090976,
          "iops": 8643.31731328795,
          "latency_ns_mean": 115696.3193359375,
          "latency_ns_p99": 142336.0
        },
        {
          "started_unix_ns": 1790000000300000000,
          "elapsed_ns": 237258248,
          "block": 3,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 141425776.692071,
          "iops": 8631.944378178161,
          "latency_ns_mean": 115848.75390625,
          "latency_ns_p99": 144384.0
        },
        {
          "started_unix_ns": 1790000000400000000,
          "elapsed_ns": 236880838,
          "block": 4,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 141651103.07487175,
          "iops": 8645.697209159653,
          "latency_ns_mean": 115664.4716796875,
          "latency_ns_p99": 142336.0
        },
        {
          "started_unix_ns": 1790000000500000000,
          "elapsed_ns": 236596754,
          "block": 5,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 141821184.91786242,
          "iops": 8656.078181021876,
          "latency_ns_mean": 115525.7587890625,
          "latency_ns_p99": 140288.0
        }
      ],
      "steady": null,
      "latency": {
        "ios": 12288,
        "cumulative": [
          [
            45824,
            0.00016276041666666666
          ],
          [
            98816,
            0.040120442708333336
          ],
          [
            101888,
            0.08113606770833333
          ],
          [
            103936,
            0.11995442708333333
          ],
          [
            104960,
            0.14567057291666666
          ],
          [
            105984,
            0.172607421875
          ],
          [
            107008,
            0.20328776041666666
          ],
          [
            108032,
            0.23527018229166666
          ],
          [
            109056,
            0.27099609375
          ],
          [
            110080,
            0.3076985677083333
          ],
          [
            111104,
            0.3473307291666667
          ],
          [
            112128,
            0.3868815104166667
          ],
          [
            113152,
            0.4303385416666667
          ],
          [
            114176,
            0.4706217447916667
          ],
          [
            115200,
            0.5130208333333334
          ],
          [
            116224,
            0.5538736979166666
          ],
          [
            117248,
            0.5927734375
          ],
          [
            118272,
            0.63232421875
          ],
          [
            119296,
            0.66650390625
          ],
          [
            120320,
            0.70166015625
          ],
          [
            121344,
            0.73388671875
          ],
          [
            122368,
            0.76123046875
          ],
          [
            123392,
            0.7879231770833334
          ],
          [
            124416,
            0.8136393229166666
          ],
          [
            125440,
            0.8361002604166666
          ],
          [
            126464,
            0.85693359375
          ],
          [
            127488,
            0.8768717447916666
          ],
          [
            128512,
            0.89453125
          ],
          [
            129536,
            0.9085286458333334
          ],
          [
            130560,
            0.9235026041666666
          ],
          [
            132096,
            0.9456380208333334
          ],
          [
            134144,
            0.9611002604166666
          ],
          [
            136192,
            0.9718424479166666
          ],
          [
            138240,
            0.9818522135416666
          ],
          [
            140288,
            0.9877115885416666
          ],
          [
            142336,
            0.991943359375
          ],
          [
            144384,
            0.9951985677083334
          ],
          [
            146432,
            0.9972330729166666
          ],
          [
            148480,
            0.998046875
          ],
          [
            150528,
            0.9988606770833334
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
              "value": 115200.0,
              "low": 115200.0,
              "high": 115200.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 90.0,
            "latency_ns": {
              "value": 129536.0,
              "low": 128512.0,
              "high": 130560.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 95.0,
            "latency_ns": {
              "value": 134144.0,
              "low": 132096.0,
              "high": 134144.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 4.588235294117648
            }
          },
          {
            "percent": 99.0,
            "latency_ns": {
              "value": 142336.0,
              "low": 140288.0,
              "high": 144384.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 99.9,
            "latency_ns": {
              "value": 150528.0,
              "low": 146432.0,
              "high": 152576.0,
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
          "reads_per_s": 8634.41774504499,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 141466300.3348171,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.936462743225937
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
            "time_ns": 75723.53662109375
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
            "time_ns": 104943.41883116882
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
            "busy_share": 0.9364625264051046
          },
          {
            "component": "link of disk0",
            "busy_share": 0.2822514448472937
          },
          {
            "component": "uplink",
            "busy_share": 0.0
          },
          {
            "component": "cpu of job 0",
            "busy_share": 0.04628063704553501
          }
        ]
      },
      "bottleneck": {
        "limit": "latency",
        "part": "device_service",
        "share": 0.6540716721870369,
        "time_ns": 75723.53662109375,
        "busiest_disk_share": 0.936462743225937
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
          "value": 313948670.6755525,
          "low": 312746918.7400103,
          "high": 314607393.7866041,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "iops": {
          "value": 4790.476542290535,
          "low": 4772.139263000646,
          "high": 4800.527859292665,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_mean": {
          "value": 208747.53637695312,
          "low": 208310.42529296875,
          "high": 209549.62646484375,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p50": {
          "value": 209920.0,
          "low": 207872.0,
          "high": 209920.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 4.588235294117648
        },
        "latency_ns_p99": {
          "value": 236544.0,
          "low": 236544.0,
          "high": 240640.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p999": {
          "value": 245760.0,
          "low": 242688.0,
          "high": 248832.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 5.82089552238806
        }
      },
      "verdicts": [
        {
          "metric": "bandwidth_bytes_per_s",
          "baseline": 5,
          "paired": true,
          "ratio": {
            "value": 0.6343615915118206,
            "low": 0.6311799719000691,
            "high": 0.6375592488684381,
            "level": 0.95,
            "samples": 6,
            "effective_samples": 6.0
          },
          "difference_percent": {
            "value": -36.56384084881794,
            "low": -36.88200280999309,
            "high": -36.24407511315619
          },
          "verdict": "different",
          "low": 0.6311799719000691,
          "high": 0.6375592488684381,
          "words": "36 to 37 % slower",
          "pairs": [
            [
              493455932.67603,
              314607393.7866041
            ],
            [
              495495631.45759284,
              312746918.7400103
            ],
            [
              494116665.1062202,
              313616882.2671244
            ],
            [
              495123106.09623796,
              314080482.2792825
            ],
            [
              496284385.8391184,
              313816859.0718224
            ],
            [
              494897404.13621175,
              314175759.40225613
            ]
          ]
        }
      ],
      "before": {
        "metric": "bandwidth_bytes_per_s",
        "baseline": 13,
        "paired": false,
        "ratio": {
          "value": 0.9995802372902043,
          "low": null,
          "high": null,
          "level": 0.95,
          "samples": 5,
          "effective_samples": 5.0
        },
        "difference_percent": {
          "value": -0.04197627097957124,
          "low": null,
          "high": null
        },
        "verdict": "cannot_tell",
        "more_samples": {
          "forecast": "about",
          "samples": 1
        },
        "words": "cannot tell; about 1 more sample would",
        "pairs": []
      },
      "warnings": [],
      "samples": [
        {
          "started_unix_ns": 1790000000001000000,
          "elapsed_ns": 426619751,
          "block": 0,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 314607393.7866041,
          "iops": 4800.527859292665,
          "latency_ns_mean": 208310.42529296875,
          "latency_ns_p99": 236544.0
        },
        {
          "started_unix_ns": 1790000000101000000,
          "elapsed_ns": 429157635,
          "block": 1,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 312746918.7400103,
          "iops": 4772.139263000646,
          "latency_ns_mean": 209549.62646484375,
          "latency_ns_p99": 240640.0
        },
        {
          "started_unix_ns": 1790000000201000000,
          "elapsed_ns": 427967165,
          "block": 2,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 313616882.2671244,
          "iops": 4785.413852952948,
          "latency_ns_mean": 208968.34228515625,
          "latency_ns_p99": 236544.0
        },
        {
          "started_unix_ns": 1790000000301000000,
          "elapsed_ns": 427335462,
          "block": 3,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 314080482.2792825,
          "iops": 4792.487827747841,
          "latency_ns_mean": 208659.8935546875,
          "latency_ns_p99": 238592.0
        },
        {
          "started_unix_ns": 1790000000401000000,
          "elapsed_ns": 427694447,
          "block": 4,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 313816859.0718224,
          "iops": 4788.465256833228,
          "latency_ns_mean": 208835.17919921875,
          "latency_ns_p99": 236544.0
        },
        {
          "started_unix_ns": 1790000000501000000,
          "elapsed_ns": 427205868,
          "block": 5,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 314175759.40225613,
          "iops": 4793.941641269777,
          "latency_ns_mean": 208596.615234375,
          "latency_ns_p99": 236544.0
        }
      ],
      "steady": null,
      "latency": {
        "ios": 12288,
        "cumulative": [
          [
            136192,
            0.007242838541666667
          ],
          [
            138240,
            0.014973958333333334
          ],
          [
            140288,
            0.015706380208333332
          ],
          [
            183296,
            0.017740885416666668
          ],
          [
            185344,
            0.0205078125
          ],
          [
            187392,
            0.026041666666666668
          ],
          [
            189440,
            0.0361328125
          ],
          [
            191488,
            0.0537109375
          ],
          [
            193536,
            0.079345703125
          ],
          [
            195584,
            0.10921223958333333
          ],
          [
            197632,
            0.15283203125
          ],
          [
            199680,
            0.204345703125
          ],
          [
            201728,
            0.2694498697916667
          ],
          [
            203776,
            0.3389485677083333
          ],
          [
            205824,
            0.414794921875
          ],
          [
            207872,
            0.4935709635416667
          ],
          [
            209920,
            0.570068359375
          ],
          [
            211968,
            0.64306640625
          ],
          [
            214016,
            0.7080078125
          ],
          [
            216064,
            0.7635904947916666
          ],
          [
            218112,
            0.8136393229166666
          ],
          [
            220160,
            0.8555501302083334
          ],
          [
            222208,
            0.8911946614583334
          ],
          [
            224256,
            0.9195963541666666
          ],
          [
            226304,
            0.9412434895833334
          ],
          [
            228352,
            0.9573567708333334
          ],
          [
            230400,
            0.9680989583333334
          ],
          [
            232448,
            0.9777018229166666
          ],
          [
            234496,
            0.985595703125
          ],
          [
            236544,
            0.9901529947916666
          ],
          [
            238592,
            0.9934895833333334
          ],
          [
            240640,
            0.9964192708333334
          ],
          [
            242688,
            0.9976399739583334
          ],
          [
            244736,
            0.9983723958333334
          ],
          [
            246784,
            0.9991861979166666
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
              "high": 209920.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 4.588235294117648
            }
          },
          {
            "percent": 90.0,
            "latency_ns": {
              "value": 224256.0,
              "low": 222208.0,
              "high": 224256.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 4.588235294117648
            }
          },
          {
            "percent": 95.0,
            "latency_ns": {
              "value": 228352.0,
              "low": 226304.0,
              "high": 230400.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 99.0,
            "latency_ns": {
              "value": 236544.0,
              "low": 236544.0,
              "high": 240640.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 99.9,
            "latency_ns": {
              "value": 245760.0,
              "low": 242688.0,
              "high": 248832.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 5.82089552238806
            }
          }
        ]
      },
      "members": [
        {
          "device": "disk0",
          "reads_per_s": 4788.813018522876,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 313839649.9819152,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.962463515815387
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
            "time_ns": 78851.53637695312
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
            "time_ns": 109305.78890876565
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
            "busy_share": 0.9624633883243655
          },
          {
            "component": "link of disk0",
            "busy_share": 0.5845053470288514
          },
          {
            "component": "uplink",
            "busy_share": 0.0
          },
          {
            "component": "cpu of job 0",
            "busy_share": 0.027966763015734517
          }
        ]
      },
      "bottleneck": {
        "limit": "latency",
        "part": "link",
        "share": 0.5847063017768657,
        "time_ns": 122056.0,
        "busiest_disk_share": 0.962463515815387
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
          "value": 26843653.374027953,
          "low": 26318929.919184845,
          "high": 27466507.35452256,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 4.677966101694915
        },
        "iops": {
          "value": 1638.4065780046358,
          "low": 1606.3799999502469,
          "high": 1676.4225680250586,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 4.677966101694915
        },
        "latency_ns_mean": {
          "value": 610349.8566442418,
          "low": 596508.3142361111,
          "high": 622517.7106481482,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 4.677966101694915
        },
        "latency_ns_p50": {
          "value": 48896.0,
          "low": 48384.0,
          "high": 618496.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 4.285714285714286
        },
        "latency_ns_p99": {
          "value": 618496.0,
          "low": 618496.0,
          "high": 3424256.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 4.588235294117648
        },
        "latency_ns_p999": {
          "value": 149946368.0,
          "low": 111673344.0,
          "high": 149946368.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 4.588235294117648
        }
      },
      "verdicts": [
        {
          "metric": "bandwidth_bytes_per_s",
          "baseline": 6,
          "paired": true,
          "ratio": {
            "value": 0.517927734466147,
            "low": 0.49508090896373336,
            "high": 0.5458660557184581,
            "level": 0.95,
            "samples": 6,
            "effective_samples": 6.0
          },
          "difference_percent": {
            "value": -48.2072265533853,
            "low": -50.49190910362667,
            "high": -45.413394428154184
          },
          "verdict": "different",
          "low": 0.49508090896373336,
          "high": 0.5458660557184581,
          "words": "45 to 50 % slower",
          "pairs": [
            [
              54280629.23962131,
              26873303.263075184
            ],
            [
              48214996.414357364,
              26318929.919184845
            ],
            [
              51959976.122813806,
              26814003.484980717
            ],
            [
              52507597.56825292,
              27063743.841040976
            ],
            [
              51497818.39785532,
              27466507.35452256
            ],
            [
              51191049.065102436,
              26513264.06723392
            ]
          ]
        }
      ],
      "before": {
        "metric": "bandwidth_bytes_per_s",
        "baseline": 14,
        "paired": false,
        "ratio": {
          "value": 1.0,
          "low": 0.9701901922965955,
          "high": 1.0307257359846524,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 4.677966101694915
        },
        "difference_percent": {
          "value": 0.0,
          "low": -2.9809807703404467,
          "high": 3.0725735984652447
        },
        "verdict": "no_difference",
        "margin": 0.05,
        "words": "no difference above 5 %",
        "pairs": []
      },
      "warnings": [
        {
          "kind": "simulation_cut_short",
          "ios": 6912,
          "message": "the simulation reached the bound of its effort and rests on 6912 I/O(s): the estimate is less certain than usual",
          "hint": "ask about smaller I/Os, or fewer at once",
          "invalidates": false,
          "samples_affected": 6
        },
        {
          "kind": "not_stationary",
          "changing": "write_cache",
          "ios": 10245,
          "message": "after 10245 simulated I/O(s) what the devices' write caches hold still changed: this is a phase, not the long run",
          "hint": "ask about `state = \"fresh\"` for what comes first, or measure the long run on the device",
          "invalidates": false,
          "samples_affected": 1
        }
      ],
      "samples": [
        {
          "started_unix_ns": 1790000000002000000,
          "elapsed_ns": 4214078444,
          "block": 0,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 26873303.263075184,
          "iops": 1640.2162636154287,
          "latency_ns_mean": 609675.7008101852,
          "latency_ns_p99": 3424256.0
        },
        {
          "started_unix_ns": 1790000000102000000,
          "elapsed_ns": 4302842416,
          "block": 1,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 26318929.919184845,
          "iops": 1606.3799999502469,
          "latency_ns_mean": 622517.7106481482,
          "latency_ns_p99": 618496.0
        },
        {
          "started_unix_ns": 1790000000202000000,
          "elapsed_ns": 5631197299,
          "block": 2,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 26814003.484980717,
          "iops": 1636.5968923938426,
          "latency_ns_mean": 611024.0124782986,
          "latency_ns_p99": 618496.0
        },
        {
          "started_unix_ns": 1790000000302000000,
          "elapsed_ns": 4184425062,
          "block": 3,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 27063743.841040976,
          "iops": 1651.8398340479112,
          "latency_ns_mean": 605385.5703125,
          "latency_ns_p99": 618496.0
        },
        {
          "started_unix_ns": 1790000000402000000,
          "elapsed_ns": 4123065468,
          "block": 4,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 27466507.35452256,
          "iops": 1676.4225680250586,
          "latency_ns_mean": 596508.3142361111,
          "latency_ns_p99": 618496.0
        },
        {
          "started_unix_ns": 1790000000502000000,
          "elapsed_ns": 5695071856,
          "block": 5,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 26513264.06723392,
          "iops": 1618.2412150411328,
          "latency_ns_mean": 617954.8454861111,
          "latency_ns_p99": 618496.0
        }
      ],
      "steady": null,
      "latency": {
        "ios": 46080,
        "cumulative": [
          [
            46336,
            0.00390625
          ],
          [
            46848,
            0.02944878472222222
          ],
          [
            47360,
            0.11540798611111111
          ],
          [
            47872,
            0.2646701388888889
          ],
          [
            48384,
            0.4302734375
          ],
          [
            48896,
            0.5479600694444444
          ],
          [
            49408,
            0.6093532986111111
          ],
          [
            602112,
            0.6455512152777778
          ],
          [
            618496,
            0.9955295138888889
          ],
          [
            35389440,
            0.9968967013888889
          ],
          [
            71827456,
            0.9978298611111112
          ],
          [
            119013376,
            0.9984809027777778
          ],
          [
            147849216,
            0.9986979166666666
          ],
          [
            149946368,
            1.0
          ]
        ],
        "percentiles": [
          {
            "percent": 50.0,
            "latency_ns": {
              "value": 48896.0,
              "low": 48384.0,
              "high": 618496.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 4.285714285714286
            }
          },
          {
            "percent": 90.0,
            "latency_ns": {
              "value": 618496.0,
              "low": 49920.0,
              "high": 618496.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 4.588235294117648
            }
          },
          {
            "percent": 95.0,
            "latency_ns": {
              "value": 618496.0,
              "low": 618496.0,
              "high": 618496.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 99.0,
            "latency_ns": {
              "value": 618496.0,
              "low": 618496.0,
              "high": 3424256.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 4.588235294117648
            }
          },
          {
            "percent": 99.9,
            "latency_ns": {
              "value": 149946368.0,
              "low": 111673344.0,
              "high": 149946368.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 4.588235294117648
            }
          }
        ]
      },
      "members": [
        {
          "device": "disk0",
          "reads_per_s": 0.0,
          "writes_per_s": 1636.905364555548,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 26819057.492878098,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.987952579709117
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
            "time_ns": 7158.687445746527
          },
          {
            "part": "link",
            "time_ns": 595831.1691984953
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
            "time_ns": 7134.193776558968
          },
          {
            "part": "link",
            "time_ns": 26840184.803496655
          },
          {
            "part": "completion",
            "time_ns": 4500.0
          }
        ],
        "utilisation": [
          {
            "component": "disk0",
            "busy_share": 0.987942406970606
          },
          {
            "component": "link of disk0",
            "busy_share": 0.05539525616465638
          },
          {
            "component": "uplink",
            "busy_share": 0.0
          },
          {
            "component": "cpu of job 0",
            "busy_share": 0.008781195783945768
          }
        ],
        "onset": {
          "bytes_per_s": 338680282.66206986,
          "ios_per_s": 20671.4039710736,
          "bytes": 6004278952,
          "time_ns": 17718290641
        }
      },
      "bottleneck": {
        "limit": "latency",
        "part": "link",
        "share": 0.9762125160058667,
        "time_ns": 595831.1691984953,
        "busiest_disk_share": 0.987952579709117
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
          "value": 26936319.838312678,
          "low": 26790124.116247047,
          "high": 27005128.30071553,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "iops": {
          "value": 411.01562253284726,
          "low": 408.7848528480079,
          "high": 412.0655563463673,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_mean": {
          "value": 2432997.6893084487,
          "low": 2426798.3203125,
          "high": 2446274.594161184,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
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
          "value": 70778880.0,
          "low": 55836672.0,
          "high": 77070336.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p999": {
          "value": 149946368.0,
          "low": 149946368.0,
          "high": 149946368.0,
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
            "value": 0.5051735433066183,
            "low": 0.4646314374816196,
            "high": 0.5368231694553577,
            "level": 0.95,
            "samples": 6,
            "effective_samples": 6.0
          },
          "difference_percent": {
            "value": -49.48264566933817,
            "low": -53.53685625183804,
            "high": -46.31768305446423
          },
          "verdict": "different",
          "low": 0.4646314374816196,
          "high": 0.5368231694553577,
          "words": "1.9 to 2.2 times as slow",
          "pairs": [
            [
              51843219.49509859,
              26942911.92614666
            ],
            [
              54556449.35525005,
              26790124.116247047
            ],
            [
              52678591.344437055,
              27005128.30071553
            ],
            [
              57959332.01688275,
              26929727.750478692
            ],
            [
              53602211.82598901,
              26944113.45839954
            ],
            [
              50153014.69745311,
              26923300.307627957
            ]
          ]
        }
      ],
      "before": {
        "metric": "bandwidth_bytes_per_s",
        "baseline": 15,
        "paired": false,
        "ratio": {
          "value": 1.0,
          "low": 0.9940074892119216,
          "high": 1.0060286374631136,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "difference_percent": {
          "value": 0.0,
          "low": -0.5992510788078387,
          "high": 0.6028637463113551
        },
        "verdict": "no_difference",
        "margin": 0.05,
        "words": "no difference above 5 %",
        "pairs": []
      },
      "warnings": [
        {
          "kind": "simulation_cut_short",
          "ios": 6912,
          "message": "the simulation reached the bound of its effort and rests on 6912 I/O(s): the estimate is less certain than usual",
          "hint": "ask about smaller I/Os, or fewer at once",
          "invalidates": false,
          "samples_affected": 1
        },
        {
          "kind": "not_stationary",
          "changing": "write_cache",
          "ios": 10245,
          "message": "after 10245 simulated I/O(s) what the devices' write caches hold still changed: this is a phase, not the long run",
          "hint": "ask about `state = \"fresh\"` for what comes first, or measure the long run on the device",
          "invalidates": false,
          "samples_affected": 1
        }
      ],
      "samples": [
        {
          "started_unix_ns": 1790000000003000000,
          "elapsed_ns": 16812764457,
          "block": 0,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 26942911.92614666,
          "iops": 411.11620981058746,
          "latency_ns_mean": 2432402.265190972,
          "latency_ns_p99": 73924608.0
        },
        {
          "started_unix_ns": 1790000000103000000,
          "elapsed_ns": 11898679626,
          "block": 1,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 26790124.116247047,
          "iops": 408.7848528480079,
          "latency_ns_mean": 2446274.594161184,
          "latency_ns_p99": 67633152.0
        },
        {
          "started_unix_ns": 1790000000203000000,
          "elapsed_ns": 18016550730,
          "block": 2,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 27005128.30071553,
          "iops": 412.0655563463673,
          "latency_ns_mean": 2426798.3203125,
          "latency_ns_p99": 77070336.0
        },
        {
          "started_unix_ns": 1790000000303000000,
          "elapsed_ns": 16820995600,
          "block": 3,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 26929727.750478692,
          "iops": 410.915035255107,
          "latency_ns_mean": 2433593.113425926,
          "latency_ns_p99": 55836672.0
        },
        {
          "started_unix_ns": 1790000000403000000,
          "elapsed_ns": 19302683564,
          "block": 4,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 26944113.45839954,
          "iops": 411.134543737786,
          "latency_ns_mean": 2432293.7958669355,
          "latency_ns_p99": 67633152.0
        },
        {
          "started_unix_ns": 1790000000503000000,
          "elapsed_ns": 14955565603,
          "block": 5,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 26923300.307627957,
          "iops": 410.81696026043636,
          "latency_ns_mean": 2434174.0890299478,
          "latency_ns_p99": 77070336.0
        }
      ],
      "steady": null,
      "latency": {
        "ios": 40192,
        "cumulative": [
          [
            140288,
            0.258359872611465
          ],
          [
            142336,
            0.643187699044586
          ],
          [
            2441216,
            0.66125099522293
          ],
          [
            2473984,
            0.9838027468152867
          ],
          [
            49020928,
            0.9883061305732485
          ],
          [
            102236160,
            0.9918142914012739
          ],
          [
            143654912,
            0.9942277070063694
          ],
          [
            147849216,
            0.9944765127388535
          ],
          [
            149946368,
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
              "value": 2473984.0,
              "low": 2473984.0,
              "high": 2473984.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 95.0,
            "latency_ns": {
              "value": 2473984.0,
              "low": 2473984.0,
              "high": 2473984.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 99.0,
            "latency_ns": {
              "value": 70778880.0,
              "low": 55836672.0,
              "high": 77070336.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 99.9,
            "latency_ns": {
              "value": 149946368.0,
              "low": 149946368.0,
              "high": 149946368.0,
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
          "writes_per_s": 410.93072632037166,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 26930756.080131877,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.996778439700854
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
            "time_ns": 7179.235966435185
          },
          {
            "part": "link",
            "time_ns": 2417978.453342014
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
            "time_ns": 7172.976458752515
          },
          {
            "part": "link",
            "time_ns": 129581469.41317907
          },
          {
            "part": "completion",
            "time_ns": 4500.0
          }
        ],
        "utilisation": [
          {
            "component": "disk0",
            "busy_share": 0.9967794243032144
          },
          {
            "component": "link of disk0",
            "busy_share": 0.051988260973983895
          },
          {
            "component": "uplink",
            "busy_share": 0.0
          },
          {
            "component": "cpu of job 0",
            "busy_share": 0.0023991042740380713
          }
        ],
        "onset": {
          "bytes_per_s": 462798124.68901455,
          "ios_per_s": 7061.738963150247,
          "bytes": 6004635959,
          "time_ns": 12975883712
        }
      },
      "bottleneck": {
        "limit": "latency",
        "part": "link",
        "share": 0.9938268597490102,
        "time_ns": 2417978.453342014,
        "busiest_disk_share": 0.996778439700854
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
          "value": 141025455.8204764,
          "low": 140712391.15253106,
          "high": 141454938.94664812,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "iops": {
          "value": 8607.51073123025,
          "low": 8588.40278030585,
          "high": 8633.724300942878,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_mean": {
          "value": 116177.61938476562,
          "low": 115824.87060546875,
          "high": 116436.08544921875,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p50": {
          "value": 116224.0,
          "low": 116224.0,
          "high": 116224.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p99": {
          "value": 142336.0,
          "low": 142336.0,
          "high": 146432.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p999": {
          "value": 152576.0,
          "low": 150528.0,
          "high": 152576.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        }
      },
      "verdicts": [],
      "before": {
        "metric": "bandwidth_bytes_per_s",
        "baseline": 16,
        "paired": false,
        "ratio": {
          "value": 1.0,
          "low": 0.9962407127226983,
          "high": 1.0037734728457621,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "difference_percent": {
          "value": 0.0,
          "low": -0.37592872773016817,
          "high": 0.3773472845762127
        },
        "verdict": "no_difference",
        "margin": 0.05,
        "words": "no difference above 5 %",
        "pairs": []
      },
      "warnings": [],
      "samples": [
        {
          "started_unix_ns": 1790000000004000000,
          "elapsed_ns": 238009077,
          "block": 0,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 140979631.62976342,
          "iops": 8604.713844590053,
          "latency_ns_mean": 116215.36962890625,
          "latency_ns_p99": 142336.0
        },
        {
          "started_unix_ns": 1790000000104000000,
          "elapsed_ns": 237854452,
          "block": 1,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 141071280.01118937,
          "iops": 8610.307617870445,
          "latency_ns_mean": 116139.869140625,
          "latency_ns_p99": 146432.0
        },
        {
          "started_unix_ns": 1790000000204000000,
          "elapsed_ns": 237346602,
          "block": 2,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 141373129.91740242,
          "iops": 8628.731074060206,
          "latency_ns_mean": 115891.8955078125,
          "latency_ns_p99": 142336.0
        },
        {
          "started_unix_ns": 1790000000304000000,
          "elapsed_ns": 238032395,
          "block": 3,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 140965821.05977634,
          "iops": 8603.87091429299,
          "latency_ns_mean": 116226.75537109375,
          "latency_ns_p99": 142336.0
        },
        {
          "started_unix_ns": 1790000000404000000,
          "elapsed_ns": 238461103,
          "block": 4,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 140712391.15253106,
          "iops": 8588.40278030585,
          "latency_ns_mean": 116436.08544921875,
          "latency_ns_p99": 142336.0
        },
        {
          "started_unix_ns": 1790000000504000000,
          "elapsed_ns": 237209335,
          "block": 5,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 141454938.94664812,
          "iops": 8633.724300942878,
          "latency_ns_mean": 115824.87060546875,
          "latency_ns_p99": 142336.0
        }
      ],
      "steady": null,
      "latency": {
        "ios": 12288,
        "cumulative": [
          [
            46336,
            0.00008138020833333333
          ],
          [
            98816,
            0.037190755208333336
          ],
          [
            101888,
            0.074462890625
          ],
          [
            103936,
            0.11018880208333333
          ],
          [
            104960,
            0.13362630208333334
          ],
          [
            105984,
            0.15950520833333334
          ],
          [
            107008,
            0.19083658854166666
          ],
          [
            108032,
            0.22265625
          ],
          [
            109056,
            0.2572428385416667
          ],
          [
            110080,
            0.2925618489583333
          ],
          [
            111104,
            0.3307291666666667
          ],
          [
            112128,
            0.367919921875
          ],
          [
            113152,
            0.4072265625
          ],
          [
            114176,
            0.4454752604166667
          ],
          [
            115200,
            0.4883626302083333
          ],
          [
            116224,
            0.530517578125
          ],
          [
            117248,
            0.5699055989583334
          ],
          [
            118272,
            0.6087239583333334
          ],
          [
            119296,
            0.648193359375
          ],
          [
            120320,
            0.6832682291666666
          ],
          [
            121344,
            0.71533203125
          ],
          [
            122368,
            0.7498372395833334
          ],
          [
            123392,
            0.7793782552083334
          ],
          [
            124416,
            0.8058268229166666
          ],
          [
            125440,
            0.8292643229166666
          ],
          [
            126464,
            0.8512369791666666
          ],
          [
            127488,
            0.8706868489583334
          ],
          [
            128512,
            0.88916015625
          ],
          [
            129536,
            0.9055989583333334
          ],
          [
            130560,
            0.919189453125
          ],
          [
            132096,
            0.94091796875
          ],
          [
            134144,
            0.9583333333333334
          ],
          [
            136192,
            0.9711100260416666
          ],
          [
            138240,
            0.9798990885416666
          ],
          [
            140288,
            0.9871419270833334
          ],
          [
            142336,
            0.991455078125
          ],
          [
            144384,
            0.9933268229166666
          ],
          [
            146432,
            0.9955240885416666
          ],
          [
            148480,
            0.997314453125
          ],
          [
            150528,
            0.9982096354166666
          ],
          [
            152576,
            0.99951171875
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
              "value": 116224.0,
              "low": 116224.0,
              "high": 116224.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 90.0,
            "latency_ns": {
              "value": 129536.0,
              "low": 129536.0,
              "high": 130560.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 95.0,
            "latency_ns": {
              "value": 134144.0,
              "low": 134144.0,
              "high": 134144.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 99.0,
            "latency_ns": {
              "value": 142336.0,
              "low": 142336.0,
              "high": 146432.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 99.9,
            "latency_ns": {
              "value": 152576.0,
              "low": 150528.0,
              "high": 152576.0,
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
          "reads_per_s": 4342.241017021134,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 71143276.82287426,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.4685961715041227
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
          "reads_per_s": 4269.356403436532,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 69949135.31390414,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.46200932266531713
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
            "time_ns": 75428.61938476562
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
            "time_ns": 105237.21385237614
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
            "busy_share": 0.46860213747895463
          },
          {
            "component": "link of disk0",
            "busy_share": 0.1419456173261118
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
            "busy_share": 0.4620031337327319
          },
          {
            "component": "link of disk2",
            "busy_share": 0.13955979519765296
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
            "busy_share": 0.052186448037383044
          }
        ]
      },
      "bottleneck": {
        "limit": "latency",
        "part": "device_service",
        "share": 0.649252582246117,
        "time_ns": 75428.61938476562
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
          "busy": 0.9306054941694398,
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
          "value": 495010255.1162249,
          "low": 493455932.67603,
          "high": 496284385.8391184,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "iops": {
          "value": 7553.257066592787,
          "low": 7529.539988342743,
          "high": 7572.69875853147,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_mean": {
          "value": 132393.2236328125,
          "low": 132053.318359375,
          "high": 132810.23828125,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p50": {
          "value": 132096.0,
          "low": 132096.0,
          "high": 132096.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p99": {
          "value": 155648.0,
          "low": 152576.0,
          "high": 156672.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p999": {
          "value": 158720.0,
          "low": 156672.0,
          "high": 158720.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        }
      },
      "verdicts": [],
      "before": {
        "metric": "bandwidth_bytes_per_s",
        "baseline": 17,
        "paired": false,
        "ratio": {
          "value": 1.0,
          "low": 0.9959463801833218,
          "high": 1.0040701185298069,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "difference_percent": {
          "value": 0.0,
          "low": -0.4053619816678178,
          "high": 0.40701185298068765
        },
        "verdict": "no_difference",
        "margin": 0.05,
        "words": "no difference above 5 %",
        "pairs": []
      },
      "warnings": [],
      "samples": [
        {
          "started_unix_ns": 1790000000005000000,
          "elapsed_ns": 67998842,
          "block": 0,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 493455932.67603,
          "iops": 7529.539988342743,
          "latency_ns_mean": 132810.23828125,
          "latency_ns_p99": 154624.0
        },
        {
          "started_unix_ns": 1790000000105000000,
          "elapsed_ns": 67718926,
          "block": 1,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 495495631.45759284,
          "iops": 7560.663321801649,
          "latency_ns_mean": 132263.52734375,
          "latency_ns_p99": 156672.0
        },
        {
          "started_unix_ns": 1790000000205000000,
          "elapsed_ns": 67907914,
          "block": 2,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 494116665.1062202,
          "iops": 7539.621965121768,
          "latency_ns_mean": 132632.64453125,
          "latency_ns_p99": 154624.0
        },
        {
          "started_unix_ns": 1790000000305000000,
          "elapsed_ns": 67769877,
          "block": 3,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 495123106.09623796,
          "iops": 7554.979035892303,
          "latency_ns_mean": 132363.041015625,
          "latency_ns_p99": 156672.0
        },
        {
          "started_unix_ns": 1790000000405000000,
          "elapsed_ns": 67611299,
          "block": 4,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 496284385.8391184,
          "iops": 7572.69875853147,
          "latency_ns_mean": 132053.318359375,
          "latency_ns_p99": 152576.0
        },
        {
          "started_unix_ns": 1790000000505000000,
          "elapsed_ns": 67800784,
          "block": 5,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 494897404.13621175,
          "iops": 7551.53509729327,
          "latency_ns_mean": 132423.40625,
          "latency_ns_p99": 156672.0
        }
      ],
      "steady": null,
      "latency": {
        "ios": 3072,
        "cumulative": [
          [
            111104,
            0.0003255208333333333
          ],
          [
            114176,
            0.0009765625
          ],
          [
            115200,
            0.0032552083333333335
          ],
          [
            116224,
            0.0087890625
          ],
          [
            117248,
            0.011393229166666666
          ],
          [
            118272,
            0.017252604166666668
          ],
          [
            119296,
            0.028971354166666668
          ],
          [
            120320,
            0.045247395833333336
          ],
          [
            121344,
            0.06608072916666667
          ],
          [
            122368,
            0.0966796875
          ],
          [
            123392,
            0.12565104166666666
          ],
          [
            124416,
            0.16471354166666666
          ],
          [
            125440,
            0.20768229166666666
          ],
          [
            126464,
            0.2535807291666667
          ],
          [
            127488,
            0.3017578125
          ],
          [
            128512,
            0.3583984375
          ],
          [
            129536,
            0.4192708333333333
          ],
          [
            130560,
            0.4703776041666667
          ],
          [
            132096,
            0.5745442708333334
          ],
          [
            134144,
            0.6689453125
          ],
          [
            136192,
            0.7568359375
          ],
          [
            138240,
            0.8255208333333334
          ],
          [
            140288,
            0.8766276041666666
          ],
          [
            142336,
            0.9095052083333334
          ],
          [
            144384,
            0.9365234375
          ],
          [
            146432,
            0.9563802083333334
          ],
          [
            148480,
            0.96875
          ],
          [
            150528,
            0.9768880208333334
          ],
          [
            152576,
            0.9856770833333334
          ],
          [
            154624,
            0.9899088541666666
          ],
          [
            156672,
            0.99609375
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
              "value": 132096.0,
              "low": 132096.0,
              "high": 132096.0,
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
              "high": 144384.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 5.0769230769230775
            }
          },
          {
            "percent": 95.0,
            "latency_ns": {
              "value": 146432.0,
              "low": 144384.0,
              "high": 148480.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 99.0,
            "latency_ns": {
              "value": 155648.0,
              "low": 152576.0,
              "high": 156672.0,
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
          "reads_per_s": 7551.480559453206,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 123723457.48608133,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.8175305713652251
        },
        {
          "device": "disk1",
          "reads_per_s": 7551.480559453206,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 123723457.48608133,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.8208425912510265
        },
        {
          "device": "disk2",
          "reads_per_s": 7551.480559453206,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 123723457.48608133,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.8208007582119117
        },
        {
          "device": "disk3",
          "reads_per_s": 7551.480559453206,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 123723457.48608133,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.8228070553305878
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
            "time_ns": 75895.7744140625
          },
          {
            "part": "link",
            "time_ns": 32689.0
          },
          {
            "part": "slowest_member",
            "time_ns": 10624.08984375
          },
          {
            "part": "completion",
            "time_ns": 4944.359375
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
            "time_ns": 87384.15178571429
          },
          {
            "part": "link",
            "time_ns": 32689.0
          },
          {
            "part": "slowest_member",
            "time_ns": 24652.419642857145
          },
          {
            "part": "completion",
            "time_ns": 4500.0
          }
        ],
        "utilisation": [
          {
            "component": "disk0",
            "busy_share": 0.817530332997961
          },
          {
            "component": "link of disk0",
            "busy_share": 0.24685119144008563
          },
          {
            "component": "disk1",
            "busy_share": 0.8208418734166797
          },
          {
            "component": "link of disk1",
            "busy_share": 0.24685119144008563
          },
          {
            "component": "disk2",
            "busy_share": 0.820804275264701
          },
          {
            "component": "link of disk2",
            "busy_share": 0.24685119144008563
          },
          {
            "component": "disk3",
            "busy_share": 0.822806909007527
          },
          {
            "component": "link of disk3",
            "busy_share": 0.24685119144008563
          },
          {
            "component": "uplink",
            "busy_share": 0.0
          },
          {
            "component": "cpu of job 0",
            "busy_share": 0.13773947602762895
          }
        ]
      },
      "bottleneck": {
        "limit": "latency",
        "part": "device_service",
        "share": 0.5732602646231842,
        "time_ns": 75895.7744140625
      },
      "findings": [
        {
          "finding": "slowest_member",
          "share": 0.08024647751772782,
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
          "value": 51728897.260334566,
          "low": 48214996.414357364,
          "high": 54280629.23962131,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "iops": {
          "value": 3157.281326924717,
          "low": 2942.8098397434915,
          "high": 3313.0266869886054,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_mean": {
          "value": 316734.5104709201,
          "low": 301838.8001302083,
          "high": 339811.2873263889,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
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
          "value": 307584.0,
          "low": 53504.0,
          "high": 618496.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p999": {
          "value": 65273856.0,
          "low": 59506688.0,
          "high": 78118912.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 5.941463414634146
        }
      },
      "verdicts": [],
      "before": {
        "metric": "bandwidth_bytes_per_s",
        "baseline": 18,
        "paired": false,
        "ratio": {
          "value": 1.0,
          "low": 0.9182873961100686,
          "high": 1.0889836931619359,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "difference_percent": {
          "value": 0.0,
          "low": -8.17126038899314,
          "high": 8.898369316193588
        },
        "verdict": "cannot_tell",
        "more_samples": {
          "forecast": "about",
          "samples": 13
        },
        "words": "cannot tell; about 13 more samples would",
        "pairs": []
      },
      "warnings": [
        {
          "kind": "simulation_cut_short",
          "ios": 4608,
          "message": "the simulation reached the bound of its effort and rests on 4608 I/O(s): the estimate is less certain than usual",
          "hint": "ask about smaller I/Os, or fewer at once",
          "invalidates": false,
          "samples_affected": 6
        },
        {
          "kind": "not_stationary",
          "changing": "write_cache",
          "ios": 6830,
          "message": "after 6830 simulated I/O(s) what the devices' write caches hold still changed: this is a phase, not the long run",
          "hint": "ask about `state = \"fresh\"` for what comes first, or measure the long run on the device",
          "invalidates": false,
          "samples_affected": 5
        }
      ],
      "samples": [
        {
          "started_unix_ns": 1790000000006000000,
          "elapsed_ns": 1390873191,
          "block": 0,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 54280629.23962131,
          "iops": 3313.0266869886054,
          "latency_ns_mean": 301838.8001302083,
          "latency_ns_p99": 561152.0
        },
        {
          "started_unix_ns": 1790000000106000000,
          "elapsed_ns": 1565850412,
          "block": 1,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 48214996.414357364,
          "iops": 2942.8098397434915,
          "latency_ns_mean": 339811.2873263889,
          "latency_ns_p99": 618496.0
        },
        {
          "started_unix_ns": 1790000000206000000,
          "elapsed_ns": 1937323754,
          "block": 2,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 51959976.122813806,
          "iops": 3171.38526140221,
          "latency_ns_mean": 315319.6214192708,
          "latency_ns_p99": 53504.0
        },
        {
          "started_unix_ns": 1790000000306000000,
          "elapsed_ns": 1437839008,
          "block": 3,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 52507597.56825292,
          "iops": 3204.809421890437,
          "latency_ns_mean": 312031.03472222225,
          "latency_ns_p99": 54016.0
        },
        {
          "started_unix_ns": 1790000000406000000,
          "elapsed_ns": 1466032433,
          "block": 4,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 51497818.39785532,
          "iops": 3143.177392447224,
          "latency_ns_mean": 318149.39952256944,
          "latency_ns_p99": 618496.0
        },
        {
          "started_unix_ns": 1790000000506000000,
          "elapsed_ns": 1474817832,
          "block": 5,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 51191049.065102436,
          "iops": 3124.4536782899436,
          "latency_ns_mean": 320055.953125,
          "latency_ns_p99": 54016.0
        }
      ],
      "steady": null,
      "latency": {
        "ios": 29184,
        "cumulative": [
          [
            49920,
            0.0001713267543859649
          ],
          [
            50432,
            0.024294133771929825
          ],
          [
            50944,
            0.14768366228070176
          ],
          [
            51456,
            0.43640350877192985
          ],
          [
            51968,
            0.7464364035087719
          ],
          [
            52480,
            0.9216694078947368
          ],
          [
            52992,
            0.9739240679824561
          ],
          [
            53504,
            0.9833813048245614
          ],
          [
            544768,
            0.986328125
          ],
          [
            610304,
            0.9884868421052632
          ],
          [
            618496,
            0.9921875
          ],
          [
            12386304,
            0.9945518092105263
          ],
          [
            24772608,
            0.9962308114035088
          ],
          [
            36438016,
            0.9973958333333334
          ],
          [
            46399488,
            0.9981839364035088
          ],
          [
            57409536,
            0.9986979166666666
          ],
          [
            72876032,
            0.999109100877193
          ],
          [
            89653248,
            0.9993832236842105
          ],
          [
            92798976,
            0.9995202850877193
          ],
          [
            103284736,
            0.9996573464912281
          ],
          [
            108527616,
            0.9997601425438597
          ],
          [
            130547712,
            0.9998286732456141
          ],
          [
            135266304,
            0.9998629385964912
          ],
          [
            143654912,
            0.9998972039473685
          ],
          [
            149946368,
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
              "low": 52992.0,
              "high": 52992.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 99.0,
            "latency_ns": {
              "value": 307584.0,
              "low": 53504.0,
              "high": 618496.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 99.9,
            "latency_ns": {
              "value": 65273856.0,
              "low": 59506688.0,
              "high": 78118912.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 5.941463414634146
            }
          }
        ]
      },
      "members": [
        {
          "device": "disk0",
          "reads_per_s": 0.0,
          "writes_per_s": 1575.1552732281152,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 25807343.99656944,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.45346036383651717
        },
        {
          "device": "disk1",
          "reads_per_s": 0.0,
          "writes_per_s": 1575.1552732281152,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 25807343.99656944,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.45348785140681824
        },
        {
          "device": "disk2",
          "reads_per_s": 0.0,
          "writes_per_s": 1572.1356684321145,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 25757870.791591763,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.512439298839441
        },
        {
          "device": "disk3",
          "reads_per_s": 0.0,
          "writes_per_s": 1572.1356684321145,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 25757870.791591763,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.5124328649243648
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
            "time_ns": 7180.180040147569
          },
          {
            "part": "link",
            "time_ns": 298720.8561740451
          },
          {
            "part": "slowest_member",
            "time_ns": 438.58094618055554
          },
          {
            "part": "completion",
            "time_ns": 6134.893310546875
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
            "time_ns": 7601.119390032234
          },
          {
            "part": "link",
            "time_ns": 12854853.741838168
          },
          {
            "part": "slowest_member",
            "time_ns": 59.33081246383998
          },
          {
            "part": "completion",
            "time_ns": 6882.128440366972
          }
        ],
        "utilisation": [
          {
            "component": "disk0",
            "busy_share": 0.447145886406438
          },
          {
            "component": "link of disk0",
            "busy_share": 0.053265948931123075
          },
          {
            "component": "disk1",
            "busy_share": 0.4471737097611142
          },
          {
            "component": "link of disk1",
            "busy_share": 0.053265948931123075
          },
          {
            "component": "disk2",
            "busy_share": 0.5187238558285169
          },
          {
            "component": "link of disk2",
            "busy_share": 0.05324309785211068
          },
          {
            "component": "disk3",
            "busy_share": 0.5187192434658172
          },
          {
            "component": "link of disk3",
            "busy_share": 0.05324309785211068
          },
          {
            "component": "uplink",
            "busy_share": 0.0
          },
          {
            "component": "cpu of job 0",
            "busy_share": 0.02916847878664255
          }
        ]
      },
      "bottleneck": {
        "limit": "latency",
        "part": "link",
        "share": 0.9431269605888782,
        "time_ns": 298720.8561740451
      },
      "findings": [
        {
          "finding": "idle_members",
          "busy": 1.931820379007141,
          "members": 4,
          "depth": 1,
          "words": "On average 1.93 of 4 disks have something to do: one I/O of 16K under way does not occupy more.",
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
          "value": 53140401.585213035,
          "low": 50153014.69745311,
          "high": 57959332.01688275,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "iops": {
          "value": 810.8581784853063,
          "low": 765.2742721168993,
          "high": 884.3892214490165,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_mean": {
          "value": 1233354.4322916665,
          "low": 1130723.8665364583,
          "high": 1306721.0494791667,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p50": {
          "value": 94720.0,
          "low": 93696.0,
          "high": 94720.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p99": {
          "value": 22282240.0,
          "low": 9109504.0,
          "high": 31850496.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 1.8749999999999998
        },
        "latency_ns_p999": {
          "value": 149946368.0,
          "low": 149946368.0,
          "high": 149946368.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        }
      },
      "verdicts": [],
      "before": {
        "metric": "bandwidth_bytes_per_s",
        "baseline": 19,
        "paired": false,
        "ratio": {
          "value": 1.0,
          "low": 0.9009277696306752,
          "high": 1.1099668960253477,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "difference_percent": {
          "value": 0.0,
          "low": -9.907223036932479,
          "high": 10.99668960253477
        },
        "verdict": "cannot_tell",
        "more_samples": {
          "forecast": "about",
          "samples": 22
        },
        "words": "cannot tell; about 22 more samples would",
        "pairs": []
      },
      "warnings": [
        {
          "kind": "simulation_cut_short",
          "ios": 1536,
          "message": "the simulation reached the bound of its effort and rests on 1536 I/O(s): the estimate is less certain than usual",
          "hint": "ask about smaller I/Os, or fewer at once",
          "invalidates": false,
          "samples_affected": 6
        },
        {
          "kind": "not_stationary",
          "changing": "write_cache",
          "ios": 2277,
          "message": "after 2277 simulated I/O(s) what the devices' write caches hold still changed: this is a phase, not the long run",
          "hint": "ask about `state = \"fresh\"` for what comes first, or measure the long run on the device",
          "invalidates": false,
          "samples_affected": 3
        }
      ],
      "samples": [
        {
          "started_unix_ns": 1790000000007000000,
          "elapsed_ns": 1941686820,
          "block": 0,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 51843219.49509859,
          "iops": 791.0647505965972,
          "latency_ns_mean": 1264119.0234375,
          "latency_ns_p99": 17170432.0
        },
        {
          "started_unix_ns": 1790000000107000000,
          "elapsed_ns": 1998881989,
          "block": 1,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 54556449.35525005,
          "iops": 832.4653527107247,
          "latency_ns_mean": 1201251.1953125,
          "latency_ns_p99": 27394048.0
        },
        {
          "started_unix_ns": 1790000000207000000,
          "elapsed_ns": 1910895744,
          "block": 2,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 52678591.344437055,
          "iops": 803.8115134344033,
          "latency_ns_mean": 1244072.75,
          "latency_ns_p99": 31850496.0
        },
        {
          "started_unix_ns": 1790000000307000000,
          "elapsed_ns": 1736791859,
          "block": 3,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 57959332.01688275,
          "iops": 884.3892214490165,
          "latency_ns_mean": 1130723.8665364583,
          "latency_ns_p99": 28442624.0
        },
        {
          "started_unix_ns": 1790000000407000000,
          "elapsed_ns": 1877969072,
          "block": 4,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 53602211.82598901,
          "iops": 817.9048435362092,
          "latency_ns_mean": 1222636.1145833333,
          "latency_ns_p99": 11468800.0
        },
        {
          "started_unix_ns": 1790000000507000000,
          "elapsed_ns": 2007123532,
          "block": 5,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 50153014.69745311,
          "iops": 765.2742721168993,
          "latency_ns_mean": 1306721.0494791667,
          "latency_ns_p99": 9109504.0
        }
      ],
      "steady": null,
      "latency": {
        "ios": 9344,
        "cumulative": [
          [
            92672,
            0.020976027397260275
          ],
          [
            93696,
            0.4529109589041096
          ],
          [
            94720,
            0.8195633561643836
          ],
          [
            1204224,
            0.831763698630137
          ],
          [
            1236992,
            0.9873715753424658
          ],
          [
            31850496,
            0.991117294520548
          ],
          [
            71827456,
            0.993792808219178
          ],
          [
            95944704,
            0.9956121575342466
          ],
          [
            130547712,
            0.996896404109589
          ],
          [
            147849216,
            0.9976455479452054
          ],
          [
            149946368,
            1.0
          ]
        ],
        "percentiles": [
          {
            "percent": 50.0,
            "latency_ns": {
              "value": 94720.0,
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
              "value": 1236992.0,
              "low": 94720.0,
              "high": 1236992.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 95.0,
            "latency_ns": {
              "value": 1236992.0,
              "low": 1236992.0,
              "high": 1236992.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 99.0,
            "latency_ns": {
              "value": 22282240.0,
              "low": 9109504.0,
              "high": 31850496.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 1.8749999999999998
            }
          },
          {
            "percent": 99.9,
            "latency_ns": {
              "value": 149946368.0,
              "low": 149946368.0,
              "high": 149946368.0,
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
          "writes_per_s": 814.4091134131329,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 26686557.82832154,
          "merges_per_s": 814.8449059609782,
          "flushes_per_s": 0.0,
          "busy_share": 0.9817668061253723
        },
        {
          "device": "disk1",
          "reads_per_s": 0.0,
          "writes_per_s": 814.4091134131329,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 26686557.82832154,
          "merges_per_s": 814.8449059609782,
          "flushes_per_s": 0.0,
          "busy_share": 0.9817725559722484
        },
        {
          "device": "disk2",
          "reads_per_s": 0.0,
          "writes_per_s": 814.4091134131329,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 26686557.82832154,
          "merges_per_s": 814.8449059609782,
          "flushes_per_s": 0.0,
          "busy_share": 0.981772953066418
        },
        {
          "device": "disk3",
          "reads_per_s": 0.0,
          "writes_per_s": 814.4091134131329,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 26686557.82832154,
          "merges_per_s": 814.8449059609782,
          "flushes_per_s": 0.0,
          "busy_share": 0.981781486233139
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
            "time_ns": 7194.826497395834
          },
          {
            "part": "link",
            "time_ns": 1203821.36328125
          },
          {
            "part": "slowest_member",
            "time_ns": 747.8912760416667
          },
          {
            "part": "completion",
            "time_ns": 10550.351236979168
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
            "time_ns": 7150.96875
          },
          {
            "part": "link",
            "time_ns": 96611840.5
          },
          {
            "part": "slowest_member",
            "time_ns": 0.6875
          },
          {
            "part": "completion",
            "time_ns": 12000.0
          }
        ],
        "utilisation": [
          {
            "component": "disk0",
            "busy_share": 0.9817356041349502
          },
          {
            "component": "link of disk0",
            "busy_share": 0.052804656945416174
          },
          {
            "component": "disk1",
            "busy_share": 0.981741636384447
          },
          {
            "component": "link of disk1",
            "busy_share": 0.052804656945416174
          },
          {
            "component": "disk2",
            "busy_share": 0.9817423624293529
          },
          {
            "component": "link of disk2",
            "busy_share": 0.052804656945416174
          },
          {
            "component": "disk3",
            "busy_share": 0.9817504740329929
          },
          {
            "component": "link of disk3",
            "busy_share": 0.052804656945416174
          },
          {
            "component": "uplink",
            "busy_share": 0.0
          },
          {
            "component": "cpu of job 0",
            "busy_share": 0.0171648175714791
          }
        ],
        "onset": {
          "bytes_per_s": 696313689.6571875,
          "ios_per_s": 10624.903711810111,
          "bytes": 12003735970,
          "time_ns": 17241560215
        }
      },
      "bottleneck": {
        "limit": "latency",
        "part": "link",
        "share": 0.9760546780088656,
        "time_ns": 1203821.36328125,
        "busiest_disk_share": 0.981781486233139
      },
      "findings": [
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
          "value": 141187943.26563096,
          "low": 140727856.03724837,
          "high": 141297334.28707737,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 1.4556213017751483
        },
        "iops": {
          "value": 8617.428177833921,
          "low": 8589.34668196096,
          "high": 8624.10487592025,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 1.4556213017751483
        },
        "latency_ns_mean": {
          "value": 116043.92065429688,
          "low": 115954.06298828125,
          "high": 116423.2900390625,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 1.4556213017751483
        },
        "latency_ns_p50": {
          "value": 116224.0,
          "low": 115200.0,
          "high": 116224.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 3.0
        },
        "latency_ns_p99": {
          "value": 142336.0,
          "low": 142336.0,
          "high": 144384.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p999": {
          "value": 152576.0,
          "low": 150528.0,
          "high": 154624.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 4.285714285714286
        }
      },
      "verdicts": [
        {
          "metric": "bandwidth_bytes_per_s",
          "baseline": 4,
          "paired": true,
          "ratio": {
            "value": 0.9997935606767284,
            "low": 0.9977237357691051,
            "high": 1.0018676795336632,
            "level": 0.95,
            "samples": 6,
            "effective_samples": 4.543933054393306
          },
          "difference_percent": {
            "value": -0.020643932327157888,
            "low": -0.22762642308948866,
            "high": 0.18676795336631802
          },
          "verdict": "no_difference",
          "margin": 0.05,
          "words": "no difference above 5 %",
          "pairs": [
            [
              140979631.62976342,
              141242936.40242136
            ],
            [
              141071280.01118937,
              141297334.28707737
            ],
            [
              141373129.91740242,
              141286159.8530882
            ],
            [
              140965821.05977634,
              140876702.6311461
            ],
            [
              140712391.15253106,
              140727856.03724837
            ],
            [
              141454938.94664812,
              141132950.12884054
            ]
          ]
        }
      ],
      "before": {
        "metric": "bandwidth_bytes_per_s",
        "baseline": 20,
        "paired": false,
        "ratio": {
          "value": 1.0,
          "low": 0.9966510410579238,
          "high": 1.0033602121546188,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 1.4556213017751483
        },
        "difference_percent": {
          "value": 0.0,
          "low": -0.3348958942076208,
          "high": 0.33602121546187913
        },
        "verdict": "no_difference",
        "margin": 0.05,
        "words": "no difference above 5 %",
        "pairs": []
      },
      "warnings": [],
      "samples": [
        {
          "started_unix_ns": 1790000000008000000,
          "elapsed_ns": 237565381,
          "block": 0,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 141242936.40242136,
          "iops": 8620.7846925306,
          "latency_ns_mean": 115998.72119140625,
          "latency_ns_p99": 142336.0
        },
        {
          "started_unix_ns": 1790000000108000000,
          "elapsed_ns": 237473921,
          "block": 1,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 141297334.28707737,
          "iops": 8624.10487592025,
          "latency_ns_mean": 115954.06298828125,
          "latency_ns_p99": 142336.0
        },
        {
          "started_unix_ns": 1790000000208000000,
          "elapsed_ns": 237492703,
          "block": 2,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 141286159.8530882,
          "iops": 8623.422842595715,
          "latency_ns_mean": 115963.23388671875,
          "latency_ns_p99": 144384.0
        },
        {
          "started_unix_ns": 1790000000308000000,
          "elapsed_ns": 238182974,
          "block": 3,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 140876702.6311461,
          "iops": 8598.431557076789,
          "latency_ns_mean": 116300.2802734375,
          "latency_ns_p99": 142336.0
        },
        {
          "started_unix_ns": 1790000000408000000,
          "elapsed_ns": 238434898,
          "block": 4,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 140727856.03724837,
          "iops": 8589.34668196096,
          "latency_ns_mean": 116423.2900390625,
          "latency_ns_p99": 144384.0
        },
        {
          "started_unix_ns": 1790000000508000000,
          "elapsed_ns": 237750518,
          "block": 5,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 141132950.12884054,
          "iops": 8614.07166313724,
          "latency_ns_mean": 116089.1201171875,
          "latency_ns_p99": 142336.0
        }
      ],
      "steady": null,
      "latency": {
        "ios": 12288,
        "cumulative": [
          [
            46336,
            0.00016276041666666666
          ],
          [
            98816,
            0.036702473958333336
          ],
          [
            101888,
            0.073974609375
          ],
          [
            103936,
            0.11246744791666667
          ],
          [
            104960,
            0.13419596354166666
          ],
          [
            105984,
            0.15836588541666666
          ],
          [
            107008,
            0.18806966145833334
          ],
          [
            108032,
            0.21565755208333334
          ],
          [
            109056,
            0.24959309895833334
          ],
          [
            110080,
            0.2886555989583333
          ],
          [
            111104,
            0.3253580729166667
          ],
          [
            112128,
            0.3640950520833333
          ],
          [
            113152,
            0.4038899739583333
          ],
          [
            114176,
            0.44580078125
          ],
          [
            115200,
            0.4891764322916667
          ],
          [
            116224,
            0.5294596354166666
          ],
          [
            117248,
            0.5659993489583334
          ],
          [
            118272,
            0.6031087239583334
          ],
          [
            119296,
            0.6417643229166666
          ],
          [
            120320,
            0.677734375
          ],
          [
            121344,
            0.7122395833333334
          ],
          [
            122368,
            0.74365234375
          ],
          [
            123392,
            0.771240234375
          ],
          [
            124416,
            0.7978515625
          ],
          [
            125440,
            0.8221028645833334
          ],
          [
            126464,
            0.8450520833333334
          ],
          [
            127488,
            0.866455078125
          ],
          [
            128512,
            0.884033203125
          ],
          [
            129536,
            0.9000651041666666
          ],
          [
            130560,
            0.914794921875
          ],
          [
            132096,
            0.942138671875
          ],
          [
            134144,
            0.9601236979166666
          ],
          [
            136192,
            0.9722493489583334
          ],
          [
            138240,
            0.9800618489583334
          ],
          [
            140288,
            0.9856770833333334
          ],
          [
            142336,
            0.9903971354166666
          ],
          [
            144384,
            0.99365234375
          ],
          [
            146432,
            0.995849609375
          ],
          [
            148480,
            0.997314453125
          ],
          [
            150528,
            0.9982096354166666
          ],
          [
            152576,
            0.99951171875
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
              "value": 116224.0,
              "low": 115200.0,
              "high": 116224.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 3.0
            }
          },
          {
            "percent": 90.0,
            "latency_ns": {
              "value": 130048.0,
              "low": 128512.0,
              "high": 130560.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 2.2758620689655173
            }
          },
          {
            "percent": 95.0,
            "latency_ns": {
              "value": 134144.0,
              "low": 134144.0,
              "high": 134144.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 99.0,
            "latency_ns": {
              "value": 142336.0,
              "low": 142336.0,
              "high": 144384.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 99.9,
            "latency_ns": {
              "value": 152576.0,
              "low": 150528.0,
              "high": 154624.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 4.285714285714286
            }
          }
        ]
      },
      "members": [
        {
          "device": "disk0",
          "reads_per_s": 4258.180894259266,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 69766035.77154382,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.45987402084922685
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
          "reads_per_s": 4353.4923823467025,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 71327619.19236837,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.470730862051517
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
            "time_ns": 75294.92065429688
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
            "time_ns": 103124.61764705883
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
            "busy_share": 0.4598639674155834
          },
          {
            "component": "link of disk0",
            "busy_share": 0.13919324856315843
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
            "busy_share": 0.47074075075604455
          },
          {
            "component": "link of disk2",
            "busy_share": 0.14231440741299142
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
            "busy_share": 0.05218686393635377
          }
        ]
      },
      "bottleneck": {
        "limit": "latency",
        "part": "device_service",
        "share": 0.6488484724555784,
        "time_ns": 75294.92065429688
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
          "busy": 0.9306048829007438,
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
          "value": 314294670.11002433,
          "low": 313347208.0029681,
          "high": 315532549.19213265,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 1.3255813953488373
        },
        "iops": {
          "value": 4795.756074676885,
          "low": 4781.298950240602,
          "high": 4814.644610475657,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 1.3255813953488373
        },
        "latency_ns_mean": {
          "value": 208517.69555664062,
          "low": 207699.64990234375,
          "high": 209148.185546875,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 1.3255813953488373
        },
        "latency_ns_p50": {
          "value": 209920.0,
          "low": 209920.0,
          "high": 209920.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p99": {
          "value": 238592.0,
          "low": 236544.0,
          "high": 240640.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 4.285714285714286
        },
        "latency_ns_p999": {
          "value": 248832.0,
          "low": 246784.0,
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
            "value": 0.6353538051305037,
            "low": 0.6319579904159387,
            "high": 0.6387678671933901,
            "level": 0.95,
            "samples": 6,
            "effective_samples": 1.2000000000000002
          },
          "difference_percent": {
            "value": -36.46461948694964,
            "low": -36.80420095840613,
            "high": -36.12321328066099
          },
          "verdict": "different",
          "low": 0.6319579904159387,
          "high": 0.6387678671933901,
          "words": "36 to 37 % slower",
          "pairs": [
            [
              493455932.67603,
              315203793.66939265
            ],
            [
              495495631.45759284,
              315532549.19213265
            ],
            [
              494116665.1062202,
              314317210.5046749
            ],
            [
              495123106.09623796,
              313347208.0029681
            ],
            [
              496284385.8391184,
              313630883.1496981
            ],
            [
              494897404.13621175,
              314272129.71537375
            ]
          ]
        }
      ],
      "before": {
        "metric": "bandwidth_bytes_per_s",
        "baseline": 21,
        "paired": false,
        "ratio": {
          "value": 1.0,
          "low": 0.9950557794646664,
          "high": 1.0049687873156152,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 1.3255813953488373
        },
        "difference_percent": {
          "value": 0.0,
          "low": -0.494422053533361,
          "high": 0.49687873156152307
        },
        "verdict": "no_difference",
        "margin": 0.05,
        "words": "no difference above 5 %",
        "pairs": []
      },
      "warnings": [],
      "samples": [
        {
          "started_unix_ns": 1790000000009000000,
          "elapsed_ns": 425812540,
          "block": 0,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 315203793.66939265,
          "iops": 4809.628199301035,
          "latency_ns_mean": 207916.279296875,
          "latency_ns_p99": 238592.0
        },
        {
          "started_unix_ns": 1790000000109000000,
          "elapsed_ns": 425368883,
          "block": 1,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 315532549.19213265,
          "iops": 4814.644610475657,
          "latency_ns_mean": 207699.64990234375,
          "latency_ns_p99": 236544.0
        },
        {
          "started_unix_ns": 1790000000209000000,
          "elapsed_ns": 427013614,
          "block": 2,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 314317210.5046749,
          "iops": 4796.100013804244,
          "latency_ns_mean": 208502.7412109375,
          "latency_ns_p99": 238592.0
        },
        {
          "started_unix_ns": 1790000000309000000,
          "elapsed_ns": 428335484,
          "block": 3,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 313347208.0029681,
          "iops": 4781.298950240602,
          "latency_ns_mean": 209148.185546875,
          "latency_ns_p99": 238592.0
        },
        {
          "started_unix_ns": 1790000000409000000,
          "elapsed_ns": 427948060,
          "block": 4,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 313630883.1496981,
          "iops": 4785.627489466829,
          "latency_ns_mean": 208959.013671875,
          "latency_ns_p99": 240640.0
        },
        {
          "started_unix_ns": 1790000000509000000,
          "elapsed_ns": 427074867,
          "block": 5,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 314272129.71537375,
          "iops": 4795.412135549526,
          "latency_ns_mean": 208532.64990234375,
          "latency_ns_p99": 238592.0
        }
      ],
      "steady": null,
      "latency": {
        "ios": 12288,
        "cumulative": [
          [
            136192,
            0.007568359375
          ],
          [
            138240,
            0.0263671875
          ],
          [
            140288,
            0.030680338541666668
          ],
          [
            183296,
            0.031819661458333336
          ],
          [
            185344,
            0.034261067708333336
          ],
          [
            187392,
            0.038655598958333336
          ],
          [
            189440,
            0.045735677083333336
          ],
          [
            191488,
            0.05859375
          ],
          [
            193536,
            0.08040364583333333
          ],
          [
            195584,
            0.10896809895833333
          ],
          [
            197632,
            0.1494140625
          ],
          [
            199680,
            0.19767252604166666
          ],
          [
            201728,
            0.2537434895833333
          ],
          [
            203776,
            0.3238932291666667
          ],
          [
            205824,
            0.39501953125
          ],
          [
            207872,
            0.4727376302083333
          ],
          [
            209920,
            0.548828125
          ],
          [
            211968,
            0.6194661458333334
          ],
          [
            214016,
            0.6893717447916666
          ],
          [
            216064,
            0.7501627604166666
          ],
          [
            218112,
            0.8025716145833334
          ],
          [
            220160,
            0.8451334635416666
          ],
          [
            222208,
            0.8841145833333334
          ],
          [
            224256,
            0.91259765625
          ],
          [
            226304,
            0.9371744791666666
          ],
          [
            228352,
            0.955078125
          ],
          [
            230400,
            0.968994140625
          ],
          [
            232448,
            0.9771321614583334
          ],
          [
            234496,
            0.9832356770833334
          ],
          [
            236544,
            0.9876302083333334
          ],
          [
            238592,
            0.9922688802083334
          ],
          [
            240640,
            0.9947102864583334
          ],
          [
            242688,
            0.9961751302083334
          ],
          [
            244736,
            0.9973958333333334
          ],
          [
            246784,
            0.9986165364583334
          ],
          [
            248832,
            0.9998372395833334
          ],
          [
            250880,
            1.0
          ]
        ],
        "percentiles": [
          {
            "percent": 50.0,
            "latency_ns": {
              "value": 209920.0,
              "low": 209920.0,
              "high": 209920.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 90.0,
            "latency_ns": {
              "value": 224256.0,
              "low": 224256.0,
              "high": 224256.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 95.0,
            "latency_ns": {
              "value": 228352.0,
              "low": 228352.0,
              "high": 230400.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 99.0,
            "latency_ns": {
              "value": 238592.0,
              "low": 236544.0,
              "high": 240640.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 4.285714285714286
            }
          },
          {
            "percent": 99.9,
            "latency_ns": {
              "value": 248832.0,
              "low": 246784.0,
              "high": 248832.0,
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
          "reads_per_s": 2416.892766705214,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 158393484.3587929,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.48332304835046336
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
          "reads_per_s": 2380.196284703875,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 155988543.71435314,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.4757192741582022
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
            "time_ns": 77921.69555664062
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
            "time_ns": 111352.4064039409
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
            "busy_share": 0.48333020256176457
          },
          {
            "component": "link of disk0",
            "busy_share": 0.2950026662973316
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
            "busy_share": 0.4757118679464783
          },
          {
            "component": "link of disk2",
            "busy_share": 0.2905144374520947
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
            "busy_share": 0.0313731554247333
          }
        ]
      },
      "bottleneck": {
        "limit": "latency",
        "part": "link",
        "share": 0.5853508004400776,
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
          "busy": 0.9590423225086655,
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
          "value": 52426057.51171066,
          "low": 51904839.853676885,
          "high": 56104737.26825662,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "iops": {
          "value": 3199.8326117987463,
          "low": 3168.020010600396,
          "high": 3424.361405533241,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_mean": {
          "value": 312520.8083767361,
          "low": 292025.2513020833,
          "high": 315654.57183159725,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
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
          "value": 53504.0,
          "low": 53504.0,
          "high": 54016.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p999": {
          "value": 75497472.0,
          "low": 56885248.0,
          "high": 80216064.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 1.8749999999999998
        }
      },
      "verdicts": [
        {
          "metric": "bandwidth_bytes_per_s",
          "baseline": 6,
          "paired": true,
          "ratio": {
            "value": 1.0223515543572859,
            "low": 0.9946748127046238,
            "high": 1.0765289580778816,
            "level": 0.95,
            "samples": 6,
            "effective_samples": 4.677966101694915
          },
          "difference_percent": {
            "value": 2.2351554357285863,
            "low": -0.5325187295376232,
            "high": 7.652895807788163
          },
          "verdict": "cannot_tell",
          "words": "between -0.5 % and +7.7 %: the run ended after 6 simulations",
          "pairs": [
            [
              54280629.23962131,
              56104737.26825662
            ],
            [
              48214996.414357364,
              51904839.853676885
            ],
            [
              51959976.122813806,
              52624130.24664951
            ],
            [
              52507597.56825292,
              52227984.776771806
            ],
            [
              51497818.39785532,
              52075649.489279486
            ],
            [
              51191049.065102436,
              52766293.35889654
            ]
          ]
        }
      ],
      "before": {
        "metric": "bandwidth_bytes_per_s",
        "baseline": 22,
        "paired": false,
        "ratio": {
          "value": 1.0,
          "low": 0.9337424438774055,
          "high": 1.0709591349917191,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "difference_percent": {
          "value": 0.0,
          "low": -6.625755612259454,
          "high": 7.095913499171913
        },
        "verdict": "cannot_tell",
        "more_samples": {
          "forecast": "about",
          "samples": 6
        },
        "words": "cannot tell; about 6 more samples would",
        "pairs": []
      },
      "warnings": [
        {
          "kind": "simulation_cut_short",
          "ios": 4608,
          "message": "the simulation reached the bound of its effort and rests on 4608 I/O(s): the estimate is less certain than usual",
          "hint": "ask about smaller I/Os, or fewer at once",
          "invalidates": false,
          "samples_affected": 6
        },
        {
          "kind": "not_stationary",
          "changing": "write_cache",
          "ios": 6830,
          "message": "after 6830 simulated I/O(s) what the devices' write caches hold still changed: this is a phase, not the long run",
          "hint": "ask about `state = \"fresh\"` for what comes first, or measure the long run on the device",
          "invalidates": false,
          "samples_affected": 3
        }
      ],
      "samples": [
        {
          "started_unix_ns": 1790000000010000000,
          "elapsed_ns": 1345652358,
          "block": 0,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 56104737.26825662,
          "iops": 3424.361405533241,
          "latency_ns_mean": 292025.2513020833,
          "latency_ns_p99": 53504.0
        },
        {
          "started_unix_ns": 1790000000110000000,
          "elapsed_ns": 1454536267,
          "block": 1,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 51904839.853676885,
          "iops": 3168.020010600396,
          "latency_ns_mean": 315654.57183159725,
          "latency_ns_p99": 53504.0
        },
        {
          "started_unix_ns": 1790000000210000000,
          "elapsed_ns": 1434655008,
          "block": 2,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 52624130.24664951,
          "iops": 3211.922012124604,
          "latency_ns_mean": 311340.0625,
          "latency_ns_p99": 54016.0
        },
        {
          "started_unix_ns": 1790000000310000000,
          "elapsed_ns": 1445536762,
          "block": 3,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 52227984.776771806,
          "iops": 3187.7432114728886,
          "latency_ns_mean": 313701.55425347225,
          "latency_ns_p99": 53504.0
        },
        {
          "started_unix_ns": 1790000000410000000,
          "elapsed_ns": 1449765346,
          "block": 4,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 52075649.489279486,
          "iops": 3178.445403398406,
          "latency_ns_mean": 314619.21571180556,
          "latency_ns_p99": 53504.0
        },
        {
          "started_unix_ns": 1790000000510000000,
          "elapsed_ns": 1430789756,
          "block": 5,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 52766293.35889654,
          "iops": 3220.5989598935876,
          "latency_ns_mean": 310501.24913194444,
          "latency_ns_p99": 53504.0
        }
      ],
      "steady": null,
      "latency": {
        "ios": 27648,
        "cumulative": [
          [
            49920,
            0.00028935185185185184
          ],
          [
            50432,
            0.02394386574074074
          ],
          [
            50944,
            0.14945023148148148
          ],
          [
            51456,
            0.4361979166666667
          ],
          [
            51968,
            0.7503255208333334
          ],
          [
            52480,
            0.9275896990740741
          ],
          [
            52992,
            0.9817346643518519
          ],
          [
            53504,
            0.9909939236111112
          ],
          [
            8355840,
            0.9937065972222222
          ],
          [
            20316160,
            0.9955873842592593
          ],
          [
            31588352,
            0.9969256365740741
          ],
          [
            43778048,
            0.9978660300925926
          ],
          [
            55836672,
            0.9984809027777778
          ],
          [
            66846720,
            0.9989510995370371
          ],
          [
            77070336,
            0.9992404513888888
          ],
          [
            80216064,
            0.9994212962962963
          ],
          [
            85458944,
            0.9995298032407407
          ],
          [
            98041856,
            0.9996744791666666
          ],
          [
            109576192,
            0.9997468171296297
          ],
          [
            110624768,
            0.9998191550925926
          ],
          [
            119013376,
            0.9998553240740741
          ],
          [
            126353408,
            0.9998914930555556
          ],
          [
            132644864,
            0.9999276620370371
          ],
          [
            139460608,
            0.9999638310185185
          ],
          [
            145752064,
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
              "low": 52992.0,
              "high": 52992.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 99.0,
            "latency_ns": {
              "value": 53504.0,
              "low": 53504.0,
              "high": 54016.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 99.9,
            "latency_ns": {
              "value": 75497472.0,
              "low": 56885248.0,
              "high": 80216064.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 1.8749999999999998
            }
          }
        ]
      },
      "members": [
        {
          "device": "disk0",
          "reads_per_s": 0.0,
          "writes_per_s": 1613.0246519015445,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 26427795.896754906,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.43374204680098644
        },
        {
          "device": "disk1",
          "reads_per_s": 0.0,
          "writes_per_s": 1613.0246519015445,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 26427795.896754906,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.43375606010596257
        },
        {
          "device": "disk2",
          "reads_per_s": 0.0,
          "writes_per_s": 1616.5289418252933,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 26485210.182865605,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.5312678469068952
        },
        {
          "device": "disk3",
          "reads_per_s": 0.0,
          "writes_per_s": 1616.5289418252933,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 26485210.182865605,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.5312653824566015
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
            "time_ns": 7173.53125
          },
          {
            "part": "link",
            "time_ns": 294518.91265190975
          },
          {
            "part": "slowest_member",
            "time_ns": 442.24229600694446
          },
          {
            "part": "completion",
            "time_ns": 6126.122178819444
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
            "time_ns": 7970.551146010186
          },
          {
            "part": "link",
            "time_ns": 14402688.708404075
          },
          {
            "part": "slowest_member",
            "time_ns": 111.08517260894172
          },
          {
            "part": "completion",
            "time_ns": 6778.527235427277
          }
        ],
        "utilisation": [
          {
            "component": "disk0",
            "busy_share": 0.4330953336131227
          },
          {
            "component": "link of disk0",
            "busy_share": 0.054578292196129856
          },
          {
            "component": "disk1",
            "busy_share": 0.43310898036026296
          },
          {
            "component": "link of disk1",
            "busy_share": 0.054578292196129856
          },
          {
            "component": "disk2",
            "busy_share": 0.5318898414790877
          },
          {
            "component": "link of disk2",
            "busy_share": 0.054700201151406946
          },
          {
            "component": "disk3",
            "busy_share": 0.5318871107094442
          },
          {
            "component": "link of disk3",
            "busy_share": 0.054700201151406946
          },
          {
            "component": "uplink",
            "busy_share": 0.0
          },
          {
            "component": "cpu of job 0",
            "busy_share": 0.029926917114665687
          }
        ],
        "onset": {
          "bytes_per_s": 316026331.5091432,
          "ios_per_s": 19288.716522774852,
          "bytes": 11641806442,
          "time_ns": 36830120612
        }
      },
      "bottleneck": {
        "limit": "latency",
        "part": "link",
        "share": 0.9423977692290955,
        "time_ns": 294518.91265190975
      },
      "findings": [
        {
          "finding": "idle_members",
          "busy": 1.9300313362704458,
          "members": 4,
          "depth": 1,
          "words": "On average 1.93 of 4 disks have something to do: one I/O of 16K under way does not occupy more.",
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
          "value": 52238365.495776825,
          "low": 51351754.76795761,
          "high": 55643391.49086213,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "iops": {
          "value": 797.0942000698368,
          "low": 783.5655939934938,
          "high": 849.0507734811727,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_mean": {
          "value": 1254562.2453613281,
          "low": 1177785.8653846155,
          "high": 1276217.3424479167,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
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
          "value": 43778048.0,
          "low": 39059456.0,
          "high": 45350912.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 3.921259842519686
        },
        "latency_ns_p999": {
          "value": 109576192.0,
          "low": 68681728.0,
          "high": 129499136.0,
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
            "value": 0.9963500095819229,
            "low": 0.8887307737697141,
            "high": 1.0380801387729972,
            "level": 0.95,
            "samples": 6,
            "effective_samples": 5.25
          },
          "difference_percent": {
            "value": -0.36499904180771203,
            "low": -11.126922623028591,
            "high": 3.8080138772997207
          },
          "verdict": "cannot_tell",
          "words": "between -11 % and +3.8 %: the run ended after 6 simulations",
          "pairs": [
            [
              51843219.49509859,
              52130175.493519075
            ],
            [
              54556449.35525005,
              52894645.55858932
            ],
            [
              52678591.344437055,
              52346555.498034574
            ],
            [
              57959332.01688275,
              51510241.99053984
            ],
            [
              53602211.82598901,
              55643391.49086213
            ],
            [
              50153014.69745311,
              51351754.76795761
            ]
          ]
        }
      ],
      "before": {
        "metric": "bandwidth_bytes_per_s",
        "baseline": 23,
        "paired": false,
        "ratio": {
          "value": 1.0,
          "low": 0.9366676577722244,
          "high": 1.0676145286989043,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "difference_percent": {
          "value": 0.0,
          "low": -6.333234222777562,
          "high": 6.7614528698904275
        },
        "verdict": "cannot_tell",
        "more_samples": {
          "forecast": "about",
          "samples": 5
        },
        "words": "cannot tell; about 5 more samples would",
        "pairs": []
      },
      "warnings": [
        {
          "kind": "simulation_cut_short",
          "ios": 4608,
          "message": "the simulation reached the bound of its effort and rests on 4608 I/O(s): the estimate is less certain than usual",
          "hint": "ask about smaller I/Os, or fewer at once",
          "invalidates": false,
          "samples_affected": 5
        },
        {
          "kind": "not_stationary",
          "changing": "write_cache",
          "ios": 6673,
          "message": "after 6673 simulated I/O(s) what the devices' write caches hold still changed: this is a phase, not the long run",
          "hint": "ask about `state = \"fresh\"` for what comes first, or measure the long run on the device",
          "invalidates": false,
          "samples_affected": 1
        }
      ],
      "samples": [
        {
          "started_unix_ns": 1790000000011000000,
          "elapsed_ns": 5792995806,
          "block": 0,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 52130175.493519075,
          "iops": 795.4433516467144,
          "latency_ns_mean": 1257160.5481770833,
          "latency_ns_p99": 44302336.0
        },
        {
          "started_unix_ns": 1790000000111000000,
          "elapsed_ns": 5709271417,
          "block": 1,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 52894645.55858932,
          "iops": 807.1082391142169,
          "latency_ns_mean": 1238991.1929253472,
          "latency_ns_p99": 39059456.0
        },
        {
          "started_unix_ns": 1790000000211000000,
          "elapsed_ns": 7692066463,
          "block": 2,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 52346555.498034574,
          "iops": 798.7450484929592,
          "latency_ns_mean": 1251963.942545573,
          "latency_ns_p99": 43253760.0
        },
        {
          "started_unix_ns": 1790000000311000000,
          "elapsed_ns": 5537008971,
          "block": 3,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 51510241.99053984,
          "iops": 785.9839170919776,
          "latency_ns_mean": 1272290.6642922794,
          "latency_ns_p99": 41680896.0
        },
        {
          "started_unix_ns": 1790000000411000000,
          "elapsed_ns": 244979460,
          "block": 4,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 55643391.49086213,
          "iops": 849.0507734811727,
          "latency_ns_mean": 1177785.8653846155,
          "latency_ns_p99": 45350912.0
        },
        {
          "started_unix_ns": 1790000000511000000,
          "elapsed_ns": 5880809514,
          "block": 5,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 51351754.76795761,
          "iops": 783.5655939934938,
          "latency_ns_mean": 1276217.3424479167,
          "latency_ns_p99": 44826624.0
        }
      ],
      "steady": null,
      "latency": {
        "ios": 24528,
        "cumulative": [
          [
            144384,
            0.704704827136334
          ],
          [
            146432,
            0.9590671885192433
          ],
          [
            2441216,
            0.9672211350293543
          ],
          [
            9371648,
            0.9760681669928245
          ],
          [
            21364736,
            0.982795172863666
          ],
          [
            33816576,
            0.9877690802348337
          ],
          [
            45875200,
            0.9912752772341813
          ],
          [
            57933824,
            0.9939253098499674
          ],
          [
            70778880,
            0.9957191780821918
          ],
          [
            82313216,
            0.9970238095238095
          ],
          [
            95944704,
            0.9978799739073712
          ],
          [
            105381888,
            0.9985322896281801
          ],
          [
            115867648,
            0.9989807566862361
          ],
          [
            123207680,
            0.99926614481409
          ],
          [
            129499136,
            0.9994292237442922
          ],
          [
            135266304,
            0.9995923026744945
          ],
          [
            139460608,
            0.9997146118721462
          ],
          [
            141557760,
            0.9997961513372472
          ],
          [
            145752064,
            0.9998369210697978
          ],
          [
            149946368,
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
              "high": 1859584.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 4.588235294117648
            }
          },
          {
            "percent": 99.0,
            "latency_ns": {
              "value": 43778048.0,
              "low": 39059456.0,
              "high": 45350912.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 3.921259842519686
            }
          }
        ]
      },
      "members": [
        {
          "device": "disk0",
          "reads_per_s": 0.0,
          "writes_per_s": 397.67144097321693,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 26061795.555620745,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.47813353714892476
        },
        {
          "device": "disk1",
          "reads_per_s": 0.0,
          "writes_per_s": 397.67144097321693,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 26061795.555620745,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.4781348084919799
        },
        {
          "device": "disk2",
          "reads_per_s": 0.0,
          "writes_per_s": 397.2177371044511,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 26032061.618877307,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.512864124775007
        },
        {
          "device": "disk3",
          "reads_per_s": 0.0,
          "writes_per_s": 397.2177371044511,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 26032061.618877307,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.5128612722091545
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
            "time_ns": 7180.09410264757
          },
          {
            "part": "link",
            "time_ns": 1236056.082329644
          },
          {
            "part": "slowest_member",
            "time_ns": 424.95220269097223
          },
          {
            "part": "completion",
            "time_ns": 6161.116726345486
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
            "time_ns": 7175.9174673987645
          },
          {
            "part": "link",
            "time_ns": 73278823.74296498
          },
          {
            "part": "slowest_member",
            "time_ns": 0.5317433081674674
          },
          {
            "part": "completion",
            "time_ns": 7000.0
          }
        ],
        "utilisation": [
          {
            "component": "disk0",
            "busy_share": 0.5235612745882963
          },
          {
            "component": "link of disk0",
            "busy_share": 0.0514938479139762
          },
          {
            "component": "disk1",
            "busy_share": 0.5235600065290348
          },
          {
            "component": "link of disk1",
            "busy_share": 0.0514938479139762
          },
          {
            "component": "disk2",
            "busy_share": 0.46734309085696274
          },
          {
            "component": "link of disk2",
            "busy_share": 0.050167418003246526
          },
          {
            "component": "disk3",
            "busy_share": 0.46735380288319
          },
          {
            "component": "link of disk3",
            "busy_share": 0.050167418003246526
          },
          {
            "component": "uplink",
            "busy_share": 0.0
          },
          {
            "component": "cpu of job 0",
            "busy_share": 0.007824299339668668
          }
        ],
        "onset": {
          "bytes_per_s": 451863976.1772686,
          "ios_per_s": 6894.897097431468,
          "bytes": 11639957753,
          "time_ns": 25754950640
        }
      },
      "bottleneck": {
        "limit": "latency",
        "part": "link",
        "share": 0.9852489080552922,
        "time_ns": 1236056.082329644
      },
      "findings": [
        {
          "finding": "idle_members",
          "busy": 1.981993742625066,
          "members": 4,
          "depth": 1,
          "words": "On average 1.98 of 4 disks have something to do: one I/O of 64K under way does not occupy more.",
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
          "value": 141518943.7764904,
          "low": 141044258.84453478,
          "high": 141821184.91786242,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 2.1818181818181817
        },
        "iops": {
          "value": 8637.630845733056,
          "low": 8608.658376741625,
          "high": 8656.078181021876,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 2.1818181818181817
        },
        "latency_ns_mean": {
          "value": 115772.53662109375,
          "low": 115525.7587890625,
          "high": 116162.119140625,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 2.1818181818181817
        },
        "latency_ns_p50": {
          "value": 115200.0,
          "low": 115200.0,
          "high": 115200.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p99": {
          "value": 142336.0,
          "low": 140288.0,
          "high": 144384.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p999": {
          "value": 150528.0,
          "low": 146432.0,
          "high": 152576.0,
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
            "value": 1.0024763489503767,
            "low": 0.9998084573511183,
            "high": 1.0066711390137844,
            "level": 0.95,
            "samples": 6,
            "effective_samples": 1.4556213017751483
          },
          "difference_percent": {
            "value": 0.24763489503767389,
            "low": -0.01915426488816596,
            "high": 0.6671139013784355
          },
          "verdict": "no_difference",
          "margin": 0.05,
          "words": "no difference above 5 %",
          "pairs": [
            [
              140979631.62976342,
              141246264.14039844
            ],
            [
              141071280.01118937,
              141044258.84453478
            ],
            [
              141373129.91740242,
              141612110.86090976
            ],
            [
              140965821.05977634,
              141425776.692071
            ],
            [
              140712391.15253106,
              141651103.07487175
            ],
            [
              141454938.94664812,
              141821184.91786242
            ]
          ]
        }
      ],
      "warnings": [],
      "samples": [
        {
          "started_unix_ns": 1790000000000000000,
          "elapsed_ns": 237559784,
          "block": 0,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 141246264.14039844,
          "iops": 8620.98780153799,
          "latency_ns_mean": 115995.98828125,
          "latency_ns_p99": 142336.0
        },
        {
          "started_unix_ns": 1790000000100000000,
          "elapsed_ns": 237900020,
          "block": 1,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 141044258.84453478,
          "iops": 8608.658376741625,
          "latency_ns_mean": 116162.119140625,
          "latency_ns_p99": 144384.0
        },
        {
          "started_unix_ns": 1790000000200000000,
          "elapsed_ns": 236946062,
          "block": 2,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 141612110.86090976,
          "iops": 8643.31731328795,
          "latency_ns_mean": 115696.3193359375,
          "latency_ns_p99": 142336.0
        },
        {
          "started_unix_ns": 1790000000300000000,
          "elapsed_ns": 237258248,
          "block": 3,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 141425776.692071,
          "iops": 8631.944378178161,
          "latency_ns_mean": 115848.75390625,
          "latency_ns_p99": 144384.0
        },
        {
          "started_unix_ns": 1790000000400000000,
          "elapsed_ns": 236880838,
          "block": 4,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 141651103.07487175,
          "iops": 8645.697209159653,
          "latency_ns_mean": 115664.4716796875,
          "latency_ns_p99": 142336.0
        },
        {
          "started_unix_ns": 1790000000500000000,
          "elapsed_ns": 236596754,
          "block": 5,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 141821184.91786242,
          "iops": 8656.078181021876,
          "latency_ns_mean": 115525.7587890625,
          "latency_ns_p99": 140288.0
        }
      ],
      "steady": null,
      "latency": {
        "ios": 12288,
        "cumulative": [
          [
            45824,
            0.00016276041666666666
          ],
          [
            98816,
            0.040120442708333336
          ],
          [
            101888,
            0.08113606770833333
          ],
          [
            103936,
            0.11995442708333333
          ],
          [
            104960,
            0.14567057291666666
          ],
          [
            105984,
            0.172607421875
          ],
          [
            107008,
            0.20328776041666666
          ],
          [
            108032,
            0.23527018229166666
          ],
          [
            109056,
            0.27099609375
          ],
          [
            110080,
            0.3076985677083333
          ],
          [
            111104,
            0.3473307291666667
          ],
          [
            112128,
            0.3868815104166667
          ],
          [
            113152,
            0.4303385416666667
          ],
          [
            114176,
            0.4706217447916667
          ],
          [
            115200,
            0.5130208333333334
          ],
          [
            116224,
            0.5538736979166666
          ],
          [
            117248,
            0.5927734375
          ],
          [
            118272,
            0.63232421875
          ],
          [
            119296,
            0.66650390625
          ],
          [
            120320,
            0.70166015625
          ],
          [
            121344,
            0.73388671875
          ],
          [
            122368,
            0.76123046875
          ],
          [
            123392,
            0.7879231770833334
          ],
          [
            124416,
            0.8136393229166666
          ],
          [
            125440,
            0.8361002604166666
          ],
          [
            126464,
            0.85693359375
          ],
          [
            127488,
            0.8768717447916666
          ],
          [
            128512,
            0.89453125
          ],
          [
            129536,
            0.9085286458333334
          ],
          [
            130560,
            0.9235026041666666
          ],
          [
            132096,
            0.9456380208333334
          ],
          [
            134144,
            0.9611002604166666
          ],
          [
            136192,
            0.9718424479166666
          ],
          [
            138240,
            0.9818522135416666
          ],
          [
            140288,
            0.9877115885416666
          ],
          [
            142336,
            0.991943359375
          ],
          [
            144384,
            0.9951985677083334
          ],
          [
            146432,
            0.9972330729166666
          ],
          [
            148480,
            0.998046875
          ],
          [
            150528,
            0.9988606770833334
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
              "value": 115200.0,
              "low": 115200.0,
              "high": 115200.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 90.0,
            "latency_ns": {
              "value": 129536.0,
              "low": 128512.0,
              "high": 130560.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 95.0,
            "latency_ns": {
              "value": 134144.0,
              "low": 132096.0,
              "high": 134144.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 4.588235294117648
            }
          },
          {
            "percent": 99.0,
            "latency_ns": {
              "value": 142336.0,
              "low": 140288.0,
              "high": 144384.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 99.9,
            "latency_ns": {
              "value": 150528.0,
              "low": 146432.0,
              "high": 152576.0,
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
          "reads_per_s": 8634.41774504499,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 141466300.3348171,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.936462743225937
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
          "value": 314080482.2792825,
          "low": null,
          "high": null,
          "level": 0.95,
          "samples": 5,
          "effective_samples": 5.0
        },
        "iops": {
          "value": 4792.487827747841,
          "low": null,
          "high": null,
          "level": 0.95,
          "samples": 5,
          "effective_samples": 5.0
        },
        "latency_ns_mean": {
          "value": 208659.8935546875,
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
          "effective_samples": 3.695652173913044
        },
        "latency_ns_p99": {
          "value": 236544.0,
          "low": null,
          "high": null,
          "level": 0.95,
          "samples": 5,
          "effective_samples": 3.3333333333333335
        },
        "latency_ns_p999": {
          "value": 244736.0,
          "low": null,
          "high": null,
          "level": 0.95,
          "samples": 5,
          "effective_samples": 5.0
        }
      },
      "verdicts": [
        {
          "metric": "bandwidth_bytes_per_s",
          "baseline": 17,
          "paired": true,
          "ratio": {
            "value": 0.6343482629110715,
            "low": null,
            "high": null,
            "level": 0.95,
            "samples": 5,
            "effective_samples": 5.0
          },
          "difference_percent": {
            "value": -36.56517370889285,
            "low": null,
            "high": null
          },
          "verdict": "cannot_tell",
          "more_samples": {
            "forecast": "about",
            "samples": 1
          },
          "words": "cannot tell; about 1 more sample would",
          "pairs": [
            [
              493455932.67603,
              314607393.7866041
            ],
            [
              495495631.45759284,
              312746918.7400103
            ],
            [
              495123106.09623796,
              314080482.2792825
            ],
            [
              496284385.8391184,
              313816859.0718224
            ],
            [
              494897404.13621175,
              314175759.40225613
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
          "elapsed_ns": 426619751,
          "block": 0,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 314607393.7866041,
          "iops": 4800.527859292665,
          "latency_ns_mean": 208310.42529296875,
          "latency_ns_p99": 236544.0
        },
        {
          "started_unix_ns": 1790000000101000000,
          "elapsed_ns": 429157635,
          "block": 1,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 312746918.7400103,
          "iops": 4772.139263000646,
          "latency_ns_mean": 209549.62646484375,
          "latency_ns_p99": 240640.0
        },
        {
          "started_unix_ns": 1790000000201000000,
          "elapsed_ns": 427967165,
          "block": 2,
          "role": "counted",
          "valid": false,
          "counted": false,
          "bandwidth_bytes_per_s": 313616882.2671244,
          "iops": 4785.413852952948,
          "latency_ns_mean": 208968.34228515625,
          "latency_ns_p99": 236544.0
        },
        {
          "started_unix_ns": 1790000000301000000,
          "elapsed_ns": 427335462,
          "block": 3,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 314080482.2792825,
          "iops": 4792.487827747841,
          "latency_ns_mean": 208659.8935546875,
          "latency_ns_p99": 238592.0
        },
        {
          "started_unix_ns": 1790000000401000000,
          "elapsed_ns": 427694447,
          "block": 4,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 313816859.0718224,
          "iops": 4788.465256833228,
          "latency_ns_mean": 208835.17919921875,
          "latency_ns_p99": 236544.0
        },
        {
          "started_unix_ns": 1790000000501000000,
          "elapsed_ns": 427205868,
          "block": 5,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 314175759.40225613,
          "iops": 4793.941641269777,
          "latency_ns_mean": 208596.615234375,
          "latency_ns_p99": 236544.0
        }
      ],
      "steady": null,
      "latency": {
        "ios": 10240,
        "cumulative": [
          [
            136192,
            0.007421875
          ],
          [
            138240,
            0.0154296875
          ],
          [
            140288,
            0.0162109375
          ],
          [
            183296,
            0.01826171875
          ],
          [
            185344,
            0.0208984375
          ],
          [
            187392,
            0.0265625
          ],
          [
            189440,
            0.03671875
          ],
          [
            191488,
            0.05498046875
          ],
          [
            193536,
            0.08076171875
          ],
          [
            195584,
            0.110546875
          ],
          [
            197632,
            0.155078125
          ],
          [
            199680,
            0.20625
          ],
          [
            201728,
            0.27099609375
          ],
          [
            203776,
            0.340234375
          ],
          [
            205824,
            0.41484375
          ],
          [
            207872,
            0.49345703125
          ],
          [
            209920,
            0.56796875
          ],
          [
            211968,
            0.64228515625
          ],
          [
            214016,
            0.706640625
          ],
          [
            216064,
            0.76240234375
          ],
          [
            218112,
            0.81240234375
          ],
          [
            220160,
            0.853515625
          ],
          [
            222208,
            0.8896484375
          ],
          [
            224256,
            0.91884765625
          ],
          [
            226304,
            0.94169921875
          ],
          [
            228352,
            0.95771484375
          ],
          [
            230400,
            0.9681640625
          ],
          [
            232448,
            0.977734375
          ],
          [
            234496,
            0.9853515625
          ],
          [
            236544,
            0.9900390625
          ],
          [
            238592,
            0.9935546875
          ],
          [
            240640,
            0.99638671875
          ],
          [
            242688,
            0.99775390625
          ],
          [
            244736,
            0.99833984375
          ],
          [
            246784,
            0.9990234375
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
              "low": null,
              "high": null,
              "level": 0.95,
              "samples": 5,
              "effective_samples": 3.695652173913044
            }
          },
          {
            "percent": 90.0,
            "latency_ns": {
              "value": 224256.0,
              "low": null,
              "high": null,
              "level": 0.95,
              "samples": 5,
              "effective_samples": 3.695652173913044
            }
          },
          {
            "percent": 95.0,
            "latency_ns": {
              "value": 228352.0,
              "low": null,
              "high": null,
              "level": 0.95,
              "samples": 5,
              "effective_samples": 5.0
            }
          },
          {
            "percent": 99.0,
            "latency_ns": {
              "value": 236544.0,
              "low": null,
              "high": null,
              "level": 0.95,
              "samples": 5,
              "effective_samples": 3.3333333333333335
            }
          },
          {
            "percent": 99.9,
            "latency_ns": {
              "value": 244736.0,
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
          "reads_per_s": 4789.493431196429,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 313884241.50688916,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.9624581824896837
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
          "value": 26843653.374027953,
          "low": 26318929.919184845,
          "high": 27466507.35452256,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 4.677966101694915
        },
        "iops": {
          "value": 1638.4065780046358,
          "low": 1606.3799999502469,
          "high": 1676.4225680250586,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 4.677966101694915
        },
        "latency_ns_mean": {
          "value": 610349.8566442418,
          "low": 596508.3142361111,
          "high": 622517.7106481482,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 4.677966101694915
        },
        "latency_ns_p50": {
          "value": 48896.0,
          "low": 48384.0,
          "high": 618496.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 4.285714285714286
        },
        "latency_ns_p99": {
          "value": 618496.0,
          "low": 618496.0,
          "high": 3424256.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 4.588235294117648
        },
        "latency_ns_p999": {
          "value": 149946368.0,
          "low": 111673344.0,
          "high": 149946368.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 4.588235294117648
        }
      },
      "verdicts": [
        {
          "metric": "bandwidth_bytes_per_s",
          "baseline": 18,
          "paired": true,
          "ratio": {
            "value": 0.517927734466147,
            "low": 0.49508090896373336,
            "high": 0.5458660557184581,
            "level": 0.95,
            "samples": 6,
            "effective_samples": 6.0
          },
          "difference_percent": {
            "value": -48.2072265533853,
            "low": -50.49190910362667,
            "high": -45.413394428154184
          },
          "verdict": "different",
          "low": 0.49508090896373336,
          "high": 0.5458660557184581,
          "words": "45 to 50 % slower",
          "pairs": [
            [
              54280629.23962131,
              26873303.263075184
            ],
            [
              48214996.414357364,
              26318929.919184845
            ],
            [
              51959976.122813806,
              26814003.484980717
            ],
            [
              52507597.56825292,
              27063743.841040976
            ],
            [
              51497818.39785532,
              27466507.35452256
            ],
            [
              51191049.065102436,
              26513264.06723392
            ]
          ]
        }
      ],
      "warnings": [
        {
          "kind": "simulation_cut_short",
          "ios": 6912,
          "message": "the simulation reached the bound of its effort and rests on 6912 I/O(s): the estimate is less certain than usual",
          "hint": "ask about smaller I/Os, or fewer at once",
          "invalidates": false,
          "samples_affected": 6
        },
        {
          "kind": "not_stationary",
          "changing": "write_cache",
          "ios": 10245,
          "message": "after 10245 simulated I/O(s) what the devices' write caches hold still changed: this is a phase, not the long run",
          "hint": "ask about `state = \"fresh\"` for what comes first, or measure the long run on the device",
          "invalidates": false,
          "samples_affected": 1
        }
      ],
      "samples": [
        {
          "started_unix_ns": 1790000000002000000,
          "elapsed_ns": 4214078444,
          "block": 0,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 26873303.263075184,
          "iops": 1640.2162636154287,
          "latency_ns_mean": 609675.7008101852,
          "latency_ns_p99": 3424256.0
        },
        {
          "started_unix_ns": 1790000000102000000,
          "elapsed_ns": 4302842416,
          "block": 1,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 26318929.919184845,
          "iops": 1606.3799999502469,
          "latency_ns_mean": 622517.7106481482,
          "latency_ns_p99": 618496.0
        },
        {
          "started_unix_ns": 1790000000202000000,
          "elapsed_ns": 5631197299,
          "block": 2,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 26814003.484980717,
          "iops": 1636.5968923938426,
          "latency_ns_mean": 611024.0124782986,
          "latency_ns_p99": 618496.0
        },
        {
          "started_unix_ns": 1790000000302000000,
          "elapsed_ns": 4184425062,
          "block": 3,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 27063743.841040976,
          "iops": 1651.8398340479112,
          "latency_ns_mean": 605385.5703125,
          "latency_ns_p99": 618496.0
        },
        {
          "started_unix_ns": 1790000000402000000,
          "elapsed_ns": 4123065468,
          "block": 4,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 27466507.35452256,
          "iops": 1676.4225680250586,
          "latency_ns_mean": 596508.3142361111,
          "latency_ns_p99": 618496.0
        },
        {
          "started_unix_ns": 1790000000502000000,
          "elapsed_ns": 5695071856,
          "block": 5,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 26513264.06723392,
          "iops": 1618.2412150411328,
          "latency_ns_mean": 617954.8454861111,
          "latency_ns_p99": 618496.0
        }
      ],
      "steady": null,
      "latency": {
        "ios": 46080,
        "cumulative": [
          [
            46336,
            0.00390625
          ],
          [
            46848,
            0.02944878472222222
          ],
          [
            47360,
            0.11540798611111111
          ],
          [
            47872,
            0.2646701388888889
          ],
          [
            48384,
            0.4302734375
          ],
          [
            48896,
            0.5479600694444444
          ],
          [
            49408,
            0.6093532986111111
          ],
          [
            602112,
            0.6455512152777778
          ],
          [
            618496,
            0.9955295138888889
          ],
          [
            35389440,
            0.9968967013888889
          ],
          [
            71827456,
            0.9978298611111112
          ],
          [
            119013376,
            0.9984809027777778
          ],
          [
            147849216,
            0.9986979166666666
          ],
          [
            149946368,
            1.0
          ]
        ],
        "percentiles": [
          {
            "percent": 50.0,
            "latency_ns": {
              "value": 48896.0,
              "low": 48384.0,
              "high": 618496.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 4.285714285714286
            }
          },
          {
            "percent": 90.0,
            "latency_ns": {
              "value": 618496.0,
              "low": 49920.0,
              "high": 618496.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 4.588235294117648
            }
          },
          {
            "percent": 95.0,
            "latency_ns": {
              "value": 618496.0,
              "low": 618496.0,
              "high": 618496.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 99.0,
            "latency_ns": {
              "value": 618496.0,
              "low": 618496.0,
              "high": 3424256.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 4.588235294117648
            }
          },
          {
            "percent": 99.9,
            "latency_ns": {
              "value": 149946368.0,
              "low": 111673344.0,
              "high": 149946368.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 4.588235294117648
            }
          }
        ]
      },
      "members": [
        {
          "device": "disk0",
          "reads_per_s": 0.0,
          "writes_per_s": 1636.905364555548,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 26819057.492878098,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.987952579709117
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
          "value": 26936319.838312678,
          "low": 26790124.116247047,
          "high": 27005128.30071553,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "iops": {
          "value": 411.01562253284726,
          "low": 408.7848528480079,
          "high": 412.0655563463673,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_mean": {
          "value": 2432997.6893084487,
          "low": 2426798.3203125,
          "high": 2446274.594161184,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
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
          "value": 70778880.0,
          "low": 55836672.0,
          "high": 77070336.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p999": {
          "value": 149946368.0,
          "low": 149946368.0,
          "high": 149946368.0,
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
            "value": 0.5051735433066183,
            "low": 0.4646314374816196,
            "high": 0.5368231694553577,
            "level": 0.95,
            "samples": 6,
            "effective_samples": 6.0
          },
          "difference_percent": {
            "value": -49.48264566933817,
            "low": -53.53685625183804,
            "high": -46.31768305446423
          },
          "verdict": "different",
          "low": 0.4646314374816196,
          "high": 0.5368231694553577,
          "words": "1.9 to 2.2 times as slow",
          "pairs": [
            [
              51843219.49509859,
              26942911.92614666
            ],
            [
              54556449.35525005,
              26790124.116247047
            ],
            [
              52678591.344437055,
              27005128.30071553
            ],
            [
              57959332.01688275,
              26929727.750478692
            ],
            [
              53602211.82598901,
              26944113.45839954
            ],
            [
              50153014.69745311,
              26923300.307627957
            ]
          ]
        }
      ],
      "warnings": [
        {
          "kind": "simulation_cut_short",
          "ios": 6912,
          "message": "the simulation reached the bound of its effort and rests on 6912 I/O(s): the estimate is less certain than usual",
          "hint": "ask about smaller I/Os, or fewer at once",
          "invalidates": false,
          "samples_affected": 1
        },
        {
          "kind": "not_stationary",
          "changing": "write_cache",
          "ios": 10245,
          "message": "after 10245 simulated I/O(s) what the devices' write caches hold still changed: this is a phase, not the long run",
          "hint": "ask about `state = \"fresh\"` for what comes first, or measure the long run on the device",
          "invalidates": false,
          "samples_affected": 1
        }
      ],
      "samples": [
        {
          "started_unix_ns": 1790000000003000000,
          "elapsed_ns": 16812764457,
          "block": 0,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 26942911.92614666,
          "iops": 411.11620981058746,
          "latency_ns_mean": 2432402.265190972,
          "latency_ns_p99": 73924608.0
        },
        {
          "started_unix_ns": 1790000000103000000,
          "elapsed_ns": 11898679626,
          "block": 1,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 26790124.116247047,
          "iops": 408.7848528480079,
          "latency_ns_mean": 2446274.594161184,
          "latency_ns_p99": 67633152.0
        },
        {
          "started_unix_ns": 1790000000203000000,
          "elapsed_ns": 18016550730,
          "block": 2,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 27005128.30071553,
          "iops": 412.0655563463673,
          "latency_ns_mean": 2426798.3203125,
          "latency_ns_p99": 77070336.0
        },
        {
          "started_unix_ns": 1790000000303000000,
          "elapsed_ns": 16820995600,
          "block": 3,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 26929727.750478692,
          "iops": 410.915035255107,
          "latency_ns_mean": 2433593.113425926,
          "latency_ns_p99": 55836672.0
        },
        {
          "started_unix_ns": 1790000000403000000,
          "elapsed_ns": 19302683564,
          "block": 4,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 26944113.45839954,
          "iops": 411.134543737786,
          "latency_ns_mean": 2432293.7958669355,
          "latency_ns_p99": 67633152.0
        },
        {
          "started_unix_ns": 1790000000503000000,
          "elapsed_ns": 14955565603,
          "block": 5,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 26923300.307627957,
          "iops": 410.81696026043636,
          "latency_ns_mean": 2434174.0890299478,
          "latency_ns_p99": 77070336.0
        }
      ],
      "steady": null,
      "latency": {
        "ios": 40192,
        "cumulative": [
          [
            140288,
            0.258359872611465
          ],
          [
            142336,
            0.643187699044586
          ],
          [
            2441216,
            0.66125099522293
          ],
          [
            2473984,
            0.9838027468152867
          ],
          [
            49020928,
            0.9883061305732485
          ],
          [
            102236160,
            0.9918142914012739
          ],
          [
            143654912,
            0.9942277070063694
          ],
          [
            147849216,
            0.9944765127388535
          ],
          [
            149946368,
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
              "value": 2473984.0,
              "low": 2473984.0,
              "high": 2473984.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 95.0,
            "latency_ns": {
              "value": 2473984.0,
              "low": 2473984.0,
              "high": 2473984.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 99.0,
            "latency_ns": {
              "value": 70778880.0,
              "low": 55836672.0,
              "high": 77070336.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 99.9,
            "latency_ns": {
              "value": 149946368.0,
              "low": 149946368.0,
              "high": 149946368.0,
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
          "writes_per_s": 410.93072632037166,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 26930756.080131877,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.996778439700854
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
          "value": 141025455.8204764,
          "low": 140712391.15253106,
          "high": 141454938.94664812,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "iops": {
          "value": 8607.51073123025,
          "low": 8588.40278030585,
          "high": 8633.724300942878,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_mean": {
          "value": 116177.61938476562,
          "low": 115824.87060546875,
          "high": 116436.08544921875,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p50": {
          "value": 116224.0,
          "low": 116224.0,
          "high": 116224.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p99": {
          "value": 142336.0,
          "low": 142336.0,
          "high": 146432.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p999": {
          "value": 152576.0,
          "low": 150528.0,
          "high": 152576.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        }
      },
      "verdicts": [],
      "warnings": [],
      "samples": [
        {
          "started_unix_ns": 1790000000004000000,
          "elapsed_ns": 238009077,
          "block": 0,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 140979631.62976342,
          "iops": 8604.713844590053,
          "latency_ns_mean": 116215.36962890625,
          "latency_ns_p99": 142336.0
        },
        {
          "started_unix_ns": 1790000000104000000,
          "elapsed_ns": 237854452,
          "block": 1,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 141071280.01118937,
          "iops": 8610.307617870445,
          "latency_ns_mean": 116139.869140625,
          "latency_ns_p99": 146432.0
        },
        {
          "started_unix_ns": 1790000000204000000,
          "elapsed_ns": 237346602,
          "block": 2,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 141373129.91740242,
          "iops": 8628.731074060206,
          "latency_ns_mean": 115891.8955078125,
          "latency_ns_p99": 142336.0
        },
        {
          "started_unix_ns": 1790000000304000000,
          "elapsed_ns": 238032395,
          "block": 3,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 140965821.05977634,
          "iops": 8603.87091429299,
          "latency_ns_mean": 116226.75537109375,
          "latency_ns_p99": 142336.0
        },
        {
          "started_unix_ns": 1790000000404000000,
          "elapsed_ns": 238461103,
          "block": 4,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 140712391.15253106,
          "iops": 8588.40278030585,
          "latency_ns_mean": 116436.08544921875,
          "latency_ns_p99": 142336.0
        },
        {
          "started_unix_ns": 1790000000504000000,
          "elapsed_ns": 237209335,
          "block": 5,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 141454938.94664812,
          "iops": 8633.724300942878,
          "latency_ns_mean": 115824.87060546875,
          "latency_ns_p99": 142336.0
        }
      ],
      "steady": null,
      "latency": {
        "ios": 12288,
        "cumulative": [
          [
            46336,
            0.00008138020833333333
          ],
          [
            98816,
            0.037190755208333336
          ],
          [
            101888,
            0.074462890625
          ],
          [
            103936,
            0.11018880208333333
          ],
          [
            104960,
            0.13362630208333334
          ],
          [
            105984,
            0.15950520833333334
          ],
          [
            107008,
            0.19083658854166666
          ],
          [
            108032,
            0.22265625
          ],
          [
            109056,
            0.2572428385416667
          ],
          [
            110080,
            0.2925618489583333
          ],
          [
            111104,
            0.3307291666666667
          ],
          [
            112128,
            0.367919921875
          ],
          [
            113152,
            0.4072265625
          ],
          [
            114176,
            0.4454752604166667
          ],
          [
            115200,
            0.4883626302083333
          ],
          [
            116224,
            0.530517578125
          ],
          [
            117248,
            0.5699055989583334
          ],
          [
            118272,
            0.6087239583333334
          ],
          [
            119296,
            0.648193359375
          ],
          [
            120320,
            0.6832682291666666
          ],
          [
            121344,
            0.71533203125
          ],
          [
            122368,
            0.7498372395833334
          ],
          [
            123392,
            0.7793782552083334
          ],
          [
            124416,
            0.8058268229166666
          ],
          [
            125440,
            0.8292643229166666
          ],
          [
            126464,
            0.8512369791666666
          ],
          [
            127488,
            0.8706868489583334
          ],
          [
            128512,
            0.88916015625
          ],
          [
            129536,
            0.9055989583333334
          ],
          [
            130560,
            0.919189453125
          ],
          [
            132096,
            0.94091796875
          ],
          [
            134144,
            0.9583333333333334
          ],
          [
            136192,
            0.9711100260416666
          ],
          [
            138240,
            0.9798990885416666
          ],
          [
            140288,
            0.9871419270833334
          ],
          [
            142336,
            0.991455078125
          ],
          [
            144384,
            0.9933268229166666
          ],
          [
            146432,
            0.9955240885416666
          ],
          [
            148480,
            0.997314453125
          ],
          [
            150528,
            0.9982096354166666
          ],
          [
            152576,
            0.99951171875
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
              "value": 116224.0,
              "low": 116224.0,
              "high": 116224.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 90.0,
            "latency_ns": {
              "value": 129536.0,
              "low": 129536.0,
              "high": 130560.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 95.0,
            "latency_ns": {
              "value": 134144.0,
              "low": 134144.0,
              "high": 134144.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 99.0,
            "latency_ns": {
              "value": 142336.0,
              "low": 142336.0,
              "high": 146432.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 99.9,
            "latency_ns": {
              "value": 152576.0,
              "low": 150528.0,
              "high": 152576.0,
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
          "reads_per_s": 4342.241017021134,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 71143276.82287426,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.4685961715041227
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
          "reads_per_s": 4269.356403436532,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 69949135.31390414,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.46200932266531713
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
          "value": 495010255.1162249,
          "low": 493455932.67603,
          "high": 496284385.8391184,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "iops": {
          "value": 7553.257066592787,
          "low": 7529.539988342743,
          "high": 7572.69875853147,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_mean": {
          "value": 132393.2236328125,
          "low": 132053.318359375,
          "high": 132810.23828125,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p50": {
          "value": 132096.0,
          "low": 132096.0,
          "high": 132096.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p99": {
          "value": 155648.0,
          "low": 152576.0,
          "high": 156672.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p999": {
          "value": 158720.0,
          "low": 156672.0,
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
          "elapsed_ns": 67998842,
          "block": 0,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 493455932.67603,
          "iops": 7529.539988342743,
          "latency_ns_mean": 132810.23828125,
          "latency_ns_p99": 154624.0
        },
        {
          "started_unix_ns": 1790000000105000000,
          "elapsed_ns": 67718926,
          "block": 1,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 495495631.45759284,
          "iops": 7560.663321801649,
          "latency_ns_mean": 132263.52734375,
          "latency_ns_p99": 156672.0
        },
        {
          "started_unix_ns": 1790000000205000000,
          "elapsed_ns": 67907914,
          "block": 2,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 494116665.1062202,
          "iops": 7539.621965121768,
          "latency_ns_mean": 132632.64453125,
          "latency_ns_p99": 154624.0
        },
        {
          "started_unix_ns": 1790000000305000000,
          "elapsed_ns": 67769877,
          "block": 3,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 495123106.09623796,
          "iops": 7554.979035892303,
          "latency_ns_mean": 132363.041015625,
          "latency_ns_p99": 156672.0
        },
        {
          "started_unix_ns": 1790000000405000000,
          "elapsed_ns": 67611299,
          "block": 4,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 496284385.8391184,
          "iops": 7572.69875853147,
          "latency_ns_mean": 132053.318359375,
          "latency_ns_p99": 152576.0
        },
        {
          "started_unix_ns": 1790000000505000000,
          "elapsed_ns": 67800784,
          "block": 5,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 494897404.13621175,
          "iops": 7551.53509729327,
          "latency_ns_mean": 132423.40625,
          "latency_ns_p99": 156672.0
        }
      ],
      "steady": null,
      "latency": {
        "ios": 3072,
        "cumulative": [
          [
            111104,
            0.0003255208333333333
          ],
          [
            114176,
            0.0009765625
          ],
          [
            115200,
            0.0032552083333333335
          ],
          [
            116224,
            0.0087890625
          ],
          [
            117248,
            0.011393229166666666
          ],
          [
            118272,
            0.017252604166666668
          ],
          [
            119296,
            0.028971354166666668
          ],
          [
            120320,
            0.045247395833333336
          ],
          [
            121344,
            0.06608072916666667
          ],
          [
            122368,
            0.0966796875
          ],
          [
            123392,
            0.12565104166666666
          ],
          [
            124416,
            0.16471354166666666
          ],
          [
            125440,
            0.20768229166666666
          ],
          [
            126464,
            0.2535807291666667
          ],
          [
            127488,
            0.3017578125
          ],
          [
            128512,
            0.3583984375
          ],
          [
            129536,
            0.4192708333333333
          ],
          [
            130560,
            0.4703776041666667
          ],
          [
            132096,
            0.5745442708333334
          ],
          [
            134144,
            0.6689453125
          ],
          [
            136192,
            0.7568359375
          ],
          [
            138240,
            0.8255208333333334
          ],
          [
            140288,
            0.8766276041666666
          ],
          [
            142336,
            0.9095052083333334
          ],
          [
            144384,
            0.9365234375
          ],
          [
            146432,
            0.9563802083333334
          ],
          [
            148480,
            0.96875
          ],
          [
            150528,
            0.9768880208333334
          ],
          [
            152576,
            0.9856770833333334
          ],
          [
            154624,
            0.9899088541666666
          ],
          [
            156672,
            0.99609375
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
              "value": 132096.0,
              "low": 132096.0,
              "high": 132096.0,
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
              "high": 144384.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 5.0769230769230775
            }
          },
          {
            "percent": 95.0,
            "latency_ns": {
              "value": 146432.0,
              "low": 144384.0,
              "high": 148480.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 99.0,
            "latency_ns": {
              "value": 155648.0,
              "low": 152576.0,
              "high": 156672.0,
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
          "reads_per_s": 7551.480559453206,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 123723457.48608133,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.8175305713652251
        },
        {
          "device": "disk1",
          "reads_per_s": 7551.480559453206,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 123723457.48608133,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.8208425912510265
        },
        {
          "device": "disk2",
          "reads_per_s": 7551.480559453206,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 123723457.48608133,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.8208007582119117
        },
        {
          "device": "disk3",
          "reads_per_s": 7551.480559453206,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 123723457.48608133,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.8228070553305878
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
          "value": 51728897.260334566,
          "low": 48214996.414357364,
          "high": 54280629.23962131,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "iops": {
          "value": 3157.281326924717,
          "low": 2942.8098397434915,
          "high": 3313.0266869886054,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_mean": {
          "value": 316734.5104709201,
          "low": 301838.8001302083,
          "high": 339811.2873263889,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
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
          "value": 307584.0,
          "low": 53504.0,
          "high": 618496.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p999": {
          "value": 65273856.0,
          "low": 59506688.0,
          "high": 78118912.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 5.941463414634146
        }
      },
      "verdicts": [],
      "warnings": [
        {
          "kind": "simulation_cut_short",
          "ios": 4608,
          "message": "the simulation reached the bound of its effort and rests on 4608 I/O(s): the estimate is less certain than usual",
          "hint": "ask about smaller I/Os, or fewer at once",
          "invalidates": false,
          "samples_affected": 6
        },
        {
          "kind": "not_stationary",
          "changing": "write_cache",
          "ios": 6830,
          "message": "after 6830 simulated I/O(s) what the devices' write caches hold still changed: this is a phase, not the long run",
          "hint": "ask about `state = \"fresh\"` for what comes first, or measure the long run on the device",
          "invalidates": false,
          "samples_affected": 5
        }
      ],
      "samples": [
        {
          "started_unix_ns": 1790000000006000000,
          "elapsed_ns": 1390873191,
          "block": 0,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 54280629.23962131,
          "iops": 3313.0266869886054,
          "latency_ns_mean": 301838.8001302083,
          "latency_ns_p99": 561152.0
        },
        {
          "started_unix_ns": 1790000000106000000,
          "elapsed_ns": 1565850412,
          "block": 1,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 48214996.414357364,
          "iops": 2942.8098397434915,
          "latency_ns_mean": 339811.2873263889,
          "latency_ns_p99": 618496.0
        },
        {
          "started_unix_ns": 1790000000206000000,
          "elapsed_ns": 1937323754,
          "block": 2,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 51959976.122813806,
          "iops": 3171.38526140221,
          "latency_ns_mean": 315319.6214192708,
          "latency_ns_p99": 53504.0
        },
        {
          "started_unix_ns": 1790000000306000000,
          "elapsed_ns": 1437839008,
          "block": 3,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 52507597.56825292,
          "iops": 3204.809421890437,
          "latency_ns_mean": 312031.03472222225,
          "latency_ns_p99": 54016.0
        },
        {
          "started_unix_ns": 1790000000406000000,
          "elapsed_ns": 1466032433,
          "block": 4,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 51497818.39785532,
          "iops": 3143.177392447224,
          "latency_ns_mean": 318149.39952256944,
          "latency_ns_p99": 618496.0
        },
        {
          "started_unix_ns": 1790000000506000000,
          "elapsed_ns": 1474817832,
          "block": 5,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 51191049.065102436,
          "iops": 3124.4536782899436,
          "latency_ns_mean": 320055.953125,
          "latency_ns_p99": 54016.0
        }
      ],
      "steady": null,
      "latency": {
        "ios": 29184,
        "cumulative": [
          [
            49920,
            0.0001713267543859649
          ],
          [
            50432,
            0.024294133771929825
          ],
          [
            50944,
            0.14768366228070176
          ],
          [
            51456,
            0.43640350877192985
          ],
          [
            51968,
            0.7464364035087719
          ],
          [
            52480,
            0.9216694078947368
          ],
          [
            52992,
            0.9739240679824561
          ],
          [
            53504,
            0.9833813048245614
          ],
          [
            544768,
            0.986328125
          ],
          [
            610304,
            0.9884868421052632
          ],
          [
            618496,
            0.9921875
          ],
          [
            12386304,
            0.9945518092105263
          ],
          [
            24772608,
            0.9962308114035088
          ],
          [
            36438016,
            0.9973958333333334
          ],
          [
            46399488,
            0.9981839364035088
          ],
          [
            57409536,
            0.9986979166666666
          ],
          [
            72876032,
            0.999109100877193
          ],
          [
            89653248,
            0.9993832236842105
          ],
          [
            92798976,
            0.9995202850877193
          ],
          [
            103284736,
            0.9996573464912281
          ],
          [
            108527616,
            0.9997601425438597
          ],
          [
            130547712,
            0.9998286732456141
          ],
          [
            135266304,
            0.9998629385964912
          ],
          [
            143654912,
            0.9998972039473685
          ],
          [
            149946368,
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
              "low": 52992.0,
              "high": 52992.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 99.0,
            "latency_ns": {
              "value": 307584.0,
              "low": 53504.0,
              "high": 618496.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 99.9,
            "latency_ns": {
              "value": 65273856.0,
              "low": 59506688.0,
              "high": 78118912.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 5.941463414634146
            }
          }
        ]
      },
      "members": [
        {
          "device": "disk0",
          "reads_per_s": 0.0,
          "writes_per_s": 1575.1552732281152,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 25807343.99656944,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.45346036383651717
        },
        {
          "device": "disk1",
          "reads_per_s": 0.0,
          "writes_per_s": 1575.1552732281152,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 25807343.99656944,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.45348785140681824
        },
        {
          "device": "disk2",
          "reads_per_s": 0.0,
          "writes_per_s": 1572.1356684321145,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 25757870.791591763,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.512439298839441
        },
        {
          "device": "disk3",
          "reads_per_s": 0.0,
          "writes_per_s": 1572.1356684321145,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 25757870.791591763,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.5124328649243648
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
          "value": 53140401.585213035,
          "low": 50153014.69745311,
          "high": 57959332.01688275,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "iops": {
          "value": 810.8581784853063,
          "low": 765.2742721168993,
          "high": 884.3892214490165,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_mean": {
          "value": 1233354.4322916665,
          "low": 1130723.8665364583,
          "high": 1306721.0494791667,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p50": {
          "value": 94720.0,
          "low": 93696.0,
          "high": 94720.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p99": {
          "value": 22282240.0,
          "low": 9109504.0,
          "high": 31850496.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 1.8749999999999998
        },
        "latency_ns_p999": {
          "value": 149946368.0,
          "low": 149946368.0,
          "high": 149946368.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        }
      },
      "verdicts": [],
      "warnings": [
        {
          "kind": "simulation_cut_short",
          "ios": 1536,
          "message": "the simulation reached the bound of its effort and rests on 1536 I/O(s): the estimate is less certain than usual",
          "hint": "ask about smaller I/Os, or fewer at once",
          "invalidates": false,
          "samples_affected": 6
        },
        {
          "kind": "not_stationary",
          "changing": "write_cache",
          "ios": 2277,
          "message": "after 2277 simulated I/O(s) what the devices' write caches hold still changed: this is a phase, not the long run",
          "hint": "ask about `state = \"fresh\"` for what comes first, or measure the long run on the device",
          "invalidates": false,
          "samples_affected": 3
        }
      ],
      "samples": [
        {
          "started_unix_ns": 1790000000007000000,
          "elapsed_ns": 1941686820,
          "block": 0,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 51843219.49509859,
          "iops": 791.0647505965972,
          "latency_ns_mean": 1264119.0234375,
          "latency_ns_p99": 17170432.0
        },
        {
          "started_unix_ns": 1790000000107000000,
          "elapsed_ns": 1998881989,
          "block": 1,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 54556449.35525005,
          "iops": 832.4653527107247,
          "latency_ns_mean": 1201251.1953125,
          "latency_ns_p99": 27394048.0
        },
        {
          "started_unix_ns": 1790000000207000000,
          "elapsed_ns": 1910895744,
          "block": 2,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 52678591.344437055,
          "iops": 803.8115134344033,
          "latency_ns_mean": 1244072.75,
          "latency_ns_p99": 31850496.0
        },
        {
          "started_unix_ns": 1790000000307000000,
          "elapsed_ns": 1736791859,
          "block": 3,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 57959332.01688275,
          "iops": 884.3892214490165,
          "latency_ns_mean": 1130723.8665364583,
          "latency_ns_p99": 28442624.0
        },
        {
          "started_unix_ns": 1790000000407000000,
          "elapsed_ns": 1877969072,
          "block": 4,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 53602211.82598901,
          "iops": 817.9048435362092,
          "latency_ns_mean": 1222636.1145833333,
          "latency_ns_p99": 11468800.0
        },
        {
          "started_unix_ns": 1790000000507000000,
          "elapsed_ns": 2007123532,
          "block": 5,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 50153014.69745311,
          "iops": 765.2742721168993,
          "latency_ns_mean": 1306721.0494791667,
          "latency_ns_p99": 9109504.0
        }
      ],
      "steady": null,
      "latency": {
        "ios": 9344,
        "cumulative": [
          [
            92672,
            0.020976027397260275
          ],
          [
            93696,
            0.4529109589041096
          ],
          [
            94720,
            0.8195633561643836
          ],
          [
            1204224,
            0.831763698630137
          ],
          [
            1236992,
            0.9873715753424658
          ],
          [
            31850496,
            0.991117294520548
          ],
          [
            71827456,
            0.993792808219178
          ],
          [
            95944704,
            0.9956121575342466
          ],
          [
            130547712,
            0.996896404109589
          ],
          [
            147849216,
            0.9976455479452054
          ],
          [
            149946368,
            1.0
          ]
        ],
        "percentiles": [
          {
            "percent": 50.0,
            "latency_ns": {
              "value": 94720.0,
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
              "value": 1236992.0,
              "low": 94720.0,
              "high": 1236992.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 95.0,
            "latency_ns": {
              "value": 1236992.0,
              "low": 1236992.0,
              "high": 1236992.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 99.0,
            "latency_ns": {
              "value": 22282240.0,
              "low": 9109504.0,
              "high": 31850496.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 1.8749999999999998
            }
          },
          {
            "percent": 99.9,
            "latency_ns": {
              "value": 149946368.0,
              "low": 149946368.0,
              "high": 149946368.0,
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
          "writes_per_s": 814.4091134131329,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 26686557.82832154,
          "merges_per_s": 814.8449059609782,
          "flushes_per_s": 0.0,
          "busy_share": 0.9817668061253723
        },
        {
          "device": "disk1",
          "reads_per_s": 0.0,
          "writes_per_s": 814.4091134131329,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 26686557.82832154,
          "merges_per_s": 814.8449059609782,
          "flushes_per_s": 0.0,
          "busy_share": 0.9817725559722484
        },
        {
          "device": "disk2",
          "reads_per_s": 0.0,
          "writes_per_s": 814.4091134131329,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 26686557.82832154,
          "merges_per_s": 814.8449059609782,
          "flushes_per_s": 0.0,
          "busy_share": 0.981772953066418
        },
        {
          "device": "disk3",
          "reads_per_s": 0.0,
          "writes_per_s": 814.4091134131329,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 26686557.82832154,
          "merges_per_s": 814.8449059609782,
          "flushes_per_s": 0.0,
          "busy_share": 0.981781486233139
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
          "value": 141187943.26563096,
          "low": 140727856.03724837,
          "high": 141297334.28707737,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 1.4556213017751483
        },
        "iops": {
          "value": 8617.428177833921,
          "low": 8589.34668196096,
          "high": 8624.10487592025,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 1.4556213017751483
        },
        "latency_ns_mean": {
          "value": 116043.92065429688,
          "low": 115954.06298828125,
          "high": 116423.2900390625,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 1.4556213017751483
        },
        "latency_ns_p50": {
          "value": 116224.0,
          "low": 115200.0,
          "high": 116224.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 3.0
        },
        "latency_ns_p99": {
          "value": 142336.0,
          "low": 142336.0,
          "high": 144384.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p999": {
          "value": 152576.0,
          "low": 150528.0,
          "high": 154624.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 4.285714285714286
        }
      },
      "verdicts": [
        {
          "metric": "bandwidth_bytes_per_s",
          "baseline": 16,
          "paired": true,
          "ratio": {
            "value": 0.9997935606767284,
            "low": 0.9977237357691051,
            "high": 1.0018676795336632,
            "level": 0.95,
            "samples": 6,
            "effective_samples": 4.543933054393306
          },
          "difference_percent": {
            "value": -0.020643932327157888,
            "low": -0.22762642308948866,
            "high": 0.18676795336631802
          },
          "verdict": "no_difference",
          "margin": 0.05,
          "words": "no difference above 5 %",
          "pairs": [
            [
              140979631.62976342,
              141242936.40242136
            ],
            [
              141071280.01118937,
              141297334.28707737
            ],
            [
              141373129.91740242,
              141286159.8530882
            ],
            [
              140965821.05977634,
              140876702.6311461
            ],
            [
              140712391.15253106,
              140727856.03724837
            ],
            [
              141454938.94664812,
              141132950.12884054
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
          "started_unix_ns": 1790000000008000000,
          "elapsed_ns": 237565381,
          "block": 0,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 141242936.40242136,
          "iops": 8620.7846925306,
          "latency_ns_mean": 115998.72119140625,
          "latency_ns_p99": 142336.0
        },
        {
          "started_unix_ns": 1790000000108000000,
          "elapsed_ns": 237473921,
          "block": 1,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 141297334.28707737,
          "iops": 8624.10487592025,
          "latency_ns_mean": 115954.06298828125,
          "latency_ns_p99": 142336.0
        },
        {
          "started_unix_ns": 1790000000208000000,
          "elapsed_ns": 237492703,
          "block": 2,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 141286159.8530882,
          "iops": 8623.422842595715,
          "latency_ns_mean": 115963.23388671875,
          "latency_ns_p99": 144384.0
        },
        {
          "started_unix_ns": 1790000000308000000,
          "elapsed_ns": 238182974,
          "block": 3,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 140876702.6311461,
          "iops": 8598.431557076789,
          "latency_ns_mean": 116300.2802734375,
          "latency_ns_p99": 142336.0
        },
        {
          "started_unix_ns": 1790000000408000000,
          "elapsed_ns": 238434898,
          "block": 4,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 140727856.03724837,
          "iops": 8589.34668196096,
          "latency_ns_mean": 116423.2900390625,
          "latency_ns_p99": 144384.0
        },
        {
          "started_unix_ns": 1790000000508000000,
          "elapsed_ns": 237750518,
          "block": 5,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 141132950.12884054,
          "iops": 8614.07166313724,
          "latency_ns_mean": 116089.1201171875,
          "latency_ns_p99": 142336.0
        }
      ],
      "steady": null,
      "latency": {
        "ios": 12288,
        "cumulative": [
          [
            46336,
            0.00016276041666666666
          ],
          [
            98816,
            0.036702473958333336
          ],
          [
            101888,
            0.073974609375
          ],
          [
            103936,
            0.11246744791666667
          ],
          [
            104960,
            0.13419596354166666
          ],
          [
            105984,
            0.15836588541666666
          ],
          [
            107008,
            0.18806966145833334
          ],
          [
            108032,
            0.21565755208333334
          ],
          [
            109056,
            0.24959309895833334
          ],
          [
            110080,
            0.2886555989583333
          ],
          [
            111104,
            0.3253580729166667
          ],
          [
            112128,
            0.3640950520833333
          ],
          [
            113152,
            0.4038899739583333
          ],
          [
            114176,
            0.44580078125
          ],
          [
            115200,
            0.4891764322916667
          ],
          [
            116224,
            0.5294596354166666
          ],
          [
            117248,
            0.5659993489583334
          ],
          [
            118272,
            0.6031087239583334
          ],
          [
            119296,
            0.6417643229166666
          ],
          [
            120320,
            0.677734375
          ],
          [
            121344,
            0.7122395833333334
          ],
          [
            122368,
            0.74365234375
          ],
          [
            123392,
            0.771240234375
          ],
          [
            124416,
            0.7978515625
          ],
          [
            125440,
            0.8221028645833334
          ],
          [
            126464,
            0.8450520833333334
          ],
          [
            127488,
            0.866455078125
          ],
          [
            128512,
            0.884033203125
          ],
          [
            129536,
            0.9000651041666666
          ],
          [
            130560,
            0.914794921875
          ],
          [
            132096,
            0.942138671875
          ],
          [
            134144,
            0.9601236979166666
          ],
          [
            136192,
            0.9722493489583334
          ],
          [
            138240,
            0.9800618489583334
          ],
          [
            140288,
            0.9856770833333334
          ],
          [
            142336,
            0.9903971354166666
          ],
          [
            144384,
            0.99365234375
          ],
          [
            146432,
            0.995849609375
          ],
          [
            148480,
            0.997314453125
          ],
          [
            150528,
            0.9982096354166666
          ],
          [
            152576,
            0.99951171875
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
              "value": 116224.0,
              "low": 115200.0,
              "high": 116224.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 3.0
            }
          },
          {
            "percent": 90.0,
            "latency_ns": {
              "value": 130048.0,
              "low": 128512.0,
              "high": 130560.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 2.2758620689655173
            }
          },
          {
            "percent": 95.0,
            "latency_ns": {
              "value": 134144.0,
              "low": 134144.0,
              "high": 134144.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 99.0,
            "latency_ns": {
              "value": 142336.0,
              "low": 142336.0,
              "high": 144384.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 99.9,
            "latency_ns": {
              "value": 152576.0,
              "low": 150528.0,
              "high": 154624.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 4.285714285714286
            }
          }
        ]
      },
      "members": [
        {
          "device": "disk0",
          "reads_per_s": 4258.180894259266,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 69766035.77154382,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.45987402084922685
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
          "reads_per_s": 4353.4923823467025,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 71327619.19236837,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.470730862051517
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
          "value": 314294670.11002433,
          "low": 313347208.0029681,
          "high": 315532549.19213265,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 1.3255813953488373
        },
        "iops": {
          "value": 4795.756074676885,
          "low": 4781.298950240602,
          "high": 4814.644610475657,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 1.3255813953488373
        },
        "latency_ns_mean": {
          "value": 208517.69555664062,
          "low": 207699.64990234375,
          "high": 209148.185546875,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 1.3255813953488373
        },
        "latency_ns_p50": {
          "value": 209920.0,
          "low": 209920.0,
          "high": 209920.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p99": {
          "value": 238592.0,
          "low": 236544.0,
          "high": 240640.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 4.285714285714286
        },
        "latency_ns_p999": {
          "value": 248832.0,
          "low": 246784.0,
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
            "value": 0.6353538051305037,
            "low": 0.6319579904159387,
            "high": 0.6387678671933901,
            "level": 0.95,
            "samples": 6,
            "effective_samples": 1.2000000000000002
          },
          "difference_percent": {
            "value": -36.46461948694964,
            "low": -36.80420095840613,
            "high": -36.12321328066099
          },
          "verdict": "different",
          "low": 0.6319579904159387,
          "high": 0.6387678671933901,
          "words": "36 to 37 % slower",
          "pairs": [
            [
              493455932.67603,
              315203793.66939265
            ],
            [
              495495631.45759284,
              315532549.19213265
            ],
            [
              494116665.1062202,
              314317210.5046749
            ],
            [
              495123106.09623796,
              313347208.0029681
            ],
            [
              496284385.8391184,
              313630883.1496981
            ],
            [
              494897404.13621175,
              314272129.71537375
            ]
          ]
        }
      ],
      "warnings": [
        {
          "kind": "autocorrelated",
          "metric": "bandwidth",
          "lag1": 0.638095238095238,
          "samples": 6,
          "effective_samples": 1.3255813953488373,
          "message": "bandwidth: each sample resembles the one before (lag-1 correlation 0.64), so 6 samples count as 1.3",
          "hint": "longer samples or more of them; the interval allows for it already",
          "invalidates": false,
          "samples_affected": 0
        }
      ],
      "samples": [
        {
          "started_unix_ns": 1790000000009000000,
          "elapsed_ns": 425812540,
          "block": 0,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 315203793.66939265,
          "iops": 4809.628199301035,
          "latency_ns_mean": 207916.279296875,
          "latency_ns_p99": 238592.0
        },
        {
          "started_unix_ns": 1790000000109000000,
          "elapsed_ns": 425368883,
          "block": 1,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 315532549.19213265,
          "iops": 4814.644610475657,
          "latency_ns_mean": 207699.64990234375,
          "latency_ns_p99": 236544.0
        },
        {
          "started_unix_ns": 1790000000209000000,
          "elapsed_ns": 427013614,
          "block": 2,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 314317210.5046749,
          "iops": 4796.100013804244,
          "latency_ns_mean": 208502.7412109375,
          "latency_ns_p99": 238592.0
        },
        {
          "started_unix_ns": 1790000000309000000,
          "elapsed_ns": 428335484,
          "block": 3,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 313347208.0029681,
          "iops": 4781.298950240602,
          "latency_ns_mean": 209148.185546875,
          "latency_ns_p99": 238592.0
        },
        {
          "started_unix_ns": 1790000000409000000,
          "elapsed_ns": 427948060,
          "block": 4,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 313630883.1496981,
          "iops": 4785.627489466829,
          "latency_ns_mean": 208959.013671875,
          "latency_ns_p99": 240640.0
        },
        {
          "started_unix_ns": 1790000000509000000,
          "elapsed_ns": 427074867,
          "block": 5,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 314272129.71537375,
          "iops": 4795.412135549526,
          "latency_ns_mean": 208532.64990234375,
          "latency_ns_p99": 238592.0
        }
      ],
      "steady": null,
      "latency": {
        "ios": 12288,
        "cumulative": [
          [
            136192,
            0.007568359375
          ],
          [
            138240,
            0.0263671875
          ],
          [
            140288,
            0.030680338541666668
          ],
          [
            183296,
            0.031819661458333336
          ],
          [
            185344,
            0.034261067708333336
          ],
          [
            187392,
            0.038655598958333336
          ],
          [
            189440,
            0.045735677083333336
          ],
          [
            191488,
            0.05859375
          ],
          [
            193536,
            0.08040364583333333
          ],
          [
            195584,
            0.10896809895833333
          ],
          [
            197632,
            0.1494140625
          ],
          [
            199680,
            0.19767252604166666
          ],
          [
            201728,
            0.2537434895833333
          ],
          [
            203776,
            0.3238932291666667
          ],
          [
            205824,
            0.39501953125
          ],
          [
            207872,
            0.4727376302083333
          ],
          [
            209920,
            0.548828125
          ],
          [
            211968,
            0.6194661458333334
          ],
          [
            214016,
            0.6893717447916666
          ],
          [
            216064,
            0.7501627604166666
          ],
          [
            218112,
            0.8025716145833334
          ],
          [
            220160,
            0.8451334635416666
          ],
          [
            222208,
            0.8841145833333334
          ],
          [
            224256,
            0.91259765625
          ],
          [
            226304,
            0.9371744791666666
          ],
          [
            228352,
            0.955078125
          ],
          [
            230400,
            0.968994140625
          ],
          [
            232448,
            0.9771321614583334
          ],
          [
            234496,
            0.9832356770833334
          ],
          [
            236544,
            0.9876302083333334
          ],
          [
            238592,
            0.9922688802083334
          ],
          [
            240640,
            0.9947102864583334
          ],
          [
            242688,
            0.9961751302083334
          ],
          [
            244736,
            0.9973958333333334
          ],
          [
            246784,
            0.9986165364583334
          ],
          [
            248832,
            0.9998372395833334
          ],
          [
            250880,
            1.0
          ]
        ],
        "percentiles": [
          {
            "percent": 50.0,
            "latency_ns": {
              "value": 209920.0,
              "low": 209920.0,
              "high": 209920.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 90.0,
            "latency_ns": {
              "value": 224256.0,
              "low": 224256.0,
              "high": 224256.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 95.0,
            "latency_ns": {
              "value": 228352.0,
              "low": 228352.0,
              "high": 230400.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 99.0,
            "latency_ns": {
              "value": 238592.0,
              "low": 236544.0,
              "high": 240640.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 4.285714285714286
            }
          },
          {
            "percent": 99.9,
            "latency_ns": {
              "value": 248832.0,
              "low": 246784.0,
              "high": 248832.0,
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
          "reads_per_s": 2416.892766705214,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 158393484.3587929,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.48332304835046336
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
          "reads_per_s": 2380.196284703875,
          "writes_per_s": 0.0,
          "read_bytes_per_s": 155988543.71435314,
          "write_bytes_per_s": 0.0,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.4757192741582022
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
          "value": 52426057.51171066,
          "low": 51904839.853676885,
          "high": 56104737.26825662,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "iops": {
          "value": 3199.8326117987463,
          "low": 3168.020010600396,
          "high": 3424.361405533241,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_mean": {
          "value": 312520.8083767361,
          "low": 292025.2513020833,
          "high": 315654.57183159725,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
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
          "value": 53504.0,
          "low": 53504.0,
          "high": 54016.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_p999": {
          "value": 75497472.0,
          "low": 56885248.0,
          "high": 80216064.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 1.8749999999999998
        }
      },
      "verdicts": [
        {
          "metric": "bandwidth_bytes_per_s",
          "baseline": 18,
          "paired": true,
          "ratio": {
            "value": 1.0223515543572859,
            "low": 0.9946748127046238,
            "high": 1.0765289580778816,
            "level": 0.95,
            "samples": 6,
            "effective_samples": 4.677966101694915
          },
          "difference_percent": {
            "value": 2.2351554357285863,
            "low": -0.5325187295376232,
            "high": 7.652895807788163
          },
          "verdict": "cannot_tell",
          "more_samples": {
            "forecast": "about",
            "samples": 11
          },
          "words": "cannot tell; about 11 more samples would",
          "pairs": [
            [
              54280629.23962131,
              56104737.26825662
            ],
            [
              48214996.414357364,
              51904839.853676885
            ],
            [
              51959976.122813806,
              52624130.24664951
            ],
            [
              52507597.56825292,
              52227984.776771806
            ],
            [
              51497818.39785532,
              52075649.489279486
            ],
            [
              51191049.065102436,
              52766293.35889654
            ]
          ]
        }
      ],
      "warnings": [
        {
          "kind": "first_sample_unlike",
          "metric": "bandwidth",
          "first": 56104737.26825662,
          "median_of_rest": 52227984.776771806,
          "message": "the first counted sample is unlike the rest (bandwidth 53.5 MiB/s against 49.8 MiB/s)",
          "hint": "a longer `sample` or `steady_state = \"snia\"` warms up further",
          "invalidates": false,
          "samples_affected": 0
        },
        {
          "kind": "simulation_cut_short",
          "ios": 4608,
          "message": "the simulation reached the bound of its effort and rests on 4608 I/O(s): the estimate is less certain than usual",
          "hint": "ask about smaller I/Os, or fewer at once",
          "invalidates": false,
          "samples_affected": 6
        },
        {
          "kind": "not_stationary",
          "changing": "write_cache",
          "ios": 6830,
          "message": "after 6830 simulated I/O(s) what the devices' write caches hold still changed: this is a phase, not the long run",
          "hint": "ask about `state = \"fresh\"` for what comes first, or measure the long run on the device",
          "invalidates": false,
          "samples_affected": 3
        }
      ],
      "samples": [
        {
          "started_unix_ns": 1790000000010000000,
          "elapsed_ns": 1345652358,
          "block": 0,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 56104737.26825662,
          "iops": 3424.361405533241,
          "latency_ns_mean": 292025.2513020833,
          "latency_ns_p99": 53504.0
        },
        {
          "started_unix_ns": 1790000000110000000,
          "elapsed_ns": 1454536267,
          "block": 1,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 51904839.853676885,
          "iops": 3168.020010600396,
          "latency_ns_mean": 315654.57183159725,
          "latency_ns_p99": 53504.0
        },
        {
          "started_unix_ns": 1790000000210000000,
          "elapsed_ns": 1434655008,
          "block": 2,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 52624130.24664951,
          "iops": 3211.922012124604,
          "latency_ns_mean": 311340.0625,
          "latency_ns_p99": 54016.0
        },
        {
          "started_unix_ns": 1790000000310000000,
          "elapsed_ns": 1445536762,
          "block": 3,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 52227984.776771806,
          "iops": 3187.7432114728886,
          "latency_ns_mean": 313701.55425347225,
          "latency_ns_p99": 53504.0
        },
        {
          "started_unix_ns": 1790000000410000000,
          "elapsed_ns": 1449765346,
          "block": 4,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 52075649.489279486,
          "iops": 3178.445403398406,
          "latency_ns_mean": 314619.21571180556,
          "latency_ns_p99": 53504.0
        },
        {
          "started_unix_ns": 1790000000510000000,
          "elapsed_ns": 1430789756,
          "block": 5,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 52766293.35889654,
          "iops": 3220.5989598935876,
          "latency_ns_mean": 310501.24913194444,
          "latency_ns_p99": 53504.0
        }
      ],
      "steady": null,
      "latency": {
        "ios": 27648,
        "cumulative": [
          [
            49920,
            0.00028935185185185184
          ],
          [
            50432,
            0.02394386574074074
          ],
          [
            50944,
            0.14945023148148148
          ],
          [
            51456,
            0.4361979166666667
          ],
          [
            51968,
            0.7503255208333334
          ],
          [
            52480,
            0.9275896990740741
          ],
          [
            52992,
            0.9817346643518519
          ],
          [
            53504,
            0.9909939236111112
          ],
          [
            8355840,
            0.9937065972222222
          ],
          [
            20316160,
            0.9955873842592593
          ],
          [
            31588352,
            0.9969256365740741
          ],
          [
            43778048,
            0.9978660300925926
          ],
          [
            55836672,
            0.9984809027777778
          ],
          [
            66846720,
            0.9989510995370371
          ],
          [
            77070336,
            0.9992404513888888
          ],
          [
            80216064,
            0.9994212962962963
          ],
          [
            85458944,
            0.9995298032407407
          ],
          [
            98041856,
            0.9996744791666666
          ],
          [
            109576192,
            0.9997468171296297
          ],
          [
            110624768,
            0.9998191550925926
          ],
          [
            119013376,
            0.9998553240740741
          ],
          [
            126353408,
            0.9998914930555556
          ],
          [
            132644864,
            0.9999276620370371
          ],
          [
            139460608,
            0.9999638310185185
          ],
          [
            145752064,
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
              "low": 52992.0,
              "high": 52992.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 99.0,
            "latency_ns": {
              "value": 53504.0,
              "low": 53504.0,
              "high": 54016.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 6.0
            }
          },
          {
            "percent": 99.9,
            "latency_ns": {
              "value": 75497472.0,
              "low": 56885248.0,
              "high": 80216064.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 1.8749999999999998
            }
          }
        ]
      },
      "members": [
        {
          "device": "disk0",
          "reads_per_s": 0.0,
          "writes_per_s": 1613.0246519015445,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 26427795.896754906,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.43374204680098644
        },
        {
          "device": "disk1",
          "reads_per_s": 0.0,
          "writes_per_s": 1613.0246519015445,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 26427795.896754906,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.43375606010596257
        },
        {
          "device": "disk2",
          "reads_per_s": 0.0,
          "writes_per_s": 1616.5289418252933,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 26485210.182865605,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.5312678469068952
        },
        {
          "device": "disk3",
          "reads_per_s": 0.0,
          "writes_per_s": 1616.5289418252933,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 26485210.182865605,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.5312653824566015
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
          "value": 52238365.495776825,
          "low": 51351754.76795761,
          "high": 55643391.49086213,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "iops": {
          "value": 797.0942000698368,
          "low": 783.5655939934938,
          "high": 849.0507734811727,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
        },
        "latency_ns_mean": {
          "value": 1254562.2453613281,
          "low": 1177785.8653846155,
          "high": 1276217.3424479167,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 6.0
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
          "value": 43778048.0,
          "low": 39059456.0,
          "high": 45350912.0,
          "level": 0.95,
          "samples": 6,
          "effective_samples": 3.921259842519686
        },
        "latency_ns_p999": {
          "value": 109576192.0,
          "low": 68681728.0,
          "high": 129499136.0,
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
            "value": 0.9963500095819229,
            "low": 0.8887307737697141,
            "high": 1.0380801387729972,
            "level": 0.95,
            "samples": 6,
            "effective_samples": 5.25
          },
          "difference_percent": {
            "value": -0.36499904180771203,
            "low": -11.126922623028591,
            "high": 3.8080138772997207
          },
          "verdict": "cannot_tell",
          "more_samples": {
            "forecast": "about",
            "samples": 33
          },
          "words": "cannot tell; about 33 more samples would",
          "pairs": [
            [
              51843219.49509859,
              52130175.493519075
            ],
            [
              54556449.35525005,
              52894645.55858932
            ],
            [
              52678591.344437055,
              52346555.498034574
            ],
            [
              57959332.01688275,
              51510241.99053984
            ],
            [
              53602211.82598901,
              55643391.49086213
            ],
            [
              50153014.69745311,
              51351754.76795761
            ]
          ]
        }
      ],
      "warnings": [
        {
          "kind": "simulation_cut_short",
          "ios": 4608,
          "message": "the simulation reached the bound of its effort and rests on 4608 I/O(s): the estimate is less certain than usual",
          "hint": "ask about smaller I/Os, or fewer at once",
          "invalidates": false,
          "samples_affected": 5
        },
        {
          "kind": "not_stationary",
          "changing": "write_cache",
          "ios": 6673,
          "message": "after 6673 simulated I/O(s) what the devices' write caches hold still changed: this is a phase, not the long run",
          "hint": "ask about `state = \"fresh\"` for what comes first, or measure the long run on the device",
          "invalidates": false,
          "samples_affected": 1
        }
      ],
      "samples": [
        {
          "started_unix_ns": 1790000000011000000,
          "elapsed_ns": 5792995806,
          "block": 0,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 52130175.493519075,
          "iops": 795.4433516467144,
          "latency_ns_mean": 1257160.5481770833,
          "latency_ns_p99": 44302336.0
        },
        {
          "started_unix_ns": 1790000000111000000,
          "elapsed_ns": 5709271417,
          "block": 1,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 52894645.55858932,
          "iops": 807.1082391142169,
          "latency_ns_mean": 1238991.1929253472,
          "latency_ns_p99": 39059456.0
        },
        {
          "started_unix_ns": 1790000000211000000,
          "elapsed_ns": 7692066463,
          "block": 2,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 52346555.498034574,
          "iops": 798.7450484929592,
          "latency_ns_mean": 1251963.942545573,
          "latency_ns_p99": 43253760.0
        },
        {
          "started_unix_ns": 1790000000311000000,
          "elapsed_ns": 5537008971,
          "block": 3,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 51510241.99053984,
          "iops": 785.9839170919776,
          "latency_ns_mean": 1272290.6642922794,
          "latency_ns_p99": 41680896.0
        },
        {
          "started_unix_ns": 1790000000411000000,
          "elapsed_ns": 244979460,
          "block": 4,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 55643391.49086213,
          "iops": 849.0507734811727,
          "latency_ns_mean": 1177785.8653846155,
          "latency_ns_p99": 45350912.0
        },
        {
          "started_unix_ns": 1790000000511000000,
          "elapsed_ns": 5880809514,
          "block": 5,
          "role": "counted",
          "valid": true,
          "counted": true,
          "bandwidth_bytes_per_s": 51351754.76795761,
          "iops": 783.5655939934938,
          "latency_ns_mean": 1276217.3424479167,
          "latency_ns_p99": 44826624.0
        }
      ],
      "steady": null,
      "latency": {
        "ios": 24528,
        "cumulative": [
          [
            144384,
            0.704704827136334
          ],
          [
            146432,
            0.9590671885192433
          ],
          [
            2441216,
            0.9672211350293543
          ],
          [
            9371648,
            0.9760681669928245
          ],
          [
            21364736,
            0.982795172863666
          ],
          [
            33816576,
            0.9877690802348337
          ],
          [
            45875200,
            0.9912752772341813
          ],
          [
            57933824,
            0.9939253098499674
          ],
          [
            70778880,
            0.9957191780821918
          ],
          [
            82313216,
            0.9970238095238095
          ],
          [
            95944704,
            0.9978799739073712
          ],
          [
            105381888,
            0.9985322896281801
          ],
          [
            115867648,
            0.9989807566862361
          ],
          [
            123207680,
            0.99926614481409
          ],
          [
            129499136,
            0.9994292237442922
          ],
          [
            135266304,
            0.9995923026744945
          ],
          [
            139460608,
            0.9997146118721462
          ],
          [
            141557760,
            0.9997961513372472
          ],
          [
            145752064,
            0.9998369210697978
          ],
          [
            149946368,
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
              "high": 1859584.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 4.588235294117648
            }
          },
          {
            "percent": 99.0,
            "latency_ns": {
              "value": 43778048.0,
              "low": 39059456.0,
              "high": 45350912.0,
              "level": 0.95,
              "samples": 6,
              "effective_samples": 3.921259842519686
            }
          }
        ]
      },
      "members": [
        {
          "device": "disk0",
          "reads_per_s": 0.0,
          "writes_per_s": 397.67144097321693,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 26061795.555620745,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.47813353714892476
        },
        {
          "device": "disk1",
          "reads_per_s": 0.0,
          "writes_per_s": 397.67144097321693,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 26061795.555620745,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.4781348084919799
        },
        {
          "device": "disk2",
          "reads_per_s": 0.0,
          "writes_per_s": 397.2177371044511,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 26032061.618877307,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.512864124775007
        },
        {
          "device": "disk3",
          "reads_per_s": 0.0,
          "writes_per_s": 397.2177371044511,
          "read_bytes_per_s": 0.0,
          "write_bytes_per_s": 26032061.618877307,
          "merges_per_s": 0.0,
          "flushes_per_s": 0.0,
          "busy_share": 0.5128612722091545
        }
      ],
      "breakdown": null,
      "bottleneck": null,
      "findings": []
    }
  ],
  "shared": [
    {
      "key": "depth",
      "value": "1"
    },
    {
      "key": "jobs",
      "value": "1"
    },
    {
      "key": "engine",
      "value": "psync"
    },
    {
      "key": "direct",
      "value": "true"
    },
    {
      "key": "size",
      "value": "64M"
    }
  ],
  "answer": [
    {
      "claim": "before_after",
      "run": 0,
      "reference": 1,
      "is_in_order": false,
      "cells": 12,
      "better": null,
      "worse": null,
      "same": 7,
      "margin": 0.05,
      "unknown": 5,
      "metric": "bandwidth_bytes_per_s"
    },
    {
      "claim": "off",
      "run": 0,
      "reference": 1,
      "cells": 12,
      "mean_share": 0.00003497288411913324,
      "worst_share": -0.0004196746094295989,
      "worst_cell": 1,
      "metric": "bandwidth_bytes_per_s"
    },
    {
      "claim": "overall",
      "axis": "stack",
      "standings": [
        {
          "value": "small",
          "mean_share": 0.995788802939397,
          "low_share": 0.9362984891721039,
          "high_share": 1.0,
          "worst_share": 0.9867020278757302,
          "worst_load": "randwrite, block size 16K",
          "worst_load_values": [
            [
              "pattern",
              "randwrite"
            ],
            [
              "block_size",
              "16K"
            ]
          ]
        },
        {
          "value": "large",
          "mean_share": 0.8883163388347949,
          "low_share": 0.8535564915732945,
          "high_share": 0.8942294073690348,
          "worst_share": 0.6349255734837861,
          "worst_load": "randread, block size 64K",
          "worst_load_values": [
            [
              "pattern",
              "randread"
            ],
            [
              "block_size",
              "64K"
            ]
          ]
        },
        {
          "value": "one",
          "mean_share": 0.6369613427166552,
          "low_share": 0.6075470879358257,
          "high_share": 0.649010573521916,
          "worst_share": 0.5068896552300056,
          "worst_load": "randwrite, block size 64K",
          "worst_load_values": [
            [
              "pattern",
              "randwrite"
            ],
            [
              "block_size",
              "64K"
            ]
          ]
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
      "value": "small",
      "wins": 1,
      "certain": 0,
      "loads": 2,
      "metric": "bandwidth_bytes_per_s"
    },
    {
      "claim": "largest",
      "load": "randwrite, block size 64K",
      "load_values": [
        [
          "pattern",
          "randwrite"
        ],
        [
          "block_size",
          "64K"
        ]
      ],
      "best": 7,
      "worst": 3,
      "ratio": 1.9728159564555352,
      "ratio_estimate": {
        "value": 1.9728159564555352,
        "low": 1.8618057512402826,
        "high": 2.152083562580078,
        "level": 0.95,
        "samples": 6,
        "effective_samples": 6.0
      },
      "metric": "bandwidth_bytes_per_s"
    },
    {
      "claim": "against",
      "better": 0,
      "worse": 4,
      "same": 2,
      "unknown": 2,
      "counts": {
        "cells": 8,
        "better": null,
        "worse": {
          "cells": 4,
          "median_ratio": 0.5761446629889838,
          "least_ratio": 0.6353538051305037,
          "most_ratio": 0.5051735433066183,
          "most_cell": 3
        },
        "same": 2,
        "margin": 0.05,
        "unknown": 2
      },
      "metric": "bandwidth_bytes_per_s"
    },
    {
      "claim": "limits",
      "limits": [
        {
          "bottleneck": {
            "limit": "latency",
            "part": "link",
            "share": 0.5847063017768657,
            "time_ns": 122056.0,
            "busiest_disk_share": 0.962463515815387
          },
          "cells": 8
        },
        {
          "bottleneck": {
            "limit": "latency",
            "part": "device_service",
            "share": 0.6540716721870369,
            "time_ns": 75723.53662109375,
            "busiest_disk_share": 0.936462743225937
          },
          "cells": 4
        }
      ],
      "cells": 12
    },
    {
      "claim": "settled",
      "settled": 15,
      "cells": 24,
      "margin": 0.05
    },
    {
      "claim": "not_counted",
      "samples": 1,
      "of": 144
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
      "kind": "paired",
      "id": "paired"
    },
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
