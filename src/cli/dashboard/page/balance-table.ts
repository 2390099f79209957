// The table of balances, with a chart for each asset.
import type { About, AssetRow, BalancePoint, History } from '../messages.js';
import { balanceChart, type Chart } from './charts.js';
import { cell, finite } from './elements.js';

export interface BalanceRow {
  readonly row: HTMLTableRowElement;
  readonly amount: HTMLElement;
  readonly change: HTMLElement;
  readonly chart: Chart;
}

export function drawBalances(
  find: (id: string) => HTMLElement,
  rows: Map<string, BalanceRow>,
  { about, balances }: History,
): void {
  const last = balances.at(-1);
  const note = balanceNote(about, last);
  if (find('balances-note').textContent !== note) find('balances-note').textContent = note;
  if (last === undefined) return;
  const times = balances.map(({ at }) => at / 1000);
  const values = valuesOverTime(last.assets, balances);
  for (const [asset, { row, chart }] of rows) {
    if (values.has(asset)) continue;
    chart.remove();
    row.remove();
    rows.delete(asset);
  }
  for (const { asset, amount, change, stale } of last.assets) {
    const row = rows.get(asset) ?? addBalanceRow(find('balances'), asset);
    rows.set(asset, row);
    row.amount.textContent = `${amount ?? '–'}${stale ? ' (stale)' : ''}`;
    row.change.textContent = change === '' || change.startsWith('-') ? change : `+${change}`;
    row.change.className = change.startsWith('-') ? 'loss' : 'gain';
    row.chart.draw([times, values.get(asset) ?? []]);
  }
}

/** The known amounts of each asset over time. An asset that is absent from a complete list was zero. */
function valuesOverTime(assets: readonly AssetRow[], points: readonly BalancePoint[]): Map<string, (number | null)[]> {
  const values = new Map(
    assets.map(({ asset }) => [
      asset,
      points.map(({ stale, notShown }): number | null => (stale || notShown > 0 ? null : 0)),
    ]),
  );
  for (const [index, { assets, stale }] of points.entries()) {
    for (const row of assets) {
      const series = values.get(row.asset);
      if (series !== undefined) series[index] = stale || row.stale ? null : finite(Number(row.amount ?? NaN));
    }
  }
  return values;
}

function balanceNote({ account }: About, last: BalancePoint | undefined): string {
  if (!account) return 'no credentials: balances cannot be read';
  if (last === undefined) return 'not read yet';
  const { stale, notRead, notShown } = last;
  const notes = [
    stale ? 'stale: the last poll failed' : '',
    notRead > 0 ? `assets that the last poll could not read: ${notRead}` : '',
    notShown > 0 ? `more assets, not shown: ${notShown}` : '',
  ];
  return notes.filter((note) => note !== '').join('; ');
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
  place.setAttribute('aria-label', `Balance of ${asset} over time`);
  history.append(place);
  row.append(name, amount, change, history);
  table.append(row);
  return { row, amount, change, chart: balanceChart(place) };
}
