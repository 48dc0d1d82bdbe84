import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { domainSchema } from '@pets/contracts';
import { waitUntil } from '@pets/testing';
import { Api } from '../src/api/api.js';
import { CheckRequests } from '../src/domains/watch-domain.js';

const waiting = domainSchema.parse(domainSchema.meta()?.['example']);
const verified = { ...waiting, state: 'verified' as const };
const INTERVAL_MS = 50;
let server: Server | undefined;
let checks: CheckRequests | undefined;

afterEach(() => {
  checks?.close();
  server?.closeAllConnections();
  server?.close();
});

interface Started {
  readonly checks: CheckRequests;
  /** When each request came. */
  readonly times: readonly number[];
  readonly errors: readonly string[];
}

/** Requests at an API that answers with the given statuses, the last one again and again. */
async function start(statuses: readonly number[], durationMs = 60_000): Promise<Started> {
  const times: number[] = [];
  const answer: RequestListener = (_request, response) => {
    times.push(performance.now());
    const status = statuses[Math.min(times.length, statuses.length) - 1] ?? 200;
    response.writeHead(status, { 'content-type': 'application/json', ...(status === 429 && { 'retry-after': '1' }) });
    response.end(
      JSON.stringify(status === 200 ? waiting : { code: 'refused', message: `Refused: ${status}.`, status }),
    );
  };
  server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // listens on a port
  const api = new Api({ apiUrl: `http://127.0.0.1:${port}`, apiKey: 'key' });
  const errors: string[] = [];
  const path = { projectId: waiting.projectId, domain: waiting.name };
  const limits = { intervalMs: INTERVAL_MS, durationMs };
  checks = new CheckRequests(api, path, (message) => errors.push(message), limits);
  return { checks, times, errors };
}

const hasEnded = ({ checks: requests }: Started) => waitUntil(async () => requests.nextAt === null);

describe('the checks that a waiting person asks for', () => {
  it('are requested at once and at intervals, while the domain waits for DNS', async () => {
    const started = await start([200]);
    started.checks.follow(waiting);
    await waitUntil(async () => started.times.length >= 3);
    const [first = 0, second = 0] = started.times;
    expect(second - first).toBeGreaterThanOrEqual(INTERVAL_MS - 1);
    expect(started.errors).toEqual([]);
    started.checks.follow(verified);
    expect(started.checks.nextAt).toBeNull();
  });

  it('are not requested for a domain that is verified', async () => {
    const started = await start([200]);
    started.checks.follow(verified);
    expect(started.checks.nextAt).toBeNull();
    expect(started.times).toEqual([]);
  });

  it('respect the time after which the API accepts requests again', async () => {
    const started = await start([429, 200]);
    started.checks.follow(waiting);
    await waitUntil(async () => started.times.length >= 2);
    const [refused = 0, accepted = 0] = started.times;
    expect(accepted - refused).toBeGreaterThanOrEqual(999);
    expect(started.errors).toEqual(['Refused: 429. Retry in 1 s.']);
  });

  it('end with a refusal that stays, as for a domain that was removed', async () => {
    const started = await start([404]);
    started.checks.follow(waiting);
    await waitUntil(async () => started.errors.length === 1);
    await hasEnded(started);
    expect(started.times).toHaveLength(1);
  });

  it('end after their time, and the schedule of the API goes on', async () => {
    const started = await start([200], 4 * INTERVAL_MS);
    started.checks.follow(waiting);
    await waitUntil(async () => started.checks.nextAt !== null);
    await hasEnded(started);
    expect(started.times.length).toBeGreaterThanOrEqual(2);
  });
});
