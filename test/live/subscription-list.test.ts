// The keys of one subscription, against an exchange that is driven by hand.
import { Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { RequestEnd } from '../../src/live/connection/index.js';
import { SubscriptionList } from '../../src/live/subscription-list.js';
import { onFakeTime, seconds } from './setup.js';

const ok: RequestEnd = { type: 'result', result: { status: 'success' } };
const refused = (message: string): RequestEnd => ({ type: 'refused', refusal: { code: 1, message } });

function listOfKeys() {
  const sent: { readonly text: string; readonly end$: Subject<RequestEnd> }[] = [];
  const reports: string[] = [];
  const link = {
    isOpen: true,
    request: (method: string, params: readonly unknown[]) => {
      const end$ = new Subject<RequestEnd>();
      sent.push({ text: `${method} ${JSON.stringify(params)}`, end$ });
      return end$;
    },
    replace: () => reports.push('replaced'),
  };
  const list = new SubscriptionList(
    link,
    { method: 'list' },
    {
      onSubscribed: (key) => reports.push(`subscribed ${key}`),
      onInterrupted: (key) => reports.push(`interrupted ${key}`),
      onRefused: (key) => reports.push(`refused ${key}`),
    },
    () => 0.5,
  );
  const texts = () => sent.map(({ text }) => text);
  /** The response to the newest request. */
  const respond = async (end: RequestEnd) => {
    sent.at(-1)?.end$.next(end);
    await seconds(0);
  };
  const add = async (...keys: string[]) => {
    for (const key of keys) list.add(key);
    await seconds(0);
  };
  return { list, texts, respond, add, reports };
}

describe('the list of a subscription', () => {
  onFakeTime();

  it('is the list of keys for a channel without parameters of its own, and empty at its end', async () => {
    const { list, texts, respond, add, reports } = listOfKeys();
    await add('A', 'B');
    await respond(ok);
    list.remove('A');
    list.remove('B');
    await seconds(0);
    await respond(ok);
    expect(texts()).toEqual(['list_subscribe ["A","B"]', 'list_unsubscribe []']);
    expect(reports).toEqual(['subscribed A', 'subscribed B']);
  });

  it('that held before and is refused when it is renewed costs its only key', async () => {
    const { list, respond, add, reports } = listOfKeys();
    await add('A');
    await respond(ok);
    list.renew('A');
    await seconds(0);
    await respond(refused('invalid argument'));
    expect(reports).toEqual(['subscribed A', 'refused A']);
  });

  it('adds new keys one by one after a refusal of several that names none, and then together again', async () => {
    const { texts, respond, add, reports } = listOfKeys();
    await add('A');
    await respond(ok);
    await add('B', 'X', 'C');
    await respond(refused('invalid argument'));
    await respond(ok);
    await respond(refused('invalid argument'));
    await respond(ok);
    await add('D', 'E');
    await respond(ok);
    expect(texts().slice(1)).toEqual([
      'list_subscribe ["A","B","X","C"]',
      'list_subscribe ["A","B"]',
      'list_subscribe ["A","B","X"]',
      'list_subscribe ["A","B","C"]',
      'list_subscribe ["A","B","C","D","E"]',
    ]);
    expect(reports.filter((report) => report.startsWith('refused'))).toEqual(['refused X']);
  });
});
