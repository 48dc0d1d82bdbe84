import type { Arbitrary } from 'fast-check';
import type { RequestParts } from './requests.js';
import type { WireRequest } from './wire.js';

/** A request with one thing wrong with it, by the description or by HTTP. */
export interface FaultyRequest {
  readonly why: string;
  readonly request: WireRequest;
  /** The allowed answers. */
  readonly statuses: readonly number[];
}

/** Makes one request faulty. */
export type Fault = (request: WireRequest, parts: RequestParts) => Arbitrary<FaultyRequest>;

export function withHeader(request: WireRequest, name: string, value: string): WireRequest {
  const others = request.headers.filter(([each]) => each.toLowerCase() !== name);
  return { ...request, headers: [...others, [name, value]] };
}
