// The exchange as recorded lines show it: messages are passed on, books and trades reach the engine.
import type { RecordedLine } from '../../recording/index.js';
import { type Engine, listMarket, RecordedBook, type QueueModel } from '../engine/index.js';
import type { LiveServer } from '../live/index.js';
import { channelOf, DepthChanges, isSnapshot, listingsOf, readFrame, tradesOfBody } from './recorded-frame.js';
import type { MarketFees, ReadFrame } from './recorded-frame.js';
import { MarketState } from './market-state.js';

export interface RecordedExchangeParts {
  readonly engine: Engine;
  readonly live: LiveServer;
  readonly markets: readonly string[];
  readonly now: () => number;
  readonly model: QueueModel;
  readonly fees: Readonly<Record<string, MarketFees>>;
}

const matched: readonly string[] = ['depth', 'trades'];

interface Market {
  readonly book: RecordedBook;
  readonly state: MarketState;
  /** Changes that the engine gets when it is used, because no order can meet them. */
  waiting: DepthChanges | undefined;
}

/** Funding is settled at whole minutes, at the prices before. */
const minuteMs = 60_000;

export class RecordedExchange {
  readonly #markets = new Map<string, Market>();
  readonly #delay = new EngineDelay();
  readonly #open = new Set<number>();
  /** Resolves when the rules of the markets are known: no earlier request has a response. */
  readonly ready: Promise<void>;
  #setReady = (): void => undefined;
  #minute = 0;

  constructor(private readonly parts: RecordedExchangeParts) {
    const { engine, markets, model, now } = parts;
    this.ready = new Promise((resolve) => {
      this.#setReady = resolve;
    });
    for (const name of markets) {
      const listed = engine.markets.book(name);
      const book = new RecordedBook(model, listed.listing, () => this.#delay.engineTime(now()));
      listed.recorded = book;
      this.#markets.set(name, { book, state: new MarketState(name, now()), waiting: undefined });
    }
    engine.recorded.catchUp = () => {
      this.#catchUp();
    };
  }

  states(): readonly MarketState[] {
    this.#catchUp();
    return [...this.#markets.values()].map(({ state }) => state);
  }

  state(market: string): MarketState | undefined {
    return this.#markets.get(market)?.state;
  }

  receive(line: RecordedLine): void {
    const { engine } = this.parts;
    const minute = Math.floor(line.t / minuteMs);
    // What was due before the line, such as a kill switch, happens first.
    if (line.k !== 'frame' || minute !== this.#minute || !engine.isIdle) engine.advance();
    this.#minute = minute;
    if (line.k === 'frame') this.#frame(line.d, line.t);
    else if (line.k === 'open') {
      this.#open.add(line.c);
      this.parts.live.isDown = false;
    } else if (line.k === 'end') {
      this.#open.delete(line.c);
      this.#close('disconnected', line.t);
      // The recorder itself left where its client did, which this client decides for itself.
      if (line.reason !== 'left' && this.#open.size === 0) this.parts.live.goDown(line.code);
    } else if (line.k === 'gap') {
      // Missing trades fill nothing; only the book decides what is offered.
      if (line.channel === undefined || line.channel === 'orderBook') this.#close(line.reason, line.t, line.market);
    } else if (line.k === 'rest' && line.status === 200) this.#response(line.path, line.body);
  }

  /** Closes the markets and cuts the clients: what they have may be outdated. */
  interrupt(reason: string): void {
    this.#catchUp();
    this.#close(reason, this.parts.now());
    this.parts.live.goDown(undefined);
  }

  /** No line follows. Returns whether anybody has received the error. */
  end(reason: string, error?: unknown): boolean {
    this.interrupt(reason);
    this.#setReady();
    return (
      error === undefined ||
      this.states()
        .map((state) => state.fail(error))
        .includes(true)
    );
  }

  #frame(text: string | null, t: number): void {
    const of = text === null ? 'unreadable' : channelOf(text);
    if (of === undefined) return;
    if (of === 'unreadable' || text === null) {
      this.parts.live.passOnText(text ?? '');
      return;
    }
    const { channel } = of;
    const isFirst = isSnapshot(text);
    for (const [name, market] of this.#markets) {
      if (!text.includes(`"${name}"`)) continue;
      this.parts.live.passOn({ channel, market: name, params: [], text }, isFirst);
      if (matched.includes(channel)) this.#match(market, channel, text, t);
    }
  }

  #catchUp(): void {
    for (const market of this.#markets.values()) this.#apply(market);
  }

  #apply(market: Market): void {
    const { waiting } = market;
    if (waiting === undefined) return;
    market.waiting = undefined;
    const frame = waiting.frame();
    if (frame !== undefined) this.#show(market, frame, waiting.receivedAt);
  }

  /** Closes one market or all until the next snapshot. */
  #close(reason: string, t: number, name?: string): void {
    const at = Math.floor(t);
    for (const [other, market] of this.#markets) {
      if (name !== undefined && name !== other) continue;
      this.parts.engine.recorded.apply(other, { kind: 'gap' }, at);
      market.book.updateId = undefined;
      market.state.close(reason, at);
    }
  }

  #match(market: Market, channel: string, text: string, t: number): void {
    const { book, state } = market;
    const frame = readFrame(channel, text);
    const at = Math.floor(t);
    if (frame !== undefined && this.#waits(market, frame, at)) return;
    if (channel === 'depth') this.#apply(market);
    const { pastUpdateId } = frame ?? {};
    const isBroken = pastUpdateId !== undefined && book.updateId !== pastUpdateId;
    if (frame === undefined && channel === 'depth') this.#close('unreadable', t, state.market);
    else if (isBroken && book.isOpen) this.#close('sequence', t, state.market);
    if (frame === undefined || isBroken) return;
    this.#measureDelay(frame, at);
    this.#show(market, frame, at);
  }

  #waits(market: Market, frame: ReadFrame, at: number): boolean {
    if (!market.book.isUntouched || !this.parts.engine.isIdle) return false;
    market.waiting ??= new DepthChanges(market.book.updateId);
    if (!market.waiting.add(frame, at)) return false;
    this.#measureDelay(frame, at);
    return true;
  }

  #measureDelay({ events }: ReadFrame, at: number): void {
    for (const event of events) if (event.kind === 'frame' || event.kind === 'trade') this.#delay.add(at, event.at);
  }

  #show({ book, state }: Market, { events, updateId }: ReadFrame, at: number): void {
    for (const event of events) this.parts.engine.recorded.apply(state.market, event, at);
    if (updateId === undefined) return;
    book.updateId = updateId;
    if (book.isOpen) state.open(at);
    // Its bids and asks cross.
    else this.#close('unreadable', at, state.market);
  }

  #response(path: string, body: string): void {
    const { engine, fees } = this.parts;
    const [, trades] = /\/public\/trades\/([^?]+)/.exec(path) ?? [];
    if (trades !== undefined && this.#markets.has(trades))
      for (const trade of tradesOfBody(body)) engine.recorded.print(trades, trade);
    if (!path.endsWith('/public/markets')) return;
    for (const options of listingsOf(body, fees))
      if (this.#markets.has(options.name)) engine.recorded.relist(listMarket(options));
    this.#setReady();
  }
}

/** The time over which the minimum delay is taken, milliseconds. */
const spanMs = 60_000;
const partMs = 1000;

/** The minimum delay of messages: an order that takes effect now entered the engine at the latest this long ago. */
class EngineDelay {
  /** The minimum of each second, by its number; oldest first. */
  readonly #minima = new Map<number, number>();

  /** A message was received now, of something that the engine did at `engineAt`. */
  add(now: number, engineAt: number): void {
    const part = Math.floor(now / partMs);
    this.#minima.set(part, Math.min(this.#minima.get(part) ?? Infinity, now - engineAt));
    for (const old of this.#minima.keys()) {
      if (old > part - spanMs / partMs) break;
      this.#minima.delete(old);
    }
  }

  /** The latest engine time of something that takes effect now. */
  engineTime(now: number): number {
    const shortest = Math.min(...this.#minima.values());
    return shortest === Infinity ? now : now - shortest;
  }
}
