// How the command places an order: check, confirmation, then placing. With --dry-run, its cost and fee instead.
import { concatMap, defer, map, type Observable } from 'rxjs';
import { perform, type ActOptions } from './act.js';
import { checkRequest } from '../client/index.js';
import { RequestError } from '../errors/index.js';
import { checkAgainstMarkets, marketsByName } from '../orders/index.js';
import type { Market } from '../model/market.js';
import type { OcoOrder } from '../model/oco-order.js';
import type { Order } from '../model/order.js';
import { estimate, type PricedOrder } from './market/estimate.js';
import type { VerbContext } from './runner.js';
import { join, text, type Output, type SafeText } from './terminal/index.js';

export interface PlaceOptions extends ActOptions {
  readonly dryRun?: boolean;
}

export interface OrderPlan extends PricedOrder {
  readonly place: () => Observable<Order | OcoOrder>;
}

export function placeOrder(context: VerbContext, plan: OrderPlan, options: PlaceOptions): Observable<Output> {
  const { params } = plan;
  const { client_order_id, market } = params;
  const act$ = check(context, plan).pipe(
    map(() => ({
      question: text`Place order: ${describePlan(plan)}`,
      verb: 'place the order',
      declined: 'Order not placed',
      subject: 'The order',
      whenUnknown: `the outcome of order ${client_order_id} is unknown. Look it up with: exchange-rx order find ${client_order_id} ${market}`,
      perform: () => {
        // Logged before the request: the user can look the order up whatever happens to this process.
        context.terminal.log(text`Placing order ${client_order_id} on ${context.baseUrl}.`);
        return plan.place().pipe(map((order): Output => ({ text: describePlaced(order), data: order })));
      },
    })),
  );
  return options.dryRun === true ? dryRun(context, plan) : perform(context, act$, options);
}

function check({ exchange }: VerbContext, { endpoint, params }: OrderPlan): Observable<Market | undefined> {
  return defer(() => {
    const order = endpoint.toCheck?.(checkRequest(endpoint, params));
    return exchange.public.markets().pipe(
      map((markets) => {
        const issues = order === undefined ? [] : checkAgainstMarkets(marketsByName(markets), order);
        if (issues.length > 0) throw new RequestError(endpoint.name, issues);
        return markets.find(({ name }) => name === params.market);
      }),
    );
  });
}

function dryRun(context: VerbContext, plan: OrderPlan): Observable<Output> {
  const { params } = plan;
  return check(context, plan).pipe(
    concatMap((market) => estimate(context.exchange, plan, market)),
    map(({ lines, data }) => ({
      text: join([text`Valid. Not sent (--dry-run): ${describePlan(plan)}`, ...lines], '\n'),
      data: { ok: true, params, estimate: data },
    })),
  );
}

function describePlan({ params }: OrderPlan): SafeText {
  const { market, side, amount, price, activation_price, stop_limit_price } = params;
  const stop = activation_price === undefined ? '' : text`, activated at ${activation_price}`;
  const limit = stop_limit_price === undefined ? '' : text` with limit ${stop_limit_price}`;
  return text`${side} ${amount} ${market} at ${price ?? 'market price'}${stop}${limit}`;
}

function describePlaced(order: Order | OcoOrder): SafeText {
  if (!isOco(order)) return describeOrder(order);
  const legs = [order.take_profit, order.stop_loss].flatMap((leg) => (leg === undefined ? [] : [describeOrder(leg)]));
  return join([text`OCO order ${order.id ?? '–'}, of which one order cancels the other:`, ...legs], '\n');
}

function isOco(order: Order | OcoOrder): order is OcoOrder {
  return 'take_profit' in order || 'stop_loss' in order;
}

export function describeOrder(order: Order): SafeText {
  const { order_id, client_order_id, market, side, type, amount, price } = order;
  const { deal_stock, deal_money, status } = order;
  const what = join(amount === undefined ? [side, market] : [side, amount, market], ' ');
  const limit = price === undefined || price === '0' ? '' : text` at ${price}`;
  const filled =
    deal_stock === undefined || deal_money === undefined ? '' : text`; filled ${deal_stock} for ${deal_money}`;
  return text`Order ${order_id} (${client_order_id}): ${what}, ${type ?? 'order'}${limit}. ${status ?? 'Placed'}${filled}.`;
}
