// The parts of the trading page in each of its states: the figures of the design's pictures.
import type {
  BookLevel,
  CandleRow,
  EventRow,
  ExecutionRow,
  Freshness,
  MarketRules,
  OrderRow,
  PartValues,
  PositionRow,
  TradeRow,
  WalletPart,
} from '../../src/cli/dashboard/messages.js';

export type PageStateName = 'normal' | 'down' | 'reconnecting' | 'doubt' | 'empty' | 'trading' | 'waiting';

/** 20:32:16 UTC. */
export const pictureTime = Date.UTC(2026, 10, 28, 20, 32, 16);
const minuteMs = 60_000;
const hourMs = 3_600_000;

const quotes = ['BTC_USDT', 'BTC_PERP', 'ETH_USDT', 'ETH_PERP', 'SOL_USDT', 'XRP_USDT', 'LTC_USDT', 'XLM_USDT'];

function rulesOf(name: string): MarketRules {
  const [base = '', quote = ''] = name.split('_');
  const places = { priceDecimals: 2, amountDecimals: 4, tick: '0.01' };
  return { name, base, quote: quote === 'PERP' ? 'USDT' : quote, ...places };
}

/** A whole update of the page in a state, at a time of the server. */
export function pageState(name: PageStateName, now = pictureTime) {
  const since = now - (name === 'down' ? 72_000 : 8000);
  const live = (age: number, paceMs: number | null = 1000): Freshness => ({
    ...{ status: 'live', at: now - age, since: now - hourMs, paceMs },
  });
  const waiting: Freshness = { status: 'waiting', at: null, since: now - 2000, paceMs: 1000 };
  const old: Freshness = { status: 'stale', at: since - 100, since, paceMs: 1000, reason: 'requests get no response' };
  const isDown = name === 'down';
  const isLost = isDown || name === 'reconnecting';
  const isWaiting = name === 'waiting';
  const stream = (age: number, paceMs?: number | null) => (isWaiting ? waiting : isLost ? old : live(age, paceMs));
  const reads = (age: number): Freshness =>
    isDown ? old : name === 'reconnecting' ? { ...live(age, null), status: 'read' } : stream(age % 1000, null);
  const isEmpty = name === 'empty' || isWaiting;
  const account = isEmpty ? emptied(accountParts()) : accountParts();
  const doubt = {
    ...{ clientOrderId: 'mm-7f3a-b-0413', market: 'BTC_USDT', endpoint: 'spot.placeLimitOrder' },
    ...{ side: 'buy' as const, price: '59950', amount: '0.01' },
    ...{ sentAt: now - 12_000, phase: 'looking-up' as const },
  };
  const parts: PartValues = {
    about: {
      ...{ exchange: 'sandbox', baseUrl: 'http://127.0.0.1:1', sandbox: true, tradingAllowed: name === 'trading' },
      ...{ account: true, version: '0.1.0', view: { market: 'BTC_USDT', interval: '1m', currency: 'USDT' } },
      intervals: ['1m', '5m', '15m', '1h', '4h', '1d'],
      currencies: ['USDT', 'BTC'],
    },
    markets: { state: live(5000, 300_000), list: quotes.map(rulesOf) },
    links: {
      stream: {
        ...{ status: isLost ? 'lost' : 'live', since: isLost ? since : now - hourMs },
        ...{ attempt: isLost ? 3 : 0, nextAttemptAt: isLost ? now + 1400 : null, reason: 'no message in time' },
      },
      requests: {
        ...{ status: isDown ? 'down' : isWaiting ? 'waiting' : 'up', since: isDown ? since : now - 9_005_000 },
        ...{ at: now - 600, latencyMs: isDown ? null : 11, p50Ms: 11, p99Ms: 44, nextAttemptAt: now + 4000 },
        ...(isDown ? { reason: 'unreachable: ECONNREFUSED' } : {}),
      },
    },
    exchange: {
      countedSince: now - hourMs,
      counts: { gaps: 1, losses: isLost ? 2 : 1, errors: isDown ? 11 : name === 'doubt' ? 3 : 2 },
      limits: isWaiting ? [] : limits,
      events: events.map(([kind, age, text], index) => ({ id: events.length - index, at: now - age, kind, text })),
    },
    latency: {
      whole: true,
      points: Array.from({ length: 240 }, (_, index) => ({
        at: now - (240 - index) * 2000,
        ms: isDown && index > 220 ? null : index % 67 === 40 ? 44 : 9 + ((index * 7) % 5),
      })),
    },
    market: {
      ...{ state: stream(100), name: 'BTC_USDT', rules: rulesOf('BTC_USDT'), last: '60012.4', direction: 'up' },
      ...{ high: '60418', low: '58990.15', change: '+1.24', volume: '1204.8', mark: '60008.1' },
      ...{ fundingRate: '0.0100', fundingAt: now + 12_464_000, futuresState: stream(100) },
      ...(isWaiting ? notKnown : {}),
    },
    strip: {
      state: stream(100),
      list: [
        ['BTC_PERP', '60008.1', '+1.21'],
        ['ETH_USDT', '3012.44', '+0.82'],
        ['ETH_PERP', '3011.97', '+0.79'],
        ['SOL_USDT', '141.872', '-2.07'],
        ['XRP_USDT', '0.58214', '-0.36'],
        ['LTC_USDT', '71.06', '0.00'],
        ['XLM_USDT', '0.094127', '+3.40'],
      ].map(([market = '', last = '', change = '']) => ({
        ...{ market, isStale: isLost || isWaiting },
        ...(isWaiting ? { last: null, change: null } : { last, change }),
      })),
    },
    candles: {
      ...{ whole: true, state: stream(400), market: 'BTC_USDT', interval: '1m' },
      points: isWaiting ? [] : candles(now),
      outages: [
        ...(name === 'reconnecting' ? [{ from: since - 1_200_000, to: since - 600_000 }] : []),
        ...(isLost ? [{ from: since, to: null }] : []),
      ],
    },
    book: {
      ...{ state: stream(100, 100), market: 'BTC_USDT' },
      ...(isWaiting ? { asks: [], bids: [] } : { asks: levels(asks), bids: levels(bids) }),
    },
    trades: { state: stream(300, null), market: 'BTC_USDT', list: isWaiting ? [] : tape(isLost ? since : now) },
    executions: { ...account.executions, state: stream(44_000, null) },
    orders: {
      ...account.orders,
      ...{ state: reads(2200), endedState: reads(2200), inDoubt: name === 'doubt' ? [doubt] : [] },
      open: account.orders.open.map((order) => ({ ...order, at: now - (order.at ?? 0) })),
    },
    positions: { ...account.positions, state: stream(600, null) },
    account: { ...account.account, state: reads(3900), ...(isWaiting ? { value: null } : {}) },
    equity: {
      whole: true,
      points: Array.from({ length: isEmpty ? 0 : 300 }, (_, index) => ({
        at: now - (300 - index) * 280_000,
        value: String(126_300 + 1100 * Math.min(1, index / 120) + 120 * Math.sin(index / 9) + ((index * 37) % 70)),
      })),
    },
    acts: [],
  };
  return { now, parts };
}

/** The same in each state, so that their speech differs by nothing else. */
const events: readonly (readonly [kind: EventRow['kind'], age: number, text: string])[] = [
  ['doubt', 13_000, 'mm-7f3a-b-0413: timeout, outcome unknown'],
  ['down', 71_000, 'public.ping: ECONNREFUSED, 9 attempts'],
  ['gap', 214_000, 'trades BTC_USDT: gap 0.8 s, filled with 14 trades'],
  ['back', 215_000, 'live connection back after 0.8 s'],
  ['lost', 216_000, 'live connection lost: no message for 5 s'],
  ['error', 1_260_000, 'account.mainBalance: HTTP 503, retried, 2 attempts, 240 ms'],
];

const limits = [
  ['orders', 1204, 12_000],
  ['public', 88, 2000],
  ['spot.placeLimitOrder', 412, 10_000],
  ['orders.cancel', 377, 10_000],
  ['account.mainBalance', 2, 1000],
].map(([rateLimit, used, limit]) => ({
  ...{ rateLimit: String(rateLimit), used: Number(used), limit: Number(limit) },
  ...{ windowMs: 10_000, queued: 0, coolDownUntil: null },
}));

/** Of a market of which nothing was pushed yet. */
const notKnown = {
  ...{ rules: null, last: null, high: null, low: null, change: null, volume: null, mark: null },
  ...{ fundingRate: null, fundingAt: null },
};

function candles(now: number): readonly CandleRow[] {
  const end = Math.floor(now / minuteMs) * minuteMs;
  const priceAt = (index: number) => 59_740 + 1.7 * index + 40 * Math.sin(index * 1.7);
  return Array.from({ length: 160 }, (_, index) => {
    const [open, close] = [priceAt(index - 1), priceAt(index)];
    return {
      ...{ at: end - (159 - index) * minuteMs, open: open.toFixed(2), close: close.toFixed(2) },
      ...{ high: (Math.max(open, close) + 11).toFixed(2), low: (Math.min(open, close) - 9).toFixed(2) },
      volume: (0.3 + ((index * 13) % 17) / 10).toFixed(4),
    };
  });
}

const asks =
  '60012.75 0.4683,60013.95 0.2267,60014.8 0.2528,60020.5 0.2228,60022.05 0.3401,60022.2 0.0412 0.04,60024.45 0.3111,60025.65 0.8072,60028.6 0.0337,60029.8 0.2021,60033.05 0.4157,60033.9 0.0981,60034.4 0.3213,60037.35 1.417,60038.2 2.1532,60039.75 0.0931';
const bids =
  '60012.2 0.1705,60011.7 0.2865,60008.75 0.1236,60008.25 0.9186,60005 0.422 0.04,60002.05 0.4094,60000.85 0.1454,59998.25 0.5197,59996.35 0.8861,59994.45 0.2493,59994.3 0.1361,59991.35 0.2281,59985.3 0.4904,59984.45 0.0893,59982.2 1.3635,59979.95 1.689';

const levels = (text: string): readonly BookLevel[] =>
  text.split(',').map((level) => {
    const [price = '', amount = '', own] = level.split(' ');
    return own === undefined ? [price, amount] : [price, amount, own];
  });

function tape(now: number): readonly TradeRow[] {
  const trade = (index: number): TradeRow => ({
    ...{ kind: 'trade', id: 1000 - index, at: now - index * 900, isOwn: index === 6 },
    price: (60_012.4 + ((index * 37) % 300) / 100).toFixed(2),
    amount: (0.0263 + ((index * 71) % 130) / 1000).toFixed(4),
    side: index % 3 === 2 ? 'sell' : 'buy',
  });
  const rows = Array.from({ length: 50 }, (_, index) => trade(index));
  const gap: TradeRow = { kind: 'gap', from: now - 9000, to: now - 8200, filledIn: 14 };
  return [...rows.slice(0, 9), gap, ...rows.slice(9)];
}

type AccountParts = Pick<PartValues, 'executions' | 'orders' | 'positions' | 'account'>;
const never: Freshness = { status: 'waiting', at: null, since: 0, paceMs: null };

function emptied({ executions, orders, positions, account }: AccountParts): AccountParts {
  const wallets = account.wallets.map((wallet) => ({ ...wallet, value: '0.00', assets: [] }));
  return {
    executions: { ...executions, list: [], today: { count: 0, isAtLeast: false } },
    orders: { ...orders, open: [] },
    positions: { ...positions, list: [], pnl: [] },
    account: { ...account, value: '0.00', change: null, wallets },
  };
}

function accountParts(): AccountParts {
  /** `text`: market, side, price, amount, filled, client_order_id, then the words of its type and its flags. */
  const order = (age: number, text: string): OrderRow => {
    const [market = '', side, price = '', amount = '', filled = '', clientOrderId = '', ...words] = text.split(' ');
    const flags: readonly string[] = words.filter((word) => word === 'post' || word === 'reduce');
    const isFilled = Number(filled) > 0;
    return {
      ...{ orderId: Number(amount) * 1e4 + age, clientOrderId, at: age, market, side: side === 'buy' ? 'buy' : 'sell' },
      ...{ type: words.filter((word) => !flags.includes(word)).join(' '), price, activationPrice: '', amount, filled },
      ...{ average: isFilled ? price : '', fromLast: '-0.27', status: isFilled ? 'partly filled' : 'open', flags },
    };
  };
  const position = (positionId: number, text: string): PositionRow => {
    const [market = '', side, amount = '', value = '', entry = '', mark = '', liquidation = '', ...rest] =
      text.split(' ');
    const [away = '', pnl = '', ofMargin = '', funding = '', margin = '', leverage = ''] = rest;
    return {
      ...{ positionId, market, side: side === 'long' ? 'long' : 'short', amount, value, entry, mark, liquidation },
      ...{ away, pnl, ofMargin, funding, margin, leverage, warning: '' },
    };
  };
  const isLive: Freshness = { status: 'live', at: pictureTime, since: pictureTime, paceMs: null };
  /** `assets`: asset, amount, value, amount in orders. */
  const wallet = (name: WalletPart['wallet'], total: string, ...assets: readonly string[]): WalletPart => ({
    ...{ wallet: name, state: isLive, value: total, notShown: 0 },
    assets: assets.map((text) => {
      const [asset = '', amount = '', value = '', inOrders = ''] = text.split(' ');
      return { asset, amount, inOrders, borrowed: '', value, isStale: false };
    }),
  });
  const executions = Array.from({ length: 14 }, (_, index): ExecutionRow => ({
    ...{ id: 50 - index, orderId: 50 - index, clientOrderId: `mm-7f3a-${index % 2 === 0 ? 's' : 'b'}-04${11 - index}` },
    ...{ at: pictureTime - (92_000 + index * 171_000), market: 'BTC_USDT', side: index % 2 === 0 ? 'sell' : 'buy' },
    ...{ price: (60_004.19 - index * 2).toFixed(2), amount: '0.0475' },
    ...{ total: '2850.20', fee: '1.1401', feeAsset: 'USDT' },
    role: index === 5 ? 'taker' : 'maker',
  }));
  return {
    executions: { state: never, list: executions, today: { count: 14, isAtLeast: false } },
    orders: {
      ...{ state: never, inDoubt: [], notShown: 0, ended: [], endedState: never },
      open: [
        order(41_000, 'BTC_USDT buy 60005 0.04 0 mm-7f3a-b-0412 limit post'),
        order(41_500, 'BTC_USDT sell 60022.2 0.1 0.06 mm-7f3a-s-0412 limit post'),
        order(8_400_000, 'BTC_USDT buy 59850 0.25 0 grid-59850 limit'),
        order(8_400_500, 'BTC_USDT buy 59700 0.25 0.1125 grid-59700 limit'),
        order(7_260_000, 'BTC_PERP sell 58900 0.25 0 exit-btc-1 stop market reduce'),
        order(7_260_500, 'BTC_PERP sell 61400 0.25 0 exit-btc-2 limit reduce'),
        order(90_000_000, 'ETH_USDT sell 3150 4 1.5 swing-eth limit'),
      ],
    },
    positions: {
      ...{ state: never, notShown: 0, pnl: [{ currency: 'USDT', amount: '+172.65' }] },
      list: [
        position(1, 'BTC_PERP long 0.25 15002.03 59140 60008.1 48230.5 -19.62 +217.03 +14.5 -4.12 1500.20 10'),
        position(2, 'ETH_PERP short 3.2 9638.30 2998.1 3011.97 3411.6 +13.27 -44.38 -4.6 +1.87 963.83 10'),
      ],
    },
    account: {
      ...{ state: never, currency: 'USDT', value: '127484.23', notValued: [] },
      change: { amount: '+1172.40', since: pictureTime - 86_400_000 },
      wallets: [
        wallet(
          'spot',
          '88242.18',
          'BTC 0.7312 43881.07 0.04',
          'USDT 32236.34000017 32236.34 25571.45',
          'ETH 4.0249 12124.77 2.50',
        ),
        wallet('collateral', '12664.85', 'USDT 12664.8500 12664.85 2464.03'),
        wallet('main', '26577.20', 'USDT 25073.5000 25073.50', 'XLM 15975.2118 1503.70'),
      ],
    },
  };
}
