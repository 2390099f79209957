// One request per turn of the event loop. Node accepts one connection per turn: if a turn processed every waiting
// request, new connections would wait for seconds and time out.

/** Runs the given tasks in order, each in its own turn of the event loop. */
export function createTurnQueue(): (task: () => void) => void {
  const waiting: (() => void)[] = [];
  const next = () => {
    const task = waiting.shift();
    if (waiting.length > 0) setImmediate(next);
    task?.();
  };
  return (task) => {
    if (waiting.push(task) === 1) setImmediate(next);
  };
}
