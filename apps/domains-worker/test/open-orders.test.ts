import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DomainJobs } from '@pets/contracts';
import { startDevCa, type DevCa } from '@pets/testing';
import {
  jobFor,
  makeWorker,
  newName,
  pointHere,
  startIssuingFixture,
  type IssuingFixture,
  type IssuingWorker,
} from './issuing-fixture.js';
import type { Death } from './recorded-events.js';

type Job = DomainJobs['issue-certificate'];

const DEADLINE_MS = 3_000;
/** Longer than the test: it says itself when the CA has finished. */
const DELAY_SECONDS = 3_600;

const dataDir = mkdtempSync(join(tmpdir(), 'dev-ca-'));
let fixture: IssuingFixture;
let ca: DevCa;
let slowCa: DevCa;

beforeAll(async () => {
  fixture = await startIssuingFixture();
  const options = { dataDir, dnsServers: [fixture.dns.address], httpPort: fixture.responder.port };
  ca = await startDevCa(options);
  slowCa = await startDevCa({ ...options, delays: { finalize: DELAY_SECONDS } });
});
afterAll(async () => {
  await Promise.all([ca.close(), slowCa.close()]);
  await fixture.stop();
  rmSync(dataDir, { recursive: true });
});

const newJob = ({ directoryUrl }: DevCa): Promise<Job> => jobFor(pointHere(fixture), directoryUrl);

/** A worker whose orders are recorded as well. */
const newWorker = (death?: Death): IssuingWorker =>
  makeWorker(fixture, {}, { ...(death && { death }), withOrders: true });

/** One attempt, as the queue runs it. @returns its events */
async function run(job: Job, worker: IssuingWorker): Promise<IssuingWorker['events']> {
  const deadline = new AbortController();
  const abort = () => deadline.abort(new Error(`timed out after ${DEADLINE_MS} ms`));
  const timer = setTimeout(abort, DEADLINE_MS).unref();
  await worker.issuance.issue(job, deadline.signal);
  clearTimeout(timer);
  return worker.events;
}

/** The job of the next attempt, as the API makes it of what the queue has taken: with the same request, or with a new one. */
async function nextOf(job: Job, events: IssuingWorker['events'], isReadOnly = false): Promise<Job> {
  const attempt = job.attempt + 1;
  const [ordered] = events.flatMap((event) => (event.name === 'certificate.ordered' ? [event.payload] : []));
  if (ordered !== undefined) return { ...job, attempt, order: { url: ordered.orderUrl, isReadOnly } };
  if (job.order) return { ...job, attempt };
  return { ...(await jobFor(job.expected.name, job.directoryUrl)), domainId: job.domainId, attempt };
}

const finalizedOrders = (of: DevCa, { expected }: Job) =>
  of.orders(expected.name).filter(({ isFinalized }) => isFinalized);
const namesOf = (events: IssuingWorker['events']) => events.map(({ name }) => name);

describe('a process that dies', () => {
  it.each<[string, Omit<Death, 'died'>, () => DevCa, number, number]>([
    ['before the event', { at: 'certificate.ordered', isTaken: false }, () => ca, 2, 0],
    ['between the event and finalize', { at: 'certificate.ordered', isTaken: true }, () => ca, 1, 0],
    ['after finalize', { at: 'certificate.pending', isTaken: false }, () => slowCa, 1, 1],
    ['after the download', { at: 'certificate.issued', isTaken: false }, () => ca, 1, 0],
  ])('%s leaves at most one order that is finalized', async (_when, death, at, orders, unfinished) => {
    const job = await newJob(at());
    const dead = await new Promise<IssuingWorker>((resolve) => {
      const worker = newWorker({ ...death, died: () => resolve(worker) });
      void run(job, worker);
    });
    let next = await nextOf(job, dead.events);
    let events = await run(next, newWorker());
    let polls = 0;
    for (; events.at(-1)?.name === 'certificate.pending'; polls += 1) {
      await at().finish(job.expected.name);
      next = await nextOf(next, events);
      events = await run(next, newWorker());
    }
    expect(events.at(-1)?.name).toBe('certificate.issued');
    expect(polls).toBe(unfinished);
    expect(at().orders(job.expected.name)).toHaveLength(orders);
    expect(finalizedOrders(at(), job)).toHaveLength(1);
  });
});

describe('an order', () => {
  it('is reported with what the API needs to continue it', async () => {
    const job = await newJob(ca);
    expect(await run(job, newWorker())).toMatchObject([
      {
        name: 'certificate.ordered',
        payload: {
          ...{ domainId: job.domainId, generation: job.generation, attempt: job.attempt },
          ...{ method: 'http-01', replaces: null, directoryUrl: ca.directoryUrl },
          orderUrl: expect.stringContaining('/orders/'),
          expires: expect.any(String),
        },
      },
      { name: 'certificate.issued' },
    ]);
  });

  it('is checked again before a later attempt finalizes it, and stays open if that fails', async () => {
    const job = await newJob(ca);
    const next = await reported(job);
    fixture.dns.remove(job.expected.name);
    const failed = { stage: 'gate', ordered: true, order: 'open', problem: null };
    expect(await run(next, newWorker())).toMatchObject([{ name: 'certificate.failed', payload: failed }]);
    expect(finalizedOrders(ca, job)).toHaveLength(0);
  });

  it('is neither validated nor finalized for a name that must not get a certificate', async () => {
    const job = await newJob(ca);
    const next = await reported(job, true);
    const gone = { ordered: true, order: 'gone' };
    expect(await run(next, newWorker())).toMatchObject([{ name: 'certificate.failed', payload: gone }]);
    expect(finalizedOrders(ca, job)).toHaveLength(0);
  });

  it('is read to its end even for such a name, and wherever the name points, if it was finalized', async () => {
    const job = await newJob(ca);
    const events = await run(job, newWorker());
    fixture.dns.remove(job.expected.name);
    const next = await nextOf(job, events, true);
    expect(namesOf(await run(next, newWorker()))).toEqual(['certificate.issued']);
  });

  it('does not occupy a worker until the CA has finished, and not even so long if it names a later time', async () => {
    const options = { dataDir, dnsServers: [fixture.dns.address], httpPort: fixture.responder.port };
    const busy = await startDevCa({ ...options, delays: { finalize: 60, retryAfter: 60 } });
    const events = await run(await newJob(busy), newWorker());
    await busy.close();
    expect(namesOf(events)).toEqual(['certificate.ordered', 'certificate.pending']);
    const [, pending] = events;
    const retryAt = pending?.name === 'certificate.pending' ? Date.parse(pending.payload.retryAt ?? '') : 0;
    expect(retryAt).toBeGreaterThan(Date.now() + 50_000);
  });

  it('that the CA does not know is gone', async () => {
    const job = {
      ...(await newJob(ca)),
      order: { url: `${new URL(ca.directoryUrl).origin}/orders/x`, isReadOnly: false },
    };
    const gone = { stage: 'order', ordered: true, order: 'gone' };
    expect(await run(job, newWorker())).toMatchObject([{ name: 'certificate.failed', payload: gone }]);
  });

  it('stays open while the CA does not answer', async () => {
    const job = {
      ...(await jobFor(newName(), 'http://127.0.0.1:1/dir')),
      order: { url: 'http://127.0.0.1:1/o', isReadOnly: false },
    };
    const open = { stage: 'account', order: 'open', problem: { type: null } };
    expect(await run(job, newWorker())).toMatchObject([{ name: 'certificate.failed', payload: open }]);
  });

  /** The job that continues an order that was reported and not finalized. */
  async function reported(job: Job, isReadOnly = false): Promise<Job> {
    const dead = await new Promise<IssuingWorker>((resolve) => {
      const death = { at: 'certificate.ordered', isTaken: true } as const;
      const worker = newWorker({ ...death, died: () => resolve(worker) });
      void run(job, worker);
    });
    return nextOf(job, dead.events, isReadOnly);
  }
});
