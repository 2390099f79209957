// A fetch that reaches the sandbox without a port.
import { ConnectionFault } from './faults/index.js';
import { readBody } from './http/index.js';
import type { Respond } from './port/listen.js';
import type { Sandbox } from './sandbox-api.js';

export function inProcessFetch(respond: Respond): Sandbox['fetch'] {
  return async (input, init) => {
    const request = new Request(input, init);
    // The caller's own signal: a Request's signal follows it only until the Request is garbage-collected.
    const signal = init?.signal ?? (input instanceof Request ? input.signal : request.signal);
    signal.throwIfAborted();
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => {
        reject(new DOMException('This operation was aborted', 'AbortError'));
      });
    });
    try {
      return await Promise.race([readBody(request.body).then((body) => respond(request, body)), aborted]);
    } catch (error) {
      throw error instanceof ConnectionFault ? new TypeError('fetch failed', { cause: error }) : error;
    }
  };
}
