// Contains the failure of one part of the page: that part shows the error, all others stay.

import { Component, type ComponentChildren } from "preact";
import { useText } from "../context";
import { inSentence } from "../names";

/** The most characters shown of an error; it may quote data from outside. */
const REASON_MAX = 300;

interface BoundaryProps {
  /** The data of the content: new data is tried again. */
  of: unknown;
  children: ComponentChildren;
}

interface BoundaryState {
  reason: string | null;
}

export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { reason: null };

  static override getDerivedStateFromError(error: unknown): BoundaryState {
    return { reason: error instanceof Error ? error.message : String(error) };
  }

  override componentDidUpdate(before: BoundaryProps): void {
    if (before.of !== this.props.of && this.state.reason !== null) this.setState({ reason: null });
  }

  override render() {
    const { reason } = this.state;
    return reason === null ? <>{this.props.children}</> : <Broken reason={reason} />;
  }
}

function Broken({ reason }: { reason: string }) {
  const text = useText();
  return (
    <div role="alert">
      <p>{text.say("view-broken")}</p>
      <p class="soft">{inSentence(reason, REASON_MAX)}</p>
    </div>
  );
}
