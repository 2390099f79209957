// A report as a page that can be kept, sent and printed: no script, nothing from elsewhere. The curves are drawn as SVG,
// since a chart library would make the page depend on its script.
import type { ReportCurrency } from './equity.js';
import type { ReportMarket, ReportProfit } from './market-sums.js';
import type { Report } from './report.js';

/**
 * A report as an HTML page with its tables and the curve of each currency. It contains no script and loads nothing.
 *
 * @example
 * ```ts
 * import { mkdtempSync, writeFileSync } from 'node:fs';
 * import { createSandbox, report, reportPage } from 'exchange-rx/sandbox';
 *
 * writeFileSync(`${mkdtempSync('/tmp/report-')}/report.html`, reportPage(report(createSandbox().ledger)));
 * ```
 */
export function reportPage(report: Report): string {
  const { account, costBasis, from, to, orders, markets, currencies } = report;
  const statuses = Object.entries(orders).map(([status, count]) => `${count} ${status}`);
  const title = `Report of ${account === '' ? 'no account' : account}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body>
<h1>${escaped(title)}</h1>
<p>${timeText(from)} to ${timeText(to)}. Orders: ${escaped(statuses.join(', ') || 'none')}. Cost basis: ${costBasis}.</p>
${currencies.map(curve).join('\n')}
${tableOf('Profit by currency', currencies, [['currency', ({ currency }) => currency], ...profitColumns, ['largest drawdown', ({ maxDrawdown }) => maxDrawdown]])}
${tableOf('Markets', markets, marketColumns)}
</body>
</html>
`;
}

type Column<Row> = readonly [head: string, cell: (row: Row) => string];

const profitColumns: readonly Column<ReportProfit>[] = [
  ['realized', ({ realized }) => realized],
  ['unrealized', ({ unrealized }) => unrealized],
  ['fees', ({ fees }) => fees],
  ['funding', ({ funding }) => funding],
  ['profit', ({ profit }) => profit],
];

const marketColumns: readonly Column<ReportMarket>[] = [
  ['market', ({ market }) => market],
  ['wallet', ({ wallet }) => (wallet === 'trade' ? 'spot' : wallet)],
  ['fills', ({ fills, makerFills }) => `${fills} (${makerFills} as maker)`],
  ['bought', ({ bought }) => bought],
  ['sold', ({ sold }) => sold],
  ['position', ({ position }) => position],
  ['last price', ({ price }) => price],
  ['turnover', ({ turnover, currency }) => `${turnover} ${currency}`],
  ['largest exposure', ({ maxExposure }) => maxExposure],
  ...profitColumns,
];

function tableOf<Row>(name: string, rows: readonly Row[], columns: readonly Column<Row>[]): string {
  if (rows.length === 0) return `<h2>${name}</h2><p>Nothing was traded.</p>`;
  const head = columns.map(([text]) => `<th scope="col">${text}</th>`).join('');
  const body = rows.map((row) => `<tr>${columns.map(([, cell]) => `<td>${escaped(cell(row))}</td>`).join('')}</tr>`);
  return `<h2>${name}</h2><div class="wide"><table><thead><tr>${head}</tr></thead><tbody>\n${body.join('\n')}\n</tbody></table></div>`;
}

const [width, height] = [800, 200];

/** The profit over time, with the line of no profit. */
function curve({ currency, equity }: ReportCurrency): string {
  const values = equity.map(({ profit }) => Number(profit));
  const [min, max] = [Math.min(0, ...values), Math.max(0, ...values)];
  const [first, last] = [equity[0]?.at ?? 0, equity.at(-1)?.at ?? 0];
  const x = (at: number) => round(((at - first) / (last - first || 1)) * width);
  const y = (value: number) => round(height - ((value - min) / (max - min || 1)) * height);
  const points = equity.map(({ at }, index) => `${x(at)},${y(values[index] ?? 0)}`);
  const name = `Profit in ${escaped(currency)}: from ${min} to ${max}`;
  return `<figure><figcaption>${name}</figcaption>
<svg viewBox="0 -4 ${width} ${height + 8}" preserveAspectRatio="none" role="img" aria-label="${name}">
<line x1="0" x2="${width}" y1="${y(0)}" y2="${y(0)}"/>
<polyline points="${points.join(' ')}"/>
</svg></figure>`;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

function timeText(at: number): string {
  return at === 0 ? '–' : `<time>${new Date(at).toISOString()}</time>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

const style = `
:root { color-scheme: light dark; font: 14px/1.4 system-ui, sans-serif; }
body { margin: 16px; }
h1 { font-size: 22px; } h2 { font-size: 16px; }
figure { margin: 16px 0; } svg { width: 100%; height: 200px; display: block; }
polyline { fill: none; stroke: #00718a; stroke-width: 2; vector-effect: non-scaling-stroke; }
line { stroke: #8a95a3; vector-effect: non-scaling-stroke; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 2px 12px 2px 0; text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
@media (prefers-color-scheme: dark) { polyline { stroke: #3fbfd4; } }
`;
