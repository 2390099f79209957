// Facts of the channels that take a list of markets, and of `bookTicker`.
import type { Frame, ProbeConnection } from './connection.js';
import { confirmed, fieldOf, pushOf, refusalOf, unknown, type Fact, type Finding, type Probe } from './fact.js';

const unlisted = 'NOSUCH_USDT';

const bookTickerAdds: Fact = {
  name: 'bookTicker: a second market',
  option: 'unkindSeed',
  async find(connection, { busy, second, pushMs }) {
    const from = connection.count;
    await confirmed(connection, 'bookTicker_subscribe', busy);
    const first = await connection.next(topOf(busy), from, pushMs);
    const response = await confirmed(connection, 'bookTicker_subscribe', second);
    if ((await connection.next(topOf(busy), response.index, pushMs)) !== undefined)
      return { seen: 'add', because: `${busy} goes on` };
    // Silence is a proof only if the best prices have changed meanwhile.
    const again = connection.count;
    await confirmed(connection, 'bookTicker_subscribe', busy);
    const now = await connection.next(topOf(busy), again, pushMs);
    return first !== undefined && now !== undefined && pricesIn(first) !== pricesIn(now)
      ? { seen: 'replace', because: `${busy} was silent, and had changed` }
      : unknown(`${busy} did not change within ${pushMs} ms`);
  },
};

const topOf =
  (market: string) =>
  ({ method, params: [tuple] }: Frame) =>
    method === 'bookTicker_update' && Array.isArray(tuple) && tuple[2] === market;

function pricesIn({ params: [tuple] }: Frame): string {
  return Array.isArray(tuple) ? tuple.slice(4).join() : '';
}

/**
 * Whether the value comes with the confirmation. The values of a channel may come on a grid of 1 s: the subscription that
 * counts is made shortly after a push, when the next one is far.
 */
async function comesAtOnce(channel: string, connection: ProbeConnection, probe: Probe): Promise<Finding> {
  const { quiet, atOnceMs, pushMs } = probe;
  const from = connection.count;
  await confirmed(connection, `${channel}_subscribe`, quiet);
  await connection.next(pushOf(channel, quiet), from, pushMs);
  await connection.next(() => false, connection.count, atOnceMs);
  const again = connection.count;
  const response = await confirmed(connection, `${channel}_subscribe`, quiet);
  const push = await connection.next(pushOf(channel, quiet), again, pushMs);
  if (push === undefined) return { seen: 'no', because: `no push within ${pushMs} ms` };
  const ms = push.at - response.at;
  return { seen: ms <= atOnceMs ? 'yes' : 'no', because: `${ms.toFixed(0)} ms after the confirmation` };
}

const lastpriceAtOnce: Fact = {
  name: 'lastprice: the value comes with the confirmation',
  option: 'unkindSeed',
  find: (connection, probe) => comesAtOnce('lastprice', connection, probe),
};

const marketAtOnce: Fact = {
  name: 'market: the value comes with the confirmation',
  option: 'unkindSeed',
  find: (connection, probe) => comesAtOnce('market', connection, probe),
};

const marketRepeats: Fact = {
  name: 'market: values come when nothing has changed',
  async find(connection, { quiet, pushMs }) {
    const from = connection.count;
    await confirmed(connection, 'market_subscribe', quiet);
    await connection.next(() => false, connection.count, pushMs);
    const values = connection.all(pushOf('market', quiet), from).map(({ params }) => JSON.stringify(params));
    const repeats = values.filter((value, index) => value === values[index - 1]).length;
    const because = `${values.length} pushes in ${pushMs} ms, ${repeats} of them like the one before`;
    // The first two can be the value of the confirmation, and that of the first second.
    if (repeats > 1) return { seen: 'yes', because };
    return values.length > repeats + 1 ? unknown(because) : { seen: 'no', because };
  },
};

const refusedList: Fact = {
  name: 'market: a refused list leaves of the subscription',
  option: 'unkindSeed',
  async find(connection, { busy, second, pushMs }) {
    await confirmed(connection, 'market_subscribe', busy);
    const response = await connection.request('market_subscribe', second, unlisted);
    const refusal = refusalOf(response);
    if (refusal === undefined) return { seen: 'accepted', because: `${unlisted} is no reason to refuse` };
    await connection.next(() => false, connection.count, pushMs);
    const left = connection.all(pushOf('market'), response.index).map(({ params: [name] }) => name);
    const seen = left.includes(busy) ? 'whole' : left.includes(second) ? 'partial' : 'empty';
    return { seen, because: `${refusal}, then ${left.length} pushes` };
  },
};

const emptyReplay: Fact = {
  name: 'trades: a market without trades gets an empty push',
  async find(connection, { quiet, pushMs }) {
    const known = await confirmed(connection, 'trades_request', quiet, 1, 0);
    if (idsIn(known).length > 0) return unknown(`${quiet} has trades: name a market without any`);
    const from = connection.count;
    await confirmed(connection, 'trades_subscribe', quiet);
    const push = await connection.next(pushOf('trades', quiet), from, pushMs);
    return push === undefined
      ? { seen: 'no', because: `no push within ${pushMs} ms` }
      : { seen: 'yes', because: JSON.stringify(push.params).slice(0, 80) };
  },
};

function idsIn({ result }: Frame): readonly number[] {
  const ids = (Array.isArray(result) ? result : []).map((trade) => fieldOf(trade, 'id'));
  return ids.filter((id) => typeof id === 'number');
}

const tradeIds: Fact = {
  name: 'trades: two markets have an id in common',
  async find(connection, { busy, second }) {
    const ids = idsIn(await confirmed(connection, 'trades_request', busy, 100, 0));
    const others = idsIn(await confirmed(connection, 'trades_request', second, 100, 0));
    if (ids.length === 0 || others.length === 0) return unknown('a market has no trades');
    const common = ids.filter((id) => others.includes(id)).length;
    const ranges = [ids, others].map((all) => `${Math.min(...all)} to ${Math.max(...all)}`);
    return { seen: common > 0 ? 'yes' : 'no', because: `${common} of ${ids.length}: ${ranges.join(' and ')}` };
  },
};

const tradesRequest: Fact = {
  name: 'trades: trades_request with an id has the trades',
  option: 'unkindSeed',
  async find(connection, { busy }) {
    const ids = idsIn(await confirmed(connection, 'trades_request', busy, 100, 0)).toSorted(
      (one, other) => one - other,
    );
    const middle = ids[Math.floor(ids.length / 2)];
    if (middle === undefined || ids.length < 3) return unknown(`${busy} has ${ids.length} trades`);
    const got = idsIn(await confirmed(connection, 'trades_request', busy, 100, middle));
    const because = `${got.length} trades for the id ${middle}`;
    if (got.length > 0 && got.every((id) => id <= middle)) return { seen: 'until', because };
    return got.length > 0 && got.every((id) => id >= middle) ? { seen: 'after', because } : unknown(because);
  },
};

export const listFacts: readonly Fact[] = [
  ...[bookTickerAdds, lastpriceAtOnce, marketAtOnce, marketRepeats, refusedList],
  ...[emptyReplay, tradeIds, tradesRequest],
];
