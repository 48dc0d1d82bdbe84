import type { CertificateSet } from './certificate-set.js';

/** The files and certificates that all servers use. */
export interface Ground {
  readonly set: CertificateSet;
  /** The folder of this run. */
  readonly folder: string;
  /** Contains `index.html`, the file that all servers serve. */
  readonly siteFolder: string;
}

/** A server that was started; the caller checks whether it serves already. */
export interface Serving {
  readonly pid: number;
  readonly port: number;
  stop(): Promise<void>;
}

export interface Contestant {
  readonly name: string;
  /** The maximum number of names that it is tested with. */
  readonly mostNames: number;
  /** Starts with the given number of names on the server's processor. @param env more of our edge's environment */
  start(ground: Ground, names: number, env?: Readonly<Record<string, string>>): Promise<Serving>;
}
