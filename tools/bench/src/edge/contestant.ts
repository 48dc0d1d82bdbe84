import type { CertificateSet } from './certificate-set.js';

/** What is served, from where. */
export interface Ground {
  readonly set: CertificateSet;
  /** A folder of the run's own. */
  readonly folder: string;
  /** Holds `index.html`, the file that everybody serves. */
  readonly siteFolder: string;
}

/** A server that has been started; whether it serves already is for the caller to see. */
export interface Serving {
  readonly pid: number;
  readonly port: number;
  stop(): Promise<void>;
}

export interface Contestant {
  readonly name: string;
  /** The most names that it is asked to serve. */
  readonly mostNames: number;
  /** Starts with the first so many names, on the server's processor. */
  start(ground: Ground, names: number): Promise<Serving>;
}
