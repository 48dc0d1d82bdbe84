import { domainToASCII } from 'node:url';

interface OriginSettings {
  readonly DASHBOARD_ORIGIN?: string | undefined;
  readonly PUBLIC_URL: string;
}

/** The origin at which browsers open the dashboard. */
export function dashboardOriginOf({ DASHBOARD_ORIGIN, PUBLIC_URL }: OriginSettings): string {
  return DASHBOARD_ORIGIN ?? new URL(PUBLIC_URL).origin;
}

/** Whether the dashboard would be at or below the platform domain, where sites of customers are. */
export function isBelowPlatform(settings: OriginSettings & { readonly PLATFORM_DOMAIN: string }): boolean {
  const { hostname } = new URL(dashboardOriginOf(settings));
  const [host, platform] = [hostname, settings.PLATFORM_DOMAIN].map((name) => domainToASCII(name).replace(/\.$/, ''));
  return `.${host}`.endsWith(`.${platform}`);
}

/** @throws Error for a text that is no origin */
export function parseOrigin(text: string): string {
  const { origin, protocol, href } = new URL(text);
  if (!/^https?:$/.test(protocol) || href !== `${origin}/`)
    throw new Error('is not an origin, such as https://dashboard.example');
  return origin;
}
