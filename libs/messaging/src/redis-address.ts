/**
 * The address of Redis in one setting:
 *
 *   redis://[user:password@]host:port[/db]                        one server; `rediss:` with TLS
 *   redis-sentinel://[user:password@]host:port,host:port/name     the master with that name at the sentinels
 *   redis-cluster://[user:password@]host:port,host:port           a cluster, found through any of these
 *
 * Sentinels and clusters have `rediss-…` too. The user and password are those of Redis itself; `?sentinelPassword=…` is the
 * password of the sentinels.
 */
export type RedisAddress =
  | { readonly kind: 'single'; readonly url: string }
  | ({ readonly kind: 'sentinel'; readonly name: string; readonly sentinelPassword?: string } & Shared)
  | ({ readonly kind: 'cluster' } & Shared);

interface Shared {
  readonly nodes: readonly { readonly host: string; readonly port: number }[];
  readonly username?: string;
  readonly password?: string;
  readonly hasTls: boolean;
}

const SEVERAL =
  /^(?<scheme>rediss?)-(?<kind>sentinel|cluster):\/\/(?:(?<user>[^:@/]*)(?::(?<password>[^@/]*))?@)?(?<nodes>[^/?@]+)(?:\/(?<name>[^/?]*))?(?:\?sentinelPassword=(?<sentinelPassword>[^&]+))?$/;
const NODE = /^(?<host>\[[0-9a-fA-F:.]+\]|[^:[\]]+):(?<port>\d{1,5})$/;

/** @returns null when the text is not a Redis address */
export function parseRedisAddress(text: string): RedisAddress | null {
  if (/^rediss?:\/\//.test(text)) return URL.canParse(text) ? { kind: 'single', url: text } : null;
  const { scheme, kind, user, password, nodes = '', name = '', sentinelPassword } = SEVERAL.exec(text)?.groups ?? {};
  const found = nodes.split(',').map(parseNode);
  const known = found.filter((node) => node !== null);
  if (kind === undefined || known.length < found.length) return null;
  const shared: Shared = {
    nodes: known,
    ...(user !== undefined && user !== '' && { username: decodeURIComponent(user) }),
    ...(password !== undefined && { password: decodeURIComponent(password) }),
    hasTls: scheme === 'rediss',
  };
  if (kind === 'cluster') return name === '' && sentinelPassword === undefined ? { kind, ...shared } : null;
  if (name === '') return null;
  const own = sentinelPassword === undefined ? {} : { sentinelPassword: decodeURIComponent(sentinelPassword) };
  return { kind: 'sentinel', name, ...own, ...shared };
}

export function isRedisAddress(text: string): boolean {
  return parseRedisAddress(text) !== null;
}

function parseNode(text: string): { host: string; port: number } | null {
  const { host, port } = NODE.exec(text)?.groups ?? {};
  if (host === undefined || port === undefined || Number(port) === 0 || Number(port) > 65_535) return null;
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
}
