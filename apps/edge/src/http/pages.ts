/** The edge's own pages: small, self-contained, and without any information about the owner of a name. */

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
    text: 'The address or the headers of this request are not valid.',
  },
  not_found: { status: 404, title: 'Not found', text: 'There is no page at this address.' },
  unknown_host: {
    status: 404,
    title: 'No site here yet',
    text: 'This domain points to this server, but no site is connected to it. The domain was not added, its DNS records are not verified yet, or it was removed. If this is your domain, add it to your project and create the DNS records shown there. Changes take a few minutes to take effect.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    text: 'This site supports only GET and HEAD requests.',
    headers: { allow: 'GET, HEAD' },
  },
  not_acceptable: {
    status: 406,
    title: 'Not acceptable',
    text: 'This file is not available in a content encoding that your client accepts.',
  },
  request_timeout: { status: 408, title: 'Request timeout', text: 'The request did not arrive in time.' },
  suspended: {
    status: 410,
    title: 'This site is suspended',
    text: 'The platform has suspended this site. If this is your site, open the domain’s page in your project to see the reason and what to do.',
  },
  precondition_failed: {
    status: 412,
    title: 'Precondition failed',
    text: 'This file does not match the precondition of the request.',
  },
  range_not_satisfiable: {
    status: 416,
    title: 'Range not satisfiable',
    text: 'This file ends before the requested range.',
  },
  misdirected: {
    status: 421,
    title: 'Misdirected request',
    text: 'This connection was opened for another domain, or the domain is no longer served here. Reload the page.',
  },
  headers_too_large: { status: 431, title: 'Headers too large', text: 'The headers of this request are too large.' },
  certificate_pending: {
    status: 503,
    title: 'Certificate pending',
    text: 'This domain is being set up and has no certificate yet. Try again in a minute. If this is your domain and the problem continues, open the domain’s page in your project to see what is missing.',
    headers: { 'retry-after': '30' },
  },
  busy: {
    status: 503,
    title: 'Too many requests',
    text: 'The server is handling too many requests. Try again in a few seconds.',
    headers: { 'retry-after': '5' },
  },
  unavailable: {
    status: 503,
    title: 'Temporarily unavailable',
    text: 'This page is not available right now. Try again in a minute.',
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

/** Renders each page once. */
export function renderPage(name: PageName): RenderedPage {
  const page = rendered.get(name) ?? render(pages[name]);
  rendered.set(name, page);
  return page;
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
