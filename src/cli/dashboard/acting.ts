// What the page may change: it confirms a plan, and each order and position of it is canceled or closed once. The outcome
// of each is what the client says of it.
import {
  BehaviorSubject,
  catchError,
  concat,
  concatMap,
  defer,
  EMPTY,
  from,
  map,
  mergeMap,
  of,
  tap,
  type Observable,
} from 'rxjs';
import { isExchangeError } from '../../errors/index.js';
import type { Exchange } from '../../exchange.js';
import { formatDecimal } from '../../model/decimal.js';
import { isFilled, type Order } from '../../model/order.js';
import type { Position } from '../../model/position.js';
import { unreadableIn } from '../../model/unreadable.js';
import type { Act, ActResponse, ActResult, Action, Plan, PlanResponse } from './messages.js';
import { pageAmount, pageName, pageText } from './page-text.js';
import { reasonOf } from './parts/freshness.js';
import { sizeOf } from './parts/positions.js';
import type { Witness } from './parts/witness.js';
import { moreThan, planOf, readFacts, reading, type Facts, type Planned } from './plan.js';

const maxPlans = 32;
const maxActs = 10;
/** Cancels in flight at once; the client's rate limits hold, too. */
const concurrency = 8;
/** Positions that a note names. */
const maxNamed = 3;

export class Acting {
  readonly #exchange: Exchange;
  readonly #witness: Witness;
  readonly #plans = new Map<string, Planned>();
  readonly #acts = new BehaviorSubject<readonly Act[]>([]);
  #lastId = 0;
  /** What was confirmed, newest first. */
  readonly acts$: Observable<readonly Act[]> = this.#acts.asObservable();

  constructor(exchange: Exchange, witness: Witness) {
    this.#exchange = exchange;
    this.#witness = witness;
  }

  /** Reads the plan of an action. */
  plan(action: Action): Observable<PlanResponse> {
    return readFacts(this.#exchange, action).pipe(
      concatMap((facts): Observable<PlanResponse> => {
        const nothing = nothingIn(facts);
        return nothing === undefined
          ? this.#planOf(facts).pipe(map((plan) => ({ kind: 'plan', plan })))
          : of({ kind: 'refused', reason: nothing });
      }),
      catchError((error: unknown) => of(notRead(error))),
    );
  }

  /** Acts by a plan that was confirmed, unless more would happen than it says. */
  act(planId: string): Observable<ActResponse> {
    return defer(() => {
      const at = Date.now();
      const confirmed = this.#plans.get(planId);
      // At once, so that a confirmation that is sent twice acts once.
      this.#plans.delete(planId);
      if (confirmed === undefined)
        return of<ActResponse>({
          kind: 'refused',
          reason: 'This plan was confirmed before, or is not known any more.',
        });
      return readFacts(this.#exchange, confirmed.action).pipe(
        concatMap((now) => this.#decide(confirmed, now, at)),
        catchError((error: unknown) => of(notRead(error))),
      );
    }).pipe(
      // The confirmation may have been closed meanwhile.
      tap((response) => {
        if (response.kind !== 'started') this.#witness.add('act', `nothing was done: ${response.reason}`);
      }),
    );
  }

  #decide(confirmed: Planned, now: Facts, at: number): Observable<ActResponse> {
    const nothing = nothingIn(now);
    if (nothing !== undefined) return of({ kind: 'refused', reason: nothing });
    const reason = moreThan(confirmed, now, at);
    if (reason === undefined) return of({ kind: 'started', actId: this.#start(confirmed) });
    return this.#planOf(now).pipe(map((plan) => ({ kind: 'changed', plan, reason })));
  }

  #planOf(facts: Facts): Observable<Plan> {
    return planOf(this.#exchange, facts).pipe(
      map((planned) => {
        this.#keep(planned);
        return planned.plan;
      }),
    );
  }

  #keep(planned: Planned): void {
    const [oldest] = this.#plans.keys();
    if (this.#plans.size >= maxPlans && oldest !== undefined) this.#plans.delete(oldest);
    this.#plans.set(planned.plan.id, planned);
  }

  /** Cancels all orders, then closes all positions. Nothing unsubscribes from it: a change is not left half done. */
  #start({ plan, orders, positions }: Planned): number {
    this.#lastId += 1;
    const id = this.#lastId;
    const running = [
      ...orders.map((order) => resultOf('cancel', order.order_id, order, 'running', '')),
      ...positions.map((position) => resultOf('close', position.positionId, position, 'running', '')),
    ];
    const act: Act = { id, action: plan.action, at: Date.now(), endedAt: null, results: running };
    this.#acts.next([act, ...this.#acts.value].slice(0, maxActs));
    this.#witness.add('act', `${plan.action.kind}: ${orders.length} orders, ${positions.length} positions`);
    const results$ = concat(
      from(orders).pipe(mergeMap((order) => this.#cancel(order), concurrency)),
      from(positions).pipe(mergeMap((position) => this.#close(position), concurrency)),
      defer(() => this.#left(id, plan.action, positions)),
    );
    results$
      .pipe(
        tap((result) => {
          this.#update(id, ({ results, ...rest }) => ({
            ...rest,
            results: results.map((one) => (one.step === result.step && one.id === result.id ? result : one)),
          }));
          const { step, market, outcome, text } = result;
          this.#witness.add('act', `${step} ${market} ${result.clientOrderId || result.id}: ${outcome}, ${text}`);
        }),
      )
      .subscribe({
        complete: () => {
          this.#update(id, (ended) => ({ ...ended, endedAt: Date.now() }));
        },
      });
    return id;
  }

  #update(id: number, change: (act: Act) => Act): void {
    this.#acts.next(this.#acts.value.map((act) => (act.id === id ? change(act) : act)));
  }

  #cancel(order: Order): Observable<ActResult> {
    const { market, order_id } = order;
    return this.#exchange.orders.cancel({ market, order_id }).pipe(
      map((canceled) => {
        const { deal_stock: filled = '0' } = canceled;
        if (isFilled(canceled)) return resultOf('cancel', order_id, order, 'refused', 'was filled before');
        const text = /[1-9]/.test(filled) ? `canceled, ${pageAmount(filled)} was filled` : 'canceled';
        return resultOf('cancel', order_id, order, 'done', text);
      }),
      catchError((error: unknown) => of(failed('cancel', order_id, order, error))),
    );
  }

  #close(position: Position): Observable<ActResult> {
    const { market, positionId, positionSide } = position;
    const hedged = (['LONG', 'SHORT'] as const).find((side) => side === positionSide);
    const side = hedged === undefined ? {} : { positionSide: hedged };
    return this.#exchange.collateral.closePosition({ market, positionId, ...side }).pipe(
      map(() => resultOf('close', positionId, position, 'running', accepted)),
      catchError((error: unknown) => of(failed('close', positionId, position, error))),
    );
  }

  /**
   * The results of the closes that the exchange has accepted: a market order may have filled in part, or not at all.
   * A note names what else is open after a flatten.
   */
  #left(id: number, action: Action, positions: readonly Position[]): Observable<ActResult> {
    const results = this.#acts.value.find((act) => act.id === id)?.results ?? [];
    const closing = positions.filter(({ positionId }) =>
      results.some((one) => one.step === 'close' && one.id === positionId && one.outcome === 'running'),
    );
    if (closing.length === 0 && action.kind !== 'flatten') return EMPTY;
    const filter = action.kind === 'close' ? { market: action.market } : {};
    return this.#exchange.collateral.openPositions(filter, reading).pipe(
      catchError(() => of(undefined)),
      mergeMap((open) => {
        const isWhole = open !== undefined && unreadableIn(open) === undefined;
        const others = (open ?? []).filter((one) => positions.every(({ positionId }) => positionId !== one.positionId));
        const note = action.kind === 'flatten' ? noteOf(others, isWhole) : '';
        if (note !== '') this.#update(id, (act) => ({ ...act, note: pageText(note) }));
        return closing.map((position) => {
          const { positionId } = position;
          const left = open?.find((one) => one.positionId === positionId);
          if (left !== undefined) return resultOf('close', positionId, position, 'open', `${amountOf(left)} left`);
          if (isWhole) return resultOf('close', positionId, position, 'done', 'closed');
          return resultOf('close', positionId, position, 'unknown', `${accepted}, see the open positions`);
        });
      }),
    );
  }
}

const accepted = 'accepted';

/** What a flatten says of the positions that it did not close. */
function noteOf(others: readonly Position[], isWhole: boolean): string {
  return [
    ...(others.length === 0 ? [] : [`Also open: ${namesOf(others)}.`]),
    ...(isWhole ? [] : ['Not every open position could be read: see the open positions.']),
  ].join(' ');
}

const amountOf = (position: Position) => pageAmount(formatDecimal(sizeOf(position).size));

function namesOf(positions: readonly Position[]): string {
  const names = positions
    .slice(0, maxNamed)
    .map((position) => `${sizeOf(position).side} ${amountOf(position)} ${pageName(position.market)}`);
  const more = positions.length - names.length;
  return [...names, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

function resultOf(
  step: ActResult['step'],
  id: number,
  { market, client_order_id = '' }: { readonly market: string; readonly client_order_id?: string },
  outcome: ActResult['outcome'],
  text: string,
): ActResult {
  return { step, id, market: pageName(market), clientOrderId: pageName(client_order_id), outcome, text };
}

/** The outcome as the client reports it: only an unknown one may have happened. */
function failed(
  step: ActResult['step'],
  id: number,
  record: { readonly market: string; readonly client_order_id?: string },
  error: unknown,
): ActResult {
  // A bug of the program says nothing of what the exchange has done.
  if (!isExchangeError(error) || error.outcome === 'unknown') {
    const compare = { cancel: 'orders', close: 'positions' }[step];
    return resultOf(
      step,
      id,
      record,
      'unknown',
      pageText(`it may be done or not, see the open ${compare}: ${String(error)}`),
    );
  }
  const isGone = error.kind === 'api' && /^(order|position)-not-found$/.test(error.reason);
  const text = isGone ? 'was not open any more' : pageText(error.message);
  return resultOf(step, id, record, 'refused', text);
}

const nothingTo = {
  cancel: 'This order is not open any more.',
  'cancel-all': 'No order is open.',
  close: 'This position is not open any more.',
  flatten: 'No order and no position is open.',
} as const satisfies Record<Action['kind'], string>;

/** That there is nothing to act on, in words. */
function nothingIn({ action, orders, positions, unread }: Facts): string | undefined {
  return orders.length + positions.length === 0 ? unread || nothingTo[action.kind] : undefined;
}

/** A plan requires that orders and positions were read. */
function notRead(error: unknown): { readonly kind: 'refused'; readonly reason: string } {
  return { kind: 'refused', reason: pageText(`Orders and positions could not be read: ${reasonOf(error)}`) };
}
