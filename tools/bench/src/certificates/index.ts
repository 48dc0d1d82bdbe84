/** A world in which certificates are issued, for whoever wants to break it: `@pets/chaos`. */
export { startCertificateWorld, type CertificateWorld } from './certificate-world.js';
