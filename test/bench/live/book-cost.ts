// One measurement, in a process of its own: what the order book of a market costs, from the text of each message.
import { givenOptions, sendToParent } from '../../support/children.js';
import { collectGarbage } from '../../support/collect-garbage.js';
import { median } from '../../support/figures.js';
import { bookKeepers, type BookKeeper } from './books.js';
import { depthMessages } from './depth-messages.js';

export interface BookCostOptions {
  readonly keeper: BookKeeper;
}

const turns = 9;
const warmups = 2;
const markets = 500;
const deltasPerMarket = 50;

const { keeper } = givenOptions() as BookCostOptions;

const messages = depthMessages(20_000);
const spent: number[] = [];
const waited: number[] = [];
for (let turn = 0; turn < warmups + turns; turn += 1) {
  const take = await bookKeepers[keeper]();
  const since = performance.now();
  const before = process.cpuUsage();
  for (const text of messages) take(JSON.parse(text));
  const { user, system } = process.cpuUsage(before);
  if (turn < warmups) continue;
  spent.push((user + system) / messages.length);
  waited.push((performance.now() - since) / messages.length);
}

const heldBytes = () => {
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
};
const take = await bookKeepers[keeper]();
const emptyBytes = heldBytes();
// Each market has prices and amounts of its own.
const keep = (market: number, deltas: number) => {
  for (const text of depthMessages(deltas, `M${market}_USDT`, market)) take(JSON.parse(text));
};
for (let market = 1; market <= markets; market += 1) keep(market, deltasPerMarket);
const bytes = (heldBytes() - emptyBytes) / markets;
// The books are in use until here.
keep(1, 0);

const cost = {
  /** CPU of the whole process a message, microseconds: the median of the turns. */
  cpuMicros: median(spent),
  /** Messages a second, by the time of the clock. */
  perSecond: 1000 / median(waited),
  /** Memory of a book with its levels and their texts. */
  bytes,
};
export type BookCost = typeof cost;
sendToParent(cost);
process.exit();
