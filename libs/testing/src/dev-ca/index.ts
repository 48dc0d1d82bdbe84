/** The development CA, and Pebble. */
export { issuePlatformCertificate, openAuthority, type CertificateAuthority } from './authority.js';
export { startDevCa, type DevCa } from './dev-ca.js';
export { startPebble, type Pebble } from './pebble.js';
