// How the command places an order: check, confirmation, then placing, which Ctrl-C does not leave half done.
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
import type { Endpoint } from '../endpoint/index.js';
import { RequestError } from '../errors/index.js';
import { checkAgainstMarkets, marketsByName } from '../orders/index.js';
import type { Order } from '../model/order.js';
import { exitCodes, UsageError } from './exit-codes.js';
import type { VerbContext } from './runner.js';
import { join, text, type Output, type SafeText, type Terminal } from './terminal/index.js';

export interface PlaceOptions {
  /** Place the order without confirmation. */
  readonly yes?: boolean;
  /** Check the order and send nothing. */
  readonly dryRun?: boolean;
}

/** An order to place. */
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

/** Checks the order, asks for confirmation, and places it. */
export function placeOrder(
  context: VerbContext,
  plan: OrderPlan,
  { yes = false, dryRun = false }: PlaceOptions,
): Observable<Output> {
  const { terminal, interrupted$ } = context;
  const { params } = plan;
  const approved$ = concat(check(context, plan), dryRun || yes ? EMPTY : confirm(context, params)).pipe(
    takeUntil(interrupted$),
  );
  if (dryRun)
    return concat(
      approved$,
      of({ text: text`Valid. Not sent (--dry-run): ${describePlan(params)}`, data: { ok: true, params } }),
    );
  const placed$ = defer(() => {
    // Logged before the request: the user can look the order up whatever happens to this process.
    terminal.log(text`Placing order ${params.client_order_id} on ${context.baseUrl}.`);
    return plan.place();
  }).pipe(
    map((order): Output => ({ text: describeOrder(order), data: order })),
    takeUntil(secondInterrupt(terminal, params)),
  );
  return concat(approved$, placed$);
}

/** Completes when the order is valid. */
function check({ exchange }: VerbContext, { endpoint, params }: OrderPlan): Observable<never> {
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

/** Completes when the user confirms. */
function confirm({ terminal, baseUrl }: VerbContext, params: OrderParams): Observable<never> {
  if (terminal.confirm === undefined)
    return throwError(
      () => new UsageError('stdin is not a terminal: pass --yes to place the order without confirmation'),
    );
  const declined = () => new UsageError('Order not placed: you did not confirm it.', exitCodes.failed);
  return terminal.confirm(text`Place order: ${describePlan(params)} on ${baseUrl}?`).pipe(
    concatMap((isConfirmed) => (isConfirmed ? EMPTY : throwError(declined))),
    ignoreElements(),
  );
}

/** The first Ctrl-C waits for the outcome of the order in flight; the second fails with the outcome unknown. */
function secondInterrupt({ interrupts$, log }: Terminal, { client_order_id, market }: OrderParams): Observable<never> {
  return interrupts$.pipe(
    mergeMap((_, count) => {
      if (count > 0)
        return throwError(
          () =>
            new UsageError(
              `Stopped waiting: the outcome of order ${client_order_id} is unknown. Look it up with: exchange-rx order find ${client_order_id} ${market}`,
              exitCodes.unknown,
            ),
        );
      log(text`The order is in flight. Waiting for its outcome; Ctrl-C again stops waiting.`);
      return EMPTY;
    }),
  );
}

function describePlan({ market, side, amount, price }: OrderParams): SafeText {
  return text`${side} ${amount} ${market} at ${price ?? 'market price'}`;
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
}: Order): SafeText {
  const what = join(amount === undefined ? [side, market] : [side, amount, market], ' ');
  const limit = price === undefined || price === '0' ? '' : text` at ${price}`;
  const filled =
    deal_stock === undefined || deal_money === undefined ? '' : text`; filled ${deal_stock} for ${deal_money}`;
  return text`Order ${order_id} (${client_order_id}): ${what}, ${type ?? 'order'}${limit}. ${status ?? 'Placed'}${filled}.`;
}
