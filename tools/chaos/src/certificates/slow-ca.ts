import { seedDomains } from '@pets/bench/engine';
import { waitUntil } from '@pets/dev-stack';
import type { Round } from '../round.js';
import type { CertificateChaosFixture } from './certificate-chaos-fixture.js';

const DOMAINS = 5;
/** From the moment at which the CA has a certificate until visitors get it. */
const LIVE_WITHIN_MS = 5_000;
const LIMIT_MS = 90_000;

/** How long the CA takes to issue a certificate after an order was finalized, in seconds. */
export const slowCas: Readonly<Record<string, number>> = { 'slow-ca-70-seconds': 70, 'slow-ca-10-minutes': 600 };

/**
 * A CA that finalizes later than any job waits. Each order must be placed and finalized once, and its certificate served within
 * five seconds after the CA has it.
 */
export async function playSlowCa(
  { base, db, observer }: CertificateChaosFixture,
  label: string,
  seconds: number,
): Promise<Omit<Round, 'name'>> {
  const named = Array.from({ length: DOMAINS }, (_, index) => ({
    name: `${label}-${index}.certificates.example.com`,
    token: `${label}-${index}`,
  }));
  for (const domain of named) base.pointHere(domain);
  observer.delayIssuance(seconds * 1_000);
  const domains = await seedDomains(db, base.engine.organizationId, named, new Date());
  const live = async () =>
    (
      await db.query<{ name: string; at: Date }>(
        `select name, live_at as at from domains where state = 'live' and id = any($1::uuid[])`,
        [domains.map(({ id }) => id)],
      )
    ).rows;
  const isDone = async () => (await live()).length === DOMAINS;
  await waitUntil(isDone, { timeoutMs: seconds * 1_000 + LIMIT_MS, intervalMs: 500 }).catch(() => undefined); // see below
  observer.delayIssuance(0);
  const rows = await live();
  const waits = rows.map(({ name, at }) => at.getTime() - observer.issuedAtMs(name));
  const longestMs = Math.max(0, ...waits);
  const again = named.reduce(
    (sum, { name }) => sum + Math.max(observer.certificates(name), observer.orders(name)) - 1,
    0,
  );
  const lost = DOMAINS - rows.length;
  return {
    seen: [
      ...(lost > 0 ? [`${lost} domains are not live`] : []),
      ...(again > 0 ? [`${again} orders too many`] : []),
      ...(longestMs > LIVE_WITHIN_MS ? [`live only ${longestMs} ms after the CA had the certificate`] : []),
    ],
    ...{ lost, duplicated: again, recoveredMs: lost > 0 ? 'never' : longestMs },
  };
}
