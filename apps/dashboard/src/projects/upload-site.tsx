import { FileButton, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf, TRANSFER_TIMEOUT_MS } from '../api/api.js';
import { announce } from '../components/announcer.js';
import { ActionError } from '../components/error.js';
import { ActionButton } from '../components/form.js';
import { Notice } from '../components/notice.js';
import { packArchive, packDropped, packFolder } from './packing/chosen-files.js';
import { deploymentsQuery, organizationQuery } from './projects.queries.js';

const text = {
  label: 'Upload your site',
  drop: 'Drop the folder of your site here, or a .zip or .tar.gz file.',
  folder: 'Choose folder',
  archive: 'Choose .zip or .tar.gz',
  uploading: 'Uploading and checking…',
  uploaded: 'Deployment uploaded and active.',
  command: 'Or from a terminal:',
  limits: 'At most 50 MiB compressed, 200 MiB and 10,000 files unpacked. A new deployment is active immediately.',
  ignored: (count: number) =>
    count === 1
      ? '1 file of your operating system was left out'
      : `${count} files of your operating system were left out`,
  moreIgnored: (count: number) => `and ${count} more`,
} as const;

/** Number of left-out files to show: there may be one in each folder. */
const SHOWN_IGNORED = 10;

/** The place to drop or choose the files of a site. */
export function UploadSite({ projectId, slug }: { readonly projectId: string; readonly slug: string }) {
  const upload = useUpload(projectId);
  const [isOver, setOver] = useState(false);
  /** Packs at once: what was dropped can be read only during the event. */
  const start = (pack: () => Promise<Blob>) => {
    if (!upload.isPending) upload.mutate(pack());
  };
  return (
    <section
      className="card drop-zone"
      aria-label={text.label}
      data-over={isOver || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        start(() => packDropped(event.dataTransfer.items));
      }}
    >
      <Text>{text.drop}</Text>
      <div className="row-actions">
        <FileButton
          multiple
          // The attribute lets people choose a folder; React's types do not have it.
          inputProps={{ webkitdirectory: '' } as object}
          onChange={(files) => files.length > 0 && start(() => packFolder(files))}
        >
          {(props) => (
            <ActionButton {...props} isBusy={upload.isPending} busyLabel={text.uploading}>
              {text.folder}
            </ActionButton>
          )}
        </FileButton>
        <FileButton
          onChange={(file) => file !== null && start(() => packArchive(file))}
          accept=".gz,.tgz,.zip,application/gzip,application/zip"
        >
          {(props) => (
            <ActionButton {...props} variant="default" isBusy={upload.isPending}>
              {text.archive}
            </ActionButton>
          )}
        </FileButton>
      </div>
      <Text c="dimmed" size="sm">
        {text.limits}
      </Text>
      <Text c="dimmed" size="sm">
        {text.command} <code>{`pets deploy FOLDER --project ${slug}`}</code>
      </Text>
      <ActionError error={upload.error} />
      {upload.data !== undefined && <Ignored {...upload.data.ignored} />}
    </section>
  );
}

function useUpload(projectId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (packing: Promise<Blob>) =>
      dataOf(
        api({ timeoutMs: TRANSFER_TIMEOUT_MS }).POST('/v1/projects/{projectId}/deployments', {
          params: { path: { projectId } },
          headers: { 'content-type': 'application/gzip' },
          body: await packing,
        }),
      ),
    onSuccess: () => {
      announce(text.uploaded);
      // The next upload does not wait for the lists.
      void queryClient.invalidateQueries(deploymentsQuery(projectId));
      void queryClient.invalidateQueries(organizationQuery);
    },
  });
}

/** Shows the files of the last upload that were left out. */
function Ignored({ count, paths }: { readonly count: number; readonly paths: readonly string[] }) {
  if (count === 0) return null;
  const shown = paths.slice(0, SHOWN_IGNORED);
  const more = count > shown.length ? ` ${text.moreIgnored(count - shown.length)}` : '';
  return (
    <Notice tone="neutral" role="status" title={text.ignored(count)}>
      {shown.join(', ') + more}
    </Notice>
  );
}
