import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openProviderZone, providerForms, publishZone, type ProviderZone, type Typed } from '@pets/dev-stack';
import { waitUntil } from '@pets/testing';
import type { Page } from 'playwright-core';
import { createLink } from '../create-link.js';
import type { DashboardFixture } from '../dashboard-fixture.js';
import { devices, findProblems } from '../looks.js';
import { findAsked, keyOf, perform, readLines, typeOf, type ZoneLineOnPage } from '../owner.js';
import { withPage } from '../with-page.js';

/** A check comes every ten seconds at least. */
const ANSWER_LIMIT_MS = 90_000;
const JOURNEY_LIMIT_MS = 240_000;

interface Journey {
  readonly title: string;
  readonly provider: keyof typeof providerForms;
  readonly name: string;
  readonly zone: string;
  readonly isPair?: boolean;
  /** Records that the zone has before. */
  readonly before?: readonly Typed[];
  /** Text of the page in the end. */
  readonly says?: RegExp;
  /** The mistake that the owner makes at first: what she types instead; null for a line that she leaves out. */
  readonly mistake?: (line: ZoneLineOnPage) => Typed | null;
  readonly repairs: number;
}

const journeys: readonly Journey[] = [
  { title: 'www', provider: 'ovh', name: 'www.owner-www.com', zone: 'owner-www.com', repairs: 0 },
  { title: 'apex', provider: 'namecheap', name: 'owner-apex.com', zone: 'owner-apex.com', repairs: 0 },
  {
    ...{ title: 'both', provider: 'cloudflare', name: 'www.owner-both.com', zone: 'owner-both.com', isPair: true },
    repairs: 0,
  },
  {
    ...{ title: 'name entered twice', provider: 'godaddy', name: 'shop.owner-twice.com', zone: 'owner-twice.com' },
    mistake: ({ fields }) => ({ ...fields, Name: `${fields['Name']}.owner-twice.com` }),
    repairs: 1,
  },
  {
    ...{ title: 'names of an apex entered twice', provider: 'godaddy', name: 'owner-double.com' },
    zone: 'owner-double.com',
    mistake: ({ fields }) => ({
      ...fields,
      Name: fields['Name'] === '@' ? 'owner-double.com' : `${fields['Name']}.owner-double.com`,
    }),
    repairs: 1,
  },
  {
    ...{ title: 'value with the zone appended', provider: 'gandi', name: 'www.owner-dot.com', zone: 'owner-dot.com' },
    mistake: ({ fields }) => ({ ...fields, Hostname: fields['Hostname']?.replace(/\.$/, '') ?? '' }),
    repairs: 1,
  },
  {
    ...{ title: 'old A record left', provider: 'godaddy', name: 'owner-parked.com', zone: 'owner-parked.com' },
    before: [{ Type: 'A', Name: '@', Value: '203.0.113.9' }],
    mistake: ({ action, fields }) => (action === 'Delete' ? null : fields),
    says: /^Resolvers may have copies of the old records until /,
    repairs: 1,
  },
  {
    ...{ title: 'proxy on', provider: 'cloudflare', name: 'www.owner-proxy.com', zone: 'owner-proxy.com' },
    mistake: ({ fields }) => Object.fromEntries(Object.entries(fields).filter(([label]) => label !== 'Proxy status')),
    repairs: 1,
  },
  {
    ...{ title: 'CAA', provider: 'route53', name: 'www.owner-caa.com', zone: 'owner-caa.com' },
    before: [{ 'Record type': 'CAA', 'Record name': '', Value: '0 issue "other-ca.example"' }],
    repairs: 1,
  },
];

/**
 * Owners who know nothing but their provider: they do what the page of their link says. All at the same time, since most of a
 * journey is a wait for the next check.
 */
export function describeOwnerJourneys(fixture: () => DashboardFixture): void {
  describe('an owner journey from a set-up link to live', () => {
    const running = new Map<Journey, Promise<void>>();
    beforeAll(async () => {
      await fixture().stack.offerEdgeAddress(true);
      journeys.forEach((journey, index) => {
        const [, options = {}] = devices[index % devices.length] ?? [];
        const permissions = ['clipboard-read', 'clipboard-write'];
        const run = withPage(fixture(), (page) => follow(page, journey, fixture()), { ...options, permissions });
        // Its own test waits for it, perhaps later than it fails.
        run.catch(() => undefined);
        running.set(journey, run);
      });
    });
    afterAll(async () => {
      await Promise.allSettled(running.values());
      const { stack, pets, dev } = fixture();
      await stack.offerEdgeAddress(false);
      for (const { name, zone } of journeys)
        for (const domain of new Set([name, zone]))
          await pets.DELETE('/v1/projects/{projectId}/domains/{domain}', {
            params: { path: { projectId: dev.projectId, domain } },
          });
    }, JOURNEY_LIMIT_MS);

    it.each(journeys.map((journey) => [journey.title, providerForms[journey.provider].label, journey] as const))(
      '%s, at %s, needs one repair at most',
      async (_title, _provider, journey) => running.get(journey),
      JOURNEY_LIMIT_MS,
    );
  });
}

async function follow(page: Page, journey: Journey, fixture: DashboardFixture): Promise<void> {
  const { title, name, isPair: pair = false, mistake, says, repairs: expected } = journey;
  let zone = await openProviderZone(
    fixture.records,
    providerForms[journey.provider],
    journey.zone,
    journey.before ?? [],
  );
  const { url } = await createLink(fixture, name, { pair });
  await untilKnown(journey, fixture);
  await page.goto(url);
  await page.getByText(`The name servers of ${journey.zone} belong to ${zone.form.label}.`).waitFor();
  const problems = await look(page, `owner ${title}`);

  const first = await readLines(page);
  const done = new Set<string>();
  let doneAtMs = Infinity;
  const change = async (lines: readonly ZoneLineOnPage[]) => {
    const before = zone;
    for (const line of lines) {
      zone = await perform(page, zone, line);
      done.add(keyOf(line));
    }
    await publishZone(fixture.records, before, zone);
    doneAtMs = Date.now();
  };
  const typed = await Promise.all(first.filter(({ action }) => action !== 'Keep').map((line) => typeOf(page, line)));
  await change(
    typed.flatMap((line) => {
      const fields = mistake === undefined ? line.fields : mistake(line);
      // What the page says is done for the owner, whatever she has typed.
      if (fields !== null) done.add(keyOf(line));
      return fields === null ? [] : [{ ...line, fields }];
    }),
  );
  let repairs = 0;
  for (;;) {
    const asked = await waitUntil(
      () => findAsked(page, { done, doneAtMs, names: [name, ...(pair ? [journey.zone] : [])] }),
      {
        timeoutMs: ANSWER_LIMIT_MS,
        message: `the page to say what is wrong with ${name}, or that it is live`,
      },
    );
    if (asked === 'live') break;
    repairs += 1;
    if (repairs > expected) throw new Error(`another repair of ${name}: ${JSON.stringify(asked)}`);
    problems.push(...(await look(page, `owner ${title} repair`)));
    await change(await Promise.all(asked.map((line) => typeOf(page, line))));
  }
  problems.push(...(await look(page, `owner ${title} live`)));
  expect(problems).toEqual([]);
  expect(repairs).toBe(expected);
  await expectRight(page, zone);
  if (says === undefined) return;
  await page.getByText(says).waitFor();
  await page.reload();
  await page.getByText(says).waitFor();
}

/** Her page of the provider and the page of the link have the same records in the end. */
async function expectRight(page: Page, zone: ProviderZone): Promise<void> {
  const lines = await readLines(page);
  expect(lines.map(({ action }) => action)).toEqual(lines.map(() => 'Keep'));
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines) await perform(page, zone, line);
}

/** The owner opens the link minutes after it was created, when the domain has been checked. */
async function untilKnown({ name, zone, isPair = false, before = [] }: Journey, { pets, dev }: DashboardFixture) {
  for (const domain of isPair ? [name, zone] : [name])
    await waitUntil(
      async () => {
        const path = { projectId: dev.projectId, domain };
        const { data } = await pets.GET('/v1/projects/{projectId}/domains/{domain}', { params: { path } });
        const isApex = domain === zone;
        const hasOffer = !isApex || data?.records.some(({ alternatives }) => alternatives !== undefined) === true;
        const sees = !isApex || before.length === 0 || (data?.dns.conflicts.length ?? 0) > 0;
        return data?.dns.checkedAt != null && data.dns.nameServers.length > 0 && hasOffer && sees;
      },
      { message: `the first check of ${domain}` },
    );
}

/** Finds violations of accessibility, and what is wider than the screen. */
function look(page: Page, state: string): Promise<string[]> {
  const { width = 0, height = 0 } = page.viewportSize() ?? {};
  const shown = { name: `${width}`, size: { width, height }, colorScheme: 'light', checks: 'all' } as const;
  return findProblems(page, state, [shown], { isStrict: true });
}
