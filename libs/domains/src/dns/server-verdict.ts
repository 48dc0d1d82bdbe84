import { isSameAddress } from './ip-address.js';

/** What one server shows, before it is put in words. */
export type ServerVerdict =
  | { readonly kind: 'matches'; readonly by: 'target' | 'address' }
  | { readonly kind: 'unknown'; readonly error: string }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'chain'; readonly hops: readonly string[]; readonly beside: Addresses }
  /** The CNAME is right, and these records at the same name are not. */
  | { readonly kind: 'beside'; readonly beside: Addresses }
  | ({ readonly kind: 'addresses' } & Addresses);

export interface Addresses {
  readonly a: readonly string[];
  readonly aaaa: readonly string[];
}

/** The addresses of our own target, as the resolvers know them. */
export interface Ours {
  readonly addresses: readonly string[];
  /** Why they are not known; null when they are. */
  readonly error: string | null;
  /** Whether that is because no answer came: there may be some. */
  readonly hasFailed: boolean;
}

/** Whether an address is among others, however each is spelled. */
export function isOneOf(address: string, addresses: readonly string[]): boolean {
  return addresses.some((other) => isSameAddress(address, other));
}
