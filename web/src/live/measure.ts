// The delay of an answer: from the input event to the painted picture, recorded in the browser's
// own performance timeline for tests and developer tools.

/** The name of the measure in the timeline. */
const MEASURE = "ask";
/** The most measures kept; a day of dragging must not fill the memory. */
const MEASURES_MAX = 1000;

/**
 * Calls `then` with the milliseconds from `askedAt` until the frame that shows the answer was painted.
 *
 * A task that a frame's callback posts runs after that frame was painted. Nothing is measured on a
 * page that is not in sight: it has no frames.
 */
export function measurePicture(askedAt: number, then: (tookMs: number) => void): () => void {
  let isOver = false;
  const frame = requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => {
      channel.port1.close();
      if (isOver) {
        return;
      }
      const end = performance.now();
      if (performance.getEntriesByName(MEASURE).length >= MEASURES_MAX) {
        performance.clearMeasures(MEASURE);
      }
      performance.measure(MEASURE, { start: askedAt, end });
      then(end - askedAt);
    };
    channel.port2.postMessage(null);
  });
  return () => {
    isOver = true;
    cancelAnimationFrame(frame);
  };
}
