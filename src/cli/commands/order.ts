// `exchange-rx order`: places an order after a check and a confirmation, or looks up an order placed earlier.
import { Command, Option } from 'commander';
import { map, type Observable } from 'rxjs';
import * as collateral from '../../endpoints/collateral/index.js';
import * as spot from '../../endpoints/spot/index.js';
import type { Endpoint } from '../../endpoint/index.js';
import type { Exchange } from '../../exchange.js';
import type { OcoOrder } from '../../model/oco-order.js';
import {
  orderSides,
  positionSides,
  stpModes,
  type Order,
  type OrderSide,
  type PositionSide,
  type StpMode,
} from '../../model/order.js';
import { createClientOrderId } from '../../orders/index.js';
import { oneOf } from '../option-parsers.js';
import { describeOrder, placeOrder, type OrderPlan, type PlaceOptions } from '../place-order.js';
import type { Runner } from '../runner.js';

interface Base {
  readonly market: string;
  readonly side: OrderSide;
  readonly amount: string;
  readonly client_order_id: string;
  readonly stp?: StpMode;
}

interface Own {
  readonly price?: string;
  readonly activationPrice?: string;
  readonly stopLimitPrice?: string;
  readonly postOnly?: boolean;
  readonly ioc?: boolean;
  readonly rpi?: boolean;
  readonly stopLoss?: string;
  readonly takeProfit?: string;
  readonly reduceOnly?: boolean;
  readonly positionSide?: PositionSide;
}

interface OrderOptions extends Own, PlaceOptions {
  readonly clientOrderId?: string;
  readonly stp?: StpMode;
}

const help = `
Examples:
  $ exchange-rx order limit BTC_USDT buy 0.01 --price 50000 --dry-run
  $ exchange-rx order stock-market BTC_USDT buy 0.01 --yes --json
  $ exchange-rx order stop BTC_USDT sell 0.01 --activation-price 45000
  $ exchange-rx order collateral-limit BTC_USDT sell 0.01 --price 70000 --post-only
  $ exchange-rx order find my-order-7 BTC_USDT

A command places at most one order. When the response is lost, the order is looked up;
it is sent again only after proof that it does not exist.
Exit code 5: the outcome is unknown. "order find" looks the order up and sends no order.`;

const option = (names: string, description: string) => new Option(names, description);
const price = () => option('--price <price>', 'limit price in the quote currency').makeOptionMandatory();
const flags = () => [
  option('--post-only', 'place the order as maker only'),
  option('--ioc', 'immediate or cancel'),
  option('--rpi', 'retail price improvement order'),
];
const stop = () => [
  option('--activation-price <price>', 'market price that activates the order').makeOptionMandatory(),
  option('--price <price>', 'limit price once it is active (default: a market order)'),
];
const position = () => [
  option('--reduce-only', 'only reduce or close a position'),
  option('--position-side <side>', `in hedge mode: ${positionSides.join(', ')}`).argParser(oneOf(positionSides)),
];
const linked = () => [
  option('--stop-loss <price>', 'close the position at this price when the market moves against it'),
  option('--take-profit <price>', 'close the position at this price when the market moves in its favor'),
  ...position(),
];

export function orderCommand(runner: Runner): Command {
  const order = new Command('order').description('place an order, or look one up').addHelpText('after', help);
  for (const kind of kinds) order.addCommand(placingCommand(runner, kind));
  return order.addCommand(findCommand(runner));
}

interface Kind {
  readonly name: string;
  readonly description: string;
  readonly options: readonly Option[];
  /** A missing price is empty here, which the endpoint rejects: commander requires the options of a kind. */
  readonly planOf: (exchange: Exchange, base: Base, given: Own) => OrderPlan;
}

function plan<Params extends OrderPlan['params']>(
  endpoint: Endpoint,
  place: (params: Params) => Observable<Order | OcoOrder>,
  params: Params,
): OrderPlan {
  return { endpoint, params, place: () => place(params) };
}

const inBase = 'amount in the base currency';
const inQuote = 'amount in the quote currency for a buy, in the base currency for a sell';
const kinds: readonly Kind[] = [
  {
    name: 'limit',
    description: 'spot limit order',
    options: [price(), ...flags()],
    planOf: ({ spot: own }, base, { price: limit = '', ...given }) =>
      plan(spot.placeLimitOrder, own.placeLimitOrder, { ...base, ...given, price: limit }),
  },
  {
    name: 'stock-market',
    description: `spot market order; ${inBase} on both sides`,
    options: [],
    planOf: ({ spot: own }, base) => plan(spot.placeStockMarketOrder, own.placeStockMarketOrder, base),
  },
  {
    name: 'market',
    description: `spot market order; ${inQuote}`,
    options: [],
    planOf: ({ spot: own }, base) => plan(spot.placeMarketOrder, own.placeMarketOrder, base),
  },
  {
    name: 'stop',
    description: `spot stop order; without --price, ${inQuote}`,
    options: stop(),
    planOf: ({ spot: own }, base, { activationPrice: activation_price = '', price: limit }) =>
      limit === undefined
        ? plan(spot.placeStopMarketOrder, own.placeStopMarketOrder, { ...base, activation_price })
        : plan(spot.placeStopLimitOrder, own.placeStopLimitOrder, { ...base, activation_price, price: limit }),
  },
  {
    name: 'collateral-limit',
    description: 'limit order on collateral: a buy opens a long position, a sell a short one',
    options: [price(), ...flags(), ...linked()],
    planOf: ({ collateral: own }, base, { price: limit = '', ...given }) =>
      plan(collateral.placeLimitOrder, own.placeLimitOrder, { ...base, ...given, price: limit }),
  },
  {
    name: 'collateral-market',
    description: `market order on collateral; ${inBase} on both sides`,
    options: linked(),
    planOf: ({ collateral: own }, base, given) =>
      plan(collateral.placeMarketOrder, own.placeMarketOrder, { ...base, ...given }),
  },
  {
    name: 'collateral-stop',
    description: `stop order on collateral; ${inBase} on both sides`,
    options: [...stop(), ...linked()],
    planOf: ({ collateral: own }, base, { activationPrice: activation_price = '', price: limit, ...given }) => {
      const params = { ...base, ...given, activation_price };
      return limit === undefined
        ? plan(collateral.placeTriggerMarketOrder, own.placeTriggerMarketOrder, params)
        : plan(collateral.placeStopLimitOrder, own.placeStopLimitOrder, { ...params, price: limit });
    },
  },
  {
    name: 'oco',
    description:
      'pair of orders on collateral, a limit and a stop limit order: the first that trades cancels the other',
    options: [
      price(),
      option('--activation-price <price>', 'market price that activates the stop order').makeOptionMandatory(),
      option('--stop-limit-price <price>', 'limit price of the stop order').makeOptionMandatory(),
      ...position(),
    ],
    planOf: ({ collateral: own }, base, { price: limit = '', activationPrice = '', stopLimitPrice = '', ...given }) => {
      const prices = { price: limit, activation_price: activationPrice, stop_limit_price: stopLimitPrice };
      return plan(collateral.placeOcoOrder, own.placeOcoOrder, { ...base, ...given, ...prices });
    },
  },
];

function placingCommand({ runToCompletion }: Runner, { name, description, options, planOf }: Kind): Command {
  const command = new Command(name)
    .description(description)
    .argument('<market>', 'such as BTC_USDT')
    .argument('<side>', orderSides.join(' or '), oneOf(orderSides))
    .argument('<amount>', 'decimal, such as 0.01')
    .option('-y, --yes', 'place the order without confirmation')
    .option('--dry-run', 'check the order against the rules of its market, show cost and fee, and send no order')
    .option('--client-order-id <id>', 'client_order_id of the order (default: a new one)')
    .addOption(option('--stp <mode>', `self-trade prevention: ${stpModes.join(', ')}`).argParser(oneOf(stpModes)));
  for (const own of options) command.addOption(own);
  return command.action((market: string, side: OrderSide, amount: string, given: OrderOptions, self: Command) =>
    runToCompletion(self, (context) => {
      const { yes = false, dryRun = false, clientOrderId = createClientOrderId(), stp, ...own } = given;
      const base = { market, side, amount, client_order_id: clientOrderId, ...(stp === undefined ? {} : { stp }) };
      return placeOrder(context, planOf(context.exchange, base, own), { yes, dryRun });
    }),
  );
}

function findCommand({ run }: Runner): Command {
  return new Command('find')
    .description('look up an order by its client_order_id; sends no order')
    .argument('<client-order-id>', 'client_order_id that the order was placed with')
    .argument('<market>', 'market of the order, such as BTC_USDT')
    .action((clientOrderId: string, market: string, _options: object, command: Command) =>
      run(command, ({ exchange }) =>
        exchange.orders
          .find({ market, client_order_id: clientOrderId })
          .pipe(map((order) => ({ text: describeOrder(order), data: order }))),
      ),
    );
}
