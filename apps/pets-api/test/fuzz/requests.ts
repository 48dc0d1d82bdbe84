import fc, { type Arbitrary } from 'fast-check';
import { gzipSync } from 'node:zlib';
import { plainPng, webps } from '@pets/testing';
import { makeBundle, site } from '../projects/bundles.js';
import { components, type DescribedOperation, type Parameter } from './document.js';
import type { FuzzFixture, PathParameters } from './fuzz-fixture.js';
import { isObject, writeJson, type Json } from './json.js';
import { validValues } from './schema-arbitrary.js';
import type { WireRequest } from './wire.js';

/** A request in its parts, before it is written out. */
export interface RequestParts {
  readonly path: PathParameters;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: RequestBody | undefined;
}

type RequestBody = { readonly json: Json } | { readonly bytes: Buffer };

/** Limit in the description of 414. */
const MAX_URL_LENGTH = 4_096;

/** Requests that the description calls valid: of what there is, of what is not there, and with all that is optional. */
export function validRequests(operation: DescribedOperation, fixture: FuzzFixture): Arbitrary<RequestParts> {
  return fc
    .record({
      path: pathsOf(operation, fixture),
      query: parametersOf(operation, 'query', (parameter) => queryValues(operation, parameter, fixture)).map(
        asParameters,
      ),
      headers: fc
        .tuple(
          parametersOf(operation, 'header', ({ schema }) =>
            textOf(validValues(schema, components)).filter(isHeaderText),
          ),
          fc.option(acceptable, { nil: undefined }),
        )
        .map(([headers, accept]) => ({ ...headers, ...(accept !== undefined && { accept }) })),
      body: bodiesOf(operation, fixture),
    })
    .filter((parts) => targetOf(operation, parts).length <= MAX_URL_LENGTH);
}

const acceptable = fc.constantFrom(
  '*/*',
  'application/json',
  'application/*;q=0.5, text/html',
  'application/problem+json',
  'application/problem+json;q=0.9, application/json;q=0.8',
);

/** Writes a request out, with a key. */
export function writeRequest(operation: DescribedOperation, parts: RequestParts, key: string): WireRequest {
  const { method, body: described } = operation;
  const { headers, body } = parts;
  return {
    method,
    target: targetOf(operation, parts),
    headers: [
      ['authorization', `Bearer ${key}`],
      ...(body === undefined || described === undefined ? [] : [['content-type', described.mediaType] as const]),
      ...Object.entries(headers),
    ],
    ...(body !== undefined && { body: 'json' in body ? Buffer.from(writeJson(body.json)) : body.bytes }),
  };
}

function targetOf(
  { path: template }: DescribedOperation,
  { path, query }: Pick<RequestParts, 'path' | 'query'>,
): string {
  const names = Object.entries(query).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
  );
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? '')) + asQuery(names);
}

export function asQuery(parts: readonly string[]): string {
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

/** The belongings that an operation is about, by the parameters of its path; null for one without. */
export function belongingsFor(
  { id, parameters }: DescribedOperation,
  of: FuzzFixture['own'],
): readonly PathParameters[] | null {
  const names = parameters.filter((each) => each.in === 'path').map(({ name }) => name);
  switch (names.join()) {
    case '':
      return null;
    case 'petId':
      return of.pets;
    case 'personId':
      // A removed person has no role that could be changed.
      return id === 'removePerson' ? of.removablePeople : of.people;
    case 'invitationId':
      return of.invitations;
    case 'orderId':
      return of.orders;
    case 'projectId':
      // The first two keep theirs.
      if (id === 'deleteOrigin') return of.projects.slice(2);
      // The others may have no deployment, which is required before the file is read; and other hosts.
      return id === 'createDomainImport' || id === 'explainUrl' ? of.projects.slice(0, 1) : of.projects;
    case 'projectId,deploymentId':
      return id === 'deleteDeployment' ? of.removableDeployments : of.deployments;
    case 'projectId,uploadId':
      return id === 'completeUpload' ? of.sentUploads : of.openUploads;
    case 'projectId,channel':
      if (id === 'createChannelLink' || id === 'endChannelLinks') return of.protectedChannels;
      return id === 'removeChannel' ? of.removableChannels : of.channels;
    case 'projectId,domain':
      if (id === 'updateDomainCertificate') return of.certifiedDomains;
      if (id === 'deleteDomainOrigin') return of.forwardedDomains;
      return id === 'removeDomain' ? of.removableDomains : of.domains;
    case 'projectId,domain,setupLinkId':
      return of.setupLinks;
    case 'projectId,domain,name':
      return of.exclusions;
    case 'apiKeyId':
      return of.apiKeys;
    case 'endpointId':
      if (id === 'updateWebhookEndpoint') return of.changeableEndpoints;
      return id === 'deleteWebhookEndpoint' ? of.removableEndpoints : of.endpoints;
    case 'projectId,importId':
      return of.imports;
    case 'endpointId,deliveryId':
      return of.deliveries;
    default:
      throw new Error(`nobody says what ${names.join()} are parameters of`);
  }
}

/** Generates mostly paths of what there is; else anything that the schemas of the parameters take. */
function pathsOf(operation: DescribedOperation, fixture: FuzzFixture): Arbitrary<PathParameters> {
  const existing = belongingsFor(operation, fixture.own);
  if (existing === null) return fc.constant({});
  return fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...existing) },
    { weight: 1, arbitrary: missingPaths(operation) },
    { weight: 1, arbitrary: fc.constantFrom(...(belongingsFor(operation, fixture.foreign) ?? [])) },
  );
}

function missingPaths({ parameters }: DescribedOperation): Arbitrary<PathParameters> {
  const own = parameters.filter((each) => each.in === 'path');
  return fc.record(
    Object.fromEntries(
      own.map(({ name, schema }) => [name, textOf(validValues(schema, components)).filter(isPathText)]),
    ),
    { noNullPrototype: true },
  );
}

/** Generates paths of what another organization has, and the same with ids that nobody has, in part below one's own. */
export function unownedPaths(
  operation: DescribedOperation,
  { own, foreign }: FuzzFixture,
): Arbitrary<{ readonly foreign: PathParameters; readonly missing: PathParameters }> {
  const others = belongingsFor(operation, foreign) ?? [];
  const [ownPath = {}] = belongingsFor(operation, own) ?? [];
  const names = Object.keys(ownPath);
  return fc
    .record({
      path: fc.constantFrom(...others),
      uuid: fc.uuid(),
      number: fc.bigInt({ min: 10n ** 12n, max: 2n ** 63n - 1n }),
      isBelowOwn: fc.constantFrom(...(names.length > 1 ? [true, false] : [false])),
    })
    .map(({ path, uuid, number, isBelowOwn }) => {
      const [above = ''] = names;
      const kept: PathParameters = isBelowOwn ? { [above]: ownPath[above] ?? '' } : {};
      const idOf = (name: string) => (name === 'petId' || name === 'orderId' ? String(number) : uuid);
      const ids = Object.fromEntries(names.map((name) => [name, idOf(name)]));
      return { foreign: { ...path, ...kept }, missing: { ...ids, ...kept } };
    });
}

/** Whether a text can be a path segment: an empty one would be another path. */
function isPathText(text: string): boolean {
  return text !== '' && encodeURIComponent(text).length < 700;
}

/** Whether HTTP transports a header value unchanged. */
function isHeaderText(text: string): boolean {
  return /^[!-~](?:[ -~]*[!-~])?$/.test(text);
}

function parametersOf<Value>(
  { parameters }: DescribedOperation,
  place: Parameter['in'],
  valuesOf: (parameter: Parameter) => Arbitrary<Value>,
): Arbitrary<Record<string, Value>> {
  const own = parameters.filter((each) => each.in === place);
  const required = own.filter((each) => each.required).map(({ name }) => name);
  return fc.record(Object.fromEntries(own.map((each) => [each.name, valuesOf(each)])), {
    requiredKeys: required,
    noNullPrototype: true,
  });
}

function queryValues({ id, path }: DescribedOperation, { name, schema }: Parameter, { cursors, own }: FuzzFixture) {
  const values = validValues(schema, components);
  if (id === 'explainUrl')
    return fc.oneof({ weight: 3, arbitrary: fc.webPath().map((place) => own.platformUrl + place) }, values);
  const cursor = name === 'cursor' ? cursors.get(path) : undefined;
  return cursor === undefined ? values : fc.oneof({ weight: 3, arbitrary: fc.constant(cursor) }, values);
}

/** An object in the style `deepObject`: a parameter for each member, so that an empty one has none. */
function asParameters(query: Readonly<Record<string, Json>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) =>
      isObject(value)
        ? Object.entries(value).map(([key, member]) => [`${name}[${key}]`, asText(member)])
        : [[name, asText(value)]],
    ),
  );
}

function textOf(values: Arbitrary<Json>): Arbitrary<string> {
  return values.map(asText);
}

function asText(value: Json): string {
  return typeof value === 'string' ? value : writeJson(value);
}

/** Generates bodies by the schema, with the members that name something replaced by what there is, most of the time. */
function bodiesOf({ id, body }: DescribedOperation, fixture: FuzzFixture): Arbitrary<RequestBody | undefined> {
  if (body === undefined) return fc.constant(undefined);
  if (id === 'createUpload') return manifests.map((bytes) => ({ bytes }));
  if (id === 'sendUploadFiles') return fc.oneof(fc.constant(site), bundles).map((bytes) => ({ bytes }));
  if (id === 'putSetupLogo') return fc.oneof(images, anyBytes).map((bytes) => ({ bytes }));
  if (body.mediaType === 'application/gzip') return fc.oneof(bundles, anyBytes).map((bytes) => ({ bytes }));
  if (body.mediaType === 'application/x-ndjson') return importFiles.map((bytes) => ({ bytes }));
  const values = validValues(body.schema, components);
  const targeted = targetedBodies(id, fixture);
  return (targeted === null ? values : fc.oneof(targeted, values)).map((json) => ({ json }));
}

function targetedBodies(id: string, { own, keys }: FuzzFixture): Arbitrary<Json> | null {
  const name = fc.constantFrom(...own.domainNames);
  switch (id) {
    case 'createOrder':
      return fc.record({
        petId: fc.constantFrom(...own.pets).map(({ petId }) => BigInt(petId ?? '')),
        quantity: fc.integer({ min: 1, max: 100 }),
      });
    case 'createInvitation':
      return fc.record({
        name: fc.constantFrom('Ada', 'Bo', 'Zoë 🐈'),
        role: fc.constantFrom('owner', 'admin', 'developer', 'viewer'),
      });
    case 'updatePerson':
      return fc.record({ role: fc.constantFrom('owner', 'admin', 'developer', 'viewer') });
    case 'addDomain':
      return fc.record({ name: fc.domain() });
    case 'moveDomain':
      // The project that has the domains: later cases need them there.
      return fc.record({
        projectId: fc.constant(own.projects[0]?.projectId ?? ''),
        redirects: fc.constantFrom('refuse', 'move'),
      });
    case 'uploadDomainCertificate':
      return fc.constantFrom('own', 'automatic').map((prefer) => ({ ...own.upload, prefer }));
    case 'putSetupPage':
      return fc.record({
        name: fc.constantFrom('Acme', null),
        color: fc.constantFrom('#1a5fb4', null),
        supportAddress: fc.constantFrom('help@acme.example', 'https://acme.example/help', null),
        returnOrigins: fc.subarray(['https://app.acme.example', 'https://acme.example:8443']),
      });
    case 'createSetupSession':
      return fc.record({ token: fc.constantFrom(...keys.linkTokens) });
    case 'putDomainConfig':
      return fc.record({
        domains: fc.record(
          {
            primary: name,
            redirects: fc.array(fc.record({ from: name, to: name, status: fc.constantFrom(301, 302, 307, 308) }), {
              maxLength: 4,
            }),
          },
          { requiredKeys: [], noNullPrototype: true },
        ),
      });
    default:
      return null;
  }
}

const images = fc.constantFrom(Buffer.from(plainPng(4, 4, [1, 2, 3])), webps.lossless, webps.lossy, webps.withAlpha);

const bundles = fc
  .uniqueArray(fc.stringMatching(/^[a-z]{1,8}(?:\/[a-z]{1,8}){0,3}\.html$/), { minLength: 1, maxLength: 4 })
  .chain((paths) => fc.record({ paths: fc.constant(paths), content: fc.string({ maxLength: 200 }) }))
  .map(({ paths, content }) => makeBundle(paths.map((path) => ({ path, content }))));

/** Lists of files, and lines that are none. */
const manifests = fc
  .array(
    fc.oneof(
      {
        weight: 9,
        arbitrary: fc.record({
          path: fc.webPath(),
          sha256: fc.stringMatching(/^[0-9a-f]{64}$/),
          bytes: fc.nat(1_000_000),
        }),
      },
      fc.json(),
    ),
    { minLength: 1, maxLength: 5 },
  )
  .map((lines) => Buffer.from(lines.map((line) => (typeof line === 'string' ? line : writeLine(line))).join('\n')));

/** A path in a bundle does not begin with a slash. */
function writeLine({ path, ...file }: { readonly path: string }): string {
  return JSON.stringify({ path: `a${path}`, ...file });
}

/** Names, and lines that the report refuses. */
const importFiles = fc
  .array(
    fc.oneof(
      fc.domain().map((name) => JSON.stringify({ name })),
      fc.string().map((text) => JSON.stringify(text)),
      fc.constantFrom('{', 'null', '{"name":7}', '"no\\u0000thing"'),
    ),
    { minLength: 1, maxLength: 5 },
  )
  .map((lines) => Buffer.from(lines.join('\n')));

const anyBytes = fc.oneof(
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  fc.uint8Array({ maxLength: 2_000 }).map((bytes) => gzipSync(bytes)),
);
