## Why one result differs from another: `explain`.

explain-title = Why one result differs from another
explain-headline = { $load }: { $percent } { $word } ({ $metric }: { $before } before, { $after } after).
explain-headline-same = { $load }: no difference above { $percent } ({ $metric }: { $before } before, { $after } after).
explain-headline-small = { $load }: { $percent } %, which may be below the margin of { $margin } ({ $metric }: { $before } before, { $after } after).
explain-headline-open = { $load }: { $percent } %, but that may be noise ({ $metric }: { $before } before, { $after } after).
explain-basis-samples = The 95 % interval is { $low } to { $high } %, from { $one } and { $other } samples.
explain-basis-few-samples = There are few samples, { $one } and { $other }: by their spread the 95 % interval is { $low } to { $high } %.
explain-basis-spread = There is one run of each. fio’s own spread over time, doubled as repeats differ more, puts the difference at { $low } to { $high } %. Six runs of each would give an interval that can be relied on.
explain-basis-assumed = There is one number of each, and nothing shows how far repeats are apart. If that is 10 %, as is assumed here, the difference is { $low } to { $high } %. Run both six times, or for several seconds, so that fio states its spread.
explain-no-cause = No cause is named: there may be nothing to explain.
explain-nothing = Nothing that was recorded explains this: { $count ->
    [one] the one fact that differs has no
   *[other] of the { $count_text } facts that differ, none has a
  } known effect of this size and direction on this load.
explain-nothing-differs = Nothing that was recorded differs, so nothing that was recorded explains this.
explain-cause = { $fact } explains { $range } of the { $whole }.
explain-overstated = { $fact } makes it { $word }: the model expects far more of that than was measured, so how much of the difference it explains is not known.
explain-suspect = { $fact } makes it { $word }; by how much is not known, as the model has no number for it.
explain-suspect-either = { $fact } can change it in either direction; by how much is not known, as the model has no number for it.
explain-rest = { $range } of the { $whole } is left: nothing that was recorded explains it.
explain-rest-unknown = { $range } of the { $whole } has no number: it is of what was named without one, or of nothing that was recorded.
explain-more = The model expects { $range } % more than was measured: it overstates an effect, or something else made up for it.
explain-interact = These changes act on each other: each share is the mean over all orders in which they can be made.
explain-against = { $fact } acts the other way, by { $range } % in the model.
explain-smaller = Smaller effects: { $facts }, together { $range } of the { $whole }.
explain-smaller-step = smaller effects
explain-lack-no-sample = { $load }: { $metric } cannot be compared, as { $side } there is no sample that counts.
explain-lack-nothing = { $load }: { $metric } cannot be compared, as nothing was moved { $side }.
explain-lack-not-stated = { $load }: { $metric } cannot be compared, as it is not stated { $side }.
explain-silent-read = { $side }, nothing was read, though the load reads: the other side has both directions.
explain-silent-write = { $side }, nothing was written, though the load writes: the other side has both directions.
explain-capped-both = Both ran at the limit that { $fact } sets ({ $limit }): what else changed cannot show in that rate.
explain-capped-before = Before, the load ran at the limit that { $fact } sets ({ $limit }): without it, it could have been faster.
explain-capped-after = After, the load ran at the limit that { $fact } sets ({ $limit }): without it, it could be faster.
explain-conflict-before = Before, two sources disagree on { $fact }: { $taken } is taken, and { $source } says { $other }.
explain-conflict-after = After, two sources disagree on { $fact }: { $taken } is taken, and { $source } says { $other }.
explain-conflict = two sources disagree on { $fact }: { $taken } is taken, and { $source } says { $other }.
explain-cell-step = { $cell } changed its rate for good after { $at } s: { $from } until then, { $to } from then on.
explain-cell-capped = { $cell } ran at the limit that { $fact } sets ({ $limit }): without it, it could be faster.
explain-column-value = value
explain-not-recorded = Not recorded: { $facts }.
explain-source-run = the run
explain-source-earlier-part = an earlier part of the run
explain-source-running = /proc/sys/kernel/osrelease
explain-other = { $metric }: { $before } before, { $after } after ({ $percent } %).
explain-other-same = { $metric }: { $before } before, { $after } after ({ $percent } %, within the margin).
explain-other-open = { $metric }: { $before } before, { $after } after ({ $percent } %, which may be noise).
explain-other-model = All changes together do { $percent } % to it in the model.
explain-run-title = What limits the cells of a run
explain-column-cells = cells
explain-column-which = which
explain-column-limit = limited by
explain-cells-more = { $cells } and { $more } more
explain-odd-cell = { $cell } is odd: beside its prediction it is { $times } times the usual.
explain-odd-member = { $device } took { $times } times as long for each request as the other members ({ $cell }).
explain-nothing-odd = No cell and no member is unlike the others.
explain-refused-cells = { $count ->
    [one] Of { $count_text } cell
   *[other] Of { $count_text } cells
  } the model says nothing, such as { $cell }: { $why }
explain-change = { $fact } ({ $before } → { $after })
explain-range = { $low } to { $high }
explain-range-one = { $value }
explain-step = step
explain-part = change
explain-before = before
explain-after = after
explain-left = unexplained
explain-column-fact = fact
explain-column-alone = alone
explain-column-known = how its effect is known
explain-screened-out = { $count ->
    [one] One more change has an effect in the model, smaller than these: its share is
   *[other] { $count_text } more changes have an effect in the model, smaller than these: their shares are
  } in what is unexplained.
explain-left-unknown = without a number
explain-known-model = simulated
explain-known-overstated = simulated: far more than was measured
explain-known-no-effect = simulated: no effect on this load
explain-known-direction = only its direction is known
explain-known-either = it acts on such loads, in either direction
explain-known-refused = not simulated: { $why }
explain-known-nothing = not known
explain-cpu-supports = The samples agree: the processor’s time for each I/O changed by { $percent } %.
explain-cpu-contradicts = The samples contradict that: the processor’s time for each I/O changed by { $percent } % only.
explain-requests-supports = The disks agree: they got { $times } times the requests for each I/O, and the model expects { $expected } times of it.
explain-requests-contradicts = The disks contradict that: they got { $times } times the requests for each I/O, and the model expects { $expected } times of it.
explain-shape-shift = Each request takes { $times } times as long, the slow ones like the others: the path itself changed, or what waits on it.
explain-shape-tail = Most requests take as long as before, and the slowest hundredth { $times } times as long: some wait for something rare.
explain-shape-mode = After, { $share } of the requests take { $times } times as long as the others, and before none stood apart: they take another path.
explain-step-at = { $side }, the rate changed for good after { $at } s: { $from } until then, { $to } from then on.
explain-model-refused = The model says nothing of this load: { $why }
explain-load-unknown = the result file has no job options, so the load is not known
explain-no-job-options = the result file has none: depth, engine and all else of the load are unknown
explain-no-size = neither the job nor the result file states it
explain-no-drive = no drive is known; `--device sata-ssd` names a profile
explain-model-assumed = Shares are from the model with the class { $device } and host { $host }, which predicts { $times } times the measured rate before; `--device` and `--host` name better profiles.
explain-model-named = Shares are from the model with { $device } and host { $host }, which predicts { $times } times the measured rate before.
explain-kernel-rules = { $count ->
    [one] One rule that the model knows changed between the two kernels
   *[other] { $count_text } rules that the model knows changed between the two kernels
  }
explain-kernel-rule = since { $since }: { $change }
explain-do = What to do about { $fact }
explain-do-command = Change it back: { $command }
explain-do-undo = To undo that: { $command }
explain-do-prove = To prove it, measure before and after this change alone, at least six times each.
explain-do-source = Source: { $source }
explain-risk-none = Risk: none; it takes effect at once.
explain-risk-data = Risk: data that is not on disk yet can be lost at a power cut meanwhile.
explain-risk-resync = Risk: without a bitmap, or with a coarse one, more of the array is synchronised after a power cut, which takes hours.
explain-risk-reboot = Risk: it needs a reboot.
explain-risk-rewrite = Risk: all data is rewritten, which takes hours and needs a backup.
explain-risk-anew = Risk: this builds the array anew, and all data on it is lost. Back it up first, and restore it after.
explain-risk-hardware = Risk: hardware must be replaced or plugged elsewhere.
explain-risk-load = Risk: none to data; the two measured different loads.
explain-experiment = The smallest experiment that tells { $facts } apart takes about { $time }:
explain-experiment-one = The smallest experiment that proves { $facts } to be the cause takes about { $time }:
explain-experiment-study = The study; `--save FILE` writes it
explain-unmatched = { $count ->
    [one] { $count_text } cell has
   *[other] { $count_text } cells have
  } no partner on the other side.
explain-not-recorded-before = Not recorded before: { $facts }.
explain-not-recorded-after = Not recorded after: { $facts }.
explain-not-recorded-title = Why they are not recorded
explain-not-recorded-why = { $fact }: { $why }
explain-no-facts-before = Nothing about the machine is recorded before: `--facts-before TREE` adds it.
explain-no-facts-after = Nothing about the machine is recorded after: `--facts-after TREE` adds it.
explain-never-read = it is not read
explain-fact-load = { $key } of the load
explain-fact-chunk = the chunk
explain-fact-kernel = the kernel
explain-fact-governor = the governor
explain-fact-energy_preference = the energy preference
explain-fact-turbo = turbo
explain-fact-frequency_driver = the frequency driver
explain-fact-boot_options = the boot options
explain-fact-cpu_model = the processor
explain-fact-host_profile = the host profile
explain-fact-cores = the number of cores
explain-fact-memory = the memory
explain-fact-dirty_limit = the limit of dirty memory
explain-fact-device = the kind of drive
explain-fact-drive_model = the drive model
explain-fact-rotational = what the kernel takes the drives for
explain-fact-drive_firmware = the drive firmware
explain-fact-link_speed = the link speed
explain-fact-scheduler = the I/O scheduler
explain-fact-read_ahead = read-ahead
explain-fact-nr_requests = the length of the queue
explain-fact-max_sectors_kb = the longest request
explain-fact-write_cache = the write cache
explain-fact-array = the array
explain-fact-bitmap = the write-intent bitmap
explain-fact-stripe_cache_size = the stripe cache
explain-fact-group_thread_cnt = the number of stripe threads
explain-fact-consistency_policy = the consistency policy
explain-fact-metadata = the metadata version
explain-fact-missing_members = the number of missing members
explain-fact-sync_action = the array’s own work
explain-fact-filesystem = the filesystem
explain-fact-mkfs = how the filesystem is made
explain-fact-volume = the volume
explain-fact-flush = flushes of caches
explain-fact-mount_options = the mount options
explain-fact-compression = compression
explain-fact-fill = the fill of the filesystem
explain-fact-target = the target
explain-fact-file = the name of the file
explain-fact-disks = the disks
explain-fact-job_options = the job options of fio
explain-fact-neighbours = the number of neighbours
explain-fact-fio_version = the version of fio
explain-fact-fio_options = other options of fio
