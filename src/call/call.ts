// One call: its number, its bounds and its attempts; and what the calls of one client share.
import type { Observable, Subject } from 'rxjs';
import type { ExchangeClock, Signing } from '../auth/index.js';
import type { Endpoint, WireFields } from '../endpoint/index.js';
import { QueueTimeoutError, type AnyExchangeError, type SynchronousErrors } from '../errors/index.js';
import type { Redactor, Transport } from '../http/index.js';
import type { InFlight, Scheduler } from '../scheduler/index.js';
import type { AttemptEvent, CallEvent, CallLimits } from './call-options.js';
import type { RetryBudget } from './retries.js';

export interface Desk {
  readonly bounds: Bounds;
  readonly identity: Identity;
  readonly wire: Wire;
  readonly journal: Journal;
  readonly errors: SynchronousErrors;
}

export interface Bounds {
  readonly scheduler: Scheduler;
  readonly inFlight: InFlight;
  readonly signedInFlight: InFlight;
  readonly budget: RetryBudget;
}

export interface Identity {
  /** `undefined`: private requests cannot be signed. */
  readonly signing: Signing | undefined;
  readonly clock: ExchangeClock;
  /** Reads the exchange's clock, and completes, also when it could not be read. */
  readonly reading$: Observable<never>;
}

export interface Wire {
  readonly baseUrl: string;
  readonly transport: Transport;
  readonly connectTimeoutMs: number;
  readonly redactor: Redactor;
}

export interface Journal {
  readonly events: Pick<Subject<CallEvent>, 'observed' | 'next'>;
  lastCall: number;
}

/** Whether an output that fits the request can only be the response to another one. */
export type IsOfAnother = (output: unknown, nonce: number | undefined) => boolean;

export class Call<Output> {
  /** Number of the call in its client, from 1. */
  readonly number: number;
  /** When the subscription began, by `performance.now()`. */
  startedAt = 0;
  attempts = 0;

  constructor(
    readonly desk: Desk,
    readonly endpoint: Endpoint<never, Output>,
    readonly fields: WireFields,
    readonly limits: CallLimits,
    readonly isOfAnother?: IsOfAnother,
  ) {
    desk.journal.lastCall += 1;
    this.number = desk.journal.lastCall;
  }

  expired(waitedFor: QueueTimeoutError['waitedFor']): QueueTimeoutError {
    const { name, rateLimits } = this.endpoint;
    return new QueueTimeoutError(name, rateLimits[0].name, this.limits.validForMs ?? 0, waitedFor);
  }

  emit(event: CallEvent): void {
    this.desk.journal.events.next(event);
    this.limits.onEvent?.(event);
  }

  reportRetry({ kind, outcome }: AnyExchangeError, delayMs: number): void {
    this.emit({ type: 'retry', ...this.about(), delayMs, kind, outcome });
  }

  about(attempt = this.attempts): AttemptEvent {
    const { endpoint, fields, number: call } = this;
    const { client_order_id } = fields;
    const order = typeof client_order_id === 'string' ? { client_order_id } : {};
    return { endpoint: endpoint.name, rateLimit: endpoint.rateLimits[0].name, call, ...order, attempt };
  }
}
