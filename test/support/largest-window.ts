/** The most of these times, in milliseconds, that any window of this length holds, wherever it starts. */
export function largestWindow(times: readonly number[], windowMs: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  let oldest = 0;
  let largest = 0;
  for (const [index, time] of sorted.entries()) {
    while (time - (sorted[oldest] ?? time) >= windowMs) oldest += 1;
    largest = Math.max(largest, index - oldest + 1);
  }
  return largest;
}
