// How the command places an order: checked, agreed to, then followed to its end, Ctrl-C or not.
import {
  concat,
  concatMap,
  defer,
  EMPTY,
  ignoreElements,
  map,
  mergeMap,
  of,
  takeUntil,
  throwError,
  type Observable,
} from 'rxjs';
import { checkRequest } from '../client/index.js';
import type { Endpoint } from '../endpoints/define-endpoint.js';
import { RequestError } from '../errors/index.js';
import { checkAgainstMarkets, marketsByName } from '../orders/index.js';
import type { Order } from '../model/order.js';
import { exitCodes, UsageError } from './exit-codes.js';
import type { Report } from './report.js';
import type { Terminal } from './terminal.js';
import { joined, text, type Text } from './text.js';
import type { Tools } from './verb.js';

export interface PlaceOptions {
  /** Do not ask. */
  readonly yes?: boolean;
  /** Check only. */
  readonly dryRun?: boolean;
}

/** An order that may be placed. */
export interface OrderPlan {
  readonly endpoint: Endpoint;
  readonly params: OrderParams;
  readonly place: () => Observable<Order>;
}

interface OrderParams {
  readonly market: string;
  readonly side: string;
  readonly amount: string;
  readonly price?: string;
  readonly client_order_id: string;
}

/** Checks the order, asks, and places it. */
export function placeOrder(
  tools: Tools,
  plan: OrderPlan,
  { yes = false, dryRun = false }: PlaceOptions,
): Observable<Report> {
  const { terminal, interrupted$ } = tools;
  const { params } = plan;
  const checked$ = concat(check(tools, plan), dryRun || yes ? EMPTY : agreed(tools, params)).pipe(
    takeUntil(interrupted$),
  );
  if (dryRun)
    return concat(
      checked$,
      of({
        text: text`Nothing is wrong with it, and nothing was sent: ${describePlan(params)}`,
        data: { ok: true, params },
      }),
    );
  const placed$ = defer(() => {
    // Whatever becomes of this process, its user can ask what became of the order.
    terminal.say(text`Placing order ${params.client_order_id} on ${tools.baseUrl}.`);
    return plan.place();
  }).pipe(
    map((order): Report => ({ text: describeOrder(order), data: order })),
    takeUntil(insistence(terminal, params)),
  );
  return concat(checked$, placed$);
}

/** Completes when nothing is wrong with the order. */
function check({ exchange }: Tools, { endpoint, params }: OrderPlan): Observable<never> {
  return defer(() => {
    const order = endpoint.toCheck?.(checkRequest(endpoint, params));
    return exchange.public.markets().pipe(
      concatMap((markets) => {
        const issues = order === undefined ? [] : checkAgainstMarkets(marketsByName(markets), order);
        return issues.length === 0 ? EMPTY : throwError(() => new RequestError(endpoint.name, issues));
      }),
    );
  });
}

/** Completes when the user agrees. */
function agreed({ terminal: { ask }, baseUrl }: Tools, params: OrderParams): Observable<never> {
  if (ask === undefined)
    return throwError(() => new UsageError('there is nobody to ask: give --yes to place the order'));
  return ask(text`Place it? ${describePlan(params)}, on ${baseUrl}`).pipe(
    concatMap((yes) => (yes ? EMPTY : throwError(() => new UsageError('The order was not placed.', exitCodes.failed)))),
    ignoreElements(),
  );
}

/** An order on its way is not left by the first Ctrl-C, only by the second. */
function insistence({ interrupts$, say }: Terminal, { client_order_id, market }: OrderParams): Observable<never> {
  return interrupts$.pipe(
    mergeMap((_, count) => {
      const resume = `exchange-rx order resume ${client_order_id} ${market}`;
      if (count > 0)
        return throwError(
          () =>
            new UsageError(
              `The order was left: whether it was placed is not known. Find out with: ${resume}`,
              exitCodes.unknown,
            ),
        );
      say(text`The order is on its way; what becomes of it is being found out. Ctrl-C again leaves that open.`);
      return EMPTY;
    }),
  );
}

function describePlan({ market, side, amount, price }: OrderParams): Text {
  return text`${side} ${amount} ${market} at ${price ?? 'the market'}`;
}

/** The order in one line. */
export function describeOrder({
  order_id,
  client_order_id,
  market,
  side,
  type,
  amount,
  price,
  deal_stock,
  deal_money,
  status,
}: Order): Text {
  const what = joined(amount === undefined ? [side, market] : [side, amount, market], ' ');
  const limit = price === undefined || price === '0' ? '' : text` at ${price}`;
  const filled =
    deal_stock === undefined || deal_money === undefined ? '' : text`; filled ${deal_stock} for ${deal_money}`;
  return text`Order ${order_id} (${client_order_id}): ${what}, ${type ?? 'order'}${limit}. ${status ?? 'Placed'}${filled}.`;
}
