import { describe, expect, it } from '@jest/globals';
import { pageFormats, renderPage } from './pages.js';
import { pageTexts, type PageName } from './page-texts.js';

const names = Object.keys(pageTexts) as PageName[]; // the keys of a constant

describe('the edge’s own pages', () => {
  it.each(names.flatMap((name) => pageFormats.map((format) => [name, format] as const)))(
    '%s as %s is short, has the reference, and is not stored',
    (name, format) => {
      const { status, headers, body } = renderPage(name, format, 'AbC-1');
      expect(status).toBe(pageTexts[name].status);
      expect(body.toString().split('AbC-1')).toHaveLength(2);
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'content-length': String(body.length),
        'x-request-id': 'AbC-1',
        'x-content-type-options': 'nosniff',
      });
      expect(body.length).toBeLessThan(2_500);
    },
  );

  it('are errors of the API in JSON', () =>
    expect(JSON.parse(renderPage('suspended', 'json', 'AbC-1').body.toString())).toEqual({
      code: 'suspended',
      message: pageTexts.suspended.visitor,
      status: 410,
      owner: pageTexts.suspended.owner,
      requestId: 'AbC-1',
    }));

  it('are plain text for other clients', () => {
    expect(renderPage('busy', 'text', 'AbC-1').body.toString()).toBe(
      `Too many requests: ${pageTexts.busy.visitor}\nReference: AbC-1\n`,
    );
    expect(renderPage('suspended', 'text', 'AbC-1').body.toString()).toBe(
      `This site is suspended: ${pageTexts.suspended.visitor}\nIf this is your site: ${pageTexts.suspended.owner}\nReference: AbC-1\n`,
    );
  });

  it.each(pageFormats)('name no reference that is in no log: %s', (format) => {
    const { headers, body } = renderPage('bad_request', format, null);
    expect(body.toString()).not.toMatch(/reference|requestId/i);
    expect(headers).not.toHaveProperty('x-request-id');
  });

  it('differ for each cause', () =>
    expect(new Set(names.map((name) => renderPage(name, 'html', '').body.toString())).size).toBe(names.length));
});
