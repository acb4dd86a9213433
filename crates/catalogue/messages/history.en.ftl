## Questions over history: `trend`, `drift`, `outliers`, `ack`.

trend-title = Changes over time
drift-title = Series that changed
outliers-title = Hosts that differ from hosts like them
ack-title = An acknowledged change

history-series = { $study }: { $cell }
history-too-few-points = { $found ->
    [one] there is only { $found_text } run
   *[other] there are only { $found_text } runs
  }, and at least { $needed } are needed
history-too-many-points = there are { $found } values, and the limit is { $most }
history-not-finite = value { $place } is not a number
history-steps-unseen = in { $found ->
    [one] { $found_text } run
   *[other] { $found_text } runs
  } whose neighbours correlate by { $correlation }, even a step of { $step } would often be missed
history-too-few-hosts = { $hosts ->
    [one] only { $hosts_text } host is
   *[other] only { $hosts_text } hosts are
  } of this class, and at least { $needed } are needed
history-other-load = its load differs from that of its class by more than { $share }
history-no-value = it has no value that can be judged: none, or a time of 0
history-no-scatter = all hosts of its class have the same values, or most have 0

history-cannot-tell = cannot tell
history-cannot-tell-why = Cannot tell: { $why }.
history-changed = changed
history-unchanged = unchanged
history-acknowledged = acknowledged
history-no-change = No change in { $points ->
    [one] { $points_text } run
   *[other] { $points_text } runs
  }. Noise alone would show one with at most { $level }; a step of { $step } in their middle would be found in four of five cases.
history-all-equal = No change: { $points ->
    [one] the only run has its value
   *[other] all { $points_text } runs have one value
  }.
history-range = { $low } – { $high }
history-less = −{ $size }
history-more = +{ $size }
history-where = { $run }: { $size }
history-slow-cell = { $cell }: { $size }
history-changes = { $changes ->
    [one] { $changes_text } change
   *[other] { $changes_text } changes
  } in { $points } runs.
history-noise = Around its level a run varies by { $sd }; neighbours correlate by { $correlation }.
history-left-out = { $runs ->
    [one] { $runs_text } run is
   *[other] { $runs_text } runs are
  } left out: none of its cells is this one, or none of its samples counts.
history-other-hosts = { $runs ->
    [one] { $runs_text } run of another host is left out.
   *[other] { $runs_text } runs of other hosts are left out.
  }
history-gone-cells = { $cells ->
    [one] { $cells_text } cell of earlier runs is
   *[other] { $cells_text } cells of earlier runs are
  } left out: the newest run of the study has no such cell.
history-dropped-rows = { $rows ->
    [one] { $rows_text } row is
   *[other] { $rows_text } rows are
  } dropped: null, not finite or negative.
history-merged-rows = { $rows ->
    [one] { $rows_text } row has
   *[other] { $rows_text } rows have
  } the series and time of another one: the median of such rows counts as one run.
history-copied-runs = { $copies ->
    [one] { $copies_text } run is a copy of another one and does not count: { $names }
   *[other] { $copies_text } runs are copies of others and do not count, the first ones: { $names }
  }
history-copied-sources = { $copies ->
    [one] { $copies_text } run or file is a copy of another one and does not count: { $names }
   *[other] { $copies_text } runs or files are copies of others and do not count, the first ones: { $names }
  }
history-fact = { $fact }: { $before } → { $after }
history-ack = { $text } ({ $by })
history-ack-until = { $text } ({ $by }, until { $until })
history-all-series = All series
history-unjudged = Cannot tell of { $series ->
    [one] { $series_text } series
   *[other] { $series_text } series
  }.
history-trend-summary = { $series ->
    [one] { $series_text } series
   *[other] { $series_text } series
  }: { $changed } changed, { $open } of them without an acknowledgement, { $unknown } cannot be judged
history-drift-summary = { $series ->
    [one] { $series_text } series
   *[other] { $series_text } series
  } judged: { $changed } changed, of which at most { $level } are expected to be false; { $unknown } cannot be judged

history-picture = { $series } over time
history-picture-change = the level, and where a change may be (95 %)
history-strip = Hosts in the order of their ratio to hosts like them
history-strip-like = like others
history-strip-slow = slow

history-column-series = series
history-column-first-run = first run after it
history-column-between = between (95 %)
history-column-size = change
history-column-size-range = 95 % interval
history-column-p = p in noise
history-column-facts = facts that changed
history-column-acknowledged = acknowledged
history-column-outcome = outcome
history-column-points = runs
history-column-changes = changes
history-column-why = remark
history-column-host = host
history-column-ratio = beside its class
history-column-slow-cells = slow cells
history-column-slowest = slowest cells
history-column-difference = difference
history-column-where = first runs after changes
history-column-class = class
history-column-judged = hosts judged
history-column-seen-from = named from

history-host-slow = slow
history-host-slow-cells = slow cells
history-host-like = like others
history-host-cannot-tell = cannot tell
history-cells-of = { $slow } of { $cells }
history-seen-repeatedly = slow on earlier days, too
history-seen-last-day = slow on its last day only; measure it again
history-seen-went-away = it was slow, and on its last day it is not
history-seen-one-day = only one day was measured
history-slow-cells = { $hosts ->
    [one] { $hosts_text } host is slow in some cells, but not as a whole
   *[other] { $hosts_text } hosts are slow in some cells, but not as a whole
  }
history-slow-cells-more = The { $listed } farthest from their class are listed; `--verbose` lists all.
history-class-seen = { $hosts ->
    [one] In a class of { $hosts_text } host
   *[other] In a class of { $hosts_text } hosts
  } with this scatter, a single host at { $size } beside its class would be named in four of five cases.
history-all-hosts = { $hosts ->
    [one] { $hosts_text } host
   *[other] { $hosts_text } hosts
  } with verdicts
history-outliers-summary = { $hosts ->
    [one] { $hosts_text } host
   *[other] { $hosts_text } hosts
  } judged: { $slow } slow, of which at most { $level } are expected to be innocent; { $unknown } cannot be judged

ack-done = The change at run { $run } is acknowledged by { $by }: { $text }.
ack-done-until = The change at run { $run } is acknowledged by { $by } until { $until }: { $text }.
ack-removed = The acknowledgements at run { $run } are removed.
ack-none = Run { $run } has no acknowledgement.
