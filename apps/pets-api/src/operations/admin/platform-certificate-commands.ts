/** The certificate of `*.<platform domain>`: its state, the record that it needs, and an order ahead of time. */
import { PlatformCertificatesRepository } from '../../certificates/platform/platform-certificates.repository.js';
import { PlatformOrdersRepository } from '../../certificates/platform/platform-orders.repository.js';
import { platformSubjectOf } from '../../certificates/platform/platform-subject.js';
import { AdminError, setting, type AdminCommands, type AdminContext } from './command.js';

export function platformCertificateCommands({ db, config }: AdminContext): AdminCommands {
  const subject = () => {
    const zones = {
      PLATFORM_DOMAIN: setting(config, 'PLATFORM_DOMAIN'),
      ACME_DNS_ZONE: setting(config, 'ACME_DNS_ZONE'),
    };
    const found = platformSubjectOf({ ...zones, ISSUE_PLATFORM_CERTIFICATE: true });
    if (found === null) throw new AdminError('ACME_DNS_ZONE: is required');
    return found;
  };
  const orders = () => new PlatformOrdersRepository(db);

  return {
    'platform-certificate show': {
      usage: '',
      run: async () => {
        const { domainId: id, name, expected } = subject();
        const { host, target } = expected.delegation;
        const certificate = await new PlatformCertificatesRepository(db).findNewest(id);
        const order = await orders().find(id);
        return {
          name,
          record: `${host} CNAME ${target}`,
          certificate: certificate && {
            id: certificate.id,
            issuer: certificate.issuer,
            notBefore: certificate.notBefore,
            notAfter: certificate.notAfter,
          },
          nextAttemptAt: order?.dueAt ?? null,
          problem: order?.problem ?? null,
          problemSince: order?.problemSince ?? null,
        };
      },
    },
    'platform-certificate renew': {
      usage: '',
      run: async () => {
        const { domainId: id, name } = subject();
        if (!(await orders().orderNow(id)))
          throw new AdminError(`${name} is not ordered here: check ISSUE_PLATFORM_CERTIFICATE, and that pets-api runs`);
        return { name, requested: true };
      },
    },
  };
}
