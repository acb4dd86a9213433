// The controls of the form: a slider over steps, a choice of a few, a list of many.
//
// They are the browser's own inputs, which keyboards, screen readers and phones support.

import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

import { Note } from "../button";
import { useNarrow } from "../screen";

/** A note below a control, and what names it for screen readers. */
function Below({ id, words }: { id: string; words: string | undefined | null }) {
  return words == null ? null : (
    <Note id={`${id}-small`} dir="auto">
      {words}
    </Note>
  );
}

function describedBy(id: string, words: string | undefined | null): string | undefined {
  return words == null ? undefined : `${id}-small`;
}

interface SliderProps {
  label: string;
  /** The steps of the slider, ascending. */
  steps: number[];
  value: number;
  /** The text of a step. */
  words: (value: number) => string;
  /** Why the control is disabled, or null. */
  reason?: string | null;
  /** A note in small print. */
  note?: string;
  onInput: (value: number) => void;
}

/** A slider that steps through a list, with its value beside its name. */
export function Slider({ label, steps, value, words, reason, note, onInput }: SliderProps) {
  const id = useId();
  const index = Math.max(0, steps.indexOf(value));
  const last = steps.length - 1;
  const shown = reason == null ? words(value) : "–";
  const small = reason ?? note;
  return (
    <div class="live-control" data-disabled={reason != null}>
      <div class="live-control-head">
        <label for={id}>{label}</label>
        <output for={id} aria-hidden="true">
          {shown}
        </output>
      </div>
      <input
        id={id}
        type="range"
        min={0}
        max={last}
        step={1}
        value={index}
        disabled={reason != null}
        aria-valuetext={shown}
        aria-describedby={describedBy(id, small)}
        onInput={(event) => {
          const step = steps[Number(event.currentTarget.value)];
          if (step !== undefined) {
            onInput(step);
          }
        }}
      />
      <div class="live-ends" aria-hidden="true">
        <span>{words(steps[0] ?? 0)}</span>
        <span>{words(steps[last] ?? 0)}</span>
      </div>
      <Below id={id} words={small} />
    </div>
  );
}

/** A value with its words; one that stands for itself. */
type Option = string | { value: string; words: string };

function wordsOf(option: Option): { value: string; words: string } {
  return typeof option === "string" ? { value: option, words: option } : option;
}

interface ChoiceProps {
  label: string;
  options: Option[];
  value: string;
  reason?: string | null;
  /** A note in small print. */
  note?: string;
  onInput: (value: string) => void;
}

interface FieldsProps {
  id: string;
  label: string;
  reason?: string | null;
  note?: string;
  children: ComponentChildren;
}

/** Controls under one name. */
function Fields({ id, label, reason, note, children }: FieldsProps) {
  const small = reason ?? note;
  return (
    <fieldset class="live-control live-choice" disabled={reason != null} aria-describedby={describedBy(id, small)}>
      <legend>{label}</legend>
      {children}
      <Below id={id} words={small} />
    </fieldset>
  );
}

/** A choice of a few, all visible. */
export function Choice({ label, options, value, reason, note, onInput }: ChoiceProps) {
  const id = useId();
  return (
    <Fields id={id} label={label} reason={reason} note={note}>
      <div class="live-pills">
        {options.map(wordsOf).map((option) => (
          <label key={option.value} class="live-pill">
            <input
              type="radio"
              name={id}
              value={option.value}
              checked={option.value === value}
              onInput={() => onInput(option.value)}
            />
            <span>{option.words}</span>
          </label>
        ))}
      </div>
    </Fields>
  );
}

interface PlacesProps {
  label: string;
  /** The number of places; they count from 0. */
  count: number;
  /** The ticked places, ascending. */
  value: number[];
  /** The maximum number of ticked places. */
  max: number;
  /** The name of a place. */
  words: (place: number) => string;
  reason?: string | null;
  note?: string;
  onInput: (places: number[]) => void;
}

/** Places of an array, some of them ticked; at the maximum, the others are disabled. */
export function Places({ label, count, value, max, words, reason, note, onInput }: PlacesProps) {
  const id = useId();
  const places = Array.from({ length: count }, (_, place) => place);
  return (
    <Fields id={id} label={label} reason={reason} note={note}>
      <div class="live-places">
        {places.map((place) => {
          const isTicked = value.includes(place);
          return (
            <label key={place} class="live-tick">
              <input
                type="checkbox"
                checked={isTicked}
                disabled={!isTicked && value.length >= max}
                aria-label={words(place)}
                onInput={(event) => {
                  const others = value.filter((other) => other !== place);
                  onInput(event.currentTarget.checked ? [...others, place].sort((a, b) => a - b) : others);
                }}
              />
              <span aria-hidden="true">{place}</span>
            </label>
          );
        })}
      </div>
    </Fields>
  );
}

interface PickProps {
  label: string;
  options: Option[];
  value: string;
  note?: string;
  onInput: (value: string) => void;
}

/** A choice from many. */
export function Pick({ label, options, value, note, onInput }: PickProps) {
  const id = useId();
  return (
    <div class="live-control">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={value}
        aria-describedby={describedBy(id, note)}
        onInput={(event) => onInput(event.currentTarget.value)}
      >
        {options.map(wordsOf).map((option) => (
          <option key={option.value} value={option.value} selected={option.value === value}>
            {option.words}
          </option>
        ))}
      </select>
      <Below id={id} words={note} />
    </div>
  );
}

interface TickProps {
  label: string;
  checked: boolean;
  reason?: string | null;
  onInput: (checked: boolean) => void;
}

/** A yes or no. */
export function Tick({ label, checked, reason, onInput }: TickProps) {
  const id = useId();
  return (
    <div class="live-control" data-disabled={reason != null}>
      <label class="live-tick">
        <input
          type="checkbox"
          checked={checked}
          disabled={reason != null}
          aria-describedby={describedBy(id, reason)}
          onInput={(event) => onInput(event.currentTarget.checked)}
        />
        <span>{label}</span>
      </label>
      <Below id={id} words={reason} />
    </div>
  );
}

/** Controls that belong together, under a name; folded on a narrow screen, so that figures are near the answer. */
export function Group({ label, children }: { label: string; children: ComponentChildren }) {
  const isNarrow = useNarrow();
  const group = (
    <fieldset class="live-group">
      <legend class={isNarrow ? "visually-hidden" : undefined}>{label}</legend>
      {children}
    </fieldset>
  );
  if (!isNarrow) return group;
  return (
    <details class="live-fold">
      <summary>{label}</summary>
      {group}
    </details>
  );
}
