// The layout: a request walks one way, a folder has one door, and no file leads back to itself.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const src = resolve(import.meta.dirname, '../src');

/** Every import of a file of ours, of types included: `from` imports `to`, both below src. */
const imports = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .flatMap((from) => {
    const text = readFileSync(join(src, from), 'utf8').replaceAll(/^ *\*.*$/gm, '');
    const targets = [...text.matchAll(/(?:from|import) '(?<target>\.[^']+)'/g)].map(
      (match) => match.groups?.['target'] ?? '',
    );
    return targets.map((target) => ({
      from,
      to: relative(src, resolve(src, dirname(from), target.replace(/\.js$/, '.ts'))),
    }));
  });

const folderOf = (file: string) => file.split('/')[0] ?? file;

/** The road of a request, from its end to its start: a place may import the places before it. */
const road = [
  ...['model', 'errors', 'endpoint', 'endpoints', 'auth', 'http', 'scheduler'],
  ...['call', 'orders', 'movements', 'live', 'operators', 'client', 'live-reads.ts', 'debug-log.ts', 'exchange.ts'],
  ...['as-promises.ts', 'order-journal.ts', 'oauth-credentials.ts', 'streams', 'recording', 'metrics'],
  ...['opentelemetry', 'report', 'index.ts', 'cli'],
];
const placeOf = (file: string) => road.indexOf(road.includes(file) ? file : folderOf(file));

describe('the layout', () => {
  it('no file imports one that stands before it on the road of a request', () => {
    const onRoad = imports.filter(({ from, to }) => placeOf(from) >= 0 && placeOf(to) >= 0);
    expect(onRoad.length).toBeGreaterThan(100);
    expect(onRoad.filter(({ from, to }) => placeOf(to) > placeOf(from))).toEqual([]);
  });

  it('the sandbox shares the models and the recordings with the SDK, and nothing else; its door gives the report, too', () => {
    const shared = ['sandbox', 'model', 'recording'];
    const isWrong = ({ from, to }: (typeof imports)[number]) => {
      if (folderOf(from) !== 'sandbox') return folderOf(to) === 'sandbox' && folderOf(from) !== 'cli';
      return !shared.includes(folderOf(to)) && !(from === 'sandbox/index.ts' && folderOf(to) === 'report');
    };
    expect(imports.filter(isWrong)).toEqual([]);
  });

  it('the endpoints are data, and import only the form of an endpoint', () => {
    const known = ['endpoints', 'endpoint', 'errors', 'model'];
    const ofEndpoints = imports.filter(({ from }) => folderOf(from) === 'endpoints');
    expect(ofEndpoints.filter(({ to }) => !known.includes(folderOf(to)))).toEqual([]);
  });

  it('a folder with an index is imported through it', () => {
    const doors = new Set(imports.flatMap(({ from }) => (/^[^/]+\/index\.ts$/.test(from) ? [folderOf(from)] : [])));
    const around = imports.filter(
      ({ from, to }) => doors.has(folderOf(to)) && folderOf(from) !== folderOf(to) && !to.endsWith('index.ts'),
    );
    expect(around).toEqual([]);
  });

  it('no import leads back to its file', () => {
    const targetsOf = (file: string) => imports.flatMap(({ from, to }) => (from === file ? [to] : []));
    const circles: string[][] = [];
    const done = new Set<string>();
    const walk = (file: string, way: readonly string[]) => {
      if (way.includes(file)) circles.push([...way.slice(way.indexOf(file)), file]);
      if (way.includes(file) || done.has(file)) return;
      for (const to of targetsOf(file)) walk(to, [...way, file]);
      done.add(file);
    };
    for (const file of new Set(imports.map(({ from }) => from))) walk(file, []);
    expect(circles).toEqual([]);
  });
});
