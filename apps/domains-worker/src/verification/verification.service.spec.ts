import { expect, it } from '@jest/globals';
import { LongChecks } from './verification.service.js';

/** Checks of an organization that last until they are cut or ended. */
function hanging(checks: LongChecks, organizationId: string, count: number) {
  const ends: (() => void)[] = [];
  const outcomes = Array.from({ length: count }, () =>
    checks.run(
      organizationId,
      (cut) =>
        new Promise<string>((resolve) => {
          ends.push(() => resolve('complete'));
          cut.addEventListener('abort', () => resolve('cut'));
        }),
    ),
  );
  return { outcomes, end: () => ends.forEach((end) => end()) };
}

const passed = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

it('cuts the checks of an organization beyond its share, and those of no other', async () => {
  const checks = new LongChecks({ limit: 2, longMs: 20 });
  const hostile = hanging(checks, 'hostile', 5);
  await Promise.all(hostile.outcomes.slice(2));
  const other = hanging(checks, 'other', 2);
  await passed(60);
  hostile.end();
  other.end();
  expect(await Promise.all(hostile.outcomes)).toEqual(['complete', 'complete', 'cut', 'cut', 'cut']);
  expect(await Promise.all(other.outcomes)).toEqual(['complete', 'complete']);
});

it('gives the share back, also after an error, and never cuts a short check', async () => {
  const checks = new LongChecks({ limit: 1, longMs: 20 });
  const fails = checks.run('a', () => passed(40).then(() => Promise.reject(new Error('x'))));
  await expect(fails).rejects.toThrow('x');
  const short = await Promise.all(
    Array.from({ length: 50 }, () => checks.run('a', (cut) => passed(1).then(() => cut.aborted))),
  );
  expect(short).not.toContain(true);
  const later = hanging(checks, 'a', 1);
  await passed(40);
  later.end();
  expect(await later.outcomes[0]).toBe('complete');
});
