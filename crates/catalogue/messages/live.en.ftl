# The live page: the list of runs, a run watched, and the form that asks.

live-nav = Pages
live-nav-runs = Runs
live-nav-ask = Ask
live-nav-advise = Advise
live-nav-answers = Checks
live-title-runs = Runs
live-title-ask = What-if questions
live-title-advise = What should I build?
live-title-answers = Checks and traces
live-answers-hint = “stripewise serve --check FACTS --trace FILE” adds collected facts and traces.
live-answer-json = Download as JSON
live-version = Stripewise { $version }
live-loading = Loading …

# Trouble
live-no-token = This page needs the token of the server that it came from.
live-no-token-hint = Open the whole address that “stripewise serve” printed; it ends in #token=… . Each start of the server has a new address.
live-unreachable = The server does not answer.
live-unreachable-hint = Is “stripewise serve” still running? Start it again, and open the address that it prints.
live-broken = This page cannot read the server’s answer.
live-broken-hint = Another program, or another version of Stripewise, may be answering at this address. Reload the page.
live-retry = Try again
live-hint = Hint: { $hint }

# The list
live-search = Search
live-search-example = study, question, world or state
live-runs-found = { $plural ->
    [one] One run of { $all }
   *[other] { $found } runs of { $all }
  }
live-runs-none = No run yet.
live-runs-none-hint = “stripewise run STUDY --world model” makes the first one in a second; this page shows it as soon as it is there.
live-runs-none-found = No run matches “{ $search }”.
live-runs-more = Show { $count } more
live-together = Show together
live-together-some = { $plural ->
    [none] Choose runs to overlay
    [one] One run chosen
   *[other] { $count } runs chosen
  }
live-together-clear = Clear selection
live-choose-run = Show run { $id } ({ $study }) together with others
live-column-run = Run
live-column-study = Study and question
live-column-world = World
live-column-state = State
live-column-started = Started
live-column-samples = Samples
live-samples = { $counted } of { $all }
live-cells = { $plural ->
    [one] one cell
   *[other] { $cells } cells
  }

# A run watched
live-title-run = { $plural ->
    [one] Run { $ids }
   *[other] Runs { $ids }
  }
live-back = All runs
live-watching = Run { $id } is running: { $counted } of { $all } samples count so far.
live-ended = Run { $id } ended: { $state }. { $counted } of { $all } samples count.
live-left = About { $time } left until each cell has enough samples.
live-ask-like = Ask with these points overlaid

# The form
live-form = The question
live-device = Device
live-count = Number of devices
live-array = Array
live-level = Level
live-level-none = alone
live-layout = Layout
live-chunk = Chunk
live-bitmap = Write-intent bitmap
live-failed = Failed members
live-failed-member = Member { $place }
live-failed-note = { $plural ->
    [one] One member may fail; members count from 0.
   *[other] At most { $max } members may fail; they count from 0.
  }
live-rebuild = Rebuild on a new device
live-rebuild-member = Rebuild member { $place } on a new device
live-filesystem = Filesystem
live-filesystem-none = none
live-load = Load
live-workload = Workload
live-workload-own = of your own
live-pattern = Pattern
live-pattern-read = sequential reads
live-pattern-write = sequential writes
live-pattern-randread = random reads
live-pattern-randwrite = random writes
live-pattern-rw = sequential mixed
live-pattern-randrw = random mixed
live-mix = Share of reads
live-block-size = Block size
live-jobs = Jobs
live-depth = Depth of each job
live-depth-limit = All jobs together have at most { $count } I/Os under way here.
live-size = File of each job
live-fsync = fsync
live-fsync-never = never
live-fsync-every = { $plural ->
    [one] after every write
   *[other] every { $writes } writes
  }
live-state = State
live-state-steady = steady
live-state-steady-note = The long run: caches, bitmaps, drive buffers and SLC areas are in use, and garbage collection runs.
live-state-fresh = fresh
live-state-fresh-note = After trim and fill, from the first I/O on.
live-machine = Machine
live-host = Host
live-governor = CPU governor
live-kernel = Kernel’s rules
live-kernel-changed = New rules in it: { $changed }
live-overlay = Measured points of
live-overlay-none = no run
live-overlay-option = Run { $id }: { $study } ({ $world })
live-why-not-alone = One device alone is no array.
live-why-not-one-layout = This level has one layout.
live-why-not-no-chunk = Without striping there are no chunks.
live-why-not-no-bitmap = Without redundancy there is no bitmap.
live-why-not-no-redundancy = This level survives no failure.
live-why-not-none-failed = No member has failed.
live-why-not-not-mixed = Only mixed loads have a share of reads.
live-why-not-no-writes = Without writes there is nothing to sync.
live-count-range = { $min } to { $max } at this level

# The answer
live-answer = The answer
live-answer-of = { $stack }: { $load }
live-load-words = { $pattern } of { $size }, { $plural ->
    [one] one job
   *[other] { $jobs } jobs
  }, depth { $depth }
live-interval = { $level } % interval: { $low } to { $high }
live-load-mix = { $reads } reads
live-load-fsync = fsync { $every }
live-answer-failed = { $plural ->
    [one] Member { $places } has failed
   *[other] Members { $places } have failed
  }
live-answer-rebuilding = { $plural ->
    [one] Member { $first } has failed and is being rebuilt
   *[other] Members { $places } have failed, and { $first } is being rebuilt
  }
live-answer-state = State: { $state }
live-preview = Preview
live-preview-note = From fewer simulations; the final answer follows.
live-preview-none = No number yet: a short simulation does not reach the long run of this load.
live-preview-only = From fewer simulations than a final answer uses.
live-onset = { $before } for the first { $bytes } ({ $time }), then { $after }.
live-command = The same question on the command line
live-asking = Asking …
live-took = From request to drawing { $took }, of which simulation { $simulated }.
live-spoken = { $throughput }, { $iops }. { $limited }
live-keep = Keep it to compare
live-kept = Kept
live-now = Now
live-kept-difference = Difference
live-kept-of = Compared with: { $question }
live-drop = Drop the comparison
live-curve-waiting = Drawn once no slider has moved for a quarter of a second.
live-curve-asked = this question
live-curve-run = Run { $id }: { $stack }
live-no-overlay-points = The chosen run has no cell with this pattern, these jobs and this depth.

# Why, and the study
live-why = Why? What would change it?
live-why-again = Ask again
live-why-waiting = Simulating each change …
live-why-title = What would change it
live-why-old = These answers are for the question before your last change.
live-why-none = Nothing here can be changed.
live-why-change = Change
live-why-effect = Effect
live-why-try = Try it
live-why-try-label = Try it: { $change }
live-study = Export as a study
live-study-title = This question as a study
live-study-none = This page cannot write a question with failed members as a study. This command asks the same:
live-study-file = Save it as { $name }, then:
live-download = Download
live-close = Close

live-advise-devices = Devices
live-advise-spares = Spares
live-advise-loads = Loads
live-advise-load = Load { $number }
live-advise-load-note = A shipped workload, or PATTERN:BLOCK, such as randrw:16K:mix=70/30:depth=8; the empty field adds one, and an emptied one is left out
live-advise-weight = How much load { $number } counts
live-advise-required = What it must do
live-advise-any = not required
live-advise-survive = Devices that may fail
live-advise-survive-assumed = assumed: 1
live-advise-capacity = Space for data
live-advise-commit = 99 % of the commits within
live-advise-years = Years until the rated writes
live-advise-rebuild = Rebuild within
live-advise-daily = Written in a day
live-advise-unknown = not stated
live-advise-searching = Searching …
live-advise-stopped = Stopped. What is shown is the answer so far, or an earlier one.
live-advise-preview = The decision of the search; its rivals are being simulated as precisely as in a table.
live-advise-limit = The search reached the limit of this page. The command below has none.
live-advise-up = Upwards
live-advise-across = To the right
live-advise-picture = The designs: a click opens one
live-advise-less = { $axis } (less is better)
live-advise-left-out = { $count } designs are not in the picture, as one of the two values is not known for them.
live-advise-marks = ■ advised   ◆ usual, calculators, or without redundancy   ● the same as the advised one   ○ others   ×3 marks upon one another: each click opens the next
live-advise-design = Design
live-advise-busy = { $percent } % of what is known to be done so far, about { $time } left
live-advise-then-busy = Stop the search
live-advise-then-stopped = Search again
