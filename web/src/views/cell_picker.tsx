// Choosing cells among thousands: a combobox (https://www.w3.org/WAI/ARIA/apg/patterns/combobox/)
// that searches names, stacks and worlds, and lists a readable number.

import { useId, useMemo, useRef, useState } from "preact/hooks";
import { Button } from "../button";
import { useText } from "../context";
import { count } from "../format";
import type { Cell, Page } from "../generated";
import { finderOf } from "../search";
import { plural, type Text } from "../text";
import { cellName } from "../things";

const LISTED_MAX = 60;

/** Returns the cells that contain every word of `wanted`, by index. */
function matching(page: Page, cells: number[], wanted: string, text: Text): number[] {
  const isFound = finderOf(wanted);
  if (isFound === null) return cells;
  return cells.filter((index) => {
    const cell = page.cells[index];
    return cell !== undefined && isFound(`${cellName(page, cell, text, 200)} ${cell.stack_words} ${cell.number}`);
  });
}

/** Returns the indices of the cells for which `has` holds. */
export function cellsWith(page: Page, has: (cell: Cell) => boolean): number[] {
  return page.cells.flatMap((cell, index) => (has(cell) ? [index] : []));
}

interface CellPickerProps {
  page: Page;
  /** The cells to choose from. */
  cells: number[];
  /** The content of the field; null for a field that adds. */
  chosen: number | null;
  label: string;
  onChoose: (cell: number) => void;
}

export function CellPicker({ page, cells, chosen, label, onChoose }: CellPickerProps) {
  const text = useText();
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [wanted, setWanted] = useState("");
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const found = useMemo(() => (isOpen ? matching(page, cells, wanted, text) : []), [isOpen, page, cells, wanted, text]);
  const listed = found.slice(0, LISTED_MAX);
  const name = (index: number) => (page.cells[index] ? cellName(page, page.cells[index], text) : "");
  const close = () => {
    setOpen(false);
    setWanted("");
  };
  const choose = (cell: number | undefined) => {
    if (cell === undefined) return;
    onChoose(cell);
    close();
  };
  const open = () => {
    setActive(Math.max(0, chosen === null ? 0 : cells.slice(0, LISTED_MAX).indexOf(chosen)));
    setOpen(true);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const moves: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 };
    const move = moves[event.key];
    if (move !== undefined) {
      event.preventDefault();
      if (isOpen) setActive(Math.min(Math.max(active + move, 0), listed.length - 1));
      else open();
    } else if (event.key === "Enter" && isOpen) {
      event.preventDefault();
      choose(listed[active]);
    } else if (event.key === "Escape") close();
  };
  return (
    <div class="picker">
      <label for={id}>{label}</label>
      <div class="picker-field">
        <input
          id={id}
          ref={field}
          type="text"
          role="combobox"
          autoComplete="off"
          spellcheck={false}
          aria-expanded={isOpen}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={isOpen && listed[active] !== undefined ? `${id}-${active}` : undefined}
          placeholder={isOpen || chosen === null ? text.say("pick-search") : undefined}
          value={isOpen || chosen === null ? wanted : name(chosen)}
          onInput={(event) => {
            setWanted(event.currentTarget.value);
            setActive(0);
            setOpen(true);
          }}
          onClick={open}
          onKeyDown={onKeyDown}
          onBlur={close}
        />
        <ul id={`${id}-list`} role="listbox" aria-label={label} hidden={!isOpen}>
          {listed.map((cell, index) => (
            <Option key={cell} id={`${id}-${index}`} name={name(cell)} isActive={index === active} isChosen={cell === chosen} onChoose={() => choose(cell)} />
          ))}
        </ul>
        <span class="visually-hidden" role="status">
          {isOpen && text.say("pick-found", { count: plural(found.length), count_text: count(found.length, text.language) })}
        </span>
        {isOpen && (
          <p class="picker-note">
            {found.length === 0 && text.say("pick-none")}
            {found.length > LISTED_MAX && text.say("and-more", { count: count(found.length - LISTED_MAX, text.language) })}
          </p>
        )}
      </div>
    </div>
  );
}

interface OptionProps {
  id: string;
  name: string;
  isActive: boolean;
  isChosen: boolean;
  onChoose: () => void;
}

function Option({ id, name, isActive, isChosen, onChoose }: OptionProps) {
  return (
    <li
      id={id}
      role="option"
      aria-selected={isChosen}
      data-active={isActive}
      ref={(element) => {
        if (isActive) element?.scrollIntoView({ block: "nearest" });
      }}
      // Before the field loses the focus and closes the list.
      onMouseDown={(event) => {
        event.preventDefault();
        onChoose();
      }}
    >
      <bdi>{name}</bdi>
    </li>
  );
}

/** A field with the shown cell, and buttons to the next and the previous one. */
export function OneCell({ page, cells, chosen, onChoose }: { page: Page; cells: number[]; chosen: number; onChoose: (cell: number) => void }) {
  const text = useText();
  if (cells.length < 2) return null;
  const at = cells.indexOf(chosen);
  const step = (by: number) => onChoose(cells[(at + by + cells.length) % cells.length]!);
  return (
    <div class="one-cell">
      <CellPicker page={page} cells={cells} chosen={chosen} label={text.say("pick-cell")} onChoose={onChoose} />
      <Button aria-label={text.say("cell-before")} onClick={() => step(-1)}>
        ‹
      </Button>
      <Button aria-label={text.say("cell-next")} onClick={() => step(1)}>
        ›
      </Button>
    </div>
  );
}
