import {
  addEntry,
  addValue,
  changeEntry,
  deleteEntry,
  findEntry,
  type ProviderZone,
  type Typed,
} from '@pets/dev-stack';
import type { Locator, Page } from 'playwright-core';

/** A line of the list of records, as the page of a set-up link shows it. */
export interface ZoneLineOnPage {
  /** Position in the list. */
  readonly index: number;
  readonly action: string;
  readonly fields: Typed;
  /** Present values of the fields that are wrong. */
  readonly old: Typed;
}

/** A line is another one when it says something else. */
export function keyOf({ action, fields, old }: ZoneLineOnPage): string {
  return JSON.stringify([action, fields, old]);
}

function items(page: Page): Locator {
  return page.getByRole('list', { name: 'DNS records' }).getByRole('listitem');
}

/** The lines that the owner has to follow. Where she can follow the first one, she needs no alternatives. */
export async function readLines(page: Page): Promise<ZoneLineOnPage[]> {
  const lines = await items(page).evaluateAll((all) =>
    all.map((item, index) => {
      const rows = [...item.querySelectorAll('dl > div')].map((row) => {
        const [value] = [...row.querySelectorAll('dd > span')].slice(-1);
        const shown = (value?.querySelector('span') ?? value)?.textContent ?? '';
        const entry = shown === '(leave empty)' ? '' : shown;
        return [row.querySelector('dt')?.textContent ?? '', entry, row.querySelector('del')?.textContent] as const;
      });
      return {
        index,
        action: item.querySelector('strong')?.textContent ?? '',
        fields: Object.fromEntries(rows.map(([label, entry]) => [label, entry])),
        old: Object.fromEntries(
          rows.flatMap(([label, , old]) => (old === undefined || old === null ? [] : [[label, old]])),
        ),
      };
    }),
  );
  return lines.filter(({ action }) => ['Delete', 'Change', 'Add', 'Keep'].includes(action));
}

/** The clipboard is that of all pages of the browser. */
let clipboard: Promise<unknown> = Promise.resolve();

/** Takes what can be copied from the clipboard instead of the screen. */
export async function typeOf(page: Page, line: ZoneLineOnPage): Promise<ZoneLineOnPage> {
  const item = items(page).nth(line.index);
  const copied = clipboard.then(async () => {
    const buttons = item.getByRole('button', { name: /^Copy / });
    const names = await buttons.evaluateAll((all) => all.map((button) => button.getAttribute('aria-label') ?? ''));
    const fields: Record<string, string> = {};
    for (const name of names) {
      const [, what = '', label = ''] = /^Copy ((.*) \(.*\))$/.exec(name) ?? [];
      await item.getByRole('button', { name, exact: true }).click();
      await item.getByRole('button', { name: `${what} copied`, exact: true }).waitFor();
      fields[label] = await page.evaluate(() => navigator.clipboard.readText());
    }
    return fields;
  });
  clipboard = copied.catch(() => undefined);
  return { ...line, fields: { ...line.fields, ...(await copied) } };
}

/** Does at the provider what a line says. @throws Error where the provider refuses it, or has no such record */
export async function perform(page: Page, zone: ProviderZone, line: ZoneLineOnPage): Promise<ProviderZone> {
  const { action, fields, old } = line;
  switch (action) {
    case 'Delete':
      return deleteEntry(zone, findEntry(zone, fields));
    case 'Change':
      return changeEntry(zone, findEntry(zone, { ...fields, ...old }), fields);
    case 'Keep':
      findEntry(zone, fields);
      return zone;
    default:
      return add(page, zone, fields);
  }
}

/** A provider that has the record refuses another one: only the page says what to do then. */
async function add(page: Page, zone: ProviderZone, fields: Typed): Promise<ProviderZone> {
  try {
    return addEntry(zone, fields);
  } catch (error) {
    const hint = page.getByText(/as another line to the CAA record that exists/);
    if ((await hint.count()) === 0) throw error;
    return addValue(zone, fields);
  }
}

interface Expectation {
  /** The keys of lines that she has followed. */
  readonly done: ReadonlySet<string>;
  /** When she did that. */
  readonly doneAtMs: number;
  readonly names: readonly string[];
}

/** The lines that she has not followed yet, once the page has checked what she did; `live` at the end, null before. */
export async function findAsked(
  page: Page,
  { done, doneAtMs, names }: Expectation,
): Promise<readonly ZoneLineOnPage[] | 'live' | null> {
  if (await isLive(page, names)) return 'live';
  if ((await readCheckMs(page)) < doneAtMs) return null;
  const asked = (await readLines(page)).filter((line) => line.action !== 'Keep' && !done.has(keyOf(line)));
  return asked.length > 0 ? asked : null;
}

/** The page says full seconds, and renews them every second. */
const CHECK_TOLERANCE_MS = 2_000;

/** The earliest time at which the check that the page shows may have begun. */
async function readCheckMs(page: Page): Promise<number> {
  const nowMs = Date.now();
  const text = await page.getByText(/^Check(?:ed|ing)/).innerText();
  const found = /^Checked (?:just now|(\d+) s ago)/.exec(text);
  return found === null ? 0 : nowMs - Number(found[1] ?? 0) * 1_000 - CHECK_TOLERANCE_MS;
}

async function isLive(page: Page, names: readonly string[]): Promise<boolean> {
  const [name] = names;
  const title = page.getByRole('heading', { name: `${name} is live`, exact: true });
  if ((await title.count()) === 0) return false;
  if (names.length === 1) return true;
  return (
    (await page.getByRole('list', { name: 'Both names' }).getByText('Live', { exact: true }).count()) === names.length
  );
}
