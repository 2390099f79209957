// The dashboard and the alerts of docs/operations use what the exporter prints, and nothing else.
import { metrics, textMeter } from 'exchange-rx/metrics';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';

const folder = resolve(import.meta.dirname, '../../docs/operations');

interface Target {
  readonly expr: string;
  readonly legendFormat: string;
}

const dashboard = JSON.parse(readFileSync(resolve(folder, 'grafana.json'), 'utf8')) as {
  readonly panels: readonly { readonly title: string; readonly targets: readonly Target[] }[];
};
const ofPanels = dashboard.panels.flatMap(({ title, targets }) =>
  targets.map(({ expr, legendFormat }) => [title, expr, legendFormat] as const),
);
const ofAlerts = readFileSync(resolve(folder, 'alerts.yml'), 'utf8')
  .split('- alert: ')
  .slice(1)
  .map((rule) => [rule.split('\n')[0] ?? '', /expr: (.*)/.exec(rule)?.[1] ?? '', rule] as const);

const nameIn = (used: string) => used.replace(/_(bucket|sum|count)$/, '');
const known = new Map<string, readonly string[]>(Object.entries(metrics).map(([name, { labels }]) => [name, labels]));

/** Every value that a meter can print: one of each metric. */
const printed = (() => {
  const meter = textMeter();
  for (const [name, metric] of Object.entries(metrics))
    meter[metric.kind](name, metric)(1, Object.fromEntries(metric.labels.map((label) => [label, 'x'])));
  return meter.text();
})();

it.each([...ofPanels, ...ofAlerts])('%s: %s uses series and labels of the exporter', (_, expr, words) => {
  const used = [...expr.matchAll(/exchange_\w+/g)].map(([name]) => name);
  expect(used.length).toBeGreaterThan(0);
  for (const name of used) expect(printed).toMatch(new RegExp(`^${name}[{ ]`, 'm'));

  const grouped = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, labels = '']) => labels.split(', '));
  const filtered = [...expr.matchAll(/(\w+)=~?"/g)].map(([, label = '']) => label);
  const shown = [...words.matchAll(/\{\{ ?(?:\$labels\.)?(\w+) ?\}\}/g)].map(([, label = '']) => label);
  const labels = [...grouped, ...filtered, ...shown].filter((label) => label !== 'le' && label !== '');
  for (const name of used) expect(known.get(nameIn(name))).toEqual(expect.arrayContaining(labels));
});

it('the dashboard shows every metric', () => {
  const shown = new Set(
    ofPanels.flatMap(([, expr]) => [...expr.matchAll(/exchange_\w+/g)].map(([name]) => nameIn(name))),
  );
  expect([...known.keys()].filter((name) => !shown.has(name))).toEqual([]);
});

it('docs/operations.md says what to do about every alert', () => {
  const page = readFileSync(resolve(folder, '../operations.md'), 'utf8');
  expect([...page.matchAll(/^\| `([A-Z]\w+)` \|/gm)].map(([, name]) => name)).toEqual(ofAlerts.map(([name]) => name));
});
