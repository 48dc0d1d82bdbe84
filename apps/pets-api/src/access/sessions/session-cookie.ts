/** A browser takes this prefix only with `Secure`, `Path=/` and no `Domain`: so no other host, not even a sibling, can set it. */
export const SESSION_COOKIE = '__Host-session';

const attributes = 'Path=/; HttpOnly; Secure; SameSite=Strict';

/** The header that makes a browser keep the key of a session until it ends. */
export function setSessionCookie(secret: string, endsAt: Date, now: Date): string {
  const seconds = Math.max(0, Math.floor((endsAt.getTime() - now.getTime()) / 1_000));
  return `${SESSION_COOKIE}=${secret}; Max-Age=${seconds}; ${attributes}`;
}

export const clearSessionCookie = `${SESSION_COOKIE}=; Max-Age=0; ${attributes}`;

/** The value of a cookie; null if there is none, or several: then it is unknown which of them the server has set. */
export function readCookie(header: string | undefined, name: string): string | null {
  if (header === undefined) return null;
  const values = header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  return values.length === 1 ? (values[0] ?? null) : null;
}
