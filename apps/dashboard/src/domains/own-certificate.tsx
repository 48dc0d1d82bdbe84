import { Button, Group, Stack, Text } from '@mantine/core';
import type { CertificateSource, Domain } from '@pets/contracts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../api/api.js';
import { ActionButton, Confirmation } from '../components/form.js';
import { announce } from '../components/announcer.js';
import { ActionError } from '../components/error.js';
import { Dialog } from '../components/dialog.js';
import { FieldList } from '../components/page.js';
import { Instant } from '../components/time.js';
import { useMay } from '../session/caller.js';
import { invalidateDomains } from './domains.queries.js';
import { ownStrings } from './domain-strings.js';
import { UploadCertificate } from './upload-certificate.js';

export interface OwnCertificateProps {
  readonly projectId: string;
  readonly domain: Domain;
}

const PATH = '/v1/projects/{projectId}/domains/{domain}/certificate';

/** The certificate that the owner uploaded, or the offer to upload one. */
export function OwnCertificate({ projectId, domain }: OwnCertificateProps) {
  const may = useMay();
  const { ownCertificate: own } = domain;
  const [isUploading, setUploading] = useState(false);
  const [isRemoving, setRemoving] = useState(false);
  const prefer = useChange(projectId, domain, ownStrings.preferred, (source: CertificateSource) => {
    const params = { path: { projectId, domain: domain.id } };
    return dataOf(api().PATCH(PATH, { params, body: { prefer: source } }));
  });
  return (
    <>
      <Stack gap="md" align="start">
        {own === undefined ? <Text>{ownStrings.none}</Text> : <Details own={own} />}
        <ActionError error={prefer.error} />
        <Group gap="sm">
          {may('uploadDomainCertificate') && (
            <Button variant="default" onClick={() => setUploading(true)}>
              {own === undefined ? ownStrings.upload : ownStrings.replace}
            </Button>
          )}
          {own?.state === 'active' && may('updateDomainCertificate') && (
            <ActionButton
              variant="default"
              isBusy={prefer.isPending}
              onClick={() => prefer.mutate(own.prefer === 'own' ? 'automatic' : 'own')}
            >
              {own.prefer === 'own' ? ownStrings.preferAutomatic : ownStrings.preferOwn}
            </ActionButton>
          )}
          {own !== undefined && may('deleteDomainCertificate') && (
            <Button variant="default" c="red" onClick={() => setRemoving(true)}>
              {ownStrings.remove}
            </Button>
          )}
        </Group>
      </Stack>
      <Dialog opened={isUploading} onClose={() => setUploading(false)} title={ownStrings.dialog} size="lg">
        <UploadCertificate projectId={projectId} domain={domain} onClose={() => setUploading(false)} />
      </Dialog>
      <Dialog opened={isRemoving} onClose={() => setRemoving(false)} title={ownStrings.removeTitle}>
        <Removal projectId={projectId} domain={domain} onClose={() => setRemoving(false)} />
      </Dialog>
    </>
  );
}

function Details({ own }: { readonly own: NonNullable<Domain['ownCertificate']> }) {
  return (
    <>
      {own.state === 'active' && <Text>{own.isServed ? ownStrings.served : ownStrings.notServed}</Text>}
      <FieldList
        fields={[
          [ownStrings.state, ownStrings.states[own.state]],
          [ownStrings.names, own.names.join(', ')],
          [ownStrings.issuer, own.issuer],
          [ownStrings.until, <Instant key="until" at={own.notAfter} mayBeAhead />],
          [ownStrings.fingerprint, own.fingerprint],
        ]}
      />
    </>
  );
}

function Removal({ projectId, domain, onClose }: OwnCertificateProps & { readonly onClose: () => void }) {
  const remove = useChange(projectId, domain, ownStrings.removed, async () => {
    await dataOf(api().DELETE(PATH, { params: { path: { projectId, domain: domain.id } } }));
    onClose();
  });
  return (
    <Confirmation
      text={domain.certificate?.notAfter == null ? ownStrings.removeOnlyText : ownStrings.removeText}
      label={ownStrings.remove}
      action={remove}
      isDestructive
      onConfirm={() => remove.mutate()}
      onCancel={onClose}
    />
  );
}

/** A change after which the domain is read again. */
function useChange<Input = void>(
  projectId: string,
  { id }: Domain,
  done: string,
  change: (input: Input) => Promise<unknown>,
) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: async () => {
      announce(done);
      await invalidateDomains(queryClient, projectId, new Set([id]));
    },
  });
}
