// What is kept of what was told: bounded, the newest last. The server keeps it for pages that come, and a page for what it draws.
import type { History, Message } from './messages.js';

/** Points of a chart: ten minutes of pings. */
const mostPoints = 600;
const mostProblems = 50;

/** The history with one more message. */
export function remember(history: History, message: Message): History {
  switch (message.type) {
    case 'history':
      return message.history;
    case 'health':
      return { ...history, health: [...history.health, message.health].slice(-mostPoints) };
    case 'balance':
      return { ...history, balances: [...history.balances, message.balance].slice(-mostPoints) };
    case 'usage':
      return { ...history, usage: message.usage };
    case 'orders':
      return { ...history, orders: message.orders };
    case 'problem':
      return { ...history, problems: [...history.problems, message.problem].slice(-mostProblems) };
  }
}
