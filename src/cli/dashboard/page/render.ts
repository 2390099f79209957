// Draws the history. Every value is set as text, so that nothing from the exchange is parsed as markup.
import type { About, BookPoint, HealthPoint, History, LimitUsage, Message, OrderRow, Problem } from '../messages.js';
import { drawBalances, type BalanceRow } from './balance-table.js';
import { latencyChart, type Chart } from './charts.js';
import { cell, finite, formatMs, timeElement, timeOfDay } from './elements.js';

/** `rejected`: the server responded, but not with the event stream of this dashboard. */
export type Connection = 'live' | 'lost' | 'rejected';

const connectionTexts: Readonly<Record<Connection, string>> = {
  live: 'live',
  lost: 'connection lost: reconnecting',
  rejected: 'connection rejected: reconnecting. If the dashboard was restarted, open its new URL',
};

export interface Page {
  showConnection(state: Connection): void;
  /** Draws the part of the page that a message of this type changes. */
  draw(history: History, changed: Message['type']): void;
}

type Part = Exclude<Message['type'], 'history'>;
const partNames: readonly Part[] = ['health', 'balance', 'usage', 'orders', 'problem', 'book'];

export function createPage(document: Document): Page {
  const find = (id: string): HTMLElement => {
    const element = document.getElementById(id);
    if (element === null) throw new Error(`index.html has no element #${id}`);
    return element;
  };
  const latency = latencyChart(find('latency-chart'));
  const balances = new Map<string, BalanceRow>();
  const failedParts = new Set<Part>();

  const drawings: Record<Part, (history: History) => void> = {
    health: ({ health }) => {
      drawHealth(find, latency, health);
    },
    balance: (history) => {
      drawBalances(find, balances, history);
    },
    usage: ({ usage }) => {
      find('limits').replaceChildren(...usage.map(limitItem));
    },
    orders: ({ orders }) => {
      find('orders-note').textContent = orders.length === 0 ? 'none yet' : '';
      find('orders').replaceChildren(...orders.map(orderRow));
    },
    problem: ({ problems }) => {
      find('problems-note').textContent = problems.length === 0 ? 'none yet' : '';
      find('problems').replaceChildren(...problems.toReversed().map(problemItem));
    },
    book: ({ book }) => {
      find('book-section').hidden = book === undefined;
      if (book !== undefined) drawBook(find, book);
    },
  };

  return {
    showConnection: (state) => {
      const place = find('connection');
      place.dataset['connection'] = state;
      place.textContent = connectionTexts[state];
    },
    draw: (history, changed) => {
      if (changed === 'history') find('about').textContent = describe(history.about);
      const parts = changed === 'history' ? partNames : [changed];
      for (const part of parts) {
        if (
          tryDraw(() => {
            drawings[part](history);
          })
        )
          failedParts.delete(part);
        else failedParts.add(part);
      }
      const note =
        failedParts.size === 0 ? '' : `not updated because of malformed data: ${[...failedParts].join(', ')}`;
      if (find('page-note').textContent !== note) find('page-note').textContent = note;
    },
  };
}

/** A part that cannot be drawn stays as it was, and the other parts are drawn. */
function tryDraw(draw: () => void): boolean {
  try {
    draw();
    return true;
  } catch {
    return false;
  }
}

function describe({ baseUrl, sandbox, account }: About): string {
  if (sandbox) return 'embedded sandbox (play money)';
  return account ? baseUrl : `${baseUrl} (no credentials)`;
}

function drawHealth(find: (id: string) => HTMLElement, chart: Chart, points: readonly HealthPoint[]): void {
  const last = points.at(-1);
  if (last === undefined) return;
  const state = find('state');
  const text = `${last.state}${last.reason === undefined ? '' : ` (${last.reason})`} since ${timeOfDay(last.since)}`;
  state.dataset['state'] = last.state;
  // A screen reader announces the text each time it is set.
  if (state.textContent !== text) state.textContent = text;
  find('latency-last').textContent = formatMs(last.latencyMs);
  find('latency-p50').textContent = formatMs(last.p50Ms);
  find('latency-p99').textContent = formatMs(last.p99Ms);
  find('success').textContent = `${(last.successRatio * 100).toFixed(0)} %`;
  chart.draw([points.map(({ at }) => at / 1000), points.map(({ latencyMs }) => finite(latencyMs))]);
  find('latency-chart').setAttribute(
    'aria-label',
    `Latency of the last ${points.length} pings: p50 ${formatMs(last.p50Ms)}, p99 ${formatMs(last.p99Ms)}`,
  );
}

const bookTexts: Readonly<Record<BookPoint['status'], string>> = {
  live: 'live',
  stale: 'stale: the prices may have changed',
  waiting: 'waiting for the book',
  refused: 'refused',
};

function drawBook(find: (id: string) => HTMLElement, { market, status, bid, ask, connection }: BookPoint): void {
  find('book-market').textContent = market;
  const place = find('book-status');
  const text = `${bookTexts[status]} (${connection})`;
  place.dataset['book'] = status;
  // A screen reader announces the text each time it is set.
  if (place.textContent !== text) place.textContent = text;
  find('book-bid').textContent = bid ?? '–';
  find('book-ask').textContent = ask ?? '–';
}

/** Share of a limit above which its meter changes color. */
const highShare = 0.8;

function limitItem({ rateLimit, limit, windowMs, used, queued, coolDownUntil }: LimitUsage): HTMLElement {
  const item = document.createElement('li');
  const label = document.createElement('label');
  const meter = document.createElement('meter');
  Object.assign(meter, {
    id: `limit-${rateLimit}`,
    max: finite(limit) ?? 0,
    high: (finite(limit) ?? 0) * highShare,
    value: finite(used) ?? 0,
  });
  label.htmlFor = meter.id;
  const coolDown = coolDownUntil === null ? '' : `, cooling down after a 429 until ${timeOfDay(coolDownUntil)}`;
  const numbers = document.createElement('span');
  numbers.textContent = `${used} of ${limit} in ${windowMs / 1000} s, ${queued} queued${coolDown}`;
  label.append(rateLimit, numbers);
  item.append(label, meter);
  return item;
}

function orderRow({ at, market, side, type, amount, filled, total, status }: OrderRow): HTMLElement {
  const row = document.createElement('tr');
  const time = cell();
  time.append(timeElement(at));
  row.append(time, ...[market, side, type, amount, filled, total, status].map((text) => cell(text)));
  return row;
}

function problemItem({ at, endpoint, text }: Problem): HTMLElement {
  const item = document.createElement('li');
  item.append(timeElement(at), `${endpoint}: ${text}`);
  return item;
}
