// What has happened: errors, gaps, lost connections, orders in doubt. It is kept whether a page is open or not, because
// listening costs no request.
import { Subject, type Observable, type Subscription } from 'rxjs';
import type { ClientEvent } from '../../../client/index.js';
import type { Exchange } from '../../../exchange.js';
import type { LiveConnectionEvent, LiveGapEvent } from '../../../live/index.js';
import type { EventRow, ExchangePart } from '../messages.js';
import { pageText } from '../page-text.js';

const maxEvents = 50;
const countedMs = 3_600_000;
const minuteMs = 60_000;

type Counted = keyof ExchangePart['counts'];

/** What is known of a connection that is not open, or has been open. */
interface KnownConnection {
  readonly isOpen: boolean;
  /** When it was lost; `undefined` before it was open. */
  readonly lostAt?: number;
  readonly attempts: number;
}

export class Witness {
  readonly #began = Date.now();
  /** Newest first. */
  #events: readonly EventRow[] = [];
  #lastId = 0;
  /** Counts by the minute in which they were, oldest first. */
  #minutes: readonly { readonly minute: number; readonly counts: ExchangePart['counts'] }[] = [];
  readonly #connections = new Map<string, KnownConnection>();
  /** Orders whose lookups ended without a result, by client_order_id. */
  #givenUp: readonly string[] = [];
  readonly #changes = new Subject<void>();
  readonly #subscription: Subscription;
  /** Emits when there is something new. */
  readonly changed$: Observable<void> = this.#changes.asObservable();

  constructor({ events$ }: Pick<Exchange, 'events$'>) {
    this.#subscription = events$.subscribe((event) => {
      this.#see(event);
    });
  }

  get events(): readonly EventRow[] {
    return this.#events;
  }

  /** Whether nobody looks up the order in doubt any more. */
  isGivenUp(client_order_id: string): boolean {
    return this.#givenUp.includes(client_order_id);
  }

  get countedSince(): number {
    return Math.max(this.#began, Date.now() - countedMs);
  }

  /** Counts of the last hour. */
  get counts(): ExchangePart['counts'] {
    const from = Math.floor(this.countedSince / minuteMs);
    const total = { gaps: 0, losses: 0, reconnections: 0, errors: 0 };
    for (const { minute, counts } of this.#minutes) {
      if (minute < from) continue;
      for (const name of names) total[name] += counts[name];
    }
    return total;
  }

  /** Adds an event; the text is bounded here. */
  add(kind: EventRow['kind'], text: string, counted?: Counted): void {
    this.#lastId += 1;
    const row: EventRow = { id: this.#lastId, at: Date.now(), kind, text: pageText(text) };
    this.#events = [row, ...this.#events].slice(0, maxEvents);
    if (counted !== undefined) this.#count(counted);
    this.#changes.next();
  }

  end(): void {
    this.#subscription.unsubscribe();
    this.#changes.complete();
  }

  #count(name: Counted): void {
    const minute = Math.floor(Date.now() / minuteMs);
    const last = this.#minutes.at(-1);
    const counts = last?.minute === minute ? last.counts : { gaps: 0, losses: 0, reconnections: 0, errors: 0 };
    const others = last?.minute === minute ? this.#minutes.slice(0, -1) : this.#minutes;
    this.#minutes = [...others, { minute, counts: { ...counts, [name]: counts[name] + 1 } }].slice(-61);
  }

  #see(event: ClientEvent): void {
    switch (event.type) {
      case 'response': {
        if (event.result !== 'error') return;
        const status = event.status === undefined ? '' : `, HTTP ${event.status}`;
        this.add('error', `${event.endpoint}: ${event.kind ?? 'failed'}${status}`, 'errors');
        return;
      }
      case 'wait':
        if (event.kind !== undefined) this.add('error', `${event.endpoint}: ${event.kind}, not sent`, 'errors');
        return;
      case 'order': {
        const { client_order_id: id, progress } = event;
        const isGivenUp = progress === 'unknown' || progress === 'unsubscribed';
        this.#givenUp = [...this.#givenUp.filter((one) => one !== id), ...(isGivenUp ? [id] : [])].slice(-maxEvents);
        const isDoubt = isGivenUp || progress === 'looking-up';
        this.add(isDoubt ? 'doubt' : 'decided', `${id}: ${orderWords[progress]}`);
        return;
      }
      case 'movement':
        this.add('note', `${event.endpoint}: ${event.progress}`);
        return;
      case 'unreadable':
        this.add('error', `${event.endpoint}: ${event.count} records could not be read: ${event.sample}`, 'errors');
        return;
      case 'limit':
        this.add('error', `${event.rateLimit}: 429, cooling down for ${seconds(event.coolDownMs)}`, 'errors');
        return;
      case 'sharing':
        this.add('note', `shared limits: ${event.state}: ${event.reason}`);
        return;
      case 'live-connection':
        this.#seeConnection(event);
        return;
      case 'live-gap':
        this.add('gap', gapText(event), 'gaps');
        return;
      // A gap, or the age of a panel, says what it means.
      case 'live-stale':
      case 'request':
      case 'retry':
      case 'end':
        return;
    }
  }

  #seeConnection({ connection, state, code, status }: LiveConnectionEvent): void {
    const known = this.#connections.get(connection) ?? { isOpen: false, attempts: 0 };
    const name = connectionNames.get(connection) ?? `connection of ${connection}`;
    if (state.status === 'idle') {
      this.#connections.delete(connection);
    } else if (state.status === 'open') {
      const { lostAt } = known;
      if (lostAt !== undefined) this.add('back', `${name} back after ${seconds(Date.now() - lostAt)}`, 'reconnections');
      this.#connections.set(connection, { isOpen: true, attempts: 0 });
    } else if (state.status === 'waiting') {
      const detail = status === undefined ? (code === undefined ? '' : `, code ${code}`) : `, HTTP ${status}`;
      const why = `${waitingWords(state.reason)}${detail}`;
      if (known.isOpen) this.add('lost', `${name} lost: ${why}`, 'losses');
      else this.add('error', `${name}: attempt ${known.attempts + 1} failed: ${why}`);
      const lostAt = known.isOpen ? Date.now() : known.lostAt;
      const attempts = known.isOpen ? 0 : known.attempts + 1;
      this.#connections.set(connection, { isOpen: false, attempts, ...(lostAt === undefined ? {} : { lostAt }) });
    }
  }
}

const names = ['gaps', 'losses', 'reconnections', 'errors'] as const;

const connectionNames: ReadonlyMap<string, string> = new Map([
  ['public', 'live connection'],
  ['private', "account's live connection"],
]);

const orderWords = {
  'looking-up': 'no response, being looked up',
  found: 'was placed',
  absent: 'was not placed',
  unknown: 'outcome unknown',
  unsubscribed: 'outcome unknown, nobody waits for it',
  'not-identified': 'was placed, without its client_order_id',
} as const;

/** Why a connection waits, in words. */
export function waitingWords(reason: string): string {
  const words: ReadonlyMap<string, string> = new Map([
    ['refused', 'connection refused'],
    ['lost', 'closed'],
    ['dead', 'no message in time'],
    ['suspended', 'this machine was suspended'],
    ['unreadable', 'unreadable messages'],
    ['unauthorized', 'no token'],
    ['connection-rate', 'too many connections in a short time'],
  ]);
  return words.get(reason) ?? reason;
}

function gapText({ channel, market, reason, from, to, filled }: LiveGapEvent): string {
  const what = market === undefined ? channel : `${channel} ${market}`;
  const after = filled ? 'filled' : 'items may be missing';
  return `${what}: gap of ${seconds(Math.max(0, to - from) * 1000)} (${reason}), ${after}`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
}
