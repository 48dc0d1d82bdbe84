import type { CutoverFixture } from './cutover-fixture.js';
import type { ServerLabel, Visit } from './visits.js';

/** The transcript shows so much before the switch, and after the TTL has passed. */
const SHOWN_SECONDS = 3;
/** Time of a lookup and a visit, besides the TTL. */
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

const MOST_SEEN = 3;

/** Lists the problems of visits that should all be served. */
export function listProblems(
  visits: readonly Visit[],
  what: string,
): { readonly count: number; readonly text: string }[] {
  const problems = visits.filter(({ outcome }) => outcome !== 'served');
  const shown = problems
    .slice(0, MOST_SEEN)
    .map(({ server, outcome, error }) => `${server ?? '?'}: ${outcome}: ${error}`);
  const count = problems.length;
  return count === 0 ? [] : [{ count, text: `${count} visits ${what}: ${shown.join(', ')}` }];
}

/** A line for each second around the switch: where the visitors were sent, and what was not as it should be. */
export function renderTranscript(visits: readonly Visit[], switchedAtMs: number): string[] {
  const bySecond = Map.groupBy(visits, ({ atMs }) => Math.floor((atMs - switchedAtMs) / 1_000));
  return [...bySecond]
    .sort(([one], [other]) => one - other)
    .map(([second, own]) => {
      const at = (label: ServerLabel) => String(own.filter(({ server }) => server === label).length).padStart(3);
      const count = (outcome: Visit['outcome']) => own.filter((visit) => visit.outcome === outcome).length;
      const time = `${second < 0 ? '' : '+'}${second} s`.padStart(6);
      const problems = `failed ${count('failed')}, wrong ${count('wrong certificate') + count('wrong answer')}`;
      return `${time}  elsewhere ${at('elsewhere')}  here ${at('here')}  ${problems}`;
    });
}

/** When visitors were sent to the new server for the first time and to the old one for the last, from the switch on. */
export function measureSwitch(
  visits: readonly Visit[],
  { switchedAtMs, to }: { readonly switchedAtMs: number; readonly to: ServerLabel },
): { readonly firstAtNewMs: number | null; readonly lastAtOldMs: number | null } {
  const times = visits.filter(({ atMs }) => atMs >= switchedAtMs);
  const atNew = times.filter(({ server }) => server === to).map(({ atMs }) => atMs - switchedAtMs);
  const atOld = times.filter(({ server }) => server !== to).map(({ atMs }) => atMs - switchedAtMs);
  return {
    firstAtNewMs: atNew.length === 0 ? null : Math.min(...atNew),
    lastAtOldMs: atOld.length === 0 ? null : Math.max(...atOld),
  };
}
