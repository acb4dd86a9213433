## Remarks, questions and progress of the commands.

label-warning = warning:
label-hint = hint: { $hint }

## Progress.

progress-samples = samples
progress-simulating = simulating
progress-capturing = capturing
progress-reading-trace = reading the trace
progress-left = { $time } left
progress-preparing = { $cell }: writing test files
progress-warm-up = { $cell } (warm-up)
progress-host = { $host }: { $state ->
    [preparing] getting ready
    [waiting] ready, waits for the others
    [loading] load runs
    [ending] ends its load
    [lost] lost: { $why }
   *[done] done
  }{ $has_left ->
    [true] , { $left } left
   *[false] { "" }
  }
progress-hosts-more = { $more ->
    [one] one more host
   *[other] { $more_text } more hosts
  }
progress-fitting-device = fitting device `{ $device }`
progress-fitting-host = fitting the host: { $tried } attempts
progress-fitting-errors = computing the errors of the profiles
progress-fitting-of = { $step }, { $done } of { $total }
progress-fitting-error = { $step }, mean error { $error }

## The screen of a run under way.

live-screen-title = Measuring
live-screen-samples = { $taken } of { $all } samples
live-screen-estimate = estimate
live-screen-interval = interval (target ┊ ┊)
live-screen-more = { $more ->
    [one] one more cell
   *[other] { $more_text } more cells
  }; { $done } of { $all } are done
live-screen-narrow = done
live-screen-most = most samples
live-screen-unsteady = not steady
live-screen-invalid = none counts
live-screen-open = { $counted } so far
live-screen-time = { $elapsed }
live-screen-time-of = { $elapsed } of { $of }
live-screen-disks = counted by the kernel on { $disks }
live-screen-foot = Ctrl-C ends the run; `{ $command }` continues it

## `run` and `resume`.

run-cut-preparing = the budget of { $budget } ended before cell { $number } ({ $cell }) was prepared
run-cut-measuring = the budget of { $budget } ended while cell { $number } ({ $cell }) was measured; its unfinished sample was cancelled
run-repeat-unused = { $count ->
    [one] the key { $keys } of `[repeat]` applies
   *[other] the keys { $keys } of `[repeat]` apply
  } only in the metal and lab worlds: the model simulates each cell { $least } to { $most } times, until its interval is within ± { $half_width }
run-no-cache = simulations are not kept for later runs: { $why }
run-other-kernel = the study asks for kernel { $asked }; the guest runs { $runs }
run-other-kernel-here = the study asks for kernel { $asked }; this machine runs { $runs }, which is measured
run-continues = run { $run } is continued, which this command began
resume-program-changed = The files of the run's program have changed since you confirmed them.
resume-done = run { $run } is already done: nothing was measured
resume-machine-changed = the machine has changed: { $changes }
resume-fact-changed = { $fact } (was `{ $before }`, is `{ $now }`)

## Facts that have changed.


## The confirmation of devices.

confirm-programs = These programs and files will run or be read, as an unprivileged user without network, in a sandbox that sees the stack and system directories alone:
confirm-program-file = { $sha256 }, { $bytes } bytes
confirm-program-type = Type { $name } to run it:
confirm-devices = Everything on these devices will be destroyed:
confirm-type = Type { $name } to destroy everything on it:
confirm-partition = { $name }, partition { $number } of disk { $disk }
confirm-serial = serial { $serial }
confirm-file = file { $file }
confirm-size = { $size } ({ $bytes } bytes)
confirm-found-nothing = found on it: { $marker ->
    [ours] the marker of an earlier run
   *[none] no signature
  }, and no data in { $places } places
confirm-found-data = found on it: { $marker ->
    [ours] the marker of an earlier run
   *[none] no signature
  }, but data in { $with_data } of { $places } places that were read

## The store: `runs`, `rename`, `delete`, `push`, `pull`, `pages`, `store`.

list-no-runs = the store holds no run yet: start one with `stripewise run STUDY`
list-none-tagged = no run has the { $count ->
    [one] tag
   *[other] tags
  } { $tags }
report-title = Report of { $count ->
    [one] run
   *[other] runs
  } { $runs }
rename-title = A new name
rename-done = run { $run } is `{ $name }`
rename-done-tags = run { $run } is `{ $name }`, tags { $tags }
copy-title = Copied runs
copy-added = run { $run } is run { $copy } there, with { $samples ->
    [one] 1 sample
   *[other] { $samples_text } samples
  }
copy-continued = run { $run } was there as run { $copy }, which got { $samples ->
    [0] its last state
    [one] 1 more sample
   *[other] { $samples_text } more samples
  }
copy-already-there = run { $run } is there already, as run { $copy }
pages-title = Pages of a store
pages-done = { $pages ->
    [one] 1 page
   *[other] { $pages_text } pages
  } in { $directory }: { $written_text } written, { $removed_text } removed
store-roles-title = The roles of a store
store-roles-done = the roles `stripewise_reader`, `stripewise_writer` and `stripewise_owner` have their rights
store-migrate-title = The tables of a store
store-migrate-done = the tables have version { $after }, before { $before }
store-migrate-nothing = the tables have version { $after }: there is nothing to do
delete-type-yes = Type yes to delete { $count ->
    [one] this run
   *[other] these { $count_text } runs
  } permanently:
delete-title = Deleted runs
delete-done = deleted { $count ->
    [one] run
   *[other] runs
  } { $runs }
delete-leftovers = run { $run } left { $count ->
    [one] a change on this machine: `{ $command }` undoes it
   *[other] { $count_text } changes on this machine: `{ $command }` undoes them
  }

## `profiles`, `workloads` and `serve`.

profiles-shipped = { $kind ->
    [device] device profile
   *[host] host profile
  } `{ $name }`, shipped as { $file }:
profiles-from = { $kind ->
    [device] device profile
   *[host] host profile
  } `{ $name }`, from { $file }:
workloads-shipped = workload `{ $name }`, shipped as { $file }:
workloads-use = a study takes it with `from = "{ $name }"` in `[workload.NAME]`; keys beside it override its own
study-job-title = A job file as a study
study-job-changes = warning: no study says `{ $option }`{ $jobs }: { $why }
study-job-own-way = left out: `{ $option }`{ $jobs }: { $why }
study-job-note = note: { $why }{ $jobs }
study-job-of = { " " }of { $jobs }
study-job-why-length = a sample takes as long as `sample` in `[repeat]` says
study-job-why-seed = each sample has a seed of its own
study-job-why-record = every sample records counts, latencies and a series
study-job-why-files = test files are written before the first sample, one for each job
study-job-why-warm-up = the first sample of each cell warms it up, and does not count
study-job-why-buffers = `data` says what the buffers hold
study-job-why-verified = `verify` reads all written blocks back after a sample
study-job-why-fails = a sample with an error does not count
study-job-why-together = jobs of a group run together, each job is a thread, and alike ones are counted together
study-job-why-place = `--target DIR` names the directory
study-job-why-names = a name changes no load
study-job-why-pattern = a study has reads and writes only
study-job-why-no-number = it is no number
study-job-why-one-in-flight = `{ $engine }` keeps one I/O in flight, as here
study-job-why-size = fio takes the size of the file or device; here it is { $size }
study-job-why-verifies = a study verifies writes of one block size with incompressible data only
study-job-why-idle = it has no effect on `{ $pattern }`
study-job-why-draws-anyway = loads of several block sizes and skewed ones draw so anyway
study-job-why-other-size = fio takes `{ $option }` instead
study-job-why-inexact = no key says it exactly; here it is { $taken }
study-job-why-no-key = no key of a study says it
study-job-why-own-buffers = fio's own buffers compress about { $ratio } times, and so do those of the study
study-job-why-device = it is a device: the study measures the filesystem under `--target DIR`; devices to overwrite stand under `[may_destroy]`
study-job-why-one-file = here each job has one file
study-job-why-shared = jobs share the file; here each job has its own
study-job-why-cpus = `cpus` in `[conditions]` holds for all loads, and the jobs differ
studies-use = every command that takes a study takes these by name: `stripewise run NAME`; `stripewise studies NAME` prints one
serve-title = The address of the page
serve-stop = press Ctrl-C to stop
serve-not-opened = failed to open a browser: { $error }; open the address above

## `compare` and `calibrate`.

compare-uncompared = { $cell }: { $why }
compare-samples = { $before } and { $after } counted samples have a value for { $metric }
compare-zero = { $metric } is 0 { $where }, and a ratio needs two numbers above 0
compare-in-run = in run { $run }
compare-in-baseline = in the baseline
compare-in-cell = in this cell
compare-in-both = on both sides
compare-only-in-run = only in run { $run }
compare-undecided = of { $count ->
    [one] one cell it cannot be told whether it is
   *[other] { $count_text } cells it cannot be told whether they are
  } worse by more than { $limit }: more samples narrow an interval, and a cell of one run only has nothing to compare with
compare-spreads = { $cell }: { $spreads }
compare-spread = { $percent } over { $means ->
    [one] { $means_text } mean
   *[other] { $means_text } means
  } in run { $run }
compare-more-cells = and { $count ->
    [one] { $count_text } more cell
   *[other] { $count_text } more cells
  }
calibrate-on-disks = `{ $path }` is on { $count } disks ({ $disks }); profile `{ $profile }` describes all of them together
calibrate-filesystem-unknown = the model does not know { $filesystem }: profile `{ $profile }` includes its overhead
calibrate-contradiction = `{ $pattern }` of { $block } on `{ $stack }`: equal numbers of I/Os in flight ({ $in_flight }) gave rates that differ by up to { $percent }, depending on the number of jobs; the profile has their mean
calibrate-adapter = { $devices } have the same dip at { $in_flight } I/Os in flight: adapter `{ $adapter }` holds completions back, by { $least } to { $most }; the host profile has it
calibrate-adapter-unclear = `{ $devices }` is slower at { $in_flight } I/Os in flight than a disk alone would be, by { $least } to { $most }: either an adapter that holds completions back, which all its disks share, or the disk itself; one disk cannot tell, so predictions of arrays at few I/Os in flight may be wrong by as much. Measure another disk behind the same adapter at the same depths

## `restore`.

restore-title = What was undone
restore-removed = removed unfinished `{ $path }`
restore-in-use = run { $run }: not touched, as it belongs to process { $process }
restore-in-use-elsewhere = run { $run }: not touched, as it belongs to process { $process } of another container, which is not visible from here
restore-instance-removed = removed tracing instance `{ $path }` of a killed capture
restore-instance-stays = failed to remove tracing instance `{ $path }` of a killed capture: { $error }
restore-instance-elsewhere = not touched: tracing instance `{ $path }`, as it belongs to process { $process } of another container, which is not visible from here; if no capture runs there, `rmdir` removes it
restore-nothing = nothing was left behind
restore-nothing-of-run = run { $run } left nothing behind
restore-forgotten = run { $run }: record dropped: { $change }
restore-failed = failed: { $error }
restore-elsewhere = run { $run }: { $count ->
    [one] a change was kept, as it was made
   *[other] { $count_text } changes were kept, as they were made
  } on another machine, `{ $machine }`: run `stripewise restore` there
restore-elsewhere-unnamed = run { $run }: { $count ->
    [one] a change was kept, as it was made
   *[other] { $count_text } changes were kept, as they were made
  } on another machine without a name: run `stripewise restore` there
restore-done = run { $run }: { $done }
restore-already = run { $run }: nothing to undo: { $change }
restore-untouched = run { $run }: not touched: { $why }
restore-kept = run { $run }: kept: { $change }: { $why }
restore-why-both = { $first }; { $next }
restore-why-layer-above = a layer above it is not undone
restore-why-absent = `{ $device }` does not exist
restore-why-no-block-device = `{ $device }` no longer leads to a block device below `/dev`
restore-why-other-device = `{ $device }` is no longer the device that the run used
restore-why-not-held = `{ $device }` is not a device that the run claimed and still holds
restore-why-carries = `{ $device }` carries { $found }, which the run did not make
restore-why-no-token = the journal has no token for `{ $device }`
restore-why-never-directory = the journal names a directory `{ $path }`, which Stripewise never makes
restore-why-never-file = the journal names a file `{ $file }`, which Stripewise never makes
restore-why-never-array = the journal names an array `{ $name }`, which Stripewise never makes
restore-why-never-array-uuid = the journal names an array with UUID { $name }, which Stripewise never makes
restore-why-never-volume = the journal names a volume `{ $name }`, which Stripewise never makes
restore-why-never-group = the journal names a group of devices `{ $name }`, which Stripewise never makes
restore-why-never-filesystem = the journal names a filesystem { $name }, which Stripewise never makes
restore-why-host = { $error }
restore-why-modes-denied = { $count ->
    [one] one file belongs
   *[other] { $count_text } files belong
  } to another user: { $files }
restore-why-modes-foreign = { $count ->
    [one] another program has replaced or changed one file since
   *[other] other programs have replaced or changed { $count_text } files since
  }: { $files }; all others are restored
restore-why-never-mount = the journal names a mount `{ $name }`, which Stripewise never makes
restore-why-other-directory = `{ $path }` is not the directory that the run made
restore-why-foreign-files = it holds { $files }, which the run did not make; move them elsewhere, then run `stripewise restore`; the run's own files are removed already
restore-why-not-mounted = the { $kind } filesystem of `{ $source }` is not mounted: mount it at `{ $place }`, then run `stripewise restore`
restore-why-not-mounted-uuid = the { $kind } filesystem of `{ $source }` with UUID { $uuid } is not mounted: mount it at `{ $place }`, then run `stripewise restore`
restore-why-mounts-unread = it is unknown what is mounted where ({ $missing }), so its directory cannot be found; mount /proc, then run `stripewise restore`
restore-why-parent-replaced = `{ $path }` is not the directory that the run used: it was renamed, replaced or deleted; put it back, then run `stripewise restore`
restore-why-no-setting = `{ $path }` is no setting that Stripewise changes
restore-why-setting-gone = `{ $path }` no longer exists
restore-why-changed-since = `{ $path }` is `{ $now }`: another program has set it since the run set it to `{ $after }`
restore-why-disk-unsure = `{ $path }` may belong to another disk than the one that the run set from `{ $before }` to `{ $after }`
restore-why-other-disk = `{ $path }` now belongs to another disk
restore-why-no-disk = no disk with the serial number `{ $serial }` is present
restore-why-several-disks = the serial number `{ $serial }` belongs to { $disks }
restore-why-cache-fixed = the write cache of `{ $disk }` cannot be set now
signature = `{ $kind }`
signature-label = `{ $kind }` with the label `{ $label }`
signature-magic = the magic number of `{ $kind }` at byte { $offset }
signature-magic-of = the magic number of `{ $kind }` ({ $which }) at byte { $offset }
restore-setting = `{ $path }`
restore-setting-of-disk = `{ $path }` of disk `{ $disk }`
restore-made-directory = directory `{ $path }`
restore-made-marker = marker on `{ $path }`
restore-made-setting = { $setting } set to `{ $value }`
restore-made-array = array `{ $device }` of { $members }
restore-made-container = container `{ $device }` of { $members }
restore-made-volume-group = volume group `{ $name }` of { $devices }
restore-made-filesystem = filesystem { $identity } on { $devices }
restore-made-pool = pool `{ $name }` on { $devices }
restore-made-mount = mount `{ $path }`
restore-made-host = its folder on host { $host }
restore-made-modes = { $count ->
    [one] the mode of one file
   *[other] the modes of { $count_text } files
  } in `{ $path }`
restore-undone-directory = removed `{ $path }`
restore-undone-marker = released `{ $path }`, without any signature
restore-undone-setting = restored { $setting } to `{ $value }`
restore-undone-array = removed array `{ $device }`: nothing of it is left on { $members }
restore-undone-container = removed container `{ $device }` with its volumes: nothing of it is left on { $members }
restore-undone-volume-group = removed volume group `{ $name }`: nothing of it is left on { $devices }
restore-undone-filesystem = wiped filesystem { $identity }: nothing of it is left on { $devices }
restore-undone-pool = destroyed pool `{ $name }`: nothing of it is left on { $devices }
restore-undone-mount = unmounted `{ $path }`
restore-undone-host = restored host { $host }
restore-undone-modes = { $count ->
    [one] restored the mode of one file
   *[other] restored the modes of { $count_text } files
  } in `{ $path }`

## The lab.

cuts-no-model = no throughput and no prediction: the model cannot simulate this study: { $why }
cuts-not-simulated = the model simulates { $known } of { $cells } cells, and not stack `{ $stack }`: { $why }
lab-clock = lab: kernel { $kernel }, { $clock ->
    [virtual] virtual time (one instruction takes 1 ns, independent of this machine's load)
    [kvm] kvm time (this machine's own)
   *[wall] wall time (emulated, so its times mean nothing)
  }
lab-real-time = lab: real time: { $time }
lab-time-is = { $time }; { $basis }
lab-time-measured = each second in the guest took { $pace } in the latest { $samples ->
    [one] { $samples_text } sample
   *[other] { $samples_text } samples
  } on this machine
lab-time-assumed = assumed are { $pace } for each second in the guest, because no sample was taken on this machine yet
lab-booting = starting the guest
lab-on-existing = lab: an existing filesystem is on a disk with zero service time, so this measures the guest's CPU
lab-memory-short = lab: if its disks fill up, the guest needs { $needed } of memory, but it gets { $given }; raise it with `--memory`
lab-memory-much = lab: { $guests ->
    [one] the guest
   *[other] the { $guests } guests, one for each kernel,
  } may use { $given } of memory, but this machine has { $available } free; lower it with `--memory`
lab-tools-differ = lab: the guests have different versions of { $tool } ({ $versions }), so kernels are not all that differs; `stripewise lab prepare --tools SUITE` gives each the same
lab-prepared = guest { $kernel } is prepared: { $directory }
lab-already-prepared = guest { $kernel } is prepared already: { $directory }
lab-step-look = looking at the cache and the package sources
lab-step-wait = waiting for another `prepare` to finish
lab-step-lists = downloading the lists of packages
lab-step-kernel = downloading kernel { $release }
lab-step-tools = downloading the guest's tools
lab-step-unpack = unpacking package { $number } of { $all }
lab-step-compiler = downloading { $name } for the kernel's module
lab-step-module = building the disk module
lab-step-zfs = building ZFS { $version }, once for this kernel: about six minutes of two cores
lab-step-libraries = stubbing out fio's network libraries
lab-step-images = writing the guest's images
lab-step-remove = interrupted: deleting what is unfinished, which can take some seconds; a second Ctrl-C leaves it to the next `lab prepare`
lab-shell-built = stack `{ $stack }` is built
lab-shell-not-built = stack `{ $stack }` is not built: { $error }
lab-shell-end = `exit`, Ctrl-D or, if the guest hangs, Ctrl-] ends the shell; the guest and everything in it is then discarded
doctor-processor = processor
doctor-space = disk space
doctor-memory = memory
doctor-run-clock = clock of runs
doctor-shell-clock = clock of shells
doctor-cache = cache
doctor-guest = prepared guest
doctor-install = Install what is missing:
doctor-kvm-works = works
doctor-kvm-fails = cannot be used: { $why }
kvm-not-opened = `/dev/kvm` cannot be opened: { $detail }
kvm-no-qemu = `{ $detail }` is not installed
kvm-no-machine = QEMU cannot create a machine with it: { $detail }
kvm-no-boot = a guest's kernel did not start in it within { $detail } s
kvm-qemu-not-started = QEMU cannot be started: { $detail }
doctor-run-clock-is = { $clock }: independent of this machine's load
doctor-shell-clock-is = { $clock }: { $kvm ->
    [works] KVM works
   *[fails] KVM cannot be used
  }
doctor-guest-is = { $kernel } ({ $size }){ $source ->
    [own] {""}
   *[named] {" "}made from `{ $made_from }`
  }, { $state ->
    [damaged] DAMAGED: `{ $file }` is missing or has changed; run `{ $command }` again, or delete the guest's directory
    [outdated] made by another version: run `{ $command }` again
    [default] used by default
   *[named] used with `--kernel`
  }
doctor-guest-none = none yet: `{ $command }` makes one
doctor-zfs-is = { $version } for { $kernel }, built in { $time }
doctor-database-is = { $version } in the guest with { $kernel }
doctor-database-none = in no guest: `{ $command }` adds it
doctor-zfs-none = in no guest: `{ $command }` builds it, which takes about six minutes of two cores
doctor-needs-part = { $part ->
    [kernel] its kernel
    [compiler] its compiler
   *[tools] its tools
  }
doctor-needs-packages = { $named ->
    [yes] { $what }:{" "}
   *[no] {""}
  }{ $packages } { $packages ->
    [one] package
   *[other] packages
  }, { $left } to download
doctor-needs-own = { $what }, this machine's
doctor-needs-place = { $what }, in `{ $place }`
doctor-needs-missing = MISSING: { $problem }
doctor-needs-guest = its guest
doctor-needs-prepared = prepared
doctor-needs-command = not prepared yet: `{ $command }` makes it
doctor-needs-not = cannot be prepared: parts are missing
doctor-installed = installed
doctor-missing = MISSING: { $purpose }; package `{ $package }`
doctor-optional = not installed: { $purpose }; package `{ $package }`
doctor-purpose = { $program ->
    [qemu-system-x86_64] runs the guest
    [apt-get] downloads packages
    [apt-cache] looks up packages
    [dpkg-deb] opens packages
    [tar] unpacks packages
    [make] builds the disk module
    [gcc] compiles the disk module
    [readelf] finds the libraries fio can do without
    [mke2fs] creates the guest's disk images
    [ldd] finds libraries for the guest
    [xz] decompresses kernel modules
    [zstd] decompresses kernel modules
    [libc-headers] builds ZFS
   *[other] { $purpose }
  }
doctor-room = { $free } free, { $needed } needed
doctor-room-short = TOO LITTLE: { $free } free, { $needed } needed
doctor-room-unknown = free: unknown, { $needed } needed

## `verify-model`.

verify-answer-title = The model against the real driver
verify-title = md of Linux { $kernel } against the model
verify-case = case { $number } { $verdict ->
    [agrees] agrees
   *[differs] differs
  }: { $title } ({ $done } of { $cases })
verify-case-because = case { $number } { $verdict ->
    [agrees] agrees
   *[differs] differs
  }: { $title }; not all counts are determined: { $reason }; { $distance } ({ $done } of { $cases })
verify-near-case = case { $number }: { $title }; { $reason }; { $distance }
verify-distance = { $pieces } of { $limit } allowed pieces from the driver
verify-distance-unlimited = { $pieces } pieces from the driver; no case like it was recorded
verify-nearest = ; at most { $share } of the limit, in case { $number }
verify-class-beyond = cases of the class { $class } are too far from the driver as a whole: median { $median } of { $median_limit } allowed, upper quartile { $quartile } of { $quartile_limit } allowed, in pieces per root
verify-column-level = level
verify-column-cases = cases
verify-column-exact = exact
verify-column-blocks = blocks
verify-column-sectors = sectors
verify-column-open = not determined
verify-column-different = different
verify-column-verdict = verdict
verify-agrees = agrees
verify-differs-word = differs
verify-because-line = { $cases } of them: { $reason }{ $nearest }
verify-row-all = all
verify-because = not determined, or only in blocks or sectors, because
verify-reasons = { $first }; and { $second }
verify-reads-choose = several I/Os are in flight, and a mirror reads the copy with the fewest pending
verify-pieces-race = one part of an I/O may complete before the next is submitted, which changes the choice of the mirror
verify-pages-shared = several writes, or pieces of one, may wait for one write of the bitmap's page
verify-stripes-shared = several I/Os meet in the stripe cache
verify-stripes-race = the stripe cache's thread and the disks are about as fast
verify-stripes-meet = blocks are equal; how many stripes share one request depends on which member is faster
verify-memory-decides = an I/O of many pages is one bio or several, depending on its place in memory
verify-differs = case { $number } differs: { $case }
verify-members = { $title } of { $members }
verify-bitmap-chunk = bitmap chunk { $chunk }
verify-failed = failed { $members }
verify-engine = { $engine } at depth { $depth }
verify-job = job { $number }: { $ios }
verify-counts = counts: reads, merges, sectors; writes, merges, sectors
verify-member = member { $place }: model { $model }, driver { $driver }
verify-latencies = mean latency compared in { $count ->
    [one] { $count_text } case
   *[other] { $count_text } cases
  }: { $apart } apart at most
verify-latency = case { $number } ({ $title }): model { $model }, driver { $driver }

## `check` and `collect`.

check-summary = { $pass_text } passed, { $fail_text } failed, { $info_text } for your information, { $not_run_text } not run because a fact is missing
check-needs-root = { $count ->
    [one] One fact needs root
   *[other] { $count_text } facts need root
  }: run it as root to judge the rules that read them.
check-write = Type { $name } to write these values:
check-written = { $count ->
    [one] Wrote one setting
   *[other] Wrote { $count_text } settings
  }. It lasts until the next reboot; `{ $command }` undoes it.
check-nothing-to-write = Nothing to do: no setting on this machine fails { $name }.
check-no-change = No fact changed, and no rule turned.
check-compare-title = What changed between two sets of facts
check-page-title = What the rules found
check-page-here = This machine
check-page-root = Facts in { $path }
check-all-rules = All { $count_text } rules
check-column-rule = rule
check-column-outcome = outcome
check-column-severity = Severity
check-column-title = if it fails
check-column-found = found
check-column-before = before
check-column-after = after
check-column-fact = fact
check-column-change = change
check-turned-rules = the rules that turned
check-changed-facts = the facts that changed
check-line = { $name }: { $text }
check-rule = { $rule }: { $title }
check-failed = fail ({ $severity }): { $rule }: { $title }
check-noted = info: { $rule }: { $title }
check-not-run-many = not run because a fact is missing: { $rules }
check-not-run-why = Which facts are missing, and why
check-not-run = not run: { $rule }
check-missing = missing: { $fact }: { $why }
check-outcome = { $outcome ->
    [fail] fail
    [info] info
    [pass] pass
   *[other] not run
  }
check-turned = { $rule } ({ $severity }): { $before } -> { $after }: { $title }
check-change = { $kind }: { $fact }
check-change-kind = { $kind ->
    [added] added
    [removed] removed
    [changed] changed
   *[unknown] unknown on one side
  }
check-change-speed = This can change the speed: `stripewise explain BEFORE AFTER --facts-before TREE --facts-after TREE` says by how much.
check-severity = { $severity ->
    [critical] critical
    [high] high
    [medium] medium
   *[low] low
  }
check-page-fix = Fix
check-page-fix-here = Fix here
check-page-more = Why, source, proof, risk, undo
check-page-why = Why
check-page-source = Source
check-page-proof = Prove it here
check-page-risk = Risk
check-page-undo = Undo
check-page-cost = What it costs { $array } under { $load }, simulated
check-page-as-it-is = as it is
check-page-no-cost = The model cannot tell the cost: { $fact }: { $why }
check-page-foot = No rule passes because a fact could not be read. This page loads nothing from a network.
collect-wrote-hosts = wrote the facts of { $hosts ->
    [one] one host
   *[other] { $hosts_text } hosts
  } of { $all } into `{ $path }`
collect-wrote = Wrote { $files_text } files and the output of { $commands_text } commands to { $path }.
collect-missing = { $count ->
    [one] One fact is missing.
   *[other] { $count_text } facts are missing.
  }
collect-needs-root = { $count ->
    [one] Root would add one of them.
   *[other] Root would add { $count_text } of them.
  }
collect-look = { $count ->
    [one] One word looks like a password or key (in { $files }): look at it before you send the result.
   *[other] { $count_text } words look like passwords or keys (in { $files }): look at them before you send the result.
  }

## `site`.

site-scan-title = What a rewrite would change
site-rewrite-title = What was rewritten
site-verify-title = What is left after the move
site-permissions-title = Who can read the files
site-database = database `{ $database }` of the configuration
site-modes = modes
site-place-column = column { $name }
site-kind-host = host
site-kind-path = path
site-head-place = place
site-head-addresses = addresses
site-head-values = values
site-head-forms = forms
site-head-sample = around the first addresses
site-head-kind = also named
site-head-name = name
site-head-times = times
site-head-checked = checked
site-head-result = result
site-head-path = path
site-head-owner = owner
site-head-mode = mode
site-head-mode_needed = needed
site-head-group_needed = group needed
site-head-class = class
site-head-reasons = reason
site-form-plain = plain
site-form-json = in JSON
site-form-json-twice = in JSON in JSON
site-form-percent = percent-encoded
site-form-percent-twice = percent-encoded twice
site-form-entity = with entities of HTML or XML
site-form-csv = in CSV
site-form-php = with escapes of PHP's S
site-form-hex = in hexadecimal digits
site-form-mixed = in several forms at once
site-form-base64 = in base64
site-form-count = { $count } { $form }
site-fault-length = a length does not fit its text
site-fault-end = it ends too early
site-fault-token = a value, a key or a count is wrong
site-fault-depth = it is nested too deep
site-fault-tangled = so many values begin in it and overlap that it was not looked at to its end
site-fault-form = the new address cannot be written in the form that the value has
site-broken = { $place }, row { $row }: this looks like serialized PHP, and PHP cannot read it: { $fault }
site-broken-address = { $place }, row { $row }: an old address stays, as this looks like serialized PHP, and PHP cannot read it: { $fault }
site-unwritable = { $place }, row { $row }: an old address stays: { $fault }
site-broken-more = { $count ->
    [one] one more value looks
   *[other] { $count_text } more values look
  } like serialized PHP that PHP cannot read
site-replaced = { $file }: replaced { $count ->
    [one] one address
   *[other] { $count_text } addresses
  } in { $values ->
    [one] one value
   *[other] { $values_text } values
  }; lengths were counted again in { $recounted ->
    [one] one serialized value
   *[other] { $recounted_text } serialized values
  }
site-would-replace = { $file }: would replace { $count ->
    [one] one address
   *[other] { $count_text } addresses
  } in { $values ->
    [one] one value
   *[other] { $values_text } values
  }, and count lengths again in { $recounted ->
    [one] one serialized value
   *[other] { $recounted_text } serialized values
  }
site-found = { $file }: { $count ->
    [one] one address
   *[other] { $count_text } addresses
  } in { $values ->
    [one] one value
   *[other] { $values_text } values
  }
site-left-base64 = { $count ->
    [one] one address is
   *[other] { $count_text } addresses are
  } packed as base64; `--base64` replaces them
site-left-keys = { $count ->
    [one] one key holds
   *[other] { $count_text } keys hold
  } an old address; `--keys` replaces them
site-left-broken = { $count ->
    [one] one value was broken before: PHP cannot read it. It stays as it is
   *[other] { $count_text } values were broken before: PHP cannot read them. They stay as they are
  }; see above for where and why. Save the setting again on the old site and dump it again. `--broken` replaces addresses there as in any text, and mends no length
site-replaced-broken = { $count ->
    [one] one value was broken before: PHP cannot read it
   *[other] { $count_text } values were broken before: PHP cannot read them
  }, and still cannot. As `--broken` asks, addresses in it were replaced as in any text, without a new length
site-left-stuck = in { $count ->
    [one] one value an old address stays
   *[other] { $count_text } values an old address stays
  }, as it cannot be replaced safely: the exit code is 1
site-one-slash = `{ $from }` and `{ $to }`: only one of them ends with a slash
site-no-address = `{ $from }` is no address and no path, so it is found only where a name begins and ends; `--literal` finds it everywhere
site-verified = { $count ->
    [one] one old address is
   *[other] { $count_text } old addresses are
  } left; { $serialized } serialized values checked, { $broken } of them cannot be read
site-file-unlooked = { $path }: not looked at: { $reason }
site-file-unlooked-more = { $count ->
    [one] and one more file that was not looked at
   *[other] and { $count_text } more files that were not looked at
  }
site-unlooked-unreadable = it cannot be read: { $detail }
site-unlooked-directory = it is a directory that cannot be read, so nothing in it was: { $detail }
site-unlooked-packed = it is packed ({ $detail })
site-unlooked-packed-within = something in it is packed ({ $detail })
site-unlooked-utf-16 = its text is in UTF-16
site-unlooked-too-large = it unpacks to more than 1 GiB
site-unlooked-link = it is a link to something outside of the directory
site-unlooked-special = it is a device, a pipe or a socket
site-unknown = nothing is wrong in what was looked at, but { $count ->
    [one] one thing listed above was not
   *[other] { $count_text } things listed above were not
  }: whether the site is right is not known
site-empty-dump = { $file }: it holds no value to look at
site-empty-directory = it holds no file to look at
site-included = { $file } reads `{ $included }`, too, which was not looked at
site-included-more = { $file } reads { $count ->
    [one] one more file that was
   *[other] { $count_text } more files that were
  } not looked at
site-packed = { $place }, row { $row }: something in it is packed ({ $packing }) and was not looked at
site-packed-more = { $count ->
    [one] one more value holds
   *[other] { $count_text } more values hold
  } something packed that was not looked at
site-files-total = { $count ->
    [one] one file was looked at
   *[other] { $count_text } files were looked at
  }, { $left } with old addresses; { $unlooked } not looked at
site-database-answers = it answers
site-database-silent = it cannot be reached: { $error }
site-mode-configuration-open = everybody can read passwords in it
site-mode-configuration-closed = PHP cannot read it
site-mode-unreadable = the server cannot read it
site-mode-not-searchable = the server cannot enter it
site-mode-world-writable = everybody can write to it
site-mode-wide = more than need to can read or write it
site-mode-not-written = { $path }: sftp cannot make this change, so it is not in the batch
site-mode-above = { $path }, above the site: the server cannot enter it
site-mode-shared = it has a hard link outside of the site, so `--apply` does not change it
site-class-owner = owner
site-class-group = group
site-class-other = others
site-mode-acl = { $count ->
    [one] one file has an access control list and was
   *[other] { $count_text } files have access control lists and were
  } not judged: see getfacl(1)
site-mode-total = { $count ->
    [one] one file or directory
   *[other] { $count_text } files and directories
  }, { $wrong } to change; { $unjudged } not judged
site-mode-unjudged = { $path }: not judged: { $reason }
site-mode-unjudged-more = { $count ->
    [one] and one more file or directory that was not judged
   *[other] and { $count_text } more files and directories that were not judged
  }
site-unjudged-unreadable = it cannot be read: { $detail }
site-unjudged-unlisted = what is in this directory is not in the listing
site-mode-applied = changed { $count ->
    [one] one mode
   *[other] { $count_text } modes
  }; `{ $command }` sets everything back
plan-title = What the study would do
