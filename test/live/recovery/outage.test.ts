// An outage says once that items may be missing, and that none is any more when they were read, late ones, too.
import { describe, expect, it } from 'vitest';
import { Outage } from '../../../src/live/recovery/index.js';

describe('an outage', () => {
  it('has a gap with the first read, and another one at its end', () => {
    const outage = new Outage();
    outage.begin('reconnect', 10);
    expect([outage.reason, outage.from, outage.isReported, outage.isRead]).toEqual(['reconnect', 10, false, false]);
    expect(outage.read(false)).toEqual({ reason: 'reconnect', from: 10, filled: false });
    expect([outage.isReported, outage.isRead]).toEqual([true, true]);
    expect(outage.end()).toEqual({ reason: 'reconnect', from: 10, filled: true });
    expect([outage.reason, outage.from, outage.isReported, outage.isRead]).toEqual([
      undefined,
      undefined,
      false,
      false,
    ]);
  });

  it('of several interruptions begins with the first one, and has a gap for each that was not reported before', () => {
    const outage = new Outage();
    outage.begin('reconnect', 10);
    outage.begin('unreadable', 20);
    expect(outage.read(false)).toEqual({ reason: 'reconnect', from: 10, filled: false });
    outage.begin('unreadable', 30);
    expect(outage.isRead).toBe(false);
    expect(outage.read(false)).toEqual({ reason: 'unreadable', from: 10, filled: false });
    expect(outage.end()).toEqual({ reason: 'unreadable', from: 10, filled: true });
  });

  it('has a gap for each read that is partial', () => {
    const outage = new Outage();
    outage.begin('reconnect', 10);
    const gap = { reason: 'reconnect', from: 10, filled: false };
    expect([outage.read(true), outage.read(true), outage.isRead]).toEqual([gap, gap, false]);
  });
});
