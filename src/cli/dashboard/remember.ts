// What is kept of what was told: bounded, the newest last. The server keeps it for pages that come, and a page for what
// it draws.
import type { BalancePoint, History, Message } from './messages.js';

/** Points of a chart: ten minutes of pings, half an hour of balances. */
const maxPoints = 600;
/** Assets in all points together, of 370 bytes each at most: an account of 100 assets has its last six minutes. */
const maxAssetRows = 12_000;
const maxProblems = 50;

/** The history with one more message. */
export function remember(history: History, message: Message): History {
  switch (message.type) {
    case 'history':
      return message.history;
    case 'health':
      return { ...history, health: [...history.health, message.health].slice(-maxPoints) };
    case 'balance':
      return { ...history, balances: newestPoints([...history.balances, message.balance]) };
    case 'usage':
      return { ...history, usage: message.usage };
    case 'orders':
      return { ...history, orders: message.orders };
    case 'problem':
      return { ...history, problems: [...history.problems, message.problem].slice(-maxProblems) };
  }
}

function newestPoints(points: readonly BalancePoint[]): readonly BalancePoint[] {
  let rows = 0;
  const tooOld = points.findLastIndex(({ assets }) => (rows += assets.length) > maxAssetRows);
  return points.slice(Math.max(tooOld + 1, points.length - maxPoints));
}
