import { Agent, request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { describeWhen } from '@pets/testing';
import { addDomain, at, deployProject, goLive, SITE } from './domain-steps.js';
import { missingServices, startOnServices, type ServicesFixture } from './stack-fixtures.js';

jest.setTimeout(180_000);

const INTERVAL_MS = 20;
/** Before and after each move. */
const VISITED_MS = 1_500;
const MOVES = 4;

describeWhen(describe, 'a live domain that moves between projects', missingServices(), () => {
  let fixture: ServicesFixture;
  beforeAll(async () => {
    fixture = await startOnServices();
  });
  afterAll(() => fixture?.close());

  it('answers every visitor, on new connections and on one that stays open, without an order at the CA', async () => {
    const { pets, stack, projectId } = fixture;
    const other = await deployProject(stack.dev, 'moved-to');
    // Which project answers is visible in this header.
    await pets.PATCH('/v1/projects/{projectId}', {
      params: { path: { projectId: other } },
      body: { hsts: { maxAge: 300 } },
    });
    await goLive(fixture, SITE, await addDomain(fixture, SITE));
    const orders = fixture.countOrders();
    expect(orders).toBeGreaterThan(0);

    const visits = startVisits(new URL(stack.dev.edgeHttpsUrl).port);
    for (let count = 0; count < MOVES; count++) {
      await sleep(VISITED_MS);
      const [from, to] = count % 2 === 0 ? [projectId, other] : [other, projectId];
      const moved = await pets.POST('/v1/projects/{projectId}/domains/{domain}/move', {
        ...at({ projectId: from }, SITE),
        body: { projectId: to, redirects: 'refuse' },
      });
      expect([moved.response.status, moved.data?.state]).toEqual([200, 'live']);
    }
    await sleep(VISITED_MS);
    const { coming, staying, failures } = await visits.end();

    expect(failures).toEqual([]);
    for (const answers of [coming, staying]) {
      expect(answers.length).toBeGreaterThan(100);
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      // Each process of the edge changes over once a move, all of them within a moment.
      expect([answers[0]?.isOther, answers.at(-1)?.isOther]).toEqual([false, false]);
      expect(answers.some(({ isOther }) => isOther)).toBe(true);
    }
    expect(new Set([...coming, ...staying].map(({ serial }) => serial)).size).toBe(1);
    expect(new Set(staying.map(({ localPort }) => localPort)).size).toBe(1);
    expect(fixture.countOrders()).toBe(orders);
  });
});

interface Answer {
  readonly status: number | undefined;
  /** Whether the second project answered. */
  readonly isOther: boolean;
  readonly serial: string;
  readonly localPort: number | undefined;
}

/** Sends a request on a new connection and one on an open connection every 20 ms, whether earlier ones were answered or not. */
function startVisits(port: string) {
  const agents = {
    coming: new Agent({ maxCachedSessions: 0 }),
    staying: new Agent({ keepAlive: true, maxSockets: 1 }),
  };
  const answers: Record<keyof typeof agents, Answer[]> = { coming: [], staying: [] };
  const failures: string[] = [];
  const underWay: Promise<void>[] = [];
  const visitBy = (kind: keyof typeof agents) =>
    visit(port, agents[kind]).then(
      (answer) => void answers[kind].push(answer),
      (error: unknown) => void failures.push(`${kind}: ${String(error)}`),
    );
  const timer = setInterval(() => underWay.push(visitBy('coming'), visitBy('staying')), INTERVAL_MS);
  return {
    end: async () => {
      clearInterval(timer);
      await Promise.all(underWay);
      for (const agent of Object.values(agents)) agent.destroy();
      return { ...answers, failures };
    },
  };
}

/** Accepts any certificate, because the test compares them afterwards. */
function visit(port: string, agent: Agent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { agent, host: '127.0.0.1', port, servername: SITE, headers: { host: `${SITE}:${port}` } };
    const signal = AbortSignal.timeout(10_000);
    const asking = request({ ...options, rejectUnauthorized: false, signal }, (response) => {
      const socket = response.socket as TLSSocket;
      const { serialNumber: serial } = socket.getPeerCertificate();
      const { localPort } = socket;
      const isOther = response.headers['strict-transport-security'] !== undefined;
      response.resume().on('end', () => resolve({ status: response.statusCode, isOther, serial, localPort }));
    });
    asking.on('error', reject).end();
  });
}
