// The real-time interface: it admits connections, and sends what is due while one is open.
import { RateLimiter } from '../http/index.js';
import { AccountFeed } from './account-feed.js';
import { type Channel, tickMs } from './channel.js';
import { publicChannels } from './channels/index.js';
import type { Admission, ChannelPush, LiveSocket } from './envelope.js';
import { LiveConnection, type LiveState } from './live-connection.js';
import type { LiveFault } from './live-fault.js';

export const livePath = '/ws';
/** No close frame has it: it stands for a connection that ended without one. */
export const lostCode = 1006;
const connectionLimit = { limit: 1000, windowMs: 60_000 };

export class LiveServer {
  readonly #connections = new Set<LiveConnection>();
  readonly #admissions = new RateLimiter(() => connectionLimit);
  readonly channels: readonly Channel[];
  readonly #feed: AccountFeed;
  #stopTicks: (() => void) | undefined;
  /** Of a recorded exchange: whether connections are refused. */
  isDown = false;
  #ms = 0;

  constructor(private readonly shared: LiveState) {
    this.channels = Object.entries(publicChannels).map(([name, rulesOf]) =>
      shared.recordedChannel({ name, ...rulesOf(shared.exchange) }),
    );
    this.#feed = new AccountFeed(shared, () =>
      [...this.#connections].filter(({ session }) => session.account !== undefined),
    );
  }

  inject(fault: LiveFault): void {
    this.shared.faults.add(fault);
    for (const connection of [...this.#connections]) connection.meetFault();
  }

  admit(respond: (response: Admission) => void): void {
    const { clock, gateway } = this.shared.state;
    const { kind, status = 503, retryAfterSeconds, delayMs = 1000 } = this.shared.faults.take('handshake') ?? {};
    if (kind === 'slow-handshake')
      clock.after(delayMs, () => {
        respond({ status: 101 });
      });
    else if (kind === 'status') respond({ status, retryAfterSeconds });
    else if (kind === 'refuse' || this.isDown) respond('refused');
    else if (!this.#admissions.admit(['connections'], clock.now())) respond({ status: 429 });
    else respond({ status: gateway.isInMaintenance ? 503 : 101 });
  }

  open(socket: LiveSocket): LiveConnection {
    const connection = new LiveConnection(this.shared.record.opened(), socket, this.shared, this);
    this.#connections.add(connection);
    this.#stopTicks ??= this.shared.state.clock.every(tickMs, () => {
      this.#ms += tickMs;
      this.flush();
      for (const one of [...this.#connections]) one.tick(this.#ms);
    });
    connection.meetFault();
    return connection;
  }

  flush(): void {
    this.shared.exchange.refresh();
    this.#feed.flush();
  }

  push(push: ChannelPush): void {
    this.shared.exchange.refresh();
    for (const connection of [...this.#connections])
      if (connection.session.marketsOf(push.channel).length > 0) connection.send([push]);
  }

  passOn(push: ChannelPush & { readonly market: string }, isSnapshot: boolean): void {
    for (const connection of [...this.#connections])
      if (connection.session.passes(push.channel, push.market, isSnapshot)) connection.send([push]);
  }

  passOnText(text: string): void {
    for (const connection of [...this.#connections])
      if (connection.session.marketsOf().length > 0) connection.sendText(text);
  }

  goDown(code: number | undefined): void {
    this.isDown = true;
    for (const connection of [...this.#connections])
      connection.suffer(code === undefined || code === lostCode ? { kind: 'cut' } : { kind: 'close', code });
  }

  forget(connection: LiveConnection): void {
    this.#connections.delete(connection);
    this.shared.record.openConnections -= 1;
    if (this.#connections.size > 0) return;
    this.#stopTicks?.();
    this.#stopTicks = undefined;
  }
}
