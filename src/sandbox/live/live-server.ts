// The real-time interface: it admits connections, and sends what is due while one is open.
import { RateLimiter } from '../http/index.js';
import { accountChannels } from './account-channels/index.js';
import { AccountFeed } from './account-feed.js';
import { type Channel, tickMs } from './channel.js';
import type { Admission, LiveSocket, Push } from './envelope.js';
import * as publicChannels from './channels/index.js';
import { type LiveFault, struckBy } from './live-fault.js';
import type { FaultTarget, Restriction } from './live-faults.js';
import { type ConnectionOwner, LiveConnection, type LiveState } from './live-connection.js';
import type { LiveSession } from './live-session.js';

export const livePath = '/ws';
/** No close frame has it: it stands for a connection that ended without one. */
const lostCode = 1006;
/** Of new connections. */
const connectionLimit = { limit: 1000, windowMs: 60_000 };

export class LiveServer implements ConnectionOwner {
  readonly #connections = new Set<LiveConnection>();
  readonly #admissions: RateLimiter;
  readonly channels: readonly Channel[];
  readonly #feed: AccountFeed;
  #stopTicks: (() => void) | undefined;
  /** Of a recorded exchange: whether connections are refused. */
  isDown = false;
  #ms = 0;

  constructor(private readonly shared: LiveState) {
    const { exchange, faults, recordedChannel = (channel) => channel } = shared;
    this.channels = Object.values(publicChannels).map((channelOf) => recordedChannel(channelOf(exchange)));
    this.#admissions = new RateLimiter(() => connectionLimit);
    this.#feed = new AccountFeed(shared, () =>
      [...this.#connections].filter(({ session }) => session.account !== undefined),
    );
    faults.onAdded = () => {
      for (const connection of [...this.#connections]) this.meetFault(connection);
    };
  }

  admit(): Admission {
    const { state, faults } = this.shared;
    const at = (status: number): Admission => ({ response: { status }, delayMs: 0 });
    const fault = faults.take(handshake);
    if (fault !== undefined) return admissionWith(fault);
    if (this.isDown) return { response: 'refused', delayMs: 0 };
    if (!this.#admissions.admit(['connections'], state.clock.now())) return at(429);
    return at(state.gateway.isInMaintenance ? 503 : 101);
  }

  open(socket: LiveSocket): LiveConnection {
    const connection = new LiveConnection(this.shared.record.opened(), socket, this.shared, this);
    this.#connections.add(connection);
    this.#stopTicks ??= this.shared.state.clock.every(tickMs, () => {
      this.#tick();
    });
    this.meetFault(connection);
    return connection;
  }

  channelsOf(account: string): readonly Channel[] {
    const { state, exchange } = this.shared;
    state.engine.accountEvents.follow(account);
    return accountChannels(exchange, state, account);
  }

  flush(): void {
    this.#feed.flush();
  }

  push(push: Push): void {
    this.shared.exchange.refresh();
    for (const connection of [...this.#connections])
      if (connection.session.marketsOf(push.channel).length > 0) connection.send([push]);
  }

  /** Passes a recorded message on, as it is. */
  passOn(push: Push & { readonly market: string }, isSnapshot: boolean): void {
    for (const connection of [...this.#connections])
      if (connection.session.passes(push.channel, push.market, isSnapshot)) connection.send([push]);
  }

  /** Passes recorded text that is no message on. */
  passOnText(text: string): void {
    for (const connection of [...this.#connections])
      if (connection.session.marketsOf().length > 0) connection.sendText(text);
  }

  /** Ends all connections with this code, and refuses others. */
  goDown(code: number | undefined): void {
    this.isDown = true;
    for (const connection of [...this.#connections])
      connection.suffer(code === undefined || code === lostCode ? { kind: 'cut' } : { kind: 'close', code });
  }

  #tick(): void {
    this.#ms += tickMs;
    this.shared.exchange.refresh();
    this.#feed.flush();
    for (const connection of [...this.#connections]) connection.tick(this.#ms);
  }

  forget(connection: LiveConnection): void {
    this.#connections.delete(connection);
    this.shared.record.ended();
    if (this.#connections.size > 0) return;
    this.#stopTicks?.();
    this.#stopTicks = undefined;
  }

  /** Faults of connections meet those that are open, the oldest first. */
  meetFault(connection: LiveConnection): void {
    if (!connection.isOpen) return;
    const { session } = connection;
    const fault = this.shared.faults.takeInjected({
      allows: (kind) => struckBy(kind) === 'connection',
      concerns: (restriction) => isSubscribed(session, restriction),
    });
    if (fault !== undefined) connection.suffer(fault);
  }
}

const handshake: FaultTarget = {
  allows: (kind) => struckBy(kind) === 'handshake',
  concerns: () => true,
};

function admissionWith({ kind, status = 503, retryAfterSeconds, delayMs = 1000 }: LiveFault): Admission {
  if (kind === 'refuse') return { response: 'refused', delayMs: 0 };
  if (kind === 'status')
    return { response: { status, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) }, delayMs: 0 };
  return { response: { status: 101 }, delayMs };
}

function isSubscribed(session: LiveSession, { channel, market }: Restriction): boolean {
  if (channel === undefined && market === undefined) return true;
  const markets = session.marketsOf(channel);
  return market === undefined ? markets.length > 0 : markets.includes(market);
}
