// One message of each channel, in test/recorded/live, as published: what a stream requests for it, and what it emits.
import { Observable } from 'rxjs';
import type { Exchange } from 'exchange-rx';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { accountSetup, json } from './my/account-exchange.js';
import type { LiveConnection } from '../support/live-exchange.js';
import { valuesAndErrors } from '../support/watch.js';

/** When the messages were sent, Unix milliseconds. */
export const recordedAt = 1_795_316_400_000;

const folder = resolve(import.meta.dirname, '../recorded/live');

interface Message {
  readonly method: string;
  readonly params: unknown;
}

export interface RecordedMessage {
  /** The member of `exchange.live` that emits it, such as `my.orders`. */
  readonly stream: string;
  /** Its parameters; left out of a member that has none. */
  readonly params?: unknown;
  readonly request: Message;
  readonly push: Message;
  /** The places of its parts, such as `1.id`, without which it is unreadable: a gap, or a stale value. */
  readonly required: readonly string[];
  /** What is emitted, without what depends on the moment of the receipt. */
  readonly emits: readonly unknown[];
}

/** By the name of the file: the stream, and a word where it has more than one message. */
export const recordedMessages: readonly (readonly [name: string, message: RecordedMessage])[] = readdirSync(folder).map(
  (file) => [file.replace('.json', ''), JSON.parse(readFileSync(join(folder, file), 'utf8')) as RecordedMessage],
);

export function streamOf({ live }: Exchange, { stream, params }: RecordedMessage): Observable<unknown> {
  const owner: object = stream.startsWith('my.') ? live.my : live;
  const member: unknown = Reflect.get(owner, stream.replace('my.', ''));
  const stream$: unknown = typeof member === 'function' ? Reflect.apply(member, owner, [params]) : undefined;
  if (stream$ instanceof Observable) return stream$;
  throw new Error(`exchange.live.${stream} is no stream`);
}

/** What depends on the moment of the receipt. */
const ofTheMoment = new Set(['receivedAt', 'since', 'cursor']);

/** A value as a file has it, without what depends on the moment. */
function recordable(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, part: unknown) => (ofTheMoment.has(key) ? undefined : part)));
}

/** An exchange written by hand, without orders, executions and balances, and a client of it. */
export function messageSetup() {
  const { account, server, exchange } = accountSetup();
  account.rest = () => json(200, []);
  account.results.set('balanceSpot_request', {});

  /** What a stream emits, as a recording has it, and the connection on which its channel was requested last. */
  function watch(message: RecordedMessage) {
    const { method } = message.request;
    const { values: seen, errors } = valuesAndErrors(streamOf(exchange, message), recordable);
    const isAbout = ({ requests }: LiveConnection) => requests.some((request) => request.method === method);
    return { errors, seen, connection: () => server.connections.findLast(isAbout) ?? server.last };
  }
  return { exchange, watch };
}
