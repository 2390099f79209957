// From what is kept to what is seen. Everything is set as text: nothing that the exchange says is ever read as markup.
import type { About, BalancePoint, HealthPoint, History, LimitUsage, Message, OrderRow, Problem } from '../messages.js';
import { balanceChart, latencyChart, type Chart } from './charts.js';

export type Connection = 'live' | 'lost';

/** What is on the page. */
export interface Page {
  connection(state: Connection): void;
  /** Draws what a message of this type changed. */
  draw(history: History, changed: Message['type']): void;
}

export function createPage(document: Document): Page {
  const find = (id: string): HTMLElement => {
    const element = document.getElementById(id);
    if (element === null) throw new Error(`the page has no #${id}`);
    return element;
  };
  const latency = latencyChart(find('latency-chart'));
  const balances = new Map<string, BalanceRow>();

  const drawings: Record<Exclude<Message['type'], 'history'>, (history: History) => void> = {
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
      find('problems-note').textContent = problems.length === 0 ? 'none so far' : '';
      find('problems').replaceChildren(...problems.toReversed().map(problemItem));
    },
  };

  return {
    connection: (state) => {
      const place = find('connection');
      place.dataset['connection'] = state;
      place.textContent = state === 'live' ? 'live' : 'connection lost: trying again';
    },
    draw: (history, changed) => {
      if (changed !== 'history') {
        drawings[changed](history);
        return;
      }
      find('about').textContent = describe(history.about);
      for (const draw of Object.values(drawings)) draw(history);
    },
  };
}

function describe({ baseUrl, sandbox, account }: About): string {
  if (sandbox) return 'a sandbox: play money';
  return account ? baseUrl : `${baseUrl}, without an account`;
}

function drawHealth(find: (id: string) => HTMLElement, chart: Chart, points: readonly HealthPoint[]): void {
  const last = points.at(-1);
  if (last === undefined) return;
  const state = find('state');
  const text = `${last.state}${last.reason === undefined ? '' : ` (${last.reason})`} since ${timeOfDay(last.since)}`;
  state.dataset['state'] = last.state;
  // A screen reader says it again whenever it is set.
  if (state.textContent !== text) state.textContent = text;
  find('latency-last').textContent = formatMs(last.latencyMs);
  find('latency-p50').textContent = formatMs(last.p50Ms);
  find('latency-p99').textContent = formatMs(last.p99Ms);
  find('success').textContent = `${(last.successRatio * 100).toFixed(0)} %`;
  chart.draw([points.map(({ at }) => at / 1000), points.map(({ latencyMs }) => latencyMs)]);
  find('latency-chart').setAttribute('aria-label', `Latency of the last ${points.length} pings: half within ${formatMs(last.p50Ms)}, 99 % within ${formatMs(last.p99Ms)}`);
}

interface BalanceRow {
  readonly row: HTMLTableRowElement;
  readonly amount: HTMLElement;
  readonly change: HTMLElement;
  readonly chart: Chart;
}

function drawBalances(find: (id: string) => HTMLElement, rows: Map<string, BalanceRow>, { about, balances }: History): void {
  const last = balances.at(-1);
  find('balances-note').textContent = balanceNote(about, last);
  if (last === undefined) return;
  const assets = new Set([...rows.keys(), ...Object.keys(last.assets)]);
  for (const asset of assets) {
    const row = rows.get(asset) ?? addBalanceRow(find('balances'), asset);
    rows.set(asset, row);
    const delta = balances.findLast(({ deltas }) => asset in deltas)?.deltas[asset] ?? '';
    row.amount.textContent = last.assets[asset] ?? '0';
    row.change.textContent = delta === '' || delta.startsWith('-') ? delta : `+${delta}`;
    row.change.className = delta.startsWith('-') ? 'loss' : 'gain';
    row.chart.draw([balances.map(({ at }) => at / 1000), balances.map(({ assets, stale }) => (stale ? null : Number(assets[asset] ?? 0)))]);
  }
}

function balanceNote({ account }: About, last: BalancePoint | undefined): string {
  if (!account) return 'no credentials: balances are not read';
  if (last === undefined) return 'not read yet';
  return last.stale ? 'the last poll failed: this may be old' : '';
}

function addBalanceRow(table: HTMLElement, asset: string): BalanceRow {
  const row = document.createElement('tr');
  const name = document.createElement('th');
  name.scope = 'row';
  name.textContent = asset;
  const [amount, change, history] = [cell(), cell(), cell()];
  const place = document.createElement('div');
  place.className = 'spark';
  place.setAttribute('role', 'img');
  place.setAttribute('aria-label', `${asset} over time`);
  history.append(place);
  row.append(name, amount, change, history);
  table.append(row);
  return { row, amount, change, chart: balanceChart(place) };
}

const tight = 0.8;

function limitItem({ group, limit, windowMs, used, queued, ratePerSecond, closedUntil }: LimitUsage): HTMLElement {
  const item = document.createElement('li');
  const label = document.createElement('label');
  const meter = document.createElement('meter');
  Object.assign(meter, { id: `limit-${group}`, max: limit, high: limit * tight, value: used });
  label.htmlFor = meter.id;
  const closed = closedUntil === null ? '' : `, closed after a 429 until ${timeOfDay(closedUntil)}`;
  const numbers = document.createElement('span');
  numbers.textContent = `${used} of ${limit} in ${windowMs / 1000} s, ${ratePerSecond}/s, ${queued} waiting${closed}`;
  label.append(group, numbers);
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

function cell(text = ''): HTMLTableCellElement {
  const made = document.createElement('td');
  made.textContent = text;
  return made;
}

function timeElement(at: number): HTMLTimeElement {
  const time = document.createElement('time');
  time.dateTime = new Date(at).toISOString();
  time.textContent = timeOfDay(at);
  return time;
}

function timeOfDay(at: number): string {
  return new Date(at).toLocaleTimeString(undefined, { hour12: false });
}

function formatMs(ms: number | null): string {
  return ms === null ? '–' : `${ms.toFixed(1)} ms`;
}
