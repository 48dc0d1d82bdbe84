/** The texts of the edge’s own pages: one entry for each cause, without any information about the owner of a name. */

export interface PageText {
  readonly status: number;
  readonly title: string;
  /** Explanation for the visitor. */
  readonly visitor: string;
  /** Instruction for the owner of the site; absent where the owner can do nothing. */
  readonly owner?: string;
  /** A link to the start page of the site. */
  readonly linksHome?: true;
  readonly headers?: Readonly<Record<string, string>>;
}

export const pageTexts = {
  bad_request: {
    status: 400,
    title: 'Bad request',
    visitor: 'The address or the headers of this request are not valid. Check the address.',
  },
  /** RFC 9110 §15.5.2 requires a challenge; browsers know no scheme of this name, and so ask for no password. */
  link_required: {
    status: 401,
    title: 'Open this site with its link',
    visitor:
      'This site is protected: it opens only with a link from its owner. Open the link that you received. If it has ended, ask for a new one.',
    owner: 'Create a link for this channel in your project, or run pets channels link.',
    headers: { 'www-authenticate': 'PreviewLink', 'referrer-policy': 'no-referrer' },
  },
  not_found: {
    status: 404,
    title: 'Page not found',
    visitor: 'There is no page at this address. It may have moved, or the address may have a typing error.',
    owner:
      'The current deployment has no file for this path. Deploy a version that has it. To show a page of your own instead of this one, add a file 404.html.',
    linksHome: true,
  },
  unknown_host: {
    status: 404,
    title: 'No site here yet',
    visitor:
      'This domain leads to our server, but no site is connected to it. If you followed a link, try again later.',
    owner:
      'The domain was not added, its DNS records are not verified yet, it was removed, or it is excluded from a wildcard. Add it to your project and create the DNS records shown there. If you have done that, open the domain’s page, or run pets domains doctor, to see what is missing. Changes take a few minutes to take effect.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    visitor: 'This site can be read, but nothing can be sent to it: it supports only GET and HEAD requests.',
    owner: 'Projects serve files. Send forms and API requests to a server of your own.',
    headers: { allow: 'GET, HEAD' },
  },
  not_acceptable: {
    status: 406,
    title: 'Not acceptable',
    visitor: 'This file is not available in a content encoding that your client accepts.',
    owner: 'The deployment has only a compressed form of this file. Deploy the uncompressed file as well.',
  },
  request_timeout: {
    status: 408,
    title: 'Request timeout',
    visitor: 'The request did not arrive in time. Reload the page.',
  },
  suspended: {
    status: 410,
    title: 'This site is suspended',
    visitor: 'The platform has suspended this site. It is not available at the moment.',
    owner: 'Open the domain’s page in your project to see the reason and what to do.',
  },
  precondition_failed: {
    status: 412,
    title: 'Precondition failed',
    visitor: 'This file does not match the precondition of the request. It has changed: load it again.',
  },
  range_not_satisfiable: {
    status: 416,
    title: 'Range not satisfiable',
    visitor: 'This file ends before the requested range. It may have changed: download it again.',
  },
  misdirected: {
    status: 421,
    title: 'Misdirected request',
    visitor: 'This connection was opened for another domain, or the domain is no longer served here. Reload the page.',
  },
  headers_too_large: {
    status: 431,
    title: 'Headers too large',
    visitor: 'The headers of this request are too large. Delete the cookies of this site and reload the page.',
    owner: 'The address and all headers together, cookies included, may have 16 KiB. Set fewer or smaller cookies.',
  },
  origin_unreachable: {
    status: 502,
    title: 'Application not reachable',
    visitor: 'The application behind this site cannot be reached. Try again in a minute.',
    owner:
      'The connection to your application failed: its host has no address, nothing listens at its port, or a firewall refuses the connection. Check the origin of the domain or its project, and test it there.',
  },
  origin_certificate: {
    status: 502,
    title: 'Application not verified',
    visitor: 'The connection to the application behind this site is not secure. Try again later.',
    owner:
      'The certificate of your application is not valid for its host, has expired, or has no complete chain. Renew it, or correct the host of the origin.',
  },
  origin_not_allowed: {
    status: 502,
    title: 'Application not allowed',
    visitor: 'The application behind this site has an address that cannot be used. Try again later.',
    owner: 'The origin must have an address on the public Internet, https, and the port 80, 443, or one from 1024.',
  },
  origin_invalid_answer: {
    status: 502,
    title: 'No valid answer',
    visitor: 'The application behind this site did not answer as it should. Try again in a minute.',
    owner:
      'Your application closed the connection before its answer was complete, or its answer is not valid HTTP. See its log for this time.',
  },
  origin_limit: {
    status: 503,
    title: 'Too many requests',
    visitor: 'The application behind this site is handling too many requests. Try again in a few seconds.',
    owner:
      'All connections to your application are in use, and too many requests wait for one. Make it answer faster, or raise maxConnections of the origin.',
    headers: { 'retry-after': '5' },
  },
  origin_timeout: {
    status: 504,
    title: 'Application too slow',
    visitor: 'The application behind this site did not answer in time. Try again in a minute.',
    owner: 'Your application did not begin its answer within the time that its origin allows.',
  },
  origin_loop: {
    status: 508,
    title: 'Loop detected',
    visitor: 'The requests for this site lead back to this server. Try again later.',
    owner: 'The origin is a name that is served here, or leads here. Enter the host at which your own server runs.',
  },
  certificate_pending: {
    status: 503,
    title: 'Certificate pending',
    visitor: 'This domain is being set up and has no certificate yet. Try again in a minute.',
    owner:
      'The certificate is usually there within a few minutes. If this continues, open the domain’s page in your project to see what is missing.',
    headers: { 'retry-after': '30' },
  },
  not_published: {
    status: 503,
    title: 'Nothing published yet',
    visitor: 'This domain is ready, but its site is not published yet. Try again later.',
    owner: 'Create a deployment in your project. It is served as soon as the upload is complete.',
    headers: { 'retry-after': '30' },
  },
  busy: {
    status: 503,
    title: 'Too many requests',
    visitor: 'The server is handling too many requests. Try again in a few seconds.',
    headers: { 'retry-after': '5' },
  },
  out_of_contact: {
    status: 503,
    title: 'Server not ready',
    visitor: 'This server has no current information about its sites. Try again in a minute.',
    owner: 'Your domain and its DNS records need no change. The operator has to restore the connection of this server.',
    headers: { 'retry-after': '30' },
  },
  unavailable: {
    status: 503,
    title: 'Temporarily unavailable',
    visitor: 'This page could not be loaded. Try again in a minute.',
    owner: 'If this continues, report the reference below to the platform operator.',
    headers: { 'retry-after': '30' },
  },
} as const satisfies Record<string, PageText>;

export type PageName = keyof typeof pageTexts;
