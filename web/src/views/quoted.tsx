// Words with literal parts between backticks.

/** Shows the parts between backticks as code. */
export function Quoted({ words }: { words: string }) {
  return <>{words.split("`").map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>;
}
