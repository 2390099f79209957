// What the exchange names and says is written to a terminal, a pipe and a file: it stays what it is, a value on one
// line.
import { createSandbox, type Sandbox } from 'exchange-rx/sandbox';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import * as v from 'valibot';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { describeOrder } from '../../src/cli/place-order.js';
import { createProgram } from '../../src/cli/program.js';
import { TransportError } from '../../src/errors/index.js';
import { formatAmounts, formatTime } from '../../src/cli/report.js';
import { describe as describeError, processTerminal } from '../../src/cli/terminal.js';
import { colorsOf, framed, jsonLine, listing, shown, text, type Text } from '../../src/cli/text.js';
import { createRunner } from '../../src/cli/verb.js';
import { orderSchema } from '../../src/model/order.js';
import { startCommand, startOnTerminal, terminalSize, type Environment } from '../support/command.js';
import { hasProgram } from '../support/programs.js';
import { forwardToSandbox, bytesOf, rawServer, type RawRequest, type RawServer } from './raw-server.js';

/** One of each kind, by what it does to a terminal or to a reader. */
const hostile = {
  'clears the screen': '\u001b[2J\u001b[H',
  'sets the title': '\u001b]0;owned\u0007',
  'writes the clipboard': '\u001b]52;c;b3duZWQ=\u0007',
  'does so with C1': '\u009b2J\u009d52;c;b3duZWQ=\u009c',
  'fakes a row': 'BTC  1\nETH  1000000\r\nOrder 2 (b): FILLED.',
  'fakes a row by wrapping': `BTC${' '.repeat(70)}ETH`,
  'turns the line around': '\u202e0001\u202c \u2066x\u2069 \u200f\u200e\u061c',
  'is invisible': '\u200b\u2060\ufeff\u00ad\u034f\u3164\u115f\uffa0\ufe0f\u{e0041}\u{e007f}',
  'ends the line': 'a\u2028b\u2029c\u0085d',
  'is half a pair': '\ud800x\udc00',
  'is private, or no character': '\ue000\uffff\u{10ffff}',
  overwrites: 'a\b\b\b\rb\u007f\t\v\f\0',
  'is drawn as nothing': 'a\u{1d159}\u{16fe4}b',
  'is wide blank': '\u00a0\u2003\u3000\u2800',
  'joins what is before it': '\u0338\u20e3x',
  'is very long': 'A'.repeat(5000),
  'is piled up': `Z${'\u0301'.repeat(5000)}`,
};
const everything = Object.values(hostile).join('');

/** What must not be written, but for the end of a line and our own colours. */
const acting = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Default_Ignorable_Code_Point}\ufffd]/u;
const blank = /(?! )[\p{Zs}\u2800]/u;
const ours = new RegExp(String.raw`\n|\x1b\[3[1239]m`, 'g');
/**
 * What a view that is drawn over and over has no need of: titles, clipboards, clearing of the screen, C1, bidi and zero
 * width.
 */
const notDrawing = new RegExp(String.raw`\x1b\]|\x1b\[2J\x1b\[H|[\x80-\x9f\u202e\u200b]`);

/** Blanks are data where it is data that is written. */
function actedUpon(written: string, isData = false): string[] {
  const rest = written.replace(ours, '');
  const found = acting.exec(rest) ?? (isData ? null : blank.exec(rest));
  return found === null ? [] : [JSON.stringify(rest.slice(Math.max(0, found.index - 60), found.index + 20))];
}

let sandbox: Sandbox;
let server: RawServer;
let environment: Environment;
/** Changes what the sandbox has answered; without it, that is left as it is. */
let change: (body: unknown, request: RawRequest) => unknown = (body) => body;
let status: string | undefined;

beforeAll(async () => {
  sandbox = createSandbox({ seed: 5 });
  server = await rawServer(async (socket, request) => {
    const answer = await forwardToSandbox(sandbox, request);
    const body = JSON.stringify(change(JSON.parse(answer.text), request));
    socket.write(bytesOf(body, { status: status ?? `${answer.status} OK` }));
  });
  const { apiKey, apiSecret } = sandbox.clientOptions().credentials;
  environment = { EXCHANGE_BASE_URL: server.baseUrl, EXCHANGE_API_KEY: apiKey, EXCHANGE_API_SECRET: apiSecret };
});

afterAll(() => server.close());

beforeEach(() => {
  change = (body) => body;
  status = undefined;
});

/** Runs a verb in this process to its end, or until it has written so often; what it wrote to either output. */
async function written(words: readonly string[], writes = Infinity): Promise<string> {
  let output = '';
  let count = 0;
  const sink = () =>
    new Writable({
      write(chunk, _, done) {
        output += String(chunk);
        count += 1;
        done(count === writes ? new Error('nobody reads it any more') : null);
      },
    });
  // Of a process, what a terminal is made of.
  const streams: unknown = { stdin: { isTTY: false }, stdout: sink(), stderr: sink(), env: {} };
  const terminal = processTerminal(streams as NodeJS.Process);
  try {
    await createProgram(createRunner(terminal, environment)).parseAsync(['node', 'exchange-rx', ...words]);
  } catch (error) {
    terminal.say(describeError(error));
  }
  return output;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The same, and for each of its fields, at any depth, one in which that is hostile. */
function variantsOf(record: Record<string, unknown>): Record<string, unknown>[] {
  const variants = Object.entries(record).flatMap(([field, value]) => {
    const inner = isRecord(value) ? variantsOf(value).slice(1) : [];
    return [everything, ...Object.values(hostile), 1e300, ...inner].map((instead) => ({ ...record, [field]: instead }));
  });
  return [record, ...variants];
}

/** A list in which every record has its variants, and a map with hostile names and values. */
function withVariants(body: unknown): unknown {
  if (Array.isArray(body)) return body.filter(isRecord).slice(0, 1).flatMap(variantsOf);
  if (!isRecord(body)) return body;
  const { data, records } = body;
  if (Array.isArray(data)) return { ...body, data: withVariants(data) };
  if (Array.isArray(records)) return { ...body, records: withVariants(records) };
  const [first] = Object.values(body).filter(isRecord);
  if (first === undefined) return variantsOf(body)[1];
  const named = [everything, ...Object.values(hostile)].map((name) => [name, first]);
  return {
    ...body,
    ...Object.fromEntries(named),
    ...Object.fromEntries(variantsOf(first).map((variant, index) => [`A${index}`, variant])),
  };
}

const reading = [
  ['markets'],
  ['balance'],
  ['sub-accounts', '--limit', '400'],
  ['mining-accounts', '--limit', '200'],
  ['leverage', '5'],
];
/** The fields of an order that do not decide which one it is. */
const hostileOrder = {
  type: everything,
  status: everything,
  price: everything,
  amount: everything,
  deal_money: everything,
  timestamp: 1e300,
  ftime: 1e300,
  feeAsset: everything,
};
const placing = ['order', 'stock-market', 'BTC_USDT', 'buy', '0.01', '--yes'];

describe('a value of the exchange', () => {
  it.each(Object.entries(hostile))('that %s is shown, on one line', (_, value) => {
    const parts = [
      text`(${value})`,
      shown(value, 1000),
      listing([value], [[value, 'b']]),
      framed(['a'], [[value]]),
      colorsOf(true).red(value),
    ];
    expect(parts.flatMap((part) => actedUpon(part.written))).toEqual([]);
    expect(text`${value}`.written.length).toBeLessThanOrEqual(201);
    expect(listing(['head'], [[value]]).written.split('\n')).toHaveLength(2);
    expect(jsonLine({ [value]: [value] })).toMatch(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{DI}]*$/u);
    expect(JSON.parse(jsonLine({ [value]: [value] }))).toEqual({ [value]: [value] });
  });

  it('keeps what it is: letters of any script, signs, and what is replaced can be read', () => {
    expect(text`${'BTC_USDT'} ${'Sparkonto für Ärzte'} ${'账户'} ${'счёт'} ${'€ 5'} ${1e300}`.written).toBe(
      'BTC_USDT Sparkonto für Ärzte 账户 счёт € 5 1e+300',
    );
    expect(text`${'a\nb'} ${'\u202e1'} ${'a  b '} ${'\u{e0041}'}`.written).toBe(
      'a\\u{a}b \\u{202e}1 a \\u{20}b\\u{20} \\u{e0041}',
    );
  });

  it('keeps one space between two characters, of whatever width, as a plain space; the first and the last, and what is more, are numbers', () => {
    expect(text`${'账户\u3000余额'} ${'1\u00a0000\u202f€'} ${'a\u2009b\u2003c'}`.written).toBe(
      '账户 余额 1 000 € a b c',
    );
    expect(
      text`${'\u3000a'} ${'a\u00a0'} ${'a\u00a0\u00a0b'} ${'a \u3000b'} ${'a\u2800b'} ${'👩\u200d🚀'}`.written,
    ).toBe('\\u{3000}a a\\u{a0} a\\u{a0}\\u{a0}b a \\u{3000}b a\\u{2800}b 👩\\u{200d}🚀');
  });

  it('that is drawn as nothing is written as its number', () => {
    expect(text`${hostile['is drawn as nothing']}`.written).toBe('a\\u{1d159}\\u{16fe4}b');
  });

  it('never ends in half a character where it is cut off', () => {
    for (let length = 195; length < 205; length += 1)
      expect(text`${'a'.repeat(length) + '😀'.repeat(200)}`.written).not.toMatch(/\p{Cs}/u);
  });

  it('keeps the columns of a table, however wide it is', () => {
    const rows = listing(
      ['a', 'b'],
      [
        ['账户', '1'],
        ['é', '2'],
        ['e\u0301', '3'],
      ],
    ).written.split('\n');
    expect(rows).toEqual(['a     b', '账户  1', 'é     2', 'e\u0301     3']);
  });

  it.each([1e300, -1, 1e12, 5])('that is no time, %d, is shown as the number that it is', (seconds) => {
    expect(formatTime(seconds)).toBe(`at ${seconds} s, which is no time`);
    expect([formatTime(1_700_000_000), formatTime(undefined)]).toEqual([
      '2023-11-14T22:13:20.000Z',
      'at an unknown time',
    ]);
  });

  it('is one of 300,000 that are listed at once', () => {
    const rows = Array.from({ length: 300_000 }, (_, index) => [`A${index}`, '0']);
    expect(listing(['asset', 'balance'], rows).written.split('\n')).toHaveLength(300_001);
  });
});

describe('a balance', () => {
  const dust = Object.fromEntries(Array.from({ length: 13 }, (_, index) => [`D${index}`, { main_balance: '0.00' }]));
  const balance = { ...dust, BTC: { main_balance: '2.5' }, XLM: { main_balance: '0.000000001' } };

  it('has first what there is something of, and on a screen at most 12 assets', () => {
    expect(formatAmounts(balance, 60).written).toMatch(/^2\.5 BTC, 0\.000000001 XLM, 0\.00 D0, [^]* D9,\n?\s*3 more$/);
  });

  it('has all assets on a line', () => {
    const line = formatAmounts({ ...balance, ['A'.repeat(40)]: { main_balance: '1' } }).written;
    expect(line).toMatch(/^2\.5 BTC, 0\.000000001 XLM, 1 A{40}, 0\.00 D0, .* D12$/);
  });

  it('never has a part of an amount', async () => {
    const amount = '7'.repeat(65);
    const balances = { BTC: { main_balance: amount }, ETH: { main_balance: '7'.repeat(31) } };
    expect(formatAmounts(balances, 60).written).toBe(
      '65 characters: too long to show BTC,\n31 characters: too long to show ETH',
    );
    expect(formatAmounts(balances).written).toBe(`65 characters: too long to show BTC, ${'7'.repeat(31)} ETH`);
    change = () => balances;
    expect(await written(['balance'])).toContain('BTC    65 characters: too long to show');
  });

  it('is whole in the lines of monitor', async () => {
    change = (body, { path }) => (path === '/api/v4/main-account/balance' ? balance : body);
    const lines = await written(['monitor'], 4);
    expect(lines).toMatch(/2\.5 BTC, 0\.000000001 XLM, .* 0\.00 D12 /);
    expect(lines).not.toContain('more');
  });
});

describe('the message of an error', () => {
  it.each(Object.entries(hostile))('is one line, though it quotes what %s', (_, value) => {
    const { message } = new TransportError(value, { endpoint: 'public.ping', outcome: 'none' });
    expect(actedUpon(message, true)).toEqual([]);
    expect(message.split('\n')).toHaveLength(1);
    expect(message.length).toBeLessThan(2100);
  });
});

describe('every verb', () => {
  it.each(reading)('%s shows every field of every record', async (...words) => {
    change = withVariants;
    for (const more of [[], ['--json']]) {
      const output = await written([...words, ...more]);
      expect(output).toMatch(more.length === 0 ? /\\u\{9b\}|leverage/ : /\\u009b|leverage/);
      expect(actedUpon(output, more.length > 0)).toEqual([]);
    }
  });

  it.each([[], ['--json']])('order %j shows the order', async (...more) => {
    change = (body, { path }) =>
      path.startsWith('/api/v4/order/') && isRecord(body) ? { ...body, ...hostileOrder } : body;
    const output = await written([...placing, ...more]);
    expect(output).toContain(more.length === 0 ? '\\u{9b}' : '\\u009b');
    expect(actedUpon(output, more.length > 0)).toEqual([]);
  });

  it('the order is shown whatever its fields are', () => {
    const order = {
      order_id: 1,
      client_order_id: 'a',
      market: 'BTC_USDT',
      side: 'buy',
      type: 'limit',
      amount: '1',
      price: '2',
      deal_stock: '1',
      deal_money: '2',
      status: 'FILLED',
    };
    const texts = variantsOf(order).flatMap((variant): Text[] => {
      const read = v.safeParse(orderSchema, variant);
      return read.success ? [describeOrder(read.output)] : [];
    });
    expect(texts.length).toBeGreaterThan(50);
    expect(texts.filter(({ written: line }) => line.includes('\n'))).toEqual([]);
    expect(texts.flatMap(({ written: line }) => actedUpon(line))).toEqual([]);
  });

  it.each([
    ['ping', '--watch', '--every', '0.01', '--json'],
    ['ping', '--watch', '--every', '0.01'],
    ['balance', '--watch', '--every', '0.01'],
    ['monitor'],
  ])('%j shows what is watched', async (...words) => {
    let round = 0;
    change = (body) => {
      round += 1;
      return round % 3 === 0
        ? { message: everything, code: 1, errors: { [everything]: [everything] } }
        : isRecord(body)
          ? { ...body, [everything]: { main_balance: String(round) }, [`\u202e${round}`]: { main_balance: '1' } }
          : body;
    };
    expect(actedUpon(await written(words, 3), words.includes('--json'))).toEqual([]);
  });

  it.each([...reading, placing, ['ping']])('%s shows why it was refused, on one line', async (...words) => {
    change = () => ({
      code: everything,
      message: everything,
      errors: { [everything]: [everything], a: everything },
      params: [everything],
    });
    for (status of ['400 X', '422 X', '401 X']) {
      const output = await written(words);
      expect(actedUpon(output)).toEqual([]);
      expect(output.length).toBeLessThan(2500);
      expect(output.trimEnd().split('\n').length).toBeLessThanOrEqual(3);
    }
  });
});

describe('what the command writes', () => {
  it('is written in one place', () => {
    const folder = resolve(import.meta.dirname, '../../src/cli');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.ts') && !file.startsWith('dashboard/page'),
    );
    const writers = files.filter((file) =>
      /\bconsole\.|logUpdate|std(?:out|err)\b/.test(readFileSync(join(folder, file), 'utf8')),
    );
    // The view of the demo asks whether there is a terminal.
    expect(writers.sort()).toEqual(['demo/view.ts', 'terminal.ts']);
    expect(readFileSync(join(folder, 'demo/view.ts'), 'utf8')).not.toMatch(
      /\bconsole\.|logUpdate|std(?:out|err)\.write/,
    );
  });
});

describe('the command', () => {
  it.each([
    ['markets', everything.slice(0, 90).replaceAll('\0', '')],
    ['leverage', '\u001b[2J\u009b2J\u202e'],
  ])('shows an argument that it quotes: %j', async (...words) => {
    const { code, stderr } = await startCommand(words, environment).ended;
    expect(code).toBe(2);
    expect(stderr).toContain('\\u{1b}[2J');
    expect(actedUpon(stderr)).toEqual([]);
  });

  it('shows a name that would clear the screen', async () => {
    change = withVariants;
    const { code, stdout, stderr } = await startCommand(['balance'], environment).ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('\\u{1b}[2J');
    expect(actedUpon(stdout)).toEqual([]);
  });

  it.runIf(hasProgram('script', { by: 'the tests of the command on a terminal', debianPackage: 'bsdutils' }))(
    'draws it on a terminal, too',
    async () => {
      change = withVariants;
      const command = startOnTerminal(['monitor'], environment);
      await command.wrote('more');
      command.type('\u0003');
      const { stdout } = await command.ended;
      expect(stdout).toContain('\\u{1b}[2J');
      expect(stdout).not.toMatch(notDrawing);
      const rows = stripVTControlCharacters(stdout)
        .split(/\r?\n/)
        .filter((row) => row.startsWith('│'));
      expect(Math.max(...rows.map(({ length }) => length))).toBeLessThanOrEqual(terminalSize.cols);
    },
  );
});
