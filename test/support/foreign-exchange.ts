// A second exchange, written from what the real one has published, and from nothing else: it imports neither the SDK
// nor the sandbox, so no assumption that those two share holds here by itself. Its premises can be broken while it
// runs.
import { createHmac } from 'node:crypto';
import { createForeignMoney, movingPaths } from './foreign-money.js';

export const foreignKey = { apiKey: 'foreign-key', apiSecret: 'foreign-secret' } as const;

export const paths = {
  stockMarket: '/api/v4/order/stock_market',
  market: '/api/v4/order/market',
  limit: '/api/v4/order/new',
  stopLimit: '/api/v4/order/stop_limit',
  stopMarket: '/api/v4/order/stop_market',
  collateralLimit: '/api/v4/order/collateral/limit',
  collateralMarket: '/api/v4/order/collateral/market',
  collateralStopLimit: '/api/v4/order/collateral/stop-limit',
  collateralTriggerMarket: '/api/v4/order/collateral/trigger-market',
  collateralOco: '/api/v4/order/collateral/oco',
  cancel: '/api/v4/order/cancel',
  modify: '/api/v4/order/modify',
  killSwitch: '/api/v4/order/kill-switch',
  open: '/api/v4/orders',
  history: '/api/v4/trade-account/order/history',
  conditional: '/api/v4/conditional-orders',
  oco: '/api/v4/oco-orders',
  cancelOco: '/api/v4/order/oco-cancel',
  leverage: '/api/v4/collateral-account/leverage',
  closePosition: '/api/v4/collateral-account/position/close',
  closedPositions: '/api/v4/collateral-account/positions/closed-pnl',
  balance: '/api/v4/main-account/balance',
  ping: '/api/v4/public/ping',
  time: '/api/v4/public/time',
  markets: '/api/v4/public/markets',
  assets: '/api/v4/public/assets',
  fees: '/api/v4/public/fee',
} as const;

interface Placing {
  /** The name that the exchange lists such orders under. */
  readonly type: string;
  readonly isLimit?: true;
  /** It waits for its activation_price. */
  readonly isStop?: true;
  readonly isCollateral?: true;
  /** A stop limit order of the same amount comes with it. */
  readonly isOco?: true;
  /** The amount of a buy is in the quote currency. */
  readonly buysForMoney?: true;
}

const stopLimit: Placing = { type: 'margin stop limit', isLimit: true, isStop: true, isCollateral: true };

const placings: Readonly<Record<string, Placing>> = {
  [paths.stockMarket]: { type: 'stock market' },
  [paths.market]: { type: 'market', buysForMoney: true },
  [paths.limit]: { type: 'limit', isLimit: true },
  [paths.stopLimit]: { type: 'stop limit', isLimit: true, isStop: true },
  [paths.stopMarket]: { type: 'stop market', isStop: true, buysForMoney: true },
  [paths.collateralLimit]: { type: 'margin limit', isLimit: true, isCollateral: true },
  [paths.collateralMarket]: { type: 'margin market', isCollateral: true },
  [paths.collateralStopLimit]: stopLimit,
  [paths.collateralTriggerMarket]: { type: 'trigger margin market', isStop: true, isCollateral: true },
  [paths.collateralOco]: { type: 'margin limit', isLimit: true, isCollateral: true, isOco: true },
};

export const orderPaths: readonly string[] = Object.keys(placings);

/** What the exchange does, as far as a client could take it for granted. Each may be set at any time. */
export interface Premises {
  /** How far the exchange's clock is from `Date.now()`, milliseconds. */
  clockOffsetMs: number;
  /** How far the header `Date` is from the exchange's clock, milliseconds; `undefined` leaves it out. */
  dateOffsetMs: number | undefined;
  /** How long after the gateway accepted an order its engine executes it, milliseconds. */
  engineDelayMs: number;
  /** The order endpoints that ignore identifiers. */
  dropsIdentifiers: readonly string[];
  /** The form of the fields without influence on a decision. */
  fields: 'usual' | 'null' | 'absent' | 'numbers' | 'new kinds';
  /** Whether lists hold a record that cannot be read: beside the others, or instead of each of them. */
  unreadable: 'none' | 'beside' | 'instead';
  /** Orders with stopLoss or takeProfit, and OCO orders, are listed apart, and not among the open ones. */
  listsLinkedApart: boolean;
  /** How long an order that has ended is missing from the history, milliseconds. */
  historyLagMs: number;
  /** Orders that were cancelled without a fill are never in the history. */
  historyOmitsUnfilled: boolean;
  /** The status of a request whose nonce is refused for its age. */
  refusalForAge: 400 | 422;
}

const usual: Premises = {
  clockOffsetMs: 0,
  dateOffsetMs: 0,
  engineDelayMs: 0,
  dropsIdentifiers: [],
  fields: 'usual',
  unreadable: 'none',
  listsLinkedApart: true,
  historyLagMs: 1500,
  historyOmitsUnfilled: false,
  refusalForAge: 400,
};

export interface ForeignRequest {
  readonly method: string;
  readonly path: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

export interface ForeignResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** An order that was executed. Times are Unix ms by the exchange's clock. */
export interface Execution {
  readonly orderId: number;
  readonly path: string;
  /** The identifier that the request bore, also where the exchange ignores it. */
  readonly requestedId: string;
  /** The identifier that the exchange keeps. */
  readonly clientOrderId: string;
  readonly market: string;
  readonly side: string;
  readonly amount: number;
  readonly price: number;
  readonly placing: Placing;
  /** Of a stop order. */
  readonly activationPrice: number | undefined;
  /** The stop limit order of an OCO order, whose limit order has `orderId`. */
  readonly oco: Readonly<Record<'id' | 'stopOrderId' | 'activationPrice' | 'stopLimitPrice', number>> | undefined;
  readonly linked: { readonly otoId: number; readonly stopLoss?: string; readonly takeProfit?: string } | undefined;
  readonly acceptedAt: number;
  readonly executedAt: number;
  endedAt: number | undefined;
  status: 'OPEN' | 'FILLED' | 'CANCELED';
}

type Fields = Readonly<Record<string, unknown>>;

class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: number,
    message: string,
    readonly errors: Readonly<Record<string, readonly string[]>> = {},
  ) {
    super(message);
  }
}

const invalid = (code: number, field: string, text: string, status = 422) =>
  new Refusal(status, code, 'Validation failed', { [field]: [text] });

const nonceWindowMs = 5000;
/** The largest amount that the account can pay for. */
const maxAmount = 1000;

export const markets: Readonly<Record<string, number>> = { BTC_USDT: 60_000, ETH_USDT: 3000 };

export type ForeignExchange = ReturnType<typeof createForeignExchange>;

export function createForeignExchange(premises: Partial<Premises> = {}) {
  const state: Premises = { ...usual, ...premises };
  const executions: Execution[] = [];
  const usedNonces = new Set<number>();
  let lastNonce = 0;
  let leverage = 10;
  let nextId = 4_180_284_841;
  const positions: { readonly positionId: number; readonly market: string; isClosed: boolean }[] = [];
  const switches = new Map<string, ReturnType<typeof setTimeout>>();
  const now = () => Date.now() + state.clockOffsetMs;
  const money = createForeignMoney(now, (...refusal) => {
    throw new Refusal(...refusal);
  });

  const open = (isWanted: (order: Execution) => boolean) =>
    executions.filter((order) => order.status === 'OPEN' && isWanted(order));

  function authenticate({ path, headers, body }: ForeignRequest): Fields {
    const payload = headers['x-txc-payload'];
    if (payload === undefined) throw new Refusal(400, 0, 'Payload not provided.');
    const fields = parsed(body);
    const isSame = Buffer.from(body).toString('base64') === payload;
    if (!isSame || fields === undefined || JSON.stringify(fields) !== body)
      throw new Refusal(400, 9, 'Invalid payload.');
    const signature = createHmac('sha512', foreignKey.apiSecret).update(payload).digest('hex');
    const isOurs = headers['x-txc-apikey'] === foreignKey.apiKey && headers['x-txc-signature'] === signature;
    if (!isOurs) throw new Refusal(401, 10, 'Unauthorized request.');
    if (fields['request'] !== path) throw new Refusal(400, 0, 'Request not provided.');
    takeNonce(fields);
    return fields;
  }

  function takeNonce({ nonce, nonceWindow }: Fields): void {
    if (!/^\d+$/.test(text(nonce))) throw new Refusal(400, 0, 'Nonce not provided.');
    if (nonceWindow !== undefined && typeof nonceWindow !== 'boolean')
      throw new Refusal(400, 0, 'Invalid nonceWindow.');
    const number = Number(nonce);
    const isUsed = nonceWindow === true ? usedNonces.has(number) : number <= lastNonce;
    // Its age comes first: a copy of a request that was executed is refused for its age once the window is over.
    if (nonceWindow === true && number < now() - nonceWindowMs) {
      throw new Refusal(state.refusalForAge, 0, 'Your nonce is more than 5 seconds lesser than the current nonce');
    }
    if (nonceWindow === true && number > now() + nonceWindowMs) {
      throw new Refusal(state.refusalForAge, 0, 'Your nonce is more than 5 seconds greater than the current nonce');
    }
    if (isUsed) throw new Refusal(429, 0, 'Too many requests.');
    usedNonces.add(number);
    lastNonce = Math.max(lastNonce, number);
  }

  /** Checks an order, and returns what executes it. */
  function accept(path: string, placing: Placing, fields: Fields): () => unknown {
    const { isLimit = false, isStop = false, isCollateral = false, isOco = false, buysForMoney = false } = placing;
    const required = [
      ...['market', 'side', 'amount', ...(isLimit ? ['price'] : [])],
      ...(isStop || isOco ? ['activation_price'] : []),
      ...(isOco ? ['stop_limit_price'] : []),
    ];
    const missing = required.filter((name) => fields[name] === undefined);
    const texts = Object.fromEntries(missing.map((name) => [name, [`The ${name} field is required.`]]));
    if (missing.length > 0) throw new Refusal(422, 30, 'Validation failed', texts);
    const market = text(fields['market']);
    const side = text(fields['side']);
    const marketPrice = markets[market];
    if (marketPrice === undefined) throw invalid(31, 'market', 'Market is not available');
    if (side !== 'buy' && side !== 'sell') throw invalid(30, 'side', 'Side should be buy or sell');
    const amount = Number(fields['amount']);
    if (!(amount > 0)) throw invalid(32, 'amount', 'Amount should be numeric string or number.');
    const isMoney = buysForMoney && side === 'buy';
    if ((isMoney ? amount / marketPrice : amount) > maxAmount)
      throw invalid(isCollateral ? 10 : 32, 'amount', 'Not enough balance.');
    const limitPrice = Number(fields['price']);
    if (isLimit && !(limitPrice > 0)) throw invalid(33, 'price', 'Price should be greater than 0.');
    const activationPrice = isStop ? Number(fields['activation_price']) : undefined;
    if (activationPrice !== undefined && !(activationPrice > 0))
      throw invalid(30, 'activation_price', 'Activation price should be greater than 0.');
    const ocoPrices = {
      activationPrice: Number(fields['activation_price']),
      stopLimitPrice: Number(fields['stop_limit_price']),
    };
    if (isOco) {
      const isBeyond = (one: number) => (side === 'buy' ? one > marketPrice : one < marketPrice);
      if (!isBeyond(ocoPrices.activationPrice))
        throw new Refusal(422, 151, 'Inner validation failed', { activation_price: ['Wrong side.'] });
      if (limitPrice === marketPrice || isBeyond(limitPrice))
        throw new Refusal(422, 14, 'Inner validation failed', { price: ['Would be executed as taker.'] });
    }
    // A field that the exchange does not know is ignored, such as the identifier under its other name.
    const requestedId = text(fields['clientOrderId']);
    const acceptedAt = now();
    return () => {
      const clientOrderId = state.dropsIdentifiers.includes(path) ? '' : requestedId;
      const isTaken = (other: Execution) => other.market === market && other.clientOrderId === clientOrderId;
      if (clientOrderId !== '' && open(isTaken).length > 0)
        throw invalid(36, 'clientOrderId', 'This client order id is already used by the current account.');
      // A buy waits below its activation price, and rests below the market; a sell the other way round.
      const isBelow = (one: number, other: number) => (side === 'buy' ? one < other : one > other);
      const waits = activationPrice !== undefined && isBelow(marketPrice, activationPrice);
      const rests = waits || (isLimit && isBelow(limitPrice, marketPrice));
      const { stopLoss, takeProfit } = fields;
      const legs = {
        ...(stopLoss === undefined ? {} : { stopLoss: text(stopLoss) }),
        ...(takeProfit === undefined ? {} : { takeProfit: text(takeProfit) }),
      };
      const linked = Object.keys(legs).length === 0 ? undefined : { otoId: nextId++, ...legs };
      const oco = isOco ? { id: nextId++, stopOrderId: nextId++, ...ocoPrices } : undefined;
      const executedAt = now();
      const order: Execution = {
        ...{ oco, orderId: nextId++, path, requestedId, clientOrderId, market, side },
        ...{ placing, activationPrice, linked, acceptedAt, executedAt },
        amount: isMoney ? amount / marketPrice : amount,
        price: isLimit ? limitPrice : marketPrice,
        endedAt: rests ? undefined : executedAt,
        status: rests ? 'OPEN' : 'FILLED',
      };
      executions.push(order);
      return oco === undefined ? wire(order, 'response') : { ...ocoRecord(order), reduceOnly: false };
    };
  }

  function end(order: Execution, status: 'FILLED' | 'CANCELED'): void {
    order.status = status;
    order.endedAt = now();
  }

  function requireOneId({ orderId, clientOrderId }: Fields): void {
    if ((orderId === undefined) === (clientOrderId === undefined))
      throw invalid(30, 'orderId', 'OrderId field is required.');
  }

  function cancel(fields: Fields): unknown {
    requireOneId(fields);
    const { orderId } = fields;
    if (orderId !== undefined && typeof orderId !== 'number')
      throw invalid(30, 'orderId', 'OrderId field should be an integer.');
    return wire(endMeant(fields), 'response');
  }

  function endMeant(fields: Fields): Execution {
    const [order] = open((one) => isMeant(one, fields));
    if (order === undefined)
      throw new Refusal(400, 2, 'Inner validation failed', { orderId: ['Unexecuted order was not found.'] });
    end(order, 'CANCELED');
    return order;
  }

  /** The order ends, and another takes its place under a new number. */
  function modify(fields: Fields): unknown {
    const order = endMeant(fields);
    const { amount = order.amount, price = order.price } = fields;
    const modified: Execution = {
      ...order,
      ...{ orderId: nextId++, amount: Number(amount), price: Number(price), executedAt: now() },
      ...{ endedAt: undefined, status: 'OPEN' },
    };
    executions.push(modified);
    return wire(modified, 'response');
  }

  function closePosition({ positionId, market }: Fields): unknown {
    const position = positions.find((one) => one.positionId === positionId && one.market === market && !one.isClosed);
    if (position === undefined) throw invalid(104, 'positionId', 'Position was not found.');
    position.isClosed = true;
    return [];
  }

  function cancelOco(fields: Fields): unknown {
    requireOneId(fields);
    const { orderId, clientOrderId } = fields;
    const isNamed = ({ oco, ...one }: Execution) =>
      oco !== undefined && (orderId === undefined ? one.clientOrderId === clientOrderId : oco.id === orderId);
    const [order] = open((one) => isNamed(one) && isOfMarket(one, fields));
    if (order === undefined)
      throw new Refusal(422, 2, 'Inner validation failed', { orderId: ['Unexecuted order was not found.'] });
    end(order, 'CANCELED');
    return ocoRecord(order);
  }

  function setKillSwitch(fields: Fields): unknown {
    const market = text(fields['market']);
    const { timeout } = fields;
    const seconds = Number(timeout);
    const isValid = timeout === null || (typeof timeout === 'string' && seconds >= 5 && seconds <= 600);
    if (!isValid) throw invalid(30, 'timeout', 'The timeout field must be present.');
    clearTimeout(switches.get(market));
    switches.delete(market);
    if (timeout === null) return [];
    const timer = setTimeout(() => {
      switches.delete(market);
      for (const order of open((one) => one.market === market)) end(order, 'CANCELED');
    }, seconds * 1000);
    timer.unref();
    switches.set(market, timer);
    const startTime = Math.floor(now() / 1000);
    return { market, startTime, cancellationTime: startTime + seconds, types: ['spot', 'margin', 'futures'] };
  }

  function listOpen(fields: Fields): unknown {
    if ((fields['orderId'] !== undefined || fields['clientOrderId'] !== undefined) && fields['market'] === undefined) {
      throw invalid(30, 'market', 'The market field is required.');
    }
    const orders = open((order) => !(state.listsLinkedApart && isConditional(order)) && isMeant(order, fields));
    return listed(page(orders, fields, 50, 100).flatMap((order) => legsOf(order).map((leg) => wire(leg, 'list'))));
  }

  function listOco(fields: Fields): unknown {
    const orders = open((order) => order.oco !== undefined && isOfMarket(order, fields));
    return listed(page(orders, fields, 50, 100).map(ocoRecord));
  }

  function listConditional(fields: Fields): unknown {
    const orders = open((order) => isConditional(order) && isOfMarket(order, fields));
    const records = page(orders, fields, 100, 100).map((order) => {
      if (order.oco === undefined) return otoRecord(order);
      const [takeProfit, stopLoss] = legsOf(order).map((leg) => wire(leg, 'list'));
      return { id: order.oco.id, type: 'oco', stopLoss, takeProfit };
    });
    return {
      limit: Number(fields['limit'] ?? 100),
      offset: Number(fields['offset'] ?? 0),
      total: orders.length,
      records: listed(records),
    };
  }

  function otoRecord(order: Execution): Fields {
    return {
      id: order.linked?.otoId,
      type: 'oto',
      conditionalOrderType: 'limit',
      stopLossPrice: order.linked?.stopLoss,
      takeProfitPrice: order.linked?.takeProfit,
      conditionalOrder: wire(order, 'list'),
    };
  }

  /** An OCO order by the names of its own list. */
  function ocoRecord(order: Execution): Fields {
    const [take_profit, stop_loss] = legsOf(order).map((leg) => wire(leg, 'response'));
    return { id: order.oco?.id, stop_loss, take_profit };
  }

  function listHistory(fields: Fields): unknown {
    const isShown = (order: Execution) => {
      if (order.endedAt === undefined || now() < order.endedAt + state.historyLagMs) return false;
      return !(state.historyOmitsUnfilled && order.status === 'CANCELED');
    };
    const ended = page(
      executions.filter((order) => isShown(order) && isMeant(order, fields)),
      fields,
      50,
      500,
    );
    const isOfOne = fields['orderId'] !== undefined || fields['clientOrderId'] !== undefined;
    if (ended.length === 0 && isOfOne)
      throw new Refusal(422, 30, 'Validation failed', { orderHistory: ['OrderHistory was not found.'] });
    if (ended.length === 0) return [];
    const names = new Set(ended.map((order) => order.market));
    const recordsOf = (name: string) =>
      listed(
        ended
          .filter((order) => order.market === name)
          .flatMap(legsOf)
          .filter((leg) => !(state.historyOmitsUnfilled && leg.status === 'CANCELED'))
          .map((leg) => wire(leg, 'history')),
      );
    return Object.fromEntries([...names].map((name) => [name, recordsOf(name)]));
  }

  function listed(records: readonly unknown[]): unknown {
    const unreadable = { orderId: null, id: null, market: 7, side: null };
    if (state.unreadable === 'instead') return records.map(() => unreadable);
    return state.unreadable === 'beside' ? [unreadable, ...records] : records;
  }

  function wire(order: Execution, where: 'response' | 'list' | 'history'): Fields {
    const filled = order.status === 'FILLED' ? order.amount : 0;
    const { type, isLimit = false, isCollateral = false, buysForMoney = false } = order.placing;
    const isBuyForMoney = buysForMoney && order.side === 'buy';
    const amount = decimal(isBuyForMoney ? order.amount * order.price : order.amount);
    const at = order.executedAt / 1000;
    const ended = order.endedAt === undefined ? undefined : order.endedAt / 1000;
    const [above, below] = where === 'history' ? ['>=', '<='] : ['gte', 'lte'];
    const trigger = order.activationPrice !== undefined && {
      [where === 'history' ? 'activationPrice' : 'activation_price']: decimal(order.activationPrice),
      activationCondition: order.side === 'buy' ? above : below,
      activated: order.status === 'FILLED' ? 1 : 0,
    };
    return {
      ...(where === 'history' ? { id: order.orderId } : { orderId: order.orderId }),
      clientOrderId: order.clientOrderId,
      market: order.market,
      side: order.side,
      status: order.status,
      ...odd({
        ...(where === 'history'
          ? { ctime: at, ftime: ended }
          : { timestamp: at, left: order.status === 'FILLED' ? '0' : amount }),
        type,
        amount,
        dealMoney: decimal(filled * order.price),
        dealStock: decimal(filled),
        dealFee: decimal(filled * order.price * 0.001),
        // Left out on market orders, and "0" in their history. postOnly is left out when it was not set.
        ...(isLimit ? { price: decimal(order.price) } : where === 'history' ? { price: '0' } : {}),
        ioc: false,
        stp: 'no',
        feeAsset: 'USDT',
        ...(isCollateral ? { positionSide: 'BOTH', rpi: false, reduceOnly: false, oto: order.linked ?? null } : {}),
        ...trigger,
      }),
    };
  }

  /** The fields without influence on a decision, as the premises have them. */
  function odd(fields: Fields): Fields {
    switch (state.fields) {
      case 'usual':
        return fields;
      case 'absent':
        return {};
      case 'null':
        return Object.fromEntries(Object.keys(fields).map((name) => [name, null]));
      case 'numbers':
        return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, reversed(value)]));
      case 'new kinds':
        return {
          ...{ ...fields, type: 'normalization', stp: 'zz', positionSide: 'NEITHER', feeAsset: 'NEWCOIN' },
          ...{ postOnly: 'perhaps', novelty: { of: [1] } },
        };
    }
  }

  const privateEndpoints: Readonly<Record<string, (fields: Fields) => unknown>> = {
    [paths.cancel]: cancel,
    [paths.modify]: modify,
    [paths.closePosition]: closePosition,
    [paths.closedPositions]: () =>
      positions
        .filter(({ isClosed }) => isClosed)
        .map(({ positionId, market }) => ({ positionId, market, netPnl: '0' })),
    [paths.killSwitch]: setKillSwitch,
    [paths.open]: listOpen,
    [paths.conditional]: listConditional,
    [paths.oco]: listOco,
    [paths.cancelOco]: cancelOco,
    [paths.history]: listHistory,
    [paths.balance]: () => ({ BTC: { main_balance: '1' }, USDT: { main_balance: '1000' } }),
    [paths.leverage]: (fields) => {
      if (![1, 2, 3, 5, 10, 20, 50, 100].includes(Number(fields['leverage'])))
        throw invalid(30, 'leverage', 'The selected leverage is invalid.');
      leverage = Number(fields['leverage']);
      return { leverage };
    },
  };
  const publicEndpoints: Readonly<Record<string, () => unknown>> = {
    [paths.ping]: () => ['pong'],
    [paths.time]: () => ({ time: Math.floor(now() / 1000) }),
    [paths.markets]: () => Object.keys(markets).map(marketRecord),
    [paths.assets]: () => ({ USDT: assetRecord }),
    [paths.fees]: () => ({ USDT: feeRecord }),
  };

  /** Runs when the request arrives; what it returns runs in the engine. */
  function admit(request: ForeignRequest): () => unknown {
    const read = request.method === 'GET' ? publicEndpoints[request.path] : undefined;
    if (read !== undefined) return read;
    const placing = placings[request.path];
    const endpoint = privateEndpoints[request.path];
    const ofMoney = money.endpoints[request.path];
    if (request.method !== 'POST' || (placing ?? endpoint ?? ofMoney) === undefined)
      throw new Refusal(404, 0, 'Not found');
    const fields = authenticate(request);
    if (ofMoney !== undefined) return ofMoney(fields);
    return placing === undefined ? () => endpoint?.(fields) : accept(request.path, placing, fields);
  }

  function admitted(request: ForeignRequest): () => unknown {
    try {
      return admit(request);
    } catch (error) {
      return () => {
        throw error;
      };
    }
  }

  function respond(run: () => unknown): ForeignResponse {
    const { dateOffsetMs } = state;
    const date = dateOffsetMs === undefined ? {} : { date: new Date(now() + dateOffsetMs).toUTCString() };
    const headers = { 'content-type': 'application/json', ...date };
    try {
      return { status: 200, headers, body: JSON.stringify(run()) };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { status, code, message, errors } = error;
      return {
        status,
        headers,
        body: JSON.stringify({ code, message, errors: Object.keys(errors).length === 0 ? [] : errors }),
      };
    }
  }

  return {
    /** What it does from now on: set any of them. */
    premises: state,
    /** Its clock, Unix ms. */
    now,
    /** Transfers, withdrawals and what else moves money. */
    money,
    executions,
    /** The executions of the orders that were requested with an identifier. */
    executionsOf: (requestedId: string) => executions.filter((order) => order.requestedId === requestedId),
    /** Whether orders of a market will be cancelled by a kill switch. */
    isArmed: (market: string) => switches.has(market),
    leverage: () => leverage,
    openPosition: (market: string) => {
      const positionId = nextId++;
      positions.push({ positionId, market, isClosed: false });
      return positionId;
    },
    isClosed: (positionId: number) => positions.some((one) => one.positionId === positionId && one.isClosed),
    fill: (market: string) => {
      for (const order of open((one) => one.market === market)) end(order, 'FILLED');
    },
    /**
     * Takes one request in. Nonce and fields are checked before it returns; the engine may execute later. Never rejects.
     */
    receive: (request: ForeignRequest): Promise<ForeignResponse> => {
      const run = admitted(request);
      const isSlow = orderPaths.includes(request.path) || movingPaths.includes(request.path);
      if (state.engineDelayMs === 0 || !isSlow) return Promise.resolve(respond(run));
      return new Promise((resolve) => {
        setTimeout(() => {
          resolve(respond(run));
        }, state.engineDelayMs);
      });
    },
  };
}

/** An order as the lists show it: an OCO order is two, the limit order first. One of them ends the other. */
function legsOf(order: Execution): readonly Execution[] {
  if (order.oco === undefined) return [order];
  const { stopOrderId, stopLimitPrice, activationPrice } = order.oco;
  const status = order.status === 'FILLED' ? 'CANCELED' : order.status;
  const stop = { orderId: stopOrderId, placing: stopLimit, price: stopLimitPrice, activationPrice, status };
  return [order, { ...order, ...stop }];
}

function isConditional({ linked, oco }: Execution): boolean {
  return linked !== undefined || oco !== undefined;
}

function isOfMarket({ market }: Execution, fields: Fields): boolean {
  return fields['market'] === undefined || fields['market'] === market;
}

/** Whether a request means this order, by its market and its identifiers; `orderId` may be a string of digits. */
function isMeant(order: Execution, fields: Fields): boolean {
  const { orderId, clientOrderId } = fields;
  if (!isOfMarket(order, fields)) return false;
  return (
    (orderId === undefined || Number(orderId) === order.orderId) &&
    (clientOrderId === undefined || clientOrderId === order.clientOrderId)
  );
}

/** One page, the newest first. */
function page(
  orders: readonly Execution[],
  fields: Fields,
  defaultLimit: number,
  maxLimit: number,
): readonly Execution[] {
  const limit = Number(fields['limit'] ?? defaultLimit);
  const offset = Number(fields['offset'] ?? 0);
  if (!(limit >= 1 && limit <= maxLimit)) throw invalid(30, 'limit', `The limit must be between 1 and ${maxLimit}.`);
  return [...orders].reverse().slice(offset, offset + limit);
}

function marketRecord(name: string): Fields {
  const [stock, money] = name.split('_');
  return {
    ...{ name, stock, money, stockPrec: '6', moneyPrec: '2', feePrec: '4', makerFee: '0.1', takerFee: '0.1' },
    ...{ minAmount: '0.0001', minTotal: '1', maxTotal: '0', tickSize: '', stepSize: '' },
    ...{ tradesEnabled: true, isCollateral: true, type: 'spot', isTradFiFutures: false, delistedAt: null },
  };
}

const assetRecord: Fields = {
  ...{ name: 'Tether US', unified_cryptoasset_id: 825, can_withdraw: true, can_deposit: true },
  ...{ min_withdraw: '5', max_withdraw: '0', maker_fee: '0.1', taker_fee: '0.1', min_deposit: '1', max_deposit: '0' },
  networks: { deposits: ['TRC20'], withdraws: ['TRC20'], default: 'TRC20' },
  limits: { deposit: { TRC20: { min: '1' } }, withdraw: { TRC20: { min: '5' } } },
  ...{ currency_precision: 6, is_memo: false, confirmations: { TRC20: 20 } },
};

const feeRecord: Fields = {
  ...{ ticker: 'USDT', name: 'Tether US', providers: [], can_deposit: true, can_withdraw: true },
  deposit: { min_amount: '1', max_amount: '0', fixed: null, flex: null },
  withdraw: { min_amount: '5', max_amount: '0', fixed: '1', flex: null },
};

function parsed(body: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** A number for a string of one, and the reverse. */
function reversed(value: unknown): unknown {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && /^[\d.]+$/.test(value) ? Number(value) : value;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

function decimal(value: number): string {
  return value.toFixed(8).replace(/\.?0+$/, '');
}
