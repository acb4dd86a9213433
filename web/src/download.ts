// Files made in the page: nothing is sent over the network.

/** PNGs are for tickets and slides: twice the figure's size in pixels. */
const PNG_SCALE = 2;

function saveBlob(name: string, blob: Blob): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The browser has read the blob by then; keeping it would waste memory.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Saves a text as a file. */
export function save(name: string, type: string, text: string): void {
  saveBlob(name, new Blob([text], { type: `${type};charset=utf-8` }));
}

/** Saves an SVG document as a PNG file. Fails if the browser cannot draw or encode it: a picture too large
 *  for its canvas, or one that it does not allow to be read back. */
export async function savePng(name: string, svg: string, width: number): Promise<void> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = width * PNG_SCALE;
  canvas.height = Math.round((image.naturalHeight / image.naturalWidth) * canvas.width);
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done));
  if (blob === null) throw new Error("the browser makes no PNG of this picture");
  saveBlob(name, blob);
}
