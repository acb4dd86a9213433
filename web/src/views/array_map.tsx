// The places of an array's chunks: one column per member, one box per chunk. The copy that serves a
// sequential reader has a heavy border; colour is never the only sign.

import { useState } from "preact/hooks";
import { Button } from "../button";
import { useText } from "../context";
import { count } from "../format";
import { inSentence, label } from "../names";
import type { MapBox, Page, StackMap } from "../generated";
import { plural, type Text } from "../text";
import { size } from "../format";
import { runName } from "../things";
import type { Kind, ViewNamed } from "./kinds";

/** More maps than this one below another are unreadable. */
const MAPS_SHOWN = 3;

export const arrayMapKind: Kind<ViewNamed<"array_map">> = {
  title: (_page, _view, text) => text.say("view-array-map"),
  Component({ page }) {
    const text = useText();
    const [isAll, setAll] = useState(false);
    const maps = isAll ? page.maps : page.maps.slice(0, MAPS_SHOWN);
    return (
      <>
        <h2>{text.say("view-array-map")}</h2>
        <p class="says">{text.say("view-array-map-says")}</p>
        <MapLegend maps={page.maps} />
        <div class="maps">
          {maps.map((map, index) => (
            <Map key={index} page={page} map={map} />
          ))}
        </div>
        {maps.length < page.maps.length && (
          <Button onClick={() => setAll(true)}>
            {text.say("and-more", { count: count(page.maps.length - maps.length, text.language) })}
          </Button>
        )}
      </>
    );
  },
};

function MapLegend({ maps }: { maps: StackMap[] }) {
  const text = useText();
  const boxes = maps.flatMap((map) => map.rows.flatMap((row) => row.boxes)).filter((box) => box !== null);
  const hasCopy = boxes.some((box) => box.role === "copy" || (box.role === "data" && !box.serves));
  const hasParity = boxes.some((box) => box.chunk === null);
  return (
    <ul class="map-legend">
      <li>
        <span class="box" data-serves="true" aria-hidden="true">
          0
        </span>
        {text.say("map-legend-serves")}
      </li>
      {hasCopy && (
        <li>
          <span class="box" aria-hidden="true">
            0
          </span>
          {text.say("map-legend-copy")}
        </li>
      )}
      {hasParity && (
        <li>
          <span class="box" data-role="parity" aria-hidden="true">
            P
          </span>
          {text.say("map-legend-parity")}
        </li>
      )}
    </ul>
  );
}

function Map({ page, map }: { page: Page; map: StackMap }) {
  const text = useText();
  const caption = text.say("map-caption", {
    stack: page.runs.length > 1 ? `${inSentence(map.stack)} (${runName(page, map.run, text)})` : inSentence(map.stack),
    level: inSentence(map.level, 20),
    layout: map.layout === null ? "" : ` ${inSentence(map.layout, 20)}`,
    unit: map.unit === "member" ? text.say("map-unit-member") : text.say(`map-unit-${map.unit}`, { chunk: size(map.chunk_bytes) }),
  });
  return (
    <div class="map">
      <h3>{caption}</h3>
      <div class="scroll" tabIndex={0} role="region" aria-label={caption}>
        <table>
          <caption class="visually-hidden">{caption}</caption>
          <thead>
            <tr>
              <th scope="col">
                <span class="visually-hidden">{text.say("map-place")}</span>
              </th>
              {map.members.map((member, index) => (
                <th key={index} scope="col" dir="auto" title={label(member, 200)}>
                  {label(member, 12)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {map.rows.map((row, index) => (
              <tr key={index}>
                <th scope="row">{label(row.label, 12)}</th>
                {row.boxes.map((box, member) => (
                  <td key={member}>{box && <Box box={box} text={text} />}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {map.rows_left_out > 0 && (
        <p class="soft">{text.say("map-left-out", { count: plural(map.rows_left_out), count_text: count(map.rows_left_out, text.language) })}</p>
      )}
      {map.member_count > map.members.length && (
        <p class="soft">{text.say("map-members", { shown: String(map.members.length), all: count(map.member_count, text.language) })}</p>
      )}
    </div>
  );
}

const PARITY_LETTERS: Record<string, string> = { parity: "P", q: "Q" };

function Box({ box, text }: { box: MapBox; text: Text }) {
  const id = box.role === "data" ? "chunk" : box.role;
  const words = text.say(`map-${id}`, { chunk: String(box.chunk ?? "") }) + (box.serves ? text.say("map-serves") : "");
  return (
    <span class="box" data-role={box.role} data-serves={box.serves} title={words}>
      <span aria-hidden="true">{box.chunk ?? PARITY_LETTERS[box.role] ?? ""}</span>
      <span class="visually-hidden">{words}</span>
    </span>
  );
}
