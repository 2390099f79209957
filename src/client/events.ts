// The events of a client, for logs and metrics.
import type { CallEvent } from '../call/index.js';
import type { LiveEvent } from '../live/index.js';
import type { OrderEvent } from '../orders/index.js';
import type { SchedulerEvent } from '../scheduler/index.js';

/**
 * The events of a client, on `events$`: of its calls, of orders whose responses were lost, of its rate limits, and of its
 * live connections. Switch on `type`.
 */
export type ClientEvent = CallEvent | OrderEvent | SchedulerEvent | LiveEvent;
