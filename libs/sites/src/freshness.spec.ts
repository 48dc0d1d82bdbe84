import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { chooseFreshness, freshnessOfName } from './freshness.js';

/** Names that bundlers make of contents, the same in every run: the nth content of each kind. */
function digestOf(kind: string, nth: number): Buffer {
  return createHash('sha256').update(`${kind} ${nth}`).digest();
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const hex = (kind: string, nth: number, length: number) => digestOf(kind, nth).toString('hex').slice(0, length);
const base64 = (kind: string, nth: number) => digestOf(kind, nth).toString('base64url').slice(0, 8);
const base32 = (kind: string, nth: number) =>
  Array.from(digestOf(kind, nth).subarray(0, 8), (byte) => BASE32[byte % 32]).join('');

const bundlers: Readonly<Record<string, (nth: number) => readonly string[]>> = {
  'Vite and Rollup': (nth) => [
    `assets/index-${base64('v', nth)}.js`,
    `assets/index-legacy-${base64('w', nth)}.js.map`,
    `assets/page.${base64('x', nth)}.css`,
    `assets/inter-latin-400-normal-${base64('y', nth)}.woff2`,
    `assets/guide_start.md.${base64('z', nth)}.lean.js`,
  ],
  webpack: (nth) => [
    `static/js/main.${hex('a', nth, 8)}.chunk.js`,
    `${nth}.${hex('b', nth, 20)}.js`,
    `css/app.${hex('c', nth, 10)}.css`,
    `${hex('d', nth, 20)}.woff2`,
    `main-${hex('e', nth, 16)}.min.css`,
  ],
  esbuild: (nth) => [
    `chunk-${base32('f', nth)}.js`,
    `main-${base32('g', nth)}.css`,
    `font-${base32('h', nth)}.woff`,
    `core-${base32('i', nth)}.wasm`,
  ],
  Parcel: (nth) => [`index.${hex('j', nth, 8)}.js`, `style.${hex('k', nth, 8)}.css`, `font.${hex('l', nth, 8)}.ttf`],
  Next: (nth) => [
    `_next/static/chunks/app/page-${hex('m', nth, 16)}.js`,
    `_next/static/css/${hex('n', nth, 16)}.css`,
    `_next/static/media/${hex('o', nth, 16)}-s.p.woff2`,
    `_next/static/${base64('p', nth)}/_buildManifest.js`,
    `docs/_next/static/chunks/framework.js`,
  ],
  SvelteKit: (nth) => [`_app/immutable/entry/start.${base64('q', nth)}.js`, `_app/immutable/nodes/${nth}.js`],
};

describe('names that a bundler makes of contents', () => {
  it.each(Object.keys(bundlers))('are known for a year: %s, 19 of 20 at least', (bundler) => {
    const names = Array.from({ length: 2_000 }, (_, nth) => bundlers[bundler]?.(nth) ?? []).flat();
    const known = names.filter((name) => freshnessOfName(name) === 'year');
    expect(known.length / names.length).toBeGreaterThanOrEqual(0.95);
  });

  it.each([
    'app-68b329da9893e34099c7d8ad5cb9c940.css',
    'main.min.8d969eef6ecad3c29a3a629280e686cf0c3f5d5a86aff3ca12020c923adc6c92.css',
    'base.27e20196a850.css',
    'codicon-DCmgc-ay.ttf',
    'index--X1o2aQ9.js',
    'main-OHACCTTC.mjs',
    '_next/static/media/logo.3f2a9c1b.png',
  ])('%s', (path) => expect(freshnessOfName(path)).toBe('year'));

  it.each(['3f2a9c1b4d5e6f70.png', 'assets/hero-BkX1o2aQ.webp', 'video.3f2a9c1b.mp4', 'img/logo-5B3KTQ2M.svg'])(
    'are known for a day at first, of media: %s',
    (path) => expect(freshnessOfName(path)).toBe('day'),
  );
});

describe('names that stay when the content changes', () => {
  it.each(
    `index.html posts/3f2a9c1b4d5e6f70.html index-BkX1o2aQ.html feed.3f2a9c1b.xml app.js app.min.js service-worker.js
    64f1c0ffee0123456789abcd.json user-5f3a9c1b.json data-BkX1o2aQ.json notes.3f2a9c1b.txt report.3f2a9c1b.pdf
    64f1c0ffee0123456789abcd.js app-64f1c0ffee0123456789abcd.css avatar-64F1C0FFEE0123456789ABCD.png
    avatar-550e8400-e29b-41d4-a716-446655440000.png 550e8400e29b41d4a716446655440000.js
    018f3a5c2b7e7a3c9d4e5f6a7b8c9d0e.css 550e8400-e29b-11d4-a716-446655440000.js
    _next/static/64f1c0ffee0123456789abcd.js _next/static/chunks/manifest.json _app/immutable/data.json
    report-20240131.png styles.20240131.css app-202401311200.js photo-2024-01-31.jpg main.1701234567890.js
    slides-Chapter1.png slides-Lecture12.png trip-DSC00012.jpg trip-P1010023.jpg logo-MainPage.svg app-MainPage.js
    logo-deadbeef.svg lib-deadbeef.js logo-facade1990.svg logo-1990decade.svg jquery-3.7.1.min.js
    bootstrap.bundle.min.js 3f2a9c1b.js BkX1o2aQ.js a.3f2a9c1/app.js manifest.json robots.txt .well-known/security.txt
    next/static/chunks/framework.js LICENSE polyfills-es2015.js lib-HtmlDocs.js lib-XmlUtils.js ui-DataGrid.js
    ui-jQueryUI.js my-OAuth2UI.js my-Es6Utils.js lib-H264Deco.js lib-v2Beta10.js lang-zh_Hans2.js lang-sr-Latn-x.css
    lib-README01.js lib-RELEASE2.js lib-WIN32API.js lib-Mp3Codec.js app-Web3Auth.js ui-SvgIcons.css ui-CssGrids.css
    ui-JsBundle.js iPhone15.css ui-iPhone15.css font-OpenSans.woff2 font-SansPro3.woff2 FiraCode-SemiBold.woff2
    Inter-Bold600.woff2 Roboto-BlackIta.ttf NotoSans-Medium.ttf get-main-file-dir.js css-any-link.js k47-base64url.js
    chacha20-poly1305.js neg-vs-pos-0.js ArrowIcon-Vertical.js pdf.worker.min.mjs swagger-ui-bundle.js
    chart-KPIPanel.js site-FAQPages.css app-TVGuides.js map-GPSTrack.js form-KYCForms.js app-GDPRInfo.js
    auth-LoginJWT.js ui-RGBPanel.js font-IBMPlexS.woff2 widget-BTCPrice.js lang-zhCNFull.js app-GitHubUI.js
    app-iOSStyle.css app-WWWIndex.js app-SKUTable.js
    site-UserCard.css site-LoginBox.css site-PageTwo2.css site-FaqItems.css app-NewUsers.js app-AboutUs2.js`.split(
      /\s+/,
    ),
  )('%s', (path) => expect(freshnessOfName(path)).toBe('revalidated'));
});

describe('earlier deployments', () => {
  const [a, b] = [
    { sha256: 'a', bytes: 1, freshness: 'day' },
    { sha256: 'b', bytes: 1, freshness: 'day' },
  ] as const;
  it.each([
    ['nothing at the path', 'app.3f2a9c1b.js', [], 'year'],
    ['the same content', 'app.3f2a9c1b.js', [a, a], 'year'],
    ['other content once', 'app.3f2a9c1b.js', [a, b, a], 'revalidated'],
    [
      'the same content, which was another before',
      'app.3f2a9c1b.js',
      [{ ...a, freshness: 'revalidated' }],
      'revalidated',
    ],
    ['no media at the path', 'hero-BkX1o2aQ.webp', [], 'day'],
    ['the same media', 'hero-BkX1o2aQ.webp', [a], 'year'],
    ['other media', 'hero-BkX1o2aQ.webp', [a, b], 'revalidated'],
    ['the same content at a stable name', 'app.js', [a, a], 'revalidated'],
  ] as const)('with %s', (_what, path, earlier, freshness) =>
    expect(chooseFreshness(path, 'a', earlier)).toBe(freshness),
  );
});
