import { constants } from 'node:crypto';

/**
 * Mozilla's "intermediate" profile (server-side TLS guidelines 6.0, ssl-config.mozilla.org): TLS 1.2 only with ECDHE and AES-GCM
 * or ChaCha20-Poly1305. The client chooses the cipher, because it knows whether its hardware supports AES.
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
 * For the listener and for every certificate, because Node takes some options from one and some from the other. Without
 * tickets and a session cache every connection makes a full handshake: a resumed session would skip the choice of a
 * certificate, and with it the check that the name is still served.
 */
export const tlsOptions = { ...intermediate, secureOptions: constants.SSL_OP_NO_TICKET } as const;
