// One request a turn of the event loop. Node accepts one connection a turn: if a turn were as long as it takes to
// answer all who ask, those who connect while hundreds do would wait for seconds, and give up.

/** Runs what it is given one after another, each in a turn of its own. */
export function inTurns(): (task: () => void) => void {
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
