import { randomBytes } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { callApi, createProject, deployPage } from '@pets/dev-stack';
import { waitUntil } from '@pets/testing/processes';
import { z } from 'zod';
import type { Stack, Tenant } from './stack.js';

/** A project with its own domain, served by the edges of a stack. */
export interface Site {
  readonly host: string;
  readonly apiKey: string;
  readonly projectId: string;
  readonly domainId: string;
  /** The unique body of `/`. `/large.bin` has `LARGE_BYTES`. */
  readonly body: string;
}

export const LARGE_BYTES = 4 * 1024 * 1024;

const LIVE_LIMIT_MS = 90_000;

const domainSchema = z.object({
  id: z.string(),
  state: z.string(),
  pendingEdges: z.int(),
  records: z.array(z.object({ value: z.string() })).min(1),
});
const originSchema = z.object({ state: z.string() });

/** Deletes a site's domain. @returns the status of the answer: 204 when no edge serves it any more, 202 when some have not confirmed it */
export async function removeSite(stack: Stack, site: Site): Promise<number> {
  return (await callApi(accessTo(stack, site), 'DELETE', domainPath(site))).status;
}

/** The number of edges that have not confirmed a removal. */
export async function pendingEdges(stack: Stack, site: Site): Promise<number> {
  return (await readDomain(stack, site)).pendingEdges;
}

/** Deploys sites, each with its own domain, and waits until all are live. */
export async function publishSites(
  stack: Stack,
  hosts: readonly string[],
  tenant: Tenant = stack,
): Promise<readonly Site[]> {
  const sites: Site[] = [];
  for (const host of hosts) sites.push(await addSite(stack, host, tenant));
  const isLive = async (site: Site) => (await readDomain(stack, site)).state === 'live';
  await waitUntil(async () => (await Promise.all(sites.map(isLive))).every((live) => live), {
    timeoutMs: LIVE_LIMIT_MS,
    intervalMs: 200,
    message: `${sites.length} sites to be live`,
  });
  return sites;
}

/** Settings of an application, as the API takes them. */
export interface Application {
  readonly url: string;
  readonly timeouts?: { readonly connect: number; readonly answer: number; readonly idle: number };
}

/** Puts an application behind a site, and waits until the edges have tested it and forward to it. */
export async function putApplication(stack: Stack, site: Site, application: Application): Promise<void> {
  const path = `/v1/projects/${site.projectId}/origin`;
  const { status, text } = await callApi(accessTo(stack, site), 'PUT', path, application);
  if (status !== 200) throw new Error(`PUT ${path} was answered ${status} ${text}`);
  const isServing = async () => {
    const { body } = await callApi(accessTo(stack, site), 'GET', path);
    return originSchema.parse(body).state === 'serving';
  };
  await waitUntil(isServing, { timeoutMs: LIVE_LIMIT_MS, intervalMs: 200, message: `${site.host} to be forwarded` });
}

async function readDomain(stack: Stack, site: Site) {
  const { body } = await callApi(accessTo(stack, site), 'GET', domainPath(site));
  return domainSchema.parse(body);
}

function domainPath({ projectId, domainId }: Site): string {
  return `/v1/projects/${projectId}/domains/${domainId}`;
}

async function addSite(stack: Stack, host: string, tenant: Tenant): Promise<Site> {
  const { apiUrl, apiKey } = accessTo(stack, tenant);
  const projectId = await createProject(apiUrl, apiKey, host, host.replaceAll('.', '-'));
  const body = `${host} ${randomBytes(512).toString('hex')}`;
  const folder = join(stack.folder, 'upload');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder);
  await writeFile(join(folder, 'index.html'), body);
  await writeFile(join(folder, 'large.bin'), randomBytes(LARGE_BYTES));
  await deployPage(apiUrl, { apiKey, projectId }, folder);
  const path = `/v1/projects/${projectId}/domains`;
  const domain = domainSchema.parse((await callApi({ apiUrl, apiKey }, 'POST', path, { name: host })).body);
  const target = domain.records[0]?.value ?? '';
  for (const server of [stack.issuing.dns, stack.issuing.dnsOfCa]) {
    server.put({ type: 'CNAME', name: host, data: `${target}.` });
    server.put({ type: 'A', name: target, data: '127.0.0.1' });
  }
  const clicked = await callApi({ apiUrl, apiKey }, 'POST', `${path}/${domain.id}/verify`);
  if (clicked.status !== 202) throw new Error(`a click was answered ${clicked.status} ${clicked.text}`);
  return { host, apiKey, projectId, domainId: domain.id, body };
}

function accessTo({ api }: Stack, { apiKey }: Pick<Tenant, 'apiKey'>) {
  return { apiUrl: api.url, apiKey };
}
