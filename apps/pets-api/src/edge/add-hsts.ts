import { PLATFORM_CERTIFICATE, type EdgeRoute, type Hsts } from '@pets/contracts';

/**
 * Adds Strict-Transport-Security to the routes of a project that asks for it. On its own domains it says what the owner
 * asked for; below the platform's domain only that this host is served over TLS: names there are not the owner's to
 * commit, and no browser takes one of them into its list.
 */
export function addHsts(routes: ReadonlyMap<string, EdgeRoute>, hsts: Hsts | null): ReadonlyMap<string, EdgeRoute> {
  if (hsts === null) return routes;
  const { maxAge } = hsts;
  const ofPlatform = headerOf({ maxAge, includeSubDomains: false, preload: false });
  const header = headerOf(hsts);
  return new Map(
    [...routes].map(([host, route]) => [
      host,
      { ...route, hsts: route.certificateId === PLATFORM_CERTIFICATE ? ofPlatform : header },
    ]),
  );
}

/** RFC 6797 §6.1. */
function headerOf({ maxAge, includeSubDomains, preload }: Hsts): string {
  return [
    `max-age=${maxAge}`,
    ...(includeSubDomains ? ['includeSubDomains'] : []),
    ...(preload ? ['preload'] : []),
  ].join('; ');
}
