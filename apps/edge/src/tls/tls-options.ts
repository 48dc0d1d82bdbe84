import { constants } from 'node:crypto';

/**
 * Mozilla's profile "intermediate" (server-side TLS guidelines 6.0, ssl-config.mozilla.org): for TLS 1.2 nothing but ECDHE with
 * AES-GCM or ChaCha20-Poly1305. The client chooses among them, since it knows whether it has AES in hardware.
 */
const intermediate = {
  minVersion: 'TLSv1.2',
  ciphers: [
    'TLS_AES_128_GCM_SHA256',
    'TLS_AES_256_GCM_SHA384',
    'TLS_CHACHA20_POLY1305_SHA256',
    'ECDHE-ECDSA-AES128-GCM-SHA256',
    'ECDHE-RSA-AES128-GCM-SHA256',
    'ECDHE-ECDSA-AES256-GCM-SHA384',
    'ECDHE-RSA-AES256-GCM-SHA384',
    'ECDHE-ECDSA-CHACHA20-POLY1305',
    'ECDHE-RSA-CHACHA20-POLY1305',
  ].join(':'),
  ecdhCurve: 'X25519MLKEM768:X25519:prime256v1:secp384r1',
  honorCipherOrder: false,
} as const;

/**
 * Of the listener and of every certificate: some of it is taken from the one, some from the other. No session outlives its
 * connection: a resumed one would skip the choice of a certificate, and with it the check that the name is still served. No
 * tickets and no session cache make each connection a full handshake.
 */
export const tlsOptions = { ...intermediate, secureOptions: constants.SSL_OP_NO_TICKET } as const;
