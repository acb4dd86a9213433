// The form of a question: every part, and why a part cannot be chosen.

import type { Choices, Question, RunLine } from "../generated";
import { useText } from "../context";
import { bytes, count, percent } from "../format";
import { label as nameLabel } from "../names";
import { argumentWords, plural, type Text } from "../text";
import { worldWords } from "../things";
import { Choice, Group, Pick, Places, Slider, Tick } from "./controls";
import {
  BLOCK_STEPS,
  CHUNK_STEPS,
  DEPTH_STEPS,
  FSYNC_STEPS,
  IN_FLIGHT_MAX,
  JOBS_STEPS,
  type Limits,
  limitsOf,
  MIX_STEPS,
  SIZE_STEPS,
  stepsWith,
  type WhyNot,
  type Wish,
} from "./question";

/** The most runs in the list of measured points. */
const OVERLAYS_MAX = 200;
const NAME_CHARACTERS_MAX = 60;

interface FormProps {
  wish: Wish;
  /** The question that follows from the wish; the form shows what is asked. */
  question: Question;
  choices: Choices;
  runs: RunLine[];
  onChange: (change: Partial<Wish>) => void;
}

interface PartProps extends FormProps {
  limits: Limits;
  text: Text;
  why: (reason: WhyNot | null) => string | null;
  sizeWords: (value: number) => string;
  countWords: (value: number) => string;
}

export function Form(props: FormProps) {
  const text = useText();
  const why = (reason: WhyNot | null) => (reason === null ? null : text.say(`live-why-not-${reason}`));
  const sizeWords = (value: number) => bytes(value, text.language);
  const countWords = (value: number) => count(value, text.language);
  const part: PartProps = { ...props, limits: limitsOf(props.wish, props.choices), text, why, sizeWords, countWords };
  return (
    <form class="live-form" aria-label={text.say("live-form")} onSubmit={(event) => event.preventDefault()}>
      <ArrayPart {...part} />
      <LoadPart {...part} />
      <MachinePart {...part} />
    </form>
  );
}

function ArrayPart(part: PartProps) {
  const { wish, question, choices, limits, text, why, sizeWords, countWords, onChange } = part;
  const counts = Array.from({ length: limits.countMax - limits.countMin + 1 }, (_, index) => limits.countMin + index);
  const range = { min: String(limits.countMin), max: String(limits.countMax) };
  const chunk = question.chunk_bytes ?? wish.chunk_bytes;
  return (
    <Group label={text.say("live-array")}>
      <DevicePick {...part} />
      <Choice
        label={text.say("live-level")}
        value={question.level}
        options={choices.levels.map(({ level }) => ({
          value: level,
          words: level === "none" ? text.say("live-level-none") : level,
        }))}
        onInput={(level) => onChange({ level })}
      />
      <Slider
        label={text.say("live-count")}
        steps={counts}
        value={question.count}
        words={countWords}
        reason={why(limits.count)}
        note={text.say("live-count-range", range)}
        onInput={(value) => onChange({ count: value })}
      />
      <Choice
        label={text.say("live-layout")}
        value={question.layout ?? ""}
        options={limits.layouts}
        reason={why(limits.layout)}
        onInput={(layout) => onChange({ layout })}
      />
      <Slider
        label={text.say("live-chunk")}
        steps={stepsWith(CHUNK_STEPS, chunk)}
        value={chunk}
        words={sizeWords}
        reason={why(limits.chunk)}
        onInput={(value) => onChange({ chunk_bytes: value })}
      />
      <Tick
        label={text.say("live-bitmap")}
        checked={question.bitmap}
        reason={why(limits.bitmap)}
        onInput={(bitmap) => onChange({ bitmap })}
      />
      <FailedPart {...part} />
      <FilesystemChoice {...part} />
    </Group>
  );
}

interface SharedProps {
  question: { device: string; filesystem: string };
  choices: Choices;
  onChange: (change: { device?: string; filesystem?: string }) => void;
}

export function DevicePick({ question, choices, onChange }: SharedProps) {
  const text = useText();
  const device = choices.devices.find((one) => one.name === question.device);
  return (
    <Pick
      label={text.say("live-device")}
      value={question.device}
      options={choices.devices.map((one) => ({ value: one.name, words: nameLabel(one.name, NAME_CHARACTERS_MAX) }))}
      note={device && argumentWords(device.description, text, 160)}
      onInput={(name) => onChange({ device: name })}
    />
  );
}

export function FilesystemChoice({ question, choices, onChange }: SharedProps) {
  const text = useText();
  return (
    <Choice
      label={text.say("live-filesystem")}
      value={question.filesystem}
      options={choices.filesystems.map((one) => (one === "none" ? { value: one, words: text.say("live-filesystem-none") } : one))}
      onInput={(filesystem) => onChange({ filesystem })}
    />
  );
}

/** Which members have failed, and whether the first of them is being rebuilt. */
function FailedPart({ question, limits, text, why, onChange }: PartProps) {
  const max = count(limits.failedMax, text.language);
  const [first] = question.failed;
  return (
    <>
      <Places
        label={text.say("live-failed")}
        count={question.count}
        value={question.failed}
        max={limits.failedMax}
        words={(place) => text.say("live-failed-member", { place: String(place) })}
        reason={why(limits.failed)}
        note={text.say("live-failed-note", { plural: plural(limits.failedMax), max })}
        onInput={(failed) => onChange({ failed })}
      />
      <Tick
        label={
          first === undefined ? text.say("live-rebuild") : text.say("live-rebuild-member", { place: String(first) })
        }
        checked={question.rebuild}
        reason={why(limits.rebuild)}
        onInput={(rebuild) => onChange({ rebuild })}
      />
    </>
  );
}

function LoadPart(part: PartProps) {
  const { question, choices, text, onChange } = part;
  const workload = choices.workloads.find((one) => one.name === question.workload);
  return (
    <Group label={text.say("live-load")}>
      <Pick
        label={text.say("live-workload")}
        value={question.workload ?? ""}
        options={[
          { value: "", words: text.say("live-workload-own") },
          ...choices.workloads.map(({ name }) => name),
        ]}
        note={workload && text.show(workload.description)}
        onInput={(name) => onChange({ workload: name === "" ? null : name })}
      />
      {question.workload === null && <OwnLoad {...part} />}
      <Choice
        label={text.say("live-state")}
        value={question.state}
        options={choices.states.map((state) => ({ value: state, words: stateWords(state, text) }))}
        note={stateNote(question.state, text)}
        onInput={(state) => onChange({ state })}
      />
    </Group>
  );
}

/** The keys of a load that is no shipped workload. */
function OwnLoad({ wish, question, choices, limits, text, why, sizeWords, countWords, onChange }: PartProps) {
  const depths = DEPTH_STEPS.filter((depth) => depth <= limits.depthMax);
  const hasAllDepths = depths.length === DEPTH_STEPS.length;
  const mix = wish.read_percent;
  const fsync = wish.fsync_every ?? 0;
  return (
    <>
      <Choice
        label={text.say("live-pattern")}
        value={question.pattern}
        options={choices.patterns.map(({ pattern }) => ({ value: pattern, words: patternWords(pattern, text) }))}
        onInput={(pattern) => onChange({ pattern })}
      />
      <Slider
        label={text.say("live-mix")}
        steps={stepsWith(MIX_STEPS, mix)}
        value={mix}
        words={(value) => percent(value / 100, text.language)}
        reason={why(limits.mix)}
        onInput={(value) => onChange({ read_percent: value })}
      />
      <Slider
        label={text.say("live-block-size")}
        steps={stepsWith(BLOCK_STEPS, question.block_size_bytes)}
        value={question.block_size_bytes}
        words={sizeWords}
        onInput={(value) => onChange({ block_size_bytes: value })}
      />
      <Slider
        label={text.say("live-jobs")}
        steps={stepsWith(JOBS_STEPS, question.jobs)}
        value={question.jobs}
        words={countWords}
        onInput={(value) => onChange({ jobs: value })}
      />
      <Slider
        label={text.say("live-depth")}
        steps={stepsWith(depths, question.depth)}
        value={question.depth}
        words={countWords}
        note={hasAllDepths ? undefined : text.say("live-depth-limit", { count: count(IN_FLIGHT_MAX, text.language) })}
        onInput={(value) => onChange({ depth: value })}
      />
      <Slider
        label={text.say("live-size")}
        steps={stepsWith(SIZE_STEPS, question.size_bytes)}
        value={question.size_bytes}
        words={sizeWords}
        onInput={(value) => onChange({ size_bytes: value })}
      />
      <Slider
        label={text.say("live-fsync")}
        steps={stepsWith(FSYNC_STEPS, fsync)}
        value={fsync}
        words={(value) => fsyncWords(value, text)}
        reason={why(limits.fsync)}
        onInput={(value) => onChange({ fsync_every: value === 0 ? null : value })}
      />
    </>
  );
}

function MachinePart({ question, choices, runs, text, onChange }: PartProps) {
  const host = choices.hosts.find((one) => one.name === question.host);
  const kernel = choices.kernels.find((one) => one.version === question.kernel);
  const overlays = runs.filter((run, index) => index < OVERLAYS_MAX || run.id === question.overlay);
  return (
    <Group label={text.say("live-machine")}>
      <Pick
        label={text.say("live-host")}
        value={question.host}
        options={choices.hosts.map((one) => ({ value: one.name, words: nameLabel(one.name, NAME_CHARACTERS_MAX) }))}
        note={host && argumentWords(host.description, text, 160)}
        onInput={(name) => onChange({ host: name })}
      />
      <Choice
        label={text.say("live-governor")}
        value={question.governor}
        options={choices.governors}
        onInput={(governor) => onChange({ governor })}
      />
      <Pick
        label={text.say("live-kernel")}
        value={question.kernel}
        options={choices.kernels.map(({ version }) => ({ value: version, words: `Linux ${nameLabel(version)}` }))}
        note={kernel === undefined ? undefined : text.say("live-kernel-changed", { changed: nameLabel(kernel.changed, 400) })}
        onInput={(kernel) => onChange({ kernel })}
      />
      <Pick
        label={text.say("live-overlay")}
        value={question.overlay === null ? "" : String(question.overlay)}
        options={[
          { value: "", words: text.say("live-overlay-none") },
          ...overlays.map((run) => ({
            value: String(run.id),
            words: text.say("live-overlay-option", {
              id: String(run.id),
              study: nameLabel(run.study, NAME_CHARACTERS_MAX),
              world: worldWords(run.world, text),
            }),
          })),
        ]}
        onInput={(run) => onChange({ overlay: run === "" ? null : Number(run) })}
      />
    </Group>
  );
}

/** Returns how often a load makes its writes durable; 0 means never. */
export function fsyncWords(every: number, text: Text): string {
  if (every === 0) {
    return text.say("live-fsync-never");
  }
  return text.say("live-fsync-every", { plural: plural(every), writes: count(every, text.language) });
}

/** Returns a state in words; an unknown state of a newer server stays as it is. */
export function stateWords(state: string, text: Text): string {
  const id = `live-state-${state}`;
  return text.has(id) ? text.say(id) : state;
}

/** Returns an explanation of a state, if this page has one. */
export function stateNote(state: string, text: Text): string | undefined {
  const id = `live-state-${state}-note`;
  return text.has(id) ? text.say(id) : undefined;
}

/** Returns a pattern in words; an unknown pattern of a newer server stays as it is. */
export function patternWords(pattern: string, text: Text): string {
  const id = `live-pattern-${pattern}`;
  return text.has(id) ? text.say(id) : pattern;
}
