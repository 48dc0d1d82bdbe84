import { operations, type Operation } from '@pets/contracts';
import fc, { type Arbitrary } from 'fast-check';
import { components, type DescribedOperation, type Parameter } from './document.js';
import { faultyBodies, withHeader, type Fault, type FaultyRequest } from './faulty-bodies.js';
import type { FuzzFixture } from './fuzz-fixture.js';
import { asQuery, belongingsFor, validRequests, writeRequest } from './requests.js';
import { codePoints } from './schema-arbitrary.js';
import { findFaults } from './schema-check.js';
import { resolve, typesOf } from './json.js';
import type { WireRequest } from './wire.js';

/** Requests that must be refused: a valid one about what there is, with a fault of any kind that it can have. */
export function faultyRequests(
  operation: DescribedOperation,
  fixture: FuzzFixture,
  key: string,
): Arbitrary<FaultyRequest> {
  const existing = belongingsFor(operation, fixture.own);
  const paths = existing === null ? fc.constant({}) : fc.constantFrom(...existing);
  const valid = fc.tuple(validRequests(operation, fixture), paths).map(([parts, path]) => ({ ...parts, path }));
  const kinds: Arbitrary<Fault>[] = [
    ...(operation.body === undefined
      ? []
      : [{ weight: 6, faults: faultyBodies(operation.body, components, maxBytesOf(operation)) }]),
    { weight: 2, faults: faultyQueries(operation, fixture) },
    { weight: 2, faults: faultyPaths(operation) },
    { weight: 2, faults: faultyHeaders(operation) },
  ].flatMap(({ weight, faults }) => Array.from({ length: weight }, () => fc.constantFrom(...faults)));
  return fc
    .tuple(valid, fc.oneof(...kinds))
    .chain(([parts, fault]) => fault(writeRequest(operation, parts, key), parts));
}

function faultyQueries({ parameters, path }: DescribedOperation, { cursors }: FuzzFixture): Fault[] {
  const known = parameters.filter((each) => each.in === 'query');
  const names = known.map(({ name }) => name);
  const refused = (why: string, queries: Arbitrary<string>): Fault => {
    return (request) => queries.map((query) => ({ why, request: withQuery(request, query), statuses: [400] }));
  };
  const cursor = cursors.get(path);
  return [
    refused(
      'an unknown parameter',
      strangeNames.filter((name) => !names.includes(name)).map((name) => `${encodeURIComponent(name)}=1`),
    ),
    refused(
      'a malformed escape',
      fc.constantFrom('%', 'x=%zz', 'limit=%E0%A4%A', 'status=%C3%28', '%ff=1', 'a=%ED%A0%80'),
    ),
    ...known.flatMap((parameter) => [
      refused(
        `a bad ${parameter.name}`,
        badTexts(parameter).map((text) => `${parameter.name}=${encodeURIComponent(text)}`),
      ),
      refused(`${parameter.name} twice`, fc.constant(`${parameter.name}=1&${parameter.name}=1`)),
    ]),
    ...(cursor === undefined || !names.includes('cursor')
      ? []
      : [
          refused(
            'a cursor that was not made for this',
            forgedCursors(cursor, [...cursors.values()], statusesOf(known)),
          ),
        ]),
  ];
}

const strangeNames = fc.oneof(
  fc.string({ minLength: 1 }),
  fc.constantFrom(
    '__proto__',
    'constructor',
    'prototype',
    'limit[]',
    'Limit',
    'limit ',
    'status[__proto__]',
    'metadata[__proto__]',
    'metadata[constructor]',
    'metadata[a][b]',
    'metadata[]',
    'toString',
  ),
);

/** Cursors that were changed, are another list's, or come with another filter. */
function forgedCursors(cursor: string, all: readonly string[], statuses: readonly string[]): Arbitrary<string> {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=.! ';
  const changed = fc
    .tuple(fc.nat(cursor.length - 1), fc.constantFrom(...alphabet))
    .map(([at, character]) => cursor.slice(0, at) + character + cursor.slice(at + 1));
  const longer = fc
    .tuple(fc.nat(cursor.length), fc.constantFrom(...alphabet))
    .map(([at, character]) => cursor.slice(0, at) + character + cursor.slice(at));
  const shorter = fc.nat(cursor.length - 1).map((end) => cursor.slice(0, end));
  const foreign = fc.constantFrom(...all);
  return fc.oneof(
    fc
      .oneof(changed, longer, shorter, foreign)
      .filter((each) => each !== cursor)
      .map((each) => `cursor=${encodeURIComponent(each)}`),
    ...(statuses.length === 0
      ? []
      : [fc.constantFrom(...statuses).map((status) => `cursor=${cursor}&status=${status}`)]),
  );
}

/** Filter parameters of lists. */
function statusesOf(parameters: readonly Parameter[]): string[] {
  const schema = parameters.find(({ name }) => name === 'status')?.schema ?? {};
  return (resolve(schema, components).enum ?? []).map(String);
}

/** Texts that the schema of a parameter refuses. */
function badTexts({ schema }: Parameter): Arbitrary<string> {
  const resolved = resolve(schema, components);
  const isInteger = typesOf(resolved).includes('integer');
  const isFlag = typesOf(resolved).includes('boolean');
  const fixed = [
    '',
    '0',
    '-1',
    '+1',
    '01',
    '1.0',
    '1e2',
    '0x10',
    ' 1',
    '1 ',
    '٣',
    '101',
    'null',
    'true',
    'a'.repeat(600),
  ];
  const large = ['9223372036854775808', '-9223372036854775809', '9'.repeat(100), '\0', 'a\u0000b', '-0', '1,2', '[1]'];
  return fc.oneof(fc.constantFrom(...fixed, ...large), codePoints).filter((text) => {
    if (isFlag) return text !== 'true' && text !== 'false';
    if (isInteger && !/^(?:0|-?[1-9]\d*)$/.test(text)) return true;
    return findFaults(resolved, isInteger ? BigInt(text) : text, components).length > 0;
  });
}

/** A malformed id may be refused as a bad parameter or as a missing object. */
function faultyPaths({ path: template, parameters }: DescribedOperation): Fault[] {
  const edit = (why: string, statuses: number[], segments: Arbitrary<string>, name: string): Fault => {
    return (request, { path }) =>
      segments.map((segment) => {
        const target = template.replaceAll(/\{(\w+)\}/g, (_, each: string) =>
          each === name ? segment : encodeURIComponent(path[each] ?? ''),
        );
        return { why, request: { ...request, target }, statuses };
      });
  };
  const own = parameters.filter((each) => each.in === 'path');
  const escapes = fc.constantFrom('%', '%zz', '%E0%A4%A', '%C3%28', '%ff', '%ED%A0%80');
  const long = fc.nat(3_000).map((more) => 'a'.repeat(760 + more));
  return [
    (request) =>
      fc.nat(2_000).map((more) => ({
        why: 'a long URL',
        request: { ...request, target: `${request.target.split('?')[0]}?x=${'a'.repeat(4_096 + more)}` },
        statuses: [414],
      })),
    ...own.flatMap((parameter) => {
      const { name, schema } = parameter;
      const isFree = schema.format === undefined;
      const texts = badTexts(parameter).filter((text) => text !== '' && encodeURIComponent(text).length < 700);
      return [
        edit(`a malformed escape in ${name}`, [400, 404], escapes, name),
        edit(`a long ${name}`, [414], long, name),
        edit(`a control character in ${name}`, [400, 404], fc.constantFrom('%00', 'a%00b', '%0d%0ax:y', '%20'), name),
        ...(isFree ? [] : [edit(`a bad ${name}`, [400, 404], texts.map(encodeURIComponent), name)]),
      ];
    }),
  ];
}

function faultyHeaders({ parameters }: DescribedOperation): Fault[] {
  const set = (why: string, name: string, values: Arbitrary<string>, status: number): Fault => {
    return (request) => values.map((value) => ({ why, request: withHeader(request, name, value), statuses: [status] }));
  };
  const twice = (why: string, name: string, value: string): Fault => {
    return (request) =>
      fc.constant({
        why,
        request: { ...request, headers: [...request.headers, [name, value], [name, value]] },
        statuses: [400],
      });
  };
  const takesKey = parameters.some((each) => each.in === 'header' && each.name === 'Idempotency-Key');
  const keys = fc.oneof(
    fc.constantFrom(
      '',
      '""',
      '"open',
      'a"b',
      'a, b',
      '"a", "b"',
      '"tab\there"',
      '"back\\slash"',
      "'a'",
      `"${'a'.repeat(256)}"`,
    ),
    fc.constantFrom(256, 300).map((length) => 'a'.repeat(length)),
  );
  return [
    set('nothing acceptable', 'accept', unacceptable, 406),
    set('an expectation', 'expect', fc.constantFrom('nope', '200-ok'), 417),
    twice('two credentials', 'Authorization', 'Bearer x'),
    ...(takesKey
      ? [
          set('a bad Idempotency-Key', 'idempotency-key', keys, 400),
          twice('two of Idempotency-Key', 'Idempotency-Key', 'a'),
        ]
      : []),
  ];
}

const unacceptable = fc.constantFrom(
  'text/html',
  'application/xml',
  'image/*',
  'application/json;q=0',
  '*/*;q=0',
  'application/json;q=0, application/xml',
  'text/plain, application/*;q=0.0',
);

function withQuery(request: WireRequest, query: string): WireRequest {
  return { ...request, target: (request.target.split('?')[0] ?? '') + asQuery([query]) };
}

/** Returns the limit of a JSON body, where the operation has its own. */
function maxBytesOf({ id }: Pick<DescribedOperation, 'id'>): number | undefined {
  const body = Object.entries<Operation>(operations).find(([each]) => each === id)?.[1].body;
  return body !== undefined && 'schema' in body ? body.maxBytes : undefined;
}
