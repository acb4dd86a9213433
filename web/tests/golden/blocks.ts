// Written by crates/report/tests/it/blocks.rs: UPDATE_EXPECT=1 cargo test -p stripewise-report
import type { Block } from "../../src/generated";

export const blocks: Block[] = [
  {
    "heading": {
      "message": {
        "id": "view-facts"
      }
    }
  },
  {
    "sentence": {
      "parts": [
        {
          "name": "one `code`"
        },
        {
          "name": "two"
        }
      ],
      "join": "dot",
      "tone": "dim",
      "emphasis": "all"
    }
  },
  {
    "sentence": {
      "parts": [
        {
          "name": "head: rest"
        }
      ],
      "join": "space",
      "tone": "bad",
      "emphasis": "head"
    }
  },
  {
    "sentence": {
      "parts": [
        {
          "name": "it is 7 now"
        }
      ],
      "join": "space",
      "tone": "good",
      "emphasis": {
        "value": {
          "name": "7"
        }
      }
    }
  },
  {
    "pairs": [
      {
        "name": {
          "message": {
            "id": "machine-kernel"
          }
        },
        "value": {
          "name": "6.12"
        }
      }
    ]
  },
  {
    "list": [
      {
        "name": "<b>"
      },
      {
        "name": "b"
      }
    ]
  },
  {
    "table": {
      "key": "t",
      "caption": {
        "id": "facts-changed"
      },
      "columns": [
        {
          "key": "group",
          "head": {
            "name": "group"
          },
          "name": null,
          "unit": "",
          "kind": "group",
          "rank": 0,
          "wraps": false
        },
        {
          "key": "storage",
          "head": {
            "name": "storage"
          },
          "name": null,
          "unit": "",
          "kind": "text",
          "rank": 0,
          "wraps": true
        },
        {
          "key": "iops",
          "head": {
            "name": "IOPS"
          },
          "name": {
            "name": "I/Os per second"
          },
          "unit": "",
          "kind": "number",
          "rank": 0,
          "wraps": false
        },
        {
          "key": "iops",
          "head": {
            "name": "±"
          },
          "name": null,
          "unit": "",
          "kind": "interval",
          "rank": 0,
          "wraps": false
        },
        {
          "key": "",
          "head": {
            "name": ""
          },
          "name": null,
          "unit": "",
          "kind": "bar",
          "rank": 0,
          "wraps": false
        },
        {
          "key": "gaps",
          "head": {
            "message": {
              "id": "column-share"
            }
          },
          "name": null,
          "unit": "",
          "kind": "chart",
          "rank": 0,
          "wraps": false
        },
        {
          "key": "verdict",
          "head": {
            "message": {
              "id": "column-verdict"
            }
          },
          "name": null,
          "unit": "",
          "kind": "verdict",
          "rank": 0,
          "wraps": true
        }
      ],
      "rows": [
        {
          "cells": [
            {
              "shown": {
                "name": "group"
              },
              "tone": "plain",
              "is_repeated": false
            },
            {
              "shown": {
                "name": "sda"
              },
              "tone": "plain",
              "is_repeated": false,
              "branch": [
                "├ ",
                "│ "
              ]
            },
            {
              "shown": {
                "digits": "30.5"
              },
              "exact": 30.5,
              "tone": "plain",
              "is_repeated": false
            },
            {
              "shown": {
                "digits": "1.5"
              },
              "tone": "dim",
              "is_repeated": false
            },
            {
              "shown": null,
              "tone": "plain",
              "bar": {
                "start": 0.0,
                "solid_end": 0.25,
                "shaded_end": 0.5
              },
              "is_repeated": false
            },
            {
              "shown": null,
              "tone": "plain",
              "chart": [
                1.0,
                0.0,
                3.0
              ],
              "is_repeated": false
            },
            {
              "shown": {
                "name": "judged"
              },
              "tone": "good",
              "verdict": "pass",
              "is_repeated": false
            }
          ],
          "height": null
        },
        {
          "cells": [
            {
              "shown": {
                "name": "group"
              },
              "tone": "plain",
              "is_repeated": true
            },
            {
              "shown": {
                "name": "<b>`sdb`"
              },
              "tone": "plain",
              "is_repeated": false,
              "branch": [
                "├ ",
                "│ "
              ]
            },
            {
              "shown": {
                "digits": "30.5"
              },
              "exact": 30.5,
              "tone": "plain",
              "is_repeated": false
            },
            {
              "shown": {
                "digits": "1.5"
              },
              "tone": "dim",
              "is_repeated": false
            },
            {
              "shown": null,
              "tone": "plain",
              "bar": {
                "start": 0.0,
                "solid_end": 0.25,
                "shaded_end": 0.5
              },
              "is_repeated": false
            },
            {
              "shown": null,
              "tone": "plain",
              "chart": [
                1.0,
                0.0,
                3.0
              ],
              "is_repeated": false
            },
            {
              "shown": {
                "name": "judged"
              },
              "tone": "warn",
              "verdict": "not_judged",
              "is_repeated": false
            }
          ],
          "height": null
        }
      ],
      "is_bare": false
    }
  },
  {
    "grid": {
      "title": {
        "name": "stripe"
      },
      "columns": [
        "sda",
        "sdb"
      ],
      "rows": [
        {
          "head": {
            "name": "0"
          },
          "cells": [
            {
              "text": "D0",
              "tone": "strong"
            },
            {
              "text": "P",
              "tone": "plain"
            }
          ],
          "is_after_gap": true
        }
      ],
      "legend": {
        "parts": [
          {
            "name": "D data"
          },
          {
            "name": "P parity"
          }
        ],
        "join": "dot",
        "tone": "plain",
        "emphasis": "all"
      },
      "meaning": {
        "parts": [
          {
            "name": "Both are written."
          }
        ],
        "join": "space",
        "tone": "plain",
        "emphasis": "all"
      }
    }
  },
  {
    "chart": {
      "values": [
        2.0,
        1.0
      ],
      "most": {
        "name": "2 MiB/s"
      },
      "marks": [
        {
          "at": 0.5,
          "sign": "▲"
        }
      ]
    }
  },
  {
    "drawing": {
      "caption": {
        "message": {
          "id": "facts-changed-note"
        }
      },
      "legend": [
        [
          "first",
          {
            "message": {
              "id": "column-reads"
            }
          }
        ]
      ],
      "width": 960.0,
      "height": 100.0,
      "shapes": [
        {
          "line": [
            "axis",
            "M0 0H9"
          ]
        },
        {
          "area": [
            "second",
            "M0 0h9v9z",
            0.5
          ]
        },
        {
          "words": [
            [
              9.0,
              9.0
            ],
            -1,
            {
              "name": "1 s"
            }
          ]
        }
      ]
    }
  },
  {
    "code": "a\nb"
  },
  {
    "fold": {
      "title": {
        "parts": [
          {
            "name": "open"
          }
        ],
        "join": "space",
        "tone": "warn",
        "emphasis": "all"
      },
      "blocks": [
        {
          "sentence": {
            "parts": [
              {
                "name": "in"
              }
            ],
            "join": "space",
            "tone": "plain",
            "emphasis": "all"
          }
        }
      ],
      "is_open": true
    }
  },
  {
    "fold": {
      "title": {
        "parts": [
          {
            "name": "closed"
          }
        ],
        "join": "space",
        "tone": "plain",
        "emphasis": "all"
      },
      "blocks": [
        "gap"
      ],
      "is_open": false
    }
  },
  {
    "forms": {
      "drawn": [
        {
          "sentence": {
            "parts": [
              {
                "name": "drawn"
              }
            ],
            "join": "space",
            "tone": "plain",
            "emphasis": "all"
          }
        }
      ],
      "told": [
        {
          "sentence": {
            "parts": [
              {
                "name": "told"
              }
            ],
            "join": "space",
            "tone": "plain",
            "emphasis": "all"
          }
        }
      ]
    }
  }
];

export const html = "<h2><span class=\"say\" lang=\"en\">Facts</span><span class=\"say\" lang=\"de\">Merkmale</span></h2>\n<p class=\"dim\">one `code` · two</p>\n<p><b class=\"bad\">head:</b> rest</p>\n<p>it is <b class=\"good\">7</b> now</p>\n<dl>\n<dt><span class=\"say\" lang=\"en\">kernel</span><span class=\"say\" lang=\"de\">Kernel</span></dt><dd>6.12</dd>\n</dl>\n<ul>\n<li>&lt;b&gt;</li>\n<li>b</li>\n</ul>\n<div class=\"wide\" tabindex=\"0\"><table><caption><span class=\"say\" lang=\"en\">What changed</span><span class=\"say\" lang=\"de\">Was sich geändert hat</span></caption>\n<thead><tr><th scope=\"col\">group</th><th scope=\"col\">storage</th><th scope=\"col\" class=\"number\" title=\"I/Os per second\">IOPS</th><th scope=\"col\" class=\"number\">±</th><td></td><th scope=\"col\"><span class=\"say\" lang=\"en\">Share of I/Os</span><span class=\"say\" lang=\"de\">Anteil der I/Os</span></th><th scope=\"col\"><span class=\"say\" lang=\"en\">Verdict</span><span class=\"say\" lang=\"de\">Urteil</span></th></tr></thead>\n<tbody>\n<tr><td>group</td><td><span class=\"branch\">├ </span>sda</td><td class=\"number\"><span class=\"say\" lang=\"en\">30.5</span><span class=\"say\" lang=\"de\">30,5</span></td><td class=\"number\"><span class=\"dim\"><span class=\"say\" lang=\"en\">1.5</span><span class=\"say\" lang=\"de\">1,5</span></span></td><td><i class=\"length\"><i style=\"left:0.0%;width:25.0%\"></i><i class=\"shaded\" style=\"left:25.0%;width:25.0%\"></i></i></td><td><svg class=\"small\" viewBox=\"0 0 96 20\" aria-hidden=\"true\"><path class=\"first\" d=\"M0.0 20v-6.7h27.2v6.7zM32.0 20v-0.0h27.2v0.0zM64.0 20v-20.0h27.2v20.0z\"/></svg></td><td><span class=\"good\">judged</span></td></tr>\n<tr><td><span class=\"repeated\">group</span></td><td><span class=\"branch\">├ </span>&lt;b&gt;`sdb`</td><td class=\"number\"><span class=\"say\" lang=\"en\">30.5</span><span class=\"say\" lang=\"de\">30,5</span></td><td class=\"number\"><span class=\"dim\"><span class=\"say\" lang=\"en\">1.5</span><span class=\"say\" lang=\"de\">1,5</span></span></td><td><i class=\"length\"><i style=\"left:0.0%;width:25.0%\"></i><i class=\"shaded\" style=\"left:25.0%;width:25.0%\"></i></i></td><td><svg class=\"small\" viewBox=\"0 0 96 20\" aria-hidden=\"true\"><path class=\"first\" d=\"M0.0 20v-6.7h27.2v6.7zM32.0 20v-0.0h27.2v0.0zM64.0 20v-20.0h27.2v20.0z\"/></svg></td><td><span class=\"warn\">judged</span></td></tr>\n</tbody></table></div>\n<div class=\"wide\" tabindex=\"0\"><table class=\"grid\"><thead><tr><th>stripe</th><th scope=\"col\">sda</th><th scope=\"col\">sdb</th></tr></thead>\n<tbody>\n<tr class=\"gap\"><th scope=\"row\">0</th><td class=\"strong\">D0</td><td>P</td></tr>\n</tbody></table></div>\n<p class=\"dim\">D data · P parity</p>\n<p>Both are written.</p>\n<figure tabindex=\"0\"><figcaption>2 MiB/s</figcaption>\n<svg viewBox=\"0 0 720 106\" aria-hidden=\"true\"><path class=\"first\" d=\"M0.0 90v-90.0h306.0v90.0zM360.0 90v-45.0h306.0v45.0z\"/><text x=\"360.0\" y=\"104\">▲</text></svg></figure>\n<figure tabindex=\"0\"><figcaption><span class=\"say\" lang=\"en\">A number from before a change and one from after it may differ because of it.</span><span class=\"say\" lang=\"de\">Zahlen von vor und nach einer Änderung können sich allein deshalb unterscheiden.</span><b class=\"first\"></b><span class=\"say\" lang=\"en\">Reads per s</span><span class=\"say\" lang=\"de\">Lesezugriffe je s</span></figcaption>\n<svg viewBox=\"0 0 960 100\" aria-hidden=\"true\">\n<path class=\"line axis\" d=\"M0 0H9\"/>\n<path class=\"second\" fill-opacity=\"0.50\" d=\"M0 0h9v9z\"/>\n<text class=\"say\" lang=\"en\" x=\"9.0\" y=\"9.0\" text-anchor=\"end\">1 s</text><text class=\"say\" lang=\"de\" x=\"9.0\" y=\"9.0\" text-anchor=\"end\">1 s</text></svg></figure>\n<pre><code>a\nb</code></pre>\n<article class=\"warn\">\n<h3>open</h3>\n<p>in</p>\n</article>\n<details><summary>closed</summary>\n</details>\n<p>drawn</p>\n";
