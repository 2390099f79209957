import { describeOrdersAtRandom, some } from './at-random.js';

for (const part of [1, 2, 3, 4]) describeOrdersAtRandom(part, some);
