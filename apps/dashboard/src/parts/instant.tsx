import { formatInstant } from '../format.js';

/** An instant of the API in the reader's own time, and exactly for machines. */
export function Instant({ at }: { readonly at: string }) {
  return <time dateTime={at}>{formatInstant(at)}</time>;
}
