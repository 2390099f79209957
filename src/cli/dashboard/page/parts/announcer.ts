// The live regions: what must be heard at once, and what is heard at most every 10 s.
import { find } from '../dom.js';
import type { Speech } from '../views/speech.js';

const politeEveryMs = 10_000;

export function createAnnouncer() {
  const [assertively, politely] = [find('assertive'), find('polite')];
  let waiting = '';
  let saidAt = -politeEveryMs;
  const tick = () => {
    const now = performance.now();
    if (waiting === '' || now - saidAt < politeEveryMs) return;
    politely.textContent = waiting;
    [waiting, saidAt] = ['', now];
  };
  return {
    tick,
    say({ assertive, polite }: Speech) {
      if (assertive !== '') assertively.textContent = assertive;
      // The newest is worth more than a queue.
      if (polite !== '') waiting = polite;
      tick();
    },
    /** What the reader asked for comes at once. */
    reply: (text: string) => {
      politely.textContent = text;
    },
  };
}
