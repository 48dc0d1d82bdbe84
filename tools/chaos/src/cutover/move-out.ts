import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntil } from '@pets/dev-stack';
import type { Round } from '../round.js';
import type { CutoverFixture } from './cutover-fixture.js';
import { OTHER_TARGET, type Move } from './move.js';
import { countExcess, describeCertificates, printSwitch } from './outcome.js';
import { listProblems } from './visit-log.js';
import { EDGE_ADDRESS } from './visitors.js';

const CHECK_LIMIT_MS = 30_000;
const MOST_CLICKS = 6;
/** How long visitors come after the removal. */
const AFTER_REMOVAL_MS = 3_000;

/** Switches the record back, lets checks find that, and removes the domain a while later. */
export async function moveOut(fixture: CutoverFixture, move: Move): Promise<Omit<Round, 'name'>> {
  const { name, visitors } = move;
  const switchedAtMs = await move.switchTo(OTHER_TARGET);
  const beganAtMs = switchedAtMs - move.ttlSeconds * 1_000;
  const late = visitors.visitLate(EDGE_ADDRESS);
  await untilMisconfigured(move);
  await sleep(move.seconds * 1_000 - (Date.now() - switchedAtMs));
  const left = await move.getDomain();

  const lateVisits = [...(await late.stop())];
  await move.call('DELETE', '', 204);
  const afterRemoval = visitors.visitLate(EDGE_ADDRESS);
  await sleep(AFTER_REMOVAL_MS);
  const served = (await afterRemoval.stop()).filter(({ outcome }) => outcome !== 'failed');
  const visits = await visitors.since(beganAtMs);

  const problems = [
    ...listProblems(visits, 'went wrong'),
    ...listProblems(lateVisits, 'with the old address went wrong'),
  ];
  const { remark, wrong } = printSwitch(visits, { switchedAtMs, to: 'elsewhere', ttlSeconds: move.ttlSeconds });
  return {
    seen: [
      ...problems.map(({ text }) => text),
      ...wrong,
      ...(served.length === 0 ? [] : [`${served.length} visits after the removal were answered`]),
      ...(left.certificate?.state === 'issued' ? [] : [`the certificate was ${left.certificate?.state ?? 'missing'}`]),
      ...describeCertificates(fixture, name, lateVisits),
    ],
    lost: problems.reduce((sum, { count }) => sum + count, 0),
    duplicated: countExcess(fixture, name),
    recoveredMs: null,
    remark: `${remark}; ${lateVisits.length} late visitors were served until the removal, none after it`,
  };
}

/** As an owner who asks for checks. The name has left when several have found it elsewhere. */
async function untilMisconfigured(move: Move): Promise<void> {
  for (let clicks = 0; clicks < MOST_CLICKS; clicks++) {
    const { misconfigured, dns } = await move.getDomain();
    if (misconfigured) return;
    await move.call('POST', '/verify', 202);
    const isChecked = async () => (await move.getDomain()).dns.checkedAt !== dns.checkedAt;
    await waitUntil(isChecked, { timeoutMs: CHECK_LIMIT_MS, intervalMs: 200, message: `a check of ${move.name}` });
  }
  throw new Error(`${move.name} is not misconfigured after ${MOST_CLICKS} checks`);
}
