import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntil } from '@pets/dev-stack';
import type { Round } from '../round.js';
import type { CutoverFixture } from './cutover-fixture.js';
import type { Move } from './move.js';
import { countExcess, describeCertificates, printSwitch } from './outcome.js';
import { listProblems } from './visit-log.js';
import { OTHER_ADDRESS } from './visitors.js';

const READY_LIMIT_MS = 120_000;

/** Prepares the name, waits until it is ready, and switches its record to us. */
export async function moveIn(fixture: CutoverFixture, move: Move): Promise<Omit<Round, 'name'>> {
  const { name, visitors } = move;
  const beganAtMs = Date.now();
  const target = await prepare(fixture, move);
  const ready = await move.getDomain();
  await sleep(move.ttlSeconds * 1_000); // every cache is renewed while the name is ready

  const switchedAtMs = await move.switchTo(target);
  const late = visitors.visitLate(OTHER_ADDRESS);
  const liveAfterMs = waitUntil(async () => (await move.getDomain()).state === 'live', {
    timeoutMs: move.seconds * 1_000,
    intervalMs: 200,
  }).then(
    () => Date.now() - switchedAtMs,
    () => null, // reported below
  );
  await sleep(move.seconds * 1_000);
  const visits = await visitors.since(beganAtMs);
  const lateVisits = await late.stop();

  const live = await liveAfterMs;
  const problems = [
    ...listProblems(visits, 'went wrong'),
    ...listProblems(lateVisits, 'with the old address went wrong'),
  ];
  const seen = [
    ...problems.map(({ text }) => text),
    ...(ready.state === 'awaiting_dns' ? [] : [`before the switch the domain was ${ready.state}`]),
    ...(live === null ? [`${name} did not become live`] : []),
    ...describeCertificates(fixture, name, visits),
  ];
  const { remark, wrong } = printSwitch(visits, { switchedAtMs, to: 'here', ttlSeconds: move.ttlSeconds });
  return {
    seen: [...seen, ...wrong],
    lost: problems.reduce((sum, { count }) => sum + count, 0),
    duplicated: countExcess(fixture, name),
    recoveredMs: null,
    remark: `${remark}; live after ${((live ?? Number.NaN) / 1_000).toFixed(1)} s, ${fixture.observer.orders(name)} order`,
  };
}

/** Adds the domain, delegates its challenges, and waits until it is ready. @returns where the record has to point */
async function prepare({ client, projectId, records }: CutoverFixture, move: Move): Promise<string> {
  const { name } = move;
  const { status, text } = await client.api('POST', `/v1/projects/${projectId}/domains`, { name });
  if (status !== 201) throw new Error(`${name} was not added: ${status} ${text}`);
  const { records: required } = await move.getDomain();
  const valueOf = (wanted: string) => {
    const record = required.find(({ purpose }) => purpose === wanted);
    if (record === undefined) throw new Error(`${name} has no record for ${wanted}`);
    return record.value;
  };
  await records.put({ name: `_acme-challenge.${name}`, type: 'CNAME', data: `${valueOf('delegation')}.` });
  await move.call('POST', '/verify', 202);
  const isReady = async () => (await move.getDomain()).readiness?.state === 'ready';
  await waitUntil(isReady, { timeoutMs: READY_LIMIT_MS, intervalMs: 200, message: `${name} to be ready` });
  return valueOf('routing');
}
