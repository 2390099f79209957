import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

/** Collects garbage. What was read of a weak reference is held until the tick ends. */
export function collectGarbage(): void {
  gc();
}

/** Collects garbage until it shows; the timeout of the test is the bound. */
export async function untilCollected(isSeen: () => boolean): Promise<void> {
  while (!isSeen()) {
    gc();
    // Finalizers run in tasks of their own.
    await sleep(5);
  }
}
