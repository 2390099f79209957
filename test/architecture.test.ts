// The layout's rules: a request walks one way, and the sandbox shares nothing with the SDK but the models.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const src = resolve(import.meta.dirname, '../src');

/** Every import of a file of ours: `from` imports `to`, both below src. */
const imports = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .flatMap((from) => {
    const text = readFileSync(join(src, from), 'utf8').replaceAll(/^ *\*.*$/gm, '');
    const targets = [...text.matchAll(/from '(?<target>\.[^']+)'/g)].map((match) => match.groups?.['target'] ?? '');
    return targets.map((target) => ({
      from,
      to: relative(src, resolve(src, dirname(from), target.replace(/\.js$/, '.ts'))),
    }));
  });

const folderOf = (file: string) => (file.includes('/') ? (file.split('/')[0] ?? file) : file);

/** The road of a request, from its end to its start: a place may import what stands before it here. */
const road = [
  'longest-timer.ts',
  'foreign-value.ts',
  'model',
  'exchange-error.ts',
  'http-errors.ts',
  'errors.ts',
  'option-rules.ts',
  'synchronous-ends.ts',
  'retry-policy.ts',
  'scheduler',
  'auth',
  'operators',
  'market-rules',
  'endpoint.ts',
  'http',
  'client-registry.ts',
  'absence-proof.ts',
  'options.ts',
  'call-limits.ts',
  'attempt.ts',
  'attempts.ts',
  'one-order.ts',
  'order-registry.ts',
  'order-calls.ts',
  'client.ts',
  'endpoints',
  'exchange.ts',
];

describe('the layout', () => {
  it('has imports to look at', () => {
    expect(imports.length).toBeGreaterThan(100);
  });

  it('the sandbox imports the models and itself, and nothing else of the SDK', () => {
    const foreign = imports.filter(
      ({ from, to }) => folderOf(from) === 'sandbox' && !['sandbox', 'model'].includes(folderOf(to)),
    );
    expect(foreign).toEqual([]);
  });

  it('the SDK does not import the sandbox, nor the command', () => {
    const inward = imports.filter(
      ({ from, to }) => !['sandbox', 'cli'].includes(folderOf(from)) && ['sandbox', 'cli'].includes(folderOf(to)),
    );
    expect(inward).toEqual([]);
  });

  it('no place imports one that stands before it on a request’s road', () => {
    const places = new Map(road.map((place, index) => [place, index]));
    const backward = imports.filter(({ from, to }) => {
      const [own, other] = [places.get(folderOf(from)), places.get(folderOf(to))];
      return own !== undefined && other !== undefined && other > own;
    });
    expect(backward).toEqual([]);
  });

  it('a folder that others import from is imported by its index alone', () => {
    const doors = ['auth', 'scheduler', 'http', 'operators', 'market-rules', 'streams', 'sandbox'];
    const around = imports.filter(
      ({ from, to }) => doors.includes(folderOf(to)) && folderOf(from) !== folderOf(to) && !to.endsWith('index.ts'),
    );
    expect(around).toEqual([]);
  });
});
