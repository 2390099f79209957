// The history that a dashboard shows: bounded, newest last. The server keeps it for pages that open later, and a page
// keeps it to draw its charts.
import type { BalancePoint, History, Message } from './messages.js';

/** Points of a chart: ten minutes of pings, half an hour of balances. */
const maxPoints = 600;
/** Asset rows over all points, at most 370 bytes each: an account of 100 assets keeps its last six minutes. */
const maxAssetRows = 12_000;
const maxProblems = 50;

/** The history with one more message. */
export function appendMessage(history: History, message: Message): History {
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
    case 'book':
      return { ...history, book: message.book };
  }
}

function newestPoints(points: readonly BalancePoint[]): readonly BalancePoint[] {
  let rows = 0;
  const tooOld = points.findLastIndex(({ assets }) => (rows += assets.length) > maxAssetRows);
  return points.slice(Math.max(tooOld + 1, points.length - maxPoints));
}
