import { isIPv6 } from 'node:net';

/** Host and port at which a name server listens. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

const DNS_PORT = 53;

/** Reads `192.0.2.1`, `192.0.2.1:8053`, `2001:db8::1` or `[2001:db8::1]:8053`. */
export function parseServerAddress(text: string): ServerAddress {
  const bracketed = /^\[(?<host>.+)\](?::(?<port>\d+))?$/.exec(text)?.groups;
  if (bracketed) return { host: bracketed.host ?? '', port: Number(bracketed.port ?? DNS_PORT) };
  if (isIPv6(text)) return { host: text, port: DNS_PORT };
  const [host = '', port = DNS_PORT] = text.split(':');
  return { host, port: Number(port) };
}

/** `address:port`, IPv6 in brackets. */
export function formatServerAddress({ host, port }: ServerAddress): string {
  return isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
}
