// The keys of one subscription on the wire: what is wanted, and what the exchange has confirmed. One request at a time.
import { backoff } from '../call/index.js';
import { isTransientRefusal, type Link, type Refusal } from './connection/index.js';
import type { Channel } from './channel.js';

type SubscribedChannel = Pick<Channel<unknown>, 'keys' | 'method' | 'params' | 'unsubscribeParams'>;

export interface SubscriptionReport {
  readonly onSubscribed: (key: string) => void;
  /** The exchange may have dropped the subscription: it is subscribed again. */
  readonly onInterrupted: (key: string) => void;
  readonly onRefused: (key: string, refusal: Refusal) => void;
}

const maxTransientFailures = 5;
const baseDelayMs = 500;
const maxDelayMs = 10_000;
/** Keys, each with the number of the wish for it. */
type Wishes = ReadonlyMap<string, number>;

export class SubscriptionList {
  readonly #link: Pick<Link, 'isOpen' | 'replace' | 'request'>;
  readonly #channel: SubscribedChannel;
  readonly #report: SubscriptionReport;
  readonly #random: () => number;
  /** A key that is added or renewed is a new wish: only a request that was sent after it fulfills it. */
  readonly #wanted = new Map<string, number>();
  #wishes = 0;
  /** The wishes that the exchange has confirmed, as far as nothing has put them in doubt since. */
  #confirmed: Wishes = new Map();
  /** Whether new keys are added one by one: a refusal of several has named none. */
  #isCareful = false;
  /** The keys of the last subscription that the exchange may have. */
  #requested: readonly string[] = [];
  /** Whether a request is in flight, or waits to be repeated. */
  #isBusy = false;
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    link: Pick<Link, 'isOpen' | 'replace' | 'request'>,
    channel: SubscribedChannel,
    report: SubscriptionReport,
    random: () => number,
  ) {
    this.#link = link;
    this.#channel = channel;
    this.#report = report;
    this.#random = random;
  }

  add(key: string): void {
    this.#wish(key);
    this.#queue();
  }

  remove(key: string): void {
    this.#wanted.delete(key);
    this.#queue();
  }

  renew(key: string): void {
    if (this.#wanted.has(key)) this.add(key);
  }

  onOpen(): void {
    this.#queue();
  }

  onDown(): void {
    clearTimeout(this.#timer);
    this.#confirmed = new Map();
    this.#isCareful = false;
    this.#requested = [];
    this.#isBusy = false;
    this.#failures = 0;
  }

  #wish(key: string): void {
    this.#wishes += 1;
    this.#wanted.set(key, this.#wishes);
  }

  /** All changes of a turn are one change: the first one sends, and the others find nothing to send. */
  #queue(): void {
    queueMicrotask(() => {
      this.#send();
    });
  }

  #next(): Wishes {
    const added = [...this.#wanted.keys()].filter((key) => !this.#confirmed.has(key));
    this.#isCareful &&= added.length > 0;
    const later = new Set(this.#isCareful ? added.slice(1) : []);
    return new Map([...this.#wanted].filter(([key]) => !later.has(key)));
  }

  #send(): void {
    if (this.#isBusy || !this.#link.isOpen) return;
    const wishes = this.#next();
    if (wishes.size === 0 ? this.#requested.length > 0 : !isSame(this.#confirmed, wishes)) this.#request(wishes);
  }

  #request(wishes: Wishes): void {
    this.#isBusy = true;
    const { method, params: paramsOf = (all) => all, unsubscribeParams = () => [] } = this.#channel;
    const keys = [...wishes.keys()];
    const isEnd = keys.length === 0;
    const params = isEnd ? unsubscribeParams(this.#requested) : paramsOf(keys);
    if (!isEnd) this.#requested = keys;
    this.#link.request(`${method}_${isEnd ? 'unsubscribe' : 'subscribe'}`, params).subscribe((end) => {
      // The connection has ended: the next one subscribes again.
      if (!this.#isBusy) return;
      this.#isBusy = false;
      if (end.type === 'result') this.#onConfirmed(wishes);
      else if (end.type === 'refused') this.#onRefused(wishes, end.refusal);
      else this.#fail();
    });
  }

  #onConfirmed(wishes: Wishes): void {
    const before = this.#confirmed;
    this.#failures = 0;
    this.#confirmed = wishes;
    this.#requested = [...wishes.keys()];
    for (const [key, wish] of wishes) {
      if (before.get(key) !== wish && this.#wanted.get(key) === wish) this.#report.onSubscribed(key);
    }
    this.#send();
  }

  #onRefused(wishes: Wishes, refusal: Refusal): void {
    const keys = [...wishes.keys()];
    if (isTransientRefusal(refusal)) {
      this.#fail();
      return;
    }
    // There was nothing to end.
    if (keys.length === 0) {
      this.#onConfirmed(wishes);
      return;
    }
    this.#failures = 0;
    // Words: `market BTC_USDTX does not exist` does not name BTC_USDT.
    const words = new Set(refusal.message.split(/[^\w.*-]+/));
    const named = keys.filter((key) => words.has(key));
    const added = keys.filter((key) => !this.#confirmed.has(key));
    const candidates = named.length > 0 ? named : added.length > 0 ? added : keys;
    const refused = named.length > 0 || candidates.length === 1 ? candidates : [];
    this.#isCareful ||= refused.length === 0;
    // A subscription of its own that was refused leaves nothing of itself.
    if (this.#channel.keys === 'each') this.#requested = [];
    this.#doubt(candidates);
    for (const key of refused) if (this.#wanted.delete(key)) this.#report.onRefused(key, refusal);
    this.#send();
  }

  /** The exchange may have dropped any part of the list: what is good is subscribed again. */
  #doubt(bad: readonly string[]): void {
    this.#confirmed = new Map([...this.#confirmed].filter(([key]) => !bad.includes(key)));
    for (const key of this.#confirmed.keys()) {
      if (!this.#wanted.has(key)) continue;
      this.#wish(key);
      this.#report.onInterrupted(key);
    }
  }

  /** The state at the exchange is unknown: after some attempts the connection is replaced. */
  #fail(): void {
    this.#failures += 1;
    this.#doubt([]);
    if (this.#failures > maxTransientFailures) {
      this.#link.replace();
      return;
    }
    const delayMs = this.#random() * backoff(this.#failures + 1, baseDelayMs, maxDelayMs);
    this.#isBusy = true;
    this.#timer = setTimeout(() => {
      this.#isBusy = false;
      this.#send();
    }, delayMs);
  }
}

function isSame(one: Wishes, other: Wishes): boolean {
  return one.size === other.size && [...one].every(([key, wish]) => other.get(key) === wish);
}
