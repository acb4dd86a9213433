## Stored runs in the terminal: `show`, `compare`, `runs`.

judged-different = { $difference } { $word }
judged-open = { $difference }: { $word }

compare-none = No cell could be compared.

## The head of a run.

show-world = world { $world }
show-imported = imported from fio
show-origin = by { $origin }
show-tags = tags { $tags }
show-rules = kernel rules { $rules }
show-host-profile = host profile { $host }
show-host-profile-cores = host profile { $host } with { $cores ->
    [one] one core
   *[other] { $cores } cores
  }
show-device-profiles = device profiles { $devices }
show-target-devices = devices that may be destroyed
show-target = { $path } ({ $filesystem })
show-target-on = { $path } ({ $filesystem } on { $source })
show-samples = { $cells ->
    [one] { $cells_text } cell
   *[other] { $cells_text } cells
  }, { $counted } of { $all } samples count
show-memory = { $size } memory
show-virtual = virtual ({ $hypervisor })
show-seed = seed { $seed }
show-answer-title = Run { $id }
show-title-files = { $files } and { $count } more
show-running = this run is still in progress
show-import-unfinished = the import of this run did not finish
show-foreign-unfinished = this run did not finish: only the store that it was imported from knows its devices, and can resume it
show-interrupted = this run was interrupted: `{ $command }` continues it
show-failed = this run failed: `{ $command }` continues it once the cause is fixed
show-listed-differences = { $listed } of { $all } cells are listed: the largest differences and those with warnings. `{ $command }` lists all.
show-listed-extremes = { $listed } of { $all } cells are listed: the highest and lowest and those with warnings. `{ $command }` lists all.

## The table of a run.

show-column-limit = limited by
show-column-samples = samples
show-column-against = against { $baseline }
show-column-metric-against = { $metric } against { $baseline }
show-baseline = baseline
table-no-room = no room for { $columns }: a wider terminal shows { $count ->
    [one] it
   *[other] them
  }
table-interval-unknown = (interval unknown)
table-all-columns = all columns
show-no-answer = no answer

## The notes below it.

show-median = Each value is the median of its samples.
show-interval = ± is the wider side, (low–high) both ends, of the interval that holds that median in 95 of 100 such runs.
show-interval-bars = A bar is solid to the low end of the interval, shaded to its high one.
show-interval-predicted = ± is the wider side, (low–high) both ends, of the interval that should hold 95 of 100 measurements.
show-interval-missing = { $sign }: too few samples for an interval.
import-many = { $count ->
    [one] One sample was imported
   *[other] { $count_text } samples were imported
}; `stripewise show { $run }` shows the cells and their numbers.
show-import-more = Six samples of a cell make an interval: import the files of repeated runs together.
show-moved-range = The disks { $direction ->
    [read] read
   *[write] wrote
  } { $low } to { $high } bytes for each byte that the load { $direction ->
    [read] read
   *[write] wrote
  }, most at { $cell }: the layers above them add copies, parity, journals or trees.
show-host-clock = No core's clock was read above { $clock } (`{ $file }`).
show-host-temperature = The processor reached { $temperature }.
show-host-no-clock = the clock of its cores
show-host-no-temperature = the temperature of its processor
show-host-no-interrupts = the interrupts of each core
show-host-load-cpus = The load with `cpus = "{ $asked }"` ran on CPU { $cpus }.
show-host-hides = This machine does not show { $what }.
show-next = Next:
show-repeat = To repeat it:

## Warnings about a run.

noticed-warning = warning: { $sentence }
noticed-warning-at = warning: { $cell }: { $sentence }
noticed-hint = hint: { $hint }
noticed-series = in the order of time: { $values } MiB/s
noticed-series-chart = in the order of time: { $chart }  first { $first }, last { $last } MiB/s
noticed-samples = { $count ->
    [one] { $count_text } sample
   *[other] { $count_text } samples
  }
noticed-samples-lost = { $count ->
    [one] { $count_text } sample, kept and not counted
   *[other] { $count_text } samples, kept and not counted
  }
noticed-also = also{ $is_unlike ->
    [true] , with other numbers,
   *[false] { "" }
  } at { $cells }
noticed-also-more = also{ $is_unlike ->
    [true] , with other numbers,
   *[false] { "" }
  } at { $cells } and { $count } more
noticed-each = the numbers of each cell
noticed-each-cell = { $cell }: { $sentence }

## A failure over time.

failure-phase = { $phase } { $throughput }
failure-peak = peak { $value } MiB/s
failure-failed = device { $device } fails at { $time }
failure-replaced = device { $device } is replaced at { $time }
failure-re-added = device { $device } is back at { $time }
failure-rebuilt = rebuilt at { $time }
failure-rebuild = the rebuild takes { $time }
failure-rebuild-at = the rebuild takes { $time } at { $speed }
failure-rebuild-reached = { $reached } of { $size } rebuilt
failure-rebuild-still = the rebuild stands still beside this load at the end of the sample: `sync_speed_min` of md is what it is given
failure-rebuild-would = the rebuild would take { $time }
failure-rebuild-would-at = the rebuild would take { $time }, with { $speed } at the end

## Two runs, or two groups of cells.

compare-answer-title = Comparison
compare-metric-in = { $metric } in { $unit }
compare-title = { $what }: run { $other } against run { $baseline }
compare-title-within = { $what } within run { $run }
compare-listed = { $listed } of { $all } cells are listed: the largest differences. `{ $command }` lists all.
compare-column-cell = cell
compare-column-difference = difference
compare-machine-changed = the machine changed: { $change }
compare-other-world = the runs are of different worlds: { $change }
changed-fact = { $fact }: { $before } -> { $now }
changed-world = world: { $before } -> { $now }
compare-no-answer = no answer: { $cell }
compare-only-in-one = Only in one of the runs: { $cells }
compare-within = Bandwidth varied within single measurements (standard deviation): { $cells }. This shows how steady each was, not how far another measurement would differ.
compare-matched-load = The cells are matched by their load: its names differ.
compare-matched-layers = The cells are matched by their load and layers: “{ $one }” is the same stack as “{ $other }”.
compare-matched-existing = The cells are matched by their load alone: of “{ $one }” and “{ $other }”, one is existing storage, whose layers are not recorded.
compare-steady = Steady devices are compared; fresh ones differ from them. `stripewise show` shows both.
compare-paired = Samples that were taken in turn are compared pair by pair.
compare-unpaired = These samples were not taken in turn: the difference includes any other change between them.
compare-interval = ± is the wider side, (low–high) both ends, of the interval that holds the median in 95 of 100 such runs; brackets are such an interval of the difference.
compare-intervals-none = Too few samples for intervals: a difference may be chance.

## The list of runs.

list-title = Runs
facts-title = This machine
profiles-title = Profiles
workloads-title = Shipped workloads
studies-title = Shipped studies
calibrate-title = Calibration
doctor-title = What the lab needs
list-column-run = run
list-column-begun = started
list-column-took = took
list-column-world = world
list-column-state = state
list-column-cells = cells
list-column-samples = samples
list-column-tags = tags
list-column-question = question
list-running = running
list-done-empty = done ({ $count } empty)
list-time-unknown = unknown

## The facts of a machine.


## The data at risk, below the table of cells.

risk-heading = What a power cut would lose
risk-head-bytes-p50 = p50
risk-head-age-p50 = age p50
risk-head-bytes-p99 = p99
risk-head-age-p99 = age p99
risk-head-bytes-max = max
risk-head-age-max = age max
risk-column-writes = writes
# Names of columns in sentences, where a table has no room for columns.
risk-column-bytes-p50 = volatile bytes, p50
risk-column-bytes-p99 = volatile bytes, p99
risk-column-bytes-max = volatile bytes, max
risk-column-age-p50 = age of the oldest, p50
risk-column-age-p99 = age of the oldest, p99
risk-column-age-max = age of the oldest, max
risk-acknowledged = acknowledged
risk-promised = promised durable
risk-meaning = Bytes in the page cache or in a volatile drive cache, and the age of the oldest, over the time of the run. Acknowledged: the write returned. Promised durable: an fsync, O_SYNC or O_DSYNC that covers it returned. No limit: nothing became durable while it was measured, so the numbers grow with the run.

## Power cuts, in place of the table of cells. A head with ~ has simulated numbers.

cut-heading = What a power cut takes
cut-span = { $least } to { $most }
cut-meaning-measured = Measured: lost counts cuts after which acknowledged data was missing or wrong, or the stack did not come back; unusable counts stacks that did not come back; corrupt counts stacks that came back with wrong data and no error.
cut-meaning-unusable = Time is the age of the oldest lost record, over the stacks that came back. An unusable stack may have lost everything.
cut-meaning-cuts = Cuts in each setting: { $cuts }, from { $recordings } recordings.
cut-meaning-interval = Brackets hold the 95 % interval. It counts recordings, because crash images of one recording are not independent.
cut-meaning-unknown = Unknown outcomes are in no share: the guest died, or the check could not read.
cut-meaning-not-followed = The model predicts no loss of { $stacks }: it does not follow data through btrfs and ZFS, nor through arrays that lack a device.
cut-details = What was lost, and which write it takes
cut-values = { $setting }: of the lost records, { $missing_text } were missing, { $old_text } had an earlier value, { $unreadable_text } gave an error at reading, and { $wrong_text } had a wrong value without an error.
cut-states = { $setting }: { $tried_text } states were tried. The first recording has { $distinct_text } different ones in which at most one write is apart from the others, out of about 2^{ $log } combinations. They are no random cuts, so their share is no probability.
cut-smallest = { $setting }: the shortest history that still loses data has { $history_text } writes and flushes. Of its unflushed writes { $kept_text } survived, and { $lost ->
    [one] one did
   *[other] { $lost_text } did
} not: { $writes }{ $left ->
    [0] { "" }
   *[other] { " " }and { $left_text } more
}. { $tried_text } further images were read; { $end ->
    [smallest] with any of these writes the data is there
   *[stopped] the search stopped there
}.
cut-smallest-none = { $setting }: the data is lost even if every write reaches the disk: after { $history_text } writes and flushes the disk had not received it. { $tried_text } further images were read.
cut-smallest-write = write { $number } ({ $length } at byte { $offset }{ $how ->
    [torn] , of which { $kept } survived
    [overtaken] , overtaken by a later write
   *[missing] { "" }
})
cut-verdict-setting = setting
cut-verdict = kept
cut-verdict-word = { $word ->
    [kept] yes
    [lost] no
   *[unknown] unknown
}
cut-reasons = Why stacks did not come back, or nothing is known
cut-reasons-all = all { $count_text } reasons
cut-reason = { $setting }: { $what }: { $reason }{ $count ->
    [one] { "" }
   *[other] { " " }({ $count_text } times)
  }
cut-step-unknown = unknown
cut-meaning-simulated = ~ marks numbers that the model simulated, the losses for cuts at random instants; it does not predict whether a stack comes back.
advice-heading = Which setting to use

# Traces (`stripewise characterize`).
trace-heading = { $format } of { $device }: { $ios ->
    [one] one read or write
   *[other] { $ios_text } reads and writes
  } in { $time }, { $bytes } over { $span }
trace-heading-no-times = { $format } of { $device }: { $ios ->
    [one] one read or write
   *[other] { $ios_text } reads and writes
  } without times, { $bytes } over { $span }
trace-skipped = Left out: { $count } ({ $reason })
trace-skipped-malformed = records that cannot be read
trace-skipped-truncated = a record that is cut off
trace-skipped-out-of-order = records that come too late
trace-skipped-beyond-device = I/Os beyond the end of the device
trace-skipped-never-began = ends of I/Os that began before the trace
trace-skipped-never-ended = I/Os whose end is not in the trace
trace-skipped-too-many-under-way = I/Os beyond those that are followed at once
trace-skipped-too-many-names = records of too many devices
trace-skipped-lost = records that the tracer lost
trace-sections = The clock jumps: { $count } parts, such as boots or files, stand one behind the other
trace-phase-no-times = Phase { $number } of { $of }
trace-phase = Phase { $number } of { $of }: { $spans }
trace-span = { $from } to { $to }
trace-others = others
trace-who = who
trace-what = what
trace-ios-head = I/Os/s
trace-ios = I/Os per second
trace-mib-head = MiB/s
trace-mib = throughput
trace-sizes = sizes
trace-depth-head = depth
trace-depth = under way on average
trace-p50-head = p50
trace-p50 = median latency
trace-p99-head = p99
trace-p99 = 99th percentile
trace-places = places
trace-size = { $size }
trace-size-share = { $size } ({ $share })
trace-random-reads = random reads
trace-sequential-reads = sequential reads
trace-random-writes = random writes
trace-sequential-writes = sequential writes
trace-durable-random-writes = random durable writes
trace-durable-sequential-writes = sequential durable writes
trace-workload = Workload: { $load }
trace-beside = Beside it: { $load }
trace-load-pattern = { $pattern } { $block }
trace-load-jobs = { $jobs ->
    [one] one job
   *[other] { $jobs_text } jobs
  } of depth { $depth }
trace-load-size = { $size } each
trace-load-distribution = { $distribution }
trace-load-rate = at most { $rate } I/Os per second
trace-load-rate-each = at most { $all } I/Os per second in all ({ $rate } for each job and direction)
trace-load-pause = a pause of { $time } after each
trace-load-bursts = in bursts of { $count }, a pause of { $time } after each burst
trace-load-fsync = { $every ->
    [one] fsync after every write
   *[other] fsync after every { $every_text } writes
  }
trace-load-closed = as fast as it is served
trace-loses = It loses: { $loss }
trace-loss-left-out = small streams with { $ios } of the I/Os and { $bytes } of the bytes
trace-loss-sequential-reads = { $share } of these reads are sequential
trace-loss-random-reads = { $share } of these reads are random
trace-loss-sequential-writes = { $share } of these writes are sequential
trace-loss-random-writes = { $share } of these writes are random
trace-loss-mean-size = the mean size is { $fitted } bytes instead of { $trace }
trace-loss-bursts = I/Os come in bursts: their number in 100 ms varies { $times } times as much as that of independent ones
trace-loss-periods = I/Os come and go every { $period }: their number in 100 ms varies { $times } times as much as that of independent ones
trace-loss-stride = { $share } of the I/Os begin { $stride } bytes after the one before
trace-loss-no-times = the trace does not say when I/Os begin, so rates, depth and latency are unknown; the workload goes as fast as it is served, one I/O at a time
trace-loss-no-ends = the trace does not say when I/Os end, so depth and latency are unknown; a depth of 32 is assumed
trace-loss-discards = { $count ->
    [one] one discard
   *[other] { $count_text } discards
  }
trace-loss-flushes = { $count ->
    [one] one flush
   *[other] { $count_text } flushes
  } without writes
trace-loss-rates = the loads beside keep their rates, however fast the main one is
trace-loss-footprint = I/Os go to few places of { $span }; the file has { $fitted }
trace-fit = Flat out in the model
trace-fit-timed = At their own times in the model
trace-fit-beside = Load flat out, the others at their times
trace-fit-cache = cache of a quarter of the places
trace-fit-trace = trace
trace-fit-workload = workload
trace-fit-difference = difference
trace-fit-ios = I/Os per second
trace-fit-mib = MiB/s
trace-fit-p50 = median latency
trace-fit-p99 = 99th percentile
trace-fit-flush = median flush latency
trace-fit-traffic = device bytes per byte
trace-fit-device-reads = { $device }: MiB/s read
trace-fit-device-writes = { $device }: MiB/s written
trace-cache = A cache of { $size } would have served { $share } of the I/O (LRU).
trace-other-devices = { $count ->
    [one] One other device is in the trace
   *[other] { $count_text } other devices are in the trace
  }; `--device` chooses one.
trace-page-title = What the trace shows
trace-page-file = Trace { $path }
trace-page-reads = reads
trace-page-writes = writes
trace-page-places-caption = Place on the device over time, and below it I/Os per second. The stronger the colour, the more I/Os; dashed lines begin a phase.
trace-page-per-second = { $rate } /s
trace-page-gaps = time between two
trace-page-sizes = Sizes
trace-page-sizes-caption = The most frequent sizes, and their share of all I/Os.
trace-page-cache = What a cache would have served
trace-page-cache-caption = The share of the I/O that an LRU cache of each size would have served.
trace-page-foot = The time between two goes from 1 µs to 10 s, each bar twice the one before.
trace-not-compared = Not compared in the model: { $reason }
trace-capture-full = The capture ended after { $seconds } s, because 1 GiB of records was full
trace-written = { $what } in `{ $path }`
trace-written-fio-job = The fio job is
trace-written-study = The study is
trace-written-summary = The summary without names is
trace-written-trace = The records are
