// Amounts of the exchange, as people are shown them.

const maxAmountLength = 64;

/** An amount. One that is too long is not cut: it would be another amount. */
export function wholeAmount(amount: string, maxLength = maxAmountLength): string {
  return amount.length <= maxLength ? amount : `${amount.length} characters: too long to show`;
}

/** Whether there is anything of it. */
export function isHeld(amount: string): boolean {
  return /[1-9]/.test(amount);
}
