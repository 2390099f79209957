import { describeOrdersAtRandom, many } from './at-random.js';

describeOrdersAtRandom(1, many);
