// One order that is to be placed: what its client keeps of it, and how it is looked up.
import { of, type Observable } from 'rxjs';
import { OrderLookups, type OrderDesk } from './lookups.js';
import { orderFields, progressOf, type OrderClaim, type OrderEvent, type OrderFields } from './order-fields.js';
import {
  Call,
  hold,
  placing,
  Run,
  type Answer,
  type CallLimits,
  type Hold,
  type Keeper,
  type Note,
  type Premises,
  type Question,
  type StartAttempt,
} from '../call/index.js';
import type { Endpoint, OrderObservable, WireFields } from '../endpoint/index.js';
import { RequestError } from '../errors/index.js';
import { isSame, placedAt, type Order } from '../model/order.js';

export interface OrderTerms<Output> {
  readonly endpoint: Endpoint<never, Output>;
  readonly limits: CallLimits;
  readonly check$: Observable<never> | undefined;
  /** How an order of several is sent. Default: by a request of its own. */
  readonly send?: ((order: OrderToPlace<Output>) => StartAttempt<Output>) | undefined;
}

/** The observable of one order: it places at most one, whatever is piped around it. */
export function placeOnce<Output>(
  fields: WireFields,
  terms: OrderTerms<Output>,
  desk: OrderDesk,
): OrderObservable<Output> {
  const { endpoint, limits, send } = terms;
  const premises: Premises = {
    endpoint: endpoint.name,
    kind: placing,
    limits,
    retriesProofsOnly: send !== undefined,
    lookupTimeoutMs: desk.timing.timeoutMs,
  };
  const order = new OrderToPlace(fields, terms, desk);
  const { call, client_order_id, market } = order;
  const run = send === undefined ? Run.of(call, premises, order) : new Run(call, premises, order, send(order));
  return Object.assign(run.output$, { client_order_id, endpoint: endpoint.name, market });
}

export class OrderToPlace<Output> implements OrderClaim, Keeper<Output> {
  readonly call: Call<Output>;
  readonly endpoint: string;
  readonly market: string;
  readonly client_order_id: string;
  readonly isGenerated: boolean;
  readonly check$: Observable<never> | undefined;
  readonly fields: OrderFields;
  isFound = false;
  readonly #terms: OrderTerms<Output>;
  readonly #desk: OrderDesk;
  #lookups: OrderLookups<Output> | undefined;
  #onPushed: ((placedAt: number) => void) | undefined;

  constructor(fields: WireFields, terms: OrderTerms<Output>, desk: OrderDesk) {
    const { endpoint, limits, check$ } = terms;
    const { order, isGenerated } = orderFields(endpoint.name, fields);
    this.endpoint = endpoint.name;
    this.market = order.market;
    this.client_order_id = order.client_order_id;
    this.isGenerated = isGenerated;
    this.check$ = check$;
    this.fields = order;
    this.#terms = terms;
    this.#desk = desk;
    this.call = new Call(desk.caller.desk, endpoint, order, limits, desk.registry.responseCheckOf(this));
  }

  /** OTO and OCO orders. A stop order without linked orders is among the open orders while it waits for its trigger, too. */
  get isConditional(): boolean {
    const { stopLoss, takeProfit, stop_limit_price } = this.fields;
    return stopLoss !== undefined || takeProfit !== undefined || stop_limit_price !== undefined;
  }

  /** Claims the identifier. Pushes count between subscriptions, too. */
  begin(onPushed: (placedAt: number) => void): Hold {
    const { registry } = this.#desk;
    const { client_order_id, endpoint, market } = this;
    if (!registry.claim(this)) {
      const message = `"${client_order_id}" is already in use: an order of this client in ${market} has it`;
      throw new RequestError(endpoint, [{ field: 'client_order_id', message }]);
    }
    this.#onPushed = onPushed;
    return hold;
  }

  onPushed(order: Order): void {
    const { side, amount } = this.fields;
    const isIt = (side === undefined || order.side === side) && (amount === undefined || isSame(order.amount, amount));
    if (isIt && this.#desk.registry.canBe(this, order)) this.#onPushed?.(placedAt(order));
  }

  ask(question: Question): Observable<Answer<Output>> {
    const { endpoint, fields, isGenerated } = this;
    const { lookup } = this.#terms.endpoint;
    if (lookup === undefined) return of({ is: 'undecided', reason: 'the endpoint has no lookup' });
    const { timeoutMs } = this.#terms.limits;
    const key = { ...fields, isConditional: this.isConditional };
    const whyNoProof = () => this.#desk.registry.whyNoProof(this);
    this.#lookups ??= new OrderLookups({ name: endpoint, lookup, key, timeoutMs, isGenerated, whyNoProof }, this.#desk);
    return this.#lookups.decide(question);
  }

  note(note: Note<Output>): void {
    const { registry } = this.#desk;
    switch (note.do) {
      case 'doubt':
        registry.doubt(this, note.sent.sentAt);
        break;
      case 'place':
        if (!registry.place(this, note.output)) this.#report({ progress: 'not-identified' });
        break;
      case 'absent':
        registry.decide(this);
        break;
      case 'leave':
        if (note.open === undefined) registry.free(this);
        else registry.leave(this, note.open.sentAt);
    }
    const progress = progressOf(note);
    if (progress !== undefined) this.#report(progress);
  }

  #report(progress: Pick<OrderEvent, 'progress' | 'reason'>): void {
    const { endpoint, client_order_id, call } = this;
    this.#desk.report({ type: 'order', endpoint, call: call.number, client_order_id, ...progress });
  }
}
