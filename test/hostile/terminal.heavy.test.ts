// Values of the exchange on a terminal, in a pipe and in a file: each stays one value on one line.
import { createSandbox, type Sandbox } from 'exchange-rx/sandbox';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import * as v from 'valibot';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { describeOrder } from '../../src/cli/place-order.js';
import {
  createColors,
  escape,
  formatBalance,
  formatColumns,
  formatTime,
  text,
  toJsonLine,
  type SafeText,
} from '../../src/cli/terminal/index.js';
import { TransportError } from '../../src/errors/index.js';
import { orderSchema } from '../../src/model/order.js';
import { startCommand, startOnTerminal, terminalSize, type Environment } from '../support/command.js';
import { startInProcess } from '../support/command-in-process.js';
import { hasProgram } from '../support/programs.js';
import { forwardToSandbox, bytesOf, rawServer, type RawRequest, type RawServer } from '../support/raw-server.js';

/** Hostile values by their effect on a terminal or a reader. */
const hostile = {
  'clears the screen': '\u001b[2J\u001b[H',
  'sets the title': '\u001b]0;owned\u0007',
  'writes the clipboard': '\u001b]52;c;b3duZWQ=\u0007',
  'writes the clipboard with C1': '\u009b2J\u009d52;c;b3duZWQ=\u009c',
  'fakes a row': 'BTC  1\nETH  1000000\r\nOrder 2 (b): FILLED.',
  'fakes a row by wrapping': `BTC${' '.repeat(70)}ETH`,
  'reorders the line': '\u202e0001\u202c \u2066x\u2069 \u200f\u200e\u061c',
  'is invisible': '\u200b\u2060\ufeff\u00ad\u034f\u3164\u115f\uffa0\ufe0f\u{e0041}\u{e007f}',
  'ends the line': 'a\u2028b\u2029c\u0085d',
  'is half a surrogate pair': '\ud800x\udc00',
  'is private use or no character': '\ue000\uffff\u{10ffff}',
  overwrites: 'a\b\b\b\rb\u007f\t\v\f\0',
  'is drawn as nothing': 'a\u{1d159}\u{16fe4}b',
  'is wide space': '\u00a0\u2003\u3000\u2800',
  'combines with the previous character': '\u0338\u20e3x',
  'is very long': 'A'.repeat(5000),
  'is piled up': `Z${'\u0301'.repeat(5000)}`,
};
const everything = Object.values(hostile).join('');

/** Characters that must not be written, except for line ends and the colors of the command. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Default_Ignorable_Code_Point}\ufffd]/u;
const blank = /(?! )[\p{Zs}\u2800]/u;
const ownSequences = new RegExp(String.raw`\n|\x1b\[3[1239]m`, 'g');
/** Sequences that redrawing does not need: titles, clipboard, clearing of the screen, C1, bidi and zero width. */
const notForRedrawing = new RegExp(String.raw`\x1b\]|\x1b\[2J\x1b\[H|[\x80-\x9f\u202e\u200b]`);

/** The unprintable characters of an output. JSON may hold spaces of any kind. */
function unprintableIn(written: string, isJson = false): string[] {
  const rest = written.replace(ownSequences, '');
  const found = unprintable.exec(rest) ?? (isJson ? null : blank.exec(rest));
  return found === null ? [] : [JSON.stringify(rest.slice(Math.max(0, found.index - 60), found.index + 20))];
}

let sandbox: Sandbox;
let server: RawServer;
let environment: Environment;
/** Changes the response of the sandbox. */
let change: (body: unknown, request: RawRequest) => unknown = (body) => body;
let status: string | undefined;

beforeAll(async () => {
  sandbox = createSandbox({ seed: 5 });
  server = await rawServer(async (socket, request) => {
    const response = await forwardToSandbox(sandbox, request);
    const body = JSON.stringify(change(JSON.parse(response.text), request));
    socket.write(bytesOf(body, { status: status ?? `${response.status} OK` }));
  });
  const { apiKey, apiSecret } = sandbox.clientOptions().credentials;
  environment = { EXCHANGE_BASE_URL: server.baseUrl, EXCHANGE_API_KEY: apiKey, EXCHANGE_API_SECRET: apiSecret };
});

afterAll(() => server.close());

beforeEach(() => {
  change = (body) => body;
  status = undefined;
});

/** Runs a verb in process, to its end or for a number of lines, and returns both outputs. */
async function written(args: readonly string[], lines = Infinity): Promise<string> {
  const command = startInProcess(args, environment);
  if (lines < Infinity) {
    await command.wrote(new RegExp(`(?:[^\\n]*\\n){${lines}}`));
    command.interrupt();
  }
  const { stdout, stderr } = await command.ended;
  return stdout + stderr;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The record, and for each of its fields at any depth the record with hostile values in that field. */
function variantsOf(record: Record<string, unknown>): Record<string, unknown>[] {
  const variants = Object.entries(record).flatMap(([field, value]) => {
    const inner = isRecord(value) ? variantsOf(value).slice(1) : [];
    return [everything, ...Object.values(hostile), 1e300, ...inner].map((instead) => ({ ...record, [field]: instead }));
  });
  return [record, ...variants];
}

/** A list with the variants of its first record, or a map with hostile names and values. */
function withVariants(body: unknown): unknown {
  if (Array.isArray(body)) return body.filter(isRecord).slice(0, 1).flatMap(variantsOf);
  if (!isRecord(body)) return body;
  const [first] = Object.values(body).filter(isRecord);
  if (first === undefined) return variantsOf(body)[1];
  const named = [everything, ...Object.values(hostile)].map((name) => [name, first]);
  return {
    ...body,
    ...Object.fromEntries(named),
    ...Object.fromEntries(variantsOf(first).map((variant, index) => [`A${index}`, variant])),
  };
}

const reading = [['markets'], ['balance']];
const placeArgs = ['order', 'stock-market', 'BTC_USDT', 'buy', '0.01', '--yes'];

describe('a value of the exchange', () => {
  it.each(Object.entries(hostile))('that %s is escaped, on one line', (_, value) => {
    const parts = [
      text`(${value})`,
      escape(value, 1000),
      formatColumns([value], [[value, 'b']]),
      createColors(true).red(value),
    ];
    expect(parts.flatMap((part) => unprintableIn(part.value))).toEqual([]);
    expect(text`${value}`.value.length).toBeLessThanOrEqual(201);
    expect(formatColumns(['head'], [[value]]).value.split('\n')).toHaveLength(2);
    expect(toJsonLine({ [value]: [value] })).toMatch(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{DI}]*$/u);
    expect(JSON.parse(toJsonLine({ [value]: [value] }))).toEqual({ [value]: [value] });
  });

  it('keeps letters of any script and signs, and shows the code points of the others', () => {
    expect(text`${'BTC_USDT'} ${'Sparkonto für Ärzte'} ${'账户'} ${'счёт'} ${'€ 5'} ${1e300}`.value).toBe(
      'BTC_USDT Sparkonto für Ärzte 账户 счёт € 5 1e+300',
    );
    expect(text`${'a\nb'} ${'\u202e1'} ${'a  b '} ${'\u{e0041}'} ${hostile['is drawn as nothing']}`.value).toBe(
      'a\\u{a}b \\u{202e}1 a \\u{20}b\\u{20} \\u{e0041} a\\u{1d159}\\u{16fe4}b',
    );
  });

  it('keeps a single space of any width as a plain space, and shows the code points of all other spaces', () => {
    expect(text`${'账户\u3000余额'} ${'1\u00a0000\u202f€'} ${'a\u2009b\u2003c'}`.value).toBe('账户 余额 1 000 € a b c');
    expect(text`${'\u3000a'} ${'a\u00a0'} ${'a\u00a0\u00a0b'} ${'a \u3000b'} ${'a\u2800b'} ${'👩\u200d🚀'}`.value).toBe(
      '\\u{3000}a a\\u{a0} a\\u{a0}\\u{a0}b a \\u{3000}b a\\u{2800}b 👩\\u{200d}🚀',
    );
  });

  it('is never truncated inside a character', () => {
    for (let length = 195; length < 205; length += 1)
      expect(text`${'a'.repeat(length) + '😀'.repeat(200)}`.value).not.toMatch(/\p{Cs}/u);
  });

  it('keeps the columns of a table aligned, however wide it is', () => {
    const cells = ['账户', 'é', 'e\u0301'].map((name, index) => [name, String(index + 1)]);
    const rows = formatColumns(['a', 'b'], cells).value.split('\n');
    expect(rows).toEqual(['a     b', '账户  1', 'é     2', 'e\u0301     3']);
  });

  it.each([1e300, -1, 1e12, 5])('that is an impossible time, %d, is shown as a number', (seconds) => {
    expect(formatTime(seconds)).toBe(`invalid time ${seconds} s`);
    expect([formatTime(1_700_000_000), formatTime(undefined)]).toEqual(['2023-11-14T22:13:20.000Z', 'unknown time']);
  });

  it('may be one of 300,000 rows', () => {
    const rows = Array.from({ length: 300_000 }, (_, index) => [`A${index}`, '0']);
    expect(formatColumns(['asset', 'balance'], rows).value.split('\n')).toHaveLength(300_001);
  });
});

describe('a balance', () => {
  const dust = Object.fromEntries(Array.from({ length: 13 }, (_, index) => [`D${index}`, { main_balance: '0.00' }]));
  const balance = { ...dust, BTC: { main_balance: '2.5' }, XLM: { main_balance: '0.000000001' } };

  it('lists non-zero amounts first, and at most 12 assets on a screen', () => {
    expect(formatBalance(balance, 60).value).toMatch(/^2\.5 BTC, 0\.000000001 XLM, 0\.00 D0, [^]* D9,\n?\s*3 more$/);
  });

  it('lists all assets on a line', () => {
    expect(formatBalance({}).value).toBe('empty');
    const line = formatBalance({ ...balance, ['A'.repeat(40)]: { main_balance: '1' } }).value;
    expect(line).toMatch(/^2\.5 BTC, 0\.000000001 XLM, 1 A{40}, 0\.00 D0, .* D12$/);
  });

  it('never truncates an amount', async () => {
    const amount = '7'.repeat(65);
    const balances = { BTC: { main_balance: amount }, ETH: { main_balance: '7'.repeat(31) } };
    expect(formatBalance(balances, 60).value).toBe('(65 characters, not shown) BTC,\n(31 characters, not shown) ETH');
    expect(formatBalance(balances).value).toBe(`(65 characters, not shown) BTC, ${'7'.repeat(31)} ETH`);
    change = () => balances;
    expect(await written(['balance'])).toContain('BTC    (65 characters, not shown)');
  });

  it('has all assets in the lines of monitor', async () => {
    change = (body, { path }) => (path === '/api/v4/main-account/balance' ? balance : body);
    const lines = await written(['monitor'], 4);
    expect(lines).toMatch(/2\.5 BTC, 0\.000000001 XLM, .* 0\.00 D12 /);
    expect(lines).not.toContain('more');
  });
});

it.each(Object.entries(hostile))(
  'the message of an error is one line, although it quotes a value that %s',
  (_, value) => {
    const { message } = new TransportError(value, { endpoint: 'public.ping', outcome: 'none' });
    expect(unprintableIn(message, true)).toEqual([]);
    expect(message.split('\n')).toHaveLength(1);
    expect(message.length).toBeLessThan(2100);
  },
);

describe('every verb', () => {
  it.each(reading)('%s escapes every field of every record', async (...args) => {
    change = withVariants;
    for (const more of [[], ['--json']]) {
      const output = await written([...args, ...more]);
      expect(output).toMatch(more.length === 0 ? /\\u\{9b\}|leverage/ : /\\u009b|leverage/);
      expect(unprintableIn(output, more.length > 0)).toEqual([]);
    }
  });

  it('order prints one line, whatever the fields of the order', () => {
    const order = {
      ...{ order_id: 1, client_order_id: 'a', market: 'BTC_USDT', side: 'buy', type: 'limit' },
      ...{ amount: '1', price: '2', deal_stock: '1', deal_money: '2', status: 'FILLED' },
    };
    const texts = variantsOf(order).flatMap((variant): SafeText[] => {
      const read = v.safeParse(orderSchema, variant);
      return read.success ? [describeOrder(read.output)] : [];
    });
    expect(texts.length).toBeGreaterThan(50);
    expect(texts.filter(({ value: line }) => line.includes('\n'))).toEqual([]);
    expect(texts.flatMap(({ value: line }) => unprintableIn(line))).toEqual([]);
  });

  it.each([
    ['ping', '--watch', '--interval', '0.01', '--json'],
    ['ping', '--watch', '--interval', '0.01'],
    ['balance', '--watch', '--interval', '0.01'],
    ['monitor'],
  ])('%j escapes every update', async (...args) => {
    let round = 0;
    change = (body) => {
      round += 1;
      if (round % 3 === 0) return { message: everything, code: 1, errors: { [everything]: [everything] } };
      if (!isRecord(body)) return body;
      return { ...body, [everything]: { main_balance: String(round) }, [`\u202e${round}`]: { main_balance: '1' } };
    };
    expect(unprintableIn(await written(args, 3), args.includes('--json'))).toEqual([]);
  });

  it.each([...reading, placeArgs, ['ping']])('%s prints the reason of a rejection on one line', async (...args) => {
    const errors = { [everything]: [everything], a: everything };
    change = () => ({ code: everything, message: everything, errors, params: [everything] });
    for (status of ['400 X', '422 X', '401 X']) {
      const output = await written(args);
      expect(unprintableIn(output)).toEqual([]);
      expect(output.length).toBeLessThan(2500);
      expect(output.trimEnd().split('\n').length).toBeLessThanOrEqual(3);
    }
  });
});

it('the output of the command is written by one file', () => {
  const folder = resolve(import.meta.dirname, '../../src/cli');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.startsWith('dashboard/page'),
  );
  // An example in a docstring writes nothing.
  const codeOf = (file: string) => readFileSync(join(folder, file), 'utf8').replaceAll(/^ *\* .*$/gm, '');
  const writers = files.filter((file) => /\bconsole\.|logUpdate|std(?:out|err)\b/.test(codeOf(file)));
  expect(writers).toEqual(['terminal/terminal.ts']);
});

describe('the command', () => {
  it.each([
    ['markets', everything.slice(0, 90).replaceAll('\0', '')],
    ['watch', 'book', 'BTC_USDT', '--levels', '\u001b[2J\u009b2J\u202e'],
  ])('escapes an argument that it quotes: %j', async (...args) => {
    const { code, stderr } = await startCommand(args, environment).ended;
    expect(code).toBe(2);
    expect(stderr).toContain('\\u{1b}[2J');
    expect(unprintableIn(stderr)).toEqual([]);
  });

  it.runIf(hasProgram('script', { by: 'the tests of the command on a terminal', debianPackage: 'bsdutils' }))(
    'escapes names on a terminal, too',
    async () => {
      change = withVariants;
      const command = startOnTerminal(['monitor'], environment);
      await command.wrote('more');
      command.type('\u0003');
      const { stdout } = await command.ended;
      expect(stdout).toContain('\\u{1b}[2J');
      expect(stdout).not.toMatch(notForRedrawing);
      const rows = stripVTControlCharacters(stdout)
        .split(/\r?\n/)
        .filter((row) => row.startsWith('│'));
      expect(Math.max(...rows.map(({ length }) => length))).toBeLessThanOrEqual(terminalSize.cols);
    },
  );
});
