// Labels beside points, without overlap: each takes the nearest free place around its point.

/** A box in pixels. */
export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** A point and the size of its label. */
export interface Spot {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The distances of a label from its point, the nearest first. */
const DISTANCES = [12, 22, 36, 52, 70, 90, 112, 136, 162];
/** A label to the right or left is so much farther away. */
const BESIDE = 6;
/** The distances between points of a line at which it is tested. */
const STEP = 6;

/** Returns the boxes of the labels: within `within`, over no obstacle, no other label and no line from
 *  a point to its label if there is room, otherwise over as little as possible. Cost: the square of the
 *  number of labels. */
export function placeLabels(spots: Spot[], obstacles: Box[], within: Box): Box[] {
  const orders: ((one: Spot, other: Spot) => number)[] = [(one, other) => one.x - other.x, (one, other) => other.x - one.x, (one, other) => one.y - other.y, (one, other) => other.y - one.y];
  // A label that comes first takes the place of another: the best of some orders is good enough.
  const tries = orders.map((order) => placedInOrder([...spots].sort(order), obstacles, within));
  const best = tries.reduce((best, one) => (one.cost < best.cost ? one : best));
  return spots.map((spot) => best.boxes.get(spot)!);
}

function placedInOrder(spots: Spot[], obstacles: Box[], within: Box): { cost: number; boxes: Map<Spot, Box> } {
  const placed: Box[] = [];
  const lines: Box[] = [];
  const boxes = new Map<Spot, Box>();
  let total = 0;
  for (const spot of spots) {
    const fits = ({ top, bottom }: Box) => top >= within.top && bottom <= within.bottom;
    const around = candidates(spot).filter(fits).map((box) => inside(box, within));
    const cost = (box: Box) => {
      const crossed = lineOf(spot, box).reduce((sum, dot) => sum + covered(dot, placed), 0);
      return covered(box, [...obstacles, ...placed, ...lines]) + crossed;
    };
    let [best, least] = [around[0] ?? beside(spot), Number.POSITIVE_INFINITY];
    for (const box of around) {
      const own = cost(box);
      if (own < least) [best, least] = [box, own];
      if (own === 0) break;
    }
    placed.push(best);
    lines.push(...lineOf(spot, best));
    boxes.set(spot, best);
    // A pixel of distance costs little, but decides between free places.
    const [x, y] = nearestIn(best, spot);
    total += (around.length === 0 ? 0 : least) + Math.hypot(x - spot.x, y - spot.y) / 1000;
  }
  return { cost: total, boxes };
}

/** Returns the point of a box that is nearest to a spot. */
export function nearestIn(box: Box, { x, y }: { x: number; y: number }): [number, number] {
  return [Math.min(Math.max(x, box.left), box.right), Math.min(Math.max(y, box.top), box.bottom)];
}

/** Returns small boxes along the line from a spot to its label. */
function lineOf(spot: Spot, box: Box): Box[] {
  const [x, y] = nearestIn(box, spot);
  const steps = Math.floor(Math.hypot(x - spot.x, y - spot.y) / STEP);
  return Array.from({ length: Math.max(steps - 1, 0) }, (_, index) => {
    const share = (index + 1) / steps;
    const [atX, atY] = [spot.x + (x - spot.x) * share, spot.y + (y - spot.y) * share];
    return { left: atX - 1, right: atX + 1, top: atY - 1, bottom: atY + 1 };
  });
}

function boxAt(left: number, middle: number, { width, height }: Spot): Box {
  return { left, right: left + width, top: middle - height / 2, bottom: middle + height / 2 };
}

function beside(spot: Spot): Box {
  return boxAt(spot.x + DISTANCES[0]! + BESIDE, spot.y, spot);
}

/** Returns places for a label: to the right, to the left, and above and below on either side. */
function candidates(spot: Spot): Box[] {
  const { x, y, width, height } = spot;
  return DISTANCES.flatMap((far) => {
    const level = far === DISTANCES[0] ? [beside(spot), boxAt(x - far - BESIDE - width, y, spot)] : [];
    const middles = [y - far - height / 2, y + far + height / 2];
    const lefts = [x - width / 2, x + 4, x - width - 4];
    return [...level, ...middles.flatMap((middle) => lefts.map((left) => boxAt(left, middle, spot)))];
  });
}

/** Returns the box moved sideways into `within`. */
function inside(box: Box, within: Box): Box {
  const move = box.left < within.left ? within.left - box.left : Math.min(within.right - box.right, 0);
  return { ...box, left: box.left + move, right: box.right + move };
}

/** Returns the area of a box that others cover. */
function covered(box: Box, others: Box[]): number {
  const across = (other: Box) => Math.min(box.right, other.right) - Math.max(box.left, other.left);
  const down = (other: Box) => Math.min(box.bottom, other.bottom) - Math.max(box.top, other.top);
  return others.reduce((sum, other) => sum + Math.max(across(other), 0) * Math.max(down(other), 0), 0);
}
