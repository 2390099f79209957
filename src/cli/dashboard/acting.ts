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
import { closePosition, sizeOf } from '../market/position.js';
import type { Act, ActResponse, ActResult, Action, Plan, PlanResponse } from './messages.js';
import { pageAmount, pageName, pageText } from './page-text.js';
import { reasonOf } from './parts/freshness.js';
import type { Witness } from './parts/witness.js';
import { moreThan, planOf, readFacts, reading, type Facts, type Planned } from './plan.js';

const maxPlans = 32;
const maxActs = 10;
/** Cancels in flight at once; the client's rate limits hold, too. */
const concurrency = 8;
const maxNamed = 3;

export class Acting {
  readonly #plans = new Map<string, Planned>();
  readonly #acts = new BehaviorSubject<readonly Act[]>([]);
  #lastId = 0;
  readonly acts$: Observable<readonly Act[]> = this.#acts.asObservable();

  constructor(
    private readonly exchange: Exchange,
    private readonly witness: Witness,
  ) {}

  plan(action: Action): Observable<PlanResponse> {
    return this.#withFacts(action, (facts) => this.#planOf(facts).pipe(map((plan) => ({ kind: 'plan', plan }))));
  }

  /** Acts by a plan that was confirmed, unless more would happen than it says. */
  act(planId: string): Observable<ActResponse> {
    return defer((): Observable<ActResponse> => {
      const at = Date.now();
      const confirmed = this.#plans.get(planId);
      // At once, so that a confirmation that is sent twice acts once.
      this.#plans.delete(planId);
      if (confirmed === undefined) return of(refused('This plan was confirmed before, or is not known any more.'));
      return this.#withFacts(confirmed.action, (now): Observable<ActResponse> => {
        const reason = moreThan(confirmed, now, at);
        if (reason === undefined) return of({ kind: 'started', actId: this.#start(confirmed) });
        return this.#planOf(now).pipe(map((plan) => ({ kind: 'changed', plan, reason })));
      });
    }).pipe(
      // The confirmation may have been closed meanwhile.
      tap((response) => {
        if (response.kind !== 'started') this.witness.add('act', `nothing was done: ${response.reason}`);
      }),
    );
  }

  /** Goes on with the facts of an action; refuses it when they cannot be read, or when there is nothing to act on. */
  #withFacts<Response>(
    action: Action,
    next: (facts: Facts) => Observable<Response>,
  ): Observable<Response | ReturnType<typeof refused>> {
    return readFacts(this.exchange, action).pipe(
      concatMap((facts) => {
        const { orders, positions, unread } = facts;
        return orders.length + positions.length === 0 ? of(refused(unread || nothingTo[action.kind])) : next(facts);
      }),
      catchError((error: unknown) =>
        of(refused(pageText(`Orders and positions could not be read: ${reasonOf(error)}`))),
      ),
    );
  }

  #planOf(facts: Facts): Observable<Plan> {
    return planOf(this.exchange, facts).pipe(
      map((planned) => {
        const [oldest] = this.#plans.keys();
        if (this.#plans.size >= maxPlans && oldest !== undefined) this.#plans.delete(oldest);
        this.#plans.set(planned.plan.id, planned);
        return planned.plan;
      }),
    );
  }

  /** Cancels all orders, then closes all positions. Nothing unsubscribes from it: a change is not left half done. */
  #start({ plan: { action }, orders, positions }: Planned): number {
    this.#lastId += 1;
    const id = this.#lastId;
    const results = [...orders.map(stepOfOrder), ...positions.map(stepOfPosition)].map((step) => running(step));
    const act: Act = { id, action, at: Date.now(), endedAt: null, results };
    this.#acts.next([act, ...this.#acts.value].slice(0, maxActs));
    this.witness.add('act', `${action.kind}: ${orders.length} orders, ${positions.length} positions`);
    concat(
      from(orders).pipe(mergeMap((order) => this.#cancel(order), concurrency)),
      from(positions).pipe(mergeMap((position) => this.#close(position), concurrency)),
      defer(() => this.#left(id, action, positions)),
    ).subscribe({
      next: (result) => {
        this.#update(id, (now) => ({ results: now.results.map((one) => (isOf(one, result) ? result : one)) }));
        const { step, market, outcome, text } = result;
        this.witness.add('act', `${step} ${market} ${result.clientOrderId || result.id}: ${outcome}, ${text}`);
      },
      complete: () => {
        this.#update(id, () => ({ endedAt: Date.now() }));
      },
    });
    return id;
  }

  #update(id: number, change: (act: Act) => Partial<Act>): void {
    this.#acts.next(this.#acts.value.map((act) => (act.id === id ? { ...act, ...change(act) } : act)));
  }

  #cancel(order: Order): Observable<ActResult> {
    const { market, order_id } = order;
    const step = stepOfOrder(order);
    return this.exchange.orders.cancel({ market, order_id }).pipe(
      map((canceled): ActResult => {
        const { deal_stock: filled = '0' } = canceled;
        if (isFilled(canceled)) return { ...step, outcome: 'refused', text: 'was filled before' };
        const text = /[1-9]/.test(filled) ? `canceled, ${pageAmount(filled)} was filled` : 'canceled';
        return { ...step, outcome: 'done', text };
      }),
      catchError((error: unknown) => of(failed(step, error))),
    );
  }

  #close(position: Position): Observable<ActResult> {
    const step = stepOfPosition(position);
    return closePosition(this.exchange, position).pipe(
      map(() => running(step, accepted)),
      catchError((error: unknown) => of(failed(step, error))),
    );
  }

  /**
   * The results of the closes that the exchange has accepted: a market order may have filled in part, or not at all.
   * A note names what else is open after a flatten.
   */
  #left(id: number, action: Action, positions: readonly Position[]): Observable<ActResult> {
    const results = this.#acts.value.find((act) => act.id === id)?.results ?? [];
    const closing = results.filter(({ step, outcome }) => step === 'close' && outcome === 'running');
    if (closing.length === 0 && action.kind !== 'flatten') return EMPTY;
    const filter = action.kind === 'close' ? { market: action.market } : {};
    return this.exchange.collateral.openPositions(filter, reading).pipe(
      catchError(() => of(undefined)),
      mergeMap((open) => {
        const isWhole = open !== undefined && unreadableIn(open) === undefined;
        const others = (open ?? []).filter((one) => positions.every(({ positionId }) => positionId !== one.positionId));
        const note = action.kind === 'flatten' ? noteOf(others, isWhole) : '';
        if (note !== '') this.#update(id, () => ({ note: pageText(note) }));
        return closing.map((step): ActResult => {
          const left = open?.find(({ positionId }) => positionId === step.id);
          if (left !== undefined) return { ...step, outcome: 'open', text: `${amountOf(left)} left` };
          if (isWhole) return { ...step, outcome: 'done', text: 'closed' };
          return { ...step, outcome: 'unknown', text: `${accepted}, see the open positions` };
        });
      }),
    );
  }
}

const accepted = 'accepted';

function noteOf(others: readonly Position[], isWhole: boolean): string {
  const names = others
    .slice(0, maxNamed)
    .map((position) => `${sizeOf(position).side} ${amountOf(position)} ${pageName(position.market)}`);
  const more = others.length - names.length;
  const all = [...names, ...(more > 0 ? [`${more} more`] : [])].join(', ');
  return [
    ...(all === '' ? [] : [`Also open: ${all}.`]),
    ...(isWhole ? [] : ['Not every open position could be read: see the open positions.']),
  ].join(' ');
}

const amountOf = (position: Position) => pageAmount(formatDecimal(sizeOf(position).size));

type Step = Omit<ActResult, 'outcome' | 'text'>;

function stepOfOrder({ order_id: id, market, client_order_id }: Order): Step {
  return { step: 'cancel', id, market: pageName(market), clientOrderId: pageName(client_order_id) };
}

function stepOfPosition({ positionId: id, market }: Position): Step {
  return { step: 'close', id, market: pageName(market), clientOrderId: '' };
}

const isOf = (one: Step, other: Step) => one.step === other.step && one.id === other.id;

const running = (step: Step, text = ''): ActResult => ({ ...step, outcome: 'running', text });

/** The outcome as the client reports it: only an unknown one may have happened. */
function failed(step: Step, error: unknown): ActResult {
  // After a bug of the program, the exchange may have executed the step or not.
  if (!isExchangeError(error) || error.outcome === 'unknown') {
    const compare = { cancel: 'orders', close: 'positions' }[step.step];
    const text = pageText(`it may be done or not, see the open ${compare}: ${String(error)}`);
    return { ...step, outcome: 'unknown', text };
  }
  const isGone = error.kind === 'api' && /^(order|position)-not-found$/.test(error.reason);
  return { ...step, outcome: 'refused', text: isGone ? 'was not open any more' : pageText(error.message) };
}

const nothingTo = {
  cancel: 'This order is not open any more.',
  'cancel-all': 'No order is open.',
  close: 'This position is not open any more.',
  flatten: 'No order and no position is open.',
} as const satisfies Record<Action['kind'], string>;

const refused = (reason: string) => ({ kind: 'refused', reason }) as const;
