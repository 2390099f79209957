// Written by `npm run docs`: the members of `exchange.compliance`.
export * from './address-checks.js';
export * from './travel-rule.js';
