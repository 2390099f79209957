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
  readonly lostAt?: number;
  readonly attempts: number;
}

export class Witness {
  readonly #began = Date.now();
  #events: readonly EventRow[] = [];
  #lastId = 0;
  readonly #minutes = new Map<number, ExchangePart['counts']>();
  readonly #connections = new Map<string, KnownConnection>();
  /** Orders whose lookups ended without a result, by client_order_id. */
  #givenUp: readonly string[] = [];
  readonly #changes = new Subject<void>();
  readonly #subscription: Subscription;
  readonly changed$: Observable<void> = this.#changes.asObservable();

  constructor({ events$ }: Pick<Exchange, 'events$'>) {
    this.#subscription = events$.subscribe((event) => {
      this.#see(event);
    });
  }

  get events(): readonly EventRow[] {
    return this.#events;
  }

  isGivenUp(client_order_id: string): boolean {
    return this.#givenUp.includes(client_order_id);
  }

  get countedSince(): number {
    return Math.max(this.#began, Date.now() - countedMs);
  }

  get counts(): ExchangePart['counts'] {
    const from = Math.floor(this.countedSince / minuteMs);
    const minutes = [...this.#minutes].flatMap(([minute, counts]) => (minute < from ? [] : counts));
    const total = (name: Counted) => minutes.reduce((sum, counts) => sum + counts[name], 0);
    return { gaps: total('gaps'), losses: total('losses'), errors: total('errors') };
  }

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
    const counts = this.#minutes.get(minute) ?? { gaps: 0, losses: 0, errors: 0 };
    this.#minutes.set(minute, { ...counts, [name]: counts[name] + 1 });
    for (const old of this.#minutes.keys()) if (old < minute - 60) this.#minutes.delete(old);
  }

  #see(event: ClientEvent): void {
    if (event.type === 'live-connection') this.#seeConnection(event);
    if (event.type === 'order') {
      const { client_order_id: id, progress } = event;
      const givenUp = progress === 'unknown' || progress === 'unsubscribed' ? [id] : [];
      this.#givenUp = [...this.#givenUp.filter((one) => one !== id), ...givenUp].slice(-maxEvents);
    }
    const noted = noteOf(event);
    if (noted !== undefined) this.add(...noted);
  }

  #seeConnection({ connection, state, code, status }: LiveConnectionEvent): void {
    const known = this.#connections.get(connection) ?? { isOpen: false, attempts: 0 };
    const name = connectionNames.get(connection) ?? `connection of ${connection}`;
    if (state.status === 'idle') {
      this.#connections.delete(connection);
    } else if (state.status === 'open') {
      const { lostAt } = known;
      if (lostAt !== undefined) this.add('back', `${name} back after ${seconds(Date.now() - lostAt)}`);
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

function noteOf(event: ClientEvent): Parameters<Witness['add']> | undefined {
  switch (event.type) {
    case 'response': {
      if (event.result !== 'error') return undefined;
      const status = event.status === undefined ? '' : `, HTTP ${event.status}`;
      return ['error', `${event.endpoint}: ${event.kind ?? 'failed'}${status}`, 'errors'];
    }
    case 'wait':
      return event.kind && ['error', `${event.endpoint}: ${event.kind}, not sent`, 'errors'];
    case 'order': {
      const isDoubt = ['looking-up', 'unknown', 'unsubscribed'].includes(event.progress);
      return [isDoubt ? 'doubt' : 'decided', `${event.client_order_id}: ${orderWords[event.progress]}`];
    }
    case 'movement':
      return ['note', `${event.endpoint}: ${event.progress}`];
    case 'unreadable':
      return ['error', `${event.endpoint}: ${event.count} records could not be read: ${event.sample}`, 'errors'];
    case 'limit':
      return ['error', `${event.rateLimit}: 429, cooling down for ${seconds(event.coolDownMs)}`, 'errors'];
    case 'sharing':
      return ['note', `shared limits: ${event.state}: ${event.reason}`];
    case 'live-gap':
      return ['gap', gapText(event), 'gaps'];
    // A gap, or the age of a panel, says what the others mean.
    default:
      return undefined;
  }
}

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
