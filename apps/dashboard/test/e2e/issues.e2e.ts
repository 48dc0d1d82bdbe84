import { beforeAll, describe, expect, it } from '@jest/globals';
import { issueCodes, type Domain } from '@pets/contracts';
import type { Page } from 'playwright-core';
import type { DashboardFixture } from '../dashboard-fixture.js';
import { domainWithIssue } from '../issue-example.js';
import { domainsUrl, signIn, withPage } from '../with-page.js';

const size = { width: 1440, height: 900 };

export function describeIssues(fixture: () => DashboardFixture): void {
  describe('the card of a domain with an issue', () => {
    let cards: ReadonlyMap<string, Card> = new Map();
    beforeAll(() =>
      withPage(
        fixture(),
        async (page) => {
          const { pets, dev } = fixture();
          const params = { path: { projectId: dev.projectId } };
          const body = { name: 'issues.example.com', pair: false };
          const { data } = await pets.POST('/v1/projects/{projectId}/domains', { params, body });
          await signIn(page, `${domainsUrl(dev)}/${data?.id ?? ''}`, dev.apiKey);
          await page.locator('[data-next]').waitFor();
          const read = issueCodes.map(async (code) => [code, await readCard(page, domainWithIssue(code))] as const);
          cards = new Map(await Promise.all(read));
          const path = { ...params.path, domain: body.name };
          await pets.DELETE('/v1/projects/{projectId}/domains/{domain}', { params: { path } });
        },
        { viewport: size },
      ),
    );

    it.each(issueCodes)('says what is wrong and what to do: %s', (code) => {
      const card = cards.get(code);
      expect(card?.text).toMatchSnapshot();
      expect(card?.repeated).toEqual([]);
      expect(card?.bottom).toBeLessThanOrEqual(size.height);
    });
  });
}

/** The card as an owner sees it in the place of the one that the page shows. */
interface Card {
  /** One line for each block. */
  readonly text: string;
  /** Values of records that are there more than once. */
  readonly repeated: readonly string[];
  /** Distance of its end from the top of the page. */
  readonly bottom: number;
}

async function readCard(page: Page, domain: Domain): Promise<Card> {
  const isSuspended = domain.suspensions.length > 0;
  const card = await page.evaluate(
    (setup) => {
      const own = document.querySelector<HTMLElement>('pets-domain-setup');
      const element = Object.assign(document.createElement('pets-domain-setup'), { setup });
      own?.before(element);
      own?.style.setProperty('display', 'none');
      const root = element.shadowRoot?.querySelector<HTMLElement>('[data-next]');
      const bottom = (root?.getBoundingClientRect().bottom ?? Infinity) + scrollY;
      const values = [...(root?.querySelectorAll('[data-field=value] .value') ?? [])].map(
        ({ textContent }) => textContent,
      );
      // They are the same everywhere, or change with time.
      for (const part of root?.querySelectorAll<HTMLElement>('select, .check') ?? []) part.style.display = 'none';
      const text = root?.innerText ?? '';
      const words = text.split(/[\s,;]+|\.(?=\s)/);
      element.remove();
      own?.style.removeProperty('display');
      const repeated = values.filter((value) => words.filter((word) => word === value).length > 1);
      return { text, repeated, bottom };
    },
    { domains: [{ ...domain, isSuspended }] },
  );
  const lines = card.text.split('\n').filter((line) => line.trim() !== '');
  return { ...card, text: lines.join('\n') };
}
