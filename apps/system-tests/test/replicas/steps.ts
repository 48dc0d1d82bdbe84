import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { waitUntil } from '@pets/testing';
import { addDomain, at, getDomain } from '../domain-steps.js';
import type { ReplicasFixture } from './replicas-fixture.js';

const LIVE_LIMIT_MS = 60_000;
const REQUEST_LIMIT_MS = 15_000;

/** Adds a domain, creates its record, clicks once, and waits until it is live. */
export async function goLiveOn(fixture: ReplicasFixture, name: string): Promise<void> {
  const target = await addDomain(fixture, name);
  fixture.dns.put({ type: 'CNAME', name, data: `${target}.` });
  await fixture.pets.POST('/v1/projects/{projectId}/domains/{domain}/verify', at(fixture, name));
  await waitUntil(async () => (await getDomain(fixture, name)).state === 'live', {
    timeoutMs: LIVE_LIMIT_MS,
    intervalMs: 100,
    message: `${name} to go live`,
  });
}

interface Answer {
  readonly status: number | undefined;
  readonly body: string;
}

/** Visits a host at one edge, with a handshake of its own. @returns the status */
export async function visitOn(fixture: ReplicasFixture, name: string, port: number): Promise<number | undefined> {
  return (await readOn(fixture, name, port)).status;
}

/** Visits a host at one edge, with a handshake of its own. */
export function readOn({ ca }: ReplicasFixture, name: string, port: number): Promise<Answer> {
  const root = ca.authority.rootCertificatePem;
  const target = {
    host: '127.0.0.1',
    port,
    servername: name,
    ca: root,
    headers: { host: name },
    agent: false,
  } as const;
  return new Promise((resolve, reject) => {
    const visit = request(target, (answer) => {
      text(answer).then((body) => resolve({ status: answer.statusCode, body }), reject);
    });
    visit.setTimeout(REQUEST_LIMIT_MS, () => visit.destroy(new Error(`${name} did not answer`)));
    visit.once('error', reject).end();
  });
}

/** Subscribes an address to the creation of pets. */
export async function subscribeToPets({ pets }: ReplicasFixture, url: string): Promise<void> {
  const { error } = await pets.POST('/v1/webhook-endpoints', { body: { url, eventTypes: ['pet.created'] } });
  if (error !== undefined) throw new Error(error.message);
}

/** @returns its id */
export async function createPet({ pets }: ReplicasFixture): Promise<number> {
  const { data, error } = await pets.POST('/v1/pets', { body: { name: 'Rex', categoryId: 1 } });
  if (data === undefined) throw new Error(error.message);
  return Number(data.id);
}
