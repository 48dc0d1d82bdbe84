import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { untilForwarded } from '@pets/bench/edge';
import { publishSites, putApplication, startProcess, type Site, type StackProcess } from '@pets/lab';
import { freePort } from '@pets/testing/processes';
import type { EdgeChaosFixture } from '../edge-chaos-fixture.js';

/** Two applications, each of an organization of its own: one that fails when it is asked to, and one that never does. */
export interface Applications {
  readonly failing: { readonly site: Site; readonly process: StackProcess };
  readonly healthy: Site;
  close(): Promise<void>;
}

const FAILING = fileURLToPath(new URL('failing-application-main.js', import.meta.url));
/** Short, so that a round meets each of them. */
const timeouts = { connect: 2, answer: 2, idle: 2 };

export async function startApplications(fixture: EdgeChaosFixture): Promise<Applications> {
  const healthy = await publishOne(fixture, 'healthy.example.com');
  const server = createServer((_request, response) => response.end(healthy.body)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens at a port
  await forward(fixture, healthy, `http://127.0.0.1:${port}`);

  const site = await publishOne(fixture, 'failing.example.com');
  const failingPort = await freePort();
  const url = `http://127.0.0.1:${failingPort}`;
  const args = [FAILING, String(failingPort), site.body];
  const process_ = startProcess({ name: 'failing application', command: process.execPath, args }, url, false);
  await process_.untilReady();
  await forward(fixture, site, url);
  return {
    healthy,
    failing: { site, process: process_ },
    close: async () => {
      await process_.stop();
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Publishes a site of a new organization. */
async function publishOne({ stack }: EdgeChaosFixture, host: string): Promise<Site> {
  const [site] = await publishSites(stack, [host], stack.createTenant('pro'));
  if (site === undefined) throw new Error('no site was published');
  return site;
}

async function forward({ stack, edges, rootPem }: EdgeChaosFixture, site: Site, url: string): Promise<void> {
  await putApplication(stack, site, { url, timeouts });
  for (const { httpsPort: port } of edges) await untilForwarded({ host: site.host, port, rootPem }, site.body);
}
