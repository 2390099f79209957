// `npm run probe:live -- [address] [busy market] [second market] [quiet market]`: which of the unknown facts of the live
// exchange hold. Public channels only, no key, at most 50 requests and 5 connections, in about a minute.
import { conformanceTable, defaultProbe, probeLive } from './probe-live/probe.js';

const [
  url = 'wss://wss.whitebit.com/ws',
  busy = defaultProbe.busy,
  second = defaultProbe.second,
  quiet = defaultProbe.quiet,
] = process.argv.slice(2);

try {
  const found = await probeLive(url, { ...defaultProbe, busy, second, quiet });
  console.log(`${url}, ${new Date().toISOString()}: ${busy}, ${second}, ${quiet}\n\n${conformanceTable(found).value}`);
} catch (error) {
  console.error(`${url}: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
