import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  chromiumLaunch,
  describeWhen,
  missingBrowser,
  startIdentityProvider,
  startTcpProxy,
  type IdentityProvider,
  type TcpProxy,
} from '@pets/testing';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { startTestApi, type TestApi } from '../harness.js';
import { invite } from './person-client.js';

const STEP_LIMIT_MS = 15_000;

describeWhen(describe, 'people in the dashboard in a browser', missingBrowser, () => {
  let browser: Browser;
  let proxy: TcpProxy;
  let provider: IdentityProvider;
  let api: TestApi;
  let url: string;
  beforeAll(async () => {
    browser = await chromium.launch(chromiumLaunch());
    // The API and the provider each need the address of the other before they start.
    const target = { port: 0 };
    proxy = await startTcpProxy(target);
    url = `http://127.0.0.1:${proxy.port}`;
    provider = await startIdentityProvider(`${url}/dashboard/sign-in/callback`);
    provider.setAccount('ada', { name: 'Ada Lovelace', email: 'ada@example.com' });
    provider.setAccount('bo', { name: 'Bo Diddley', email: 'bo@example.com' });
    const settings = { ...provider.settings, PUBLIC_URL: url, OIDC_NAME: 'Acme ID', OIDC_SIGN_OUT: 'true' };
    api = await startTestApi(settings);
    target.port = Number(new URL(api.url).port);
  }, 60_000);
  afterAll(async () => {
    await browser.close();
    await api.close();
    await proxy.close();
    await provider.stop();
  });

  async function openContext(): Promise<{ readonly context: BrowserContext; readonly page: Page }> {
    const context = await browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce' });
    context.setDefaultTimeout(STEP_LIMIT_MS);
    return { context, page: await context.newPage() };
  }

  async function signInAs(page: Page, account: string): Promise<void> {
    await page.getByRole('button', { name: 'Sign in with Acme ID' }).click();
    await page.getByRole('heading', { name: 'Provider' }).waitFor();
    await page.getByLabel('Account').fill(account);
    await page.getByRole('button', { name: 'Continue' }).click();
  }

  const accountMenu = (page: Page) => page.getByRole('button', { name: 'Account of Acme' });

  it(
    'are invited, sign in from another site and out of it, return to their page, and end with their removal',
    async () => {
      const { key } = await api.createOrganization('pro');
      const owner = await openContext();
      const { page } = owner;
      await page.goto(`${url}/dashboard/invitation#${await invite(api, key, 'owner')}`);
      await page.getByText('You have been invited.').waitFor();
      await signInAs(page, 'ada');
      await accountMenu(page).click();
      await page.getByText('Ada Lovelace · Owner').waitFor();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();

      await page.getByRole('button', { name: 'Yes, sign me out' }).click();
      await page.getByRole('button', { name: 'Sign in with Acme ID' }).waitFor();
      expect(new URL(page.url()).pathname).toBe('/dashboard/');

      await page.goto(`${url}/dashboard/audit`);
      // The provider no longer knows who it is.
      await signInAs(page, 'ada');
      await page.getByRole('heading', { name: 'Audit log' }).waitFor();
      expect(new URL(page.url()).pathname).toBe('/dashboard/audit');
      await page.getByRole('cell', { name: 'Person Ada Lovelace' }).first().waitFor();

      await page.getByRole('link', { name: 'People' }).click();
      await page.getByRole('button', { name: 'Invite person' }).click();
      await page.getByRole('textbox', { name: 'Name' }).fill('Bo');
      await page.getByRole('dialog').getByRole('button', { name: 'Invite person' }).click();
      const link = await page.getByRole('textbox', { name: 'Invitation link' }).inputValue();
      await page.getByRole('button', { name: 'I have saved this link' }).click();

      const viewer = await openContext();
      await viewer.page.goto(link);
      await signInAs(viewer.page, 'bo');
      await accountMenu(viewer.page).waitFor();
      await viewer.page.getByText('Your role, Viewer, lets you read this page but not change it.').waitFor();
      await viewer.page.getByRole('link', { name: 'People' }).click();
      await viewer.page.getByRole('cell', { name: 'Bo Diddley (you)' }).waitFor();
      expect(await viewer.page.getByRole('button', { name: /Invite|Remove|Change role/ }).count()).toBe(0);

      await page.reload();
      await page.getByRole('button', { name: 'Remove Bo Diddley' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
      await page.getByRole('button', { name: 'Remove Bo Diddley' }).waitFor({ state: 'detached' });
      await viewer.page.getByRole('link', { name: 'Animals' }).click();
      await viewer.page.getByText('Your session has ended.').waitFor();
      await viewer.context.close();
      await owner.context.close();
    },
    8 * STEP_LIMIT_MS,
  );

  it(
    'get another role, and an invitation is deleted',
    async () => {
      const { key } = await api.createOrganization('pro');
      const { context, page } = await openContext();
      provider.setAccount('cy', { name: 'Cy Twombly' });
      provider.setAccount('di', { name: 'Di Prima' });
      const invited = await openContext();
      await invited.page.goto(`${url}/dashboard/invitation#${await invite(api, key, 'viewer')}`);
      await signInAs(invited.page, 'di');
      await accountMenu(invited.page).waitFor();
      await invited.context.close();
      await page.goto(`${url}/dashboard/invitation#${await invite(api, key, 'owner')}`);
      await signInAs(page, 'cy');
      await page.getByRole('link', { name: 'People' }).click();

      await page.getByRole('row').filter({ hasText: 'Di Prima' }).getByRole('button', { name: 'Change role' }).click();
      const dialog = page.getByRole('dialog', { name: 'Change the role of Di Prima' });
      await dialog.getByLabel('Role').selectOption('developer');
      await dialog.getByRole('button', { name: 'Save role' }).click();
      await page.getByRole('status').getByText('Di Prima is now Developer.').waitFor();
      await page.getByRole('row').filter({ hasText: 'Di Prima' }).getByRole('cell', { name: 'Developer' }).waitFor();

      const name = 'Eva Hesse';
      await api.request('POST', '/v1/invitations', { key, body: { name, role: 'admin' } });
      await page.reload();
      await page.getByRole('button', { name: `Delete invitation ${name}` }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete invitation' }).click();
      await page.getByRole('status').getByText(`Invitation of ${name} deleted.`).waitFor();
      await page.getByText('No open invitations.').waitFor();
      const { body } = await api.request<readonly unknown[]>('GET', '/v1/invitations', { key });
      expect(body).toEqual([]);
      await context.close();
    },
    4 * STEP_LIMIT_MS,
  );

  it(
    'are not invited without an identity provider, and the page says so',
    async () => {
      const target = { port: 0 };
      const plainProxy = await startTcpProxy(target);
      const address = `http://127.0.0.1:${plainProxy.port}`;
      const plain = await startTestApi({ PUBLIC_URL: address });
      target.port = Number(new URL(plain.url).port);
      const { context, page } = await openContext();
      const { key } = await plain.createOrganization('pro');
      await page.goto(`${address}/dashboard/people`);
      await page.getByLabel('API key', { exact: true }).fill(key);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByText('once the operator has set up sign-in with an identity provider').waitFor();
      await page.getByText('No open invitations.').waitFor();
      expect(await page.getByRole('button', { name: /Invite/ }).count()).toBe(0);
      await context.close();
      await plain.close();
      await plainProxy.close();
    },
    4 * STEP_LIMIT_MS,
  );

  it(
    'who belong to no organization see why, and who cancel can try again',
    async () => {
      const { context, page } = await openContext();
      provider.setAccount('eve', { name: '<b>Eve</b>' });
      await page.goto(`${url}/dashboard/audit`);
      await signInAs(page, 'eve');
      await page.getByText('You are signed in as <b>Eve</b>, but belong to no organization here.').waitFor();
      expect(new URL(page.url()).pathname).toBe('/dashboard/audit');
      await context.clearCookies();
      await page.goto(`${url}/dashboard/`);
      await page.getByRole('button', { name: 'Sign in with Acme ID' }).click();
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByText('You cancelled the sign-in').waitFor();
      await page.getByRole('button', { name: 'Sign in with Acme ID' }).waitFor();
      await context.close();
    },
    4 * STEP_LIMIT_MS,
  );
});
