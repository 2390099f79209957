// The error that an observable ends with.
import { isExchangeError, type AnyExchangeError } from 'exchange-rx';
import { lastValueFrom, type Observable } from 'rxjs';

/** Resolves to the error; rejects when there is none, or when it is not one of the package's. */
export async function failureOf(source: Observable<unknown>): Promise<AnyExchangeError> {
  try {
    await lastValueFrom(source);
  } catch (error) {
    if (isExchangeError(error)) return error;
    throw error;
  }
  throw new Error('it did not fail');
}
