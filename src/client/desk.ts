// What all calls of a client share, made of its options: bounds, identity, and how its requests leave.
import { catchError, EMPTY, ignoreElements, share, type Observable, type Subject } from 'rxjs';
import { createNonces, createSign, ExchangeClock, readUntilConfirmed, steadyClock } from '../auth/index.js';
import { RetryBudget, type CallEvent, type Desk } from '../call/index.js';
import type { RateLimit } from '../endpoint/index.js';
import { RequestError, SynchronousErrors } from '../errors/index.js';
import { processRegistry } from './client-registry.js';
import { fetchTransport, kyTransport, proxyOf, undiciTransport, type Redactor, type Transport } from '../http/index.js';
import type { LiveEvent } from '../live/index.js';
import type { MovementEvent } from '../movements/index.js';
import type { OrderEvent } from '../orders/index.js';
import type { ClientOptions } from './options.js';
import { InFlight, type SchedulerEvent } from '../scheduler/index.js';

/**
 * The events of a client, on `events$`: of its calls, of orders and movements whose responses were lost, of its rate limits,
 * and of its live connections. Switch on `type`.
 */
export type ClientEvent = CallEvent | OrderEvent | MovementEvent | SchedulerEvent | LiveEvent;

const defaultMaxInFlight = 256;
/** The default of `urgentInFlight` is this part of `maxInFlight`, and at least the minimum. */
const urgentPart = 1 / 8;
const minUrgentInFlight = 8;
const defaultConnectTimeoutMs = 5000;

export function createDesk(
  options: ClientOptions,
  rateLimits: readonly RateLimit[],
  redactor: Redactor,
  reading$: Observable<unknown>,
  events: Subject<ClientEvent>,
): Desk {
  const { baseUrl, registry = processRegistry, credentials, now } = options;
  const { maxInFlight = defaultMaxInFlight, connectTimeoutMs = defaultConnectTimeoutMs } = options;
  const { urgentInFlight = Math.max(minUrgentInFlight, Math.floor(maxInFlight * urgentPart)) } = options;
  const sentBy = options.transport ?? options.fetch;
  const address = addressOf(baseUrl, options.proxy);
  const scheduler = options.scheduler ?? registry.scheduler(sentBy, address, options.limits, rateLimits);
  scheduler.defineRateLimits?.(rateLimits);
  // A client has connections of its own: on those of another client, orders could keep a cancel of this one back.
  const transport = transportOf(options, maxInFlight + urgentInFlight, connectTimeoutMs);
  const clock = new ExchangeClock(now === undefined ? steadyClock() : clockOf(now));
  const signing = credentials && {
    sign: createSign(credentials),
    nonces: createNonces(registry.usedNonces(sentBy, baseUrl, credentials.apiKey)),
    clock,
  };
  const inFlight = new InFlight(maxInFlight, urgentInFlight);
  const signedInFlight = signing === undefined ? inFlight : inFlight.paced(signing);
  return {
    bounds: { scheduler, inFlight, signedInFlight, budget: new RetryBudget() },
    identity: {
      signing,
      clock,
      reading$: readUntilConfirmed(clock, reading$).pipe(
        share(),
        ignoreElements(),
        catchError(() => EMPTY),
      ),
    },
    wire: { baseUrl, transport, connectTimeoutMs, redactor },
    journal: { events, lastCall: 0 },
    errors: new SynchronousErrors(),
  };
}

function transportOf(
  { transport, fetch, proxy }: ClientOptions,
  connections: number,
  connectTimeoutMs: number,
): Transport {
  if (transport !== undefined) return transport;
  if (fetch !== undefined) return fetchTransport(fetch);
  // Bun and Deno have a version of Node, too.
  const { bun, deno } = process.versions;
  if (bun === undefined && deno === undefined)
    return undiciTransport({ connections, connectTimeoutMs, ...(proxy === undefined ? {} : { proxy }) });
  if (proxy === undefined) return kyTransport();
  throw new RequestError('createExchange', [{ field: 'proxy', message: 'requires Node' }]);
}

/** The exchange counts the requests of a proxy's address. */
function addressOf(baseUrl: string, proxy: string | undefined): string {
  const through = proxy === undefined ? undefined : proxyOf(proxy, baseUrl);
  return through === undefined ? baseUrl : `${baseUrl} through ${through.host}`;
}

/** A user's clock that throws or returns no number counts as `NaN`, for which no nonce is made. */
function clockOf(now: () => unknown): () => number {
  return () => {
    try {
      const time = now();
      return typeof time === 'number' ? time : Number.NaN;
    } catch {
      return Number.NaN;
    }
  };
}
