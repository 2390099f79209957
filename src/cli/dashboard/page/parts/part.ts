// What every part of the page is, and what it may ask of the page.
import type { Action, View } from '../../messages.js';
import type { PartName, State } from '../views/state.js';

export interface Part {
  readonly of: readonly PartName[];
  readonly draw: (state: State) => void;
  /** Once a second: ages, and charts that need no more. */
  readonly tick?: (state: State) => void;
}

export interface Page {
  readonly choose: (view: Partial<View>) => void;
  readonly confirm: (action: Action) => void;
  readonly reconnect: () => void;
  readonly say: (text: string) => void;
}
