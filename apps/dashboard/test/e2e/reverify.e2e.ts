import { describe, expect, it } from '@jest/globals';
import { waitUntil } from '@pets/testing';
import { findChild } from '../find-child.js';
import { addDomain, asVisitor, openDomains, readTarget } from '../visitor.js';
import type { DashboardFixture } from '../dashboard-fixture.js';

/** Where the authority was away for too long, the next attempt comes a minute later. */
const LIVE_LIMIT_MS = 90_000;

/** Re-verify while an attempt is under way: not yet, and in how long. */
export function tellReverifyStory(fixture: () => DashboardFixture): void {
  describe('Re-verify, before it is time', () => {
    it(
      'is refused with the reason and a countdown, and the domain goes live all the same',
      () =>
        asVisitor(fixture(), async (page) => {
          const { stack, records } = fixture();
          const name = 'early.example.com';
          await openDomains(page, fixture());
          await addDomain(page, name);
          const ca = await findChild(stack.pid, 'dev-ca/main.js');
          // A certificate authority that takes its time.
          process.kill(ca, 'SIGSTOP');
          try {
            await records.put({ name, type: 'CNAME', data: `${await readTarget(page)}.` });
            await page.getByRole('button', { name: 'Verify', exact: true }).click();
            const answer = page.waitForResponse((response) => response.url().endsWith('/reverify'));
            await page.getByRole('button', { name: 'Re-verify' }).click();
            const refusal = await answer;
            expect(refusal.status()).toBe(409);
            const waitS = Number(refusal.headers()['retry-after']);
            expect(waitS).toBeGreaterThan(29 * 60);

            const { message } = (await refusal.json()) as { message: string };
            await page.getByRole('alert').getByText(message).waitFor();
            expect(await page.getByRole('button', { name: 'Re-verify' }).isDisabled()).toBe(true);
            const countdown = page.getByText(/^Available in (?:29|30):\d\d\./);
            const first = await countdown.innerText();
            await waitUntil(async () => (await countdown.innerText()) !== first, {
              timeoutMs: 10_000,
              message: 'the countdown to go on',
            });
          } finally {
            process.kill(ca, 'SIGCONT');
          }
          await page.locator('[data-step=live][data-state=done]').waitFor({ timeout: LIVE_LIMIT_MS });
          expect(await page.getByRole('button', { name: 'Re-verify' }).count()).toBe(0);
        }),
      150_000,
    );
  });
}
