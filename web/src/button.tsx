// A button that sends no form.

import type { ComponentProps } from "preact";

export function Button(props: ComponentProps<"button">) {
  return <button type="button" {...props} />;
}

/** A note in small print. */
export function Note(props: ComponentProps<"p">) {
  return <p class="live-small" {...props} />;
}
