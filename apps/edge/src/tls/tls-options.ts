import { constants } from 'node:crypto';

/**
 * Of the listener and of every certificate. No session outlives its connection: a resumed one would skip the choice of
 * a certificate, and with it the check that the name is still served. No tickets and no session cache make each
 * connection a full handshake.
 */
export const tlsOptions = { minVersion: 'TLSv1.2', secureOptions: constants.SSL_OP_NO_TICKET } as const;
