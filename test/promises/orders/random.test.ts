import { describeOrdersAtRandom } from './random.js';

// Enough to see in a moment that the promise broke.
describeOrdersAtRandom(80);
