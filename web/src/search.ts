// The matches of a search field.

/** Returns a function that finds texts with every word of `wanted`, in any case; null if `wanted` is empty. */
export function finderOf(wanted: string): ((text: string) => boolean) | null {
  const words = wanted.toLowerCase().split(/\s+/).filter((word) => word !== "");
  if (words.length === 0) return null;
  return (text) => {
    const heap = text.toLowerCase().replace(/\u00a0/g, " ");
    return words.every((word) => heap.includes(word));
  };
}
