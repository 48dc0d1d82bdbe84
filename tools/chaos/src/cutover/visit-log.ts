import type { ServerLabel, Visit } from './visits.js';

const MOST_SEEN = 3;

/** What is wrong with visits that should all be served. */
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
