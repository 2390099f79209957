// A program without handlers for unhandled rejections and uncaught exceptions: either would end it.
import { brokenBy, ofEndpoint, ofFetch } from './odd-strikes.js';

const broken: string[] = [];
for (const [index, strike] of Object.values(ofFetch).entries())
  broken.push(...(await brokenBy(strike, true, 29, index)));
for (const [index, strike] of Object.values(ofEndpoint).entries())
  broken.push(...(await brokenBy(strike, false, 73, index)));
// Late exceptions have been thrown by then.
await new Promise((resolve) => setTimeout(resolve, 50));
console.log(broken.length === 0 ? 'every call ended once' : broken.join('\n'));
