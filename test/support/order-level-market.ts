// A market in which every order is known. It gives the trades and the depth frames that a client receives, each with its
// own delay, and the truth: what an order that enters at a time is filled by, as the engine would.
import { decimal } from '../../src/model/decimal.js';
import type { MarketEvent } from '../../src/sandbox/engine/queue.js';

type Side = 'buy' | 'sell';
type Levels = ReadonlyMap<number, number>;

/** Prices and amounts are integers: both are compared exactly. */
interface Amount {
  readonly id: number;
  readonly side: Side;
  readonly price: number;
  readonly amount: number;
}

type Resting = Omit<Amount, 'amount'> & { amount: number };

/** What happens in the engine. `maker` of a trade is the ID of its order. */
type Happening = { readonly at: number } & (
  | ({ readonly kind: 'add' } & Amount)
  | { readonly kind: 'cancel'; readonly id: number }
  | ({ readonly kind: 'trade'; readonly maker: number } & Amount)
);

/** A market event and when it was received, Unix milliseconds. */
export interface Received {
  readonly receivedAt: number;
  readonly event: Extract<MarketEvent, { readonly kind: 'trade' | 'frame' }>;
}

export interface Delays {
  /** Of depth frames and of trades, milliseconds. */
  readonly depth: number;
  readonly trades: number;
  /** The most that is added to each at random. */
  readonly jitter: number;
}

export interface OwnOrder extends Amount {
  readonly enteredAt: number;
}

const frameMs = 100;
const start = 1_000_000;

export class OrderLevelMarket {
  readonly received: readonly Received[];
  readonly #happenings: Happening[] = [];

  /** @param limit number of levels that frames show */
  constructor(
    private readonly random: () => number,
    { events, limit, delays }: { readonly events: number; readonly limit: number; readonly delays: Delays },
  ) {
    this.received = this.#receive(this.#play(events, limit), delays);
  }

  /** What an order alone is filled by in truth: the total after each fill, and the fill's engine time. */
  truth({ side, price, amount, enteredAt }: OwnOrder): readonly { readonly at: number; readonly total: number }[] {
    const fills: { at: number; total: number }[] = [];
    const book = new Map<number, Resting>();
    let ahead: ReadonlySet<number> | undefined;
    let left = amount;
    const fill = (most: number, at: number) => {
      const got = Math.min(left, most);
      left -= got;
      if (got > 0) fills.push({ at, total: amount - left });
    };
    const cross = (maker: Resting, at: number) => {
      if (maker.side !== side && (side === 'buy' ? maker.price <= price : maker.price >= price)) fill(maker.amount, at);
    };
    const enter = () => {
      const atPrice = [...book.values()].filter((one) => one.side === side && one.price === price);
      ahead = new Set(atPrice.map(({ id }) => id));
      for (const maker of book.values()) cross(maker, enteredAt);
    };
    for (const happening of this.#happenings) {
      if (ahead === undefined && happening.at > enteredAt) enter();
      const { at } = happening;
      if (happening.kind === 'cancel') book.delete(happening.id);
      else if (happening.kind === 'add') {
        book.set(happening.id, { ...happening });
        if (ahead !== undefined) cross(happening, at);
      } else {
        const isThrough = side === 'buy' ? happening.price < price : happening.price > price;
        const isBehind = happening.price === price && ahead?.has(happening.maker) === false;
        if (side !== happening.side && ahead !== undefined && (isThrough || isBehind)) fill(happening.amount, at);
        const maker = book.get(happening.maker);
        if (maker !== undefined) maker.amount -= happening.amount;
        if (maker?.amount === 0) book.delete(maker.id);
      }
    }
    if (ahead === undefined) enter();
    return fills;
  }

  /** Random orders, cancels and trades around a price that drifts; the frames and trades in the order of the engine. */
  #play(events: number, limit: number): Received['event'][] {
    const { random } = this;
    const sent: Received['event'][] = [];
    const book: Resting[] = [];
    const best = (side: Side) => {
      const prices = book.filter((one) => one.side === side).map(({ price }) => price);
      return side === 'buy' ? Math.max(0, ...prices) : Math.min(1_000_000, ...prices);
    };
    let [at, nextId, nextFrame, middle] = [start, 0, start, 1000];
    let shown: Record<Side, Levels> = { buy: new Map(), sell: new Map() };
    const frame = () => {
      const now = { buy: levelsOf(book, 'buy', limit), sell: levelsOf(book, 'sell', limit) };
      const isSnapshot = nextFrame === start || random() < 0.05;
      const changes = (side: Side) => {
        const before: Levels = isSnapshot ? new Map() : shown[side];
        return [...new Set([...now[side].keys(), ...before.keys()])]
          .filter((price) => now[side].get(price) !== before.get(price))
          .map((price) => [String(price), String(now[side].get(price) ?? 0)] as const);
      };
      sent.push({ kind: 'frame', at: nextFrame, isSnapshot, buy: changes('buy'), sell: changes('sell') });
      shown = now;
      nextFrame += frameMs;
    };
    const trade = (side: Side, maker: Resting, amount: number) => {
      nextId += 1;
      const { price } = maker;
      this.#happenings.push({ kind: 'trade', at, id: nextId, side, price, amount, maker: maker.id });
      const rpi = { kind: 'trade', at, side, price: decimal(price), rpi: true, amount: decimal(5) } as const;
      if (random() < 0.05) sent.push({ ...rpi, id: nextId++ });
      sent.push({ ...rpi, id: nextId, rpi: false, amount: decimal(amount) });
      maker.amount -= amount;
      if (maker.amount === 0) book.splice(book.indexOf(maker), 1);
    };
    /** An order that trades with what it reaches, and rests with the rest of a limit order. */
    const place = (side: Side, price: number, amount: number, rests: boolean) => {
      let left = amount;
      for (;;) {
        const other = side === 'buy' ? 'sell' : 'buy';
        const reached = best(other);
        const maker = book.find((one) => one.side === other && one.price === reached);
        if (left === 0 || maker === undefined || (side === 'buy' ? reached > price : reached < price)) break;
        const part = Math.min(left, maker.amount);
        trade(side, maker, part);
        left -= part;
      }
      if (left === 0 || !rests) return;
      nextId += 1;
      book.push({ id: nextId, side, price, amount: left });
      this.#happenings.push({ kind: 'add', at, id: nextId, side, price, amount: left });
    };
    for (let count = 0; count < events; count += 1) {
      at += random() * 24;
      while (nextFrame <= at) frame();
      if (random() < 0.02) middle += Math.round((random() - 0.5) * 6);
      const side = random() < 0.5 ? 'buy' : 'sell';
      const amount = 1 + Math.floor(random() * 9);
      const chance = random();
      const distance = Math.floor(random() * random() * 8);
      if (count < 30 || chance < 0.5)
        place(side, side === 'buy' ? middle - distance : middle + 1 + distance, amount, true);
      else if (chance < 0.75) {
        const gone = book[Math.floor(random() * book.length)];
        if (gone === undefined) continue;
        book.splice(book.indexOf(gone), 1);
        this.#happenings.push({ kind: 'cancel', at, id: gone.id });
      } else place(side, side === 'buy' ? Infinity : 0, amount * 2, false);
    }
    return sent;
  }

  /** In the order in which a client receives them: each channel keeps its own order. */
  #receive(sent: readonly Received['event'][], { depth, trades, jitter }: Delays): Received[] {
    const last = { trade: 0, frame: 0 };
    return sent
      .map((event) => {
        const delay = (event.kind === 'frame' ? depth : trades) + this.random() * jitter;
        const receivedAt = Math.max(last[event.kind], event.at + delay);
        last[event.kind] = receivedAt;
        return { receivedAt, event };
      })
      .sort((one, other) => one.receivedAt - other.receivedAt);
  }
}

function levelsOf(book: readonly Resting[], side: Side, limit: number): Levels {
  const amounts = new Map<number, number>();
  for (const { price, amount } of book.filter((one) => one.side === side))
    amounts.set(price, (amounts.get(price) ?? 0) + amount);
  const direction = side === 'buy' ? -1 : 1;
  return new Map([...amounts].sort(([one], [other]) => direction * (one - other)).slice(0, limit));
}
