/** A person returns to a page of the dashboard and to nothing else. */
const START_PAGE = '/dashboard/';

const MAX_LENGTH = 1_000;

/**
 * The path of the dashboard to which a person returns after the sign-in; its start page instead of any other address.
 * Browsers read `//host` and `/\host` as another host, ignore tabs and line feeds, and resolve dots.
 */
export function returnPathOf(text: string, dashboardOrigin: string): string {
  if (text.length > MAX_LENGTH || !/^\/dashboard(?:[/?#]|$)/.test(text) || /[\\\p{Cc}]/u.test(text)) return START_PAGE;
  const url = URL.parse(text, dashboardOrigin);
  if (url?.origin !== dashboardOrigin || !/^\/dashboard(?:\/|$)/.test(url.pathname)) return START_PAGE;
  // These are no pages, and one of them would start over.
  if (/^\/dashboard\/(?:sign-in|session)\b/.test(url.pathname)) return START_PAGE;
  return url.pathname + url.search + url.hash;
}
