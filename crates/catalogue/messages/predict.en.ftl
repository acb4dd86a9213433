## Predictions in the terminal: `predict`, `why`, `profiles`, `calibrate`, array maps.

predict-still-changing = Not the long run: when the simulation reached its effort limit, { $changing ->
    [write_cache] the amount of data in the devices' write caches
    [fast_area] the amount of data in the devices' fast areas
    [flash_blocks] the occupancy of the flash blocks
    [page_cache] the number of dirty pages
    [bitmap] the number of bits set in the bitmap
   *[throughput] the throughput
  } was still changing.
predict-no-difference = { $percent } %, no difference

# Labels of several tables.
label-device = device
label-host = host
label-study = study
label-figure = figure
label-run-with = run with
label-question = question

# The answer.
predict-mean = mean { $time }
predict-p99 = p99 { $time }
predict-sync-mean = sync mean { $time }
predict-drives = Between { $low } and { $high } across drives of this class; { $middle } with the middle one ({ $drives } drives were published).
predict-drives-unknown = How far a real drive is from this is not known: no measurement of such a load is behind the profile.
predict-limited-by = limited by { $limit }
predict-trace-depth = The replay has at most { $depths } I/Os under way, as no trace says how many its program waits for; `--depth` (`depth` in a study) sets another number.
predict-trace = trace { $file }
predict-in-numbers = the prediction in numbers
predict-state = { $state ->
    [fresh] fresh state
    [both] fresh and the steady state
    [trace] I/Os of the trace
   *[steady] steady state
  }
predict-one-device = one device
predict-cell = { $load } on { $stack }
predict-cell-one-device = { $load } on one device
predict-note = { $cell }: { $note }
predict-note-others = { $count ->
    [one] One more row has
   *[other] { $count_text } more rows have
  } the same note, with numbers of { $count ->
    [one] its
   *[other] their
  } own: `--json`.
predict-cut-short = Effort limit reached: each simulation ended after about { $ios } I/Os, before its estimate had converged. ± covers such short simulations; effects that build up over more I/Os are not included.
predict-bounded = The simulation reached its effort limit, so few I/Os were simulated for: { $names }.

# Where the time of an I/O goes.
predict-time-heading = Where the time of an I/O goes:
predict-time-part = time of an I/O
predict-time-mean = mean
predict-time-commit = commit
predict-time-commit-p99 = commit p99
predict-time-mean-name = in the mean
predict-time-share = share
predict-time-slowest = slowest 1 %
predict-time-slowest-name = in the slowest 1 %
predict-time-slowest-share = share of that
predict-time-all = in all

# What each disk does.
predict-disk = disk
predict-disk-reads = reads/s
predict-disk-reads-name = reads per second
predict-disk-writes = writes/s
predict-disk-writes-name = writes per second
predict-disk-sequential = sequential
predict-disk-sequential-reads = sequential reads
predict-disk-sequential-writes = sequential writes
predict-disk-request = request
predict-disk-request-name = mean request
predict-disk-merged = merged
predict-disk-flushes = flushes/s
predict-disk-flushes-name = flushes per second
predict-disk-busy = busy
predict-disk-link = link
predict-busy-others = Other utilisation: { $components }.
predict-busy = { $component } ({ $share })
predict-job-cpu = CPU of job { $job }
predict-rebuild-rate = The rebuild runs at { $rate }{ $time }.
predict-rebuild-time = { "," } { $time } for a whole device

# What would change it.
predict-change = what would change it
predict-change-name = with
predict-change-effect = change from now, simulated

# Several predictions.
predict-limit = limited by

# The basis.
predict-basis = This is a prediction for the { $state }, by simulation: { $devices }, host profile `{ $host }`, kernel rules { $kernel }, seed { $seed }, stripewise { $version }.
predict-basis-failed = This is a prediction with { $failed } failed, for the { $state }, by simulation: { $devices }, host profile `{ $host }`, kernel rules { $kernel }, seed { $seed }, stripewise { $version }.
predict-basis-rebuilding = This is a prediction with { $failed } failed, and disk{ $first } rebuilt beside the load, for the { $state }, by simulation: { $devices }, host profile `{ $host }`, kernel rules { $kernel }, seed { $seed }, stripewise { $version }.
predict-basis-device = device profile `{ $name }`
predict-basis-interval = ± is the simulation's own uncertainty of a median. No point of this kind of load is behind the device profile, so how far that is off is unknown (docs/model).
predict-basis-interval-some = ± contains how far the profiles may be off, but only where the device was measured under such a load; errors of the rules come on top (docs/model).
predict-basis-interval-all = ± should hold 95 of 100 measurements, unless a rule is wrong (docs/model).
predict-uncertainty = Behind it: { $sources }.
predict-uncertain-points = ±{ $percent } because the profile misses its own points by as much
predict-uncertain-between = ±{ $percent } because the load lies between measured points, or beyond them
predict-uncertain-class = ±{ $percent } because the drives of a class differ
predict-uncertain-repeat = ±{ $percent } because measurements that should be equal are not
predict-uncertain-cpu = ±{ $percent } because the CPU times of this host were not measured
predict-uncertain-adapter = ±{ $percent } because the measurements leave the adapter's delay open
predict-uncertain-slower = up to { $percent } slower if a delay in the profile is the adapter's, not the disk's
predict-uncertain-uplink = up to { $percent } slower if the disks share a slow path: the host profile has none
predict-uncertain-next = Measuring `{ $load }` at depth { $depth } on one disk of `{ $profile }` alone would narrow the interval to ±{ $percent }.
predict-assumed = Assumed, not measured: { $counts }.
predict-assumed-listed = `--verbose` lists what is assumed.
predict-assumed-count = { $count } of `{ $profile }`
predict-assumed-title = Assumed values
predict-assumed-value = `{ $profile }`: { $value }
kernel-rules-newest = { $rules }, the newest known, for { $kernel }
kernel-rules-oldest = { $rules }, the oldest known, for { $kernel }
stack-on = { $below } > { $above }
stack-array = { $array } bitmap { $bitmap }
stack-array-firmware = { $array } bitmap { $bitmap } { $metadata }
stack-existing-filesystem = existing filesystem
stack-no-filesystem = no filesystem

# Array maps: the grid and its marks.
map-title = array map
map-row = row { $row }
map-mark-chunk = n: a chunk of { $size }
map-mark-piece = n: a piece of { $size }, as there are no chunks
map-mark-member = n: a whole disk
map-mark = { $mark }: { $meaning }
map-failed = failed
map-left-out-disks = { $count ->
    [one] { $count_text } more disk
   *[other] { $count_text } more disks
  }
map-left-out-rows = { $count ->
    [one] { $count_text } more row
   *[other] { $count_text } more rows
  }
map-not-drawn = Not drawn: { $parts }.

# Array maps in sentences.
map-heading = Array map: { $array }, { $count ->
    [one] { $count_text } disk
   *[other] { $count_text } disks
  }, { $unit }.
map-all-disks = all { $count } disks
map-more-disks = { $count ->
    [one] { $count_text } more disk
   *[other] { $count_text } more disks
  }
map-failed-disk = { $disk } (failed)
map-chunk-number = chunk { $chunk }
map-piece-number = piece { $chunk }
map-chunk-on = { $chunk } is on { $disks }{ $state ->
    [served] ; { $server } serves it
    [computed] ; it is computed from the other disks
    [lost] ; it is lost
   *[whole] {""}
  }.
map-chunk-parity = { $chunk } is on { $disks }, its parity on { $parity }{ $state ->
    [computed] ; it is computed from the other disks
    [lost] ; it is lost
   *[whole] {""}
  }.
map-chunk-parities = { $chunk } is on { $disks }, its parity on { $parity }, the second parity on { $q }{ $state ->
    [computed] ; it is computed from the other disks
    [lost] ; it is lost
   *[whole] {""}
  }.
map-repeats = The pattern repeats every { $chunks } chunks.
map-all-alike = All others lie on the same disks.
map-reader = A sequential reader
map-reader-of-mirror = A sequential reader with one I/O in flight
map-read-alone = { $reader } is served by { $disks } alone.
map-read-by-member = { $reader } is served by one disk after the other: { $disks }.
map-read-in-turn = { $reader } is served by { $disks } in turn: each serves 1 chunk in { $count }.
map-read-shares = { $reader } is served by { $disks }: each serves { $share } of { $chunks } chunks.
map-read-shares-range = { $reader } is served by { $disks }: each serves { $least } to { $most } of { $chunks } chunks.
map-read-shares-each = { $reader } is served by { $disks }: they serve { $shares } of { $chunks } chunks.
map-read-gaps = On each disk, there are gaps between the chunks that are read.
map-read-no-gaps = On each disk, the chunks that are read follow one another.
map-read-idle = Nothing is read from { $disks }.
map-failed-chunks = With { $disks } failed, { $lost ->
    [one] chunk { $numbers } of every { $chunks } is lost.
   *[other] chunks { $numbers } of every { $chunks } are lost.
  }
map-failed-data = With { $disks } failed, { $count ->
    [one] its data is lost.
   *[other] their data is lost.
  }
map-failed-computed = With { $disks } failed, { $count ->
    [one] its data is computed from the rest of each row.
   *[other] their data is computed from the rest of each row.
  }
map-failed-copies = With { $disks } failed, other copies are read instead.
map-failed-parity = With { $disks } failed, only parity is lost.
map-shortened = The pattern continues; the map ends after { $chunks } chunks.
map-far-copies = Each further copy lies { $distance } behind the one before, on the next disk.
map-zone = { $count ->
    [one] From chunk { $chunk } on, only { $count_text } disk has room.
   *[other] From chunk { $chunk } on, only { $count_text } disks have room.
  }

# Profiles.
profile-basis = basis
profile-from = from
profile-shipped = shipped
profile-basis-measured = measured
profile-basis-data_sheet = data sheet
profile-basis-class = class
profile-basis-none = not stated

# Calibrations.
calibrate-heading = { $count ->
    [one] A profile of { $names }
   *[other] Profiles of { $names }
  }
calibrate-points = { $count ->
    [one] from { $count_text } point of { $source }
   *[other] from { $count_text } points of { $source }
  }
calibrate-study = study { $study }
calibrate-made = made
calibrate-name = name
calibrate-file = file
calibrate-file-size = file size
calibrate-pattern = pattern
calibrate-measured = measured
calibrate-simulated = simulated
calibrate-error = error
calibrate-used-for = used for
calibrate-used-check = check
calibrate-mean-error = mean |error|
calibrate-mean-error-name = mean error
calibrate-of = of
calibrate-points-head = points
calibrate-error-device = used for the device
calibrate-error-host = used for the host
calibrate-error-check = only checked
calibrate-error-before = before the fit
calibrate-error-left-out = left out and predicted
calibrate-between = curve, between its other points
calibrate-beyond = curve, beyond its other points
calibrate-between-loads = requests in flight, between its other points
calibrate-beyond-loads = requests in flight, beyond its other points
calibrate-host-kept = No point measures an array, so the host cannot be calibrated: it keeps profile `{ $host }`.
calibrate-host = host { $host }
calibrate-device = device { $device }
calibrate-fitted = fitted
calibrate-interval = 95 % interval
calibrate-from-to = { $least } to { $most }
calibrate-unknown = not identified
calibrate-identified = identified
calibrate-not-identified = not identified by these points
calibrate-no-limit = no limit
calibrate-assumed = Assumed
assumed-kernel = the study names no `kernel`: the rules of { $kernel }
assumed-device = { $name }: { $assumed }
assumed-host = host { $name }: { $assumed }
calibrate-no-points = Cells that are not points
no-point = cell { $number } ({ $stack } { $pattern } { $block }): { $why }
no-point-samples = it has no counted samples
no-point-page-cache = it uses the page cache
no-point-neighbours = it has neighbours
no-point-trace = it replays a trace
no-point-block-sizes = it has several block sizes
no-point-sync = it opens files with `sync`
no-point-fdatasync = it calls `fdatasync`
no-point-rate = its rate is limited
no-point-think-time = it pauses after each I/O
no-point-offsets = its offsets are not uniform
calibrate-warning = warning:
calibrate-next = Next:
calibrate-spread = { $wide ->
    [one] { $wide_text } of { $points } points varies by more than ± { $limit } or has too few samples
   *[other] { $wide_text } of { $points } points vary by more than ± { $limit } or have too few samples
  }; the worst is { $load } with ± { $half }. Profiles made from them are as uncertain
calibrate-next-measurement = Of the loads that { $question ->
    [arrays] arrays of this disk
   *[study] the study's arrays
  } put on one disk, `{ $load }` at depth { $depth } is known worst: measuring it on `{ $profile }` alone would narrow { $cells ->
    [one] one prediction
   *[other] { $cells_text } predictions
  } most.
calibrate-spread-no-interval = { $wide ->
    [one] { $wide_text } of { $points } points varies by more than ± { $limit } or has too few samples
   *[other] { $wide_text } of { $points } points vary by more than ± { $limit } or have too few samples
  }; the worst is { $load } with { $samples ->
    [one] { $samples_text } sample
   *[other] { $samples_text } samples
  } and no interval. Profiles made from them are as uncertain

# The plan of a study.
plan-layers = layers
plan-cell = cell
plan-in-all-cells = in all cells
plan-trace = trace
plan-trace-kept = { $file }: { $reads ->
    [one] { $reads_text } read
   *[other] { $reads_text } reads
  }, { $writes ->
    [one] { $writes_text } write
   *[other] { $writes_text } writes
  } and { $flushes ->
    [one] { $flushes_text } flush
   *[other] { $flushes_text } flushes
  } in { $time }, on { $size }; { $left_out ->
    [one] { $left_out_text } record left out
   *[other] { $left_out_text } records left out
  }
plan-trace-flat-out = { $file }: { $reads ->
    [one] { $reads_text } read
   *[other] { $reads_text } reads
  }, { $writes ->
    [one] { $writes_text } write
   *[other] { $writes_text } writes
  } and { $flushes ->
    [one] { $flushes_text } flush
   *[other] { $flushes_text } flushes
  } as fast as possible, on { $size }; { $left_out ->
    [one] { $left_out_text } record left out
   *[other] { $left_out_text } records left out
  }
plan-compared = compared
plan-compared-with = { $metric } of { $count ->
    [one] { $count_text } cell
   *[other] { $count_text } cells
  } with { $baseline }
plan-compared-nothing = nothing: `[compare]` names no baseline
plan-samples = samples
plan-samples-of = { $least } to { $most } of { $time } for { $count ->
    [one] { $count_text } cell
   *[other] each of { $count_text } cells
  } after a warm-up, until the interval is within ±{ $interval }
plan-time = time
plan-time-range = { $least } to { $most } (budget { $budget })
plan-time-about = about { $least } (budget { $budget })
plan-time-short = { $budget }, the budget; the fewest samples of all cells would take { $least }
plan-lab-time = time in the lab
plan-worlds = worlds
plan-model = model: yes, in seconds (`--world model`)
plan-model-not = model: no: { $why }
plan-lab = lab: yes, on modelled disks (`--world lab`)
plan-lab-not = lab: no: { $why }
plan-metal = metal: yes, on the devices under `[may_destroy]`
plan-metal-here = metal: yes, in `{ $target }`
plan-metal-not = metal: not yet: { $why }
plan-why-no-devices = stack `{ $stack }` names no devices, so there is nothing to simulate
plan-why-not-listed = stack `{ $stack }` names devices, but `[may_destroy]` lists no block devices for them
plan-why-no-guest = no guest is prepared: run { $commands }
plan-why-no-guest-with = no guest with kernel { $kernels } is prepared: run { $commands }{ $source ->
    [any] , with `--suite NAME` for a kernel that this machine's package sources lack
    [path] {" "}with the PATH of what the guest was made from
   *[named] {""}
  }
plan-why-no-tools = the lab's guest has no tools for the filesystem `{ $kind }`
plan-why-one-frequency = the processor of the lab's guest runs at one frequency: it has no `governor`, no `energy_preference` and no `turbo`
plan-why-no-c-states = the processor of the lab's guest has no C-states for `cpu_dma_latency_us` to limit
plan-touches = touches
plan-touches-nothing = nothing
plan-touches-devices = destroys all data on { $devices }, after you confirm each
plan-touches-files = { $count ->
    [one] { $count_text } file
   *[other] { $count_text } files
  } ({ $size }) in a new directory under `--target`, removed at the end

# The storage stack of a machine.
predict-title = Prediction
why-title = What limits it, and what would change it

## What several predictions decide.

predict-choice-one = { $load }: { $best } gives the most{ $doubt }; { $next }, with { $less } less.
predict-choice-one-ahead = { $load }: { $best } is ahead{ $doubt }; { $next }, with { $less } less.
predict-choice-several = { $load }: { $best } give the most{ $doubt }, and are the same within { $margin }{ $same }; { $next }, with { $less } less.
predict-choice-several-ahead = { $load }: { $best } are ahead{ $doubt }, and are the same within { $margin }{ $same }; { $next }, with { $less } less.
predict-choice-next = { $next } is next
predict-choice-next-several = { $next } are next and the same within { $margin }
predict-choice-unsettled = { $sentence } This order can change: the simulation of { $stacks } ended before the long run. `--state fresh` shows how new devices begin.
predict-choice-own-rate = { $load }: the load's own rate decides, and all of them keep up with it: they are the same.
predict-choice-same = { $load }: all of them are the same within { $margin }{ $same }.
predict-choice-loads = On average over { $loads } loads

## What to build: `advise`.

advise-title = What to build
advise-build = Build { $design }.
advise-none = None of these designs meets what is required: { $requirements }.
advise-unsure = This is not certain: { $short } of { $all } predictions below ended at the effort limit of a simulation, before the long run.
advise-gives = It gives { $results }.
advise-gives-load = { $value } of { $load }{ $state ->
    [fresh] { " (fresh devices)" }
    [beside] { " (steady devices)" }
   *[steady] { "" }
  }
advise-lasts = At this volume its devices reach their rated writes after { $years }.
advise-lasts-unasked = How long its devices last depends on what is written in a day: `--writes-per-day 50G` says it.
advise-gives-about = It gives about { $value }, on average over the loads.
advise-stopped = Stopped early, so this is the best so far. Not looked at: { $parts }.
advise-unseen-designs = { $unseen } of { $designs_text } designs
advise-unseen-requirements = what takes a simulation beside the rate, such as `commit_p99`, `years` and `rebuild`
advise-unseen-others = what other designs give, as precisely as in a table
advise-unseen-effort = what a move from the present array takes
advise-unseen-protected = what drives with power-loss protection would change
advise-unseen-front = what each design keeps and costs
advise-unseen-varied = loads that are a little different
advise-brief = `--front` also shows what each design keeps and costs (commits, one device missing, a rebuild, the chance of a loss), and whether the choice holds for loads that are a little different.
advise-survives-none = It loses all data with the first device that fails; `--require survive=1` asks for one that does not.
advise-alone = No other design is the same within { $margin }.
advise-any-chunk = The chunk does not matter here: all from { $least } to { $most } are the same within { $margin }.
advise-same = { $count ->
    [one] This design is
   *[other] These designs are
  } the same within { $margin }: { $designs }{ $more ->
    [zero] { "" }
   *[other] { " " }and { $more_text } more
  }.
advise-fresh = So it is on steady devices. On fresh ones, { $gives }.
advise-simplest-default = Of equals take the simplest: nothing in this one differs from what mdadm does by default.
advise-simplest = Of equals take the simplest: this one has the fewest special parts ({ $parts }).
advise-most-space = Of equals, this one holds the most data.
advise-special-parity = parity, so small writes read first
advise-special-survived = { $failures ->
    [one] one more failure survived than required
   *[other] { $failures_text } more failures survived than required
  }
advise-special-layout = another layout than mdadm’s
advise-special-chunk = another chunk than mdadm’s
advise-special-bitmap = another bitmap than mdadm’s
advise-nearest = The nearest is { $design }: { $misses }. Give up the least important requirement, or add devices.
advise-misses-survive = it survives { $value } failed devices, not { $limit }
advise-misses-capacity = it holds { $value }, not { $limit }
advise-misses-commit = 99 % of its commits take up to { $value }, not { $limit }
advise-misses-years = it lasts { $value }, not { $limit }
advise-misses-rebuild = a rebuild takes { $value }, not { $limit }
advise-misses-price = its devices cost { $value }, not { $limit }
advise-misses-unknown = whether it meets `{ $requirement }` is unknown, which counts as no
advise-years = { $years } years
advise-robust = If the loads are a little different (blocks and depth halved and doubled, 20 of 100 I/Os turned from writes to reads and back), it stays within { $margin } of the best in { $within } of { $all ->
    [one] 1 case
   *[other] { $all_text } cases
  }.
advise-would-change = With { $variation }, { $design } gives { $more } more.
advise-vary-half-blocks = blocks of half the size
advise-vary-double-blocks = blocks of twice the size
advise-vary-half-depth = half the depth
advise-vary-double-depth = twice the depth
advise-vary-more-reads = 20 more reads in 100 I/Os
advise-vary-more-writes = 20 more writes in 100 I/Os
advise-protected = With power-loss protection in the same drives, commits become { $times } times as fast, which no level gives.
advise-other = { $gives }.
advise-other-less = { $design } gives { $less } less
advise-other-more = { $design } gives { $more } more
advise-other-same = { $design } gives as much
advise-usual-is-it = It is also what is usually advised: RAID 10 with mdadm’s defaults.
advise-usual-same = What is usually advised, { $design }, is the same within { $margin }.
advise-usual-gives = What is usually advised: { $gives }.
advise-usual-refused = What is usually advised, { $design }, does not do what is required.
advise-without-redundancy = { $design } would give { $times } times as much, and loses all data with the first device that fails.
advise-require-survive = { $devices ->
    [zero] no device has to be allowed to fail
    [one] any { $devices_text } device may fail
   *[other] any { $devices_text } devices may fail
  }
advise-require-capacity = at least { $size } of data
advise-require-commit = 99 % of the commits durable within { $limit }
advise-require-years = at least { $limit } until the rated writes
advise-require-rebuild = a rebuild within { $limit }
advise-require-price = at most { $limit } for all devices
advise-required = Required: { $requirements }.
advise-required-and-assumed = Required: { $requirements }. Assumed, as nothing says how many devices may fail: { $assumed }. `--require survive=0` does without.
advise-assumed = Nothing is required, so this is assumed: any 1 device may fail. Two answers matter most: how many devices may fail at once (`--require survive=2`), and how much data it must hold (`--require "capacity>=900G"`).
advise-own-stay = Stay with { $array }, { $own }: nothing that was searched is surely better by more than { $margin }.
advise-own-move = Build { $design } instead of { $array }, { $own }.
advise-own-measure = Perhaps build { $design } instead of { $array }, { $own }, but measure first.
advise-own-more = It gives { $more } more than { $array }: what takes an hour now takes { $minutes } minutes then, if the disks are all that it waits for.
advise-own-more-between = It gives { $more } more than { $array } ({ $low } to { $high }, by the simulations): what takes an hour now takes { $minutes } minutes then, if the disks are all that it waits for.
advise-own-less = It gives { $less } less than { $array }: the move is for what is required, not for speed.
advise-own-sure = That it is faster is beyond doubt in the model: an error of the profile moves both. If nobody waits for these loads, stay: speed is all that the move gives.
advise-own-doubt = That it is faster is not beyond doubt: how far the drives are from profile `{ $profile }` may turn the order. `--save FILE` writes a study that measures both on spare devices, or in the lab.
advise-own-misses = { $array } does not do what is required: { $misses }.
advise-own-bitmap = The move takes seconds, while the array is in use: `{ $command }`. `{ $undo }` undoes it.
advise-own-reshape = md changes the chunk in place: `{ $command }`. That rewrites all data, takes hours to days, and slows { $array } meanwhile. Make a backup first: a fault on the way can cost everything. The same with chunk { $chunk } undoes it.
advise-own-anew = The move: back up { $data } of { $array } to something else, and restore a part of it as a test. Then stop { $array }, build the new array of the same devices, and copy all back.
advise-own-data = the data
advise-own-data-known = the { $bytes } of data
advise-own-copy = To copy back takes at least { $time } at the rate at which the new array writes; from the first step to the last the data cannot be changed.
advise-own-sync = The new array syncs for about { $time } beside the loads, and is slower meanwhile.
advise-own-undo = It cannot be undone: from `mdadm --create` on the backup is all that is left of { $array }.
advise-own-unlike = { $array } is not compared, so it is not known whether the move is worth it: { $why }.
advise-own-one-disk = two of its members are on one disk, and each design has its members on disks of their own
advise-own-as = { $array } is compared as { $own }{ $searched ->
    [yes] { "" }, which is one of the designs that are searched
   *[no] { "" }, which was added to the designs that are searched
  }.
advise-own-profile = Its drives ({ $drives }) are simulated as `{ $profile }`{ $fit ->
    [model] { "" }, the profile of this model
    [beginning] { "" }, the profile of a model whose name begins so, and of the same size
    [size] { "" }, the profile of the same model in another size: space and times of rebuilds are those of that size
   *[named] { "" }, as `--devices` says
  }.
advise-own-no-model = of unknown model
advise-own-missing = { $array } lacks { $count ->
    [one] a member
   *[other] { $count_text } members
  }, and is compared with all of them. Replace what is missing before anything else: `stripewise check`.
advise-own-busy = { $array } is busy with { $action } now, and is compared without that.
advise-own-row = { $stack } ({ $array })
advise-assumed-own = Nothing is required, so what { $array } does now is assumed: { $requirements }. `--require` asks for something else, such as `--require survive=2 --require "capacity>=900G"`.
advise-nothing-required = Nothing is required.
advise-how = How to build it
advise-how-overwrites = `mdadm --create` overwrites the devices, and that cannot be undone: put the names of empty ones in their places (`ls -l /dev/disk/by-id`).
advise-step-create = Create the array; it can be used while it syncs:
advise-step-config = Keep its name over a boot, and let the initramfs know it:
advise-step-boot = Booting needs nothing more, as this array holds data only: keep the system on a device or mirror of its own.
advise-step-mkfs-ext4 = Make the filesystem; stride is a chunk, stripe_width a row of data chunks, in blocks of 4 KiB:
advise-step-mkfs-xfs = Make the filesystem; su is a chunk, sw the number of data chunks in a row:
advise-step-mkfs = Make the filesystem:
advise-step-mount = Mount it at each boot; nofail lets the system start without it:
advise-step-trim = Trim free space once a week, so that the SSDs stay fast:
advise-step-mail = Get a mail when a device fails (with a mail system that delivers it):
advise-step-scrub = Compare all copies once a month; Debian’s timer does, if it is on:
advise-later = Later
advise-later-replace = Replace a device before it fails, without losing redundancy:
advise-later-failed = Replace a device that has failed:
advise-later-grow = Grow it by a device; the reshape takes hours to days, and needs a backup first:
advise-later-grow-mirror = Grow it: replace each device by a larger one, one after the other, and then:
advise-later-no-grow = It cannot be grown by a device: md reshapes no RAID 10 with far copies, so a larger one is built anew.
advise-later-fs = Then grow the filesystem:
advise-later-backup = Redundancy is no backup: deleted and damaged data is gone on all devices. Back up to something else, and restore from it once as a test.
advise-later-undo = What cannot be undone: `--create` and `mkfs` erase what was there; level, layout and chunk are changed only by a reshape or by building anew; XFS does not shrink.
advise-front = What each design keeps and costs
advise-front-says = "speed" is that of the loads, in percent of the fastest that does what is required; "degraded" is what is left of its own with one device missing; "commit p99" is the time within which 99 % of the commits are durable (of one writer of 4 KiB if no load commits); "rebuild" is beside the loads; "data lost" is the chance in 5 years.
advise-front-caption = Speed of the loads against space for data: nothing that is better in both lies above and to the right
advise-front-years = Speed of the loads against the years until the rated writes: nothing that is better in both lies above and to the right
advise-front-others = other designs
advise-axis-speed = speed of the loads, in percent of the advised design’s
advise-axis-years = years until the rated writes
advise-axis-p99 = time within which 99 % of the I/Os are done
advise-axis-load = throughput of { $load }
advise-opened-best = This is the one to build.
advise-opened-same = It is the same as the advised one within the tolerance.
advise-opened-refused = It does not do what is required: { $misses }.
advise-column-speed = speed
advise-column-degraded = degraded
advise-column-survives = survives
advise-column-holds = holds
advise-column-commit = commit p99
advise-column-price = price
advise-column-roles = who says so
advise-name-speed = speed of the loads, in percent of the fastest that does what is required
advise-name-degraded = speed with one device missing, in percent of the whole
advise-name-survives = devices that may fail, whichever they are
advise-name-holds = space for data
advise-name-commit = time within which 99 % of the commits are durable
advise-name-price = price of all devices
advise-role-advised = advised
advise-role-usual = usual
advise-role-calculated = calculators
advise-role-own = now
advise-role-without-redundancy = no redundancy
advise-counts = { $designs ->
    [one] { $designs_text } design was
   *[other] { $designs_text } designs were
  } considered: { $refused } refused ({ $by }), { $bounded } ruled out by bounds, { $coarse } simulated coarsely only, { $precise } as precisely as the table.
advise-counts-all = { $designs ->
    [one] { $designs_text } design was
   *[other] { $designs_text } designs were
  } considered: none refused, { $bounded } ruled out by bounds, { $coarse } simulated coarsely only, { $precise } as precisely as the table.
advise-refused-by = { $count } by { $requirement }
advise-not-searched = Not considered, as the model has none: several arrays on slices of the same disks, PPL, journals and further threads of RAID 5. Not considered, as each multiplies the designs: fewer members than devices, LVM, ZFS, btrfs, the stripe cache, schedulers, read-ahead; `stripewise predict` and studies can ask about each. Bitmaps, filesystems and spares only as asked (`--bitmap`, `--filesystem`, `--spares`).
