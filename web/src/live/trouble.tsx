// What went wrong, where it went wrong, with what to do.

import { useText } from "../context";
import { inSentence } from "../names";
import { Quoted } from "../views/quoted";
import type { Trouble } from "./client";

interface TroubleProps {
  trouble: Trouble;
  /** What trying again does; offered where it may help. */
  onRetry: () => void;
}

/** How much of a server's error is shown; it may quote names from outside. */
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
        <button type="button" onClick={onRetry}>
          {text.say("live-retry")}
        </button>
      )}
    </div>
  );
}

/** Returns whether the same request may be answered when it is made again. */
function mayHelp(trouble: Trouble): boolean {
  return trouble.kind === "refused" ? trouble.mayPass : trouble.kind !== "no-token";
}
