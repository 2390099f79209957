// The keys of one subscription on the wire: what is wanted, and what the exchange has confirmed. One request at a time.
import { tryOr } from '../errors/index.js';
import type { Refusal, RequestEnd } from './connection/index.js';
import type { ChannelDefinition } from './define-channel.js';

/** The connection, as a subscription uses it. */
export interface Requests {
  readonly isOpen: boolean;
  readonly generation: number;
  request(method: string, params: readonly unknown[], respond: (end: RequestEnd) => void): void;
  replace(): void;
}

/** What a subscription reports of its keys. */
export interface SubscriptionReport {
  /** The exchange has confirmed the subscription. */
  readonly onSubscribed: (key: string) => void;
  /** The exchange may have dropped the subscription: it is subscribed again. */
  readonly onInterrupted: (key: string) => void;
  /** The exchange refuses the key: it is wanted no more. */
  readonly onRefused: (key: string, refusal: Refusal) => void;
}

/** A channel of the user's own that makes no parameters of these keys. */
const noParams: Refusal = { code: undefined, message: 'the channel has no parameters for it' };
/** The exchange's codes for a failure of its own, and for too many requests: the same request may succeed later. */
const transientCodes: readonly (number | undefined)[] = [2, 3, 5, 7];
const maxTransientFailures = 5;
const baseDelayMs = 500;
const maxDelayMs = 10_000;

export class SubscriptionList {
  readonly #requests: Requests;
  readonly #channel: Pick<ChannelDefinition<unknown>, 'subscribe' | 'unsubscribe' | 'params' | 'unsubscribeParams'>;
  readonly #report: SubscriptionReport;
  readonly #random: () => number;
  readonly #wanted = new Set<string>();
  /** What the exchange has confirmed; `undefined` after a refusal, which may leave all of it, a part, or nothing. */
  #confirmed: ReadonlySet<string> | undefined = new Set();
  /** Keys that were confirmed and not refused since. */
  #good: ReadonlySet<string> = new Set();
  /** New keys of a refused list: they are tried one by one. */
  #suspects: string[] = [];
  /** Keys whose next confirmation is reported. */
  readonly #unreported = new Set<string>();
  #isQueued = false;
  #isSending = false;
  #failures = 0;
  #retryTimer: NodeJS.Timeout | undefined;

  constructor(
    requests: Requests,
    channel: Pick<ChannelDefinition<unknown>, 'subscribe' | 'unsubscribe' | 'params' | 'unsubscribeParams'>,
    report: SubscriptionReport,
    random: () => number,
  ) {
    this.#requests = requests;
    this.#channel = channel;
    this.#report = report;
    this.#random = random;
  }

  /** Whether nothing is wanted of it, now or from the exchange. */
  get isEmpty(): boolean {
    return this.#wanted.size === 0 && this.#confirmed?.size === 0 && !this.#isSending;
  }

  add(key: string): void {
    this.#wanted.add(key);
    this.#unreported.add(key);
    this.#queue();
  }

  remove(key: string): void {
    this.#wanted.delete(key);
    this.#unreported.delete(key);
    this.#suspects = this.#suspects.filter((suspect) => suspect !== key);
    this.#queue();
  }

  /** Subscribes the key again: the exchange starts with a new snapshot. */
  renew(key: string): void {
    if (!this.#wanted.has(key)) return;
    this.#unreported.add(key);
    this.#confirmed = undefined;
    this.#queue();
  }

  /** The connection is new: it has no subscription. */
  onOpen(): void {
    this.#forget();
    for (const key of this.#wanted) this.#unreported.add(key);
    this.#queue();
  }

  onDown(): void {
    this.#forget();
  }

  #forget(): void {
    clearTimeout(this.#retryTimer);
    this.#retryTimer = undefined;
    this.#confirmed = new Set();
    this.#good = new Set();
    this.#suspects = [];
    this.#isSending = false;
    this.#failures = 0;
  }

  /** All changes of a turn are one change. */
  #queue(): void {
    if (this.#isQueued) return;
    this.#isQueued = true;
    queueMicrotask(() => {
      this.#isQueued = false;
      this.#send();
    });
  }

  /** The keys of the next request: all, or those that are good with one suspect. */
  #next(): readonly string[] {
    const [suspect] = this.#suspects;
    if (suspect === undefined) return [...this.#wanted];
    return [...[...this.#wanted].filter((key) => this.#good.has(key)), suspect];
  }

  #send(): void {
    if (this.#isSending || this.#retryTimer !== undefined || !this.#requests.isOpen) return;
    const keys = this.#next();
    if (this.#confirmed !== undefined && hasExactly(this.#confirmed, keys)) return;
    const { generation } = this.#requests;
    const respond = (end: RequestEnd) => {
      if (generation !== this.#requests.generation || !this.#isSending) return;
      this.#isSending = false;
      if (end.type === 'result') this.#onConfirmed(keys);
      else if (end.type === 'refused') this.#onRefused(keys, end.refusal);
      else this.#retryLater();
    };
    this.#isSending = true;
    const { subscribe, unsubscribe, params: paramsOf = (all) => all, unsubscribeParams = () => [] } = this.#channel;
    const params = tryOr(() => (keys.length > 0 ? paramsOf(keys) : unsubscribeParams([...this.#good])), undefined);
    if (params !== undefined) this.#requests.request(keys.length > 0 ? subscribe : unsubscribe, params, respond);
    else {
      queueMicrotask(() => {
        respond({ type: 'refused', refusal: noParams });
      });
    }
  }

  #onConfirmed(keys: readonly string[]): void {
    this.#failures = 0;
    this.#confirmed = new Set(keys);
    this.#good = this.#confirmed;
    if (keys.includes(this.#suspects[0] ?? '')) this.#suspects.shift();
    for (const key of keys) if (this.#unreported.delete(key)) this.#report.onSubscribed(key);
    this.#send();
  }

  #onRefused(keys: readonly string[], refusal: Refusal): void {
    if (transientCodes.includes(refusal.code)) {
      this.#retryLater();
      return;
    }
    const isNew = (key: string) => !this.#good.has(key);
    const added = keys.filter(isNew);
    const candidates = added.length === 0 ? keys : added;
    const named = candidates.filter((key) => names(refusal.message, key));
    const refused = named.length > 0 ? named : candidates.length === 1 ? candidates : [];
    // The exchange may have dropped any part of the former list.
    this.#confirmed = keys.length === 0 ? new Set() : undefined;
    this.#good = new Set([...this.#good].filter((key) => !candidates.includes(key)));
    this.#suspects =
      refused.length > 0
        ? this.#suspects.filter((key) => !refused.includes(key))
        : candidates.filter((key) => this.#wanted.has(key));
    for (const key of this.#good) {
      if (!this.#wanted.has(key)) continue;
      this.#unreported.add(key);
      this.#report.onInterrupted(key);
    }
    for (const key of refused) {
      if (!this.#wanted.delete(key)) continue;
      this.#unreported.delete(key);
      this.#report.onRefused(key, refusal);
    }
    this.#send();
  }

  /** Nobody knows what the exchange has: after some attempts the connection is replaced. */
  #retryLater(): void {
    this.#failures += 1;
    this.#confirmed = undefined;
    if (this.#failures > maxTransientFailures) {
      this.#requests.replace();
      return;
    }
    const delayMs = this.#random() * Math.min(maxDelayMs, baseDelayMs * 2 ** this.#failures);
    this.#retryTimer = setTimeout(() => {
      this.#retryTimer = undefined;
      this.#send();
    }, delayMs);
  }
}

function hasExactly(set: ReadonlySet<string>, keys: readonly string[]): boolean {
  return set.size === keys.length && keys.every((key) => set.has(key));
}

/** Whether the text has the key as a word: `market BTC_USDTX does not exist` does not name BTC_USDT. */
function names(message: string, key: string): boolean {
  return message.split(/[^\w.*-]+/).includes(key);
}
