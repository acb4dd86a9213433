// Words in which what is literal stands between backticks.

/** Shows what stands between backticks as code. */
export function Quoted({ words }: { words: string }) {
  return <>{words.split("`").map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>;
}
