// What a call of an endpoint returns, and a group of endpoints as functions of a client.
import type { Observable } from 'rxjs';
import type { AnyExchangeError, Outcome } from '../errors/index.js';
import type { CallArguments } from './define-endpoint.js';
import type { BulkOrderEndpoint, Endpoint, OrderEndpoint } from './endpoint.js';

/** An observable of one order: it places at most one order, whatever is piped around it. */
export interface OrderObservable<Output> extends Observable<Output> {
  /**
   * The identifier of the order: the caller's, or a generated one. Write it down before subscribing, to find the order
   * after a restart.
   */
  readonly client_order_id: string;
}

/** The result of one order of several: it was placed, or it failed with a known or an unknown outcome. */
export type BulkOrderResult<Output> =
  | {
      /** The identifier of the order: the caller's, or a generated one. */
      readonly client_order_id: string;
      readonly outcome: 'placed';
      /** The order as the exchange placed it. */
      readonly order: Output;
    }
  | {
      /** The identifier of the order: the caller's, or a generated one. */
      readonly client_order_id: string;
      /** As the outcome of an error: only `unknown` leaves it open whether the order was placed. */
      readonly outcome: Exclude<Outcome, 'none'>;
      /** Why the order was not placed, or why its outcome is unknown. */
      readonly error: AnyExchangeError;
    };

/** An observable of several orders: it places each at most once, whatever is piped around it. */
export interface BulkOrderObservable<Output> extends Observable<readonly BulkOrderResult<Output>[]> {
  /**
   * The identifiers of the orders, in their order. Write them down before subscribing, to find the orders after a
   * restart.
   */
  readonly client_order_ids: readonly string[];
}

/**
 * The members of a group as functions of one client: parameters and options in, an observable of the output out. A
 * member is an endpoint, or a function of a client.
 */
export type Bound<Group, Options> = {
  readonly [Name in keyof Group]: Group[Name] extends OrderEndpoint<infer Params, infer Output>
    ? (...args: CallArguments<Params, Options>) => OrderObservable<Output>
    : Group[Name] extends BulkOrderEndpoint<infer Params, infer Output>
      ? (...args: CallArguments<Params, Options>) => BulkOrderObservable<Output>
      : Group[Name] extends Endpoint<infer Params, infer Output>
        ? (...args: CallArguments<Params, Options>) => Observable<Output>
        : Group[Name] extends (client: never, ...args: infer Args) => Observable<infer Output>
          ? (...args: Args) => Observable<Output>
          : never;
};
