import { expect } from '@jest/globals';
import { createPetsClient, type components, type PetsClient } from '@pets/client';
import { createProject, deployPage, type DevFile, type ScenarioClient } from '@pets/dev-stack';
import { waitUntil } from '@pets/testing';

export const SITE = 'docs.example.com';
export const ALIAS = 'www.example-docs.net';

/** A domain takes about a second from the click to live; a loaded machine may need longer. */
const LIVE_LIMIT_MS = 60_000;
const REQUEST_LIMIT_MS = 15_000;

type Domain = components['schemas']['Domain'];

export type Visitor = Pick<ScenarioClient, 'visit'>;

export interface DomainFixture {
  readonly pets: PetsClient;
  /** Visits hosts through the edge. */
  readonly visitor: Visitor;
  readonly projectId: string;
  /** Creates the record that a domain asks for. */
  createRecord(name: string, target: string): Promise<void>;
}

/** The client that publishers have, with a limit on each request. */
export function openPets({ apiUrl, apiKey }: Pick<DevFile, 'apiUrl' | 'apiKey'>): PetsClient {
  return createPetsClient({
    baseUrl: apiUrl,
    apiKey,
    fetch: (request) => fetch(request, { signal: AbortSignal.timeout(REQUEST_LIMIT_MS) }),
  });
}

/** Creates a project with the page of the development stack. @returns its id */
export async function deployProject(
  { apiUrl, apiKey }: Pick<DevFile, 'apiUrl' | 'apiKey'>,
  slug: string,
): Promise<string> {
  const projectId = await createProject(apiUrl, apiKey, 'Acme docs', slug);
  await deployPage(apiUrl, { apiKey, projectId });
  return projectId;
}

/** The path parameters of the routes of a domain. */
export function at({ projectId }: Pick<DomainFixture, 'projectId'>, domain: string) {
  return { params: { path: { projectId, domain } } };
}

export async function getDomain(fixture: Pick<DomainFixture, 'pets' | 'projectId'>, name: string): Promise<Domain> {
  const { data, error } = await fixture.pets.GET('/v1/projects/{projectId}/domains/{domain}', at(fixture, name));
  if (data === undefined) throw new Error(`${name}: ${error.code}: ${error.message}`);
  return data;
}

/** Adds a domain, again when there are too many at once, and returns what its record has to point to. */
export async function addDomain(
  { pets, projectId }: Pick<DomainFixture, 'pets' | 'projectId'>,
  name: string,
): Promise<string> {
  const request = { params: { path: { projectId } }, body: { name } };
  const add = () => pets.POST('/v1/projects/{projectId}/domains', request);
  let answer = await add();
  // Those who add many at once to one project wait in its queue, which has a limit.
  const isTaken = async () => {
    if (answer.error?.code !== 'concurrency_limited') return true;
    answer = await add();
    return false;
  };
  await waitUntil(isTaken, { timeoutMs: LIVE_LIMIT_MS, intervalMs: 1_000, message: `${name} to be taken` });
  expect([answer.response.status, answer.data?.state]).toEqual([201, 'awaiting_dns']);
  return answer.data?.records[0]?.value ?? '';
}

/** From the record to live, with the history that must have been written on the way. */
export async function goLive(fixture: DomainFixture, name: string, target: string): Promise<Domain> {
  await fixture.createRecord(name, target);
  const clicked = await fixture.pets.POST('/v1/projects/{projectId}/domains/{domain}/verify', at(fixture, name));
  expect(clicked.response.status).toBe(202);
  await waitUntil(async () => (await getDomain(fixture, name)).state === 'live', {
    timeoutMs: LIVE_LIMIT_MS,
    message: `${name} to go live`,
  });
  const history = await fixture.pets.GET('/v1/projects/{projectId}/domains/{domain}/events', at(fixture, name));
  expect(history.data?.map(({ type, to }) => `${type} → ${to}`)).toEqual([
    'owner.added → awaiting_dns',
    'dns.checked → verified',
    'certificate.issued → verified',
    'certificate.served → live',
  ]);
  return getDomain(fixture, name);
}
