// How the command prints lists and their progress, and what it completes in a shell.
import { execFileSync } from 'node:child_process';
import { lastValueFrom, map, take, timer } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { completionsOf } from '../../src/cli/completion.js';
import { printList, progressLine } from '../../src/cli/list.js';
import { createProgram } from '../../src/cli/program.js';
import { formatAge, table, text, type Column, type SafeText } from '../../src/cli/terminal/index.js';
import { runInProcess as run } from '../support/command-in-process.js';

interface Row {
  readonly id: string;
  readonly amount?: string;
}
const columns: readonly Column<Row>[] = [
  { head: 'id', cell: ({ id }) => id },
  { head: 'amount', cell: ({ amount }) => amount, right: true, rank: 1 },
  { head: 'note', cell: () => text`long note`, rank: 2 },
];
const rows: readonly Row[] = [{ id: 'order-1', amount: '10.25' }, { id: 'order-22' }];

it.each([
  [undefined, ['id        amount  note', 'order-1    10.25  long note', 'order-22       –  long note']],
  [25, ['id        amount', 'order-1    10.25', 'order-22       –']],
  [10, ['id', 'order-1', 'order-22']],
  [3, ['id', 'order-1', 'order-22']],
])('a table leaves out columns by their rank on %s columns, and truncates no value', (width, lines) => {
  expect(table(rows, columns, width).value.split('\n')).toEqual(lines);
});

it.each([
  [0, '0 s'],
  [-3, '0 s'],
  [59.9, '59 s'],
  [250, '4m10'],
  [7260, '2h01'],
  [273_600, '3d04'],
])('an age of %s s is %s', (seconds, words) => {
  expect(formatAge(seconds)).toBe(words);
});

it('the progress of a list has a bar, its count and an estimate; without a maximum its count', () => {
  expect(progressLine(250, 1000, 2000).value).toBe(
    `${'█'.repeat(6)}${'░'.repeat(18)} 250 of at most 1000, at most 6 s left`,
  );
  expect(progressLine(250, undefined, 2000).value).toBe('250 read');
});

it('a long list shows its progress after half a second, and clears it at its end', async () => {
  const shown: (string | undefined)[] = [];
  const terminal = {
    showProgress: (line: SafeText | undefined) => shown.push(line?.value),
    ...{ log: () => undefined, columns: () => undefined, canRedraw: false },
  };
  const rows$ = timer(0, 40).pipe(
    take(25),
    map((id) => ({ id })),
  );
  const columns = [{ head: 'id', cell: ({ id }: { id: number }) => id }];
  const { text: written } = await lastValueFrom(
    printList({ terminal, json: false }, rows$, columns, { empty: text`none`, max: 100 }),
  );
  expect(written.value.split('\n')).toHaveLength(26);
  expect(shown[0]).toMatch(/^█+░+ 1\d of at most 100, at most \d s left$/);
  expect(shown.at(-1)).toBeUndefined();
});

describe('completion', () => {
  const done = () => Promise.resolve();
  const program = createProgram({ environment: {}, run: done, serve: done, runToCompletion: done });

  it.each([
    ['pos', 'positions'],
    ['orders ', 'list cancel cancel-all modify history'],
    ['order limit BTC_USDT ', 'buy sell'],
    ['balance --wallet ', 'main spot collateral all'],
    ['--base-url orders mon', 'monitor'],
    ['positions close --s', '--side --sandbox'],
    ['transfer USDT 1 m', 'main'],
    ['completion ', 'bash zsh fish'],
    ['comp', 'completion'],
  ])('of %j is %j', (words, completions) => {
    expect(completionsOf(program, words.split(' '))).toEqual(completions.split(' '));
  });

  it('works in bash', async () => {
    const { stdout: script } = await run(['completion', 'bash']);
    const { stdout: words } = await run(['complete', '--', 'orders', 'ca']);
    expect(words).toBe('cancel\ncancel-all\n');
    const shell = `exchange-rx() { [ "$1$2$3$4" = 'complete--ordersca' ] && printf 'cancel\\ncancel-all\\n'; }
${script}
COMP_WORDS=(exchange-rx orders ca); COMP_CWORD=2; _exchange_rx; echo "\${COMPREPLY[@]}"`;
    expect(execFileSync('bash', ['-c', shell], { encoding: 'utf8' })).toBe('cancel cancel-all\n');
  });

  it.each(['zsh', 'fish'])('prints a script for %s that calls the command', async (shell) => {
    const { code, stdout } = await run(['completion', shell]);
    expect(code).toBe(0);
    expect(stdout).toContain('exchange-rx complete -- ');
  });
});
