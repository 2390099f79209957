// What the client keeps of a call beyond its requests: whether it may be sent, and how its result is looked up.
import { EMPTY, type Observable } from 'rxjs';
import type { Answer, Note, Question } from './change.js';
import type { Sent } from './known.js';

/** What the client keeps of a call beyond its requests. */
export interface Keeper<Output> {
  /** Completes when a request may be sent, and fails when it must not be. */
  readonly check$?: Observable<never> | undefined;
  /**
   * A subscription begins; throws when it must not. `onPushed` gets the time when the order was placed, Unix ms, as the
   * live connection pushes it.
   */
  begin(onPushed: (placedAt: number) => void): Hold;
  /** Looks the result up. `pushed$` emits when the next lookup need not wait. */
  ask(question: Question | EarlyQuestion, pushed$: Observable<unknown>): Observable<Answer<Output>>;
  note(note: Note<Output>): void;
}

/** What is kept while a call has a subscriber. */
export interface Hold {
  /** Whether a request of it still makes sense. */
  isCurrent(): boolean;
  end?(): void;
}

/** A lookup of an order that was pushed, and whose response may still come. */
export interface EarlyQuestion {
  readonly do: 'ask early';
  readonly first: Sent;
}

/** Nothing is checked, looked up or noted. */
export const noKeeper: Keeper<never> = {
  begin: () => noHold,
  ask: () => EMPTY,
  note: () => undefined,
};

const noHold: Hold = { isCurrent: () => true };
