// `exchange-rx orders cancel`, `cancel-all` and `modify`.
import { Command, Option } from 'commander';
import { defaultIfEmpty, defer, map, of, take, toArray, type Observable } from 'rxjs';
import type { Exchange } from '../../exchange.js';
import { stpModes, type Order, type StpMode } from '../../model/order.js';
import { confirmed, perform, type ActOptions } from '../act.js';
import { UsageError } from '../exit-codes.js';
import { integerBetween, oneOf } from '../option-parsers.js';
import { describeOrder } from '../place-order.js';
import type { Runner } from '../runner.js';
import { text, type SafeText } from '../terminal/index.js';
import { marketOption, openOrders, priceOf } from './open-orders.js';

interface CancelOptions extends ActOptions {
  readonly clientOrderId?: string;
  readonly conditional?: number;
}

const anId = integerBetween(1, Number.MAX_SAFE_INTEGER);

export function cancelCommand({ runToCompletion }: Runner): Command {
  const command = new Command('cancel')
    .description('cancel an open order by one of its identifiers')
    .argument('<market>', 'market of the order, such as BTC_USDT')
    .argument('[order-id]', 'order_id of the order', anId)
    .option('--client-order-id <id>', 'client_order_id of the order')
    .addOption(
      new Option(
        '--conditional <id>',
        'cancel a conditional order (OCO, or with stop loss) with all its orders',
      ).argParser(anId),
    );
  return confirmed(command, 'cancel the order').action(
    (market: string, order_id: number | undefined, options: CancelOptions, self: Command) =>
      runToCompletion(self, (context) => {
        const { orders } = context.exchange;
        const { clientOrderId, conditional } = options;
        if ([order_id, clientOrderId, conditional].filter((id) => id !== undefined).length !== 1)
          throw new UsageError('one of [order-id], --client-order-id and --conditional is required');
        const words = { verb: 'cancel the order', declined: 'Order not canceled', subject: 'The cancel' };
        const whenUnknown = 'the order may be canceled or not. See "exchange-rx orders list".';
        if (conditional !== undefined) {
          const done = { ok: true, market, conditionalId: conditional };
          const question = text`Cancel conditional order ${conditional} of ${market} with all its orders`;
          const cancel$ = defer(() => orders.cancelConditional({ market, id: conditional }));
          const output = { text: text`Conditional order ${conditional} is canceled.`, data: done };
          return perform(
            context,
            of({ ...words, question, whenUnknown, perform: () => cancel$.pipe(map(() => output)) }),
            options,
          );
        }
        const name = order_id === undefined ? { client_order_id: clientOrderId ?? '' } : { order_id };
        const act$ = describedOpen(context.exchange, { market, ...name }, options.yes).pipe(
          map(({ what }) => ({
            ...words,
            question: text`Cancel ${what}`,
            whenUnknown,
            perform: () =>
              orders.cancel({ market, ...name }).pipe(map((order) => ({ text: describeOrder(order), data: order }))),
          })),
        );
        return perform(context, act$, options);
      }),
  );
}

/** An open order in words. The exchange decides whether one that its list lacks is open: a cancel is not held up. */
function describedOpen(
  exchange: Exchange,
  name: { readonly market: string; readonly order_id?: number; readonly client_order_id?: string },
  isSkipped = false,
): Observable<{ readonly what: SafeText; readonly order?: Order }> {
  const { market, order_id, client_order_id } = name;
  const unlisted = {
    what: text`order ${order_id ?? client_order_id ?? ''} of ${market} (not in the list of open orders)`,
  };
  if (isSkipped) return of(unlisted);
  return exchange.orders.open(name).pipe(
    map(([order]) => {
      if (order === undefined) return unlisted;
      const { side, type = 'order', amount = '', client_order_id: id } = order;
      const price = priceOf(order);
      const at = price === undefined ? '' : text` at ${price}`;
      return { order, what: text`order ${order.order_id} (${id}): ${side} ${amount} ${market}, ${type}${at}` };
    }),
    take(1),
    defaultIfEmpty(unlisted),
  );
}

const orderKinds = ['spot', 'margin', 'futures'] as const;

export function cancelAllCommand({ runToCompletion }: Runner): Command {
  const command = new Command('cancel-all')
    .description('cancel all open orders, spot and collateral')
    .addOption(marketOption())
    .addOption(
      new Option('--type <kind>', `only orders of this kind: ${orderKinds.join(', ')}`).argParser(oneOf(orderKinds)),
    );
  return confirmed(command, 'cancel the orders').action(
    (options: ActOptions & { market?: string; type?: (typeof orderKinds)[number] }, self: Command) =>
      runToCompletion(self, (context) => {
        const { exchange } = context;
        const { market, type, yes = false } = options;
        const filter = { ...(market === undefined ? {} : { market }), ...(type === undefined ? {} : { type: [type] }) };
        const kind = type === undefined ? '' : text`${type} `;
        const which = text`${kind}orders${market === undefined ? '' : text` of ${market}`}`;
        const count$ = yes ? of(text``) : openOrders(exchange, market).pipe(toArray(), map(countOf(type)));
        const act$ = count$.pipe(
          map((count) => ({
            question: text`Cancel all open ${which}${count}`,
            verb: 'cancel the orders',
            declined: 'Orders not canceled',
            subject: 'The cancel',
            whenUnknown: 'some orders may be open. See "exchange-rx orders list".',
            perform: () =>
              exchange.orders
                .cancelAll(filter)
                .pipe(map(() => ({ text: text`All open ${which} are canceled.`, data: { ok: true, ...filter } }))),
          })),
        );
        return perform(context, act$, options);
      }),
  );
}

/** No list says which orders are of a kind: the question counts all of them. */
const countOf = (type: string | undefined) => (open: readonly Order[]) =>
  type === undefined ? text` (${open.length} now)` : text` (${open.length} of any kind are open now)`;

interface ModifyOptions extends ActOptions {
  readonly price?: string;
  readonly amount?: string;
  readonly total?: string;
  readonly activationPrice?: string;
  readonly stp?: StpMode;
}

export function modifyCommand({ runToCompletion }: Runner): Command {
  const command = new Command('modify')
    .description('modify an open order, which gets a new order_id and goes to the end of the queue')
    .argument('<market>', 'market of the order, such as BTC_USDT')
    .argument('<order-id>', 'order_id of the order', anId)
    .option('--price <price>', 'new limit price')
    .option('--amount <amount>', 'new amount; what was filled before does not count')
    .option('--total <total>', 'new total of a stop market order that buys')
    .option('--activation-price <price>', 'new activation price of a stop order')
    .addOption(new Option('--stp <mode>', `self-trade prevention: ${stpModes.join(', ')}`).argParser(oneOf(stpModes)));
  return confirmed(command, 'modify the order').action(
    (market: string, order_id: number, options: ModifyOptions, self: Command) =>
      runToCompletion(self, (context) => {
        const { yes: _yes, activationPrice, ...values } = options;
        const changes = { ...values, ...(activationPrice === undefined ? {} : { activation_price: activationPrice }) };
        const change = Object.entries(changes).map(([name, value]) => `${name} ${value}`);
        const act$ = describedOpen(context.exchange, { market, order_id }).pipe(
          map(({ what, order }) => {
            // The modified order is looked up by it after a lost response.
            const id =
              order === undefined || order.client_order_id === '' ? {} : { client_order_id: order.client_order_id };
            return {
              question: text`Modify ${what}: ${change.join(', ')}`,
              verb: 'modify the order',
              declined: 'Order not modified',
              subject: 'The modification',
              whenUnknown: 'the order may be modified or not. See "exchange-rx orders list".',
              perform: () =>
                context.exchange.orders
                  .modify({ market, order_id, ...changes, ...id })
                  .pipe(map((modified) => ({ text: describeOrder(modified), data: modified }))),
            };
          }),
        );
        return perform(context, act$, options);
      }),
  );
}
