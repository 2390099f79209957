// What a process does and reports when Redis responds, is lost or is back: one function of its state.
import { describe, expect, it } from 'vitest';
import { SharingFailure } from '../../src/scheduler/redis/failure.js';
import { after, initialState, type SharingChange, type SharingState } from '../../src/scheduler/redis/sharing-state.js';

const joined: SharingChange = { type: 'divided', open: 'all' };
const waiting: SharingChange = { type: 'divided', open: 'none' };
const alone: SharingChange = { type: 'alone', share: 0.5 };
const lost: SharingChange = { type: 'failed', failure: new SharingFailure('no connection to Redis') };
const invalid: SharingChange = { type: 'failed', failure: new SharingFailure('delete the key', { isLasting: true }) };
const refused: SharingChange = {
  type: 'failed',
  failure: new SharingFailure('another window', { isLasting: true, isRefused: true }),
};

/** The state and the effects, in short, after these changes: one a second. */
function run(changes: readonly SharingChange[]): { readonly state: SharingState; readonly done: readonly string[] } {
  let state = initialState(0);
  const done: string[] = [];
  changes.forEach((change, index) => {
    const [next, effects] = after(state, change, (index + 1) * 1000);
    state = next;
    for (const effect of effects) {
      if (effect.type === 'report') done.push(effect.state);
      else if (effect.type === 'connect') done.push(`connect after ${effect.afterMs}`);
      else done.push(effect.type);
    }
  });
  return { state, done };
}

describe('a process that shares limits', () => {
  it.each<readonly [string, readonly SharingChange[], readonly string[]]>([
    ['reports that it waits and that it joined, once', [waiting, waiting, joined, joined], ['waiting', 'joined']],
    [
      'withdraws when Redis is lost, and reports that once',
      [lost, lost],
      ['lost', 'withdraw', 'connect after 250', 'withdraw', 'connect after 500'],
    ],
    [
      'goes on with its share while Redis stays lost',
      [lost, alone, lost],
      ['lost', 'withdraw', 'connect after 250', 'alone', 'connect after 500'],
    ],
    [
      'reports a lasting failure while it uses its share, once',
      [lost, alone, invalid, invalid],
      ['lost', 'withdraw', 'connect after 250', 'alone', 'alone', 'connect after 500', 'connect after 1000'],
    ],
    [
      'uses no share when it was refused',
      [lost, alone, refused, lost],
      [
        ...['lost', 'withdraw', 'connect after 250', 'alone'],
        ...['lost', 'withdraw', 'connect after 500', 'withdraw', 'connect after 1000'],
      ],
    ],
    [
      'connects at once after a connection that worked, and ever later after others',
      [joined, joined, joined, lost, joined, lost],
      ['joined', 'lost', 'withdraw', 'connect after 250', 'joined', 'lost', 'withdraw', 'connect after 500'],
    ],
  ])('%s', (_, changes, done) => {
    expect(run(changes).done).toEqual(done);
  });

  it('takes no permits over Redis since it was lost, whatever the attempts to connect', () => {
    expect(run([joined, lost, lost, waiting, lost]).state.downSince).toBe(2000);
  });

  it('has taken permits over Redis until it was lost, even if only some limits were open', () => {
    expect(run([{ type: 'divided', open: 'some' }, waiting, lost]).state.downSince).toBe(3000);
    expect(run([waiting, lost]).state.downSince).toBe(0);
  });

  it('may use a share again when Redis responds without a refusal', () => {
    expect(run([refused]).state.isRefused).toBe(true);
    expect(run([refused, waiting]).state.isRefused).toBe(false);
  });
});
