/**
 * The development DNS server: what a domain's owner would do at a registrar is here a PUT to its control port.
 * What is not in it does not exist, except the platform's own domain, which is on this machine.
 */
import { serveLocally } from '../http-server.js';
import { controlHandler } from './control.js';
import { listen } from './listeners.js';
import { canonicalName, toAnswer, type ZoneRecord } from './record-data.js';
import { Zone, type Failure, type UpdatedZone } from './zone.js';

export type DevDnsOptions = {
  /** UDP and TCP; 0 takes a free one. */
  readonly port?: number;
  readonly controlPort?: number;
  /** This name and all below it resolve to 127.0.0.1. */
  readonly platformDomain?: string;
  /** A zone of challenges, which takes signed updates (RFC 2136, RFC 8945). */
  readonly challengeZone?: UpdatedZone;
};

export type DevDns = {
  readonly port: number;
  /** `127.0.0.1:<port>`, as resolvers are configured. */
  readonly address: string;
  readonly controlUrl: string;
  put(record: Omit<ZoneRecord, 'ttl'> & { ttl?: number }): void;
  remove(name: string, type?: string): void;
  fail(failure: Failure): void;
  heal(name: string, type?: string): void;
  close(): Promise<void>;
};

export async function startDevDns({
  port = 0,
  controlPort = 0,
  platformDomain,
  challengeZone,
}: DevDnsOptions = {}): Promise<DevDns> {
  const zone = new Zone(platformDomain, challengeZone);
  const listeners = await listen(zone, port);
  const control = await serveLocally(controlPort, controlHandler(zone));
  return {
    port: listeners.port,
    address: `127.0.0.1:${listeners.port}`,
    controlUrl: control.url,
    put: (record) => {
      const complete = { ttl: 60, ...record, name: canonicalName(record.name) };
      toAnswer(complete); // throws where the data is no such record
      zone.put(complete);
    },
    remove: (name, type) => zone.remove(canonicalName(name), type),
    fail: (failure) => zone.putFailure({ ...failure, name: canonicalName(failure.name) }),
    heal: (name, type) => zone.removeFailure(canonicalName(name), type),
    close: async () => {
      await Promise.all([listeners.close(), control.close()]);
    },
  };
}
