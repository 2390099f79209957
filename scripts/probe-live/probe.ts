// Runs the facts: those of a connection one after the other, the connections side by side.
import { formatColumns, type SafeText } from '../../src/cli/terminal/index.js';
import { connectionFacts } from './connection-facts.js';
import { Budget, ProbeConnection } from './connection.js';
import { depthFacts, keepaliveFacts } from './depth-facts.js';
import { unknown, type Fact, type Finding, type Probe } from './fact.js';
import { listFacts } from './list-facts.js';

/** A fact with what was found. */
export type Found = Omit<Fact, 'find'> & Finding;

export const defaultProbe: Probe = {
  ...{ busy: 'BTC_USDT', second: 'ETH_USDT', quiet: 'LTC_USDT' },
  responseMs: 10_000,
  atOnceMs: 250,
  pushMs: 4000,
  depthMs: 12_000,
  keepaliveMs: 40_000,
};

const groups: readonly (readonly Fact[])[] = [listFacts, depthFacts, keepaliveFacts, connectionFacts];

/** What was found, in the order of the facts. Rejects when a connection cannot be made. */
export async function probeLive(url: string, probe: Probe): Promise<readonly Found[]> {
  const budget = new Budget();
  // One after the other: the first failure ends the probe.
  const connections: ProbeConnection[] = [];
  try {
    for (const _ of groups) connections.push(await ProbeConnection.open(url, budget, probe.responseMs));
    const found = await Promise.all(
      groups.map(async (facts, index) => {
        const connection = connections[index];
        return connection === undefined ? [] : findAll(facts, connection, probe);
      }),
    );
    return found.flat();
  } finally {
    for (const connection of connections) connection.close();
  }
}

async function findAll(facts: readonly Fact[], connection: ProbeConnection, probe: Probe): Promise<Found[]> {
  const found: Found[] = [];
  for (const { find, ...fact } of facts) {
    const finding = await find(connection, probe).catch((error: unknown) => unknown(String(error)));
    found.push({ ...fact, ...finding });
  }
  return found;
}

export function conformanceTable(found: readonly Found[]): SafeText {
  return formatColumns(
    ['fact', 'live', 'because', 'option of the sandbox'],
    found.map(({ name, seen, because, option = '–' }) => [name, seen, because, option]),
  );
}
