// Reports what sockets send and receive, as exact text, before anything is made of it. For recordings.
import type { OpenSocket, SocketEnd } from './socket.js';

/** What happened on a socket. `c` is its number, from 1. */
export type SocketEvent =
  | { readonly k: 'open'; readonly c: number; readonly url: string }
  | { readonly k: 'sent'; readonly c: number; readonly d: string }
  /** `null`: the frame is no text, or too large. */
  | { readonly k: 'frame'; readonly c: number; readonly d: string | null }
  /** `refused`: it never opened. `left`: the client ended it. */
  | { readonly k: 'end'; readonly c: number; readonly code?: number; readonly reason: 'refused' | 'lost' | 'left' };

export function tappedSockets(open: OpenSocket, report: (event: SocketEvent) => void): OpenSocket {
  let count = 0;
  return (url, handlers) => {
    count += 1;
    const c = count;
    let state: 'opening' | 'open' | 'over' = 'opening';
    const end = (reason: 'lost' | 'left', { code }: SocketEnd = {}) => {
      if (state === 'over') return;
      const isRefused = state === 'opening';
      state = 'over';
      report({ k: 'end', c, ...(code === undefined ? {} : { code }), reason: isRefused ? 'refused' : reason });
    };
    const socket = open(url, {
      onOpen: () => {
        state = 'open';
        report({ k: 'open', c, url });
        handlers.onOpen();
      },
      onFrame: (text) => {
        report({ k: 'frame', c, d: text ?? null });
        handlers.onFrame(text);
      },
      onEnd: (reason) => {
        end('lost', reason);
        handlers.onEnd(reason);
      },
    });
    return {
      send: (text) => {
        report({ k: 'sent', c, d: text });
        socket.send(text);
      },
      terminate: () => {
        end('left');
        socket.terminate();
      },
    };
  };
}
