// What every part of the page is, and what it may ask of the page.
import type { Action, View } from '../../messages.js';
import type { PartName, State } from '../views/state.js';

export interface Part {
  /** The parts of the feed that it draws. */
  readonly of: readonly PartName[];
  readonly draw: (state: State) => void;
  /** Once a second: ages, and charts that need no more. */
  readonly tick?: (state: State) => void;
}

export interface Page {
  /** Shows another market, interval or currency. */
  choose(view: Partial<View>): void;
  /** Asks for a confirmation of what would happen. */
  confirm(action: Action): void;
  /** Connects to the server again, now. */
  reconnect(): void;
  /** Speaks to a screen reader when it has time. */
  say(text: string): void;
}
