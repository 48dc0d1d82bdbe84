/** The public addresses of the platform: which are offered to owners, and which are given up. */
import { findAddressFault, parseIpAddress } from '@pets/domains';
import { PublicAddressesRepository, type ListedAddress } from '../../names/public-addresses.js';
import { AdminError, required, type AdminCommands, type AdminContext, type Options } from './command.js';

export function addressCommands({ db }: AdminContext): AdminCommands {
  const addresses = new PublicAddressesRepository(db);
  const present = async ({ address, retiringSince, addedAt }: ListedAddress) => ({
    ...{ address, retiringSince, addedAt },
    domains: await addresses.countDomains(address),
  });
  const find = async (address: string) => {
    const found = await addresses.find(address);
    if (found === null) throw new AdminError(`${address} is not listed`);
    return present(found);
  };
  return {
    'addresses list': {
      usage: '',
      run: async () => {
        const listed = [];
        for (const one of await addresses.list()) listed.push(await present(one));
        return { addresses: listed };
      },
    },
    'addresses add': {
      usage: '--address ADDRESS [--force]',
      run: async ({ address: given, force }) => {
        const address = required('address', given);
        const fault = findAddressFault(address);
        if (fault !== null && (!fault.isShared || force !== 'true'))
          throw new AdminError(
            `--address ${fault.problem}: ${address}${fault.isShared ? '; pass --force if it answers for this platform alone' : ''}`,
          );
        const result = await addresses.addAddress(address);
        if (result === 'full') throw new AdminError('no more addresses can be listed: remove one first');
        return { ...(await find(address)), changed: result !== 'exists' };
      },
    },
    'addresses retire': {
      usage: '--address ADDRESS',
      run: async (options) => {
        const address = addressOf(options);
        if ((await addresses.retire(address, new Date())) === null) throw new AdminError(`${address} is not listed`);
        return find(address);
      },
    },
    'addresses remove': {
      usage: '--address ADDRESS [--force]',
      run: async (options) => {
        const address = addressOf(options);
        const { domains } = await find(address);
        if (domains > 0 && options['force'] !== 'true')
          throw new AdminError(
            `${domains} domains showed ${address} in their last check and would no longer point here: retire it and wait, or pass --force`,
          );
        await addresses.delete(address);
        return { removed: address, domains };
      },
    },
  };
}

function addressOf(options: Options): string {
  const address = required('address', options['address']);
  if (parseIpAddress(address) === null) throw new AdminError(`--address is not an IP address: ${address}`);
  return address;
}
