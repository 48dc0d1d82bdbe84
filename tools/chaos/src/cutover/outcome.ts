import type { CutoverFixture } from './cutover-fixture.js';
import { measureSwitch, renderTranscript } from './visit-log.js';
import type { ServerLabel, Visit } from './visits.js';

/** The transcript shows so much before the switch, and after the TTL has passed. */
const SHOWN_SECONDS = 3;
/** Of a lookup and a visit, besides the TTL. */
const TOLERANCE_MS = 2_000;

interface Switch {
  readonly switchedAtMs: number;
  readonly to: ServerLabel;
  readonly ttlSeconds: number;
}

/** Prints the seconds around a switch. All visitors must have followed it when the TTL has passed. */
export function printSwitch(visits: readonly Visit[], { switchedAtMs, to, ttlSeconds }: Switch) {
  const [fromMs, untilMs] = [switchedAtMs - SHOWN_SECONDS * 1_000, switchedAtMs + (ttlSeconds + SHOWN_SECONDS) * 1_000];
  const shown = visits.filter(({ atMs }) => atMs >= fromMs && atMs < untilMs);
  for (const line of renderTranscript(shown, switchedAtMs)) process.stdout.write(`  ${line}\n`);
  const { firstAtNewMs, lastAtOldMs } = measureSwitch(visits, { switchedAtMs, to });
  const inSeconds = (ms: number | null) => (ms === null ? 'never' : `${(ms / 1_000).toFixed(1)} s`);
  const isLate = lastAtOldMs !== null && lastAtOldMs > ttlSeconds * 1_000 + TOLERANCE_MS;
  return {
    remark:
      `${visits.length} handshakes; TTL ${ttlSeconds} s, first visitor at the new server after ` +
      `${inSeconds(firstAtNewMs)}, last one at the old after ${inSeconds(lastAtOldMs)}`,
    wrong: firstAtNewMs === null || isLate ? ['the visitors did not follow the switch'] : [],
  };
}

/** Our edge must have shown one certificate, from the only order. */
export function describeCertificates({ observer }: CutoverFixture, name: string, visits: readonly Visit[]): string[] {
  const fingerprints = visits.filter(({ server }) => server === 'here').map(({ fingerprint }) => fingerprint);
  const shown = new Set(fingerprints.filter((fingerprint) => fingerprint !== undefined)); // of handshakes that succeeded
  const [orders, certificates] = [observer.orders(name), observer.certificates(name)];
  return [
    ...(shown.size === 1 ? [] : [`the edge showed ${shown.size} certificates`]),
    ...(orders === 1 && certificates === 1
      ? []
      : [`the CA got ${orders} orders and issued ${certificates} certificates`]),
  ];
}

/** Orders besides the only one that a move needs. */
export function countExcess({ observer }: CutoverFixture, name: string): number {
  return Math.max(observer.orders(name) - 1, 0);
}
