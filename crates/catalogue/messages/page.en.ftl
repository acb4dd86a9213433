## The page.

title = { $question } – Stripewise
skip = Skip to the content
contents = Contents
controls = Display
language = Language
theme = Colours
theme-auto = As the system
theme-light = Light
theme-dark = Dark
answer = Answer
answer-none = There are no counted samples yet, so there is no answer.
answer-more = { $count } more
made-by = Made by Stripewise { $version }.
run-line = Run { $id }: { $study }, { $world } world, { $state }, { $started }.
samples-counted = { $counted ->
    [one] { $counted_text } counted sample
   *[other] { $counted_text } counted samples
  } of { $all_text }
not-shown = Another version of Stripewise made this page (schema { $schema }); this front end shows schema 1.
hint-not-shown = Make the report again with your installed version of Stripewise.
broken = This page's data cannot be read: { $reason }
state-running = still running
state-done = done
state-interrupted = interrupted
state-failed = failed
world-model = model
world-lab = lab
world-metal = metal
world-any = { $world }
run-name = { $world } (run { $id })
run-number = run { $id }
world-model-note = Predictions. The interval contains how far a profile may be off, where its device was measured under such a load; errors of the rules come on top. What is uncertain about a device moves all its cells, so differences are surer than intervals that overlap suggest.
world-lab-note = Measured in a virtual machine on modelled disks.
world-hosts-note = { $hosts ->
    [one] Measured on one host, over ssh.
   *[other] Measured on { $hosts_text } hosts at the same time, over ssh.
  }
world-metal-note = Measured on this machine.

## Figures and tables.

numbers = The numbers
download-svg = SVG
download-png = PNG
png-failed = The browser could not make a PNG of this figure; the SVG has the same picture.
download-label = { $title }: download as { $format }
copy = Copy
copied = Copied
copy-failed = The browser does not let this page copy; select the text and copy it yourself.
copy-label = Copy the command: { $command }
series = Series
metric = Metric
show-all = All
show-none = None
series-drawn = { $shown } of { $all } series are drawn; the data has them all.
series-shown = { $shown } of { $all } shown
scale-common = One scale for all panels
scale-log = Logarithmic scale
scale-tail = Scale of the slowest
interval-note = Shaded bands and bars are { $level } confidence intervals.
interval-none = The samples carry no confidence interval.
estimate-of = { $interval } ({ $samples ->
    [one] { $samples_text } sample
   *[other] { $samples_text } samples
  })
reading = { $value } { $half }
none = none
yes = yes
and-more = and { $count } more
pages = Page { $page } of { $pages }
page-before = Previous page
page-next = Next page
filter = Filter
filter-hint = any words: stack, block size, verdict, …
rows-shown = { $shown } of { $all } rows
pick-cell = Cell
pick-cells = Cells to compare
cell-before = The cell before
cell-next = The next cell
pick-search = Search cells
pick-found = { $count ->
    [one] { $count_text } cell found
   *[other] { $count_text } cells found
  }
pick-remove = Remove { $cell }
pick-none = No cell matches.
pick-full = At most { $count } cells fit one picture; remove one first.

## Columns.

column-run = Run
column-cell = Cell
column-stack = Stack
column-verdict = Verdict
column-against = Against
column-limit = Limited by
columns-all = All columns
column-warnings = Warnings
column-share = Share of I/Os
column-percentile = Percentile
column-one-in = One in
column-sample = Sample
column-role = Role
column-start = After
column-pair = Pair
column-ratio = Ratio
column-difference = Difference
column-against-run = Against run { $id }
column-part = Part
column-begins = Begins at
column-time = Time
column-part-share = Share
column-component = Component
column-busy = Busy
column-device = Device
column-reads = Reads per s
column-writes = Writes per s
column-read-bytes = Read
column-write-bytes = Written
column-merges = Merges per s
column-flushes = Flushes per s
column-before = Before
column-now = Now
column-fact = Fact
column-latency = Latency

## Metrics, each as a heading, in a sentence, and as what is best.

metric-bandwidth_bytes_per_s = bandwidth
metric-iops = I/Os per second
metric-latency_ns_mean = mean latency
metric-latency_ns_p50 = median latency
metric-latency_ns_p99 = 99 % latency
metric-latency_ns_p999 = 99.9 % latency
metric-sync_latency_ns_mean = mean sync latency
metric-sync_latency_ns_p99 = 99 % sync latency
head-bandwidth_bytes_per_s = Bandwidth
head-iops = I/Os per second
head-latency_ns_mean = Mean latency
head-latency_ns_p50 = Median latency
head-latency_ns_p99 = 99 % latency
head-latency_ns_p999 = 99.9 % latency
head-sync_latency_ns_mean = Mean sync latency
head-sync_latency_ns_p99 = 99 % sync latency
best-bandwidth_bytes_per_s = the most bandwidth
best-iops = the most I/Os per second
best-latency_ns_mean = the lowest mean latency
best-latency_ns_p50 = the lowest median latency
best-latency_ns_p99 = the lowest 99 % latency
best-latency_ns_p999 = the lowest 99.9 % latency
best-sync_latency_ns_mean = the lowest mean sync latency
best-sync_latency_ns_p99 = the lowest 99 % sync latency
better-higher = More is better.
better-lower = Less is better.

## Axes.

named-value = { $axis } { $value }
axis-stack = stack
axis-pattern = pattern
axis-block_size = block size
axis-chunk = chunk
axis-jobs = jobs
axis-depth = depth
axis-engine = engine
axis-direct = direct
axis-size = file size
axis-rate = rate
axis-rate_iops = rate in IOPS
axis-rate_process = pace of I/Os
axis-mix = mix
axis-think_time = think time
axis-think_blocks = I/Os before a pause
axis-think_iotime = I/O time before a pause
axis-fsync = fsync every
axis-fdatasync = fdatasync every
axis-sync = sync
axis-data = data
axis-distribution = distribution
axis-norandommap = blocks drawn one by one
axis-neighbours = neighbours
axis-options = options
axis-governor = governor
axis-energy_preference = energy preference
axis-scheduler = scheduler
axis-write_cache = write cache
axis-flush = flush
axis-read_ahead = read-ahead
axis-nr_requests = requests in the queue
axis-max_sectors_kb = longest request in KiB
axis-wbt_lat_usec = write-back throttling in µs
axis-turbo = turbo
axis-cpu_dma_latency_us = C-state limit in µs
axis-sysctl = kernel parameters
axis-cpus = CPUs
axis-sync_every = sync every
axis-flush_every = device flush every
axis-trim_before = TRIM before
axis-drop_caches = caches dropped
axis-state = state
axis-failure = failure
axis-kernel = kernel
axis-workload = workload
axis-conditions = conditions
axis-run = run

## Claims: the answer in words.

claim-overall = Over { $which }, { $axis } { $best } comes closest to the best value of each load: { $mean } of it on average, { $worst } in its worst load ({ $worst_load }).{ $rest }
claim-same = In { $which }, { $values } are the same: their { $metric } differs by less than { $margin }{ $doubt }.
claim-same-one = { $values } are the same: their { $metric } differs by less than { $margin }{ $doubt }.
claim-same-best = In { $which }, the best are { $values }, which are the same: their { $metric } differs by less than { $margin }{ $doubt }.
claim-same-best-one = The best are { $values }, which are the same: their { $metric } differs by less than { $margin }{ $doubt }.
claim-lost = The study asks what survives a failed disk, and { $stacks } { $count ->
    [one] does
   *[other] do
  } not, so { $count ->
    [one] it is
   *[other] they are
  } no choice.
claim-overall-all = In { $which }, { $axis } { $best } is the best.{ $rest }
claim-overall-unbeaten = In { $which }, none is better than { $axis } { $best }; in { $shared ->
    [one] one of them another one is
   *[other] { $shared_text } of them others are
  } the same.{ $rest }
loads-over-both = both loads
loads-over-all = all { $loads } loads
loads-over-some = the { $loads } of { $all } loads in which nothing is missing
loads-in-both = both loads
loads-in-all = all { $loads } loads
loads-in-some = the { $loads } of { $all } loads in which nothing is missing
claim-overall-several = Over { $which }, { $values } come equally close to the best value of each load: { $mean } of it on average.{ $rest }
claim-overall-near = Over { $which }, these come about equally close to the best value of each load on average: { $values }.{ $rest }
claim-overall-rest-several = { " " }Behind them: { $list }.
claim-overall-rest = { " " }Behind it: { $list }.
claim-overall-rest-open = { " " }Behind it: { $list }; intervals do not rule out that { $open } may be as good.
claim-overall-rest-unsure = { " " }Behind it: { $list }; too few samples to be sure of the order.
standing = { $value } { $share }
claim-in = { $panel }: { $sentence }
claim-state-fresh = Fresh devices
claim-state-steady = Steady devices
claim-states-fresh = Fresh devices and steady ones differ here. At { $volume } written in a day the devices stay fresh.
claim-states-steady = Fresh devices and steady ones differ here. At { $volume } written in a day the devices are steady.
claim-states-bursts = Fresh devices and steady ones differ here. { $volume } written in a day leave the devices fresh if they come evenly, and not in long bursts: both states are shown.
claim-states-mixed = Fresh devices and steady ones differ here, and { $volume } written in a day do not mean the same for all: the table of both states says which applies to which.
claim-states-unknown = Fresh devices and steady ones differ here. Which state applies depends on what is written in a day; `writes_per_day` in [lifetime] says it.
list-semicolon = { $item };
claim-cost = Over { $years ->
    [one] one year
   *[other] { $years_text } years
  }: { $stacks }.
cost-of = { $stack }: { $parts }
cost-capacity = { $share } of the capacity usable
cost-wear = rated writes reached after { $years } years
cost-loss = { $chance } chance of losing data
cost-unknown = unknown
wins-gives = gives { $best }
wins-ahead = is ahead in { $metric }
claim-wins = { $axis } { $value } { $gives } in { $wins } of { $loads } loads{ $doubt }.
claim-wins-one = { $axis } { $value } { $gives }{ $doubt }.
claim-wins-all = { $axis } { $value } { $gives } in all { $loads } loads{ $doubt }.
certain-all = , beyond doubt
certain-in-common = , beyond doubt, as the error of the profile is common to them
certain-none = , but not beyond doubt
certain-some = , in { $certain } of them beyond doubt
claim-largest = The largest difference in { $metric } is at { $load }: { $more } against { $less }, { $difference } ({ $more_value } against { $less_value }).
claim-largest-only = The largest difference in { $metric }: { $more } against { $less }, { $difference } ({ $more_value } against { $less_value }).
ratio-interval = { $value } % [{ $low }, { $high }]{ $factor }
ratio-alone = { $value } % (no interval){ $factor }
judged-same = { $difference } same
judged-unknown = { $difference } cannot tell
run-after = after (run { $id })
run-before = before (run { $id })
list-and-then = { $list }, and { $last }
per-byte-moved = The disks { $direction ->
    [read] read
   *[write] wrote
  } { $high } bytes for each byte that the load { $direction ->
    [read] read
   *[write] wrote
  }: the layers above them add copies, parity, journals or trees.
moved = { $size } { $word }{ $than } in { $where }{ $range }
moved-size = { $percent } %{ $factor }
moved-than = { " " }than { $before }
moved-as = { " " }as { $before }
moved-against = { " " }against { $before }
moved-of = { $count } of { $cells } cells
moved-one-cell = the one cell
moved-at = { " " }({ $cell })
moved-range = { " " }(median; from { $least } to { $most } at { $cell })
moved-same = the same{ $as } within { $margin } % in { $where }
moved-unknown = undecided{ $against } in { $where }
moved-by = by { $metric },{ " " }
claim-before-after = { $by }{ $after } is { $parts }.
against-moved = { $count_text } { $count ->
    [one] is
   *[other] are
  } { $size } { $word }{ $range }
against-same = { $count_text } { $count ->
    [one] is
   *[other] are
  } the same within { $margin } %
against-unknown = { $count_text } { $count ->
    [one] is
   *[other] are
  } undecided
claim-against = { $by }of { $cells ->
    [one] the one cell that has a baseline
   *[other] { $cells_text } cells that have a baseline
  }, { $parts }.
some-more = { $count } more
claim-untold = { $stacks } differ from { $baseline } in several keys each. No stack here shows which key makes the difference; a stack that differs from { $baseline } in a single key would.
claim-single = { $cells }, each measured once: no value has an interval, and a difference may be chance.
claim-gives = { $cell } gives { $value } ({ $metric }).
claim-limits = What limits, over { $cells }: { $limits }.
limit-count = { $limit } ({ $cells })
cell-of-run = { $cell } ({ $run })
cell-count = { $count ->
    [one] { $count_text } cell
   *[other] { $count_text } cells
  }
claim-off = { $run } differs from { $reference } by { $mean } on average over { $cells } ({ $metric }), at most { $worst } { $side ->
    [below] too low
   *[above] too high
  }, at { $worst_cell }.
difference = { $key } ({ $value } instead of { $instead_of })
claim-differs = { $stack } differs from { $baseline } in { $differences }. { $cause }
claim-cause = The cause is { $keys }: { $witness } and { $same_as } differ in { $idle } only, and perform the same ({ $cells }).
claim-cause-unknown = No stack here shows which of these makes the difference; a stack that differs from { $baseline } in a single one would.
claim-settled = { $settled_text } of { $cells } { $settled ->
    [one] has
   *[other] have
  } an interval narrower than ± { $margin }.
claim-open-empty = { $count_text } of { $cells } cells { $count ->
    [one] has
   *[other] have
  } no sample that counts: see the warnings.
claim-open-full = { $count_text } of { $cells } cells { $count ->
    [one] is
   *[other] are
  } not within ± { $width } after { $most } samples, the most the study allows.
claim-open-wide = { $count_text } of { $cells } cells { $count ->
    [one] is not within ± { $width } yet; more time narrows its interval.
   *[other] are not within ± { $width } yet; more time narrows their intervals.
  }
claim-not-counted = { $samples_text } of { $of ->
    [one] { $of_text } sample
   *[other] { $of_text } samples
  } { $samples ->
    [one] was
   *[other] were
  } not counted; the warnings say why.

## Verdicts.

verdict-times = { $range } times as { $word }
verdict-percent = { $range } % { $word }
verdict-less-than-tenth = less than 0.1 % { $word }
verdict-up-to = up to { $high } % { $word }
verdict-range = { $low } to { $high }
verdict-about = about { $value }
verdict-same = no difference above { $margin } %
verdict-unknown-about = cannot tell; about { $count ->
    [one] 1 more sample
   *[other] { $count_text } more samples
  } would
verdict-unknown-more = cannot tell; more than { $count ->
    [one] 1 more sample
   *[other] { $count_text } more samples
  } would be needed
verdict-simulated-open = between { $low } and { $high }: { $simulations_text } simulations do not decide it
verdict-simulated-cut = between { $low } and { $high }: the run ended after { $simulations ->
    [one] { $simulations_text } simulation
   *[other] { $simulations_text } simulations
  }
verdict-simulated-few = cannot tell from fewer than { $least } simulations
verdict-imported-single = one measurement each, so there is no interval
verdict-imported-few = { $baseline } and { $other } measurements are too few for an interval
verdict-imported-open = { $baseline } and { $other } measurements do not decide it
word-times-higher-rises = fast
word-times-higher-falls = slow
word-times-lower-rises = high
word-times-lower-falls = low
word-percent-higher-rises = faster
word-percent-higher-falls = slower
word-percent-lower-rises = higher
word-percent-lower-falls = lower

## Parts of an I/O, and what limits.

part-aio_queue = queue of the program
part-submit = submission
part-volume_cpu = volume layer
part-array_cpu = array layer
part-block_cpu = block layer
part-block_queue = block queue
part-device_queue = device queue
part-device_service = device service
part-link = link
part-uplink = uplink
part-adapter = adapter
part-slowest_member = slowest member
part-read_modify_write = read-modify-write
part-parity_thread = parity thread
part-bitmap = bitmap
part-rebuild = rebuild
part-flush = flush
part-journal = journal
part-page_cache = page cache
part-completion = completion
part-all = the whole I/O
spent-aio_queue = waiting in the queue of the program
spent-submit = the CPU submitting it
spent-volume_cpu = the CPU in the volume layer
spent-array_cpu = the CPU in the array layer
spent-block_cpu = the CPU in the block layer
spent-block_queue = waiting for room in a disk's queue
spent-device_queue = waiting for its turn in a disk
spent-device_service = a disk at work
spent-link = a disk's link
spent-uplink = the uplink that all disks share
spent-adapter = waiting for the adapter's interrupt
spent-slowest_member = waiting for the slowest of its disks
spent-read_modify_write = reading blocks to compute parity
spent-parity_thread = the array's one parity thread
spent-bitmap = the write-intent bitmap
spent-rebuild = waiting for the rebuild
spent-flush = flushing caches
spent-journal = the filesystem's journal
spent-page_cache = the page cache
spent-completion = the CPU completing it
resource-uplink = uplink
resource-links = disk links
resource-devices = disks
resource-job_cpu = CPU of a job
resource-lock = lock of the array
resource-parity_thread = parity thread
resource-cores = all cores
limit-brief-saturated = { $resource } { $busy }
limit-brief-own-rate = own rate
limit-brief-own-pauses = own pauses
limit-name-own-rate = the load's own rate
limit-name-own-pauses = the load's own pauses
limit-short-own-pauses = the load's own pauses ({ $share } of the time)
limit-own-rate = The load's own rate decides: the stack keeps up with it, and its busiest disk is busy { $busy } of the time.
limit-own-pauses = The load's own pauses decide: they take { $share } of the time.
limit-brief-syncs = syncs
limit-short-saturated = { $resource } ({ $busy } busy)
limit-short-syncs = syncs ({ $share } of the time)
limit-short-latency = { $part } ({ $share } of each I/O)
limit-devices = The disks are busy { $busy } of the time, and an I/O spends { $share } of its time waiting for one.
limit-uplink = The uplink that all disks share is busy { $busy } of the time.
limit-links = The disks' links are busy { $busy } of the time.
limit-job_cpu = The CPU of the job is busy { $busy } of the time.
limit-lock = A lock that all tasks of the array share is held { $busy } of the time: more cores do not help.
limit-parity_thread = The array's one parity thread is busy { $busy } of the time.
limit-cores = The host's cores are busy { $busy } of the time: jobs, interrupts and the array share them.
limit-syncs = { $share } of the time goes into syncs, { $time } each, until every disk has flushed its cache; the rest is about the I/Os between them.
limit-latency = No resource is busy all the time; the largest part of an I/O, { $share } ({ $time }), is { $part }.
limit-latency-busy = The busiest disk is busy { $busy } of the time; the largest part of an I/O, { $share } ({ $time }), is { $part }.

## Findings.

finding-read-modify-write = Each write makes the array read { $reads_per_write } blocks first, because it does not fill a stripe: { $share } of its time.
finding-mirrors-take-turns = Mirrors take turns, so each disk reads with gaps: only { $share } of the disks' reads continue where the previous one ended (Linux { $kernel }: { $rule }).
finding-reads-favour = { $part } of the reads go to { $members } (Linux { $kernel }: { $rule }).
finding-bitmap = Writes to a clean region wait until its bit in the write-intent bitmap is on the disks: { $share } of their time.
finding-flush = Waiting for the disks to flush their caches takes { $share } of the time.
finding-journal = The filesystem's journal takes { $share } of the time.
finding-slowest-member = An I/O becomes { $requests_per_io } requests and waits for the slowest of them: { $share } of its time.
finding-idle-members = On average { $busy } of { $members } disks are busy: { $depth ->
    [one] one I/O of { $block } in flight does
   *[other] { $depth_text } I/Os of { $block } in flight do
  } not occupy more.
finding-cpu = The CPU takes { $share } of each I/O, which is { $requests_per_io } requests at the disks.
finding-split = Chunks cut each I/O of { $block } into { $pieces_per_io } pieces of { $piece } on average.
finding-copies = Each byte is written { $copies } times.
all-of = All
of-sixteen = { $sixteenths } of 16 ({ $share })
list-and = { $list } and { $last }
rule-raid10-first-idle = raid10 reads from the first mirror that has nothing pending
rule-raid10-idle-is-zero = raid10 reads from the mirror whose head is nearest, and an idle one counts as near
rule-raid10-fewest-pending-if-ssd = raid10 reads from the mirror with the fewest pending, the first of equals
rule-raid1-first-idle = raid1 reads from the first mirror that is read in sequence or idle
rule-raid1-fewest-pending = raid1 reads from a mirror that is read in sequence, else from the one with the fewest pending, the first of equals
rule-raid1-sequential-gives-way = raid1 reads from a mirror that is read in sequence until its run is long, else from the one with the fewest pending, the first of equals

## Changes: what would change an answer.

change-chunk = chunk { $size }
change-devices = { $count } devices
change-array = { $array }
change-array-unsafe = { $array } (no redundancy)
change-kernel = rules of Linux { $version }
change-depth = depth { $depth }
change-fsync-every = a sync after { $writes ->
    [one] every write
   *[other] { $writes_text } writes
  }
change-block-size = I/Os of { $size }
change-governor = governor { $governor }
change-no-bitmap = no bitmap
change-no-own-rate = no limit or pauses of the load's own
change-twice-devices = disks twice as fast
change-twice-links = links twice as fast
change-twice-uplink = an uplink twice as fast
change-twice-adapter = an adapter that holds completions half as long
change-twice-processor = a CPU twice as fast

## Warnings, and what to do.

warning-compressible-data = the data is { $data } and the filesystem compresses ({ $compression }): the result depends on the data, not only on the disk
hint-compressible-data = set `data = "incompressible"`, or compare several ratios
warning-file-fits-in-memory = buffered I/O on { $files } of files with { $memory } of memory: this measures the page cache, not the disk
hint-file-fits-in-memory = set `direct = true`, or a `size` of at least twice the memory
warning-writes-throttled = even the fastest reads of { $device } take { $read }, longer than the { $limit } at which Linux begins to throttle writes (blk-wbt): an array's members then get few writes at a time, and the model sends all
hint-writes-throttled = set `wbt_lat_usec = 0` on the disks and in the study, or measure both with `--world lab`
warning-depth-ignored = engine `{ $engine }` does not keep { $depth } I/Os in flight: without direct I/O it completes each I/O at once
hint-depth-ignored = use `engine = "io_uring"`, or `libaio` with `direct = true`, or more `jobs`
warning-budget-too-small = the budget of { $budget } is too small: the fewest samples that give an interval take about { $needed }
hint-budget-too-small = give a larger `--budget`, fewer cells or a shorter `sample`
warning-budget-ended = the budget ended early: { $what ->
    [short] { $short_text } of { $cells } cells { $short ->
        [one] has
       *[other] have
      } fewer than { $least } samples
    [empty] { $empty_text } of { $cells } cells { $empty ->
        [one] has
       *[other] have
      } no sample
   *[both] { $empty_text } of { $cells } cells { $empty ->
        [one] has
       *[other] have
      } no sample, and { $short_text } more { $short ->
        [one] has
       *[other] have
      } fewer than { $least }
  }
hint-budget-ended = give a larger `--budget`, fewer cells or a shorter `sample`
warning-array-busy = array `{ $array }` was busy with `{ $action }`
hint-array-busy = wait until /proc/mdstat shows no resync, recovery or check
warning-array-degraded = array `{ $array }` lacks { $missing ->
    [one] { $missing_text } member
   *[other] { $missing_text } members
  }
hint-array-degraded = a degraded array performs differently: rebuild it first, or study degradation on purpose
warning-array-lost-members = array `{ $array }` lost a member after the measurement began and now lacks { $missing_text }
hint-array-lost-members = a disk failed or was removed: find out which and why with `dmesg` and `cat /proc/mdstat`, then replace it
warning-failure-unfinished = when the load ended, `{ $device }` of array `{ $array }` { $step ->
    [fail] had not failed
    [take_out] had failed, but the kernel had not released it
   *[put_back] had not been re-added
  }
hint-failure-unfinished = let it fail or be re-added earlier, or set a longer `sample` in `[repeat]`
warning-fewer-bytes-at-device = the devices { $direction ->
    [read] read
   *[write] write
  } { $device }, but fio requested { $asked }: a cache or compression absorbed the I/O
hint-fewer-bytes-at-device = set `direct = true` and `data = "incompressible"`; for a cache below the filesystem, use a larger `size`
warning-data-shrunk = the filesystem did not { $direction ->
    [read] read
   *[write] write
  } { $percent } of the data, because it compressed it: of { $asked } that the load counts, { $moved } reached the devices
hint-data-shrunk = quote the cell with `data = "incompressible"` for the devices, and this one for the filesystem and this data
warning-more-bytes-at-device = the devices { $direction ->
    [read] read
   *[write] write
  } { $device }, but fio requested { $asked }{ $is_known ->
    [true] ; busiest other process: { $process }
   *[false] {""}
  }
hint-more-bytes-at-device = stop other programs that use the disk; if there are none, the filesystem or array amplifies I/O (small writes on large blocks, `fsync` journals)
warning-disks-unknown = cannot determine which disks back `{ $filesystem }`: cache hits, compression and I/O of other processes go unnoticed
hint-disks-unknown = trust absolute numbers less, and repeat with a `size` well above all caches
warning-partition-misaligned = `{ $device }` begins at byte { $start } of its disk, which is not a multiple of { $unit ->
    [physical_block] the physical block
    [optimal_io] the disk's optimal I/O size
   *[chunk] the chunk
  } ({ $bytes } bytes)
hint-partition-misaligned = let partitions begin at multiples of 1 MiB, as `parted --align optimal` does
warning-short-run = the load ran { $elapsed } of { $asked }
hint-short-run = read fio's messages in the record: a full disk or a signal ends it early
warning-frequency-fell = the maximum CPU frequency fell from { $before } to { $after } MHz
hint-frequency-fell = set the `performance` governor and check temperatures
warning-throttled = the CPU was throttled because of heat { $count ->
    [one] once
   *[other] { $count_text } times
  }
hint-throttled = cool the machine and measure again
warning-first-sample-unlike = the first counted sample differs from the rest ({ $metric } { $first } against { $rest })
hint-first-sample-unlike = use a longer `sample`, or `steady_state = "snia"`, to warm up longer
warning-drift = { $metric } { $direction ->
    [falls] falls
   *[rises] rises
  } by { $percent } over the run (p = { $p })
hint-drift = `steady_state = "snia"` waits until the device is steady
warning-autocorrelated = { $metric }: each sample resembles the previous one (lag-1 correlation { $lag }), so { $samples } samples count as { $effective }
hint-autocorrelated = take longer samples or more of them; the interval accounts for it already
warning-not-steady = no steady state within { $rounds ->
    [one] one round
   *[other] { $rounds_text } rounds
  }
hint-not-steady = precondition longer, or report the result as a transient, not as steady state
warning-job-failed = fio's job `{ $job }` reports error { $errno }{ $has_reason ->
    [true] { " " }({ $reason })
   *[false] , whose meaning depends on the operating system that fio ran on
}
warning-no-histogram = the source has no latency histogram: percentiles are those of fio's jobs, or unknown
hint-no-histogram = run fio with `--output-format=json+`
warning-data-differs = data was lost or changed: { $found_by ->
    [md] the members of `{ $array }` do not match
   *[fio] fio read back other data than it had written
  }
hint-data-differs = do not trust these devices: check the kernel's log (`dmesg`), cables, memory and the rebuild
warning-not-verified = the data is not verified: the { $world } world has none to compare
hint-not-verified = use `--world lab` or `--world metal`, which read it back
warning-host-lost = host { $host } was lost during a sample: { $why }
hint-host-lost = the sample does not count; the host restores itself within 15 s, and `stripewise restore` finds out whether it did
host-lost-closed = { $how ->
    [ssh] its connection ended (exit code 255 of `ssh`): the host, its `sshd` or the network failed
    [killed] our program there was killed (signal 9), by a person or for want of memory
    [signal] our program there was ended by signal { $number }
    [program] our command there ended with exit code { $number }
   *[unknown] its connection was closed
  }{ $has_printed ->
    [true] ; last words: { $printed }
   *[false] { "" }
  }
host-lost-silent = nothing came from it for { $time }
host-lost-failed = { $error }
warning-host-without = measured without { $hosts }: { $left ->
    [one] one host was
   *[other] { $left_text } hosts were
  } left
hint-host-without = figures with fewer hosts are not those of all: samples of different hosts are never taken together
warning-host-late = host { $host } began its load { $late } after the first host (± { $within })
hint-host-late = the loads overlap less than the sample is long; look for a busy host, or a slow start of fio there
warning-host-slow = host { $host } did { $share } % of the throughput of the middle host
hint-host-slow = compare its disk, its link and what else runs on it with those of the others
warning-host-clock = the clock of host { $host } is { $off } { $is_ahead ->
    [true] ahead of
   *[false] behind
  } this machine's (± { $within })
hint-host-clock = loads begin together all the same, by clocks that nobody sets; set this one (`timedatectl`), or its logs do not agree with others
warning-host-busy = host { $host } was busy before the run: load average { $load } on { $cpus ->
    [one] one CPU
   *[other] { $cpus_text } CPUs
  }
hint-host-busy = end what runs there, or measure it as part of the result
warning-host-unlike = host { $host } differs from { $first }: { $fact }, { $here } instead of { $there }
hint-host-unlike = hosts of one figure should be alike; measure each kind in a run of its own
warning-host-noticed = host { $host }: { $sentence }
view-hosts = Hosts
hosts-lost-lead = { $lost ->
    [one] One of { $all } hosts was lost: { $hosts }.
   *[other] { $lost_text } of { $all } hosts were lost: { $hosts }.
  } What follows is of those that were left, and is no smaller figure of all.
hosts-missing-lead = { $lost ->
    [one] One of { $all } hosts took no part: { $hosts }.
   *[other] { $lost_text } of { $all } hosts took no part: { $hosts }.
  } What follows is of the others alone.
hosts-lost-one = { $host } ({ $why })
hosts-found-lead = About { $hosts }: see the warnings.
hosts-skew = { $hosts ->
    [one] One host
   *[other] { $hosts_text } hosts
  } began each load together: the last one at most { $skew } after the first (± { $within }).
hosts-title = Each host beside the others, medians of the samples that count
hosts-column-host = host
hosts-column-late = began after
warning-risk-not-measured = the data at risk is unknown: a real stack does not show where its data is
hint-risk-not-measured = use `--world model`, which follows each write to the medium
warning-simulation-cut-short = the simulation reached its effort limit after { $ios ->
    [one] { $ios_text } I/O
   *[other] { $ios_text } I/Os
  }: the estimate is less certain than usual
hint-simulation-cut-short = ask about smaller I/Os, or fewer in flight
warning-not-stationary = after { $ios_text } simulated { $ios ->
    [one] I/O,
   *[other] I/Os,
  } { $changing ->
    [write_cache] the amount of data in the devices' write caches
    [fast_area] the amount of data in the devices' fast areas
    [flash_blocks] the occupancy of the flash blocks
    [page_cache] the number of dirty pages
    [bitmap] the number of bits set in the bitmap
   *[throughput] the throughput
  } was still changing: this is a transient, not the long run
hint-not-stationary = ask with `state = "fresh"` for the first seconds, or measure the long run on the device
warning-points-missed = on host `{ $host }` the model misses { $missed_text } of { $points ->
    [one] { $points_text } point
   *[other] { $points_text } points
  } of device profile `{ $profile }` by more than 10 %; at worst { $pattern } { $block_size } with { $in_flight_text } in flight comes out { $off } { $is_faster ->
    [yes] too fast
   *[no] too slow
  }{ $is_other ->
    [yes] ; the profile was fitted with host `{ $fitted_host }`
   *[no] {""}
  }
hint-points-missed = leave the host out, or name the one that `stripewise calibrate` wrote beside the device; else calibrate again
warning-disk-store-full = modelled disk `{ $device }` ran out of memory: { $waits ->
    [one] { $waits_text } write
   *[other] { $waits_text } writes
  } waited for memory, and { $failed ->
    [one] { $failed_text } request
   *[other] { $failed_text } requests
  } failed
hint-disk-store-full = give the guest more memory with `--memory`, or use a smaller `size` in the study
warning-late-completion = modelled disk `{ $device }` completed late: requests took { $service }, as in its profile, but the guest saw their completion { $late } later
hint-late-completion = the guest's only CPU was busy, mostly copying data: use no filesystem and no `verify`, or compare lab results with each other only
warning-guest-core-full = the guest's only CPU was { $busy } busy{ $is_known ->
    [true] , { $generator } with fio alone
   *[false] {""}
  }: it limits this result, not the disks
hint-guest-core-full = compare the result with other lab results, or with the model under host profile `lab`; larger blocks, fewer disks or slower ones leave the CPU time
warning-imported-several-documents = the run has { $count } reports (`--status-interval`), each with all I/Os so far; the last complete one counts
warning-imported-cut-short = the file has an unfinished document: fio was killed or is still running
warning-imported-trims-ignored = job `{ $job }` did { $count ->
    [one] { $count_text } trim, which is not counted
   *[other] { $count_text } trims, which are not counted
  }
warning-imported-short-ios = { $count ->
    [one] { $count_text } I/O of job `{ $job }` transferred fewer bytes than requested or was dropped
   *[other] { $count_text } I/Os of job `{ $job }` transferred fewer bytes than requested or were dropped
  }
warning-imported-bins-disagree = job `{ $job }` timed { $timed } I/Os, but its histogram holds { $binned }
warning-imported-rates-disagree = job `{ $job }` states { $stated } { $of ->
    [bytes] bytes
   *[ios] I/Os
  } per second, but its counts and run time give { $counted }, which is taken
warning-imported-bytes-in-kib = fio before 2.21 counts bytes in KiB and rounds them down, and latencies in whole microseconds
warning-imported-ios-from-rate = this version of fio does not report the number of I/Os: it is derived as rate times run time
warning-imported-stated-left-out = { $count ->
    [one] { $count_text } more number that fio reports for its jobs is not kept
   *[other] { $count_text } more numbers that fio reports for its jobs are not kept
  }
warning-imported-bad-bin = a histogram of job `{ $job }` has an invalid bin and was not read
warning-imported-job-left-out = job `{ $job }` was left out: `rw={ $pattern }` is neither reads nor writes
warning-imported-mixed-left-out = job `{ $job }` was left out: it counts its reads and writes together (`unified_rw_reporting=mixed`); run fio with `unified_rw_reporting=none`
warning-imported-repeated-runs = { $count ->
    [one] one run was left out, because another file has the same run
   *[other] { $count_text } runs were left out, because other files have the same runs
}: `{ $file }`
warning-imported-several-versions = the runs are of several versions of fio: { $versions }
warning-imported-several-directories = { $count ->
    [one] one cell has
   *[other] { $count_text } cells have
  } repeats from several directories ({ $directories }), between which fio reports no difference; if they are different measurements, import each directory as a run of its own and compare the runs
warning-imported-default-buffers = fio's default buffers compress about { $ratio }:1 at this block size and depth; on a compressing filesystem the result depends on the data
warning-imported-approximated = `{ $option }={ $value }` is shown as { $taken }
warning-imported-rate-unreadable = `{ $option }={ $value }` cannot be read; the load is shown without a rate
warning-imported-size-unknown = the size of the file is not in the options; it is shown as 0
warning-imported-options-unknown = fio before 2.3 records no options: direction and block size are derived from its counts; random or sequential, depth, engine and size are unknown
warning-imported-percentiles-by-job = fio gives percentiles for each job or direction ({ $parts } in all), which cannot be merged: they are kept unchanged; `--output-format=json+` gives mergeable bins
warning-imported-group-reported = `group_reporting` summed { $jobs } jobs; the sum may include other sections of the same group
warning-imported-ended-early = the job ended early, after { $elapsed } of { $asked }: { $is_time_based ->
    [true] with `time_based` it should have run that long, so something stopped it
   *[false] without `time_based` fio stops at the end of the file
  }
warning-imported-completion-latency = latencies are completion latencies, without submission; set `lat_percentiles=1` for total ones
warning-imported-bad-log-lines = the job's logs have malformed lines ({ $count }), which were left out
warning-imported-histogram-log-part = the job's histogram log holds { $logged } of { $ios } I/Os: fio drops the last window if it is not full
warning-imported-log-of-maxima = the job's latency log has the largest latency of each window, not the mean, and was left out
warning-imported-log-maxima-left-out = the job's latency log has the largest latency of each window beside the mean (`log_window_value=both`); the largest ones were left out
warning-imported-log-unused = the job's `{ $ending }` log adds no data to the rest and was left out
warning-unreadable = the data of a warning cannot be read
warning-at = in { $samples ->
    [one] { $samples_text } sample
   *[other] { $samples_text } samples
  }
warning-invalidates = not counted
warning-cells = { $run }, at { $cells }
warning-at-cells = at { $cells }
warning-all-cells = All { $count } cells
warning-run = { $run }, the whole run
warning-what-to-do = What to do:

## Facts and commands.

changed-kernel = kernel
changed-kernel-source = kernel source
changed-cpu-model = CPU model
changed-cpu-governor = CPU governor
changed-cpu-count = CPU count
changed-memory = memory
changed-target-filesystem = target filesystem
changed-target-mount-point = target mount point
changed-target-source = target source
changed-disk-model = disk { $disk } model
changed-disk-firmware = disk { $disk } firmware
changed-disk-serial = disk { $disk } serial
changed-disk-size = disk { $disk } size in bytes
changed-disk-scheduler = disk { $disk } scheduler
changed-disk-write-cache = disk { $disk } write cache
changed-tool = { $tool } version
changed-other = { $fact }
tree-storage = storage
tree-below = below
tree-holds-target = holds the target
tree-mark = * holds the target
tree-as-above = as above
tree-partition = partition
tree-unknown-filesystem = unknown filesystem
tree-members = { $count ->
    [one] { $count_text } member
   *[other] { $count_text } members
  }
tree-missing = { $count_text } of them missing
tree-rotating = rotating
tree-solid = non-rotating
tree-scheduler = scheduler { $name }
tree-encrypted = encrypted
tree-multipath = multipath
machine-kernel = kernel
machine-system = system
machine-board = board
machine-hypervisor = hypervisor
machine-cpu = cpu
machine-governor = governor
machine-memory = memory
machine-target = target
machine-filesystem = filesystem
machine-options = options
machine-compression = compression
machine-profile = profile of its data
machine-free = free
machine-disks = disks
machine-unknown = unknown
machine-mounts-unread = mounts unknown
machine-hypervisor-none = none detected
machine-hypervisor-unnamed = unnamed hypervisor
machine-compression-none = none in its options
machine-filesystem-on = { $filesystem } on { $source }
machine-filesystem-source-unknown = { $filesystem } on an unknown source
machine-governor-preference = preference { $preference }
machine-governor-driver = driver { $driver }
machine-governor-up-to = up to { $frequency }
label-size = size
label-description = description
value-none = none
facts-of = { $run }
facts-changed = What changed
facts-changed-note = A number from before a change and one from after it may differ because of it.
facts-model = Simulated: kernel { $kernel }, host { $host }, devices { $devices }.
facts-nearest-rules = { $rules } (the nearest known rules, for { $kernel })
facts-study = The study file
command-repeat = Run it again
command-resume = Continue it
command-show = Show it in the terminal
command-compare = Compare
command-why = Explain its numbers
command-export = Export its data and figures

## Views: heading, and one sentence what is seen.

view-curve = { $metric } against { $axis }
view-curve-says = { $metric } against { $axis }, a line for each { $series }. { $better } { $interval }
view-curve-panels = One panel for each { $panel }.
view-curve-runs = Solid: { $solid }; dashed: { $dashed }.
view-curve-runs-dotted = Dotted: { $dotted }.
view-curve-worlds = Lines are predictions, single points with error bars are measurements.
view-under-load = Latency under load
view-under-load-says = { $latency } against { $rate }, from the least load to the most. Where a line turns upwards, more load only waits longer. Dashed lines with hollow points are predictions.
view-bars = { $metric }
view-bars-says = { $metric } of each { $series }, with its interval. { $better }
view-heat-map = { $metric }: { $rows } against { $columns }
view-heat-map-says = { $metric } in each combination of { $rows } and { $columns }; the stronger the colour, the larger the number. { $better }
view-table = All cells
view-table-says = Estimates with their intervals and differences.
view-table-chosen = The cells that matter
view-table-chosen-says = The largest differences, and the cells that warnings are about: { $shown } of { $all }.
view-table-extremes-says = The highest and the lowest, and the cells that warnings are about: { $shown } of { $all }.
view-table-all = All { $all } cells
cells-share = All cells: { $values }.
same-means = "same" is a difference of at most { $margin }.
view-distribution = Distribution of latency
view-distribution-says = The share of I/Os (upwards) that took no longer than a latency (to the right, logarithmic), over all counted samples.
view-distribution-tail-says = How rare slow I/Os are: one in so many (upwards) took longer than a latency (to the right, logarithmic).
one-in-all = all
one-in = 1 in { $count }
view-percentiles = Percentiles with their intervals
view-percentiles-says = The median over the samples; percentiles with too few I/Os are left out.
view-timeline = A failure over time
view-timeline-says = One sample, step by step; dotted lines mark events of the array.
timeline-phases = Throughput: { $phases }.
timeline-reads = reads
timeline-writes = writes
timeline-rebuilt = rebuild
timeline-events = events
timeline-seconds = seconds since the sample began
timeline-rebuild-done = The rebuild takes { $time }.
timeline-rebuild-still = The rebuild stands still beside this load at the end of the sample.
timeline-rebuild-unfinished = The rebuild would take { $time }.
timeline-read-back = Data read back: all { $size } as written.
timeline-checked = Checked by md: all copies agree.
timeline-mismatch = Checked by md: { $size } do not agree.
phase-whole = whole
phase-degraded = degraded
phase-rebuilding = rebuilding
phase-whole-again = whole again
event-failed = device { $device } fails
event-replaced = device { $device } is replaced
event-re-added = device { $device } is back
event-rebuild-done = rebuilt
event-read-back = data read back as written
event-checked = all copies agree
event-mismatch = copies do not agree
view-time-series = Samples over time
view-time-series-says = Each sample of the cell in the order in which it was taken. Crosses are not counted: they are warm-up, or a warning invalidates them.
view-time-series-steady = The shaded rounds are the steady state (SNIA), the line is fitted to them.
view-ratios = Every cell against its baseline
view-ratios-says = The ratio of { $metric } to that of the baseline, with its interval; an arrow means that it extends beyond the figure. Triangle: better; diamond: worse; filled circle: no difference above the margin; hollow circle: cannot tell. An interval that excludes 1 is not enough for a difference: it may lie within the margin, or a stricter interval may include 1.
view-ratios-before = After against before
view-ratios-before-says = The ratio of { $metric } to that of the same cell before, with its interval; an arrow means that it extends beyond the figure. Triangle: better; diamond: worse; filled circle: no difference above the margin; hollow circle: cannot tell. An interval that excludes 1 is not enough for a difference: it may lie within the margin, or a stricter interval may include 1.
view-ratios-largest = Drawn are the { $shown } largest differences of { $all }.
view-paired = Before and after, pair by pair
view-paired-says = { $metric }: each line is a pair of samples taken in the same block, from { $baseline } to { $cell }.
view-paired-result = { $difference }: { $verdict }.
view-waterfall = Where the time of an I/O goes
view-waterfall-says = The parts of the mean I/O of { $cell }, each beginning where the one before ended.
view-waterfall-slowest-says = The parts of the slowest hundredth of the I/Os of { $cell }, each beginning where the one before ended.
waterfall-mean = The mean I/O
waterfall-slowest = The slowest hundredth
waterfall-why = Why
waterfall-use = Utilisation
view-members = What each device did
view-members-says = I/Os per second at each device of { $cell }, over the whole load.
members-ios = I/Os per s
view-array-map = Where the chunks lie
view-array-map-says = Each box is a chunk on a member. Boxes with a heavy border are those that a sequential reader is served from.
view-warnings = Warnings
view-warnings-none = No problem was found that makes a number doubtful.
view-warnings-says = Problems with the measurements, and what to do.
view-facts = Facts
view-facts-says = Facts about the machine, and the simulated hardware.
view-commands = Commands
view-states = Fresh and steady devices
view-cost = What the stacks cost over the years
view-commands-says = To repeat, continue and examine these runs.
view-data = Data
view-data-says = All data of this page, for further use.
view-broken = This part of the page cannot be shown; the others are not affected. The error was:
view-unknown = A view that this version does not know: { $kind }
data-json = Download JSON
data-csv = Download CSV of the cells
data-json-says = The whole page as it was written, with every sample.
data-csv-says = One row per cell: estimates and the bounds of their intervals, with units in the column heads.
map-place = place
map-caption = { $stack }: { $level }{ $layout }, { $unit }
map-unit-chunk = chunk { $chunk }
map-unit-piece = pieces of { $chunk }
map-unit-member = one member after the other
map-chunk = chunk { $chunk }
map-copy = copy of chunk { $chunk }
map-parity = parity
map-q = second parity
map-serves = , read from here
map-left-out = { $count ->
    [one] { $count_text } more row follows
   *[other] { $count_text } more rows follow
  } before the pattern repeats.
map-members = { $shown } of { $all } members are shown.
map-legend-serves = read from here
map-legend-copy = a copy that is not read
map-legend-parity = parity
reads = reads
writes = writes
role-warm-up = warm-up
role-counted = counted
role-not-counted = not counted
steady-window = steady state
sample-number = sample
pair-number = pair { $pair }
aria-figure = { $title }. { $description }

## The advice from power cuts, on the page and in the terminal.

advice-setting = “{ $name }”
advice-predicted-lossless = In the model, { $settings } { $settings_count ->
    [one] loses
   *[other] lose
  } no data that { $promise ->
    [durable] was promised durable
   *[returned] was acknowledged
  }: use { $settings_count ->
    [one] that setting
   *[other] one of them
  }.
advice-predicted-none = In the model, every setting loses data that { $promise ->
    [durable] was promised durable
   *[returned] was acknowledged
  }.
advice-predicted-losses = Data that { $promise ->
    [durable] was promised durable
   *[returned] was acknowledged
  } is lost by { $losses }.
advice-predicted-loss = { $setting } (at most { $age })
advice-predicted-no-limit = { $setting } (without a limit: all of the load)
advice-no-cuts = No power was cut, so this is only predicted. The model does not predict whether a stack comes back: `--world lab` cuts its power and looks.
advice-lossless = { $settings_count ->
    [one] No power cut lost anything with { $settings }: 0 of { $cuts } cuts, which still allows up to { $high }.
   *[other] No power cut lost anything with { $settings }: 0 of at least { $cuts } cuts each, which still allows up to { $high }.
  }
advice-none-lossless = No setting was shown to keep all acknowledged data.
advice-fastest = The fastest of them is { $setting }: { $value } (simulated), { $ratio } times as fast as { $other }.
advice-alternatives = Other devices lose nothing either and are faster than the slowest of them: { $settings }.
advice-alternative = { $setting } ({ $ratio } times as fast)
advice-relax = To trade a little data for speed, use { $setting }: { $ratio } times as fast as { $other } (simulated), for at most { $age } of acknowledged data. All stacks came back in { $cuts } cuts, which still allows up to { $high } that do not.
advice-avoid-unusable = Avoid { $setting }: { $count_text } of { $of_text } { $of ->
    [one] stack
   *[other] stacks
  } did not come back ({ $steps }).
advice-avoid-corrupt = Avoid { $setting }: { $count_text } of { $of_text } { $of ->
    [one] stack
   *[other] stacks
  } came back with wrong data and reported no error.
advice-avoid-loses = Avoid { $setting }: it can lose { $age } of acknowledged data.
advice-avoid-no-limit = Avoid { $setting }: nothing limits its loss. The oldest lost record was { $age } old, and a longer load can lose more.
advice-undecided = Too few power cuts to judge { $settings }: each needs at least { $needed } independent cuts with a known outcome.
advice-no-throughput = The throughput is unknown, so no setting is called the fastest. Simulate the study in the model to add it.
advice-disagrees = Model and lab disagree about { $setting }: the model predicts that { $predicted } of the cuts lose data, and { $count_text } of { $of_text } did { $interval }.
risk-unbounded = no limit
cut-lost-head = lost
cut-lost = cuts with lost data
cut-unusable-head = unusable
cut-unusable = stacks that did not come back
cut-corrupt-head = corrupt
cut-corrupt = stacks with wrong data and no error
cut-unknown-head = unknown
cut-unknown = unknown outcomes
cut-recordings-head = rec.
cut-recordings = recordings
cut-time-p50-head = time p50
cut-time-p50 = median time lost
cut-time-max-head = time max
cut-time-max = most time lost
cut-bytes-p50-head = bytes p50
cut-bytes-p50 = median bytes lost
cut-bytes-max-head = bytes max
cut-bytes-max = most bytes lost
cut-simulated-iops = simulated IOPS
cut-simulated-bandwidth = simulated bandwidth
cut-predicted-lost-head = ~lost
cut-predicted-lost = simulated share of cuts with lost data
cut-predicted-time-p50-head = ~time p50
cut-predicted-time-p50 = simulated median time lost
cut-predicted-time-max-head = ~time max
cut-predicted-time-max = simulated most time lost
cut-predicted-bytes-p50-head = ~bytes p50
cut-predicted-bytes-p50 = simulated median bytes lost
cut-predicted-bytes-max-head = ~bytes max
cut-predicted-bytes-max = simulated most bytes lost
cut-share = { $count } of { $of }
cut-loss-unknown = unknown
cut-setting = { $name }
cut-interval = [{ $low }–{ $high } %]
cut-step-count = { $step } { $count }
cut-step-assemble = assembly
cut-step-check = filesystem check
cut-step-mount = mount
cut-step-start = database start
cut-step-read = reading

## The view of power cuts.

view-power-cuts = Time lost in a power cut, against throughput
cuts-says = Each setting with the age of the oldest acknowledged data that a power cut lost: the median, a wide bar for its 95 % interval, and a line up to the maximum. The band below the scale is a loss of nothing; the band above it holds stacks that did not come back, with how many, and they may have lost everything.
cuts-says-throughput = Right is faster: { $metric }, simulated by the model.
cuts-says-no-throughput = Settings stand side by side, because no run of the model gives their throughput.
cuts-says-marks = Filled marks were measured with power cuts, hollow ones and dashed lines are simulated; an arrow has no limit.
cuts-measured = measured loss
cuts-unusable = did not come back
cuts-simulated = simulated loss
cuts-nothing = nothing
cuts-all = unusable
cuts-loss = Time lost
cuts-throughput = { $metric } (simulated)
cuts-throughput-unknown = throughput unknown

# Both states of devices.
states-title = Fresh devices and steady ones
states-fresh = fresh, { $unit }
states-steady = steady, { $unit }
states-after = until
states-full-speed = flat out
states-a-day = at { $volume } a day
states-what = Fresh: just trimmed, or with room in their fast areas. “Until” is how much of the load fills them, “flat out” how long that takes without a pause.
states-unknown = what fresh devices give is unknown for { $which }: only the long run was simulated. `stripewise predict` simulates fresh devices, too.
states-ask = Which state applies depends on what the load writes in a day: `--writes-per-day 50G` says it.
states-ask-key = Which state applies depends on what is written in a day: `writes_per_day = "50G"` in [lifetime] of the study says it.
states-more = { $count ->
    [one] One more row is
   *[other] { $count_text } more rows are
 } in the output of `--json`.
states-all = all of them
states-applies-fresh = at { $volume } written in a day, the fresh state applies to { $which }: even all of them at once do not fill what makes the devices fast, and the devices empty it in the rest of the day.
states-applies-steady = at { $volume } written in a day, the steady state applies to { $which }: these are { $mean }, day and night, which is more than the devices empty of what makes them fast.
states-applies-bursts = at { $volume } written in a day, both states can apply to { $which }. If the writes come evenly, with { $mean }, the devices stay fresh, as they empty more than that. If they come in bursts at full speed, the steady state begins in each burst after { $time }.
states-about = about { $value }
states-from-to = { $least } to { $most }
states-is-fresh = fresh
states-is-steady = steady
states-is-bursts = either
states-is-unknown = unknown
states-shown-both = The figure above draws throughput and IOPS of fresh and of steady devices. All other metrics, figures and tables are of steady ones.
states-shown-fresh = The figure above draws throughput and IOPS of fresh devices, which is the state that applies here. All other metrics, figures and tables are of steady ones.
states-shown-figures = The figures and tables below show steady devices; what fresh ones give is under “Fresh and steady devices”.
states-shown = The table and its bars show steady devices; what fresh ones give is below it.
states-applies-unknown = which state applies to { $which } at { $volume } written in a day is unknown: the model does not say when these devices become steady.

# What stacks cost over their life.
lifetime-title = { $years ->
    [one] Over { $years_text } year
   *[other] Over { $years_text } years
  }
lifetime-title-volume = { $years ->
    [one] Over { $years_text } year, with { $volume } written a day
   *[other] Over { $years_text } years, with { $volume } written a day
  }
lifetime-column-capacity = usable
lifetime-column-written = written
lifetime-column-days = days at full speed
lifetime-column-years = years
lifetime-column-rebuild = rebuild
lifetime-column-loss = data lost
lifetime-name-capacity = usable share of the capacity
lifetime-name-written = bytes written to the devices for each byte of the load
lifetime-name-days = days until the rated writes at full speed
lifetime-name-years = years until the rated writes at the daily volume
lifetime-name-rebuild = rebuild beside the load
lifetime-name-loss = { $years ->
    [one] chance of losing data in { $years_text } year
   *[other] chance of losing data in { $years_text } years
  }
lifetime-wear = "written" is how many bytes the devices write for each byte of the load. "years" is when the device that writes most reaches its rated writes (TBW) at the daily volume, "days at full speed" when the load runs without a pause.
lifetime-wear-no-volume = "written" is how many bytes the devices write for each byte of the load. "days at full speed" is when the device that writes most reaches its rated writes (TBW) if the load runs without a pause. { $says ->
    [options] `--writes-per-day 50G` says it
   *[keys] State `writes_per_day` in [lifetime]
  } for the years that a real load takes.
lifetime-assumptions = "data lost" is a chance, and an optimistic one: devices fail independently of each other and at a constant rate, a failed one is replaced at once, and only failures and unreadable sectors lose data. A backup is not counted.
lifetime-stated = { $says ->
    [options] `--tbw` states the rated writes
   *[keys] The study states { $keys }
  }; the device profile is not used for it.
lifetime-unknown-stack = Unknown: the capacity, the wear or the chance of a loss where the devices have no profile, a filesystem distributes the data, or the counters are not those of the devices.
lifetime-unknown-layout = Unknown: the chance of a loss for layouts whose copies do not lie in separate mirrors. A near layout whose copies divide the devices has one.
lifetime-wear-neighbours = Beside neighbours, a byte of the load is one that any of the loads writes, and the daily volume is that of all of them.
lifetime-unknown-neighbours = Unknown: the wear where neighbours write beside the load and this run does not say how much.
lifetime-unknown-rebuild = Unknown: the rebuild where no cell with the same load replaces a failed device. Add such a failure to `failure` under [conditions], beside `none`.
lifetime-unknown-write-rating = Unknown: the years and days for devices whose profile has no rated writes. State `tbw_bytes` in [lifetime].
lifetime-unknown-tbw = Unknown: the years and days for devices whose profile has no rated writes. `--tbw 150T` states those of a data sheet.
lifetime-unknown-failure-rating = Unknown: the chance of a loss for devices whose profile has no failure rate. State `afr_percent` in [lifetime].
lifetime-unknown-read-error-rating = Unknown: the chance of a loss for devices whose profile has no rate of unreadable sectors. State `ure_bits` in [lifetime].
