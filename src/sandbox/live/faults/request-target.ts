// Which faults a request can meet.
import type { LiveRequest } from '../envelope.js';
import { authorizeKinds, requestKinds } from './live-fault.js';
import type { FaultTarget } from './live-faults.js';

/** A request as the target of faults: pings meet `no-pong` only, and the others every other kind of requests. */
export function requestTarget({ method, params }: Pick<LiveRequest, 'method' | 'params'>): FaultTarget {
  const isPing = method === 'ping';
  const kinds = method === 'authorize' ? [...requestKinds, ...authorizeKinds] : requestKinds;
  return {
    // Whether there are first values shows when the request is executed.
    allows: (kind) =>
      kind !== 'push-before-response' && kinds.some((one) => one === kind) && (kind === 'no-pong') === isPing,
    concerns: ({ channel, market }) =>
      (channel === undefined || method.startsWith(`${channel}_`)) &&
      (market === undefined || params.flat().includes(market)),
  };
}
