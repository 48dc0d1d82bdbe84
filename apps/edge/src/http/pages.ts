/** The edge's own answers: small, self-contained, and silent about who owns a name. */

interface Page {
  readonly status: number;
  readonly title: string;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const pages = {
  bad_request: {
    status: 400,
    title: 'Bad request',
    text: 'The address or the headers of this request cannot be understood.',
  },
  not_found: { status: 404, title: 'Not found', text: 'There is no page at this address.' },
  unknown_host: {
    status: 404,
    title: 'No site here yet',
    text: 'This domain points here, but no site is connected to it: it was not added, its DNS records are not verified yet, or it was removed. If it is yours, add it to your project and create the DNS records that are shown there; if you have just done so, it takes a few minutes to take effect.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    text: 'This site can only be read.',
    headers: { allow: 'GET, HEAD' },
  },
  not_acceptable: {
    status: 406,
    title: 'Not acceptable',
    text: 'This file is not available in an encoding that your program accepts.',
  },
  request_timeout: { status: 408, title: 'Request timeout', text: 'The request did not arrive in time.' },
  suspended: {
    status: 410,
    title: 'This site is suspended',
    text: 'The platform has suspended this site. If it is yours, the domain’s page in your project says why and what to do.',
  },
  precondition_failed: {
    status: 412,
    title: 'Precondition failed',
    text: 'This file is not the one that the request is meant for.',
  },
  range_not_satisfiable: {
    status: 416,
    title: 'Range not satisfiable',
    text: 'This file ends before the part that was asked for.',
  },
  misdirected: {
    status: 421,
    title: 'Misdirected request',
    text: 'This connection was opened for another name, or the name is no longer served here. Open the address again.',
  },
  headers_too_large: { status: 431, title: 'Headers too large', text: 'The headers of this request are too large.' },
  certificate_pending: {
    status: 503,
    title: 'Certificate pending',
    text: 'This domain is being set up: its certificate is on the way. Please try again in a minute. If it is yours and this lasts, the domain’s page in your project says what the certificate waits for.',
    headers: { 'retry-after': '30' },
  },
  busy: {
    status: 503,
    title: 'Too many requests',
    text: 'Too many requests are being answered at the moment. Please try again in a few seconds.',
    headers: { 'retry-after': '5' },
  },
  unavailable: {
    status: 503,
    title: 'Temporarily unavailable',
    text: 'This page cannot be shown at the moment. Please try again in a minute.',
    headers: { 'retry-after': '30' },
  },
} as const satisfies Record<string, Page>;

export type PageName = keyof typeof pages;

export interface RenderedPage {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const rendered = new Map<PageName, RenderedPage>();

/** A page as it is sent, made once. */
export function renderPage(name: PageName): RenderedPage {
  const known = rendered.get(name) ?? render(pages[name]);
  rendered.set(name, known);
  return known;
}

function render(page: Page): RenderedPage {
  const body = Buffer.from(
    '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">' +
      `<title>${page.title}</title><style>body{font:16px/1.5 system-ui,sans-serif;max-width:32em;margin:15vh auto;padding:0 1em}</style>` +
      `<h1>${page.title}</h1><p>${page.text}</p></html>\n`,
  );
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-length': String(body.length),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    ...page.headers,
  };
  return { status: page.status, headers, body };
}
