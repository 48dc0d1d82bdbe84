import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chromiumLaunch, describeWhen, freePort, missingBrowser } from '@pets/testing';
import axe from 'axe-core';
import { chromium, type Browser } from 'playwright-core';
import { pageTexts, type PageName } from '../src/http/page-texts.js';
import { renderPage } from '../src/http/pages.js';

const names = Object.keys(pageTexts) as PageName[]; // the keys of a constant

describeWhen(describe, 'the edge’s own pages in a browser', missingBrowser, () => {
  let server: Server;
  let browser: Browser;
  let origin = '';
  beforeAll(async () => {
    server = createServer((request, response) => {
      const { headers, body } = renderPage(request.url?.slice(1) as PageName, 'html', 'AbC-1'); // asked by this test alone
      response.writeHead(200, headers).end(body);
    });
    const port = await freePort();
    await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening));
    origin = `http://127.0.0.1:${port}`;
    browser = await chromium.launch(chromiumLaunch());
  });
  afterAll(async () => {
    await browser.close();
    server.closeAllConnections();
    server.close();
  });

  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 320],
  ] as const)('are accessible, fit the screen and load nothing: %s, %i px', async (colorScheme, width) => {
    const context = await browser.newContext({ colorScheme, viewport: { width, height: 720 } });
    const page = await context.newPage();
    const problems: string[] = [];
    page.on('console', (message) => problems.push(message.text()));
    page.on('request', (request) => {
      if (!request.isNavigationRequest() && !request.url().endsWith('/favicon.ico')) problems.push(request.url());
    });
    for (const name of names) {
      await page.goto(`${origin}/${name}`);
      await page.evaluate(axe.source);
      const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run());
      problems.push(...violations.map(({ id, nodes }) => `${name}: ${id}: ${nodes.map(({ html }) => html).join(' ')}`));
      // The policy allows the style by its hash.
      expect(await page.evaluate('getComputedStyle(document.body).marginTop')).toBe('0px');
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    }
    expect(problems).toEqual([]);
    await context.close();
  });
});
