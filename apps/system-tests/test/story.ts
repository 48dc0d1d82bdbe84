import { expect } from '@jest/globals';
import type { Domain, DomainHistoryEntry } from '@pets/contracts';
import type { StoryClient } from '@pets/dev-stack';
import { waitUntil } from '@pets/testing';

export const SITE = 'docs.example.com';
export const ALIAS = 'www.example-docs.net';

/** A domain takes about a second from the click to live; a loaded machine may need longer. */
const LIVE_LIMIT_MS = 60_000;

export interface Setting {
  readonly client: StoryClient;
  readonly projectId: string;
  /** Creates the record that a domain asks for. */
  createRecord(name: string, target: string): Promise<void>;
}

export const domainPath = ({ projectId }: Setting, name: string) => `/v1/projects/${projectId}/domains/${name}`;

export async function getDomain(setting: Setting, name: string): Promise<Domain> {
  return (await setting.client.api<Domain>('GET', domainPath(setting, name))).body;
}

/** Adds a domain and returns what its record has to point to. */
export async function addDomain(setting: Setting, name: string): Promise<string> {
  const added = await setting.client.api<Domain>('POST', `/v1/projects/${setting.projectId}/domains`, { name });
  expect([added.status, added.body.state]).toEqual([201, 'awaiting_dns']);
  return added.body.records[0]?.value ?? '';
}

/** From the record to live, with the history that must have been written on the way. */
export async function goLive(setting: Setting, name: string, target: string): Promise<Domain> {
  await setting.createRecord(name, target);
  expect((await setting.client.api('POST', `${domainPath(setting, name)}/verify`)).status).toBe(202);
  await waitUntil(async () => (await getDomain(setting, name)).state === 'live', {
    timeoutMs: LIVE_LIMIT_MS,
    message: `${name} to go live`,
  });
  const history = await setting.client.api<DomainHistoryEntry[]>('GET', `${domainPath(setting, name)}/events`);
  expect(history.body.map(({ type, to }) => `${type} → ${to}`)).toEqual([
    'owner.added → awaiting_dns',
    'dns.checked → verified',
    'certificate.issued → verified',
    'certificate.served → live',
  ]);
  return getDomain(setting, name);
}
