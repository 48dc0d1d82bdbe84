import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { withPage, signIn } from '../with-page.js';
import type { DashboardFixture } from '../dashboard-fixture.js';
import { findSeriousViolations } from '../serious-violations.js';

export function describeWebhooks(fixture: () => DashboardFixture): void {
  describe('webhooks', () => {
    let receiver: Receiver;
    beforeAll(async () => {
      receiver = await startReceiver();
    });
    afterAll(() => receiver.close());

    it('show each attempt as it happens, retry it now, and count it', () =>
      withPage(fixture(), async (page) => {
        const { dev } = fixture();
        const { url } = receiver;
        receiver.answer = { status: 500, body: '<b onclick="alert(1)">broken</b>' };
        await signIn(page, `${dev.dashboardUrl}/webhooks`, dev.apiKey);
        await createEndpoint(page, url);
        await page.getByRole('link', { name: url }).click();
        await page.getByRole('heading', { name: url, level: 1 }).waitFor();
        await page.getByText('No deliveries yet', { exact: true }).waitFor();
        await page.getByRole('button', { name: `More actions for ${url}` }).click();
        await page.getByRole('menuitem', { name: 'Send test event' }).click();

        // Without a reload: the list follows the delivery.
        const row = page.getByRole('row').filter({ hasText: 'endpoint.test' });
        await row.getByText(/^500 · \d+ ms$/).waitFor();
        await row.getByText(/^Retrying \([12] of 9\)$/).waitFor();
        await row.getByText(/^next in \d/).waitFor();
        expect((await row.boundingBox())?.height).toBeLessThan(60);
        expect(await findSeriousViolations(page)).toEqual([]);

        await row.getByRole('link', { name: 'endpoint.test' }).click();
        const attempt = page.locator('details[open]').filter({ hasText: /Attempt \d: 500/ });
        await attempt.getByRole('region', { name: 'Request headers' }).getByText('webhook-signature: v1,').waitFor();
        await attempt.getByRole('region', { name: 'Response headers' }).getByText('x-answer: yes').waitFor();
        expect(await attempt.getByRole('region', { name: 'Response headers' }).innerText()).not.toContain('session=');
        // A stranger's page is text.
        await attempt
          .getByRole('region', { name: 'Response body' })
          .getByText('<b onclick="alert(1)">broken</b>')
          .waitFor();
        await page.getByRole('region', { name: 'Request body' }).first().getByText('"type": "endpoint.test"').waitFor();
        expect(await findSeriousViolations(page)).toEqual([]);

        receiver.answer = { status: 200, body: 'thanks' };
        await page.getByRole('button', { name: 'Retry now' }).click();
        await page.getByRole('status').getByText('Delivery queued.').waitFor();
        await page.locator('.status[data-tone="good"]').getByText('Delivered').waitFor();
        // Two, if the schedule retried at the same time.
        await page
          .getByText(/Attempt \d: 200/)
          .first()
          .waitFor();
        await page.getByRole('button', { name: 'Resend' }).waitFor();
        expect(new Set(receiver.requests.map((headers) => headers['webhook-id'])).size).toBe(1);

        await page.getByRole('link', { name: 'Deliveries' }).click();
        const statistics = page.getByRole('region', { name: 'Statistics' });
        await statistics.getByText(/^[1-9]\d* of [2-9]\d*$/).waitFor();
        await statistics.getByLabel('Period').selectOption('Last 7 days');
        await statistics.getByRole('img', { name: /^Last 7 days: / }).waitFor();

        await page.getByLabel('Event type').selectOption('pet.created');
        await page.getByText('No matching deliveries').waitFor();
        await page.getByLabel('Event type').selectOption('All');
        const [first] = receiver.requests;
        await page.getByLabel('Search by ID').fill(String(first?.['webhook-id']));
        await row.waitFor();
      }));

    it('sign with both secrets for the chosen time after a rotation', () =>
      withPage(fixture(), async (page) => {
        const { dev } = fixture();
        const url = `${receiver.url}/rotated`;
        receiver.answer = { status: 200, body: '' };
        await signIn(page, `${dev.dashboardUrl}/webhooks`, dev.apiKey);
        const secret = await createEndpoint(page, url);
        await page.getByRole('button', { name: `More actions for ${url}` }).click();
        await page.getByRole('menuitem', { name: 'Rotate secret' }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByLabel('Previous secret stays valid').selectOption('For 7 days');
        await dialog.getByRole('button', { name: 'Rotate secret' }).click();
        const next = await page.locator('[data-secret]').inputValue();
        await dialog.getByRole('button', { name: 'I have saved this secret' }).click();
        const row = page.getByRole('row').filter({ hasText: url });
        await row.getByText('Requests are signed with both secrets. The previous one expires in 6 d').waitFor();

        receiver.requests.length = 0;
        await page.getByRole('link', { name: url }).click();
        await page.getByRole('button', { name: `More actions for ${url}` }).click();
        await page.getByRole('menuitem', { name: 'Send test event' }).click();
        await page.getByRole('row').filter({ hasText: 'endpoint.test' }).getByText('Delivered').waitFor();
        const [request] = receiver.requests;
        expect(request?.['webhook-signature']).toBe(
          [next, secret].map((each) => sign(each, request ?? {}, receiver.lastBody)).join(' '),
        );
      }));

    it('show the shape of the list while it loads, and an error with a way on', () =>
      withPage(
        fixture(),
        async (page) => {
          const { dev } = fixture();
          const { promise: held, resolve: release } = Promise.withResolvers<void>();
          const list = /\/v1\/webhook-endpoints(\?|$)/;
          await page.route(list, async (route) => {
            await held;
            await route.fulfill({ status: 503, json: { code: 'unavailable', message: 'No database.', status: 503 } });
          });
          await signIn(page, `${dev.dashboardUrl}/webhooks`, dev.apiKey);
          await page.getByRole('status', { name: 'Loading…' }).locator('.loading-row').first().waitFor();
          // The context prefers reduced motion.
          expect(await page.evaluate(() => document.getAnimations().length)).toBe(0);
          expect(await findSeriousViolations(page)).toEqual([]);
          release();
          await page.getByRole('alert').getByText('No database.').waitFor();
          await page.unroute(list);
          await page.getByRole('button', { name: 'Try again' }).click();
          const row = page.getByRole('button', { name: 'More actions for' }).first();
          await row.or(page.getByText('No endpoints', { exact: true })).waitFor();
        },
        { expectedErrors: /status of 503/ },
      ));

    it('have a catalog of events with an example of each', () =>
      withPage(fixture(), async (page) => {
        const { dev } = fixture();
        await signIn(page, `${dev.dashboardUrl}/webhooks`, dev.apiKey);
        await page.getByRole('link', { name: 'Event catalog' }).click();
        await page.getByRole('heading', { name: 'Event catalog', level: 1 }).waitFor();
        await page.getByText('domain.misconfigured', { exact: true }).click();
        const example = page.getByRole('region', { name: 'Example of domain.misconfigured' });
        expect(JSON.parse(await example.innerText())).toMatchObject({
          type: 'domain.misconfigured',
          data: { state: 'live', misconfigured: true },
        });
        expect(await findSeriousViolations(page)).toEqual([]);
      }));
  });
}

/** Creates an endpoint with the dialog. @returns its secret */
async function createEndpoint(page: Page, url: string): Promise<string> {
  await page.getByRole('button', { name: 'Create endpoint' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'URL' }).fill(url);
  await dialog.getByRole('button', { name: 'Create endpoint' }).click();
  const secret = await page.locator('[data-secret]').inputValue();
  expect(secret).toMatch(/^whsec_/);
  await dialog.getByRole('button', { name: 'I have saved this secret' }).click();
  return secret;
}

function sign(secret: string, headers: IncomingHttpHeaders, body: string): string {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
}

interface Receiver {
  readonly url: string;
  /** Headers of the received requests, in order. */
  readonly requests: IncomingHttpHeaders[];
  readonly lastBody: string;
  answer: { readonly status: number; readonly body: string };
  close(): Promise<void>;
}

/** Receives webhooks and answers as the test wants. */
async function startReceiver(): Promise<Receiver> {
  const received: string[] = [];
  const receiver = {
    url: '',
    requests: [] as IncomingHttpHeaders[],
    get lastBody() {
      return received.at(-1) ?? '';
    },
    answer: { status: 200, body: '' },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      receiver.requests.push(request.headers);
      received.push(Buffer.concat(chunks).toString());
      const headers = { 'x-answer': 'yes', 'set-cookie': 'session=1' };
      response.writeHead(receiver.answer.status, headers).end(receiver.answer.body);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the receiver has no port');
  receiver.url = `http://127.0.0.1:${address.port}/hooks`;
  return receiver;
}
