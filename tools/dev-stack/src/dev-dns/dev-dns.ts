/**
 * The development DNS server: what a domain's owner would do at a registrar is here a PUT to its control port.
 * What is not in it does not exist, except the platform's own domain, which is at the edge.
 */
import { serveLocally } from '../http-server.js';
import { controlHandler } from './control.js';
import { listen } from './listeners.js';
import { canonicalName, toAnswer, type ZoneRecord } from './record-data.js';
import { RecordsFile } from './records-file.js';
import { Zone, type Failure, type UpdatedZone } from './zone.js';

const LOOPBACK = '127.0.0.1';

export type DevDnsOptions = {
  /** UDP and TCP; 0 takes a free one. */
  readonly port?: number;
  readonly controlPort?: number;
  /** IPv4 address that both listen on; by default 127.0.0.1. */
  readonly host?: string;
  /** This name and all below it resolve to `platformAddress`. */
  readonly platformDomain?: string;
  /** IPv4 address of the edge; by default 127.0.0.1. */
  readonly platformAddress?: string;
  /** A zone of challenges, which takes signed updates (RFC 2136, RFC 8945). */
  readonly challengeZone?: UpdatedZone;
  /** Keeps the records that are put in over the control port; without one they end with the server. */
  readonly file?: string;
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
  host = LOOPBACK,
  platformDomain,
  platformAddress = LOOPBACK,
  challengeZone,
  file,
}: DevDnsOptions = {}): Promise<DevDns> {
  const zone = new Zone({ platformDomain, platformAddress, updated: challengeZone });
  const records = file === undefined ? null : new RecordsFile(file, zone);
  await records?.load();
  const listeners = await listen(zone, host, port);
  const control = await serveLocally(
    controlPort,
    controlHandler(zone, async () => records?.save()),
    host,
  );
  return {
    port: listeners.port,
    address: `${LOOPBACK}:${listeners.port}`,
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
