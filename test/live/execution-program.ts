// A program that is killed between any two executions, and continues from what it has written.
import { createExchange, type ExchangeOptions, type ExecutionCursor } from '../../src/index.js';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { givenOptions } from '../support/children.js';

interface Options {
  readonly client: ExchangeOptions;
  /** A line for each execution: its key, and the cursor after it. */
  readonly file: string;
  readonly since: number;
}

const { client, file, since } = givenOptions() as Options;
// A line that was not written to its end is of an execution that was not taken.
const written = existsSync(file) ? readFileSync(file, 'utf8') : '';
const whole = written.slice(0, written.lastIndexOf('\n') + 1);
writeFileSync(file, whole);
const [, cursor] = whole.trimEnd().split('\n').at(-1)?.split(' ') ?? [];

createExchange(client)
  .live.my.executions({ since: cursor === undefined ? since : (JSON.parse(cursor) as ExecutionCursor) })
  .subscribe((item) => {
    if (item.kind === 'gap') return;
    const { id, order_id } = item.execution;
    appendFileSync(file, `${id}/${order_id} ${JSON.stringify(item.cursor)}\n`);
  });
