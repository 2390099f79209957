// The union of all errors, and how to recognize its members.
import type {
  ExchangeDownError,
  LiveRefusedError,
  LookupError,
  NotPlacedError,
  QueueFullError,
  QueueTimeoutError,
  RequestError,
  ResponseError,
  SlowConsumerError,
  TimeoutError,
} from './call-errors.js';
import { TransportError } from './call-errors.js';
import { ExchangeError, type Outcome } from './exchange-error.js';
import type { ApiError, AuthError, RateLimitedError, UnavailableError } from './http-errors.js';
import type { RecordingError } from './recording-error.js';

/**
 * Every error that an observable of this package can end with. A call ends with:
 * - {@link RequestError}, {@link QueueFullError} or {@link QueueTimeoutError} before it is sent.
 * - {@link AuthError}, {@link RateLimitedError} or {@link ApiError} when the exchange rejects it.
 * - {@link UnavailableError}, {@link TransportError}, {@link TimeoutError} or {@link ResponseError} without a valid
 *   response.
 *
 * An order can also end with {@link NotPlacedError} or {@link LookupError}. Of the operators, `pauseWhileDown` ends with
 * {@link ExchangeDownError}, and `toAsyncIterable` with {@link SlowConsumerError}. Recordings end with
 * {@link RecordingError}.
 * The endpoint's {@link Safety} and the client's `retry` option decide which errors are retried first.
 */
export type AnyExchangeError =
  | RequestError
  | ApiError
  | AuthError
  | RateLimitedError
  | UnavailableError
  | TransportError
  | LookupError
  | TimeoutError
  | ResponseError
  | NotPlacedError
  | QueueFullError
  | QueueTimeoutError
  | ExchangeDownError
  | LiveRefusedError
  | SlowConsumerError
  | RecordingError;

/**
 * Whether a value is an error of this package. Narrows to the union, so the compiler checks a `switch` on `kind`.
 *
 * @example
 * ```ts
 * import { isExchangeError, type Exchange } from 'exchange-rx';
 *
 * const pingOnce = (exchange: Exchange) =>
 *   exchange.public.ping().subscribe({
 *     error: (error: unknown) => {
 *       if (!isExchangeError(error)) throw error;
 *       if (error.kind === 'timeout') console.log(`no response within ${error.timeoutMs} ms`);
 *     },
 *   });
 * ```
 */
export function isExchangeError(error: unknown): error is AnyExchangeError {
  return error instanceof ExchangeError;
}

/** Keeps an error of this package; wraps any other value in a TransportError with the given outcome. */
export function toExchangeError(error: unknown, endpoint: string, outcome: Outcome): AnyExchangeError {
  return isExchangeError(error)
    ? error
    : new TransportError('unexpected failure, see cause', { endpoint, outcome, cause: error });
}

/** An error of an order whose outcome is unknown. */
export type UndecidedError = AnyExchangeError & {
  /** The order may have been executed. */
  readonly outcome: 'unknown';
  /** Look up the order by it. */
  readonly client_order_id: string;
};

/**
 * Whether the call failed and the order may have been placed all the same. Stop and look up the order by its
 * `client_order_id` before you place another one. False for reads, cancels and every other call.
 *
 * @example
 * ```ts
 * import { isUndecided, type Exchange } from 'exchange-rx';
 *
 * const buy = (exchange: Exchange) =>
 *   exchange.spot.placeStockMarketOrder({ market: 'BTC_USDT', side: 'buy', amount: '0.01' }).subscribe({
 *     error: (error: unknown) => {
 *       if (isUndecided(error)) console.log('look up the order before trading on:', error.client_order_id);
 *     },
 *   });
 * ```
 */
export function isUndecided(error: unknown): error is UndecidedError {
  return isExchangeError(error) && error.outcome === 'unknown' && error.client_order_id !== undefined;
}
