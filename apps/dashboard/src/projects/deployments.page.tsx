import { Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { components } from '@pets/client';
import { useState } from 'react';
import { api, dataOf } from '../api/api.js';
import { ActionButton, Confirmation } from '../components/form.js';
import { announce } from '../components/announcer.js';
import { ActionError } from '../components/error.js';
import { Dialog } from '../components/dialog.js';
import { ExternalLink } from '../components/external-link.js';
import { Loaded, LoadingRows } from '../components/loaded.js';
import { EmptyState, StatusPill } from '../components/notice.js';
import { Page } from '../components/page.js';
import { DataTable } from '../components/table.js';
import { Instant } from '../components/time.js';
import { formatBytes } from '../format.js';
import { useMay, useOrganization } from '../session/caller.js';
import { ChannelList, PutOnChannel } from './channels.js';
import { deploymentsQuery, projectQuery } from './projects.queries.js';
import { UploadSite } from './upload-site.js';

const text = {
  title: 'Deployments',
  emptyTitle: 'No deployments yet',
  empty: 'Upload the files of your site.',
  activated: 'Deployment activated.',
  deleted: 'Deployment deleted.',
  created: 'Uploaded',
  by: (author: string) => ` by ${author}`,
  state: 'State',
  size: 'Content',
  actions: 'Actions',
  earlier: 'Inactive',
  active: 'Active',
  onChannels: (names: readonly string[]) => `On ${names.join(', ')}`,
  preview: 'Preview',
  activate: 'Activate',
  put: 'Put on a channel…',
  collected: 'Deleted',
  collectedHint: 'The files of this deployment were deleted. To serve them again, upload them again.',
  delete: 'Delete',
  deleteTitle: 'Delete this deployment?',
  deleteText: 'You cannot activate it again. Its files count towards your storage for about one more day.',
  storage: (used: string, limit: string, kept: number) =>
    `Your organization uses ${used} of ${limit}. The last ${kept} deployments of each project are kept.`,
  files: (count: number) => `${count} ${count === 1 ? 'file' : 'files'}`,
};

type Deployment = components['schemas']['Deployment'];

/** Newest deployment first. */
export default function DeploymentsPage({ projectId }: { readonly projectId: string }) {
  const may = useMay();
  const deployments = useQuery(deploymentsQuery(projectId));
  const [deleting, setDeleting] = useState<Deployment | null>(null);
  const [putting, setPutting] = useState<Deployment | null>(null);
  const project = useQuery(projectQuery(projectId));
  const activate = useActivation(projectId);
  const stop = () => setDeleting(null);
  return (
    <Page title={text.title} below={<ActionError error={activate.error} />}>
      {may('createDeployment') && project.data !== undefined && (
        <UploadSite projectId={projectId} slug={project.data.slug} />
      )}
      <Text c="dimmed">
        <Storage />
      </Text>
      <Loaded query={deployments} loading={<LoadingRows />}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState title={text.emptyTitle} text={text.empty} />
          ) : (
            <>
              <DeploymentTable
                projectId={projectId}
                deployments={list}
                isBusy={activate.isPending}
                onActivate={activate.mutate}
                onPut={setPutting}
                onDelete={setDeleting}
              />
              <ChannelList projectId={projectId} deployments={list} />
            </>
          )
        }
      </Loaded>
      <PutOnChannel projectId={projectId} deployment={putting} onClose={() => setPutting(null)} />
      <Dialog opened={deleting !== null} onClose={stop} title={text.deleteTitle}>
        {deleting !== null && <ConfirmDeletion projectId={projectId} deploymentId={deleting.id} onClose={stop} />}
      </Dialog>
    </Page>
  );
}

/** Empty until loaded. */
function Storage() {
  const { data } = useOrganization();
  if (data === undefined) return null;
  const { limits, usage } = data;
  const used = formatBytes(Number(usage.storageBytes));
  const limit = formatBytes(Number(limits.storageBytes));
  return <span>{text.storage(used, limit, limits.keptDeployments)}</span>;
}

function useActivation(projectId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ id }: Deployment) =>
      dataOf(
        api().POST('/v1/projects/{projectId}/deployments/{deploymentId}/activate', {
          params: { path: { projectId, deploymentId: id } },
        }),
      ),
    onSuccess: async () => {
      announce(text.activated);
      await queryClient.invalidateQueries(deploymentsQuery(projectId));
    },
  });
}

/** The site that an active deployment is; empty until loaded. */
function SiteLink({ projectId }: { readonly projectId: string }) {
  const { data } = useQuery(projectQuery(projectId));
  if (data === undefined) return null;
  return (
    <span className="visit">
      <ExternalLink href={data.url}>{new URL(data.url).host}</ExternalLink>
    </span>
  );
}

interface DeploymentTableProps {
  readonly projectId: string;
  readonly deployments: readonly Deployment[];
  readonly isBusy: boolean;
  readonly onActivate: (deployment: Deployment) => void;
  readonly onPut: (deployment: Deployment) => void;
  readonly onDelete: (deployment: Deployment) => void;
}

function DeploymentTable({ projectId, deployments, isBusy, onActivate, onPut, onDelete }: DeploymentTableProps) {
  const may = useMay();
  return (
    <div className="card" data-flush>
      <DataTable
        label={text.title}
        rows={deployments}
        keyOf={({ id }) => id}
        columns={[
          {
            header: text.created,
            cell: ({ createdAt, author, message }) => (
              <>
                <Instant at={createdAt} />
                {author?.display != null && <small>{text.by(author.display)}</small>}
                {message !== null && <p>{message}</p>}
              </>
            ),
          },
          {
            header: text.state,
            cell: (deployment) => <DeploymentState projectId={projectId} deployment={deployment} />,
          },
          {
            header: text.size,
            kind: 'tight',
            cell: ({ files, bytes }) => `${text.files(files)}, ${formatBytes(bytes)}`,
          },
          {
            header: text.actions,
            kind: 'tight',
            isShown: may('activateDeployment', 'deleteDeployment', 'putChannel'),
            cell: (deployment) =>
              deployment.state === 'ready' && (
                <div className="row-actions">
                  {!deployment.active && (
                    <ActionButton variant="default" size="xs" isBusy={isBusy} onClick={() => onActivate(deployment)}>
                      {text.activate}
                    </ActionButton>
                  )}
                  <ActionButton variant="default" size="xs" isBusy={isBusy} onClick={() => onPut(deployment)}>
                    {text.put}
                  </ActionButton>
                  {!deployment.active && deployment.channels.length === 0 && (
                    <ActionButton variant="default" size="xs" isBusy={isBusy} onClick={() => onDelete(deployment)}>
                      {text.delete}
                    </ActionButton>
                  )}
                </div>
              ),
          },
        ]}
      />
    </div>
  );
}

interface DeploymentStateProps {
  readonly projectId: string;
  readonly deployment: Deployment;
}

function DeploymentState({ projectId, deployment: { active, state, channels } }: DeploymentStateProps) {
  const onChannels = channels.length > 0 && <small>{text.onChannels(channels)}</small>;
  if (active) {
    return (
      <>
        <StatusPill tone="good">{text.active}</StatusPill>
        <SiteLink projectId={projectId} />
        {onChannels}
      </>
    );
  }
  if (channels.length > 0) {
    return (
      <>
        <StatusPill tone="good">{text.preview}</StatusPill>
        {onChannels}
      </>
    );
  }
  if (state !== 'collected') return <StatusPill tone="neutral">{text.earlier}</StatusPill>;
  return (
    <>
      <StatusPill tone="neutral">{text.collected}</StatusPill>
      <small>{text.collectedHint}</small>
    </>
  );
}

interface ConfirmDeletionProps {
  readonly projectId: string;
  readonly deploymentId: string;
  readonly onClose: () => void;
}

function ConfirmDeletion({ projectId, deploymentId, onClose }: ConfirmDeletionProps) {
  const queryClient = useQueryClient();
  const remove = useMutation({
    mutationFn: () =>
      dataOf(
        api().DELETE('/v1/projects/{projectId}/deployments/{deploymentId}', {
          params: { path: { projectId, deploymentId } },
        }),
      ),
    onSuccess: async () => {
      onClose();
      announce(text.deleted);
      await queryClient.invalidateQueries(deploymentsQuery(projectId));
    },
  });
  return (
    <Confirmation
      text={text.deleteText}
      label={text.delete}
      action={remove}
      isDestructive
      onConfirm={() => remove.mutate()}
      onCancel={onClose}
    />
  );
}
