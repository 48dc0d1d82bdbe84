import fc, { type Arbitrary } from 'fast-check';
import type { DescribedOperation } from './document.js';
import type { RequestParts } from './requests.js';
import { invalidTexts, invalidUtf8 } from './schema-faults.js';
import type { Components } from './json.js';
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

type Body = NonNullable<DescribedOperation['body']>;

/** The limit of a JSON body where the operation has none of its own. */
const MAX_BYTES = 64 * 1024;

export function faultyBodies({ mediaType, schema }: Body, components: Components, maxBytes = MAX_BYTES): Fault[] {
  const common = [
    refused('no body', [400, 415], (request) => fc.constant(withBody(request, undefined))),
    refused('an empty body', [400, 415], (request) => fc.constant(withBody(request, Buffer.alloc(0)))),
  ];
  if (mediaType === 'application/gzip') return [...common, ...faultyUploads()];
  if (mediaType === 'application/x-ndjson') return [...common, ...faultyImports()];
  if (mediaType.startsWith('image/')) return [...common, ...faultyImages()];
  const text = invalidTexts(schema, components);
  const byText: Fault = (request) =>
    text.map((each) => {
      const body = Buffer.from(each);
      const statuses = [body.length <= maxBytes ? 400 : 413];
      return { why: 'a body that its schema refuses', request: withBody(request, body), statuses };
    });
  return [
    ...common,
    // What is most is tried most.
    ...Array.from({ length: 10 }, () => byText),
    refused('a body that is no UTF-8', [400], (request) =>
      invalidUtf8(request.body?.toString() ?? '{}').map((bytes) => withBody(request, bytes)),
    ),
    refused('a body that is too large', [413], (request) =>
      fc.nat(10_000).map((more) => withBody(request, padded(request.body, maxBytes + 1 + more))),
    ),
    ofType(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/xml']),
    ofType(['application/jsonp', 'application/json-patch+json', 'application/gzip', 'json', '', '/', 'application/']),
    ofType(['application/json; charset=latin1', 'application/json;charset="utf-16"', 'text/json; charset=utf-8']),
    refused('a body that is encoded', [415], (request) =>
      fc
        .constantFrom('gzip', 'br', 'deflate', 'gzip, identity', 'x')
        .map((value) => withHeader(request, 'content-encoding', value)),
    ),
  ];
}

function faultyUploads(): Fault[] {
  const cut: Fault = refused('a bundle that was cut off', [400], (request) => {
    const { body = Buffer.alloc(0) } = request;
    // Its check sum and length are the last eight bytes.
    return fc.nat(Math.max(0, body.length - 9)).map((end) => withBody(request, body.subarray(0, end)));
  });
  const noise: Fault = refused('bytes that are no bundle', [400], (request) =>
    fc
      .uint8Array({ minLength: 1, maxLength: 500 })
      .filter(([first]) => first !== 0x1f)
      .map((bytes) => withBody(request, Buffer.from(bytes))),
  );
  const asJson: Fault = refused('a bundle that says it is JSON', [415], (request) =>
    fc.constant(withHeader(request, 'content-type', 'application/json')),
  );
  return [cut, noise, asJson, ofType(['text/plain', 'application/x-gzip', 'application/octet-stream', ''])];
}

function faultyImports(): Fault[] {
  const noise: Fault = refused('bytes that are no UTF-8', [400], (request) =>
    invalidUtf8('"a"').map((bytes) => withBody(request, bytes)),
  );
  const asCsv: Fault = refused('JSON that says it is CSV', [400, 415], (request) =>
    fc.constant(withHeader(request, 'content-type', 'text/csv')),
  );
  return [noise, asCsv, ofType(['text/plain', 'application/json', 'application/gzip', ''])];
}

function faultyImages(): Fault[] {
  const cut: Fault = refused('an image that was cut off', [400], (request) => {
    const { body = Buffer.alloc(0) } = request;
    return fc.nat(Math.max(0, body.length - 1)).map((end) => withBody(request, body.subarray(0, end)));
  });
  const noise: Fault = refused('bytes that are no image', [400], (request) =>
    fc.uint8Array({ minLength: 1, maxLength: 500 }).map((bytes) => withBody(request, Buffer.from(bytes))),
  );
  return [cut, noise, ofType(['text/plain', 'image/svg+xml', 'image/gif', 'application/octet-stream', ''])];
}

function refused(
  why: string,
  statuses: readonly number[],
  edit: (request: WireRequest) => Arbitrary<WireRequest>,
): Fault {
  return (request) => edit(request).map((edited) => ({ why, request: edited, statuses }));
}

function ofType(types: readonly string[]): Fault {
  return refused('a body of another type', [415], (request) =>
    fc.constantFrom(...types).map((type) => withHeader(request, 'content-type', type)),
  );
}

function withBody({ method, target, headers }: WireRequest, body: Buffer | undefined): WireRequest {
  return { method, target, headers, ...(body !== undefined && { body }) };
}

/** Valid JSON still: space is no part of it. */
function padded(body: Buffer = Buffer.alloc(0), length: number): Buffer {
  return Buffer.concat([body, Buffer.alloc(Math.max(0, length - body.length), ' ')]);
}
