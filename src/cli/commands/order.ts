// `exchange-rx order`: places an order after a check and a confirmation, or looks up an order placed earlier.
import { Command, Option } from 'commander';
import { map } from 'rxjs';
import { placeLimitOrder } from '../../endpoints/collateral/index.js';
import { placeMarketOrder, placeStockMarketOrder } from '../../endpoints/spot/index.js';
import {
  orderSides,
  positionSides,
  stpModes,
  type OrderSide,
  type PositionSide,
  type StpMode,
} from '../../model/order.js';
import { createClientOrderId } from '../../orders/index.js';
import { oneOf } from '../option-parsers.js';
import { describeOrder, placeOrder, type PlaceOptions } from '../place-order.js';
import type { Runner } from '../runner.js';

interface OrderOptions extends PlaceOptions {
  readonly clientOrderId?: string;
  readonly stp?: StpMode;
}

interface CollateralLimitOptions extends OrderOptions {
  readonly stopLoss?: string;
  readonly takeProfit?: string;
  readonly postOnly?: boolean;
  readonly ioc?: boolean;
  readonly rpi?: boolean;
  readonly reduceOnly?: boolean;
  readonly positionSide?: PositionSide;
}

const help = `
Examples:
  $ exchange-rx order stock-market BTC_USDT buy 0.01 --dry-run
  $ exchange-rx order market BTC_USDT buy 100 --yes --json
  $ exchange-rx order collateral-limit BTC_USDT sell 0.01 70000 --post-only
  $ exchange-rx order find my-order-7 BTC_USDT

A command places at most one order. When the response is lost, the order is looked up;
it is sent again only after proof that it does not exist.
Exit code 5: the outcome is unknown. "order find" looks the order up and sends no order.`;

export function orderCommand(runner: Runner): Command {
  return new Command('order')
    .description('place an order, or look one up')
    .addHelpText('after', help)
    .addCommand(stockMarketCommand(runner))
    .addCommand(marketCommand(runner))
    .addCommand(collateralLimitCommand(runner))
    .addCommand(findCommand(runner));
}

function stockMarketCommand({ runToCompletion }: Runner): Command {
  return placingCommand('stock-market', 'spot market order; amount in the base currency on both sides').action(
    (market: string, side: OrderSide, amount: string, options: OrderOptions, command: Command) =>
      runToCompletion(command, (context) => {
        const params = { market, side, amount, ...sharedParams(options) };
        return placeOrder(
          context,
          { endpoint: placeStockMarketOrder, params, place: () => context.exchange.spot.placeStockMarketOrder(params) },
          options,
        );
      }),
  );
}

function marketCommand({ runToCompletion }: Runner): Command {
  return placingCommand(
    'market',
    'spot market order; amount in the quote currency for a buy, in the base currency for a sell',
  ).action((market: string, side: OrderSide, amount: string, options: OrderOptions, command: Command) =>
    runToCompletion(command, (context) => {
      const params = { market, side, amount, ...sharedParams(options) };
      return placeOrder(
        context,
        { endpoint: placeMarketOrder, params, place: () => context.exchange.spot.placeMarketOrder(params) },
        options,
      );
    }),
  );
}

function collateralLimitCommand({ runToCompletion }: Runner): Command {
  return placingCommand(
    'collateral-limit',
    'limit order on collateral: a buy opens a long position, a sell a short one',
  )
    .argument('<price>', 'limit price in the quote currency')
    .option('--stop-loss <price>', 'close the position at this price when the market moves against it')
    .option('--take-profit <price>', 'close the position at this price when the market moves in its favor')
    .option('--post-only', 'place the order as maker only')
    .option('--ioc', 'immediate or cancel')
    .option('--rpi', 'retail price improvement order')
    .option('--reduce-only', 'only reduce or close a position')
    .addOption(
      new Option('--position-side <side>', `in hedge mode: ${positionSides.join(', ')}`).argParser(
        oneOf(positionSides),
      ),
    )
    .action(
      (
        market: string,
        side: OrderSide,
        amount: string,
        price: string,
        options: CollateralLimitOptions,
        command: Command,
      ) =>
        runToCompletion(command, (context) => {
          const { yes: _yes, dryRun: _dryRun, clientOrderId: _clientOrderId, stp: _stp, ...conditions } = options;
          const params = { market, side, amount, price, ...sharedParams(options), ...conditions };
          return placeOrder(
            context,
            { endpoint: placeLimitOrder, params, place: () => context.exchange.collateral.placeLimitOrder(params) },
            options,
          );
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

function placingCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .argument('<market>', 'such as BTC_USDT')
    .argument('<side>', orderSides.join(' or '), oneOf(orderSides))
    .argument('<amount>', 'decimal, such as 0.01')
    .option('-y, --yes', 'place the order without confirmation')
    .option('--dry-run', 'check the order against the rules of its market, and send no order')
    .option('--client-order-id <id>', 'client_order_id of the order (default: a new one)')
    .addOption(new Option('--stp <mode>', `self-trade prevention: ${stpModes.join(', ')}`).argParser(oneOf(stpModes)));
}

function sharedParams({ clientOrderId = createClientOrderId(), stp }: OrderOptions) {
  return { client_order_id: clientOrderId, ...(stp === undefined ? {} : { stp }) };
}
