// An error at its place, with a remedy.

import { Button } from "../button";
import { useText } from "../context";
import { inSentence } from "../names";
import { Quoted } from "../views/quoted";
import type { Trouble } from "./client";

interface TroubleProps {
  trouble: Trouble;
  /** Retries; offered if that may help. */
  onRetry: () => void;
}

/** The most characters shown of a server's error; it may quote names from outside. */
const WORDS_MAX = 600;

export function TroubleBox({ trouble, onRetry }: TroubleProps) {
  const text = useText();
  const isOurs = trouble.kind !== "refused";
  const error = isOurs ? text.say(`live-${trouble.kind}`) : inSentence(trouble.error, WORDS_MAX);
  const hint = isOurs ? text.say(`live-${trouble.kind}-hint`) : trouble.hint;
  return (
    <div class="live-trouble" role="alert">
      <p>
        <strong>
          <Quoted words={error} />
        </strong>
      </p>
      {hint !== null && (
        <p>
          <Quoted words={isOurs ? hint : text.say("live-hint", { hint: inSentence(hint, WORDS_MAX) })} />
        </p>
      )}
      {mayHelp(trouble) && (
        <Button onClick={onRetry}>
          {text.say("live-retry")}
        </Button>
      )}
    </div>
  );
}

/** Returns whether a repeated request may succeed. */
function mayHelp(trouble: Trouble): boolean {
  return trouble.kind === "refused" ? trouble.mayPass : trouble.kind !== "no-token";
}
