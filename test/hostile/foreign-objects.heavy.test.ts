// Every odd object, in every place of every kind of call. `foreign-objects.test.ts` takes some of them.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { callNames, type CallName } from './odd-calls.js';
import { allTraps, trapped, type Trap } from './odd-objects.js';
import { brokenBy, ofEndpoint, ofFetch, struck, type Strike } from './odd-strikes.js';

const unhandled: unknown[] = [];
const note = (reason: unknown) => {
  unhandled.push(reason);
};
beforeAll(() => {
  process.on('unhandledRejection', note);
});
afterAll(() => {
  process.off('unhandledRejection', note);
});

it.each(Object.entries(ofFetch))(
  'when %s an odd object, every call ends in one typed error, and an order is unknown',
  async (_, strike) => {
    expect(await brokenBy(strike, true)).toEqual([]);
    expect(unhandled.splice(0)).toEqual([]);
  },
);

it.each(Object.entries(ofEndpoint))(
  'when %s an odd object, every call ends once, never in a bare error',
  async (_, strike) => {
    expect(await brokenBy(strike, false)).toEqual([]);
    expect(unhandled.splice(0)).toEqual([]);
  },
);

it('when a proxy throws in any of its traps', async () => {
  const at = fc.subarray([...allTraps]);
  const target = fc.constantFrom<(() => object)[]>(
    () => ({}),
    () => new Error('x'),
    () => new AggregateError([1], 'x'),
    () => [],
    () => () => undefined,
    () => new Response('{}'),
  );
  const places = ['fetch rejects with', 'fetch resolves to', 'the headers are'].flatMap(
    (place) => ofFetch[place] ?? [],
  );
  const strikes = fc.constantFrom(...places, ...Object.values(ofEndpoint));
  const check = async (
    makeTarget: () => object,
    own: readonly Trap[],
    inner: readonly Trap[],
    name: CallName,
    strike: Strike,
  ) => {
    const { wrong } = await struck(
      name,
      strike((dump) => trapped(makeTarget(), own, () => trapped(new Error(dump), inner, () => new Error(dump)))),
    );
    expect(wrong).toBeUndefined();
  };
  await fc.assert(fc.asyncProperty(target, at, at, fc.constantFrom(...callNames), strikes, check), { numRuns: 1000 });
  expect(unhandled.splice(0)).toEqual([]);
});
