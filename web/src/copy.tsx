// A button that copies words, and says whether it did.

import { useEffect, useState } from "preact/hooks";
import { Button } from "./button";
import { useText } from "./context";

/** How long a button shows that it has copied. */
const SAID_MS = 2000;

export function Copy({ words, label }: { words: string; label?: string }) {
  const text = useText();
  const [result, setResult] = useState<"copied" | "failed" | null>(null);
  useEffect(() => setResult(null), [words]);
  useEffect(() => {
    // A failure stays visible: the reader must do something else.
    if (result !== "copied") return;
    const timer = setTimeout(() => setResult(null), SAID_MS);
    return () => clearTimeout(timer);
  }, [result]);
  // The browser may refuse a page opened from disk.
  const copy = () =>
    navigator.clipboard.writeText(words).then(
      () => setResult("copied"),
      () => setResult("failed"),
    );
  return (
    <>
      <Button aria-label={label} onClick={() => void copy()}>
        {text.say(result === "copied" ? "copied" : "copy")}
      </Button>
      <span class="soft" role="status">
        {result === "failed" && text.say("copy-failed")}
      </span>
    </>
  );
}
