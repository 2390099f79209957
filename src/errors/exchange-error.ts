// What every error has in common: a kind, what became of the request, and a message that can be printed anywhere.
import { copyError } from './foreign-value.js';
import { replaceUnprintable } from '../model/printable.js';

/**
 * What became of the request, the one thing a bot must know after a failure:
 * - `not-executed`: it never left this process (or never reached the exchange); nothing was placed.
 * - `rejected`: the exchange refused it; nothing was placed.
 * - `unknown`: it may have been executed. Of an order: look it up by its `client_order_id` before doing anything else,
 *   see {@link isUndecided}.
 * - `none`: the request changes nothing, so that there is no outcome to learn: a read whose response was lost.
 */
export type Outcome = 'not-executed' | 'rejected' | 'unknown' | 'none';

/** What every error of this package is made of, beside its message. */
export interface ExchangeErrorOptions {
  /** Name of the endpoint, or of the function, that failed. */
  readonly endpoint: string;
  /** What became of the request. */
  readonly outcome: Outcome;
  /**
   * What led to it. An error of this package is kept as it is; of any other there is an account: its name, message,
   * code, stack and causes.
   */
  readonly cause?: unknown;
}

/**
 * All of this package's errors: neither a proxy nor an imitation is among them, and to look needs no code of theirs.
 */
const ours = new WeakSet<object>();

/** The base of every error of this package. */
export abstract class ExchangeError extends Error {
  /** What happened; switch on it. */
  abstract readonly kind: string;
  /** Name of the endpoint that was called, such as `placeStockMarketOrder`. */
  readonly endpoint: string;
  /** What became of the request. */
  readonly outcome: Outcome;
  /** The identifier of the order that the call was about, when it was about one. */
  declare client_order_id?: string;

  constructor(message: string, options: ExchangeErrorOptions) {
    const cause = options.cause instanceof ExchangeError ? options.cause : copyError(options.cause);
    super(`${options.endpoint}: ${oneLine(message)}`, cause === undefined ? {} : { cause });
    ours.add(this);
    hide(this, 'name', new.target.name);
    this.endpoint = options.endpoint;
    this.outcome = options.outcome;
  }

  /**
   * `instanceof`, which would fail at a proxy that is revoked, and let pass what only inherits from an error.
   *
   * @internal
   */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return (
      typeof value === 'object' &&
      value !== null &&
      ours.has(value) &&
      Function.prototype[Symbol.hasInstance].call(this, value)
    );
  }

  /** What a logger writes of it; the cause and the raw body stay out. */
  toJSON(): object {
    return Object.assign({ name: this.name, message: this.message }, this);
  }
}

/** What is known of the outcome by now. */
export function setOutcome(error: ExchangeError, outcome: Outcome): void {
  Object.defineProperty(error, 'outcome', { value: outcome, enumerable: true, configurable: true });
}

/** A request that changes nothing has no outcome that a caller would have to learn. */
export function clearUnknownOutcome(error: ExchangeError): void {
  if (error.outcome === 'unknown') setOutcome(error, 'none');
}

/** The longest message, characters: what it quotes may be as long as an answer. */
const maxMessageLength = 2000;

/** A message as a terminal or a log can be given it, whatever it quotes. */
function oneLine(message: string): string {
  const short = message.length > maxMessageLength ? `${message.slice(0, maxMessageLength)}…` : message;
  return replaceUnprintable(short, () => ' ');
}

/** Keeps a property out of the sight of loggers, `JSON.stringify` and `util.inspect`. */
export function hide(error: ExchangeError, property: string, value: unknown): void {
  Object.defineProperty(error, property, { value, enumerable: false, configurable: true });
}
