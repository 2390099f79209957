// `exchange-rx order`: places an order, once it was checked and agreed to; and finds out what became of one.
import { Command, Option } from 'commander';
import { map } from 'rxjs';
import { placeLimitOrder } from '../../endpoints/collateral/index.js';
import { placeMarketOrder, placeStockMarketOrder } from '../../endpoints/spot/index.js';
import { createClientOrderId } from '../../model/client-order-id.js';
import {
  orderSides,
  positionSides,
  stpModes,
  type OrderSide,
  type PositionSide,
  type StpMode,
} from '../../model/order.js';
import { oneOf } from '../arguments.js';
import { describeOrder, placeOrder, type PlaceOptions } from '../place-order.js';
import type { Runner } from '../verb.js';

interface OrderOptions extends PlaceOptions {
  readonly clientOrderId?: string;
  readonly stp?: StpMode;
}

interface LimitOptions extends OrderOptions {
  readonly stopLoss?: string;
  readonly takeProfit?: string;
  readonly postOnly?: boolean;
  readonly ioc?: boolean;
  readonly rpi?: boolean;
  readonly reduceOnly?: boolean;
  readonly positionSide?: PositionSide;
}

const examples = `
Examples:
  $ exchange-rx order stock-market BTC_USDT buy 0.01 --dry-run
  $ exchange-rx order market BTC_USDT buy 100 --yes --json
  $ exchange-rx order limit BTC_USDT sell 0.01 70000 --post-only
  $ exchange-rx order resume my-order-7 BTC_USDT

An order is one order: when its response is lost, it is looked up, and never sent a second time without a proof that it does not exist.
Exit code 5 says that its outcome is not known: "order resume" looks it up again, and sends nothing.`;

export function orderCommand(runner: Runner): Command {
  return new Command('order')
    .description('place an order, or find out what became of one')
    .addHelpText('after', examples)
    .addCommand(stockMarketCommand(runner))
    .addCommand(marketCommand(runner))
    .addCommand(limitCommand(runner))
    .addCommand(resumeCommand(runner));
}

function stockMarketCommand({ runToItsEnd }: Runner): Command {
  return placingCommand('stock-market', 'a market order; the amount is in the base currency on both sides').action(
    (market: string, side: OrderSide, amount: string, options: OrderOptions, command: Command) =>
      runToItsEnd(command, (tools) => {
        const params = { market, side, amount, ...identityOf(options) };
        return placeOrder(
          tools,
          { endpoint: placeStockMarketOrder, params, place: () => tools.exchange.spot.placeStockMarketOrder(params) },
          options,
        );
      }),
  );
}

function marketCommand({ runToItsEnd }: Runner): Command {
  return placingCommand(
    'market',
    'a market order; the amount is in the quote currency for a buy, in the base currency for a sell',
  ).action((market: string, side: OrderSide, amount: string, options: OrderOptions, command: Command) =>
    runToItsEnd(command, (tools) => {
      const params = { market, side, amount, ...identityOf(options) };
      return placeOrder(
        tools,
        { endpoint: placeMarketOrder, params, place: () => tools.exchange.spot.placeMarketOrder(params) },
        options,
      );
    }),
  );
}

function limitCommand({ runToItsEnd }: Runner): Command {
  return placingCommand('limit', 'a limit order on collateral: buy opens a long position, sell a short one')
    .argument('<price>', 'in the quote currency')
    .option('--stop-loss <price>', 'close the position when the market goes against it this far')
    .option('--take-profit <price>', 'close the position when the market goes with it this far')
    .option('--post-only', 'only as maker')
    .option('--ioc', 'immediate or cancel')
    .option('--rpi', 'retail price improvement')
    .option('--reduce-only', 'only reduce or close a position')
    .addOption(
      new Option('--position-side <side>', `in hedge mode: ${positionSides.join(', ')}`).argParser(
        oneOf(positionSides),
      ),
    )
    .action((market: string, side: OrderSide, amount: string, price: string, options: LimitOptions, command: Command) =>
      runToItsEnd(command, (tools) => {
        const { yes: _yes, dryRun: _dryRun, clientOrderId: _clientOrderId, stp: _stp, ...conditions } = options;
        const params = { market, side, amount, price, ...identityOf(options), ...conditions };
        return placeOrder(
          tools,
          { endpoint: placeLimitOrder, params, place: () => tools.exchange.collateral.placeLimitOrder(params) },
          options,
        );
      }),
    );
}

function resumeCommand({ run }: Runner): Command {
  return new Command('resume')
    .description('find out what became of an order; sends none')
    .argument('<client-order-id>')
    .argument('<market>', 'such as BTC_USDT')
    .action((identifier: string, market: string, _options: object, command: Command) =>
      run(command, ({ exchange }) =>
        exchange.orders
          .find({ market, client_order_id: identifier })
          .pipe(map((order) => ({ text: describeOrder(order), data: order }))),
      ),
    );
}

function placingCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .argument('<market>', 'such as BTC_USDT')
    .argument('<side>', orderSides.join(' or '), oneOf(orderSides))
    .argument('<amount>', 'a decimal, such as 0.01')
    .option('-y, --yes', 'do not ask')
    .option('--dry-run', 'check it against the rules of its market, and send nothing')
    .option('--client-order-id <id>', 'your identifier of the order; by default one is made')
    .addOption(new Option('--stp <mode>', `self-trade prevention: ${stpModes.join(', ')}`).argParser(oneOf(stpModes)));
}

function identityOf({ clientOrderId = createClientOrderId(), stp }: OrderOptions) {
  return { client_order_id: clientOrderId, ...(stp === undefined ? {} : { stp }) };
}
