import { seal, unseal, type KeyRing } from '@pets/platform';
import { createLinkKeys, type LinkKeys } from '@pets/sites';
import { channelLinkKeyBinding } from '../../platform/encryption-keys/bindings.js';

/** The key pair of the links of a channel, the private key encrypted for the row of the channel. */
export interface SealedLinkKeys {
  readonly publicKey: string;
  readonly sealedPrivateKey: string;
}

export function sealNewLinkKeys(ring: KeyRing, channelId: string): SealedLinkKeys {
  const { publicKey, privateKey } = createLinkKeys();
  return { publicKey, sealedPrivateKey: seal(ring, privateKey, channelLinkKeyBinding(channelId)) };
}

/** @throws Error when the private key cannot be decrypted */
export function unsealLinkKeys(ring: KeyRing, channelId: string, keys: SealedLinkKeys): LinkKeys {
  const { publicKey, sealedPrivateKey } = keys;
  return { publicKey, privateKey: unseal(ring, sealedPrivateKey, channelLinkKeyBinding(channelId)) };
}
