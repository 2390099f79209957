// Scripts of the real-time interface: what a client sends and what it must get, line by line.
//
// `>` a request · `<` a response · `=` a push · `.` nothing more has arrived · `end 1006` the connection has ended
// `! { … }` the sandbox's options, in the first line · `advance 100` · `price BTC_USDT 61000` · `# …` a comment
// `order { … }` a signed request to a path: `order /api/v4/order/stock_market { … }`
// `token $name` a token of the account
// A text that begins with `$` stands for any value: the same one wherever it stands.
import type { SandboxOptions } from 'exchange-rx/sandbox';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { sendRaw } from '../../contract/setup.js';
import type { Client, World } from './doors.js';

export interface Script {
  readonly options: SandboxOptions;
  readonly lines: readonly string[];
}

const known = /^(?:!|>|<|=|\.$|(?:end|advance|price|delist|order|token)\b)/;

export function readScript(name: string): Script {
  const text = readFileSync(join(import.meta.dirname, 'scripts', name), 'utf8');
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));
  const options = lines.find((line) => line.startsWith('!'))?.slice(1) ?? '{}';
  const unknown = lines.filter((line) => !known.test(line));
  if (unknown.length > 0) throw new Error(`no such command: ${unknown.join()}`);
  return { options: JSON.parse(options) as SandboxOptions, lines: lines.filter((line) => !line.startsWith('!')) };
}

/** Runs the lines on a connection that opens before the first request. */
export async function play({ sandbox, connect }: World, { lines }: Script): Promise<void> {
  let opened: Client | undefined;
  const bound = new Map<string, unknown>();
  for (const line of lines) {
    const [command = '', ...words] = line.split(' ');
    const rest = words.join(' ');
    if (command === 'advance') sandbox.clock.advance(Number(rest));
    else if (command === 'price') sandbox.market(words[0] ?? '').setPrice(words[1] ?? '');
    else if (command === 'delist') sandbox.market(rest).delist();
    else if (command === 'order') {
      const fields = JSON.parse(words.slice(1).join(' ')) as Record<string, unknown>;
      const { status, body } = await sendRaw({ sandbox }, words[0] ?? '', fields);
      expect(status, JSON.stringify(body)).toBe(200);
    } else if (command === 'token') bound.set(rest, await tokenOf(sandbox));
    if (!clientCommands.includes(command)) continue;
    const client: Client = (opened ??= await connect());
    if (command === '>') client.send(withBound(rest, bound));
    else if (command === '<' || command === '=') {
      const frame = await client.next();
      expect(filledIn(JSON.parse(rest), frame, bound), `expected ${line}`).toEqual(frame);
    } else if (command === '.') expect(await client.rest(), line).toEqual([]);
    else expect(await client.ended).toMatchObject({ code: Number(rest) });
  }
  opened?.close();
}

const clientCommands = ['>', '<', '=', '.', 'end'];

/** A token of the real-time interface, by default of the first account. */
export async function tokenOf(sandbox: World['sandbox'], account?: string): Promise<string> {
  const { status, body } = await sendRaw({ sandbox }, '/api/v4/profile/websocket_token', {}, { account });
  expect(status).toBe(200);
  return (body as { websocket_token: string }).websocket_token;
}

/** A connection that is authorized for the first account. */
export async function authorized({ sandbox, connect }: World): Promise<Client> {
  const client = await connect();
  await client.request('authorize', [await tokenOf(sandbox), 'public']);
  return client;
}

/** A request with the values that its placeholders stand for. */
function withBound(text: string, bound: ReadonlyMap<string, unknown>): string {
  let filled = text;
  for (const [name, value] of bound) filled = filled.replaceAll(JSON.stringify(name), JSON.stringify(value));
  return filled;
}

/** The expected value with its placeholders replaced by what they stand for. */
function filledIn(expected: unknown, actual: unknown, bound: Map<string, unknown>): unknown {
  if (typeof expected === 'string' && expected.startsWith('$')) {
    if (!bound.has(expected)) bound.set(expected, actual);
    return bound.get(expected);
  }
  if (Array.isArray(expected)) return expected.map((item, index) => filledIn(item, fieldOf(actual, index), bound));
  if (typeof expected !== 'object' || expected === null) return expected;
  return Object.fromEntries(
    Object.entries(expected).map(([name, item]) => [name, filledIn(item, fieldOf(actual, name), bound)]),
  );
}

function fieldOf(value: unknown, name: string | number): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.entries(value).find(([one]) => one === String(name))?.[1];
}
