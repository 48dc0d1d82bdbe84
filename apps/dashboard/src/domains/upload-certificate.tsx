import { Button, Checkbox, FileButton, Stack, Textarea } from '@mantine/core';
import type { Domain } from '@pets/contracts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../api/api.js';
import { fieldErrorsOf } from '../api/field-errors.js';
import { announce } from '../components/announcer.js';
import { ActionForm } from '../components/form.js';
import { invalidateDomains } from './domains.queries.js';
import { ownStrings } from './domain-strings.js';

interface UploadCertificateProps {
  readonly projectId: string;
  readonly domain: Pick<Domain, 'id'>;
  readonly onClose: () => void;
}

/** The form for a chain and its key, pasted or from files. The error of a field is shown at the field. */
export function UploadCertificate({ projectId, domain, onClose }: UploadCertificateProps) {
  const [certificate, setCertificate] = useState('');
  const [privateKey, setPrivateKey] = useState('');
  const [isPrivate, setPrivate] = useState(false);
  const upload = useUpload(projectId, domain, onClose);
  const { texts, isAtField } = fieldErrorsOf(upload.error, ['certificate', 'privateKey']);
  return (
    <ActionForm
      label={ownStrings.upload}
      action={upload}
      isErrorAtField={isAtField}
      onSubmit={() => upload.mutate({ certificate, privateKey, trust: isPrivate ? 'private' : 'public' })}
      disabled={certificate === '' || privateKey === ''}
    >
      <PemField
        label={ownStrings.chain}
        choose={ownStrings.chooseChain}
        value={certificate}
        error={texts.certificate}
        onChange={setCertificate}
      />
      <PemField
        label={ownStrings.key}
        description={ownStrings.keyHint}
        choose={ownStrings.chooseKey}
        value={privateKey}
        error={texts.privateKey}
        onChange={setPrivateKey}
      />
      <Checkbox
        label={ownStrings.private}
        checked={isPrivate}
        onChange={(event) => setPrivate(event.currentTarget.checked)}
      />
    </ActionForm>
  );
}

interface PemFieldProps {
  readonly label: string;
  readonly description?: string;
  /** The text of the button for a file. */
  readonly choose: string;
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (text: string) => void;
}

function PemField({ choose, onChange, ...field }: PemFieldProps) {
  return (
    <Stack gap="xs" align="start">
      <Textarea
        {...field}
        onChange={(event) => onChange(event.currentTarget.value)}
        rows={5}
        w="100%"
        autoComplete="off"
        spellCheck={false}
      />
      <FileButton onChange={(file) => void file?.text().then(onChange)} inputProps={{ 'aria-label': choose }}>
        {(props) => (
          <Button {...props} variant="default" size="xs">
            {choose}
          </Button>
        )}
      </FileButton>
    </Stack>
  );
}

interface Upload {
  readonly certificate: string;
  readonly privateKey: string;
  readonly trust: 'public' | 'private';
}

function useUpload(projectId: string, { id }: UploadCertificateProps['domain'], onClose: () => void) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: Upload) =>
      dataOf(
        api().PUT('/v1/projects/{projectId}/domains/{domain}/certificate', {
          params: { path: { projectId, domain: id } },
          body,
        }),
      ),
    // The key stays in this dialog only.
    gcTime: 0,
    onSuccess: async () => {
      announce(ownStrings.uploaded);
      onClose();
      await invalidateDomains(queryClient, projectId, new Set([id]));
    },
  });
}
