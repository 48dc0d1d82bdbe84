const DAY_MS = 86_400_000;

/** When to renew: at a third of the lifetime left, at half for certificates that live less than ten days. */
export function renewalTime(notBefore: Date, notAfter: Date): Date {
  const lifetimeMs = notAfter.getTime() - notBefore.getTime();
  const leftMs = lifetimeMs < 10 * DAY_MS ? lifetimeMs / 2 : lifetimeMs / 3;
  return new Date(notAfter.getTime() - leftMs);
}
