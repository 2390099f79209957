// Messages of the channel `depth` as a busy market sends them: a snapshot of every level, then deltas of 8 changes.
import { createRandom } from '../../../src/sandbox/random.js';

export const levelsPerSide = 100;

/** One side of the exchange's book: the distances of its prices from the middle, in ticks, nearest first. A tick is 0.1. */
class Side {
  readonly distances: number[];

  constructor(
    private readonly sign: 1 | -1,
    /** The middle of the book, in ticks. */
    private readonly middle: number,
    private readonly random: () => number,
    levels: number,
  ) {
    this.distances = Array.from({ length: levels }, (_, index) => 2 * index + 1);
  }

  level(distance: number, amount = this.random() * 9 + 0.001): [price: string, amount: string] {
    return [String((this.middle + this.sign * distance) / 10), String(Number(amount.toFixed(6)))];
  }

  /** Four changes, after which the side has as many levels as before: most happen near the best price. */
  changes(): [price: string, amount: string][] {
    const changed = new Map([this.#near(), this.#near()].map((distance) => [distance, this.level(distance)]));
    const last = this.distances.at(-1) ?? 0;
    const taken = this.#near();
    const added = this.#free(last);
    if (this.random() < 0.5 || added === undefined) {
      this.distances.splice(this.distances.indexOf(taken), 1);
      this.distances.push(last + 2);
      changed.set(taken, this.level(taken, 0)).set(last + 2, this.level(last + 2));
    } else {
      this.distances.pop();
      this.distances.push(added);
      this.distances.sort((one, other) => one - other);
      changed.set(added, this.level(added)).set(last, this.level(last, 0));
    }
    return [...changed].toSorted(([one], [other]) => one - other).map(([, level]) => level);
  }

  /** The distance of a level, mostly one of the best. */
  #near(): number {
    return this.distances[Math.floor(this.distances.length * this.random() ** 2)] ?? 1;
  }

  /** A distance without a level. */
  #free(below: number): number | undefined {
    const from = Math.floor(below * this.random() ** 2) + 1;
    for (let distance = from; distance < below; distance += 1) if (!this.distances.includes(distance)) return distance;
    return undefined;
  }
}

/** The messages of a market, one after the other. They are the same for the same seed; other seeds have other prices. */
export class DepthMarket {
  readonly #market: string;
  readonly #bids: Side;
  readonly #asks: Side;
  #updateId = 31_000_000_000;

  constructor(market: string, seed: number, levels = levelsPerSide) {
    const random = createRandom(seed);
    const middle = 100_000 + 1000 * seed;
    this.#market = market;
    this.#bids = new Side(-1, middle, random, levels);
    this.#asks = new Side(1, middle, random, levels);
  }

  /** @param eventTime default: a little later with each message */
  snapshot(eventTime?: number): string {
    const levels = (side: Side) => side.distances.map((distance) => side.level(distance));
    return this.#message({ bids: levels(this.#bids), asks: levels(this.#asks) }, eventTime);
  }

  delta(eventTime?: number): string {
    const past_update_id = this.#updateId;
    this.#updateId += 100;
    return this.#message({ past_update_id, bids: this.#bids.changes(), asks: this.#asks.changes() }, eventTime);
  }

  #message(rest: object, eventTime?: number): string {
    const timestamp = 1795316400 + this.#updateId / 1e4;
    const data = { timestamp, update_id: this.#updateId, ...rest, event_time: eventTime ?? timestamp + 0.04 };
    const params = [!('past_update_id' in rest), data, this.#market];
    // The exchange prints a space after each colon and comma.
    return JSON.stringify({ method: 'depth_update', params, id: null }).replaceAll(/[:,]/g, '$& ');
  }
}

/** A snapshot and this many deltas, as texts. */
export function depthMessages(deltas: number, name = 'BTC_USDT', seed = 1): string[] {
  const market = new DepthMarket(name, seed);
  return [market.snapshot(), ...Array.from({ length: deltas }, () => market.delta())];
}
